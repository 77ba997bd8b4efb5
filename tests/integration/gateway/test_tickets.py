"""Quick matches through the gateway."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import jwt
import pytest
from redis.asyncio import Redis

from parlor.gateway.config import GatewayConfig
from parlor.matchmaking.config import MatchmakingConfig
from parlor.matchmaking.replica import SERVICES, bind
from parlor.serving import App, serving
from parlor.v1 import matchmaking_service_pb2 as pb
from parlor.v1 import play_pb2
from parlor.v1.matchmaking_pb2 import TicketState
from parlor.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub
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

PATIENCE_S = 60.0


@asynccontextmanager
async def _matchmaking(redis_url: str) -> AsyncIterator[App[MatchmakingConfig]]:
    config = MatchmakingConfig(
        redis_url=redis_url, tick_ms=10, look_ms=50, renew_ms=100, fill_after_ms=60_000
    )
    async with serving("matchmaking", config, bind, services=SERVICES) as app:
        yield app


@pytest.fixture
async def hall(redis_url: str, doudizhu: object) -> AsyncIterator[Door]:
    """A gateway with matchmaking behind it."""
    async with (
        _matchmaking(redis_url) as desk,
        gateway(redis_url, matchmaking=(desk.grpc_address,)) as app,
    ):
        yield app


async def _enqueue(client: Client) -> play_pb2.Answer:
    await client.send(enqueue=play_pb2.Enqueue(request_id="enqueue", config=CONFIG))
    return (await client.next("answer")).answer


async def _state(client: Client, state: "TicketState.ValueType") -> str:
    """Waits until the ticket is in this state; gives its room."""
    while True:
        update = (await client.next("ticket")).ticket
        if update.state == state:
            return update.room_id


async def test_three_who_want_to_play_find_themselves_at_one_table(
    hall: Door, clients: Clients
) -> None:
    players = [
        await clients.connect(hall, name, line=line)
        for name, line in zip("ABC", (JsonLine, ProtoLine, GrpcLine), strict=True)
    ]
    for player in players:
        assert (await _enqueue(player)).HasField("accepted")
    rooms = {await _state(player, TicketState.TICKET_STATE_ASSIGNED) for player in players}
    assert len(rooms) == 1
    seats = [(await player.next("view")).view.seat for player in players]
    assert sorted(seats) == [0, 1, 2]


async def test_a_waiting_player_who_comes_back_still_waits(hall: Door, clients: Clients) -> None:
    ann = await clients.connect(hall, "Ann")
    await _enqueue(ann)
    await _state(ann, TicketState.TICKET_STATE_WAITING)
    token, player = ann.token, ann.player
    back = Client(await clients.line(hall), player, token)
    welcome = await back.hello()
    assert welcome.ticket.state == TicketState.TICKET_STATE_WAITING
    await back.send(dequeue=play_pb2.Dequeue(request_id="dequeue"))
    assert await _state(back, TicketState.TICKET_STATE_CANCELLED) == ""


async def test_a_ticket_that_cannot_be_looked_at_during_the_hello_is_followed_all_the_same(
    hall: Door, clients: Clients, redis: Redis
) -> None:
    ann = await clients.connect(hall, "Ann")
    await _enqueue(ann)
    await _state(ann, TicketState.TICKET_STATE_WAITING)
    ticket_id = ann.seen[-1].ticket.ticket_id
    # Matchmaking fails at this one for a while.
    key = KEYS.ticket(ticket_id)
    await redis.rename(key, f"{key}:aside")
    await redis.set(key, "no hash")
    back = Client(await clients.line(hall), ann.player, ann.token)
    assert not (await back.hello()).HasField("ticket")
    await redis.rename(f"{key}:aside", key)
    async with asyncio.timeout(PATIENCE_S):
        again = (await back.next("ticket")).ticket
    assert (again.ticket_id, again.state) == (ticket_id, TicketState.TICKET_STATE_WAITING)


async def test_a_ticket_that_has_ended_is_told_of_in_the_welcome_and_not_before_it(
    hall: Door, clients: Clients, redis: Redis
) -> None:
    ann = await clients.connect(hall, "Ann")
    await _enqueue(ann)
    await _state(ann, TicketState.TICKET_STATE_WAITING)
    await redis.hset(KEYS.ticket(ann.seen[-1].ticket.ticket_id), "state", "cancelled")
    back = Client(await clients.line(hall), ann.player, ann.token)
    assert (await back.hello()).ticket.state == TicketState.TICKET_STATE_CANCELLED
    assert [frame.WhichOneof("frame") for frame in back.seen] == ["welcome"]


async def test_a_seated_player_who_comes_back_waits_again_where_the_others_do_not_come(
    hall: Door, clients: Clients, redis: Redis
) -> None:
    ann, *others = [await clients.connect(hall, name) for name in "ABC"]
    for player in (ann, *others):
        await _enqueue(player)
    room_id = await _state(ann, TicketState.TICKET_STATE_ASSIGNED)
    ticket_id = ann.seen[-1].ticket.ticket_id
    await ann.accepted(room_id, ready=play_pb2.Ready(ready=True))
    back = Client(await clients.line(hall), ann.player, ann.token)
    assert (await back.hello()).room_id == room_id
    # Its time to begin is over.
    due = KEYS.pool(ticket_id.rpartition("-")[0], "due")
    matches: Any = await redis.zrange(due, 0, -1)
    await redis.zadd(due, dict.fromkeys(matches, 0))
    # That the ticket has led to the room is no news: the page would say once more that it is ready.
    async with asyncio.timeout(PATIENCE_S):
        again = (await back.next("ticket")).ticket
    assert (again.ticket_id, again.state) == (ticket_id, TicketState.TICKET_STATE_WAITING)
    await back.send(dequeue=play_pb2.Dequeue(request_id="dequeue"))
    await _state(back, TicketState.TICKET_STATE_CANCELLED)


async def test_who_waits_for_nothing_has_nothing_to_give_back(hall: Door, clients: Clients) -> None:
    ann = await clients.connect(hall, "Ann")
    await ann.send(dequeue=play_pb2.Dequeue(request_id="dequeue"))
    answer = (await ann.next("answer")).answer
    assert (answer.request_id, reason_of(answer.refused)) == ("dequeue", "TICKET_NOT_FOUND")


async def test_who_has_a_seat_already_is_told_that_the_match_is_made(
    hall: Door, clients: Clients
) -> None:
    ann, *others = [await clients.connect(hall, name) for name in "ABC"]
    for player in (ann, *others):
        await _enqueue(player)
    await _state(ann, TicketState.TICKET_STATE_ASSIGNED)
    await ann.send(dequeue=play_pb2.Dequeue(request_id="dequeue"))
    answer = (await ann.next("answer")).answer
    assert (answer.request_id, reason_of(answer.refused)) == ("dequeue", "TICKET_MATCHED")


async def test_a_backend_takes_follows_and_gives_back_tickets_for_its_player(
    hall: Door, clients: Clients
) -> None:
    token, _ = await clients.login(hall, "Ann")
    me = bearer(token)
    stub = MatchmakingServiceStub(clients.channel(hall))
    create = pb.CreateTicketRequest(request_id="1", config=CONFIG)
    ticket = (await stub.CreateTicket(create, metadata=me)).ticket
    assert ticket.state == TicketState.TICKET_STATE_WAITING
    assert (await stub.GetTicket(pb.GetTicketRequest(), metadata=me)).ticket == ticket
    watching: Any = stub.WatchTicket(pb.WatchTicketRequest(), metadata=me)
    states: list[TicketState.ValueType] = []
    async for response in watching:
        if not states:
            await stub.CancelTicket(pb.CancelTicketRequest(request_id="2"), metadata=me)
        states.append(response.ticket.state)
    assert states == [TicketState.TICKET_STATE_WAITING, TicketState.TICKET_STATE_CANCELLED]


async def test_a_party_finds_itself_at_one_table(hall: Door, clients: Clients) -> None:
    """The leader takes the ticket; the others hear of it, and of the room, by themselves."""
    ann = await clients.connect(hall, "Ann", line=JsonLine)
    ben = await clients.connect(hall, "Ben", line=ProtoLine)
    await ann.send(create_party=play_pb2.CreateParty(request_id="party"))
    party = (await ann.next("answer")).answer.party
    assert [member.name for member in party.members] == ["Ann"]
    await ben.send(join_party=play_pb2.JoinParty(request_id="join", code=party.code.lower()))
    assert len((await ben.next("answer")).answer.party.members) == 2
    enqueue = play_pb2.Enqueue(request_id="go", config=CONFIG, party_code=party.code)
    await ann.send(enqueue=enqueue)
    assert (await ann.next("answer")).answer.HasField("accepted")
    cat = await clients.connect(hall, "Cat")
    await _enqueue(cat)
    rooms = {await _state(player, TicketState.TICKET_STATE_ASSIGNED) for player in (ann, ben, cat)}
    assert len(rooms) == 1
    assert (await ben.next("view")).view.HasField("seat")


async def test_a_party_is_there_again_after_a_break(hall: Door, clients: Clients) -> None:
    ann = await clients.connect(hall, "Ann")
    await ann.send(create_party=play_pb2.CreateParty(request_id="party"))
    code = (await ann.next("answer")).answer.party.code
    back = Client(await clients.line(hall), ann.player, ann.token)
    await back.hello()
    assert (await back.next("party")).party.code == code
    await back.send(leave_party=play_pb2.LeaveParty(request_id="leave"))
    assert not (await back.next("answer")).answer.party.code
    await _until_without_a_party(back)


async def test_what_happens_to_the_party_leaves_a_members_own_ticket_alone(
    hall: Door, clients: Clients
) -> None:
    ann, ben, cat = [await clients.connect(hall, name) for name in ("Ann", "Ben", "Cat")]
    await ann.send(create_party=play_pb2.CreateParty(request_id="party"))
    code = (await ann.next("answer")).answer.party.code
    await ben.send(join_party=play_pb2.JoinParty(request_id="join", code=code))
    await ben.next("answer")
    # The party's ticket comes to nothing.
    await ann.send(enqueue=play_pb2.Enqueue(request_id="go", config=CONFIG, party_code=code))
    await _state(ben, TicketState.TICKET_STATE_WAITING)
    await ann.send(dequeue=play_pb2.Dequeue(request_id="stop"))
    await _state(ben, TicketState.TICKET_STATE_CANCELLED)
    await _enqueue(ben)
    await _state(ben, TicketState.TICKET_STATE_WAITING)
    own = ben.seen[-1].ticket.ticket_id
    await cat.send(join_party=play_pb2.JoinParty(request_id="join", code=code))
    while len((await ben.next("party")).party.members) < 3:
        pass
    await ben.send(dequeue=play_pb2.Dequeue(request_id="dequeue"))
    await _state(ben, TicketState.TICKET_STATE_CANCELLED)
    assert ben.seen[-1].ticket.ticket_id == own


async def _until_without_a_party(client: Client) -> None:
    # The party tells of it before the answer does, or after it.
    party = (await client.seen_of("party")).party
    while party.code:
        party = (await client.next("party")).party


async def test_tries_at_the_codes_of_parties_are_limited(
    redis_url: str, doudizhu: object, clients: Clients
) -> None:
    async with (
        _matchmaking(redis_url) as desk,
        gateway(redis_url, matchmaking=(desk.grpc_address,), codes_per_min=2) as hall,
    ):
        eve = await clients.connect(hall, "Eve")
        reasons = []
        for number in range(3):
            join = play_pb2.JoinParty(request_id=str(number), code="AAAAAA")
            await eve.send(join_party=join)
            reasons.append(reason_of((await eve.next("answer")).answer.refused))
        assert reasons == ["PARTY_NOT_FOUND", "PARTY_NOT_FOUND", "TOO_FAST"]


async def test_a_session_asks_why_it_waits(hall: Door, clients: Clients) -> None:
    for line in (JsonLine, ProtoLine):
        ann = await clients.connect(hall, "Ann", line=line)
        await ann.send(explain=play_pb2.Explain(request_id="why"))
        answer = (await ann.next("answer")).answer
        assert reason_of(answer.refused) == "TICKET_NOT_FOUND"
        await _enqueue(ann)
        await ann.send(explain=play_pb2.Explain(request_id="why now"))
        explained = (await ann.next("answer")).answer.explained
        assert (explained.ticket.state, explained.rating) == (
            TicketState.TICKET_STATE_WAITING,
            25.0,
        )


async def test_only_a_backend_states_ratings_and_speaks_for_others(
    redis_url: str, doudizhu: object, clients: Clients
) -> None:
    secret = "0123456789abcdef0123456789abcdef"
    async with (
        _matchmaking(redis_url) as desk,
        gateway(
            redis_url,
            matchmaking=(desk.grpc_address,),
            token_keys=(f"k=HS256:value:{secret}",),
            guests=True,
        ) as hall,
    ):
        token, _ = await clients.login(hall, "Ann")
        stub = MatchmakingServiceStub(clients.channel(hall))
        bob = pb.CreateTicketRequest(request_id="1", config=CONFIG, player="bob", rating=31.0)
        rated = pb.CreateTicketRequest(request_id="1", config=CONFIG, rating=31.0)
        along = pb.CreateTicketRequest(request_id="1", config=CONFIG)
        along.members.add(player="eve")
        for request in (bob, rated, along):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await stub.CreateTicket(request, metadata=bearer(token))
            assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
        claims = {"sub": "backend", "exp": time.time() + 60, "scope": "match open"}
        backend = bearer(jwt.encode(claims, secret, algorithm="HS256", headers={"kid": "k"}))
        ticket = (await stub.CreateTicket(bob, metadata=backend)).ticket
        assert list(ticket.players) == ["bob"]
        why = await stub.ExplainTicket(pb.ExplainTicketRequest(player="bob"), metadata=backend)
        assert why.explanation.rating == 31.0
        many = pb.CreateTicketsRequest(requests=[along, bob])
        many.requests[0].player = "dan"
        results = (await stub.CreateTickets(many, metadata=backend)).results
        assert [list(result.ticket.players) for result in results] == [["dan", "eve"], ["bob"]]
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.CreateTickets(many, metadata=bearer(token))
        assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
        watch = pb.WatchTicketsRequest()
        for result in results:
            ticket = result.ticket
            watch.requests.add(ticket_id=ticket.ticket_id, player=ticket.players[0])
        told = await anext(aiter(stub.WatchTickets(watch, metadata=backend)))
        assert {ticket.ticket_id for ticket in told.tickets} == {
            result.ticket.ticket_id for result in results
        }
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await anext(aiter(stub.WatchTickets(watch, metadata=bearer(token))))
        assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
