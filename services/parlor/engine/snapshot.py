"""States as bytes and back, refusing what this release would lose in writing it back."""

from typing import Any

import msgspec

from parlor.rules.game import AnyGame

_ENCODER = msgspec.msgpack.Encoder()
_ANYTHING = msgspec.msgpack.Decoder()


class UnreadableRecord(ValueError):
    """A record or state that another release wrote and this one cannot keep whole. The room is left alone."""


def encode(value: Any) -> bytes:
    """A record or a state as msgpack."""
    return _ENCODER.encode(value)


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
        if not covers(_ANYTHING.decode(encode(state)), _ANYTHING.decode(raw)):
            raise UnreadableRecord("a state with fields of another release")
        return state


def covers(ours: Any, theirs: Any) -> bool:
    """Whether all that `theirs` holds is in `ours` too, which may have more fields, with their defaults.

    >>> covers({"a": 1, "new": 0}, {"a": 1}), covers({"a": 1}, {"a": 1, "unknown": 2})
    (True, False)
    """
    match ours, theirs:
        case dict(), dict():
            return all(key in ours and covers(ours[key], theirs[key]) for key in theirs)
        case list(), list():
            return len(ours) == len(theirs) and all(map(covers, ours, theirs))
        case _:
            return bool(ours == theirs)
