"""Laws of ratings, whatever the sides."""

from hypothesis import given
from hypothesis import strategies as st

from parlor.archive.strength import BEGINNER, Strength, after
from parlor.rules.game import Seat, Side

Order = tuple[tuple[tuple[int, ...], int], ...]

strengths = st.builds(Strength, mu=st.floats(5, 45), sigma=st.floats(1, 25 / 3))
orders: st.SearchStrategy[Order] = st.sampled_from(
    [
        # By sides, best first: seats and rank.
        (((0,), 1), ((1, 2), 2)),
        (((1, 2), 1), ((0,), 2)),
        (((0,), 1), ((1,), 2)),
        (((0,), 1), ((1,), 1)),
        (((2,), 1), ((0,), 2), ((3,), 2), ((1,), 4)),
        (((0,), 1), ((1,), 1), ((2,), 3)),
    ]
)


def sides_of(order: Order) -> list[Side]:
    return [Side(seats=tuple(map(Seat, seats)), rank=rank) for seats, rank in order]


@given(order=orders, data=st.data())
def test_the_winners_rise_and_nobody_becomes_less_certain(
    order: Order, data: st.DataObject
) -> None:
    sides = sides_of(order)
    seats = [seat for side in sides for seat in side.seats]
    before = {seat: data.draw(strengths) for seat in seats}
    new = after(sides, before)
    assert set(new) == set(seats)
    assert all(new[seat].sigma <= before[seat].sigma for seat in seats)
    best = [side for side in sides if side.rank == 1]
    worst = max(side.rank for side in sides)
    if len(best) == 1:
        assert all(new[seat].mu > before[seat].mu for seat in best[0].seats)
        assert all(new[seat].ordinal > before[seat].ordinal for seat in best[0].seats)
        last = [side for side in sides if side.rank == worst]
        if len(last) == 1:
            assert all(new[seat].mu < before[seat].mu for seat in last[0].seats)


@given(order=orders, data=st.data())
def test_the_order_of_the_sides_as_told_says_nothing(order: Order, data: st.DataObject) -> None:
    sides = sides_of(order)
    before = {seat: data.draw(strengths) for side in sides for seat in side.seats}
    new, other = after(sides, before), after(sides[::-1], before)
    for seat, strength in new.items():
        assert abs(strength.mu - other[seat].mu) < 1e-9
        assert abs(strength.sigma - other[seat].sigma) < 1e-9


def test_a_landlord_of_equal_strength_stakes_what_each_peasant_stakes() -> None:
    landlord, peasants = Side(seats=(Seat(0),), rank=1), Side(seats=(Seat(1), Seat(2)), rank=2)
    before = dict.fromkeys((Seat(0), Seat(1), Seat(2)), BEGINNER)
    new = after([landlord, peasants], before)
    assert abs((new[Seat(0)].mu - 25) - (25 - new[Seat(1)].mu)) < 1e-9
    assert new[Seat(1)] == new[Seat(2)]


def test_an_upset_counts_for_more() -> None:
    strong, weak = Strength(35, 3), Strength(15, 3)
    win = [Side(seats=(Seat(0),), rank=1), Side(seats=(Seat(1),), rank=2)]
    expected = after(win, {Seat(0): strong, Seat(1): weak})[Seat(0)].mu - strong.mu
    upset = after(win, {Seat(0): weak, Seat(1): strong})[Seat(0)].mu - weak.mu
    assert upset > 10 * expected > 0
