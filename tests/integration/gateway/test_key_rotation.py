"""Keys change while people play, by the steps of docs/operations.md: no game ends, and an old key opens nothing."""

import time
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from redis.asyncio import Redis

from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from parlor.v1.play_pb2 import GoodbyeReason
from tests.integration.gateway.support import Client, Clients, JsonLine, gateway, reason_of, said


class Issuer:
    """Whoever signs with one key; the gateways have its public half."""

    def __init__(self, kid: str, folder: Path) -> None:
        self._kid = kid
        self._key = Ed25519PrivateKey.generate()
        path = folder / f"{kid}.pub.pem"
        public = self._key.public_key()
        path.write_bytes(public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
        self.setting = f"{kid}=EdDSA:{path}"

    def token(self, player: str) -> str:
        """A token of the player, for all that people do."""
        claims = {"sub": player, "name": player, "scope": "play match", "exp": time.time() + 600}
        return jwt.encode(claims, self._key, algorithm="EdDSA", headers={"kid": self._kid})


@pytest.fixture
def old(tmp_path: Path) -> Issuer:
    return Issuer("2026", tmp_path)


@pytest.fixture
def new(tmp_path: Path) -> Issuer:
    return Issuer("2027", tmp_path)


async def entered(app: App[GatewayConfig], clients: Clients, token: str) -> Client:
    client = Client(await clients.line(app, JsonLine), token=token)
    await client.hello()
    return client


async def refusal(app: App[GatewayConfig], clients: Clients, token: str) -> str:
    """Why a token opens no session."""
    client = Client(await clients.line(app, JsonLine), token=token)
    await client.send(hello={"token": token, "protocol": 1})
    goodbye = (await client.next("goodbye")).goodbye
    assert goodbye.reason == GoodbyeReason.GOODBYE_REASON_REFUSED
    return reason_of(goodbye.refusal)


async def test_a_key_is_replaced_while_its_players_go_on(
    redis_url: str, doudizhu: object, clients: Clients, old: Issuer, new: Issuer
) -> None:
    ann_then, ann_now = old.token("ann"), new.token("ann")
    async with gateway(redis_url, token_keys=(old.setting,)) as app:
        ann = await entered(app, clients, ann_then)
        room = await ann.open_room()
        assert await refusal(app, clients, ann_now) == "INVALID_TOKEN"
    # 1. Both are accepted; players come back with what they have.
    async with gateway(redis_url, token_keys=(old.setting, new.setting)) as app:
        ann = await entered(app, clients, ann_then)
        assert (await ann.next("view")).view.room_id == room.room_id
        # 2. Whoever signs uses the new one.
        ann = await entered(app, clients, ann_now)
        assert (await ann.next("view")).view.seat == 0
    # 3. The old one is taken off the list.
    async with gateway(redis_url, token_keys=(new.setting,)) as app:
        assert await refusal(app, clients, ann_then) == "INVALID_TOKEN"
        ann = await entered(app, clients, ann_now)
        await ann.next("view")
        await said(ann, room.room_id, "still here")


async def test_a_new_secret_of_the_guests_makes_them_log_in_again(
    redis_url: str, doudizhu: object, clients: Clients, redis: Redis
) -> None:
    async with gateway(redis_url) as app:
        token, _ = await clients.login(app, "Ann")
    async with gateway(redis_url) as app:
        await entered(app, clients, token)
    assert await redis.delete("gateway:guest-key") == 1
    async with gateway(redis_url) as app:
        assert await refusal(app, clients, token) == "INVALID_TOKEN"
        token, _ = await clients.login(app, "Ann")
        await entered(app, clients, token)
