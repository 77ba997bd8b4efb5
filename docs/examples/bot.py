"""A player of Dou Dizhu in forty lines: finds a table, plays one game, and says how it ended.

python docs/examples/bot.py http://127.0.0.1:8080
"""

import asyncio
import secrets
import sys

from parlor.client import Client, Refused, Room
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
            prompt = room.game_view and room.game_view.prompt
            if prompt and prompt.decision > answered:
                answered = prompt.decision
                await act(room, answered)
            if room.view.status == RoomStatus.ROOM_STATUS_FINISHED:
                score = room.view.result.scores[room.seat or 0]
                print(f"game over ({room.view.result.reason}), score {score:+}")
                await room.leave()
                return


async def act(room: Room, decision: int) -> None:
    """The first thing that the rules allow: replace it by something better."""
    answers = (each for each in legal_actions(room.game_view) if each.decision == decision)
    try:
        await room.act(next(answers))
    except Refused as refused:
        print(f"too late: {refused}")  # the clock was faster


asyncio.run(main(sys.argv[1]))
