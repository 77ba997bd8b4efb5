"""Which engine replica is asked, and which one next when it does not answer.

A room belongs to the first live replica in the rendezvous order of its shard, but any can serve it.
So a request whose stream broke, or that got no answer in time, goes to the next at once; the
engines tell a repeat by its request id. Requests of one room keep their order, also when they move.
"""

import asyncio
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from typing import Final

import grpc
import structlog
from redis.exceptions import TimeoutError as RedisTimeoutError

from parlor.gateway import metrics
from parlor.gateway.config import GatewayConfig
from parlor.gateway.fleet import Fleet
from parlor.gateway.relay import Call, Done, Relay
from parlor.serving import ServiceError, tracing
from parlor.serving.channels import Channels
from parlor.serving.errors import from_rpc_error
from parlor.serving.keys import Keys, kind_of, shard_of
from parlor.serving.redis import Batch
from parlor.v1.engine_service_pb2 import (
    EngineAnswer,
    EngineRequest,
    EngineServiceOpenRoomRequest,
    Look,
    Player,
    Presence,
    ReplayRequest,
)
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.play_pb2 import Command, RoomOpened
from parlor.v1.replay_pb2 import ReplayPart

log = structlog.get_logger(__name__)

_SWEEP_S: Final = 0.05
_SUSPECT_S: Final = 2.0
_SPREAD: Final = 64
_REPLAY_S: Final = 30.0
"""How long a replay may take, with a client who reads slowly: it holds one of an engine's few places."""
_ELSEWHERE: Final = frozenset(
    {
        ErrorReason.ERROR_REASON_NO_ENGINE,
        ErrorReason.ERROR_REASON_TIMEOUT,
        ErrorReason.ERROR_REASON_DRAINING,
        ErrorReason.ERROR_REASON_OVERLOADED,
    }
)
"""Refusals after which another replica may do better."""


class Router:
    """The streams to all live replicas."""

    def __init__(self, batch: Batch, keys: Keys, config: GatewayConfig, channels: Channels) -> None:
        self._config = config
        self._ids = itertools.count(1)
        self._parked: list[Call] = []
        self._parked_rooms: Counter[str] = Counter()
        """Calls for which no replica is there at the moment."""
        self._fleet = Fleet(
            batch,
            keys,
            config,
            channels,
            on_answer=self._answered,
            on_break=lambda calls: self._move(calls, "break"),
        )

    async def run(self) -> None:
        """Keeps the streams open and the requests moving."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._fleet.run())
            tasks.create_task(self._sweep())

    async def ready(self) -> None:
        """Returns once the replicas are known; raises redis's TimeoutError where that takes too long."""
        try:
            async with asyncio.timeout(2 * self._config.redis_timeout_ms / 1000):
                await self._fleet.known.wait()
        except TimeoutError:
            raise RedisTimeoutError("the replicas could not be read in time") from None

    def send(
        self,
        room_id: str,
        player: Player,
        done: Done,
        *,
        command: Command | None = None,
        presence: Presence | None = None,
        look: Look | None = None,
        within_ms: float | None = None,
        trace_parent: str = "",
    ) -> None:
        """Asks the room's engine; `done` gets the answer, NO_ENGINE, TIMEOUT or OVERLOADED."""
        now = asyncio.get_running_loop().time()
        within_ms = min(within_ms or self._config.engine_total_ms, self._config.engine_total_ms)
        request = EngineRequest(
            call_id=next(self._ids),
            player=player,
            trace_parent=trace_parent,
            command=command,
            presence=presence,
            look=look,
        )
        metrics.relay_unanswered.inc()
        self._dispatch(Call(request, room_id, done, now=now, due=now + within_ms / 1000))

    async def ask(
        self,
        room_id: str,
        player: Player,
        *,
        command: Command | None = None,
        look: Look | None = None,
        within_ms: float | None = None,
    ) -> EngineAnswer:
        """As `send`; raises ServiceError, also for an answer that is a refusal."""
        waiting: asyncio.Future[EngineAnswer | ServiceError] = (
            asyncio.get_running_loop().create_future()
        )

        def done(result: EngineAnswer | ServiceError) -> None:
            if not waiting.done():
                waiting.set_result(result)

        self.send(
            room_id,
            player,
            done,
            command=command,
            look=look,
            within_ms=within_ms,
            trace_parent=tracing.current().traceparent,
        )
        result = await waiting
        if isinstance(result, ServiceError):
            raise result
        if result.WhichOneof("result") == "refused":
            refused = result.refused
            raise ServiceError(refused.reason, refused.message, **refused.metadata)
        return result

    async def open_room(self, kind: str, request: EngineServiceOpenRoomRequest) -> RoomOpened:
        """Opens a room on some replica of its kind; raises ServiceError.

        Its id follows from the request, so asking the next replica cannot open a second one.
        """
        failure = ServiceError(ErrorReason.ERROR_REASON_NO_ENGINE, f"no engine serves {kind}")
        for relay in await self.spread(kind):
            try:
                response = await relay.ask(
                    relay.stub.OpenRoom, request, within_s=self._config.engine_answer_ms / 1000
                )
            except ServiceError as gone:
                failure = gone
            except grpc.aio.AioRpcError as error:
                failure = from_rpc_error(error)
                if failure.reason not in _ELSEWHERE:
                    raise failure from None
            else:
                room: RoomOpened = response.room
                return room
        raise failure

    async def replay(self, request: ReplayRequest) -> AsyncIterator[ReplayPart]:
        """The parts of an ended game, from some replica of its kind; raises ServiceError."""
        kind = kind_of(request.room_id)
        failure = ServiceError(ErrorReason.ERROR_REASON_NO_ENGINE, f"no engine serves {kind}")
        for relay in await self.spread(kind):
            has_begun = False
            try:
                async for part in relay.replay(request, within_s=_REPLAY_S):
                    has_begun = True
                    yield part
            except ServiceError as gone:
                failure = gone
                if has_begun:
                    raise
            except grpc.aio.AioRpcError as error:
                failure = from_rpc_error(error)
                if has_begun or failure.reason not in _ELSEWHERE:
                    raise failure from None
            else:
                return
        raise failure

    async def spread(self, kind: str) -> list[Relay]:
        """The replicas of a kind in the order in which to ask them what any can answer.

        Each call begins with another one; those that are about to leave or do not answer come last.
        Where there is none, the first one is waited for, as commands wait for theirs; empty where
        none came.
        """
        await self._fleet.serves(kind, self._config.engine_total_ms / 1000)
        now = asyncio.get_running_loop().time()
        # Numbers in place of shards spread the calls over the replicas.
        relays = self._fleet.order(next(self._ids) % _SPREAD, kind)
        return sorted(
            relays,
            key=lambda relay: relay.draining or relay.broken or relay.suspect_until > now,
        )

    def _dispatch(self, call: Call) -> None:
        """Gives the call to the best replica that has not had it; parks it where there is none."""
        now = asyncio.get_running_loop().time()
        # Behind those of its room that wait already.
        is_parked = self._parked_rooms[call.room_id] > 0
        relay = None if is_parked else self._best(call, now)
        if relay is None and len(self._parked) < self._config.engine_queue:
            self._parked.append(call)
            self._parked_rooms[call.room_id] += 1
        elif relay is None or relay.is_full:
            self._end(
                call, ServiceError(ErrorReason.ERROR_REASON_OVERLOADED, "the engine is too busy")
            )
        else:
            call.tried.add(relay.replica.replica)
            call.answer_by = min(call.due, now + self._config.engine_answer_ms / 1000)
            relay.send(call)

    def _best(self, call: Call, now: float) -> Relay | None:
        fallback: Relay | None = None
        for relay in self._fleet.order(shard_of(call.room_id), kind_of(call.room_id)):
            if relay.replica.replica in call.tried or relay.broken:
                continue
            if not relay.draining and relay.suspect_until <= now:
                return relay
            fallback = fallback or relay
        return fallback

    def _answered(self, call: Call, answer: EngineAnswer) -> None:
        now = asyncio.get_running_loop().time()
        metrics.relay_seconds.observe(now - call.started)
        if _is_another_release(answer) and self._best(call, now) is not None:
            self._move([call], "format")
        else:
            self._end(call, answer)

    def _end(self, call: Call, result: EngineAnswer | ServiceError) -> None:
        metrics.relay_unanswered.dec()
        try:
            call.done(result)
        except Exception:
            # One session's defect must not take the stream from all others.
            log.exception("answer_not_taken", room=call.room_id)

    def _move(self, calls: Iterable[Call], cause: str) -> None:
        moved = metrics.relay_moved.labels(cause)
        for call in calls:
            moved.inc()
            self._dispatch(call)

    async def _sweep(self) -> None:
        """Moves on what waits too long, and ends what has waited long enough."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(_SWEEP_S)
            now = loop.time()
            for relay in self._fleet.relays():
                self._sweep_relay(relay, now)
            parked, self._parked = self._parked, []
            self._parked_rooms.clear()
            for call in parked:
                if now < call.due:
                    # Whoever had it and said nothing may have come back.
                    call.tried.clear()
                    self._dispatch(call)
                else:
                    self._give_up(call)

    def _sweep_relay(self, relay: Relay, now: float) -> None:
        late = {call.room_id for call in relay.calls.values() if call.answer_by <= now}
        if not late:
            return
        relay.suspect_until = now + _SUSPECT_S
        # All of a room's calls, or a later one would be carried out before an earlier one.
        calls = [call for call in relay.calls.values() if call.room_id in late]
        relay.take(calls)
        for call in calls:
            if call.due <= now:
                self._give_up(call)
        self._move((call for call in calls if now < call.due), "timeout")

    def _give_up(self, call: Call) -> None:
        if call.sent:
            self._end(
                call, ServiceError(ErrorReason.ERROR_REASON_TIMEOUT, "no engine answered in time")
            )
        else:
            self._end(
                call, ServiceError(ErrorReason.ERROR_REASON_NO_ENGINE, "no engine serves this room")
            )


def _is_another_release(answer: EngineAnswer) -> bool:
    """Whether the replica cannot read the room, which another one may."""
    return (
        answer.WhichOneof("result") == "refused"
        and answer.refused.reason == ErrorReason.ERROR_REASON_NO_ENGINE
    )
