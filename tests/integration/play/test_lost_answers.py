"""What was carried out is not reported as refused where the answer was lost with the connection."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from parlor.client import Client, Refused
from parlor.serving.keys import Keys
from parlor.serving.players import Players
from parlor.serving.redis import Batch
from parlor.v1.matchmaking_pb2 import TicketState
from parlor.v1.planes_pb2 import PlanesConfig
from parlor.v1.room_pb2 import GameConfig
from tests.conftest import Eventually
from tests.integration.play.lossy import Lossy
from tests.integration.play.support import deployment

PLANES = GameConfig(planes=PlanesConfig())
KEYS = Keys()


@dataclass(frozen=True, slots=True)
class Way:
    """Ada, whose answers may be lost; and the way that others take."""

    ada: Client
    lossy: Lossy
    urls: list[str]


@pytest.fixture
async def way(redis_url: str) -> AsyncIterator[Way]:
    """One gateway, before which Ada's answers may be lost."""
    async with deployment(redis_url, kind="planes", engines=1, gateways=1) as urls:
        lossy = Lossy(urls[0])
        async with lossy.listening() as url, Client([url], guest="Ada") as ada:
            yield Way(ada, lossy, urls)


async def test_a_ticket_is_given_back(way: Way, batch: Batch, eventually: Eventually) -> None:
    ada, players = way.ada, Players(batch, KEYS)
    await ada.enqueue(PLANES)
    way.lossy.deaf = True
    giving = asyncio.create_task(ada.dequeue())

    async def is_free() -> bool:
        return not await players.place(ada.player)

    await eventually(is_free)
    way.lossy.cut()
    await giving
    assert ada.connections == 2
    assert await ada.assigned() == ""
    assert ada.ticket is not None
    assert ada.ticket.state == TicketState.TICKET_STATE_CANCELLED
    # Said of no ticket at all, it is not so.
    with pytest.raises(Refused, match="TICKET_NOT_FOUND"):
        await ada.dequeue()


async def test_a_party_is_left_and_a_member_taken_out(
    way: Way, batch: Batch, eventually: Eventually
) -> None:
    ada = way.ada

    async def lost(wish: "asyncio.Task[object]", player: str) -> None:
        async def is_out() -> bool:
            return not await batch.call("EXISTS", KEYS.player_party(player))

        await eventually(is_out)
        way.lossy.cut()
        await wish

    async with Client(way.urls, guest="Bob") as bob:
        code = (await ada.create_party()).code
        await bob.join_party(code)
        await eventually(lambda: ada.party is not None and len(ada.party.members) == 2)
        way.lossy.deaf = True
        taking: asyncio.Task[object] = asyncio.create_task(ada.leave_party(bob.player))
        await lost(taking, bob.player)
        way.lossy.deaf = True
        leaving: asyncio.Task[object] = asyncio.create_task(ada.leave_party())
        await lost(leaving, ada.player)
    with pytest.raises(Refused, match="PARTY_NOT_FOUND"):
        await ada.leave_party()


async def test_a_ticket_that_has_led_to_a_room_is_no_refusal(
    way: Way, batch: Batch, eventually: Eventually
) -> None:
    ada, players = way.ada, Players(batch, KEYS)
    async with Client(way.urls, guest="Bob") as bob:
        await bob.enqueue(PLANES)
        way.lossy.deaf = True
        asking = asyncio.create_task(ada.enqueue(PLANES))

        async def is_seated() -> bool:
            return (await players.place(ada.player)).startswith("room:")

        await eventually(is_seated)
        way.lossy.cut()
        await asking
        assert await ada.assigned() == await bob.assigned()
    with pytest.raises(Refused, match="PLAYER_BUSY"):
        await ada.enqueue(PLANES)
