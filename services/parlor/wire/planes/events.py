"""What happened, as an audience observed it."""

from typing import assert_never

from parlor.rules.planes import events as ev
from parlor.rules.planes.events import Event
from parlor.v1 import planes_pb2 as pb
from parlor.wire import Malformed
from parlor.wire.planes.config import config_from, config_to
from parlor.wire.planes.turns import turn_event_from, turn_event_to
from parlor.wire.planes.values import (
    RESULTS,
    ending_from,
    ending_to,
    fleets_from,
    fleets_to,
    plane_from,
    plane_to,
    revealed_from,
    revealed_to,
    seat_of,
)
from parlor.wire.times import duration, instant, milliseconds, timestamp


def event_to(event: Event) -> pb.PlanesEvent:
    """The observed event."""
    match event:
        case ev.GameStarted():
            return pb.PlanesEvent(game_started=_started_to(event))
        case ev.PlanePlaced():
            return pb.PlanesEvent(plane_placed=_placed_to(event))
        case ev.PlacementCompleted():
            done = pb.PlanesPlacementCompleted(seat=event.seat, auto=event.auto)
            return pb.PlanesEvent(placement_completed=done)
        case ev.BattleStarted():
            return pb.PlanesEvent(battle_started=pb.PlanesBattleStarted(seat=event.seat))
        case ev.TurnStarted() | ev.TurnTimedOut() | ev.TurnPaused() | ev.TurnResumed():
            return turn_event_to(event)
        case ev.AttackExecuted():
            return pb.PlanesEvent(attack_executed=_attack_to(event))
        case ev.PlaneDestroyed():
            return pb.PlanesEvent(plane_destroyed=_destroyed_to(event))
        case ev.PresenceChanged():
            presence = pb.PlanesPresenceChanged(seat=event.seat, online=event.online)
            return pb.PlanesEvent(presence_changed=presence)
        case ev.Surrendered():
            return pb.PlanesEvent(surrendered=pb.PlanesSurrendered(seat=event.seat))
        case ev.ClocksMoved():
            moved = pb.PlanesClocksMoved(lost=duration(event.lost_ms))
            return pb.PlanesEvent(clocks_moved=moved)
        case ev.Ended():
            return pb.PlanesEvent(ended=_ended_to(event))
        case _:
            assert_never(event)


def event_from(message: pb.PlanesEvent) -> Event:
    """The observed event; raises `Malformed` where none is set."""
    match message.WhichOneof("event"):
        case "game_started":
            return _started_from(message.game_started)
        case "plane_placed":
            return _placed_from(message.plane_placed)
        case "placement_completed":
            done = message.placement_completed
            seat = seat_of(done.seat, "placement_completed.seat")
            return ev.PlacementCompleted(seat=seat, auto=done.auto)
        case "battle_started":
            return ev.BattleStarted(
                seat=seat_of(message.battle_started.seat, "battle_started.seat")
            )
        case "turn_started" | "turn_timed_out" | "turn_paused" | "turn_resumed":
            return turn_event_from(message)
        case "attack_executed":
            return _attack_from(message.attack_executed)
        case "plane_destroyed":
            return _destroyed_from(message.plane_destroyed)
        case "presence_changed":
            presence = message.presence_changed
            seat = seat_of(presence.seat, "presence_changed.seat")
            return ev.PresenceChanged(seat=seat, online=presence.online)
        case "surrendered":
            return ev.Surrendered(seat=seat_of(message.surrendered.seat, "surrendered.seat"))
        case "clocks_moved":
            lost_ms = milliseconds(message.clocks_moved.lost, "clocks_moved.lost")
            return ev.ClocksMoved(lost_ms=lost_ms)
        case "ended":
            return _ended_from(message.ended)
        case None:
            raise Malformed("event", "one must be set")


def _started_to(event: ev.GameStarted) -> pb.PlanesGameStarted:
    return pb.PlanesGameStarted(
        config=config_to(event.config), start_time=timestamp(event.at), decision=event.decision
    )


def _started_from(message: pb.PlanesGameStarted) -> ev.GameStarted:
    return ev.GameStarted(
        config=config_from(message.config),
        at=instant(message.start_time),
        decision=message.decision,
    )


def _placed_to(event: ev.PlanePlaced) -> pb.PlanesPlanePlaced:
    return pb.PlanesPlanePlaced(seat=event.seat, number=event.number, plane=plane_to(event.plane))


def _placed_from(message: pb.PlanesPlanePlaced) -> ev.PlanePlaced:
    return ev.PlanePlaced(
        seat=seat_of(message.seat, "plane_placed.seat"),
        number=message.number,
        plane=plane_from(message.plane, "plane_placed.plane"),
    )


def _attack_to(event: ev.AttackExecuted) -> pb.PlanesAttackExecuted:
    return pb.PlanesAttackExecuted(
        seat=event.seat,
        attack_time=timestamp(event.at),
        x=event.x,
        y=event.y,
        result=RESULTS.number(event.result),
    )


def _attack_from(message: pb.PlanesAttackExecuted) -> ev.AttackExecuted:
    return ev.AttackExecuted(
        seat=seat_of(message.seat, "attack_executed.seat"),
        at=instant(message.attack_time),
        x=message.x,
        y=message.y,
        result=RESULTS.member(message.result, "attack_executed.result"),
    )


def _destroyed_to(event: ev.PlaneDestroyed) -> pb.PlanesPlaneDestroyed:
    return pb.PlanesPlaneDestroyed(
        seat=event.seat,
        attacker=event.attacker,
        x=event.x,
        y=event.y,
        revealed=revealed_to(event.revealed),
    )


def _destroyed_from(message: pb.PlanesPlaneDestroyed) -> ev.PlaneDestroyed:
    return ev.PlaneDestroyed(
        seat=seat_of(message.seat, "plane_destroyed.seat"),
        attacker=seat_of(message.attacker, "plane_destroyed.attacker"),
        x=message.x,
        y=message.y,
        revealed=revealed_from(message.revealed, "plane_destroyed.revealed"),
    )


def _ended_to(event: ev.Ended) -> pb.PlanesEnded:
    return pb.PlanesEnded(
        ending=ending_to(event.ending),
        end_time=timestamp(event.at),
        fleets=fleets_to(event.fleets),
    )


def _ended_from(message: pb.PlanesEnded) -> ev.Ended:
    return ev.Ended(
        ending=ending_from(message.ending),
        at=instant(message.end_time),
        fleets=fleets_from(message.fleets, "ended.fleets"),
    )
