"""A test is judged while the machine keeps going.

Many laws are about time: a lease runs out, a clock acts at its instant, an outage is one. Where the machine
stands still for a second, as shared ones do, leases run out that should not, though nothing is wrong; and where
its disk does, so do the stores that wait for it after every command. So a test that failed while either stood
still is tried again. What fails while the machine keeps going has failed, and so has what fails in every try.

With `--try-again` a test is tried once more whatever the machine did: a verdict over thousands of tests should not
hang on one that fails once in a thousand runs. That is for machines that nobody watches; a developer's run is
strict, because such a test is a defect to be found.

What `BrokenPromise` says is never tried again: a slow machine explains a late clock, and no lost move.

Each try is named at the end of the run, with what had failed.
"""

import os
import tempfile
import threading
import time
from contextlib import suppress
from typing import Final

import pytest
from _pytest.runner import runtestprotocol

TRIES: Final = 5
STILL_S: Final = 0.1
"""From here on a machine stands still: longer than a busy one keeps a thread from running."""
DISK_STILL_S: Final = 0.5
"""From here on a disk stands still: longer than a busy one takes for a byte."""

_LOOK_S: Final = 0.02
_WRITE_EVERY_S: Final = 0.2


class BrokenPromise(AssertionError):
    """What no stall of a machine excuses, such as an acknowledged move that is gone: once is once too often."""


class TriedAgain(pytest.PytestWarning):
    """A test failed and was tried again."""


class StoodStill(TriedAgain):
    """So it was because the machine stood still."""


class _Watch(threading.Thread):
    """Measures for how long this process did not run, by a sleep that ends late."""

    def __init__(self) -> None:
        super().__init__(name="stalls", daemon=True)
        self.longest_s = 0.0

    def run(self) -> None:
        while True:
            began = time.monotonic()
            time.sleep(_LOOK_S)
            self.longest_s = max(self.longest_s, time.monotonic() - began - _LOOK_S)


class _DiskWatch(threading.Thread):
    """Measures for how long the disk of the tests keeps a writer waiting."""

    def __init__(self) -> None:
        super().__init__(name="disk-stalls", daemon=True)
        self._longest_s = 0.0
        self._began: float | None = None

    @property
    def longest_s(self) -> float:
        """Of all writes since `reset`, the one that is waited for included."""
        began = self._began
        return max(self._longest_s, 0.0 if began is None else time.monotonic() - began)

    def reset(self) -> None:
        self._longest_s = 0.0

    def run(self) -> None:
        with tempfile.TemporaryFile(buffering=0) as file:
            while True:
                self._began = began = time.monotonic()
                file.write(b".")
                os.fsync(file.fileno())
                self._longest_s = max(self._longest_s, time.monotonic() - began)
                self._began = None
                time.sleep(_WRITE_EVERY_S)


class Stalls:
    """The plugin. `lenient`: each test that failed is tried once more."""

    def __init__(self, *, lenient: bool = False) -> None:
        self._lenient = lenient
        self._watch = _Watch()
        self._watch.start()
        self._disk = _DiskWatch()
        self._disk.start()
        self._is_broken = False
        """Whether the present try broke a promise."""

    def pytest_exception_interact(self, call: "pytest.CallInfo[object]") -> None:
        """Called while a test runs, with what it raised."""
        # Of a task group among others.
        error = call.excinfo.value if call.excinfo is not None else None
        self._is_broken |= _is_broken_promise(error)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Runs a test as pytest does, and again where it stands to reason that the machine broke it."""
        ends = time.monotonic() + _time_limit_s(item)
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        lenient = self._lenient
        for left in reversed(range(TRIES)):
            self._watch.longest_s = 0.0
            self._disk.reset()
            self._is_broken = False
            began = time.monotonic()
            reports = runtestprotocol(item, log=False, nextitem=nextitem)
            failed = [report.longreprtext for report in reports if report.failed]
            if not failed or not left or self._is_broken:
                break
            # A stop that has just ended is noticed at the next look.
            time.sleep(2 * _LOOK_S)
            still = self._stood_still()
            # Another try fits into the time limit even if it takes twice as long.
            now = time.monotonic()
            if now + 2 * (now - began) > ends:
                break
            if still:
                why: TriedAgain = StoodStill(f"{still}; what had failed:\n{failed[0]}")
            elif lenient:
                lenient = False
                why = TriedAgain(
                    f"it passes or fails at the second try; what had failed:\n{failed[0]}"
                )
            else:
                break
            item.warn(why)
            # Fixtures of a module or of all tests may be what it broke: the next try has its own.
            with suppress(Exception):
                item.session._setupstate.teardown_exact(None)
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _stood_still(self) -> str:
        """What did during the last try, in words; empty where nothing did."""
        still_s, disk_s = self._watch.longest_s, self._disk.longest_s
        if still_s >= STILL_S:
            return f"the machine stood still for {still_s:.1f} s"
        if disk_s >= DISK_STILL_S:
            return f"the disk stood still for {disk_s:.1f} s"
        return ""


def _is_broken_promise(error: BaseException | None) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return any(map(_is_broken_promise, error.exceptions))
    return isinstance(error, BrokenPromise)


def _time_limit_s(item: pytest.Item) -> float:
    """What pytest-timeout gives the test, for all tries together."""
    marker = item.get_closest_marker("timeout")
    told = marker.args[0] if marker is not None else item.config.getini("timeout")
    return float(told or "inf")
