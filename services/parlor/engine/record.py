"""What a room is: the record that Redis holds and every replica can take up."""

import enum
from dataclasses import dataclass, replace
from typing import Any

from msgspec import UNSET, UnsetType

from parlor.rules.game import Seat


class Status(enum.Enum):
    """Where a room stands."""

    OPEN = "open"
    PLAYING = "playing"
    FINISHED = "finished"
    FAULTED = "faulted"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRecord:
    """One place at the table."""

    player: str = ""
    """Who sits there; empty where nobody does."""
    name: str = ""
    bot: bool = False
    ready: bool = False
    entropy: bytes = b""
    """The seat's contribution to the next draws, or to the running game's."""
    online: bool = False
    connection: int = 0
    """Number of the player's newest connection that was heard of."""
    left: bool = False
    """Whether the player has left a running game for good: the name stays until it ends."""
    took_over: bool | UnsetType = UNSET
    """Whether the player took the seat over from a bot while the game ran; else unset."""
    ready_due: int | UnsetType = UNSET
    """Until when the seat has to be ready, in ms; unset where no limit of its own runs, as always in a
    running game."""

    @property
    def free(self) -> bool:
        """Whether nobody has sat here, not even for the rest of a game."""
        return not self.player


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The last entry that an audience was given."""

    seq: int = 0
    token: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """A vote on ending the game."""

    proposer: int
    agreed: tuple[int, ...]
    due: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a game came to."""

    game_no: int
    reason: str
    winners: tuple[int, ...]
    scores: tuple[int, ...]
    seed: bytes
    entropy: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomRecord:
    """All of a room but its game's state. Fields that may be unset are later than the first release:
    `additions.py` keeps them out of what it reads.
    """

    room_id: str
    kind: str
    rules: int
    """Version of the rules that the running game is played by."""
    config: bytes
    """The encoded `GameConfig`, every option written out."""
    seats: tuple[SeatRecord, ...]
    heads: tuple[Head, ...]
    """By seat, then the spectators."""
    seed: bytes
    """The seed of the running game, else of the next one. Secret until that game has ended."""
    format: int = 1
    """Shape in which the record is written; `formats.py` says which there are."""
    code: str = ""
    link_token: str = ""
    """Opens the room in place of the code; it cannot be guessed."""
    spectators: bool = True
    private: bool = False
    matched: bool = False
    invited: tuple[str, ...] = ()
    host: int | None = None
    status: Status = Status.OPEN
    game_no: int = 0
    seniority: tuple[int, ...] | UnsetType = UNSET
    """The taken seats, the longest seated first; unset where that is their own order."""
    ready_due: int = 0
    """Until when all seats have to be ready, in ms; 0 where no such limit runs."""
    idle_due: int = 0
    """When the unused room closes, in ms; 0 while it is used."""
    still_due: int | UnsetType = UNSET
    """When the room closes in which nobody sits down or stands up, in ms; unset where no such limit runs."""
    vote: Vote | None = None
    result: Result | None = None
    version: int = 0
    token: bytes = b""
    at: int = 0
    """Instant of the last transition, in ms."""
    op: str = ""
    """Operation id of the last commit."""
    outages: int = 0
    """Number of the last outage of its shard that the room has taken up, or was opened after."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A record with the state of its running or last game, if any."""

    record: RoomRecord
    state: Any = None

    def seat_of(self, player: str) -> Seat | None:
        """The seat that `player` holds, unless given up."""
        for index, seat in enumerate(self.record.seats):
            if seat.player == player and player and not seat.left:
                return Seat(index)
        return None

    def with_seat(self, index: int, seat: SeatRecord) -> "Room":
        """The room with one seat replaced."""
        seats = self.record.seats
        return self.but(seats=(*seats[:index], seat, *seats[index + 1 :]))

    def but(self, **changes: Any) -> "Room":
        """The room with some of the record's fields replaced."""
        return replace(self, record=replace(self.record, **changes))
