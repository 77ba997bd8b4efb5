"""What the steps of a room need beside the room: the game, its wire form, the limits, a source of seeds."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from parlor.engine.formats import RELEASED, Formats
from parlor.rules.chance import SEED_BYTES
from parlor.rules.game import AnyGame
from parlor.v1.room_pb2 import GameConfig
from parlor.wire.game import WireGame


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomLimits:
    """The limits of a room that are not its game's, in ms."""

    connect_ms: int = 20_000
    """How long matched players have to be ready before their seats are emptied."""
    vote_ms: int = 60_000
    """How long a vote on ending the game runs."""
    open_idle_ms: int = 600_000
    """How long an open room without people lives."""
    still_ms: int = 1_800_000
    """How long a room waits for its first game while nobody sits down or stands up, in games that bound the wait."""
    finished_idle_ms: int = 3_600_000
    """How long a room with a finished game and without people lives."""


def new_seed() -> bytes:
    """A seed from the operating system's randomness."""
    return secrets.token_bytes(SEED_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """The game that this engine serves, as the steps use it."""

    game: AnyGame
    wire: WireGame
    limits: RoomLimits = RoomLimits()
    seed: Callable[[], bytes] = new_seed
    formats: Formats = RELEASED

    def config(self, encoded: bytes) -> Any:
        """The game's configuration from an encoded `GameConfig`."""
        return self.wire.config_from(getattr(GameConfig.FromString(encoded), self.game.kind))
