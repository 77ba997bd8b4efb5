"""JSON values to messages: one function per message type, made once from its descriptor.

Stricter than proto3 JSON demands: a field that the type does not have, a value of another type, a
number outside its range and a field given twice are refused, and the refusal names the field. How
deep a value may be nested follows from the types.
"""

from collections.abc import Callable
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from parlor.gateway.json_scalars import Json, Malformed, Scalar, scalar_of
from parlor.gateway.json_times import read_instant, read_span

Read = Callable[[Json, Any], None]
"""Reads a JSON value into a message."""
_Set = Callable[[Any, Json], None]
"""Sets one field of a message."""

_READERS: dict[str, Read] = {}


def reader(descriptor: Descriptor) -> Read:
    """The function that reads JSON values into messages of this type; it raises Malformed."""
    known = _READERS.get(descriptor.full_name)
    if known is not None:
        return known
    if descriptor.full_name.startswith("google.protobuf."):
        return _READERS.setdefault(descriptor.full_name, _well_known(descriptor))
    setters: dict[str, tuple[str, _Set]] = {}

    def read(value: Json, into: Any) -> None:
        if type(value) is not dict:
            raise Malformed("expected an object")
        seen: set[str] = set()
        for key, item in value.items():
            found = setters.get(key)
            if found is None:
                raise Malformed("no such field").inside(_quoted(key))
            # A member of a oneof is the same as any other member of it.
            identity, set_field = found
            if identity in seen:
                raise Malformed("given twice, or beside its alternative").inside(key)
            if item is None:
                continue
            seen.add(identity)
            try:
                set_field(into, item)
            except Malformed as error:
                raise error.inside(key) from None

    _READERS[descriptor.full_name] = read
    for field in descriptor.fields:
        oneof = field.containing_oneof
        setter = (f"oneof {oneof.name}" if oneof else field.name, _setter(field))
        setters[field.json_name] = setters[field.name] = setter
    return read


def _well_known(descriptor: Descriptor) -> Read:
    readers: dict[str, Callable[[str, Any], None]] = {
        "google.protobuf.Timestamp": read_instant,
        "google.protobuf.Duration": read_span,
    }
    read_text = readers.get(descriptor.full_name)
    if read_text is None:
        raise TypeError(f"{descriptor.full_name} has a JSON form of its own that is not known here")

    def read(value: Json, into: Any) -> None:
        if type(value) is not str:
            raise Malformed("expected a string")
        try:
            read_text(value, into)
        except ValueError as error:
            raise Malformed(str(error)[:80]) from None

    return read


def _setter(field: FieldDescriptor) -> _Set:
    if field.is_repeated:
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            return _map(field)
        return _repeated(field)
    name = field.name
    if field.message_type is not None:
        read = reader(field.message_type)

        def set_message(message: Any, value: Json) -> None:
            inner = getattr(message, name)
            # Present even where it is empty.
            inner.SetInParent()
            read(value, inner)

        return set_message
    scalar = scalar_of(field)

    def set_scalar(message: Any, value: Json) -> None:
        setattr(message, name, scalar(value))

    return set_scalar


def _repeated(field: FieldDescriptor) -> _Set:
    name = field.name
    read = reader(field.message_type) if field.message_type is not None else None
    scalar = scalar_of(field) if read is None else None

    def set_repeated(message: Any, value: Json) -> None:
        if type(value) is not list:
            raise Malformed("expected a list")
        items = getattr(message, name)
        for index, item in enumerate(value):
            try:
                if read is not None:
                    read(item, items.add())
                elif scalar is not None:
                    items.append(scalar(item))
            except Malformed as error:
                raise error.inside(f"[{index}]") from None

    return set_repeated


def _map(field: FieldDescriptor) -> _Set:
    name = field.name
    if field.message_type is None:
        raise TypeError(f"{field.full_name} is no map")
    entry = field.message_type.fields_by_name
    key_of, kind = _map_key(entry["key"]), entry["value"]
    read = reader(kind.message_type) if kind.message_type is not None else None
    scalar = scalar_of(kind) if read is None else None

    def set_map(message: Any, value: Json) -> None:
        if type(value) is not dict:
            raise Malformed("expected an object")
        items = getattr(message, name)
        for key, item in value.items():
            try:
                if read is not None:
                    read(item, items[key_of(key)])
                elif scalar is not None:
                    items[key_of(key)] = scalar(item)
            except Malformed as error:
                raise error.inside(_quoted(key)) from None

    return set_map


def _map_key(field: FieldDescriptor) -> Scalar:
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return _bool_key
    return scalar_of(field)


def _bool_key(value: Json) -> bool:
    if value not in ("true", "false"):
        raise Malformed("expected true or false")
    return bool(value == "true")


def _quoted(key: str) -> str:
    """A client's own word, fit to be sent back and logged."""
    return key[:32] if key.isprintable() else "?"
