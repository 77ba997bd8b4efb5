"""Tickets into rooms, with a real Redis and a real engine."""

import asyncio
import math

import grpc
import pytest

from parlor.serving.errors import reason_name
from parlor.serving.keys import Keys
from parlor.serving.players import Players
from parlor.serving.redis import Batch
from parlor.v1 import matchmaking_service_pb2 as pb
from parlor.v1.doudizhu_pb2 import DouDizhuConfig
from parlor.v1.planes_pb2 import PlanesConfig
from parlor.v1.room_pb2 import GameConfig
from tests.conftest import Eventually
from tests.integration.matchmaking.support import (
    ASSIGNED,
    CANCELLED,
    CLASSIC,
    MATCHED,
    STANDARD,
    WAITING,
    engine,
    matchmaking,
    refusal,
    refused,
    ticket_request,
)

KEYS = Keys()


async def test_three_people_get_a_room_with_a_seat_each(redis_url: str, batch: Batch) -> None:
    async with engine(redis_url), matchmaking(redis_url) as desk:
        ends = await asyncio.gather(*(desk.play(name) for name in ("ada", "bob", "cyd")))
    assert {end.state for end in ends} == {ASSIGNED}
    (room_id,) = {end.room_id for end in ends}
    assert await batch.call("EXISTS", KEYS.room(room_id)) == 1
    players = Players(batch, KEYS)
    for name in ("ada", "bob", "cyd"):
        assert await players.place(name) == f"room:{room_id}"


async def test_pools_differ_by_their_options_and_not_by_how_they_are_written(
    redis_url: str,
) -> None:
    written_out = GameConfig(doudizhu=DouDizhuConfig(base_score=1, surrender=True))
    async with engine(redis_url), matchmaking(redis_url) as desk:
        other = await desk.create("eve", CLASSIC)
        ends = await asyncio.gather(
            desk.play("ada"), desk.play("bob", written_out), desk.play("cyd", STANDARD)
        )
        assert len({end.room_id for end in ends}) == 1
        assert (await desk.get("eve", other.ticket_id)).state == WAITING


async def test_a_region_and_a_stake_are_pools_of_their_own(redis_url: str) -> None:
    async with engine(redis_url), matchmaking(redis_url) as desk:
        other = await desk.create("eve", region="eu", stake="gold")
        ends = await asyncio.gather(
            *(desk.play(name, region="eu") for name in ("ada", "bob", "cyd")),
        )
        assert len({end.room_id for end in ends}) == 1
        assert (await desk.get("eve", other.ticket_id)).state == WAITING
        assert await refused(desk.create("fay", region="Europe & Asia")) == "MALFORMED"


async def test_bots_wait_in_no_queue(redis_url: str) -> None:
    async with matchmaking(redis_url) as desk:
        assert await refused(desk.create("bot1", bot=True)) == "MALFORMED"


async def test_people_of_like_ratings_sit_down_together(redis_url: str) -> None:
    settings = {"window": ("0:10",), "tick_ms": 200}
    planes = GameConfig(planes=PlanesConfig())
    async with engine(redis_url, "planes"), matchmaking(redis_url, **settings) as desk:
        ratings = {"ada": 30.0, "bob": 2.0, "cyd": 1.0, "dan": 31.0}
        ends = dict(
            zip(
                ratings,
                await asyncio.gather(
                    *(desk.play(name, planes, rating=ratings[name]) for name in ratings)
                ),
                strict=True,
            )
        )
        assert ends["ada"].room_id == ends["dan"].room_id != ends["bob"].room_id
        assert ends["bob"].room_id == ends["cyd"].room_id


async def test_a_rating_that_nobody_states_is_looked_up(redis_url: str, batch: Batch) -> None:
    async with matchmaking(redis_url, window=("0:0",), default_rating=7.0) as desk:
        await batch.call("HSET", KEYS.ratings("ada"), "doudizhu-standard", "31.5")
        await desk.create("ada")
        await desk.create("bob")
        assert (await desk.explain("ada")).rating == 31.5
        assert (await desk.explain("bob")).rating == 7.0


@pytest.mark.parametrize("rating", [-1.0, math.nan, math.inf])
async def test_a_rating_that_is_none_is_refused(
    redis_url: str, batch: Batch, rating: float
) -> None:
    async with matchmaking(redis_url) as desk:
        assert await refused(desk.create("ada", rating=rating)) == "MALFORMED"
    assert await Players(batch, KEYS).place("ada") == ""


async def test_the_same_request_with_other_content_is_refused(redis_url: str) -> None:
    async with matchmaking(redis_url) as desk:
        ticket = await desk.create("ada", request_id="one")
        assert (await desk.create("ada", request_id="one")).ticket_id == ticket.ticket_id
        assert (await desk.create("ada", CLASSIC, request_id="two")).ticket_id == ticket.ticket_id
        assert await refused(desk.create("ada", CLASSIC, request_id="one")) == "REQUEST_ID_REUSED"


async def test_several_tickets_are_taken_in_one_call_each_on_its_own(redis_url: str) -> None:
    async with matchmaking(redis_url) as desk:
        requests = [ticket_request("ada"), ticket_request(""), ticket_request("bob")]
        results = (
            await desk.stub.CreateTickets(pb.CreateTicketsRequest(requests=requests))
        ).results
        assert [result.WhichOneof("result") for result in results] == [
            "ticket",
            "refused",
            "ticket",
        ]
        assert reason_name(results[1].refused.reason) == "MALFORMED"


async def test_who_asks_twice_in_one_call_or_holds_a_ticket_already_gets_the_one_there_is(
    redis_url: str,
) -> None:
    async with matchmaking(redis_url) as desk:
        held = await desk.create("ada")
        requests = [ticket_request(name) for name in ("ada", "bob", "bob")]
        results = (
            await desk.stub.CreateTickets(pb.CreateTicketsRequest(requests=requests))
        ).results
        ada, bob, again = (result.ticket.ticket_id for result in results)
        assert ada == held.ticket_id
        assert bob == again != ""


async def test_a_ticket_that_fails_leaves_those_that_were_asked_for_with_it_alone(
    redis_url: str, batch: Batch
) -> None:
    async with matchmaking(redis_url) as desk:
        # What is known of bob cannot be read.
        await batch.call("SET", KEYS.ratings("bob"), "no hash")
        requests = [ticket_request(name) for name in ("ada", "bob", "cyd")]
        ada, bob, cyd = (
            await desk.stub.CreateTickets(pb.CreateTicketsRequest(requests=requests))
        ).results
        assert reason_name(bob.refused.reason) == "INTERNAL"
        assert (ada.ticket.state, cyd.ticket.state) == (WAITING, WAITING)
        assert await Players(batch, KEYS).place("bob") == ""


async def test_a_match_without_an_engine_gives_its_tickets_back_to_the_front(
    redis_url: str,
) -> None:
    async with matchmaking(redis_url, give_up_ms=300) as desk:
        first = [await desk.create(name) for name in ("ada", "bob", "cyd")]
        await desk.until("ada", MATCHED)
        back = await desk.until("ada", WAITING)
        assert (back.create_time, back.ticket_id) == (first[0].create_time, first[0].ticket_id)
        async with engine(redis_url):
            ends = [
                (await desk.updates(player, ticket.ticket_id))[-1]
                for player, ticket in zip(("ada", "bob", "cyd"), first, strict=True)
            ]
        assert {end.state for end in ends} == {ASSIGNED}
        assert len({end.room_id for end in ends}) == 1


async def test_a_wait_is_estimated_from_those_before(redis_url: str) -> None:
    async with engine(redis_url), matchmaking(redis_url) as desk:
        assert not (await desk.create("dan")).HasField("estimated_wait")
        await desk.cancel("dan")
        await asyncio.gather(*(desk.play(name) for name in ("ada", "bob", "cyd")))
        assert (await desk.create("dan")).HasField("estimated_wait")


async def test_a_player_has_one_ticket_however_often_it_is_asked_for(
    redis_url: str, batch: Batch
) -> None:
    async with matchmaking(redis_url) as desk, matchmaking(redis_url) as other:
        tickets = await asyncio.gather(*((desk, other)[n % 2].create("ada") for n in range(12)))
        (ticket,) = {ticket.ticket_id for ticket in tickets}
        assert (await desk.create("ada", CLASSIC, request_id="again")).ticket_id == ticket
        assert await Players(batch, KEYS).place("ada") == f"ticket:{ticket}"


async def test_who_has_a_seat_gets_no_ticket(redis_url: str, batch: Batch) -> None:
    async with engine(redis_url), matchmaking(redis_url) as desk:
        ends = await asyncio.gather(*(desk.play(name) for name in ("ada", "bob", "cyd")))
        with pytest.raises(grpc.aio.AioRpcError) as refusal_of:
            await desk.create("ada")
    assert refusal(refusal_of.value) == "PLAYER_BUSY"
    assert ends[0].room_id in str(refusal_of.value.trailing_metadata())


@pytest.mark.parametrize(
    "place", ["ticket:doudizhu-standard-0123456789ab-0123456789abcdef", "room:s1-doudizhu-gone42"]
)
async def test_a_place_that_nothing_stands_behind_is_taken_over_once_it_is_stale(
    redis_url: str, batch: Batch, place: str
) -> None:
    async with matchmaking(redis_url) as desk:
        await Players(batch, KEYS).take("ada", place)
        with pytest.raises(grpc.aio.AioRpcError) as refusal_of:
            await desk.create("ada")
        assert refusal(refusal_of.value) in ("PLAYER_BUSY", "CONFLICT")
        await batch.call("HSET", KEYS.player("ada"), "since", 0)
        assert (await desk.create("ada")).state == WAITING


async def test_a_place_in_a_room_without_a_seat_there_is_taken_over(
    redis_url: str, batch: Batch
) -> None:
    """As an engine leaves it that dies between the last step of a seat and the place."""
    async with engine(redis_url), matchmaking(redis_url) as desk:
        await asyncio.gather(*(desk.play(name) for name in ("ada", "bob", "cyd")))
        room = await Players(batch, KEYS).place("ada")
        for player, can_play in (("ada", False), ("dan", True)):
            await Players(batch, KEYS).take(player, room)
            await batch.call("HSET", KEYS.player(player), "since", 0)
            if can_play:
                assert (await desk.create(player)).state == WAITING
            else:
                with pytest.raises(grpc.aio.AioRpcError) as refusal_of:
                    await desk.create(player)
                assert refusal(refusal_of.value) == "PLAYER_BUSY"


async def test_a_ticket_given_back_frees_its_player(redis_url: str, batch: Batch) -> None:
    async with matchmaking(redis_url) as desk:
        ticket = await desk.create("ada")
        # By its id, for it may be given back before it is followed.
        following = asyncio.create_task(desk.updates("ada", ticket.ticket_id))
        assert (await desk.cancel("ada")).state == CANCELLED
        assert (await following)[-1].state == CANCELLED
        assert await Players(batch, KEYS).place("ada") == ""
        assert (await desk.create("ada")).ticket_id != ticket.ticket_id


async def test_a_matched_ticket_cannot_be_given_back(
    redis_url: str, eventually: Eventually
) -> None:
    # Without an engine the match waits for its room.
    async with matchmaking(redis_url) as desk:
        for name in ("ada", "bob", "cyd"):
            await desk.create(name)

        async def is_matched() -> bool:
            return (await desk.get("ada")).state not in (WAITING, CANCELLED)

        await eventually(is_matched)
        with pytest.raises(grpc.aio.AioRpcError) as refusal_of:
            await desk.cancel("ada")
        assert refusal(refusal_of.value) == "TICKET_MATCHED"
        async with engine(redis_url):
            assert (await desk.updates("ada"))[-1].state == ASSIGNED


async def test_a_ticket_lives_as_long_as_it_is_followed(
    redis_url: str, batch: Batch, eventually: Eventually
) -> None:
    async with matchmaking(redis_url, ticket_ms=1_000, renew_ms=50) as desk:
        followed = await desk.create("ada")
        following = asyncio.create_task(desk.updates("ada", followed.ticket_id))
        left = await desk.create("bob")

        async def is_dropped() -> bool:
            return (await desk.get("bob", left.ticket_id)).state == CANCELLED

        await eventually(is_dropped)
        players = Players(batch, KEYS)

        async def is_free() -> bool:
            return await players.place("bob") == ""

        await eventually(is_free)
        assert (await desk.get("ada", followed.ticket_id)).state == WAITING
        await desk.cancel("ada")
        await following


async def test_the_place_in_the_queue_is_told(redis_url: str) -> None:
    async with matchmaking(redis_url) as desk:
        first, second = await desk.create("ada"), await desk.create("bob")
        assert (first.ahead, second.ahead) == (0, 1)
        assert second.create_time.ToMilliseconds() >= first.create_time.ToMilliseconds() > 0


async def test_what_cannot_be_asked_for_is_refused_by_its_reason(redis_url: str) -> None:
    wrong = [
        (GameConfig(), "ada", "UNKNOWN_POOL"),
        (GameConfig(doudizhu=DouDizhuConfig(base_score=0)), "ada", "INVALID_CONFIG"),
        (GameConfig(doudizhu=DouDizhuConfig(base_score=10_001)), "ada", "INVALID_CONFIG"),
        (STANDARD, "", "MALFORMED"),
    ]
    async with matchmaking(redis_url) as desk:
        for config, player, reason in wrong:
            with pytest.raises(grpc.aio.AioRpcError) as refusal_of:
                await desk.create(player, config)
            assert refusal(refusal_of.value) == reason
        ticket = await desk.create("ada")
        for player, ticket_id in (("bob", ticket.ticket_id), ("bob", ""), ("ada", "none-such")):
            with pytest.raises(grpc.aio.AioRpcError) as refusal_of:
                await desk.get(player, ticket_id)
            assert refusal(refusal_of.value) == "TICKET_NOT_FOUND"


async def test_two_replicas_match_everybody_exactly_once(redis_url: str, batch: Batch) -> None:
    names = [f"p{n}" for n in range(30)]
    async with (
        engine(redis_url),
        matchmaking(redis_url, tick_ms=1) as first,
        matchmaking(redis_url, tick_ms=1) as second,
    ):
        ends = await asyncio.gather(
            *((first, second)[n % 2].play(name) for n, name in enumerate(names))
        )
    rooms = [end.room_id for end in ends]
    assert {end.state for end in ends} == {ASSIGNED}
    assert sorted(rooms.count(room) for room in set(rooms)) == [3] * 10
    players = Players(batch, KEYS)
    for name, room in zip(names, rooms, strict=True):
        assert await players.place(name) == f"room:{room}"


async def test_a_ticket_that_is_not_named_is_found_also_once_it_has_led_to_a_seat(
    redis_url: str, batch: Batch
) -> None:
    """Who asks a moment too late is told where to go, and honestly that it is too late to give it back."""
    async with engine(redis_url), matchmaking(redis_url) as desk:
        ada, *_ = await asyncio.gather(*(desk.play(name) for name in ("ada", "bob", "cyd")))
        assert await desk.get("ada") == ada
        assert (await desk.updates("ada"))[-1] == ada
        assert (await desk.explain("ada")).ticket == ada
        assert await refused(desk.cancel("ada")) == "TICKET_MATCHED"
        # Not for somebody who has gone from there.
        await Players(batch, KEYS).free("ada", f"room:{ada.room_id}")
        assert await refused(desk.get("ada")) == "TICKET_NOT_FOUND"
