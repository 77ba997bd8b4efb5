"""Instants and durations: whole milliseconds in the rules, well-known types in messages."""

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from parlor.wire import Malformed

_NANOS = 1_000_000
_SECOND = 1_000


def timestamp(at: int) -> Timestamp:
    """The instant `at`, in ms since 1970."""
    message = Timestamp()
    set_instant(message, at)
    return message


def set_instant(message: Timestamp, at: int) -> None:
    """Makes the message the instant `at`, in ms since 1970."""
    message.seconds, ms = divmod(at, _SECOND)
    message.nanos = ms * _NANOS


def write_timestamp(at: int, message: Timestamp) -> None:
    """Writes the instant `at`, in ms since 1970, into an empty message."""
    seconds, ms = divmod(at, _SECOND)
    message.seconds, message.nanos = seconds, ms * _NANOS


def instant(message: Timestamp) -> int:
    """The instant in ms since 1970; what is finer is dropped."""
    return message.seconds * _SECOND + message.nanos // _NANOS


def duration(ms: int) -> Duration:
    """The duration of `ms`, which may be below 0."""
    sign = -1 if ms < 0 else 1
    seconds, rest = divmod(abs(ms), _SECOND)
    return Duration(seconds=sign * seconds, nanos=sign * rest * _NANOS)


def milliseconds(message: Duration, field: str) -> int:
    """The duration in ms; raises `Malformed` where it is no whole number of them."""
    if message.nanos % _NANOS:
        raise Malformed(field, "must be whole milliseconds")
    return message.seconds * _SECOND + message.nanos // _NANOS
