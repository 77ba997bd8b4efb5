"""All of Parlor, as one thing that starts and ends."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from parlor.everything.child import Child, Say
from parlor.everything.config import EverythingConfig
from parlor.everything.failure import NotStarted
from parlor.everything.ports import available
from parlor.serving import redis_server
from parlor.serving.config import FILE
from parlor.serving.ports import free_port

_LOOK_EVERY_S: Final = 0.05
_STOP_MARGIN_S: Final = 5.0
_DRAIN_MS: Final = "3000"
_SHARDS: Final = "64"

# Who is told to stop first: a service stops after those that send it requests.
_STOP_ORDER: Final = (("bots",), ("gateway",), ("matchmaking",), ("engine",), ("archive",))


@dataclass(frozen=True, slots=True)
class Gateway:
    """Where players and backends connect, as `host:port`."""

    http: str
    grpc: str

    @property
    def url(self) -> str:
        """The browser client's address."""
        return f"http://{self.http}"


class Everything:
    """A whole Parlor; entered, everything is ready, and left, everything has ended.

    Tests run it on free ports with `port=0`, and kill by `pids`.
    """

    def __init__(
        self,
        config: EverythingConfig,
        *,
        env: Mapping[str, str] = os.environ,
        say: Say = lambda _: None,
    ) -> None:
        self._config = config
        self._env = env
        self._say = say
        self._directory = Path(config.directory).resolve()
        self._children: list[Child] = []
        self._keepers: list[asyncio.Task[None]] = []
        self.redis: redis_server.RedisServer | None = None
        """The private server; None where `redis_url` names another."""

    @property
    def redis_url(self) -> str:
        """Where Redis is."""
        return self.redis.url if self.redis is not None else self._config.redis_url

    @property
    def gateways(self) -> tuple[Gateway, ...]:
        """Every gateway; the first is the one on the configured port."""
        return tuple(
            Gateway(child.http, child.grpc)
            for child in self._children
            if child.service == "gateway"
        )

    @property
    def url(self) -> str:
        """What to open in a browser."""
        return self.gateways[0].url

    def pids(self, service: str, kind: str = "") -> tuple[int, ...]:
        """The processes of "engine", "gateway", "matchmaking", "archive" or "bots" that run now.

        With `kind`, only the engines of that kind.
        """
        return tuple(
            child.pid
            for child in self._children
            if child.service == service
            and (not kind or kind in child.arguments)
            and child.pid is not None
        )

    async def restart(self, pid: int) -> None:
        """Tells one process to stop, as an upgrade does; returns once its successor is ready."""
        (child,) = (each for each in self._children if each.pid == pid)
        await child.restart()

    def describe(self) -> dict[str, object]:
        """All of the above as what `--json` prints."""
        return {
            "url": self.url,
            "gateways": [{"http": each.http, "grpc": each.grpc} for each in self.gateways],
            "redis_url": self.redis_url,
            "pids": {
                service: self.pids(service) for services in _STOP_ORDER for service in services
            },
        }

    async def __aenter__(self) -> "Everything":
        config = self._config
        self._directory.mkdir(parents=True, exist_ok=True)
        self._children = self._planned()
        try:
            if not config.redis_url:
                self.redis = redis_server.start(self._directory / "redis")
                self._keepers.append(asyncio.create_task(self._keep_redis(self.redis)))
            self._keepers += [
                asyncio.create_task(child.keep(partial(self._environment, child)), name=child.name)
                for child in self._children
            ]
            await self._until_ready()
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stop()

    async def until_failed(self) -> None:
        """Runs until something cannot be kept running; raises what that was."""
        done, _ = await asyncio.wait(self._keepers, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()

    def _planned(self) -> list[Child]:
        config = self._config
        counts = [
            *(("engine", (kind,), config.engines) for kind in config.kinds),
            ("archive", (), 1),
            ("matchmaking", (), 1),
            ("gateway", (), config.gateways),
            ("bots", (), config.bots),
        ]
        wanted = [
            (service, (f"parlor.{service}", *arguments), "-".join((service, *arguments, str(n))))
            for service, arguments, count in counts
            for n in range(1, count + 1)
        ]
        children = [
            Child(
                service=service,
                name=name,
                arguments=arguments,
                host=config.http_host,
                http_port=free_port(config.http_host),
                grpc_port=free_port(config.http_host),
                log=self._directory / f"{name}.log",
                say=self._say,
            )
            for service, arguments, name in wanted
        ]
        if config.port:
            first = next(child for child in children if child.service == "gateway")
            first.http_port = available(config.http_host, config.port)
        return children

    def _environment(self, child: Child) -> dict[str, str]:
        section = f"PARLOR_{child.service.upper()}_"
        # A setting may be given once: as it is, or in a file.
        given = {
            name: value for name, value in self._env.items() if name != f"PARLOR_REDIS_URL{FILE}"
        }
        if f"PARLOR_ARCHIVE_DATABASE_URL{FILE}" not in given:
            database = f"sqlite:///{self._directory / 'archive.db'}"
            given.setdefault("PARLOR_ARCHIVE_DATABASE_URL", database)
        return {
            # Both have the same; a setting of one process is unknown to the other.
            "PARLOR_ARCHIVE_SHARDS": self._env.get("PARLOR_ENGINE_SHARDS", _SHARDS),
            # Who stops all gateways leaves clients nowhere to go: they are not kept for long.
            "PARLOR_GATEWAY_DRAIN_MS": self._env.get("PARLOR_DRAIN_MS", _DRAIN_MS),
            **given,
            "PARLOR_REDIS_URL": self.redis_url,
            f"{section}HTTP_HOST": child.host,
            f"{section}HTTP_PORT": str(child.http_port),
            f"{section}GRPC_HOST": child.host,
            f"{section}GRPC_PORT": str(child.grpc_port),
            "PARLOR_GATEWAY_MATCHMAKING": self._addresses("matchmaking"),
            "PARLOR_GATEWAY_ARCHIVE": self._addresses("archive"),
            "PARLOR_BOTS_URLS": ",".join(gateway.url for gateway in self.gateways),
        }

    def _addresses(self, service: str) -> str:
        return ",".join(each.grpc for each in self._children if each.service == service)

    async def _until_ready(self) -> None:
        ready = asyncio.gather(*(child.ready.wait() for child in self._children))
        failed = asyncio.ensure_future(self.until_failed())
        try:
            async with asyncio.timeout(self._config.start_ms / 1000):
                await asyncio.wait((ready, failed), return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            late = next(child for child in self._children if not child.ready.is_set())
            raise NotStarted(
                f"{late.name} is not ready after {self._config.start_ms} ms\n{late.tail()}"
            ) from None
        finally:
            ready.cancel()
            failed.cancel()
            await asyncio.gather(ready, failed, return_exceptions=True)
        if failed.done() and not failed.cancelled():
            await failed

    async def _keep_redis(self, server: redis_server.RedisServer) -> None:
        while True:
            await asyncio.sleep(_LOOK_EVERY_S)
            if server.process.poll() is not None:
                self._say(f"redis-server ended with {server.process.returncode}; starting it again")
                server.restart()

    async def _stop(self) -> None:
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        self._keepers.clear()
        within_s = self._config.drain_ms / 1000 + _STOP_MARGIN_S
        for services in _STOP_ORDER:
            await asyncio.gather(
                *(child.end(within_s) for child in self._children if child.service in services)
            )
        if self.redis is not None:
            self.redis.stop()
