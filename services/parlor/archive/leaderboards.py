"""Ratings and leaderboards, as they are asked for.

A leaderboard is the index of ratings read from its upper end: by ordinal, and by id among equals.
"""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Row, Select, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from parlor.archive.pages import position_of, token_of
from parlor.archive.strength import BEGINNER
from parlor.archive.tables import players, ratings
from parlor.v1.history_pb2 import LeaderboardEntry, Rating
from parlor.v1.history_service_pb2 import ListLeaderboardResponse

_order: Final = tuple_(ratings.c.ordinal, ratings.c.player)
_Rows = Sequence[Row[Any]]


async def ratings_of(
    connection: AsyncConnection, who: Sequence[str], *, ladder: str, season: str
) -> list[Rating]:
    """The players' ratings on one ladder, beginners' too, or on all where they have played."""
    asked = (
        select(ratings)
        .where(ratings.c.player.in_(who), ratings.c.season == season)
        .order_by(ratings.c.ladder)
    )
    if ladder:
        asked = asked.where(ratings.c.ladder == ladder)
    found: dict[str, list[Row[Any]]] = {}
    for row in await connection.execute(asked):
        found.setdefault(row.player, []).append(row)
    named = {
        row.player: row.name
        for row in await connection.execute(
            select(players.c.player, players.c.name).where(players.c.player.in_(who))
        )
    }
    given: list[Rating] = []
    for player in dict.fromkeys(who):
        given += (_rating(row, named.get(player)) for row in found.get(player, ()))
        if ladder and player not in found:
            given.append(_beginner(player, named.get(player), ladder=ladder, season=season))
    return given


async def page_of(
    connection: AsyncConnection, *, ladder: str, season: str, size: int, token: str
) -> ListLeaderboardResponse:
    """A page from the top, or behind another."""
    asked = _downwards(ladder, season)
    after = position_of(token, tuple[float, str])
    if after is not None:
        asked = asked.where(_order < after)
    rows = (await connection.execute(asked.limit(size + 1))).all()
    return await _listed(connection, rows[:size], ladder, season, more=len(rows) > size)


async def around(
    connection: AsyncConnection, player: str, *, ladder: str, season: str, size: int
) -> ListLeaderboardResponse:
    """The player with about as many above as below, as far as there are."""
    of_player = _on(ladder, season).where(ratings.c.player == player)
    here = (await connection.execute(of_player)).one_or_none()
    if here is None:
        return await _listed(connection, (), ladder, season, more=False)
    place = (here.ordinal, here.player)
    upwards = (
        _on(ladder, season)
        .where(_order > place)
        .order_by(ratings.c.ordinal, ratings.c.player)
        .limit((size - 1) // 2)
    )
    above = (await connection.execute(upwards)).all()[::-1]
    left = size - len(above)
    rest = (
        await connection.execute(_downwards(ladder, season).where(_order <= place).limit(left + 1))
    ).all()
    rows = (*above, *rest[:left])
    return await _listed(connection, rows, ladder, season, more=len(rest) > left)


async def _listed(
    connection: AsyncConnection, rows: _Rows, ladder: str, season: str, *, more: bool
) -> ListLeaderboardResponse:
    """The rows, which follow each other on the leaderboard, with their ranks."""
    counting = select(func.count()).select_from(ratings)
    counting = counting.where(ratings.c.ladder == ladder, ratings.c.season == season)
    listed = ListLeaderboardResponse(season=season, players=await connection.scalar(counting) or 0)
    if rows:
        first = rows[0]
        better = await connection.scalar(counting.where(ratings.c.ordinal > first.ordinal)) or 0
        before = (
            await connection.scalar(counting.where(_order > (first.ordinal, first.player))) or 0
        )
        rank, ordinal = better + 1, first.ordinal
        for place, row in enumerate(rows, start=before + 1):
            if row.ordinal != ordinal:
                rank, ordinal = place, row.ordinal
            listed.entries.append(LeaderboardEntry(rank=rank, rating=_rating(row, row.name)))
        if more:
            listed.next_page_token = token_of((rows[-1].ordinal, rows[-1].player))
    return listed


def _on(ladder: str, season: str) -> Select[Any]:
    return (
        select(ratings, players.c.name)
        .join_from(ratings, players, ratings.c.player == players.c.player, isouter=True)
        .where(ratings.c.ladder == ladder, ratings.c.season == season)
    )


def _downwards(ladder: str, season: str) -> Select[Any]:
    return _on(ladder, season).order_by(ratings.c.ordinal.desc(), ratings.c.player.desc())


def _rating(row: Row[Any], name: str | None) -> Rating:
    return Rating(
        ladder=row.ladder,
        season=row.season,
        player=row.player,
        name=name or "",
        mu=row.mu,
        sigma=row.sigma,
        ordinal=row.ordinal,
        games=row.games,
        wins=row.wins,
    )


def _beginner(player: str, name: str | None, *, ladder: str, season: str) -> Rating:
    return Rating(
        ladder=ladder,
        season=season,
        player=player,
        name=name or "",
        mu=BEGINNER.mu,
        sigma=BEGINNER.sigma,
        ordinal=BEGINNER.ordinal,
    )
