"""Players in the history: another name, or none of them any more."""

from sqlalchemy import delete, func, select, update

from parlor.archive.database import Database
from parlor.archive.filing import digest_of, tombstone
from parlor.archive.tables import erasures, players, ratings, seats


async def rename(database: Database, player: str, name: str) -> None:
    """Gives the player a name that no game changes; with an empty one, the next game's name is theirs."""
    insert = database.insert(players).values(player=player, name=name, given=True)
    async with database.writing() as connection:
        if name:
            await connection.execute(
                insert.on_conflict_do_update(
                    index_elements=[players.c.player], set_={"name": name, "given": True}
                )
            )
        else:
            await connection.execute(
                update(players).where(players.c.player == player).values(given=False)
            )


async def erase(database: Database, player: str, *, now_ms: int, remembered_ms: int) -> int:
    """Takes the player out of all that is archived, and out of what is archived later of games begun by now.

    Gives the number of games. What is remembered for the latter is a digest of the id, and older
    ones than `remembered_ms` are forgotten.
    """
    nobody = tombstone()
    insert = database.insert(erasures).values(digest=digest_of(player), erase_ms=now_ms)
    async with database.writing() as connection:
        # Counted here: not every driver tells how many rows an UPDATE has met.
        games = await connection.scalar(
            select(func.count()).select_from(seats).where(seats.c.player == player)
        )
        await connection.execute(
            update(seats).where(seats.c.player == player).values(player=nobody)
        )
        await connection.execute(delete(ratings).where(ratings.c.player == player))
        await connection.execute(delete(players).where(players.c.player == player))
        await connection.execute(
            insert.on_conflict_do_update(
                index_elements=[erasures.c.digest], set_={"erase_ms": now_ms}
            )
        )
        await connection.execute(
            delete(erasures).where(erasures.c.erase_ms < now_ms - remembered_ms)
        )
    return games or 0
