"""Compiles the .proto texts of `src/gradtape/_src/messages`.

    python tools/compile_messages.py [--check]

writes `descriptors.binpb`, from which gradtape makes its message classes on first use, and
`protos.pyi`, which describes them for type checkers. With --check it changes nothing, and exits
with 1 if a file is out of date. The tool, but not gradtape itself, needs the package
`grpcio-tools`, which contains the compiler.
"""

import sys
import tempfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)

SOURCE = Path(__file__).resolve().parents[1] / "src"
ROOM = SOURCE / "gradtape" / "_src" / "messages"
COMMAND = "python tools/compile_messages.py"
SCALARS = {"DOUBLE": "float", "FLOAT": "float", "BOOL": "bool", "STRING": "str", "BYTES": "bytes"}
HEAD = f"""# Written by `{COMMAND}` from the .proto texts; do not edit.
from collections.abc import Iterable, Mapping
from typing import Any

from google.protobuf.any_pb2 import Any as _Any
from google.protobuf.internal.containers import (
    MessageMap,
    RepeatedCompositeFieldContainer,
    RepeatedScalarFieldContainer,
    ScalarMap,
)
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message import Message
from google.protobuf.wrappers_pb2 import BoolValue as _BoolValue
"""
FOREIGN = {".google.protobuf.Any": "_Any", ".google.protobuf.BoolValue": "_BoolValue"}


def compiled() -> FileDescriptorSet:
    """Returns the descriptors of all files, each after those that it imports."""
    from grpc_tools import protoc

    texts = sorted(str(file.relative_to(SOURCE)) for file in ROOM.glob("*.proto"))
    googles = resources.files("grpc_tools") / "_proto"
    with resources.as_file(googles) as imported, tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "set"
        options = ["--include_imports", "--include_source_info", f"--descriptor_set_out={out}"]
        paths = [f"-I{SOURCE}", f"-I{imported}"]
        if protoc.main(["protoc", *paths, *options, *texts]):
            sys.exit("the .proto texts can't be compiled")
        found = FileDescriptorSet.FromString(out.read_bytes())
    for file in found.file:
        keep_comments_of_messages(file)
    return found


def keep_comments_of_messages(file: FileDescriptorProto) -> None:
    """Removes the information about a file's text except the comments above its messages."""
    ours = file.package != "google.protobuf"
    kept = [
        place
        for place in file.source_code_info.location
        if ours and place.leading_comments and len(place.path) == 2 and place.path[0] == 4
    ]
    said = [(tuple(place.path), place.leading_comments) for place in kept]
    file.ClearField("source_code_info")
    for path, comment in said:
        file.source_code_info.location.add(path=path, leading_comments=comment)


def stub(files: FileDescriptorSet) -> str:
    """Returns the stub of all messages, for type checkers."""
    ours = [file for file in files.file if file.package != "google.protobuf"]
    lines = [HEAD]
    for file in ours:
        for kind in file.enum_type:
            lines += enum_lines(kind, "")
        for message in file.message_type:
            lines += ["", *class_lines(message, f".{file.package}.{message.name}", "")]
    return "\n".join(lines) + "\n"


def class_lines(message: DescriptorProto, full_name: str, indent: str) -> Iterator[str]:
    """Yields the class of a message."""
    yield f"{indent}class {message.name}(Message):"
    inner = indent + "    "
    entries = {f"{full_name}.{n.name}": n for n in message.nested_type if n.options.map_entry}
    for kind in message.enum_type:
        yield from enum_lines(kind, inner)
    for nested in message.nested_type:
        if not nested.options.map_entry:
            yield from class_lines(nested, f"{full_name}.{nested.name}", inner)
    parameters = []
    for field in message.field:
        held, taken = field_types(field, entries)
        if held is None:
            yield f"{inner}{field.name}: {taken}"
        else:
            yield f"{inner}@property"
            yield f"{inner}def {field.name}(self) -> {held}: ..."
        parameters.append(f"{field.name}: {taken} | None = ...")
    star = ["*"] if parameters else []
    yield f"{inner}def __init__(self, {', '.join([*star, *parameters])}) -> None: ..."


def enum_lines(kind: EnumDescriptorProto, indent: str) -> Iterator[str]:
    """Yields an enumeration and its values."""
    yield f"{indent}{kind.name}: EnumTypeWrapper"
    for value in kind.value:
        yield f"{indent}{value.name}: int"


def field_types(
    field: FieldDescriptorProto, entries: dict[str, DescriptorProto]
) -> tuple[str | None, str]:
    """Returns the type of a field that can't be assigned, or None; and its message's type."""
    one = type_of(field)
    message = field.type == FieldDescriptorProto.TYPE_MESSAGE
    if field.type_name in entries:
        key, value = (type_of(part) for part in entries[field.type_name].field)
        plain = entries[field.type_name].field[1].type != FieldDescriptorProto.TYPE_MESSAGE
        held = f"{'ScalarMap' if plain else 'MessageMap'}[{key}, {value}]"
        return held, f"Mapping[{key}, {value if plain else f'{value} | Mapping[str, Any]'}]"
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        kind = "Composite" if message else "Scalar"
        given = f"{one} | Mapping[str, Any]" if message else one
        return f"Repeated{kind}FieldContainer[{one}]", f"Iterable[{given}]"
    return (one, f"{one} | Mapping[str, Any]") if message else (None, one)


def type_of(field: FieldDescriptorProto) -> str:
    """Returns the type of one value of a field."""
    if field.type == FieldDescriptorProto.TYPE_MESSAGE:
        return FOREIGN.get(field.type_name) or field.type_name.split(".", 2)[2]
    name = FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_")
    return SCALARS.get(name, "int")


def main() -> int:
    """Writes or checks both files."""
    files = compiled()
    new = {
        ROOM / "descriptors.binpb": files.SerializeToString(deterministic=True),
        ROOM / "protos.pyi": stub(files).encode(),
    }
    stale = [file for file, data in new.items() if not file.exists() or file.read_bytes() != data]
    if "--check" in sys.argv[1:]:
        for file in stale:
            sys.stderr.write(f"{file.name} is out of date: run {COMMAND}\n")
        return 1 if stale else 0
    for file in stale:
        file.write_bytes(new[file])
    return 0


if __name__ == "__main__":
    sys.exit(main())
