"""How long the rules of Dou Dizhu take: `PYTHONPATH=services python tests/bench/bench_rules_doudizhu.py`.

Random games on one core; microseconds at the median, the 99th percentile and the worst.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import ParamSpec, TypeVar

import msgspec

from parlor.rules.chance import Chance
from parlor.rules.doudizhu import DOUDIZHU, Config, State, View
from parlor.rules.doudizhu.actions import Action, Play, SetAutoplay, Surrender
from parlor.rules.doudizhu.cards import CARDS, in_display_order
from parlor.rules.game import Seat
from parlor.wire.catalog import WIRE

Given = ParamSpec("Given")
Result = TypeVar("Result")

GAMES = 200
HANDS = 500


class Timings:
    """Seconds by what was timed."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, list[float]] = defaultdict(list)
        self.bytes: list[int] = []

    def time(
        self, name: str, work: Callable[Given, Result], *args: Given.args, **kwargs: Given.kwargs
    ) -> Result:
        """Times one call."""
        began = time.perf_counter()
        result = work(*args, **kwargs)
        self.seconds[name].append(time.perf_counter() - began)
        return result

    def report(self) -> None:
        """Prints a line for each name."""
        for name, values in self.seconds.items():
            values.sort()
            shown = [values[len(values) // 2], values[len(values) * 99 // 100], values[-1]]
            micros = "".join(f"{1e6 * value:10.0f}" for value in shown)
            print(f"{name:24}{len(values):8} calls{micros} us")
        self.bytes.sort()
        print(f"stored state: {self.bytes[len(self.bytes) // 2]} bytes, at most {self.bytes[-1]}")


def play(timings: Timings, seed: int) -> None:
    """One game to its end by random plays."""
    rng = Random(seed)
    chance = Chance(seed=rng.randbytes(32), entropy=b"")
    config = Config(doubling=True, show_cards=True)
    state = timings.time("initial", DOUDIZHU.initial, config, chance, 0).state
    at = 0
    while DOUDIZHU.outcome(state) is None:
        at += 100
        deadline = state.table.deadline
        assert deadline is not None
        seat = rng.choice(deadline.seats)
        actions = timings.time("legal_actions, in play", _answers, state, seat)
        if not actions:
            continue
        action = rng.choice(actions)
        step = timings.time("apply", DOUDIZHU.apply, state, seat, action, at)
        state = step.state
        _time_outputs(timings, state, seat)


def _answers(state: State, seat: Seat) -> list[Action]:
    requests = Surrender | SetAutoplay
    return [action for action in _listed(state, seat) if not isinstance(action, requests)]


def _listed(state: State, seat: Seat) -> list[Action]:
    return list(DOUDIZHU.legal_actions(state, seat))


def _message(view: View) -> bytes:
    return bytes(WIRE["doudizhu"].view_to(view).SerializeToString())


def _time_outputs(timings: Timings, state: State, seat: Seat) -> None:
    view = timings.time("view", DOUDIZHU.view, state, seat)
    timings.time("view to message", _message, view)
    timings.time("clocks", DOUDIZHU.clocks, state)
    stored = timings.time("state to bytes", msgspec.msgpack.encode, state)
    timings.time("state from bytes", msgspec.msgpack.decode, stored, type=State)
    timings.bytes.append(len(stored))


def lead_with_twenty_cards(timings: Timings, seed: int) -> None:
    """Lists what a landlord may lead, for hands as they come and for the richest of them."""
    rng = Random(seed)
    state = DOUDIZHU.initial(Config(), Chance(seed=bytes(32), entropy=b""), 0).state
    while state.table.landlord is None:
        state = DOUDIZHU.advance(state, DOUDIZHU.clocks(state)[0].due).state
    seat = state.table.landlord
    few_ranks = [card for card in range(CARDS) if 2 <= card % 13 <= 8 and card < 52]
    for name, pack in (("lead, 20 cards", range(CARDS)), ("lead, 20 of 7 ranks", few_ranks)):
        hands = list(state.hands)
        hands[seat] = in_display_order(rng.sample(pack, 20))
        dealt = replace(state, hands=(hands[0], hands[1], hands[2]))
        listed = timings.time(name, _listed, dealt, seat)
        assert any(isinstance(action, Play) for action in listed)


def main() -> None:
    """Runs everything and reports."""
    timings = Timings()
    for seed in range(GAMES):
        play(timings, seed)
    for seed in range(HANDS):
        lead_with_twenty_cards(timings, seed)
    timings.report()


if __name__ == "__main__":
    main()
