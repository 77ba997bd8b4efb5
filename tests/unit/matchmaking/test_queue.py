"""Who plays together, for every queue that Hypothesis can think of."""

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor.matchmaking.queue import Match, Table, Waiting, matches
from parlor.matchmaking.window import Window

NOW_MS = 60_000
ratings = st.integers(min_value=0, max_value=30).map(float)
windows = st.lists(
    st.tuples(st.integers(0, 60_000), st.integers(0, 30).map(float)), min_size=1, max_size=4
).map(
    lambda points: Window(
        tuple(
            zip(
                sorted({ms for ms, _ in points}),
                sorted(width for _, width in points),
                strict=False,
            )
        )
    )
)
tables = st.builds(
    Table,
    seats=st.integers(2, 4),
    window=windows,
    fill_after_ms=st.none() | st.integers(0, NOW_MS),
)


@st.composite
def queues(draw: st.DrawFn, most: int = 24) -> list[Waiting]:
    rows = draw(
        st.lists(
            st.tuples(st.integers(0, NOW_MS), st.sampled_from((1, 1, 1, 2, 3, 4)), ratings),
            max_size=most,
        )
    )
    tickets = [
        Waiting(since_ms=since, ticket=f"t{number}", size=size, rating=rating)
        for number, (since, size, rating) in enumerate(rows)
    ]
    return draw(st.permutations(tickets))


def possible(first: Waiting, others: list[Waiting], table: Table) -> list[tuple[Waiting, ...]]:
    """Every set of tickets with `first` in it that its window allows and the table seats."""
    width = table.window.width(NOW_MS - first.since_ms)
    near = [other for other in others if abs(other.rating - first.rating) <= width]
    return [
        (first, *chosen)
        for count in range(table.seats)
        for chosen in combinations(near, count)
        if first.size + sum(ticket.size for ticket in chosen) <= table.seats
    ]


def players(tickets: tuple[Waiting, ...]) -> int:
    return sum(ticket.size for ticket in tickets)


def made(queue: list[Waiting], table: Table) -> list[Match]:
    return list(matches(queue, table, NOW_MS))


@given(queue=queues(), table=tables)
def test_nobody_is_matched_twice_and_every_table_is_full(
    queue: list[Waiting], table: Table
) -> None:
    found = made(queue, table)
    matched = [ticket for match in found for ticket in match.tickets]
    assert len(matched) == len(set(matched))
    assert set(matched) <= set(queue)
    for match in found:
        assert match.tickets == tuple(sorted(match.tickets))
        assert players(match.tickets) + match.bots == table.seats


@given(queue=queues(), table=tables)
def test_the_longest_wait_of_a_table_finds_everybody_there_within_its_window(
    queue: list[Waiting], table: Table
) -> None:
    for match in made(queue, table):
        first = match.tickets[0]
        width = table.window.width(NOW_MS - first.since_ms)
        assert all(abs(ticket.rating - first.rating) <= width for ticket in match.tickets)


@given(queue=queues(most=9), table=tables)
def test_served_by_their_wait_each_gets_the_best_table_that_can_be_made(
    queue: list[Waiting], table: Table
) -> None:
    """Compared with trying every set of tickets."""
    found = {match.tickets[0]: match for match in made(queue, table)}
    left = sorted(ticket for ticket in queue if ticket.size <= table.seats)
    while left:
        first, *others = left
        sets = possible(first, others, table)
        match = found.get(first)
        waited_ms = NOW_MS - first.since_ms
        fills = table.fill_after_ms is not None and waited_ms >= table.fill_after_ms
        most = max(players(tickets) for tickets in sets)
        if most == table.seats or fills:
            assert match is not None
            # As many people as can be, then as near to each other as can be.
            assert match.bots == table.seats - most
            best = min(
                Match(tickets=tickets).spread for tickets in sets if players(tickets) == most
            )
            assert match.spread == best
        else:
            assert match is None
        taken = match.tickets if match else (first,)
        left = [ticket for ticket in left if ticket not in taken]


@given(queue=queues(), seats=st.integers(2, 4))
def test_whoever_has_waited_until_anybody_will_do_is_left_over_only_for_want_of_people(
    queue: list[Waiting], seats: int
) -> None:
    table = Table(seats=seats, window=Window(((0, 0.0), (NOW_MS // 2, math.inf))))
    found = made(queue, table)
    matched = {ticket for match in found for ticket in match.tickets}
    left = sorted(t for t in queue if t not in matched and t.size <= seats)
    if left and NOW_MS - left[0].since_ms >= NOW_MS // 2:
        assert all(players(tickets) < seats for tickets in possible(left[0], left[1:], table))


@given(window=windows, waits=st.lists(st.integers(0, 90_000), min_size=2))
def test_a_window_never_narrows(window: Window, waits: list[int]) -> None:
    widths = [window.width(wait) for wait in sorted(waits)]
    assert widths == sorted(widths)


@pytest.mark.parametrize(
    "points",
    [
        pytest.param((), id="none"),
        pytest.param(((0, 5.0), (0, 6.0)), id="two at once"),
        pytest.param(((0, 5.0), (9, 4.0)), id="narrower"),
        pytest.param(((-1, 5.0),), id="before the wait"),
        pytest.param(((0, -5.0),), id="negative"),
        pytest.param(((0, math.nan),), id="no number"),
    ],
)
def test_what_is_no_curve_is_refused(points: tuple[tuple[int, float], ...]) -> None:
    with pytest.raises(ValueError, match=r"window's points|at least one point"):
        Window(points)


def test_of_people_equally_near_the_longest_waits_sit_down() -> None:
    queue = [Waiting(since_ms=since, ticket=f"t{since}") for since in range(5)]
    (match,) = made(queue, Table(seats=4, window=Window(((0, 0.0),))))
    assert [ticket.ticket for ticket in match.tickets] == ["t0", "t1", "t2", "t3"]
