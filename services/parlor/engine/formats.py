"""The shapes of a room's record: which of them a release reads, and which one it writes.

Whatever its shape, a record is a msgpack map whose `format` is the number of the shape. A new shape
takes two releases: the first reads it, the next one writes it, so that a release can always be
rolled back to the one before. In a fleet that skips a release, a replica writes what every live
replica of its kind reads. A room in a shape that a replica does not read is left to another one.

What an earlier release may do without needs no new shape: it goes beside the record (`additions.py`).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from parlor.engine.additions import apart, together
from parlor.engine.record import RoomRecord
from parlor.engine.snapshot import UnreadableRecord, covers, encode

_ANYTHING: Final = msgspec.msgpack.Decoder()


class _Head(msgspec.Struct):
    """What every shape has."""

    format: int


_HEADS: Final = msgspec.msgpack.Decoder(_Head)


class Written(msgspec.Struct, frozen=True, gc=False):
    """A record as Redis has it."""

    record: bytes
    added: bytes = b""
    """What is kept beside it; nothing as a rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One shape of the record."""

    number: int
    write: Callable[[RoomRecord], Written]
    read: Callable[[Written], RoomRecord]
    """May leave out what it does not know; raises msgspec.ValidationError for what it cannot read."""


class Formats:
    """The shapes that one release knows."""

    def __init__(self, *known: Format, writes: int) -> None:
        self._known = {shape.number: shape for shape in known}
        self.reads: Final = tuple(sorted(self._known))
        """Their numbers."""
        self.writes: Final = writes
        """The newest that it writes: one that the release before it reads."""

    def agreed(self, fleet: Iterable[Sequence[int]]) -> int:
        """The newest that may be written beside replicas that read these.

        The oldest known where there is none that all of them read: they are further apart than
        releases may be, and each leaves the others' rooms alone.
        """
        common = set(self.reads).intersection(*fleet)
        return max((number for number in common if number <= self.writes), default=self.reads[0])

    def encode(self, record: RoomRecord, number: int) -> Written:
        """The record in one of the known shapes."""
        return self._known[number].write(record)

    def decode(self, raw: bytes, added: bytes = b"") -> RoomRecord:
        """The record; raises UnreadableRecord for an unknown shape, or unknown fields in a known one."""
        try:
            number = _HEADS.decode(raw).format
            if number not in self._known:
                raise UnreadableRecord(f"a record of format {number}")
            shape = self._known[number]
            record = shape.read(Written(raw, added))
        except msgspec.ValidationError as error:
            raise UnreadableRecord(f"a record of another release: {error}") from error
        # Reading skips fields that it does not know; writing the record back would lose them silently.
        if not covers(_ANYTHING.decode(shape.write(record).record), _ANYTHING.decode(raw)):
            raise UnreadableRecord(f"a record of format {number} with fields of another release")
        return record

    def recall(self, written: Written) -> RoomRecord:
        """The record from bytes that this process has read or written before."""
        return self._known[_HEADS.decode(written.record).format].read(written)


_PLAIN: Final = msgspec.msgpack.Decoder(RoomRecord)


def _write_plain(record: RoomRecord) -> Written:
    plain, added = apart(record)
    return Written(encode(plain if plain.format == 1 else replace(plain, format=1)), added)


def _read_plain(written: Written) -> RoomRecord:
    return together(_PLAIN.decode(written.record), written.added)


PLAIN: Final = Format(number=1, write=_write_plain, read=_read_plain)
"""The first release's fields by name, and beside them what later ones know."""

RELEASED: Final = Formats(PLAIN, writes=1)
"""What this release knows."""
