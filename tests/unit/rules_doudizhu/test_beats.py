"""What beats what (RULES.md 3), and how a claim is settled (RULES.md 2.3)."""

import pytest

from parlor.rules.doudizhu.actions import Claim
from parlor.rules.doudizhu.cards import CARDS, rank_counts
from parlor.rules.doudizhu.combos import Reading, Shape, beats
from parlor.rules.doudizhu.playing import read
from parlor.rules.doudizhu.plays import plays
from parlor.rules.game import IllegalAction
from parlor.rules.reasons import Reason
from tests.unit.rules_doudizhu.table import OPEN, STRICT, TO_JOKER, cards, reading

AMBIGUOUS = "333444555666"


@pytest.mark.parametrize(
    ("answer", "led"),
    [
        pytest.param("4", "3", id="3 higher single"),
        pytest.param("2", "A", id="3 two on an ace"),
        pytest.param("R", "B", id="3 big joker on the small one"),
        pytest.param("44", "33", id="3 higher pair"),
        pytest.param("45678", "34567", id="3 higher straight"),
        pytest.param("444555AK", "33344422", id="3 kickers never count"),
        pytest.param("3333", "2", id="3 bomb on a single"),
        pytest.param("3333", "45678", id="3 bomb on a straight"),
        pytest.param("2222", "AAAA35", id="3 bomb on a four with kickers"),
        pytest.param("4444", "3333", id="3 higher bomb"),
        pytest.param("BR", "2222", id="3 rocket on the highest bomb"),
        pytest.param("BR", "3", id="3 rocket on a single"),
    ],
)
def test_an_answer_that_beats_the_lead_is_accepted(answer: str, led: str) -> None:
    assert beats(reading(answer), reading(led))
    assert not beats(reading(led), reading(answer))


@pytest.mark.parametrize(
    ("answer", "led"),
    [
        pytest.param("3", "3", id="3 equal single"),
        pytest.param("33", "4", id="3 pair on a single"),
        pytest.param("456789", "34567", id="3 longer straight"),
        pytest.param("4444AK", "3333", id="3 four with kickers is no bomb"),
        pytest.param("3333", "4444", id="3 lower bomb"),
        pytest.param("3334", "333A", id="3 equal triple"),
        pytest.param("2222", "BR", id="3 bomb on the rocket"),
        pytest.param("33344", "3335", id="3 triple with a pair on one with a single"),
    ],
)
def test_an_answer_that_does_not_beat_the_lead_is_refused(answer: str, led: str) -> None:
    assert not beats(reading(answer), reading(led))


def test_anything_may_be_led() -> None:
    assert all(beats(found, None) for _, found in plays(rank_counts(cards("33344455")), OPEN))


def claim(shape: Shape, value: int) -> Claim:
    return Claim(shape=shape, value=value)


@pytest.mark.parametrize(
    ("led", "claimed", "expected"),
    [
        pytest.param(None, None, (Shape.THREE_THREE, 5), id="2.3 triples lead by default"),
        pytest.param(None, claim(Shape.PLANE_1, 4), (Shape.PLANE_1, 4), id="2.3 the claim decides"),
        pytest.param(
            reading("333444555789"),
            None,
            (Shape.PLANE_1, 5),
            id="2.3 the highest that beats the table",
        ),
        pytest.param(
            reading("333444555789"),
            claim(Shape.PLANE_1, 4),
            Reason.DOES_NOT_BEAT,
            id="2.3 a claim may be too low",
        ),
        pytest.param(None, claim(Shape.PLANE_1, 3), Reason.BAD_CLAIM, id="2.3 no such reading"),
        pytest.param(
            reading("3334"),
            claim(Shape.STRAIGHT, 5),
            Reason.BAD_CLAIM,
            id="4.5 claim before beating",
        ),
    ],
)
def test_ambiguous_cards_are_read_as_claimed_or_by_default(
    led: Reading | None, claimed: Claim | None, expected: tuple[Shape, int] | Reason
) -> None:
    if isinstance(expected, Reason):
        with pytest.raises(IllegalAction) as refused:
            read(cards(AMBIGUOUS), claimed, led, OPEN)
        assert refused.value.reason is expected
    else:
        found = read(cards(AMBIGUOUS), claimed, led, OPEN)
        assert (found.shape, found.value) == expected


def test_an_airplane_is_answered_in_as_many_ways_as_others_count() -> None:
    """The dou_dizhu crate finds 77 answers of the same shape, without repeated kickers."""
    answers = list(plays(rank_counts(range(CARDS)), STRICT, reading("QQQKKK34", STRICT)))
    assert sum(found.shape is Shape.PLANE_1 for _, found in answers) == 77


def test_classic_runs_beat_runs_of_the_same_length_only() -> None:
    assert beats(reading("AA22", TO_JOKER), reading("KKAA", TO_JOKER))
    assert not beats(reading("KKAA22", TO_JOKER), reading("3344", TO_JOKER))
