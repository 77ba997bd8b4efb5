"""The options of a game, fixed when it starts (RULES.md 9), and what values they may have."""

import enum
from dataclasses import dataclass, fields

from parlor.rules.game import InvalidConfig


class DestroyRule(enum.Enum):
    """When a plane falls."""

    ALL_CELLS = "ALL_CELLS"
    """With the last of its eleven cells."""
    HEAD_KILL = "HEAD_KILL"
    """With its head, at once."""


class HeadReveal(enum.Enum):
    """What a fallen plane shows where a hit on the head is enough."""

    HEAD = "HEAD"
    """That the cell was a head, and nothing else."""
    PLANE = "PLANE"
    """Its direction too, and so all its cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """One game's options and limits, with the defaults of the rule book."""

    destroy_rule: DestroyRule = DestroyRule.ALL_CELLS
    head_reveal: HeadReveal = HeadReveal.HEAD
    """`HEAD_KILL` only."""
    max_timeouts: int = 3
    """Own turns in a row that may run out before the seat has forfeited, 1..20; players choose from 2."""
    turn_ms: int = 30_000
    """Limit of each turn."""
    placing_ms: int = 120_000
    """Limit of placing, for both seats at once."""
    game_ms: int = 1_800_000
    """Limit of the whole game, placing included; nothing ever moves it."""
    pause_budget_ms: int = 120_000
    """How long a seat's turns may stand still in one game because it is offline; 0 never."""
    ready_ms: int = 60_000
    """How long seats have to declare ready once a game has ended."""


_DAY_MS = 86_400_000

_RANGES = {
    "max_timeouts": range(1, 21),
    "turn_ms": range(1, _DAY_MS + 1),
    "placing_ms": range(1, _DAY_MS + 1),
    "game_ms": range(1, _DAY_MS + 1),
    "pause_budget_ms": range(_DAY_MS + 1),
    "ready_ms": range(1, _DAY_MS + 1),
}

_LIMITS = {
    # With 1, a seat about to lose could let a turn run out and have a draw as if both were away (5.3).
    "max_timeouts": range(2, 21),
    "turn_ms": range(1_000, 300_001),
    "placing_ms": range(5_000, 600_001),
    "game_ms": range(60_000, 7_200_001),
    "pause_budget_ms": range(600_001),
    "ready_ms": range(5_000, 600_001),
}
"""What players may choose."""


def check_options(config: Config) -> None:
    """Raises `InvalidConfig` where an option is out of its range or a limit is no duration."""
    _check(config, _RANGES)


def check_limits(config: Config) -> None:
    """Raises `InvalidConfig` where a limit is shorter or longer than players may choose."""
    _check(config, _LIMITS)


def _check(config: Config, ranges: dict[str, range]) -> None:
    for field in fields(config):
        allowed = ranges.get(field.name)
        if allowed is not None and getattr(config, field.name) not in allowed:
            raise InvalidConfig(field.name, f"must be {allowed[0]}..{allowed[-1]}")
