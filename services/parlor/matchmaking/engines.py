"""Opening, looking into and closing matches' rooms: any live replica of their kind can."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

import grpc

from parlor.matchmaking import metrics
from parlor.matchmaking.pools import Pool, kind_of_pool
from parlor.matchmaking.store import Proposed
from parlor.serving.channels import Channels
from parlor.serving.errors import ServiceError, from_rpc_error, reason_name
from parlor.serving.keys import Keys, kind_of
from parlor.serving.redis import Batch
from parlor.serving.replicas import Replica, live_replicas
from parlor.v1.engine_service_pb2 import (
    AttendanceRequest,
    AttendanceResponse,
    CallRequest,
    DisbandRoomRequest,
    EngineAnswer,
    EngineRequest,
    EngineServiceOpenRoomRequest,
    Look,
    OpenRoomsRequest,
    Player,
)
from parlor.v1.engine_service_pb2_grpc import EngineServiceStub
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.play_pb2 import Command, Join, RoomOpened, ServerFrame
from parlor.v1.room_pb2 import GameConfig, RoomOptions

if TYPE_CHECKING:
    from parlor.v1.engine_service_pb2_grpc import EngineServiceAsyncStub

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

_UNSURE = frozenset(
    {
        ErrorReason.ERROR_REASON_STORE_UNAVAILABLE,
        ErrorReason.ERROR_REASON_COMMIT_UNCONFIRMED,
        ErrorReason.ERROR_REASON_CONFLICT,
        ErrorReason.ERROR_REASON_INTERNAL,
    }
)
"""Refusals that do not say whether it was done, or may be done yet."""

FOR_GOOD = frozenset(
    {
        ErrorReason.ERROR_REASON_INVALID_CONFIG,
        ErrorReason.ERROR_REASON_UNKNOWN_KIND,
        ErrorReason.ERROR_REASON_MALFORMED,
    }
)
"""Refusals that no later attempt can change."""

T = TypeVar("T")


class Engines:
    """The live engine replicas, a channel to each that was needed."""

    def __init__(self, batch: Batch, keys: Keys, *, open_ms: int, channels: Channels) -> None:
        self._batch = batch
        self._keys = keys
        self._opens = channels
        self._open_s = open_ms / 1000
        self._channels: dict[str, grpc.aio.Channel] = {}
        self._closing: set[asyncio.Task[None]] = set()

    async def aclose(self) -> None:
        """Closes every channel."""
        await asyncio.gather(*(channel.close() for channel in self._channels.values()))
        await asyncio.gather(*self._closing)

    async def open_rooms(
        self, pool: Pool, matches: Sequence[Proposed]
    ) -> Sequence[RoomOpened | ServiceError]:
        """Each match's room, opened once however often this is called, or why it has none: one of
        `FOR_GOOD`, or what the last replica that was asked answered.
        """
        kind = kind_of_pool(pool.name)
        requests = _openings(pool, matches)
        results: Sequence[RoomOpened | ServiceError]
        try:
            results = await self._asked(kind, lambda stub: self._opened(stub, requests))
        except ServiceError as error:
            results = [error] * len(matches)
        outcomes = Counter(
            reason_name(result.reason) if isinstance(result, ServiceError) else "OPENED"
            for result in results
        )
        for outcome, count in outcomes.items():
            metrics.openings.labels(kind, outcome).inc(count)
        return results

    async def attendance(self, room_id: str) -> AttendanceResponse:
        """Who is in the room; raises ServiceError."""
        request = AttendanceRequest(room_id=room_id)
        return await self._asked(
            kind_of(room_id), lambda stub: stub.Attendance(request, timeout=self._open_s)
        )

    async def disband(self, room_id: str) -> None:
        """Closes a room that has not begun; raises ServiceError, WRONG_STATUS where it has."""
        request = DisbandRoomRequest(room_id=room_id)
        await self._asked(
            kind_of(room_id), lambda stub: stub.DisbandRoom(request, timeout=self._open_s)
        )

    async def join(self, room_id: str, player: Player, link_token: str, *, request_id: str) -> bool:
        """Whether the player has a seat in the room now; raises ServiceError where that is not
        known: the same `request_id` may be used to ask again.
        """
        command = Command(request_id=request_id, room_id=room_id, join=Join(link_token=link_token))
        request = CallRequest(request=EngineRequest(call_id=1, player=player, command=command))

        async def answer(stub: "EngineServiceAsyncStub") -> bool:
            answer = (await stub.Call(request, timeout=self._open_s)).answer
            refused = answer.refused
            if answer.HasField("frame"):
                said = ServerFrame.FromString(answer.frame).answer
                if said.HasField("accepted"):
                    return True
                refused = said.refused
                if refused.reason not in _UNSURE:
                    return False
            raise ServiceError(refused.reason, refused.message)

        return await self._asked(kind_of(room_id), answer)

    async def seats(self, player: str, room_id: str) -> bool:
        """Whether the room has a seat for the player; True where no engine can tell."""
        look = Look(room_id=room_id, seat_only=True)
        request = CallRequest(
            request=EngineRequest(call_id=1, player=Player(player=player), look=look)
        )

        async def answer(stub: "EngineServiceAsyncStub") -> EngineAnswer:
            answer = (await stub.Call(request, timeout=self._open_s)).answer
            if answer.refused.reason == ErrorReason.ERROR_REASON_NO_ENGINE:
                # The room is in a format that this replica does not read.
                raise ServiceError(answer.refused.reason, answer.refused.message)
            return answer

        try:
            found = await self._asked(kind_of(room_id), answer)
        except ServiceError:
            return True
        if found.HasField("looked"):
            return found.looked.HasField("seat")
        return found.refused.reason not in _NO_SEAT

    async def _opened(
        self, stub: "EngineServiceAsyncStub", requests: Sequence[EngineServiceOpenRoomRequest]
    ) -> Sequence[RoomOpened | ServiceError]:
        """What came of each; raises AioRpcError where the call itself failed."""
        try:
            response = await stub.OpenRooms(
                OpenRoomsRequest(requests=requests), timeout=self._open_s
            )
        except grpc.aio.AioRpcError as failed:
            if failed.code() is not grpc.StatusCode.UNIMPLEMENTED:
                raise
            # A replica of the first release, beside which this one runs while it is rolled out.
            return await asyncio.gather(*(self._opened_alone(stub, each) for each in requests))
        return [
            result.room
            if result.HasField("room")
            else ServiceError(
                result.refused.reason, result.refused.message, **result.refused.metadata
            )
            for result in response.results
        ]

    async def _opened_alone(
        self, stub: "EngineServiceAsyncStub", request: EngineServiceOpenRoomRequest
    ) -> RoomOpened | ServiceError:
        try:
            return (await stub.OpenRoom(request, timeout=self._open_s)).room
        except grpc.aio.AioRpcError as failed:
            return from_rpc_error(failed)

    async def _asked(self, kind: str, ask: "Callable[[EngineServiceAsyncStub], Awaitable[T]]") -> T:
        """What the first replica says that can answer; raises ServiceError as the last one does."""
        replicas = await live_replicas(self._batch, self._keys)
        self._forget_all_but(replicas)
        error = ServiceError(ErrorReason.ERROR_REASON_NO_ENGINE, f"no engine for {kind} is alive")
        for replica in _in_turn(kind, replicas):
            try:
                return await ask(self._stub(replica.address))
            except grpc.aio.AioRpcError as failed:
                error = from_rpc_error(failed)
            except ServiceError as refused:
                error = refused
            if error.reason not in _ELSEWHERE:
                break
        raise error

    def _stub(self, address: str) -> "EngineServiceAsyncStub":
        if address not in self._channels:
            channel = self._opens.to_one(address)
            self._channels[address] = channel
        return EngineServiceStub(self._channels[address])

    def _forget_all_but(self, replicas: Iterable[Replica]) -> None:
        """Closes the channels to replicas that are gone: each new one brings a new address.

        Whoever still asks one of them gets its answer, or none, first.
        """
        for address in self._channels.keys() - {replica.address for replica in replicas}:
            closing = asyncio.create_task(self._channels.pop(address).close(self._open_s))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)


def _openings(pool: Pool, matches: Sequence[Proposed]) -> list[EngineServiceOpenRoomRequest]:
    config, options = GameConfig.FromString(pool.config), RoomOptions(private=True)
    return [
        EngineServiceOpenRoomRequest(
            request_id=match.record.match,
            opener=OPENER,
            config=config,
            options=options,
            players=[
                Player(player=member.player, name=member.name)
                for members in match.members
                for member in members
            ],
            matched=True,
        )
        for match in matches
    ]


def _in_turn(kind: str, replicas: Iterable[Replica]) -> list[Replica]:
    """The replicas of the kind in random order, draining ones last."""
    able = [replica for replica in replicas if replica.kind == kind]
    random.shuffle(able)
    return sorted(able, key=lambda replica: replica.draining)
