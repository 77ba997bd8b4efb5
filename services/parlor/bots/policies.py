"""How bots play each game."""

import random
from collections.abc import Callable, Mapping
from typing import Any, Final

from parlor.bots import policy_doudizhu
from parlor.v1.doudizhu_pb2 import DouDizhuConfig, DouDizhuRuleSet
from parlor.v1.room_pb2 import GameConfig

Policy = Callable[[Any, random.Random], Any]
"""From a game's view and a source of taste to an action, None where nothing is asked. Pure."""

POLICIES: Final[Mapping[str, Policy]] = {"doudizhu": policy_doudizhu.decide}
"""By kind. They run on the event loop, where only bots live: a decision takes 0.4 ms at the median
and less than 7 ms in 99 of 100 cases, so that handing the view to another process would cost more
than it saves."""

_DOU_DIZHU: Final = {
    "standard": DouDizhuRuleSet.DOU_DIZHU_RULE_SET_STANDARD,
    "classic": DouDizhuRuleSet.DOU_DIZHU_RULE_SET_CLASSIC,
}


def pool_named(name: str) -> GameConfig:
    """The options of a pool, `<kind>:<rule set>`; raises ValueError for what no bot can play.

    >>> pool_named("doudizhu:classic").WhichOneof("game")
    'doudizhu'
    """
    kind, _, rule_set = name.partition(":")
    if kind != "doudizhu" or rule_set not in _DOU_DIZHU:
        raise ValueError(f"{name!r}: expected one of doudizhu:standard, doudizhu:classic")
    return GameConfig(doudizhu=DouDizhuConfig(rule_set=_DOU_DIZHU[rule_set]))
