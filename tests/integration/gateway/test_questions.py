"""What a page asks over HTTP: the rules of a game."""

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from parlor.gateway.config import GatewayConfig
from parlor.gateway.questions import MOST_BYTES
from parlor.serving import App
from tests.integration.gateway.support import Clients, gateway
from tests.integration.rules_api.support import engine

CLASSIFY = "/rules/doudizhu/Classify"


@pytest.fixture
async def door(redis_url: str) -> AsyncIterator[App[GatewayConfig]]:
    """A gateway before an engine that answers questions."""
    async with engine(redis_url, "doudizhu"), gateway(redis_url) as app:
        yield app


class Page:
    """A signed-in page."""

    def __init__(self, http: aiohttp.ClientSession, token: str) -> None:
        self._http = http
        self._token = token

    async def ask(
        self, path: str, question: Any, *, token: str | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Status and answer."""
        body = question if isinstance(question, bytes) else json.dumps(question).encode()
        token = self._token if token is None else token
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with self._http.post(path, data=body, headers=headers) as response:
            assert response.headers["Cache-Control"] == "no-store"
            return response.status, await response.json()


@pytest.fixture
async def page(door: App[GatewayConfig], clients: Clients) -> AsyncIterator[Page]:
    """A guest's."""
    token, _ = await clients.login(door, "Ann")
    async with aiohttp.ClientSession(f"http://{door.http_address}") as http:
        yield Page(http, token)


async def test_a_guest_asks_what_cards_are(page: Page) -> None:
    status, answer = await page.ask(CLASSIFY, {"cards": [0, 13, 26]})
    assert (status, answer["reason"]) == (200, "ERROR_REASON_UNSPECIFIED")
    assert len(answer["readings"]) == 1


@pytest.mark.parametrize(
    ("path", "question", "status", "reason"),
    [
        pytest.param(CLASSIFY, {"cards": [99]}, 400, "BAD_CARD", id="what an engine refuses"),
        pytest.param(CLASSIFY, {"cards": "x"}, 400, "MALFORMED", id="no such message"),
        pytest.param(CLASSIFY, b"\xff{", 400, "MALFORMED", id="no JSON"),
        pytest.param(CLASSIFY, b"[" * 60_000, 400, "MALFORMED", id="nested too deeply"),
        pytest.param(CLASSIFY, b" " * (MOST_BYTES + 1), 413, "TOO_LARGE", id="too large"),
        pytest.param("/rules/doudizhu/Cheat", {}, 400, "MALFORMED", id="no such method"),
        pytest.param("/rules/chess/Classify", {}, 400, "UNKNOWN_KIND", id="no such kind"),
        pytest.param("/rules/planes/Validate", {}, 503, "NO_ENGINE", id="nobody to ask"),
    ],
)
async def test_what_is_no_question_is_refused_with_its_reason(
    page: Page, path: str, question: Any, status: int, reason: str
) -> None:
    answered, refusal = await page.ask(path, question)
    assert (answered, refusal["reason"]) == (status, f"ERROR_REASON_{reason}")


@pytest.mark.parametrize("token", ["", "forged"])
async def test_nobody_asks_without_a_token(page: Page, token: str) -> None:
    status, answer = await page.ask(CLASSIFY, {"cards": [0]}, token=token)
    assert (status, answer["reason"]) == (401, "ERROR_REASON_INVALID_TOKEN")


async def test_questions_count_as_requests_of_their_player(
    redis_url: str, clients: Clients
) -> None:
    limits = {"player_requests_burst": 2, "player_requests_per_s": 0}
    no_engine = {"engine_total_ms": 60, "engine_answer_ms": 50}
    async with gateway(redis_url, **limits, **no_engine) as door:
        token, _ = await clients.login(door, "Ann")
        async with aiohttp.ClientSession(f"http://{door.http_address}") as http:
            page = Page(http, token)
            answers = [await page.ask(CLASSIFY, {}) for _ in range(3)]
            headers = {"Authorization": f"Bearer {token}"}
            async with http.post(CLASSIFY, headers=headers) as response:
                assert int(response.headers["Retry-After"]) >= 1
    assert [status for status, _ in answers] == [503, 503, 429]
