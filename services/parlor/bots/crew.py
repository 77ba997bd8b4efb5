"""Sends bots to whoever asks for them: an invitation is a free seat, and a bot lives for one room."""

import asyncio
import random
from collections.abc import Collection

import aiohttp
import structlog
from redis.exceptions import RedisError

from parlor.bots import metrics
from parlor.bots.bot import Bot, Temper
from parlor.bots.config import BotsConfig
from parlor.bots.identity import Identities
from parlor.bots.thinking import Thinkers
from parlor.client import Client, Refused, SessionOver
from parlor.serving.invitations import Invitation, Invitations
from parlor.serving.keys import kind_of

log = structlog.get_logger(__name__)

NAMES = ("Ada", "Blaise", "Carl", "Dorothy", "Emmy", "Frank", "Grace", "Hedy", "Ivan", "John")

_LOOK_S = 0.25
"""How often invitations are looked for: a person waits for them."""


class Crew:
    """All bots of this process."""

    def __init__(
        self,
        config: BotsConfig,
        identities: Identities,
        thinkers: Thinkers,
        invitations: Invitations,
    ) -> None:
        self._config = config
        self._thinkers = thinkers
        self._identities = identities
        self._invitations = invitations
        self._playing: list[tuple[str, str]] = []
        """The room and the name of each bot."""

    @property
    def free(self) -> int:
        """How many more bots there may be."""
        return max(0, self._config.most - len(self._playing))

    async def run(self) -> None:
        """Takes invitations for as many bots as there may be more, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                for invitation in await self._invited():
                    room_id = invitation.room_id
                    name = another_name({name for room, name in self._playing if room == room_id})
                    self._playing.append((room_id, name))
                    tasks.create_task(self._live(invitation, name), name=f"bot-{room_id}")
                metrics.playing.set(len(self._playing))
                await asyncio.sleep(_LOOK_S)

    async def _invited(self) -> list[Invitation]:
        if not self.free:
            return []
        try:
            return await self._invitations.take(self.free)
        except RedisError as error:
            log.warning("invitations_unknown", error=type(error).__name__)
            return []

    async def _live(self, invitation: Invitation, name: str) -> None:
        """One bot from its login to its end; after a failure, whoever invited asks again."""
        chance = random.Random()
        temper = Temper(think_ms=self._config.think_ms, chance=chance)
        try:
            token = await self._identities.token(name)
            async with Client(self._config.urls, token=token, chance=chance) as client:
                await Bot(client, temper, self._thinkers).live(invitation)
        except (Refused, SessionOver, TimeoutError, aiohttp.ClientError, OSError) as error:
            kind = kind_of(invitation.room_id)
            metrics.failures.labels(kind, type(error).__name__).inc()
            log.warning("bot_failed", room=invitation.room_id, error=type(error).__name__)
        finally:
            self._playing.remove((invitation.room_id, name))


def another_name(taken: Collection[str]) -> str:
    """A name that is not taken, while there are any; the room tells bots apart from all others there."""
    return random.choice([name for name in NAMES if name not in taken] or NAMES)
