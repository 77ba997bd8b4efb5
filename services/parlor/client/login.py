"""A guest's token, where the operator allows guests."""

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import aiohttp

from parlor.client.errors import Refused
from parlor.client.requests import PASSING, retry_after_ms
from parlor.v1.error_reason_pb2 import ErrorReason

_TIMEOUT = aiohttp.ClientTimeout(total=5)
_SHORTEST_PAUSE_S: Final = 0.05
_LONGEST_PAUSE_S: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest:
    """Who a guest is from now on."""

    token: str
    """The JWT; keep it secret."""
    player: str


async def login(url: str, name: str, *, bot: bool = False) -> Guest:
    """Asks the gateway at `url` for a guest's token.

    Raises `Refused`, or aiohttp's ClientError or an OSError where the gateway is away.
    """
    async with (
        aiohttp.ClientSession(timeout=_TIMEOUT) as http,
        http.post(f"{url}/login", json={"name": name, "bot": bot}) as response,
    ):
        if response.status != 200:
            raise await _refusal(response)
        body = await response.json()
    return Guest(token=body["token"], player=body["player"])


async def login_at_any(
    urls: Sequence[str],
    name: str,
    *,
    bot: bool = False,
    first: int = 0,
    chance: random.Random,
    within_s: float = 10.0,
) -> tuple[int, Guest]:
    """The index of a gateway that gave a guest's token, and the guest.

    Asks the one at `first`, then the others in turn with growing pauses while they are away or
    refuse for the moment. Raises as `login` what the last one said once `within_s` have passed.
    """
    until, pause_s, index = time.monotonic() + within_s, _SHORTEST_PAUSE_S, first
    while True:
        try:
            return index, await login(urls[index], name, bot=bot)
        except Refused as refused:
            wait_s = retry_after_ms(refused) / 1000
            if refused.reason not in PASSING or time.monotonic() + wait_s > until:
                raise
        except (aiohttp.ClientError, OSError):
            wait_s = 0.0
            if time.monotonic() > until:
                raise
        await asyncio.sleep(max(wait_s, pause_s * chance.uniform(0.5, 1)))
        pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)
        index = (index + 1) % len(urls)


async def _refusal(response: aiohttp.ClientResponse) -> Refused:
    """The refusal in a response's body: a `Refusal` as JSON, or anything from a proxy."""
    try:
        body = await response.json()
        reason = ErrorReason.Value(body["reason"])
        return Refused(reason, body.get("message", ""), body.get("metadata", {}))
    except (aiohttp.ContentTypeError, ValueError, KeyError, TypeError):
        message = f"the gateway answered {response.status}"
        return Refused(ErrorReason.ERROR_REASON_INTERNAL, message, {})
