"""Games with their seats and logs, players, ratings, erasures."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Makes the first schema."""
    op.create_table(
        "games",
        sa.Column("room_id", sa.String(64), primary_key=True),
        sa.Column("game_no", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("token", sa.LargeBinary, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("ladder", sa.String(64), nullable=False),
        sa.Column("rules", sa.Integer, nullable=False),
        sa.Column("config", sa.LargeBinary, nullable=False),
        sa.Column("result", sa.LargeBinary, nullable=False),
        sa.Column("reason", sa.String(64), nullable=False),
        sa.Column("start_ms", sa.BigInteger),
        sa.Column("end_ms", sa.BigInteger, nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
    )
    op.create_table(
        "logs",
        sa.Column("room_id", sa.String(64), primary_key=True),
        sa.Column("game_no", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("lines", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "seats",
        sa.Column("room_id", sa.String(64), primary_key=True),
        sa.Column("game_no", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("seat", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("player", sa.String(64), nullable=False),
        sa.Column("bot", sa.Boolean, nullable=False),
        sa.Column("score", sa.BigInteger, nullable=False),
        sa.Column("won", sa.Boolean, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("end_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("seats_by_player", "seats", ["player", "end_ms", "room_id", "game_no"])
    op.create_table(
        "players",
        sa.Column("player", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("given", sa.Boolean, nullable=False),
    )
    op.create_table(
        "ratings",
        sa.Column("ladder", sa.String(64), primary_key=True),
        sa.Column("season", sa.String(16), primary_key=True),
        sa.Column("player", sa.String(64), primary_key=True),
        sa.Column("mu", sa.Double, nullable=False),
        sa.Column("sigma", sa.Double, nullable=False),
        sa.Column("ordinal", sa.Double, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("wins", sa.Integer, nullable=False),
    )
    op.create_index("ratings_by_ordinal", "ratings", ["ladder", "season", "ordinal", "player"])
    op.create_index("ratings_by_player", "ratings", ["player"])
    op.create_table(
        "erasures",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("erase_ms", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    """Takes all of it away."""
    for table in ("erasures", "ratings", "players", "seats", "logs", "games"):
        op.drop_table(table)
