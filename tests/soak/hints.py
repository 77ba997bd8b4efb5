"""What a page asks when a player wants a hint: the engines' advisers answer it."""

from collections.abc import Mapping
from typing import Any, Final

import aiohttp
from google.protobuf import json_format

from parlor.v1.doudizhu_rules_service_pb2 import DouDizhuRulesServiceAdviseRequest
from parlor.v1.jinxian_rules_service_pb2 import JinxianRulesServiceAdviseRequest
from parlor.v1.planes_rules_service_pb2 import PlanesRulesServiceAdviseRequest
from parlor.wire.catalog import WIRE

_QUESTIONS: Final[Mapping[str, Any]] = {
    "doudizhu": DouDizhuRulesServiceAdviseRequest,
    "jinxian": JinxianRulesServiceAdviseRequest,
    "planes": PlanesRulesServiceAdviseRequest,
}
_TIMEOUT: Final = aiohttp.ClientTimeout(total=10)


async def ask_for_hint(url: str, token: str, kind: str, view: Any) -> str:
    """Asks the gateway at `url` what the seat with this view may do: how it was answered, in a word."""
    question = _QUESTIONS[kind](view=WIRE[kind].view_to(view))
    async with (
        aiohttp.ClientSession(timeout=_TIMEOUT) as http,
        http.post(
            f"{url}/rules/{kind}/Advise",
            data=json_format.MessageToJson(question, indent=None),
            headers={"Authorization": f"Bearer {token}"},
        ) as response,
    ):
        body = await response.json()
    return "hint" if response.status == 200 else f"hint: {body['reason']}"
