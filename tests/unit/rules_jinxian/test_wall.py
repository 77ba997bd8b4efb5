"""The wall, the deal and the jing (RULES.md 2 and 3)."""

from collections import Counter

import pytest

from parlor.rules.chance import Chance, ScriptedChance
from parlor.rules.game import Seat
from parlor.rules.jinxian import JINXIAN, Config
from parlor.rules.jinxian.rounds import first_dealer
from parlor.rules.jinxian.tiles import COPIES, KINDS, TILES, kind
from parlor.rules.jinxian.wall import (
    DEALT,
    dealing_start,
    dealt_places,
    drawable,
    replacement_place,
    shuffled,
    turned_place,
    undrawn,
)
from tests.unit.rules_jinxian.flow import BEGAN, TURNED, game, ordered


@pytest.mark.parametrize(
    ("dealer", "dice", "first"),
    [
        pytest.param(1, (3, 4), 24, id="2.4 seat 3's side follows seat 0's"),
        pytest.param(0, (1, 1), 53, id="2.4 seat 1's side is the last"),
        pytest.param(0, (2, 3), 5, id="2.4 the dealer's own side"),
        pytest.param(3, (6, 6), 46, id="2.4 seat 2's side"),
        pytest.param(2, (6, 6), 63, id="2.4 seat 1's side, far in"),
    ],
)
def test_the_dice_say_where_the_deal_begins(dealer: int, dice: tuple[int, int], first: int) -> None:
    assert dealing_start(Seat(dealer), dice) == first


def test_the_deal_takes_the_first_53_places_once() -> None:
    for dealer in range(4):
        places = dealt_places(Seat(dealer))
        assert sorted(place for own in places for place in own) == list(range(DEALT))
        assert [len(own) for own in places] == [14 if s == dealer else 13 for s in range(4)]


def test_the_deal_goes_by_fours_and_ends_with_the_dealer() -> None:
    """2.5"""
    places = dealt_places(Seat(2))
    assert places[2] == (0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 48, 52)
    assert places[3] == (4, 5, 6, 7, 20, 21, 22, 23, 36, 37, 38, 39, 49)
    assert places[1] == (12, 13, 14, 15, 28, 29, 30, 31, 44, 45, 46, 47, 51)


@pytest.mark.parametrize(
    ("drawn", "place"),
    [
        pytest.param(0, 134, id="2.6 upper tile of the last stack"),
        pytest.param(1, 135, id="2.6 its lower tile"),
        pytest.param(2, 132, id="2.6 the stack before it"),
        pytest.param(5, 131, id="2.6 and so on"),
    ],
)
def test_replacement_tiles_come_from_the_tail(drawn: int, place: int) -> None:
    assert replacement_place(drawn) == place


def test_the_turned_tile_can_be_reached_as_a_replacement() -> None:
    """3.2"""
    for total in range(2, 13):
        turned = turned_place((total - total // 2, total // 2))
        assert turned == 2 * (68 - total)
        assert replacement_place(2 * (total - 1)) == turned


def test_the_order_begins_at_the_first_stack_with_its_upper_tile() -> None:
    """2.2 and 2.3"""
    chance = ScriptedChance({("wall", 3): list(range(TILES))})
    order = shuffled(chance, 3, 24)
    assert list(order[:4]) == [48 // 4, 49 // 4, 50 // 4, 51 // 4]
    assert order[-1] == 47 // 4


def test_every_wall_has_four_tiles_of_each_kind() -> None:
    chance = Chance(seed=bytes(32), entropy=b"")
    walls = [shuffled(chance, number, 7) for number in range(1, 6)]
    assert all(Counter(wall) == Counter(dict.fromkeys(range(KINDS), COPIES)) for wall in walls)
    assert len(set(walls)) == 5


def test_what_remains_is_what_nobody_has_drawn() -> None:
    table = game().table
    assert (table.remaining, table.drawable) == (83, 49)
    assert drawable(34) == 0
    state = game().state
    left = undrawn(state.wall, 83, 0)
    assert len(left) == 83
    assert left == state.wall[DEALT:]
    assert undrawn(state.wall, 80, 3)[-1] == state.wall[133]


def test_seats_are_dealt_their_tiles_and_the_jing_is_turned() -> None:
    """2.5 and 3.1"""
    hands = ("147m258p369s1122z", "258m369p147s3344z", "369m147p258s5566z", "147m258p369s777z1z")
    play = game(*hands, drawn="9m", jing="9p")
    assert play.hand(0) == ordered(hands[0] + "9m")
    assert [play.hand(seat) for seat in (1, 2, 3)] == [ordered(hand) for hand in hands[1:]]
    jing = play.table.jing
    assert jing is not None
    assert (jing.zheng, jing.fu) == (kind("9p"), kind("1p"))
    assert play.table.turned == TURNED
    assert play.state.drawn == kind("9m")
    assert play.table.dealer == play.table.active == 0


def test_draws_continue_at_the_head() -> None:
    """2.6"""
    play = game(draws="5m6p")
    play.toss(0)
    assert play.state.drawn == kind("5m")
    assert play.table.counts == (13, 14, 13, 13)
    play.toss(1)
    assert play.state.drawn == kind("6p")
    assert play.table.remaining == 81


def _dealer_script(*throws: dict[int, int]) -> Chance:
    """The throws of each attempt, by seat, as the number on the first die; the other shows 1."""
    draws: dict[tuple[str | int, ...], list[int]] = {}
    for attempt, thrown in enumerate(throws):
        for seat, number in thrown.items():
            draws["dealer", attempt, seat, 0] = [number]
            draws["dealer", attempt, seat, 1] = [1]
    return ScriptedChance(draws)


@pytest.mark.parametrize(
    ("throws", "dealer", "rolls"),
    [
        pytest.param([{0: 1, 1: 5, 2: 2, 3: 4}], 1, 4, id="10.1 highest sum"),
        pytest.param([{0: 5, 1: 5, 2: 2, 3: 4}, {0: 2, 1: 3}], 1, 6, id="10.1 leaders again"),
        pytest.param(
            [{0: 1, 1: 5, 2: 5, 3: 4}, *[{1: 3, 2: 3}] * 9], 1, 4 + 9 * 2, id="10.1 after ten ties"
        ),
    ],
)
def test_dice_find_the_first_dealer(throws: list[dict[int, int]], dealer: int, rolls: int) -> None:
    found, thrown = first_dealer(_dealer_script(*throws))
    assert found == dealer
    assert len(thrown) == rolls


def test_the_same_seed_deals_the_same_game() -> None:
    chance = Chance(seed=b"s" * 32, entropy=b"e")
    first = JINXIAN.initial(Config(), chance, BEGAN)
    assert first == JINXIAN.initial(Config(), chance, BEGAN)
    assert (
        first.state.wall
        != JINXIAN.initial(Config(), Chance(seed=bytes(32), entropy=b""), 0).state.wall
    )
