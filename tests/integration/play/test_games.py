"""Whole games over real sockets, by players who live badly: nothing is lost, doubled or leaked."""

import pytest

from parlor.cli.person import Habits
from parlor.cli.play import play
from parlor.cli.simulated import GAMES
from parlor.cli.table import Setting
from parlor.client import games
from tests.integration.play.support import deployment

BAD = Habits(timeout_in=20, repeat_in=3, drop_in=2, away_ms=100)


async def test_a_game_that_cannot_be_folded_from_nothing_is_asked_for_when_it_begins(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "_BEFORE_DEAL", {})
    async with deployment(redis_url) as urls:
        game = GAMES["doudizhu"]
        setting = Setting(
            urls=urls,
            game=game,
            config=game.config("standard"),
            habits=Habits(timeout_in=0, repeat_in=0, drop_in=0),
            say=lambda _: None,
        )
        tally = await play(setting, games=2, parallel=1, seed=5, limit_s=30)
    assert tally.is_clean, tally.as_json()
    assert tally.client.gaps == 0


@pytest.mark.parametrize("rule_set", ["standard", "classic"])
async def test_players_who_live_badly_lose_nothing_with_two_gateways(
    redis_url: str, rule_set: str
) -> None:
    async with deployment(redis_url) as urls:
        game = GAMES["doudizhu"]
        setting = Setting(
            urls=urls,
            game=game,
            config=game.config(rule_set, turn_ms=250, autoplay_ms=50),
            habits=BAD,
            say=lambda _: None,
        )
        tally = await play(setting, games=3, parallel=3, seed=11, limit_s=60)
    assert tally.is_clean, tally.as_json()
    assert tally.games_finished == 3
    assert (tally.lost, tally.duplicated, tally.client.duplicates, tally.leaks) == (0, 0, 0, [])
    assert tally.client.gaps == 0
    assert min(tally.timeouts, tally.repeats, tally.drops, tally.actions) > 0
    assert len(tally.events) == 3
