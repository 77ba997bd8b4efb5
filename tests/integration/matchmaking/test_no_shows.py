"""Matched players who do not come, and bots that are asked for in their place."""

import asyncio

import grpc

from parlor.matchmaking.tickets import pool_of
from parlor.serving.invitations import Invitations
from parlor.serving.keys import Keys
from parlor.serving.players import Move, Players
from parlor.serving.redis import Batch
from parlor.v1.engine_service_pb2 import CallRequest, EngineRequest, Player
from parlor.v1.engine_service_pb2_grpc import EngineServiceStub
from parlor.v1.planes_pb2 import PlanesConfig
from parlor.v1.play_pb2 import Command, Join, Ready, ServerFrame
from parlor.v1.room_pb2 import GameConfig
from tests.conftest import Eventually
from tests.integration.matchmaking.support import (
    ASSIGNED,
    CANCELLED,
    WAITING,
    engine,
    matchmaking,
)

KEYS = Keys()
PLANES = GameConfig(planes=PlanesConfig())
CONNECT_MS = 3_000
"""Long enough for who is to come, on a machine that stands still for a moment."""
SOON = {"connect_ms": CONNECT_MS}


async def test_who_came_goes_back_to_the_front_of_the_queue(
    redis_url: str, batch: Batch, eventually: Eventually
) -> None:
    async with (
        engine(redis_url, "planes", connect_ms=CONNECT_MS) as app,
        matchmaking(redis_url, **SOON) as desk,
    ):
        ada, bob = [(await desk.create(name, PLANES)) for name in ("ada", "bob")]
        room_id = (await desk.until("ada", ASSIGNED, ada.ticket_id)).room_id
        await _command(app.grpc_address, "ada", room_id, ready=Ready(ready=True))
        again = await desk.until("ada", WAITING, ada.ticket_id)
        assert again.create_time == ada.create_time
        players = Players(batch, KEYS)
        assert await players.place("ada") == f"ticket:{ada.ticket_id}"
        assert await players.place("bob") == ""
        assert (await desk.get("bob", bob.ticket_id)).state == CANCELLED
        assert not await batch.call("EXISTS", KEYS.room(room_id))
        end = await desk.play("cyd", PLANES)
        assert end.state == ASSIGNED
        assert (await desk.until("ada", ASSIGNED, ada.ticket_id)).room_id == end.room_id != room_id


async def test_nobody_came_and_nobody_waits(redis_url: str, batch: Batch) -> None:
    async with (
        engine(redis_url, "planes", connect_ms=CONNECT_MS),
        matchmaking(redis_url, **SOON) as desk,
    ):
        tickets = {name: await desk.create(name, PLANES) for name in ("ada", "bob")}
        for name, ticket in tickets.items():
            assert (await desk.updates(name, ticket.ticket_id, until_begun=True))[
                -1
            ].state == CANCELLED
            assert await Players(batch, KEYS).place(name) == ""


async def test_a_match_that_has_begun_is_left_alone(redis_url: str, batch: Batch) -> None:
    async with (
        engine(redis_url, "planes", connect_ms=CONNECT_MS) as app,
        matchmaking(redis_url, **SOON) as desk,
    ):
        tickets = {name: await desk.create(name, PLANES) for name in ("ada", "bob")}
        room_id = (await desk.until("ada", ASSIGNED, tickets["ada"].ticket_id)).room_id
        for name in tickets:
            await _command(app.grpc_address, name, room_id, ready=Ready(ready=True))
        # The stream ends when nothing can become of the ticket any more.
        updates = await desk.updates("ada", tickets["ada"].ticket_id, until_begun=True)
        assert updates[-1].state == ASSIGNED
        assert await Players(batch, KEYS).place("ada") == f"room:{room_id}"
        assert await batch.call("EXISTS", KEYS.room(room_id))


async def test_bots_are_asked_for_where_people_do_not_suffice(redis_url: str, batch: Batch) -> None:
    invitations = Invitations(batch, KEYS)
    async with (
        engine(redis_url) as app,
        matchmaking(redis_url, fill_after_ms=50, look_ms=20) as desk,
    ):
        # Bots are there, for as long as it takes.
        await batch.call("SET", KEYS.bots_here(), "")
        end = await desk.play("ada")
        assert end.state == ASSIGNED
        async with asyncio.timeout(60):
            while not (invited := await invitations.take(8)):
                pass
        assert {invitation.room_id for invitation in invited} == {end.room_id}
        assert len(invited) == 2
        # The link lets a bot in, and nothing else does.
        stranger = await _command(app.grpc_address, "eve", end.room_id, join=Join())
        assert stranger.answer.HasField("refused")
        for number, invitation in enumerate(invited):
            join = Join(link_token=invitation.link_token)
            seated = await _command(
                app.grpc_address, f"bot{number}", end.room_id, bot=True, join=join
            )
            assert seated.answer.HasField("accepted")


async def test_without_bots_a_pool_is_filled_by_nobody(redis_url: str) -> None:
    async with engine(redis_url), matchmaking(redis_url, fill_after_ms=0) as desk:
        lonely = await desk.create("ada")
        ends = await asyncio.gather(desk.play("bob"), desk.play("cyd"))
        assert {end.state for end in ends} == {ASSIGNED}
        assert (await desk.get("ada", lonely.ticket_id)).state == ASSIGNED


async def test_a_bot_is_asked_to_take_the_seat_of_who_did_not_come(
    redis_url: str, batch: Batch
) -> None:
    invitations = Invitations(batch, KEYS)
    async with (
        engine(redis_url, "planes", connect_ms=CONNECT_MS) as app,
        matchmaking(redis_url, fill_after_ms=600_000, **SOON) as desk,
    ):
        tickets = {name: await desk.create(name, PLANES) for name in ("ada", "bob")}
        room_id = (await desk.until("ada", ASSIGNED, tickets["ada"].ticket_id)).room_id
        await _command(app.grpc_address, "ada", room_id, ready=Ready(ready=True))
        async with asyncio.timeout(60):
            while not (invited := await invitations.take(8)):
                pass
        (invitation,) = invited
        join = Join(link_token=invitation.link_token)
        await _command(app.grpc_address, "bot", room_id, bot=True, join=join)
        await _command(app.grpc_address, "bot", room_id, bot=True, ready=Ready(ready=True))
        updates = await desk.updates("ada", tickets["ada"].ticket_id, until_begun=True)
        assert (updates[-1].state, updates[-1].room_id) == (ASSIGNED, room_id)


async def test_who_asks_again_while_the_table_is_dissolved_still_has_one_ticket(
    redis_url: str, batch: Batch
) -> None:
    async with engine(redis_url, "planes") as app, matchmaking(redis_url) as desk:
        ada, bob = [(await desk.create(name, PLANES)) for name in ("ada", "bob")]
        room_id = (await desk.until("ada", ASSIGNED, ada.ticket_id)).room_id
        await _command(app.grpc_address, "ada", room_id, ready=Ready(ready=True))
        # So far has a slow replica got: the ticket enters the queue right after.
        back = Move("ada", f"room:{room_id}", f"ticket:{ada.ticket_id}")
        assert await Players(batch, KEYS).move(back) == [back.to]
        assert (await desk.create("ada", PLANES, request_id="2")).ticket_id == ada.ticket_id
        await _be_due(batch, ada.ticket_id)
        assert (await desk.until("ada", WAITING, ada.ticket_id)).ahead == 0
        assert (await desk.get("ada")).ticket_id == ada.ticket_id
        assert await batch.call("ZCARD", KEYS.pool(pool_of(ada.ticket_id), "waiting")) == 1
        assert (await desk.get("bob", bob.ticket_id)).state == CANCELLED


async def test_a_party_that_asks_again_while_its_table_is_dissolved_still_has_one_ticket(
    redis_url: str, batch: Batch
) -> None:
    async with engine(redis_url), matchmaking(redis_url) as desk:
        code = await desk.gather("ada", "bob")
        ticket = await desk.create("ada", party_code=code)
        room_id = (await desk.play("cyd")).room_id
        for name in ("ada", "bob"):
            back = Move(name, f"room:{room_id}", f"ticket:{ticket.ticket_id}")
            assert await Players(batch, KEYS).move(back) == [back.to]
        again = await desk.create("ada", party_code=code, request_id="2")
        assert again.ticket_id == ticket.ticket_id


async def test_of_a_party_that_comes_apart_as_its_table_is_dissolved_nobody_is_held(
    redis_url: str, batch: Batch
) -> None:
    players = Players(batch, KEYS)
    async with engine(redis_url) as app, matchmaking(redis_url) as desk:
        code = await desk.gather("ada", "bob")
        ticket = await desk.create("ada", party_code=code)
        room_id = (await desk.play("cyd")).room_id
        for name in ("ada", "bob"):
            await _command(app.grpc_address, name, room_id, ready=Ready(ready=True))
        # They were there when the replica looked; before it closes the room, one is elsewhere.
        await players.move(Move("ada", f"room:{room_id}", "room:s1-doudizhu-abcdef"))
        await _be_due(batch, ticket.ticket_id)
        await desk.until("bob", CANCELLED, ticket.ticket_id)
        assert await players.place("bob") == ""
        assert await players.place("ada") == "room:s1-doudizhu-abcdef"


async def _be_due(batch: Batch, ticket: str) -> None:
    """The ticket's match, the only one of its pool, has had its time to begin."""
    due = KEYS.pool(pool_of(ticket), "due")
    (match,) = await batch.call("ZRANGE", due, 0, -1)
    await batch.call("ZADD", due, "XX", 0, match)


async def _command(
    address: str, player: str, room_id: str, *, bot: bool = False, **command: object
) -> ServerFrame:
    """What the engine answers to a player's command."""
    who = Player(player=player, name=player.title(), bot=bot)
    asked = Command(request_id=f"{player}-{next(iter(command))}", room_id=room_id, **command)  # type: ignore[arg-type]
    async with grpc.aio.insecure_channel(address) as channel:
        request = CallRequest(request=EngineRequest(call_id=1, player=who, command=asked))
        response = await EngineServiceStub(channel).Call(request)
    return ServerFrame.FromString(response.answer.frame)
