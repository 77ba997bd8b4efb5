"""The protos with their comments, as the compiler reads them."""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import grpc_tools
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    ServiceDescriptorProto,
)
from grpc_tools import protoc

PROTOS: Final = Path(__file__).parents[2] / "protos"
_GOOGLE: Final = Path(grpc_tools.__file__).parent / "_proto"

# Numbers of fields of the descriptors, by which comments are filed.
_MESSAGE, _ENUM, _SERVICE = 4, 5, 6
_FIELD, _VALUE, _METHOD = 2, 2, 2

Declared: TypeAlias = DescriptorProto | EnumDescriptorProto | ServiceDescriptorProto


@dataclass(frozen=True, slots=True)
class Contract:
    """All that the protos declare, in the order of their files."""

    files: tuple[FileDescriptorProto, ...]
    comments: Mapping[str, str]
    """By full name, such as `.parlor.v1.Seat.player`; blank lines part paragraphs."""

    def declared(self) -> Iterator[tuple[str, Declared]]:
        """Services, messages and enums with their full names."""
        for file in self.files:
            declared: list[Declared] = [*file.service, *file.message_type, *file.enum_type]
            for each in declared:
                yield f".{file.package}.{each.name}", each

    def types(self, file: FileDescriptorProto) -> tuple[str, ...]:
        """The full names of a file's messages, then of its enums."""
        messages = (message.name for message in file.message_type)
        enums = (enum.name for enum in file.enum_type)
        return tuple(f".{file.package}.{name}" for name in (*messages, *enums))

    def used_by(self, names: frozenset[str]) -> frozenset[str]:
        """`names` of services or messages, and of all that their fields and methods lead to."""
        declared = dict(self.declared())
        found: set[str] = set()
        left = set(names)
        while left:
            name = left.pop()
            found.add(name)
            left |= {each for each in _named_by(declared[name]) if each in declared} - found
        return frozenset(found)


def read() -> Contract:
    """The contract as protos/ has it."""
    paths = sorted(path.relative_to(PROTOS) for path in PROTOS.rglob("*.proto"))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "protos.binpb"
        code = protoc.main(
            [
                "",
                f"-I{PROTOS}",
                f"-I{_GOOGLE}",
                "--include_source_info",
                f"-o{out}",
                *map(str, paths),
            ]
        )
        if code:
            raise ValueError("the protos do not compile")
        files = FileDescriptorSet.FromString(out.read_bytes()).file
    comments = {name: text for file in files for name, text in _comments(file)}
    return Contract(tuple(files), comments)


def _comments(file: FileDescriptorProto) -> Iterator[tuple[str, str]]:
    for location in file.source_code_info.location:
        name = _name_at(file, tuple(location.path))
        if name and location.leading_comments:
            lines = (line.strip() for line in location.leading_comments.splitlines())
            yield f".{file.package}.{name}", "\n".join(lines).strip()


def _name_at(file: FileDescriptorProto, path: tuple[int, ...]) -> str:
    """What stands at a path of numbers; empty for what has no comment of interest."""
    match path:
        case (kind, index) if kind == _MESSAGE:
            return file.message_type[index].name
        case (kind, index) if kind == _ENUM:
            return file.enum_type[index].name
        case (kind, index) if kind == _SERVICE:
            return file.service[index].name
        case (kind, index, part, at) if (kind, part) == (_MESSAGE, _FIELD):
            message = file.message_type[index]
            return f"{message.name}.{message.field[at].name}"
        case (kind, index, part, at) if (kind, part) == (_ENUM, _VALUE):
            enum = file.enum_type[index]
            return f"{enum.name}.{enum.value[at].name}"
        case (kind, index, part, at) if (kind, part) == (_SERVICE, _METHOD):
            service = file.service[index]
            return f"{service.name}.{service.method[at].name}"
    return ""


def _named_by(declared: Declared) -> Iterator[str]:
    """The types that a declaration names itself."""
    match declared:
        case DescriptorProto():
            for field in declared.field:
                if field.type in (
                    FieldDescriptorProto.TYPE_MESSAGE,
                    FieldDescriptorProto.TYPE_ENUM,
                ):
                    yield field.type_name
        case ServiceDescriptorProto():
            for method in declared.method:
                yield from (method.input_type, method.output_type)
