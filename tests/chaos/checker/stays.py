"""Nothing stands still: tables end their games or go on, clocks act, and who asks is answered."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tests.chaos.checker.execution import Executed
from tests.chaos.checker.finding import Finding, Kind
from tests.chaos.history import Dropped, History, Sent, Stay, Told

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


def check_answers(
    histories: Iterable[History], stays: Sequence[Stay], last_fault: float
) -> Iterable[Finding]:
    """Moves that have waited for an answer for long though nothing was broken any more."""
    ended_at = {stay.room_id: stay.ended_at for stay in stays}
    for history in histories:
        for sent, dropped_at in _unanswered(history):
            until = dropped_at or ended_at.get(sent.room_id, 0.0)
            if until - max(sent.at, last_fault) > STILL_MS:
                where = f"{sent.room_id}.{sent.game_no} {history.player}"
                what = f"{sent.request_id} has had no answer for {until - sent.at:.0f} ms"
                yield Finding(Kind.STUCK, where, what)


def _unanswered(history: History) -> Iterator[tuple[Sent, float]]:
    """Each move that was not answered for good, and when the player stopped asking; 0 where not at all."""
    sent: dict[str, Sent] = {}
    for item in history.happened:
        match item:
            case Sent():
                sent.setdefault(item.request_id, item)
            case Told() if not item.passing:
                sent.pop(item.request_id, None)
            case Dropped() if item.request_id in sent:
                yield sent.pop(item.request_id), item.at
    for unanswered in sent.values():
        yield unanswered, 0.0
