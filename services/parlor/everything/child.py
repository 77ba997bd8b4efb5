"""One service as a process of its own, started again whenever it dies."""

import asyncio
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import aiohttp

from parlor.everything.failure import NotStarted
from parlor.serving.tether import tethered

_SHORTEST_PAUSE_S: Final = 0.2
_LONGEST_PAUSE_S: Final = 5.0
_STEADY_S: Final = 10.0
_STARTS_BEFORE_READY: Final = 3
_LOOK_EVERY_S: Final = 0.05
_LAST_LINES: Final = 12

Say = Callable[[str], None]


@dataclass(slots=True, eq=False, kw_only=True)
class Child:
    """A service process, and what it takes to start it again."""

    service: str
    """Its module below `parlor`."""
    name: str
    """As logs and people call it."""
    arguments: tuple[str, ...]
    """Of `python -m`."""
    host: str
    http_port: int
    grpc_port: int
    log: Path
    """Where it writes."""
    say: Say
    process: asyncio.subprocess.Process | None = None
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when it has been ready for the first time."""
    starts: int = 0

    @property
    def http(self) -> str:
        """`host:port` of HTTP."""
        return f"{self.host}:{self.http_port}"

    @property
    def grpc(self) -> str:
        """`host:port` of gRPC."""
        return f"{self.host}:{self.grpc_port}"

    @property
    def pid(self) -> int | None:
        """The process that runs now."""
        if self.process is None or self.process.returncode is not None:
            return None
        return self.process.pid

    async def keep(self, environment: Callable[[], Mapping[str, str]]) -> None:
        """Runs it again and again; raises NotStarted where it never becomes ready."""
        pause_s = _SHORTEST_PAUSE_S
        while True:
            began = time.monotonic()
            process = await self._spawned(environment())
            watch = asyncio.create_task(self._watch())
            try:
                code = await process.wait()
            finally:
                watch.cancel()
            if not self.ready.is_set() and self.starts >= _STARTS_BEFORE_READY:
                raise NotStarted(f"{self.name} ended with {code}\n{self.tail()}")
            if time.monotonic() - began > _STEADY_S:
                pause_s = _SHORTEST_PAUSE_S
            self.say(f"{self.name} ended with {code}; starting it again in {pause_s:.1f} s")
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    async def restart(self) -> None:
        """Tells the process that runs to stop, as an upgrade does; returns once its successor is
        ready.
        """
        starts = self.starts
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
        while self.starts == starts:
            await asyncio.sleep(_LOOK_EVERY_S)
        await self._until_ready()

    async def end(self, within_s: float) -> None:
        """Tells it to stop, and kills it where it has not by then."""
        process = self.process
        if process is None or process.returncode is not None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(within_s):
                await process.wait()
        except TimeoutError:
            self.say(f"{self.name} did not stop in time and is killed")
            process.kill()
            await process.wait()

    def tail(self) -> str:
        """The last lines that it wrote."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return "\n".join(lines[-_LAST_LINES:])

    async def _spawned(self, environment: Mapping[str, str]) -> asyncio.subprocess.Process:
        self.starts += 1
        with self.log.open("ab") as log:
            spawning = asyncio.ensure_future(
                asyncio.create_subprocess_exec(
                    *tethered([sys.executable, "-m", *self.arguments]),
                    env=environment,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    # Ctrl-C is for this process, which then stops the others in order.
                    start_new_session=True,
                )
            )
            try:
                self.process = await asyncio.shield(spawning)
            except asyncio.CancelledError:
                # Started or not: what was started has to be known to be stopped.
                self.process = await spawning
                raise
        return self.process

    async def _watch(self) -> None:
        """Says when it is ready, at first and after each start."""
        await self._until_ready()
        if self.starts > 1:
            self.say(f"{self.name} is ready again")
        self.ready.set()

    async def _until_ready(self) -> None:
        timeout = aiohttp.ClientTimeout(total=2)
        async with aiohttp.ClientSession(timeout=timeout) as client:
            while not await _is_ready(client, self.http):
                await asyncio.sleep(_LOOK_EVERY_S)


async def _is_ready(client: aiohttp.ClientSession, address: str) -> bool:
    try:
        async with client.get(f"http://{address}/readyz") as response:
            return response.status == 200
    except (aiohttp.ClientError, TimeoutError, OSError):
        return False
