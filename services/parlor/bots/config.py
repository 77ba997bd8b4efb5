"""The settings of a process of bots."""

from dataclasses import dataclass

from parlor.serving import BadConfig, Common, Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class BotsConfig(Common):
    """`PARLOR_BOTS_…`."""

    urls: tuple[str, ...] = ("http://127.0.0.1:8080",)
    """Gateways, separated by commas."""
    token_key: Secret[str] = ""
    """`<kid>=value:<secret>` or `<kid>=<path of a file>`: an HS256 key of the gateways, to sign the
    bots' tokens with. Empty: bots log in as guests."""
    most: int = 64
    """How many bots there are at tables."""
    processes: int = 1
    """Processes that decide for them; 0: they decide on the event loop."""
    think_ms: int = 700
    """How long a bot seems to think on average."""

    def __post_init__(self) -> None:
        if not self.urls:
            raise BadConfig("PARLOR_BOTS_URLS: expected at least one")
