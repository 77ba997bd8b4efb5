"""A room as bytes and back, refusing what this release would not write back unchanged."""

from typing import Any

import msgspec

from parlor.engine.record import FORMAT, RoomRecord
from parlor.rules.game import AnyGame

_ENCODER = msgspec.msgpack.Encoder()
_RECORDS = msgspec.msgpack.Decoder(RoomRecord)
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
    if record.format != FORMAT or encode(record) != raw:
        # Decoding skips fields it does not know; writing them back would lose them silently.
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
        if encode(state) != raw:
            raise UnreadableRecord("a state with fields of another release")
        return state


def _format_of(raw: bytes) -> object:
    return _FORMATS.decode(raw).get("format")
