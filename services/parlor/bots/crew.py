"""Keeps as many bots waiting in each pool as the operator wants, and sends bots to who invites them."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable

import aiohttp
import structlog
from redis.exceptions import RedisError

from parlor.bots import metrics
from parlor.bots.bot import Bot, Temper
from parlor.bots.config import BotsConfig
from parlor.bots.identity import Identities
from parlor.bots.policies import pool_named
from parlor.bots.thinking import Thinkers
from parlor.client import Client, Refused, SessionOver
from parlor.serving.invitations import Invitation, Invitations

log = structlog.get_logger(__name__)

NAMES = ("Ada", "Blaise", "Carl", "Dorothy", "Emmy", "Frank", "Grace", "Hedy", "Ivan", "John")

INVITED = "invited"
"""What the games of invited bots count for, in place of a pool."""

_LOOK_S = 0.25
"""How often invitations are looked for: a person waits for them."""
_SHORTEST_PAUSE_S = 0.2
_LONGEST_PAUSE_S = 10.0


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
        self._waiting: Counter[str] = Counter()
        self._playing: Counter[str] = Counter()
        self._changed = asyncio.Event()
        self._pause_s = 0.0

    @property
    def free(self) -> int:
        """How many more bots there may be."""
        return max(0, self._config.most - self._waiting.total() - self._playing.total())

    async def run(self) -> None:
        """Starts bots where some are missing, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._accept(tasks), name="invitations")
            while True:
                self._changed.clear()
                for pool in self._missing():
                    self._waiting[pool] += 1
                    tasks.create_task(self._wait_in(pool), name=f"bot-{pool}")
                self._publish()
                await self._changed.wait()
                # After a failure; else a gateway that is away would be asked without end.
                await asyncio.sleep(self._pause_s)

    def _missing(self) -> list[str]:
        """The pools of bots to start, each as often as it lacks one."""
        config = self._config
        lacking = [pool for pool in config.pools for _ in range(config.idle - self._waiting[pool])]
        return lacking[: self.free]

    async def _accept(self, tasks: asyncio.TaskGroup) -> None:
        """Takes invitations for as many bots as there may be more."""
        while True:
            if self.free:
                try:
                    invitations = await self._invitations.take(self.free)
                except RedisError as error:
                    log.warning("invitations_unknown", error=type(error).__name__)
                    invitations = []
                for invitation in invitations:
                    self._playing[INVITED] += 1
                    tasks.create_task(self._visit(invitation), name=f"bot-{INVITED}")
                if invitations:
                    self._publish()
            await asyncio.sleep(_LOOK_S)

    async def _wait_in(self, pool: str) -> None:
        """One bot from its login to its end; a failure is counted, and another bot comes."""
        seated = False

        def sit() -> None:
            nonlocal seated
            seated = True
            self._waiting[pool] -= 1
            self._playing[pool] += 1
            self._pause_s = 0.0
            self._changed.set()

        try:
            if not await self._live(pool, lambda bot: bot.matched(pool_named(pool), sit)):
                self._pause_s = min(max(2 * self._pause_s, _SHORTEST_PAUSE_S), _LONGEST_PAUSE_S)
        finally:
            (self._playing if seated else self._waiting)[pool] -= 1
            self._changed.set()

    async def _visit(self, invitation: Invitation) -> None:
        """One invited bot from its login to its end; after a failure, whoever invited asks again."""
        try:
            await self._live(INVITED, lambda bot: bot.invited(invitation))
        finally:
            self._playing[INVITED] -= 1
            self._changed.set()

    async def _live(self, pool: str, life: Callable[[Bot], Awaitable[None]]) -> bool:
        """A bot's session; whether it ended well."""
        chance = random.Random()
        temper = Temper(think_ms=self._config.think_ms, chance=chance)
        try:
            token = await self._identities.token(chance.choice(NAMES))
            async with Client(self._config.urls, token=token, chance=chance) as client:
                await life(Bot(client, pool, temper, self._thinkers))
        except (Refused, SessionOver, TimeoutError, aiohttp.ClientError, OSError) as error:
            metrics.failures.labels(pool, type(error).__name__).inc()
            log.warning("bot_failed", pool=pool, error=type(error).__name__)
            return False
        return True

    def _publish(self) -> None:
        for pool in (*self._config.pools, INVITED):
            metrics.waiting.labels(pool).set(self._waiting[pool])
            metrics.playing.labels(pool).set(self._playing[pool])
