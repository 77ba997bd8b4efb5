"""What runs in an adviser's process. It imports one game and no networking."""

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
from types import FrameType
from typing import Final

from parlor.engine.advice.questions import Outcome, Questions, Refusal, questions_of

_NICENESS: Final = 5
"""A third of a core where the event loop and others want both of two cores: behind them, and not starved."""

TOO_LATE: Final = Outcome(refusal=Refusal("TIMEOUT", "it took too long"))


class _TooLong(BaseException):
    """The time is over. No `Exception`, so that nothing on the way takes it for one of its own."""


def prepare(kind: str) -> None:
    """Makes this process an adviser: below the event loop in rank, gone with its engine."""
    # Ctrl-C reaches every process of a terminal, and the engine drains.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, _give_up)
    os.nice(_NICENESS)
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    questions_of(kind)


def work(kind: str, method: str, payload: bytes, until: float) -> Outcome:
    """The answer to a question, or TIMEOUT at `until`, in s of the monotonic clock.

    That clock is the machine's, so it may come from another process. A question that nobody waits
    for any more is not begun, and one that runs is given up: none can hold up the others.
    """
    left = until - time.monotonic()
    if left <= 0:
        return TOO_LATE
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, left)
            return _questions(kind).answered(method, payload)
        finally:
            # Within the outer `try`: the alarm may be on its way already.
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _TooLong:
        return TOO_LATE


def _questions(kind: str) -> Questions:
    questions = questions_of(kind)
    assert questions is not None, "only kinds with questions have advisers"
    return questions


def _give_up(number: int, frame: FrameType | None) -> None:
    raise _TooLong


def _end_with_parent() -> None:
    """Ends this process when its parent is gone, also by SIGKILL.

    The pipe on which it waits for work has other workers as writers, so that its end never comes.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(0)
