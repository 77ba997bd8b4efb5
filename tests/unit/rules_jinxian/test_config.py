"""Options and limits (RULES.md 1)."""

from dataclasses import replace
from typing import Any

import pytest

from parlor.rules.game import InvalidConfig
from parlor.rules.jinxian import JINXIAN, Config, ScoringOptions
from parlor.rules.jinxian.options import JingSettlement, JingVariant
from parlor.v1 import jinxian_pb2 as pb
from parlor.wire import Malformed
from parlor.wire.jinxian import JINXIAN as WIRE


def test_the_defaults_are_valid() -> None:
    JINXIAN.check_config(Config())
    JINXIAN.check_limits(Config())
    assert WIRE.config_from(pb.JinxianConfig()) == Config()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        pytest.param("total_rounds", 0, id="1.1 no round"),
        pytest.param("total_rounds", 101, id="1.1 too many rounds"),
        pytest.param("turn_ms", 0, id="1.2 no time"),
        pytest.param("show_ms", -1, id="1.2 less than no time"),
        pytest.param("settle_ms", 86_400_001, id="1.2 more than a day"),
    ],
)
def test_values_outside_the_rules_are_refused(field: str, value: int) -> None:
    changed: dict[str, Any] = {field: value}
    with pytest.raises(InvalidConfig) as caught:
        JINXIAN.check_config(replace(Config(), **changed))
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("qidui_no_jing_base", 32),
        ("chongguan_base", 5),
        ("tian_di_hu_min", 10),
        ("jing_variant", JingVariant.SHANG_XIA),
    ],
)
def test_scoring_values_outside_the_rules_are_refused(field: str, value: Any) -> None:
    scoring = replace(ScoringOptions(), **{field: value})
    with pytest.raises(InvalidConfig) as caught:
        JINXIAN.check_config(Config(scoring=scoring))
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("field", "value"),
    [
        pytest.param("total_rounds", 5, id="1.1 4, 8 or 16"),
        pytest.param("turn_ms", 2_999, id="1.2 too short"),
        pytest.param("claim_ms", 60_001, id="1.2 too long"),
    ],
)
def test_players_choose_within_bounds_and_tests_do_not(field: str, value: int) -> None:
    changed: dict[str, Any] = {field: value}
    config = replace(Config(), **changed)
    JINXIAN.check_config(config)
    with pytest.raises(InvalidConfig) as caught:
        JINXIAN.check_limits(config)
    assert caught.value.field == field


def test_every_option_travels() -> None:
    scoring = ScoringOptions(
        honour_chow=False,
        jing_settlement=JingSettlement.ALL_PLAYERS,
        jing_variant=JingVariant.SHANG_XIA,
        tian_di_hu_min=0,
    )
    config = Config(total_rounds=16, fast=True, scoring=scoring, auto_win=False, show_ms=0)
    message = WIRE.config_to(config)
    assert WIRE.config_from(pb.JinxianConfig.FromString(message.SerializeToString())) == config
    written = {field.name for field, _ in message.ListFields()}
    assert written == {field.name for field in pb.JinxianConfig.DESCRIPTOR.fields}


def test_unknown_values_are_malformed() -> None:
    message = pb.JinxianConfig()
    message.bawang = 9  # type: ignore[assignment]
    with pytest.raises(Malformed) as caught:
        WIRE.config_from(message)
    assert caught.value.field == "bawang"


@pytest.mark.parametrize("tiles", [(), (1,), (1, 2, 3)])
def test_a_chow_names_two_tiles(tiles: tuple[int, ...]) -> None:
    message = pb.JinxianAction(chow=pb.JinxianChow(tiles=tiles))
    with pytest.raises(Malformed):
        WIRE.action_from(message, 1)
    with pytest.raises(Malformed):
        WIRE.action_from(pb.JinxianAction(), 1)
