"""Games that are played, through gateway and engine into the archive, and asked for by players and backends."""

import asyncio
import time
import zlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import grpc
import jwt
import msgspec
import pytest

from parlor.archive.config import ArchiveConfig
from parlor.archive.database import Database
from parlor.archive.tables import metadata
from parlor.cli.past import history_lines, leaderboard_lines
from parlor.client import Client, Refused, Room
from parlor.engine.replay import replayed
from parlor.rules.doudizhu.actions import Surrender
from parlor.serving.errors import from_rpc_error, reason_name
from parlor.serving.redis import Batch
from parlor.v1 import admin_service_pb2 as admin
from parlor.v1 import history_service_pb2 as pb
from parlor.v1.admin_service_pb2_grpc import AdminServiceStub
from parlor.v1.archive_service_pb2 import GetLogRequest
from parlor.v1.doudizhu_pb2 import DouDizhuConfig, DouDizhuRuleSet
from parlor.v1.history_pb2 import PastGame
from parlor.v1.history_service_pb2_grpc import HistoryServiceStub
from parlor.v1.play_service_pb2 import GetReplayRequest
from parlor.v1.play_service_pb2_grpc import PlayServiceStub
from parlor.v1.replay_pb2 import ReplayPart
from parlor.v1.room_pb2 import GameConfig, RoomStatus
from tests.integration.archive.support import KEYS, Desk, archive
from tests.integration.engine.support import host
from tests.integration.gateway.support import bearer, engine, gateway

SECRET = "0123456789abcdef0123456789abcdef"
CLASSIC = GameConfig(doudizhu=DouDizhuConfig(rule_set=DouDizhuRuleSet.DOU_DIZHU_RULE_SET_CLASSIC))
LADDER = "doudizhu-classic"
PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Table:
    """Three guests at a table, and every way to ask what came of it."""

    clients: list[Client]
    rooms: list[Room]
    desk: Desk
    database: Database
    front: Any
    """A channel to the gateway."""

    @property
    def room_id(self) -> str:
        return self.rooms[0].room_id

    async def play(self) -> None:
        """A game that the second seat gives up."""
        await self._begin()
        await self.rooms[1].act(Surrender())
        await self._ended()

    async def dissolve(self) -> None:
        """A game that all vote to stop."""
        await self._begin()
        for room in self.rooms:
            await room.dissolve()
        await self._ended()

    async def archived(self, count: int) -> list[PastGame]:
        """The first player's games, once there are so many."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                listed = await self.clients[0].past.games(self.clients[0].player)
                if len(listed.games) == count:
                    return list(listed.games)
                await asyncio.sleep(0.02)

    async def _begin(self) -> None:
        for room in self.rooms:
            await room.ready(entropy=b"e")
        await self._reach(RoomStatus.ROOM_STATUS_PLAYING)

    async def _ended(self) -> None:
        await self._reach(RoomStatus.ROOM_STATUS_FINISHED)

    async def _reach(self, status: "RoomStatus.ValueType") -> None:
        async with asyncio.timeout(PATIENCE_S):
            for room in self.rooms:
                if room.view.status != status:
                    async for _ in room.changes():
                        if room.view.status == status:
                            break


@pytest.fixture
async def table(redis_url: str, sqlite_url: str) -> AsyncIterator[Table]:
    async with AsyncExitStack() as stack:
        desk = await stack.enter_async_context(archive(redis_url, sqlite_url))
        await stack.enter_async_context(engine(redis_url))
        door = await stack.enter_async_context(
            gateway(
                redis_url,
                archive=(desk.address,),
                guests=True,
                token_keys=(f"k=HS256:value:{SECRET}",),
            )
        )
        clients = [
            await stack.enter_async_context(Client([f"http://{door.http_address}"], guest=name))
            for name in ("Ann", "Bob", "Cat")
        ]
        opened = await clients[0].open_room(CLASSIC)
        rooms = [await clients[0].watch(opened.room_id)]
        rooms += [await client.join(opened.code) for client in clients[1:]]
        database = Database(ArchiveConfig(database_url=sqlite_url))
        stack.push_async_callback(database.aclose)
        front = await stack.enter_async_context(grpc.aio.insecure_channel(door.grpc_address))
        yield Table(clients, rooms, desk, database, front)


async def test_what_is_played_is_in_the_history(table: Table) -> None:
    await table.rooms[0].say("secret words")
    await table.play()
    (game,) = await table.archived(1)
    ann, bob, cat = (client.player for client in table.clients)
    assert (game.room_id, game.game_no, game.kind) == (table.room_id, 1, "doudizhu")
    assert (game.ladder, game.reason, game.rated) == (LADDER, "SURRENDER", True)
    assert [(seat.player, seat.name, seat.score, seat.won, seat.rank) for seat in game.seats] == [
        (ann, "Ann", 1, True, 1),
        (bob, "Bob", -2, False, 3),
        (cat, "Cat", 1, True, 1),
    ]
    assert game.start_time.ToMilliseconds() < game.end_time.ToMilliseconds()

    past = table.clients[1].past
    detail = await past.game(table.room_id, 1)
    assert detail.game == game
    assert detail.result == table.rooms[0].view.result
    assert detail.config.doudizhu.rule_set == CLASSIC.doudizhu.rule_set

    board = await past.leaderboard(LADDER, season="current")
    assert [entry.rank for entry in board.entries] == [1, 1, 3]
    assert board.entries[2].rating.player == bob
    assert (await past.leaderboard(LADDER, around=bob, size=1)).entries[0].rating.player == bob
    (rating,) = await past.ratings([bob])
    assert (rating.ladder, rating.games, rating.wins, rating.season) == (LADDER, 1, 0, "")

    assert "Bob -2" in history_lines([game])[0]
    assert leaderboard_lines(board.entries)[2].split()[0] == "3"
    assert "secret words" not in await _everything(table.database)


async def test_the_archived_log_leads_to_the_end_again(table: Table) -> None:
    await table.play()
    await table.archived(1)
    response = await table.desk.logs.GetLog(GetLogRequest(room_id=table.room_id, game_no=1))
    lines = [
        {
            b"what": line.what.encode(),
            b"at": str(line.at).encode(),
            b"seat": str(line.seat).encode(),
            b"body": line.body,
        }
        for line in response.log.lines
    ]
    outcome = host().game.outcome(replayed(host(), lines))
    assert outcome is not None
    assert (outcome.reason, outcome.scores) == ("SURRENDER", (1, -2, 1))
    assert [seat.name for seat in response.seats] == ["Ann", "Bob", "Cat"]


@pytest.mark.parametrize("gone", ["log", "room"])
async def test_a_replay_is_given_after_redis_has_forgotten_the_game(
    table: Table, batch: Batch, gone: str
) -> None:
    await table.play()
    await table.archived(1)
    before = await _replay(table, 1)
    assert [seat.name for seat in before[0].start.seats] == ["Ann", "Bob", "Cat"]
    room_id = table.room_id
    key = KEYS.log(room_id, 1) if gone == "log" else KEYS.room(room_id)
    assert await batch.call("DEL", key) == 1
    assert await _replay(table, 1) == before
    not_kept = "GAME_NOT_FOUND" if gone == "log" else "ROOM_NOT_FOUND"
    assert await _reason(_replay(table, 2)) == not_kept


async def test_a_dissolved_game_is_kept_and_rates_nobody(table: Table) -> None:
    await table.dissolve()
    (game,) = await table.archived(1)
    assert (game.reason, game.rated, [seat.rank for seat in game.seats]) == (
        "DISSOLVED",
        False,
        [0, 0, 0],
    )
    assert await table.clients[0].past.ratings([table.clients[0].player]) == []


async def test_backends_ask_by_grpc_and_operators_rename_and_erase(table: Table) -> None:
    await table.play()
    await table.archived(1)
    ann, bob, _ = (client.player for client in table.clients)
    history, operators = HistoryServiceStub(table.front), AdminServiceStub(table.front)
    play, operator = _token("play"), _token("admin")
    asked = pb.ListGamesRequest(player=bob)
    listed = await history.ListGames(asked, metadata=play)
    assert listed.games[0].seats[1].name == "Bob"
    assert await _reason(history.ListGames(asked, metadata=operator)) == "SCOPE_MISSING"
    rename = admin.RenamePlayerRequest(request_id="1", player=bob, name="Rob")
    assert await _reason(operators.RenamePlayer(rename, metadata=play)) == "SCOPE_MISSING"
    await operators.RenamePlayer(rename, metadata=operator)
    listed = await history.ListGames(asked, metadata=play)
    assert listed.games[0].seats[1].name == "Rob"

    erase = admin.ErasePlayerRequest(request_id="2", player=bob)
    assert (await operators.ErasePlayer(erase, metadata=operator)).games == 1
    assert (await operators.ErasePlayer(erase, metadata=operator)).games == 0
    assert list((await history.ListGames(asked, metadata=play)).games) == []
    (game,) = (await history.ListGames(pb.ListGamesRequest(player=ann), metadata=play)).games
    assert (game.seats[1].name, game.seats[1].score) == ("", -2)
    assert game.seats[1].player.startswith("erased-")
    board = await history.ListLeaderboard(pb.ListLeaderboardRequest(ladder=LADDER), metadata=play)
    assert {entry.rating.name for entry in board.entries} == {"Ann", "Cat"}
    # Of the running room's next game he is a new player.
    await table.play()
    await table.archived(2)
    (rating,) = await table.clients[1].past.ratings([bob])
    assert (rating.games, rating.name) == (1, "Bob")


async def test_bad_questions_are_refused(table: Table) -> None:
    past = table.clients[0].past
    refusals = {
        "GAME_NOT_FOUND": past.game(table.room_id, 7),
        "MALFORMED": past.leaderboard(LADDER, page="nonsense"),
    }
    for reason, question in refusals.items():
        with pytest.raises(Refused) as error:
            await question
        assert error.value.name == reason
    for request in (
        pb.ListLeaderboardRequest(),
        pb.ListLeaderboardRequest(ladder=LADDER, page_size=101),
        pb.ListLeaderboardRequest(ladder=LADDER, page_size=-1),
        pb.ListLeaderboardRequest(ladder=LADDER, around="ann", page_token="x"),
    ):
        assert await _reason(table.desk.history.ListLeaderboard(request)) == "MALFORMED"
    assert await _reason(table.desk.history.GetRatings(pb.GetRatingsRequest())) == "MALFORMED"
    assert await _reason(table.desk.history.ListGames(pb.ListGamesRequest())) == "MALFORMED"
    nameless = admin.RenamePlayerRequest(request_id="1", player="ann", name="\u202e")
    assert await _reason(table.desk.admin.RenamePlayer(nameless)) == "MALFORMED"


async def _replay(table: Table, game_no: int) -> list[ReplayPart]:
    request = GetReplayRequest(room_id=table.room_id, game_no=game_no)
    stream: Any = PlayServiceStub(table.front).GetReplay(request, metadata=_token("play"))
    return [response.part async for response in stream]


async def _reason(call: Any) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call
    return reason_name(from_rpc_error(error.value).reason)


def _token(scope: str) -> Any:
    claims = {"sub": "backend", "exp": time.time() + 60, "scope": scope}
    return bearer(jwt.encode(claims, SECRET, algorithm="HS256", headers={"kid": "k"}))


async def _everything(database: Database) -> str:
    """All values of all rows, as one text, with what is compressed in them."""
    values: list[Any] = []
    async with database.reading() as connection:
        for table in metadata.tables.values():
            values += [tuple(row) for row in await connection.execute(table.select())]
        for row in await connection.execute(metadata.tables["logs"].select()):
            values.append(zlib.decompress(row.lines).decode(errors="replace"))
    return msgspec.json.encode(values).decode() + repr(values)
