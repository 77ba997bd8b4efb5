"""A room's options: the game's within the bounds of who chooses them, and the room's own."""

from dataclasses import replace
from functools import lru_cache

from parlor.engine import events, gathering
from parlor.engine.host import Host
from parlor.engine.record import Room
from parlor.engine.step import Refused, Step
from parlor.rules.game import InvalidConfig
from parlor.v1 import play_pb2, room_pb2
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.wire import Malformed
from parlor.wire.options import misfit
from parlor.wire.unknown import has_unknown


def written_out(
    host: Host, asked: room_pb2.GameConfig, *, unbounded: bool = False, may_be_newer: bool = False
) -> tuple[bytes, int]:
    """The configuration with every option written out, encoded, and the number of seats.

    Options that this release does not know are refused, unless they come from a newer release of our
    own, which has written out its defaults. Raises Refused: UNKNOWN_KIND or INVALID_CONFIG.
    """
    encoded = asked.SerializeToString(deterministic=True)
    return _written_out(host, encoded, unbounded, may_be_newer)


# Many tables are of one pool: reading and writing out its options is a third of what opening one costs.
@lru_cache(maxsize=1024)
def _written_out(
    host: Host, encoded: bytes, unbounded: bool, may_be_newer: bool
) -> tuple[bytes, int]:
    game, wire = host.game, host.wire
    asked = room_pb2.GameConfig.FromString(encoded)
    if asked.WhichOneof("game") != game.kind:
        raise Refused(ErrorReason.ERROR_REASON_UNKNOWN_KIND, f"this engine serves {game.kind}")
    if not may_be_newer and has_unknown(asked):
        raise Refused(
            ErrorReason.ERROR_REASON_INVALID_CONFIG, "an option is not known", {"field": "config"}
        )
    options = getattr(asked, game.kind)
    try:
        config = wire.config_from(options)
        game.check_config(config)
        if not unbounded:
            game.check_limits(config)
    except (InvalidConfig, Malformed) as error:
        field, problem = misfit(options, error)
        raise Refused(ErrorReason.ERROR_REASON_INVALID_CONFIG, problem, {"field": field}) from error
    full = room_pb2.GameConfig(**{game.kind: wire.config_to(config)})
    return full.SerializeToString(deterministic=True), game.seats(config)


def changed(host: Host, room: Room, asked: play_pb2.SetOptions, at: int) -> Step:
    """The room with other options; who was ready agreed to the old ones, and is not any more.

    Where seats have limits of their own to be ready, they all begin anew: the question is another.
    """
    record = room.record
    if record.matched:
        raise Refused(ErrorReason.ERROR_REASON_DISABLED, "matched players play what they asked for")
    config, spectators, private = record.config, record.spectators, record.private
    if asked.HasField("config"):
        config, seats = written_out(host, asked.config)
        if seats != len(record.seats):
            raise Refused(
                ErrorReason.ERROR_REASON_INVALID_CONFIG,
                f"the table has {len(record.seats)} seats",
                {"field": "config"},
            )
    if asked.HasField("options"):
        spectators, private = asked.options.spectators, asked.options.private
    if (config, spectators, private) == (record.config, record.spectators, record.private):
        return Step(room=room)
    if record.spectators and not spectators:
        # Those who watch already would go on: the way they are served knows no room that closes to them.
        raise Refused(
            ErrorReason.ERROR_REASON_DISABLED, "who has been let in to watch is not sent away"
        )
    due = gathering.ready_due(host, config, at)
    seated = tuple(
        seat if seat.free else replace(seat, ready=False, entropy=b"", ready_due=due)
        for seat in record.seats
    )
    unready = tuple(
        events.seat_changed(index, seat)
        for index, (seat, was) in enumerate(zip(seated, record.seats, strict=True))
        if was.ready or seat.ready_due
    )
    room = room.but(config=config, spectators=spectators, private=private, seats=seated)
    return Step(room=room, happenings=(events.options_changed(room.record), *unready))
