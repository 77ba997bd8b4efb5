"""The way in: `EngineService`, for gateways and matchmaking."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from typing import Any, TypeVar

import grpc

from parlor.engine import metrics
from parlor.engine.engine import Engine
from parlor.engine.opening import Opening
from parlor.engine.replays import Replays
from parlor.serving import tracing
from parlor.serving.errors import ServiceError, reason_name
from parlor.serving.tasks import begun, stop
from parlor.v1 import engine_service_pb2, play_pb2
from parlor.v1.engine_service_pb2_grpc import EngineServiceServicer
from parlor.v1.error_reason_pb2 import ErrorReason

Context = grpc.aio.ServicerContext

T = TypeVar("T")

MOST_OPENINGS = 200
"""Rooms that one call may open."""


class EngineServicer(EngineServiceServicer):
    """Answers with the engine's own words; requests are carried out whatever becomes of the stream they came on."""

    def __init__(
        self,
        kind: str,
        engine: Engine,
        opening: Opening,
        replays: Replays,
        *,
        tasks: asyncio.TaskGroup,
        draining: asyncio.Event,
        granted: int,
        unbounded: bool,
    ) -> None:
        self._kind = kind
        self._engine = engine
        self._opening = opening
        self._replays = replays
        self._tasks = tasks
        self._draining = draining
        self._granted = granted
        self._unbounded = unbounded
        self._unanswered = 0
        self.idle = asyncio.Event()
        """Set while no request is being carried out."""
        self.idle.set()

    async def Relay(
        self,
        request_iterator: AsyncIterator[engine_service_pb2.RelayRequest],
        context: Context[engine_service_pb2.RelayRequest, engine_service_pb2.RelayResponse],
    ) -> AsyncIterator[engine_service_pb2.RelayResponse]:
        """Carries many rooms' requests; answers all that is ready in one message."""
        outbox = _Outbox()
        reader = asyncio.create_task(self._read(request_iterator, outbox))
        drain = asyncio.create_task(self._tell_draining(outbox))
        metrics.RELAY_STREAMS.labels(self._kind).inc()
        try:
            yield engine_service_pb2.RelayResponse(credits=self._granted)
            while (response := await outbox.next()) is not None:
                yield response
        finally:
            metrics.RELAY_STREAMS.labels(self._kind).dec()
            await stop(reader, drain)

    async def Call(
        self,
        request: engine_service_pb2.CallRequest,
        context: Context[engine_service_pb2.CallRequest, engine_service_pb2.CallResponse],
    ) -> engine_service_pb2.CallResponse:
        """Carries out one request."""
        # Shielded by being a task of the service: a caller that goes away does not end a commit.
        answer = await asyncio.shield(self._begun(self._answer(request.request)))
        return engine_service_pb2.CallResponse(answer=answer)

    async def OpenRoom(
        self,
        request: engine_service_pb2.EngineServiceOpenRoomRequest,
        context: Context[
            engine_service_pb2.EngineServiceOpenRoomRequest,
            engine_service_pb2.EngineServiceOpenRoomResponse,
        ],
    ) -> engine_service_pb2.EngineServiceOpenRoomResponse:
        """Opens a room."""
        opened = await asyncio.shield(self._begun(self._open(request)))
        if isinstance(opened, play_pb2.Refusal):
            raise ServiceError(opened.reason, opened.message, **opened.metadata)
        return engine_service_pb2.EngineServiceOpenRoomResponse(room=opened)

    async def Replay(
        self,
        request: engine_service_pb2.ReplayRequest,
        context: Context[engine_service_pb2.ReplayRequest, engine_service_pb2.ReplayResponse],
    ) -> AsyncIterator[engine_service_pb2.ReplayResponse]:
        """Gives an ended game."""
        try:
            archived = request.archived if request.HasField("archived") else None
            async for part in self._replays.give(request.room_id, request.game_no, archived):
                yield engine_service_pb2.ReplayResponse(part=part)
        except Exception as error:
            raise self._service_error(error, request.room_id) from error

    async def OpenRooms(
        self,
        request: engine_service_pb2.OpenRoomsRequest,
        context: Context[engine_service_pb2.OpenRoomsRequest, engine_service_pb2.OpenRoomsResponse],
    ) -> engine_service_pb2.OpenRoomsResponse:
        """Opens several rooms, each on its own."""
        if len(request.requests) > MOST_OPENINGS:
            raise ServiceError(
                ErrorReason.ERROR_REASON_MALFORMED, f"at most {MOST_OPENINGS}", field="requests"
            )
        opening = self._begun(self._open_all(request.requests))
        results = [
            engine_service_pb2.OpenRoomResult(refused=opened)
            if isinstance(opened, play_pb2.Refusal)
            else engine_service_pb2.OpenRoomResult(room=opened)
            for opened in await asyncio.shield(opening)
        ]
        return engine_service_pb2.OpenRoomsResponse(results=results)

    async def Attendance(
        self,
        request: engine_service_pb2.AttendanceRequest,
        context: Context[
            engine_service_pb2.AttendanceRequest, engine_service_pb2.AttendanceResponse
        ],
    ) -> engine_service_pb2.AttendanceResponse:
        """Says who is in a room."""
        try:
            return await self._engine.attendance(request.room_id)
        except Exception as error:
            raise self._service_error(error, request.room_id) from error

    async def DisbandRoom(
        self,
        request: engine_service_pb2.DisbandRoomRequest,
        context: Context[
            engine_service_pb2.DisbandRoomRequest, engine_service_pb2.DisbandRoomResponse
        ],
    ) -> engine_service_pb2.DisbandRoomResponse:
        """Closes a room that has not begun."""
        disbanding = self._begun(self._disband(request.room_id))
        refusal = await asyncio.shield(disbanding)
        if refusal is not None:
            raise ServiceError(refusal.reason, refusal.message, **refusal.metadata)
        return engine_service_pb2.DisbandRoomResponse()

    async def _disband(self, room_id: str) -> play_pb2.Refusal | None:
        """Why the room stays open, None where it does not: an error that left the task would end
        every task of the service.
        """
        try:
            await self._engine.disband(room_id)
        except Exception as error:
            return self._engine.refusal_for(error, room_id)
        return None

    def _begun(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        """The work as a task of the service, so that a caller that goes away does not end it; raises
        DRAINING once the service has ended.
        """
        task = begun(self._tasks, work)
        if task is None:
            raise ServiceError(ErrorReason.ERROR_REASON_DRAINING, "this engine has stopped")
        return task

    def _service_error(self, error: Exception, room_id: str) -> ServiceError:
        refusal = self._engine.refusal_for(error, room_id)
        return ServiceError(refusal.reason, refusal.message, **refusal.metadata)

    async def _open(
        self, request: engine_service_pb2.EngineServiceOpenRoomRequest
    ) -> play_pb2.RoomOpened | play_pb2.Refusal:
        """The room, or why not: an error that left the task would end every task of the service."""
        if self._unbounded:
            request.unbounded = True
        try:
            return await self._opening.open(request)
        except Exception as error:
            return self._engine.refusal_for(error, "")

    async def _open_all(
        self, requests: Sequence[engine_service_pb2.EngineServiceOpenRoomRequest]
    ) -> list[play_pb2.RoomOpened | play_pb2.Refusal]:
        """Each room, or why not, in their order: those of matched players, of whom many come at once, together."""
        together, alone = await asyncio.gather(
            self._open_matched([request for request in requests if request.matched]),
            asyncio.gather(*(self._open(request) for request in requests if not request.matched)),
        )
        matched, others = iter(together), iter(alone)
        return [next(matched if request.matched else others) for request in requests]

    async def _open_matched(
        self, requests: Sequence[engine_service_pb2.EngineServiceOpenRoomRequest]
    ) -> list[play_pb2.RoomOpened | play_pb2.Refusal]:
        for request in requests:
            request.unbounded |= self._unbounded
        try:
            return [
                self._engine.refusal_for(opened, "") if isinstance(opened, Exception) else opened
                for opened in await self._opening.open_matched(requests)
            ]
        except Exception as error:
            return [self._engine.refusal_for(error, "")] * len(requests)

    async def _read(
        self, requests: AsyncIterator[engine_service_pb2.RelayRequest], outbox: "_Outbox"
    ) -> None:
        async for message in requests:
            for request in message.requests:
                outbox.expect()
                self._begun(self._relay(request, outbox))
        outbox.finish()

    async def _relay(self, request: engine_service_pb2.EngineRequest, outbox: "_Outbox") -> None:
        outbox.put(await self._answer(request))

    async def _tell_draining(self, outbox: "_Outbox") -> None:
        await self._draining.wait()
        outbox.tell_draining()

    async def _answer(
        self, request: engine_service_pb2.EngineRequest
    ) -> engine_service_pb2.EngineAnswer:
        answer = engine_service_pb2.EngineAnswer(call_id=request.call_id)
        self._unanswered += 1
        self.idle.clear()
        try:
            # One that came as a call of its own is in the call's span.
            with tracing.went_on("execute", request.trace_parent, kind=self._kind):
                await self._carry_out(request, answer)
        finally:
            self._unanswered -= 1
            if not self._unanswered:
                self.idle.set()
        return answer

    async def _carry_out(
        self, request: engine_service_pb2.EngineRequest, answer: engine_service_pb2.EngineAnswer
    ) -> None:
        """Does what is asked, and writes into the answer what came of it."""
        room_id = ""
        try:
            match request.WhichOneof("request"):
                case "command":
                    room_id = request.command.room_id
                    answer.frame = await self._engine.command(request.player, request.command)
                case "presence":
                    room_id = request.presence.room_id
                    await self._engine.presence(request.player.player, request.presence)
                    answer.done.SetInParent()
                case "look":
                    room_id = request.look.room_id
                    looked = await self._engine.look(request.player.player, request.look)
                    answer.looked.CopyFrom(looked)
                case _:
                    answer.refused.message = "no request is set"
        except Exception as error:
            answer.refused.CopyFrom(self._engine.refusal_for(error, room_id))
            tracing.current().note(refused=reason_name(answer.refused.reason))
        tracing.current().note(room=room_id)


class _Outbox:
    """The answers of one stream that wait to be written, all of them into the next message."""

    def __init__(self) -> None:
        self._answers: list[engine_service_pb2.EngineAnswer] = []
        self._expected = 0
        self._finished = False
        self._draining = False
        self._changed = asyncio.Event()

    def expect(self) -> None:
        """One more answer will come."""
        self._expected += 1

    def put(self, answer: engine_service_pb2.EngineAnswer) -> None:
        """An answer to write; its credit goes back with it."""
        self._expected -= 1
        self._answers.append(answer)
        self._changed.set()

    def tell_draining(self) -> None:
        """The next message says that the replica leaves."""
        self._draining = True
        self._changed.set()

    def finish(self) -> None:
        """The caller sends nothing more; the stream ends when everything is answered."""
        self._finished = True
        self._changed.set()

    async def next(self) -> engine_service_pb2.RelayResponse | None:
        """All that is ready; waits for the first; None at the end."""
        while not self._answers and not self._draining:
            if self._finished and not self._expected:
                return None
            self._changed.clear()
            await self._changed.wait()
        answers, self._answers = self._answers, []
        draining, self._draining = self._draining, False
        return engine_service_pb2.RelayResponse(
            answers=answers, credits=len(answers), draining=draining
        )
