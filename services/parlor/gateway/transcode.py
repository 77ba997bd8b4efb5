"""Messages to proto3 JSON text and back, for clients of `parlor.v1.json`.

The same meaning as `json_format` gives; tests hold the two against each other.
"""

from typing import Any, TypeVar

import msgspec
from google.protobuf.message import DecodeError, Message

from parlor.gateway.json_in import Read, reader
from parlor.gateway.json_out import Convert, writer
from parlor.gateway.json_scalars import Malformed

M = TypeVar("M", bound=Message)

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def to_json(message: Message) -> bytes:
    """The message as JSON text in UTF-8, without spaces."""
    return _encode(_writer(type(message))(message))


def from_json(text: bytes, message_type: type[M]) -> M:
    """The message that `text` holds; raises Malformed."""
    try:
        value = _decode(text)
    except msgspec.DecodeError as error:
        raise Malformed(str(error)[:120]) from None
    except UnicodeDecodeError:
        raise Malformed("not UTF-8") from None
    except RecursionError:
        raise Malformed("nested too deeply") from None
    message = message_type()
    try:
        _reader(message_type)(value, message)
    except UnicodeEncodeError:
        # Half of a surrogate pair, which JSON can write and UTF-8 cannot.
        raise Malformed("not Unicode text") from None
    return message


def from_bytes(data: bytes, message_type: type[M]) -> M:
    """The message that the protobuf bytes hold; raises Malformed."""
    try:
        return message_type.FromString(data)
    except DecodeError:
        raise Malformed("not a protobuf message of this type") from None


def prepare(*message_types: type[Message]) -> None:
    """Compiles the types now; raises TypeError for one with a field that has no form here."""
    for message_type in message_types:
        _writer(message_type)
        _reader(message_type)


# A class is a cheaper key than the name of a descriptor, which has to be made for every look.
_writers: dict[type[Message], Convert] = {}
_readers: dict[type[Message], Read] = {}


def _writer(message_type: type[Message]) -> Convert:
    found = _writers.get(message_type)
    if found is None:
        descriptor: Any = message_type.DESCRIPTOR
        found = _writers[message_type] = writer(descriptor)
    return found


def _reader(message_type: type[Message]) -> Read:
    found = _readers.get(message_type)
    if found is None:
        descriptor: Any = message_type.DESCRIPTOR
        found = _readers[message_type] = reader(descriptor)
    return found
