"""All that one audience may know of a room, as the message it is sent."""

from collections.abc import Sequence

from parlor.engine.events import result_message, seat_view, vote_message
from parlor.engine.host import Host
from parlor.engine.record import Room, Status
from parlor.rules.chance import commitment
from parlor.rules.game import Audience
from parlor.v1 import room_pb2
from parlor.wire.times import timestamp

_STATUS = {
    Status.OPEN: room_pb2.ROOM_STATUS_OPEN,
    Status.PLAYING: room_pb2.ROOM_STATUS_PLAYING,
    Status.FINISHED: room_pb2.ROOM_STATUS_FINISHED,
    Status.FAULTED: room_pb2.ROOM_STATUS_FAULTED,
}


def room_view(
    host: Host, room: Room, audience: Audience, *, chat: Sequence[bytes], now: int
) -> room_pb2.RoomView:
    """The view of `audience`; `chat` is encoded ChatLines, oldest first, `now` the instant in ms."""
    record = room.record
    head = record.heads[len(record.seats) if audience is None else audience]
    view = room_pb2.RoomView(
        room_id=record.room_id,
        seq=head.seq,
        token=head.token,
        seat=audience,
        # A spectator who knew the code of a private room could take a seat in it.
        code=record.code if audience is not None or not record.private else "",
        link_token=record.link_token if audience is not None else "",
        config=room_pb2.GameConfig.FromString(record.config),
        options=room_pb2.RoomOptions(spectators=record.spectators, private=record.private),
        seats=map(seat_view, record.seats),
        host=record.host,
        status=_STATUS[record.status],
        game_no=record.game_no,
        commitment=commitment(record.seed),
        ready_time=timestamp(record.ready_due) if record.ready_due else None,
        dissolve=vote_message(record.vote) if record.vote else None,
        result=result_message(record.result) if record.result else None,
        chat=map(room_pb2.ChatLine.FromString, chat),
        view_time=timestamp(now),
    )
    if room.state is not None:
        game_view = host.wire.view_to(host.game.view(room.state, audience))
        getattr(view, host.game.kind).CopyFrom(game_view)
    return view
