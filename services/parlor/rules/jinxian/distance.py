"""How far a hand is from a win, and which tiles bring it closer.

The distance is the number of tiles still missing: 0 for a complete hand, 1 for one that is ready
(听牌), and so on; jing in the hand count for whatever is missing. It is the least over the patterns.
Triplets are sets and seven stars are scattered tiles, so three patterns stand for all five.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from parlor.rules.jinxian.hands import SETS, split
from parlor.rules.jinxian.jing import Jing
from parlor.rules.jinxian.keeping import (
    GROUPS,
    NOTHING,
    Table,
    decisive,
    group_table,
    joined,
    most_kept,
    table_of,
)
from parlor.rules.jinxian.melds import Meld
from parlor.rules.jinxian.options import ScoringOptions
from parlor.rules.jinxian.scattered import most_scattered
from parlor.rules.jinxian.tiles import COPIES, KINDS, counts, without

PAIRS = 7
TILES_OF_A_HAND = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Useful:
    """A kind that brings the hand closer to a win."""

    kind: int
    left: int
    """How many of it have not been seen, 0..4."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscardChoice:
    """What a discard leaves."""

    kind: int
    distance: int
    useful: tuple[Useful, ...]
    left: int
    """How many useful tiles have not been seen, all kinds together."""


def distance(
    concealed: Sequence[int], melds: Sequence[Meld], *, jing: Jing, options: ScoringOptions
) -> int:
    """Tiles missing for a win, 0 being one; `concealed` with or without a drawn tile.

    A hand without the drawn tile is 1 away at best.
    """
    plain, wilds = split(concealed, jing)
    kept = [_standard(plain, SETS - len(melds), options.honour_chow)]
    if not melds:
        kept += [_pairs(plain), most_scattered(plain)]
    return TILES_OF_A_HAND - 3 * len(melds) - len(wilds) - max(kept)


def useful(
    concealed: Sequence[int],
    melds: Sequence[Meld],
    *,
    jing: Jing,
    options: ScoringOptions,
    seen: Iterable[int] = (),
) -> tuple[Useful, ...]:
    """The kinds that bring a hand without a drawn tile closer, ascending.

    `seen` are the kinds in sight besides the hand and its own melds.
    """
    return _useful(concealed, melds, jing, options, _left(concealed, melds, seen))


def discard_choices(
    concealed: Sequence[int],
    melds: Sequence[Meld],
    *,
    jing: Jing,
    options: ScoringOptions,
    seen: Iterable[int] = (),
) -> tuple[DiscardChoice, ...]:
    """Every kind that a hand with a drawn tile can discard, the best first.

    The least distance is best, then the most useful tiles unseen, then a tile that is no jing.
    """
    left = _left(concealed, melds, seen)
    return _ranked(_rests(concealed), melds, jing, options, left)


def closest_discards(
    concealed: Sequence[int],
    melds: Sequence[Meld],
    *,
    jing: Jing,
    options: ScoringOptions,
    seen: Iterable[int] = (),
) -> tuple[DiscardChoice, ...]:
    """Those of `discard_choices` that leave the least distance, in a third of the time."""
    rests = _rests(concealed)
    away = {kind: distance(rest, melds, jing=jing, options=options) for kind, rest in rests.items()}
    closest = {kind: rest for kind, rest in rests.items() if away[kind] == min(away.values())}
    left = _left(concealed, melds, seen)
    return _ranked(closest, melds, jing, options, left)


def _rests(concealed: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """What is left of the hand, by the kind that is discarded."""
    return {kind: without(concealed, [kind]) for kind in sorted(set(concealed))}


def _ranked(
    rests: Mapping[int, Sequence[int]],
    melds: Sequence[Meld],
    jing: Jing,
    options: ScoringOptions,
    left: Sequence[int],
) -> tuple[DiscardChoice, ...]:
    choices = []
    for kind, rest in rests.items():
        found = _useful(rest, melds, jing, options, left)
        choice = DiscardChoice(
            kind=kind,
            distance=distance(rest, melds, jing=jing, options=options),
            useful=found,
            left=sum(one.left for one in found),
        )
        choices.append(choice)
    return tuple(sorted(choices, key=lambda one: (one.distance, -one.left, one.kind in jing)))


def _left(concealed: Iterable[int], melds: Iterable[Meld], seen: Iterable[int]) -> list[int]:
    """How many of each kind are neither in the hand nor in sight."""
    laid = (kind for meld in melds for kind in meld.kinds)
    return [max(0, COPIES - count) for count in counts((*concealed, *laid, *seen))]


def _useful(
    concealed: Sequence[int],
    melds: Sequence[Meld],
    jing: Jing,
    options: ScoringOptions,
    left: Sequence[int],
) -> tuple[Useful, ...]:
    plain, _ = split(concealed, jing)
    found = {*jing.kinds, *_closer(plain, melds, options.honour_chow)}
    return tuple(Useful(kind=kind, left=left[kind]) for kind in sorted(found))


def _closer(plain: list[int], melds: Sequence[Meld], honour_chow: bool) -> set[int]:
    """The kinds with which one more tile is kept than without, by their faces."""
    if melds:
        return _closer_to_sets(plain, SETS - len(melds), honour_chow)
    standard, pairs, scattered = (
        _standard(plain, SETS, honour_chow),
        _pairs(plain),
        most_scattered(plain),
    )
    most = max(standard, pairs, scattered)
    found: set[int] = set()
    if standard == most:
        found |= _closer_to_sets(plain, SETS, honour_chow)
    if pairs == most:
        found |= _closer_to_pairs(plain)
    if scattered == most:
        found |= {kind for kind in range(KINDS) if most_scattered(_with(plain, kind)) > most}
    return found


def _closer_to_sets(plain: list[int], sets: int, honour_chow: bool) -> set[int]:
    """As `_closer`, for sets and a pair: only the table of the tile's own group changes."""
    tables = _tables(plain, honour_chow)
    found = set()
    for place, span in enumerate(GROUPS):
        table = tables[place]
        others = _joined(tables[:place] + tables[place + 1 :])
        places = decisive(table, others, sets)
        held = list(plain[span.start : span.stop])
        for at, kind in enumerate(span):
            held[at] += 1
            more = group_table(tuple(held), honour_chow)
            held[at] -= 1
            if any(more[where] > table[where] for where in places):
                found.add(kind)
    return found


def _closer_to_pairs(plain: Sequence[int]) -> set[int]:
    """As `_closer`, for seven pairs: what is held singly, and new kinds while there are too few."""
    enough = sum((count + 1) // 2 for count in plain) >= PAIRS
    return {kind for kind, count in enumerate(plain) if count % 2 or not enough}


def _standard(plain: Sequence[int], sets: int, honour_chow: bool) -> int:
    """The most tiles kept in `sets` sets and a pair."""
    return most_kept(_joined(_tables(plain, honour_chow)), sets)


def _tables(plain: Sequence[int], honour_chow: bool) -> list[Table]:
    return [table_of(plain, group, honour_chow=honour_chow) for group in range(len(GROUPS))]


def _joined(tables: Iterable[Table]) -> Table:
    whole = NOTHING
    for table in tables:
        whole = joined(table, whole)
    return whole


def _pairs(plain: Sequence[int]) -> int:
    """The most tiles kept in seven pairs."""
    pairs = sum(count // 2 for count in plain)
    singles = sum(count % 2 for count in plain)
    return 2 * pairs + min(singles, PAIRS - pairs)


def _with(plain: Sequence[int], kind: int) -> list[int]:
    more = list(plain)
    more[kind] += 1
    return more
