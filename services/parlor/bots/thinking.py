"""Where bots think: in processes of their own, so that a long thought keeps no other bot waiting.

A decision of Dou Dizhu or Jinxian takes some milliseconds, now and then tens of them, and a process
of bots sits at many tables.
"""

import asyncio
import multiprocessing
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from random import Random
from types import TracebackType
from typing import Any, Self

import structlog

from parlor.bots.policies import POLICIES

log = structlog.get_logger(__name__)

_ATTEMPTS = 2


def decide(kind: str, view: Any, seed: int) -> Any:
    """What a bot of this taste does with the view; None where nothing is asked."""
    return POLICIES[kind](view, Random(seed))


class Thinkers:
    """Some processes that decide; entered, they can be asked, and left, they have ended."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._pool: ProcessPoolExecutor | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(pool.shutdown, cancel_futures=True)

    async def decide(self, kind: str, view: Any, seed: int) -> Any:
        """`decide` in one of the processes, or here where there are none.

        A process that died is replaced and the question put once more; None where that dies too,
        and the bot's clock acts for it.
        """
        if not self._processes:
            return decide(kind, view, seed)
        for _ in range(_ATTEMPTS):
            pool = self._running()
            try:
                return await asyncio.wrap_future(pool.submit(decide, kind, view, seed))
            except BrokenProcessPool:
                if self._pool is pool:
                    self._pool = None
                    log.warning("thinker_lost")
        return None

    def _running(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Spawned: a fork would copy the locks of this process' threads as they are.
            self._pool = ProcessPoolExecutor(
                self._processes, multiprocessing.get_context("spawn"), initializer=_begin
            )
        return self._pool


def _begin() -> None:
    # Ctrl-C reaches every process of a terminal; the one above ends these when it has finished.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
