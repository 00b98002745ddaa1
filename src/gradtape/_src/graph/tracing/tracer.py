"""Makes the graph of a Python function, by running it once on symbols."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.autodiff.walk import pull_back
from gradtape._src.base.device_values import noted, put_back
from gradtape._src.base.display import add_attribute, undefined
from gradtape._src.base.errors import InaccessibleTensorError, InvalidArgumentError
from gradtape._src.base.name_scope import scopes_named_by
from gradtape._src.core.extension_point import ExtensionPoint
from gradtape._src.core.primitive import Outputs, Plan, Primitive, record
from gradtape._src.core.recorder import STACK, Recorder, next_id, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.eager_only import CONCRETE
from gradtape._src.declare.traits import traits_of
from gradtape._src.declare.unknown_sizes import Check, Decisions, NeedsRank, has_sizes
from gradtape._src.graph.ir.graph import (
    CannotTrace,
    KnownSpec,
    NeedsValue,
    Node,
    Spec,
    Symbol,
    end,
    new_node,
    new_symbol,
    spec_of,
)
from gradtape._src.graph.ir.origins import Origin, Origins
from gradtape._src.graph.ir.state import assign_p, is_assignment, is_read, read_p, section_p
from gradtape._src.graph.named.func_graph import FuncGraph
from gradtape._src.graph.named.shown import ShownBesideNodes
from gradtape._src.graph.running.interpreter import first_value
from gradtape._src.graph.tracing.known_operations import KnownOperations
from gradtape._src.graph.tracing.on_unknown_values import called_on_symbols
from gradtape._src.graph.tracing.output_specs import are_specs, elements_of, key_of, output_specs
from gradtape._src.graph.tracing.random_draws import (
    DrawKey,
    OfReplica,
    TracedEngine,
)
from gradtape._src.ops.control.control_flow import ControlFlow
from gradtape._src.ops.random.distributions import OperationStream, stream_of_operation
from gradtape._src.ops.raw.variant_handles import VARIANT, has_open_contents

control_flow: ExtensionPoint[ControlFlow] = ExtensionPoint("conditionals and loops in graphs")
custom_gradients: ExtensionPoint[Any] = ExtensionPoint("custom gradients in graphs")
of_unknown_rank: ExtensionPoint[Any] = ExtensionPoint("operations on tensors of unknown rank")
"""Makes nodes for operations on tensors of unknown rank; see `graph.inference`."""
with_gradients_at_run: ExtensionPoint[Any] = ExtensionPoint("gradients of unknown lengths")
"""Does what `record` does, for operations on unknown lengths; see `graph.inference`."""


class Tracer(ShownBesideNodes, KnownOperations):
    """Records operations on symbols as nodes, and runs operations on known values immediately.

    Args:
      around: The tracer of the calling function.
      sharding: The object that will run the graph in all replicas of a strategy, or None.

    Attributes:
      nodes: The operations so far.
      inputs: The graph's inputs, including captures and variables of an inner graph.
      captured: The captures: `(tensor, symbol)` in order.
      variables: The variables that were read or written, by id, in order.
      written: The variables that were written, by id.
      first: The values of inputs in the call that is traced, if there is one.
      made: The variables that were created during tracing.
      decisions: The decisions about lengths that are unknown while tracing.
      checks: See `Graph`.
      unknown: False as long as all lengths are known; then None.
      held: The symbols from which datasets were made.
      outer: The tracer of the surrounding function; None but for a `PartTracer`.
    """

    compiles = defers = True
    follows_tapes = False  # whether tapes around the function can be used inside
    least_turns = 1  # loops over rows are always traced as loops
    keeps_constants = False  # whether operations on known floats are nodes, for `tf.gradients`
    outer: Tracer | None = None
    in_section = False  # whether a critical section is being traced
    has_section = False  # whether it is a part that contains a critical section
    waits = False  # whether it is a part that may wait for another thread

    def __init__(self, around: Tracer | None = None, sharding: Any = None) -> None:
        control_flow.get()  # loads what `tf.function` provides, if nothing has asked for that yet
        super().__init__()
        self.around, self.sharding = around, sharding
        self.nodes: list[Node] = []
        self.inputs: list[Symbol] = []
        self.captured: list[tuple[Tensor, Symbol]] = []
        self.variables: dict[int, Variable] = {}
        self.written: dict[int, Variable] = {}
        self.first: dict[Symbol, Any] = {}
        self.made: list[weakref.ref[Variable]] = []
        self.finished = False  # whether its graph is complete or discarded
        self._parts: list[Tracer] = []  # the parts of conditionals and loops
        self.decisions, self.checks = Decisions(), list[Check]()
        self.unknown: bool | None = False
        self.held: dict[Symbol, None] = {}
        self.name = ""  # of the function
        self.infers = True  # whether by sample values
        self.for_xla = False  # whether XLA will run the graph
        self.leaves = 0  # the number of tensors among its arguments
        self.origins = Origins()
        self.mark = object()  # the part of the graph in which a TensorArray was made
        self.first_id: int = next_id()
        self._known: dict[tuple[int, int], Symbol] = {}
        self._notes: dict[int, Any] = {}
        self._surrounding: dict[int, Any] = {}  # the values in the surrounding function
        self._dirty: dict[int, Variable] = {}

    def symbol(self, spec: Spec) -> Symbol:
        """Returns a new symbol of a shape and dtype."""
        made = Symbol(*spec, self)
        if made.spec is None:
            self.unknown = None
        return made

    def input(self, spec: Spec) -> Tensor:
        """Returns a new input of the graph, as a tensor for the function."""
        made = self.symbol(spec)
        self.inputs.append(made)
        tensor = self.tensors[made] = Tensor(made)
        return tensor

    def entry(self, x: Tensor) -> Symbol | np.ndarray[Any, Any] | np.generic:
        """Returns the input of a node for a value: a symbol of this graph, or a raw value.

        Raises:
          TypeError: `x` is a symbol of a finished graph.
        """
        value = x._value
        if type(value) is Symbol:
            return value if value.owner is self else self._capture(x, value)
        if 0 < x._id < self.first_id or not isinstance(value, CONCRETE):
            return self._capture(x, value)
        if value.dtype == VARIANT and has_open_contents(x):
            raise CannotTrace("a list of tensors that leaves a function")
        self.constants.setdefault(id(x), weakref.ref(x))
        known: np.ndarray[Any, Any] | np.generic = value
        return known

    def _capture(self, x: Tensor, value: Any) -> Symbol:
        """Returns a tensor from outside as an input."""
        if type(value) is Symbol and not self.reaches(value.owner):
            raise InaccessibleTensorError(str(value.out_of_scope()))
        key = (id(value), x._id)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self.symbol((value.shape, value.dtype))
            self.inputs.append(found)
            self.captured.append((x, found))
        return found

    def reaches(self, owner: Any) -> bool:
        """Whether this is the owner of a symbol, or traces a function or part inside of it."""
        tracer: Tracer | None = self
        while tracer is not None and tracer is not owner:
            tracer = tracer.outer or tracer.around
        return tracer is not None

    def pull_back(self, *walk: Any) -> dict[int, Any]:
        """Runs `pull_back` for a tape; all its operations have the call of `gradient` as origin."""
        origins, before = self.origins, self.origins.replayed
        origins.replayed = before or origins.find()
        try:
            return pull_back(*walk)
        finally:
            origins.replayed = before

    def process_under(
        self,
        tapes: Sequence[Any],
        primitive: Primitive,
        inputs: Sequence[Tensor],
        params: dict[str, Any],
    ) -> Outputs:
        known, entries = bool(inputs), list[Any]()
        for x in inputs:
            value = x._value
            if type(value) is Symbol:
                known = False
                if value.owner is self:
                    entries.append(value)
                    continue
                if value.owner.finished:
                    primitive.check(inputs)  # The program needs the dtype of a kept tensor.
            elif 0 < x._id < self.first_id or not isinstance(value, CONCRETE):
                known = False
            else:
                self.constants.setdefault(id(x), weakref.ref(x))
                entries.append(value)
                continue
            entries.append(self.entry(x))
        kept = self.keeps_constants and any(x.dtype.differentiable for x in inputs)
        always = kept or getattr(primitive, "always_node", False)
        if not known or always or has_sizes([*params.values()]):
            return self._checked(tapes, primitive, entries, inputs, params)
        with replaced(tuple(tapes)):
            out = self._run_known(tapes, primitive, inputs, params)
        made: Any = out if type(out) is tuple else (out,)
        for x in made:
            if not any(x is y for y in inputs):
                self.known_made(x, None, primitive.name, inputs)
        return out

    def _run_known(
        self, tapes: Sequence[Any], primitive: Primitive, inputs: Sequence[Tensor], params: Any
    ) -> Outputs:
        """Runs an operation on known values; one that fails is added, and fails when it runs."""
        try:
            return primitive.bind(*inputs, **params)
        except InvalidArgumentError:
            if not self.infers:
                raise
            entries = [self._capture(x, x._value) for x in inputs]
            return self._checked(tapes, primitive, entries, inputs, params)

    def on_unknown_values(self, call: Any, args: Any, kwargs: Any) -> object:
        """Calls a function again that failed on known values, so that its node fails if it runs."""
        if self.for_xla or not self.infers:
            raise  # noqa: PLE0704
        return called_on_symbols(self, call, args, kwargs)

    def _checked(
        self,
        tapes: Sequence[Any],
        primitive: Primitive,
        entries: Sequence[Any],
        inputs: Sequence[Tensor],
        params: Any,
    ) -> Outputs:
        """Adds an operation that is used with such input specs for the first time."""
        key = key_of(primitive, entries, params)
        specs = None if key is None else primitive.specs.get(key)
        if specs is None:
            chosen = primitive.check(inputs)
            if chosen is not primitive:
                return self.process_under(tapes, chosen, inputs, params)
            in_graph = traits_of(primitive).in_graph
            if in_graph is not None:
                with replaced((self,)):
                    out = in_graph(*inputs, **params)
                record(tapes, primitive, inputs, out, params)
                return out
            try:
                specs = output_specs(primitive, entries, params, key, self.decisions)
            except NeedsRank:
                with replaced((self, *tapes)):
                    whole: Outputs = of_unknown_rank.get()(primitive, inputs, params)
                    return whole
        out = self.add(primitive, entries, params, specs, depth=4)
        given = [x for x in entries if type(x) is Symbol and x.elements is not None]
        if given and key is None and type(out) is Tensor:
            out._value.consists_of(elements_of(primitive, entries, params, self.decisions))
        if tapes:
            keep = with_gradients_at_run.get() if key is None else record
            keep(tapes, primitive, inputs, out, params)
        return out

    def process(
        self, primitive: Primitive, inputs: Sequence[Tensor], params: dict[str, Any]
    ) -> Outputs:
        return self.process_under((), primitive, inputs, params)

    def add(
        self,
        primitive: Primitive,
        entries: Sequence[Any],
        params: dict[str, Any],
        specs: Any,
        stateful: bool = False,
        depth: int = 1,
    ) -> Outputs:
        """Appends a node; returns its output or outputs as tensors; see `Origins.find`."""
        origin = self.origins.replayed or self.origins.find(depth)
        if type(specs) is KnownSpec:  # the usual case
            y = new_symbol(specs, self)
            self.nodes.append(new_node(primitive, tuple(entries), params, (y,), stateful, origin))
            return Tensor(y)
        several = are_specs(specs)
        outputs = [self.symbol(s) for s in (specs if several else (specs,))]
        self.nodes.append(Node(primitive, entries, params, outputs, several, stateful, origin))
        return tuple(map(Tensor, outputs)) if several else Tensor(outputs[0])

    def custom(self, plan: Plan, inputs: Sequence[Any], outputs: Sequence[Tensor]) -> None:
        custom_gradients.get()(self, plan, inputs, outputs)

    @property
    def control_flow(self) -> ControlFlow:
        """The functions that convert branches and bodies of conditionals and loops to graphs."""
        return control_flow.get()

    def drop_effects(self, mark: int) -> None:
        """Lets the operations from a position on run only if their results are used."""
        for node in self.nodes[mark:]:
            node.stateful &= is_read(node) or is_assignment(node)

    def known_value(self, symbol: Symbol) -> object:
        """Returns the value of a symbol if it is the same in every run, else None."""
        return None

    def needs_value(self, why: str) -> BaseException:
        """Returns the error for the request of a symbol's value."""
        return NeedsValue(why)

    def take_back(self, start: int) -> None:
        """Does nothing: unused operations are removed when the graph is complete."""

    def last_operation(self) -> object:
        """Returns the operation of a call without results; None except in TensorFlow 1 graphs."""
        return None

    def leave_out(self, operation: str) -> None:
        """Ends the tracing at a check of values that is not an operation."""
        raise CannotTrace(operation)

    def refuse(self, operation: str) -> None:
        """Ends the tracing at a side effect."""
        raise CannotTrace(operation)

    def hold(self, variable: Variable) -> None:
        """Replaces a variable's value by a symbol until tracing ends."""
        if variable._id in self.variables and not variable._replicated:
            return
        for each in self._held_of(variable):
            self._hold(each)

    def _held_of(self, variable: Variable, written: bool = False) -> Sequence[Any]:
        """Returns the objects that hold a variable's value: itself, or components of replicas."""
        if variable._replicated and self.sharding is None:
            return variable._in_graphs(written)
        return (variable,)

    def _hold(self, variable: Variable) -> None:
        if variable._id in self.variables:
            return
        value = variable._at_hand()
        if variable._is_traced():
            self._hold_again(variable, value)
            return
        if type(value) is Symbol:
            return  # created during this trace
        note = noted(variable)
        variable._begin_tracing(self._read_now(variable, variable._primary()))
        self.variables[variable._id] = variable
        self._notes[variable._id] = note

    def _hold_again(self, variable: Variable, value: Any) -> None:
        """Replaces the value of a variable that a surrounding trace has replaced already."""
        self._surrounding[variable._id] = value
        self.variables[variable._id] = variable
        variable._put(self._read(variable, (value.shape, value.dtype)))

    def _read_now(self, variable: Variable, value: Any) -> Any:
        """Reads a variable, which now has a value, in the shape that it has in every run."""
        shape, known, dtype = variable.shape, value.shape, value.dtype
        if self.for_xla or shape._dims == known or shape.is_fully_defined():
            return self._read(variable, spec_of(known, dtype) or (known, dtype))
        dims = None if shape.rank is None else shape.as_list()
        return self._read(variable, (self.decisions.shape_of(dims), dtype))

    def _read(self, variable: Variable, spec: Spec) -> Any:
        out = self.add(read_p.primitive, (), {"variable": variable}, spec, stateful=True, depth=4)
        assert type(out) is Tensor
        return out._value

    def variable_read(self, variable: Variable) -> None:
        i = variable._id
        if i in self.variables and i not in self._dirty and not variable._replicated:
            return
        for each in self._held_of(variable):
            self._read_again(each)

    def _read_again(self, variable: Variable) -> None:
        self._hold(variable)
        if variable._id in self._dirty:
            # The value depends on the variable, not on the assigned tensor.
            self._settle(variable, self.origins.find(2))
            variable._put(self._read_now(variable, variable._at_hand()))

    def variable_written(self, variable: Variable) -> None:
        self.hold(variable)
        if self.sharding is not None:
            self.sharding.check_written(variable)
        for each in self._held_of(variable, True):
            if each._id in self.variables:
                self.written[each._id] = self._dirty[each._id] = each

    def variable_made(self, variable: Variable) -> None:
        """Records a variable that the function makes, and assigns its initial value."""
        value = variable._value
        if type(value) is Symbol:
            values = {x: first for x, first in self.first.items() if first is not None}
            values.update({x: tensor._numpy() for tensor, x in self.captured})
            variable._put(first_value(self.nodes, value, values))
        self.made.append(weakref.ref(variable))

    def settle(self) -> None:
        """Appends the assignments of variables that were written since the last call."""
        if self._dirty:
            origin = self.origins.find(2)
            for variable in list(self._dirty.values()):
                self._settle(variable, origin)

    def _settle(self, variable: Variable, origin: Origin) -> None:
        del self._dirty[variable._id]
        value = variable._at_hand()
        if type(value) is Symbol and value.owner is not self:
            value = self._capture(Tensor(value), value)
        params = {"variable": variable}
        self.nodes.append(Node(assign_p.primitive, (value,), params, (), True, True, origin))

    def read_again(self) -> None:
        """Marks variables to be read again, since they may have changed."""
        for variable in self.variables.values():
            variable._put(self._read_now(variable, variable._at_hand()))

    @contextmanager
    def section(self) -> Iterator[None]:
        """Returns a context manager in which a critical section is traced."""
        before, self.in_section = self.in_section, True
        try:
            yield
        finally:
            self.in_section = before
        self.exclude_others()

    def note_waiting(self) -> None:
        """Records that an operation may wait for another thread, also in the parts around."""
        tracer: Tracer | None = self
        while tracer is not None:
            tracer.waits = True
            tracer = tracer.outer

    def exclude_others(self) -> None:
        """Lets the graph's run exclude critical sections, and graphs that assign variables.

        It is the whole graph since the variables of its parts are read before them.
        """
        tracer = self
        while tracer.outer is not None:
            tracer.has_section = True
            tracer = tracer.outer
        if not tracer.for_xla:  # Compiled programs are exclusive if they use variables.
            origin = tracer.origins.find(2)
            tracer.nodes.append(Node(section_p.primitive, (), {}, (), True, True, origin))

    def restore(self) -> None:
        """Restores the variables' values."""
        for i, variable in self.variables.items():
            if i in self._surrounding:
                variable._put(self._surrounding[i])
                continue
            variable._end_tracing()
            put_back(variable, self._notes[i])

    def finish(self) -> None:
        """Marks the graph as complete or discarded, and drops data that is not needed any more.

        Symbols that the program kept raise errors about their scope. Since the graph's symbols
        refer to the tracer, the tracer must not keep other objects alive.
        """
        self.close()
        if self._own_view is not None:
            self._own_view.complete()
        self._own_view = None
        for part in self._parts:
            part.finish()
        tables: tuple[Any, ...] = (self.variables, self.written, self.first)
        for table in (
            *tables,
            self.tensors,
            self.held,
            self._known,
            self._notes,
            self._dirty,
        ):
            table.clear()
        for entries in (self._parts, self.nodes, self.inputs, self.captured):
            entries.clear()

    def close(self) -> None:
        """Marks the graph as complete, so that uses of its symbols raise an error."""
        self.finished = True
        end((self.inputs, *[node.outputs for node in self.nodes]))

    # Random numbers.

    def engine(
        self, stream: Any, draw_key: Any, make: Callable[[], Any] | None = None
    ) -> TracedEngine:
        """Returns a generator that draws its numbers at each run of the graph."""
        if make is None:
            raise CannotTrace("random numbers that graphs cannot draw")
        stream = self._capture(Tensor(stream), stream) if isinstance(stream, CONCRETE) else stream
        own = self._own_stream(stream)
        if own is not None:
            stream, draw_key, make = own, own.key, own
        return TracedEngine(self, self._of_replica(stream), draw_key, make)

    def _of_replica(self, stream: Any) -> Any:
        """Returns a stream of random numbers, which may be separate for each replica."""
        if self.sharding is None or type(stream) in (Symbol, OfReplica):
            return stream
        return OfReplica(stream, self.sharding.in_replica())

    def _own_stream(self, stream: Any) -> OperationStream | None:
        """Returns the random stream of the next operation, if there is a seed."""
        if type(stream) is not tuple:
            return None
        return stream_of_operation(self, stream[-1], len(self.nodes))

    def key(self, stream: Any, draw_key: Callable[[], Any]) -> Tensor:
        """Returns a new random key from a stream, drawn at each run of the graph."""
        own_stream = self._own_stream(stream)
        if own_stream is not None:
            stream, draw_key = own_stream, own_stream.key
        operation, spec = DrawKey(self._of_replica(stream), draw_key), ((2,), np.dtype(np.uint32))
        drawn = self.add(operation, (), {}, spec, stateful=True)
        assert type(drawn) is Tensor
        return drawn

    @contextmanager
    def scope(self, *above: Recorder) -> Iterator[None]:
        """Returns a context manager whose operations become nodes."""
        with replaced((self, *above)), scopes_named_by(self._scope_name):
            try:
                yield
            finally:
                self.origins.forget()
                self.restore()

    def _scope_name(self, name: str) -> str:
        return self.view.unique_name(name)


def tracing() -> Tracer | None:
    """Returns the innermost tracer, if a function is being traced."""
    for r in reversed(STACK.recorders):
        if isinstance(r, Tracer):
            return r
    return None


def plain_tracing() -> Tracer | None:
    """Returns the innermost tracer, if no recorder but tracers and tapes is active."""
    tracer = None
    for r in STACK.recorders:
        if isinstance(r, Tracer):
            tracer = r
        elif not isinstance(r, GradientTape):
            return None
    return tracer


def _graph_around(constant: Tensor) -> FuncGraph:
    """Returns the graph of the traced function, since TensorFlow's constants belong to it."""
    tracer = tracing()
    if tracer is None:
        raise undefined(constant, "graph")
    return tracer.view


add_attribute("graph", _graph_around)
