"""How often the bot of Jinxian Mahjong wins against random seats, and how long it thinks.

    python -m tests.bench.bench_bots_jinxian [--rounds 1000] [--bots 1]

One seat (or more) is played by the bot, the others choose uniformly among their legal actions. The
bot's seat changes from game to game. Prints each side's share of the rounds won, per seat, with a
95 % Wilson interval. Exits with 1 unless the bot's share is more than twice a random seat's, taken
from the ends of the intervals that are worst for it, and 99 of 100 decisions take less than 50 ms
of processor time.
"""

import argparse
import random
import sys
import time
from collections.abc import Iterator
from math import sqrt

from parlor.rules.chance import Chance
from parlor.rules.game import Seat
from parlor.rules.jinxian import JINXIAN, Config, State, legal_actions
from parlor.rules.jinxian.policy import decide
from parlor.rules.jinxian.tiles import SEATS

P99_MS = 50.0
Z = 1.96


def play(seed: int, bots: frozenset[int], took_ms: list[float]) -> State:
    """A whole game; the bots' thinking times are added to `took_ms`."""
    taste = random.Random(seed)
    chance = Chance(seed=seed.to_bytes(32, "big"), entropy=b"")
    state = JINXIAN.initial(Config(total_rounds=SEATS), chance, 0).state
    at = 0
    while JINXIAN.outcome(state) is None:
        seat = next(seat for seat in map(Seat, range(SEATS)) if JINXIAN.view(state, seat).prompt)
        seen = JINXIAN.view(state, seat)
        if seat in bots:
            began = time.thread_time()
            action = decide(seen, taste)
            took_ms.append((time.thread_time() - began) * 1_000)
            assert action is not None, "it was asked"
        else:
            action = taste.choice(list(legal_actions(seen)))
        at += 1
        state = JINXIAN.apply(state, seat, action, at).state
    return state


def wins_of(state: State, bots: frozenset[int]) -> Iterator[bool | None]:
    """For each round whether a bot won it; None for a drawn one."""
    for record in state.table.history:
        yield None if record.winner is None else record.winner in bots


def interval(share: float, trials: int) -> tuple[float, float]:
    """The Wilson interval of a share."""
    middle = (share + Z * Z / (2 * trials)) / (1 + Z * Z / trials)
    half = Z / (1 + Z * Z / trials)
    half *= sqrt(share * (1 - share) / trials + Z * Z / (4 * trials * trials))
    return max(0.0, middle - half), min(1.0, middle + half)


def main() -> int:
    """The command; see the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=1_000)
    parser.add_argument("--bots", type=int, default=1, choices=range(1, SEATS))
    arguments = parser.parse_args()
    results: list[bool | None] = []
    took_ms: list[float] = []
    game = 0
    while len(results) < arguments.rounds:
        bots = frozenset((game + place) % SEATS for place in range(arguments.bots))
        results += wins_of(play(game, bots, took_ms), bots)
        game += 1
    rounds = len(results)
    low, high = {}, {}
    for name, mine, seats in (("bot", True, len(bots)), ("random", False, SEATS - len(bots))):
        won = results.count(mine)
        ends = interval(won / rounds, rounds)
        low[name], high[name] = (end / seats for end in ends)
        share = won / rounds / seats
        print(f"{name}: {won} of {rounds} rounds, {share:.1%} per seat", end=" ")
        print(f"({low[name]:.1%} .. {high[name]:.1%})")
    took_ms.sort()
    p99 = took_ms[len(took_ms) * 99 // 100]
    print(f"drawn: {results.count(None)}")
    print(f"{len(took_ms)} decisions: {took_ms[len(took_ms) // 2]:.1f} ms median, {p99:.1f} ms p99")
    kept = low["bot"] > 2 * high["random"] and p99 < P99_MS
    print("within the bounds" if kept else "A BOUND IS MISSED")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
