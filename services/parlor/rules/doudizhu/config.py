"""The options of a game, fixed when it starts (RULES.md 9), and what values they may have."""

import enum
from dataclasses import dataclass, fields

from parlor.rules.game import InvalidConfig


class RuleSet(enum.Enum):
    """Which game is played."""

    CLASSIC = "CLASSIC"
    """Three players, each for himself, all cards dealt."""
    STANDARD = "STANDARD"
    """A landlord against two peasants."""


class RunTop(enum.Enum):
    """The highest card of a run in the classic rule set."""

    JOKER = "JOKER"
    TWO = "TWO"
    ACE = "ACE"


class Wings(enum.Enum):
    """Whether single kickers may repeat a rank in the standard rule set."""

    OPEN = "OPEN"
    STRICT = "STRICT"


class Bidding(enum.Enum):
    """How the landlord is found."""

    SCORE = "SCORE"
    """One bid of 0..3 each (叫分)."""
    CALL = "CALL"
    """A call that the others may rob (叫地主, 抢地主)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """One game's options and limits, with the defaults of the rule book."""

    rule_set: RuleSet = RuleSet.STANDARD
    run_top: RunTop = RunTop.JOKER
    """Classic only."""
    wings: Wings = Wings.OPEN
    """Standard only."""
    bidding: Bidding = Bidding.SCORE
    """Standard only."""
    doubling: bool = False
    """Whether the seats may double their stake before the play (加倍); standard only."""
    show_cards: bool = False
    """Whether the landlord may lay his hand open (明牌); standard only."""
    base_score: int = 1
    """1..10,000."""
    stake_cap: int = 0
    """Most that a peasant wins or loses, 1..10^9; 0 is no cap. Standard only."""
    max_passed_deals: int = 3
    """All-pass deals in a row after which the first bidder must be landlord, 1..9."""
    surrender: bool = True
    bid_ms: int = 15_000
    """Limit of each bid, call and rob."""
    double_ms: int = 10_000
    play_ms: int = 30_000
    """Limit of each play or pass, the first lead included."""
    consent_ms: int = 15_000
    """Limit of the answer to a peasant's offer to surrender."""
    autoplay_ms: int = 1_000
    """How long a seat on autoplay takes."""
    ready_ms: int = 60_000
    """How long seats have to declare ready once a game has ended."""
    autoplay_after: int = 2
    """Timeouts in a row that put a seat on autoplay, 1..100."""


_RANGES = {
    "base_score": range(1, 10_001),
    "stake_cap": range(10**9 + 1),
    "max_passed_deals": range(1, 10),
    "autoplay_after": range(1, 101),
}

_LIMITS = {
    "bid_ms": range(1_000, 300_001),
    "double_ms": range(1_000, 300_001),
    "play_ms": range(1_000, 300_001),
    "consent_ms": range(1_000, 300_001),
    "autoplay_ms": range(200, 5_001),
    "ready_ms": range(5_000, 600_001),
}
"""What players may choose."""

_DAY_MS = 86_400_000


def check_options(config: Config) -> None:
    """Raises `InvalidConfig` where an option is out of its range or a limit is no duration."""
    _check(config, _RANGES)
    _check(config, {field: range(1, _DAY_MS + 1) for field in _LIMITS})


def check_limits(config: Config) -> None:
    """Raises `InvalidConfig` where a limit is shorter or longer than players may choose."""
    _check(config, _LIMITS)


def _check(config: Config, ranges: dict[str, range]) -> None:
    for field in fields(config):
        allowed = ranges.get(field.name)
        if allowed is not None and getattr(config, field.name) not in allowed:
            raise InvalidConfig(field.name, f"must be {allowed[0]}..{allowed[-1]}")
