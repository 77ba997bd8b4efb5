"""The settings of the archive, `PARLOR_ARCHIVE_<NAME>`."""

from dataclasses import dataclass

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from parlor.archive.seasons import Period
from parlor.serving import BadConfig, Common, Secret

_DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveConfig(Common):
    """What an archive may be told; the defaults run on a laptop."""

    database_url: Secret[str] = "sqlite:///.run/archive.db"
    """Where the database is: `sqlite:///FILE` (`sqlite:////FILE` for an absolute path), for replicas
    on one machine, or `postgresql://user:password@host/database`, which needs the extra `postgres`.
    """
    database_timeout_ms: int = 5_000
    """How long one statement may take, waiting for others included."""
    shards: int = 64
    """Shards of the deployment, as the engines have it."""
    poll_ms: int = 200
    """How often the streams are looked at."""
    per_shard: int = 8
    """How many games of each shard are taken at once."""
    owner_ms: int = 3_000
    """How long archiving stays with a replica that has fallen silent."""
    log_ms: int = 3_600_000
    """How long an archived game's log stays in Redis too."""
    rating_ms: int = 31_536_000_000
    """How long matchmaking is told a player's rating after the last game that changed it."""
    season: Period = "month"
    """How long a season lasts, in UTC. A change makes new seasons and leaves the old ones."""
    erasure_ms: int = 2_592_000_000
    """How long it is remembered, by a digest, whom to leave out of games that had begun before they
    were erased: longer than games last and wait.
    """

    def __post_init__(self) -> None:
        try:
            backend = make_url(self.database_url).get_backend_name()
        except (ArgumentError, ValueError):
            backend = ""
        if backend not in _DRIVERS:
            # What is wrong may be the password: the value is not repeated.
            raise BadConfig(
                "PARLOR_ARCHIVE_DATABASE_URL: expected sqlite:///FILE or "
                "postgresql://user:password@host/database"
            )
        if min(self.poll_ms, self.per_shard, self.owner_ms, self.log_ms, self.rating_ms) < 1:
            raise BadConfig(
                "PARLOR_ARCHIVE_POLL_MS, PARLOR_ARCHIVE_PER_SHARD, PARLOR_ARCHIVE_OWNER_MS, "
                "PARLOR_ARCHIVE_LOG_MS, PARLOR_ARCHIVE_RATING_MS: expected at least 1"
            )

    @property
    def driver_url(self) -> str:
        """The database's URL with the driver that is used; a secret."""
        url = make_url(self.database_url)
        url = url.set(drivername=_DRIVERS[url.get_backend_name()])
        return url.render_as_string(hide_password=False)
