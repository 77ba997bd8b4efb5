"""One ended game into the database, with the ratings that follow from it: once, however often it comes."""

import hashlib
import secrets
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import structlog
from google.protobuf.message import DecodeError
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from parlor.archive.database import Database
from parlor.archive.seasons import ALL_TIME, Period, season_of
from parlor.archive.strength import BEGINNER, Strength, after
from parlor.archive.tables import erasures, games, logs, players, ratings, seats
from parlor.rules.game import Seat, Side
from parlor.serving.keys import is_room_id, kind_of
from parlor.v1.archive_service_pb2 import GameLog, LogLine
from parlor.v1.finished_pb2 import FinishedGame
from parlor.wire.times import instant

_log = structlog.get_logger(__name__)

ARCHIVED: Final = "archived"
REPEATED: Final = "repeated"


class Unfit(ValueError):
    """What came from a stream is no ended game; caught by the archiver, which leaves it there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filed:
    """What became of a game."""

    outcome: str
    """`archived` or `repeated`."""
    rated: bool = False


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
    database: Database,
    connection: AsyncConnection,
    game: FinishedGame,
    *,
    token: bytes,
    log: Sequence[LogLine],
    period: Period,
) -> Filed:
    """Files a game in a transaction of `Database.writing`.

    The game's row decides: where it is there already, nothing is written at all.
    """
    start_ms = log[0].at if log and log[0].what == "start" else None
    sides = tuple(
        Side(seats=tuple(Seat(seat) for seat in side.seats), rank=side.rank) for side in game.sides
    )
    rated = bool(sides) and all(seat.player and not seat.bot for seat in game.seats)
    key = {"room_id": game.room_id, "game_no": game.game_no}
    end_ms = instant(game.end_time)
    inserted = await connection.execute(
        database.insert(games)
        .values(
            **key,
            token=token,
            kind=kind_of(game.room_id),
            ladder=game.ladder,
            rules=game.rules,
            config=game.config.SerializeToString(deterministic=True),
            result=game.result.SerializeToString(deterministic=True),
            reason=game.result.reason,
            start_ms=start_ms,
            end_ms=end_ms,
            rated=rated,
        )
        .on_conflict_do_nothing()
    )
    if not inserted.rowcount:
        await _compare(connection, game, token)
        return Filed(outcome=REPEATED)
    if log:
        lines = zlib.compress(GameLog(lines=log).SerializeToString())
        await connection.execute(database.insert(logs).values(**key, lines=lines))
    erased = await _erased(connection, game, start_ms)
    known = {seat.player: seat.name for seat in game.seats if seat.player not in erased}
    ranks = {seat: side.rank for side in sides for seat in side.seats}
    await connection.execute(
        database.insert(seats),
        [
            {
                **key,
                "seat": index,
                # Of its own for each game that comes late: two of them cannot be put together.
                "player": seat.player if seat.player in known else tombstone(),
                "bot": seat.bot,
                "score": game.result.scores[index],
                "won": index in game.result.winners,
                "rank": ranks.get(Seat(index), 0),
                "end_ms": end_ms,
            }
            for index, seat in enumerate(game.seats)
        ],
    )
    await _note_names(database, connection, known)
    if rated:
        for season in (ALL_TIME, season_of(end_ms, period)):
            await _rate(database, connection, game, sides, season, known)
    return Filed(outcome=ARCHIVED, rated=rated)


def tombstone() -> str:
    """An id that leads to nobody."""
    return f"erased-{secrets.token_hex(12)}"


def digest_of(player: str) -> str:
    """By what it is remembered that a player was erased."""
    return hashlib.sha256(player.encode()).hexdigest()


async def _compare(connection: AsyncConnection, game: FinishedGame, token: bytes) -> None:
    """Tells the operator where a room has ended a game twice: after a failover that took its end back."""
    filed = await connection.scalar(
        select(games.c.token).where(
            games.c.room_id == game.room_id, games.c.game_no == game.game_no
        )
    )
    if filed != token:
        _log.warning("game_ended_again", room=game.room_id, game=game.game_no)


async def _erased(
    connection: AsyncConnection, game: FinishedGame, start_ms: int | None
) -> frozenset[str]:
    """The players who were erased after the game had begun, or may have been."""
    digests = {digest_of(seat.player): seat.player for seat in game.seats}
    found = await connection.execute(
        select(erasures.c.digest, erasures.c.erase_ms).where(erasures.c.digest.in_(digests))
    )
    return frozenset(
        digests[digest] for digest, erase_ms in found if start_ms is None or start_ms <= erase_ms
    )


async def _note_names(
    database: Database, connection: AsyncConnection, names: Mapping[str, str]
) -> None:
    """The names that the players went by, in place of older ones that no operator gave."""
    insert = database.insert(players)
    noting = insert.on_conflict_do_update(
        index_elements=[players.c.player],
        set_={"name": insert.excluded.name},
        where=players.c.given.is_(False),
    )
    rows = [{"player": who, "name": name, "given": False} for who, name in names.items()]
    if rows:
        await connection.execute(noting, rows)


async def _rate(
    database: Database,
    connection: AsyncConnection,
    game: FinishedGame,
    sides: Sequence[Side],
    season: str,
    known: Mapping[str, str],
) -> None:
    """Counts the game on its ladder; who is erased counts as a beginner of whom nothing is kept."""
    found = await connection.execute(
        select(ratings).where(
            ratings.c.ladder == game.ladder,
            ratings.c.season == season,
            ratings.c.player.in_(known),
        )
    )
    held = {row.player: row for row in found}
    before = {
        Seat(index): Strength(held[seat.player].mu, held[seat.player].sigma)
        if seat.player in held
        else BEGINNER
        for index, seat in enumerate(game.seats)
    }
    insert = database.insert(ratings)
    fields = ("mu", "sigma", "ordinal", "games", "wins")
    rows = []
    for seat, new in after(sides, before).items():
        player = game.seats[seat].player
        if player in known:
            row = held.get(player)
            rows.append(
                {
                    "ladder": game.ladder,
                    "season": season,
                    "player": player,
                    "mu": new.mu,
                    "sigma": new.sigma,
                    "ordinal": new.ordinal,
                    "games": (row.games if row else 0) + 1,
                    "wins": (row.wins if row else 0) + (seat in game.result.winners),
                }
            )
    if rows:
        await connection.execute(
            insert.on_conflict_do_update(
                index_elements=[ratings.c.ladder, ratings.c.season, ratings.c.player],
                set_={field: insert.excluded[field] for field in fields},
            ),
            rows,
        )
