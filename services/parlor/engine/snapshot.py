"""A room as bytes and back, refusing what this release would lose in writing it back."""

from typing import Any

import msgspec

from parlor.engine.record import FORMAT, RoomRecord
from parlor.rules.game import AnyGame

_ENCODER = msgspec.msgpack.Encoder()
_RECORDS = msgspec.msgpack.Decoder(RoomRecord)
_ANYTHING = msgspec.msgpack.Decoder()
_FORMATS = msgspec.msgpack.Decoder(dict[str, Any])


class UnreadableRecord(ValueError):
    """A record or state that another release wrote and this one cannot keep whole. The room is left alone."""


def encode(value: Any) -> bytes:
    """A record or a state as msgpack."""
    return _ENCODER.encode(value)


def decode_record(raw: bytes) -> RoomRecord:
    """The record; raises UnreadableRecord for another format or unknown fields."""
    try:
        record = _RECORDS.decode(raw)
    except msgspec.ValidationError as error:
        raise UnreadableRecord(f"a record of format {_format_of(raw)}: {error}") from error
    if record.format != FORMAT or not _covers(
        _ANYTHING.decode(encode(record)), _ANYTHING.decode(raw)
    ):
        # Decoding skips fields it does not know; writing the record back would lose them silently.
        raise UnreadableRecord(
            f"a record of format {_format_of(raw)} with fields of another release"
        )
    return record


def recall_record(raw: bytes) -> RoomRecord:
    """The record from bytes that this process has read or written before."""
    return _RECORDS.decode(raw)


class StateCodec:
    """The states of one game as bytes and back."""

    def __init__(self, game: AnyGame) -> None:
        self._decoder = msgspec.msgpack.Decoder(game.state_type)

    def recall(self, raw: bytes) -> Any:
        """The state, or None for no bytes, from bytes that this process has read or written before."""
        return self._decoder.decode(raw) if raw else None

    def decode(self, raw: bytes) -> Any:
        """The state, or None for no bytes; raises UnreadableRecord for unknown fields."""
        if not raw:
            return None
        try:
            state = self._decoder.decode(raw)
        except msgspec.ValidationError as error:
            raise UnreadableRecord(f"a state that this release does not know: {error}") from error
        if not _covers(_ANYTHING.decode(encode(state)), _ANYTHING.decode(raw)):
            raise UnreadableRecord("a state with fields of another release")
        return state


def _covers(ours: Any, theirs: Any) -> bool:
    """Whether all that `theirs` holds is in `ours` too, which may have more fields, with their defaults.

    >>> _covers({"a": 1, "new": 0}, {"a": 1}), _covers({"a": 1}, {"a": 1, "unknown": 2})
    (True, False)
    """
    match ours, theirs:
        case dict(), dict():
            return all(key in ours and _covers(ours[key], theirs[key]) for key in theirs)
        case list(), list():
            return len(ours) == len(theirs) and all(map(_covers, ours, theirs))
        case _:
            return bool(ours == theirs)


def _format_of(raw: bytes) -> object:
    return _FORMATS.decode(raw).get("format")
