"""Whoever may not have the ticket that is asked for is told why, on every transport, and nobody waits."""

import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

import grpc
import jwt
import pytest

from parlor.gateway.config import GatewayConfig
from parlor.matchmaking.config import MatchmakingConfig
from parlor.matchmaking.replica import SERVICES, bind
from parlor.matchmaking.store import QUEUED
from parlor.serving import App, serving
from parlor.serving.errors import from_rpc_error, reason_name
from parlor.serving.redis import Batch
from parlor.v1 import matchmaking_service_pb2 as pb
from parlor.v1 import play_pb2, play_service_pb2
from parlor.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub
from parlor.v1.planes_pb2 import PlanesConfig
from parlor.v1.room_pb2 import GameConfig
from tests.integration.gateway.support import (
    CONFIG,
    KEYS,
    Client,
    Clients,
    GrpcLine,
    JsonLine,
    ProtoLine,
    bearer,
    gateway,
    reason_of,
)

Door = App[GatewayConfig]

PLANES = GameConfig(planes=PlanesConfig())
SECRET = "0123456789abcdef0123456789abcdef"

BAD: Sequence[Any] = [
    pytest.param(
        {"config": PLANES, "party_code": "theirs"}, "PARTY_TOO_LARGE", id="larger than the table"
    ),
    pytest.param({"config": CONFIG, "party_code": "AAAAAA"}, "PARTY_NOT_FOUND", id="forged code"),
    pytest.param({"config": GameConfig()}, "MALFORMED", id="no game"),
    pytest.param({"config": CONFIG, "region": "EU!"}, "MALFORMED", id="no region"),
    pytest.param({"config": CONFIG, "stake": "g" * 17}, "MALFORMED", id="no stake"),
]


@pytest.fixture
async def hall(redis_url: str, doudizhu: object) -> AsyncIterator[Door]:
    """A gateway with matchmaking behind it, and a key for a backend's tokens."""
    config = MatchmakingConfig(redis_url=redis_url, tick_ms=10, fill_after_ms=60_000)
    async with (
        serving("matchmaking", config, bind, services=SERVICES) as desk,
        gateway(
            redis_url,
            matchmaking=(desk.grpc_address,),
            token_keys=(f"k=HS256:value:{SECRET}",),
            guests=True,
        ) as app,
    ):
        yield app


@pytest.mark.parametrize(("asked", "reason"), BAD)
async def test_what_cannot_be_asked_for_is_refused_on_every_transport_and_nobody_waits(
    hall: Door, clients: Clients, batch: Batch, asked: dict[str, Any], reason: str
) -> None:
    for line in (JsonLine, ProtoLine, GrpcLine):
        ann, *others = [await clients.connect(hall, name, line=line) for name in "ABC"]
        fields = asked | {"request_id": "mine"}
        if fields.get("party_code") == "theirs":
            fields["party_code"] = await _party(ann, others)
        await ann.send(enqueue=play_pb2.Enqueue(**fields))
        answer = (await ann.next("answer")).answer
        assert (answer.request_id, reason_of(answer.refused)) == ("mine", reason)
        create = pb.CreateTicketRequest(**fields)
        assert await _refused(hall, clients, create, ann.token) == reason
        await _nobody_waits(batch, ann.player)


async def test_who_has_a_seat_is_told_where(hall: Door, clients: Clients, batch: Batch) -> None:
    ann = await clients.connect(hall, "Ann")
    place = f"room:{(await ann.open_room()).room_id}"
    await ann.send(enqueue=play_pb2.Enqueue(request_id="mine", config=CONFIG))
    refused = (await ann.next("answer")).answer.refused
    assert (reason_of(refused), refused.metadata["place"]) == ("PLAYER_BUSY", place)
    create = pb.CreateTicketRequest(request_id="mine", config=CONFIG)
    assert await _refused(hall, clients, create, ann.token) == "PLAYER_BUSY"
    assert await batch.call("KEYS", KEYS.pools_pattern(QUEUED)) == []
    assert await batch.call("HGET", KEYS.player(ann.player), "place") == place.encode()


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        pytest.param({"rating": -1.0}, "MALFORMED", id="negative rating"),
        pytest.param({"rating": float("nan")}, "MALFORMED", id="rating that is none"),
        pytest.param({"name": "right\u202eto left"}, "MALFORMED", id="name"),
        pytest.param(
            {"members": [{"player": "eve", "name": "\n"}]}, "MALFORMED", id="name of another"
        ),
        pytest.param({"members": [{"player": "{eve}"}]}, "MALFORMED", id="id of another"),
        pytest.param({"members": [{"player": "bob"}]}, "MALFORMED", id="twice"),
        pytest.param(
            {"members": [{"player": f"p{n}"} for n in range(3)]}, "PARTY_TOO_LARGE", id="too many"
        ),
    ],
)
async def test_what_a_backend_may_not_say_of_its_players_is_refused(
    hall: Door, clients: Clients, batch: Batch, fields: dict[str, Any], reason: str
) -> None:
    create = pb.CreateTicketRequest(request_id="1", config=CONFIG, player="bob", **fields)
    assert await _refused(hall, clients, create, _backend()) == reason
    many = pb.CreateTicketsRequest(requests=[create])
    stub = MatchmakingServiceStub(clients.channel(hall))
    (result,) = (await stub.CreateTickets(many, metadata=bearer(_backend()))).results
    assert reason_name(result.refused.reason) == reason
    await _nobody_waits(batch, "bob")


async def test_a_backend_says_by_which_names_its_players_go(hall: Door, clients: Clients) -> None:
    create = pb.CreateTicketRequest(request_id="1", config=CONFIG, player="bob", name="Robert")
    create.members.add(player="eve", name="Evelyn")
    create.members.add(player="auth0|" + "0123456789" * 3)
    stub, me = MatchmakingServiceStub(clients.channel(hall)), bearer(_backend())
    ticket = (await stub.CreateTicket(create, metadata=me)).ticket
    watch = pb.WatchTicketRequest(ticket_id=ticket.ticket_id, player="bob")
    last = [told.ticket async for told in stub.WatchTicket(watch, metadata=me)][-1]
    look = play_service_pb2.GetViewRequest(room_id=last.room_id)
    seen = await clients.stub(hall).GetView(look, metadata=bearer(_token("bob", "play")))
    assert [seat.name for seat in seen.view.seats] == [
        "Robert",
        "Evelyn",
        "auth0|012345678901234567",
    ]


async def _party(leader: Client, others: Sequence[Client]) -> str:
    await leader.send(create_party=play_pb2.CreateParty(request_id="party"))
    code = (await leader.next("answer")).answer.party.code
    for other in others:
        await other.send(join_party=play_pb2.JoinParty(request_id="join", code=code))
        assert (await other.next("answer")).answer.party.code == code
    return code


async def _refused(hall: Door, clients: Clients, create: pb.CreateTicketRequest, token: str) -> str:
    """The reason for which a plain call is refused."""
    stub = MatchmakingServiceStub(clients.channel(hall))
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await stub.CreateTicket(create, metadata=bearer(token))
    return reason_name(from_rpc_error(refused.value).reason)


async def _nobody_waits(batch: Batch, player: str) -> None:
    assert await batch.call("KEYS", KEYS.pools_pattern(QUEUED)) == []
    assert await batch.call("HGET", KEYS.player(player), "place") is None


def _backend() -> str:
    return _token("backend", "match open")


def _token(player: str, scope: str) -> str:
    claims = {"sub": player, "exp": time.time() + 600, "scope": scope}
    return jwt.encode(claims, SECRET, algorithm="HS256", headers={"kid": "k"})
