"""Who plays together, for every queue that Hypothesis can think of."""

from hypothesis import given
from hypothesis import strategies as st

from parlor.matchmaking.queue import Match, Waiting, matches

FILL_AFTER_MS = 5_000

clocks = st.integers(min_value=0, max_value=20_000)
seat_counts = st.integers(min_value=2, max_value=4)


@st.composite
def queues(draw: st.DrawFn) -> list[Waiting]:
    waits = draw(st.lists(st.tuples(clocks, st.booleans()), max_size=24))
    tickets = [
        Waiting(since_ms=since, ticket=f"t{number}", bot=bot)
        for number, (since, bot) in enumerate(waits)
    ]
    return draw(st.permutations(tickets))


def made(queue: list[Waiting], seats: int, now_ms: int) -> list[Match]:
    return list(matches(queue, seats=seats, now_ms=now_ms, fill_after_ms=FILL_AFTER_MS))


@given(queue=queues(), seats=seat_counts, now_ms=clocks)
def test_nobody_is_matched_twice_and_every_table_is_full(
    queue: list[Waiting], seats: int, now_ms: int
) -> None:
    found = made(queue, seats, now_ms)
    chosen = [ticket for match in found for ticket in match]
    assert len(chosen) == len(set(chosen)) == seats * len(found)
    assert set(chosen) <= set(queue)


@given(queue=queues(), seats=seat_counts, now_ms=clocks)
def test_a_person_never_waits_behind_a_later_one(
    queue: list[Waiting], seats: int, now_ms: int
) -> None:
    chosen = {ticket for match in made(queue, seats, now_ms) for ticket in match}
    people = sorted(ticket for ticket in queue if not ticket.bot)
    taken = [ticket in chosen for ticket in people]
    assert taken == sorted(taken, reverse=True)


@given(queue=queues(), seats=seat_counts, now_ms=clocks)
def test_bots_only_fill_after_the_limit_and_never_play_alone(
    queue: list[Waiting], seats: int, now_ms: int
) -> None:
    for match in made(queue, seats, now_ms):
        people = [ticket for ticket in match if not ticket.bot]
        assert people
        if len(people) < seats:
            assert now_ms - min(people).since_ms >= FILL_AFTER_MS


@given(queue=queues(), seats=seat_counts, now_ms=clocks)
def test_nobody_is_left_who_could_have_played(
    queue: list[Waiting], seats: int, now_ms: int
) -> None:
    chosen = {ticket for match in made(queue, seats, now_ms) for ticket in match}
    rest = [ticket for ticket in queue if ticket not in chosen]
    assert not made(rest, seats, now_ms)


def test_people_play_before_bots_even_when_the_bots_have_waited_longer() -> None:
    bots = [Waiting(since_ms=n, ticket=f"bot{n}", bot=True) for n in range(3)]
    people = [Waiting(since_ms=100 + n, ticket=f"person{n}") for n in range(3)]
    assert made([*bots, *people], 3, 20_000) == [tuple(people)]
