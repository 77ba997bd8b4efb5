"""A rolling restart: every process told to stop and started again, one after the other.

Each is told as an upgrade tells it, with SIGTERM, once the one before it is back; a client may have
to come back as often as the gateway under it was restarted, and not once more.
"""

import asyncio
import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from parlor.everything import Everything
from tests.chaos.faults import SERVICES, Fault
from tests.chaos.figures import AFTERMATH_MS
from tests.chaos.history import History, now_ms

ORDER: Final = tuple(sorted((*SERVICES, ("archive", "")), key=lambda each: each[0] == "gateway"))
"""Engines, matchmaking, the archive, then gateways."""

BACK_S: Final = 180.0
"""How long one process may take to leave and be back."""


class Rolling:
    """Restarts everything once."""

    def __init__(
        self,
        parlor: Everything,
        *,
        served_s: float,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._parlor = parlor
        self._served_s = served_s
        self._say = say
        self.faults: list[Fault] = []
        self.trouble: list[str] = []
        """What did not come back, in words."""
        self.left: list[tuple[str, Fault]] = []
        """The gateways that were restarted, by URL."""

    async def run(self) -> None:
        """Every process in turn, unless one does not come back."""
        gateways = dict(
            zip(
                self._parlor.pids("gateway"),
                (gateway.url for gateway in self._parlor.gateways),
                strict=True,
            )
        )
        for service in ORDER:
            for pid in self._parlor.pids(*service):
                await asyncio.sleep(self._served_s)
                kind = "restart " + " ".join(filter(None, service))
                began = time.monotonic()
                at = now_ms()
                try:
                    async with asyncio.timeout(BACK_S):
                        await self._parlor.restart(pid)
                except TimeoutError:
                    self.trouble.append(f"{kind}: not back after {BACK_S:.0f} s")
                    return
                fault = Fault(kind, at, now_ms())
                self.faults.append(fault)
                if pid in gateways:
                    self.left.append((gateways[pid], fault))
                self._say(f"{kind}: back after {time.monotonic() - began:.1f} s")
        await asyncio.sleep(self._served_s)


@dataclass(frozen=True, slots=True)
class Resumes:
    """How often clients came back."""

    count: int
    over: int
    """Of these, how many no restart of the gateway under the client explains."""

    def __add__(self, other: "Resumes") -> "Resumes":
        return Resumes(self.count + other.count, self.over + other.over)


def resumes(histories: Iterable[History], left: Sequence[tuple[str, Fault]]) -> Resumes:
    """Counts every connection after a client's first; `left` are the restarts of gateways, by URL."""
    count = over = 0
    for history in histories:
        for before, after in itertools.pairwise(history.met):
            count += 1
            over += not any(
                before.url == url and before.at < fault.at <= after.at <= fault.until + AFTERMATH_MS
                for url, fault in left
            )
    return Resumes(count, over)
