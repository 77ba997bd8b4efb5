"""Two things at the same instant: whichever comes first, everybody is told how it ended, and it is so.

Each race is run until either has won, and some times more, with one of the two a little later each time.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterator
from itertools import count
from typing import Any

import grpc
import pytest

from parlor.serving.keys import Keys
from parlor.serving.players import Players
from parlor.serving.redis import Batch
from parlor.v1.jinxian_pb2 import JinxianConfig
from parlor.v1.planes_pb2 import PlanesConfig
from parlor.v1.room_pb2 import GameConfig
from tests.integration.matchmaking.support import (
    ASSIGNED,
    CANCELLED,
    CLASSIC,
    STANDARD,
    WAITING,
    Desk,
    engine,
    matchmaking,
    refusal,
)

KEYS = Keys()
PLANES = GameConfig(planes=PlanesConfig())
FEWEST = 12
LATEST = 6
"""How many looks at a ticket one of the two is later at most."""

Pair = tuple[Desk, Desk]


@pytest.fixture
async def desks(redis_url: str) -> AsyncIterator[Pair]:
    """Two replicas of matchmaking that lose no time."""
    async with (
        matchmaking(redis_url, tick_ms=1) as desk,
        matchmaking(redis_url, tick_ms=1) as other,
    ):
        yield desk, other


async def test_who_gives_a_ticket_back_as_it_is_matched_is_free_or_seated_as_told(
    redis_url: str, batch: Batch, desks: Pair
) -> None:
    (desk, other), players = desks, Players(batch, KEYS)
    ends: set[str] = set()
    async with engine(redis_url, "planes"):
        for number in _races(ends, of=2):
            ada, bob = f"ada{number}", f"bob{number}"
            given = (await desk.create(ada, PLANES)).ticket_id
            kept, end = await asyncio.gather(
                desk.create(bob, PLANES), _later(number, desk, ada, other.cancel(ada))
            )
            ends.add(end)
            if end == "TICKET_MATCHED":
                room_id = (await desk.until(ada, ASSIGNED, given)).room_id
                assert (await desk.until(bob, ASSIGNED, kept.ticket_id)).room_id == room_id
                assert await players.place(ada) == await players.place(bob) == f"room:{room_id}"
            else:
                assert (await desk.get(ada, given)).state == CANCELLED
                assert await players.place(ada) == ""
                assert (await desk.get(bob)).state == WAITING
                await desk.cancel(bob)
    assert ends == {"", "TICKET_MATCHED"}


async def test_a_leader_who_leaves_as_the_party_is_matched_is_gone_or_seated_with_it(
    redis_url: str, batch: Batch, desks: Pair
) -> None:
    (desk, other), players = desks, Players(batch, KEYS)
    ends: set[str] = set()
    async with engine(redis_url):
        for number in _races(ends, of=2):
            ada, bob, cyd = (f"{name}{number}" for name in ("ada", "bob", "cyd"))
            code = await desk.gather(ada, bob)
            ticket = (await desk.create(ada, party_code=code)).ticket_id
            alone, end = await asyncio.gather(
                desk.create(cyd), _later(number, desk, ada, other.leave(ada))
            )
            assert end == ""
            assert [m.player for m in (await desk.join(bob, code)).members] == [bob]
            if (await desk.get(bob, ticket)).state == CANCELLED:
                ends.add("given back")
                assert [await players.place(name) for name in (ada, bob)] == ["", ""]
                assert (await desk.get(cyd)).state == WAITING
                await desk.cancel(cyd)
            else:
                ends.add("matched")
                room_id = (await desk.until(ada, ASSIGNED, ticket)).room_id
                assert (await desk.until(cyd, ASSIGNED, alone.ticket_id)).room_id == room_id
                for name in (ada, bob, cyd):
                    assert await players.place(name) == f"room:{room_id}"
    assert ends == {"given back", "matched"}


async def test_who_asks_at_two_replicas_for_two_games_is_in_one_queue(
    batch: Batch, desks: Pair
) -> None:
    desk, other = desks
    ends: set[str] = set()
    for number in _races(ends, of=2):
        ada = f"ada{number}"
        asked = await asyncio.gather(
            desk.create(ada, STANDARD, request_id="1"),
            other.create(ada, CLASSIC, request_id="2"),
            return_exceptions=True,
        )
        # Who comes too early for the other's ticket is told to ask again.
        for each in asked:
            if isinstance(each, BaseException):
                assert isinstance(each, grpc.aio.AioRpcError)
                assert refusal(each) == "CONFLICT"
        held = (await desk.get(ada)).ticket_id
        assert {each.ticket_id for each in asked if not isinstance(each, BaseException)} == {held}
        waiting = [
            ticket
            for key in await batch.call("KEYS", KEYS.pools_pattern("waiting"))
            for ticket in await batch.call("ZRANGE", key, 0, -1)
        ]
        assert waiting == [held.encode()]
        ends.add(held.split("-")[1])
        await desk.cancel(ada)


async def test_a_party_and_its_member_who_ask_at_once_are_in_one_queue(
    batch: Batch, desks: Pair
) -> None:
    """The party's ticket takes the places of both or of none."""
    (desk, other), players = desks, Players(batch, KEYS)
    jinxian = GameConfig(jinxian=JinxianConfig())
    ends: set[str] = set()
    for number in _races(ends, of=2):
        ada, bob = f"ada{number}", f"bob{number}"
        code = await desk.gather(ada, bob)
        both, alone = await asyncio.gather(
            _end_of(desk.create(ada, party_code=code)), _end_of(other.create(bob, jinxian))
        )
        place = await players.place(bob)
        ticket = await desk.get(bob)
        assert place == f"ticket:{ticket.ticket_id}"
        if list(ticket.players) == [ada, bob]:
            assert (both, await players.place(ada)) == ("", place)
            assert alone in ("", "CONFLICT", "PLAYER_BUSY")
            ends.add("party")
        else:
            assert list(ticket.players) == [bob]
            assert (both, alone) == ("PLAYER_BUSY", "")
            assert await players.place(ada) == ""
            ends.add("member")
        await desk.cancel(bob)


def _races(ends: set[str], *, of: int) -> Iterator[int]:
    """Numbers of races, as long as fewer than so many ends have come up."""
    for number in count():
        if number >= FEWEST and len(ends) >= of:
            return
        yield number


async def _later(number: int, desk: Desk, player: str, call: Awaitable[Any]) -> str:
    """How a call ends that is made a little later, by the race's number."""
    for _ in range(number % LATEST):
        await desk.get(player)
    return await _end_of(call)


async def _end_of(call: Awaitable[Any]) -> str:
    """The reason for which the call was refused; empty where it was not."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return refusal(error)
    return ""
