"""A guest's token, where the operator allows guests."""

from dataclasses import dataclass

import aiohttp

from parlor.client.errors import Refused
from parlor.v1.error_reason_pb2 import ErrorReason

_TIMEOUT = aiohttp.ClientTimeout(total=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest:
    """Who a guest is from now on."""

    token: str
    """The JWT; keep it secret."""
    player: str


async def login(url: str, name: str, *, bot: bool = False) -> Guest:
    """Asks the gateway at `url` for a guest's token; raises `Refused` or aiohttp's ClientError."""
    async with (
        aiohttp.ClientSession(timeout=_TIMEOUT) as http,
        http.post(f"{url}/login", json={"name": name, "bot": bot}) as response,
    ):
        if response.status != 200:
            raise await _refusal(response)
        body = await response.json()
    return Guest(token=body["token"], player=body["player"])


async def _refusal(response: aiohttp.ClientResponse) -> Refused:
    """The refusal in a response's body: a `Refusal` as JSON, or anything from a proxy."""
    try:
        body = await response.json()
        reason = ErrorReason.Value(body["reason"])
        return Refused(reason, body.get("message", ""), body.get("metadata", {}))
    except (aiohttp.ContentTypeError, ValueError, KeyError, TypeError):
        message = f"the gateway answered {response.status}"
        return Refused(ErrorReason.ERROR_REASON_INTERNAL, message, {})
