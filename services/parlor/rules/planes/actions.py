"""What a seat may ask (RULES.md 2 to 4, 6).

Placing and attacking answer the question whose number they name in `decision`, as the seat's prompt
carries it. A surrender answers nothing; it carries 0, which is not looked at.
"""

from dataclasses import dataclass

from parlor.rules.planes.board import Direction


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A plane as a seat asks for it; None where what it sent is nothing that the rules know."""

    x: int | None
    y: int | None
    direction: Direction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The whole fleet, all at once and for good."""

    decision: int
    planes: tuple[Proposal, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """A shot at a cell of the opponent's board; None where a coordinate is missing."""

    decision: int
    x: int | None
    y: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Surrender:
    """Gives the game up (认输), on turn or not."""

    decision: int = 0


Action = Place | Attack | Surrender
