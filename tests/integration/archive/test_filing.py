"""One game into the database: its rows, its ratings, and that a repeat changes nothing."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import inspect

from parlor.archive.config import ArchiveConfig
from parlor.archive.database import Database
from parlor.archive.filing import ARCHIVED, REPEATED, Ended, Unfit, file, parsed
from parlor.archive.migrating import migrate
from parlor.archive.people import erase, rename
from parlor.archive.tables import metadata
from parlor.v1.archive_service_pb2 import LogLine
from parlor.v1.finished_pb2 import FinishedGame
from tests.integration.archive.support import (
    BEGAN_MS,
    archived,
    game,
    rated,
    seated,
)


async def filed(
    database: Database, *games: FinishedGame, began: int | None = BEGAN_MS, token: bytes = b"t"
) -> list[str]:
    log = [] if began is None else [LogLine(version=1, at=began, what="start", seat=-1)]
    ended = [Ended(game=each, token=token, log=log) for each in games]
    async with database.writing() as connection:
        return await file(database, connection, ended, period="month")


async def test_a_game_is_filed_with_its_ratings(database: Database) -> None:
    assert await filed(database, game()) == [ARCHIVED]
    assert await archived(database) == [("s0-doudizhu-aaaaaa", 1)]
    ratings = await rated(database)
    assert ratings["ann"][0] > 25 > ratings["bob"][0] == ratings["cat"][0]
    assert {player: counts[2:] for player, counts in ratings.items()} == {
        "ann": (1, 1),
        "bob": (1, 0),
        "cat": (1, 0),
    }
    assert await rated(database, "2025-11") == ratings


async def test_a_repeat_changes_nothing(database: Database) -> None:
    await filed(database, game())
    before = (await rated(database), await seated(database))
    assert await filed(database, game(), token=b"of another life") == [REPEATED]
    # Nor one that says something else, as after a failover that took the end of the game back.
    assert await filed(database, game(wins=False, players=("dan", "eve", "fay"))) == [REPEATED]
    assert (await rated(database), await seated(database)) == before


async def test_many_at_once_are_what_they_are_one_by_one(
    database: Database, tmp_path: Path
) -> None:
    several = [game(number, wins=number % 3 == 0, landlord=number % 3) for number in range(1, 9)]
    twice = [several[0], several[0], *several[1:], several[3]]
    assert await filed(database, *twice) == [ARCHIVED, REPEATED, *[ARCHIVED] * 7, REPEATED]
    single = Database(ArchiveConfig(database_url=f"sqlite:///{tmp_path}/single.db"))
    await migrate(single)
    for each in several:
        await filed(single, each)
    assert await rated(single) == await rated(database)
    await single.aclose()


async def test_a_season_counts_its_own_games_only(database: Database) -> None:
    await filed(database, game(1))
    await filed(database, game(2, at=1_764_547_200_000))  # December begins.
    assert (await rated(database, "2025-12"))["ann"] == (await rated(database, "2025-11"))["ann"]
    assert (await rated(database))["ann"][2] == 2


@pytest.mark.parametrize(
    "unrated",
    [
        pytest.param({"bot": 2}, id="with a bot"),
        pytest.param({"took_over": 2}, id="with a bot at first"),
        pytest.param({"rated": False}, id="dissolved"),
    ],
)
async def test_it_is_kept_and_rates_nobody(database: Database, unrated: dict[str, Any]) -> None:
    assert await filed(database, game(**unrated)) == [ARCHIVED]
    assert len(await archived(database)) == 1
    assert await rated(database) == {}


async def test_who_is_erased_leaves_scores_behind(database: Database) -> None:
    await filed(database, game(1))
    await filed(database, game(2))
    scores = [seat.score for seat in await seated(database)]
    assert await erase(database, "ann", now_ms=BEGAN_MS + 1, remembered_ms=10**9) == 2
    rows = await seated(database)
    assert [seat.score for seat in rows] == scores
    assert {seat.player for seat in rows if seat.seat == 0} != {"ann"}
    assert set(await rated(database)) == {"bob", "cat"}
    assert "ann" not in await _everything(database)
    assert "Ann" not in await _everything(database)


@pytest.mark.parametrize(
    ("began", "is_known"),
    [
        pytest.param(BEGAN_MS, False, id="begun before"),
        pytest.param(None, False, id="begun nobody knows when"),
        pytest.param(BEGAN_MS + 20, True, id="begun after"),
    ],
)
async def test_a_game_archived_after_the_erasure(
    database: Database, began: int | None, is_known: bool
) -> None:
    await erase(database, "ann", now_ms=BEGAN_MS + 10, remembered_ms=10**9)
    await filed(database, game(), began=began)
    assert ("ann" in await _everything(database)) is is_known
    assert ("Ann" in await _everything(database)) is is_known
    assert set(await rated(database)) == ({"ann"} if is_known else set()) | {"bob", "cat"}


async def test_late_games_of_one_who_was_erased_cannot_be_put_together(database: Database) -> None:
    await erase(database, "ann", now_ms=BEGAN_MS + 10, remembered_ms=10**9)
    for number in (1, 2):
        await filed(database, game(number))
    nobodies = [seat.player for seat in await seated(database) if seat.seat == 0]
    assert len(set(nobodies)) == 2


async def test_an_erasure_is_forgotten_in_time(database: Database) -> None:
    await erase(database, "ann", now_ms=BEGAN_MS, remembered_ms=1_000)
    await erase(database, "bob", now_ms=BEGAN_MS + 2_000, remembered_ms=1_000)
    async with database.reading() as connection:
        rows = list(await connection.execute(metadata.tables["erasures"].select()))
    assert [row.erase_ms for row in rows] == [BEGAN_MS + 2_000]


async def test_a_given_name_stays(database: Database) -> None:
    await filed(database, game(1))
    await rename(database, "ann", "Rose")
    await filed(database, game(2))
    assert await _names(database) == {"ann": "Rose", "bob": "Bob", "cat": "Cat"}
    await rename(database, "ann", "")
    await filed(database, game(3))
    assert (await _names(database))["ann"] == "Ann"


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\xff\xff", id="no message"),
        pytest.param(FinishedGame(room_id="x", game_no=1).SerializeToString(), id="no room"),
    ],
)
def test_what_is_no_game_is_unfit(raw: bytes) -> None:
    with pytest.raises(Unfit):
        parsed(raw)


def test_sides_have_to_be_the_seats() -> None:
    ended = game()
    ended.sides[0].seats.append(2)
    with pytest.raises(Unfit):
        parsed(ended.SerializeToString())


async def test_models_and_migrations_agree(database: Database) -> None:
    # Again: nothing is left to do.
    await migrate(database)
    async with database.reading() as connection:
        differences = await connection.run_sync(_differences)
        tables = await connection.run_sync(lambda sync: inspect(sync).get_table_names())
    assert differences == []
    assert set(tables) == {*metadata.tables, "alembic_version"}


plays = st.lists(
    st.tuples(
        st.permutations(("ann", "bob", "cat", "dan")),
        st.integers(0, 2),
        st.booleans(),
        st.sampled_from((None, None, None, 1)),
        st.sampled_from((True, True, True, False)),
        st.integers(1, 3),
    ),
    min_size=1,
    max_size=8,
)


@settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
)
@given(plays=plays)
def test_law_of_repeats(plays: list[Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    """However often each game comes, the ratings are those of its first time; winners never sink."""
    import asyncio

    async def run(times: bool) -> dict[str, Any]:
        url = f"sqlite:///{tmp_path_factory.mktemp('law')}/a.db"
        database = Database(ArchiveConfig(database_url=url))
        try:
            await migrate(database)
            for number, (order, landlord, wins, bot, counts, repeats) in enumerate(plays, start=1):
                ended = game(
                    number,
                    players=order[:3],
                    landlord=landlord,
                    wins=wins,
                    bot=bot,
                    rated=counts,
                )
                before = await rated(database)
                await filed(database, ended)
                after = await rated(database)
                _check(ended, before, after)
                if times:
                    await filed(database, *[ended] * repeats)
            return await rated(database)
        finally:
            await database.aclose()

    assert asyncio.run(run(True)) == asyncio.run(run(False))


def _check(ended: FinishedGame, before: dict[str, Any], after: dict[str, Any]) -> None:
    beginner = (25.0, 25 / 3, 0, 0)
    if not ended.sides or any(seat.bot for seat in ended.seats):
        assert before == after
        return
    for index, seat in enumerate(ended.seats):
        (mu, sigma, games, wins), (new_mu, new_sigma, new_games, new_wins) = (
            before.get(seat.player, beginner),
            after[seat.player],
        )
        won = index in ended.result.winners
        assert new_mu > mu if won else new_mu < mu
        assert new_sigma <= sigma
        assert (new_games, new_wins) == (games + 1, wins + won)
    others = set(before) - {seat.player for seat in ended.seats}
    assert all(before[player] == after[player] for player in others)


def _differences(connection: Any) -> list[Any]:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    context = MigrationContext.configure(connection, opts={"compare_type": True})
    return list(compare_metadata(context, metadata))


async def _names(database: Database) -> dict[str, str]:
    async with database.reading() as connection:
        rows = await connection.execute(metadata.tables["players"].select())
        return {row.player: row.name for row in rows}


async def _everything(database: Database) -> str:
    """All values of all rows, as one text."""
    values: list[Any] = []
    async with database.reading() as connection:
        for table in metadata.tables.values():
            values += [tuple(row) for row in await connection.execute(table.select())]
    return msgspec.json.encode(values, enc_hook=str).decode()
