"""The options of a game, fixed when its room opens (RULES.md 1), and what values they may have."""

import enum
from dataclasses import dataclass, fields

from parlor.rules.game import InvalidConfig
from parlor.rules.jinxian.options import ScoringOptions, check_scoring

PATIENCE = 3
"""In standard mode the default move comes at this many times the limit; reminders come before."""


_SCORING = ScoringOptions()


class PassedWinLock(enum.Enum):
    """What declining a win on another seat's tile costs (过胡, RULES.md 6.4)."""

    UNTIL_DRAW = "UNTIL_DRAW"
    """No such win before the seat next draws."""
    UNTIL_DRAW_UNLESS_HIGHER = "UNTIL_DRAW_UNLESS_HIGHER"
    """As above, but a win of a higher total is allowed."""
    OFF = "OFF"


class DealerOnDraw(enum.Enum):
    """Who deals after a drawn round."""

    STAY = "STAY"
    PASS = "PASS"  # noqa: S105 - no password


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """One game's options and limits, with the defaults of the rule book."""

    total_rounds: int = 8
    """4, 8 or 16 for players."""
    fast: bool = False
    """Fast mode (快版): shorter limits, no reminders, autoplay after the first late turn."""
    scoring: ScoringOptions = _SCORING
    passed_win_lock: PassedWinLock = PassedWinLock.UNTIL_DRAW
    dealer_on_draw: DealerOnDraw = DealerOnDraw.STAY
    concealed_kong_hidden: bool = True
    """Whether the kind of a concealed kong is hidden from others until the round ends."""
    auto_win: bool = True
    """Whether the default move takes a legal win."""
    turn_ms: int = 30_000
    """A turn in standard mode: reminders after one and two of it, the default move after three."""
    claim_ms: int = 5_000
    """A claim window in standard mode: a reminder after it, the default after three of it."""
    fast_turn_ms: int = 15_000
    fast_claim_ms: int = 3_000
    show_ms: int = 3_000
    """How long the deal is shown before the first turn's limit begins."""
    settle_ms: int = 10_000
    """Longest pause between two rounds."""
    autoplay_ms: int = 1_000
    """How long a seat on autoplay takes."""
    offline_ms: int = 60_000
    """How long a seat is offline before it goes on autoplay."""
    abandoned_ms: int = 600_000
    """How long all four seats are offline before the game is dissolved."""
    ready_ms: int = 300_000
    """How long a seat has to declare ready, from sitting down, from taking that back, or from the end of a game."""


_LIMITS = {
    "total_rounds": (4, 8, 16),
    "turn_ms": range(3_000, 120_001),
    "claim_ms": range(1_000, 60_001),
    "fast_turn_ms": range(3_000, 120_001),
    "fast_claim_ms": range(1_000, 60_001),
    "show_ms": range(5_001),
    "settle_ms": range(1_000, 60_001),
    "autoplay_ms": range(200, 5_001),
    "offline_ms": range(5_000, 600_001),
    "abandoned_ms": range(60_000, 3_600_001),
    "ready_ms": range(5_000, 600_001),
}
"""What players may choose."""

_MOST_ROUNDS = 100
_DAY_MS = 86_400_000


def check_options(config: Config) -> None:
    """Raises `InvalidConfig` where an option is out of its range or a limit is no duration."""
    if not 1 <= config.total_rounds <= _MOST_ROUNDS:
        raise InvalidConfig("total_rounds", f"must be 1..{_MOST_ROUNDS}")
    for field in fields(config):
        if field.name.endswith("_ms"):
            least = 0 if field.name == "show_ms" else 1
            if not least <= getattr(config, field.name) <= _DAY_MS:
                raise InvalidConfig(field.name, f"must be {least}..{_DAY_MS}")
    check_scoring(config.scoring)


def check_limits(config: Config) -> None:
    """Raises `InvalidConfig` where players may not choose such a limit or number of rounds."""
    for name, allowed in _LIMITS.items():
        if getattr(config, name) not in allowed:
            among = (
                f"{allowed[0]}..{allowed[-1]}"
                if isinstance(allowed, range)
                else f"one of {allowed}"
            )
            raise InvalidConfig(name, f"must be {among}")


def turn_ms(config: Config) -> int:
    """The limit of a turn, after which a reminder or the default move comes (RULES.md 11.1)."""
    return config.fast_turn_ms if config.fast else config.turn_ms


def claim_ms(config: Config) -> int:
    """The limit of a claim window, as above."""
    return config.fast_claim_ms if config.fast else config.claim_ms
