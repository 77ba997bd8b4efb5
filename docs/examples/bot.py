"""A player of Dou Dizhu in 40 lines: python docs/examples/bot.py http://127.0.0.1:8080

It finds a table, plays one game by taking the first thing that the rules allow, and says how it ended.
"""

import asyncio
import secrets
import sys

from parlor.client import Client, Refused
from parlor.rules.doudizhu.legal import legal_actions
from parlor.v1.doudizhu_pb2 import DouDizhuConfig
from parlor.v1.room_pb2 import GameConfig, RoomStatus


async def main(url: str) -> None:
    """One game, from the queue to its result."""
    # With `bot=True` everybody is told that it is a program; programs alone are not matched.
    async with Client([url], guest="Example") as me:
        await me.enqueue(GameConfig(doudizhu=DouDizhuConfig()))
        room = await me.watch(await me.assigned())
        await room.ready(entropy=secrets.token_bytes(16))  # our share of the shuffle
        answered = 0
        async for _ in room.changes():
            seen, result = room.game_view, room.view.result
            if room.view.status == RoomStatus.ROOM_STATUS_FINISHED:
                print(f"game over ({result.reason}), score {result.scores[room.seat or 0]:+}")
                await room.leave()
                return
            if seen and seen.prompt and seen.prompt.decision > answered:
                answered = seen.prompt.decision
                allowed = (each for each in legal_actions(seen) if each.decision == answered)
                try:
                    await room.act(next(allowed))  # here is the place for a better idea
                except Refused as refused:
                    print(f"too late: {refused}")  # the clock was faster


asyncio.run(main(sys.argv[1]))
