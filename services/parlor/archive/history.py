"""Past games, as they are asked for."""

import zlib
from collections.abc import Sequence
from typing import Any

from sqlalchemy import and_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from parlor.archive.pages import position_of, token_of
from parlor.archive.tables import games, logs, players, seats
from parlor.serving.errors import ServiceError
from parlor.v1.archive_service_pb2 import GameLog, GetLogResponse
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.history_pb2 import PastGame, PastGameDetail, PastSeat
from parlor.v1.history_service_pb2 import ListGamesResponse
from parlor.v1.room_pb2 import GameConfig, GameResult
from parlor.wire.times import timestamp

_SUMMARY = (
    games.c.room_id,
    games.c.game_no,
    games.c.kind,
    games.c.ladder,
    games.c.reason,
    games.c.start_ms,
    games.c.end_ms,
    games.c.rated,
)


async def games_of(
    connection: AsyncConnection, player: str, *, ladder: str, size: int, token: str
) -> ListGamesResponse:
    """A page of a player's games, newest first; of two that ended in one ms, in the order of their rooms."""
    order = (seats.c.end_ms, seats.c.room_id, seats.c.game_no)
    asked = (
        select(*_SUMMARY)
        .join_from(seats, games, _of_one_game(seats, games))
        .where(seats.c.player == player)
        .order_by(*(column.desc() for column in order))
        .limit(size + 1)
    )
    if ladder:
        asked = asked.where(games.c.ladder == ladder)
    after = position_of(token, tuple[int, str, int])
    if after is not None:
        asked = asked.where(tuple_(*order) < after)
    rows = (await connection.execute(asked)).all()
    page = rows[:size]
    listed = ListGamesResponse(games=await _with_seats(connection, page))
    if len(rows) > size:
        last = page[-1]
        listed.next_page_token = token_of((last.end_ms, last.room_id, last.game_no))
    return listed


async def game(connection: AsyncConnection, room_id: str, game_no: int) -> PastGameDetail:
    """One game; raises GAME_NOT_FOUND."""
    row = (
        await connection.execute(
            select(*_SUMMARY, games.c.rules, games.c.config, games.c.result).where(
                games.c.room_id == room_id, games.c.game_no == game_no
            )
        )
    ).one_or_none()
    if row is None:
        raise _not_found()
    (summary,) = await _with_seats(connection, [row])
    return PastGameDetail(
        game=summary,
        config=GameConfig.FromString(row.config),
        result=GameResult.FromString(row.result),
        rules=row.rules,
    )


async def log(connection: AsyncConnection, room_id: str, game_no: int) -> GetLogResponse:
    """The log of a game, with its seats; raises GAME_NOT_FOUND where none was kept."""
    lines = await connection.scalar(
        select(logs.c.lines).where(logs.c.room_id == room_id, logs.c.game_no == game_no)
    )
    if lines is None:
        raise _not_found()
    found = await _seats_of(connection, [(room_id, game_no)])
    return GetLogResponse(
        log=GameLog.FromString(zlib.decompress(lines)), seats=found[room_id, game_no]
    )


async def _with_seats(connection: AsyncConnection, rows: Sequence[Any]) -> list[PastGame]:
    found = await _seats_of(connection, [(row.room_id, row.game_no) for row in rows])
    return [
        PastGame(
            room_id=row.room_id,
            game_no=row.game_no,
            kind=row.kind,
            ladder=row.ladder,
            reason=row.reason,
            start_time=timestamp(row.start_ms) if row.start_ms is not None else None,
            end_time=timestamp(row.end_ms),
            rated=row.rated,
            seats=found[row.room_id, row.game_no],
        )
        for row in rows
    ]


async def _seats_of(
    connection: AsyncConnection, keys: Sequence[tuple[str, int]]
) -> dict[tuple[str, int], list[PastSeat]]:
    """The seats of some games, each game's in order."""
    found: dict[tuple[str, int], list[PastSeat]] = {key: [] for key in keys}
    if not keys:
        return found
    rows = await connection.execute(
        select(seats, players.c.name)
        .join_from(seats, players, seats.c.player == players.c.player, isouter=True)
        .where(tuple_(seats.c.room_id, seats.c.game_no).in_(keys))
        .order_by(seats.c.room_id, seats.c.game_no, seats.c.seat)
    )
    for row in rows:
        found[row.room_id, row.game_no].append(
            PastSeat(
                player=row.player,
                name=row.name or "",
                bot=row.bot,
                score=row.score,
                won=row.won,
                rank=row.rank,
                took_over=row.took_over,
            )
        )
    return found


def _of_one_game(first: Any, second: Any) -> Any:
    return and_(first.c.room_id == second.c.room_id, first.c.game_no == second.c.game_no)


def _not_found() -> ServiceError:
    return ServiceError(ErrorReason.ERROR_REASON_GAME_NOT_FOUND, "no such game is archived")
