"""Tickets into rooms, with a real Redis and a real engine."""

import asyncio

import grpc
import pytest

from parlor.serving.keys import Keys
from parlor.serving.players import Players
from parlor.serving.redis import Batch
from parlor.v1.doudizhu_pb2 import DouDizhuConfig
from parlor.v1.room_pb2 import GameConfig
from tests.conftest import Eventually
from tests.integration.matchmaking.support import (
    ASSIGNED,
    CANCELLED,
    CLASSIC,
    STANDARD,
    WAITING,
    engine,
    matchmaking,
    refusal,
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


async def test_bots_fill_the_table_of_who_has_waited_long_enough(
    redis_url: str, eventually: Eventually
) -> None:
    async with engine(redis_url), matchmaking(redis_url, fill_after_ms=50) as desk:
        bots = [await desk.create(f"bot{n}", bot=True) for n in range(3)]
        assert (await desk.play("ada")).state == ASSIGNED

        async def states() -> list[int]:
            return [(await desk.get(f"bot{n}", bots[n].ticket_id)).state for n in range(3)]

        await eventually(lambda: _is_sorted_into(states, [WAITING, ASSIGNED, ASSIGNED]))


async def test_bots_never_play_among_themselves_and_wait_for_people_to_wait(
    redis_url: str,
) -> None:
    async with engine(redis_url), matchmaking(redis_url, fill_after_ms=0, tick_ms=1) as desk:
        bots = [await desk.create(f"bot{n}", bot=True) for n in range(3)]
        # A person in another pool goes through many rounds meanwhile.
        people = [desk.play(name, CLASSIC) for name in ("ada", "bob", "cyd")]
        await asyncio.gather(*people)
        for n, ticket in enumerate(bots):
            assert (await desk.get(f"bot{n}", ticket.ticket_id)).state == WAITING


async def test_a_player_has_one_ticket_however_often_it_is_asked_for(
    redis_url: str, batch: Batch
) -> None:
    async with matchmaking(redis_url) as desk, matchmaking(redis_url) as other:
        tickets = await asyncio.gather(*((desk, other)[n % 2].create("ada") for n in range(12)))
        (ticket,) = {ticket.ticket_id for ticket in tickets}
        assert (await desk.create("ada", CLASSIC)).ticket_id == ticket
        assert await Players(batch, KEYS).place("ada") == f"ticket:{ticket}"


async def test_who_has_a_seat_gets_no_ticket(redis_url: str, batch: Batch) -> None:
    async with engine(redis_url), matchmaking(redis_url) as desk:
        ends = await asyncio.gather(*(desk.play(name) for name in ("ada", "bob", "cyd")))
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await desk.create("ada")
    assert refusal(refused.value) == "PLAYER_BUSY"
    assert ends[0].room_id in str(refused.value.trailing_metadata())


@pytest.mark.parametrize(
    "place", ["ticket:doudizhu-standard-0123456789ab-0123456789abcdef", "room:s1-doudizhu-gone42"]
)
async def test_a_place_that_nothing_stands_behind_is_taken_over_once_it_is_stale(
    redis_url: str, batch: Batch, place: str
) -> None:
    async with matchmaking(redis_url) as desk:
        await Players(batch, KEYS).take("ada", place)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await desk.create("ada")
        assert refusal(refused.value) in ("PLAYER_BUSY", "CONFLICT")
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
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await desk.create(player)
                assert refusal(refused.value) == "PLAYER_BUSY"


async def test_a_ticket_given_back_frees_its_player(redis_url: str, batch: Batch) -> None:
    async with matchmaking(redis_url) as desk:
        ticket = await desk.create("ada")
        following = asyncio.create_task(desk.updates("ada"))
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
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await desk.cancel("ada")
        assert refusal(refused.value) == "TICKET_MATCHED"
        async with engine(redis_url):
            assert (await desk.updates("ada"))[-1].state == ASSIGNED


async def test_a_ticket_lives_as_long_as_it_is_followed(
    redis_url: str, batch: Batch, eventually: Eventually
) -> None:
    async with matchmaking(redis_url, ticket_ms=300, renew_ms=50) as desk:
        followed = await desk.create("ada")
        following = asyncio.create_task(desk.updates("ada"))
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
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await desk.create(player, config)
            assert refusal(refused.value) == reason
        ticket = await desk.create("ada")
        for player, ticket_id in (("bob", ticket.ticket_id), ("bob", ""), ("ada", "none-such")):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await desk.get(player, ticket_id)
            assert refusal(refused.value) == "TICKET_NOT_FOUND"


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


async def _is_sorted_into(states: object, expected: list[int]) -> bool:
    assert callable(states)
    return sorted(await states()) == expected
