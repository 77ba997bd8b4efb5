"""What a seat may ask (RULES.md 5, 6, 10).

An answer names in `decision` the number of the question that it answers, as the seat's prompt
carries it. Tiles are named by kind.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Discard:
    """Lays a tile of the hand on the table (出牌)."""

    decision: int
    tile: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Kong:
    """A kong (杠): of the offered discard, or on the own turn a concealed or added one."""

    decision: int
    tile: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Win:
    """Declares a win (胡): by self-draw, on a discard, or by robbing a kong."""

    decision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chow:
    """Takes the discard into a chow (吃) with two tiles of the hand, in any order."""

    decision: int
    tiles: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pong:
    """Takes the discard into a pong (碰)."""

    decision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """Claims nothing (过)."""

    decision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Continue:
    """Has seen the end of the round and is ready for the next."""

    decision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StopAutoplay:
    """Takes the seat back from autoplay (取消托管) without any other action."""

    decision: int = 0


TurnAction = Discard | Kong | Win
"""Answers on the own turn."""

ClaimAction = Win | Kong | Pong | Chow | Pass
"""Answers to a tile that is offered."""

Action = Discard | Kong | Win | Chow | Pong | Pass | Continue | StopAutoplay
