"""JSON values as the values of plain fields, and the error that names a misfit."""

import base64
import binascii
import re
from collections.abc import Callable
from typing import Any, Final

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor

Json = Any

Scalar = Callable[[Json], Any]
"""The value of a plain field; raises Malformed."""

_RANGES: Final = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}
_DIGITS: Final = re.compile(r"-?(0|[1-9]\d{0,19})")


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


def scalar_of(field: FieldDescriptor) -> Scalar:
    """The function that reads the values of a plain field."""
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
    if field.cpp_type == FieldDescriptor.CPPTYPE_DOUBLE:
        return _double
    raise TypeError(f"{field.full_name}: single floats have a JSON form not known here")


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


def _enum(descriptor: EnumDescriptor) -> Scalar:
    numbers = {value.name: value.number for value in descriptor.values}
    known = frozenset(numbers.values())

    def read(value: Json) -> int:
        number = numbers.get(value) if type(value) is str else value
        if type(number) is not int or number not in known:
            raise Malformed(f"expected one of {descriptor.name}")
        return number

    return read


def _double(value: Json) -> float:
    """Finite numbers only: nothing here is ever infinite or none."""
    if type(value) is not int and type(value) is not float:
        raise Malformed("expected a number")
    try:
        return float(value)
    except OverflowError:
        raise Malformed("expected a smaller number") from None


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
