"""What the first release knows of a record, frozen: it is out there, and never learns more."""

from dataclasses import replace
from typing import Any, Final

import msgspec
from msgspec import UNSET

from parlor.engine.formats import Format, Formats, Written
from parlor.engine.record import RoomRecord
from parlor.engine.snapshot import encode


def _each(names: str) -> dict[str, Any]:
    return dict.fromkeys(names.split())


FIELDS: Final[dict[str, Any]] = {
    **_each(
        "room_id kind rules config seed format code link_token spectators private matched invited"
    ),
    **_each("host status game_no ready_due idle_due version token at op outages"),
    "seats": [_each("player name bot ready entropy online connection left")],
    "heads": [_each("seq token")],
    "vote": _each("proposer agreed due"),
    "result": _each("game_no reason winners scores seed entropy"),
}
"""The names, nested as the record is; of its lists, one element."""


def names(value: Any) -> Any:
    """The names of fields in a written record, nested as `FIELDS` are: those of a list's first element."""
    match value:
        case dict():
            return {name: names(inner) for name, inner in value.items()}
        case [dict() as first, *_]:
            return [names(first)]
        case _:
            return None


def _write(record: RoomRecord) -> Written:
    seats = tuple(replace(seat, took_over=UNSET, ready_due=UNSET) for seat in record.seats)
    first = replace(record, format=1, seats=seats, seniority=UNSET, still_due=UNSET)
    return Written(encode(first))


def _read(written: Written) -> RoomRecord:
    """It looks at nothing beside the record; what it does not know, it is not able to write again."""
    return msgspec.msgpack.decode(written.record, type=RoomRecord)


FIRST: Final = Formats(Format(number=1, write=_write, read=_read), writes=1)
"""The first release."""
