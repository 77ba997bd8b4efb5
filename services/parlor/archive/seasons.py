"""Seasons: parts of the calendar with ratings of their own.

A season counts its own games only: everybody begins it as a beginner does. So a season's table says
who has played best in it, and the ratings of all time, which go on beside it, who is strongest.
"""

from datetime import UTC, datetime
from typing import Literal

Period = Literal["month", "quarter", "year"]

ALL_TIME = ""
"""The name under which ratings of all time are kept."""
CURRENT = "current"
"""By which a question names the season that runs."""


def season_of(at_ms: int, period: Period) -> str:
    """The season of an instant in ms since 1970, by the calendar of UTC.

    >>> season_of(1_764_547_200_000, "month"), season_of(1_764_547_200_000, "quarter")
    ('2025-12', '2025-Q4')
    """
    at = datetime.fromtimestamp(at_ms / 1000, UTC)
    match period:
        case "month":
            return f"{at.year}-{at.month:02}"
        case "quarter":
            return f"{at.year}-Q{(at.month + 2) // 3}"
        case "year":
            return f"{at.year}"
