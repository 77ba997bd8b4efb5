"""`parlor history` and `parlor leaderboard`: what came of past games, as a table."""

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import aiohttp
import uvloop

from parlor.cli.urls import gateway_url
from parlor.client import Client, Refused, SessionOver
from parlor.serving import logs
from parlor.v1.history_pb2 import LeaderboardEntry, PastGame, PastSeat

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

_GUEST = "history"
"""The name of the guest who asks where no token is given."""


def add_parsers(subcommands: "Subparsers") -> None:
    """Adds both subcommands and their options."""
    history = subcommands.add_parser("history", help="list a player's past games, newest first")
    history.add_argument("player", help="the player's id")
    leaderboard = subcommands.add_parser("leaderboard", help="list the best players of a ladder")
    leaderboard.add_argument("ladder", help="such as doudizhu-standard, jinxian or planes")
    leaderboard.add_argument(
        "--season", default="", help="`current`, or one such as 2026-11; all time unless given"
    )
    leaderboard.add_argument("--around", default="", help="a player's id: only those near them")
    for parser in (history, leaderboard):
        parser.add_argument(
            "--url", type=gateway_url, default="http://127.0.0.1:8080", help="a gateway"
        )
        parser.add_argument("--token", default="", help="a JWT; a guest asks without one")
        parser.add_argument("--size", type=int, default=20, help="how many at most (20)")
        parser.add_argument("--limit", type=float, default=15, help="seconds that it may take (15)")


def run_history(options: argparse.Namespace) -> int:
    """Prints games; 0 where they could be had."""

    async def lines(client: Client) -> list[str]:
        listed = await client.past.games(options.player, size=options.size)
        return history_lines(listed.games)

    return _printed(options, lines)


def run_leaderboard(options: argparse.Namespace) -> int:
    """Prints players; 0 where they could be had."""

    async def lines(client: Client) -> list[str]:
        listed = await client.past.leaderboard(
            options.ladder, season=options.season, around=options.around, size=options.size
        )
        return leaderboard_lines(listed.entries)

    return _printed(options, lines)


def history_lines(games: Iterable[PastGame]) -> list[str]:
    """Each game on a line: when it ended, which it was, how, and who got what."""
    return [
        f"{game.end_time.ToDatetime():%Y-%m-%d %H:%M}  {game.room_id}/{game.game_no}  "
        f"{game.reason}  {'  '.join(map(_seat, game.seats))}"
        for game in games
    ]


def leaderboard_lines(entries: Iterable[LeaderboardEntry]) -> list[str]:
    """Each player on a line: rank, ordinal, games, won ones, who."""
    return [
        f"{entry.rank:>5}  {entry.rating.ordinal:7.2f}  {entry.rating.games:>5} games"
        f"  {entry.rating.wins:>5} won  {entry.rating.name} ({entry.rating.player})"
        for entry in entries
    ]


def _seat(seat: PastSeat) -> str:
    name = seat.name or "(nobody known)"
    mark = " (bot)" if seat.bot else " (for a bot)" if seat.took_over else ""
    return f"{name}{mark} {seat.score:+}"


def _printed(
    options: argparse.Namespace, lines: Callable[[Client], Awaitable[Sequence[str]]]
) -> int:
    async def asked() -> Sequence[str]:
        guest = "" if options.token else _GUEST
        async with (
            asyncio.timeout(options.limit),
            Client([options.url], token=options.token, guest=guest) as client,
        ):
            return await lines(client)

    logs.configure("cli", level="error")
    try:
        found = uvloop.run(asked())
    except Refused as refused:
        print(f"parlor: {refused}", file=sys.stderr)
        return 1
    except (SessionOver, TimeoutError, aiohttp.ClientError, OSError) as error:
        print(f"parlor: {options.url}: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    print("\n".join(found) if found else "nothing yet", flush=True)
    return 0
