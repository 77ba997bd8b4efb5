"""The winning patterns by search, written without a look at the tables that they check."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, combinations_with_replacement

from parlor.rules.jinxian.tiles import counts

CHOWS = [(kind, kind + 1, kind + 2) for suit in (0, 9, 18) for kind in range(suit, suit + 7)]
HONOUR_CHOWS = [*combinations(range(27, 31), 3), (31, 32, 33)]

Hand = tuple[int, ...]


def _beside(shapes: Sequence[Hand]) -> dict[int, list[Hand]]:
    return {
        kind: [tuple(other for other in one if other != kind) for one in shapes if kind in one]
        for kind in range(34)
    }


BESIDE = [_beside([]), _beside(CHOWS), _beside([*CHOWS, *HONOUR_CHOWS])]
"""What stands beside a kind in chows: without any, without and with those of honours."""


def is_standard(hand: Hand, wilds: int, sets: int, *, honour_chow: bool) -> bool:
    """Four sets and a pair: the lowest tile goes into every set that it may be a part of."""
    return _divides(tuple(sorted(hand)), wilds, sets, 1, 2 if honour_chow else 1)


def is_triplets(hand: Hand, wilds: int, sets: int) -> bool:
    return _divides(tuple(sorted(hand)), wilds, sets, 1, 0)


@lru_cache(maxsize=1 << 18)
def _divides(hand: Hand, wilds: int, sets: int, pairs: int, chows: int) -> bool:
    if len(hand) + wilds != 3 * sets + 2 * pairs:
        return False
    if not hand:
        return True
    for part, missing, is_pair in _parts(hand, chows):
        left = (sets, pairs - 1) if is_pair else (sets - 1, pairs)
        if missing <= wilds and min(left) >= 0:
            rest = list(hand)
            for kind in part:
                rest.remove(kind)
            if _divides(tuple(rest), wilds - missing, *left, chows):
                return True
    return False


def _parts(hand: Hand, chows: int) -> Iterator[tuple[Hand, int, bool]]:
    """What the lowest tile can be with: the tiles, how many wilds join, and whether it is a pair."""
    low = hand[0]
    alike = hand.count(low)
    for size in range(1, min(3, alike) + 1):
        yield (low,) * size, 3 - size, False
    for size in range(1, min(2, alike) + 1):
        yield (low,) * size, 2 - size, True
    for pair in BESIDE[chows].get(low, ()):
        others = [kind for kind in pair if kind in hand]
        # With no other tile it would be the pong of one tile and two wilds again.
        for size in range(1, len(others) + 1):
            for some in combinations(others, size):
                yield (low, *some), 2 - size, False


def is_pairs(hand: Hand, wilds: int) -> bool:
    """Seven pairs, taken away two by two."""
    if not hand:
        return wilds % 2 == 0
    first, *rest = hand
    if first in rest:
        rest.remove(first)
        return is_pairs(tuple(rest), wilds)
    return wilds > 0 and is_pairs(tuple(rest), wilds - 1)


def is_scattered(hand: Hand, wilds: int, *, wild_kinds: Sequence[int] = range(34)) -> bool:
    """Fourteen kinds apart: wilds join one after the other wherever one fits."""
    if not all(_apart(one, other) for one, other in combinations(hand, 2)):
        return False
    return _fills(tuple(sorted(hand)), wilds, tuple(wild_kinds))


@lru_cache(maxsize=1 << 16)
def _fills(hand: Hand, wilds: int, kinds: Sequence[int]) -> bool:
    if not wilds:
        return True
    return any(
        _fills(tuple(sorted((*hand, kind))), wilds - 1, kinds[place + 1 :])
        for place, kind in enumerate(kinds)
        if all(_apart(kind, other) for other in hand)
    )


def _apart(one: int, other: int) -> bool:
    if one >= 27 or other >= 27 or one // 9 != other // 9:
        return one != other
    return abs(one - other) >= 3


def is_seven_stars(hand: Hand, wilds: Sequence[int], *, real: bool) -> bool:
    """Scattered with all honours; a jing that is one may be it."""
    if not real:
        missing = [kind for kind in range(27, 34) if kind not in hand]
        if len(missing) > len(wilds):
            return False
        return is_scattered((*hand, *missing), len(wilds) - len(missing), wild_kinds=range(27))
    for size in range(len(wilds) + 1):
        for at_face in set(combinations(sorted(wilds), size)):
            whole = (*hand, *at_face)
            if set(range(27, 34)) <= set(whole) and is_scattered(
                whole, len(wilds) - size, wild_kinds=range(27)
            ):
                return True
    return False


def is_standard_by_substitution(hand: Hand, wilds: int, sets: int) -> bool:
    """Four sets and a pair with every kind tried for every wild, which only few wilds allow."""
    return any(
        _divides(tuple(sorted((*hand, *chosen))), 0, sets, 1, 2)
        for chosen in combinations_with_replacement(range(34), wilds)
    )


def fits(hand: Sequence[int]) -> bool:
    """Whether there are enough tiles of every kind."""
    return max(counts(hand)) <= 4
