"""The public side of a game: what every audience knows, spectators included (RULES.md 12).

`State` and every `View` hold a `Table`. The one thing that audiences see differently in it is the
kind of a concealed kong, which `masked` hides.
"""

import enum
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from parlor.rules.game import Audience, Seat
from parlor.rules.jinxian.hands import Special, WinBy
from parlor.rules.jinxian.jing import Jing
from parlor.rules.jinxian.melds import Meld, MeldType
from parlor.rules.jinxian.payments import NOTHING, Deltas, Transfer
from parlor.rules.jinxian.scoring import Win
from parlor.rules.jinxian.wall import Dice, drawable

Item = TypeVar("Item")

FourOf = tuple[Item, Item, Item, Item]
"""One for each seat."""

Flags = tuple[bool, bool, bool, bool]
Melds = tuple[Meld, ...]
Hands = FourOf[tuple[int, ...]]
"""Each seat's concealed kinds, ascending; empty where the audience may not know them."""

NO_HANDS: Hands = ((), (), (), ())
NOBODY: Flags = (False, False, False, False)

_SEAT_0 = Seat(0)


class Phase(enum.Enum):
    """Where a game stands."""

    WAITING = "WAITING"
    """Before the first deal; the ready phase is the room's."""
    DEALING = "DEALING"
    JING_DETERMINING = "JING_DETERMINING"
    PLAYING = "PLAYING"
    RESPONDING = "RESPONDING"
    ROUND_END = "ROUND_END"
    GAME_END = "GAME_END"


class PhaseReason(enum.Enum):
    """Why the phase changed."""

    ALL_READY = "ALL_READY"
    DEAL_COMPLETE = "DEAL_COMPLETE"
    JING_DETERMINED = "JING_DETERMINED"
    DISCARD = "DISCARD"
    ADDED_KONG = "ADDED_KONG"
    CLAIM_TAKEN = "CLAIM_TAKEN"
    KONG_COMPLETED = "KONG_COMPLETED"
    ALL_PASSED = "ALL_PASSED"
    WIN = "WIN"
    DRAW = "DRAW"
    CONTINUE = "CONTINUE"
    ALL_ROUNDS_COMPLETE = "ALL_ROUNDS_COMPLETE"
    DISSOLVED = "DISSOLVED"


class Question(enum.Enum):
    """What the table asks."""

    TURN = "TURN"
    """After a draw: a win, a kong or a discard."""
    DISCARD = "DISCARD"
    """After a chow or pong: a discard."""
    CLAIM = "CLAIM"
    """Who wants the offered tile."""
    CONTINUE = "CONTINUE"
    """Whether the next round may begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """What the table waits for, and until when."""

    question: Question
    seats: tuple[Seat, ...]
    """The seats asked, ascending; empty for a claim, where that is secret."""
    due: int
    """The instant at which the default is taken, in ms of the server's clock."""
    remind: int | None = None
    """When the next reminder comes."""


class Discard(NamedTuple):
    """A tile of the river, stored as an array."""

    seat: Seat
    tile: int
    claimed: bool = False
    """Whether it was taken into a meld or won on."""
    auto: bool = False
    """Whether the clock acted for the seat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a seat has reached in the game (RULES.md 10.5)."""

    score: int = 0
    round_score: int = 0
    """What the last round changed."""
    wins: int = 0
    self_draws: int = 0
    losses: int = 0
    """Rounds lost by discarding or by a robbed kong."""


class RoundResult(enum.Enum):
    """How a round ended."""

    WIN = "WIN"
    DRAW = "DRAW"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRecord:
    """One finished round."""

    number: int
    dealer: Seat
    dice: Dice
    jing: Jing
    result: RoundResult
    winner: Seat | None = None
    loser: Seat | None = None
    """Who discarded the tile or had the kong robbed."""
    by: WinBy | None = None
    special: Special | None = None
    win: Win | None = None
    """The full scoring."""
    transfers: tuple[Transfer, ...] = ()
    """What the win paid."""
    extras: Deltas = NOTHING
    """What kongs, jing and the first four discards paid, where the options say so."""
    deltas: Deltas = NOTHING
    """All that the round changed."""


class EndReason(enum.Enum):
    """Why a game ended."""

    ALL_ROUNDS_COMPLETE = "ALL_ROUNDS_COMPLETE"
    DISSOLVED = "DISSOLVED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a game ended."""

    reason: EndReason
    scores: Deltas
    ranks: FourOf[int]
    """By seat, from 1; equal scores share a rank."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """All that is public about a running game."""

    phase: Phase = Phase.WAITING
    round: int = 0
    """Number of the round, from 1."""
    dealer: Seat = _SEAT_0
    active: Seat = _SEAT_0
    """Whose turn it is, or whose tile is offered."""
    dice: Dice = (0, 0)
    """Those that opened the wall."""
    jing_dice: Dice = (0, 0)
    turned: int = 0
    """Place of the turned tile in the draw order."""
    jing: Jing | None = None
    lower_jing: Jing | None = None
    """The pair that is settled and never wild (下精), where the options say so."""
    remaining: int = 0
    """Tiles in the wall."""
    replaced: int = 0
    """Replacement tiles drawn, by all seats."""
    counts: FourOf[int] = (0, 0, 0, 0)
    """Concealed tiles of each seat."""
    melds: FourOf[Melds] = ((), (), (), ())
    river: tuple[Discard, ...] = ()
    """Every discard of the round, in order."""
    adding: int | None = None
    """The kind of the kong that the active seat would complete unless it is robbed."""
    booked: Deltas = NOTHING
    """What extras have paid in this round so far."""
    shown: Hands | None = None
    """All hands, from the end of the round to the next deal."""
    tallies: FourOf[Tally] = (Tally(), Tally(), Tally(), Tally())
    online: Flags = (True, True, True, True)
    autoplay: Flags = NOBODY
    left: Flags = NOBODY
    deadline: Deadline | None = None
    history: tuple[RoundRecord, ...] = ()
    ending: Ending | None = None

    @property
    def drawable(self) -> int:
        """How many tiles may still be drawn."""
        return drawable(self.remaining)

    @property
    def scores(self) -> Deltas:
        """The totals of the finished rounds."""
        first, second, third, fourth = (tally.score for tally in self.tallies)
        return first, second, third, fourth

    def discards_of(self, seat: Seat) -> tuple[int, ...]:
        """The kinds that the seat has discarded and nobody claimed, in order."""
        return tuple(d.tile for d in self.river if d.seat == seat and not d.claimed)


def with_item(items: FourOf[Item], seat: Seat, item: Item) -> FourOf[Item]:
    """The items with that of `seat` replaced."""
    first, second, third, fourth = (item if s == seat else old for s, old in enumerate(items))
    return first, second, third, fourth


def masked(table: Table, audience: Audience, *, hidden: bool) -> Table:
    """The table with the kinds of others' concealed kongs taken out, where they are hidden."""
    if not hidden or table.shown is not None:
        return table
    first, second, third, fourth = (
        melds if seat == audience else tuple(map(masked_meld, melds))
        for seat, melds in enumerate(table.melds)
    )
    return replace(table, melds=(first, second, third, fourth))


def masked_meld(meld: Meld) -> Meld:
    """The meld as others see it while concealed kongs are hidden."""
    return replace(meld, kinds=()) if meld.type is MeldType.CONCEALED_KONG else meld
