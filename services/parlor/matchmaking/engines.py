"""Opening a match's room: on any live replica of its kind, since each can open any room."""

import random
from collections.abc import Iterable

import grpc

from parlor.matchmaking.metrics import openings
from parlor.matchmaking.store import MatchRecord
from parlor.serving.channels import Channels
from parlor.serving.errors import ServiceError, from_rpc_error, reason_name
from parlor.serving.keys import Keys, kind_of
from parlor.serving.redis import Batch
from parlor.serving.replicas import Replica, live_replicas
from parlor.v1.engine_service_pb2 import (
    CallRequest,
    EngineRequest,
    EngineServiceOpenRoomRequest,
    Look,
    Player,
)
from parlor.v1.engine_service_pb2_grpc import EngineServiceStub
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.room_pb2 import GameConfig, RoomOptions

OPENER = "matchmaking"
"""The room's id follows from this and the match's id."""

_ELSEWHERE = frozenset(
    {
        ErrorReason.ERROR_REASON_NO_ENGINE,
        ErrorReason.ERROR_REASON_DRAINING,
        ErrorReason.ERROR_REASON_OVERLOADED,
        ErrorReason.ERROR_REASON_TIMEOUT,
    }
)
"""Refusals by one replica after which another one is asked."""

_NO_SEAT = frozenset(
    {ErrorReason.ERROR_REASON_NO_SPECTATORS, ErrorReason.ERROR_REASON_ROOM_NOT_FOUND}
)
"""Refusals that only somebody without a seat gets."""

FOR_GOOD = frozenset(
    {
        ErrorReason.ERROR_REASON_INVALID_CONFIG,
        ErrorReason.ERROR_REASON_UNKNOWN_KIND,
        ErrorReason.ERROR_REASON_MALFORMED,
    }
)
"""Refusals that no later attempt can change."""


class Engines:
    """The live engine replicas, a channel to each that was needed."""

    def __init__(self, batch: Batch, keys: Keys, *, open_ms: int, channels: Channels) -> None:
        self._batch = batch
        self._keys = keys
        self._opens = channels
        self._open_s = open_ms / 1000
        self._channels: dict[str, grpc.aio.Channel] = {}

    async def aclose(self) -> None:
        """Closes every channel."""
        for channel in self._channels.values():
            await channel.close()

    async def open_room(self, record: MatchRecord) -> str:
        """The id of the match's room, opened once however often this is called.

        Raises ServiceError: one of `FOR_GOOD`, or what the last replica that was asked answered.
        """
        config = GameConfig.FromString(record.config)
        kind = config.WhichOneof("game") or ""
        request = EngineServiceOpenRoomRequest(
            request_id=record.match,
            opener=OPENER,
            config=config,
            options=RoomOptions(private=True),
            players=[Player(player=m.player, name=m.name, bot=m.bot) for m in record.members],
            matched=True,
        )
        replicas = await live_replicas(self._batch, self._keys)
        await self._forget_all_but(replicas)
        error = ServiceError(ErrorReason.ERROR_REASON_NO_ENGINE, f"no engine for {kind} is alive")
        for replica in _in_turn(kind, replicas):
            try:
                stub = EngineServiceStub(self._channel(replica.address))
                response = await stub.OpenRoom(request, timeout=self._open_s)
            except grpc.aio.AioRpcError as failed:
                error = from_rpc_error(failed)
                openings.labels(kind, reason_name(error.reason)).inc()
                if error.reason not in _ELSEWHERE:
                    break
            else:
                openings.labels(kind, "OPENED").inc()
                return response.room.room_id
        raise error

    async def seats(self, player: str, room_id: str) -> bool:
        """Whether the room has a seat for the player; True where no engine can tell."""
        look = Look(room_id=room_id, seat_only=True)
        request = EngineRequest(call_id=1, player=Player(player=player), look=look)
        for replica in _in_turn(kind_of(room_id), await live_replicas(self._batch, self._keys)):
            try:
                stub = EngineServiceStub(self._channel(replica.address))
                response = await stub.Call(CallRequest(request=request), timeout=self._open_s)
            except grpc.aio.AioRpcError:
                continue
            answer = response.answer
            if answer.HasField("looked"):
                return answer.looked.HasField("seat")
            if answer.refused.reason == ErrorReason.ERROR_REASON_NO_ENGINE:
                # The room is in a format that this replica does not read.
                continue
            return answer.refused.reason not in _NO_SEAT
        return True

    def _channel(self, address: str) -> grpc.aio.Channel:
        if address not in self._channels:
            channel = self._opens.to_one(address)
            self._channels[address] = channel
        return self._channels[address]

    async def _forget_all_but(self, replicas: Iterable[Replica]) -> None:
        """Closes the channels to replicas that are gone: each new one brings a new address."""
        for address in self._channels.keys() - {replica.address for replica in replicas}:
            await self._channels.pop(address).close()


def _in_turn(kind: str, replicas: Iterable[Replica]) -> list[Replica]:
    """The replicas of the kind in random order, draining ones last."""
    able = [replica for replica in replicas if replica.kind == kind]
    random.shuffle(able)
    return sorted(able, key=lambda replica: replica.draining)
