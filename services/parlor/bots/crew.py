"""Keeps as many bots waiting in each pool as the operator wants."""

import asyncio
import random
from collections import Counter

import aiohttp
import structlog

from parlor.bots import metrics
from parlor.bots.bot import Bot, Temper
from parlor.bots.config import BotsConfig
from parlor.bots.identity import Identities
from parlor.bots.policies import pool_named
from parlor.bots.thinking import Thinkers
from parlor.client import Client, Refused, SessionOver

log = structlog.get_logger(__name__)

NAMES = ("Ada", "Blaise", "Carl", "Dorothy", "Emmy", "Frank", "Grace", "Hedy", "Ivan", "John")

_SHORTEST_PAUSE_S = 0.2
_LONGEST_PAUSE_S = 10.0


class Crew:
    """All bots of this process."""

    def __init__(self, config: BotsConfig, identities: Identities, thinkers: Thinkers) -> None:
        self._config = config
        self._thinkers = thinkers
        self._identities = identities
        self._waiting: Counter[str] = Counter()
        self._playing: Counter[str] = Counter()
        self._changed = asyncio.Event()
        self._pause_s = 0.0

    @property
    def is_waiting(self) -> bool:
        """Whether a bot of this process can be matched."""
        return self._waiting.total() > 0

    async def run(self) -> None:
        """Starts bots where some are missing, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._changed.clear()
                for pool in self._missing():
                    self._waiting[pool] += 1
                    tasks.create_task(self._live(pool), name=f"bot-{pool}")
                self._publish()
                await self._changed.wait()
                # After a failure; else a gateway that is away would be asked without end.
                await asyncio.sleep(self._pause_s)

    def _missing(self) -> list[str]:
        """The pools of bots to start, each as often as it lacks one."""
        config = self._config
        room = config.most - self._waiting.total() - self._playing.total()
        lacking = [pool for pool in config.pools for _ in range(config.idle - self._waiting[pool])]
        return lacking[: max(room, 0)]

    async def _live(self, pool: str) -> None:
        """One bot from its login to its end; a failure is counted, and another bot comes."""
        chance = random.Random()
        temper = Temper(think_ms=self._config.think_ms, chance=chance)
        seated = False

        def sit() -> None:
            nonlocal seated
            seated = True
            self._waiting[pool] -= 1
            self._playing[pool] += 1
            self._pause_s = 0.0
            self._changed.set()

        try:
            token = await self._identities.token(chance.choice(NAMES))
            async with Client(self._config.urls, token=token, chance=chance) as client:
                await Bot(client, pool, pool_named(pool), temper, self._thinkers).live(sit)
        except (Refused, SessionOver, TimeoutError, aiohttp.ClientError, OSError) as error:
            metrics.failures.labels(pool, type(error).__name__).inc()
            log.warning("bot_failed", pool=pool, error=type(error).__name__)
            self._pause_s = min(max(2 * self._pause_s, _SHORTEST_PAUSE_S), _LONGEST_PAUSE_S)
        finally:
            (self._playing if seated else self._waiting)[pool] -= 1
            self._changed.set()

    def _publish(self) -> None:
        for pool in self._config.pools:
            metrics.waiting.labels(pool).set(self._waiting[pool])
            metrics.playing.labels(pool).set(self._playing[pool])
