"""Makes the graph of a Python function, by running it once on symbols."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.device_values import noted, put_back
from gradtape._src.base.errors import InaccessibleTensorError
from gradtape._src.base.name_scope import scopes_named_by
from gradtape._src.core.extension_point import ExtensionPoint
from gradtape._src.core.primitive import Outputs, Plan, Primitive, record
from gradtape._src.core.recorder import STACK, Recorder, next_id, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.traits import traits_of
from gradtape._src.declare.unknown_sizes import Check, Decisions, sizes_in
from gradtape._src.graph.ir.func_graph import FuncGraph
from gradtape._src.graph.ir.graph import (
    CannotTrace,
    KnownSpec,
    NeedsValue,
    Node,
    Spec,
    Symbol,
    new_symbol,
)
from gradtape._src.graph.ir.optimize import needed
from gradtape._src.graph.ir.origins import Origins
from gradtape._src.graph.ir.output_specs import are_specs, elements_of, key_of, output_specs
from gradtape._src.graph.ir.random_draws import (
    DrawKey,
    Key,
    TracedEngine,
    fold_key_p,
    generator_of,
)
from gradtape._src.graph.ir.staged import CONCRETE, ControlFlow
from gradtape._src.graph.ir.state import Effect, assign_p, is_read, read_p
from gradtape._src.ops.random.distributions import OperationStream, stream_of_operation

control_flow: ExtensionPoint[ControlFlow] = ExtensionPoint("choices and loops in graphs")
"""Provided by `traced_control_flow`."""
custom_gradients: ExtensionPoint[Any] = ExtensionPoint("gradients of the user's in graphs")
"""Provided by `custom_gradients`."""


new = object.__new__  # half the time of a call of a class


def _none() -> None:
    return None


class Tracer(Recorder):
    """Notes the operations that run on symbols as nodes; those on known values run at once.

    Args:
      outer: What traces the function in which this one's is a branch or the body of a loop.
      around: What traces the function that calls this one.

    Attributes:
      nodes: The operations so far.
      inputs: The graph's inputs, captures and variables of an inner graph among them.
      captured: What the function uses from outside: `(tensor, symbol)` in order.
      variables: By id, the variables that it read or wrote, in order.
      written: By id, those that it wrote.
      state: Of a branch or body: by id, the symbol that stands for what a variable has before.
      keys: Of a branch or body: by stream, what it draws its random numbers from.
      first: The values of inputs in the call that is traced, if there is one.
      made: Variables that were made while tracing.
      constants: Weak references to tensors whose values became a part of the graph.
      decisions: What was decided about lengths that are unknown while tracing.
      checks: See `Graph`.
      held: The symbols of which datasets were made.
    """

    stages = True
    defers = True
    least_turns = 1  # loops over rows are traced as loops, however few there are

    def __init__(self, outer: Tracer | None = None, around: Tracer | None = None) -> None:
        self.outer, self.around = outer, around
        self.nodes: list[Node] = []
        self.inputs: list[Symbol] = []
        self.captured: list[tuple[Tensor, Symbol]] = []
        self.variables: dict[int, Variable] = {}
        self.written: dict[int, Variable] = {}
        self.state: dict[int, Symbol] = {}
        self.keys: dict[Any, Key] = {}
        self.first: dict[Symbol, Any] = {}
        self.made: list[weakref.ref[Variable]] = []
        self.constants: dict[int, weakref.ref[Tensor]] = {}
        self.finished = False  # whether its graph is complete, or was given up
        self._parts: list[Tracer] = []  # of choices and loops
        self.decisions, self.checks = Decisions(), list[Check]()
        self.held: dict[Symbol, None] = {}
        if outer is not None:
            outer._parts.append(self)
            self.decisions = outer.decisions
        self.name = ""  # of the function
        self.for_xla: bool = outer is not None and outer.for_xla  # whether XLA will run the graph
        self.leaves = 0  # how many tensors are among its arguments
        self.origins = Origins()
        self._own_view: FuncGraph | None = None
        self._view: Callable[[], FuncGraph | None] = _none
        self.mark = object()  # of the part of a graph in which a TensorArray was made
        self.first_id: int = next_id() if outer is None else outer.first_id
        self._known: dict[tuple[int, int], Symbol] = {}
        self._notes: dict[int, Any] = {}
        self._staged_around: dict[int, Any] = {}  # what variables are to the function around
        self._dirty: dict[int, Variable] = {}

    @property
    def view(self) -> FuncGraph:
        """The graph as TensorFlow shows it."""
        view = self._view()
        if view is None:
            view = self._own_view = FuncGraph(self, self.name)
            self._view = weakref.ref(view)
        return view

    # Values.

    def symbol(self, spec: Spec) -> Symbol:
        """A new symbol of a shape and dtype."""
        return Symbol(*spec, self)

    def input(self, spec: Spec) -> Tensor:
        """A new input of the graph, as the tensor that the function gets."""
        made = self.symbol(spec)
        self.inputs.append(made)
        return Tensor(made)

    def entry(self, x: Tensor) -> Symbol | np.ndarray[Any, Any] | np.generic:
        """Returns the input of a node for a value: a symbol of this graph, or a raw value.

        Raises:
          TypeError: `x` is a symbol of a graph that is finished.
        """
        value = x._value
        if type(value) is Symbol:
            return value if value.owner is self else self._capture(x, value)
        if 0 < x._id < self.first_id or not isinstance(value, CONCRETE):
            return self._capture(x, value)
        self.constants.setdefault(id(x), weakref.ref(x))
        known: np.ndarray[Any, Any] | np.generic = value
        return known

    def _capture(self, x: Tensor, value: Any) -> Symbol:
        """A tensor from outside as an input."""
        if type(value) is Symbol and not self._is_outside(value.owner):
            raise InaccessibleTensorError(str(value.out_of_scope()))
        key = (id(value), x._id)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self.symbol((value.shape, value.dtype))
            self.inputs.append(found)
            self.captured.append((x, found))
        return found

    def _is_outside(self, owner: Any) -> bool:
        outer = self.outer or self.around
        while outer is not None:
            if outer is owner:
                return True
            outer = outer.outer or outer.around
        return False

    # Operations.

    def process_under(
        self,
        tapes: Sequence[Any],
        primitive: Primitive,
        inputs: Sequence[Tensor],
        params: dict[str, Any],
    ) -> Outputs:
        # Nearly all operations of a graph come by here, so that it calls no other function.
        if len(inputs) == 1:
            x = inputs[0]._value
            if type(x) is not Symbol or x.owner is not self:
                return self._with_known(tapes, primitive, inputs, params)
            entries: tuple[Any, ...] = (x,)
            key: Any = x.spec
        else:
            entries = tuple([x._value for x in inputs])
            for x in entries:
                if type(x) is not Symbol or x.owner is not self:
                    return self._with_known(tapes, primitive, inputs, params)
            key = tuple([x.spec for x in entries])
        try:
            spec = primitive.specs[(key, *params.items()) if params else key]
        except (KeyError, TypeError):
            return self._checked(tapes, primitive, entries, inputs, params)
        if type(spec) is KnownSpec:
            y = new(Symbol)
            y.shape, y.np_dtype = spec
            y.dtype = y.np_dtype
            y.spec = spec
            y.owner = self
            y.elements = None
            node = new(Node)
            node.primitive = primitive
            node.inputs = entries
            node.params = params
            node.outputs = (y,)
            node.several = node.stateful = False
            node.line = self.origins.replayed or self.origins.find(3)
            self.nodes.append(node)
            out: Outputs = new(Tensor)
            out._value = y  # type: ignore[union-attr]
            out._id = 0  # type: ignore[union-attr]
        else:
            out = self.add(primitive, entries, params, spec)
        if tapes:
            record(tapes, primitive, inputs, out, params)
        return out

    def _with_known(
        self, tapes: Sequence[Any], primitive: Primitive, inputs: Sequence[Tensor], params: Any
    ) -> Outputs:
        """Runs an operation some of whose inputs are known, or of other graphs."""
        if any(type(x._value) is Symbol and x._value.owner.finished for x in inputs):
            primitive.check(inputs)  # which asks for the dtype of a tensor that was kept
        for x in inputs:
            kind = type(x._value)
            if kind is Symbol or 0 < x._id < self.first_id or not issubclass(kind, CONCRETE):
                break
        else:
            if not getattr(primitive, "staged", False) and not any(sizes_in([*params.values()])):
                for x in inputs:
                    self.constants.setdefault(id(x), weakref.ref(x))
                with replaced(tuple(tapes)):
                    return primitive.bind(*inputs, **params)
        entries = [self.entry(x) for x in inputs]
        return self._checked(tapes, primitive, entries, inputs, params)

    def _checked(
        self,
        tapes: Sequence[Any],
        primitive: Primitive,
        entries: Sequence[Any],
        inputs: Sequence[Tensor],
        params: Any,
    ) -> Outputs:
        """Adds an operation that is seen for the first time with inputs of such specs."""
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
            specs = output_specs(primitive, entries, params, key, self.decisions)
        out = self.add(primitive, entries, params, specs)
        if key is None and type(out) is Tensor:
            given = [x for x in entries if type(x) is Symbol]
            if any([x.elements is not None for x in given]):  # noqa: C419
                out._value.consists_of(elements_of(primitive, entries, params))
        if tapes:
            record(tapes, primitive, inputs, out, params)
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
    ) -> Outputs:
        """Appends a node; answers with its output or outputs as tensors."""
        origin = self.origins.replayed or self.origins.find()
        if type(specs) is KnownSpec:  # the usual case
            y = new_symbol(specs, self)
            self.nodes.append(Node(primitive, entries, params, (y,), False, stateful, origin))
            return Tensor(y)
        several = are_specs(specs)
        outputs = [self.symbol(s) for s in (specs if several else (specs,))]
        self.nodes.append(Node(primitive, entries, params, outputs, several, stateful, origin))
        return tuple(map(Tensor, outputs)) if several else Tensor(outputs[0])

    def effect(
        self,
        name: str,
        function: Callable[..., Any],
        given: Any,
        specs: Sequence[Spec] = (),
        changes_variables: bool = False,
        only_checks: bool = False,
    ) -> tuple[Tensor, ...]:
        """Appends a call of a Python function with effects, which happen whenever the graph runs.

        Args:
          name: TensorFlow's name of the operation.
          function: Is called with a structure like `given`, of tensors that have values.
          given: Its arguments, a structure with tensors in it.
          specs: The shape and dtype of each tensor that it gives.
          changes_variables: Whether it may assign variables.
          only_checks: Whether it only checks values.
        """
        flat = nest.flatten(given, expand_composites=True)
        flat = [x._read() if isinstance(x, Variable) else x for x in flat]
        places = [i for i, x in enumerate(flat) if type(x) is Tensor]
        template = [None if type(x) is Tensor else x for x in flat]

        def called(values: Sequence[Any]) -> tuple[str, Any]:
            filled = list(template)
            for i, value in zip(places, values, strict=True):
                filled[i] = value
            structure = nest.pack_sequence_as(given, filled, expand_composites=True)
            return function.__name__, structure

        def kernel(*values: Any) -> Any:
            _, structure = called([*map(Tensor, values)])
            with replaced(()):
                outs = function(*structure)
            return tuple([Tensor(y)._value if type(y) is not Tensor else y._value for y in outs])

        primitive = Effect(name, kernel, changes_variables, only_checks, called)
        if changes_variables or self.outer is None:  # what was assigned stays if the effect fails
            self.settle()
        entries = [self.entry(flat[i]) for i in places]
        outs = self.add(primitive, entries, {}, tuple(specs), stateful=True)
        assert type(outs) is tuple
        if changes_variables:
            self.read_again()
        return outs

    def custom(self, plan: Plan, inputs: Sequence[Any], outputs: Sequence[Tensor]) -> None:
        custom_gradients.get()(self, plan, inputs, outputs)

    @property
    def control_flow(self) -> ControlFlow:
        """The functions that make graphs of choices and loops."""
        return control_flow.get()

    def known_value(self, symbol: Symbol) -> object:
        """The value of a symbol where every run of the graph has the same; None elsewhere."""
        return None

    def needs_value(self, why: str) -> BaseException:
        """Returns the error to raise if something asks for a value that only a run knows."""
        return NeedsValue(why)

    def last_operation(self) -> object:
        """Returns the answer of a call that has no results; None in functions."""
        return None

    def leave_out(self, operation: str) -> None:
        """Ends the tracing at a check of values that is not an operation."""
        raise CannotTrace(operation)

    def refuse(self, operation: str) -> None:
        """Ends the tracing at what acts outside of tensors."""
        raise CannotTrace(operation)

    # Variables.

    def hold(self, variable: Variable) -> None:
        """Puts a symbol in the place of a variable's value for as long as tracing goes on."""
        for each in variable._in_graphs() if variable._replicated else (variable,):
            self._hold(each)

    def _hold(self, variable: Variable) -> None:
        if variable._id in self.variables:
            return
        value = variable._at_hand()
        if self.outer is None and variable._is_staged():
            self._hold_again(variable, value)
            return
        if type(value) is Symbol and self.outer is None:
            return  # made in here
        if not (self.for_xla or variable.shape.is_fully_defined()):
            raise CannotTrace("a variable whose shape may change")
        if self.outer is not None:
            self.outer._hold(variable)
            value = variable._at_hand()
            own = self.symbol((value.shape, value.dtype))
            self.variables[variable._id] = variable
            self.state[variable._id] = own
            self._notes[variable._id] = value
            variable._put(own)
            return
        value, note = variable._value, noted(variable)
        variable._stage(self._read(variable, (value.shape, value.dtype)))
        self.variables[variable._id] = variable
        self._notes[variable._id] = note

    def _hold_again(self, variable: Variable, value: Any) -> None:
        """Holds a variable that a function around this one holds, too."""
        self._staged_around[variable._id] = value
        self.variables[variable._id] = variable
        variable._put(self._read(variable, (value.shape, value.dtype)))

    def _read(self, variable: Variable, spec: Spec) -> Any:
        out = self.add(read_p.primitive, (), {"variable": variable}, spec, stateful=True)
        assert type(out) is Tensor
        return out._value

    def variable_read(self, variable: Variable) -> None:
        if variable._replicated:
            for share in variable._in_graphs():
                self._read_again(share)
        else:
            self._read_again(variable)

    def _read_again(self, variable: Variable) -> None:
        self._hold(variable)
        if self.outer is None and variable._id in self._dirty:
            self._settle(variable)  # what is read depends on the variable, not on what it was given
            value = variable._value
            variable._put(self._read(variable, (value.shape, value.dtype)))

    def variable_written(self, variable: Variable) -> None:
        self.hold(variable)
        for each in variable._in_graphs(True) if variable._replicated else (variable,):
            if each._id in self.variables:
                self.written[each._id] = self._dirty[each._id] = each

    def variable_made(self, variable: Variable) -> None:
        """Notes a variable that the function makes, and gives it its first value now."""
        value = variable._value
        if type(value) is Symbol:
            variable._put(self._first_value(value))
        self.made.append(weakref.ref(variable))

    def _first_value(self, symbol: Symbol) -> Any:
        """Computes what a variable begins with, while the function is traced.

        Raises:
          CannotTrace: It depends on arguments, and no call has given any.
        """
        values = {x: value for x, value in self.first.items() if value is not None}
        values.update({x: tensor._numpy() for tensor, x in self.captured})
        for node in needed(self.nodes, [symbol]):
            if is_read(node):
                values[node.outputs[0]] = node.params["variable"]._raw()
                continue
            given = [values.get(x, x) if type(x) is Symbol else x for x in node.inputs]
            if any(type(x) is Symbol for x in given):
                if symbol in node.outputs:
                    break
                continue
            drawn = node.stateful and not node.several
            if node.stateful and not drawn:
                continue
            out = node.primitive.kernel(*given, **node.params)
            values.update(zip(node.outputs, out if node.several else (out,), strict=True))
        if symbol not in values:
            raise CannotTrace("the first value of a variable depends on the function's arguments")
        return values[symbol]

    def settle(self) -> None:
        """Appends the assignments of what variables were written since the last time."""
        if self.outer is not None:
            if self._dirty:
                raise CannotTrace("an effect after an assignment in a branch or loop")
            self.outer.settle()
            return
        for variable in list(self._dirty.values()):
            self._settle(variable)

    def _settle(self, variable: Variable) -> None:
        del self._dirty[variable._id]
        value = variable._value
        if type(value) is Symbol and value.owner is not self:
            value = self._capture(Tensor(value), value)
        self.add(assign_p.primitive, [value], {"variable": variable}, (), stateful=True)

    def read_again(self) -> None:
        """Lets the variables be read anew, which something else may have changed."""
        if self.outer is not None:
            raise CannotTrace("a Python function in a branch or loop that may change variables")
        for variable in self.variables.values():
            value = variable._value
            variable._put(self._read(variable, (value.shape, value.dtype)))

    def restore(self) -> None:
        """Gives the variables their values back."""
        if self.outer is not None:
            for i, value in self._notes.items():
                self.variables[i]._put(value)
            return
        for i, variable in self.variables.items():
            if i in self._staged_around:
                variable._put(self._staged_around[i])
                continue
            variable._unstage()
            put_back(variable, self._notes[i])

    def finish(self) -> None:
        """Says that the graph is complete, or given up; nothing here is needed from now on.

        Symbols that the program kept then say that they are out of scope. Since the symbols of a
        graph know the tracer, the tracer must not keep what the graph does without.
        """
        self.close()
        if self._own_view is not None:
            self._own_view.complete()
        self._own_view = None
        for part in self._parts:
            part.finish()
        for table in (
            self.variables,
            self.written,
            self.state,
            self.keys,
            self.first,
            self.constants,
            self.held,
        ):
            table.clear()
        for entries in (self._parts, self.nodes, self.inputs, self.captured):
            entries.clear()
        self._known.clear()
        self._notes.clear()
        self._dirty.clear()

    def close(self) -> None:
        """Says that the graph is complete, so that whoever kept a symbol of it gets an error."""
        self.finished = True
        for x in self.inputs:
            x.end()
        for node in self.nodes:
            for y in node.outputs:
                y.end()

    # Random numbers.

    def engine(self, stream: Any, draw_key: Any, make: Callable[[], Any] | None = None) -> Any:
        """A generator whose numbers are drawn whenever the graph runs."""
        if self.outer is not None and type(stream) is not Symbol:
            return TracedEngine(self, self.key(stream, draw_key)._value, None, generator_of)
        if make is None:
            raise CannotTrace("random numbers of a kind that no graph draws")
        own = self._own_stream(stream)
        if own is not None:
            return TracedEngine(self, own, own.key, own)
        return TracedEngine(self, stream, draw_key, make)

    def _own_stream(self, stream: Any) -> OperationStream | None:
        """The stream of random numbers of the operation that follows, where something seeds it."""
        if type(stream) is not tuple:
            return None
        return stream_of_operation(self, stream[-1], len(self.nodes))

    def key(self, stream: Any, draw_key: Callable[[], Any]) -> Tensor:
        """A new key of random numbers from a stream, drawn whenever the graph runs."""
        if self.outer is None:
            own_stream = self._own_stream(stream)
            if own_stream is not None:
                stream, draw_key = own_stream, own_stream.key
            operation, spec = DrawKey(stream, draw_key), ((2,), np.dtype(np.uint32))
            drawn = self.add(operation, (), {}, spec, stateful=True)
            assert type(drawn) is Tensor
            return drawn
        own = self.keys.get(stream)
        if own is None:
            outside = self.outer.key(stream, draw_key)
            own = self.keys[stream] = Key(outside, self.symbol(((2,), np.dtype(np.uint32))))
        own.count += 1
        with replaced((self,)):
            return fold_key_p(Tensor(own.symbol), n=own.count)

    @contextmanager
    def scope(self, *above: Recorder) -> Iterator[None]:
        """A block whose operations become nodes."""
        with replaced((self, *above)), scopes_named_by(self._scope_name):
            try:
                yield
            finally:
                self.origins.forget()
                self.restore()

    def _scope_name(self, name: str) -> str:
        return self.view.unique_scope(name)


def tracing() -> Tracer | None:
    """The innermost tracer, if a function is being traced."""
    return next((r for r in reversed(STACK.recorders) if isinstance(r, Tracer)), None)
