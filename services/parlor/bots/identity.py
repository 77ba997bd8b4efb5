"""Who bots are: guests of a gateway, or players whose tokens the operator lets us sign."""

import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import jwt

from parlor.client import login
from parlor.serving import BadConfig

_LIFE_S = 86_400


class Identities(Protocol):
    """A source of tokens for new bots."""

    async def token(self, name: str) -> str:
        """The token of a new bot that goes by `name`."""


class Guests:
    """Bots log in as guests, on any of the gateways."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._urls = urls

    async def token(self, name: str) -> str:
        return (await login(secrets.choice(self._urls), name, bot=True)).token


class Signed:
    """Bots have tokens signed here, with a key that the gateways know by its `kid`."""

    def __init__(self, kid: str, key: bytes, clock: Callable[[], float] = time.time) -> None:
        self._kid = kid
        self._key = key
        self._clock = clock

    async def token(self, name: str) -> str:
        claims = {
            "sub": f"bot-{secrets.token_hex(8)}",
            "name": name,
            "bot": True,
            "scope": "match play",
            "exp": int(self._clock() + _LIFE_S),
        }
        return jwt.encode(claims, self._key, algorithm="HS256", headers={"kid": self._kid})


def identities(urls: Sequence[str], token_key: str) -> Identities:
    """The source that the settings name; raises BadConfig for a key that cannot be read."""
    if not token_key:
        return Guests(urls)
    kid, _, source = token_key.partition("=")
    try:
        key = _secret(source)
    except OSError as error:
        raise BadConfig(f"PARLOR_BOTS_TOKEN_KEY: {error}") from None
    if not kid or len(key) < 32:
        raise BadConfig(
            "PARLOR_BOTS_TOKEN_KEY: expected <kid>=<key> with a key of 32 bytes or more"
        )
    return Signed(kid, key)


def _secret(source: str) -> bytes:
    if source.startswith("value:"):
        return source.removeprefix("value:").encode()
    return Path(source).read_bytes().strip()
