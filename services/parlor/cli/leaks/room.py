"""What a room must not tell: the seed of a running game, a private code, steps that are not seen."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from parlor.cli.leaks.doudizhu import DouDizhuLeaks
from parlor.cli.leaks.jinxian import JinxianLeaks
from parlor.cli.leaks.planes import PlanesLeaks
from parlor.v1.play_pb2 import Entry, ServerFrame
from parlor.v1.room_pb2 import Event, RoomView

Leak = Callable[[str], None]
"""Takes what was shown, in words."""


class GameLeaks(Protocol):
    """One player's look at one kind of game in one room."""

    def begin(self) -> None:
        """A game begins: everything is secret again."""

    def see(self, view: Any, seat: int | None) -> None:
        """Looks at the game in a view that replaces what was known."""

    def hear(self, event: Any, seat: int | None) -> None:
        """Looks at one event of the game."""


_GAMES: Final[Mapping[str, Callable[[Any, Leak], GameLeaks]]] = {
    "doudizhu": DouDizhuLeaks,
    "jinxian": JinxianLeaks,
    "planes": PlanesLeaks,
}
"""By kind, from the room's options of the game and whom to tell."""


class LeakCheck:
    """What one player has been shown in one room; `leaks` counts what it should not have been."""

    def __init__(self) -> None:
        self.leaks: list[str] = []
        self._seat: int | None = None
        self._commitment = b""
        self._game: GameLeaks | None = None

    def hear(self, frame: ServerFrame) -> None:
        """Looks at one frame."""
        match frame.WhichOneof("frame"):
            case "view":
                self._see(frame.view)
            case "entry":
                self._hear_entry(frame.entry)

    def _see(self, view: RoomView) -> None:
        self._seat = view.seat if view.HasField("seat") else None
        self._commitment = view.commitment
        if self._seat is None and view.options.private and view.code:
            self.leaks.append("the code of a private room, shown to a spectator")
        if view.result.seed and hashlib.sha256(view.result.seed).digest() == self._commitment:
            self.leaks.append("the seed of a game that is not over")
        kind = view.config.WhichOneof("game")
        if kind is None:
            return
        if self._game is None:
            self._game = _GAMES[kind](getattr(view.config, kind), self.leaks.append)
        if view.HasField(kind):
            self._game.begin()
            self._game.see(getattr(view, kind), self._seat)

    def _hear_entry(self, entry: Entry) -> None:
        if not entry.events:
            # Steps are numbered for each audience: an empty one would tell that others did something.
            self.leaks.append("a step in which the player sees nothing")
        for event in entry.events:
            self._hear_event(event)

    def _hear_event(self, event: Event) -> None:
        kind = event.WhichOneof("event")
        if kind == "ready_opened":
            self._commitment = event.ready_opened.commitment
        elif kind == "game_started":
            self._commitment = event.game_started.commitment
            if self._game is not None:
                self._game.begin()
        elif kind is not None and kind in _GAMES and self._game is not None:
            self._game.hear(getattr(event, kind), self._seat)
