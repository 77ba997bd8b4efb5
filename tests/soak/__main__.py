"""`python -m tests.soak`: half an hour of churn; one JSON line; exits with 1 where anything has grown."""

import argparse
import asyncio
import json
import sys
import time

from parlor.serving import logs
from tests.soak.run import Soak, run


def main() -> int:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser(prog="tests.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=1_800.0, help="of churn (1800)")
    parser.add_argument("--tables", type=int, default=6, help="of the three games in turn (6)")
    parser.add_argument("--seed", type=int, default=1, help="of the players' choices (1)")
    options = parser.parse_args()
    logs.configure("soak", level="error")
    began = time.monotonic()

    def say(line: str) -> None:
        print(f"soak: {time.monotonic() - began:6.1f} s  {line}", file=sys.stderr, flush=True)

    soak = Soak(seconds=options.seconds, tables=options.tables, seed=options.seed)
    soaked = asyncio.run(run(soak, say=say))
    for finding in soaked.findings:
        say(finding)
    print(json.dumps(soaked.as_dict()), flush=True)
    return 1 if soaked.findings else 0


if __name__ == "__main__":
    sys.exit(main())
