"""Who plays together: the waiting tickets of one pool and a clock in, matches out.

The longest wait is served first, and its own window says who is near enough: it widens with the
wait, so nobody is left over for ever. Of all tables that can be made around that ticket the one with
the smallest spread of ratings is taken. A party is one ticket and stays together. Bots only fill:
the seats that are still free once the longest wait has lasted long enough.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

import msgspec

from parlor.matchmaking.line import Line
from parlor.matchmaking.window import Window


class Waiting(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A ticket in the queue. Tickets order by their wait, and by id where that is equal."""

    since_ms: int
    """When it began to wait, in ms of Redis time."""
    ticket: str
    size: int = 1
    """How many players it holds."""
    rating: float = 0.0
    """Of a party, the mean of its members'."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Tickets that belong together, by their wait."""

    tickets: tuple[Waiting, ...]
    bots: int = 0
    """Seats that programs take."""

    @property
    def spread(self) -> float:
        """The distance between its lowest and its highest rating: the smaller, the better."""
        ratings = [ticket.rating for ticket in self.tickets]
        return max(ratings) - min(ratings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What the tickets of a pool are matched for."""

    seats: int
    window: Window
    fill_after_ms: int | None = None
    """The longest wait after which programs take the free seats; None: they never do."""


def matches(waiting: Iterable[Waiting], table: Table, now_ms: int) -> Iterator[Match]:
    """Every match that can be made now, the longest wait first; no ticket stands in two.

    Takes time in proportion to the number of tickets, sorting aside: around a ticket only the
    nearest of each size are looked at.

    >>> queue = [Waiting(since_ms=n, ticket=f"t{n}", rating=r) for n, r in enumerate((9, 0, 8, 1))]
    >>> table = Table(seats=2, window=Window(((0, 5.0),)))
    >>> [[t.ticket for t in match.tickets] for match in matches(queue, table, now_ms=9)]
    [['t0', 't2'], ['t1', 't3']]
    """
    queue = _Queue(waiting, table)
    for rank, is_there in enumerate(queue.there):
        if not is_there:
            continue
        chosen = queue.around(rank, now_ms)
        # Who has found nobody is out of this round too: at the table of a shorter wait, that one's
        # window would decide.
        queue.take(chosen or (rank,))
        if chosen is not None:
            tickets = tuple([queue.tickets[other] for other in chosen])
            seated = sum([ticket.size for ticket in tickets])
            yield Match(tickets=tickets, bots=table.seats - seated)


def within(first: Waiting, other: Waiting, window: Window, now_ms: int) -> bool:
    """Whether `first`, when its turn comes, would sit down with `other`."""
    return abs(other.rating - first.rating) <= window.width(now_ms - first.since_ms)


class _Queue:
    """The tickets by their wait. A rank is a place in that order; everything below speaks of ranks,
    for comparing two numbers costs a tenth of comparing two tickets.
    """

    def __init__(self, waiting: Iterable[Waiting], table: Table) -> None:
        self._table = table
        fitting = [ticket for ticket in waiting if ticket.size <= table.seats]
        self.tickets = sorted(fitting, key=attrgetter("since_ms", "ticket"))
        self._sizes = [ticket.size for ticket in self.tickets]
        self._ratings = [ticket.rating for ticket in self.tickets]
        self.there = bytearray(b"\1") * len(self.tickets)
        """By rank, whether the ticket is still there."""
        sizes = set(self._sizes)
        self._line = Line(self._ratings) if sizes == {1} else None
        self._rows = {
            size: _Row(
                [rank for rank, other in enumerate(self._sizes) if other == size], self._ratings
            )
            for size in (sizes if self._line is None else ())
        }

    def take(self, ranks: Iterable[int]) -> None:
        """Takes tickets out."""
        for rank in ranks:
            self.there[rank] = 0
            (self._line or self._rows[self._sizes[rank]]).take(rank)

    def around(self, first: int, now_ms: int) -> list[int] | None:
        """The best table with this ticket at it; with programs only where people do not suffice."""
        ticket, table = self.tickets[first], self._table
        waited_ms = now_ms - ticket.since_ms
        width = table.window.width(waited_ms)
        free = table.seats - ticket.size
        fills = table.fill_after_ms is not None and waited_ms >= table.fill_after_ms
        fewest = 0 if fills else free
        if self._line is not None:
            for players in range(free, fewest - 1, -1):
                people = self._line.nearest(first, players, width)
                if people is not None:
                    return [first, *people]
            return None
        above: list[int] = []
        below: list[int] = []
        for size, row in self._rows.items():
            # More of one side could not sit down together with this one.
            row.near(first, free // size, width, above, below)
        for players in range(free, fewest - 1, -1):
            others = self._nearest(first, above, below, players)
            if others is not None:
                return sorted((first, *others))
        return None

    def _nearest(
        self, first: int, above: list[int], below: list[int], players: int
    ) -> tuple[int, ...] | None:
        """Of all tickets that make up so many players, those with the smallest spread; of equally
        near ones, the longest waits. None where none do.
        """
        if players == 0:
            return ()
        ratings, sizes = self._ratings, self._sizes
        if sum(sizes[rank] for rank in above) + sum(sizes[rank] for rank in below) < players:
            return None
        middle = ratings[first]
        ups = sorted([0.0, *(ratings[rank] - middle for rank in above)])
        downs = sorted([0.0, *(middle - ratings[rank] for rank in below)])
        fewest = -(-players // max(self._rows))
        reaches = sorted(
            (ups[up] + downs[down], ups[up], downs[down])
            for up in range(len(ups))
            for down in range(max(fewest - up, 0), len(downs))
        )
        for _, up, down in reaches:
            inside = [rank for rank in above if ratings[rank] - middle <= up]
            inside += [rank for rank in below if middle - ratings[rank] <= down]
            inside.sort()
            chosen = self._sum_to(players, inside)
            if chosen is not None:
                return chosen
        return None

    def _sum_to(self, players: int, ranks: Sequence[int]) -> tuple[int, ...] | None:
        """Tickets of so many players in all, the foremost that there are; None where none are."""
        if players == 0:
            return ()
        for index, rank in enumerate(ranks):
            size = self._sizes[rank]
            if size <= players:
                rest = self._sum_to(players - size, ranks[index + 1 :])
                if rest is not None:
                    return (rank, *rest)
        return None


class _Row:
    """Tickets of one size in a row by rating, out of which some are taken."""

    def __init__(self, ranks: Iterable[int], ratings: Sequence[float]) -> None:
        # Of equal ratings the longest wait comes first.
        self._ranks = sorted(ranks, key=ratings.__getitem__)
        self._all = ratings
        self._ratings = [ratings[rank] for rank in self._ranks]
        self._places = {rank: place for place, rank in enumerate(self._ranks)}
        # By place: where to look on for a ticket that is still there, itself while it is. Kept one
        # further right for the way down, so that 0 says that none is left.
        self._up = list(range(len(self._ranks) + 1))
        self._down = list(range(len(self._ranks) + 1))

    def take(self, rank: int) -> None:
        """Takes the ticket out."""
        place = self._places[rank]
        self._up[place] = place + 1
        self._down[place + 1] = place

    def near(self, first: int, most: int, width: float, above: list[int], below: list[int]) -> None:
        """Adds up to `most` tickets on either side of `first`, the nearest within the width."""
        middle = self._all[first]
        place = start = bisect_left(self._ratings, middle)
        found = 0
        while found < most and (place := _still(self._up, place)) < len(self._ranks):
            if self._ratings[place] - middle > width:
                break
            if self._ranks[place] != first:
                above.append(self._ranks[place])
                found += 1
            place += 1
        place = start
        for _ in range(most):
            place = _still(self._down, place)
            if place == 0 or middle - self._ratings[place - 1] > width:
                break
            place -= 1
            below.append(self._ranks[place])


def _still(onward: list[int], place: int) -> int:
    """The next place from here that is not taken; makes the way there short for the next time."""
    end = place
    while onward[end] != end:
        end = onward[end]
    while onward[place] != end:
        onward[place], place = end, onward[place]
    return end
