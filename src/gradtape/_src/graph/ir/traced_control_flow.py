"""Choices and loops of functions that are being traced: their parts become graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from gradtape._src.base import nest
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.graph.ir.graph import CannotTrace, Graph, Symbol
from gradtape._src.graph.ir.graph_call import GraphCall
from gradtape._src.graph.ir.loop_values import Parts, closed, opened, settled, shapes_of
from gradtape._src.graph.ir.random_draws import Key, fold_key_p
from gradtape._src.graph.ir.structured import Fold, If, While, fold_p, if_p, while_p
from gradtape._src.graph.ir.tracer import Tracer, tracing

R = TypeVar("R")
V = TypeVar("V")


class Inner:
    """One part of a choice or loop, traced.

    Args:
      outer: What traces the function around it.
      function: Takes the tensors of `specs`, gives a structure.
      specs: The shapes and dtypes of its explicit inputs.
    """

    def __init__(
        self, outer: Tracer, function: Callable[[list[Tensor]], Any], specs: Sequence[Any] = ()
    ) -> None:
        self.tracer = tracer = Tracer(outer)
        self.given = [tracer.input(s) for s in specs]
        with tracer.scope():
            self.result = settled(function(self.given))
            self.new = {i: Tensor(v._value) for i, v in tracer.written.items()}

    def entries(self, tensors: Sequence[Tensor]) -> list[Any]:
        """Outputs of the part's graph."""
        return [self.tracer.entry(x) for x in tensors]

    def call(self, inputs: Sequence[Symbol], outputs: Sequence[Any], name: str) -> GraphCall:
        """The part as a graph of these inputs and outputs."""
        return GraphCall(Graph(inputs, self.tracer.nodes, outputs), name)

    def captures(
        self, besides: Sequence[Any] = (), keys: bool = False
    ) -> list[tuple[Tensor, Symbol]]:
        """Returns the tensors and variables that it uses from outside, without some variables.

        Args:
          besides: The variables that are left out.
          keys: Whether keys of random numbers are among them.

        Returns:
          Pairs of the tensor outside, and the symbol that stands for it.
        """
        tracer, left = self.tracer, {v._id for v in besides}
        read = [
            (_current(tracer.variables[i]), symbol)
            for i, symbol in tracer.state.items()
            if i not in left
        ]
        drawn = [(key.outside, key.symbol) for key in tracer.keys.values()] if keys else []
        return [*tracer.captured, *read, *drawn]

    def state(self, variables: Sequence[Any]) -> list[Symbol]:
        """The symbols that stand for what variables have before."""
        tracer = self.tracer
        known = tracer.state
        return [
            known[v._id] if v._id in known else tracer.symbol(_spec(_current(v))) for v in variables
        ]

    def key_symbols(self, keys: Sequence[Key]) -> list[Symbol]:
        """The symbols that stand for keys of random numbers, its own or another part's."""
        mine = {id(key) for key in self.tracer.keys.values()}
        return [k.symbol if id(k) in mine else self.tracer.symbol(_spec(k.outside)) for k in keys]

    def following(self, keys: Sequence[Symbol]) -> list[Tensor]:
        """The keys of random numbers of the next turn of a loop."""
        with self.tracer.scope():
            return [fold_key_p(Tensor(key), n=0) for key in keys]


def _variables(*parts: Inner) -> list[Any]:
    """The variables that any of the parts writes."""
    return list({i: v for p in parts for i, v in p.tracer.written.items()}.values())


def _spec(x: Tensor) -> Any:
    return x._value.shape, x._value.dtype


def _current(variable: Any) -> Tensor:
    value: Tensor = variable._read()
    return value


def _outer() -> Tracer:
    found = tracing()
    assert found is not None
    return found


def cond(pred: Tensor, true_fn: Callable[[], R], false_fn: Callable[[], R]) -> R:
    """`tf.cond` on a condition that is not known yet."""
    outer = _outer()
    yes, no = Inner(outer, lambda _: true_fn()), Inner(outer, lambda _: false_fn())
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
            results.append(opened(part.result, shapes))
    parts = Parts(*results)
    flat = [parts.varying(r) for r in results]
    for a, b in zip(*flat, strict=True):
        if a.dtype is not b.dtype:
            raise TypeError(
                "true_fn and false_fn arguments to tf.cond must have the same number, type, and "
                f"overall structure of return values: {a.dtype.name} and {b.dtype.name}"
            )
        if shape_of(a) != shape_of(b):
            raise CannotTrace("branches of tf.cond give different shapes")
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
    specs = [*map(_spec, flat[0]), *[_spec(_current(v)) for v in written]]
    if not specs and not any(call.graph.nodes for call in calls):
        same: R = yes.result
        return same
    stateful = any(n.stateful for call in calls for n in call.graph.nodes)
    params = {"of": If(calls, places, specs)}
    outs = _added(if_p, inputs, params, specs, stateful)
    n = len(specs) - len(written)
    _assign(written, outs[n:])
    chosen: R = closed(yes.result, parts.packed(outs[:n]))
    return chosen


def _added(op: Any, inputs: Sequence[Tensor], params: Any, specs: Any, stateful: bool) -> Any:
    """Runs a structured operation; one with effects inside becomes a node that always runs."""
    tracer = _outer()
    before = len(tracer.nodes)
    outs = op(*inputs, **params)
    if stateful:
        for node in tracer.nodes[before:]:
            if node.params.get("of") is params["of"]:
                node.stateful = True
    return outs


class _Loop(Generic[V]):
    """The parts of a loop, traced.

    A TensorArray of the loop may get its elements' shape only by what the body writes: then the
    body is traced once more.

    Attributes:
      first: The first values of what is carried, but for variables.
      step: The body.
      nexts: The values of `first` after a turn.
      goes: The condition.
    """

    def __init__(self, outer: Tracer, test: Any, body: Any, loop_vars: V) -> None:
        self._like = settled(loop_vars)
        self._parts = Parts(opened(self._like))
        while not self._traced(outer, body):
            pass
        _check_carried(self.first, self.nexts)
        specs = [_spec(x) for x in self.first]
        self.goes = Inner(outer, lambda values: test(*self._arguments(values)), specs)
        if self.goes.tracer.written:
            raise CannotTrace("the condition of a loop assigns variables")

    def _traced(self, outer: Tracer, body: Any) -> bool:
        """Traces the body; whether its results are of the kind that it was given."""
        like, parts = self._like, self._parts
        self.first = parts.varying(opened(like, shapes_of(like)))

        def stepped(values: list[Tensor]) -> Any:
            out = body(*self._arguments(values))
            return nest.rebuild(like, list(out) if isinstance(out, (list, tuple)) else [out])

        self.step = step = Inner(outer, stepped, [_spec(x) for x in self.first])
        nest.assert_same_structure(like, step.result, expand_composites=True)
        shapes = shapes_of(step.result)
        known = opened(like, shapes)
        with step.tracer.scope():
            after = opened(step.result, shapes)
            self.nexts = parts.varying(after)
            now = Parts(known, after)
        now.steady = [a and b for a, b in zip(parts.steady, now.steady, strict=True)]
        if now.steady == parts.steady and shapes == shapes_of(like):
            return True
        self._parts = now
        if shapes != shapes_of(like):
            self._like = closed(like, known)
        return False

    def _arguments(self, values: Sequence[Tensor]) -> Iterable[Any]:
        """The loop variables of these tensors, for a call."""
        packed: Any = self.pack(values)
        variables: Iterable[Any] = packed
        return variables

    def pack(self, values: Sequence[Tensor]) -> V:
        """The loop variables of these tensors."""
        packed: V = closed(self._like, self._parts.packed(values))
        return packed


def _check_carried(first: Sequence[Tensor], nexts: Sequence[Tensor]) -> None:
    """Raises TypeError if the body changes a dtype."""
    for a, b in zip(first, nexts, strict=True):
        if a.dtype is not b.dtype:
            raise TypeError(
                f"tf.while_loop: the body must keep dtypes: {a.dtype.name} became {b.dtype.name}"
            )
        if shape_of(a) != shape_of(b):
            raise CannotTrace("the body of a loop changes shapes")


def while_loop(test: Any, body: Any, loop_vars: V, most: int | None) -> V:
    """`tf.while_loop` on a condition that is not known yet."""
    loop = _Loop(_outer(), test, body, loop_vars)
    goes, step = loop.goes, loop.step
    written = _variables(step)
    keys = [*step.tracer.keys.values(), *goes.tracer.keys.values()]
    carried = [*loop.first, *[_current(v) for v in written], *[k.outside for k in keys]]
    inputs: list[Tensor] = list(carried)
    calls, places = [], []
    (flag,) = nest.flatten(goes.result)
    results = [convert_to_tensor(flag)], [*loop.nexts, *_state(step, written)]
    for part, outs in zip((goes, step), results, strict=True):
        drawn = part.key_symbols(keys)
        entries = part.entries(outs if part is goes else [*outs, *part.following(drawn)])
        rest = part.captures(written)
        own = [x._value for x in part.given]
        own += [*part.state(written), *drawn, *[s for _, s in rest]]
        calls.append(part.call(own, entries, "tf.while_loop"))
        places.append(range(len(inputs), len(inputs) + len(rest)))
        inputs += [x for x, _ in rest]
    specs = [_spec(x) for x in carried]
    stateful = any(node.stateful for call in calls for node in call.graph.nodes)
    of = While(calls[0], calls[1], len(carried), places, most, specs)
    outs = _added(while_p, inputs, {"of": of}, specs, stateful)
    count = len(loop.first)
    _assign(written, outs[count:])
    return loop.pack(outs[:count])


def _assign(written: Sequence[Any], values: Sequence[Tensor]) -> None:
    """Gives variables the first ones of the values."""
    for variable, value in zip(written, values, strict=False):
        variable.assign(value, read_value=False)


def _state(part: Inner, written: Sequence[Any]) -> list[Tensor]:
    """The values of the written variables after a turn."""
    return [part.new[v._id] for v in written]


def fold(
    fn: Callable[[Any, Any], Any], elems: Any, start: V, reverse: bool, keep: bool
) -> tuple[V, Any]:
    """A fold over the rows of tensors: the last state, and all of what `fn` gives if `keep`."""
    outer = _outer()
    rows, like = _flat(elems), settled(start)
    row_specs = [(shape_of(x)[1:], x._value.dtype) for x in rows]

    def traced(shapes: Sequence[Any]) -> Inner:
        known = nest.flatten(opened(like, shapes), expand_composites=True)

        def run(values: list[Tensor]) -> Any:
            given = iter(values)
            own = [x if x is None else next(given) for x in known]
            packed = nest.pack_sequence_as(like, own, expand_composites=True)
            row = nest.pack_sequence_as(elems, list(given), expand_composites=True)
            following, out = fn(closed(like, packed), row)
            return [following, out]

        return Inner(outer, run, [*[_spec(x) for x in known if x is not None], *row_specs])

    shapes = shapes_of(like)
    part = traced(shapes)
    following, result = part.result
    if shapes_of(following) != shapes:  # the body's writes tell the elements' shape
        shapes = shapes_of(following)
        part = traced(shapes)
        following, result = part.result
    state = _flat(opened(like, shapes))
    n = len(state)
    written = _variables(part)
    with part.tracer.scope():
        nexts, kept = _flat(opened(following, shapes)), _flat(result) if keep else []
    if len(nexts) != n or None in shapes:
        raise CannotTrace("a TensorArray to which a loop over rows writes nothing")
    for a, b in zip(state, nexts, strict=True):
        if _spec(a) != _spec(b):
            raise CannotTrace("a fold changes the shape or dtype of its state")
    given = [x._value for x in part.given]
    keys = [*part.tracer.keys.values()]
    drawn = part.key_symbols(keys)
    entries = part.entries([*nexts, *_state(part, written), *part.following(drawn), *kept])
    rest = part.captures(written)
    inputs = [*given[:n], *part.state(written), *drawn, *[s for _, s in rest], *given[n:]]
    body = part.call(inputs, entries, "a loop over rows")
    length = shape_of(rows[0])[0]
    stacked = [((length, *shape_of(y)), y._value.dtype) for y in kept]
    first = [*state, *[_current(v) for v in written], *[k.outside for k in keys]]
    specs = [*map(_spec, first), *stacked]
    stateful = any(node.stateful for node in body.graph.nodes)
    of = Fold(body, len(first), len(rest), reverse, specs)
    given_in = [*first, *[x for x, _ in rest], *rows]
    outs = _added(fold_p, given_in, {"of": of}, specs, stateful)
    _assign(written, outs[n:])
    last = closed(like, nest.pack_sequence_as(like, list(outs[:n]), expand_composites=True))
    if not keep:
        return last, None
    results = outs[len(first) :]
    return last, nest.pack_sequence_as(result, list(results), expand_composites=True)


def _flat(out: Any) -> list[Tensor]:
    flat = nest.flatten(out, expand_composites=True)
    return [convert_to_tensor(x) for x in flat if x is not None]
