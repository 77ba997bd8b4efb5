"""Messages to JSON values: one function per message type, made once from its descriptor.

`json_format` walks the descriptor for every message and costs a quarter of the whole path's
throughput. Here the walk is done beforehand, and what is left per field is an attribute and a call.
"""

import base64
from collections.abc import Callable, Sequence
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from parlor.gateway.json_times import instant_text, span_text

Json = Any
"""What `msgspec.json` writes: dict, list, str, int, float, bool, None."""

Convert = Callable[[Any], Json]
_Write = Callable[[Any, dict[str, Json]], None]

_WRITERS: dict[str, Convert] = {}
_WELL_KNOWN: Final[dict[str, Convert]] = {
    "google.protobuf.Timestamp": instant_text,
    "google.protobuf.Duration": span_text,
}
_LONG: Final = frozenset(
    {
        FieldDescriptor.CPPTYPE_INT64,
        FieldDescriptor.CPPTYPE_UINT64,
    }
)


def writer(descriptor: Descriptor) -> Convert:
    """The function from messages of this type to JSON values.

    Plain fields are always written, zero or not; what can be absent is written where it is set.
    """
    known = _WELL_KNOWN.get(descriptor.full_name) or _WRITERS.get(descriptor.full_name)
    if known is not None:
        return known
    if descriptor.full_name.startswith("google.protobuf."):
        raise TypeError(f"{descriptor.full_name} has a JSON form of its own that is not known here")
    writes: list[_Write] = []

    def write(message: Any) -> Json:
        values: dict[str, Json] = {}
        for part in writes:
            part(message, values)
        return values

    # Known before its fields are looked at, for types that contain themselves.
    _WRITERS[descriptor.full_name] = write
    writes.extend(_parts(descriptor))
    return write


def _parts(descriptor: Descriptor) -> list[_Write]:
    oneofs = [oneof for oneof in descriptor.oneofs if not _is_synthetic(oneof.fields)]
    alone = [
        field
        for field in descriptor.fields
        if field.containing_oneof is None or _is_synthetic(field.containing_oneof.fields)
    ]
    return [
        *(_oneof(oneof.name, oneof.fields) for oneof in oneofs),
        *(_field(field) for field in alone),
    ]


def _is_synthetic(fields: Sequence[FieldDescriptor]) -> bool:
    """Whether it is the oneof that stands behind an `optional` field of a plain type."""
    return len(fields) == 1 and fields[0].has_presence and _is_declared_optional(fields[0])


def _is_declared_optional(field: FieldDescriptor) -> bool:
    return field.containing_oneof is not None and field.containing_oneof.name == f"_{field.name}"


def _oneof(name: str, fields: Sequence[FieldDescriptor]) -> _Write:
    branches = {field.name: (field.json_name, _value(field)) for field in fields}

    def write(message: Any, values: dict[str, Json]) -> None:
        branch = message.WhichOneof(name)
        if branch is not None:
            key, convert = branches[branch]
            values[key] = convert(getattr(message, branch))

    return write


def _field(field: FieldDescriptor) -> _Write:
    if field.is_repeated:
        return _map(field) if _is_map(field) else _repeated(field)
    name, key, convert = field.name, field.json_name, _value(field)
    if field.has_presence:

        def write_if_set(message: Any, values: dict[str, Json]) -> None:
            if message.HasField(name):
                values[key] = convert(getattr(message, name))

        return write_if_set
    if convert is _as_is:

        def write_plain(message: Any, values: dict[str, Json]) -> None:
            values[key] = getattr(message, name)

        return write_plain

    def write(message: Any, values: dict[str, Json]) -> None:
        values[key] = convert(getattr(message, name))

    return write


def _repeated(field: FieldDescriptor) -> _Write:
    name, key, convert = field.name, field.json_name, _value(field)
    if convert is _as_is:

        def write_plain(message: Any, values: dict[str, Json]) -> None:
            values[key] = list(getattr(message, name))

        return write_plain

    def write(message: Any, values: dict[str, Json]) -> None:
        values[key] = [convert(value) for value in getattr(message, name)]

    return write


def _map(field: FieldDescriptor) -> _Write:
    name, key = field.name, field.json_name
    entry = _entry_of(field).fields_by_name
    convert, key_text = _value(entry["value"]), _key_text(entry["key"])

    def write(message: Any, values: dict[str, Json]) -> None:
        values[key] = {key_text(k): convert(v) for k, v in getattr(message, name).items()}

    return write


def _is_map(field: FieldDescriptor) -> bool:
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def _entry_of(field: FieldDescriptor) -> Descriptor:
    """The message that stands behind a map."""
    if field.message_type is None:
        raise TypeError(f"{field.full_name} is no map")
    return field.message_type


def _key_text(field: FieldDescriptor) -> Callable[[Any], str]:
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return lambda value: "true" if value else "false"
    return str


def _value(field: FieldDescriptor) -> Convert:
    if field.message_type is not None:
        return writer(field.message_type)
    if field.enum_type is not None:
        names = {value.number: value.name for value in field.enum_type.values}
        # A number of a newer release goes out as the number.
        return lambda number: names.get(number, number)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return _bytes
    if field.cpp_type in _LONG:
        return str
    if field.cpp_type == FieldDescriptor.CPPTYPE_FLOAT:
        raise TypeError(f"{field.full_name}: single floats have a JSON form not known here")
    return _as_is


def _as_is(value: Any) -> Json:
    return value


def _bytes(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")
