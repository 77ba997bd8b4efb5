"""What somebody who waits is told, and what waiting costs when nobody does."""

import asyncio
from typing import Any

import pytest

from parlor.matchmaking.config import MatchmakingConfig
from parlor.serving import BadConfig
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch
from parlor.v1 import matchmaking_service_pb2 as pb
from parlor.v1.planes_pb2 import PlanesConfig
from parlor.v1.room_pb2 import GameConfig
from tests.conftest import Eventually
from tests.integration.matchmaking.support import (
    ASSIGNED,
    CANCELLED,
    PATIENCE_S,
    STANDARD,
    WAITING,
    engine,
    matchmaking,
    refused,
)

KEYS = Keys()
PLANES = GameConfig(planes=PlanesConfig())


async def test_one_stream_tells_of_many_tickets_until_each_has_ended(redis_url: str) -> None:
    async with matchmaking(redis_url, window=("0:0",)) as desk:
        ratings = {"ada": 10.0, "bob": 20.0, "cyd": 30.0, "dan": 40.0}
        tickets = {
            name: (await desk.create(name, rating=rating)).ticket_id
            for name, rating in ratings.items()
        }
        asked = [
            pb.WatchTicketRequest(player=name, ticket_id=tickets[name]) for name in ("ada", "bob")
        ]
        asked.append(pb.WatchTicketRequest(player="cyd", ticket_id=tickets["dan"]))
        async with asyncio.timeout(PATIENCE_S):
            stream = desk.stub.WatchTickets(pb.WatchTicketsRequest(requests=asked))
            first = await anext(aiter(stream))
            assert {ticket.ticket_id for ticket in first.tickets} == {
                tickets["ada"],
                tickets["bob"],
            }
            assert list(first.unknown_ticket_ids) == [tickets["dan"]]
            await desk.cancel("ada")
            await desk.cancel("bob")
            rest = [ticket async for response in stream for ticket in response.tickets]
        assert {ticket.ticket_id for ticket in rest if ticket.state == CANCELLED} == {
            tickets["ada"],
            tickets["bob"],
        }


async def test_a_stream_of_tickets_without_names_is_refused(redis_url: str) -> None:
    async with matchmaking(redis_url) as desk:
        asked = pb.WatchTicketsRequest(requests=[pb.WatchTicketRequest(player="ada")])
        assert await refused(anext(aiter(desk.stub.WatchTickets(asked)))) == "MALFORMED"


async def test_it_is_explained_why_a_ticket_waits(redis_url: str, batch: Batch) -> None:
    settings = {"window": ("0:10", "60000:10", "120000:inf"), "fill_after_ms": 5_000}
    async with matchmaking(redis_url, **settings) as desk:
        await batch.call("SET", KEYS.bots_here(), "")
        ticket = await desk.create("ada", rating=100.0)
        for name, rating in (("bob", 109.0), ("cyd", 200.0)):
            await desk.create(name, rating=rating)
        why = await desk.explain("ada")
        assert (why.waiting, why.in_reach, why.rating, why.window) == (3, 1, 100.0, 10.0)
        assert why.ticket.ticket_id == ticket.ticket_id
        began_ms = ticket.create_time.ToMilliseconds()
        assert why.widen_time.ToMilliseconds() == began_ms + 120_000
        assert why.fill_time.ToMilliseconds() == began_ms + 5_000
        assert "bob" not in str(why)
        assert "cyd" not in str(why)
        await batch.call("DEL", KEYS.bots_here())
        assert not (await desk.explain("ada")).HasField("fill_time")
        assert await refused(desk.explain("eve")) == "TICKET_NOT_FOUND"


async def test_a_window_without_bounds_has_none(redis_url: str) -> None:
    async with matchmaking(redis_url) as desk:
        await desk.create("ada")
        why = await desk.explain("ada")
        assert not why.HasField("window")
        assert not why.HasField("widen_time")


async def test_a_window_that_has_widened_lets_them_sit_down(redis_url: str) -> None:
    async with (
        engine(redis_url, "planes"),
        matchmaking(redis_url, window=("0:1", "400:inf")) as desk,
    ):
        await desk.create("ada", PLANES, rating=1.0)
        end = await desk.play("bob", PLANES, rating=50.0)
        assert end.state == ASSIGNED


async def test_who_follows_a_ticket_is_told_without_asking(redis_url: str) -> None:
    """The slow look would come after the test's time."""
    async with (
        engine(redis_url),
        matchmaking(redis_url, renew_ms=60_000, ticket_ms=120_000) as desk,
    ):
        ends = await asyncio.gather(*(desk.play(name) for name in ("ada", "bob", "cyd")))
    assert {end.state for end in ends} == {ASSIGNED}


async def test_a_pool_in_which_nobody_waits_is_nobodys_work(
    redis_url: str, batch: Batch, eventually: Eventually
) -> None:
    async with matchmaking(redis_url) as desk:
        await desk.create("ada")
        assert (await desk.get("ada")).state == WAITING
        await desk.cancel("ada")

        async def is_cleared_away() -> bool:
            left = await batch.call("KEYS", "{p:*")
            return {key.decode().split(":")[-1] for key in left} <= {"owner"} | {
                key.decode().split(":")[-1] for key in left if b":ticket:" in key
            }

        await eventually(is_cleared_away)


@pytest.mark.parametrize(
    "setting",
    [
        {"window": ()},
        {"window": ("0:10", "5:1")},
        {"window": ("soon:10",)},
        {"pools": ("jinxian.fill_after_ms",)},
        {"pools": ("jinxian.seats=3",)},
        {"pools": ("fill_after_ms=3",)},
    ],
)
def test_settings_that_say_nothing_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(BadConfig, match="PARLOR_MATCHMAKING_WINDOW, PARLOR_MATCHMAKING_POOLS"):
        MatchmakingConfig(**setting)


async def test_a_pool_may_have_settings_of_its_own(redis_url: str, batch: Batch) -> None:
    settings = {
        "window": ("0:inf",),
        "pools": ("doudizhu.fill_after_ms=never", "doudizhu-standard.window=0:3 9000:4"),
    }
    async with matchmaking(redis_url, **settings) as desk:
        await batch.call("SET", KEYS.bots_here(), "")
        await desk.create("ada", STANDARD)
        why = await desk.explain("ada")
        assert 3.0 <= why.window < 4.0
        assert not why.HasField("fill_time")
