"""`Primitive`, through which every operation runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, TypeAlias, TypeVar, cast

import numpy as np

from gradtape._src.base.dtypes import dtype_of
from gradtape._src.base.error_messages import mismatch, stand_in, translated
from gradtape._src.core import recorder
from gradtape._src.core.convert import tensor
from gradtape._src.core.recorder import active_tapes, next_id
from gradtape._src.core.straight_paths import one_input, two_inputs
from gradtape._src.core.templates import is_named, parameters
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.tracebacks import brief

Raw = Any
Rule = Callable[..., Any]
Outputs: TypeAlias = "Tensor | tuple[Tensor, ...]"  # a tuple if there are several outputs
Outputs_co = TypeVar("Outputs_co", bound=tuple[Tensor, ...], covariant=True)
FLOAT32 = np.dtype(np.float32)
Record = tuple["Plan", Any, tuple[int, ...], tuple[Tensor, ...], Any]
"""A record: (plan, id or ids of the outputs, ids of the inputs with 0 for those not tracked, saved
tensors, saved static values)."""


class Plan:
    """The values saved for one combination of tracked inputs, and the derivative rules.

    Each combination has one plan.

    Attributes:
      primitive: The operation.
      vjp: `(g, input_ids, saved, static) -> cotangents`, one per input, None if the input's
        id is 0 (the pull-back, VJP).
      vjp_raw: Like `vjp`, for raw cotangents, which no recorder watches.
      jvp: `(tangents, saved, static) -> tangent` with None for an input without a tangent (the
        push-forward, JVP), or None if it must be derived from `vjp`.
      keep: `(inputs, outputs, params) -> (saved, static)`.
      sparse: Whether `vjp` accepts an `IndexedSlices`.
      always: Whether `vjp` is called even if no input leads to a source, as for custom gradients.
      lasting: Whether the primitive uses the plan again, for other records.
      whole: Whether `vjp_raw` returns an array or number for each tracked input.
    """

    __slots__ = (
        *("always", "jvp", "keep", "lasting", "primitive", "sparse", "vjp", "vjp_raw", "whole"),
    )

    def __init__(
        self,
        primitive: Primitive,
        keep: Callable[..., tuple[tuple[Tensor, ...], Any]],
        vjp: Rule,
        jvp: Rule | None = None,
        *,
        vjp_raw: Rule | None = None,
        sparse: bool = False,
        always: bool = False,
        whole: bool = False,
    ) -> None:
        self.primitive = primitive
        self.always, self.lasting, self.whole = always, False, whole
        self.keep, self.vjp = keep, vjp
        self.vjp_raw = vjp_raw or (
            lambda g, ids, saved, static: vjp(g, ids, [s._value for s in saved], static)
        )
        self.jvp, self.sparse = jvp, sparse


class Run(Protocol):
    """The function that runs a primitive, with a reference to the declaration.

    Attributes:
      primitive: The declaration.
      operator: For two inputs, the function that serves as a method such as `__add__`.
      of_arguments: For one or two inputs, the function that converts a program's arguments.
    """

    primitive: Primitive
    operator: Callable[[Any, Any], Tensor]
    of_arguments: Callable[..., Tensor]

    def __call__(self, *inputs: Any, **params: Any) -> Outputs: ...


class Bound(Run, Protocol):
    """Runs an operation with one output.

    A derivative rule may pass raw values and then gets a raw value. It uses only attributes that
    tensors have, too, so that checkers may assume a tensor.
    """

    def __call__(self, *inputs: Any, **params: Any) -> Tensor: ...


class BoundOutputs(Run, Protocol[Outputs_co]):
    """Runs an operation with several outputs, whose tuple type is `Outputs_co`."""

    def __call__(self, *inputs: Any, **params: Any) -> Outputs_co: ...


class Primitive:
    """An operation: its kernel, and, in the subclasses (the families), its derivative.

    Args:
      name: TensorFlow's name of the operation, for messages and the registry.
      kernel: Computes on raw values; parameters are keyword-only.
      dtypes: The NumPy scalar types that the first of the `same` inputs may have; None means any.
      same: The inputs that must share one dtype. Defaults to the first input if there are `dtypes`,
        so that its dtype is checked; otherwise, to no input.
      tracked: Bit i is set where input i has a derivative rule.

    Attributes:
      xla: Computes it on JAX arrays. None if `kernel` is a ufunc that JAX has, or if XLA can't.
      traits: Facts about the operation beyond its values and derivatives.
      outputs: The number of outputs; None if it depends on the parameters.
      needed: The number of first outputs whose cotangents the rules need, if only as zeros; None if
        they need those of all outputs.
      on_plan: A function that is called with each new plan.
      specs_by_shape: Whether the shapes and dtypes of the outputs are independent of values.
      keeps_specs_alone: Whether records hold the shapes and the dtype of all inputs, and nothing
        else.
    """

    keeps_specs_alone = specs_by_shape = False  # the latter until specs are inferred
    outputs: int | None = 1
    needed: int | None = None
    xla: Callable[..., Any] | None = None
    traits: Any = None
    on_plan: Callable[[Plan], Any] = staticmethod(lambda plan: None)

    def __init__(
        self,
        name: str,
        kernel: Callable[..., Raw],
        dtypes: frozenset[type] | None = None,
        same: slice | None = None,
        tracked: int = -1,
    ) -> None:
        self.name = name
        self.kernel = kernel
        self.dtypes = dtypes
        self.same = slice(int(dtypes is not None)) if same is None else same
        self.tracked = tracked
        self.bind: Run
        self._plans: dict[int, Plan] = {}
        self.specs: dict[Any, Any] = {}  # maps the specs of inputs to those of outputs

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

    def plan(self, mask: int) -> Plan:
        """Returns the plan for the tracked inputs of a bit mask."""
        plan = self._plans.get(mask)
        if plan is None:
            plan = self._plans[mask] = self.make_plan(mask)
            plan.lasting = not plan.always
            self.on_plan(plan)
        return plan

    def make_plan(self, mask: int) -> Plan:
        """Makes the plan for one combination of tracked inputs."""
        raise NotImplementedError

    def batch(
        self, size: int, batched: Sequence[bool], inputs: Sequence[Any], params: dict[str, Any]
    ) -> Outputs:
        """Runs the operation on inputs of which some have `size` examples along axis 0."""
        raise NotImplementedError

    def check(self, inputs: Sequence[Tensor]) -> Primitive:
        """Returns the operation that runs: this one, or the one that replaces it for a dtype.

        Raises InvalidArgumentError if there is neither.
        """
        group = inputs[self.same]
        if not group:
            return self
        first = group[0]._value.dtype.type
        for position, x in enumerate(group):
            if x._value.dtype.type is not first:
                place = (self.same.start or 0) + position
                raise mismatch(self.name, place, group[0].dtype, x.dtype)
        if self.dtypes is None or first in self.dtypes:
            return self
        run: Any = stand_in(self.name, self.dtypes, group[0].dtype)
        return cast("Primitive", run.primitive)


def rescue(
    primitive: Primitive, error: Exception, values: Sequence[Raw], params: Any
) -> tuple[Raw, Exception | None]:
    """Computes the result if the error is a NumPy warning that was raised as an error.

    Otherwise returns TensorFlow's exception.
    """
    if not isinstance(error, (RuntimeWarning, FloatingPointError)):
        return None, brief(translated(primitive.name, error, values))
    with np.errstate(all="ignore"):
        return primitive.kernel(*values, **params), None


def record(
    tapes: Sequence[Any],
    primitive: Primitive,
    inputs: Sequence[Tensor],
    outputs: Any,
    params: dict[str, Any],
) -> None:
    """Appends a record, shared if possible, to each tape that tracks an input with a derivative."""
    known = [x._id for x in inputs]
    before, new = 0, None
    for tape in tapes if any(known) else ():
        ids, mask, bit = tape.ids, 0, 1
        for i in known:
            mask |= (i in ids) * bit
            bit += bit
        mask &= primitive.tracked
        if mask and mask != before:
            out, before = _identify(outputs), mask
            if not out:
                return
            plan = primitive._plans.get(mask) or primitive.plan(mask)
            given = known
            if mask < bit - 1:
                given = [i if mask >> k & 1 else 0 for k, i in enumerate(known)]
            new = plan, out, tuple(given), *plan.keep(inputs, outputs, params)
        if mask:
            tape.add(new)


def _identify(outputs: Any) -> Any:
    """Assigns ids to differentiable outputs; returns the id or ids, 0 for other outputs."""
    if type(outputs) is tuple:
        ids = tuple([y._id or _identify(y) for y in outputs])
        return ids if any(ids) else 0
    value = outputs._value
    if not outputs._id and (value.dtype is FLOAT32 or dtype_of(value).differentiable):
        outputs._id = next_id()
    return outputs._id


def bind(primitive: Primitive) -> Bound:
    """Returns the function that runs an operation of any number of inputs."""
    kernel, same, dtypes = primitive.kernel, primitive.same, primitive.dtypes
    checked, active = dtypes is not None or same != slice(0), active_tapes

    def run(*inputs: Any, **params: Any) -> Any:
        values = [x._value for x in inputs if type(x) is Tensor]
        if len(values) < len(inputs):
            return run(*map(_boxed, inputs), **params) if values else kernel(*inputs, **params)
        if checked and (kinds := [value.dtype for value in values[same]]):
            first = kinds[0]
            if kinds.count(first) < len(kinds) or (dtypes and first.type not in dtypes):
                primitive.check(inputs)
        tapes = active()
        if tapes is None:
            return recorder.process(primitive, inputs, params)
        try:
            value = kernel(*values, **params)
        except Exception as error:
            value, failure = rescue(primitive, error, values, params)
            if failure is not None:
                raise failure from None
        out = tuple(map(Tensor, value)) if type(value) is tuple else Tensor(value)
        if tapes:
            record(tapes, primitive, inputs, out, params)
        return out

    return _attach(primitive, run)


def _boxed(x: Any) -> Tensor:
    return x if type(x) is Tensor else Tensor(x)


def bind_single(primitive: Primitive) -> Bound:
    """Returns the function that runs an operation of one input and any parameters."""
    checked, tracked = primitive.dtypes is not None, bool(primitive.tracked & 1)
    plans: list[Any] = [None, primitive.plan(1) if tracked else None]
    params = parameters(primitive.kernel)
    saved = plans[1].kept if tracked and is_named(params) else ""
    make = one_input(params=params, checked=checked, tracked=tracked, saved=saved)
    return _attach(primitive, make(primitive, plans, rescue, identify=_identify, record=record))


def bind_unary(primitive: Primitive, kept: str) -> Bound:
    """Returns the function that runs an operation of one input of one dtype, without parameters.

    Args:
      primitive: The operation.
      kept: The values that its rule needs: "", "x", "o" (its output) or "xo".
    """
    saved = f"({''.join([{'x': 'x, ', 'o': 'out, '}[c] for c in kept])}), None"
    checked, tracked = primitive.dtypes is not None, bool(primitive.tracked)
    plans = [None, primitive.plan(1) if tracked else None]
    form = partial(one_input, params=None, checked=checked, tracked=tracked, saved=saved)
    makers = [form(converts=converts) for converts in (False, True)]
    return _attach(primitive, *[make(primitive, plans, rescue, coerce=tensor) for make in makers])


def bind_binary(
    primitive: Primitive,
    keeps: Sequence[Callable[..., Any] | None],
    operands: Callable[..., Any],
    arguments: Callable[..., Any],
    uneven: str = "not scalars",
) -> Bound:
    """Returns the function that runs an operation of two inputs that broadcast, without parameters.

    The function's attribute `operator` serves as a method such as `__add__`.

    Args:
      primitive: The operation.
      keeps: For each bit mask of tracked inputs, `(x, y, out) -> saved`; None if that is empty.
      operands: Converts an operator's operands to tensors; returns None if the other class should
        handle the operator.
      arguments: Converts a public function's arguments to tensors.
      uneven: The condition, as code, under which the inputs may have broadcast.
    """
    tracked, make = primitive.tracked, two_inputs(primitive.tracked & 3, uneven)
    plans = [primitive.plan(mask) if mask & tracked else None for mask in range(4)]
    run = make(primitive, plans, rescue, keeps, _both_raw, primitive.kernel)
    run.operator = make(primitive, plans, rescue, keeps, operands, lambda x, y: NotImplemented)
    return _attach(primitive, run, make(primitive, plans, rescue, keeps, arguments))


def _both_raw(x: Any, y: Any) -> tuple[Tensor, Tensor] | None:
    """Returns None if both operands are raw, for derivative rules."""
    if type(x) is Tensor:
        return x, Tensor(y)
    return (Tensor(x), y) if type(y) is Tensor else None


def _attach(primitive: Primitive, run: Any, run_of_arguments: Any = None) -> Bound:
    bound: Bound = run
    run.primitive, run.of_arguments = primitive, run_of_arguments
    run.__name__ = run.__qualname__ = primitive.name
    primitive.bind = run
    return bound
