"""A Redis Cluster: which primaries it has at the moment, and a client for each.

The table of slots is asked for again every second, and at once when an answer shows that it has
changed. It need not be right: a server that does not serve a slot says so before it does anything.
"""

import asyncio
import contextlib
import random
from collections.abc import Callable
from typing import Any, Final

import structlog
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import MovedError, RedisError

from parlor.serving.away import none_of
from parlor.serving.slots import NOTHING, Address, SlotTable, parsed
from parlor.serving.tasks import stop

log = structlog.get_logger(__name__)

_REFRESH_S: Final = 1.0
_LEAST_PAUSE_S: Final = 0.05
_FIRST_ASK_S: Final = 5.0
_ASK_S: Final = 0.5
"""How long one server may take to answer: there are others, and a table from before."""


class Cluster:
    """The primaries as this process knows them; `start` before use."""

    def __init__(self, seeds: tuple[Address, ...], client: Callable[[Address], Redis]) -> None:
        """`client` makes a client of one server, without connecting."""
        self._seeds = seeds
        self._make = client
        self._clients: dict[Address, Redis] = {}
        self._table = NOTHING
        self._refreshed: list[Callable[[], None]] = []
        self._asked_for = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None

    @property
    def primaries(self) -> frozenset[Address]:
        """Those that serve slots."""
        return self._table.primaries

    @property
    def nodes(self) -> frozenset[Address]:
        """The primaries and their replicas."""
        return self._table.nodes

    @property
    def is_covered(self) -> bool:
        """Whether every slot is served."""
        return None not in self._table.by_slot

    def primary_of(self, slot: int) -> Address:
        """Where a slot is served; raises redis's ConnectionError where it is nowhere."""
        address = self._table.by_slot[slot]
        if address is None:
            self.refresh_soon()
            raise RedisConnectionError("no server of the cluster serves this slot")
        return address

    def client(self, address: Address) -> Redis:
        """A client of one server of the cluster."""
        client = self._clients.get(address)
        if client is None:
            client = self._clients[address] = self._make(address)
        return client

    async def start(self) -> "Cluster":
        """Asks for the slots; raises RedisError where no server knows them."""
        await self._refresh(_FIRST_ASK_S)
        self._keeper = asyncio.create_task(self._keep(), name="redis-cluster")
        return self

    async def aclose(self) -> None:
        """Closes every client."""
        if self._keeper is not None:
            await stop(self._keeper)
        for client in self._clients.values():
            await client.aclose()

    async def ping(self) -> bool:
        """Whether every primary answers; raises RedisError where one does not."""
        answers = await asyncio.gather(*(self.client(each).ping() for each in self.primaries))
        return all(answers)

    def on_refresh(self, listener: Callable[[], None]) -> None:
        """Calls `listener` whenever the table may have changed."""
        self._refreshed.append(listener)

    def refresh_soon(self) -> None:
        """Asks for the slots again, before the second is over."""
        self._asked_for.set()

    def moved(self, error: MovedError, asked: Address) -> Address:
        """Takes note of a slot that is elsewhere, and says where."""
        address = (error.host or asked[0], error.port)
        if self._table.by_slot[error.slot_id] != address:
            self._take(self._table.but(error.slot_id, address))
            self.refresh_soon()
        return address

    async def _keep(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_REFRESH_S):
                    await self._asked_for.wait()
            self._asked_for.clear()
            try:
                await self._refresh(_ASK_S)
            except RedisError as error:
                log.warning("cluster_unknown", error=str(error))
            await asyncio.sleep(_LEAST_PAUSE_S)

    async def _refresh(self, within_s: float) -> None:
        """Asks one server after the other until one says that all is well, or else takes what one
        of the others says.

        One that has just come back may still believe to be what it was; it says that it is not
        well.
        """
        addresses = list(self._table.nodes or self._seeds)
        random.shuffle(addresses)
        # Where the whole cluster has moved, the setting's addresses are all that is left.
        addresses += [seed for seed in self._seeds if seed not in addresses]
        second_best: SlotTable = NOTHING
        failures: list[Exception] = []
        for address in addresses:
            try:
                async with asyncio.timeout(within_s):
                    table, is_well = await self._table_of(address)
            except (RedisError, OSError, TimeoutError) as error:
                failures.append(error)
                continue
            if is_well:
                self._take(table)
                return
            if not second_best.primaries:
                second_best = table
        if not second_best.primaries:
            raise none_of("no server of the cluster knows its slots", failures)
        self._take(second_best)

    async def _table_of(self, address: Address) -> tuple[SlotTable, bool]:
        client: Any = self.client(address)
        slots = await client.execute_command("CLUSTER SLOTS")
        info = await client.execute_command("CLUSTER INFO")
        return parsed(slots, address[0]), info.get("cluster_state") == "ok"

    def _take(self, table: SlotTable) -> None:
        if table != self._table:
            log.info("cluster_changed", primaries=len(table.primaries))
            self._table = table
        for listener in self._refreshed:
            listener()
