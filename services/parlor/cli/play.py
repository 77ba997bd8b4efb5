"""`parlor play`: whole games over real sockets, by players who live badly, and what came of them."""

import argparse
import asyncio
import random
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import aiohttp
import uvloop

from parlor.cli.own import NotStarted, own_parlor
from parlor.cli.person import Habits, Spoiled
from parlor.cli.simulated import GAMES
from parlor.cli.table import Quota, Setting, Table
from parlor.cli.tally import Tally
from parlor.cli.urls import gateway_url
from parlor.client import Refused, SessionOver
from parlor.serving import logs

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

_START_S = 60
_GAME_S = 30
"""How long a run may take, and how much more for each game that a table plays."""


def add_parser(subcommands: "Subparsers") -> None:
    """Adds the subcommand and its options."""
    parser = subcommands.add_parser(
        "play",
        help="play complete games with simulated players",
        description="Plays complete games through the gateway, with players who let turns run out, "
        "send requests twice and lose their connection. Exits with 1 if anything was lost, "
        "duplicated, leaked or left unfinished.",
    )
    parser.add_argument("--game", choices=sorted(GAMES), default="doudizhu")
    parser.add_argument(
        "--rule-set",
        help="the first unless given: "
        + "; ".join(f"{kind}: {', '.join(GAMES[kind].rule_sets)}" for kind in sorted(GAMES)),
    )
    parser.add_argument("--games", type=_positive, default=20, help="how many in all (20)")
    parser.add_argument("--parallel", type=_positive, default=4, help="tables at once (4)")
    parser.add_argument(
        "--url",
        type=gateway_url,
        action="append",
        default=[],
        help="a gateway, such as http://127.0.0.1:8080; may be given again. "
        "Without one, a whole Parlor with two gateways is started for the run",
    )
    parser.add_argument("--seed", type=int, help="for the players' choices; printed if not given")
    parser.add_argument("--limit", type=_positive, help="seconds that the run may take")
    parser.add_argument("--json", action="store_true", help="the last line is one JSON object")


def run(options: argparse.Namespace) -> int:
    """Plays; 0 where everything came out right."""
    known = GAMES[options.game].rule_sets
    options.rule_set = options.rule_set or known[0]
    if options.rule_set not in known:
        _say(f"parlor: {options.game} has no rule set {options.rule_set!r}, but {', '.join(known)}")
        return 2
    logs.configure("cli", level="warning")
    try:
        tally = uvloop.run(_play(options))
    except NotStarted as error:
        _say(f"parlor: {error}")
        return 1
    except KeyboardInterrupt:
        _say("parlor: interrupted")
        return 130
    print("\n".join(tally.lines()), flush=True)
    if options.json:
        print(tally.as_json(), flush=True)
    return 0 if tally.is_clean else 1


async def _play(options: argparse.Namespace) -> Tally:
    seed = random.randrange(10**6) if options.seed is None else options.seed
    _say(f"parlor: {options.games} games of {options.game}, seed {seed}")
    limit_s = options.limit or _START_S + _GAME_S * -(-options.games // options.parallel)
    game = GAMES[options.game]
    async with _gateways(options.url, options.game) as urls:
        setting = Setting(
            urls=urls,
            game=game,
            config=game.config(options.rule_set),
            habits=Habits(timeout_in=game.timeout_in),
            say=_say,
        )
        return await play(
            setting, games=options.games, parallel=options.parallel, seed=seed, limit_s=limit_s
        )


async def play(setting: Setting, *, games: int, parallel: int, seed: int, limit_s: float) -> Tally:
    """Plays `games` games on up to `parallel` tables at once; what went wrong is in the tally."""
    chance = random.Random(seed)
    tally = Tally(games_wanted=games)
    quota = Quota(games)
    tables = [
        Table(number, setting, quota, tally, random.Random(chance.getrandbits(64)))
        for number in range(1, min(parallel, games) + 1)
    ]
    began = time.monotonic()
    try:
        async with asyncio.timeout(limit_s):
            await asyncio.gather(*(_run(table, tally) for table in tables))
    except TimeoutError:
        tally.trouble.append(f"not finished within {limit_s:.0f} s")
        tally.trouble += [table.stands for table in tables]
    tally.seconds = time.monotonic() - began
    return tally


async def _run(table: Table, tally: Tally) -> None:
    """One table; what ends it early is trouble, and ends no other."""
    try:
        await table.run()
    except* (Spoiled, Refused, SessionOver, TimeoutError, aiohttp.ClientError, OSError) as group:
        for error in group.exceptions:
            tally.trouble.append(f"table {table.number}: {type(error).__name__}: {error}")


@asynccontextmanager
async def _gateways(urls: Sequence[str], kind: str) -> AsyncIterator[Sequence[str]]:
    """The gateways given, or those of a Parlor that lives as long as the context."""
    if urls:
        yield urls
        return
    _say("parlor: starting everything")
    async with own_parlor(kinds=(kind,)) as own:
        yield own


def _say(line: str) -> None:
    """Progress goes to stderr: stdout is for the summary."""
    print(line, file=sys.stderr, flush=True)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("expected at least 1")
    return number
