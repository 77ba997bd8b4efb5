"""The way in to the rules API: bytes come and bytes go, so that no view is decoded on the event loop."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

import grpc
import structlog

from parlor.engine.advice import metrics
from parlor.engine.advice.advisers import Advisers
from parlor.engine.advice.questions import Outcome, Questions, questions_of
from parlor.serving import ServiceError
from parlor.serving.errors import reason_name, reason_named
from parlor.v1.error_reason_pb2 import ErrorReason

log = structlog.get_logger(__name__)

Context = grpc.aio.ServicerContext[bytes, bytes]

MOST_BYTES: Final = 64 * 1024
"""Of a request: several times the longest game's view."""
MOST_QUICK_BYTES: Final = 4 * 1024
"""Of a request that is decoded on the event loop."""


def services_of(kind: str) -> tuple[str, ...]:
    """The full name of the kind's rules service, for health and reflection; none where it has none."""
    questions = questions_of(kind)
    return () if questions is None else (questions.service,)


def add_rules_service(
    server: grpc.aio.Server, kind: str, advisers: Advisers, draining: asyncio.Event
) -> None:
    """Serves the kind's questions, where it has any."""
    questions = questions_of(kind)
    if questions is None:
        return
    asked = _Asked(kind, questions, advisers, draining)
    # Without a serializer bytes are taken and given as they are.
    handlers: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
        method: grpc.unary_unary_rpc_method_handler(asked.handler(method))
        for method in questions.methods
    }
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(questions.service, handlers),)
    )


class _Asked:
    """The questions of one service as they are asked over gRPC."""

    def __init__(
        self, kind: str, questions: Questions, advisers: Advisers, draining: asyncio.Event
    ) -> None:
        self._kind = kind
        self._questions = questions
        self._advisers = advisers
        self._draining = draining

    def handler(self, method: str) -> Callable[[bytes, Context], Awaitable[bytes]]:
        """What answers one method; raises ServiceError."""

        async def answer(payload: bytes, context: Context) -> bytes:
            began, outcome = time.perf_counter(), "answered"
            try:
                return await self._answer(method, payload, context)
            except ServiceError as error:
                outcome = reason_name(error.reason)
                raise
            except Exception:
                outcome = "INTERNAL"
                raise
            finally:
                metrics.ANSWERS.labels(self._kind, method, outcome).inc()
                elapsed = time.perf_counter() - began
                metrics.SECONDS.labels(self._kind, method).observe(elapsed)

        return answer

    async def _answer(self, method: str, payload: bytes, context: Context) -> bytes:
        is_quick = self._questions.methods[method].is_quick
        most = MOST_QUICK_BYTES if is_quick else MOST_BYTES
        if len(payload) > most:
            raise ServiceError(
                ErrorReason.ERROR_REASON_TOO_LARGE, f"at most {most} bytes", most=str(most)
            )
        if is_quick:
            return self._opened(method, self._questions.answered(method, payload))
        if self._draining.is_set():
            raise ServiceError(ErrorReason.ERROR_REASON_DRAINING, "this engine is stopping")
        # The stubs say float.
        left: Any = context.time_remaining()
        outcome = await self._advisers.ask(method, payload, within_s=left)
        return self._opened(method, outcome)

    def _opened(self, method: str, outcome: Outcome) -> bytes:
        """The answer; raises ServiceError for a refusal."""
        refusal = outcome.refusal
        if refusal is None:
            return outcome.payload
        if refusal.cause:
            log.warning("view_not_understood", kind=self._kind, method=method, error=refusal.cause)
        metadata = {"field": refusal.field} if refusal.field else {}
        raise ServiceError(reason_named(refusal.reason), refusal.message, **metadata)
