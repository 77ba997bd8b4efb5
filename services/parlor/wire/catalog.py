"""The messages of the games that Parlor ships, by kind."""

from collections.abc import Mapping
from types import MappingProxyType

from parlor.wire.doudizhu import DOUDIZHU
from parlor.wire.game import WireGame
from parlor.wire.jinxian import JINXIAN
from parlor.wire.planes import PLANES

_GAMES: tuple[WireGame, ...] = (DOUDIZHU, JINXIAN, PLANES)

WIRE: Mapping[str, WireGame] = MappingProxyType({game.kind: game for game in _GAMES})
"""Every game's messages, under the same kinds as `parlor.rules.catalog.GAMES`."""
