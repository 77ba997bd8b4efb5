"""Whole games over real sockets, by players who live badly: nothing is lost, doubled or leaked."""

import os
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from parlor.cli.person import Habits
from parlor.cli.play import play
from parlor.cli.simulated import GAMES
from parlor.cli.table import Setting
from parlor.client.games import seats_of
from parlor.everything import Everything, EverythingConfig
from parlor.v1.doudizhu_pb2 import DouDizhuBidding
from parlor.v1.room_pb2 import GameConfig

pytestmark = pytest.mark.asyncio(loop_scope="module")

BAD = Habits(timeout_in=6, repeat_in=3, drop_in=1, away_ms=100)
"""So often that chance leaves none of it out: a game may have as few as fifty decisions."""

SHORT = {
    "doudizhu": {"turn_ms": 600, "autoplay_ms": 50},
    "jinxian": {
        "rounds": 2,
        "turn_ms": 500,
        "claim_ms": 300,
        "settle_ms": 100,
        "autoplay_ms": 50,
    },
    "planes": {"turn_ms": 300, "placing_ms": 1_000},
}
"""Shorter limits than players may choose, and longer than a busy machine takes for an answer."""

SECRET = re.compile(r"eyJ[\w-]+\.[\w-]+|[\[(]\d+(?:, ?\d+){2,}|\b[0-9a-f]{64}\b")
"""A token, a hand, a seed or commitment: none has a place in a log."""


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where every process has its log."""
    return tmp_path_factory.mktemp("games")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def parlor(directory: Path) -> AsyncIterator[Everything]:
    """Every game on two gateways, each a process of its own."""
    config = EverythingConfig(
        directory=str(directory),
        port=0,
        kinds=tuple(GAMES),
        engines=1,
        gateways=2,
        bots=0,
    )
    env = {**os.environ, "PARLOR_ENGINE_UNBOUNDED": "true"}
    async with Everything(config, env=env) as everything:
        yield everything


@pytest.mark.parametrize(
    ("kind", "rule_set"), [(kind, rules) for kind in GAMES for rules in GAMES[kind].rule_sets]
)
async def test_players_who_live_badly_lose_nothing_with_two_gateways(
    parlor: Everything, kind: str, rule_set: str
) -> None:
    await live_badly(parlor, kind, GAMES[kind].config(rule_set, **SHORT[kind]))


async def test_nor_do_they_where_they_call_rob_and_double(parlor: Everything) -> None:
    config = GAMES["doudizhu"].config("standard", **SHORT["doudizhu"])
    config.doudizhu.bidding = DouDizhuBidding.DOU_DIZHU_BIDDING_CALL
    config.doudizhu.doubling = True
    await live_badly(parlor, "doudizhu", config)


async def live_badly(parlor: Everything, kind: str, config: GameConfig) -> None:
    """Two games of these options, in which everything goes wrong that may."""
    setting = Setting(
        urls=[gateway.url for gateway in parlor.gateways],
        game=GAMES[kind],
        config=config,
        habits=BAD,
        say=lambda _: None,
    )
    tally = await play(setting, games=2, parallel=2, seed=11, limit_s=300)
    assert tally.is_clean, tally.as_json()
    assert (tally.games_finished, tally.unchecked, tally.client.gaps) == (2, 0, 0)
    assert (tally.lost, tally.duplicated, tally.client.duplicates, tally.leaks) == (0, 0, 0, [])
    assert min(tally.timeouts, tally.repeats, tally.drops, tally.actions) > 0
    assert len(tally.events) == seats_of(setting.config)


async def test_nothing_secret_stands_in_the_logs(parlor: Everything, directory: Path) -> None:
    """Of a whole game, in which requests are sent twice and connections break."""
    setting = Setting(
        urls=[gateway.url for gateway in parlor.gateways],
        game=GAMES["doudizhu"],
        config=GAMES["doudizhu"].config("classic", **SHORT["doudizhu"]),
        habits=BAD,
        say=lambda _: None,
    )
    await play(setting, games=1, parallel=1, seed=12, limit_s=120)
    logs = {path.name: path.read_text() for path in directory.glob("*.log")}
    assert any("session_opened" in text for text in logs.values())
    found = {name: SECRET.findall(text) for name, text in logs.items()}
    assert {name: secrets for name, secrets in found.items() if secrets} == {}
