"""Scores (RULES.md 5.5 and 6.4)."""

import pytest

from parlor.rules.doudizhu import Config
from parlor.rules.doudizhu.config import RuleSet
from parlor.rules.doudizhu.scoring import ending
from parlor.rules.doudizhu.table import NOBODY, EndReason, Flags, Phase, Spring, Table
from parlor.rules.game import Seat

LANDLORD = Seat(0)
PEASANT = Seat(1)


def table(
    *,
    bid: int = 1,
    robs: int = 0,
    bombs: int = 0,
    plays: tuple[int, int, int] = (2, 2, 2),
    doubled: Flags = NOBODY,
    shown: bool = False,
) -> Table:
    """A game of seat 0 against the others, about to end."""
    return Table(
        phase=Phase.PLAYING,
        landlord=LANDLORD,
        bid=bid,
        robs=robs,
        bombs=bombs,
        plays=plays,
        doubled=doubled,
        shown=shown,
    )


@pytest.mark.parametrize(
    ("before", "out", "scores"),
    [
        pytest.param(table(), LANDLORD, (2, -1, -1), id="6.4.1 bid 1"),
        pytest.param(table(bid=3), PEASANT, (-6, 3, 3), id="6.4.1 bid 3, peasants win"),
        pytest.param(table(robs=3, bombs=1), LANDLORD, (32, -16, -16), id="6.4.1 robs, rocket"),
        pytest.param(table(shown=True), LANDLORD, (4, -2, -2), id="6.4.1 shown"),
        pytest.param(
            table(bid=3, bombs=2, plays=(5, 0, 0)), LANDLORD, (48, -24, -24), id="6.4.2 spring"
        ),
        pytest.param(table(plays=(1, 3, 0)), PEASANT, (-4, 2, 2), id="6.4.2 anti-spring"),
        pytest.param(table(plays=(2, 3, 0)), PEASANT, (-2, 1, 1), id="6.4.2 two plays"),
        pytest.param(table(plays=(5, 0, 1)), LANDLORD, (2, -1, -1), id="6.4.2 a peasant played"),
        pytest.param(
            table(bid=3, doubled=(True, True, False)), PEASANT, (-18, 12, 6), id="6.4.3 doubled"
        ),
        pytest.param(
            table(doubled=(True, True, True)), LANDLORD, (8, -4, -4), id="6.4.3 all doubled"
        ),
    ],
)
def test_scores_follow_the_rule_book(
    before: Table, out: Seat, scores: tuple[int, int, int]
) -> None:
    assert ending(Config(), before, EndReason.OUT, out).scores == scores


def test_the_cap_limits_each_peasants_stake() -> None:
    """RULES.md 6.4.3."""
    config = Config(stake_cap=10)
    before = table(bid=3, bombs=1, doubled=(False, True, False))
    assert ending(config, before, EndReason.OUT, LANDLORD).scores == (16, -10, -6)


def test_the_base_score_multiplies() -> None:
    """RULES.md 6.4.1."""
    result = ending(Config(base_score=50), table(bid=2), EndReason.OUT, PEASANT)
    assert (result.scores, result.unit) == ((-200, 100, 100), 100)


@pytest.mark.parametrize(
    ("who", "plays", "spring", "winners"),
    [
        pytest.param(LANDLORD, (1, 1, 0), Spring.ANTI_SPRING, (1, 2), id="6.4.2 landlord"),
        pytest.param(PEASANT, (1, 0, 0), Spring.SPRING, (0,), id="6.4.2 peasants"),
        pytest.param(PEASANT, (1, 1, 0), Spring.NONE, (0,), id="6.4.2 after a play"),
    ],
)
def test_a_surrender_is_scored_as_its_position_earned(
    who: Seat, plays: tuple[int, int, int], spring: Spring, winners: tuple[int, ...]
) -> None:
    result = ending(Config(), table(plays=plays), EndReason.SURRENDER, who)
    assert (result.spring, result.winners) == (spring, winners)


def test_classic_takes_one_from_each_loser() -> None:
    """RULES.md 5.5."""
    config = Config(rule_set=RuleSet.CLASSIC, base_score=3)
    before = Table(phase=Phase.PLAYING, bombs=2)
    assert ending(config, before, EndReason.OUT, PEASANT).scores == (-3, 6, -3)
    assert ending(config, before, EndReason.SURRENDER, PEASANT).scores == (3, -6, 3)
