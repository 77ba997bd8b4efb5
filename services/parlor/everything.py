"""All of Parlor on one machine: `python -m parlor.everything`, which is what `make up` runs.

A private real redis-server unless PARLOR_REDIS_URL names one, and every service as a process of its
own, as in production: what works here works there. A process that dies is started again on its
ports. Everything that is written down goes to one folder, `.run`.
"""

import argparse
import asyncio
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import aiohttp
import uvloop

from parlor.serving import redis_server
from parlor.serving.config import FILE, BadConfig, Common, Secret, from_env
from parlor.serving.tether import tethered

_SHORTEST_PAUSE_S: Final = 0.2
_LONGEST_PAUSE_S: Final = 5.0
_STEADY_S: Final = 10.0
_STARTS_BEFORE_READY: Final = 3
_LOOK_EVERY_S: Final = 0.05
_STOP_MARGIN_S: Final = 5.0
_DRAIN_MS: Final = "3000"
_LAST_LINES: Final = 12
_SHARDS: Final = "64"

# Who is told to stop first: a service stops after those that send it requests.
_STOP_ORDER: Final = (("bots",), ("gateway",), ("matchmaking",), ("engine",), ("archive",))

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class EverythingConfig(Common):
    """`PARLOR_EVERYTHING_…`; what the services are set to, they read from the same environment."""

    redis_url: Secret[str] = ""
    """A Redis that runs already; empty: a private one is started."""
    port: int = 8080
    """Where the browser client and the first gateway's WebSocket are; 0 takes a free one."""
    kinds: tuple[str, ...] = ("doudizhu", "jinxian", "planes")
    """Kinds of games, each with its own engines."""
    engines: int = 2
    """Engine replicas per kind."""
    gateways: int = 1
    """Gateways; those after the first listen on free ports."""
    bots: int = 1
    """Processes of bots; 0: players play among themselves."""
    directory: str = ".run"
    """Where Redis and the archive keep their data and the processes their logs."""
    start_ms: int = 60_000
    """How long all of it may take to be ready."""


class NotStarted(RuntimeError):
    """Something did not become ready; the message says what, and how its log ends."""


@dataclass(frozen=True, slots=True)
class Gateway:
    """Where players and backends connect, as `host:port`."""

    http: str
    grpc: str

    @property
    def url(self) -> str:
        """The browser client's address."""
        return f"http://{self.http}"


@dataclass(slots=True, eq=False)
class _Child:
    """One service process, and what it takes to start it again."""

    service: str
    name: str
    arguments: tuple[str, ...]
    host: str
    http_port: int
    grpc_port: int
    process: asyncio.subprocess.Process | None = None
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    starts: int = 0

    @property
    def http(self) -> str:
        return f"{self.host}:{self.http_port}"

    @property
    def grpc(self) -> str:
        return f"{self.host}:{self.grpc_port}"

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.returncode is None


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
        self._children: list[_Child] = []
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
            child.process.pid
            for child in self._children
            if child.service == service
            and (not kind or kind in child.arguments)
            and child.is_running
            and child.process is not None
        )

    async def restart(self, pid: int) -> None:
        """Tells one process to stop, as an upgrade does; returns once its successor is ready."""
        (child,) = (
            each
            for each in self._children
            if each.is_running and each.process is not None and each.process.pid == pid
        )
        starts = child.starts
        os.kill(pid, signal.SIGTERM)
        timeout = aiohttp.ClientTimeout(total=2)
        async with aiohttp.ClientSession(timeout=timeout) as client:
            while child.starts == starts or not await _is_ready(client, child.http):
                await asyncio.sleep(_LOOK_EVERY_S)

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
                asyncio.create_task(self._keep(child), name=child.name) for child in self._children
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

    def _planned(self) -> list[_Child]:
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
        ports = iter(_free_ports(2 * len(wanted), config.http_host))
        children = [
            _Child(service, name, arguments, config.http_host, next(ports), next(ports))
            for service, arguments, name in wanted
        ]
        if config.port:
            first = next(child for child in children if child.service == "gateway")
            first.http_port = _available(config.http_host, config.port)
        return children

    def _environment(self, child: _Child) -> dict[str, str]:
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
                f"{late.name} is not ready after {self._config.start_ms} ms\n{self._tail(late)}"
            ) from None
        finally:
            ready.cancel()
            failed.cancel()
            await asyncio.gather(ready, failed, return_exceptions=True)
        if failed.done() and not failed.cancelled():
            await failed

    async def _keep(self, child: _Child) -> None:
        """Runs one child again and again; raises NotStarted where it never becomes ready."""
        pause_s = _SHORTEST_PAUSE_S
        while True:
            began = time.monotonic()
            process = await self._spawned(child)
            watch = asyncio.create_task(self._watch(child))
            try:
                code = await process.wait()
            finally:
                watch.cancel()
            if not child.ready.is_set() and child.starts >= _STARTS_BEFORE_READY:
                raise NotStarted(f"{child.name} ended with {code}\n{self._tail(child)}")
            if time.monotonic() - began > _STEADY_S:
                pause_s = _SHORTEST_PAUSE_S
            self._say(f"{child.name} ended with {code}; starting it again in {pause_s:.1f} s")
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    async def _spawned(self, child: _Child) -> asyncio.subprocess.Process:
        child.starts += 1
        with self._log(child).open("ab") as log:
            spawning = asyncio.ensure_future(
                asyncio.create_subprocess_exec(
                    *tethered([sys.executable, "-m", *child.arguments]),
                    env=self._environment(child),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    # Ctrl-C is for this process, which then stops the others in order.
                    start_new_session=True,
                )
            )
            try:
                child.process = await asyncio.shield(spawning)
            except asyncio.CancelledError:
                # Started or not: what was started has to be known to be stopped.
                child.process = await spawning
                raise
        return child.process

    async def _watch(self, child: _Child) -> None:
        """Says when the child is ready, at first and after each start."""
        timeout = aiohttp.ClientTimeout(total=2)
        async with aiohttp.ClientSession(timeout=timeout) as client:
            while not await _is_ready(client, child.http):
                await asyncio.sleep(_LOOK_EVERY_S)
        if child.starts > 1:
            self._say(f"{child.name} is ready again")
        child.ready.set()

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
        for services in _STOP_ORDER:
            await asyncio.gather(
                *(self._end(child) for child in self._children if child.service in services)
            )
        if self.redis is not None:
            self.redis.stop()

    async def _end(self, child: _Child) -> None:
        process = child.process
        if process is None or process.returncode is not None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(self._config.drain_ms / 1000 + _STOP_MARGIN_S):
                await process.wait()
        except TimeoutError:
            self._say(f"{child.name} did not stop in time and is killed")
            process.kill()
            await process.wait()

    def _log(self, child: _Child) -> Path:
        return self._directory / f"{child.name}.log"

    def _tail(self, child: _Child) -> str:
        log = self._log(child)
        lines = log.read_text(errors="replace").splitlines() if log.exists() else []
        return "\n".join(lines[-_LAST_LINES:])


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs everything until SIGINT or SIGTERM; ends with 1 where that cannot be done."""
    parser = argparse.ArgumentParser(prog="parlor.everything", description=__doc__)
    parser.add_argument(
        "--json",
        action="store_true",
        help="when all is ready, print where it is as one JSON object on one line",
    )
    options = parser.parse_args(arguments)
    try:
        config = from_env(EverythingConfig, "EVERYTHING")
        uvloop.run(_until_stopped(config, as_json=options.json))
    except (BadConfig, NotStarted, redis_server.NoRedisServer, OSError) as error:
        print(f"parlor: {error}", file=sys.stderr)
        sys.exit(2 if isinstance(error, BadConfig) else 1)


async def _until_stopped(config: EverythingConfig, *, as_json: bool) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    _say(f"starting; logs are in {Path(config.directory).resolve()}")
    stopped = asyncio.create_task(stop.wait())
    starting = asyncio.create_task(_run(config, as_json=as_json))
    try:
        await asyncio.wait((stopped, starting), return_when=asyncio.FIRST_COMPLETED)
    finally:
        if stopped.done():
            _say("stopping")
        stopped.cancel()
        starting.cancel()
        ends = await asyncio.gather(starting, return_exceptions=True)
    for end in ends:
        if isinstance(end, Exception):
            raise end
    _say("stopped")


async def _run(config: EverythingConfig, *, as_json: bool) -> None:
    async with Everything(config, say=_say) as parlor:
        if as_json:
            print(json.dumps(parlor.describe()), flush=True)
        else:
            _say(
                f"ready (Ctrl-C stops it)\n\n    {parlor.url}\n"
                f"    gRPC at {parlor.gateways[0].grpc}\n    PARLOR_REDIS_URL={parlor.redis_url}\n"
            )
        await parlor.until_failed()


def _say(line: str) -> None:
    print(f"parlor: {line}", file=sys.stderr, flush=True)


async def _is_ready(client: aiohttp.ClientSession, address: str) -> bool:
    try:
        async with client.get(f"http://{address}/readyz") as response:
            return response.status == 200
    except (aiohttp.ClientError, TimeoutError, OSError):
        return False


def _free_ports(count: int, host: str) -> list[int]:
    """Different ports that were free a moment ago."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind((host, 0))
        return [int(probe.getsockname()[1]) for probe in probes]
    finally:
        for probe in probes:
            probe.close()


def _available(host: str, port: int) -> int:
    """`port`; raises NotStarted where another program has it."""
    try:
        socket.create_server((host, port)).close()
    except OSError as error:
        raise NotStarted(
            f"port {port} cannot be used ({error.strerror}); "
            f"set PARLOR_EVERYTHING_PORT to another one, or to 0 for any"
        ) from None
    return port


if __name__ == "__main__":
    main()
