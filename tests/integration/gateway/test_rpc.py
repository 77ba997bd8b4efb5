"""PlayService's calls, for backends."""

import time
from pathlib import Path
from typing import Any

import grpc
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from parlor.serving.errors import from_rpc_error, reason_name
from parlor.v1 import matchmaking_service_pb2 as matchmaking
from parlor.v1 import play_pb2
from parlor.v1 import play_service_pb2 as play
from parlor.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub
from tests.integration.gateway.support import CONFIG, Clients, bearer, gateway

Door = App[GatewayConfig]

SECRET = "0123456789abcdef0123456789abcdef"


async def _refused(call: Any) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call
    return reason_name(from_rpc_error(error.value).reason)


def _token(key: Any, kid: str, algorithm: str = "HS256", **claims: Any) -> str:
    claims = {"sub": "backend", "exp": time.time() + 60, "scope": "play match open"} | claims
    return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": kid})


async def test_a_player_plays_by_calls_alone(door: Door, clients: Clients) -> None:
    stub = clients.stub(door)
    login = await stub.Login(play.LoginRequest(name="Ann", bot=True))
    me = bearer(login.token)
    open_room = play.OpenRoomRequest(request_id="1", config=CONFIG)
    room = (await stub.OpenRoom(open_room, metadata=me)).room
    assert (await stub.OpenRoom(open_room, metadata=me)).room == room
    found = await stub.FindRoom(play.FindRoomRequest(code=room.code), metadata=me)
    assert found.room_id == room.room_id
    ready = play_pb2.Command(request_id="2", room_id=room.room_id, ready=play_pb2.Ready(ready=True))
    first = await stub.Execute(play.ExecuteRequest(command=ready), metadata=me)
    again = await stub.Execute(play.ExecuteRequest(command=ready), metadata=me)
    assert first == again
    view = (await stub.GetView(play.GetViewRequest(room_id=room.room_id), metadata=me)).view
    assert (view.seat, view.seats[0].bot, view.seats[0].ready) == (0, True, True)


async def test_refusals_are_statuses_with_a_reason(door: Door, clients: Clients) -> None:
    stub = clients.stub(door)
    token, _ = await clients.login(door, "Ann")
    me = bearer(token)
    join = play_pb2.Command(request_id="1", room_id="s1-doudizhu-abcdefgh", join=play_pb2.Join())
    refused = {
        "INVALID_TOKEN": stub.GetView(play.GetViewRequest()),
        "ROOM_NOT_FOUND": stub.Execute(play.ExecuteRequest(command=join), metadata=me),
        "CODE_NOT_FOUND": stub.FindRoom(play.FindRoomRequest(code="000000"), metadata=me),
        "MALFORMED": stub.FindRoom(play.FindRoomRequest(code="x"), metadata=me),
        "SCOPE_MISSING": stub.OpenRoom(
            play.OpenRoomRequest(request_id="1", config=CONFIG, players=["ann"]), metadata=me
        ),
    }
    for reason, call in refused.items():
        assert await _refused(call) == reason
    tickets = MatchmakingServiceStub(clients.channel(door))
    foreign = matchmaking.GetTicketRequest(player="somebody")
    assert await _refused(tickets.GetTicket(foreign, metadata=me)) == "SCOPE_MISSING"
    assert (
        await _refused(tickets.GetTicket(matchmaking.GetTicketRequest(), metadata=me))
        == "NO_ENGINE"
    )


async def test_a_backend_opens_a_room_for_named_players(
    redis_url: str, doudizhu: object, clients: Clients
) -> None:
    async with gateway(redis_url, token_keys=(f"k1=HS256:value:{SECRET}",), guests=True) as door:
        stub = clients.stub(door)
        token, player = await clients.login(door, "Ann")
        request = play.OpenRoomRequest(request_id="1", config=CONFIG, players=["", player])
        backend = bearer(_token(SECRET, "k1"))
        room = (await stub.OpenRoom(request, metadata=backend)).room
        view = await stub.GetView(play.GetViewRequest(room_id=room.room_id), metadata=bearer(token))
        assert (view.view.seat, view.view.seats[0].player) == (1, "")


async def test_keys_rotate_by_kid(redis_url: str, clients: Clients, tmp_path: Path) -> None:
    private = Ed25519PrivateKey.generate()
    path = tmp_path / "issuer.pem"
    path.write_bytes(
        private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    )
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    keys = (f"new=EdDSA:{path}", f"old=HS256:value:{SECRET}")
    async with gateway(redis_url, token_keys=keys) as door:
        stub = clients.stub(door)
        find = play.FindRoomRequest(code="000000")

        async def told(token: str) -> str:
            return await _refused(stub.FindRoom(find, metadata=bearer(token)))

        assert await told(_token(pem, "new", "EdDSA")) == "CODE_NOT_FOUND"
        assert await told(_token(SECRET, "old")) == "CODE_NOT_FOUND"
        forged = {
            "another key": _token(SECRET[::-1], "old"),
            "a kid that is gone": _token(SECRET, "older"),
            "another algorithm": _token(path.read_bytes().hex(), "new"),
            "expired": _token(SECRET, "old", exp=time.time() - 60),
            "without an end": jwt.encode({"sub": "a"}, SECRET, headers={"kid": "old"}),
            "nobody": _token(SECRET, "old", sub=""),
            "a key's tag": _token(SECRET, "old", sub="{s1}"),
            "a name of two lines": _token(SECRET, "old", name="a\nb"),
            "unsigned": jwt.encode({"sub": "a"}, "", algorithm="none", headers={"kid": "old"}),
        }
        for token in forged.values():
            assert await told(token) == "INVALID_TOKEN"
        assert await told(_token(SECRET, "old", scope="match")) == "SCOPE_MISSING"
        # An operator who has keys takes no guests unless that is said.
        assert await _refused(stub.Login(play.LoginRequest(name="Ann"))) == "SCOPE_MISSING"


async def test_two_gateways_take_one_guest(door: Door, clients: Clients, redis_url: str) -> None:
    token, _ = await clients.login(door, "Ann")
    async with gateway(redis_url) as other:
        find = play.FindRoomRequest(code="000000")
        refused = clients.stub(other).FindRoom(find, metadata=bearer(token))
        assert await _refused(refused) == "CODE_NOT_FOUND"


async def test_limits_hold_on_all_gateways_together(redis_url: str, clients: Clients) -> None:
    slow = {"player_requests_per_s": 0, "player_requests_burst": 4}
    async with gateway(redis_url, **slow) as door, gateway(redis_url, **slow) as other:
        token, _ = await clients.login(door, "Ann")
        find = play.FindRoomRequest(code="000000")
        reasons = [
            await _refused(clients.stub(app).FindRoom(find, metadata=bearer(token)))
            for app in (door, other) * 3
        ]
        assert reasons == ["CODE_NOT_FOUND"] * 4 + ["TOO_FAST"] * 2


async def test_players_of_one_address_share_what_it_may_ask(
    redis_url: str, clients: Clients
) -> None:
    few = {"address_requests_per_s": 0, "address_requests_burst": 4}
    async with gateway(redis_url, **few) as door:
        tokens = [(await clients.login(door, name))[0] for name in ("Ann", "Bob", "Cid")]
        find = play.FindRoomRequest(code="000000")
        reasons = [
            await _refused(clients.stub(door).FindRoom(find, metadata=bearer(token)))
            for token in tokens * 2
        ]
        assert reasons == ["CODE_NOT_FOUND"] * 4 + ["TOO_FAST"] * 2


async def test_a_call_waits_no_longer_than_its_caller(redis_url: str, clients: Clients) -> None:
    async with gateway(redis_url) as door:
        token, _ = await clients.login(door, "Ann")
        view = play.GetViewRequest(room_id="s1-doudizhu-abcdefgh")
        call = clients.stub(door).GetView(view, metadata=bearer(token), timeout=0.2)
        assert await _refused(call) in ("NO_ENGINE", "TIMEOUT")
