"""What is public about a game."""

from parlor.rules.jinxian.table import Deadline, Discard, Table, Tally
from parlor.v1 import jinxian_pb2 as pb
from parlor.wire.jinxian.records import record_from, record_to
from parlor.wire.jinxian.values import (
    PHASES,
    QUESTIONS,
    dice_from,
    dice_to,
    ending_from,
    ending_to,
    flags_from,
    flags_to,
    four,
    hands_from,
    hands_to,
    jing_from,
    jing_to,
    melds_from,
    melds_to,
    seat,
    seats,
    time_from,
    time_to,
)
from parlor.wire.times import instant, timestamp


def table_to(table: Table) -> pb.JinxianTable:
    """The public side."""
    return pb.JinxianTable(
        phase=PHASES.number(table.phase),
        round=table.round,
        dealer=table.dealer,
        active=table.active,
        dice=dice_to(table.dice),
        jing_dice=dice_to(table.jing_dice),
        turned=table.turned,
        jing=jing_to(table.jing),
        lower_jing=jing_to(table.lower_jing),
        remaining=table.remaining,
        drawable=table.drawable,
        replaced=table.replaced,
        counts=table.counts,
        melds=melds_to(table.melds),
        river=map(_discard_to, table.river),
        adding=table.adding,
        booked=table.booked,
        shown=None if table.shown is None else hands_to(table.shown),
        tallies=map(_tally_to, table.tallies),
        online=flags_to(table.online),
        autoplay=flags_to(table.autoplay),
        left=flags_to(table.left),
        deadline=None if table.deadline is None else _deadline_to(table.deadline),
        history=map(record_to, table.history),
        ending=None if table.ending is None else ending_to(table.ending),
    )


def table_from(message: pb.JinxianTable) -> Table:
    """The public side; what follows from the rest, such as `drawable`, is not read."""
    has = message.HasField
    return Table(
        phase=PHASES.member(message.phase, "table.phase"),
        round=message.round,
        dealer=seat(message.dealer, "table.dealer"),
        active=seat(message.active, "table.active"),
        dice=dice_from(message.dice),
        jing_dice=dice_from(message.jing_dice),
        turned=message.turned,
        jing=jing_from(message.jing) if has("jing") else None,
        lower_jing=jing_from(message.lower_jing) if has("lower_jing") else None,
        remaining=message.remaining,
        replaced=message.replaced,
        counts=four(message.counts, "table.counts"),
        melds=melds_from(message.melds, "table.melds"),
        river=tuple(map(_discard_from, message.river)),
        adding=message.adding if has("adding") else None,
        booked=four(message.booked, "table.booked"),
        shown=hands_from(message.shown, "table.shown") if message.shown else None,
        tallies=four([_tally_from(tally) for tally in message.tallies], "table.tallies"),
        online=flags_from(message.online, "table.online"),
        autoplay=flags_from(message.autoplay, "table.autoplay"),
        left=flags_from(message.left, "table.left"),
        deadline=_deadline_from(message.deadline) if has("deadline") else None,
        history=tuple(map(record_from, message.history)),
        ending=ending_from(message.ending) if has("ending") else None,
    )


def _deadline_to(deadline: Deadline) -> pb.JinxianDeadline:
    return pb.JinxianDeadline(
        question=QUESTIONS.number(deadline.question),
        seats=deadline.seats,
        expire_time=timestamp(deadline.due),
        remind_time=time_to(deadline.remind),
    )


def _deadline_from(message: pb.JinxianDeadline) -> Deadline:
    return Deadline(
        question=QUESTIONS.member(message.question, "deadline.question"),
        seats=seats(message.seats, "deadline.seats"),
        due=instant(message.expire_time),
        remind=time_from(message.remind_time, message.HasField("remind_time")),
    )


def _discard_to(discard: Discard) -> pb.JinxianDiscard:
    return pb.JinxianDiscard(
        seat=discard.seat, tile=discard.tile, claimed=discard.claimed, auto=discard.auto
    )


def _discard_from(message: pb.JinxianDiscard) -> Discard:
    return Discard(
        seat=seat(message.seat, "river.seat"),
        tile=message.tile,
        claimed=message.claimed,
        auto=message.auto,
    )


def _tally_to(tally: Tally) -> pb.JinxianTally:
    return pb.JinxianTally(
        score=tally.score,
        round_score=tally.round_score,
        wins=tally.wins,
        self_draws=tally.self_draws,
        losses=tally.losses,
    )


def _tally_from(message: pb.JinxianTally) -> Tally:
    return Tally(
        score=message.score,
        round_score=message.round_score,
        wins=message.wins,
        self_draws=message.self_draws,
        losses=message.losses,
    )
