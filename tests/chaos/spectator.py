"""One who watches a table from room to room, and is shown what everybody may see."""

import random

from parlor.v1.room_pb2 import RoomStatus
from tests.chaos.history import History
from tests.chaos.listener import Listener
from tests.chaos.player import Broken, Evening, Shared


class Spectator(Listener):
    """The spectator of one table."""

    def __init__(self, shared: Shared, table: int, kind: str) -> None:
        super().__init__(
            History(f"{kind}-{table}-spectator", spectates=True),
            shared.urls,
            random.Random(shared.chance.getrandbits(64)),
            json=bool(table % 2),
        )

    async def watch(self, room_id: str, evening: Evening) -> None:
        """Watches until the table has had enough of the room, and all of its last game was shown.

        One who is shown no more holds the table up, which counts as stuck in the end.
        """
        room = await self.client.watch(room_id)
        async for _ in room.changes():
            is_over = room.view.status != RoomStatus.ROOM_STATUS_PLAYING
            if is_over and not evening.wants(room.view.game_no + 1):
                return
        raise Broken(f"its room was closed to its spectator: {self._refusal}")
