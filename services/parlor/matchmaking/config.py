"""The settings of a matchmaking replica."""

from dataclasses import dataclass

from parlor.serving import Common


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchmakingConfig(Common):
    """`PARLOR_MATCHMAKING_…`."""

    fill_after_ms: int = 5_000
    """How long the longest wait has to last before programs fill the table."""
    tick_ms: int = 100
    """How often each pool is looked at."""
    follow_ms: int = 200
    """How often a followed ticket is looked at."""
    ticket_ms: int = 10_000
    """How long a ticket lives that nobody follows."""
    renew_ms: int = 3_000
    """How often a followed ticket is renewed."""
    forget_ms: int = 60_000
    """How long a ticket is remembered once it has ended."""
    owner_ms: int = 3_000
    """How long a pool stays with a replica that has fallen silent."""
    open_ms: int = 2_000
    """How long an engine may take to open a room."""
