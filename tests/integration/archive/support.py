"""Ended games as engines tell of them, replicas of the archive, and what is found in it."""

import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import grpc
from sqlalchemy import select

from parlor.archive.config import ArchiveConfig
from parlor.archive.database import Database
from parlor.archive.replica import SERVICES, bind
from parlor.archive.tables import games, ratings, seats
from parlor.serving import serving
from parlor.serving.channels import CHANNEL_OPTIONS
from parlor.serving.keys import Keys, shard_of
from parlor.serving.redis import Batch
from parlor.v1.admin_service_pb2_grpc import AdminServiceStub
from parlor.v1.archive_service_pb2_grpc import ArchiveServiceStub
from parlor.v1.doudizhu_pb2 import DouDizhuConfig
from parlor.v1.finished_pb2 import FinishedGame, FinishedSeat, FinishedSide
from parlor.v1.history_service_pb2_grpc import HistoryServiceStub
from parlor.v1.room_pb2 import GameConfig, GameResult
from parlor.wire.times import timestamp

KEYS = Keys()
LADDER = "doudizhu-standard"
NAMES = ("ann", "bob", "cat")
BEGAN_MS = 1_764_000_000_000
QUICK: dict[str, Any] = {"poll_ms": 10, "owner_ms": 500}


def game(
    number: int = 1,
    *,
    room_id: str = "s0-doudizhu-aaaaaa",
    players: Sequence[str] = NAMES,
    landlord: int = 0,
    wins: bool = True,
    bot: int | None = None,
    took_over: int | None = None,
    rated: bool = True,
    at: int | None = None,
) -> FinishedGame:
    """A game that the landlord has won, or lost."""
    sign = 1 if wins else -1
    peasants = [seat for seat in range(3) if seat != landlord]
    sides = [
        FinishedSide(seats=[landlord], rank=1 if wins else 2),
        FinishedSide(seats=peasants, rank=2 if wins else 1),
    ]
    return FinishedGame(
        room_id=room_id,
        game_no=number,
        rules=1,
        config=GameConfig(doudizhu=DouDizhuConfig(base_score=1)),
        seats=[
            FinishedSeat(
                player=player, name=player.title(), bot=seat == bot, took_over=seat == took_over
            )
            for seat, player in enumerate(players)
        ],
        result=GameResult(
            game_no=number,
            reason="OUT" if rated else "DISSOLVED",
            winners=([landlord] if wins else peasants) if rated else [],
            scores=[sign * (2 if seat == landlord else -1) if rated else 0 for seat in range(3)],
            seed=b"s" * 32,
            entropy=[b"", b"", b""],
        ),
        end_time=timestamp(BEGAN_MS + number * 60_000 if at is None else at),
        ladder=LADDER,
        sides=sorted(sides, key=lambda side: side.rank) if rated else [],
    )


async def tell(batch: Batch, ended: FinishedGame, *, token: bytes = b"t") -> None:
    """Tells the archive of a game, as the step that ended it does."""
    stream = KEYS.finished(shard_of(ended.room_id))
    await batch.call("XADD", stream, "*", "game", ended.SerializeToString(), "token", token)


@dataclass(frozen=True, slots=True)
class Desk:
    """Where a replica of the archive is asked."""

    address: str
    history: Any
    admin: Any
    logs: Any


@asynccontextmanager
async def archive(redis_url: str, database_url: str, **settings: Any) -> AsyncIterator[Desk]:
    """A replica in this process, and the way to it."""
    config = ArchiveConfig(redis_url=redis_url, database_url=database_url, **(QUICK | settings))
    async with (
        serving("archive", config, bind, services=SERVICES) as app,
        grpc.aio.insecure_channel(app.grpc_address, options=CHANNEL_OPTIONS) as channel,
    ):
        yield Desk(
            app.grpc_address,
            HistoryServiceStub(channel),
            AdminServiceStub(channel),
            ArchiveServiceStub(channel),
        )


async def archived(database: Database) -> list[tuple[str, int]]:
    """The games that are in the database."""
    async with database.reading() as connection:
        rows = await connection.execute(select(games.c.room_id, games.c.game_no))
        return sorted((row.room_id, row.game_no) for row in rows)


async def rated(database: Database, season: str = "") -> dict[str, tuple[float, float, int, int]]:
    """By player: mu, sigma, games and wins."""
    async with database.reading() as connection:
        rows = await connection.execute(select(ratings).where(ratings.c.season == season))
        return {row.player: (row.mu, row.sigma, row.games, row.wins) for row in rows}


async def seated(database: Database) -> list[Any]:
    """All seats of all games."""
    async with database.reading() as connection:
        order = (seats.c.end_ms, seats.c.room_id, seats.c.game_no, seats.c.seat)
        return list(await connection.execute(select(seats).order_by(*order)))


async def waiting(batch: Batch, shards: int = 64) -> int:
    """How many games are not acknowledged."""
    return sum([await batch.call("XLEN", KEYS.finished(shard)) for shard in range(shards)])


def new_id() -> str:
    return uuid.uuid4().hex
