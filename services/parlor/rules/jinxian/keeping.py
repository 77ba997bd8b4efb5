"""How many tiles of a hand can stay on the way to sets and a pair.

For a group (a suit, the winds, the dragons) the answer is a table by the number of sets and whether
the pair is taken from it: `table[pair * WIDTH + sets]`. Groups are worked out when they are first
met and remembered; tables of two groups are joined by trying every division of sets and pair.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from parlor.rules.jinxian.tiles import DRAGONS, RANKS, SUITS, WINDS

WIDTH = 5
"""Sets of a hand: 0..4."""

Table = tuple[int, ...]
"""Most tiles kept, by [pair * WIDTH + sets], 10 numbers."""

NOTHING: Table = (0,) * (2 * WIDTH)

GROUPS = (*SUITS, WINDS, DRAGONS)

REMEMBERED = 1 << 16
"""Tables that are remembered of each sort; one takes about 300 bytes."""


def table_of(plain: Sequence[int], group: int, *, honour_chow: bool) -> Table:
    """The table of one group of the hand."""
    span = GROUPS[group]
    return group_table(tuple(plain[span.start : span.stop]), honour_chow)


@lru_cache(maxsize=REMEMBERED)
def group_table(held: tuple[int, ...], honour_chow: bool) -> Table:
    """The table of a group with these counts; nine are a suit, four the winds, three the dragons."""
    if len(held) == RANKS:
        return _suit(_stripped(held))
    # Which wind or dragon has which count does not matter.
    return _honours(tuple(sorted(held)), honour_chow)


@lru_cache(maxsize=REMEMBERED)
def joined(one: Table, other: Table) -> Table:
    """The table of two groups together."""
    kept = list(NOTHING)
    for sets in range(WIDTH):
        plain = paired = 0
        for mine in range(sets + 1):
            rest = sets - mine
            plain = max(plain, one[mine] + other[rest])
            paired = max(paired, one[WIDTH + mine] + other[rest], one[mine] + other[WIDTH + rest])
        kept[sets], kept[WIDTH + sets] = plain, paired
    return tuple(kept)


def most_kept(table: Table, sets: int) -> int:
    """The most tiles that a hand keeps in `sets` sets and a pair, from the table of all groups."""
    return table[WIDTH + sets]


def decisive(one: Table, others: Table, sets: int) -> tuple[int, ...]:
    """The places of a group's table on which the most that all groups keep depends.

    If the number at one of them rises, so does the most for `sets` sets and a pair.
    """
    most = joined(one, others)[WIDTH + sets]
    without_pair = [
        mine for mine in range(sets + 1) if one[mine] + others[WIDTH + sets - mine] == most
    ]
    with_pair = [
        WIDTH + mine for mine in range(sets + 1) if one[WIDTH + mine] + others[sets - mine] == most
    ]
    return (*without_pair, *with_pair)


@lru_cache(maxsize=REMEMBERED)
def _suit(held: tuple[int, ...]) -> Table:
    """The table of a suit, given as its counts without empty ranks at the ends.

    The lowest rank is given up, or it begins a set or the pair; what is left is a smaller suit.
    """
    if not held:
        return NOTHING
    return _best(
        _suit(_after(held, (1,))),
        ((sum(part), _suit(_after(held, part))) for part in _sets_from(held)),
        (min(2, held[0]), _suit(_after(held, (min(2, held[0]),)))),
    )


def _sets_from(held: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The parts of a set that begin with the lowest rank, as counts from that rank on."""
    yield from ((size,) for size in range(1, min(3, held[0]) + 1))
    after, second = (*held, 0, 0)[1:3]
    if after:
        yield 1, 1
    if second:
        yield 1, 0, 1
    if after and second:
        yield 1, 1, 1


@lru_cache(maxsize=REMEMBERED)
def _honours(held: tuple[int, ...], honour_chow: bool) -> Table:
    """The table of winds or dragons, given as their counts ascending."""
    if not any(held):
        return NOTHING
    *others, most = held

    def after(*gone: int) -> Table:
        # The counts from the highest down, each with what it gives.
        left = [count - (gone[at] if at < len(gone) else 0) for at, count in enumerate(held[::-1])]
        return _honours(tuple(sorted(left)), honour_chow)

    sets = [(size, after(size)) for size in range(1, min(3, most) + 1)]
    several = [count for count in reversed(others) if count] if honour_chow else []
    if several:
        sets.append((2, after(1, 1)))
    if len(several) > 1:
        sets.append((3, after(1, 1, 1)))
    return _best(after(1), iter(sets), (min(2, most), after(min(2, most))))


def _best(without: Table, sets: Iterator[tuple[int, Table]], pair: tuple[int, Table]) -> Table:
    """The best of giving a tile up, making a set or making the pair.

    `sets` and `pair` are tiles kept at once and the table of what is left.
    """
    kept = list(without)
    for size, rest in sets:
        for place in range(1, WIDTH):
            kept[place] = max(kept[place], rest[place - 1] + size)
            paired = WIDTH + place
            kept[paired] = max(kept[paired], rest[paired - 1] + size)
    size, rest = pair
    for place in range(WIDTH):
        kept[WIDTH + place] = max(kept[WIDTH + place], rest[place] + size)
    return tuple(kept)


def _after(held: tuple[int, ...], gone: tuple[int, ...]) -> tuple[int, ...]:
    left = list(held)
    for at, count in enumerate(gone):
        left[at] -= count
    return _stripped(tuple(left))


def _stripped(held: tuple[int, ...]) -> tuple[int, ...]:
    """The counts without empty ranks at the ends: where a suit stands changes nothing."""
    low, high = 0, len(held)
    while high and not held[high - 1]:
        high -= 1
    while low < high and not held[low]:
        low += 1
    return held[low:high]
