"""Builds nodes of TensorFlow's operations, whose attributes follow from their definitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.errors import UnimplementedError
from gradtape._src.declare.operation_names import Names
from gradtape._src.declare.unknown_sizes import Size, UnknownRank
from gradtape._src.files.tensors import make_tensor_proto
from gradtape._src.messages import protos
from gradtape._src.raw.op_definitions import Argument, Attribute, OpDefinition, op_definition

RESOURCE, VARIANT = "resource", "variant"


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor in a graph that is being built.

    Attributes:
      node: The name of its source: a node, or an argument of the function.
      dtype: Its dtype, by name.
      output: The output of the node, "name:index" for a list; empty for an argument.
      place: The index of the output among all outputs of the node.
      shape: Its shape if it is known, perhaps with unknown lengths.
    """

    node: str
    dtype: str
    output: str = ""
    place: int = 0
    shape: tuple[Any, ...] | None = None

    @property
    def rank(self) -> int:
        """The number of its axes."""
        assert self.shape is not None
        return len(self.shape)

    def of_shape(self, shape: Any) -> Value:
        """Returns the value with a known shape."""
        known = shape if type(shape) is UnknownRank else tuple(shape)
        return Value(self.node, self.dtype, self.output, self.place, known)

    def renamed(self, old: str, new: str) -> Value:
        """Returns the value after a node was given another name."""
        if self.node != old:
            return self
        return Value(new, self.dtype, self.output, self.place, self.shape)

    def in_function(self) -> str:
        """Its name for nodes of a function."""
        return f"{self.node}:{self.output}" if self.output else self.node

    def in_graph(self) -> str:
        """Its name for nodes of a graph."""
        return f"{self.node}:{self.place}" if self.place else self.node


class Nodes:
    """The nodes of a function or graph that is being built.

    Args:
      is_function: Whether they belong to a function, in which names of inputs have another form.

    Attributes:
      made: The nodes that were added so far.
    """

    def __init__(self, is_function: bool = True) -> None:
        self.made: list[protos.NodeDef] = []
        self.names = Names()
        self.is_function = is_function
        self.scope = ""
        self._constants: dict[Any, Value] = {}

    def unique(self, name: str) -> str:
        """Returns an unused name for a node."""
        return self.names.unique(name)

    def op(
        self, kind: str, *inputs: Any, name: str = "", after: Sequence[str] = (), **attributes: Any
    ) -> Any:
        """Adds a node of an operation.

        Args:
          kind: TensorFlow's name of the operation.
          *inputs: A value for each of its inputs, or a list of values; anything else becomes a
            constant of the dtype that follows from the definition and the other inputs.
          name: The node's name.
          after: The nodes that have to run before it.
          **attributes: The attributes that don't follow from the inputs.

        Returns:
          The output; a list or tuple if there are several; the node's name if there is no output.
        """
        definition = op_definition(kind)
        values = self._inputs(definition, inputs, attributes)
        node = protos.NodeDef(name=self.unique(self.scope + (name or kind)), op=kind)
        node.input.extend([self.reference(x) for x in _flat(values)])
        node.input.extend([f"^{before}" for before in dict.fromkeys(after)])
        found = _inferred(definition, values) | attributes
        known: dict[str, Any] = {}
        for attribute in definition.attributes.values():
            value = found.pop(attribute.name, None)
            if value is None:
                if not attribute.has_default:
                    raise TypeError(f"{kind} needs the attribute {attribute.name}")
                value = attribute.default
            known[attribute.name] = value
            _check_allowed(kind, attribute, value)
            node.attr[attribute.name].CopyFrom(encoded(attribute.kind, value))
        if found:
            raise TypeError(f"{kind} has no attributes {sorted(found)}")
        self.made.append(node)
        return _outputs(definition, node.name, known)

    def reference(self, x: Value) -> str:
        """Returns the name of an input for a node."""
        return x.in_function() if self.is_function else x.in_graph()

    def const(self, value: Any, dtype: Any = None) -> Value:
        """Returns a constant; equal small constants share a node."""
        array = np.asarray(value, None if dtype is None else as_dtype(dtype).np_dtype)
        kind = as_dtype(array.dtype if dtype is None else dtype).name
        key = (kind, array.shape, array.tobytes()) if array.dtype.kind != "O" else None
        found = self._constants.get(key) if key is not None and array.size <= _SMALL else None
        if found is None:
            found = self.op("Const", name="Const", value=array, dtype=kind).of_shape(array.shape)
            if key is not None and array.size <= _SMALL:
                self._constants[key] = found
        return found

    def _inputs(
        self, definition: OpDefinition, inputs: Sequence[Any], attributes: dict[str, Any]
    ) -> list[Any]:
        if len(inputs) != len(definition.inputs):
            raise TypeError(
                f"{definition.name} takes {len(definition.inputs)} inputs, got {len(inputs)}"
            )
        types = {k: v for k, v in attributes.items() if isinstance(v, (str, np.dtype, type))}
        for argument, x in zip(definition.inputs, inputs, strict=True):
            first = next(
                (v for v in (x if isinstance(x, list) else [x]) if isinstance(v, Value)), None
            )
            if argument.type_attr is not None and first is not None:
                types.setdefault(argument.type_attr, first.dtype)
        return [
            [self._value(definition, a, v, types) for v in x]
            if a.is_list
            else self._value(definition, a, x, types)
            for a, x in zip(definition.inputs, inputs, strict=True)
        ]

    def _value(
        self, definition: OpDefinition, argument: Argument, x: Any, types: dict[str, Any]
    ) -> Value:
        if isinstance(x, Value):
            return x
        kind: Any = argument.dtype
        if argument.type_attr is not None:
            kind = (
                types.get(argument.type_attr) or definition.attributes[argument.type_attr].default
            )
        return self.const(x, kind)


_SMALL = 64  # the maximum number of elements of a shared constant


def _check_allowed(operation: str, attribute: Attribute, value: Any) -> None:
    """Raises UnimplementedError if TensorFlow's operation does not accept the value."""
    if not attribute.allowed:
        return
    of_types = attribute.kind in ("type", "list(type)")
    for one in value if isinstance(value, (list, tuple)) else [value]:
        shown = dtype_name(one) if of_types else one.decode() if isinstance(one, bytes) else one
        if shown not in attribute.allowed:
            raise UnimplementedError(
                None, None, f"TensorFlow's {operation} does not take {attribute.name} = {shown}"
            )


def _flat(values: Iterable[Any]) -> list[Value]:
    return [v for x in values for v in (x if isinstance(x, list) else [x])]


def _inferred(definition: OpDefinition, values: Sequence[Any]) -> dict[str, Any]:
    """Returns the attributes that follow from the inputs."""
    found: dict[str, Any] = {}
    for argument, x in zip(definition.inputs, values, strict=True):
        if argument.number_attr is not None:
            found[argument.number_attr] = len(x)
        if argument.type_list_attr is not None:
            found[argument.type_list_attr] = [v.dtype for v in x]
        elif argument.type_attr is not None and x:
            given = {v.dtype for v in (x if isinstance(x, list) else [x])}
            known = {found.get(argument.type_attr, next(iter(given)))} | given
            if len(known) > 1:
                raise TypeError(f"{definition.name} got dtypes {sorted(known)} for {argument.name}")
            found[argument.type_attr] = known.pop()
        elif argument.dtype is not None:
            wrong = [
                v.dtype for v in (x if isinstance(x, list) else [x]) if v.dtype != argument.dtype
            ]
            if wrong:
                raise TypeError(
                    f"{definition.name} takes {argument.dtype} for {argument.name}, got {wrong[0]}"
                )
    return found


def _outputs(definition: OpDefinition, node: str, attributes: dict[str, Any]) -> Any:
    outs: list[Any] = []
    place = 0
    for argument in definition.outputs:
        dtypes = [dtype_name(d) for d in argument.dtypes(attributes.__getitem__)]
        made = [Value(node, d, f"{argument.name}:{i}", place + i) for i, d in enumerate(dtypes)]
        place += len(made)
        outs.append(made if argument.is_list else made[0])
    if not outs:
        return node
    return outs[0] if len(outs) == 1 else tuple(outs)


def dtype_name(kind: Any) -> str:
    """TensorFlow's name of a dtype."""
    return str(as_dtype(kind).name)


def encoded(kind: str, value: Any) -> protos.AttrValue:
    """Returns the value of an attribute as a message."""
    if kind.startswith("list("):
        inner = kind[5:-1]
        return protos.AttrValue(
            list=protos.AttrValue.ListValue(**{_FIELDS[inner]: [_plain(inner, x) for x in value]})
        )
    return protos.AttrValue(**{_FIELDS[kind]: _plain(kind, value)})


_FIELDS = {
    "int": "i",
    "float": "f",
    "bool": "b",
    "string": "s",
    "type": "type",
    "shape": "shape",
    "tensor": "tensor",
    "func": "func",
}


def _plain(kind: str, value: Any) -> Any:
    if kind == "type":
        return as_dtype(value).as_datatype_enum
    if kind == "string":
        return value if isinstance(value, bytes) else value.encode()
    if kind == "shape":
        return shape_proto(value)
    if kind == "tensor":
        return make_tensor_proto(value)
    if kind == "func":
        return protos.NameAttrList(name=value)
    return {"int": int, "float": float, "bool": bool}[kind](value)


def shape_proto(shape: Sequence[Any] | None) -> protos.TensorShapeProto:
    """Returns a shape as a message; -1 stands for an unknown length, None for an unknown rank."""
    if shape is None or type(shape) is UnknownRank or getattr(shape, "rank", 0) is None:
        return protos.TensorShapeProto(unknown_rank=True)
    return protos.TensorShapeProto(
        dim=[
            protos.TensorShapeProto.Dim(size=-1 if n is None or type(n) is Size else int(n))
            for n in shape
        ]
    )
