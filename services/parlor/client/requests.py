"""Requests until they are answered: sent again by each new connection, and after refusals that may
not last.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from typing import Final

from parlor.client.errors import Refused
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.play_pb2 import Answer, ClientFrame, Refusal

MOST: Final = 8
"""How many requests may be unanswered; the server would refuse more."""

ANSWER_S: Final = 30.0
"""How long a request may take in all."""

_SHORTEST_PAUSE_S: Final = 0.05
_LONGEST_PAUSE_S: Final = 1.0
"""The connection stands, so what is away is behind the gateway and may be back any moment: a player would wait for as
long again as it was away. A server that wants more rest says so."""

PASSING: Final = frozenset(
    {
        ErrorReason.ERROR_REASON_TOO_FAST,
        ErrorReason.ERROR_REASON_OVERLOADED,
        ErrorReason.ERROR_REASON_DRAINING,
        ErrorReason.ERROR_REASON_NO_ENGINE,
        ErrorReason.ERROR_REASON_STORE_UNAVAILABLE,
        ErrorReason.ERROR_REASON_COMMIT_UNCONFIRMED,
        ErrorReason.ERROR_REASON_CONFLICT,
        ErrorReason.ERROR_REASON_TIMEOUT,
    }
)
"""Refusals after which the same is asked again: it may do better, or was carried out already."""


@dataclass(slots=True, eq=False)
class _Request:
    request_id: str
    frame: ClientFrame
    is_repeat: bool = False
    """Whether it may have been carried out before, and the answer was lost."""
    answer: "asyncio.Future[Answer]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class Requests:
    """The requests of one session."""

    def __init__(
        self, send: Callable[[ClientFrame], Awaitable[None]], chance: random.Random
    ) -> None:
        self._send = send
        self._chance = chance
        self._unanswered: list[_Request] = []
        self._slots = asyncio.Semaphore(MOST)
        self._over: Exception | None = None

    def repeated(self) -> tuple[ClientFrame, ...]:
        """What a new connection has to send again, in order."""
        for request in self._unanswered:
            request.is_repeat = True
        return tuple(request.frame for request in self._unanswered)

    async def ask(
        self,
        request_id: str,
        frame: ClientFrame,
        *,
        done: "Collection[ErrorReason.ValueType]" = (),
    ) -> Answer:
        """The answer to a request.

        A repeat that is refused for a reason in `done` finds done what was asked for: the answer
        that said so was lost, and an empty one takes its place.

        Raises `Refused`, SessionOver, or TimeoutError: then nobody knows whether it was carried
        out, and the same request id may be used to ask. One id may be asked twice at once.
        """
        pause_s, is_repeat = _SHORTEST_PAUSE_S, False
        async with self._slots, asyncio.timeout(ANSWER_S):
            while True:
                request = _Request(request_id, frame, is_repeat)
                answer = await self._once(request)
                if not answer.HasField("refused"):
                    return answer
                if request.is_repeat and answer.refused.reason in done:
                    return Answer(request_id=request_id)
                if answer.refused.reason not in PASSING:
                    raise Refused.of(answer.refused)
                # Some of these say only that nobody knows.
                is_repeat = True
                wait_s = retry_after_ms(answer.refused) / 1000
                await asyncio.sleep(max(wait_s, pause_s * self._chance.uniform(0.5, 1)))
                pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)

    def take(self, answer: Answer) -> None:
        """The oldest request with the answer's id has it."""
        for request in self._unanswered:
            if request.request_id == answer.request_id and not request.answer.done():
                request.answer.set_result(answer)
                return

    def end(self, error: Exception) -> None:
        """Nothing will be answered any more."""
        self._over = error
        for request in self._unanswered:
            if not request.answer.done():
                request.answer.set_exception(error)

    async def _once(self, request: _Request) -> Answer:
        if self._over is not None:
            raise self._over
        self._unanswered.append(request)
        try:
            await self._send(request.frame)
            return await request.answer
        finally:
            self._unanswered.remove(request)


def retry_after_ms(refusal: Refusal | Refused) -> int:
    """How long the server asks to wait; 0 where it does not say."""
    text = refusal.metadata.get("retry_after_ms", "")
    return int(text) if text.isdecimal() else 0
