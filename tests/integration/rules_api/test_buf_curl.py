"""The calls that the README shows."""

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import pytest
from google.rpc.error_details_pb2 import ErrorInfo

from parlor.engine.advice.service import services_of
from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from tests.integration.gateway.support import Clients
from tests.integration.rules_api.support import engine

BUF = Path(".venv/bin/buf")

# Without buf there is nothing to call with.
pytestmark = pytest.mark.skipif(not BUF.exists(), reason="buf is not installed")

QUESTIONS = {
    "DouDizhuRulesService/Classify": {"cards": [2, 15, 28, 3, 16, 29, 52, 1]},
    "DouDizhuRulesService/ListPlays": {"hand": [0, 13, 26, 39, 2, 3]},
    "JinxianRulesService/Distance": {
        "hand": [0, 1, 2, 12, 13, 14, 15, 16, 17, 19, 19, 23, 24],
        "jing": {"zheng": 4, "fu": 5},
    },
    "PlanesRulesService/Validate": {
        "planes": [
            {"x": 0, "y": 2, "direction": "PLANES_DIRECTION_UP"},
            {"x": 0, "y": 7, "direction": "PLANES_DIRECTION_UP"},
            {"x": 9, "y": 4, "direction": "PLANES_DIRECTION_DOWN"},
        ]
    },
}
SCHEMAS = {
    "by reflection": ("--reflect", "--reflect-protocol", "grpc-v1alpha"),
    "by file": ("--schema", "protos"),
}


async def curl(
    app: App[GatewayConfig], token: str, method: str, data: Any, *schema: str
) -> tuple[Any, str]:
    """The JSON that buf prints, and its complaint."""
    said, complaint = await buf(
        *(*schema, "--header", f"authorization: Bearer {token}", "--data", json.dumps(data)),
        f"http://{app.grpc_address}/parlor.v1.{method}",
    )
    return json.loads(said or "null"), complaint


async def buf(*arguments: str) -> tuple[str, str]:
    """What `buf curl` prints, and its complaint."""
    process = await asyncio.create_subprocess_exec(
        *(str(BUF), "curl", "--protocol", "grpc", "--http2-prior-knowledge", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, complaint = await process.communicate()
    return said.decode(), complaint.decode()


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
async def test_buf_curl_asks_every_game(
    door: App[GatewayConfig], clients: Clients, schema: tuple[str, ...]
) -> None:
    token, _ = await clients.login(door, "Ann")
    answers = {}
    for method, data in QUESTIONS.items():
        answers[method], complaint = await curl(door, token, method, data, *schema)
        assert answers[method], complaint
    shape = answers["DouDizhuRulesService/Classify"]["reading"]["shape"]
    assert shape == "DOU_DIZHU_SHAPE_PLANE_1"
    assert answers["DouDizhuRulesService/ListPlays"]["plays"]
    assert answers["JinxianRulesService/Distance"]["distance"] == 1
    assert len(answers["PlanesRulesService/Validate"]["placements"]) == 3


async def test_buf_curl_shows_why_a_question_was_refused(
    door: App[GatewayConfig], clients: Clients
) -> None:
    token, _ = await clients.login(door, "Ann")
    method, data = "DouDizhuRulesService/Classify", {"cards": [54]}
    _, complaint = await curl(door, token, method, data, *SCHEMAS["by reflection"])
    told = json.loads(complaint)
    assert told["code"] == "invalid_argument"
    [detail] = told["details"]
    assert detail["type"] == ErrorInfo.DESCRIPTOR.full_name
    # buf leaves the padding out.
    info = ErrorInfo.FromString(base64.b64decode(detail["value"] + "=="))
    assert (info.reason, info.domain) == ("BAD_CARD", "parlor")
    assert info.metadata == {"field": "cards[0]"}


@pytest.mark.parametrize("kind", ["doudizhu", "jinxian", "planes"])
async def test_an_engine_tells_of_its_own_rules_service(redis_url: str, kind: str) -> None:
    async with engine(redis_url, kind) as app:
        listed = await buf(
            *SCHEMAS["by reflection"], "--list-services", f"http://{app.grpc_address}"
        )
    [service] = services_of(kind)
    assert service in listed[0].split()
