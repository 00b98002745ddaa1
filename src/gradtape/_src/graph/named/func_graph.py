"""The graph of a function as TensorFlow shows it, with names for operations and tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from gradtape._src.base import nest
from gradtape._src.base.dtypes import resource
from gradtape._src.base.export import export
from gradtape._src.base.name_scope import current
from gradtape._src.core.extension_point import ExtensionPoint
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.operation_names import (
    CONST,
    IDENTITY,
    LABELS,
    METHODS,
    NO_OP,
    OPERATORS,
    STATIC,
    Names,
    checked,
    default_name,
    scope_of,
)
from gradtape._src.declare.pointwise import Binary
from gradtape._src.graph.ir.graph import Graph, Node, Symbol
from gradtape._src.graph.ir.origins import NOWHERE, Call, Imported, Origin
from gradtape._src.graph.named.contents import Contents, Finished
from gradtape._src.graph.named.known_values import Known
from gradtape._src.graph.named.operations import Operation, definitions

if TYPE_CHECKING:
    from gradtape._src.inspect.pictures.base_picture import Picture
    from gradtape._src.messages import protos


picture_of: ExtensionPoint[Callable[[FuncGraph], Picture]] = ExtensionPoint("pictures of graphs")
"""Returns a graph as a picture."""


@export("__internal__.FuncGraph")
class FuncGraph:
    """The operations of a traced function, with names, in the order in which they were made.

    It grows while the function is traced.

    Args:
      tracer: The tracer that makes the graph.
      name: The function's name.

    Attributes:
      captures_constants: Whether tensors from outside, whose values are part of the graph, count as
        captures.
      outer_graph: The graph of the calling function, or of the function in which it is a branch or
        a loop's body.
    """

    building_function = True
    captures_constants = True
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
        self._read = self._inputs_read = self._known_read = 0
        self._constants: dict[int, Operation | None] = {}  # by the ids of their values
        self._captured: dict[int, Operation] = {}  # constants from outside, likewise
        self._pending: list[Any] = []  # names of nodes and inputs that are not operations yet
        self._handled: set[int] = set()  # the ids of the variables that have a name
        self._handles: dict[int, Operation] = {}
        self._calls: dict[Call, str] = {}
        self._results: list[Operation] = []
        self.imported_functions: dict[str, protos.FunctionDef] = {}

    @classmethod
    def part(cls, graph: Graph, name: str) -> FuncGraph:
        """Returns the named graph of a branch or a loop's body.

        Args:
          graph: The graph.
          name: The name of its function.

        Returns:
          The graph with names.
        """
        made = cls(Finished(), name)
        made._of = Contents(graph.nodes, graph.inputs, [], {}, [], [])
        made.output_symbols = graph.outputs
        return made

    def operation_of(self, node: Node) -> Operation:
        """Returns the operation of a node.

        Args:
          node: A node of the graph.

        Returns:
          The operation.
        """
        return next(op for op in reversed(self.get_operations()) if op.node is node)

    def tensor_of(self, symbol: Symbol) -> Tensor:
        """Returns the tensor of a value, which is the program's own object if the graph knows it.

        Args:
          symbol: A value of the graph.

        Returns:
          A tensor.
        """
        known = self._tracer.tensors.get(symbol)
        return known if known is not None and known._value is symbol else Tensor(symbol)

    def group(self, inputs: Sequence[Any], name: str) -> Operation:
        """Returns an operation that does nothing and runs after others.

        Args:
          inputs: Operations, tensors and variables, in structures of any kind.
          name: The operation's name.

        Returns:
          The operation.
        """
        self._update()
        made = self._add(self._names.unique(current() + name), NO_OP)
        for x in nest.flatten(list(inputs)):
            if isinstance(x, Operation):
                made.control_inputs.append(x)
            elif type(x) is Tensor and x._value in self._producers:
                made.control_inputs.append(self.producer(x._value)[0])
        return made

    def gradient_name(self, operation: Operation) -> str | None:
        """Returns the name of the registered gradient that an operation has instead of its own.

        Args:
          operation: An operation of the graph.

        Returns:
          None, since only `tf.Graph` can give operations other gradients.
        """
        return None

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
                list(of.nodes),
                list(of.inputs),
                list(of.captured),
                dict(of.variables),
                list(of.known),
                of.outside,
            )

    def _update(self) -> None:
        """Adds the nodes, and the known values, that were made since the last update."""
        self._name_nodes()
        pending, self._pending = self._pending, []
        for name, node, *names in pending:
            if type(node) is Symbol:
                self._add(name, "Placeholder", symbols=[node])
            elif type(node) is Known:
                self._show_known(name, node)
            else:
                self._show(name, node, *names)
        if self.output_symbols is not None and self._of is not self._tracer:
            outputs, self.output_symbols = self.output_symbols, None
            self._finish(outputs)

    def _name_nodes(self) -> None:
        """Names the nodes and known values that were made since the last call."""
        inputs, known = self._of.inputs, self._of.known
        for i in range(self._inputs_read, len(inputs)):
            name = self.input_names[i] if i < len(self.input_names) else "Placeholder"
            self._pending.append((self._names.unique(name), inputs[i]))
        self._inputs_read = len(inputs)
        new, self._known_read = known[self._known_read :], len(known)
        for each in new:
            self._name_until(each.place)
            kind = each.kind or CONST
            scope = each.scope.removeprefix(self._tracer.origins.around)
            label = each.label or OPERATORS.get(kind) or LABELS.get(kind, kind)
            self._pending.append((self._names.unique(scope + label), each))
            if each.kind == CONST:
                each.held = each.value  # so that no other value gets its id
                self._constants[id(each.held)] = None
        self._name_until(len(self._of.nodes))

    def _name_until(self, count: int) -> None:
        """Names the nodes before a place."""
        new = self._of.nodes[self._read : count]
        self._read += len(new)
        for origin, group in groupby(new, key=lambda node: node.line or NOWHERE):
            self._take(origin, list(group))

    def _show_known(self, name: str, known: Known) -> None:
        """Adds the operation of a known value; the graph lists only constants."""
        value, shown = known.value, known.kind == CONST
        if value is None:
            return
        symbol = known.symbol = Symbol(value.shape, value.dtype, self._tracer)
        kind = known.kind or CONST
        made = self._add(name, kind, symbols=[symbol], value=value if shown else None, shown=shown)
        if shown:
            self._constants[id(value)] = made

    def symbol_of(self, known: Known) -> Symbol:
        """Returns what programs see of a known value.

        Args:
          known: A known value of the graph.

        Returns:
          A symbol.
        """
        if known.symbol is None:
            self._update()
        symbol: Symbol | None = known.symbol
        assert symbol is not None
        return symbol

    def is_static(self, symbol: Symbol) -> bool:
        """Whether TensorFlow would know a value while the function is traced, if it is known.

        Args:
          symbol: A symbol of the graph.

        Returns:
          False for the result of an operation through which TensorFlow does not follow values.
        """
        return self.producer(symbol)[0].type in STATIC

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
        values = [(i, x) for i, x in enumerate(node.inputs) if type(x) is not Symbol]
        known = [i for i, x in values if id(x) not in self._constants]
        own = [unique(f"{name}/{CONST if roles is None else roles[i]}") for i in known]
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
            constant = None if type(x) is Symbol else self._constants.get(id(x))
            if type(x) is not Symbol and constant is None:
                constant = self._constant(next(names), x, shown)
            inputs.append(constant or x)
        return self._add(name, _kind(node), inputs, node.outputs, node, shown=shown)

    def _constant(self, name: str, value: Any, shown: bool = True) -> Operation:
        symbol = Symbol(value.shape, value.dtype, self._tracer)
        return self._add(name, CONST, symbols=[symbol], value=value, shown=shown)

    def _output(self, value: Any) -> Operation:
        return self._constants.get(id(value)) or self._constant(self._names.unique(CONST), value)

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
            source = y if type(y) is Symbol else self._output(y).symbols[0]
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
        return [*map(self.tensor_of, own[:count]), *self.internal_captures]

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
        captured = [(x, Tensor(s)) for x, s in self._of.captured]
        outside = self._of.outside if self.captures_constants else ()
        return [*held, *captured, *[(x, self._constant_of(x._value).outputs[0]) for x in outside]]

    def _constant_of(self, value: Any) -> Operation:
        """Returns the operation of a value from outside, which the graph may have used up."""
        if id(value) not in self._captured:
            own = [op for op in self._operations if op.type == CONST and op.value is value]
            made = own[0] if own else self._constant(self._names.unique(CONST), value, False)
            self._captured[id(value)] = made
        return self._captured[id(value)]

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
