"""Options and limits (RULES.md 9), and messages that cannot be read."""

import pytest

from parlor.rules.catalog import GAMES
from parlor.rules.doudizhu import DOUDIZHU, Config
from parlor.rules.doudizhu.config import RuleSet
from parlor.rules.game import InvalidConfig
from parlor.v1 import doudizhu_pb2 as pb
from parlor.wire import Malformed
from parlor.wire.catalog import WIRE


def test_the_defaults_are_valid_for_players() -> None:
    for rule_set in RuleSet:
        DOUDIZHU.check_config(Config(rule_set=rule_set))
        DOUDIZHU.check_limits(Config(rule_set=rule_set))
    assert DOUDIZHU.ready_ms(Config()) == 60_000
    assert DOUDIZHU.seats(Config()) == 3


@pytest.mark.parametrize(
    ("config", "field"),
    [
        (Config(base_score=0), "base_score"),
        (Config(base_score=10_001), "base_score"),
        (Config(stake_cap=-1), "stake_cap"),
        (Config(stake_cap=10**9 + 1), "stake_cap"),
        (Config(max_passed_deals=0), "max_passed_deals"),
        (Config(max_passed_deals=10), "max_passed_deals"),
        (Config(autoplay_after=0), "autoplay_after"),
        (Config(play_ms=0), "play_ms"),
    ],
)
def test_an_option_out_of_range_is_named(config: Config, field: str) -> None:
    with pytest.raises(InvalidConfig) as invalid:
        DOUDIZHU.check_config(config)
    assert invalid.value.field == field


@pytest.mark.parametrize(
    ("config", "field"),
    [
        (Config(bid_ms=999), "bid_ms"),
        (Config(play_ms=300_001), "play_ms"),
        (Config(autoplay_ms=100), "autoplay_ms"),
        (Config(ready_ms=4_999), "ready_ms"),
    ],
)
def test_limits_that_players_may_not_choose_are_free_for_tests(config: Config, field: str) -> None:
    DOUDIZHU.check_config(config)
    with pytest.raises(InvalidConfig) as invalid:
        DOUDIZHU.check_limits(config)
    assert invalid.value.field == field


def test_an_empty_message_is_the_default_config() -> None:
    assert WIRE["doudizhu"].config_from(pb.DouDizhuConfig()) == Config()


def test_every_game_has_messages() -> None:
    assert GAMES.keys() == WIRE.keys()
    assert all(GAMES[kind].kind == kind == WIRE[kind].kind for kind in GAMES)


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (pb.DouDizhuAction(), "action"),
        (
            pb.DouDizhuAction(play=pb.DouDizhuPlay(cards=[2], claim=pb.DouDizhuClaim(value=2))),
            "play.claim.shape",
        ),
    ],
)
def test_an_action_that_says_nothing_is_malformed(message: pb.DouDizhuAction, field: str) -> None:
    with pytest.raises(Malformed) as malformed:
        WIRE["doudizhu"].action_from(message, 1)
    assert malformed.value.field == field


def test_an_unknown_enum_value_is_malformed() -> None:
    message = pb.DouDizhuConfig()
    message.ParseFromString(b"\x08\x63")
    with pytest.raises(Malformed, match="rule_set: unknown value 99"):
        WIRE["doudizhu"].config_from(message)


def test_a_limit_of_less_than_a_millisecond_is_malformed() -> None:
    message = pb.DouDizhuConfig()
    message.play_limit.nanos = 1
    with pytest.raises(Malformed, match="play_limit"):
        WIRE["doudizhu"].config_from(message)


def test_events_and_views_that_say_nothing_are_malformed() -> None:
    with pytest.raises(Malformed):
        WIRE["doudizhu"].event_from(pb.DouDizhuEvent())
    with pytest.raises(Malformed):
        WIRE["doudizhu"].view_from(pb.DouDizhuView())
