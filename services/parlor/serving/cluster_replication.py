"""Scripts in a Redis Cluster whose writes have to reach a replica: each server has rounds of its own."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from redis.exceptions import MovedError, RedisError

from parlor.serving.batch import ServerBatch
from parlor.serving.cluster import Cluster
from parlor.serving.cluster_batch import RESEND_S, UNSETTLED
from parlor.serving.duplex import Argument
from parlor.serving.replication import ServerReplication
from parlor.serving.script import Script
from parlor.serving.slots import Address, slot_of

_PAUSE_S: Final = 0.02


class ClusterReplication:
    """A Replication of all primaries of a cluster, with a connection to each that carries nothing else."""

    def __init__(
        self, cluster: Cluster, *, timeout_ms: int, confirm_ms: int, least: int = 1
    ) -> None:
        self._cluster = cluster
        self._timeout_ms = timeout_ms
        self._confirm_ms = confirm_ms
        self._least = least
        self._servers: dict[Address, ServerReplication] = {}

    async def run(
        self, script: Script, keys: Sequence[Argument], args: Sequence[Argument] = ()
    ) -> tuple[Any, bool]:
        """As of every Replication. Called again where a server says that it has not begun.

        A slot that is on its way is waited for: one server could not speak for both.
        """
        slot = slot_of(keys[0])
        until = asyncio.get_running_loop().time() + RESEND_S
        while True:
            address = self._cluster.primary_of(slot)
            try:
                return await self._server(address).run(script, keys, args)
            except UNSETTLED as error:
                if asyncio.get_running_loop().time() > until:
                    raise
                if isinstance(error, MovedError):
                    self._cluster.moved(error, address)
                else:
                    self._cluster.refresh_soon()
                    await asyncio.sleep(_PAUSE_S)
            except RedisError:
                self._cluster.refresh_soon()
                raise

    async def aclose(self) -> None:
        """As of every Replication."""
        await asyncio.gather(*(server.aclose() for server in self._servers.values()))

    def _server(self, address: Address) -> ServerReplication:
        server = self._servers.get(address)
        if server is None:
            batch = ServerBatch(self._cluster.client(address), timeout_ms=self._timeout_ms)
            server = ServerReplication(batch, confirm_ms=self._confirm_ms, least=self._least)
            self._servers[address] = server
        return server
