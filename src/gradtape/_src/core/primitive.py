"""What happens when an operation runs: the one point through which every operation goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from gradtape._src.base.dtype_overrides import stand_in
from gradtape._src.base.dtypes import dtype_of
from gradtape._src.base.error_messages import mismatch, translated, unsupported
from gradtape._src.core import recorder
from gradtape._src.core.convert import constants, like, readers, tensor
from gradtape._src.core.recorder import active_tapes, next_id
from gradtape._src.core.tensor import Tensor, TensorLike

Raw = Any
Rule = Callable[..., Any]
Record = tuple["Plan", Any, tuple[int, ...], tuple[Tensor, ...], Any]
"""(plan, id of the output or ids of the outputs, ids of the inputs with 0 for one that is not
tracked, the tensors kept, static facts kept)."""

ndarray, float32, new = np.ndarray, np.float32, object.__new__


class Plan:
    """What one combination of tracked inputs keeps and computes; made once per combination.

    Attributes:
      primitive: The operation.
      pull: `(g, input_ids, saved, static) -> cotangents`, one per input, None where the input's
        id is 0 (the pull-back, VJP).
      pull_raw: The same where the cotangents are raw values: nobody watches.
      push: `(tangents, saved, static) -> tangent` with None for an input without a tangent (the
        push-forward, JVP), or None where it must be derived from `pull`.
      keep: `(inputs, outputs, params) -> (saved, static)`.
      sparse: Whether `pull` takes an `IndexedSlices` as it is.
      always: Whether `pull` is called even where no source lies behind it, as for a function of
        the user's.
    """

    __slots__ = ("always", "keep", "primitive", "pull", "pull_raw", "push", "sparse")

    def __init__(
        self,
        primitive: Primitive,
        keep: Callable[..., tuple[tuple[Tensor, ...], Any]],
        pull: Rule,
        push: Rule | None = None,
        *,
        pull_raw: Rule | None = None,
        sparse: bool = False,
        always: bool = False,
    ) -> None:
        self.primitive = primitive
        self.always = always
        self.keep = keep
        self.pull = pull
        self.pull_raw = pull_raw or (
            lambda g, ids, saved, static: pull(g, ids, [s._value for s in saved], static)
        )
        self.push = push
        self.sparse = sparse


class Bound(Protocol):
    """The function that runs a primitive; its attribute leads back to the declaration."""

    primitive: Primitive
    operator: Any

    def __call__(self, *inputs: Any, **params: Any) -> Any: ...


class Primitive:
    """One operation: its kernel, and, in the subclasses (the families), how it is differentiated.

    Args:
      name: TensorFlow's name of the operation, for messages and the registry.
      kernel: Computes on raw values; parameters are keyword-only.
      dtypes: The NumPy scalar types that the first of the `same` inputs may have; None: any.
      same: The inputs that must have one dtype among them.
      tracked: Bit i is set where input i has a derivative rule.

    Attributes:
      xla: Computes the operation on JAX's arrays; None where that follows from `kernel` being a
        function of NumPy that JAX has too, or where XLA cannot compute it.
      traits: What is known of the operation beyond its values and derivatives.
    """

    xla: Callable[..., Any] | None = None
    traits: Any = None

    def __init__(
        self,
        name: str,
        kernel: Callable[..., Raw],
        dtypes: frozenset[type] | None = None,
        same: slice = slice(0),
        tracked: int = -1,
    ) -> None:
        self.name = name
        self.kernel = kernel
        self.dtypes = dtypes
        self.same = same
        self.tracked = tracked
        self.bind: Bound
        self._plans: dict[int, Plan] = {}

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

    def plan(self, mask: int) -> Plan:
        """What to keep and compute where just the inputs of this bit mask are tracked."""
        plan = self._plans.get(mask)
        if plan is None:
            plan = self._plans[mask] = self.make_plan(mask)
        return plan

    def make_plan(self, mask: int) -> Plan:
        """Makes the plan for one combination of tracked inputs."""
        raise NotImplementedError

    def batch(
        self, size: int, batched: Sequence[bool], inputs: Sequence[Any], params: dict[str, Any]
    ) -> Any:
        """Runs the operation on inputs some of which have `size` examples along axis 0."""
        raise NotImplementedError

    def check(self, inputs: Sequence[Tensor]) -> None:
        """Raises InvalidArgumentError unless the inputs' dtypes suit the operation."""
        group = inputs[self.same]
        if not group:
            return
        first = group[0]._value.dtype.type
        for position, x in enumerate(group):
            if x._value.dtype.type is not first:
                place = (self.same.start or 0) + position
                raise mismatch(self.name, place, group[0].dtype, x.dtype)
        if self.dtypes is not None and first not in self.dtypes:
            raise unsupported(self.name, self.dtypes, group[0].dtype)


def rescue(primitive: Primitive, error: Exception, values: Sequence[Raw], params: Any) -> Raw:
    """Computes through a warning made an error; any other becomes TensorFlow's exception."""
    if not isinstance(error, RuntimeWarning):
        raise translated(primitive.name, error, values) from None
    with np.errstate(all="ignore"):
        return primitive.kernel(*values, **params)


def record(
    tapes: Sequence[Any],
    primitive: Primitive,
    inputs: Sequence[Tensor],
    outputs: Any,
    params: dict[str, Any],
) -> None:
    """Appends a record to each tape that tracks an input with a derivative."""
    for tape in tapes:
        ids, found = tape.ids, []
        mask, bit, tracked = 0, 1, primitive.tracked
        for x in inputs:
            i = x._id
            if i in ids and bit & tracked:
                mask |= bit
                found.append(i)
            else:
                found.append(0)
            bit += bit
        if mask:
            out = _identify(outputs)
            if out:
                plan = primitive._plans.get(mask) or primitive.plan(mask)
                tape.add(plan, out, tuple(found), *plan.keep(inputs, outputs, params))


def _identify(outputs: Any) -> Any:
    """Gives outputs that can have a gradient an id; answers with the id or ids, 0 for none."""
    if type(outputs) is tuple:
        ids = tuple([_identify(out) for out in outputs])
        return ids if any(ids) else 0
    if not outputs._id and dtype_of(outputs._value).differentiable:
        outputs._id = next_id()
    return outputs._id


def bind(primitive: Primitive) -> Bound:
    """The function that runs an operation of any number of inputs."""
    kernel, same, dtypes = primitive.kernel, primitive.same, primitive.dtypes
    checked, active = dtypes is not None or same != slice(0), active_tapes

    def run(*inputs: Any, **params: Any) -> Any:
        values = [x._value for x in inputs if type(x) is Tensor]
        if len(values) < len(inputs):
            if not values:
                return kernel(*inputs, **params)
            inputs = tuple([x if type(x) is Tensor else Tensor(x) for x in inputs])
            values = [x._value for x in inputs]
        if checked:
            first = None
            for value in values[same]:
                if value.dtype is not first:
                    if first is not None or (dtypes is not None and value.dtype.type not in dtypes):
                        primitive.check(inputs)
                    first = value.dtype
        tapes = active()
        if tapes is None:
            return recorder.process(primitive, inputs, params)
        try:
            value = kernel(*values, **params)
        except Exception as error:
            value = rescue(primitive, error, values, params)
        out = tuple(map(Tensor, value)) if type(value) is tuple else Tensor(value)
        if tapes:
            record(tapes, primitive, inputs, out, params)
        return out

    return _attach(primitive, run)


def bind_single(primitive: Primitive) -> Bound:
    """The same for one input and any parameters."""
    kernel, dtypes = primitive.kernel, primitive.dtypes
    plan = primitive.plan(1) if primitive.tracked & 1 else None
    active, array = active_tapes, ndarray

    def run(x: Any, **params: Any) -> Any:
        if type(x) is not Tensor:
            return kernel(x, **params)
        tapes = active()
        if tapes is None:
            primitive.check((x,))
            return recorder.process(primitive, (x,), params)
        value = x._value
        if dtypes is not None:
            kind = value.dtype.type if type(value) is array else type(value)
            if kind not in dtypes:
                raise unsupported(primitive.name, dtypes, x.dtype)
        try:
            value = kernel(value, **params)
        except Exception as error:
            value = rescue(primitive, error, (value,), params)
        if type(value) is tuple:
            outs = tuple(map(Tensor, value))
            if tapes and x._id:
                record(tapes, primitive, (x,), outs, params)
            return outs
        out = new(Tensor)  # half the time of a call of the class
        out._value = value
        out._id = 0
        if tapes and x._id and plan is not None:
            i = x._id
            for tape in tapes:
                if i in tape.ids:
                    o = _identify(out)
                    if o:
                        tape.ids.add(o)
                        tape.records.append((plan, o, (i,), *plan.keep((x,), out, params)))
        return out

    return _attach(primitive, run)


def bind_unary(primitive: Primitive, kept: str) -> Bound:
    """The same for one input of one dtype, without parameters.

    Args:
      primitive: The operation.
      kept: What its rule needs: "", "x", "o" (its output) or "xo".
    """
    kernel, dtypes = primitive.kernel, primitive.dtypes
    differentiable, keeps_x, keeps_out = bool(primitive.tracked), kept[:1] == "x", kept[-1:] == "o"
    plan = primitive.plan(1) if differentiable else None
    active, array = active_tapes, ndarray
    f32 = float32 if dtypes is None or float32 in dtypes else None  # what needs no check

    def run(x: Any) -> Any:
        if type(x) is not Tensor:
            return kernel(x)
        tapes = active()
        if tapes is None:
            primitive.check((x,))
            return recorder.process(primitive, (x,), {})
        value = x._value
        kind = type(value)
        if kind is not f32:
            if kind is array:
                kind = value.dtype.type
            if dtypes is not None and kind not in dtypes:
                raise unsupported(primitive.name, dtypes, x.dtype)
        try:
            value = kernel(value)
        except Exception as error:
            value = rescue(primitive, error, (value,), {})
        out = new(Tensor)  # half the time of a call of the class
        out._value = value
        out._id = 0
        if tapes and x._id and differentiable:
            i = x._id
            for tape in tapes:
                if i in tape.ids:
                    if keeps_x:
                        saved: Any = (x, out) if keeps_out else (x,)
                    else:
                        saved = (out,) if keeps_out else ()
                    o = out._id
                    if not o:
                        o = out._id = next_id()
                    tape.ids.add(o)
                    tape.records.append((plan, o, (i,), saved, None))
        return out

    return _attach(primitive, run)


def bind_binary(
    primitive: Primitive, keeps: Sequence[Callable[..., Any] | None], operands: Callable[..., Any]
) -> Bound:
    """The same for two inputs of one dtype that broadcast, without parameters.

    The function's attribute `operator` is the same for use as a method such as `__add__`.

    Args:
      primitive: The operation.
      keeps: For each bit mask of tracked inputs, `(x, y, out) -> saved`; None where that is empty.
      operands: Makes an operator's arguments tensors; None where another class is to answer.
    """
    run = _attach(primitive, _straight_binary(primitive, keeps, _both_raw, primitive.kernel))
    run.operator = _straight_binary(primitive, keeps, operands, lambda x, y: NotImplemented)
    return run


def _both_raw(x: Any, y: Any) -> tuple[Tensor, Tensor] | None:
    """For derivative rules: None where both are raw."""
    if type(x) is Tensor:
        return x, Tensor(y)
    return (Tensor(x), y) if type(y) is Tensor else None


def _straight_binary(
    primitive: Primitive,
    keeps: Sequence[Callable[..., Any] | None],
    coerce: Callable[[Any, Any], tuple[Tensor, Tensor] | None],
    otherwise: Callable[[Any, Any], Any],
) -> Any:
    kernel, dtypes, tracked = primitive.kernel, primitive.dtypes, primitive.tracked
    plans = [primitive.plan(mask) if mask & tracked else None for mask in range(4)]
    usual = float32 if dtypes is None or float32 in dtypes else None
    active, array, f32, numbers = active_tapes, ndarray, float32, (float, int)

    def run(x: Any, y: Any) -> Any:
        if type(x) is not Tensor or type(y) is not Tensor:
            known = None
            if type(y) in numbers and type(x) is Tensor:
                a = x._value
                if type(a) is f32 or (type(a) is array and a.dtype.type is f32):
                    known = constants.get(y)
            if known is not None:
                y = known
            else:
                pair = coerce(x, y)
                if pair is None:
                    return otherwise(x, y)
                x, y = pair
        tapes = active()
        if tapes is None:
            primitive.check((x, y))
            return recorder.process(primitive, (x, y), {})
        a = x._value
        b = y._value
        kind = type(a)
        other = type(b)
        shaped = False
        if kind is array:
            kind = a.dtype.type
            shaped = True
        if other is array:
            other = b.dtype.type
            shaped = True
        if kind is not other:
            raise mismatch(primitive.name, 1, x.dtype, y.dtype)
        if kind is not usual and dtypes is not None and kind not in dtypes:
            return stand_in(primitive.name, dtypes, x.dtype)(x, y)
        try:
            value = kernel(a, b)
        except Exception as error:
            value = rescue(primitive, error, (a, b), {})
        out = new(Tensor)  # half the time of a call of the class
        out._value = value
        out._id = 0
        if tapes and tracked and (x._id or y._id):
            i = x._id
            j = y._id
            for tape in tapes:
                ids = tape.ids
                if i in ids:
                    mask = 3 & tracked if j in ids else 1 & tracked
                else:
                    mask = 2 & tracked if j in ids else 0
                if mask:
                    o = out._id
                    if not o:
                        o = out._id = next_id()
                    ids.add(o)
                    static = None
                    if shaped and a.shape != b.shape:
                        own = a.shape if mask == 1 else b.shape if mask == 2 else None
                        static = (a.shape, b.shape) if own != value.shape else None
                    known_ids = (i, j) if mask == 3 else (i, 0) if mask == 1 else (0, j)
                    keep = keeps[mask]
                    saved = keep(x, y, out) if keep else ()
                    tape.records.append((plans[mask], o, known_ids, saved, static))
        return out

    return run


def _attach(primitive: Primitive, run: Any) -> Bound:
    run.primitive = primitive
    run.__name__ = run.__qualname__ = primitive.name
    primitive.bind = run
    return run  # type: ignore[no-any-return]
