"""What happens in a game, and how much of it each audience sees (RULES.md 12).

A transition holds complete events; `observe` cuts each down to what an audience may know. The
state and every view follow the same events, the public part through `chronicle.after`.
"""

import enum
from dataclasses import dataclass, replace
from typing import NamedTuple

from parlor.rules.game import Audience, Seat
from parlor.rules.jinxian.jing import Jing
from parlor.rules.jinxian.melds import Meld
from parlor.rules.jinxian.payments import Deltas
from parlor.rules.jinxian.table import (
    Ending,
    FourOf,
    Hands,
    Melds,
    Phase,
    PhaseReason,
    Question,
    RoundRecord,
    masked_meld,
)
from parlor.rules.jinxian.wall import Dice


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a seat may answer besides a discard on its turn or a pass on another's tile."""

    win: int = 0
    """Total score of the win that it may declare; 0 where it may not."""
    kongs: tuple[int, ...] = ()
    """Kinds of which it may make a kong."""
    pong: bool = False
    chows: tuple[tuple[int, int], ...] = ()
    """The pairs of its own tiles that make a chow with the offered one."""

    def __bool__(self) -> bool:
        return bool(self.win or self.kongs or self.pong or self.chows)


class Ask(NamedTuple):
    """What the table asks one seat."""

    seat: Seat
    decision: int
    options: Options


class Claim(enum.Enum):
    """The kind of an answer to an offered tile."""

    WIN = "WIN"
    KONG = "KONG"
    PONG = "PONG"
    CHOW = "CHOW"
    PASS = "PASS"  # noqa: S105 - no password


class Answer(NamedTuple):
    """A seat's answer to an offered tile."""

    claim: Claim
    chow: tuple[int, int] | None = None
    """Its own two tiles of the chow."""


class DealerRoll(NamedTuple):
    """One seat's throw for the first deal."""

    seat: Seat
    dice: Dice


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerChosen:
    """The dice have found the first dealer; tied leaders rolled again, in order."""

    dealer: Seat
    rolls: tuple[DealerRoll, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseChanged:
    """The game is in another phase."""

    phase: Phase
    reason: PhaseReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Dealt:
    """A round begins: the wall is opened and every seat has its tiles."""

    round: int
    dealer: Seat
    dice: Dice
    counts: FourOf[int]
    hands: Hands
    drawn: int | None
    """The dealer's fourteenth tile; only the dealer observes it."""
    wall: bytes = b""
    """Never observed: the kinds in draw order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JingTurned:
    """The jing of the round is known (开精)."""

    dice: Dice
    place: int
    """Place of the turned tile in the draw order."""
    jing: Jing
    lower: Jing | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A seat has drawn a tile (摸牌)."""

    seat: Seat
    tile: int | None
    """Only the seat itself observes it."""
    replacement: bool = False
    """Whether it comes from the tail, after a kong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The table asks something and a limit begins."""

    question: Question
    seats: tuple[Seat, ...]
    """Empty for a claim."""
    due: int
    """When the default is taken."""
    remind: int | None = None
    """When the first reminder comes."""
    began: int = 0
    """When the limit begins, which is later than the event while the deal is shown."""
    asks: tuple[Ask, ...] = ()
    """One for each seat asked; an audience observes its own only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminded:
    """A limit of standard mode has passed; the table goes on waiting."""

    remind: int | None
    """When the next reminder comes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Discarded:
    """A seat has laid a tile on the table."""

    seat: Seat
    tile: int
    auto: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A seat's answer to the offered tile, which only that seat observes."""

    seat: Seat
    answer: Answer
    passed: int = 0
    """Total score of the win that it declined, and is locked by from now on; 0 for none."""
    auto: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KongDeclared:
    """A seat adds to its pong; others may rob the tile before the kong is complete."""

    seat: Seat
    tile: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Melded:
    """A meld lies on the table; an added kong takes the place of its pong."""

    seat: Seat
    meld: Meld
    hidden: bool = False
    """Whether only the seat itself observes the kinds, until the round ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Booked:
    """Something paid at once: a kong or the first four discards."""

    deltas: Deltas


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEnded:
    """A round is over and all hands are open."""

    record: RoundRecord
    hands: Hands
    """As they are at the end; a tile won from another seat is in none."""
    melds: FourOf[Melds]


@dataclass(frozen=True, slots=True, kw_only=True)
class Continued:
    """A seat is ready for the next round."""

    seat: Seat


class AutoplayCause(enum.Enum):
    """Why autoplay went on or off."""

    TIMEOUT = "TIMEOUT"
    OFFLINE = "OFFLINE"
    """Offline for too long."""
    ACTED = "ACTED"
    """The player acted or asked for it."""
    RETURNED = "RETURNED"
    """The connection came back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoplayChanged:
    """A seat goes on or off autoplay (托管)."""

    seat: Seat
    on: bool
    cause: AutoplayCause
    at: int
    due: int | None = None
    """The table's new deadline where the seat is on turn; None where it stays."""
    remind: int | None = None
    """With `due`: when the next reminder comes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PresenceChanged:
    """A seat's connection was lost or came back."""

    seat: Seat
    online: bool
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLeft:
    """A player left the table for good; the seat is kept and played."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class ClocksMoved:
    """Every running limit moved by a time in which nobody could act."""

    lost_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The game is over."""

    ending: Ending


PublicEvent = (
    DealerChosen
    | PhaseChanged
    | JingTurned
    | Reminded
    | Discarded
    | KongDeclared
    | Booked
    | RoundEnded
    | Continued
    | AutoplayChanged
    | PresenceChanged
    | SeatLeft
    | ClocksMoved
    | Ended
)
"""What every audience observes as it is."""

Event = PublicEvent | Dealt | Drawn | Asked | Answered | Melded


def observe(event: Event, audience: Audience) -> Event | None:
    """`event` as `audience` sees it, or None where it sees nothing (RULES.md 12)."""
    match event:
        case Dealt():
            drawn = event.drawn if audience == event.dealer else None
            return replace(event, hands=only_own(event.hands, audience), drawn=drawn, wall=b"")
        case Drawn():
            return event if audience == event.seat else replace(event, tile=None)
        case Asked():
            return replace(event, asks=tuple(ask for ask in event.asks if ask.seat == audience))
        case Answered():
            return event if audience == event.seat else None
        case Melded():
            secret = event.hidden and audience != event.seat
            return replace(event, meld=masked_meld(event.meld)) if secret else event
        case _:
            return event


def only_own(hands: Hands, audience: Audience) -> Hands:
    """The hands with all but the audience's own hidden."""
    first, second, third, fourth = (
        hand if seat == audience else () for seat, hand in enumerate(hands)
    )
    return first, second, third, fourth
