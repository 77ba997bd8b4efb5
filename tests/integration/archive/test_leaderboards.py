"""Pages, ranks and neighbourhoods."""

from typing import Any

import pytest

from parlor.archive import history, leaderboards
from parlor.archive.database import Database
from parlor.archive.filing import Ended, file
from parlor.archive.tables import players, ratings
from parlor.v1.history_service_pb2 import ListLeaderboardResponse
from tests.integration.archive.support import LADDER, game

ORDINALS = {"a": 9.5, "b": 7.25, "c": 7.25, "d": 7.25, "e": 0.1, "f": -3.0}
PLACES = [("a", 1), ("d", 2), ("c", 2), ("b", 2), ("e", 5), ("f", 6)]


@pytest.fixture
async def ranked(database: Database) -> Database:
    async with database.writing() as connection:
        for player, ordinal in ORDINALS.items():
            counts = {"mu": ordinal + 3, "sigma": 1.0, "games": 1, "wins": 0}
            for season in ("", "2025-11"):
                await connection.execute(
                    ratings.insert().values(
                        ladder=LADDER, season=season, player=player, ordinal=ordinal, **counts
                    )
                )
        await connection.execute(players.insert().values(player="a", name="Ada", given=False))
    return database


def places(listed: ListLeaderboardResponse) -> list[tuple[str, int]]:
    return [(entry.rating.player, entry.rank) for entry in listed.entries]


@pytest.mark.parametrize("size", [1, 2, 4, 6, 20])
async def test_pages_follow_each_other_with_their_ranks(ranked: Database, size: int) -> None:
    found: list[tuple[str, int]] = []
    token = ""
    while True:
        async with ranked.reading() as connection:
            page = await leaderboards.page_of(
                connection, ladder=LADDER, season="", size=size, token=token
            )
        assert (page.players, len(page.entries) <= size) == (6, True)
        found += places(page)
        token = page.next_page_token
        if not token:
            break
    assert found == PLACES


@pytest.mark.parametrize(
    ("player", "size", "expected"),
    [
        pytest.param("b", 3, PLACES[2:5], id="in the middle"),
        pytest.param("a", 3, PLACES[:3], id="at the top"),
        pytest.param("f", 3, PLACES[4:], id="at the end"),
        pytest.param("c", 1, PLACES[2:3], id="alone"),
        pytest.param("nobody", 3, [], id="not there"),
    ],
)
async def test_a_neighbourhood(
    ranked: Database, player: str, size: int, expected: list[Any]
) -> None:
    async with ranked.reading() as connection:
        found = await leaderboards.around(
            connection, player, ladder=LADDER, season="2025-11", size=size
        )
    assert places(found) == expected


async def test_ratings_of_some_players(ranked: Database) -> None:
    async with ranked.reading() as connection:
        one = await leaderboards.ratings_of(connection, ["new", "a"], ladder=LADDER, season="")
        every = await leaderboards.ratings_of(connection, ["new", "a"], ladder="", season="")
    assert [(r.player, r.name, r.games, r.mu) for r in one] == [
        ("new", "", 0, 25.0),
        ("a", "Ada", 1, 12.5),
    ]
    assert [r.player for r in every] == ["a"]


async def test_a_player_games_by_pages(database: Database) -> None:
    async with database.writing() as connection:
        for number in range(1, 8):
            # Two of a time, as of two rooms that end in one ms.
            ended = game(number, room_id=f"s{number}-doudizhu-aaaaaa", at=1_000 * (number // 2))
            await file(database, connection, [Ended(game=ended)], period="year")
    found: list[str] = []
    token = ""
    while True:
        async with database.reading() as connection:
            page = await history.games_of(connection, "bob", ladder="", size=3, token=token)
            others = await history.games_of(connection, "bob", ladder="x", size=3, token=token)
        assert not others.games
        found += [each.room_id for each in page.games]
        token = page.next_page_token
        if not token:
            break
    assert found == [f"s{number}-doudizhu-aaaaaa" for number in (7, 6, 5, 4, 3, 2, 1)]
