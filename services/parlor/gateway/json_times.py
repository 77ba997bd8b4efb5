"""Instants and durations as proto3 JSON has them: `2026-03-01T12:00:00.250Z`, `30s`, `1.500s`."""

import re
import time
from functools import lru_cache
from typing import Final

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)")
_SPAN: Final = re.compile(r"(-?)(\d{1,12})(?:\.(\d{1,9}))?s")

_LONGEST_S: Final = 315_576_000_000
"""The bound of a Duration: ten thousand years."""


def instant_text(instant: Timestamp) -> str:
    """An instant with exactly milliseconds; what is finer is cut off.

    >>> instant_text(Timestamp(seconds=1, nanos=250_000_000))
    '1970-01-01T00:00:01.250Z'
    """
    return f"{_second_text(instant.seconds)}.{instant.nanos // 1_000_000:03d}Z"


def read_instant(text: str, into: Timestamp) -> None:
    """Reads RFC 3339 with up to nanoseconds; raises ValueError."""
    if not _INSTANT.fullmatch(text):
        raise ValueError("not an RFC 3339 instant")
    into.FromJsonString(text)


def span_text(span: Duration) -> str:
    """A duration in seconds, with milliseconds where there are any.

    >>> span_text(Duration(seconds=30)), span_text(Duration(seconds=1, nanos=500_000_000))
    ('30s', '1.500s')
    >>> span_text(Duration(nanos=-250_000_000))
    '-0.250s'
    """
    sign = "-" if span.seconds < 0 or span.nanos < 0 else ""
    milliseconds = abs(span.nanos) // 1_000_000
    fraction = f".{milliseconds:03d}" if milliseconds else ""
    return f"{sign}{abs(span.seconds)}{fraction}s"


def read_span(text: str, into: Duration) -> None:
    """Reads seconds with up to nine decimals; raises ValueError."""
    match = _SPAN.fullmatch(text)
    if match is None or int(match[2]) > _LONGEST_S:
        raise ValueError("not a duration in seconds, such as 30s")
    sign = -1 if match[1] else 1
    into.seconds = sign * int(match[2])
    into.nanos = sign * int((match[3] or "").ljust(9, "0"))


# The frames of one second share the text of it.
@lru_cache(maxsize=4096)
def _second_text(seconds: int) -> str:
    moment = time.gmtime(seconds)
    return (
        f"{moment.tm_year:04d}-{moment.tm_mon:02d}-{moment.tm_mday:02d}"
        f"T{moment.tm_hour:02d}:{moment.tm_min:02d}:{moment.tm_sec:02d}"
    )
