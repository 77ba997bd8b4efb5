"""What a seat may ask (RULES.md 4 to 7).

An answer names in `decision` the number of the question that it answers, as the seat's prompt or
offer carries it. Requests answer nothing that was asked; they carry 0, which is not looked at.
"""

from dataclasses import dataclass

from parlor.rules.doudizhu.combos import Reading, Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Bid:
    """A number for the landlord's place; 0 passes."""

    decision: int
    bid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Whether the seat wants to be landlord (叫地主)."""

    decision: int
    call: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Rob:
    """Whether the seat takes the landlord's place from the last that claimed it (抢地主)."""

    decision: int
    rob: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Double:
    """Whether the seat doubles its stake (加倍)."""

    decision: int
    double: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Which reading of the cards is meant; the length follows from their number."""

    shape: Shape
    value: int

    def names(self, reading: Reading) -> bool:
        """Whether `reading` is the one that is meant."""
        return (self.shape, self.value) == (reading.shape, reading.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """Cards for the table (出牌), in any order."""

    decision: int
    cards: tuple[int, ...]
    claim: Claim | None = None
    """None takes the default reading (RULES.md 2.3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """No cards on what lies on the table (不出)."""

    decision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """The answer to the other peasant's offer to surrender."""

    decision: int
    consent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """The landlord lays his hand open (明牌)."""

    decision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Surrender:
    """Gives the game up (认输); from a peasant it is an offer that the other one answers."""

    decision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAutoplay:
    """Puts the seat on autoplay (托管) or takes it off."""

    decision: int = 0
    on: bool


TableAnswer = Bid | Call | Rob | Double | Play | Pass
"""Answers to what the table asks; `Consent` answers the other peasant."""

Action = TableAnswer | Consent | Show | Surrender | SetAutoplay
