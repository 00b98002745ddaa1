"""The graph of a function as TensorFlow shows it, with names for operations and tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from gradtape._src.base.dtypes import resource
from gradtape._src.base.export import export
from gradtape._src.core.extension_point import ExtensionPoint
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare import registered
from gradtape._src.declare.operation_names import (
    IDENTITY,
    METHODS,
    NO_OP,
    Names,
    checked,
    default_name,
    scope_of,
)
from gradtape._src.declare.pointwise import Binary
from gradtape._src.graph.ir.contents import Contents, Finished
from gradtape._src.graph.ir.graph import Graph, Node, Symbol
from gradtape._src.graph.ir.origins import NOWHERE, Call, Imported, Origin

if TYPE_CHECKING:
    from gradtape._src.inspect.pictures.base_picture import Picture
    from gradtape._src.messages import protos


class Definitions(Protocol):
    """Writes graphs as messages."""

    def graph_def(self, graph: FuncGraph, add_shapes: bool) -> protos.GraphDef:
        """Returns a graph as a message."""

    def function_def(self, name: str, graph: Graph, attributes: Any) -> protos.FunctionDef:
        """Returns a graph as the message of a function."""

    def node_def(self, operation: Operation) -> protos.NodeDef:
        """Returns an operation as a message."""

    def attribute(self, operation: Operation, name: str) -> object:
        """Returns an attribute of that message as a value of Python."""


picture_of: ExtensionPoint[Callable[[FuncGraph], Picture]] = ExtensionPoint("pictures of graphs")
"""Returns a graph as a picture."""
definitions: ExtensionPoint[Definitions] = ExtensionPoint("definitions of graphs")
"""Provided by `graphdef_export.graphs`."""


class Operation(registered.Operation):
    """One operation of a graph.

    Args:
      graph: The graph.
      name: Its name.
      kind: TensorFlow's name of the operation, such as "AddV2".
      inputs: Symbols, or operations, each of which stands for its only output.
      node: The node of the graph; None for an operation that only TensorFlow needs.
      value: The value of a constant.

    Attributes:
      definition: For an imported operation, its entry in the imported definition.
    """

    def __init__(
        self,
        graph: FuncGraph,
        name: str,
        kind: str,
        inputs: Sequence[Symbol | Operation] = (),
        node: Node | None = None,
        value: Any = None,
    ) -> None:
        self.graph, self.name, self.type = graph, name, kind
        self.node, self.value = node, value
        self.device = ""
        self.control_inputs: list[Operation] = []
        self._inputs = tuple(inputs)
        self.symbols: list[Symbol] = []
        self.definition: protos.NodeDef | None = None

    @property
    def inputs(self) -> tuple[Tensor, ...]:  # type: ignore[override]
        """The input tensors."""
        return tuple(Tensor(x if isinstance(x, Symbol) else x.symbols[0]) for x in self._inputs)

    @property
    def outputs(self) -> list[Tensor]:  # type: ignore[override]
        """The output tensors."""
        return [Tensor(y) for y in self.symbols]

    def values(self) -> tuple[Tensor, ...]:
        """The output tensors."""
        return tuple(self.outputs)

    @property
    def sources(self) -> list[tuple[Operation, int]]:
        """For each input, the operation that computes it, and the index of its output."""
        return [self.graph.producer(x) if isinstance(x, Symbol) else (x, 0) for x in self._inputs]

    @property
    def node_def(self) -> protos.NodeDef:
        """The operation's entry in the definition of the graph."""
        return definitions.get().node_def(self)

    @cached_property
    def parts(self) -> list[Part]:
        """The graphs that a conditional or loop runs."""
        of = None if self.node is None else self.node.params.get("of")
        graphs: list[Graph] = getattr(of, "graphs", [])
        labels = _PARTS.get(self.type.removeprefix("Stateless"), ())
        found = []
        for i, graph in enumerate(graphs):
            label = labels[i] if len(labels) == len(graphs) else f"part {i + 1}"
            name = f"{self.name}_{label}".replace("/", "_").replace(" ", "_")
            part = FuncGraph.of(graph, name)
            part.given = self._given_to(of, i, len(graph.inputs))
            part.input_names = [self.sources[k][0].name.rpartition("/")[2] for k in part.given]
            found.append(Part(label, name, part))
        return found

    def _given_to(self, of: Any, i: int, count: int) -> Sequence[int]:
        """Returns which of the operation's inputs are the inputs of a part, if that is known."""
        places: Sequence[int] = range(count)
        if hasattr(of, "places"):
            places = [*range(getattr(of, "carried", 0)), *of.places[i]]
        return places if len(places) == count <= len(self._inputs) else ()

    @property
    def origin(self) -> Origin:
        """The call that made the operation."""
        return NOWHERE if self.node is None or self.node.line is None else self.node.line

    @property
    def place(self) -> str:
        """The file and line of the call, empty if they are unknown."""
        site = self.origin.site
        return "" if site is None else f"{site[0].co_filename}:{site[1]}"

    def get_attr(self, name: str) -> object:
        """Returns an attribute of the operation's entry in the definition of the graph.

        Args:
          name: TensorFlow's name of it.

        Raises:
          ValueError: The operation has no attribute of this name.
        """
        return definitions.get().attribute(self, name)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"


class Part(NamedTuple):
    """One of the graphs that a conditional or loop runs.

    Attributes:
      label: Its role, such as a branch or a loop's body.
      name: The name of its function.
      graph: The graph.
    """

    label: str
    name: str
    graph: FuncGraph


_PARTS = {"If": ("true", "false"), "While": ("cond", "body"), "Scan": ("body",)}


@export("__internal__.FuncGraph")
class FuncGraph:
    """The operations of a traced function, with names, in the order in which they were made.

    It grows while the function is traced.

    Args:
      tracer: The tracer that makes the graph.
      name: The function's name.

    Attributes:
      outer_graph: The graph of the calling function, or of the function in which it is a branch or
        a loop's body.
    """

    building_function = True
    operation_type = Operation

    def __init__(self, tracer: Any, name: str) -> None:
        self.name = name
        self._tracer = self._of = tracer
        self.input_names: list[str] = []
        self.given: Sequence[int] = ()  # for a part: its inputs' positions
        self.output_symbols: list[Any] | None = None
        self._operations: list[Operation] = []
        self._producers: dict[Symbol, tuple[Operation, int]] = {}
        self._names = Names()
        self._read = self._inputs_read = 0
        self._pending: list[Any] = []  # names of nodes and inputs that are not operations yet
        self._handled: set[int] = set()  # the ids of the variables that have a name
        self._handles: dict[int, Operation] = {}
        self._calls: dict[Call, str] = {}
        self._results: list[Operation] = []
        self.imported_functions: dict[str, protos.FunctionDef] = {}

    @classmethod
    def of(cls, graph: Graph, name: str) -> FuncGraph:
        """Returns the named graph of a branch or a loop's body.

        Args:
          graph: The graph.
          name: The name of its function.

        Returns:
          The graph with names.
        """
        made = cls(Finished(), name)
        made._of = Contents(graph.nodes, graph.inputs, [], {})
        made.output_symbols = graph.outputs
        return made

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Returns an unused name for an operation of the graph, or for a scope.

        Args:
          name: The name, which gets a number if an operation has it.
          mark_as_used: Whether the name is marked as used.

        Returns:
          The name.
        """
        self._name_nodes()
        return self._names.unique(name) if mark_as_used else self._names.following(name)

    def complete(self) -> None:
        """Keeps the contents of the tracer, which is about to drop them."""
        if self._of is self._tracer:
            of = self._tracer
            self._of = Contents(
                list(of.nodes), list(of.inputs), list(of.captured), dict(of.variables)
            )

    def _update(self) -> None:
        """Adds the nodes that were made since the last update."""
        self._name_nodes()
        pending, self._pending = self._pending, []
        for name, node, *names in pending:
            if type(node) is Symbol:
                self._add(name, "Placeholder", symbols=[node])
            else:
                self._show(name, node, *names)
        if self.output_symbols is not None and self._of is not self._tracer:
            outputs, self.output_symbols = self.output_symbols, None
            self._finish(outputs)

    def _name_nodes(self) -> None:
        """Names the nodes that were made since the last call."""
        inputs, nodes = self._of.inputs, self._of.nodes
        for i in range(self._inputs_read, len(inputs)):
            name = self.input_names[i] if i < len(self.input_names) else "Placeholder"
            self._pending.append((self._names.unique(name), inputs[i]))
        self._inputs_read = len(inputs)
        new = nodes[self._read :]
        self._read = len(nodes)
        for origin, group in groupby(new, key=lambda node: node.line or NOWHERE):
            self._take(origin, list(group))

    def _take(self, origin: Origin, nodes: list[Node]) -> None:
        if type(origin) is Imported:
            for node in nodes:
                inner = f"{origin.whole_name}/{node.primitive.name}"
                self._take_node(self._names.unique(inner), node, shown=False)
            return
        prefix = self._prefix(origin)
        kind = nodes[-1].primitive.name
        if origin.name:
            whole = self._names.unique(prefix + checked(origin.name, bool(prefix)))
        elif len(nodes) == 1:
            whole = self._names.unique(prefix + default_name(origin.function, kind))
        else:
            whole = self._names.unique(prefix + scope_of(origin.function, kind))
        grouped = len(nodes) > 1
        for node in nodes:
            last = node is nodes[-1] and (bool(origin.name) or origin.function in METHODS)
            plain = last or not grouped
            name = whole if plain else self._names.unique(f"{whole}/{node.primitive.name}")
            self._take_node(name, node)

    def _prefix(self, origin: Origin) -> str:
        if origin.call is None:
            return origin.scope
        return f"{self._call_name(origin.call)}/{origin.scope}"

    def _call_name(self, call: Call) -> str:
        made = self._calls.get(call)
        if made is None:
            around = "" if call.around is None else f"{self._call_name(call.around)}/"
            made = self._calls[call] = self._names.unique(around + call.name)
        return made

    def _imported(
        self,
        name: str,
        definition: protos.NodeDef,
        inputs: Sequence[Any],
        symbols: Sequence[Symbol],
        nodes: Sequence[Node],
    ) -> Operation:
        """Shows the nodes into which an imported operation was expanded as one operation."""
        self._update()
        made = self._add(name, definition.op, inputs, symbols, nodes[-1] if nodes else None)
        made.definition = definition
        return made

    def _take_node(self, name: str, node: Node, shown: bool = True) -> None:
        """Names a node, its constants and its variable; their operations are made when needed."""
        unique, variable, handle = self._names.unique, node.params.get("variable"), ""
        if variable is not None and variable._id not in self._handled:
            self._handled.add(variable._id)
            handle = unique(f"{name}/resource")
        roles = "xy" if isinstance(node.primitive, Binary) else None
        known = [i for i, x in enumerate(node.inputs) if type(x) is not Symbol]
        own = [unique(f"{name}/{'Const' if roles is None else roles[i]}") for i in known]
        self._pending.append((name, node, handle, tuple(own), shown))

    def _show(
        self, name: str, node: Node, handle: str, constants: Sequence[str], shown: bool
    ) -> Operation:
        """Adds the operations of a node, with these names."""
        inputs: list[Symbol | Operation] = []
        variable: Any = node.params.get("variable")
        if handle:
            held = [Symbol((), resource.np_dtype, self._tracer)]
            self._handles[variable._id] = self._add(handle, "Placeholder", (), held, None, variable)
        if variable is not None:
            inputs.append(self._handles[variable._id])
        names = iter(constants)
        for x in node.inputs:
            inputs += [x if type(x) is Symbol else self._constant(next(names), x, shown)]
        return self._add(name, _kind(node), inputs, node.outputs, node, shown=shown)

    def _constant(self, name: str, value: Any, shown: bool = True) -> Operation:
        symbol = Symbol(value.shape, value.dtype, self._tracer)
        return self._add(name, "Const", symbols=[symbol], value=value, shown=shown)

    def _add(
        self,
        name: str,
        kind: str,
        inputs: Sequence[Symbol | Operation] = (),
        symbols: Sequence[Symbol] = (),
        node: Node | None = None,
        value: Any = None,
        shown: bool = True,
    ) -> Operation:
        made = self.operation_type(self, name, kind, inputs, node, value)
        made.symbols = list(symbols)
        self._producers.update({y: (made, i) for i, y in enumerate(symbols)})
        if shown:
            self._operations.append(made)
        return made

    def _finish(self, outputs: list[Any]) -> None:
        unique = self._names.unique
        for y in outputs:
            source = y if type(y) is Symbol else self._constant(unique("Const"), y).symbols[0]
            symbol = Symbol(source.shape, source.np_dtype, self._tracer)
            self._results.append(self._add(unique(IDENTITY), IDENTITY, [source], [symbol]))
        if effects := [op for op in self._operations if op.node is not None and op.node.stateful]:
            done = self._add(unique(NO_OP), NO_OP)
            for op, before in [(done, effects), *((x, [done]) for x in self._results)]:
                op.control_inputs = before

    @property
    def outer_graph(self) -> FuncGraph | None:
        return getattr(self._tracer.outer or self._tracer.around, "view", None)

    @property
    def inputs(self) -> list[Tensor]:
        """The input tensors: arguments, then captures, including variables."""
        self._update()
        own = self._of.inputs
        count = len(own) - len(self._of.captured)
        return [*map(Tensor, own[:count]), *self.internal_captures]

    @property
    def outputs(self) -> list[Tensor]:
        """The output tensors, once the function is traced."""
        return [op.outputs[0] for op in self.results]

    @property
    def results(self) -> list[Operation]:
        """The operations that compute the results, once the function is traced."""
        self._update()
        return self._results

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that it reads or assigns."""
        return tuple(self._of.variables.values())

    @property
    def captures(self) -> list[tuple[Any, Tensor]]:
        """The captured values, variables first, each with the tensor that represents it."""
        self._update()
        held = [(op.value.handle, op.outputs[0]) for op in self._handles.values()]
        return [*held, *((x, Tensor(s)) for x, s in self._of.captured)]

    @property
    def external_captures(self) -> list[Any]:
        """The captured values."""
        return [x for x, _ in self.captures]

    @property
    def internal_captures(self) -> list[Tensor]:
        """The tensors that represent the captured values."""
        return [x for _, x in self.captures]

    def get_operations(self) -> list[Operation]:
        """Returns the operations, in the order in which they were made.

        Returns:
          A list of operations.
        """
        self._update()
        return list(self._operations)

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.get_operations())

    def producer(self, symbol: Symbol) -> tuple[Operation, int]:
        """Finds the operation that computes a symbol.

        Args:
          symbol: A symbol of the graph.

        Returns:
          The operation, and the index of its output.
        """
        if symbol not in self._producers:
            self._update()
        return self._producers[symbol]

    def consumers(self, symbol: Symbol) -> list[Operation]:
        """Finds the operations that use a symbol.

        Args:
          symbol: A symbol of the graph.

        Returns:
          The operations.
        """
        return [op for op in self.get_operations() if symbol in op._inputs]

    def name_of(self, symbol: Symbol) -> str:
        """Returns a tensor's name, such as "add:0".

        Args:
          symbol: A symbol of the graph.

        Returns:
          The name, or "unknown:0" if no operation computes the symbol.
        """
        if symbol not in self._producers:
            self._update()
        found = self._producers.get(symbol)
        return "unknown:0" if found is None else f"{found[0].name}:{found[1]}"

    def get_operation_by_name(self, name: str) -> Operation:
        """Returns the operation with a name.

        Args:
          name: The operation's name.

        Returns:
          The operation.

        Raises:
          TypeError: The name is not a string.
          KeyError: The graph has no operation of this name.
          ValueError: The name is that of a tensor.
        """
        for op in self.get_operations():
            if op.name == name:
                return op
        kind = ValueError if ":" in name else KeyError
        raise kind(f"The name {name!r} refers to an Operation which does not exist.")

    def get_tensor_by_name(self, name: str) -> Tensor:
        """Returns the tensor with a name such as "add:0".

        Args:
          name: The tensor's name, such as "add:0".

        Returns:
          The tensor.

        Raises:
          TypeError: The name is not a string.
          KeyError: The graph has no tensor of this name.
          ValueError: The name is not valid for a tensor.
        """
        operation, colon, index = str.rpartition(name, ":")
        if not colon or not index.isdigit():
            raise ValueError(
                f'The name {name!r} looks like an operation\'s: that of a tensor is "name:0".'
            )
        found = self.get_operation_by_name(operation).outputs
        if int(index) < len(found):
            return found[int(index)]
        raise KeyError(f"{name!r} does not exist: its operation has {len(found)} outputs.")

    def as_graph_element(self, name: str) -> Operation | Tensor:
        """Returns the operation or tensor with a name.

        Args:
          name: The name of an operation, or of a tensor, such as "add:0".

        Returns:
          An operation or a tensor.

        Raises:
          KeyError: The graph has no element with this name.
          ValueError: The name is not well formed.
        """
        return self.get_tensor_by_name(name) if ":" in name else self.get_operation_by_name(name)

    def as_graph_def(
        self, from_version: Any = None, add_shapes: bool = False, use_pybind11_proto: bool = False
    ) -> protos.GraphDef:
        """Returns the graph as TensorFlow's message `GraphDef`.

        Args:
          from_version: Accepted for compatibility.
          add_shapes: Whether each operation includes the shapes of its outputs.
          use_pybind11_proto: Accepted for compatibility.

        Returns:
          The message, in which the parts of conditionals and loops are functions.
        """
        return definitions.get().graph_def(self, add_shapes)

    @property
    def _functions(self) -> dict[str, protos.FunctionDef]:
        """The functions in the library of the graph's definition, by name."""
        return {f.signature.name: f for f in self.as_graph_def().library.function}

    def picture(self) -> Picture:
        """Returns a picture of the graph, which notebooks show and `save("graph.svg")` writes.

        Returns:
          A picture.
        """
        return picture_of.get()(self)

    def svg(self) -> str:
        """Returns the picture of the graph as SVG; the tooltip of a box is its line in the program.

        Returns:
          The text of an SVG file.
        """
        return self.picture().to_svg()

    _repr_svg_ = svg

    def __repr__(self) -> str:
        return f"FuncGraph(name={self.name}, id={id(self)})"


_SHOWN = {"If": "StatelessIf", "While": "StatelessWhile", "ResourceGather": "GatherV2"}


def _kind(node: Node) -> str:
    """Returns TensorFlow's name of a node's operation."""
    name = node.primitive.name
    return name if node.stateful else _SHOWN.get(name, name)
