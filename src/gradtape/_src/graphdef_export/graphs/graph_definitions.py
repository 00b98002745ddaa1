"""The `GraphDef` of visible graphs: those of functions, and those of TensorFlow 1.

Each visible operation becomes a node of the same name. An operation without a single counterpart in
TensorFlow becomes several nodes, whose names begin with that name and a slash.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.errors import UnimplementedError
from gradtape._src.declare.operation_names import IDENTITY, NO_OP
from gradtape._src.graph.ir.graph import Graph, Node, Symbol
from gradtape._src.graph.named.func_graph import FuncGraph
from gradtape._src.graph.named.operations import Operation
from gradtape._src.graphdef.attributes import Attributes, dtype_of_number
from gradtape._src.graphdef_export import all_rules as _all_rules  # noqa: F401 (declares the rules)
from gradtape._src.graphdef_export.nodes import RESOURCE, Value, dtype_name, shape_proto
from gradtape._src.graphdef_export.parts import Library, Part
from gradtape._src.graphdef_export.tables import filled, is_fixed, is_table, table_handle
from gradtape._src.messages import protos
from gradtape._src.raw.op_definitions import is_defined, op_definition

_PRODUCER = 2474  # the version of the graph format
_CONSTANT, _PLACEHOLDER = "Const", "Placeholder"


class _Everything:
    """A set that contains every value, since later operations of a graph may use any value."""

    def __contains__(self, x: object) -> bool:
        return True

    def __ior__(self, other: object) -> Self:
        return self


class GraphWriter(Part):
    """Writes the nodes of a graph, to which operations may be added later.

    Args:
      graph: The graph.
    """

    def __init__(self, graph: FuncGraph) -> None:
        super().__init__(_Functions(), graph.name, is_function=False)
        self._seen = weakref.ref(graph)
        self._defined: dict[Operation, protos.NodeDef] = {}
        self._count = 0
        self._operation: Operation | None = None
        self._fills: list[str] = []  # the nodes that fill tables
        self._initializers: list[protos.NodeDef] = []  # the nodes that run them
        self.used: Any = _Everything()
        self.orders_effects = graph.building_function

    @property
    def _graph(self) -> FuncGraph:
        graph = self._seen()
        assert graph is not None
        return graph

    def update(self) -> bool:
        """Writes the operations that were added since the last time.

        Returns:
          False if one of them has the name of a node that was made for another operation.
        """
        operations = self._graph.get_operations()
        new = operations[self._count :]
        for op in new:
            if self.names.following(op.name) != op.name:
                return False
            self.names.unique(op.name)
        self._count = len(operations)
        for op in new:
            self._write(op)
        return True

    def node_def(self, op: Operation) -> protos.NodeDef:
        """Returns the node of an operation."""
        if op not in self._defined:  # `op` is a part of an imported operation
            self._write(op)
        return self._defined[op]

    def graph_def(self, add_shapes: bool) -> protos.GraphDef:
        """Returns a message of all nodes and the functions that they call."""
        made = protos.GraphDef()
        made.versions.producer = _PRODUCER
        made.node.extend(self.made)
        made.library.function.extend(self.library.functions)
        known = {f.signature.name for f in self.library.functions}
        made.library.function.extend(
            f for f in self._graph.imported_functions.values() if f.signature.name not in known
        )
        if add_shapes:
            symbols = {op.name: op.symbols for op in self._graph.get_operations()}
            for node in made.node:
                if symbols.get(node.name):
                    shapes = [shape_proto(y.shape) for y in symbols[node.name]]
                    shapes += [shape_proto(None)] * (len(_kinds(node)) - len(shapes))
                    node.attr["_output_shapes"].list.shape.extend(shapes)
        return made

    def tables(self) -> list[tuple[Any, Value]]:
        """Returns the tables that the operations use, with the handles of their nodes."""
        return [(x, handle) for x, handle in self.captures.values() if is_table(x)]

    def _write(self, op: Operation) -> None:
        inputs = [self._given(source, i) for source, i in op.sources]
        around, self.scope, self._operation = (self.scope, self._operation), f"{op.name}/", op
        self._constants.clear()
        start = len(self.made)
        outs = list(self._outputs(op, inputs))
        node = self._named(op, outs, start)
        before = [f"^{x.name}" for x in op.control_inputs]
        for each in self.made[start:] if before else ():
            if each is node or each.op != _CONSTANT:
                each.input.extend(x for x in before if x not in each.input)
        if op.fills_tables:
            node.input.extend(f"^{name}" for name in self._fills)
            self._initializers.append(node)
        node.device = op.device
        gradient = self._graph.gradient_name(op)
        if gradient is not None:
            node.attr["_gradient_op_type"].s = gradient.encode()
        self._defined[op] = node
        self.scope, self._operation = around

    def _given(self, source: Operation, i: int) -> Value:
        symbol = source.symbols[i]
        if symbol not in self._values:
            self._write(source)
        return self._values[symbol]

    def _outputs(self, op: Operation, inputs: Sequence[Value]) -> Iterator[Value]:
        """Yields the outputs of an operation, after adding nodes for them."""
        if op.definition is not None:
            yield from self._copied(op, inputs)
        elif op.node is not None:
            self._add(op.node)
            yield from [self._values[y] for y in op.node.outputs]
        elif op.type == NO_OP:
            self.op(NO_OP)
        else:
            yield self._plain(op, inputs)

    def _plain(self, op: Operation, inputs: Sequence[Value]) -> Value:
        """Adds the node of a constant, an identity or a placeholder; returns its output."""
        (symbol,) = op.symbols
        if op.type == _CONSTANT:
            made = self.op(_CONSTANT, value=op.value, dtype=dtype_name(op.value.dtype))
        elif op.type == IDENTITY:
            made = self.op(IDENTITY, inputs[0])
        else:
            captured = op.value is not None
            kind = RESOURCE if captured else dtype_name(symbol.np_dtype)
            made = self.op(_PLACEHOLDER, dtype=kind, shape=() if captured else symbol.shape)
        self._give(symbol, made)
        return self._values[symbol]

    def _copied(self, op: Operation, inputs: Sequence[Value]) -> Iterator[Value]:
        """Adds a copy of the node from which an operation was imported."""
        node = protos.NodeDef()
        assert op.definition is not None
        node.CopyFrom(op.definition)
        node.name = self.unique(self.scope + op.type)
        node.input[:] = [x.in_graph() for x in inputs]
        self.made.append(node)
        kinds = _kinds(node) or [dtype_name(y.np_dtype) for y in op.symbols]
        for place, kind in enumerate(kinds[: len(op.symbols)]):
            yield Value(node.name, kind, f"output:{place}", place)

    def _named(self, op: Operation, outs: Sequence[Value], start: int) -> protos.NodeDef:
        """Renames the node that computes an operation's outputs to the operation's name."""
        own = {node.name: node for node in self.made[start:]}
        nodes = {x.node for x in outs}
        direct = all(x.place == i for i, x in enumerate(outs)) and len(nodes) <= 1
        if not direct or not own.keys() >= nodes:
            outs = self.op("IdentityN", outs) if len(outs) > 1 else [self.op(IDENTITY, *outs)]
        node = next(
            (x for x in self.made[start:] if outs and x.name == outs[0].node), self.made[-1]
        )
        old, node.name = node.name, op.name
        for other in self.made[start:]:
            other.input[:] = [_renamed(x, old, op.name) for x in other.input]
        self.rename(old, op.name)
        for symbol, x in zip(op.symbols, outs, strict=True):
            self._give(symbol, Value(op.name, x.dtype, x.output, x.place))
        return node

    # Methods that rules call.

    def value(self, x: Any) -> Value:
        if type(x) is Symbol and x not in self._values:
            self._given(*self._graph.producer(x))
        assert self._operation is not None
        if type(x) is not Symbol:
            for source, i in self._operation.sources:  # `x` is shown as an operation
                if source.value is x:
                    return self._given(source, i)
        return super().value(x)

    def capture(self, thing: Any) -> Value:
        handle = self._graph._handles.get(getattr(thing, "_id", 0))
        if handle is not None:
            return self._given(handle, 0)
        if id(thing) not in self.captures:
            if is_table(thing):
                made = table_handle(self, thing)
                if is_fixed(thing):
                    self._fills.append(filled(self, thing, made))
                    for node in self._initializers:
                        node.input.append(f"^{self._fills[-1]}")
            else:
                made = self.op(_PLACEHOLDER, dtype=RESOURCE, shape=())
            self.captures[id(thing)] = (thing, made)
        return self.captures[id(thing)][1]

    def inner(self, name: str) -> Part:
        assert self._operation is not None
        return Part(self.library, f"{self._operation.name.replace('/', '_')}_{name}")


def _kinds(node: protos.NodeDef) -> list[str]:
    """Returns the dtypes of a node's outputs; empty if its operation does not determine them."""
    if not is_defined(node.op):
        return []
    definition = op_definition(node.op)
    given = Attributes(node.attr, definition)
    return [dtype_name(d) for x in definition.outputs for d in x.dtypes(given.__getitem__)]


def _renamed(reference: str, old: str, new: str) -> str:
    """Returns the name of an input after a node was renamed from `old` to `new`."""
    mark = "^" if reference.startswith("^") else ""
    name, colon, place = reference.removeprefix("^").partition(":")
    return f"{mark}{new}{colon}{place}" if name == old else reference


_writers: WeakKeyDictionary[FuncGraph, GraphWriter] = WeakKeyDictionary()


def writer_of(graph: FuncGraph) -> GraphWriter:
    """Returns the writer of a graph after writing all operations."""
    writer = _writers.get(graph)
    if writer is None or not writer.update():
        writer = _writers[graph] = GraphWriter(graph)
        writer.update()
    return writer


def function_def(name: str, graph: Graph, attributes: Mapping[str, Any]) -> protos.FunctionDef:
    """Returns a graph as the message of a function.

    Args:
      name: The name of the function.
      graph: The graph.
      attributes: More attributes of the message, by name.
    """
    part = Part(_Functions(), name)
    part.finish(part.run(graph, part.arguments_for(graph.inputs)))
    made = part.library.functions[-1]
    made.signature.name = name
    for key, value in attributes.items():
        made.attr[key].CopyFrom(_attribute(value) or protos.AttrValue())
    return made


def attribute(message: protos.AttrValue) -> object:
    """Returns the value of an attribute, as `Operation.get_attr` returns it."""
    kind = message.WhichOneof("value")
    if kind == "type":
        return dtype_of_number(message.type)
    if kind == "list":
        found = [(field.name, x) for field, xs in message.list.ListFields() for x in xs]
        return [dtype_of_number(x) if name == "type" else x for name, x in found]
    return None if kind is None else getattr(message, kind)


class _Functions(Library):
    """The functions that a graph calls, with TensorFlow's names."""

    def unique(self, name: str) -> str:
        return super().unique(name).removeprefix("__inference_")

    def without_rule(
        self, part: Part, node: Node, inputs: Sequence[Value], error: UnimplementedError
    ) -> list[Value]:
        """Adds a node for an operation that TensorFlow lacks, so that it is visible."""
        kind = node.primitive.name
        made = protos.NodeDef(name=part.unique(f"{part.scope}{kind}"), op=kind)
        made.input.extend([part.reference(x) for x in inputs])
        kinds = [x.dtype for x in inputs if x.dtype != RESOURCE]
        kinds += [dtype_name(y.np_dtype) for y in node.outputs]
        if kinds:
            made.attr["T" if inputs else "dtype"].type = as_dtype(kinds[0]).as_datatype_enum
        for name, x in node.params.items():
            value = _attribute(x)
            if value is not None:
                made.attr[name].CopyFrom(value)
        part.made.append(made)
        return [
            Value(made.name, dtype_name(y.np_dtype), f"output:{i}", i)
            for i, y in enumerate(node.outputs)
        ]


def _attribute(x: Any) -> protos.AttrValue | None:
    """Returns a parameter as an attribute, or None if attributes can't hold it."""
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
