"""The definition of a function's graph as TensorFlow's message, which TensorBoard shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.declare.operation_names import CAST
from gradtape._src.declare.unknown_sizes import Size
from gradtape._src.files.tensors import make_tensor_proto
from gradtape._src.messages import protos

if TYPE_CHECKING:
    from gradtape._src.graph.ir.func_graph import FuncGraph, Operation, Part
    from gradtape._src.graph.ir.graph import Symbol

_RESOURCE = 20  # TensorFlow's number for the type of what stands for a variable
_PRODUCER = 2474  # the version of the format of graphs
_NAMES = {"keepdims": "keep_dims"}
_PARTS = {"true": "then_branch", "false": "else_branch"}


def graph_def(graph: FuncGraph, add_shapes: bool = False) -> protos.GraphDef:
    """The definition of a graph; the parts of choices and loops are functions in its library.

    Args:
      graph: The graph.
      add_shapes: Whether each operation tells the shapes of its outputs, as `_output_shapes`.
    """
    made = protos.GraphDef()
    made.versions.producer = _PRODUCER
    for op in graph.get_operations():
        made.node.append(node_def(op, add_shapes))
        made.library.function.extend(_functions(op, add_shapes))
    return made


def _functions(op: Operation, add_shapes: bool) -> Iterator[protos.FunctionDef]:
    """The functions of an operation's parts, and those of theirs."""
    for part in op.parts:
        yield _function(part, add_shapes)
        for inner in part.graph.get_operations():
            yield from _functions(inner, add_shapes)


def _function(part: Part, add_shapes: bool) -> protos.FunctionDef:
    operations = part.graph.get_operations()
    given = [op for op in operations if op.type == "Placeholder"]
    names = {op.name for op in given}
    made = protos.FunctionDef(signature=protos.OpDef(name=part.name))
    for op in given:
        made.signature.input_arg.append(protos.OpDef.ArgDef(name=op.name, type=_type(op)))
    results = part.graph.results
    for op in operations:
        if op not in given and op not in results:
            made.node_def.append(node_def(op, add_shapes, names))
    for i, op in enumerate(results):
        name = f"output_{i}"
        made.signature.output_arg.append(protos.OpDef.ArgDef(name=name, type=_type(op)))
        (source,) = _inputs(op, names)
        made.ret[name] = source
    return made


def node_def(op: Operation, add_shapes: bool = False, arguments: Any = None) -> protos.NodeDef:
    """The definition of an operation.

    Args:
      op: The operation.
      add_shapes: Whether it tells the shapes of its outputs.
      arguments: The names of the arguments of the function that it is in, if it is in one: there
        the names of inputs have another form.
    """
    made = protos.NodeDef(name=op.name, op=op.type, device=op.device)
    made.input.extend(_inputs(op, arguments))
    made.input.extend([f"^{before.name}" for before in op.control_inputs])
    for name, value in _attributes(op):
        made.attr[name].CopyFrom(value)
    if add_shapes and op.symbols:
        shapes = [_shape(y) for y in op.symbols]
        made.attr["_output_shapes"].CopyFrom(
            protos.AttrValue(list=protos.AttrValue.ListValue(shape=shapes))
        )
    return made


def _inputs(op: Operation, arguments: Any = None) -> list[str]:
    if arguments is None:
        return [f"{source.name}:{i}" if i else source.name for source, i in op.sources]
    return [
        source.name if source.name in arguments else f"{source.name}:output:{i}"
        for source, i in op.sources
    ]


def _attributes(op: Operation) -> Iterator[tuple[str, protos.AttrValue]]:
    if op.type == "Placeholder":
        yield "shape", protos.AttrValue(shape=_shape(op.symbols[0]))
        yield "dtype", protos.AttrValue(type=_type(op))
        return
    if op.type == "Const":
        yield "value", protos.AttrValue(tensor=make_tensor_proto(op.value))
    inputs = [kind for kind in (_type(*source) for source in op.sources) if kind != _RESOURCE]
    if op.type == CAST:
        yield "SrcT", protos.AttrValue(type=inputs[0])
        yield "DstT", protos.AttrValue(type=_type(op))
    elif inputs or op.symbols:
        yield "T" if inputs else "dtype", protos.AttrValue(type=inputs[0] if inputs else _type(op))
    for part in op.parts:
        name = _PARTS.get(part.label, part.label).replace(" ", "_")
        yield name, protos.AttrValue(func=protos.NameAttrList(name=part.name))
    for name, x in ({} if op.node is None else op.node.params).items():
        value = _value(x)
        if value is not None:
            yield _NAMES.get(name, name), value


def _type(op: Operation, i: int = 0) -> int:
    """TensorFlow's number for the type of an operation's output."""
    if op.type == "Placeholder" and op.value is not None:
        return _RESOURCE
    return as_dtype(op.symbols[i].np_dtype).as_datatype_enum


def _shape(symbol: Symbol) -> protos.TensorShapeProto:
    return protos.TensorShapeProto(
        dim=[protos.TensorShapeProto.Dim(size=-1 if type(n) is Size else n) for n in symbol.shape]
    )


def _value(x: Any) -> protos.AttrValue | None:
    """A parameter as an attribute; None for what attributes can't hold."""
    if isinstance(x, (bool, np.bool_)):
        return protos.AttrValue(b=bool(x))
    if isinstance(x, (int, np.integer)):
        return protos.AttrValue(i=int(x))
    if isinstance(x, float):
        return protos.AttrValue(f=x)
    if isinstance(x, str):
        return protos.AttrValue(s=x.encode())
    if isinstance(x, np.dtype):
        return protos.AttrValue(type=as_dtype(x).as_datatype_enum)
    if isinstance(x, (tuple, list)) and x and all(type(n) is int for n in x):
        return protos.AttrValue(list=protos.AttrValue.ListValue(i=list(x)))
    return None
