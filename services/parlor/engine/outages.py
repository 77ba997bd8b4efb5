"""Outages of a shard: times in which no engine looked after its rooms, and what they are credited with.

Every beat of a shard's owner is noted in Redis time. Two beats more than `OUTAGE_MS` apart are an
outage: it begins with the earlier and ends with the later, and Redis numbers it in the very script
that notes the later. Nothing else is added or taken off. A room is credited with the part of it
that came after its own last transition, for until then somebody was playing.

A commit is what finds out. It is refused as unattended where its shard has an outage that the room
has not taken up, or is in one that nobody has noted yet; a clock also where it ran out after the
last beat, unless the owner itself says so: whether that was in an outage is not known before the
next beat. So no clock acts before its credit, and a room at peace asks nothing more of Redis.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import structlog

from parlor.engine import metrics, room_clocks, turns
from parlor.engine.host import Host
from parlor.engine.record import Room, RoomRecord, Status
from parlor.engine.step import Step

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Outage:
    """One outage of a shard."""

    number: int
    """From 1, rising by one within a shard and kind."""
    start: int
    """The last beat before it, in ms."""
    end: int
    """The first beat after it, in ms."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look at a shard shows."""

    beat: int
    """Its last beat, in ms."""
    outages: tuple[Outage, ...]
    """Those remembered, the oldest first."""


def parsed(raw: bytes) -> Outage:
    """An outage as the scripts write it.

    >>> parsed(b"3:1000:3500")
    Outage(number=3, start=1000, end=3500)
    """
    return Outage(*map(int, raw.split(b":")))


def newest(outages: tuple[Outage, ...]) -> int:
    """The number that a room opened now begins with."""
    return outages[-1].number if outages else 0


def missed(outages: tuple[Outage, ...], record: RoomRecord) -> tuple[Outage, ...]:
    """Those that the room has not taken up, in their order."""
    return tuple(outage for outage in outages if outage.number > record.outages)


def credit(outages: tuple[Outage, ...], since: int) -> int:
    """How much of the outages, in ms, a room has lost whose last transition was at `since`.

    >>> credit((Outage(1, 1000, 3500), Outage(2, 9000, 11000)), 2000)
    3500
    """
    return sum(max(0, outage.end - max(outage.start, since)) for outage in outages)


def taken_up(host: Host, room: Room, outages: tuple[Outage, ...], at: int) -> Step:
    """The outages that a room has missed, as one step: whatever waits for players waits longer by them."""
    lost = credit(outages, room.record.at)
    room = room.but(outages=newest(outages))
    if not lost:
        return Step(room=room)
    own = room_clocks.moved(room, lost)
    if room.record.status is not Status.PLAYING:
        return own
    step = turns.outage(host, own.room, lost, at)
    return replace(step, happenings=step.happenings + own.happenings)


def noted(kind: str, lost: Iterable[int]) -> None:
    """Tells the operator of outages just recorded: how long each shard was without an engine, in ms; 0 for none."""
    found = [ms for ms in lost if ms]
    if found:
        metrics.OUTAGES.labels(kind).inc(len(found))
        metrics.OUTAGE_SECONDS.labels(kind).inc(sum(found) / 1000)
        _log.warning("outage_recorded", shards=len(found), longest_ms=max(found))
