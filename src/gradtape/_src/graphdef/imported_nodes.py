"""Conversion of the nodes of a message to operations of a graph.

A node is converted to gradtape's operations if all parameters that they need are known while the
graph is built. Otherwise, for example for a `Tile` whose multiples another node computes, it
becomes one operation that runs the node's kernel when a session runs it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from copy import copy
from itertools import pairwise
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype, dtype_of
from gradtape._src.base.errors import UnimplementedError
from gradtape._src.compute.raw_value import boxed
from gradtape._src.core.recorder import STACK
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.unknown_sizes import NeedsSize, Size, UnknownRank
from gradtape._src.graph.ir.graph import Node, Symbol
from gradtape._src.graph.ir.origins import Imported
from gradtape._src.graph.named.func_graph import FuncGraph
from gradtape._src.graph.named.operations import Operation
from gradtape._src.graph.nested.loop_values import StackedArray, stacked
from gradtape._src.graph.nested.uneven_arrays import UnevenArray
from gradtape._src.graphdef.array_kernels import Flow, GradientOf, Stack
from gradtape._src.graphdef.attributes import Attributes
from gradtape._src.graphdef.control_kernels import KeptValues, optional_in
from gradtape._src.graphdef.nodes import Recovered, Step
from gradtape._src.messages import protos
from gradtape._src.ops.array.joining import unstack
from gradtape._src.ops.elementwise.identities import identity_p
from gradtape._src.ops.raw.list_values import TensorList, new_array
from gradtape._src.ops.raw.variant_handles import handle_of, held_by
from gradtape._src.ops.types.tensor_array import TensorArray
from gradtape._src.raw.op_definitions import is_defined, op_definition
from gradtape._src.sessions.graph_variable import GraphVariable
from gradtape._src.sessions.handles import CHANGES, Kept, no_op_p

_VARIANT = "variant"
_HANDLES = (_VARIANT, "resource")
_FLOWS = frozenset({"Add", "AddV2", "AddN", "Identity", "ZerosLike", "StackPushV2"})


class ImportedNodes:
    """Converts nodes to operations.

    Args:
      tracer: The tracer that makes the graph.
      names: The names of the operations by the names of the nodes.
      values: The known values of nodes.
      has_gradients: Whether there are gradients of TensorFlow 1's loops, which run node by node.
    """

    def __init__(
        self, tracer: Any, names: dict[str, str], values: list[Any], has_gradients: bool
    ) -> None:
        self._tracer, self._names, self._values = tracer, names, values
        self._has_gradients = has_gradients
        self._view: FuncGraph = tracer.view
        self._is_open = tracer.open_graph is not None
        self._boxed: dict[Symbol, str] = {}  # the dtype of what is not a tensor when it runs
        self._symbols: dict[int, Symbol] = {}  # the visible symbol of each value, by index

    def add(self, node: Any, step: Step, waits: Sequence[Operation]) -> Operation:
        """Adds the operations of a node, which appear as a single operation.

        Args:
          node: The node.
          step: The function that runs it.
          waits: The operations that have to run before it.

        Returns:
          The operation.
        """
        name, tracer = self._names[step.name], self._tracer
        declared = _Outputs(node, self._has_gradients)
        inputs = [self._values[i] for i in step.inputs]
        self._check_dtypes(declared, node, inputs)
        before = [x.node for x in waits if x.node is not None]
        origins, start = tracer.origins, len(tracer.nodes)
        around, origins.replayed = origins.replayed, Imported.named(name)
        try:
            with tracer.after(before) if before and self._is_open else nullcontext():
                outs = self._outputs(declared, step, inputs)
                own = self._own(outs, start, isinstance(node, Recovered))
                symbols = [
                    self._symbol(x, step.first + i, start, i in declared.references)
                    for i, x in enumerate(own)
                ]
                self._join(tracer.nodes[start:])
        finally:
            origins.replayed = around
        self._values[step.first : step.first + len(own)] = own
        if isinstance(node, Recovered):
            passed = [
                tracer.entry(x) if type(x) is Tensor and held_by(x) is None else y
                for x, y in zip(outs, symbols, strict=True)
            ]
            return self._view._imported(
                name, _identities(passed), passed, symbols, tracer.nodes[start:]
            )
        if own and all(map(_is_known, own)):
            return self._view._add(name, "Const", (), symbols, value=own[0]._value)
        if own and isinstance(own[0], GraphVariable) and not step.inputs:
            tracer.open_graph.imported_variables[name] = own[0]
        given = [self._shown(name, i) for i in step.inputs]
        return self._view._imported(name, node, given, symbols, tracer.nodes[start:])

    def _outputs(self, declared: _Outputs, step: Step, inputs: list[Any]) -> list[Any]:
        """Returns the outputs of a node, for which operations are added."""
        if not self._is_open:
            return list(step.kernel(inputs))
        start = len(self._tracer.nodes)
        if not any(self._is_boxed(x) for x in inputs):
            infers = self._tracer.inferring_nothing()
            try:
                if declared.has_functions:
                    outs = list(self._tracer.as_one(lambda: step.kernel(list(inputs))))
                else:
                    with infers:
                        outs = list(step.kernel(list(inputs)))
            except (UnimplementedError, TypeError, NeedsSize):
                if declared.dtypes is None:
                    raise
            except Exception:
                lists = any(isinstance(x, (Flow, Stack, GradientOf)) or held_by(x) for x in inputs)
                if declared.dtypes is None or not (declared.has_functions or lists):
                    raise
            else:
                conditions = self._tracer.conditions
                if not any(node in conditions for node in self._tracer.nodes[start:]):
                    return outs
                declared.learn(outs)
        self._tracer.take_back(start)
        return self._at_run(declared, step, inputs)

    def _at_run(self, declared: _Outputs, step: Step, inputs: Sequence[Any]) -> list[Any]:
        """Returns an operation that runs the kernel when a session runs it."""
        kernel, dtypes = step.kernel, declared.dtypes
        assert dtypes is not None
        entries = [y for x in inputs for y in _held(x)]
        count = len(entries)
        read = [i for i, x in enumerate(inputs) if isinstance(x, GraphVariable)]
        if declared.is_real:  # gradients by variables are those by their values
            entries += [inputs[i]._read() for i in read]

        def run(xs: list[Tensor]) -> list[Tensor]:
            held = iter(xs[:count])
            variables: dict[int, tuple[Kept, Variable]] = {}
            values = [_rebuilt(x, held, variables) for x in inputs]
            for i, x in zip(read, xs[count:], strict=False):
                values[i]._value, values[i]._id = x._value, x._id
            outs = kernel(list(values))
            if not STACK.recorders:  # a tape records a run for the gradient, without effects
                for kept, variable in variables.values():
                    kept.value = variable._value
            return [
                Tensor(variables[id(y)][0])
                if dtype == "resource" and id(y) in variables
                else _as_tensor(y)
                for y, dtype in zip(outs, dtypes, strict=True)
            ]

        new = self._tracer.decisions.shape_of
        specs = [
            ((), np.dtype(object)) if dtype in _HANDLES else (new(shape), as_dtype(dtype).np_dtype)
            for shape, dtype in zip(declared.shapes, dtypes, strict=True)
        ]
        lists = [i for i, x in enumerate(entries) if self._is_list(x)]
        outs: list[Any] = self._tracer.at_run(
            declared.operation, run, entries, specs, declared.is_stateful, lists
        )
        flows = declared.may_be_flow and self._has_gradients
        pairs = zip(outs, dtypes, strict=True)
        self._boxed.update(
            {
                x._value: dtype
                for x, dtype in pairs
                if dtype in _HANDLES or (flows and dtype == "float32")
            }
        )
        return outs

    def _is_boxed(self, x: Any) -> bool:
        """Whether an input is not a tensor when a session runs."""
        return type(x) is Tensor and type(x._value) is Symbol and x._value in self._boxed

    def _is_list(self, x: Tensor) -> bool:
        """Whether a tensor is a list of tensors when a session runs."""
        return self._is_boxed(x) and self._boxed[x._value] != "resource"

    def _check_dtypes(self, declared: _Outputs, node: Any, inputs: Sequence[Any]) -> None:
        for i, (x, kind) in enumerate(zip(inputs, declared.takes, strict=False)):
            if type(x) is Tensor and kind.name not in _HANDLES and x.dtype is not kind:
                raise ValueError(
                    f"Input {i} of node {self._names[node.name]} was passed {x.dtype.name} from "
                    f"{node.input[i].partition(' ')[0]} incompatible with expected {kind.name}."
                )

    # The visible operation of a node.

    def _own(self, outs: Sequence[Any], start: int, passes: bool) -> list[Any]:
        """Returns the outputs as values of this node alone; adds a no-op if it has no outputs."""
        tracer = self._tracer
        fresh = {y for node in tracer.nodes[start:] for y in node.outputs}
        found = []
        for x in outs:
            made = x
            if type(x) is Tensor and held_by(x) is None:
                if self._is_open:
                    made = tracer.open_graph.constant(x)
                held = type(made._value) is Symbol
                if held and (passes or (made is x and x._value not in fresh)):
                    made = identity_p(made)
                if held:
                    fresh.discard(made._value)
            found.append(made)
        if self._is_open and len(tracer.nodes) == start:
            tracer.operation(no_op_p)
        return found

    def _join(self, nodes: Sequence[Node]) -> None:
        """Makes the last node of an operation wait for all nodes with side effects."""
        acting = [node for node in nodes if _acts(node)]
        if self._is_open and acting and acting != [nodes[-1]]:
            self._tracer.group(acting)

    def _read(self, variable: GraphVariable, start: int) -> Symbol:
        """Returns the value of a variable after the operations of a node."""
        nodes = self._tracer.nodes[start:]
        with self._tracer.after([node for node in nodes if node.primitive in CHANGES]):
            return variable._read_now()

    def _symbol(self, x: Any, place: int, start: int = 0, is_reference: bool = False) -> Symbol:
        """Returns the symbol of a value in the visible graph."""
        if isinstance(x, GraphVariable):
            made = self._read(x, start) if is_reference else x.handle._value
        elif type(x) is Tensor and type(x._value) is Symbol:
            made = self._tracer.entry(x)
        elif type(x) is Tensor:
            made = Symbol(x._value.shape, x._value.dtype, self._tracer)
        else:
            made = Symbol((), np.dtype(object), self._tracer)
        symbol: Symbol = made
        self._symbols[place] = symbol
        return symbol

    def _shown(self, name: str, place: int) -> Symbol | Operation:
        """Returns the visible symbol or constant of an input."""
        found = self._symbols.get(place)
        if found is not None:
            return found
        x = self._values[place]
        if _is_known(x):
            return self._view._constant(f"{name}/Const", x._value)
        return self._symbol(x, place)


class _Outputs:
    """The inputs and outputs of a node, from the definition of its operation.

    Args:
      node: The node.
      has_gradients: Whether there are gradients of TensorFlow 1's loops.

    Attributes:
      operation: The node's operation.
      takes: The dtypes of the inputs.
      dtypes: The dtypes of the outputs, or None if they are unknown.
      shapes: The shapes of the outputs, as far as they are known.
      references: Whether each output is a TensorFlow 1 variable.
      is_real: Whether an output has a gradient.
      has_functions: Whether it runs functions, like conditionals and loops.
      is_stateful: Whether the operation may have side effects.
      may_be_flow: Whether an output may be the flow of an array of TensorFlow 1, a list.
    """

    def __init__(self, node: Any, has_gradients: bool) -> None:
        self.operation = node.op
        self.takes: list[Any] = []
        self.dtypes: list[Any] | None = None
        self.references: set[int] = set()
        self.is_real = self.is_stateful = False
        attributes = node.attr.values()
        is_call = isinstance(node, Recovered) or not is_defined(node.op)
        self.has_functions = is_call or any(x.HasField("func") or x.list.func for x in attributes)
        self.shapes: list[Any] = []
        is_array = node.op.startswith("TensorArray")
        self.may_be_flow = is_array or node.op in _FLOWS or isinstance(node, Recovered)
        if isinstance(node, Recovered):
            self.dtypes, self.shapes = node.dtypes, [None] * len(node.dtypes)
            self.is_real = any(map(_has_gradient, node.dtypes))
        if isinstance(node, Recovered) or not is_defined(node.op):
            return
        definition = op_definition(node.op)
        self.is_stateful = definition.stateful
        given = Attributes(node.attr, definition)
        flat = [(x, d) for x in definition.outputs for d in x.dtypes(given.__getitem__)]
        self.takes = [as_dtype(d) for x in definition.inputs for d in x.dtypes(given.__getitem__)]
        self.references = {i for i, (x, _) in enumerate(flat) if x.is_ref}
        self.dtypes = [getattr(d, "name", d) for _, d in flat]
        self.is_real = any(map(_has_gradient, self.dtypes))
        self.shapes = [None] * len(flat)

    def learn(self, outs: Sequence[Any]) -> None:
        """Refines the shapes of the outputs; each unknown length gets a new name."""
        if all(type(x) is Tensor and type(x._value) is Symbol for x in outs):
            self.shapes = [_renewed(x._value) for x in outs]


def _has_gradient(dtype: str) -> bool:
    return dtype not in _HANDLES and (as_dtype(dtype).is_floating or as_dtype(dtype).is_complex)


def _acts(node: Node) -> bool:
    """Whether the operation changes a variable or a table."""
    alone = node.stateful and not node.outputs and node.primitive is not no_op_p
    return node.primitive in CHANGES or alone


def _renewed(x: Symbol) -> Any:
    """Returns the shape of a value, with new names for its unknown lengths."""
    if type(x.shape) is UnknownRank:
        return None
    return tuple([n.decisions.new() if type(n) is Size else n for n in x.shape])


def _as_tensor(y: Any) -> Tensor:
    """Converts an output of a kernel to a tensor, which holds any other object in a box."""
    if type(y) is Tensor:
        return y
    return Tensor(y._value if isinstance(y, Variable) else boxed(y))


def _is_known(x: Any) -> bool:
    """Whether a value is a tensor that is known, and holds no lists."""
    return type(x) is Tensor and type(x._value) is not Symbol and held_by(x) is None


def _list_in(x: Any) -> TensorList | None:
    """Returns the list of tensors of a graph that a scalar holds; None for other values."""
    found = held_by(x)
    is_list = found is not None and len(found) == 1 and isinstance(found[0], TensorList)
    return found[0] if found and is_list else None


def _held(x: Any) -> list[Tensor]:
    """Returns the tensors in an input: a tensor, a variable, an array, a stack or an optional."""
    listed = _list_in(x)
    if listed is not None:
        return _elements(listed.array)
    kept = optional_in(x)
    if kept is not None:
        return [kept.has_value, *[y for part in kept.values or () for y in _held(part)]]
    if type(x) is Tensor:
        return [x]
    if isinstance(x, GraphVariable):
        return [x.handle]
    if isinstance(x, TensorArray):
        return _elements(x)
    if isinstance(x, GradientOf):
        return _elements(x.array)
    if isinstance(x, Flow):
        return [*_elements(x.array), *_held(x.of)]
    if isinstance(x, Stack):
        return [*_elements(x.array), x.count]
    return []


def _elements(array: TensorArray) -> list[Tensor]:
    """Returns the tensors that hold the elements of an array."""
    whole = stacked(array) if array._open is not None else array
    if isinstance(whole, UnevenArray):
        return [whole._ragged.values, whole._ragged.row_splits]
    if isinstance(whole, StackedArray):
        return [whole.size() if whole._rows is None else whole._rows]
    return [y for x in whole._items for y in _held(x)]


def _rebuilt(x: Any, given: Iterator[Tensor], variables: dict[int, tuple[Kept, Variable]]) -> Any:
    """Returns an input with the tensors of a run in place of those from `_held`.

    Args:
      x: The input.
      given: The tensors.
      variables: Takes the variables that are made, with their values in the session, by id.
    """
    listed = _list_in(x)
    if listed is not None:
        return handle_of(TensorList(_array(listed.array, given, variables)))
    kept = optional_in(x)
    if kept is not None:
        has_value, values = next(given), kept.values or ()
        parts = [_rebuilt(part, given, variables) for part in values]
        return handle_of(KeptValues(parts if has_value._value else None))
    if type(x) is Tensor or isinstance(x, GraphVariable):
        return _value(next(given), variables)
    if isinstance(x, TensorArray):
        return _array(x, given, variables)
    if isinstance(x, GradientOf):
        return GradientOf(_array(x.array, given, variables))
    if isinstance(x, Flow):
        made = Flow(_array(x.array, given, variables))
        made.of = None if x.of is None else _array(x.of, given, variables)
        return made
    if isinstance(x, Stack):
        return Stack(_array(x.array, given, variables), next(given))
    return x


def _array(
    array: TensorArray, given: Iterator[Tensor], variables: dict[int, tuple[Kept, Variable]]
) -> TensorArray:
    """Returns an array with elements of a run; see `_rebuilt`."""
    whole = stacked(array) if array._open is not None else array
    if isinstance(whole, (StackedArray, UnevenArray)):
        made = new_array(whole.dtype, 0, -1, whole._limit, dynamic_size=whole.dynamic_size)
        made._shape = whole.element_shape
    else:
        made = copy(whole)
        made._scope = None
    if isinstance(whole, UnevenArray):
        values, splits = next(given), next(given)._numpy()
        made._items = [values[a:b] for a, b in pairwise(splits.tolist())]
    elif isinstance(whole, StackedArray):
        rows = next(given)
        made._items = [None] * int(rows) if whole._rows is None else list(unstack(rows))
    else:
        made._items = [None if x is None else _rebuilt(x, given, variables) for x in whole._items]
    return made


def _value(x: Tensor, variables: dict[int, tuple[Kept, Variable]]) -> Any:
    """Returns an input of a kernel: a tensor, or an unboxed object."""
    held = x._value
    if isinstance(held, Kept):
        made = Variable(Tensor(held.read()), name=held.name)
        variables[id(made)] = held, made
        return made
    if held.dtype.kind == "O" and not held.shape and not isinstance(held.item(), bytes):
        return held.item()
    return x


def _identities(entries: Sequence[Any]) -> protos.NodeDef:
    """Returns an `IdentityN` node, which stands for a recovered loop or conditional."""
    made = protos.NodeDef(op="IdentityN")
    made.attr["T"].list.type.extend([dtype_of(x).as_datatype_enum for x in entries])
    return made
