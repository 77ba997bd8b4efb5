"""The way in: questions about past games, what operators change, and logs for engines."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from parlor.archive import history, leaderboards, people
from parlor.archive.config import ArchiveConfig
from parlor.archive.database import Database
from parlor.archive.outages import is_away
from parlor.archive.pages import MOST, size_of
from parlor.archive.publishing import Publisher
from parlor.archive.seasons import CURRENT, season_of
from parlor.serving.errors import ServiceError
from parlor.v1 import admin_service_pb2 as admin
from parlor.v1 import archive_service_pb2 as archive
from parlor.v1 import history_service_pb2 as pb
from parlor.v1.admin_service_pb2_grpc import AdminServiceServicer
from parlor.v1.archive_service_pb2_grpc import ArchiveServiceServicer
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.history_service_pb2_grpc import HistoryServiceServicer

_log = structlog.get_logger(__name__)

Context = grpc.aio.ServicerContext[Any, Any]

_MOST_ID = 64
_MOST_NAME = 24


class HistoryServicer(HistoryServiceServicer):
    """`parlor.v1.HistoryService` on one replica."""

    def __init__(self, database: Database, config: ArchiveConfig, now: Callable[[], int]) -> None:
        self._database = database
        self._period = config.season
        self._now = now

    async def GetRatings(
        self, request: pb.GetRatingsRequest, context: Context
    ) -> pb.GetRatingsResponse:
        """Ratings of some players."""
        if not 1 <= len(request.players) <= MOST:
            raise _malformed(f"1 to {MOST} players", "players")
        season = self._season(request.season)
        async with _reading(self._database) as connection:
            found = await leaderboards.ratings_of(
                connection, request.players, ladder=request.ladder, season=season
            )
        return pb.GetRatingsResponse(ratings=found)

    async def ListLeaderboard(
        self, request: pb.ListLeaderboardRequest, context: Context
    ) -> pb.ListLeaderboardResponse:
        """A part of a leaderboard."""
        if not request.ladder:
            raise _malformed("no ladder is named", "ladder")
        if request.around and request.page_token:
            raise _malformed("either a page or a neighbourhood", "page_token")
        size, season = size_of(request.page_size), self._season(request.season)
        async with _reading(self._database) as connection:
            if request.around:
                return await leaderboards.around(
                    connection, request.around, ladder=request.ladder, season=season, size=size
                )
            return await leaderboards.page_of(
                connection,
                ladder=request.ladder,
                season=season,
                size=size,
                token=request.page_token,
            )

    async def ListGames(
        self, request: pb.ListGamesRequest, context: Context
    ) -> pb.ListGamesResponse:
        """A page of a player's games."""
        if not request.player:
            raise _malformed("no player is named", "player")
        size = size_of(request.page_size)
        async with _reading(self._database) as connection:
            return await history.games_of(
                connection,
                request.player,
                ladder=request.ladder,
                size=size,
                token=request.page_token,
            )

    async def GetGame(self, request: pb.GetGameRequest, context: Context) -> pb.GetGameResponse:
        """One game."""
        async with _reading(self._database) as connection:
            found = await history.game(connection, request.room_id, request.game_no)
        return pb.GetGameResponse(game=found)

    def _season(self, named: str) -> str:
        return season_of(self._now(), self._period) if named == CURRENT else named


class AdminServicer(AdminServiceServicer):
    """`parlor.v1.AdminService` on one replica."""

    def __init__(
        self,
        database: Database,
        publisher: Publisher,
        config: ArchiveConfig,
        now: Callable[[], int],
    ) -> None:
        self._database = database
        self._publisher = publisher
        self._remembered_ms = config.erasure_ms
        self._now = now

    async def RenamePlayer(
        self, request: admin.RenamePlayerRequest, context: Context
    ) -> admin.RenamePlayerResponse:
        """Gives a player another name."""
        player = _named(request.player)
        if request.name and not _is_fit(request.name):
            raise _malformed(f"up to {_MOST_NAME} printable characters", "name")
        async with _answering():
            await people.rename(self._database, player, request.name)
        _log.info("player_renamed")
        return admin.RenamePlayerResponse()

    async def ErasePlayer(
        self, request: admin.ErasePlayerRequest, context: Context
    ) -> admin.ErasePlayerResponse:
        """Takes a player out of the history."""
        player = _named(request.player)
        async with _answering():
            games = await people.erase(
                self._database, player, now_ms=self._now(), remembered_ms=self._remembered_ms
            )
            await self._publisher.forget(player)
        # Not whom: the log would be the next place to erase them from.
        _log.info("player_erased", games=games)
        return admin.ErasePlayerResponse(games=games)


class ArchiveServicer(ArchiveServiceServicer):
    """`parlor.v1.ArchiveService` on one replica."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def GetLog(
        self, request: archive.GetLogRequest, context: Context
    ) -> archive.GetLogResponse:
        """A game's log."""
        async with _reading(self._database) as connection:
            return await history.log(connection, request.room_id, request.game_no)


@asynccontextmanager
async def _answering() -> AsyncIterator[None]:
    """Tells the caller of a database that is away."""
    try:
        yield
    except Exception as error:
        if not is_away(error):
            raise
        _log.warning("store_failed", error=type(error).__name__)
        raise ServiceError(
            ErrorReason.ERROR_REASON_STORE_UNAVAILABLE, "the store does not answer"
        ) from error


@asynccontextmanager
async def _reading(database: Database) -> AsyncIterator[AsyncConnection]:
    async with _answering(), database.reading() as connection:
        yield connection


def _named(player: str) -> str:
    if not 0 < len(player) <= _MOST_ID:
        raise _malformed("no player is named", "player")
    return player


def _is_fit(name: str) -> bool:
    """As gateways take names from tokens."""
    return len(name) <= _MOST_NAME and name.isprintable() and bool(name.strip())


def _malformed(message: str, field: str) -> ServiceError:
    return ServiceError(ErrorReason.ERROR_REASON_MALFORMED, message, field=field)
