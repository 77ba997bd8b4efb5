"""Instants as an operator writes and reads them."""

import re
from datetime import datetime
from typing import Final

from parlor.serving.maintenance import rfc3339

FORMS: Final = "now, +30m (or s, h), or 2026-12-01T03:00Z"

_LATER: Final = re.compile(r"\+(\d{1,6})([smh])")
_UNITS_MS: Final = {"s": 1_000, "m": 60_000, "h": 3_600_000}


def instant_of(text: str, now_ms: int) -> int:
    """The instant in ms since 1970; raises ValueError for none of the forms.

    >>> instant_of("+2m", 1_000), instant_of("1970-01-01T01:00+01:00", 0)
    (121000, 0)
    """
    if text == "now":
        return now_ms
    if later := _LATER.fullmatch(text):
        return now_ms + int(later[1]) * _UNITS_MS[later[2]]
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    # Without its zone a time would be another one wherever it is read.
    if at is None or at.tzinfo is None:
        raise ValueError(f"{text!r}: expected {FORMS}")
    return int(at.timestamp() * 1000)


def shown(ms: int) -> str:
    """An instant to read, to the second.

    >>> shown(1_764_558_000_000)
    '2025-12-01 03:00:00 UTC'
    """
    return f"{rfc3339(ms)[:19].replace('T', ' ')} UTC"
