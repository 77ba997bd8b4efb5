"""The processes in which questions that take long are answered."""

import asyncio
import contextlib
import math
import multiprocessing
import os
import time
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType
from typing import Final

import structlog

from parlor.engine.advice import metrics
from parlor.engine.advice.questions import Outcome
from parlor.engine.advice.worker import prepare, work
from parlor.serving import ServiceError
from parlor.v1.error_reason_pb2 import ErrorReason

log = structlog.get_logger(__name__)

MOST_WAITING: Final = 32
"""Unanswered questions per process; more are refused at once, so that another replica gets them."""
_ATTEMPTS: Final = 2
_GRACE_S: Final = 0.2
"""The worker ends what is late by itself and its word is better than silence."""


class Advisers:
    """Some processes that answer questions about one game, started with the first question.

    An async context manager: leaving it waits for the questions that it has, and ends them.
    """

    def __init__(
        self, kind: str, processes: int, *, longest_s: float, most_waiting: int = MOST_WAITING
    ) -> None:
        self._kind = kind
        self._processes = processes
        self._longest_s = longest_s
        self._most = most_waiting * processes
        self._pool: ProcessPoolExecutor | None = None
        self._starting = asyncio.Lock()
        self._unanswered = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def __aenter__(self) -> "Advisers":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is None:
            await self._idle.wait()
        pool, self._pool = self._pool, None
        if pool is not None:
            # A question that still runs ends with its time.
            await asyncio.to_thread(pool.shutdown, cancel_futures=True)

    async def ask(self, method: str, payload: bytes, *, within_s: float | None = None) -> Outcome:
        """The answer to a question; raises ServiceError with OVERLOADED, TIMEOUT or NO_ENGINE."""
        if not self._processes:
            raise ServiceError(ErrorReason.ERROR_REASON_NO_ENGINE, "this engine has no advisers")
        if self._unanswered >= self._most:
            raise ServiceError(
                ErrorReason.ERROR_REASON_OVERLOADED, "too many questions wait", retry_after_ms="500"
            )
        due = math.inf if within_s is None else time.monotonic() + within_s
        self._count(1)
        try:
            return await self._asked(method, payload, due)
        except TimeoutError:
            raise ServiceError(ErrorReason.ERROR_REASON_TIMEOUT, "it took too long") from None
        finally:
            self._count(-1)

    async def _asked(self, method: str, payload: bytes, due: float) -> Outcome:
        """Asks a second time where the process died, since another question may have killed it."""
        for _ in range(_ATTEMPTS):
            async with asyncio.timeout(None if math.isinf(due) else due - time.monotonic()):
                # Outside of the question's own time: on a busy machine a start takes seconds.
                pool = await self._running()
            until = min(due, time.monotonic() + self._longest_s)
            try:
                async with asyncio.timeout(until - time.monotonic() + _GRACE_S):
                    future = pool.submit(work, self._kind, method, payload, until)
                    return await asyncio.wrap_future(future)
            except BrokenProcessPool:
                self._lost(pool)
        raise ServiceError(ErrorReason.ERROR_REASON_NO_ENGINE, "the advisers died of it")

    async def _running(self) -> ProcessPoolExecutor:
        async with self._starting:
            if self._pool is None:
                self._pool = pool = ProcessPoolExecutor(
                    self._processes,
                    # Not forked: the engine has threads, whose locks a fork would copy as they are.
                    multiprocessing.get_context("spawn"),
                    initializer=prepare,
                    initargs=(self._kind,),
                )
                # In a thread: starting a process takes milliseconds.
                started = await asyncio.to_thread(_start, pool, self._processes)
                with contextlib.suppress(BrokenProcessPool):
                    # One that died is found by the question.
                    await asyncio.wrap_future(started)
            return self._pool

    def _lost(self, pool: ProcessPoolExecutor) -> None:
        """Forgets a pool of which a process died; whoever notices first counts it."""
        if self._pool is pool:
            self._pool = None
            metrics.ADVISERS_LOST.labels(self._kind).inc()
            log.warning("adviser_lost", kind=self._kind)
            pool.shutdown(wait=False)

    def _count(self, change: int) -> None:
        self._unanswered += change
        metrics.WAITING.labels(self._kind).set(self._unanswered)
        if self._unanswered:
            self._idle.clear()
        else:
            self._idle.set()


def _start(pool: ProcessPoolExecutor, processes: int) -> "Future[int]":
    """Starts the processes; the first one's answer.

    The executor starts a process with each task that finds none idle, so it is given some to do.
    """
    first, *_ = [pool.submit(os.getpid) for _ in range(processes)]
    return first
