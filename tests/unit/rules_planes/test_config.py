"""Options and limits (RULES.md 9), and messages that cannot be read."""

import pytest

from parlor.rules.game import IllegalAction, InvalidConfig, Seat
from parlor.rules.planes import PLANES, Config
from parlor.rules.planes.actions import Attack, Place, Proposal
from parlor.rules.reasons import Reason
from parlor.v1 import planes_pb2 as pb
from parlor.wire import Malformed
from parlor.wire.planes import PLANES as WIRE
from tests.unit.rules_planes.table import Game, battle


def test_the_defaults_are_valid_for_players() -> None:
    PLANES.check_config(Config())
    PLANES.check_limits(Config())
    assert PLANES.ready_ms(Config()) == 60_000
    assert PLANES.seats(Config()) == 2


@pytest.mark.parametrize(
    ("config", "field"),
    [
        (Config(max_timeouts=0), "max_timeouts"),
        (Config(max_timeouts=21), "max_timeouts"),
        (Config(turn_ms=0), "turn_ms"),
        (Config(placing_ms=0), "placing_ms"),
        (Config(game_ms=86_400_001), "game_ms"),
        (Config(pause_budget_ms=-1), "pause_budget_ms"),
    ],
)
def test_an_option_out_of_range_is_named(config: Config, field: str) -> None:
    with pytest.raises(InvalidConfig) as invalid:
        PLANES.check_config(config)
    assert invalid.value.field == field


@pytest.mark.parametrize(
    ("config", "field"),
    [
        (Config(max_timeouts=1), "max_timeouts"),
        (Config(turn_ms=999), "turn_ms"),
        (Config(placing_ms=4_999), "placing_ms"),
        (Config(game_ms=59_999), "game_ms"),
        (Config(pause_budget_ms=600_001), "pause_budget_ms"),
        (Config(ready_ms=4_999), "ready_ms"),
    ],
)
def test_limits_that_players_may_not_choose_are_free_for_tests(config: Config, field: str) -> None:
    PLANES.check_config(config)
    with pytest.raises(InvalidConfig) as invalid:
        PLANES.check_limits(config)
    assert invalid.value.field == field


def test_an_empty_message_is_the_default_config() -> None:
    assert WIRE.config_from(pb.PlanesConfig()) == Config()


def test_a_budget_of_nothing_is_not_the_default() -> None:
    config = Config(pause_budget_ms=0)
    assert WIRE.config_from(WIRE.config_to(config)) == config


def test_what_a_message_leaves_out_of_a_plane_is_for_the_rules_to_refuse() -> None:
    message = pb.PlanesAction(
        place=pb.PlanesPlace(
            planes=[
                pb.PlanesProposal(x=0, y=2, direction=pb.PLANES_DIRECTION_UP),
                pb.PlanesProposal(y=7, direction=pb.PLANES_DIRECTION_UP),
                pb.PlanesProposal(x=9, y=4),
            ]
        )
    )
    action = WIRE.action_from(message, 1)
    assert isinstance(action, Place)
    assert action.planes[1].x is None
    assert action.planes[2] == Proposal(x=9, y=4, direction=None)
    with pytest.raises(IllegalAction) as refused:
        PLANES.apply(Game().state, Seat(0), action, 0)
    assert refused.value.reason is Reason.BAD_PLANE


def test_a_shot_without_a_column_is_not_a_shot_at_column_0() -> None:
    action = WIRE.action_from(pb.PlanesAction(attack=pb.PlanesAttack(x=3)), 2)
    assert action == Attack(decision=2, x=3, y=None)
    assert battle().refusal(0, action) is Reason.BAD_POSITION


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda m: WIRE.action_from(m, 1), pb.PlanesAction()),
        (WIRE.event_from, pb.PlanesEvent()),
        (WIRE.event_from, pb.PlanesEvent(battle_started=pb.PlanesBattleStarted(seat=2))),
        (WIRE.view_from, pb.PlanesView()),
        (WIRE.config_from, pb.PlanesConfig(destroy_rule=9)),  # type: ignore[arg-type]
    ],
    ids=["no action", "no event", "no such seat", "no table", "unknown option"],
)
def test_what_says_nothing_in_the_language_of_the_rules_is_malformed(
    read: object, message: object
) -> None:
    assert callable(read)
    with pytest.raises(Malformed):
        read(message)
