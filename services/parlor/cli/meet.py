"""`parlor meet`: a walk through parties, private rooms and a bot's seat, each step said as it is taken."""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import aiohttp
import uvloop

from parlor.cli.own import NotStarted, own_parlor
from parlor.cli.urls import gateway_url
from parlor.client import Client, Refused, SessionOver
from parlor.serving import logs
from parlor.v1.doudizhu_pb2 import DouDizhuConfig
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.room_pb2 import GameConfig, RoomOptions, RoomStatus

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

_CONFIG = GameConfig(doudizhu=DouDizhuConfig())
_WALK_S = 90
_REGION = "walk"
"""A pool of its own, so that nobody else is at the table."""


def add_parser(subcommands: "Subparsers") -> None:
    """Adds the subcommand and its options."""
    parser = subcommands.add_parser(
        "meet",
        help="walk through parties and private rooms",
        description="Three guests meet: two of them as a party, the third in the queue; then all of "
        "them in a private room; then one of them takes over from a bot. Exits with 1 where a step fails.",
    )
    parser.add_argument(
        "--url",
        type=gateway_url,
        action="append",
        default=[],
        help="a gateway; may be given again. Without one, a whole Parlor is started for the walk",
    )


def run(options: argparse.Namespace) -> int:
    """Walks; the exit status."""
    logs.configure("cli", level="error")
    try:
        uvloop.run(_walk(options.url))
    except (
        NotStarted,
        Refused,
        SessionOver,
        TimeoutError,
        aiohttp.ClientError,
        OSError,
    ) as error:
        print(f"parlor: {str(error) or type(error).__name__}", file=sys.stderr)
        return 1
    return 0


async def _walk(urls: Sequence[str]) -> None:
    async with (
        _gateways(urls) as gateways,
        Client(gateways, guest="Ada") as ada,
        Client(gateways, guest="Bob") as bob,
        Client(gateways, guest="Cyd") as cyd,
        asyncio.timeout(_WALK_S),
    ):
        await _by_party(ada, bob, cyd)
        await _in_private(ada, bob, cyd)
        await _for_a_bot(ada, bob)


async def _by_party(ada: Client, bob: Client, cyd: Client) -> None:
    """Two come together, and a third makes up the table."""
    code = (await ada.create_party()).code
    _say(f"Ada begins a party: {code}")
    party = await bob.join_party(code)
    _say(f"Bob joins it: {', '.join(member.name for member in party.members)}")
    await ada.enqueue(_CONFIG, region=_REGION, party_code=code)
    why = await ada.explain()
    _say(
        f"Ada takes a ticket for both in {why.pool}: {why.waiting} waiting, {why.in_reach} in reach"
    )
    await cyd.enqueue(_CONFIG, region=_REGION)
    rooms = await asyncio.gather(*(client.assigned() for client in (ada, bob, cyd)))
    _say(f"Cyd comes, and all of them are led to {rooms[0]}")
    tables = [await client.watch(room) for client, room in zip((ada, bob, cyd), rooms, strict=True)]
    for table in tables:
        await table.leave()
    await ada.leave_party()
    await bob.leave_party()


async def _in_private(ada: Client, bob: Client, cyd: Client) -> None:
    """A room for those who were told of it, as its host wants it."""
    opened = await ada.open_room(_CONFIG, options=RoomOptions(private=True))
    _say(f"Ada opens {opened.room_id}: code {opened.code}, link #/join/{opened.room_id}/…")
    table = await ada.watch(opened.room_id)
    tables = [
        table,
        await bob.join(opened.code),
        await cyd.join_by_link(opened.room_id, opened.link_token),
    ]
    _say("Bob comes by the code, Cyd by the link")
    await table.set_options(GameConfig(doudizhu=DouDizhuConfig(base_score=5)))
    await table.swap_seats(0, 2)
    for each in tables:
        await each.ready()
    async for _ in table.changes():
        if table.view.status == RoomStatus.ROOM_STATUS_PLAYING:
            break
    names = ", ".join(seat.name for seat in table.view.seats)
    score = table.view.config.doudizhu.base_score
    _say(f"Ada sets the base score to {score}, swaps two seats, and they play: {names}")
    for each in tables:
        await each.leave()


async def _for_a_bot(ada: Client, bob: Client) -> None:
    """Bots fill a table, and a person who comes late takes the seat of one while they play."""
    opened = await ada.open_room(_CONFIG, options=RoomOptions(private=True))
    table = await ada.watch(opened.room_id)
    try:
        await table.add_bots()
    except Refused as refused:
        if refused.reason != ErrorReason.ERROR_REASON_NO_BOTS:
            raise
        _say("No bots play here, from whom Bob could take over")
        await table.leave()
        return
    await table.ready()
    async for _ in table.changes():
        if table.view.status == RoomStatus.ROOM_STATUS_PLAYING:
            break
    bots = sum(seat.bot for seat in table.view.seats)
    theirs = await bob.join(opened.code)
    _say(f"Ada plays with {bots} bots until Bob comes and takes seat {theirs.seat} from one")
    for each in (table, theirs):
        await each.leave()


@asynccontextmanager
async def _gateways(urls: Sequence[str]) -> AsyncIterator[Sequence[str]]:
    if urls:
        yield urls
        return
    async with own_parlor(kinds=("doudizhu",), gateways=1, bots=1) as own:
        yield own


def _say(line: str) -> None:
    print(line, flush=True)
