"""An ended game is given from its first step to its last, as every seat saw it."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import aiohttp
import pytest
from google.protobuf import json_format

from parlor.client import Client, Room
from parlor.client import games as folding
from parlor.rules.catalog import GAMES
from parlor.rules.game import Seat
from parlor.v1.doudizhu_pb2 import DouDizhuConfig, DouDizhuRuleSet
from parlor.v1.jinxian_pb2 import JinxianConfig
from parlor.v1.planes_pb2 import PlanesConfig, PlanesDestroyRule
from parlor.v1.play_pb2 import Entry, ServerFrame
from parlor.v1.replay_pb2 import ReplayStart, ReplayStep
from parlor.v1.room_pb2 import Event, GameConfig, GameResult, RoomStatus
from parlor.wire.catalog import WIRE
from tests.integration.play.support import deployment, played

GAMES_PLAYED = {
    "doudizhu": GameConfig(
        doudizhu=DouDizhuConfig(rule_set=DouDizhuRuleSet.DOU_DIZHU_RULE_SET_CLASSIC)
    ),
    "jinxian": GameConfig(jinxian=JinxianConfig(fast=True, total_rounds=4)),
    "planes": GameConfig(
        planes=PlanesConfig(destroy_rule=PlanesDestroyRule.PLANES_DESTROY_RULE_HEAD_KILL)
    ),
}


class Table:
    """A room full of people, and all that each of them was sent."""

    def __init__(self, urls: list[str], clients: list[Client], rooms: list[Room]) -> None:
        self.urls = urls
        self.clients = clients
        self.rooms = rooms
        self.heard: list[list[Entry]] = [[] for _ in clients]

    @property
    def room_id(self) -> str:
        return self.rooms[0].room_id

    def seen(self, seat: int) -> list[Event]:
        """The game's events as the seat was sent them."""
        kind = self.rooms[0].view.config.WhichOneof("game")
        return [
            event
            for entry in self.heard[seat]
            for event in entry.events
            if event.WhichOneof("event") == kind
        ]

    async def replay(self, game_no: int, *, token: str | None = None) -> tuple[int, Any]:
        """Status and document."""
        headers = {"Authorization": f"Bearer {self.clients[0].token if token is None else token}"}
        url = f"{self.urls[-1]}/replay/{self.room_id}/{game_no}"
        async with aiohttp.ClientSession() as http, http.get(url, headers=headers) as response:
            return response.status, await response.json()


@asynccontextmanager
async def table(redis_url: str, kind: str) -> AsyncIterator[Table]:
    """A table of guests who are seated."""
    async with AsyncExitStack() as stack:
        urls = await stack.enter_async_context(deployment(redis_url, kind=kind))
        config = GAMES_PLAYED[kind]
        heard: list[list[Entry]] = []
        clients: list[Client] = []
        rooms: list[Room] = []
        code = ""
        while not rooms or len(rooms) < len(rooms[0].view.seats):
            entries: list[Entry] = []
            heard.append(entries)
            client = await stack.enter_async_context(
                Client(urls, guest=f"P{len(rooms)}", heard=_keeper(entries))
            )
            if rooms:
                room = await client.join(code)
            else:
                opened = await client.open_room(config)
                code, room = opened.code, await client.watch(opened.room_id)
            clients.append(client)
            rooms.append(room)
        made = Table(urls, clients, rooms)
        made.heard = heard
        yield made


def _keeper(entries: list[Entry]) -> Any:
    def keep(frame: ServerFrame) -> None:
        if frame.WhichOneof("frame") == "entry":
            entries.append(frame.entry)

    return keep


@pytest.mark.parametrize("kind", GAMES_PLAYED)
async def test_a_replay_is_what_every_seat_was_sent(redis_url: str, kind: str) -> None:
    async with table(redis_url, kind) as people, asyncio.timeout(300):
        await asyncio.gather(*(played(room, games=1) for room in people.rooms))
        status, document = await people.replay(1)
        assert status == 200
        start = json_format.ParseDict(document["start"], ReplayStart())
        steps = [json_format.ParseDict(step, ReplayStep()) for step in document["steps"]]
        result = json_format.ParseDict(document["result"], GameResult())
        view = people.rooms[0].view
        assert result == view.result
        assert start.config == view.config
        assert [seat.name for seat in start.seats] == [seat.name for seat in view.seats]
        assert hashlib.sha256(result.seed).digest() == start.commitment
        for index, room in enumerate(people.rooms):
            told = [event for step in steps for event in step.seats[index].events]
            assert told == people.seen(index)
            folded = WIRE[kind].view_from(getattr(start.seats[index], kind))
            config = WIRE[kind].config_from(getattr(start.config, kind))
            assert folded == GAMES[kind].before(config, Seat(index))
            for event in told:
                folded = folding.folded(folded, event)
            assert folded == room.game_view


async def test_nothing_is_told_of_a_game_that_runs(redis_url: str) -> None:
    async with table(redis_url, "planes") as people, asyncio.timeout(300):
        for room in people.rooms:
            await room.ready()
        async for _ in people.rooms[0].changes():
            if people.rooms[0].view.status == RoomStatus.ROOM_STATUS_PLAYING:
                break
        assert await _reason(people, 1) == (409, "WRONG_STATUS")


async def test_what_was_not_played_is_not_found(redis_url: str) -> None:
    async with table(redis_url, "planes") as people, asyncio.timeout(300):
        for game_no in (0, 1, 2, 999_999):
            assert await _reason(people, game_no) == (404, "GAME_NOT_FOUND")
        status, refusal = await people.replay(1, token="forged")
        assert (status, refusal["reason"]) == (401, "ERROR_REASON_INVALID_TOKEN")
        people.rooms[0].room_id = "s1-planes-aaaaaaaaaaaa"
        assert await _reason(people, 1) == (404, "ROOM_NOT_FOUND")


async def _reason(people: Table, game_no: int) -> tuple[int, str]:
    status, refusal = await people.replay(game_no)
    return status, refusal["reason"].removeprefix("ERROR_REASON_")
