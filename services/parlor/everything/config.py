"""What `make up` runs, and where."""

from dataclasses import dataclass

from parlor.serving.config import Common, Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class EverythingConfig(Common):
    """`PARLOR_EVERYTHING_…`; what the services are set to, they read from the same environment."""

    redis_url: Secret[str] = ""
    """A Redis that runs already; empty: a private one is started."""
    port: int = 8080
    """Where the browser client and the first gateway's WebSocket are; 0 takes a free one."""
    kinds: tuple[str, ...] = ("doudizhu", "jinxian", "planes")
    """Kinds of games, each with its own engines."""
    engines: int = 2
    """Engine replicas per kind."""
    gateways: int = 1
    """Gateways; those after the first listen on free ports."""
    bots: int = 1
    """Processes of bots; 0: players play among themselves."""
    directory: str = ".run"
    """Where Redis and the archive keep their data and the processes their logs."""
    start_ms: int = 180_000
    """How long all of it may take to be ready."""
