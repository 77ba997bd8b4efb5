"""The score of a win (WINNING.md 8): the best reading, what multiplies it, and the jing points."""

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from parlor.rules.jinxian.hands import Hand, Situation, WinBy
from parlor.rules.jinxian.jing import Jing, jing_points
from parlor.rules.jinxian.options import Bawang, JingSettlement, JingZones, ScoringOptions
from parlor.rules.jinxian.patterns import Pattern, Reading, is_win, readings

BONUS = 5
"""For no jing, and again for jingdiao."""
GANGKAI = 2

_BASES = {
    Pattern.PINGHU: (4, 8),
    Pattern.QIDUI: (8, 64),
    Pattern.SIPENG: (32, 64),
    Pattern.SHISANLAN: (8, 16),
    Pattern.QIXING_SHISANLAN: (32, 64),
}
"""Base score with and without jing."""

_ORDER = {pattern: place for place, pattern in enumerate(Pattern)}


class FactorName(enum.Enum):
    """Why a win is multiplied."""

    GANGKAI = "GANGKAI"
    """Won on the replacement tile of a kong (杠开)."""
    CHONGGUAN = "CHONGGUAN"
    """Ten or more jing points (冲关)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """One multiplier, 2 or more."""

    name: FactorName
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A reading with its points before multipliers."""

    pattern: Pattern
    has_jing: bool
    is_jingdiao: bool
    base: int
    bonus: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Win:
    """A win with its whole account."""

    tile: int
    scores: tuple[Score, ...]
    """Every reading, the best first; that one counts."""
    jing_points: int
    """Points of the jing in the zones that count, 0..12 or more with discards."""
    factors: tuple[Factor, ...]
    multiplier: int
    """The product of the factors."""
    jing_score: int
    """What is added for jing after multiplying."""
    total: int
    """(base + bonus) * multiplier + jing_score."""
    pay_total: int
    """The amount the payments are made of: `total`, or the minimum of a first-turn win."""

    @property
    def best(self) -> Score:
        """The reading that counts."""
        return self.scores[0]

    @property
    def pattern(self) -> Pattern:
        """The pattern that counts."""
        return self.best.pattern


def can_win(hand: Hand, tile: int, *, jing: Jing, by: WinBy, options: ScoringOptions) -> bool:
    """Whether `best_win` would find a win; some microseconds."""
    return is_win(hand, tile, jing=jing, by=by, options=options)


def best_win(
    hand: Hand, tile: int, *, jing: Jing, situation: Situation, options: ScoringOptions
) -> Win | None:
    """The win with the highest total, with every other reading beside it; None for no win."""
    found = readings(hand, tile, jing=jing, by=situation.by, options=options)
    if not found:
        return None
    # Multipliers and jing points are the hand's, so the readings rank by base and bonus alone.
    scores = tuple(sorted((_score(reading, options) for reading in found), key=_rank))
    points = jing_points(jing, _counted(hand, tile, situation, options))
    factors = tuple(_factors(points, situation, options))
    multiplier = 1
    for factor in factors:
        multiplier *= factor.value
    jing_score = _jing_score(points, situation, options)
    total = (scores[0].base + scores[0].bonus) * multiplier + jing_score
    least = options.tian_di_hu_min if situation.special else 0
    return Win(
        tile=tile,
        scores=scores,
        jing_points=points,
        factors=factors,
        multiplier=multiplier,
        jing_score=jing_score,
        total=total,
        pay_total=max(total, least),
    )


def base_score(pattern: Pattern, *, has_jing: bool, options: ScoringOptions) -> int:
    """What the pattern is worth before anything is added (WINNING.md 7)."""
    with_jing, without = _BASES[pattern]
    if pattern is Pattern.QIDUI:
        without = options.qidui_no_jing_base
    return with_jing if has_jing else without


def _rank(score: Score) -> tuple[int, int]:
    return -(score.base + score.bonus), _ORDER[score.pattern]


def _score(reading: Reading, options: ScoringOptions) -> Score:
    return Score(
        pattern=reading.pattern,
        has_jing=reading.has_jing,
        is_jingdiao=reading.is_jingdiao,
        base=base_score(reading.pattern, has_jing=reading.has_jing, options=options),
        bonus=BONUS * ((not reading.has_jing) + reading.is_jingdiao),
    )


def _counted(hand: Hand, tile: int, situation: Situation, options: ScoringOptions) -> Iterable[int]:
    """The winner's tiles whose jing give points."""
    yield from hand.concealed
    yield tile
    if options.jing_zones is JingZones.HAND:
        return
    for meld in hand.melds:
        yield from meld.kinds
    if options.jing_zones is JingZones.HAND_MELDS_DISCARDS:
        yield from situation.discards


def _factors(points: int, situation: Situation, options: ScoringOptions) -> Iterable[Factor]:
    if situation.after_kong:
        yield Factor(name=FactorName.GANGKAI, value=GANGKAI)
    threshold = options.chongguan_base
    if _all_players(options) or not threshold or points < threshold:
        return
    yield Factor(name=FactorName.CHONGGUAN, value=points - threshold + 2)


def _jing_score(points: int, situation: Situation, options: ScoringOptions) -> int:
    """The points, or what `bawang` makes of them; nothing where all players settle their jing."""
    if _all_players(options):
        return 0
    if not points or situation.others_hold_jing:
        return points
    match options.bawang:
        case Bawang.OFF:
            return points
        case Bawang.X2:
            return 2 * points
        case Bawang.PLUS_10:
            return points + 10


def _all_players(options: ScoringOptions) -> bool:
    return options.jing_settlement is JingSettlement.ALL_PLAYERS
