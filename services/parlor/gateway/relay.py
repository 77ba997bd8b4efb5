"""One stream to one engine replica, carrying the requests of every session here.

What was asked during one turn of the event loop leaves in one message. gRPC takes megabytes before
a write blocks on a side that does not read, so the engine's credits, not the writes, say how much
may be under way.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import grpc
import structlog

from parlor.serving import ServiceError
from parlor.serving.channels import Channels
from parlor.serving.replicas import Replica
from parlor.v1.engine_service_pb2 import (
    EngineAnswer,
    EngineRequest,
    RelayRequest,
    RelayResponse,
    ReplayRequest,
)
from parlor.v1.engine_service_pb2_grpc import EngineServiceStub
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.replay_pb2 import ReplayPart

log = structlog.get_logger(__name__)

Done = Callable[[EngineAnswer | ServiceError], None]
"""Gets what came of a request, once; it may not block."""

_MOST_BYTES: Final = 1024 * 1024
"""Of one message, well under what a channel takes."""
_SHORTEST_PAUSE_S: Final = 0.05
_LONGEST_PAUSE_S: Final = 1.0


class Call:
    """A request on its way: where it has been, and until when somebody waits for it."""

    __slots__ = ("answer_by", "done", "due", "request", "room_id", "sent", "started", "tried")

    def __init__(
        self, request: EngineRequest, room_id: str, done: Done, *, now: float, due: float
    ) -> None:
        self.request = request
        self.room_id = room_id
        self.done = done
        self.started = now
        self.due = due
        self.answer_by = due
        self.tried: set[str] = set()
        self.sent = False
        """Whether any replica may have carried it out."""


class Relay:
    """The stream to one replica, opened again whenever it breaks, until `run` is cancelled."""

    def __init__(
        self,
        replica: Replica,
        channels: Channels,
        *,
        most_waiting: int,
        on_answer: Callable[[Call, EngineAnswer], None],
        on_break: Callable[[list[Call]], None],
    ) -> None:
        self.replica = replica
        self.calls: dict[int, Call] = {}
        """Without an answer, in the order in which they came."""
        self.draining = False
        self.broken = False
        """Whether the last stream broke and no other has been granted credits yet."""
        self.suspect_until = 0.0
        """Until when others are asked first, because an answer did not come in time."""
        self._most_waiting = most_waiting
        self._on_answer = on_answer
        self._on_break = on_break
        self._waiting: deque[int] = deque()
        self._credits = 0
        self._wake = asyncio.Event()
        self._channel = channels.to_one(replica.address)
        # Unary and streaming stubs of generated code differ in nothing but their types here.
        self.stub: Any = EngineServiceStub(self._channel)

    def unary(self, path: str) -> Any:
        """A method of the replica, by its path, from bytes to bytes."""
        return self._channel.unary_unary(path)

    async def ask(self, method: Any, request: Any, *, within_s: float) -> Any:
        """The answer of one of the replica's unary methods; raises AioRpcError, or
        ServiceError(NO_ENGINE) where the replica is taken off the list meanwhile.
        """
        with _gone_is_told():
            return await method(request, timeout=within_s)

    async def replay(self, request: ReplayRequest, *, within_s: float) -> AsyncIterator[ReplayPart]:
        """The parts of an ended game; raises as `ask` does."""
        with _gone_is_told():
            async for response in self.stub.Replay(request, timeout=within_s):
                yield response.part

    @property
    def is_full(self) -> bool:
        """Whether nothing more may wait for this replica's credits."""
        return len(self._waiting) >= self._most_waiting

    def send(self, call: Call) -> None:
        """Puts the request into the message of this turn, or behind those that wait for credits."""
        call_id = call.request.call_id
        self.calls[call_id] = call
        self._waiting.append(call_id)
        self._wake.set()

    def take(self, calls: list[Call]) -> None:
        """Gives the calls up, for another replica; an answer that still comes for them is ignored."""
        for call in calls:
            self.calls.pop(call.request.call_id, None)

    async def run(self) -> None:
        """Keeps a stream open."""
        pause_s = _SHORTEST_PAUSE_S
        try:
            while True:
                try:
                    await self._stream()
                except (
                    grpc.aio.AioRpcError,
                    grpc.aio.UsageError,
                    asyncio.InvalidStateError,
                ) as error:
                    code = error.code().name if isinstance(error, grpc.aio.AioRpcError) else "USAGE"
                    log.warning(
                        "relay_broke",
                        replica=self.replica.replica,
                        code=code,
                        moved=len(self.calls),
                    )
                if self._credits:
                    pause_s = _SHORTEST_PAUSE_S
                self._broke()
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        finally:
            self._broke()
            await self._channel.close()

    async def _stream(self) -> None:
        """One stream, until it ends."""
        self._credits = 0
        stream = self.stub.Relay()
        writing = asyncio.create_task(self._write(stream))
        try:
            while True:
                response = await stream.read()
                if response is grpc.aio.EOF:
                    return
                self._take_answers(response)
        finally:
            writing.cancel()
            stream.cancel()
            # A write ends in whatever way the stream ended, of which the read has told; gathered, its end is
            # not taken for the end of this task, nor the other way round.
            await asyncio.gather(writing, return_exceptions=True)

    async def _write(self, stream: Any) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while requests := self._next_requests():
                await stream.write(RelayRequest(requests=requests))

    def _next_requests(self) -> list[EngineRequest]:
        """As many of those that wait as credits and one message allow."""
        requests: list[EngineRequest] = []
        size = 0
        while self._waiting and self._credits > 0 and size < _MOST_BYTES:
            call = self.calls.get(self._waiting.popleft())
            if call is not None:
                call.sent = True
                requests.append(call.request)
                size += call.request.ByteSize()
                self._credits -= 1
        return requests

    def _take_answers(self, response: RelayResponse) -> None:
        for answer in response.answers:
            call = self.calls.pop(answer.call_id, None)
            if call is not None:
                self._on_answer(call, answer)
        if response.credits:
            self.broken = False
            self._credits += response.credits
            self._wake.set()
        if response.draining and not self.draining:
            self.draining = True
            log.info("relay_draining", replica=self.replica.replica)

    def _broke(self) -> None:
        """Hands back what has no answer."""
        self.broken = True
        self._credits = 0
        self._waiting.clear()
        calls = list(self.calls.values())
        self.calls.clear()
        if calls:
            self._on_break(calls)


@contextmanager
def _gone_is_told() -> Iterator[None]:
    """A channel that is closed cancels its calls, and their callers would end without a word."""
    gone = ServiceError(ErrorReason.ERROR_REASON_NO_ENGINE, "the engine is gone")
    try:
        yield
    except grpc.aio.UsageError:
        raise gone from None
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise gone from None
