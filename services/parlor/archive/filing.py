"""Ended games into the database, with the ratings that follow from them: once, however often they come."""

import hashlib
import secrets
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import structlog
from google.protobuf.message import DecodeError
from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from parlor.archive.database import Database
from parlor.archive.rating import Ladders
from parlor.archive.seasons import ALL_TIME, Period, season_of
from parlor.archive.tables import erasures, games, logs, players, seats
from parlor.rules.game import Seat, Side
from parlor.serving.keys import is_room_id, kind_of
from parlor.v1.archive_service_pb2 import GameLog, LogLine
from parlor.v1.finished_pb2 import FinishedGame
from parlor.wire.times import instant

_log = structlog.get_logger(__name__)

ARCHIVED: Final = "archived"
REPEATED: Final = "repeated"

Key = tuple[str, int]
"""Room and number: which game it is."""


class Unfit(ValueError):
    """What came from a stream is no ended game; caught by the archiver, which leaves it there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """An ended game with its log."""

    game: FinishedGame
    token: bytes = b""
    """Of its last step."""
    log: Sequence[LogLine] = ()
    """Empty where it was lost."""

    @property
    def key(self) -> Key:
        """Which game it is."""
        return self.game.room_id, self.game.game_no

    @property
    def start_ms(self) -> int | None:
        """When it began, where that is known."""
        return self.log[0].at if self.log and self.log[0].what == "start" else None

    @property
    def end_ms(self) -> int:
        """When it ended."""
        return instant(self.game.end_time)

    @property
    def sides(self) -> tuple[Side, ...]:
        """The seats by sides; empty where the end says nothing of anybody's play."""
        return tuple(
            Side(seats=tuple(map(Seat, side.seats)), rank=side.rank) for side in self.game.sides
        )

    @property
    def rates(self) -> bool:
        """Whether it changes ratings: not where a program played, if only at first."""
        return bool(self.game.sides) and all(
            seat.player and not seat.bot and not seat.took_over for seat in self.game.seats
        )


def parsed(game: bytes) -> FinishedGame:
    """The game that an entry holds; raises Unfit."""
    try:
        finished = FinishedGame.FromString(game)
    except DecodeError as error:
        raise Unfit("not a FinishedGame") from error
    count = len(finished.seats)
    named = [seat for side in finished.sides for seat in side.seats]
    if not is_room_id(finished.room_id) or finished.game_no < 1 or not count:
        raise Unfit("a game without a room, a number or seats")
    if len(finished.result.scores) != count or (named and sorted(named) != list(range(count))):
        raise Unfit("scores or sides that are not the seats'")
    return finished


async def file(
    database: Database, connection: AsyncConnection, ended: Sequence[Ended], *, period: Period
) -> list[str]:
    """Files games in a transaction of `Database.writing`, and rates them in this order.

    Gives `archived` or `repeated` for each: of one that is there already nothing is written at all.
    All of them at once, for each statement costs about as much as what it does.
    """
    filed = await _filed(connection, [each.key for each in ended])
    new: list[Ended] = []
    outcomes: list[str] = []
    for each in ended:
        if each.key in filed:
            _compare(each, filed[each.key])
            outcomes.append(REPEATED)
        else:
            filed[each.key] = each.token
            new.append(each)
            outcomes.append(ARCHIVED)
    if new:
        known = await _known(connection, new)
        await _insert(database, connection, new, known)
        await _rate(database, connection, new, known, period)
    return outcomes


def tombstone() -> str:
    """An id that leads to nobody."""
    return f"erased-{secrets.token_hex(12)}"


def digest_of(player: str) -> str:
    """By what it is remembered that a player was erased."""
    return hashlib.sha256(player.encode()).hexdigest()


async def _filed(connection: AsyncConnection, keys: Sequence[Key]) -> dict[Key, bytes]:
    """Those of the games that are filed, with their tokens. Nobody files others meanwhile."""
    rows = await connection.execute(
        select(games.c.room_id, games.c.game_no, games.c.token).where(
            tuple_(games.c.room_id, games.c.game_no).in_(keys)
        )
    )
    return {(row.room_id, row.game_no): row.token for row in rows}


def _compare(each: Ended, token: bytes) -> None:
    """Tells the operator where a room has ended a game twice: after a failover that took its end back."""
    if token != each.token:
        _log.warning("game_ended_again", room=each.game.room_id, game=each.game.game_no)


async def _known(connection: AsyncConnection, ended: Sequence[Ended]) -> list[frozenset[str]]:
    """Of each game, the players who were not erased after it had begun, or may have been."""
    digests = {digest_of(seat.player) for each in ended for seat in each.game.seats}
    found = await connection.execute(
        select(erasures.c.digest, erasures.c.erase_ms).where(erasures.c.digest.in_(digests))
    )
    erased = {row.digest: row.erase_ms for row in found}

    def is_known(player: str, start_ms: int | None) -> bool:
        erase_ms = erased.get(digest_of(player))
        return erase_ms is None or (start_ms is not None and start_ms > erase_ms)

    return [
        frozenset(seat.player for seat in each.game.seats if is_known(seat.player, each.start_ms))
        for each in ended
    ]


async def _insert(
    database: Database,
    connection: AsyncConnection,
    ended: Sequence[Ended],
    known: Sequence[frozenset[str]],
) -> None:
    """Writes all but the ratings."""
    await connection.execute(games.insert(), [_game_row(each) for each in ended])
    kept = [_log_row(each) for each in ended if each.log]
    if kept:
        await connection.execute(logs.insert(), kept)
    rows = [row for each, who in zip(ended, known, strict=True) for row in _seat_rows(each, who)]
    await connection.execute(seats.insert(), rows)
    names = {
        seat.player: seat.name
        for each, who in zip(ended, known, strict=True)
        for seat in each.game.seats
        if seat.player in who
    }
    if names:
        insert = database.insert(players)
        await connection.execute(
            insert.on_conflict_do_update(
                index_elements=[players.c.player],
                set_={"name": insert.excluded.name},
                where=players.c.given.is_(False),
            ),
            [{"player": who, "name": name, "given": False} for who, name in names.items()],
        )


async def _rate(
    database: Database,
    connection: AsyncConnection,
    ended: Sequence[Ended],
    known: Sequence[frozenset[str]],
    period: Period,
) -> None:
    """Counts the games, each for all time and in its season; nothing is kept of who was erased."""
    counted = [
        (each, who, season)
        for each, who in zip(ended, known, strict=True)
        if each.rates
        for season in (ALL_TIME, season_of(each.end_ms, period))
    ]
    if not counted:
        return
    ladders = Ladders()
    await ladders.read(
        connection,
        {(each.game.ladder, season, player) for each, who, season in counted for player in who},
    )
    for each, who, season in counted:
        table = [seat.player if seat.player in who else "" for seat in each.game.seats]
        ladders.count(each.game.ladder, season, table, each.sides, winners=each.game.result.winners)
    await ladders.write(database, connection)


def _game_row(each: Ended) -> dict[str, Any]:
    game = each.game
    return {
        "room_id": game.room_id,
        "game_no": game.game_no,
        "token": each.token,
        "kind": kind_of(game.room_id),
        "ladder": game.ladder,
        "rules": game.rules,
        "config": game.config.SerializeToString(deterministic=True),
        "result": game.result.SerializeToString(deterministic=True),
        "reason": game.result.reason,
        "start_ms": each.start_ms,
        "end_ms": each.end_ms,
        "rated": each.rates,
    }


def _log_row(each: Ended) -> dict[str, Any]:
    return {
        "room_id": each.game.room_id,
        "game_no": each.game.game_no,
        "lines": zlib.compress(GameLog(lines=each.log).SerializeToString()),
    }


def _seat_rows(each: Ended, known: frozenset[str]) -> list[dict[str, Any]]:
    ranks = {seat: side.rank for side in each.sides for seat in side.seats}
    return [
        {
            "room_id": each.game.room_id,
            "game_no": each.game.game_no,
            "seat": index,
            # Of its own for each game that comes late: two of them cannot be put together.
            "player": seat.player if seat.player in known else tombstone(),
            "bot": seat.bot,
            "took_over": seat.took_over,
            "score": each.game.result.scores[index],
            "won": index in each.game.result.winners,
            "rank": ranks.get(Seat(index), 0),
            "end_ms": each.end_ms,
        }
        for index, seat in enumerate(each.game.seats)
    ]
