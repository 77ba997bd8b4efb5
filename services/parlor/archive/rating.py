"""Ratings of several games: read, counted one game after the other, and written back."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from parlor.archive.database import Database
from parlor.archive.strength import BEGINNER, Strength, after
from parlor.archive.tables import ratings
from parlor.rules.game import Seat, Side

Place = tuple[str, str, str]
"""Ladder, season and player."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A row of ratings."""

    strength: Strength = BEGINNER
    games: int = 0
    wins: int = 0


class Ladders:
    """The ratings that some games are about, in the hands of one transaction that writes."""

    def __init__(self) -> None:
        self._held: dict[Place, _Held] = {}
        self._changed: set[Place] = set()

    async def read(self, connection: AsyncConnection, places: Collection[Place]) -> None:
        """Reads what is held so far; who has no row is a beginner."""
        found = await connection.execute(
            select(ratings).where(
                # More than is asked for, where players of one ladder are on another too.
                ratings.c.ladder.in_({ladder for ladder, _, _ in places}),
                ratings.c.season.in_({season for _, season, _ in places}),
                ratings.c.player.in_({player for _, _, player in places}),
            )
        )
        self._held = {
            (row.ladder, row.season, row.player): _Held(
                Strength(row.mu, row.sigma), row.games, row.wins
            )
            for row in found
        }

    def count(
        self,
        ladder: str,
        season: str,
        table: Sequence[str],
        sides: Sequence[Side],
        *,
        winners: Collection[int],
    ) -> None:
        """Counts one game. `table` has the players by seat; an empty one plays as a beginner and is not kept."""
        places = [(ladder, season, player) for player in table]
        held = [self._held.get(place, _Held()) for place in places]
        before = {Seat(index): each.strength for index, each in enumerate(held)}
        for seat, strength in after(sides, before).items():
            if table[seat]:
                place, was = places[seat], held[seat]
                self._changed.add(place)
                self._held[place] = _Held(strength, was.games + 1, was.wins + (seat in winners))

    async def write(self, database: Database, connection: AsyncConnection) -> None:
        """Writes what has changed."""
        rows = []
        for place in sorted(self._changed):
            (ladder, season, player), held = place, self._held[place]
            rows.append(
                {
                    "ladder": ladder,
                    "season": season,
                    "player": player,
                    "mu": held.strength.mu,
                    "sigma": held.strength.sigma,
                    "ordinal": held.strength.ordinal,
                    "games": held.games,
                    "wins": held.wins,
                }
            )
        if rows:
            insert = database.insert(ratings)
            counted = ("mu", "sigma", "ordinal", "games", "wins")
            await connection.execute(
                insert.on_conflict_do_update(
                    index_elements=[ratings.c.ladder, ratings.c.season, ratings.c.player],
                    set_={field: insert.excluded[field] for field in counted},
                ),
                rows,
            )
