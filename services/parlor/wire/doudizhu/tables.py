"""What is public about a game."""

from parlor.rules.doudizhu.table import Deadline, Entry, Table, Trick
from parlor.v1 import doudizhu_pb2 as pb
from parlor.wire.doudizhu.values import (
    ACTS,
    PHASES,
    QUESTIONS,
    ending_from,
    ending_to,
    flags_from,
    flags_to,
    reading_from,
    reading_to,
)
from parlor.wire.seats import seat, seats, three
from parlor.wire.times import instant, timestamp


def table_to(table: Table) -> pb.DouDizhuTable:
    """The public side."""
    return pb.DouDizhuTable(
        phase=PHASES.number(table.phase),
        deal=table.deal,
        first=table.first,
        counts=table.counts,
        bottom=table.bottom,
        spoken=flags_to(table.spoken),
        bidder=table.bidder,
        bid=table.bid,
        robs=table.robs,
        landlord=table.landlord,
        doubled=None if table.doubled is None else flags_to(table.doubled),
        shown=table.shown,
        plays=table.plays,
        bombs=table.bombs,
        trick=None if table.trick is None else _trick_to(table.trick),
        passes=table.passes,
        online=flags_to(table.online),
        autoplay=flags_to(table.autoplay),
        left=flags_to(table.left),
        deadline=None if table.deadline is None else _deadline_to(table.deadline),
        history=[_entry_to(entry) for entry in table.history],
        ending=None if table.ending is None else ending_to(table.ending),
    )


def table_from(message: pb.DouDizhuTable) -> Table:
    """The public side."""
    has = message.HasField
    return Table(
        phase=PHASES.member(message.phase, "table.phase"),
        deal=message.deal,
        first=seat(message.first, "table.first"),
        counts=three(message.counts, "table.counts"),
        bottom=tuple(message.bottom),
        spoken=flags_from(message.spoken, "table.spoken"),
        bidder=seat(message.bidder, "table.bidder") if has("bidder") else None,
        bid=message.bid,
        robs=message.robs,
        landlord=seat(message.landlord, "table.landlord") if has("landlord") else None,
        doubled=flags_from(message.doubled, "table.doubled") if has("doubled") else None,
        shown=message.shown,
        plays=three(message.plays, "table.plays"),
        bombs=message.bombs,
        trick=_trick_from(message.trick) if has("trick") else None,
        passes=message.passes,
        online=flags_from(message.online, "table.online"),
        autoplay=flags_from(message.autoplay, "table.autoplay"),
        left=flags_from(message.left, "table.left"),
        deadline=_deadline_from(message.deadline) if has("deadline") else None,
        history=tuple(_entry_from(entry) for entry in message.history),
        ending=ending_from(message.ending) if has("ending") else None,
    )


def _trick_to(trick: Trick) -> pb.DouDizhuTrick:
    return pb.DouDizhuTrick(seat=trick.seat, cards=trick.cards, reading=reading_to(trick.reading))


def _trick_from(message: pb.DouDizhuTrick) -> Trick:
    return Trick(
        seat=seat(message.seat, "trick.seat"),
        cards=tuple(message.cards),
        reading=reading_from(message.reading, "trick.reading"),
    )


def _deadline_to(deadline: Deadline) -> pb.DouDizhuDeadline:
    return pb.DouDizhuDeadline(
        question=QUESTIONS.number(deadline.question),
        seats=deadline.seats,
        expire_time=timestamp(deadline.due),
    )


def _deadline_from(message: pb.DouDizhuDeadline) -> Deadline:
    return Deadline(
        question=QUESTIONS.member(message.question, "deadline.question"),
        seats=seats(message.seats, "deadline.seats"),
        due=instant(message.expire_time),
    )


def _entry_to(entry: Entry) -> pb.DouDizhuEntry:
    return pb.DouDizhuEntry(
        act=ACTS.number(entry.act),
        seat=entry.seat,
        number=entry.number,
        cards=entry.cards,
        reading=None if entry.reading is None else reading_to(entry.reading),
        auto=entry.auto,
    )


def _entry_from(message: pb.DouDizhuEntry) -> Entry:
    reading = None
    if message.HasField("reading"):
        reading = reading_from(message.reading, "entry.reading")
    return Entry(
        act=ACTS.member(message.act, "entry.act"),
        seat=seat(message.seat, "entry.seat"),
        number=message.number,
        cards=tuple(message.cards),
        reading=reading,
        auto=message.auto,
    )
