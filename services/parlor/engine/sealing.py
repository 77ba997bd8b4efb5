"""A step made ready to commit: dated, numbered for each audience, with its clocks as they now run."""

import secrets
from dataclasses import dataclass

from parlor.engine import gathering, room_clocks
from parlor.engine.audiences import feed_entry, moved_on, observed
from parlor.engine.host import Host
from parlor.engine.record import Room, RoomRecord
from parlor.engine.step import Step
from parlor.serving import tracing
from parlor.v1.feed_pb2 import FeedItem

TOKEN_BYTES = 8


@dataclass(frozen=True, slots=True)
class Sealed:
    """All that a commit stores of a step besides the log."""

    room: Room
    due: int
    """The room's earliest deadline in ms; 0 for none."""
    item: bytes
    """The encoded FeedItem; empty where nobody receives anything."""


def sealed(host: Host, before: RoomRecord, step: Step, *, at: int, op: str) -> Sealed:
    """The step as it is committed at `at` under the operation id `op`."""
    step = gathering.bounded(host, step, at)
    record, token = step.room.record, secrets.token_bytes(TOKEN_BYTES)
    contents = observed(host, step)
    # All of it in one replacement: a record has many fields, and this runs with every step.
    room = step.room.but(
        version=record.version + 1,
        token=token,
        at=at,
        op=op,
        heads=moved_on(record.heads, contents, token),
        idle_due=room_clocks.idle_due(host, record, at),
        still_due=gathering.still_due(host, before, record, at),
    )
    entry = feed_entry(host, before, room.record, contents, closed=step.closes is not None)
    due = room_clocks.earliest(host, room)
    item = FeedItem(entry=entry, trace_parent=tracing.current().traceparent) if entry else None
    return Sealed(
        room=room,
        due=due.at if due else 0,
        item=item.SerializeToString() if item else b"",
    )
