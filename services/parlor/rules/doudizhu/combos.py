"""Combinations and what beats what (RULES.md 2 and 3).

A set of cards is played as a *reading*: its shape, the value of the highest card of its body, and
how many groups the body has. The body of a shape without kickers is the whole set.
"""

import enum
from dataclasses import dataclass

from parlor.rules.doudizhu.cards import ACE, BIG, TWO
from parlor.rules.doudizhu.config import Config, RuleSet, RunTop, Wings


class Shape(enum.Enum):
    """The kind of a combination."""

    ONE = "ONE"
    """Single (单张)."""
    TWO = "TWO"
    """Pair (一对)."""
    THREE = "THREE"
    """Triple (三张)."""
    STRAIGHT = "STRAIGHT"
    """Straight (顺子)."""
    TWO_TWO = "TWO_TWO"
    """Consecutive pairs (连对)."""
    THREE_THREE = "THREE_THREE"
    """Consecutive triples, the bare airplane (飞机)."""
    THREE_1 = "THREE_1"
    """Triple with a single (三带一)."""
    THREE_2 = "THREE_2"
    """Triple with a pair (三带二)."""
    PLANE_1 = "PLANE_1"
    """Airplane with a single per triple (飞机带单)."""
    PLANE_2 = "PLANE_2"
    """Airplane with a pair per triple (飞机带对)."""
    FOUR_1 = "FOUR_1"
    """Four with two singles (四带二)."""
    FOUR_2 = "FOUR_2"
    """Four with two pairs (四带两对)."""
    BOMB = "BOMB"
    """Four equal cards (炸弹)."""
    KINGBOMB = "KINGBOMB"
    """Both jokers, the rocket (王炸)."""


BOMBS = frozenset({Shape.BOMB, Shape.KINGBOMB})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a set of cards is played as."""

    shape: Shape
    value: int
    """Value of the highest card of the body, 2..16."""
    length: int
    """Groups in the body: cards of a straight, pairs, triples; 1 where the shape is no run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComboRules:
    """Which combinations the table knows; one value per rule set and option."""

    straight_top: int
    """Highest value in a straight."""
    group_top: int
    """Highest value in consecutive pairs and triples."""
    fewest_pairs: int
    """Fewest consecutive pairs that are a combination."""
    kickers: bool
    """Whether triples, airplanes and fours may carry kickers."""
    repeats: int
    """Most single kickers of one rank."""
    most_cards: int
    """Cards of the largest hand."""


FEWEST_IN_STRAIGHT = 5
FEWEST_TRIPLES = 2

_RUN_TOPS = {RunTop.JOKER: BIG, RunTop.TWO: TWO, RunTop.ACE: ACE}


def combo_rules(config: Config) -> ComboRules:
    """What `config` makes of RULES.md 2.1 and 2.2."""
    if config.rule_set is RuleSet.CLASSIC:
        top = _RUN_TOPS[config.run_top]
        return ComboRules(
            straight_top=top,
            group_top=min(top, TWO),
            fewest_pairs=2,
            kickers=False,
            repeats=0,
            most_cards=18,
        )
    return ComboRules(
        straight_top=ACE,
        group_top=ACE,
        fewest_pairs=3,
        kickers=True,
        # Four kickers of a rank would be a bomb, which is never a kicker (2.2).
        repeats=3 if config.wings is Wings.OPEN else 1,
        most_cards=20,
    )


def beats(new: Reading, led: Reading | None) -> bool:
    """Whether `new` may be played on `led`; anything may where nothing lies (RULES.md 3).

    The rocket beats all, a bomb what is no bomb, and otherwise only the same shape and length
    with a higher value wins.
    """
    if led is None or new.shape is Shape.KINGBOMB:
        return True
    if led.shape is Shape.KINGBOMB:
        return False
    if new.shape is Shape.BOMB and led.shape is not Shape.BOMB:
        return True
    return (new.shape, new.length) == (led.shape, led.length) and new.value > led.value
