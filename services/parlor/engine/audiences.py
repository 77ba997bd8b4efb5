"""What each audience receives of a step: observed, numbered and encoded once per distinct content."""

from parlor.engine.host import Host
from parlor.engine.record import Head, RoomRecord
from parlor.engine.step import GameEvent, Happening, Step
from parlor.rules.game import Audience, Seat
from parlor.v1 import feed_pb2, play_pb2, room_pb2
from parlor.wire.times import set_instant

Contents = list[list[Happening]]
"""What each audience observes of a step: by seat, then the spectators."""


def observed(host: Host, step: Step) -> Contents:
    """What each audience sees of the step; nothing where the rules hide all of it."""
    seats = range(len(step.room.record.seats))
    audiences: list[Audience] = [*map(Seat, seats), None]
    return [_observed(host, step.happenings, audience) for audience in audiences]


def moved_on(heads: tuple[Head, ...], contents: Contents, token: bytes) -> tuple[Head, ...]:
    """The heads after a step: an audience that observes nothing keeps its number and token."""
    return tuple(
        Head(seq=head.seq + 1, token=token) if content else head
        for head, content in zip(heads, contents, strict=True)
    )


def feed_entry(
    host: Host, before: RoomRecord, record: RoomRecord, contents: Contents, *, closed: bool
) -> feed_pb2.FeedEntry | None:
    """What the gateways deliver of a step from `before` to `record`; None where nobody receives any."""
    if not any(contents):
        return None
    *seats, spectators = map(_head, before.heads, record.heads)
    entry = feed_pb2.FeedEntry(
        token=record.token, seats=seats, spectators=spectators, closed=closed
    )
    if _seating(before) != _seating(record):
        entry.seating_changed = True
        entry.seating.extend(_seating(record))
    _deliver(host, entry, record, contents)
    return entry


def first_item(host: Host, record: RoomRecord, happening: Happening) -> feed_pb2.FeedItem:
    """What the gateways deliver of a room's first step, in which everybody sees `happening`."""
    item = feed_pb2.FeedItem()
    entry, token = item.entry, record.token
    entry.token = token
    for _ in record.seats:
        entry.seats.add(seq=1, token=token)
    entry.spectators.seq, entry.spectators.token = 1, token
    frame = _frame(host, record, 1, token, [happening])
    entry.deliveries.add(seq=1, frame=frame, seats=range(len(record.seats)), spectators=True)
    return item


def _head(before: Head, head: Head) -> feed_pb2.Head:
    token_before = before.token if head != before else b""
    return feed_pb2.Head(seq=head.seq, token=head.token, token_before=token_before)


def _seating(record: RoomRecord) -> list[str]:
    """Who receives what a seat receives: nobody, once its player has left for good."""
    return ["" if seat.left else seat.player for seat in record.seats]


def _observed(host: Host, happenings: tuple[Happening, ...], audience: Audience) -> list[Happening]:
    content: list[Happening] = []
    for happening in happenings:
        if isinstance(happening, GameEvent):
            seen = host.game.observe(happening.event, audience)
            if seen is not None:
                content.append(GameEvent(seen))
        else:
            content.append(happening)
    return content


def _deliver(host: Host, entry: feed_pb2.FeedEntry, record: RoomRecord, contents: Contents) -> None:
    """Adds one delivery per distinct number and content."""
    made: list[tuple[int, list[Happening], feed_pb2.Delivery]] = []
    for index, content in enumerate(contents):
        if not content:
            continue
        seq = record.heads[index].seq
        delivery = next((d for s, c, d in made if s == seq and c == content), None)
        if delivery is None:
            delivery = entry.deliveries.add(
                seq=seq, frame=_frame(host, record, seq, entry.token, content)
            )
            made.append((seq, content, delivery))
        if index < len(record.seats):
            delivery.seats.append(index)
        else:
            delivery.spectators = True


def _frame(
    host: Host, record: RoomRecord, seq: int, token: bytes, content: list[Happening]
) -> bytes:
    frame = play_pb2.ServerFrame()
    # Filled where it is: each message put into another is copied, and this runs with every step.
    entry = frame.entry
    entry.room_id, entry.seq, entry.token = record.room_id, seq, token
    set_instant(entry.commit_time, record.at)
    entry.events.extend(_message(host, happening) for happening in content)
    return frame.SerializeToString()


def _message(host: Host, happening: Happening) -> room_pb2.Event:
    if isinstance(happening, GameEvent):
        return room_pb2.Event(**{host.game.kind: host.wire.event_to(happening.event)})
    return happening
