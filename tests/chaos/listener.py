"""A client whose history is kept, whatever it does at a table."""

import random
from collections.abc import Sequence
from typing import Any

from parlor.client import Client, Refused
from parlor.v1.play_pb2 import ClientFrame, ServerFrame
from tests.chaos.history import History, Met, now_ms


class _Recorded(Client):
    """A client whose history has what it asks for, too."""

    def __init__(self, history: History, urls: Sequence[str], **options: Any) -> None:
        super().__init__(urls, guest=history.player, **options)
        self._history = history

    async def _send(self, frame: ClientFrame) -> None:
        self._history.say(frame, self.connections)
        await super()._send(frame)


class Listener:
    """Keeps all that its client is sent; the client comes back and resumes by itself."""

    def __init__(
        self, history: History, urls: Sequence[str], chance: random.Random, *, json: bool
    ) -> None:
        self._refusal = "it is gone"
        self.moved_at = 0.0
        """When anything was last seen."""
        self.history = history
        self.client = _Recorded(history, urls, json=json, heard=self._hear, chance=chance)

    async def look_away(self) -> None:
        """Follows no room any more: a client may follow few at once."""
        for room in tuple(self.client.rooms.values()):
            await self.client.unwatch(room)

    def _hear(self, frame: ServerFrame) -> None:
        self.history.hear(frame, self.client.connections)
        if frame.HasField("entry") or frame.HasField("view"):
            self.moved_at = now_ms()
        elif frame.HasField("welcome"):
            self.history.met.append(Met(now_ms(), self.client.url))
        elif frame.HasField("refusal"):
            self._refusal = Refused.of(frame.refusal).name
