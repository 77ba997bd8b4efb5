"""The games that Parlor ships, by kind."""

from collections.abc import Mapping
from types import MappingProxyType

from parlor.rules.doudizhu import DOUDIZHU
from parlor.rules.game import AnyGame
from parlor.rules.jinxian import JINXIAN
from parlor.rules.planes import PLANES

_GAMES: tuple[AnyGame, ...] = (DOUDIZHU, JINXIAN, PLANES)

GAMES: Mapping[str, AnyGame] = MappingProxyType({game.kind: game for game in _GAMES})
"""Every game, under the kind that its rooms carry."""
