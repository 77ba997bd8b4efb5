"""No room stands still: each table ends its game, or something goes on happening at it."""

from collections.abc import Iterable, Sequence
from typing import Final

from tests.chaos.checker.execution import Executed
from tests.chaos.checker.finding import Finding, Kind
from tests.chaos.history import Stay

STILL_MS: Final = 12_000
"""Longer than any limit of the simulated players' games, and than a lease of presence."""

LATE_MS: Final = 5_000
"""A clock that has not acted so long after its instant, with nothing broken, never will."""


def check_stays(stays: Sequence[Stay], last_fault: float) -> Iterable[Finding]:
    """Tables that neither finished nor moved since the last fault."""
    for stay in stays:
        since = max(stay.moved_at, last_fault)
        if not stay.finished and stay.ended_at - since > STILL_MS:
            still_s = (stay.ended_at - stay.moved_at) / 1000
            what = f"table {stay.table} saw nothing happen for {still_s:.1f} s"
            yield Finding(Kind.STUCK, stay.room_id, what)


def check_clocks_ran(runs: Iterable[Executed], last_fault: float) -> Iterable[Finding]:
    """Clocks that were due long before the log was read, and have no line."""
    for run in runs:
        due = run.next_due
        late_ms = run.log.read_at - max(due, last_fault)
        if due and not run.findings and late_ms > LATE_MS:
            yield Finding(Kind.CLOCK, run.where, f"a clock is due for {late_ms:.0f} ms")
