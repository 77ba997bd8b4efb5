"""Questions about past games, each a request of the session."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from parlor.v1.history_pb2 import PastGameDetail, Rating
from parlor.v1.history_service_pb2 import (
    GetGameRequest,
    GetRatingsRequest,
    ListGamesRequest,
    ListGamesResponse,
    ListLeaderboardRequest,
    ListLeaderboardResponse,
)
from parlor.v1.play_pb2 import AskHistory, HistoryAnswer


class Past:
    """What came of past games. Every method raises `Refused`, SessionOver or TimeoutError."""

    def __init__(self, ask: Callable[[AskHistory], Awaitable[HistoryAnswer]]) -> None:
        self._ask = ask

    async def ratings(
        self, players: Sequence[str], *, ladder: str = "", season: str = ""
    ) -> Sequence[Rating]:
        """The players' ratings, of all time unless a season is named; `current` is the one that runs."""
        asked = GetRatingsRequest(players=players, ladder=ladder, season=season)
        return (await self._answer(get_ratings=asked)).get_ratings.ratings

    async def leaderboard(
        self, ladder: str, *, season: str = "", size: int = 0, page: str = "", around: str = ""
    ) -> ListLeaderboardResponse:
        """A page of a leaderboard, or the part of it around a player."""
        asked = ListLeaderboardRequest(
            ladder=ladder, season=season, page_size=size, page_token=page, around=around
        )
        return (await self._answer(list_leaderboard=asked)).list_leaderboard

    async def games(
        self, player: str, *, ladder: str = "", size: int = 0, page: str = ""
    ) -> ListGamesResponse:
        """A page of a player's games, newest first."""
        asked = ListGamesRequest(player=player, ladder=ladder, page_size=size, page_token=page)
        return (await self._answer(list_games=asked)).list_games

    async def game(self, room_id: str, game_no: int) -> PastGameDetail:
        """One game."""
        asked = GetGameRequest(room_id=room_id, game_no=game_no)
        return (await self._answer(get_game=asked)).get_game.game

    async def _answer(self, **question: Any) -> HistoryAnswer:
        return await self._ask(AskHistory(**question))
