"""A late person takes the seat of a bot at a running game, where matchmaking has found nobody else."""

import asyncio
import enum
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import grpc
import msgspec
import pytest

from parlor.engine.config import EngineConfig
from parlor.matchmaking.engines import Engines
from parlor.matchmaking.mirror import Mirror
from parlor.matchmaking.places import Places
from parlor.matchmaking.pools import Pool, pool_for
from parlor.matchmaking.queue import Match
from parlor.matchmaking.store import PoolStore
from parlor.matchmaking.tickets import Offer
from parlor.serving import App
from parlor.serving.channels import Channels
from parlor.serving.keys import Keys
from parlor.serving.players import Players
from parlor.serving.redis import Batch
from parlor.v1.engine_service_pb2 import (
    AttendanceRequest,
    AttendanceResponse,
    CallRequest,
    EngineRequest,
    Player,
    Presence,
)
from parlor.v1.engine_service_pb2_grpc import EngineServiceStub
from parlor.v1.planes_pb2 import PlanesConfig
from parlor.v1.play_pb2 import Command, Join, Leave, Ready, ServerFrame
from parlor.v1.room_pb2 import GameConfig
from tests.conftest import Eventually
from tests.integration.matchmaking.support import (
    ASSIGNED,
    PATIENCE_S,
    Desk,
    engine,
    matchmaking,
    once_alive,
)

KEYS = Keys()
PLANES = GameConfig(planes=PlanesConfig())
POOL: Pool = pool_for(PLANES)
BOTS_SOON: dict[str, Any] = {"fill_after_ms": 0, "look_ms": 20}


@dataclass(frozen=True, slots=True)
class Tables:
    """The engine's rooms, and bots that are always there to be asked."""

    app: App[EngineConfig]
    batch: Batch

    async def begun(self, room_id: str, person: str, bot: str) -> None:
        """A bot sits down with the person in the room that was matched for it, and they play."""
        await self._ask(person, presence=Presence(room_id=room_id, connection=1, online=True))
        async with asyncio.timeout(PATIENCE_S):
            # Bots are asked right after the person was told.
            while (invited := await self.batch.call("LPOP", KEYS.invitations())) is None:
                pass
        room, _, token = invited.decode().split(" ")
        assert room == room_id
        await self.command(bot, room_id, bot=True, join=Join(link_token=token))
        for name in (person, bot):
            answer = await self.command(name, room_id, ready=Ready(ready=True))
            assert answer.answer.HasField("accepted")
        assert (await self.attendance(room_id)).playing

    async def command(
        self, player: str, room_id: str, *, bot: bool = False, **command: Any
    ) -> ServerFrame:
        asked = Command(request_id=f"{player}-{next(iter(command))}", room_id=room_id, **command)
        return await self._ask(player, bot=bot, command=asked)

    async def attendance(self, room_id: str) -> AttendanceResponse:
        async with grpc.aio.insecure_channel(self.app.grpc_address) as channel:
            request = AttendanceRequest(room_id=room_id)
            return await EngineServiceStub(channel).Attendance(request)

    async def names(self, room_id: str) -> list[str]:
        return [seat.player for seat in (await self.attendance(room_id)).seats]

    async def rooms(self) -> int:
        return len(await self.batch.call("KEYS", "*:room:*"))

    async def _ask(self, player: str, *, bot: bool = False, **request: Any) -> ServerFrame:
        who = Player(player=player, name=player.title(), bot=bot)
        async with grpc.aio.insecure_channel(self.app.grpc_address) as channel:
            asked = CallRequest(request=EngineRequest(call_id=1, player=who, **request))
            answer = (await EngineServiceStub(channel).Call(asked)).answer
        assert not answer.HasField("refused"), answer
        return ServerFrame.FromString(answer.frame)


@asynccontextmanager
async def parlor(
    redis_url: str, batch: Batch, **settings: Any
) -> AsyncIterator[tuple[Desk, Tables]]:
    """Matchmaking that fills tables with bots at once, and an engine."""
    await batch.call("SET", KEYS.bots_here(), "")
    async with (
        engine(redis_url, "planes") as app,
        matchmaking(redis_url, **(BOTS_SOON | settings)) as desk,
    ):
        yield desk, Tables(app, batch)


async def with_a_bot(desk: Desk, tables: Tables, person: str = "ada") -> str:
    """The room in which the person plays with a bot."""
    room_id = (await desk.play(person, PLANES)).room_id
    await tables.begun(room_id, person, f"bot-of-{person}")
    return room_id


async def test_who_comes_late_plays_with_a_person_instead_of_a_bot(
    redis_url: str, batch: Batch
) -> None:
    async with parlor(redis_url, batch) as (desk, tables):
        room_id = await with_a_bot(desk, tables)
        end = await desk.play("eve", PLANES)
        assert (end.state, end.room_id) == (ASSIGNED, room_id)
        assert sorted(await tables.names(room_id)) == ["ada", "eve"]
        players = Players(batch, KEYS)
        assert await players.place("eve") == f"room:{room_id}"
        assert await players.place("bot-of-ada") == ""
        assert await tables.rooms() == 1
        # No bot is left there: the next one gets a table of their own.
        assert (await desk.play("fay", PLANES)).room_id != room_id


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"backfill_ms": None}, id="switched off"),
        pytest.param({"window": ("0:3",)}, id="too far apart"),
    ],
)
async def test_where_no_offer_suits_there_is_a_table_with_bots(
    redis_url: str, batch: Batch, settings: dict[str, Any]
) -> None:
    async with parlor(redis_url, batch, **settings) as (desk, tables):
        room_id = await with_a_bot(desk, tables)
        end = await desk.play("eve", PLANES, rating=40.0)
        assert end.state == ASSIGNED
        assert end.room_id != room_id
        assert await tables.names(room_id) == ["ada", "bot-of-ada"]


async def test_a_table_that_its_people_have_left_is_offered_to_nobody(
    redis_url: str, batch: Batch
) -> None:
    async with parlor(redis_url, batch) as (desk, tables):
        room_id = await with_a_bot(desk, tables)
        await tables.command("ada", room_id, leave=Leave())
        for name in ("ada", "eve"):
            end = await desk.play(name, PLANES, request_id="again")
            assert end.state == ASSIGNED
            assert end.room_id != room_id


class Died(enum.Enum):
    """After what the replica died that took an offer up."""

    RECORDED = "the offer is recorded"
    PLACED = "the player's place is the room's"
    SEATED = "the bot has given way"


@pytest.mark.parametrize("died", Died)
async def test_what_a_dead_replica_left_is_finished(
    redis_url: str, batch: Batch, died: Died
) -> None:
    async with parlor(redis_url, batch) as (desk, tables):
        room_id = await with_a_bot(desk, tables)
    async with engine(redis_url, "planes") as app:
        tables = Tables(app, batch)
        ticket = await _die(redis_url, batch, died)
        async with matchmaking(redis_url) as desk:
            end = (await desk.updates("eve", ticket))[-1]
        assert (end.state, end.room_id) == (ASSIGNED, room_id)
        assert sorted(await tables.names(room_id)) == ["ada", "eve"]
        assert await Players(batch, KEYS).place("eve") == f"room:{room_id}"
        assert await tables.rooms() == 1


async def test_a_seat_that_another_has_taken_meanwhile_leads_to_a_table_with_bots(
    redis_url: str, batch: Batch, eventually: Eventually
) -> None:
    async with parlor(redis_url, batch) as (desk, tables):
        room_id = await with_a_bot(desk, tables)
    async with engine(redis_url, "planes") as app:
        tables = Tables(app, batch)
        ticket = await _die(redis_url, batch, Died.RECORDED)
        (offer,) = await _offers(batch)
        joined = await tables.command("gus", room_id, join=Join(link_token=offer.link_token))
        assert joined.answer.HasField("accepted")
        async with matchmaking(redis_url) as desk:
            end = (await desk.updates("eve", ticket))[-1]

            async def is_offered() -> bool:
                # After the player was told.
                return [offer.room_id for offer in await _offers(batch)] == [end.room_id]

            await eventually(is_offered)
        assert end.state == ASSIGNED
        assert sorted(await tables.names(room_id)) == ["ada", "gus"]
        assert (await tables.names(end.room_id))[0] == "eve"
        assert await Players(batch, KEYS).place("eve") == f"room:{end.room_id}"


async def _offers(batch: Batch) -> list[Offer]:
    raw = await batch.call("ZRANGE", KEYS.pool(POOL.name, "offers"), 0, -1)
    return [msgspec.json.decode(each, type=Offer) for each in raw]


async def _die(redis_url: str, batch: Batch, died: Died) -> str:
    """Takes Eve's ticket and goes through its match as far as `died` says; the ticket."""
    async with matchmaking(redis_url, fill_after_ms=600_000) as desk:
        ticket = (await desk.create("eve", PLANES)).ticket_id
    store, mirror = PoolStore(batch, KEYS), Mirror()
    survey = await store.survey(POOL, mirror, "dead", lease_ms=1_000)
    while survey is None:
        # The replica before it has just stopped.
        survey = await store.survey(POOL, mirror, "dead", lease_ms=1_000)
    match = Match(tickets=(mirror.tickets[ticket],), bots=1)
    (made,) = await store.propose(survey.own, [match], now_ms=survey.now_ms, estimate_ms=0)
    assert made is not None
    (offer,) = await _offers(batch)
    record = msgspec.structs.replace(made.record, offer=offer)
    assert await store.opened(survey.own, [record]) == [True]
    engines = Engines(batch, KEYS, open_ms=2_000, channels=Channels())
    if died is not Died.RECORDED:
        places = Places(batch, KEYS, store, engines)
        assert await places.seat(("eve", ticket, offer.room_id)) == [True]
    if died is Died.SEATED:
        eve = Player(player="eve", name="Eve")
        assert await once_alive(
            lambda: engines.join(offer.room_id, eve, offer.link_token, request_id=record.match)
        )
    await engines.aclose()
    return ticket
