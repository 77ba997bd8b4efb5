"""How often the bot of Dou Dizhu wins against random seats, and how long it thinks.

    python -m tests.bench.bench_bots_doudizhu [--games 1000]

In three settings: a landlord against two random peasants, two peasants against a random landlord,
and one seat of the classic rule set against two random ones. A random seat chooses uniformly among
its legal answers; it asks for nothing on its own, neither to surrender nor for autoplay. The seats
change from game to game. The landlord is whoever the setting needs, with the hand that was dealt.
Prints the bot's share of the games won with a 95 % Wilson interval, and its thinking times. Exits
with 1 unless the lower ends are above 85 % in the first two settings and above a third in the last,
and 99 of 100 decisions take less than 50 ms
of processor time.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt
from typing import get_args

from parlor.rules.chance import Chance
from parlor.rules.doudizhu import DOUDIZHU, Config, View, legal_actions
from parlor.rules.doudizhu.actions import Action, Bid, TableAnswer
from parlor.rules.doudizhu.cards import SEATS
from parlor.rules.doudizhu.config import RuleSet
from parlor.rules.doudizhu.policy import decide
from parlor.rules.doudizhu.table import Question
from parlor.rules.game import Seat

P99_MS = 50.0
Z = 1.96
HIGHEST = 3

Player = Callable[[View, random.Random], Action]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Who plays whom, and what the bot's side has to win."""

    name: str
    rule_set: RuleSet
    alone: bool
    """Whether the bot is the one against two; else the two."""
    bound: float


SETTINGS = (
    Setting(name="landlord", rule_set=RuleSet.STANDARD, alone=True, bound=0.85),
    Setting(name="peasants", rule_set=RuleSet.STANDARD, alone=False, bound=0.85),
    Setting(name="classic", rule_set=RuleSet.CLASSIC, alone=True, bound=1 / SEATS),
)


class Clocked:
    """The bot under a stop watch."""

    def __init__(self) -> None:
        self.took_ms: list[float] = []

    def __call__(self, seen: View, taste: random.Random) -> Action:
        began = time.thread_time()
        action = decide(seen, taste)
        self.took_ms.append((time.thread_time() - began) * 1_000)
        assert action is not None, "it was asked"
        return action

    def report(self) -> float:
        """Prints the times and gives the 99th percentile."""
        took = sorted(self.took_ms)
        p99 = took[len(took) * 99 // 100]
        print(
            f"{len(took)} decisions: {took[len(took) // 2]:.1f} ms median, {p99:.1f} ms p99,",
            end=" ",
        )
        print(f"{took[-1]:.1f} ms at most")
        return p99


def at_random(seen: View, taste: random.Random) -> Action:
    """Any answer to what is asked."""
    answers = get_args(TableAnswer)
    choices: list[Action] = [one for one in legal_actions(seen) if isinstance(one, answers)]
    return taste.choice(choices)


def wins(setting: Setting, bot: Player, games: int) -> Iterator[bool]:
    """For each game whether the bot's side won it."""
    for seed in range(games):
        single = Seat(seed % SEATS)
        one, two = (bot, at_random) if setting.alone else (at_random, bot)
        players = [one if seat == single else two for seat in range(SEATS)]
        yield (single in winners(setting.rule_set, seed, single, players)) == setting.alone


def winners(
    rule_set: RuleSet, seed: int, landlord: Seat, players: list[Player]
) -> tuple[Seat, ...]:
    """Who wins one game."""
    taste = random.Random(seed)
    chance = Chance(seed=seed.to_bytes(32, "big"), entropy=b"")
    state = DOUDIZHU.initial(Config(rule_set=rule_set), chance, 0).state
    at = 0
    while (outcome := DOUDIZHU.outcome(state)) is None:
        assert state.table.deadline is not None, "the game goes on"
        (seat,) = state.table.deadline.seats
        seen = DOUDIZHU.view(state, seat)
        assert seen.prompt is not None, "it was asked"
        if seen.prompt.question is Question.BID:
            bid = HIGHEST if seat == landlord else 0
            action: Action = Bid(decision=seen.prompt.decision, bid=bid)
        else:
            action = players[seat](seen, taste)
        at += 1
        state = DOUDIZHU.apply(state, seat, action, at).state
    return outcome.winners


def interval(share: float, trials: int) -> tuple[float, float]:
    """The Wilson interval of a share."""
    middle = (share + Z * Z / (2 * trials)) / (1 + Z * Z / trials)
    half = Z / (1 + Z * Z / trials)
    half *= sqrt(share * (1 - share) / trials + Z * Z / (4 * trials * trials))
    return max(0.0, middle - half), min(1.0, middle + half)


def main() -> int:
    """The command; see the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=1_000)
    games = parser.parse_args().games
    bot = Clocked()
    kept = True
    for setting in SETTINGS:
        won = sum(wins(setting, bot, games))
        low, high = interval(won / games, games)
        kept &= low > setting.bound
        print(f"{setting.name}: {won} of {games} games, {won / games:.1%}", end=" ")
        print(f"({low:.1%} .. {high:.1%}; bound {setting.bound:.1%})", flush=True)
    kept &= bot.report() < P99_MS
    print("within the bounds" if kept else "A BOUND IS MISSED")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
