"""Calls of graphs: computed by NumPy, and recorded by tapes as one record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

import numpy as np

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base.device_values import lock_of_graphs, state_lock
from gradtape._src.base.dtypes import as_dtype, dtype_of
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.base.name_scope import noted
from gradtape._src.compute.parallel import crew
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.extension_point import wrappable
from gradtape._src.core.primitive import Plan, Primitive
from gradtape._src.core.recorder import STACK, active_tapes, next_id
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.structural import zeros
from gradtape._src.declare.unknown_sizes import (
    NeedsSize,
    Pending,
    UnforeseenLength,
    named_lengths,
)
from gradtape._src.graph.ir.graph import CannotTrace, Graph, Node, Symbol
from gradtape._src.graph.ir.state import UNDO, is_assignment, is_read, is_section, lasts
from gradtape._src.graph.running.interpreter import interpreted
from gradtape._src.graph.running.numpy_program import (
    Program,
    has_length,
    sizes_lacking,
    sizes_needed,
)
from gradtape._src.graph.running.optimize import (
    needed,
    optimized,
    with_changes_in_place,
    with_variables_in_calls,
    without_gradients,
)
from gradtape._src.graph.running.parallel_blocks import with_parallel_blocks
from gradtape._src.graph.tracing.random_draws import Draw
from gradtape._src.graph.tracing.replay import replay, run_node
from gradtape._src.graph.tracing.tracer import Tracer
from gradtape._src.inspect.watchers import TappedPlan

at_once = [False]
"""Whether programs and derivatives are made at the first call, rather than the second."""


@wrappable("_outputs")
class GraphCall:
    """A graph that can be called on tensors, and differentiated to any order.

    Args:
      graph: The graph to compute.
      name: The function's name, for messages.

    Attributes:
      variables: The variables that it reads.
      writes: Whether it assigns variables.
      checks: Whether a run may encounter an unforeseen length.
      lock: A context manager for each run.
    """

    def __init__(self, graph: Graph, name: str) -> None:
        self.name, unknown = name, graph.has_unknown_lengths()
        nodes = needed(graph.nodes, graph.outputs, graph.checks, unknown)
        self._given: Graph | None = graph.with_nodes(nodes)
        self._graph: Graph | None = None  # the optimized graph, once it is computed
        self.checks = _check_order(self._given)
        if unknown:
            nodes = self.graph.nodes
            _check_lengths(self.graph)
        stateful = [n for n in nodes if n.stateful]
        read = [n.params["variable"] for n in stateful if is_read(n)]
        self.variables: list[Variable] = list({v._id: v for v in read}.values())
        self.writes = any(map(is_assignment, stateful))
        locked = self.writes and not any(map(_may_wait, stateful))
        locked = locked or any(map(is_section, stateful))
        self.lock: Any = lock_of_graphs if locked else nullcontext()
        self._only_calls = not locked and all(map(_is_call, nodes))
        self._program: Program | None = None
        self._seconds: dict[Symbol, float] = {}  # how long the operations took, if measured
        self._derivatives: dict[Any, _Derivative | None] = {}
        self._uses: set[Any] = set()
        self._decisions = graph.decisions()

    @property
    def graph(self) -> Graph:
        """The graph after optimization."""
        if self._graph is None:
            with state_lock:
                if self._given is not None:
                    self._graph, self._given = optimized(self._given), None
        assert self._graph is not None
        return self._graph

    @property
    def program(self) -> Program:
        """The graph as a Python function over NumPy's kernels."""
        if self._program is None:
            with state_lock:
                if self._program is None:
                    graph = with_variables_in_calls(without_gradients(self.graph))
                    graph = with_changes_in_place(graph)
                    if self._seconds:
                        graph = with_parallel_blocks(graph, self._seconds, crew.together)
                    self._program = Program(graph, self.name)
        return self._program

    def run(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """Computes raw outputs from raw inputs.

        The first call interprets the graph: many graphs run only once, and generating and compiling
        a program takes far longer.
        """
        if self._only_calls:  # Each kernel call silences NumPy's warnings.
            return self._outputs(values)
        with self.lock, np.errstate(all="ignore"):
            return self._outputs(values)

    def _outputs(self, values: Sequence[Any]) -> tuple[Any, ...]:
        if self._program is None and self._is_first("run"):
            graph = with_variables_in_calls(self._given or self.graph)
            return interpreted(graph, values, self._seconds if crew.together > 1 else None)
        return (self._program or self.program)(values)

    def computed(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Computes outputs from inputs, which no recorder watches."""
        return [Tensor(y) for y in self.run([x._value for x in inputs])]

    def derived(self, graph: Graph, name: str) -> GraphCall:
        """Makes a call like this one from a graph that is part of the derivative."""
        return GraphCall(graph, name)

    def _is_first(self, use: Any) -> bool:
        """Whether this is the first use of this kind, which must be cheap."""
        if use in self._uses:
            return False
        with state_lock:
            new = use not in self._uses
            self._uses.add(use)
        return new and not at_once[0]

    def __call__(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Computes outputs from inputs; each recorder handles the call in its own way."""
        tapes = active_tapes()
        if tapes == ():
            return self.computed(inputs)
        if tapes is None:
            return replay(self.graph, inputs)
        for variable in self.variables:
            for tape in tapes:
                tape.variable_read(variable)
        followed: set[int] = set().union(*[tape.ids for tape in tapes])
        places = tuple([i for i, x in enumerate(inputs) if x._id in followed])
        sources = tuple([v for v in self.variables if v._id in followed])
        if not places and not sources:
            return self.computed(inputs)
        with noted(self.name):
            return self._recorded(inputs, places, sources)

    def _recorded(
        self, inputs: Sequence[Tensor], places: tuple[int, ...], variables: tuple[Variable, ...]
    ) -> list[Tensor]:
        derivative = self._derivative(places, variables)
        if derivative is None or not self._holds(inputs):
            return self._followed(inputs)
        try:
            with taken_back(self.variables) if derivative.checks else nullcontext():
                outs, kept = derivative.forward(inputs)
        except UnforeseenLength:
            return self._followed(inputs)
        specs = [*map(_spec, outs)]
        for y, (_, dtype) in zip(outs, specs, strict=True):
            if as_dtype(dtype).differentiable:
                y._id = next_id()
        sources = [*[inputs[i] for i in places], *variables]

        def vjp(g: Any, ids: Any, saved: Any, static: Any) -> Sequence[Any]:
            given = [g[i] if g[i] is not None else zeros(*specs[i]) for i in derivative.live]
            if active_tapes() == () and not any(type(d) is Tensor for d in given):
                return derivative.backward(kept, given)
            tensors = [d if type(d) is Tensor else Tensor(d) for d in given]
            found = derivative.again(inputs, kept, tensors)
            if any(type(d) is Tensor for d in given):
                return found
            return [_raw(d) for d in found]

        plan = Plan(_CALL, lambda *_: ((*inputs, *kept[0]), None), vjp, always=True)
        for watcher in STACK.recorders:
            watcher.custom(plan, sources, outs)
        return outs

    def _followed(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Computes outputs with each operation recorded by the tapes."""
        with self.lock:
            found = replay(self._given or self.graph, inputs)
        live = [i for i, y in enumerate(found) if dtype_of(y._value).differentiable]
        specs = [(found[i]._value.shape, found[i]._value.dtype) for i in live]

        def vjp(g: Any, ids: Any, saved: Any, static: Any) -> Sequence[Any]:
            return [zeros(*spec) if d is None else d for d, spec in zip(g, specs, strict=True)]

        before = [found[i] for i in live]
        for i in live:
            found[i] = Tensor(found[i]._value)
        plan = Plan(_CALL, lambda *_: ((), None), vjp)
        for watcher in STACK.recorders:  # as one call, every output would depend on all inputs
            watcher.custom(plan, before, [found[i] for i in live])
        return found

    def _holds(self, inputs: Sequence[Tensor]) -> bool:
        """Whether all decisions about unknown lengths hold for these inputs."""
        if self._decisions is None:
            return True
        lengths: dict[str, int] = {}
        for x, tensor in zip(self.graph.inputs, inputs, strict=True):
            lengths.update(named_lengths(x.shape, tensor._value.shape))
        return self._decisions.hold(lengths)

    def _derivative(
        self, places: tuple[int, ...], variables: tuple[Variable, ...]
    ) -> _Derivative | None:
        """Returns the graph's derivative; None if a rule in it needs an unknown length as a number.

        Also None at the first request, since many derivatives are computed only once.
        """
        key = (places, tuple([v._id for v in variables]))
        if key not in self._derivatives:
            with state_lock:
                if self._is_first(key):
                    return None
                if key not in self._derivatives:
                    self._derivatives[key] = self._new_derivative(places, variables)
        return self._derivatives[key]

    def _new_derivative(
        self, places: tuple[int, ...], variables: tuple[Variable, ...]
    ) -> _Derivative | None:
        if self._decisions is None:
            return _Derivative(self, places, variables)
        try:
            return _Derivative(self, places, variables)
        except (Exception, NeedsSize, CannotTrace):  # noqa: BLE001 (the operations one by one tell)
            return None


_CALL = Primitive("StatefulPartitionedCall", lambda *xs: xs)


def _check_lengths(graph: Graph) -> None:
    """Raises NeedsSize if a parameter depends on a length that no value of the graph has."""
    for name in sizes_lacking(graph.inputs, graph.nodes, graph.checks):
        raise NeedsSize(f"the length {name} is not known in a part of the graph")


def _check_order(graph: Graph) -> bool:
    """Whether the graph or its parts check lengths.

    Raises:
      CannotTrace: A check comes after a side effect that can't be reversed.
    """
    structured = [node for node in graph.nodes if node.params and "of" in node.params]
    inside = set(filter(_checks_inside, structured))
    if not graph.checks and not inside:
        return False
    names: set[str] = set()
    pending = Pending(graph.checks)
    for x in graph.inputs:
        names.update(named_lengths(x.shape, x.shape))
    lasting = False
    for node in graph.nodes:
        pending.ready(names)
        checks_inside = node in inside
        if node.stateful and (pending or checks_inside):
            lasting |= lasts(node)
        if lasting and (pending or checks_inside):
            raise CannotTrace("a length that depends on values is checked after a side effect")
        if node.stateful and not lasting:
            lasting = lasts(node)
        for y in node.outputs:
            names.update(named_lengths(y.shape, y.shape))
    return True


def _may_wait(node: Node) -> bool:
    """Whether an operation may wait for another thread while the graph holds the lock."""
    if is_read(node) or is_assignment(node) or isinstance(node.primitive, Draw):
        return False
    of: Any = node.params.get("of")
    while hasattr(of, "of"):  # a gradient, or an operation with the tape that recorded it
        of = of.of
    if hasattr(of, "gives_lock"):  # It gives the lock back if it waits.
        return False
    if not hasattr(of, "graphs") or getattr(of, "rows", None) is not None:
        return True
    return any(_may_wait(n) for graph in of.graphs for n in graph.nodes if n.stateful)


def _is_call(node: Node) -> bool:
    """Whether a node calls one of gradtape's functions as a whole."""
    return "of" in node.params and not hasattr(node.params["of"], "graphs")


def _checks_inside(node: Node) -> bool:
    """Whether an operation, or the parts of a conditional or loop, make checks of lengths."""
    of = node.params.get("of")
    graphs = getattr(of, "graphs", ())
    return getattr(of, "checks", False) or any(
        g.checks or any(map(_checks_inside, g.nodes)) for g in graphs
    )


@contextmanager
def taken_back(variables: Sequence[Variable]) -> Iterator[None]:
    """Returns a context manager that reverses effects if an unforeseen length is encountered.

    Args:
      variables: The variables that it may assign.
    """
    values = [v._value for v in variables]
    journal: list[Callable[[], None]] = []
    token = UNDO.set(journal)
    try:
        yield
    except UnforeseenLength:
        for variable, value in zip(variables, values, strict=True):
            variable._replace(value)
        for undo in reversed(journal):
            undo()
        raise
    finally:
        UNDO.reset(token)


def _spec(x: Tensor) -> tuple[Any, Any]:
    """Returns a tensor's shape and dtype, without fetching the value from a device."""
    value = x._value if x._device is None else x._device
    return value.shape, value.dtype


def _raw(d: Any) -> Any:
    if isinstance(d, IndexedSlices):
        return IndexedSlices(*[_raw(x) for x in (d.values, d.indices, d.dense_shape)])
    return d._value if type(d) is Tensor else d


class _Lines:
    """Gives the operations of a derivative the source lines of the operations they belong to.

    Args:
      tracer: The tracer that makes the graph of the derivative.
      tape: The tape that differentiates.
    """

    def __init__(self, tracer: Tracer, tape: GradientTape) -> None:
        self._origins, self._tape = tracer.origins, tape
        self._of_records: list[Any] = []

    def run(self, node: Node, given: Sequence[Tensor], lengths: dict[str, Any]) -> object:
        """Runs an operation of the graph for `replay`."""
        self._origins.replayed = node.line
        out = run_node(node, given, lengths)
        new = len(self._tape.records) - len(self._of_records)
        self._of_records += [node.line] * new
        return out

    def keep(self) -> None:
        """Traces the derivative of each operation with the line of the operation."""
        self._origins.replayed = None
        self._tape.records[:] = [
            (TappedPlan(record[0], partial(self._within, line)), *record[1:])
            for record, line in zip(self._tape.records, self._of_records, strict=False)
        ]

    def _within(self, line: Any, vjp: Callable[..., Any], *args: Any) -> list[Any]:
        before, self._origins.replayed = self._origins.replayed, line
        try:
            return list(vjp(*args))
        finally:
            self._origins.replayed = before


class _Derivative:
    """A graph that also returns the values that its gradient needs, and the graph of the gradient.

    Args:
      call: The graph to differentiate.
      places: The inputs with respect to which to differentiate.
      variables: The variables with respect to which to differentiate.

    Attributes:
      live: The outputs that can have a cotangent.
      checks: Whether running it forward checks lengths; its gradient may have led to more checks.
    """

    def __init__(
        self, call: GraphCall, places: Sequence[int], variables: Sequence[Variable]
    ) -> None:
        self._make, self._name, graph = call.derived, call.name, call.graph
        tracer = Tracer()
        tracer.decisions = decisions = graph.decisions() or tracer.decisions
        before = set(decisions.taken)
        with state_lock, tracer.scope():
            xs = [tracer.input((x.shape, x.np_dtype)) for x in graph.inputs]
            tape = GradientTape(watch_accessed_variables=False)
            lines = _Lines(tracer, tape)
            with tape:
                tape.watch([xs[i] for i in places])
                tape.watch(list(variables))
                outs = replay(graph, xs, run=lines.run)
            lines.keep()
            self.live = [i for i, y in enumerate(outs) if dtype_of(y._value).differentiable]
            dys = [tracer.input((outs[i]._value.shape, outs[i]._value.dtype)) for i in self.live]
            sources = [*[xs[i] for i in places], *variables]
            found = tape.gradient([outs[i] for i in self.live], sources, output_gradients=dys)
            tracer.settle()
        flat, self._pack = flattened(found)
        grads = [tracer.entry(g) for g in flat]
        results = [tracer.entry(y) for y in outs]
        known = {symbol: x._value for x, symbol in tracer.captured}  # cached Python numbers
        inputs = [x for x in tracer.inputs if x not in known]
        names = [n for x in graph.inputs for n in named_lengths(x.shape, x.shape)]
        checks = [c for c in decisions.besides(names) if c[0] not in before]
        whole = optimized(Graph(inputs, tracer.nodes, [*results, *grads], checks), known)
        tracer.finish()
        results, grads = whole.outputs[: len(results)], whole.outputs[len(results) :]
        self._split(whole, results, grads, [d._value for d in dys])

    def _split(self, whole: Graph, results: list[Any], grads: list[Any], dys: list[Symbol]) -> None:
        """Splits the graph into nodes that depend on cotangents, and nodes that don't."""
        n = len(whole.inputs) - len(dys)
        inputs = whole.inputs[:n]
        later: set[Symbol] = set(dys)
        first, second = [], []
        for node in whole.nodes:
            if later.isdisjoint([x for x in node.inputs if type(x) is Symbol]):
                first.append(node)
            else:
                second.append(node)
                later.update(node.outputs)
        second = needed(second, grads)
        used = [x for node in second for x in node.inputs] + grads
        residuals = [*dict.fromkeys(x for x in used if type(x) is Symbol and x not in later)]
        sources = [*residuals, *dys]
        for length in sizes_needed(second):
            if not any(has_length(x, length) for x in sources):
                made = [y for node in first for y in node.outputs]
                residuals += [x for x in (*inputs, *made) if has_length(x, length)][:1]
        roots = [y for node in first if node.stateful for y in node.outputs]
        outputs = [*results, *residuals, *roots]
        self._forward = self._make(Graph(inputs, first, outputs, whole.checks), self._name)
        self.checks = self._forward.checks
        backward = Graph([*residuals, *dys], second, grads)
        self._backward = self._make(backward, f"gradient of {self._name}")
        pure = [node for node in whole.nodes if not node.stateful]
        self._whole = Graph([*inputs, *roots, *dys], pure, grads)
        self._again: GraphCall | None = None
        self._counts = (len(results), len(residuals))
        self._reads: list[Any] = [
            node.params["variable"] if is_read(node) else None
            for node in first
            if node.stateful
            for _ in node.outputs
        ]

    def forward(self, inputs: Sequence[Tensor]) -> tuple[list[Tensor], Any]:
        """Returns the outputs, and the values that the gradient needs."""
        flat = self._forward.computed(inputs)
        n, m = self._counts
        return flat[:n], (flat[n : n + m], flat[n + m :])

    def backward(self, kept: Any, dys: Sequence[Any]) -> Sequence[Any]:
        """Returns the raw cotangents of the sources."""
        found = self._backward.computed([*kept[0], *map(Tensor, dys)])
        return self._pack([y._value for y in found], raw=True)

    def again(self, inputs: Sequence[Tensor], kept: Any, dys: Sequence[Tensor]) -> Sequence[Any]:
        """Returns the cotangents as tensors that are recorded, for higher derivatives."""
        if self._again is None:
            self._again = self._make(self._whole, f"gradient of {self._name}")
        for root, variable in zip(kept[1], self._reads, strict=True):
            root._id = 0 if variable is None else variable._id
        return self._pack(self._again([*inputs, *kept[1], *dys]), raw=False)


def flattened(found: Sequence[Any]) -> tuple[list[Tensor], Callable[..., list[Any]]]:
    """Flattens gradients to tensors, and returns a function that restores their form."""
    flat: list[Tensor] = []
    recipe: list[Any] = []
    for g in found:
        if isinstance(g, IndexedSlices):
            recipe.append(g.dense_shape)
            flat += [convert_to_tensor(g.values), convert_to_tensor(g.indices)]
        elif g is None:
            recipe.append(_NONE)
        else:
            recipe.append(_DENSE)
            flat.append(convert_to_tensor(g))

    def packed(values: Sequence[Any], raw: bool) -> list[Any]:
        given = iter(values)
        out: list[Any] = []
        for kind in recipe:
            if kind is _NONE:
                out.append(None)
            elif kind is _DENSE:
                out.append(next(given))
            else:
                shape = kind._value if raw and type(kind) is Tensor else kind
                out.append(IndexedSlices(next(given), next(given), shape))
        return out

    return flat, packed


_NONE, _DENSE = object(), object()
