"""The life of one bot: an invitation, a room, a game and perhaps more, and goodbye."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from parlor.bots import metrics
from parlor.bots.thinking import Thinkers
from parlor.client import Client, Refused, Room
from parlor.serving.invitations import Invitation
from parlor.v1.play_pb2 import Command, Join
from parlor.v1.room_pb2 import RoomStatus

log = structlog.get_logger(__name__)

Clock = Callable[[float], Awaitable[None]]
"""Waits for so many seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Temper:
    """How bots behave at the table."""

    think_ms: int
    chance: random.Random
    wait: Clock = asyncio.sleep

    async def think(self) -> None:
        """Takes the time that a person would."""
        await self.wait(self.think_ms / 1000 * self.chance.uniform(0.5, 1.5))


class Bot:
    """One bot."""

    def __init__(self, client: Client, temper: Temper, thinkers: Thinkers) -> None:
        self._client = client
        self._temper = temper
        self._thinkers = thinkers
        self._ready_for = 0
        self._played: set[int] = set()
        self._answered: set[tuple[int, int]] = set()

    async def live(self, invitation: Invitation) -> None:
        """Takes a seat, and stays for as long as people do; raises `Refused` where it is too late."""
        room_id = invitation.room_id
        join = Join(code=invitation.code, link_token=invitation.link_token)
        await self._client.command(Command(room_id=room_id, join=join))
        room = await self._client.watch(room_id)
        log.info("bot_seated", room=room_id, player=self._client.player)
        async for _ in room.changes():
            if room.seat is None:
                return
            if room.view.status == RoomStatus.ROOM_STATUS_PLAYING:
                await self._turn(room)
                continue
            if self._ready_for == room.view.game_no and self._ready_for not in self._played:
                self._played.add(self._ready_for)
                metrics.games.labels(room.view.config.WhichOneof("game") or "").inc()
            if not _has_people(room):
                await room.leave()
                return
            await self._get_ready(room)

    async def _get_ready(self, room: Room) -> None:
        number = room.view.game_no + 1
        if self._ready_for != number:
            self._ready_for = number
            await room.ready(entropy=self._temper.chance.randbytes(16))

    async def _turn(self, room: Room) -> None:
        """Answers what the seat is asked, once."""
        if room.game_view is None:
            return
        kind = room.view.config.WhichOneof("game") or ""
        began = time.perf_counter()
        seed = self._temper.chance.getrandbits(32)
        action = await self._thinkers.decide(kind, room.game_view, seed)
        metrics.decision_seconds.labels(kind).observe(time.perf_counter() - began)
        if action is None or (room.view.game_no, action.decision) in self._answered:
            return
        self._answered.add((room.view.game_no, action.decision))
        await self._temper.think()
        try:
            await room.act(action)
        except Refused as refused:
            # The clock, or a dissolved game, was faster.
            log.info("bot_refused", room=room.room_id, reason=refused.name)


def _has_people(room: Room) -> bool:
    return any(seat.player and not seat.bot for seat in room.view.seats)
