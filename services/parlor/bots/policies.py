"""How bots play each game, and the pools in which they wait."""

from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType
from typing import Any, Final

from parlor.rules.doudizhu import policy as doudizhu
from parlor.rules.jinxian import policy as jinxian
from parlor.rules.planes import policy as planes
from parlor.v1.doudizhu_pb2 import DouDizhuConfig, DouDizhuRuleSet
from parlor.v1.jinxian_pb2 import JinxianConfig
from parlor.v1.planes_pb2 import PlanesConfig, PlanesDestroyRule
from parlor.v1.room_pb2 import GameConfig

Policy = Callable[[Any, Random], Any]
"""From a game's view and a source of taste to an action, None where nothing is asked. Pure."""

POLICIES: Final[Mapping[str, Policy]] = MappingProxyType(
    {"doudizhu": doudizhu.decide, "jinxian": jinxian.decide, "planes": planes.decide}
)
"""By kind."""

POOLS: Final[Mapping[str, GameConfig]] = MappingProxyType(
    {
        "doudizhu:standard": GameConfig(
            doudizhu=DouDizhuConfig(rule_set=DouDizhuRuleSet.DOU_DIZHU_RULE_SET_STANDARD)
        ),
        "doudizhu:classic": GameConfig(
            doudizhu=DouDizhuConfig(rule_set=DouDizhuRuleSet.DOU_DIZHU_RULE_SET_CLASSIC)
        ),
        "jinxian:standard": GameConfig(jinxian=JinxianConfig()),
        "jinxian:fast": GameConfig(jinxian=JinxianConfig(fast=True, total_rounds=4)),
        "planes:all_cells": GameConfig(
            planes=PlanesConfig(destroy_rule=PlanesDestroyRule.PLANES_DESTROY_RULE_ALL_CELLS)
        ),
        "planes:head_kill": GameConfig(
            planes=PlanesConfig(destroy_rule=PlanesDestroyRule.PLANES_DESTROY_RULE_HEAD_KILL)
        ),
    }
)
"""The options of the pools that bots can wait in, by `<kind>:<variant>`."""


def pool_named(name: str) -> GameConfig:
    """The options of a pool; raises ValueError for one that bots do not know.

    >>> pool_named("doudizhu:classic").WhichOneof("game")
    'doudizhu'
    """
    if name not in POOLS:
        raise ValueError(f"{name!r}: expected one of {', '.join(POOLS)}")
    return POOLS[name]
