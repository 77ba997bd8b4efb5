"""`python -m tests.chaos`: people who are matched, and campaigns from a seed, reported as tables and as JSON.

Exits with 1 where any promise was broken, and where there were not the kills that were asked for: a
campaign that has hardly begun proves nothing. The last line is one JSON object, whatever came of it.
"""

import argparse
import asyncio
import json
import math
import random
import sys
import time
import traceback
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, Final

from parlor.serving import logs
from tests.chaos import cut, matching, run
from tests.chaos.matching import Outcome
from tests.chaos.report import MOST_FINDINGS, Report
from tests.chaos.run import Campaign, Say
from tests.chaos.summary import Summary

FORMS: Final = ("single", "sentinel", "cluster")
"""Of Redis."""

SEEKERS: Final = 24
"""People who ask to be matched."""

BEGIN_AND_END_S: Final = 15.0
"""What a campaign takes beside its faults and its settling."""

PLANNED: Final = 0.9
"""How much of the time that there is campaigns plan for: on a busy machine they take longer than that."""

CUT_S: Final = 30.0
"""What the cut network takes."""

LEAST_S: Final = 5.0
"""For how long faults are made, however little time there is."""

CarryOut = Callable[..., Coroutine[Any, Any, Report]]
"""As `run.run`."""

Match = Callable[..., Coroutine[Any, Any, Outcome]]
"""As `matching.run`."""

Sever = Callable[[int], Coroutine[Any, Any, tuple[Report | None, str]]]
"""As `cut.cut_campaign`."""


def share(kills: int, made: int, campaigns: int) -> int:
    """How many of all kills the next campaign has to make where so many are left; 0 where no number is asked for.

    What one falls short of, those after it make up for.
    """
    return max(1, math.ceil((kills - made) / campaigns)) if kills else 0


def main(
    arguments: Sequence[str] | None = None,
    *,
    carry_out: CarryOut = run.run,
    match: Match = matching.run,
    sever: Sever = cut.cut_campaign,
) -> int:
    """Runs what the command line asks for; `carry_out`, `match` and `sever` do it."""
    options = _options(arguments)
    began = time.monotonic()

    def say(line: str) -> None:
        print(f"chaos: {time.monotonic() - began:6.1f} s  {line}", file=sys.stderr, flush=True)

    seed = random.randrange(10**6) if options.seed is None else options.seed
    say(f"seed {seed}")
    summary = asyncio.run(_all(options, seed, say, carry_out, match, sever))
    figures = summary.as_dict()
    if options.report is not None:
        _write(options.report, summary, figures)
    for failure in summary.failures():
        say(failure)
    print(json.dumps(figures), flush=True)
    return 1 if summary.failures() else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
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
        help="end after so many kills, all campaigns together; fewer are a failure, and so is a pause of "
        "players whose engine died of more than 3 s at the 99th percentile",
    )
    parser.add_argument("--only", default="", help="faults whose names begin so: 'kill engine'")
    parser.add_argument("--tables", type=int, default=6, help="of the three games in turn (6)")
    parser.add_argument("--settling", type=float, default=40.0, help="seconds after the faults")
    parser.add_argument("--rolling", action="store_true", help="restart every process once instead")
    parser.add_argument("--leave-ms", type=int, default=10_000, help="of gateways, rolling (10000)")
    parser.add_argument(
        "--matching",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="before that, kill for so long what matches people who ask for tables again and again",
    )
    parser.add_argument(
        "--within",
        type=float,
        default=math.inf,
        metavar="SECONDS",
        help="for all of it; on a slow machine faults are made for a shorter time, and what is not "
        "done by then is a failure",
    )
    parser.add_argument("--report", type=Path, help="where the JSON report goes")
    return parser.parse_args(arguments)


async def _all(
    options: argparse.Namespace,
    seed: int,
    say: Say,
    carry_out: CarryOut,
    match: Match,
    sever: Sever,
) -> Summary:
    """Matching, then the campaigns, then the cut; what was not done in time is trouble."""
    is_cut = options.redis == "all" and not options.rolling
    planned_end = time.monotonic() + PLANNED * options.within - (CUT_S if is_cut else 0.0)
    outcome: Outcome | None = None
    network_cut = "not asked for"
    reports: list[Report] = []
    trouble: tuple[str, ...] = ()
    forms = FORMS if options.redis == "all" else (options.redis,)
    limit = asyncio.timeout(None if math.isinf(options.within) else options.within)
    try:
        async with limit:
            if options.matching:
                say("people are matched")
                outcome = await match(seconds=options.matching, players=SEEKERS, seed=seed)
            for number, redis in enumerate(forms):
                made, left = sum(report.kills for report in reports), len(forms) - number
                time_left = (planned_end - time.monotonic()) / left
                faults_s = time_left - options.settling - BEGIN_AND_END_S
                campaign = Campaign(
                    seconds=max(LEAST_S, min(options.seconds, faults_s)),
                    seed=seed,
                    kills=share(options.kills, made, left),
                    only=options.only,
                    tables=options.tables,
                    settling_s=options.settling,
                    redis=redis,
                    rolling=options.rolling,
                    leave_ms=options.leave_ms,
                )
                reports.append(await carry_out(campaign, say=say))
                print("\n".join(reports[-1].lines()), flush=True)
            if is_cut:
                severed, network_cut = await sever(seed)
                say(f"network cut: {network_cut}")
                reports += [severed] if severed else []
    except Exception as error:
        if limit.expired():
            trouble = (f"not done within {options.within:g} s",)
        else:
            # Whatever it is, what was found so far is told.
            traceback.print_exc()
            trouble = (f"{type(error).__name__}: {error}",)
    return Summary(
        reports=reports,
        matching=outcome,
        network_cut=network_cut,
        kills_wanted=options.kills,
        every_fault=not (options.only or options.rolling),
        trouble=trouble,
    )


def _write(path: Path, summary: Summary, figures: dict[str, Any]) -> None:
    """The report as a file, with each campaign's own figures."""
    found = [finding for report in summary.reports for finding in report.verdict.findings]
    campaigns = [report.as_dict() for report in summary.reports]
    texts = list(map(str, found[:MOST_FINDINGS]))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps({**figures, "campaigns": campaigns, "found": texts}, indent=2) + "\n"
    )


if __name__ == "__main__":
    # For the whole process, and so not where a test calls `main`.
    logs.configure("chaos", level="error")
    sys.exit(main())
