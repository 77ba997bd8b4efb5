"""Which pool a wish belongs to."""

import pytest

from parlor.matchmaking.pools import kind_of_pool, pool_for, seats_of
from parlor.matchmaking.tickets import new_ticket, pool_of
from parlor.rules.doudizhu.config import Config
from parlor.serving import ServiceError
from parlor.serving.errors import reason_name
from parlor.v1.doudizhu_pb2 import DouDizhuConfig, DouDizhuRuleSet
from parlor.v1.room_pb2 import GameConfig
from parlor.wire.catalog import WIRE

CLASSIC = DouDizhuRuleSet.DOU_DIZHU_RULE_SET_CLASSIC


def pool(**options: object) -> str:
    return pool_for(GameConfig(doudizhu=DouDizhuConfig(**options))).name  # type: ignore[arg-type]


def test_options_left_out_are_their_defaults() -> None:
    written_out = GameConfig(doudizhu=WIRE["doudizhu"].config_to(Config()))
    assert pool_for(written_out) == pool_for(GameConfig(doudizhu=DouDizhuConfig()))


def test_any_other_option_is_another_pool() -> None:
    pools = {pool(), pool(base_score=2), pool(doubling=True), pool(rule_set=CLASSIC)}
    assert len(pools) == 4


def test_a_pool_is_named_after_its_game_and_rule_set() -> None:
    assert pool(rule_set=CLASSIC).startswith("doudizhu-classic-")
    assert kind_of_pool(pool()) == "doudizhu"
    assert pool_of(new_ticket(pool())) == pool()


def test_a_table_has_the_seats_of_its_game() -> None:
    assert seats_of(pool_for(GameConfig(doudizhu=DouDizhuConfig()))) == 3


def test_limits_are_those_that_players_may_choose() -> None:
    config = DouDizhuConfig()
    config.play_limit.FromMilliseconds(999)
    with pytest.raises(ServiceError) as refused:
        pool_for(GameConfig(doudizhu=config))
    assert reason_name(refused.value.reason) == "INVALID_CONFIG"
    assert refused.value.metadata["field"] == "play_limit"
    assert str(refused.value).startswith("play_limit: must be 1000..300000 ms")


def test_an_option_of_another_release_is_refused() -> None:
    unknown = DouDizhuConfig.FromString(b"\xf8\x7f\x01")
    with pytest.raises(ServiceError) as refused:
        pool_for(GameConfig(doudizhu=unknown))
    assert reason_name(refused.value.reason) == "INVALID_CONFIG"
    assert refused.value.metadata["field"] == "config"
