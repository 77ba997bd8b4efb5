"""What tracing costs a command, in processor time: off, on but not sampled, and traced.

    python -m tests.bench.bench_tracing

Only what stands around a command for tracing's sake is run: at the gateway its span and the fan-out's,
at the engine those of the execution and of the commit. A whole command takes a gateway some 350 µs and an
engine some 750 µs.
"""

import logging
import time
import timeit
from collections.abc import Callable

from parlor.serving import tracing
from parlor.serving.otlp import OpenTelemetry

NOBODY = "http://127.0.0.1:1"
"""Where no receiver is: spans are made, queued and dropped."""


def at_the_gateway() -> str:
    """A command of a session, and the event that comes back."""
    span = tracing.began("command", room="s1-doudizhu-a", kind="doudizhu", command="act")
    carried = span.traceparent
    with tracing.went_on("fan_out", carried, "internal", room="s1-doudizhu-a", followers=3):
        pass
    span.end()
    return carried


def at_the_engine(carried: str) -> None:
    """The same command there."""
    with tracing.went_on("execute", carried, kind="doudizhu"):
        with tracing.part("commit", "client", room="s1-doudizhu-a", check="command", version=7):
            pass
        tracing.current().note(command="act")
        tracing.current().note(room="s1-doudizhu-a")


def each(work: Callable[[], object], times: int) -> float:
    """Microseconds of one, at best."""
    spent = timeit.repeat(work, number=times, repeat=5, timer=time.process_time)
    return min(spent) / times * 1e6


def main() -> None:
    """Prints a line for each."""
    logging.disable()
    for name, ratio in (("off", None), ("not sampled", 0.0), ("traced", 1.0)):
        if ratio is not None:
            tracing.use(OpenTelemetry("bench", endpoint=NOBODY, ratio=ratio))
        times = 1_000 if ratio else 20_000
        carried = at_the_gateway()
        engine = each(lambda carried=carried: at_the_engine(carried), times)  # type: ignore[misc]
        print(f"{name:12} gateway {each(at_the_gateway, times):7.1f} us  engine {engine:7.1f} us")
    tracing.use(None)


if __name__ == "__main__":
    main()
