"""How often the bot of Plane Battle wins against random play, and how long it thinks.

    python -m tests.bench.bench_bots_planes [--games 1000]

For each rule the share of games that the bot wins against uniformly random legal play, with a 95 %
Wilson interval, the shots that it needed, and the processor time that its decisions took. Exits with
1 unless every lower end is above 95 % and 99 of 100 decisions take less than 50 ms.
"""

import argparse
import math
import sys
import time
from dataclasses import dataclass, field
from random import Random

from parlor.rules.chance import Chance
from parlor.rules.game import Seat
from parlor.rules.planes import PLANES, Config, State
from parlor.rules.planes.actions import Action, Attack
from parlor.rules.planes.config import DestroyRule, HeadReveal
from parlor.rules.planes.fleets import FLEETS, nth_fleet
from parlor.rules.planes.legal import open_cells, placing_of
from parlor.rules.planes.policy import decide
from parlor.rules.planes.table import BOTH, opponent
from parlor.rules.planes.view import Question, View

BOUND = 0.95
P99_MS = 50.0
RULES = (
    Config(),
    Config(destroy_rule=DestroyRule.HEAD_KILL),
    Config(destroy_rule=DestroyRule.HEAD_KILL, head_reveal=HeadReveal.PLANE),
)


@dataclass
class Record:
    """What came of the games."""

    wins: int = 0
    shots: list[int] = field(default_factory=list)
    """Of the bot, in games that it won."""
    seconds: list[float] = field(default_factory=list)
    """Per decision of the bot."""


def play(config: Config, seed: int, record: Record) -> None:
    """One game; the bot sits at seat 0 and 1 in turn."""
    rng = Random(seed)
    bot = BOTH[seed % 2]
    chance = Chance(seed=rng.randbytes(32), entropy=b"")
    state: State = PLANES.initial(config, chance, 0).state
    at = 0
    while PLANES.outcome(state) is None:
        at += 1
        seat = _asked(state)
        view = PLANES.view(state, seat)
        action = _timed(view, rng, record) if seat == bot else at_random(view, rng)
        state = PLANES.apply(state, seat, action, at).state
    ending = state.table.ending
    if ending is not None and ending.winner == bot:
        record.wins += 1
        record.shots.append(state.table.tallies[bot].attacks)


def at_random(view: View, rng: Random) -> Action:
    """Any legal answer, each equally likely."""
    assert view.prompt is not None
    assert view.seat is not None
    decision = view.prompt.decision
    if view.prompt.question is Question.PLACE:
        return placing_of(nth_fleet(rng.randrange(FLEETS)), decision)
    x, y = rng.choice(list(open_cells(view.table.boards[opponent(Seat(view.seat))])))
    return Attack(decision=decision, x=x, y=y)


def interval(wins: int, games: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share.

    >>> [round(bound, 3) for bound in interval(95, 100)]
    [0.888, 0.978]
    """
    z = 1.959964
    share = wins / games
    middle = share + z * z / (2 * games)
    half = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    return (middle - half) / (1 + z * z / games), (middle + half) / (1 + z * z / games)


def _asked(state: State) -> Seat:
    return next(seat for seat in BOTH if PLANES.view(state, seat).prompt is not None)


def _timed(view: View, rng: Random, record: Record) -> Action:
    began = time.thread_time()
    action = decide(view, rng)
    record.seconds.append(time.thread_time() - began)
    assert action is not None
    return action


def report(config: Config, record: Record, games: int) -> bool:
    """Prints one rule's figures and says whether they keep the bounds."""
    low, high = interval(record.wins, games)
    record.seconds.sort()
    record.shots.sort()
    ms = [1e3 * record.seconds[len(record.seconds) * part // 1000] for part in (500, 990)]
    name = f"{config.destroy_rule.value} {config.head_reveal.value}"
    print(
        f"{name:16} wins {record.wins} of {games}: {record.wins / games:.1%}"
        f" (95 %: {low:.1%} to {high:.1%}), shots {record.shots[len(record.shots) // 2]} at the"
        f" median, decides in {ms[0]:.1f} ms, p99 {ms[1]:.1f}, most {1e3 * record.seconds[-1]:.1f}",
        flush=True,
    )
    return low > BOUND and ms[1] < P99_MS


def main() -> int:
    """The command; see the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=1_000)
    games: int = parser.parse_args().games
    kept = True
    for config in RULES:
        record = Record()
        for seed in range(games):
            play(config, seed, record)
        kept &= report(config, record, games)
    print("within the bounds" if kept else "A BOUND IS MISSED")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
