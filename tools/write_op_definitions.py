"""Writes `raw/op_definitions.txt`: the inputs, outputs and attributes of operations.

    python tools/write_op_definitions.py

needs an installed TensorFlow, and must run when gradtape follows a new version of it. The file
contains only facts: names, types, defaults, and whether an operation has state.
`op_definitions.py` describes the format of a line.
"""

import importlib
import inspect
import json
import re
import sys
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "src/gradtape/_src/raw/op_definitions.txt"
LEFT_OUT = re.compile(
    "_|.*TPU|.*Tpu|Xla|Collective|Nccl|TRT|Dtensor|.*Mkl|Mlir|Risc|Uniform(Quant|Deq|Req)|Boosted|Sdca|"
    "TensorForest|Batch(Function|Kernel)|Dummy(?!MemoryCache|SeedGenerator)|.*Gcs|Gcs|.*Bigtable|.*Cloud"
)
"""Operations for hardware that gradtape has not, and TensorFlow's internal ones."""
TELLING = ("type_attr", "number_attr", "type_list_attr")
"""The fields of an input that determine the value of an attribute."""


def main() -> int:
    """Writes the file."""
    importlib.import_module("tensorflow")  # this import loads the operations
    op_def_pb2 = importlib.import_module("tensorflow.core.framework.op_def_pb2")
    session = importlib.import_module("tensorflow.python.client.pywrap_tf_session")

    listed = op_def_pb2.OpList()
    listed.ParseFromString(session.TF_GetBuffer(session.TF_GetAllOpList()))
    lines = [line(op) for op in listed.op if not LEFT_OUT.match(op.name)]
    FILE.write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")
    return 0


def line(op: Any) -> str:
    """Returns an operation as a line of the file."""
    words = [op.name + ("!" if op.is_stateful else "")]
    python = python_names(op)
    words += [argument(x, python.get(x.name)) for x in op.input_arg]
    words += [">", *[argument(x) for x in op.output_arg]]
    words += [";", *[attribute(x, python.get(x.name)) for x in op.attr]]
    return " ".join(words)


def python_names(op: Any) -> dict[str, str]:
    """Returns the arguments whose names in `tf.raw_ops` differ from those in graphs."""
    function = getattr(importlib.import_module("tensorflow").raw_ops, op.name, None)
    if function is None:
        return {}
    inferred = {getattr(x, a) for x in op.input_arg for a in TELLING}
    own = [x.name for x in op.input_arg] + [a.name for a in op.attr if a.name not in inferred]
    python = [name for name in inspect.signature(function).parameters if name != "name"]
    left = [name for name in own if name not in python]
    return dict(zip(left, [name for name in python if name not in own], strict=True))


def argument(arg: Any, python: str | None = None) -> str:
    """An input or output: `name:float32`, `name:$T`, `name:N*$T`, `name:*Tlist`, `name:&$T`."""
    named = f"{arg.name}|{python}" if python else arg.name
    if arg.type_list_attr:
        return f"{named}:*{arg.type_list_attr}"
    kind = f"${arg.type_attr}" if arg.type_attr else dtype(arg.type)
    times = f"{arg.number_attr}*" if arg.number_attr else ""
    return f"{named}:{times}{'&' if arg.is_ref else ''}{kind}"


def attribute(attr: Any, python: str | None = None) -> str:
    """Returns an attribute: `name:type`, its limits, and `=` with its default as JSON."""
    name = f"{attr.name}|{python}" if python else attr.name
    text = f"{name}:{attr.type}{limits(attr)}"
    if not attr.HasField("default_value"):
        return text
    plain = json.dumps(value(attr.default_value), separators=(",", ":"))
    return f"{text}={plain}".replace(" ", "\\u0020")


def limits(attr: Any) -> str:
    """Returns `^` with the least value or length, and the allowed values in braces."""
    least = f"^{attr.minimum}" if attr.has_minimum else ""
    if not attr.HasField("allowed_values"):
        return least
    return f"{least}{{{','.join(sorted(map(str, value(attr.allowed_values))))}}}"


def value(given: Any) -> Any:
    """Converts a default to a value that JSON can contain."""
    kind = given.WhichOneof("value")
    if kind == "list":
        return [item(field.name, x) for field, values in given.list.ListFields() for x in values]
    return item(kind, getattr(given, kind))


def item(kind: str, x: Any) -> Any:
    """Converts one value: types to names, shapes to lists, unknown ranks and lengths to None."""
    if kind == "s":
        return x.decode("latin-1")
    if kind == "type":
        return dtype(x)
    if kind == "shape":
        return None if x.unknown_rank else [d.size if d.size >= 0 else None for d in x.dim]
    if kind == "func":
        return x.name
    if kind == "tensor":
        return tensor(x)
    return x


def tensor(x: Any) -> list[Any]:
    """Returns a default that is a tensor: its dtype, its shape and its elements."""
    array = importlib.import_module("tensorflow").make_ndarray(x)
    return [dtype(x.dtype), list(array.shape), array.ravel().tolist()]


def dtype(number: int) -> str:
    """Returns the name of a dtype."""
    name: str = importlib.import_module("tensorflow").as_dtype(number).name
    return name


if __name__ == "__main__":
    sys.exit(main())
