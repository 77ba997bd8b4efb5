"""How far a hand is from a win, and which tiles help."""

from itertools import combinations

import pytest

from parlor.rules.jinxian.distance import discard_choices, distance, useful
from parlor.rules.jinxian.hands import Hand, WinBy, split
from parlor.rules.jinxian.options import ScoringOptions
from parlor.rules.jinxian.scattered import is_scattered
from parlor.rules.jinxian.scoring import can_win
from parlor.rules.jinxian.sets import is_all_pairs, is_complete
from parlor.rules.jinxian.tiles import KINDS, counts, in_order, kind, kinds, without
from tests.unit.rules_jinxian.dealt import Dealt, dealt, hand, jing

DEFAULTS = ScoringOptions()


def away(held: Hand, turned: str = "5m", options: ScoringOptions = DEFAULTS) -> int:
    return distance(held.concealed, held.melds, jing=jing(turned), options=options)


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        pytest.param(hand("123m456789p22678s"), 0, id="complete"),
        pytest.param(hand("123m456789p2267s"), 1, id="ready"),
        pytest.param(hand("123m456789p2267s9m"), 1, id="ready with a tile too many"),
        pytest.param(hand("12m456789p2267s1z"), 2, id="two missing"),
        pytest.param(hand("125m456789p2267s"), 1, id="a jing for one of them"),
        pytest.param(hand("1122m3344p556s7z9m"), 2, id="pairs"),
        pytest.param(hand("1122m3344p55s", "pong 111z"), 3, id="no pairs beside a meld"),
        pytest.param(hand("147m258p369s1234z"), 1, id="scattered"),
        pytest.param(hand("147m258p36s11234z"), 2, id="scattered, an honour twice"),
        pytest.param(hand("37m37p37s1234567z"), 2, id="scattered, no room as it stands"),
        pytest.param(hand("124z456789p2267s"), 1, id="an honour chow"),
        pytest.param(hand("5m", "pong 111m", "pong 444p", "pong 777s", "pong 111z"), 1, id="lone"),
    ],
)
def test_tiles_that_are_missing(held: Hand, expected: int) -> None:
    assert away(held) == expected


def _wins_with_wilds(plain: list[int], wilds: int, sets: int) -> bool:
    if is_complete(plain, sets, wilds, honour_chow=True):
        return True
    return sets == 4 and (is_all_pairs(plain, wilds) or is_scattered(plain))


def _is_within(one: Dealt, steps: int) -> bool:
    """Whether some `steps` tiles of the hand can be exchanged for wilds so that it wins."""
    tiles = (*one.hand.concealed, one.tile)
    plain, wilds = split(tiles, one.jing)
    bound = [kind for kind in tiles if kind not in one.jing]
    for gone in set(combinations(sorted(bound), min(steps, len(bound)))):
        left = plain.copy()
        for exchanged in gone:
            left[exchanged] -= 1
        if _wins_with_wilds(left, len(wilds) + len(gone), one.hand.sets):
            return True
    return False


def test_the_distance_is_the_fewest_tiles_to_exchange() -> None:
    seen = set()
    for one in dealt(41, 600):
        tiles = in_order((*one.hand.concealed, one.tile))
        steps = distance(tiles, one.hand.melds, jing=one.jing, options=DEFAULTS)
        seen.add(steps)
        if steps <= 3:
            assert _is_within(one, steps), one
        assert steps == 0 or not _is_within(one, min(steps - 1, 3)), one
    assert seen >= {0, 1, 2, 3}


def test_useful_tiles_are_those_that_lower_the_distance() -> None:
    for one in dealt(42, 300):
        held = one.hand
        before = distance(held.concealed, held.melds, jing=one.jing, options=DEFAULTS)
        found = useful(held.concealed, held.melds, jing=one.jing, options=DEFAULTS)
        closer = [
            kind
            for kind in range(KINDS)
            if distance((*held.concealed, kind), held.melds, jing=one.jing, options=DEFAULTS)
            < before
        ]
        assert [one.kind for one in found] == closer, one


def test_a_ready_hand_wins_with_its_useful_tiles_and_no_others() -> None:
    ready = 0
    for one in dealt(43, 600):
        held = one.hand
        if distance(held.concealed, held.melds, jing=one.jing, options=DEFAULTS) != 1:
            continue
        ready += 1
        found = {
            use.kind for use in useful(held.concealed, held.melds, jing=one.jing, options=DEFAULTS)
        }
        mine = counts((*held.concealed, *(kind for meld in held.melds for kind in meld.kinds)))
        for tile in (other for other in range(KINDS) if mine[other] < 4):
            wins = can_win(held, tile, jing=one.jing, by=WinBy.SELF_DRAW, options=DEFAULTS)
            assert wins == (tile in found), (one, tile)
    assert ready > 100


def test_tiles_in_sight_are_not_left() -> None:
    held = hand("123m456p2267s", "chow 789s")
    waits = useful(
        held.concealed, held.melds, jing=jing("1z"), options=DEFAULTS, seen=kinds("5558s2z")
    )
    assert {use.kind: use.left for use in waits} == {
        kind("5s"): 1,
        kind("8s"): 2,
        kind("1z"): 4,
        kind("2z"): 3,
    }


def test_the_best_discard_leaves_the_least_distance_and_then_the_most_tiles() -> None:
    tiles = kinds("123m456789p2267s9m")
    choices = discard_choices(tiles, (), jing=jing("1z"), options=DEFAULTS)
    assert {choice.kind for choice in choices} == set(tiles)
    assert (choices[0].kind, choices[0].distance) == (kind("9m"), 1)
    for choice in choices:
        rest = without(tiles, [choice.kind])
        assert choice.distance == distance(rest, (), jing=jing("1z"), options=DEFAULTS)
        assert choice.left == sum(use.left for use in choice.useful)
    assert list(choices) == sorted(choices, key=lambda choice: (choice.distance, -choice.left))


def test_the_tile_that_would_be_discarded_is_in_sight() -> None:
    choices = discard_choices(kinds("9999m123456p778s"), (), jing=jing("1z"), options=DEFAULTS)
    assert all(
        use.left == 0 for choice in choices for use in choice.useful if use.kind == kind("9m")
    )
