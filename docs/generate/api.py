"""docs/api.md: the services that others may call, and every message of theirs, from the protos' comments."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    ServiceDescriptorProto,
)

from docs.generate.protos import Contract, Declared, read
from parlor.gateway.serve import SERVICES
from parlor.v1.error_reason_pb2 import ErrorReason

_HEAD: Final = Path(__file__).with_name("api_head.md")
"""What no comment says: how to call, and the scopes."""

_SCOPE: Final = re.compile(r"`(play|match|rules|open|admin)`")
_NEEDS: Final = re.compile(r"[^.]*\bscopes? `[^.]*")
_REASON: Final = re.compile(r"\b[A-Z]{2}[A-Z_]*\b")
_REASONS: Final = frozenset(
    name.removeprefix("ERROR_REASON_") for name in ErrorReason.DESCRIPTOR.values_by_name
)
_ERRORS: Final = ".parlor.v1.ErrorReason"


def page() -> str:
    """The whole page, in Markdown."""
    contract = read()
    declared = dict(contract.declared())
    public = tuple(f".{name}" for name in SERVICES)
    used = contract.used_by(frozenset(public)) | {_ERRORS}
    parts = [_HEAD.read_text(), "## Services\n"]
    parts += (_type_part(contract, name, declared[name]) for name in public)
    parts.append(_errors(contract, declared[_ERRORS]))
    for file in contract.files:
        shown = [name for name in contract.types(file) if name in used and name != _ERRORS]
        if shown:
            parts.append(f"## {Path(file.name).name}\n")
            parts += (_type_part(contract, name, declared[name]) for name in shown)
    return "\n".join(parts)


def scopes_of(contract: Contract, service: str, method: str) -> tuple[str, ...]:
    """The scopes of which a method needs one, as its comment says, else its service's; none for `Login`."""
    for name in (f"{service}.{method}", service):
        if needs := _NEEDS.findall(_line(contract.comments[name])):
            return tuple(_SCOPE.findall(needs[0]))
    return ()


def _service(contract: Contract, name: str, service: ServiceDescriptorProto) -> str:
    rows = []
    for method in service.method:
        comment = _line(contract.comments[f"{name}.{method.name}"])
        asked = _stream(method.client_streaming) + _link(method.input_type)
        given = _stream(method.server_streaming) + _link(method.output_type)
        scopes = " or ".join(f"`{each}`" for each in scopes_of(contract, name, method.name))
        rows.append((f"`{method.name}`", asked, given, scopes or "none", _linked(comment)))
    heads = ("Method", "Request", "Response", "Scope", "What it does")
    return f"### {service.name}\n\n{_linked(contract.comments[name])}\n\n{_table(heads, rows)}"


def _errors(contract: Contract, errors: object) -> str:
    assert isinstance(errors, EnumDescriptorProto)
    rows = []
    for value in errors.value:
        meaning, _, code = _line(contract.comments[f"{_ERRORS}.{value.name}"]).rpartition(". ")
        if value.number:
            name = value.name.removeprefix("ERROR_REASON_")
            rows.append((f"`{name}`", f"`{code.rstrip('.')}`", f"{meaning}."))
    intro = contract.comments[_ERRORS].split("\n\n")[-1]
    return f"## Errors\n\n{intro}\n\n{_table(('Reason', 'gRPC code', 'Meaning'), rows)}"


def _type_part(contract: Contract, name: str, declared: Declared) -> str:
    match declared:
        case DescriptorProto():
            return _message(contract, name, declared)
        case EnumDescriptorProto():
            return _enum(contract, name, declared)
        case ServiceDescriptorProto():
            return _service(contract, name, declared)


def _message(contract: Contract, name: str, message: DescriptorProto) -> str:
    rows = [
        (
            f"`{field.json_name}`",
            _type(message, field),
            _line(contract.comments[f"{name}.{field.name}"]),
        )
        for field in message.field
    ]
    table = _table(("Field", "Type", "Meaning"), rows) if rows else "It has no fields.\n"
    return f"### {message.name}\n\n{contract.comments[name]}\n\n{table}"


def _enum(contract: Contract, name: str, enum: EnumDescriptorProto) -> str:
    rows = [
        (f"`{value.name}`", str(value.number), _line(contract.comments[f"{name}.{value.name}"]))
        for value in enum.value
    ]
    table = _table(("Value", "Number", "Meaning"), rows)
    return f"### {enum.name}\n\n{contract.comments[name]}\n\n{table}"


def _type(message: DescriptorProto, field: FieldDescriptorProto) -> str:
    """A field's type as JSON has it, with the branch that it is of."""
    name = _type_name(message, field)
    if field.proto3_optional:
        return f"{name}, optional"
    if field.HasField("oneof_index"):
        return f"{name}, one of `{message.oneof_decl[field.oneof_index].name}`"
    return name


def _type_name(message: DescriptorProto, field: FieldDescriptorProto) -> str:
    entry = next(
        (
            each
            for each in message.nested_type
            if each.options.map_entry and field.type_name.endswith(f".{message.name}.{each.name}")
        ),
        None,
    )
    if entry is not None:
        key, value = (_type_name(entry, each) for each in entry.field)
        return f"map of {key} to {value}"
    if field.type_name:
        name = _link(field.type_name)
    else:
        number = FieldDescriptorProto.Type.Name(field.type)
        name = f"`{number.removeprefix('TYPE_').lower()}`"
    is_list = field.label == FieldDescriptorProto.LABEL_REPEATED
    return f"list of {name}" if is_list else name


def _link(type_name: str) -> str:
    if type_name == _ERRORS:
        return "[`ErrorReason`](#errors)"
    name = type_name.rpartition(".")[2]
    return f"[`{name}`](#{name.lower()})" if type_name.startswith(".parlor.") else f"`{name}`"


def _linked(comment: str) -> str:
    """The comment with each reason of a refusal leading to its meaning."""
    return _REASON.sub(
        lambda word: f"[{word[0]}](#errors)" if word[0] in _REASONS else word[0], comment
    )


def _stream(streams: bool) -> str:
    return "stream of " if streams else ""


def _line(comment: str) -> str:
    return " ".join(comment.split())


def _table(heads: Iterable[str], rows: Iterable[tuple[str, ...]]) -> str:
    def line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"

    def lines() -> Iterator[str]:
        names = tuple(heads)
        yield line(names)
        yield line("---" for _ in names)
        yield from map(line, rows)

    return "\n".join(lines()) + "\n"
