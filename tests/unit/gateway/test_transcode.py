"""JSON text and protobuf mean the same, with `json_format` as the judge."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parlor.gateway.json_scalars import Malformed
from parlor.gateway.transcode import from_bytes, from_json, to_json
from parlor.v1.matchmaking_service_pb2 import CreateTicketRequest
from parlor.v1.planes_rules_service_pb2 import PlanesRulesServiceCountLayoutsResponse
from parlor.v1.play_pb2 import ClientFrame, Refusal, ServerFrame
from parlor.v1.room_pb2 import Position

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
_RANGES = {
    FieldDescriptor.CPPTYPE_INT32: st.integers(-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_UINT32: st.integers(0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_INT64: st.integers(-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT64: st.integers(0, 2**64 - 1),
    FieldDescriptor.CPPTYPE_BOOL: st.booleans(),
    FieldDescriptor.CPPTYPE_DOUBLE: st.floats(allow_nan=False, allow_infinity=False),
}


def _fill(draw: Callable[..., Any], message: Message, depth: int) -> None:
    """Sets random fields of a message, at most one of each oneof; deep down fewer."""
    descriptor: Any = message.DESCRIPTOR
    if descriptor.full_name == "google.protobuf.Timestamp":
        message.FromMilliseconds(draw(st.integers(0, 4_000_000_000_000)))  # type: ignore[attr-defined]
        return
    if descriptor.full_name == "google.protobuf.Duration":
        message.FromMilliseconds(draw(st.integers(0, 10_000_000)))  # type: ignore[attr-defined]
        return
    for field in _chosen(draw, descriptor, depth):
        if field.is_repeated:
            _fill_repeated(draw, message, field, depth)
        elif field.message_type is not None:
            inner = getattr(message, field.name)
            inner.SetInParent()
            _fill(draw, inner, depth - 1)
        else:
            setattr(message, field.name, draw(_scalar(field)))


def _chosen(draw: Callable[..., Any], descriptor: Descriptor, depth: int) -> list[FieldDescriptor]:
    groups: dict[str, list[FieldDescriptor]] = {}
    for field in descriptor.fields:
        if field.message_type is None or depth > 0:
            oneof = field.containing_oneof
            groups.setdefault(oneof.name if oneof else field.name, []).append(field)
    return [draw(st.sampled_from(fields)) for fields in groups.values() if draw(st.integers(0, 3))]


def _fill_repeated(
    draw: Callable[..., Any], message: Message, field: FieldDescriptor, depth: int
) -> None:
    items = getattr(message, field.name)
    if field.message_type is None:
        items.extend(draw(st.lists(_scalar(field), max_size=3)))
    elif field.message_type.GetOptions().map_entry:
        entry = field.message_type.fields_by_name
        items.update(
            draw(st.dictionaries(_scalar(entry["key"]), _scalar(entry["value"]), max_size=2))
        )
    else:
        for _ in range(draw(st.integers(0, 2))):
            _fill(draw, items.add(), depth - 1)


def _scalar(field: FieldDescriptor) -> st.SearchStrategy[Any]:
    if field.enum_type is not None:
        return st.sampled_from([value.number for value in field.enum_type.values])
    if field.type == FieldDescriptor.TYPE_BYTES:
        return st.binary(max_size=5)
    if field.type == FieldDescriptor.TYPE_STRING:
        return _TEXT
    return _RANGES[field.cpp_type]


@st.composite
def _messages(draw: Callable[..., Any], message_type: type[Message]) -> Message:
    message = message_type()
    _fill(draw, message, 6)
    return message


_thorough = settings(
    max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@_thorough
@given(_messages(ServerFrame))
def test_frames_to_clients_mean_what_json_format_says(frame: Message) -> None:
    _agrees(frame)


@_thorough
@given(_messages(ClientFrame))
def test_frames_from_clients_mean_what_json_format_says(frame: Message) -> None:
    _agrees(frame)


@_thorough
@given(_messages(PlanesRulesServiceCountLayoutsResponse))
def test_shares_are_numbers_to_their_last_digit(answer: Message) -> None:
    _agrees(answer)


@pytest.mark.parametrize("value", ['"0.5"', "true", '"NaN"', "[]", "1" + "0" * 400])
def test_a_share_is_a_number(value: str) -> None:
    text = f'{{"covered": [0.5, 1, {value}]}}'.encode()
    with pytest.raises(Malformed) as refused:
        from_json(text, PlanesRulesServiceCountLayoutsResponse)
    assert refused.value.path in ("covered[2]", "")


def _agrees(frame: Message) -> None:
    text = to_json(frame)
    # The judge writes as many decimals as an instant needs; ours are always three.
    judged = json_format.MessageToDict(frame, always_print_fields_with_no_presence=True)
    assert _plain(json.loads(text)) == _plain(judged)
    assert json_format.Parse(text, type(frame)()) == frame
    assert from_json(text, type(frame)) == frame
    assert from_json(json_format.MessageToJson(frame).encode(), type(frame)) == frame
    original_names = json_format.MessageToJson(frame, preserving_proto_field_name=True)
    assert from_json(original_names.encode(), type(frame)) == frame


def _plain(value: Any) -> Any:
    """The value with its instants and durations cut to what carries meaning."""
    match value:
        case dict():
            return {key: _plain(item) for key, item in value.items()}
        case list():
            return [_plain(item) for item in value]
        case str() if value.endswith(("Z", "s")) and "." in value:
            return value[:-1].rstrip("0").rstrip(".") + value[-1]
        case _:
            return value


@pytest.mark.parametrize("message_type", [ServerFrame, ClientFrame, CreateTicketRequest])
def test_every_branch_of_every_oneof_goes_there_and_back(message_type: type[Message]) -> None:
    for message in _branches(message_type, 6):
        assert json_format.Parse(to_json(message), message_type()) == message
        assert from_json(to_json(message), message_type) == message


def _branches(message_type: type[Message], depth: int) -> list[Message]:
    """Messages that between them have every field of every message set once."""
    made: list[Message] = []
    descriptor: Any = message_type.DESCRIPTOR
    for field in descriptor.fields if depth else ():
        if field.message_type is None or field.message_type.full_name.startswith("google"):
            continue
        inner_type = _class_of(field)
        for inner in [inner_type(), *_branches(inner_type, depth - 1)]:
            if not (field.is_repeated and field.message_type.GetOptions().map_entry):
                value = [inner] if field.is_repeated else inner
                made.append(message_type(**{field.name: value}))
    return made


def _class_of(field: FieldDescriptor) -> type[Message]:
    concrete: type[Message] = getattr(field.message_type, "_concrete_class")  # noqa: B009
    return concrete


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (b"", ""),
        (b"null", ""),
        (b"7", ""),
        (b'{"ping"', ""),
        (b'{"ping": 1}', "ping"),
        (b'{"ping": [], "watch": {}}', "ping"),
        (b'{"nothing": {}}', "nothing"),
        (b'{"\\u0000": {}}', "?"),
        (b'{"open_room": {}, "openRoom": {}}', "openRoom"),
        (b'{"command": {"ready": {"ready": 1}}}', "command.ready.ready"),
        (b'{"command": {"ready": {"entropy": "!"}}}', "command.ready.entropy"),
        (b'{"command": {"join": {"seat": 2147483648}}}', "command.join.seat"),
        (b'{"command": {"join": {"seat": 1.5}}}', "command.join.seat"),
        (b'{"command": {"join": {"seat": true}}}', "command.join.seat"),
        (b'{"command": {"join": {"seat": "01"}}}', "command.join.seat"),
        (b'{"hello": {"positions": {}}}', "hello.positions"),
        (b'{"hello": {"positions": [{}, {"seq": "x"}]}}', "hello.positions[1].seq"),
        (b'{"hello": {"positions": [null]}}', "hello.positions[0]"),
        (b'{"hello": {"token": "\xff"}}', ""),
        (b'{"hello": {"token": "\\ud800"}}', ""),
        (b"[" * 100_000, ""),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(text: bytes, path: str) -> None:
    with pytest.raises(Malformed) as refused:
        from_json(text, ClientFrame)
    assert refused.value.path == path


@pytest.mark.parametrize(
    ("text", "seq"),
    [("7", 7), ('"7"', 7), ("7.0", 7), ('"-7"', -7), ("null", 0), ("-2147483648", -(2**31))],
)
def test_numbers_may_be_written_as_proto3_json_allows(text: str, seq: int) -> None:
    assert from_json(f'{{"seq": {text}}}'.encode(), Position).seq == seq


@pytest.mark.parametrize("text", ["AAEC_-8", "AAEC/+8=", "AAEC_-8="])
def test_bytes_may_be_written_in_both_alphabets(text: str) -> None:
    assert from_json(f'{{"token": "{text}"}}'.encode(), Position).token == b"\0\1\2\xff\xef"


def test_zero_values_are_written_and_what_is_absent_is_not() -> None:
    assert json.loads(to_json(Refusal())) == {
        "reason": "ERROR_REASON_UNSPECIFIED",
        "message": "",
        "metadata": {},
    }
    assert to_json(ServerFrame()) == b"{}"


def test_a_reason_of_a_newer_release_goes_out_as_its_number() -> None:
    newer = Refusal.FromString(b"\x08\xe7\x07")
    assert json.loads(to_json(newer))["reason"] == 999


def test_bytes_that_are_no_message_are_refused() -> None:
    with pytest.raises(Malformed):
        from_bytes(b"\xff", ClientFrame)
