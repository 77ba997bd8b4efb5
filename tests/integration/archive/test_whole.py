"""A whole Parlor whose archive is killed while games end."""

import asyncio
import os
import signal
from pathlib import Path

from parlor.archive.config import ArchiveConfig
from parlor.archive.database import Database
from parlor.cli.person import Habits
from parlor.cli.play import play
from parlor.cli.simulated import GAMES
from parlor.cli.table import Setting
from parlor.everything import Everything, EverythingConfig
from parlor.serving.redis import connect, open_batch
from tests.conftest import Eventually
from tests.integration.archive.support import archived, rated, seated, waiting

GAME = GAMES["doudizhu"]
COUNT = 6


async def test_every_game_that_was_played_is_archived_once(
    tmp_path: Path, eventually: Eventually
) -> None:
    config = EverythingConfig(
        port=0, kinds=("doudizhu",), engines=1, bots=0, directory=str(tmp_path)
    )
    async with Everything(config) as parlor:
        setting = Setting(
            urls=[gateway.url for gateway in parlor.gateways],
            game=GAME,
            config=GAME.config(GAME.rule_sets[0]),
            habits=Habits(timeout_in=0, drop_in=0),
            say=lambda line: None,
        )
        playing = asyncio.create_task(play(setting, games=COUNT, parallel=2, seed=7, limit_s=300))
        killed: set[int] = set()
        while not playing.done():
            for pid in parlor.pids("archive"):
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
            await asyncio.wait((playing,), timeout=2)
        tally = playing.result()
        assert tally.is_clean, tally.lines()
        client = connect(parlor.redis_url)
        batch = open_batch(client)

        async def none_waits() -> bool:
            return await waiting(batch) == 0

        await eventually(none_waits, timeout=60)
        await batch.aclose()
        await client.aclose()
    database = Database(ArchiveConfig(database_url=f"sqlite:///{tmp_path}/archive.db"))
    assert len(await archived(database)) == COUNT
    assert len(await seated(database)) == 3 * COUNT
    assert sum(games for _, _, games, _ in (await rated(database)).values()) == 3 * COUNT
    await database.aclose()
    assert killed
