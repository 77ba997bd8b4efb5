"""Whether tiles and wilds divide into sets, by tables over the counts of a suit.

A wild may stand for anything, so a set with wilds is any part of a chow or a pong, and what decides
is the fewest sets that hold all plain tiles: whatever is missing in them is filled with wilds, and
sets left over are made of wilds alone. The number of tiles sees to it that the wilds are used up.

The fewest sets of a group (a suit, the winds, the dragons) is looked up. For suits the table is an
automaton that reads the nine counts: its states are the classes of prefixes that no continuation
tells apart. Without a pair the answer is `sets`; with one it is the same or one less, which the
lowest bits of an entry tell: `sets * FLAG + pair_saves`. Entries of honours also tell, above that
and in units of `FILL`, how many wilds they need at least: most hands that are no win fail there.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, product

MANY = 5
"""Stands for five sets or more, which no hand has room for."""
FLAG = 8
"""More than there are groups, so that entries can be added."""
FILL = FLAG * 32
"""More than the sets of all groups."""

_WIDTH = 5
"""Counts of a kind: 0..4."""
_OPEN = range(3)
"""Chows that begin on one rank: three alike would be as good as three pongs."""

Costs = tuple[int, ...]
"""Fewest sets by [pair taken][chows begun two ranks before][chows begun one rank before]."""


def is_complete(plain: Sequence[int], sets: int, wilds: int, *, honour_chow: bool) -> bool:
    """Whether the tiles and the wilds are `sets` sets and a pair.

    `plain` are 34 counts; together with the wilds they are 3 * sets + 2 tiles.
    """
    winds, dragons = _HONOURS[honour_chow]
    # Written out here, where most hands end, and not called: the call would take as long.
    total = (
        winds[plain[27]][plain[28]][plain[29]][plain[30]] + dragons[plain[31]][plain[32]][plain[33]]
    )
    if total >= (wilds + 1) * FILL:
        return False
    total = total % FILL + _suit_entries(plain)
    needed = total // FLAG
    return needed <= sets or (needed == sets + 1 and total % FLAG > 0)


def is_complete_without_pair(plain: Sequence[int], sets: int, *, honour_chow: bool) -> bool:
    """Whether the tiles, filled up with wilds to 3 * sets, are `sets` sets."""
    winds, dragons = _HONOURS[honour_chow]
    total = (
        winds[plain[27]][plain[28]][plain[29]][plain[30]] + dragons[plain[31]][plain[32]][plain[33]]
    )
    return (total % FILL + _suit_entries(plain)) // FLAG <= sets


def is_all_triplets(plain: Sequence[int], sets: int) -> bool:
    """Whether the tiles, filled up with wilds, are `sets` triplets and a pair."""
    total = sum(_TRIPLETS[count] for count in plain)
    needed = total // _TRIPLET_FLAG
    return needed <= sets or (needed == sets + 1 and total % _TRIPLET_FLAG > 0)


def is_all_triplets_without_pair(plain: Sequence[int], sets: int) -> bool:
    """Whether the tiles, filled up with wilds to 3 * sets, are `sets` triplets."""
    return sum(_TRIPLETS[count] for count in plain) // _TRIPLET_FLAG <= sets


def is_all_pairs(plain: Sequence[int], wilds: int) -> bool:
    """Whether the tiles and the wilds, an even number, are pairs; four alike are two."""
    return sum(count & 1 for count in plain) <= wilds


def _suit_entries(plain: Sequence[int]) -> int:
    """The sum of the entries of the suits."""
    steps, ends = _STEPS, _ENDS
    man = pin = sou = 0
    for count in plain[0:9]:
        man = steps[man + count]
    for count in plain[9:18]:
        pin = steps[pin + count]
    for count in plain[18:27]:
        sou = steps[sou + count]
    return ends[man] + ends[pin] + ends[sou]


def _suit_tables() -> tuple[list[int], list[int]]:
    """The automaton of a suit: the next state by state + count, and the entry by state.

    States are numbered in steps of `_WIDTH`, so that one index serves both; the first is 0.
    """
    start = _closed([0 if place % 9 == 0 else MANY for place in range(18)])
    numbers, states, steps = {start: 0}, [start], []
    for costs in states:
        for count in range(_WIDTH):
            after = _read(costs, count)
            if after not in numbers:
                numbers[after] = len(states) * _WIDTH
                states.append(after)
            steps.append(numbers[after])
    ends = [0] * len(steps)
    for costs, number in numbers.items():
        ends[number] = _entry(min(costs[:9]), min(costs[9:]))
    return steps, ends


def _read(costs: Costs, count: int) -> Costs:
    """The costs after one more rank with `count` tiles."""
    after = [MANY] * 18
    for place, target, more in _MOVES[count]:
        if costs[place] + more < after[target]:
            after[target] = costs[place] + more
    return _closed(after)


def _moves(count: int) -> Iterator[tuple[int, int, int]]:
    """Every way to put `count` tiles into sets: from which place to which, and the new sets.

    Each open chow may hold one of them, a pair two, and pongs the rest.
    """
    for pair, older, newer, begun in product(range(2), _OPEN, _OPEN, _OPEN):
        for taken in range(2 - pair):
            rest = max(0, count - older - newer - begun - 2 * taken)
            place = pair * 9 + older * 3 + newer
            target = (pair + taken) * 9 + newer * 3 + begun
            yield place, target, begun + (rest + 2) // 3


def _closed(costs: list[int]) -> Costs:
    """The costs where more open chows at the same cost count for fewer as well.

    Without this the states that behave alike would be many instead of one.
    """
    for place in reversed(range(18)):
        if place // 3 % 3 < 2:
            costs[place] = min(costs[place], costs[place + 3])
        if place % 3 < 2:
            costs[place] = min(costs[place], costs[place + 1])
    return tuple(costs)


def _entry(sets: int, with_pair: int) -> int:
    return sets * FLAG + (with_pair < sets)


def _winds(chow: int) -> list[list[list[list[int]]]]:
    """The entry of the winds by the count of each; a chow is any `chow` of them, 0 for none."""
    counts = range(_WIDTH)
    return [
        [
            [
                [_honour_entry((east, south, west, north), chow) for north in counts]
                for west in counts
            ]
            for south in counts
        ]
        for east in counts
    ]


def _dragons(chow: int) -> list[list[list[int]]]:
    """The entry of the dragons by the count of each."""
    counts = range(_WIDTH)
    return [
        [[_honour_entry((red, green, white), chow) for white in counts] for green in counts]
        for red in counts
    ]


def _honour_entry(held: tuple[int, ...], chow: int) -> int:
    """The entry of these counts."""
    return _entry_of_sorted(tuple(sorted(held)), chow)


@cache
def _entry_of_sorted(held: tuple[int, ...], chow: int) -> int:
    """Which wind or dragon has which count does not matter."""
    paired = (_less(held, {place: min(2, count)}) for place, count in enumerate(held))
    sets, with_pair = _fewest(held, chow), min(_fewest(rest, chow) for rest in paired)
    fill = min(3 * sets, 3 * with_pair + 2) - sum(held)
    return fill * FILL + _entry(sets, with_pair)


@cache
def _fewest(held: tuple[int, ...], chow: int) -> int:
    """The fewest sets that hold these counts."""
    places = [place for place, count in enumerate(held) if count]
    if not places:
        return 0
    pongs = ({place: min(3, held[place])} for place in places)
    chows = (
        dict.fromkeys(some, 1) for some in combinations(places, min(chow, len(places))) if some
    )
    return 1 + min(_fewest(_less(held, part), chow) for part in (*pongs, *chows))


def _less(held: tuple[int, ...], gone: dict[int, int]) -> tuple[int, ...]:
    return tuple(sorted(count - gone.get(place, 0) for place, count in enumerate(held)))


_MOVES = tuple(tuple(_moves(count)) for count in range(_WIDTH))
_STEPS, _ENDS = _suit_tables()
_HONOURS = tuple((_winds(chow), _dragons(chow)) for chow in (0, 3))
"""The winds and the dragons, without and with honour chows."""

_TRIPLET_FLAG = 64
_TRIPLETS = tuple((count + 2) // 3 * _TRIPLET_FLAG + (count in (1, 2, 4)) for count in range(5))
"""As the entries of a group, for one kind."""
