"""What each client sent, was told and saw, and what the rooms' logs say: plain data for the checker.

Times are ms since the epoch; clients and Redis share the machine's clock.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from parlor.client import Refused
from parlor.client.requests import PASSING
from parlor.serving.keys import Keys
from parlor.v1.play_pb2 import ClientFrame, ServerFrame


def now_ms() -> float:
    """The instant, as histories have it."""
    return time.time() * 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A request, as often as the player asked; what the client sends again by itself is not here."""

    at: float
    request_id: str
    room_id: str
    game_no: int
    seat: int
    action: bytes
    """The encoded `Action`; empty for a request that is no move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readied:
    """A request to be ready for a game."""

    at: float
    request_id: str
    room_id: str
    game_no: int
    seat: int
    entropy: bytes
    """What the seat gives to the draws."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An answer."""

    at: float
    request_id: str
    accepted: bool
    reason: str = ""
    """Why it was refused."""
    passing: bool = False
    """Whether the client asks again after this refusal."""
    seq: int = 0
    """The seat's number of the entry that the request caused; 0 for none."""
    room_id: str = ""
    """The room that the request concerned, or that it opened."""
    seat: int | None = None
    """The player's seat in it, as an acceptance names it."""
    opened: bool = False
    """Whether it opened the room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saw:
    """An entry or a view."""

    at: float
    connection: int
    frame: bytes
    """The encoded `ServerFrame`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """The player asks no more: the table has given the room up."""

    at: float
    request_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """A room is followed no more, or was not to be had."""

    at: float
    room_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The client asked for what follows a number of its seat."""

    at: float
    connection: int
    room_id: str
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """A heartbeat."""

    at: float
    heads: tuple[tuple[str, int, bytes], ...]
    """Where each followed room stands for the client: its id, number and token."""


Happened = Sent | Readied | Told | Saw | Asked | Dropped | Gone | Beat


@dataclass(frozen=True, slots=True)
class Met:
    """A connection: when it was opened, and at which gateway."""

    at: float
    url: str


@dataclass(slots=True)
class History:
    """One client's."""

    player: str
    happened: list[Happened] = field(default_factory=list)
    met: list[Met] = field(default_factory=list)
    spectates: bool = False
    """Whether it only watches, and never has a seat."""

    @property
    def acknowledged(self) -> int:
        """How many of the player's moves were accepted so far."""
        moves = {item.request_id for item in self.happened if isinstance(item, Sent)}
        accepted = {
            item.request_id for item in self.happened if isinstance(item, Told) and item.accepted
        }
        return len(moves & accepted)

    def say(self, frame: ClientFrame, connection: int) -> None:
        """Takes a frame as it is sent."""
        if frame.watch.HasField("position"):
            room_id, position = frame.watch.room_id, frame.watch.position
            asked = Asked(at=now_ms(), connection=connection, room_id=room_id, seq=position.seq)
            self.happened.append(asked)

    def hear(self, frame: ServerFrame, connection: int) -> None:
        """Takes a frame as it arrives."""
        match frame.WhichOneof("frame"):
            case "answer":
                answer = frame.answer
                refused = answer.HasField("refused")
                told = Told(
                    at=now_ms(),
                    request_id=answer.request_id,
                    accepted=not refused,
                    reason=Refused.of(answer.refused).name if refused else "",
                    passing=refused and answer.refused.reason in PASSING,
                    seq=answer.accepted.seq,
                    room_id=answer.opened.room_id or answer.room_id,
                    seat=answer.accepted.seat if answer.accepted.HasField("seat") else None,
                    opened=answer.HasField("opened"),
                )
                self.happened.append(told)
            case "entry" | "view":
                saw = Saw(at=now_ms(), connection=connection, frame=frame.SerializeToString())
                self.happened.append(saw)
            case "refusal":
                refusal = frame.refusal
                room_id = refusal.metadata.get("room_id", "")
                if room_id and refusal.reason not in PASSING:
                    reason = Refused.of(refusal).name
                    self.happened.append(Gone(at=now_ms(), room_id=room_id, reason=reason))
            case "heartbeat":
                heads = tuple(
                    (head.room_id, head.seq, head.token) for head in frame.heartbeat.heads
                )
                self.happened.append(Beat(at=now_ms(), heads=heads))


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a game's log."""

    version: int
    token: bytes
    at: int
    what: str
    seat: int
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class GameLog:
    """A game's log as Redis had it."""

    room_id: str
    game_no: int
    lines: tuple[Line, ...]
    read_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """A table's stay in a room, as it ended."""

    table: int
    room_id: str
    finished: bool
    """Whether its last game reached its end, or it moved on to another room."""
    moved_at: float
    """When anybody at the table last saw something happen."""
    ended_at: float


async def read_log(redis: Any, keys: Keys, room_id: str, game_no: int) -> GameLog:
    """The log of a game; without lines where Redis has none."""
    stream = await redis.xrange(keys.log(room_id, game_no))
    return GameLog(room_id=room_id, game_no=game_no, lines=lines_of(stream), read_at=now_ms())


def lines_of(stream: Sequence[tuple[bytes, Mapping[bytes, bytes]]]) -> tuple[Line, ...]:
    """The lines of a stream's entries."""
    return tuple(
        Line(
            version=int(number.split(b"-")[0]),
            token=fields[b"token"],
            at=int(fields[b"at"]),
            what=fields[b"what"].decode(),
            seat=int(fields[b"seat"]),
            body=fields[b"body"],
        )
        for number, fields in stream
    )
