"""What a win check of Jinxian Mahjong takes, beside another program's, and a choice of discards.

    python -m tests.bench.bench_jinxian_wins [--hands 4000]

Every hand is asked about several times and its fastest answer counts, since a busy machine
interrupts; a choice of discards is made once, and its processor time counts. Hands without jing go
to `mahjong`'s agari check as well, in the same run and in turn.
Exits with 1 where a bound is missed: 20 µs at the median and 1 ms at most for a win check with 0 to
8 jing, no slower than the other program on any sort of hand without, and 50 ms for 99 of 100
choices of a discard.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TypeVar

from mahjong.agari import Agari

from parlor.rules.jinxian.distance import discard_choices
from parlor.rules.jinxian.hands import Situation, WinBy
from parlor.rules.jinxian.jing import jing_of
from parlor.rules.jinxian.options import ScoringOptions
from parlor.rules.jinxian.scoring import best_win, can_win
from parlor.rules.jinxian.sets import is_complete
from parlor.rules.jinxian.tiles import KINDS, TILES, counts, in_order, kind_of
from tests.unit.rules_jinxian.dealt import Dealt, dealt
from tests.unit.rules_jinxian.oracle import CHOWS

REPEATS = 3
MEDIAN_US, MOST_US = 20.0, 1_000.0
DISCARD_P99_US = 50_000.0
OPTIONS = ScoringOptions()

Asked = TypeVar("Asked")


def fastest_us(ask: Callable[[Asked], object], hands: Sequence[Asked]) -> list[float]:
    """The fastest answer to each question, ascending."""
    found = []
    for hand in hands:
        best = float("inf")
        for _ in range(REPEATS):
            began = time.perf_counter_ns()
            ask(hand)
            best = min(best, time.perf_counter_ns() - began)
        found.append(best / 1_000)
    return sorted(found)


def line(name: str, took: list[float]) -> str:
    """One row: mean, median, 99 of 100, and the slowest, in µs."""
    mean = sum(took) / len(took)
    p99 = took[len(took) * 99 // 100]
    return f"{name:34} {mean:10.2f} {took[len(took) // 2]:10.2f} {p99:10.2f} {took[-1]:10.2f}"


def plain_hands(sort: str, number: int) -> Iterator[list[int]]:
    """Counts of 14 tiles: of winning hands, of ones with one tile exchanged, or of any."""
    chance = Random(1)
    shapes = [(kind, kind, kind) for kind in range(KINDS)] + CHOWS * 3
    while number:
        hand = [kind for one in chance.choices(shapes, k=4) for kind in one]
        hand += [chance.randrange(KINDS)] * 2
        if sort == "nearly":
            hand[chance.randrange(len(hand))] = chance.randrange(KINDS)
        if sort == "any":
            hand = [kind_of(tile) for tile in chance.sample(range(TILES), 14)]
        held = counts(hand)
        if max(held) <= 4:
            number -= 1
            yield held


def beside_the_other(number: int) -> bool:
    """Both programs on the same hands; whether ours is at least as fast on each sort."""
    fast = True
    for sort in ("winning", "nearly", "any"):
        hands = list(plain_hands(sort, number))
        ours = fastest_us(lambda held: is_complete(held, 4, 0, honour_chow=False), hands)
        other = fastest_us(Agari.is_agari, hands)
        print(line(f"{sort}: is_complete", ours))
        print(line(f"{sort}: mahjong agari", other))
        fast = fast and sum(ours) <= sum(other)
    return fast


def win_checks(number: int) -> bool:
    """Win checks by the number of jing; whether all keep the bounds."""
    by_jing: dict[int, list[Dealt]] = {}
    for one in dealt(7, number):
        by_jing.setdefault(len(one.wilds), []).append(one)
    took: list[float] = []
    for jing, hands in sorted(by_jing.items()):
        took += (here := fastest_us(_can_win, hands))
        print(line(f"can_win, {jing} jing, {len(hands)} hands", here))
    took.sort()
    print(line("can_win, all", took))
    wins = [one for hands in by_jing.values() for one in hands if _can_win(one)]
    print(line(f"best_win, {len(wins)} wins", fastest_us(_best_win, wins)))
    return took[len(took) // 2] <= MEDIAN_US and took[-1] <= MOST_US


def _can_win(one: Dealt) -> bool:
    by = WinBy.SELF_DRAW if one.drawn else WinBy.DISCARD
    return can_win(one.hand, one.tile, jing=one.jing, by=by, options=OPTIONS)


def _best_win(one: Dealt) -> object:
    situation = Situation(by=WinBy.SELF_DRAW if one.drawn else WinBy.DISCARD)
    return best_win(one.hand, one.tile, jing=one.jing, situation=situation, options=OPTIONS)


def discards(number: int) -> bool:
    """Choices among 14 dealt tiles, each asked once so that nothing is remembered of it."""
    took = []
    for seed in range(number):
        chance = Random(seed)
        tiles = in_order(kind_of(tile) for tile in chance.sample(range(TILES), 14))
        jing = jing_of(chance.randrange(KINDS))
        began = time.thread_time_ns()
        discard_choices(tiles, (), jing=jing, options=OPTIONS)
        took.append((time.thread_time_ns() - began) / 1_000)
    took.sort()
    print(line("discard_choices, 14 tiles", took))
    return took[len(took) * 99 // 100] <= DISCARD_P99_US


def main() -> int:
    """The command; see the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--hands", type=int, default=4_000)
    number: int = parser.parse_args().hands
    print(f"{'µs':34} {'mean':>10} {'median':>10} {'p99':>10} {'most':>10}")
    kept = [beside_the_other(number), win_checks(number), discards(max(1, number // 8))]
    print("within the bounds" if all(kept) else "A BOUND IS MISSED")
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
