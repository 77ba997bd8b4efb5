"""A Parlor in two places, with a Redis that follows a failover: what a cut network is tried on.

Here are the primary, an engine, a gateway and one sentinel; there are two replicas, an engine, a
gateway and two sentinels, so that they can promote one of theirs, and it has a replica of its own.
Either side has the engines of one kind of game.
A primary that no replica has answered for two seconds takes no writes.
"""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import aiohttp
from redis.asyncio import Redis
from redis.exceptions import RedisError

from parlor.serving import redis_server as servers
from tests.chaos.netns import Network, Side

SERVICE: Final = "tables"
MAX_LAG_S: Final = 2

_REDIS, _SENTINEL, _ENGINE, _GATEWAY, _HEALTH = 6_400, 26_400, 9_001, 8_080, 8_081
_READY_S: Final = 90.0
_LOOK_S: Final = 0.05

_SERVER: Final = f"""
bind 0.0.0.0
protected-mode no
appendonly yes
appendfsync always
notify-keyspace-events Kx
min-replicas-to-write 1
min-replicas-max-lag {MAX_LAG_S}
repl-diskless-sync-delay 0
repl-ping-replica-period 1
"""


class Apart:
    """All of it, from `start` until the network is taken down."""

    def __init__(self, net: Network, directory: Path, *, kind: str, durability: str) -> None:
        self._net = net
        self._kind = kind
        self._durability = durability
        self._directory = directory
        self._binary = str(servers.find_binary())

    @property
    def here(self) -> str:
        """The gateway on the side of the first primary."""
        return f"http://{self._net.here.outer}:{_GATEWAY}"

    @property
    def there(self) -> str:
        """The other side's gateway."""
        return f"http://{self._net.there.outer}:{_GATEWAY}"

    async def start(self) -> None:
        """Starts everything; returns when all of it is ready."""
        here, there = self._net.here, self._net.there
        self._server(here, 0)
        self._server(there, 0, replica=True)
        self._server(there, 1, replica=True)
        await self._until(lambda: self._linked(2))
        for side, number in ((here, 0), (there, 0), (there, 1)):
            self._sentinel(side, number)
        await self._until(lambda: self._watched(others=2, replicas=2))
        for side, first in ((here, [here]), (there, [there])):
            self._services(side, self._sentinels(first))
        for side in (here, there):
            for port in (_GATEWAY, _HEALTH):
                await self._until(lambda url=f"http://{side.outer}:{port}": _is_ready(url))

    async def primary(self) -> Redis:
        """A client of the server that those there take for the primary; the caller closes it."""
        here, there = self._net.here, self._net.there
        async with Redis(host=there.outer, port=_SENTINEL) as sentinel:
            address: Any = await sentinel.sentinel_get_master_addr_by_name(SERVICE)
        outer = {here.inner: here.outer, there.inner: there.outer}
        return Redis(host=outer[address[0].decode()], port=int(address[1]))

    async def has_moved(self) -> bool:
        """Whether the primary is there now."""
        client = await self.primary()
        async with client:
            host = client.connection_pool.connection_kwargs["host"]
            return bool(
                host == self._net.there.outer
                and (await client.info("replication"))["role"] == "master"
            )

    def _server(self, side: Side, number: int, *, replica: bool = False) -> None:
        port, home = _REDIS + number, self._home(side, f"redis{number}")
        lines = [f"port {port}", f"dir {home}", f"replica-announce-ip {side.inner}"]
        if replica:
            lines.append(f"replicaof {self._net.here.inner} {_REDIS}")
        conf = home / "redis.conf"
        conf.write_text(_SERVER + "\n".join(lines) + "\n")
        side.start([self._binary, str(conf)], log=home / "log")

    def _sentinel(self, side: Side, number: int) -> None:
        home = self._home(side, f"sentinel{number}")
        conf = home / "sentinel.conf"
        conf.write_text(
            f"port {_SENTINEL + number}\nbind 0.0.0.0\nprotected-mode no\ndir {home}\n"
            f"sentinel announce-ip {side.inner}\n"
            f"sentinel monitor {SERVICE} {self._net.here.inner} {_REDIS} 2\n"
            f"sentinel down-after-milliseconds {SERVICE} 800\n"
            f"sentinel failover-timeout {SERVICE} 2000\n"
        )
        side.start([self._binary, str(conf), "--sentinel"], log=home / "log")

    def _services(self, side: Side, sentinels: str) -> None:
        env = {
            "PARLOR_REDIS_URL": f"redis+sentinel://{sentinels}/{SERVICE}/0",
            "PARLOR_GRPC_HOST": "0.0.0.0",
            "PARLOR_HTTP_HOST": "0.0.0.0",
            "PARLOR_ENGINE_GRPC_PORT": str(_ENGINE),
            "PARLOR_ENGINE_HTTP_PORT": str(_HEALTH),
            "PARLOR_ENGINE_DURABILITY": self._durability,
            "PARLOR_ENGINE_ADVERTISE": f"{side.inner}:{_ENGINE}",
            "PARLOR_GATEWAY_HTTP_PORT": str(_GATEWAY),
        }
        home = self._home(side, "services")
        for arguments in (["parlor.engine", self._kind], ["parlor.gateway"]):
            side.start([sys.executable, "-m", *arguments], log=home / arguments[0], env=env)

    def _sentinels(self, first: Sequence[Side]) -> str:
        """Where all sentinels are, the side's own before the others."""
        here, there = self._net.here, self._net.there
        places = [(here, 0), (there, 0), (there, 1)]
        places.sort(key=lambda place: place[0] not in first)
        return ",".join(f"{side.inner}:{_SENTINEL + number}" for side, number in places)

    def _home(self, side: Side, name: str) -> Path:
        home = self._directory / ("here" if side is self._net.here else "there") / name
        home.mkdir(parents=True, exist_ok=True)
        return home

    async def _linked(self, replicas: int) -> bool:
        async with Redis(host=self._net.here.outer, port=_REDIS) as client:
            info = await client.info("replication")
        states = [info.get(f"slave{number}", {}).get("state") for number in range(replicas)]
        return states == ["online"] * replicas

    async def _watched(self, *, others: int, replicas: int) -> bool:
        for side, number in ((self._net.here, 0), (self._net.there, 0), (self._net.there, 1)):
            async with Redis(
                host=side.outer, port=_SENTINEL + number, decode_responses=True
            ) as client:
                state: Any = await client.sentinel_master(SERVICE)
            if (state["num-other-sentinels"], state["num-slaves"]) != (others, replicas):
                return False
        return True

    async def _until(self, condition: Any) -> None:
        async with asyncio.timeout(_READY_S):
            while True:
                try:
                    if await condition():
                        return
                except (RedisError, aiohttp.ClientError, OSError):
                    pass
                await asyncio.sleep(_LOOK_S)


async def _is_ready(url: str) -> bool:
    timeout = aiohttp.ClientTimeout(total=2)
    async with aiohttp.ClientSession(timeout=timeout) as http, http.get(f"{url}/readyz") as answer:
        return answer.status == 200
