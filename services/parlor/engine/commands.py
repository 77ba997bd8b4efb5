"""What players ask of a room: each command as a pure step, or a refusal.

Join and leave also concern the player's place, which `places.py` takes before and frees after.
"""

from dataclasses import replace
from hmac import compare_digest

from msgspec import UNSET

from parlor.engine import events, gathering, options, seating, turns, votes
from parlor.engine.host import Host
from parlor.engine.record import Room, RoomRecord, SeatRecord, Status
from parlor.engine.step import Refused, Step
from parlor.rules.chance import ENTROPY_BYTES
from parlor.rules.game import IllegalAction, Seat
from parlor.v1 import play_pb2
from parlor.v1.engine_service_pb2 import Player
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.room_pb2 import CloseReason
from parlor.wire import Malformed


def carried_out(host: Host, room: Room, player: Player, command: play_pb2.Command, at: int) -> Step:
    """The step that `command` asks for; raises Refused and changes nothing otherwise."""
    _works(room)
    match command.WhichOneof("command"):
        case "join":
            return _join(host, room, player, command.join, at)
        case "leave":
            return _leave(host, room, _seat(room, player), at)
        case "ready":
            return _ready(host, room, _seat(room, player), command.ready, at)
        case "swap_seats":
            return _swap(room, _seat(room, player), command.swap_seats)
        case "kick":
            return _kick(room, _seat(room, player), command.kick)
        case "dissolve":
            return votes.dissolve(host, room, _seat(room, player), command.dissolve, at)
        case "set_options":
            _as_host(room, _seat(room, player))
            return options.changed(host, room, command.set_options, at)
        case "act":
            return _act(host, room, _seat(room, player), command.act, at)
        case _:
            raise Refused(
                ErrorReason.ERROR_REASON_MALFORMED, "no command is set", {"field": "command"}
            )


def invited(room: Room, player: Player, add_bots: play_pb2.AddBots) -> int:
    """How many bots `player` may ask for; raises Refused where none."""
    _works(room)
    _as_host(room, _seat(room, player))
    record = room.record
    if record.private and not record.code:
        raise Refused(ErrorReason.ERROR_REASON_NOT_INVITED, "the room is for those it was made for")
    free = sum(seat.free for seat in record.seats)
    if not free:
        raise Refused(ErrorReason.ERROR_REASON_ROOM_FULL, "every seat is taken")
    if add_bots.count < 0:
        raise Refused(
            ErrorReason.ERROR_REASON_MALFORMED,
            "expected 0 or more",
            {"field": "command.add_bots.count"},
        )
    return min(add_bots.count or free, free)


def disbanded(room: Room) -> Step:
    """The room closes before its first game: matched players did not come."""
    if room.record.game_no or room.record.status is not Status.OPEN:
        raise Refused(ErrorReason.ERROR_REASON_WRONG_STATUS, "a game has begun")
    reason = CloseReason.CLOSE_REASON_NO_SHOW
    closed = events.room_closed(reason)
    freed = tuple(seat.player for seat in room.record.seats if not seat.free)
    return Step(room=room, happenings=(closed,), freed=freed, closes=reason)


def faulted(room: Room) -> Step:
    """The room is closed after a defect of its game; record and log stay for the operator."""
    closed = events.room_closed(CloseReason.CLOSE_REASON_FAULTED)
    freed = tuple(seat.player for seat in room.record.seats if not seat.free and not seat.left)
    broken = room.but(status=Status.FAULTED, ready_due=0, idle_due=0, vote=None)
    return Step(room=broken, happenings=(closed,), freed=freed)


def _works(room: Room) -> None:
    if room.record.status is Status.FAULTED:
        raise Refused(ErrorReason.ERROR_REASON_ROOM_FAULTED, "the room was closed after a defect")


def _seat(room: Room, player: Player) -> Seat:
    seat = room.seat_of(player.player)
    if seat is None:
        raise Refused(ErrorReason.ERROR_REASON_NOT_SEATED, "the player has no seat in this room")
    return seat


def _join(host: Host, room: Room, player: Player, join: play_pb2.Join, at: int) -> Step:
    record = room.record
    if room.seat_of(player.player) is not None:
        return Step(room=room)
    if record.private and player.player not in record.invited and not _has_key(record, join):
        raise Refused(ErrorReason.ERROR_REASON_NOT_INVITED, "the room is private")
    if record.status is Status.PLAYING:
        return seating.taken_over(room, _bots_seat(room, player, join), player.player, player.name)
    index = _chosen_seat(room, player, join)
    seat = SeatRecord(
        player=player.player,
        name=player.name,
        bot=player.bot,
        ready_due=gathering.ready_due(host, record.config, at),
    )
    return seating.seated(room, index, seat)


def _has_key(record: RoomRecord, join: play_pb2.Join) -> bool:
    """Whether the code or the link's token opens the room."""
    knows_code = bool(record.code) and join.code == record.code
    knows_link = bool(record.link_token) and compare_digest(
        join.link_token.encode(), record.link_token.encode()
    )
    return knows_code or knows_link


def _chosen_seat(room: Room, player: Player, join: play_pb2.Join) -> int:
    """The seat that the player gets: a free one, or for a person that of a bot."""
    seats = room.record.seats

    def gives_way(seat: SeatRecord) -> bool:
        return seat.free or (seat.bot and not player.bot)

    if join.HasField("seat"):
        if not 0 <= join.seat < len(seats) or not gives_way(seats[join.seat]):
            raise Refused(ErrorReason.ERROR_REASON_SEAT_TAKEN, f"seat {join.seat} is not free")
        return join.seat
    open_seats = [index for index, seat in enumerate(seats) if gives_way(seat)]
    if not open_seats:
        raise Refused(ErrorReason.ERROR_REASON_ROOM_FULL, "every seat is taken")
    return min(open_seats, key=lambda index: not seats[index].free)


def _bots_seat(room: Room, player: Player, join: play_pb2.Join) -> int:
    """The seat of a running game that a person takes over from a bot."""
    seats = room.record.seats
    # Who has left this game has seen a hand of it.
    may_sit = not player.bot and all(seat.player != player.player for seat in seats)
    bots = [index for index, seat in enumerate(seats) if seat.bot and not seat.left]
    if not may_sit or not bots:
        _between_games(room)
    if not join.HasField("seat"):
        return bots[0]
    if join.seat not in bots:
        raise Refused(ErrorReason.ERROR_REASON_SEAT_TAKEN, f"seat {join.seat} is not a bot's")
    return join.seat


def _leave(host: Host, room: Room, seat: Seat, at: int) -> Step:
    player = room.record.seats[seat].player
    if room.record.status is not Status.PLAYING:
        return seating.stood_up(room, (seat,))
    left = replace(turns.leave(host, room, seat, at), freed=(player,))
    return votes.counted(host, left, at)


def _ready(host: Host, room: Room, seat: Seat, ready: play_pb2.Ready, at: int) -> Step:
    _between_games(room)
    if len(ready.entropy) > ENTROPY_BYTES:
        raise Refused(
            ErrorReason.ERROR_REASON_MALFORMED,
            f"at most {ENTROPY_BYTES} bytes of entropy",
            {"field": "command.ready.entropy"},
        )
    was = room.record.seats[seat]
    if ready.ready:
        content = replace(was, ready=True, entropy=ready.entropy, ready_due=UNSET)
    elif was.ready:
        due = gathering.ready_due(host, room.record.config, at)
        content = replace(was, ready=False, entropy=b"", ready_due=due)
    else:
        content = was
    room = room.with_seat(seat, content)
    happenings = () if was.ready == ready.ready else (events.seat_changed(seat, content),)
    step = Step(room=room, happenings=happenings)
    if all(place.ready for place in room.record.seats):
        return turns.start(host, step, at)
    return step


def _swap(room: Room, seat: Seat, swap: play_pb2.SwapSeats) -> Step:
    _as_host(room, seat)
    count = len(room.record.seats)
    if not (0 <= swap.first < count and 0 <= swap.second < count and swap.first != swap.second):
        raise Refused(
            ErrorReason.ERROR_REASON_MALFORMED,
            "two different seats",
            {"field": "command.swap_seats"},
        )
    return seating.swapped(room, swap.first, swap.second)


def _kick(room: Room, seat: Seat, kick: play_pb2.Kick) -> Step:
    _as_host(room, seat)
    seats = room.record.seats
    if not 0 <= kick.seat < len(seats) or seats[kick.seat].free or kick.seat == seat:
        raise Refused(
            ErrorReason.ERROR_REASON_MALFORMED,
            "the seat of another",
            {"field": "command.kick.seat"},
        )
    return seating.stood_up(room, (kick.seat,))


def _act(host: Host, room: Room, seat: Seat, action: play_pb2.Action, at: int) -> Step:
    kind = host.game.kind
    if room.record.status is not Status.PLAYING:
        raise Refused(ErrorReason.ERROR_REASON_WRONG_STATUS, "no game runs")
    if action.WhichOneof("game") != kind:
        raise Refused(
            ErrorReason.ERROR_REASON_MALFORMED, f"the game is {kind}", {"field": "command.act.game"}
        )
    try:
        parsed = host.wire.action_from(getattr(action, kind), action.decision)
        return turns.act(host, room, seat, parsed, action.SerializeToString(), at)
    except Malformed as error:
        field = f"command.act.{kind}.{error.field}"
        raise Refused(ErrorReason.ERROR_REASON_MALFORMED, str(error), {"field": field}) from error
    except IllegalAction as error:
        reason = ErrorReason.Value(f"ERROR_REASON_{error.reason.value}")
        raise Refused(reason, str(error)) from error


def _between_games(room: Room) -> None:
    if room.record.status is Status.PLAYING:
        raise Refused(ErrorReason.ERROR_REASON_WRONG_STATUS, "a game runs")


def _as_host(room: Room, seat: Seat) -> None:
    if room.record.host != seat:
        raise Refused(ErrorReason.ERROR_REASON_NOT_HOST, "only the host may do this")
    _between_games(room)
