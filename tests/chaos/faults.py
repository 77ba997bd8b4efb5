"""What is broken, at moments and of kinds that follow from a seed."""

import asyncio
import math
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from redis.exceptions import RedisError

from parlor.client import Client
from parlor.everything import Everything
from parlor.serving.redis import connect
from parlor.v1.play_pb2 import ClientFrame, Watch
from tests.chaos import failovers
from tests.chaos.failovers import Failover, Failovers
from tests.chaos.history import now_ms
from tests.integration.redis_forms.support import Watched

KINDS: Final = ("doudizhu", "jinxian", "planes")

SERVICES: Final = (*(("engine", kind) for kind in KINDS), ("gateway", ""), ("matchmaking", ""))

WEIGHTS: Final = {
    **{f"kill engine {kind}": 3 for kind in KINDS},
    "kill gateway": 4,
    "kill matchmaking": 2,
    **{f"stall engine {kind}": 1 for kind in KINDS},
    "stall gateway": 1,
    "stall matchmaking": 1,
    "drop subscribers": 1,
    "vanish": 2,
    "stop reading": 2,
    "fall silent": 1,
}
"""How often each fault comes, relative to the others; those of Redis are added."""

OF_CLIENTS: Final = ("vanish", "stop reading", "fall silent")
"""The faults of one player's client."""

ALONE: Final = {"kill redis": 2}
"""The faults of a single server."""

REST_S: Final = 4.0
"""How long a service is left alone after a fault."""

STEADY_S: Final = 10.0
"""How long a process lives before it is killed: one that dies sooner is started again ever later,
and the pauses would be those of who starts it.
"""

DOUBLE_IN: Final = 6
"""Of so many kills one may take a replica while the other is not back yet."""

PAUSE_S: Final = (0.2, 1.4)
STALL_S: Final = (0.3, 2.5)
CLIENT_S: Final = (0.0, 4.0)
"""How long a client is away, does not read, or is silent."""

LONG_IN: Final = 4
"""Of so many stalls of an engine, and so many faults of clients, one is long."""
LONG_STALL_S: Final = (3.0, 8.0)
"""Longer than an engine's lease: another takes over, and the first one wakes up replaced."""
LONG_CLIENT_S: Final = (8.0, 13.0)
"""Longer than any turn, and than gateways bear it: shorter than the client's own patience."""

ASKS_EVERY_S: Final = 0.05
"""How often a client that does not read asks for its rooms, as fast as a gateway takes requests from one player."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault; times in ms since the epoch."""

    kind: str
    at: float
    until: float
    """When it was over: of a primary's death, when another had taken its place."""
    player: str = ""
    """Whose client it concerns; empty for what concerns all."""

    @property
    def is_kill(self) -> bool:
        return self.kind.startswith("kill ")

    @property
    def is_engines_end(self) -> bool:
        """Whether an engine was killed, or told to leave."""
        return self.kind.startswith(("kill engine", "restart engine"))

    @property
    def is_of_store(self) -> bool:
        """Whether Redis was away."""
        return self.kind.endswith((" redis", " primary"))

    @property
    def game(self) -> str:
        """The only game that it concerns; empty where it concerns all."""
        return self.kind.rpartition(" ")[2] if " engine " in self.kind else ""


class Faults:
    """Breaks one thing after the other."""

    def __init__(
        self,
        parlor: Everything,
        clients: Mapping[str, Client],
        seed: int,
        *,
        seconds: float,
        most: int,
        only: str = "",
        deployment: Watched | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._parlor = parlor
        self._clients = clients
        self._players = tuple(clients)
        self._chance = random.Random(seed)
        self._seconds = seconds
        self._most = most
        self._only = only
        self._failovers = Failovers(deployment, self._chance) if deployment else None
        # Who runs a server of its own does not start it again.
        alone = ALONE if parlor.redis is not None else {}
        self._weights = WEIGHTS | (failovers.WEIGHTS if deployment else alone)
        self._say = say
        self._rested: dict[str, float] = {}
        self._born = dict.fromkeys(self._pids(), -STEADY_S)
        self._replicas = {kind: len(parlor.pids(*kind)) for kind in SERVICES}
        self._asides: list[asyncio.Task[None]] = []
        self.faults: list[Fault] = []
        self.trouble: list[str] = []
        """What could not be made whole again, in words."""

    @property
    def kills(self) -> int:
        return sum(fault.is_kill for fault in self.faults)

    @property
    def by_kind(self) -> Counter[str]:
        return Counter(fault.kind for fault in self.faults)

    async def run(self) -> None:
        """Until the time is over, or the most kills were done (0: as many as there are)."""
        until = time.monotonic() + self._seconds
        while time.monotonic() < until and not (self._most and self.kills >= self._most):
            await asyncio.sleep(self._chance.uniform(*PAUSE_S))
            for pid in self._pids():
                self._born.setdefault(pid, time.monotonic())
            kind = self._next()
            if kind is None:
                continue
            player = self._chance.choice(self._players) if kind in OF_CLIENTS else ""
            at = now_ms()
            length_s = await self._break(kind, player)
            if length_s is None:
                self._rested.pop(_victim(kind), None)
                continue
            if kind.startswith("stall "):
                # Who is frozen has not rested.
                self._rested[_victim(kind)] = time.monotonic() + length_s + REST_S
            self.faults.append(Fault(kind, at, at + 1000 * length_s, player))
            if len(self.faults) % 25 == 0:
                self._say(f"{len(self.faults)} faults, {self.kills} kills")
        ends = await asyncio.gather(*self._asides, return_exceptions=True)
        self.trouble += [f"{type(e).__name__}: {e}" for e in ends if isinstance(e, Exception)]

    def _next(self) -> str | None:
        """A fault of something that has rested, where anything has; clients need no rest."""
        now = time.monotonic()
        wanted = [kind for kind in self._weights if kind.startswith(self._only)]
        ready = [kind for kind in wanted if self._rested.get(_victim(kind), 0.0) <= now]
        if not ready:
            return None
        (kind,) = self._chance.choices(ready, [self._weights[kind] for kind in ready])
        if kind not in OF_CLIENTS:
            self._rested[_victim(kind)] = now + REST_S
        return kind

    async def _break(self, kind: str, player: str) -> float | None:
        """Does it; how long it lasts in s, 0 for what is over at once, None where nothing was done."""
        match kind.split():
            case ["kill", "redis"]:
                assert self._parlor.redis is not None
                # It is started again with its append-only file by who keeps everything running.
                return _kill(self._parlor.redis.pid)
            case ["kill", "primary"]:
                assert self._failovers is not None
                return self._fail_over(kind, self._failovers.kill_primary)
            case ["freeze", "primary"]:
                assert self._failovers is not None
                return self._fail_over(kind, self._failovers.freeze_primary)
            case ["kill", *victim]:
                return self._kill(*victim)
            case ["stall", *victim]:
                return self._stall(*victim)
            case ["drop", "subscribers"]:
                return await self._drop_subscribers()
            case ["vanish"]:
                return self._vanish(self._clients[player])
            case ["stop", "reading"]:
                return self._deafen(self._clients[player])
            case _:
                return self._silence(self._clients[player])

    def _pids(self) -> list[int]:
        return [pid for kind in SERVICES for pid in self._parlor.pids(*kind)]

    def _kill(self, service: str, kind: str = "") -> float | None:
        """Kills a process that has lived for a while; mostly where all its replicas have."""
        since = time.monotonic() - STEADY_S
        pids = self._parlor.pids(service, kind)
        steady = [pid for pid in pids if self._born.get(pid, since + 1) <= since]
        is_whole = len(steady) == self._replicas[service, kind]
        if not steady or not (is_whole or self._chance.randrange(DOUBLE_IN) == 0):
            return None
        return _kill(self._chance.choice(steady))

    def _stall(self, service: str, kind: str = "") -> float | None:
        pids = self._parlor.pids(service, kind)
        pid = self._chance.choice(pids) if pids else 0
        # A gateway that is frozen for longer would hold its players up for as long as they wait for it.
        is_long = service == "engine" and self._chance.randrange(LONG_IN) == 0
        length_s = self._chance.uniform(*(LONG_STALL_S if is_long else STALL_S))
        if not _signal(pid, signal.SIGSTOP):
            return None
        self._later(length_s, lambda: _signal(pid, signal.SIGCONT))
        return length_s

    def _fail_over(self, kind: str, failover: Failover) -> float:
        """Lets it run beside the other faults; the next of its kind waits until it has ended."""
        self._rested[_victim(kind)] = math.inf
        number = len(self.faults)

        def served() -> None:
            self.faults[number] = replace(self.faults[number], until=now_ms())

        async def fail_over() -> None:
            try:
                await failover(served)
            except TimeoutError:
                # It is the last one of its kind: the store is broken already.
                raise TimeoutError(
                    f"{kind}: the store is not whole again after {failovers.WHOLE_S:.0f} s"
                ) from None
            self._rested[_victim(kind)] = time.monotonic() + failovers.REST_S

        self._aside(fail_over())
        return 0.0

    def _vanish(self, client: Client) -> float | None:
        if client.is_away:
            return None
        length_s = self._client_length_s()
        client.drop(away_ms=round(1000 * length_s))
        # No fault is the last one before it is over.
        self._aside(asyncio.sleep(length_s))
        return length_s

    def _deafen(self, client: Client) -> float | None:
        """The client reads no more for a while, and goes on asking for its rooms, so that buffers fill."""
        transport = _transport(client)
        if transport is None:
            return None
        length_s = self._client_length_s()
        transport.pause_reading()
        self._later(length_s, transport.resume_reading)
        self._aside(_ask(client, length_s))
        return length_s

    def _silence(self, client: Client) -> float | None:
        """The client neither reads nor sends for a while, as on a phone whose network has died, and nobody is told."""
        link, transport = client._link, _transport(client)
        if link is None or transport is None:
            return None
        length_s = self._client_length_s()
        sending = link.send
        link.send = _into_the_void  # type: ignore[method-assign]
        transport.pause_reading()

        def wake() -> None:
            link.send = sending  # type: ignore[method-assign]
            # What it said meanwhile went nowhere: over the next connection all is asked again.
            transport.abort()

        self._later(length_s, wake)
        return length_s

    def _client_length_s(self) -> float:
        is_long = self._chance.randrange(LONG_IN) == 0
        return self._chance.uniform(*(LONG_CLIENT_S if is_long else CLIENT_S))

    async def _drop_subscribers(self) -> float | None:
        redis: Any = connect(self._parlor.redis_url)
        try:
            await redis.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
        except RedisError:
            # Redis is down itself, and with it every subscriber.
            return None
        finally:
            await redis.aclose()
        return 0.0

    def _later(self, after_s: float, act: Callable[[], object]) -> None:
        async def wait() -> None:
            try:
                await asyncio.sleep(after_s)
            finally:
                act()

        self._aside(wait())

    def _aside(self, work: Coroutine[Any, Any, None]) -> None:
        """What goes on beside the other faults; `run` waits for it, and what it raises is trouble."""
        self._asides.append(asyncio.create_task(work))


async def _ask(client: Client, length_s: float) -> None:
    """Asks for the views of all rooms that are followed, again and again."""
    until, link = time.monotonic() + length_s, client._link
    while time.monotonic() < until and link is not None and client._link is link:
        for room_id in tuple(client.rooms):
            await link.send(ClientFrame(watch=Watch(room_id=room_id)))
            await asyncio.sleep(ASKS_EVERY_S)
        await asyncio.sleep(ASKS_EVERY_S)


async def _into_the_void(frame: ClientFrame) -> None:
    """Sends nothing."""


def _victim(kind: str) -> str:
    """Whom a fault concerns: `engine planes` is another service than `engine jinxian`."""
    return kind.partition(" ")[2]


def _kill(pid: int) -> float | None:
    return 0.0 if _signal(pid, signal.SIGKILL) else None


def _signal(pid: int, number: signal.Signals) -> bool:
    """Sends a signal to a process of ours; False where it has ended."""
    if not pid:
        return False
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def _transport(client: Client) -> asyncio.Transport | None:
    """The client's socket; neither the client nor aiohttp has a public way to it."""
    link = client._link
    connection = link._socket._response.connection if link is not None else None
    transport = connection.transport if connection is not None else None
    return transport if isinstance(transport, asyncio.Transport) else None
