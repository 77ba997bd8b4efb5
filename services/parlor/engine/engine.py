"""What an engine does for gateways and matchmaking, whatever the way in."""

import time
import uuid
from collections.abc import Callable
from dataclasses import replace

import structlog
from redis.exceptions import RedisError

from parlor.engine import answers, metrics, turns, votes
from parlor.engine.bots import add_bots
from parlor.engine.chat import kept, say
from parlor.engine.commands import carried_out, disbanded
from parlor.engine.events import seat_view
from parlor.engine.host import Host
from parlor.engine.lanes import Defect, Lanes
from parlor.engine.places import Places
from parlor.engine.proposal import Proposal, Settled
from parlor.engine.record import Status
from parlor.engine.snapshot import UnreadableRecord
from parlor.engine.step import Refused
from parlor.engine.store import RoomGone, RoomStore, Stored
from parlor.engine.views import room_view
from parlor.serving import tracing
from parlor.serving.errors import reason_name
from parlor.serving.invitations import Invitations
from parlor.serving.redis import is_away
from parlor.serving.redis_clock import RedisClock
from parlor.v1 import engine_service_pb2, play_pb2
from parlor.v1.engine_service_pb2 import Player
from parlor.v1.error_reason_pb2 import ErrorReason

_log = structlog.get_logger(__name__)

REQUEST_ID_LENGTH = 64


class Engine:
    """The rooms of one kind of game, as their players use them."""

    def __init__(
        self,
        host: Host,
        lanes: Lanes,
        store: RoomStore,
        places: Places,
        invitations: Invitations,
        clock: RedisClock,
        *,
        may_begin: Callable[[], None] = lambda: None,
    ) -> None:
        self._host = host
        self._lanes = lanes
        self._store = store
        self._places = places
        self._invitations = invitations
        self._clock = clock
        self._may_begin = may_begin

    async def command(self, player: Player, command: play_pb2.Command) -> bytes:
        """Carries `command` out and gives the encoded `ServerFrame` with the answer; never raises a refusal.

        Raises UnreadableRecord: another replica may be able to read the room.
        """
        started, received = time.monotonic(), self._clock.now()
        kind, what = self._host.game.kind, command.WhichOneof("command") or "none"
        outcome = "accepted"
        try:
            return await self._command(player, command, what, received)
        except Refused as error:
            outcome = reason_name(error.reason)
            refusal = answers.refusal(error.reason, error.message, error.metadata)
        except UnreadableRecord:
            outcome = reason_name(ErrorReason.ERROR_REASON_NO_ENGINE)
            raise
        except Exception as error:
            refusal = self.refusal_for(error, command.room_id)
            outcome = reason_name(refusal.reason)
        finally:
            tracing.current().note(command=what)
            if outcome != "accepted":
                tracing.current().note(refused=outcome)
            metrics.COMMANDS.labels(kind, what, outcome).inc()
            metrics.COMMAND_SECONDS.labels(kind).observe(time.monotonic() - started)
        return answers.refused(command.request_id, command.room_id, refusal)

    async def presence(self, player: str, presence: engine_service_pb2.Presence) -> None:
        """Notes that a player's connection came or went; an older connection than the newest changes nothing."""

        async def propose(stored: Stored, at: int) -> "Proposal[None] | Settled[None]":
            room = stored.room
            seat = room.seat_of(player)
            if seat is None:
                return Settled(None, certain=False)
            was = room.record.seats[seat]
            content = replace(was, online=presence.online, connection=presence.connection)
            if presence.connection < was.connection or content == was:
                return Settled(None, certain=False)
            step = turns.presence(self._host, room, seat, content, at)
            if not content.online:
                step = votes.counted(self._host, step, at)
            return Proposal(step=step, op=uuid.uuid4().hex, result=lambda room: None)

        await self._lanes.change(presence.room_id, "presence", propose, received=self._clock.now())

    async def look(self, player: str, look: engine_service_pb2.Look) -> engine_service_pb2.Looked:
        """The room as the player may see it now; raises Refused(NO_SPECTATORS) or RoomGone."""
        async with self._lanes.entered(look.room_id) as lane:
            stored = await self._lanes.fresh(lane, look.room_id)
            room = stored.room
            seat = room.seat_of(player)
            if seat is None and not room.record.spectators:
                raise Refused(
                    ErrorReason.ERROR_REASON_NO_SPECTATORS, "the room allows no spectators"
                )
            head = room.record.heads[len(room.record.seats) if seat is None else seat]
            looked = engine_service_pb2.Looked(seat=seat, seq=head.seq, token=head.token)
            if look.seat_only:
                looked.chat.extend(await kept(self._store, look.room_id))
            else:
                chat = await self._store.chat(look.room_id)
                view = room_view(self._host, room, seat, chat=chat, now=self._clock.now())
                looked.frame = play_pb2.ServerFrame(view=view).SerializeToString()
            return looked

    async def attendance(self, room_id: str) -> engine_service_pb2.AttendanceResponse:
        """Who is in the room; raises RoomGone."""
        async with self._lanes.entered(room_id) as lane:
            record = (await self._lanes.fresh(lane, room_id)).room.record
        return engine_service_pb2.AttendanceResponse(
            seats=map(seat_view, record.seats),
            begun=record.game_no > 0,
            playing=record.status is Status.PLAYING,
        )

    async def disband(self, room_id: str) -> None:
        """Closes a room in which no game has begun; raises Refused(WRONG_STATUS) where one has."""

        async def propose(stored: Stored, at: int) -> Proposal[None]:
            step = disbanded(stored.room)
            return Proposal(step=step, op=uuid.uuid4().hex, result=lambda room: None)

        try:
            await self._lanes.change(room_id, "disband", propose, received=self._clock.now())
        except RoomGone:
            return

    def refusal_for(self, error: Exception, room_id: str) -> play_pb2.Refusal:
        """What a sender is told of an error; unknown ones are logged and told without details."""
        match error:
            case Refused():
                return answers.refusal(error.reason, error.message, error.metadata)
            case RoomGone():
                reason = ErrorReason.ERROR_REASON_ROOM_NOT_FOUND
                return answers.refusal(reason, "there is no such room")
            case UnreadableRecord():
                _log.warning("room_of_another_release", room=room_id)
                reason = ErrorReason.ERROR_REASON_NO_ENGINE
                return answers.refusal(reason, "the room belongs to another release")
            case RedisError() if is_away(error):
                reason = ErrorReason.ERROR_REASON_STORE_UNAVAILABLE
                return answers.refusal(reason, "the store does not answer; send the request again")
            case Defect():
                pass
            case _:
                _log.exception("request_failed", room=room_id, exc_info=error)
        return answers.refusal(ErrorReason.ERROR_REASON_INTERNAL, "the service failed")

    async def _command(
        self, player: Player, command: play_pb2.Command, what: str, received: int
    ) -> bytes:
        if not 1 <= len(command.request_id) <= REQUEST_ID_LENGTH:
            raise Refused(
                ErrorReason.ERROR_REASON_MALFORMED,
                f"1 to {REQUEST_ID_LENGTH} characters",
                {"field": "command.request_id"},
            )
        if what == "say":
            return await say(self._lanes, self._store, self._clock, player, command)
        if what == "add_bots":
            return await add_bots(self._lanes, self._invitations, player, command)

        async def propose(stored: Stored, at: int) -> "Proposal[bytes] | Settled[bytes]":
            frame = answers.remembered(stored, player.player, command)
            if frame is not None:
                await self._store.confirm(stored, player.player)
                return Settled(frame, certain=True)
            if what == "ready" and command.ready.ready:
                self._may_begin()
            if what == "join":
                await self._places.take(player.player, command.room_id)
            try:
                step = carried_out(self._host, stored.room, player, command, at)
            except Refused:
                # Only a room that is as Redis has it knows that the player has no seat.
                if what == "join" and await self._store.is_current(stored.room):
                    await self._places.free(command.room_id, (player.player,))
                raise
            return Proposal(
                step=step,
                op=command.request_id,
                result=lambda room: answers.accepted(
                    command.request_id, stored.room, room, player.player
                ),
                player=player.player,
                answered=lambda frame: answers.remembering(stored, player.player, command, frame),
            )

        return await self._lanes.change(command.room_id, what, propose, received=received)
