"""Who plays together: the waiting tickets of one pool and a clock in, matches out.

People are matched among themselves, the longest wait first. Programs only fill: seats that are
still free once the longest wait has reached a limit. A match of programs alone is never made.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Waiting:
    """A ticket in the queue. Tickets order by their wait, and by id where that is equal."""

    since_ms: int
    """When it began to wait, in ms of Redis time."""
    ticket: str
    bot: bool = False


Match = tuple[Waiting, ...]
"""Tickets that belong together, as many as the table has seats: people first, by their wait."""


def matches(
    waiting: Iterable[Waiting], *, seats: int, now_ms: int, fill_after_ms: int
) -> Iterator[Match]:
    """Every match that can be made now; no ticket stands in two.

    >>> queue = [Waiting(since_ms=n, ticket=f"t{n}") for n in range(4)]
    >>> [[t.ticket for t in match] for match in matches(queue, seats=3, now_ms=9, fill_after_ms=50)]
    [['t0', 't1', 't2']]
    """
    ordered = sorted(waiting)
    people = [ticket for ticket in ordered if not ticket.bot]
    bots = [ticket for ticket in ordered if ticket.bot]
    full = len(people) // seats * seats
    for start in range(0, full, seats):
        yield tuple(people[start : start + seats])
    rest = people[full:]
    if rest and _is_filled(rest[0], now_ms, fill_after_ms) and len(rest) + len(bots) >= seats:
        yield (*rest, *bots[: seats - len(rest)])


def _is_filled(first: Waiting, now_ms: int, fill_after_ms: int) -> bool:
    """Whether the longest wait has lasted long enough for programs to take the other seats."""
    return now_ms - first.since_ms >= fill_after_ms
