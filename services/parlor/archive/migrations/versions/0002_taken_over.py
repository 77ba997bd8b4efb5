"""Seats say whether their player took them over from a bot."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Nobody had, so far; a replica of the release before goes on writing rows without it."""
    op.add_column(
        "seats",
        sa.Column("took_over", sa.Boolean, nullable=False, server_default=sa.false()),
    )
