"""The settings of a matchmaking replica."""

from dataclasses import dataclass

from parlor.matchmaking.tables import Tables
from parlor.serving import BadConfig, Common


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchmakingConfig(Common):
    """`PARLOR_MATCHMAKING_…`."""

    window: tuple[str, ...] = ("0:4", "10000:8", "30000:inf")
    """How far apart in rating people may be by how long they have waited: points `<ms>:<width>` of
    a curve that never falls, separated by commas; `inf` is anybody."""
    fill_after_ms: int | None = 5_000
    """How long the longest wait has to last before bots fill the table; unset: they never do."""
    pools: tuple[str, ...] = ()
    """Settings of single pools, `<prefix>.window=<ms>:<width> …` or `<prefix>.fill_after_ms=<ms or
    never>`, separated by commas, such as `jinxian.fill_after_ms=never`. The longest prefix of a
    pool's name holds."""
    default_rating: float = 25.0
    """The rating of who has none yet."""
    tick_ms: int = 100
    """How often a pool in which something happens is looked at, at most."""
    look_ms: int = 1_000
    """How often a pool is looked at in which nothing happens: windows widen, and a message may have
    been lost."""
    ticket_ms: int = 10_000
    """How long a ticket lives that nobody follows."""
    renew_ms: int = 3_000
    """How often followed tickets are renewed and looked at without a message; a third of
    `ticket_ms` where that is less. One that was just made is left out the first time."""
    forget_ms: int = 60_000
    """How long a ticket is remembered once it has ended."""
    owner_ms: int = 3_000
    """How long a pool stays with a replica that has fallen silent."""
    open_ms: int = 2_000
    """How long an engine may take to open rooms."""
    give_up_ms: int = 10_000
    """How long a match looks for an engine before its tickets go back to the queue."""
    backfill_ms: int | None = 60_000
    """How long after a table was made its bots' seats are offered to late people, who would else
    get a table with bots alone; unset: never."""
    connect_ms: int = 20_000
    """How long assigned players may take until their game begins; then who is not ready is
    replaced, or the others go back to the queue."""
    party_ms: int = 3_600_000
    """How long a party lives in which nothing happens."""

    def __post_init__(self) -> None:
        try:
            self.tables()
        except ValueError as error:
            raise BadConfig(
                f"PARLOR_MATCHMAKING_WINDOW, PARLOR_MATCHMAKING_POOLS: {error}"
            ) from None

    def tables(self) -> Tables:
        """What the tickets of each pool are matched for."""
        return Tables.parsed(self.window, self.fill_after_ms, self.pools)
