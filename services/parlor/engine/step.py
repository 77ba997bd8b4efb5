"""What one step of a room gives: the next room, what happened, and what has to follow the commit."""

from dataclasses import dataclass
from typing import Any

from parlor.engine.record import Room
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.room_pb2 import CloseReason, Event


@dataclass(frozen=True, slots=True)
class GameEvent:
    """An event of the running game, not yet observed by anybody."""

    event: Any


Happening = Event | GameEvent
"""Room events are seen by everybody; game events as the rules let each audience see them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """What is needed to run the step again."""

    what: str
    """`start`, `act`, `clock`, `presence`, `leave`, `outage`, `stop`."""
    game_no: int
    seat: int = -1
    body: bytes = b""
    sitters: bytes = b""
    """On a game's last line, who sat by then (`replay.Sitter` by seat), where a person has taken a bot's
    seat over; a field of its own, which the release before does not look at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One transition of a room, not yet committed."""

    room: Room
    happenings: tuple[Happening, ...] = ()
    line: LogLine | None = None
    """None for a step outside of a game."""
    finished: bytes = b""
    """The encoded `FinishedGame` where a game ended with the step; empty otherwise."""
    freed: tuple[str, ...] = ()
    """Players whose place is free once the step is committed."""
    closes: "CloseReason.ValueType | None" = None
    """Why the room and its keys go; None where they stay."""


class Refused(Exception):
    """A command that the room refuses; nothing changed. Answered to the sender with `reason`."""

    def __init__(
        self,
        reason: "ErrorReason.ValueType",
        message: str = "",
        metadata: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.metadata = metadata or {}
