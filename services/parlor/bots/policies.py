"""How bots play each game."""

from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType
from typing import Any, Final

from parlor.rules.doudizhu import policy as doudizhu
from parlor.rules.jinxian import policy as jinxian
from parlor.rules.planes import policy as planes

Policy = Callable[[Any, Random], Any]
"""From a game's view and a source of taste to an action, None where nothing is asked. Pure."""

POLICIES: Final[Mapping[str, Policy]] = MappingProxyType(
    {"doudizhu": doudizhu.decide, "jinxian": jinxian.decide, "planes": planes.decide}
)
"""By kind."""
