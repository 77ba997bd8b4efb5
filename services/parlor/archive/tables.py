"""The schema. A change here needs a migration; a test compares the two.

Names of players stand in one table only, which history joins: so a new name shows in all old games,
and a deleted one in none.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    false,
)

metadata = MetaData()

games = Table(
    "games",
    metadata,
    # The identity of a game, by which a repeat is noticed.
    Column("room_id", String(64), primary_key=True),
    Column("game_no", Integer, primary_key=True, autoincrement=False),
    # Token of its last step: tells a repeat from the same number in another life of Redis.
    Column("token", LargeBinary, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("ladder", String(64), nullable=False),
    Column("rules", Integer, nullable=False),
    # Encoded GameConfig and GameResult.
    Column("config", LargeBinary, nullable=False),
    Column("result", LargeBinary, nullable=False),
    Column("reason", String(64), nullable=False),
    # In ms of Redis time. The start is unknown where the log was lost.
    Column("start_ms", BigInteger),
    Column("end_ms", BigInteger, nullable=False),
    Column("rated", Boolean, nullable=False),
)

logs = Table(
    "logs",
    metadata,
    Column("room_id", String(64), primary_key=True),
    Column("game_no", Integer, primary_key=True, autoincrement=False),
    # Encoded GameLog, compressed by zlib.
    Column("lines", LargeBinary, nullable=False),
)

seats = Table(
    "seats",
    metadata,
    Column("room_id", String(64), primary_key=True),
    Column("game_no", Integer, primary_key=True, autoincrement=False),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    # The player's id, or one that leads to nobody.
    Column("player", String(64), nullable=False),
    Column("bot", Boolean, nullable=False),
    Column("score", BigInteger, nullable=False),
    Column("won", Boolean, nullable=False),
    Column("rank", Integer, nullable=False),
    # Whether a bot played first. A release that does not know of it writes rows without.
    Column("took_over", Boolean, nullable=False, server_default=false()),
    # The game's, here too, so that a page of a player's games is one range of the index.
    Column("end_ms", BigInteger, nullable=False),
    Index("seats_by_player", "player", "end_ms", "room_id", "game_no"),
)

players = Table(
    "players",
    metadata,
    Column("player", String(64), primary_key=True),
    Column("name", String(64), nullable=False),
    # Whether an operator gave the name: then no game changes it.
    Column("given", Boolean, nullable=False),
)

ratings = Table(
    "ratings",
    metadata,
    Column("ladder", String(64), primary_key=True),
    # Empty for all time.
    Column("season", String(16), primary_key=True),
    Column("player", String(64), primary_key=True),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    Column("ordinal", Double, nullable=False),
    Column("games", Integer, nullable=False),
    Column("wins", Integer, nullable=False),
    Index("ratings_by_ordinal", "ladder", "season", "ordinal", "player"),
    Index("ratings_by_player", "player"),
)

erasures = Table(
    "erasures",
    metadata,
    # SHA-256 of the player's id, in hex.
    Column("digest", String(64), primary_key=True),
    Column("erase_ms", BigInteger, nullable=False),
)
