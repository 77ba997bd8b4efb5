"""Quick chat: numbered on its own, limited, and no step of the room."""

from parlor.engine import answers
from parlor.engine.lanes import ATTEMPTS, Lanes
from parlor.engine.step import Refused
from parlor.engine.store import Lost, RoomStore, Stored
from parlor.serving.redis_clock import RedisClock
from parlor.v1 import play_pb2, room_pb2
from parlor.v1.engine_service_pb2 import Player
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.feed_pb2 import FeedItem
from parlor.wire.times import timestamp

LENGTH = 120


async def say(
    lanes: Lanes, store: RoomStore, clock: RedisClock, player: Player, command: play_pb2.Command
) -> bytes:
    """Says a line in the room and gives the encoded answer; raises Refused, RoomGone or Redis' errors."""
    text = command.say.text
    if not 1 <= len(text) <= LENGTH or not text.isprintable():
        raise Refused(
            ErrorReason.ERROR_REASON_MALFORMED,
            f"1 to {LENGTH} printable characters",
            {"field": "command.say.text"},
        )
    async with lanes.entered(command.room_id) as lane:
        for _ in range(ATTEMPTS):
            stored = await lanes.fresh(lane, command.room_id)
            if (frame := answers.remembered(stored, player.player, command)) is not None:
                try:
                    await _confirm(store, stored, player, command)
                except Lost:
                    lane.stored = None
                    continue
                return frame
            if stored.room.seat_of(player.player) is None:
                raise Refused(ErrorReason.ERROR_REASON_NOT_SEATED, "only the seated may speak")
            line = room_pb2.ChatLine(
                number=stored.kept.chat + 1,
                player=player.player,
                text=text,
                say_time=timestamp(clock.now()),
            )
            frame = answers.accepted(command.request_id, stored.room, stored.room, player.player)
            # The next reader takes the count of lines from Redis.
            lane.stored = None
            try:
                await store.say(
                    stored,
                    line=line.SerializeToString(),
                    item=_item(command.room_id, line),
                    player=player.player,
                    answered=answers.remembering(stored, player.player, command, frame),
                )
            except Lost:
                continue
            return frame
    raise Refused(ErrorReason.ERROR_REASON_CONFLICT, "the chat moved too often meanwhile")


async def _confirm(
    store: RoomStore, stored: Stored, player: Player, command: play_pb2.Command
) -> None:
    """Makes sure of a line that was said before, and publishes it where that may not have happened.

    Clients know a line by its number, so that one told twice is shown once.
    """
    await store.confirm(stored, player.player)
    lines = map(room_pb2.ChatLine.FromString, await store.chat(command.room_id))
    said = [line for line in lines if (line.player, line.text) == (player.player, command.say.text)]
    for line in said[-1:]:
        await store.tell(command.room_id, _item(command.room_id, line))


async def kept(store: RoomStore, room_id: str) -> list[bytes]:
    """The lines that are kept, each as its listeners got it, oldest first."""
    lines = map(room_pb2.ChatLine.FromString, await store.chat(room_id))
    return [_frame(room_id, line) for line in lines]


def _item(room_id: str, line: room_pb2.ChatLine) -> bytes:
    """The line as gateways get it."""
    return FeedItem(chat=_frame(room_id, line)).SerializeToString()


def _frame(room_id: str, line: room_pb2.ChatLine) -> bytes:
    return play_pb2.ServerFrame(chat=play_pb2.Chat(room_id=room_id, line=line)).SerializeToString()
