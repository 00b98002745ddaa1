"""Choices and loops whose conditions are traced, as XLA's control flow; needs JAX.

A branch or body is a function of a list of tensors. What it uses from outside (tensors, and
variables, those that it writes among them) is found by running it once for nothing, and becomes
part of that list: so the operations `If`, `While` and `Scan` have all that they depend on as
inputs, and their derivatives are made of the same operations with our tape inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from gradtape._autodiff.arguments import UnconnectedGradients
from gradtape._autodiff.tape import GradientTape
from gradtape._autodiff.vectorize import Batch, Vectorizer
from gradtape._base import nest
from gradtape._compile.trace import CONCRETE, Compiler, compiling, rebound
from gradtape._core import recorder
from gradtape._core.convert import convert_to_tensor
from gradtape._core.primitive import Plan, Primitive, bind
from gradtape._core.recorder import Recorder, replaced
from gradtape._core.tensor import Tensor
from gradtape._core.variable import Variable
from gradtape._ops.families import broadcast_to_p, shape_of, transpose_leading, with_axis
from gradtape._ops.plans import zeros

Body = Callable[[list[Tensor]], list[Tensor]]


def is_traced(x: Any) -> bool:
    """Whether a tensor's value is known only when the compiled program runs."""
    if type(x) is not Tensor:
        return False
    value = x._value
    while type(value) is Batch:
        value = value.inner._value if type(value.inner) is Tensor else value.inner
    return not isinstance(value, CONCRETE) and compiling() is not None


class _Reader(Recorder):
    """Notes what a function uses that was there before, and takes back what it writes."""

    def __init__(self) -> None:
        self.made: dict[int, Tensor] = {}
        self.used: dict[int, Any] = {}
        self.written: dict[int, tuple[Variable, Any]] = {}
        self.ids: dict[int, Variable] = {}

    def process(
        self, primitive: Primitive, inputs: Sequence[Tensor], params: dict[str, Any]
    ) -> Any:
        for x in inputs:
            if id(x) not in self.made and x._id not in self.ids and (x._id or is_traced(x)):
                self.used.setdefault(id(x), x)
        out = primitive.bind(*inputs, **params)
        for y in out if type(out) is tuple else (out,):
            self.made[id(y)] = y
        return out

    def variable_read(self, variable: Variable) -> None:
        self.ids[variable._id] = variable
        self.used.setdefault(id(variable), variable)

    def hold(self, variable: Variable) -> None:
        self.variable_read(variable)

    def variable_written(self, variable: Variable) -> None:
        self.variable_read(variable)
        self.written.setdefault(variable._id, (variable, variable._value))


def _look(functions: Sequence[Callable[[], Any]]) -> tuple[list[Any], list[Variable], list[Any]]:
    """What functions use and write, and what they return."""
    compiler = compiling()
    reader = _Reader()
    results = []
    with replaced((compiler, reader)):
        for function in functions:
            out = function()
            for x in nest.flatten(out, expand_composites=True):
                outside = type(x) is Tensor and id(x) not in reader.made
                if outside and x._id not in reader.ids and (x._id or is_traced(x)):
                    reader.used.setdefault(id(x), x)
            results.append(
                nest.map_structure(lambda x: x if x is None else convert_to_tensor(x), out)
            )
            for variable, value in reader.written.values():
                variable._value = value
    return list(reader.used.values()), [v for v, _ in reader.written.values()], results


def _known(x: Any) -> Any:
    return x if x is None else convert_to_tensor(x)


def _as_tensors(objects: Sequence[Any]) -> list[Tensor]:
    return [x._read() if isinstance(x, Variable) else x for x in objects]


def _flat(out: Any) -> list[Tensor]:
    return [convert_to_tensor(x) for x in nest.flatten(out, expand_composites=True)]


def _staged(compiler: Compiler, body: Body) -> Callable[[Sequence[Any]], list[Any]]:
    """A body as JAX calls it while it stages the inside of a choice or loop."""

    def run(values: Sequence[Any]) -> list[Any]:
        with compiler.scope():
            return [jnp.asarray(y._value) for y in body([Tensor(v) for v in values])]

    return run


def _vectorized(body: Body, size: int, flags: Sequence[bool]) -> Body:
    """A body for values with examples along axis 0 where `flags` say so; so has every result."""

    def run(values: list[Tensor]) -> list[Tensor]:
        vectorizer = Vectorizer(size)
        recorder.push(vectorizer)
        try:
            given = [vectorizer.wrap(v) if b else v for v, b in zip(values, flags, strict=True)]
            outs = body(given)
        finally:
            recorder.remove(vectorizer)
        return [_inner(y, vectorizer) for y in outs]

    return run


def _inner(y: Tensor, vectorizer: Vectorizer) -> Any:
    value = y._value
    if type(value) is Batch and value.owner is vectorizer:
        return value.inner
    return broadcast_to_p(y, shape=(vectorizer.size, *shape_of(y)))


def _pulled(body: Body, n: int, wanted: Sequence[int], live: Sequence[int]) -> Body:
    """The pull-back of a body: takes its `n` inputs and the live results' cotangents."""

    def run(values: list[Tensor]) -> list[Tensor]:
        xs, gs = values[:n], values[n:]
        with GradientTape(watch_accessed_variables=False) as tape:
            sources = [xs[i] for i in wanted]
            tape.watch(sources)
            outs = body(xs)
        found = tape.gradient(
            [outs[i] for i in live],
            sources,
            output_gradients=gs,
            unconnected_gradients=UnconnectedGradients.ZERO,
        )
        return [convert_to_tensor(g) for g in found]

    return run


class _Structured(Primitive):
    """An operation made of functions, which its parameters hold."""

    def make_plan(self, mask: int) -> Plan:
        return Plan(self, self._keep, self._pull)

    def _keep(self, inputs: Sequence[Any], out: Any, params: Any) -> Any:
        return tuple(inputs), (params, [(shape_of(y), y._value.dtype) for y in out])

    def _pull(self, g: Any, ids: Sequence[int], saved: Sequence[Any], static: Any) -> Any:
        params, specs = static
        live = [i for i, (_, dtype) in enumerate(specs) if dtype.kind not in "biu"]
        gs = [zeros(*specs[i]) if g[i] is None else g[i] for i in live]
        wanted = [i for i, x in enumerate(saved) if ids[i] and x._value.dtype.kind not in "biu"]
        found = iter(self.pull(params, list(saved), gs, wanted, live)) if wanted else iter(())
        return [next(found) if i in wanted else None for i in range(len(saved))]

    def pull(
        self, params: Any, xs: list[Any], gs: list[Any], wanted: list[int], live: list[int]
    ) -> Sequence[Any]:
        """The cotangents of the wanted inputs."""
        raise NotImplementedError


class _If(_Structured):
    def pull(
        self, params: Any, xs: list[Any], gs: list[Any], wanted: list[int], live: list[int]
    ) -> Sequence[Any]:
        wanted = [i - 1 for i in wanted]
        branches = [_pulled(b, len(xs) - 1, wanted, live) for b in params["branches"]]
        out: Sequence[Any] = if_p(*xs, *gs, compiler=params["compiler"], branches=branches)
        return out

    def batch(self, size: int, batched: Any, inputs: Any, params: Any) -> Any:
        if batched[0]:
            raise NotImplementedError(
                "tf.cond on a condition that differs between the examples of a vectorized function "
                "or the rows of a Jacobian: write tf.where"
            )
        branches = [_vectorized(b, size, batched[1:]) for b in params["branches"]]
        return if_p(*inputs, compiler=params["compiler"], branches=branches)


def _run_if(pred: Any, *values: Any, compiler: Compiler, branches: Sequence[Body]) -> Any:
    yes, no = [_staged(compiler, b) for b in branches]
    return tuple(lax.cond(jnp.asarray(pred).astype(bool), yes, no, list(values)))


class _While(_Structured):
    def pull(
        self, params: Any, xs: list[Any], gs: list[Any], wanted: list[int], live: list[int]
    ) -> Sequence[Any]:
        raise ValueError(
            "the gradient of a compiled tf.while_loop whose end depends on the values needs "
            "maximum_iterations: XLA must know how many states to remember (or use tf.scan)"
        )

    def batch(self, size: int, batched: Any, inputs: Any, params: Any) -> Any:
        raise NotImplementedError("tf.while_loop in a vectorized function: write tf.scan")


def _run_while(*values: Any, compiler: Compiler, test: Body, body: Body, carried: int) -> Any:
    rest = list(values[carried:])
    goes, step = _staged(compiler, test), _staged(compiler, body)
    return tuple(
        lax.while_loop(
            lambda c: goes([*c, *rest])[0], lambda c: step([*c, *rest]), list(values[:carried])
        )
    )


class _Scan(_Structured):
    """Inputs: the carried values, then what all steps share, then what has a row per step."""

    def pull(
        self, params: Any, xs: list[Any], gs: list[Any], wanted: list[int], live: list[int]
    ) -> Sequence[Any]:
        body, c, s = params["body"], params["carried"], params["shared"]
        common = {"compiler": params["compiler"], "shared": s}
        backwards = params["reverse"]

        def remembering(values: list[Tensor]) -> list[Tensor]:
            return [*body(values)[:c], *values[:c]]

        states = scan_p(*xs, body=remembering, carried=c, reverse=backwards, **common)[c:]
        shared, rows = xs[c : c + s], xs[c + s :]
        in_carry = [i for i in range(c) if xs[i]._value.dtype.kind not in "biu"]
        in_shared = [i for i in wanted if c <= i < c + s]
        in_rows = [i for i in wanted if i >= c + s]
        parts = [*in_carry, *in_shared, *in_rows]
        a, b = len(in_carry), len(in_carry) + len(in_shared)
        pulled = _pulled(body, len(xs), parts, live)
        by_state = [live.index(i) for i in in_carry]
        by_rows = [k for k, i in enumerate(live) if i >= c]

        def step(values: list[Tensor]) -> list[Tensor]:
            carry, given = values[:b], values[b:]
            own, here = given[:s], given[s:]
            state, row, g_row = here[:c], here[c : c + len(rows)], here[c + len(rows) :]
            cotangents: list[Any] = [None] * len(live)
            for k, place in enumerate(by_state):
                cotangents[place] = carry[k]
            for g, place in zip(g_row, by_rows, strict=True):
                cotangents[place] = g
            found = pulled([*state, *own, *row, *cotangents])
            totals = [t + f for t, f in zip(carry[a:b], found[a:b], strict=True)]
            return [*found[:a], *totals, *found[b:]]

        start = [gs[place] for place in by_state]
        start += [Tensor(zeros(shape_of(xs[i]), xs[i]._value.dtype)) for i in in_shared]
        out = scan_p(
            *start,
            *shared,
            *states,
            *rows,
            *[gs[place] for place in by_rows],
            body=step,
            carried=b,
            reverse=not backwards,
            **common,
        )
        found = dict(zip(parts, out, strict=True))
        return [found[i] for i in wanted]

    def batch(self, size: int, batched: Any, inputs: Any, params: Any) -> Any:
        c, s = params["carried"], params["shared"]
        carry = with_axis(size, batched[:c], inputs[:c])
        rows = [
            transpose_leading(x) if b else x
            for x, b in zip(inputs[c + s :], batched[c + s :], strict=True)
        ]
        flags = [*(True for _ in carry), *batched[c:]]
        body = _vectorized(params["body"], size, flags)
        out = scan_p(*carry, *inputs[c : c + s], *rows, **{**params, "body": body})
        return (*out[:c], *[transpose_leading(y) for y in out[c:]])


def _run_scan(
    *values: Any, compiler: Compiler, body: Body, carried: int, shared: int, reverse: bool
) -> Any:
    common = list(values[carried : carried + shared])
    step = _staged(compiler, body)

    def run(carry: Any, row: Any) -> Any:
        out = step([*carry, *common, *row])
        return out[:carried], out[carried:]

    rows = list(values[carried + shared :])
    carry, stacked = lax.scan(run, list(values[:carried]), rows, reverse=reverse)
    return (*carry, *stacked)


if_p = bind(_If("If", _run_if))
while_p = bind(_While("While", _run_while))
scan_p = bind(_Scan("Scan", _run_scan))
KERNELS = {"If": _run_if, "While": _run_while, "Scan": _run_scan}


# What programs call.


def _ids(*groups: Sequence[Any]) -> set[int]:
    return {id(x) for group in groups for x in group}


def _put_back(written: Sequence[Variable], values: Sequence[Tensor]) -> None:
    for variable, value in zip(written, values, strict=True):
        variable.assign(value, read_value=False)


def _state(written: Sequence[Variable]) -> list[Tensor]:
    return [Tensor(v._value) for v in written]


def cond(pred: Tensor, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """`tf.cond` on a traced condition."""
    used, written, (yes, no) = _look([true_fn, false_fn])
    try:
        nest.assert_same_structure(yes, no, expand_composites=True)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"true_fn and false_fn of a compiled tf.cond must return the same structure: {error}"
        ) from None
    for a, b in zip(_flat(yes), _flat(no), strict=True):
        if a.dtype is not b.dtype or shape_of(a) != shape_of(b):
            raise TypeError(
                "true_fn and false_fn of a compiled tf.cond must return tensors of the same "
                f"shapes and dtypes, got {a.shape} {a.dtype.name} and {b.shape} {b.dtype.name}"
            )

    def branch(function: Callable[[], Any]) -> Body:
        def run(values: list[Tensor]) -> list[Tensor]:
            with rebound(used, values):
                return [*_flat(function()), *_state(written)]

        return run

    branches = [branch(true_fn), branch(false_fn)]
    if not _flat(yes) and not written:
        return yes
    outs = if_p(pred, *_as_tensors(used), compiler=compiling(), branches=branches)
    n = len(outs) - len(written)
    _put_back(written, outs[n:])
    return nest.pack_sequence_as(yes, list(outs[:n]), expand_composites=True)


def while_loop(test: Any, body: Any, loop_vars: Any, most: int | None) -> Any:
    """`tf.while_loop` with a traced condition."""
    loop_vars = nest.map_structure(convert_to_tensor, loop_vars)
    first = _flat(loop_vars)

    def pack(values: Sequence[Tensor]) -> Any:
        return nest.pack_sequence_as(loop_vars, list(values), expand_composites=True)

    probe = [Tensor(x._value) for x in first]

    def once() -> Any:
        out = body(*pack(probe))
        return list(out) if isinstance(out, (list, tuple)) else [out]

    used, written, (_, after) = _look([lambda: test(*pack(probe)), once])
    nest.assert_same_structure(list(loop_vars), after, expand_composites=True)
    for a, b in zip(first, _flat(after), strict=True):
        if a.dtype is not b.dtype or shape_of(a) != shape_of(b):
            raise ValueError(
                "the body of a compiled tf.while_loop must keep shapes and dtypes: "
                f"{a.shape} {a.dtype.name} became {b.shape} {b.dtype.name}"
            )
    others = [x for x in used if id(x) not in _ids(written, probe)]
    n, w = len(first), len(written)

    def inside(function: Callable[[Any], Any]) -> Body:
        def run(values: list[Tensor]) -> list[Tensor]:
            with rebound([*written, *others], values[n:]):
                return _flat(function(pack(values[:n])))

        return run

    def stepped(values: list[Tensor]) -> list[Tensor]:
        with rebound([*written, *others], values[n:]):
            out = body(*pack(values[:n]))
            flat = _flat(list(out) if isinstance(out, (list, tuple)) else [out])
            return [*flat, *_state(written)]

    tested = inside(lambda state: test(*state))
    inputs = [*first, *_as_tensors(written), *_as_tensors(others)]
    compiler = compiling()
    if most is None:
        outs = while_p(*inputs, compiler=compiler, test=tested, body=stepped, carried=n + w)
    else:
        outs = _bounded(inputs, tested, stepped, n + w, most, compiler)
    _put_back(written, outs[n:])
    return pack(outs[:n])


def _bounded(
    inputs: list[Tensor], tested: Body, stepped: Body, carried: int, most: int, compiler: Any
) -> Sequence[Tensor]:
    """A loop of at most so many turns as a scan of choices, which has a gradient."""

    def turn(values: list[Tensor]) -> list[Tensor]:
        goes = tested(values)[0]
        branches = [stepped, lambda xs: list(xs[:carried])]
        out: tuple[Tensor, ...] = if_p(goes, *values, compiler=compiler, branches=branches)
        return list(out)

    out: Sequence[Tensor] = scan_p(
        *inputs,
        Tensor(zeros((most,), jnp.dtype("int32"))),
        compiler=compiler,
        body=lambda values: turn(values[:-1]),
        carried=carried,
        shared=len(inputs) - carried,
        reverse=False,
    )
    return out


def fold(
    fn: Callable[[Any, Any], Any], elems: Any, start: Any, reverse: bool, keep: bool
) -> tuple[Any, Any]:
    """A fold over the rows of tensors: the last state, and all of what `fn` gives if `keep`.

    `fn` takes the state and a row and gives the next state and a result.
    """
    rows, state = _flat(elems), _flat(start)

    def pack(values: Sequence[Tensor]) -> tuple[Any, Any]:
        n = len(state)
        return (
            nest.pack_sequence_as(start, list(values[:n]), expand_composites=True),
            nest.pack_sequence_as(elems, list(values[n:]), expand_composites=True),
        )

    probe = [Tensor(zeros(shape_of(x), x._value.dtype)) for x in state]
    probe += [Tensor(zeros(shape_of(x)[1:], x._value.dtype)) for x in rows]
    used, written, ((_, result),) = _look([lambda: fn(*pack(probe))])
    others = [x for x in used if id(x) not in _ids(written, probe)]
    n, w = len(state), len(written)

    def body(values: list[Tensor]) -> list[Tensor]:
        own, changed = values[:n], values[n : n + w]
        common, row = values[n + w : n + w + len(others)], values[n + w + len(others) :]
        with rebound([*written, *others], [*changed, *common]):
            following, out = fn(*pack([*own, *row]))
            return [*_flat(following), *_state(written), *(_flat(out) if keep else ())]

    outs = scan_p(
        *state,
        *_as_tensors(written),
        *_as_tensors(others),
        *rows,
        compiler=compiling(),
        body=body,
        carried=n + w,
        shared=len(others),
        reverse=reverse,
    )
    _put_back(written, outs[n : n + w])
    last = nest.pack_sequence_as(start, list(outs[:n]), expand_composites=True)
    if not keep:
        return last, None
    return last, nest.pack_sequence_as(result, list(outs[n + w :]), expand_composites=True)
