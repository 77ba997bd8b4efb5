"""Requests are sent again until they are answered for good."""

import asyncio
import random

import pytest

from parlor.client.requests import Requests
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.play_pb2 import Accepted, Answer, ClientFrame, Refusal

REFUSALS = 20


class Server:
    """Refuses so many times, then accepts."""

    def __init__(self, refusal: Refusal) -> None:
        self._refusal = refusal
        self._left = REFUSALS
        self.requests = Requests(self._send, random.Random(1))

    async def _send(self, frame: ClientFrame) -> None:
        answer = Answer(request_id="move")
        if self._left:
            self._left -= 1
            answer.refused.CopyFrom(self._refusal)
        else:
            answer.accepted.CopyFrom(Accepted(seq=7))
        self.requests.take(answer)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the client has waited each time, in s; nobody waits for it here."""
    waited: list[float] = []

    async def at_once(delay: float) -> None:
        waited.append(delay)

    monkeypatch.setattr(asyncio, "sleep", at_once)
    return waited


async def test_who_waits_for_a_store_that_is_away_asks_at_least_once_a_second(
    pauses: list[float],
) -> None:
    """Or a move would wait for as long after a failover as the failover took."""
    server = Server(Refusal(reason=ErrorReason.ERROR_REASON_STORE_UNAVAILABLE))
    answer = await server.requests.ask("move", ClientFrame())
    assert answer.accepted.seq == 7
    assert len(pauses) == REFUSALS
    assert pauses[0] < pauses[2] < pauses[4]
    assert max(pauses) <= 1.0


async def test_a_server_that_wants_more_rest_gets_it(pauses: list[float]) -> None:
    refusal = Refusal(reason=ErrorReason.ERROR_REASON_OVERLOADED)
    refusal.metadata["retry_after_ms"] = "5000"
    await Server(refusal).requests.ask("move", ClientFrame())
    assert pauses == [5.0] * REFUSALS
