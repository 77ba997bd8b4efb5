"""The games that Parlor ships, by kind."""

from collections.abc import Mapping
from types import MappingProxyType

from parlor.rules.doudizhu import DOUDIZHU
from parlor.rules.game import AnyGame
from parlor.rules.planes import PLANES

GAMES: Mapping[str, AnyGame] = MappingProxyType({game.kind: game for game in (DOUDIZHU, PLANES)})
"""Every game, under the kind that its rooms carry."""
