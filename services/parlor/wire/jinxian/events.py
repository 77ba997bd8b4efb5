"""What happened, as an audience observed it."""

from typing import assert_never

from parlor.rules.jinxian import events as ev
from parlor.rules.jinxian.events import Event
from parlor.v1 import jinxian_pb2 as pb
from parlor.wire import Malformed
from parlor.wire.jinxian import play_events, round_events
from parlor.wire.jinxian.values import (
    CAUSES,
    PHASE_REASONS,
    PHASES,
    ending_from,
    ending_to,
    seat,
    time_from,
    time_to,
)
from parlor.wire.times import duration, instant, milliseconds, timestamp


def event_to(event: Event) -> pb.JinxianEvent:
    """The observed event. Fields that only complete events have are no part of the message."""
    match event:
        case ev.DealerChosen():
            return pb.JinxianEvent(dealer_chosen=round_events.dealer_chosen_to(event))
        case ev.PhaseChanged():
            changed = pb.JinxianPhaseChanged(
                phase=PHASES.number(event.phase), reason=PHASE_REASONS.number(event.reason)
            )
            return pb.JinxianEvent(phase_changed=changed)
        case ev.Dealt():
            return pb.JinxianEvent(dealt=round_events.dealt_to(event))
        case ev.JingTurned():
            return pb.JinxianEvent(jing_turned=round_events.jing_turned_to(event))
        case ev.Drawn():
            return pb.JinxianEvent(drawn=play_events.drawn_to(event))
        case ev.Asked():
            return pb.JinxianEvent(asked=play_events.asked_to(event))
        case ev.Reminded():
            reminded = pb.JinxianReminded(remind_time=time_to(event.remind))
            return pb.JinxianEvent(reminded=reminded)
        case ev.Discarded():
            return pb.JinxianEvent(discarded=play_events.discarded_to(event))
        case ev.Answered():
            return pb.JinxianEvent(answered=play_events.answered_to(event))
        case ev.KongDeclared():
            declared = pb.JinxianKongDeclared(seat=event.seat, tile=event.tile)
            return pb.JinxianEvent(kong_declared=declared)
        case ev.Melded():
            return pb.JinxianEvent(melded=play_events.melded_to(event))
        case ev.Booked():
            return pb.JinxianEvent(booked=pb.JinxianBooked(deltas=event.deltas))
        case ev.RoundEnded():
            return pb.JinxianEvent(round_ended=round_events.round_ended_to(event))
        case ev.Continued():
            return pb.JinxianEvent(continued=pb.JinxianContinued(seat=event.seat))
        case ev.AutoplayChanged():
            return pb.JinxianEvent(autoplay_changed=_autoplay_to(event))
        case ev.PresenceChanged():
            return pb.JinxianEvent(presence_changed=_presence_to(event))
        case ev.SeatLeft():
            return pb.JinxianEvent(seat_left=pb.JinxianSeatLeft(seat=event.seat))
        case ev.ClocksMoved():
            moved = pb.JinxianClocksMoved(lost=duration(event.lost_ms))
            return pb.JinxianEvent(clocks_moved=moved)
        case ev.Ended():
            return pb.JinxianEvent(ended=pb.JinxianEnded(ending=ending_to(event.ending)))
        case _:
            assert_never(event)


def event_from(message: pb.JinxianEvent) -> Event:
    """The observed event; raises `Malformed` where none is set."""
    match message.WhichOneof("event"):
        case "dealer_chosen":
            return round_events.dealer_chosen_from(message.dealer_chosen)
        case "phase_changed":
            changed = message.phase_changed
            return ev.PhaseChanged(
                phase=PHASES.member(changed.phase, "phase_changed.phase"),
                reason=PHASE_REASONS.member(changed.reason, "phase_changed.reason"),
            )
        case "dealt":
            return round_events.dealt_from(message.dealt)
        case "jing_turned":
            return round_events.jing_turned_from(message.jing_turned)
        case "drawn":
            return play_events.drawn_from(message.drawn)
        case "asked":
            return play_events.asked_from(message.asked)
        case "reminded":
            reminded = message.reminded
            is_set = reminded.HasField("remind_time")
            return ev.Reminded(remind=time_from(reminded.remind_time, is_set))
        case "discarded":
            return play_events.discarded_from(message.discarded)
        case "answered":
            return play_events.answered_from(message.answered)
        case "kong_declared":
            declared = message.kong_declared
            return ev.KongDeclared(
                seat=seat(declared.seat, "kong_declared.seat"), tile=declared.tile
            )
        case "melded":
            return play_events.melded_from(message.melded)
        case "booked":
            return play_events.booked_from(message.booked)
        case "round_ended":
            return round_events.round_ended_from(message.round_ended)
        case "continued":
            return ev.Continued(seat=seat(message.continued.seat, "continued.seat"))
        case "autoplay_changed":
            return _autoplay_from(message.autoplay_changed)
        case "presence_changed":
            return _presence_from(message.presence_changed)
        case "seat_left":
            return ev.SeatLeft(seat=seat(message.seat_left.seat, "seat_left.seat"))
        case "clocks_moved":
            lost_ms = milliseconds(message.clocks_moved.lost, "clocks_moved.lost")
            return ev.ClocksMoved(lost_ms=lost_ms)
        case "ended":
            return ev.Ended(ending=ending_from(message.ended.ending))
        case None:
            raise Malformed("event", "one must be set")


def _autoplay_to(event: ev.AutoplayChanged) -> pb.JinxianAutoplayChanged:
    return pb.JinxianAutoplayChanged(
        seat=event.seat,
        on=event.on,
        cause=CAUSES.number(event.cause),
        change_time=timestamp(event.at),
        expire_time=time_to(event.due),
        remind_time=time_to(event.remind),
    )


def _autoplay_from(message: pb.JinxianAutoplayChanged) -> ev.AutoplayChanged:
    return ev.AutoplayChanged(
        seat=seat(message.seat, "autoplay_changed.seat"),
        on=message.on,
        cause=CAUSES.member(message.cause, "autoplay_changed.cause"),
        at=instant(message.change_time),
        due=time_from(message.expire_time, message.HasField("expire_time")),
        remind=time_from(message.remind_time, message.HasField("remind_time")),
    )


def _presence_to(event: ev.PresenceChanged) -> pb.JinxianPresenceChanged:
    return pb.JinxianPresenceChanged(
        seat=event.seat, online=event.online, change_time=timestamp(event.at)
    )


def _presence_from(message: pb.JinxianPresenceChanged) -> ev.PresenceChanged:
    return ev.PresenceChanged(
        seat=seat(message.seat, "presence_changed.seat"),
        online=message.online,
        at=instant(message.change_time),
    )
