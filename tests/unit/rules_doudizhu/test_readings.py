"""What cards can be played as, and how many combinations there are (RULES.md 2 and 10)."""

import importlib.util
import json
import zipfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from random import Random

import pytest

from parlor.rules.doudizhu.cards import (
    BIG,
    CARDS,
    LETTERS,
    LOWEST,
    VALUES,
    Counts,
    in_display_order,
    rank_counts,
    text,
)
from parlor.rules.doudizhu.combos import ComboRules, Reading, Shape
from parlor.rules.doudizhu.plays import plays
from parlor.rules.doudizhu.readings import readings
from tests.unit.rules_doudizhu.table import (
    OPEN,
    STRICT,
    TO_ACE,
    TO_JOKER,
    TO_TWO,
    cards,
)

TABLES = {
    "open": OPEN,
    "strict": STRICT,
    "to joker": TO_JOKER,
    "to two": TO_TWO,
    "to ace": TO_ACE,
}


def counts_of(ranks: Iterable[int]) -> Counts:
    counts = [0] * (BIG + 1)
    for value in ranks:
        counts[value] += 1
    return tuple(counts)


@cache
def combinations(table: str) -> dict[Counts, set[Reading]]:
    """Every combination of the whole pack, by rank multiset."""
    found: dict[Counts, set[Reading]] = {}
    for ranks, reading in plays(rank_counts(range(CARDS)), TABLES[table]):
        found.setdefault(counts_of(ranks), set()).add(reading)
    return found


@pytest.mark.parametrize(
    ("ranks", "rules", "expected"),
    [
        pytest.param("3", OPEN, "ONE 3x1", id="2 single"),
        pytest.param("BR", OPEN, "KINGBOMB Rx1", id="2 rocket"),
        pytest.param("2222", OPEN, "BOMB 2x1", id="2 bomb"),
        pytest.param("TJQKA", OPEN, "STRAIGHT Ax5", id="2 straight to the ace"),
        pytest.param("JQKA2", OPEN, "", id="2 no straight to the two"),
        pytest.param("3456", OPEN, "", id="2 four cards are no straight"),
        pytest.param("3344", OPEN, "", id="2 two pairs are no run"),
        pytest.param("334455", OPEN, "TWO_TWO 5x3", id="2 three pairs"),
        pytest.param("333444", OPEN, "THREE_THREE 4x2", id="2 airplane"),
        pytest.param("AAA222", OPEN, "", id="2 no airplane to the two"),
        pytest.param("2223", OPEN, "THREE_1 2x1", id="2.2 222 carries a single"),
        pytest.param("33344", OPEN, "THREE_2 3x1", id="2.2 triple with a pair"),
        pytest.param("333BR", OPEN, "", id="2.2 jokers are no pair"),
        pytest.param("33334445", OPEN, "", id="2.2 a kicker has no body rank"),
        pytest.param("33344455", OPEN, "PLANE_1 4x2", id="2.2 open wings repeat a rank"),
        pytest.param("33344455", STRICT, "", id="2.2 strict wings differ"),
        pytest.param("3334445B", STRICT, "PLANE_1 4x2", id="2.2 one joker is a kicker"),
        pytest.param("333444BR", OPEN, "", id="2.2 a rocket is no kicker"),
        pytest.param("3334445555666", OPEN, "", id="2 no combination"),
        pytest.param("3334445556667777", OPEN, "", id="2.2 a bomb is no kicker"),
        pytest.param("3334445566", OPEN, "PLANE_2 4x2", id="2.2 airplane with pairs"),
        pytest.param("444455", OPEN, "FOUR_1 4x1", id="2.2 four with two singles"),
        pytest.param("444455", STRICT, "", id="2.2 four with differing singles"),
        pytest.param("44445566", OPEN, "FOUR_2 4x1", id="2.2 four with two pairs"),
        pytest.param("33334444", OPEN, "", id="2.2 two bombs"),
        pytest.param(
            "333444555666",
            OPEN,
            "THREE_THREE 6x4, PLANE_1 6x3, PLANE_1 5x3",
            id="2.3 triples, then the higher body",
        ),
        pytest.param("333444555666", STRICT, "THREE_THREE 6x4", id="2.3 one in strict"),
        pytest.param("3344", TO_JOKER, "TWO_TWO 4x2", id="2.1 two pairs are a run"),
        pytest.param("AA22", TO_JOKER, "TWO_TWO 2x2", id="2.1 the ace joins the two"),
        pytest.param("AA22", TO_ACE, "", id="2.1 not with the ace on top"),
        pytest.param("KA2BR", TO_JOKER, "STRAIGHT Rx5", id="2.1 straight to the jokers"),
        pytest.param("KA2BR", TO_TWO, "", id="2.1 not with the two on top"),
        pytest.param("TJQKA2", TO_TWO, "STRAIGHT 2x6", id="2.1 straight to the two"),
        pytest.param("2BR", TO_JOKER, "", id="2.1 three cards are no straight"),
        pytest.param("3334", TO_JOKER, "", id="2.1 no kickers"),
        pytest.param("BR", TO_JOKER, "KINGBOMB Rx1", id="2.1 the rocket is no run"),
    ],
)
def test_cards_are_read_as_the_rule_book_reads_them(
    ranks: str, rules: ComboRules, expected: str
) -> None:
    found = readings(rank_counts(cards(ranks)), rules)
    names = [f"{r.shape.value} {LETTERS[r.value - LOWEST]}x{r.length}" for r in found]
    assert ", ".join(names) == expected


@pytest.mark.parametrize(
    ("table", "of_readings", "of_multisets"),
    [
        ("open", 28_237, 27_845),
        ("strict", 12_654, 12_654),
        ("to joker", 239, 239),
        ("to two", 218, 218),
        ("to ace", 196, 196),
    ],
)
def test_there_are_as_many_combinations_as_enumeration_finds(
    table: str, of_readings: int, of_multisets: int
) -> None:
    found = combinations(table)
    assert sum(len(of_one) for of_one in found.values()) == of_readings
    assert len(found) == of_multisets


@pytest.mark.parametrize("table", TABLES)
def test_recogniser_and_generator_agree_on_every_combination(table: str) -> None:
    for counts, expected in combinations(table).items():
        assert set(readings(counts, TABLES[table])) == expected


@pytest.mark.parametrize("table", TABLES)
def test_recogniser_and_generator_agree_on_what_is_none(table: str) -> None:
    rng = Random(7)
    found = combinations(table)
    for _ in range(5_000):
        counts = rank_counts(rng.sample(range(CARDS), rng.randint(1, 12)))
        assert set(readings(counts, TABLES[table])) == found.get(counts, set())


@pytest.mark.parametrize("table", TABLES)
def test_recogniser_and_generator_agree_next_to_combinations(table: str) -> None:
    """One card more or less is where a recogniser errs."""
    rng = Random(8)
    found = combinations(table)
    for counts in rng.sample(sorted(found), min(2_000, len(found))):
        near = list(counts)
        value = rng.randrange(LOWEST, BIG + 1)
        most = 4 if value <= 14 else 1
        near[value] = rng.randrange(most + 1)
        if 0 < sum(near) <= TABLES[table].most_cards:
            got = set(readings(tuple(near), TABLES[table]))
            assert got == found.get(tuple(near), set())


def test_order_and_suits_mean_nothing() -> None:
    rng = Random(9)
    suits = {value: [c for c in range(CARDS) if VALUES[c] == value] for value in range(2, 17)}
    for ranks, _ in list(plays(rank_counts(range(CARDS)), OPEN))[::97]:
        hand = [card for v in set(ranks) for card in rng.sample(suits[v], ranks.count(v))]
        rng.shuffle(hand)
        assert readings(rank_counts(hand), OPEN) == readings(counts_of(ranks), OPEN)


def test_a_hand_is_shown_from_the_highest_card_down() -> None:
    assert in_display_order([2, 53, 15, 0, 1]) == (53, 1, 0, 2, 15)
    assert text([2, 53, 15, 0, 1]) == "33A2R"


RLCARD = importlib.util.find_spec("rlcard")


@pytest.mark.skipif(RLCARD is None, reason="rlcard is not installed")
def test_rlcard_has_our_combinations_but_for_ambiguous_airplanes() -> None:
    """Its published table holds no airplane whose wings hold three of a rank next to the body."""
    theirs = rlcard_table()
    assert len(theirs) == 27_471
    assert theirs <= combinations("open").keys()
    dropped = 0
    ours: set[Counts] = set()
    for counts, found in combinations("open").items():
        clear = {reading for reading in found if not lengthens(counts, reading)}
        dropped += len(found) - len(clear)
        if clear:
            ours.add(counts)
    assert dropped == 766
    assert theirs == ours


def lengthens(counts: Counts, reading: Reading) -> bool:
    """Whether the wings of an airplane hold three cards of a rank that its body could take in."""
    if reading.shape is not Shape.PLANE_1:
        return False
    beside = (reading.value - reading.length, reading.value + 1)
    return any(LOWEST <= v <= 13 and counts[v] == 3 for v in beside)


def rlcard_table() -> set[Counts]:
    """Its combinations, read from the data file alone: importing rlcard takes seconds."""
    assert RLCARD is not None
    assert RLCARD.submodule_search_locations is not None
    data = Path(RLCARD.submodule_search_locations[0]) / "games/doudizhu/jsondata.zip"
    with zipfile.ZipFile(data) as archive:
        names = json.loads(archive.read("jsondata/card_type.json"))
    return {
        counts_of(LETTERS.index(letter) + LOWEST for letter in name)
        for name in names
        if name != "pass"
    }
