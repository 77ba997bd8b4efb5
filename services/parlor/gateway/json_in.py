"""JSON values to messages: one function per message type, made once from its descriptor.

Stricter than proto3 JSON demands: a field that the type does not have, a value of another type, a
number outside its range and a field given twice are refused, and the refusal names the field. How
deep a value may be nested follows from the types.
"""

import base64
import binascii
import math
import re
from collections.abc import Callable
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

from parlor.gateway.json_times import read_instant, read_span

Json = Any

Read = Callable[[Json, Any], None]
"""Reads a JSON value into a message."""
Scalar = Callable[[Json], Any]
"""The value of a plain field."""
_Set = Callable[[Any, Json], None]
"""Sets one field of a message."""

_READERS: dict[str, Read] = {}

_RANGES: Final = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}
_DIGITS: Final = re.compile(r"-?(0|[1-9]\d{0,19})")
_FLOATS: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_MOST_FLOAT: Final = 3.4028234663852886e38


class Malformed(ValueError):
    """A value that does not fit its type; caught at the edge, which refuses the frame with
    MALFORMED.
    """

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = ""
        """Where, such as `command.act.doudizhu`; empty for the whole."""

    def inside(self, part: str) -> "Malformed":
        """The same, seen from one level further out."""
        if not self.path:
            self.path = part
        else:
            self.path = part + self.path if self.path.startswith("[") else f"{part}.{self.path}"
        return self


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
    scalar = _scalar(field)

    def set_scalar(message: Any, value: Json) -> None:
        setattr(message, name, scalar(value))

    return set_scalar


def _repeated(field: FieldDescriptor) -> _Set:
    name = field.name
    read = reader(field.message_type) if field.message_type is not None else None
    scalar = _scalar(field) if read is None else None

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
    scalar = _scalar(kind) if read is None else None

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
    return _scalar(field)


def _bool_key(value: Json) -> bool:
    if value not in ("true", "false"):
        raise Malformed("expected true or false")
    return bool(value == "true")


def _scalar(field: FieldDescriptor) -> Scalar:
    if field.enum_type is not None:
        return _enum(field.enum_type)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return _bytes
    if field.type == FieldDescriptor.TYPE_STRING:
        return _string
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return _bool
    if field.cpp_type in _RANGES:
        return _integer(*_RANGES[field.cpp_type])
    return _floating(_MOST_FLOAT if field.cpp_type == FieldDescriptor.CPPTYPE_FLOAT else math.inf)


def _integer(least: int, most: int) -> Scalar:
    def read(value: Json) -> int:
        # bool is an int to Python and none to JSON.
        if (type(value) is str and _DIGITS.fullmatch(value)) or (
            type(value) is float and value.is_integer()
        ):
            value = int(value)
        if type(value) is not int:
            raise Malformed("expected a whole number")
        if not least <= value <= most:
            raise Malformed(f"expected a number from {least} to {most}")
        return value

    return read


def _floating(most: float) -> Scalar:
    def read(value: Json) -> float:
        if type(value) is str and value in _FLOATS:
            return _FLOATS[value]
        if type(value) not in (int, float):
            raise Malformed("expected a number")
        if abs(value) > most:
            raise Malformed("number too large")
        try:
            return float(value)
        except OverflowError:
            raise Malformed("number too large") from None

    return read


def _enum(descriptor: EnumDescriptor) -> Scalar:
    numbers = {value.name: value.number for value in descriptor.values}
    known = frozenset(numbers.values())

    def read(value: Json) -> int:
        number = numbers.get(value) if type(value) is str else value
        if type(number) is not int or number not in known:
            raise Malformed(f"expected one of {descriptor.name}")
        return number

    return read


def _bool(value: Json) -> bool:
    if type(value) is not bool:
        raise Malformed("expected true or false")
    return value


def _string(value: Json) -> str:
    if type(value) is not str:
        raise Malformed("expected a string")
    return value


def _bytes(value: Json) -> bytes:
    if type(value) is not str:
        raise Malformed("expected base64")
    # Both alphabets, with or without padding.
    text = value.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise Malformed("expected base64") from None


def _quoted(key: str) -> str:
    """A client's own word, fit to be sent back and logged."""
    return key[:32] if key.isprintable() else "?"
