"""How long the rules of Plane Battle take: `PYTHONPATH=services:. python tests/bench/bench_rules_planes.py`.

Random games on one core; microseconds at the median, the 99th percentile and the worst.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from random import Random
from typing import ParamSpec, TypeVar

import msgspec

from parlor.rules.chance import Chance
from parlor.rules.game import Seat
from parlor.rules.planes import PLANES, Config, State, View
from parlor.rules.planes.fleets import FLEETS, fleets, nth_fleet
from parlor.rules.planes.table import BOTH
from parlor.wire.planes import PLANES as WIRE
from tests.bench.bench_bots_planes import at_random

Given = ParamSpec("Given")
Result = TypeVar("Result")

GAMES = 50


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
    """One game to its end by random shots; seat 1 lets the server place."""
    rng = Random(seed)
    chance = Chance(seed=rng.randbytes(32), entropy=b"")
    state: State = timings.time("initial", PLANES.initial, Config(), chance, 0).state
    placing = at_random(PLANES.view(state, BOTH[0]), rng)
    state = timings.time("place", PLANES.apply, state, BOTH[0], placing, 1).state
    state = timings.time("server places", PLANES.advance, state, 120_000).state
    at = 120_000
    while state.table.turn is not None:
        at += 100
        seat = state.table.turn.seat
        action = at_random(PLANES.view(state, seat), rng)
        state = timings.time("attack", PLANES.apply, state, seat, action, at).state
        _time_outputs(timings, state, seat)


def _time_outputs(timings: Timings, state: State, seat: Seat) -> None:
    view = timings.time("view", PLANES.view, state, seat)
    timings.time("view to message", _message, view)
    timings.time("clocks", PLANES.clocks, state)
    stored = timings.time("state to bytes", msgspec.msgpack.encode, state)
    timings.time("state from bytes", msgspec.msgpack.decode, stored, type=State)
    timings.bytes.append(len(stored))


def _message(view: View) -> bytes:
    return bytes(WIRE.view_to(view).SerializeToString())


def count_fleets(timings: Timings) -> None:
    """Enumerates all fleets, and finds some by number."""
    state = PLANES.initial(Config(), Chance(seed=bytes(32), entropy=b""), 0).state
    for number in range(0, FLEETS, 40):
        timings.time("nth_fleet", nth_fleet, number)
    for _ in range(20):
        assert len(timings.time("all fleets", lambda: list(fleets()))) == FLEETS
        timings.time("legal_actions, all", lambda: list(PLANES.legal_actions(state, BOTH[0])))
        timings.time("legal_actions, first", lambda: next(PLANES.legal_actions(state, BOTH[0])))


def main() -> None:
    """Runs everything and reports."""
    timings = Timings()
    for seed in range(GAMES):
        play(timings, seed)
    count_fleets(timings)
    timings.report()


if __name__ == "__main__":
    main()
