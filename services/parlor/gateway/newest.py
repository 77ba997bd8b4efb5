"""One session per player: a newer one, on whatever gateway, ends the older.

Every connection gets a number from Redis, above all before it, and says it on the player's channel.
The session listens there before it has its number, so whoever gets a higher one afterwards is
heard.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Protocol

import structlog
from redis.exceptions import RedisError

from parlor.serving.keys import Keys
from parlor.serving.players import Players
from parlor.serving.redis import Batch, Subscriber, answers

log = structlog.get_logger(__name__)


class Numbered(Protocol):
    """A session, as far as its number goes."""

    connection: int
    """Its number; 0 while it has none."""

    def replaced(self) -> None:
        """Ends it, because there is a newer one."""


@dataclass(slots=True)
class _Heard:
    """A player with sessions here."""

    sessions: set[Numbered] = field(default_factory=set)
    newest: int = 0
    """The highest number that was heard of."""
    is_heard: bool = False
    """Whether the player's channel is listened to."""


class Newest:
    """The sessions here, by player."""

    def __init__(self, batch: Batch, keys: Keys, subscriber: Subscriber) -> None:
        self._batch = batch
        self._keys = keys
        self._players = Players(batch, keys)
        self._subscriber = subscriber
        self._heard: dict[str, _Heard] = {}
        self._gap = asyncio.Event()
        subscriber.add_reconnect_listener(self._gap.set)

    async def run(self) -> None:
        """Looks, after each gap in the messages, whether one was missed."""
        while True:
            await self._gap.wait()
            self._gap.clear()
            await self._look_at_all()

    async def arrive(self, player: str, session: Numbered) -> None:
        """Gives the session its number and ends the player's older ones; whoever comes later ends
        this one.
        """
        heard = self._heard.setdefault(player, _Heard())
        heard.sessions.add(session)
        # Once for all of them: an attempt that fails would take the channel from those who have it.
        if not heard.is_heard:
            await self._subscriber.subscribe(
                self._keys.session(player), lambda _channel, number: self._hear(player, int(number))
            )
            heard.is_heard = True
        session.connection = await self._players.connect(player)
        # A newer number may have overtaken the answer with ours.
        self._hear(player, max(heard.newest, session.connection))
        await self._batch.call("SPUBLISH", self._keys.session(player), session.connection)

    async def leave(self, player: str, session: Numbered) -> None:
        """Forgets a session."""
        heard = self._heard.get(player)
        if heard is None:
            return
        heard.sessions.discard(session)
        if not heard.sessions:
            del self._heard[player]
            await self._subscriber.unsubscribe(self._keys.session(player))

    async def _look_at_all(self) -> None:
        players = list(self._heard)
        calls = [self._players.newest_connection(player) for player in players]
        unknown = 0
        for player, newest in zip(players, await answers(calls), strict=True):
            if isinstance(newest, RedisError):
                unknown += 1
            else:
                self._hear(player, newest)
        if unknown:
            # The next reconnect looks again; leases show it too.
            log.warning("connections_not_compared", players=unknown)

    def _hear(self, player: str, newest: int) -> None:
        heard = self._heard.get(player)
        if heard is None:
            return
        heard.newest = max(heard.newest, newest)
        for session in tuple(heard.sessions):
            if 0 < session.connection < heard.newest:
                session.replaced()
