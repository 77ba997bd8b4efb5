"""A simulated player finds its own answers again in the public history, and no others."""

import random
from collections import Counter

import pytest

from parlor.cli.doudizhu import DouDizhuTable
from parlor.rules.chance import Chance
from parlor.rules.doudizhu import DOUDIZHU
from parlor.rules.doudizhu.config import Bidding, Config, RuleSet
from parlor.rules.game import Seat
from parlor.wire.catalog import WIRE

TABLE = DouDizhuTable()


@pytest.mark.parametrize("rule_set", RuleSet)
@pytest.mark.parametrize("bidding", Bidding)
def test_what_a_seat_did_itself_is_its_record(rule_set: RuleSet, bidding: Bidding) -> None:
    config = Config(rule_set=rule_set, bidding=bidding)
    chance = random.Random(3)
    state = DOUDIZHU.initial(config, Chance(seed=bytes(32), entropy=b""), 0).state
    done: list[Counter[str]] = [Counter(), Counter(), Counter()]
    while DOUDIZHU.outcome(state) is None:
        views = [DOUDIZHU.view(state, Seat(seat)) for seat in range(3)]
        seat = next(seat for seat in range(3) if TABLE.decision(views[seat]))
        if chance.random() < 0.2:
            state = DOUDIZHU.advance(state, DOUDIZHU.clocks(state)[0].due).state
            continue
        action = TABLE.choose(views[seat], chance)
        at = DOUDIZHU.clocks(state)[0].due - 1
        state = DOUDIZHU.apply(state, Seat(seat), action, at).state
        done[seat][TABLE.mark(action)] += 1
    for seat in range(3):
        assert TABLE.record(DOUDIZHU.view(state, Seat(seat)), seat) == done[seat]


@pytest.mark.parametrize("rule_set", ["standard", "classic"])
def test_the_shortest_limits_are_those_that_players_may_choose(rule_set: str) -> None:
    config = WIRE["doudizhu"].config_from(TABLE.config(rule_set).doudizhu)
    DOUDIZHU.check_config(config)
    DOUDIZHU.check_limits(config)
    assert (config.rule_set.value, config.play_ms) == (rule_set.upper(), 1_000)
