"""The room's own events and the messages they carry, from the record."""

from parlor.engine.record import Result, RoomRecord, SeatRecord, Vote
from parlor.rules.chance import commitment
from parlor.v1 import room_pb2
from parlor.v1.room_pb2 import Event
from parlor.wire.times import set_instant, timestamp


def seat_view(seat: SeatRecord) -> room_pb2.SeatView:
    """A place as everybody sees it."""
    return room_pb2.SeatView(
        player=seat.player,
        name=seat.name,
        bot=seat.bot,
        ready=seat.ready,
        online=seat.online,
        ready_time=timestamp(seat.ready_due) if seat.ready_due else None,
    )


def vote_message(vote: Vote) -> room_pb2.DissolveVote:
    """A running vote."""
    return room_pb2.DissolveVote(
        proposer=vote.proposer, agreed=vote.agreed, expire_time=timestamp(vote.due)
    )


def result_message(result: Result) -> room_pb2.GameResult:
    """What a game came to."""
    return room_pb2.GameResult(
        game_no=result.game_no,
        reason=result.reason,
        winners=result.winners,
        scores=result.scores,
        seed=result.seed,
        entropy=result.entropy,
    )


def seat_changed(index: int, seat: SeatRecord) -> Event:
    """A seat's new content."""
    return Event(seat_changed=room_pb2.SeatChanged(seat=index, content=seat_view(seat)))


def host_changed(host: int | None) -> Event:
    """The host is another."""
    return Event(host_changed=room_pb2.HostChanged(host=host))


def ready_opened(record: RoomRecord) -> Event:
    """A ready phase began."""
    event = Event()
    event.ready_opened.commitment = commitment(record.seed)
    if record.ready_due:
        set_instant(event.ready_opened.ready_time, record.ready_due)
    return event


def game_started(record: RoomRecord) -> Event:
    """A game began."""
    return Event(
        game_started=room_pb2.GameStarted(
            game_no=record.game_no, commitment=commitment(record.seed)
        )
    )


def game_ended(result: Result) -> Event:
    """A game ended."""
    return Event(game_ended=room_pb2.GameEnded(result=result_message(result)))


def dissolve_changed(vote: Vote | None) -> Event:
    """A vote changed or ended."""
    return Event(
        dissolve_changed=room_pb2.DissolveChanged(vote=vote_message(vote) if vote else None)
    )


def options_changed(record: RoomRecord) -> Event:
    """The room's options are others."""
    return Event(
        options_changed=room_pb2.OptionsChanged(
            config=room_pb2.GameConfig.FromString(record.config),
            options=room_pb2.RoomOptions(spectators=record.spectators, private=record.private),
        )
    )


def room_closed(reason: "room_pb2.CloseReason.ValueType") -> Event:
    """The room is gone."""
    return Event(room_closed=room_pb2.RoomClosed(reason=reason))
