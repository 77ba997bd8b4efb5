"""Events of a running round."""

from parlor.rules.jinxian import events as ev
from parlor.v1 import jinxian_pb2 as pb
from parlor.wire.jinxian.values import (
    QUESTIONS,
    answer_from,
    answer_to,
    four,
    meld_from,
    meld_to,
    options_from,
    options_to,
    seat,
    seats,
    time_from,
    time_to,
)
from parlor.wire.times import instant, timestamp


def drawn_to(event: ev.Drawn) -> pb.JinxianDrawn:
    """A draw."""
    return pb.JinxianDrawn(seat=event.seat, tile=event.tile, replacement=event.replacement)


def drawn_from(message: pb.JinxianDrawn) -> ev.Drawn:
    """A draw."""
    return ev.Drawn(
        seat=seat(message.seat, "drawn.seat"),
        tile=message.tile if message.HasField("tile") else None,
        replacement=message.replacement,
    )


def asked_to(event: ev.Asked) -> pb.JinxianAsked:
    """A question."""
    return pb.JinxianAsked(
        question=QUESTIONS.number(event.question),
        seats=event.seats,
        expire_time=timestamp(event.due),
        remind_time=time_to(event.remind),
        start_time=timestamp(event.began),
        asks=(
            pb.JinxianAsk(seat=each.seat, decision=each.decision, options=options_to(each.options))
            for each in event.asks
        ),
    )


def asked_from(message: pb.JinxianAsked) -> ev.Asked:
    """A question."""
    return ev.Asked(
        question=QUESTIONS.member(message.question, "asked.question"),
        seats=seats(message.seats, "asked.seats"),
        due=instant(message.expire_time),
        remind=time_from(message.remind_time, message.HasField("remind_time")),
        began=instant(message.start_time),
        asks=tuple(
            ev.Ask(seat(each.seat, "asked.asks"), each.decision, options_from(each.options))
            for each in message.asks
        ),
    )


def discarded_to(event: ev.Discarded) -> pb.JinxianDiscarded:
    """A discard."""
    return pb.JinxianDiscarded(seat=event.seat, tile=event.tile, auto=event.auto)


def discarded_from(message: pb.JinxianDiscarded) -> ev.Discarded:
    """A discard."""
    return ev.Discarded(
        seat=seat(message.seat, "discarded.seat"), tile=message.tile, auto=message.auto
    )


def answered_to(event: ev.Answered) -> pb.JinxianAnswered:
    """The receiver's own answer."""
    return pb.JinxianAnswered(
        seat=event.seat, answer=answer_to(event.answer), passed=event.passed, auto=event.auto
    )


def answered_from(message: pb.JinxianAnswered) -> ev.Answered:
    """The receiver's own answer."""
    return ev.Answered(
        seat=seat(message.seat, "answered.seat"),
        answer=answer_from(message.answer),
        passed=message.passed,
        auto=message.auto,
    )


def melded_to(event: ev.Melded) -> pb.JinxianMelded:
    """A meld."""
    return pb.JinxianMelded(seat=event.seat, meld=meld_to(event.meld), hidden=event.hidden)


def melded_from(message: pb.JinxianMelded) -> ev.Melded:
    """A meld."""
    return ev.Melded(
        seat=seat(message.seat, "melded.seat"),
        meld=meld_from(message.meld, "melded.meld"),
        hidden=message.hidden,
    )


def booked_from(message: pb.JinxianBooked) -> ev.Booked:
    """What paid at once."""
    return ev.Booked(deltas=four(message.deltas, "booked.deltas"))
