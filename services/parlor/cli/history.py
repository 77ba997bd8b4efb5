"""What one player has heard of the running game, step by step."""

from typing import Any

from parlor.client import games
from parlor.v1.play_pb2 import Entry, ServerFrame
from parlor.v1.room_pb2 import Event


class History:
    """The steps of one game at one table, each once however often it came."""

    def __init__(self) -> None:
        self._first = 0
        self._steps: dict[int, list[Event]] = {}

    def hear(self, frame: ServerFrame) -> None:
        """Takes a frame; the one that begins a game begins the history."""
        if not frame.HasField("entry"):
            return
        entry = frame.entry
        if _begins(entry) and entry.seq != self._first:
            # A spectator who has sat down counts anew, so an older step may have had this number.
            self._first = entry.seq
            self._steps.clear()
        self._steps.setdefault(entry.seq, list(entry.events))

    @property
    def is_whole(self) -> bool:
        """Whether every step since the beginning was heard: a view may have taken the place of some."""
        return sorted(self._steps) == [*range(self._first, self._first + len(self._steps))]

    @property
    def events(self) -> list[Any]:
        """The game's own events in order, as its rules see them."""
        seen = (games.event_of(event) for seq in sorted(self._steps) for event in self._steps[seq])
        return [event for event in seen if event is not None]


def _begins(entry: Entry) -> bool:
    return any(event.HasField("game_started") for event in entry.events)
