"""Conditionals and loops in traced functions, whose branches and bodies become graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Generic, TypeVar

from gradtape._src.base import nest
from gradtape._src.base.dtypes import bool_, int64
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.recorder import STACK
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.registered import Operation
from gradtape._src.declare.unknown_sizes import (
    Decisions,
    NeedsSize,
    Size,
    UnknownRank,
    atoms,
    is_newer,
    is_unknown,
    joined,
    lengths,
    surely_equal,
)
from gradtape._src.graph.ir.graph import CannotTrace, Graph, Spec, Symbol
from gradtape._src.graph.nested.graph_call import GraphCall
from gradtape._src.graph.nested.loop_values import Parts, arranged, settled, shapes_of, tensors_of
from gradtape._src.graph.nested.structured import (
    Fold,
    If,
    Rows,
    Structured,
    While,
    Whole,
    fold_p,
    if_p,
    reduce_p,
    while_p,
    whole_p,
)
from gradtape._src.graph.running.numpy_program import has_length, sizes_lacking
from gradtape._src.graph.tracing.part_tracer import ASSIGNS_AND_CALLS, PartTracer, ReadsVariables
from gradtape._src.graph.tracing.random_draws import Key, fold_key_p
from gradtape._src.graph.tracing.replay import replay
from gradtape._src.graph.tracing.tracer import Tracer, tracing
from gradtape._src.ops.elementwise.casting import cast

R = TypeVar("R")
V = TypeVar("V")


class Inner:
    """A traced part of a conditional or loop.

    Args:
      outer: The tracer of the surrounding function.
      function: A function that takes tensors of `specs` and returns a structure.
      specs: The shapes and dtypes of its explicit inputs.
      mark: Unknown lengths made after this mark belong to this part alone; by default, those made
        from now on.
    """

    def __init__(
        self,
        outer: Tracer,
        function: Callable[[list[Tensor]], Any],
        specs: Sequence[Any] = (),
        mark: int | None = None,
    ) -> None:
        self.mark = outer.decisions.mark() if mark is None else mark
        try:
            self._trace(PartTracer(outer), function, specs)
        except ReadsVariables:
            self._trace(PartTracer(outer, reads=True), function, specs)
        finally:
            self.checks = outer.decisions.taken_since(self.mark)
        self._outer = outer

    def _trace(
        self, tracer: PartTracer, function: Callable[[list[Tensor]], Any], specs: Sequence[Any]
    ) -> None:
        self.tracer, self.given = tracer, [tracer.input(s) for s in specs]
        with tracer.scope():
            self.result = settled(function(self.given))
            self.new = tracer.read_assigned()

    def _capture_lengths(self) -> None:
        """Captures outer tensors for lengths that no inner value has."""
        tracer = self.tracer
        for name in sizes_lacking(tracer.inputs, tracer.nodes, self.checks):
            found = _outer_value_with(self._outer, name)
            if found is not None:
                tracer.entry(Tensor(found))

    def entries(self, tensors: Sequence[Tensor]) -> list[Any]:
        """Converts results to outputs of the part's graph."""
        return [self.tracer.entry(x) for x in tensors]

    def call(self, inputs: Sequence[Symbol], outputs: Sequence[Any], name: str) -> GraphCall:
        """Returns the part as a graph of these inputs and outputs."""
        return GraphCall(Graph(inputs, self.tracer.nodes, outputs, self.checks), name)

    def captures(
        self, besides: Sequence[Any] = (), keys: bool = False
    ) -> list[tuple[Tensor, Symbol]]:
        """Returns the captured tensors and variables, without some variables.

        The part must have all its operations.

        Args:
          besides: The variables that are left out.
          keys: Whether random keys are included.

        Returns:
          Pairs of the tensor outside, and the symbol that stands for it.
        """
        self._capture_lengths()
        tracer, left = self.tracer, {v._id for v in besides}
        read = [
            (_current(tracer.variables[i]), symbol)
            for i, symbol in tracer.state.items()
            if i not in left
        ]
        drawn = [(key.outer, key.symbol) for key in tracer.keys.values()] if keys else []
        return [*tracer.captured, *read, *drawn]

    def state(self, variables: Sequence[Any]) -> list[Symbol]:
        """Returns the symbols of the variables' values before the part."""
        tracer = self.tracer
        known = tracer.state
        return [
            known[v._id] if v._id in known else tracer.symbol(_spec(_current(v))) for v in variables
        ]

    def key_symbols(self, keys: Sequence[Key]) -> list[Symbol]:
        """Returns the symbols of random keys, of this part or another one."""
        mine = {id(key) for key in self.tracer.keys.values()}
        return [k.symbol if id(k) in mine else self.tracer.symbol(_spec(k.outer)) for k in keys]

    def following(self, keys: Sequence[Symbol]) -> list[Tensor]:
        """Returns the random keys of the loop's next iteration."""
        with self.tracer.scope():
            return [fold_key_p(Tensor(key), n=0) for key in keys]


def _outer_value_with(tracer: Tracer | None, name: str) -> Symbol | None:
    """Returns a value that has a length, from the function or a surrounding one; else None."""
    while tracer is not None:
        made = [y for node in tracer.nodes for y in node.outputs]
        found = next((x for x in (*tracer.inputs, *made) if has_length(x, name)), None)
        if found is not None:
            return found
        tracer = tracer.outer
    return None


def _variables(*parts: Inner) -> list[Any]:
    """Returns the variables that any of the parts writes."""
    return list({i: v for p in parts for i, v in p.tracer.written.items()}.values())


def _spec(x: Tensor) -> Any:
    return x._value.shape, x._value.dtype


def _current(variable: Any) -> Tensor:
    if _outer().sharding is None:
        value: Tensor = variable._read()
        return value
    # use the replica's component, since reading the variable would combine all components
    for watcher in STACK.recorders:
        watcher.variable_read(variable)
    return Tensor(variable._at_hand(), variable._id)


def _outer() -> Tracer:
    found = tracing()
    assert found is not None
    return found


def cond(pred: Tensor, true_fn: Callable[[], R], false_fn: Callable[[], R]) -> R:
    """Traces `tf.cond` on a symbolic condition."""
    if pred.dtype is not bool_:
        raise InvalidArgumentError(
            None,
            None,
            f"The condition of tf.cond was passed {pred.dtype.name} expected bool (tf.cast or a "
            "comparison makes a bool).",
        )
    outer = _outer()
    yes = Inner(outer, lambda _: _with_values(true_fn(), pred))
    no = Inner(outer, lambda _: _with_values(false_fn(), pred))
    _make_index_dtypes_equal(yes, no)
    counts = [len(nest.flatten(part.result, expand_composites=True)) for part in (yes, no)]
    if counts[0] != counts[1]:
        raise AssertionError(f"{counts}: true_fn and false_fn return different numbers of values")
    try:
        nest.assert_same_structure(yes.result, no.result, expand_composites=True)
        shapes = shapes_of(yes.result, no.result)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"true_fn and false_fn arguments to tf.cond must have the same number, type, and "
            f"overall structure of return values: {error}"
        ) from None
    results = []
    for part in (yes, no):
        with part.tracer.scope():
            results.append(arranged(part.result, shapes))
    parts = Parts(*results)
    flat = [parts.varying(r) for r in results]
    for a, b in zip(*flat, strict=True):
        if a.dtype is not b.dtype:
            raise TypeError(
                "true_fn and false_fn arguments to tf.cond must have the same number, type, and "
                f"overall structure of return values: {a.dtype.name} and {b.dtype.name}"
            )
    shapes = [_joined(a, b, outer, yes.mark) for a, b in zip(*flat, strict=True)]
    written = _variables(yes, no)
    inputs: list[Tensor] = [pred]
    calls, places = [], []
    for part, outs, name in ((yes, flat[0], "true"), (no, flat[1], "false")):
        state = [part.new[v._id] if v._id in part.new else _current(v) for v in written]
        entries = part.entries([*outs, *state])
        captures = part.captures(keys=True)
        calls.append(part.call([s for _, s in captures], entries, f"{name}_fn of tf.cond"))
        places.append(range(len(inputs), len(inputs) + len(captures)))
        inputs += [x for x, _ in captures]
    specs = [(shape, a._value.dtype) for shape, a in zip(shapes, flat[0], strict=True)]
    specs += [_spec(_current(v)) for v in written]
    if not specs and not any(call.graph.nodes for call in calls):
        same: R = parts.packed([])
        return same
    stateful = any(n.stateful for call in calls for n in call.graph.nodes)
    n = len(specs) - len(written)
    outs = _performed(if_p, inputs, If(calls, places, specs, n), stateful, (yes, no))
    _assign(written, outs[n:])
    chosen: R = parts.packed(outs[:n])
    return chosen


def _make_index_dtypes_equal(yes: Inner, no: Inner) -> None:
    """Makes indices of slices int64 where the branches' differ, as TensorFlow does."""
    flat = [nest.flatten(part.result) for part in (yes, no)]
    pairs = [*zip(*flat, strict=False)]
    dtypes = [{x.indices.dtype for x in pair if type(x) is IndexedSlices} for pair in pairs]
    if len(flat[0]) != len(flat[1]) or all(len(found) < 2 for found in dtypes):
        return
    for part, values in zip((yes, no), flat, strict=True):
        with part.tracer.scope():
            same = [
                IndexedSlices(x.values, cast(x.indices, int64), x.dense_shape)
                if len(found) > 1
                else x
                for x, found in zip(values, dtypes, strict=True)
            ]
        part.result = nest.pack_sequence_as(part.result, same)


def _with_values(result: Any, pred: Tensor) -> Any:
    """Returns a branch's result, with the condition in place of operations, as in TensorFlow."""
    flat = nest.flatten(result)
    if not any(isinstance(x, Operation) for x in flat):
        return result
    return nest.pack_sequence_as(result, [pred if isinstance(x, Operation) else x for x in flat])


def called_whole(
    graph: Graph, inputs: Sequence[Tensor], call_of: Callable[[Graph], GraphCall]
) -> list[Tensor]:
    """Makes a call of a function's graph one operation of the graph that calls it.

    Args:
      graph: The function's graph.
      inputs: The tensors for its inputs.
      call_of: Returns a graph without state in the form in which it can be called.
    """
    part = Inner(_outer(), lambda xs: replay(graph, xs), [*map(_spec, inputs)])
    written = _variables(part)
    results = [*part.result, *[part.new[v._id] for v in written]]
    entries, captures = part.entries(results), part.captures(keys=True)
    own = [*[x._value for x in part.given], *[symbol for _, symbol in captures]]
    nodes = part.tracer.nodes
    of = Whole(call_of(Graph(own, nodes, entries, part.checks)), [*map(_spec, results)])
    given = [*inputs, *[x for x, _ in captures]]
    outs = _performed(whole_p, given, of, any(n.stateful for n in nodes), (part,))
    _assign(written, outs[len(part.result) :])
    return outs[: len(part.result)]


def _performed(
    operation: Any, inputs: Sequence[Tensor], of: Any, stateful: bool, parts: Sequence[Inner]
) -> list[Tensor]:
    """Runs an operation that consists of parts; see `Structured.performed`."""
    primitive: Structured = operation.primitive
    waits = any(part.tracer.waits for part in parts)
    if waits and any(part.tracer.has_section for part in parts) and _variables(*parts):
        raise CannotTrace("a critical section in a branch or loop that waits for other threads")
    of.changes_variables = any(part.tracer.calls_python for part in parts)
    if not of.changes_variables:
        return primitive.performed(inputs, of, stateful)
    if _variables(*parts):
        raise CannotTrace(ASSIGNS_AND_CALLS)
    outs = primitive.performed(inputs, of, stateful)
    _outer().read_again()
    return outs


def _joined(a: Tensor, b: Tensor, outer: Tracer, mark: int) -> Any:
    """Returns the shape of a value that is one of two tensors."""
    return joined(shape_of(a), shape_of(b), outer.decisions, mark)


def _is_inside(n: Any, mark: int) -> bool:
    """Whether an unknown length is newer than a mark."""
    return type(n) is Size and any(is_newer(name, mark) for name in atoms(n.code))


def _of_loop(before: Any, after: Any, decisions: Decisions, mark: int) -> Any:
    """Returns the shape of a loop variable from its shapes before and after an iteration."""
    if type(before) is UnknownRank and (before is after or is_newer(before.code, mark)):
        return before
    if UnknownRank in (type(before), type(after)) or len(before) != len(after):
        return decisions.new_shape()
    pairs = [*zip(before, after, strict=True)]
    steady = [_is_inside(n, mark) or surely_equal((n,), (m,)) for n, m in pairs]
    return lengths([n if s else decisions.new() for n, s in zip(before, steady, strict=True)])


class _Loop(Generic[V]):
    """The parts of a loop, traced.

    If only the body's writes determine the element shape of a TensorArray, or if carried values
    change their shapes, the body is traced once more. Each trace leaves fewer unknown element
    shapes, or more unknown lengths, than the one before, so that their number is limited.

    Args:
      outer: The tracer of the surrounding function.
      body: Returns the next loop variables, and results of the iteration. Its arguments are the
        loop variables and the tensors of `rows`.
      loop_vars: The initial loop variables.
      rows: The shapes and dtypes of the tensors of each iteration.
      mark: Unknown lengths made after this mark belong to an iteration.
      invariants: The shape invariants of the loop variables.
      changed: The type of the error that is raised if the body changes a dtype.

    Attributes:
      parts: The tensors of the loop variables.
      first: The initial carried values, without those of variables.
      step: The body.
      nexts: The values of `first` after an iteration.
      results: The results of an iteration.
      written: The variables that the body assigns.
    """

    def __init__(
        self,
        outer: Tracer,
        body: Any,
        loop_vars: V,
        rows: Sequence[Any] = (),
        mark: int | None = None,
        invariants: Any = None,
        changed: type[BaseException] = TypeError,
    ) -> None:
        self._changed = changed
        self._outer, self.parts = outer, Parts(settled(loop_vars))
        self._rows, self._invariants = rows, nest.flatten(invariants)
        self._mark = outer.decisions.mark() if mark is None else mark
        self.specs: list[Spec] = []
        while not self._traced(body):
            pass
        self.results = self.step.result[1]
        self.written = _variables(self.step)
        self._keys = [*self.step.tracer.keys.values()]

    def _traced(self, body: Any) -> bool:
        """Traces the body; returns whether its results are compatible with its inputs."""
        parts, outer = self.parts, self._outer
        like = parts.like
        self.first = parts.varying(like)
        n = len(self.first)
        if len(self.specs) != n:
            self.specs = [_spec(x) for x in self.first]
            if len(self._invariants) == len(nest.flatten(like)):
                self.specs = [*map(self._varying, self.specs, self._invariant_parts())]

        def stepped(values: list[Tensor]) -> Any:
            out, results = body(*self._arguments(values[:n]), *values[n:])
            out = list(out) if isinstance(out, (list, tuple)) else [out]
            return [nest.rebuild(like, out), results]

        self.step = step = Inner(outer, stepped, [*self.specs, *self._rows], self._mark)
        following = step.result[0]
        nest.assert_same_structure(like, following, expand_composites=True)
        before, shapes = shapes_of(like), shapes_of(like, following)
        for own, found in zip(before, shapes, strict=True):
            if own is None and any(_is_inside(n, self._mark) for n in found or ()):
                raise NeedsSize("the length of a TensorArray's elements is not known before a loop")
        known = arranged(like, shapes)
        if len(Parts(known).flat) != len(parts.flat):  # elements of an array differ in length
            self.parts = Parts(known)
            return False
        with step.tracer.scope():
            after = arranged(following, shapes)
            self.nexts = parts.varying(after)
            now = Parts(known, after)
        now.steady = [a and b for a, b in zip(parts.steady, now.steady, strict=True)]
        if now.steady == parts.steady and shapes == before:
            return self._keeps_shapes()
        self.parts = now
        return False

    def traced_test(self, test: Any) -> Inner:
        """Traces the condition, a function of the loop variables."""
        goes = Inner(
            self._outer, lambda values: test(*self._arguments(values)), self.specs, self._mark
        )
        if goes.tracer.written:
            raise CannotTrace("the condition of a loop assigns variables")
        self._keys += goes.tracer.keys.values()
        return goes

    def carried(self) -> list[Tensor]:
        """Returns the initial carried values, followed by variables and random keys."""
        return [*self.first, *map(_current, self.written), *[k.outer for k in self._keys]]

    def call(
        self, part: Inner, outs: Sequence[Tensor], results: Sequence[Tensor] = ()
    ) -> tuple[GraphCall, list[Tensor]]:
        """Returns a part as a graph of the carried values, captures and rows; and the captures."""
        drawn, n = part.key_symbols(self._keys), len(self.first)
        if part is self.step:
            outs = [*outs, *_state(part, self.written), *part.following(drawn), *results]
        entries = part.entries(outs)
        rest = part.captures(self.written)
        given = [x._value for x in part.given]
        own = [*given[:n], *part.state(self.written), *drawn, *[s for _, s in rest], *given[n:]]
        return part.call(own, entries, "a loop"), [x for x, _ in rest]

    def _invariant_parts(self) -> Iterator[Any]:
        """Yields the invariant of each carried value; None for those of arrays and composites."""
        steady = iter(self.parts.steady)
        for leaf, invariant in zip(nest.flatten(self.parts.like), self._invariants, strict=True):
            shape = getattr(invariant, "shape", invariant)  # a TensorSpec has one
            for is_steady in islice(steady, len(tensors_of(leaf))):
                if not is_steady:
                    yield shape if isinstance(leaf, Tensor) else None

    def _varying(self, spec: Spec, invariant: Any) -> Spec:
        """Returns a spec with unknown lengths where the shape invariant has None."""
        if invariant is None:
            return spec
        if invariant.rank is None:
            return self._outer.decisions.new_shape(), spec[1]
        new = self._outer.decisions.new
        pairs = zip(spec[0], invariant, strict=True)
        own = [n if m is not None or is_unknown((n,)) else new() for n, m in pairs]
        return lengths(own), spec[1]

    def _keeps_shapes(self) -> bool:
        """Whether carried values keep their shapes; lengths that change become unknown."""
        kept = True
        for i, (x, after) in enumerate(zip(self.first, self.nexts, strict=True)):
            if x.dtype is not after.dtype:
                raise self._changed(
                    f"a loop's body must keep dtypes: {x.dtype.name} became {after.dtype.name}"
                )
            shape, dtype = self.specs[i]
            found = _of_loop(shape, shape_of(after), self._outer.decisions, self._mark)
            if found is not shape and (
                UnknownRank in (type(found), type(shape))
                or any([a is not b for a, b in zip(found, shape, strict=True)])  # noqa: C419
            ):
                self.specs[i], kept = (found, dtype), False
        return kept

    def outputs(self) -> list[Spec]:
        """Returns the specs of the carried values after the loop."""
        new = self._outer.decisions.new
        return [
            (lengths([new() if _is_inside(n, self._mark) else n for n in shape]), dtype)
            if type(shape) is not UnknownRank
            else (self._outer.decisions.new_shape(), dtype)
            for shape, dtype in self.specs
        ]

    def _arguments(self, values: Sequence[Tensor]) -> Iterable[Any]:
        """Returns the loop variables of these tensors, for a call."""
        packed: Any = self.parts.packed(values)
        variables: Iterable[Any] = packed
        return variables


def while_loop(
    test: Any,
    body: Any,
    loop_vars: V,
    most: int | None,
    invariants: Any = None,
    rows: Rows | None = None,
) -> V:
    """Traces `tf.while_loop` on a symbolic condition.

    Args:
      test: The condition, a function of the loop variables.
      body: The body, a function of the loop variables and the tensors of `rows`.
      loop_vars: Their initial values.
      most: The maximum number of iterations.
      invariants: The shape invariants of the loop variables.
      rows: The source of tensors for each iteration, whose end also ends the loop.
    """

    def step(*values: Any) -> Any:
        return body(*values), None

    if rows is None and any(x is None for x in nest.flatten(loop_vars)):
        raise ValueError("None values not supported.")
    specs, mark = ((), None) if rows is None else (rows.specs, rows.mark)
    loop = _Loop(_outer(), step, loop_vars, specs, mark, invariants)
    goes = loop.traced_test(test)
    (flag,) = nest.flatten(goes.result)
    carried, count = loop.carried(), len(loop.first)
    tested, of_test = loop.call(goes, [convert_to_tensor(flag)])
    stepped, of_body = loop.call(loop.step, loop.nexts)
    n, m = len(carried), len(carried) + len(of_test)
    places = range(n, m), range(m, m + len(of_body))
    inputs = [*carried, *of_test, *of_body]
    stateful = any(node.stateful for call in (tested, stepped) for node in call.graph.nodes)
    operation: Any = while_p
    if rows is not None:
        loop.step.tracer.note_waiting()
        operation, stateful = reduce_p, True
        inputs += rows.inputs
    outputs = [*loop.outputs(), *[_spec(x) for x in carried[count:]]]
    of = While(tested, stepped, n, places, most, outputs, rows)
    outs = _performed(operation, inputs, of, stateful, (goes, loop.step))
    _assign(loop.written, outs[count:])
    return loop.parts.packed(outs[:count])


def _assign(written: Sequence[Any], values: Sequence[Tensor]) -> None:
    """Assigns the first of the values to variables."""
    in_replicas = _outer().sharding is not None
    for variable, value in zip(written, values, strict=False):
        if not in_replicas:
            variable.assign(value, read_value=False)
            continue
        for watcher in STACK.recorders:  # inside the loop, the replicas' values were combined
            watcher.variable_written(variable)
        variable._put(value._value)


def _state(part: Inner, written: Sequence[Any]) -> list[Tensor]:
    """Returns the values of the written variables after an iteration."""
    return [part.new[v._id] for v in written]


def fold(
    fn: Callable[[Any, Any], Any], elems: Any, start: V, reverse: bool, keep: bool
) -> tuple[V, Any]:
    """Traces a fold over rows of tensors; returns the final state, and all results if `keep`."""
    outer, rows = _outer(), _flat(elems)
    specs = [(shape_of(x)[1:], x._value.dtype) for x in rows]

    def step(state: Any, *values: Tensor) -> Any:
        following, out = fn(state, nest.pack_sequence_as(elems, [*values], True))
        return [following], out if keep else None

    loop = _Loop(outer, step, [start], specs, changed=CannotTrace)
    kept, carried, count = _flat(loop.results), loop.carried(), len(loop.first)
    if (keep or outer.for_xla) and loop.specs != [*map(_spec, loop.first)]:
        raise CannotTrace("a fold changes the shape of its state")
    body, captured = loop.call(loop.step, loop.nexts, kept)
    length = shape_of(rows[0])[0]
    stacked = [((length, *shape_of(y)), y._value.dtype) for y in kept]
    outputs = [*loop.outputs(), *[_spec(x) for x in carried[count:]], *stacked]
    stateful = any(node.stateful for node in body.graph.nodes)
    of = Fold(body, len(carried), len(captured), reverse, outputs)
    outs = _performed(fold_p, [*carried, *captured, *rows], of, stateful, (loop.step,))
    _assign(loop.written, outs[count:])
    (last,) = loop.parts.packed(outs[:count])
    results = outs[len(carried) :]
    return last, nest.pack_sequence_as(loop.results, results, True) if keep else None


def _flat(out: Any) -> list[Tensor]:
    flat = nest.flatten(out, expand_composites=True)
    return [convert_to_tensor(x) for x in flat if x is not None]
