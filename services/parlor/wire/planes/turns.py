"""The events of a turn and its clock."""

from typing import assert_never

from parlor.rules.planes import events as ev
from parlor.v1 import planes_pb2 as pb
from parlor.wire.planes.values import RESUME_REASONS, seat_of
from parlor.wire.times import duration, instant, milliseconds, timestamp

TurnEvent = ev.TurnStarted | ev.TurnTimedOut | ev.TurnPaused | ev.TurnResumed


def turn_event_to(event: TurnEvent) -> pb.PlanesEvent:
    """The observed event."""
    match event:
        case ev.TurnStarted():
            started = pb.PlanesTurnStarted(
                seat=event.seat,
                start_time=timestamp(event.at),
                remaining=duration(event.remaining_ms),
                paused=event.paused,
                decision=event.decision,
            )
            return pb.PlanesEvent(turn_started=started)
        case ev.TurnTimedOut():
            late = pb.PlanesTurnTimedOut(seat=event.seat, consecutive=event.consecutive)
            return pb.PlanesEvent(turn_timed_out=late)
        case ev.TurnPaused():
            paused = pb.PlanesTurnPaused(
                seat=event.seat,
                pause_time=timestamp(event.at),
                remaining=duration(event.remaining_ms),
            )
            return pb.PlanesEvent(turn_paused=paused)
        case ev.TurnResumed():
            resumed = pb.PlanesTurnResumed(
                seat=event.seat,
                resume_time=timestamp(event.at),
                remaining=duration(event.remaining_ms),
                reason=RESUME_REASONS.number(event.reason),
            )
            return pb.PlanesEvent(turn_resumed=resumed)
        case _:
            assert_never(event)


def turn_event_from(message: pb.PlanesEvent) -> TurnEvent:
    """The observed event, where it is one of these."""
    if message.HasField("turn_started"):
        return _started_from(message.turn_started)
    if message.HasField("turn_timed_out"):
        late = message.turn_timed_out
        seat = seat_of(late.seat, "turn_timed_out.seat")
        return ev.TurnTimedOut(seat=seat, consecutive=late.consecutive)
    if message.HasField("turn_paused"):
        paused = message.turn_paused
        return ev.TurnPaused(
            seat=seat_of(paused.seat, "turn_paused.seat"),
            at=instant(paused.pause_time),
            remaining_ms=milliseconds(paused.remaining, "turn_paused.remaining"),
        )
    resumed = message.turn_resumed
    return ev.TurnResumed(
        seat=seat_of(resumed.seat, "turn_resumed.seat"),
        at=instant(resumed.resume_time),
        remaining_ms=milliseconds(resumed.remaining, "turn_resumed.remaining"),
        reason=RESUME_REASONS.member(resumed.reason, "turn_resumed.reason"),
    )


def _started_from(message: pb.PlanesTurnStarted) -> ev.TurnStarted:
    return ev.TurnStarted(
        seat=seat_of(message.seat, "turn_started.seat"),
        at=instant(message.start_time),
        remaining_ms=milliseconds(message.remaining, "turn_started.remaining"),
        paused=message.paused,
        decision=message.decision,
    )
