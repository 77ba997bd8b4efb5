"""`python -m tests.chaos`: one campaign or three from a seed, reported as tables and as JSON.

Exits with 1 where any promise was broken, and where there were not the kills that were asked for: a
campaign that has hardly begun proves nothing.
"""

import argparse
import asyncio
import json
import math
import random
import sys
import time
from functools import reduce
from pathlib import Path
from typing import Final

from parlor.serving import logs
from tests.chaos.cut import cut_campaign
from tests.chaos.report import MOST_FINDINGS, Report, joined
from tests.chaos.run import Campaign, run

FORMS: Final = ("single", "sentinel", "cluster")
"""Of Redis."""


def share(kills: int, made: int, campaigns: int) -> int:
    """How many of all kills the next campaign has to make where so many are left; 0 where no number is asked for.

    What one falls short of, those after it make up for.
    """
    return max(1, math.ceil((kills - made) / campaigns)) if kills else 0


def main() -> int:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser(prog="tests.chaos", description=__doc__)
    parser.add_argument(
        "--redis",
        choices=(*FORMS, "all"),
        default="single",
        help="one server (the default), a primary with replicas under Sentinel, a Cluster, or a campaign "
        "with each, one after the other, and then a cut network",
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="of faults, each time (60)")
    parser.add_argument("--seed", type=int, default=None, help="drawn and printed unless given")
    parser.add_argument(
        "--kills",
        type=int,
        default=0,
        help="end after so many kills, all campaigns together; fewer are a failure",
    )
    parser.add_argument("--only", default="", help="faults whose names begin so: 'kill engine'")
    parser.add_argument("--tables", type=int, default=6, help="of the three games in turn (6)")
    parser.add_argument("--settling", type=float, default=40.0, help="seconds after the faults")
    parser.add_argument("--rolling", action="store_true", help="restart every process once instead")
    parser.add_argument("--leave-ms", type=int, default=10_000, help="of gateways, rolling (10000)")
    parser.add_argument("--report", type=Path, help="where the JSON report goes")
    options = parser.parse_args()
    seed = random.randrange(10**6) if options.seed is None else options.seed
    logs.configure("chaos", level="error")
    began = time.monotonic()

    def say(line: str) -> None:
        print(f"chaos: {time.monotonic() - began:6.1f} s  {line}", file=sys.stderr, flush=True)

    say(f"seed {seed}")
    reports: list[Report] = []
    forms = FORMS if options.redis == "all" else (options.redis,)
    for number, redis in enumerate(forms):
        made = sum(report.kills for report in reports)
        campaign = Campaign(
            seconds=options.seconds,
            seed=seed,
            kills=share(options.kills, made, len(forms) - number),
            only=options.only,
            tables=options.tables,
            settling_s=options.settling,
            redis=redis,
            rolling=options.rolling,
            leave_ms=options.leave_ms,
        )
        reports.append(asyncio.run(run(campaign, say=say)))
        print("\n".join(reports[-1].lines()), flush=True)
    cut, network_cut = None, "not asked for"
    if options.redis == "all" and not options.rolling:
        cut, network_cut = asyncio.run(cut_campaign(seed))
        say(f"network cut: {network_cut}")
    report = reduce(joined, [*reports, *([cut] if cut else [])])
    figures = {**report.as_dict(), "network_cut": network_cut}
    if options.report is not None:
        texts = [str(finding) for finding in report.verdict.findings[:MOST_FINDINGS]]
        options.report.parent.mkdir(parents=True, exist_ok=True)
        options.report.write_text(
            json.dumps(
                {**figures, "campaigns": [each.as_dict() for each in reports], "found": texts},
                indent=2,
            )
            + "\n"
        )
    print(json.dumps(figures), flush=True)
    if figures["kills"] < options.kills:
        say(f"{figures['kills']} kills of the {options.kills} that were asked for")
        return 1
    return 0 if report.is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
