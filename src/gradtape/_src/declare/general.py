"""The general family of operations: a vjp rule for each differentiable input.

The names of a rule's parameters after the cotangent `g` (or tangent `t`) say which values it needs:
an input by the kernel's name for it, `out`, `<input>_shape`, `<input>_dtype`, `out_shape`, or a
parameter. A tape keeps only these values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradtape._src.base.optional_dtypes import BFLOAT16
from gradtape._src.compute.axis_sums import HALVES
from gradtape._src.core.primitive import Bound, Outputs, Plan, Primitive, Rule, bind_single
from gradtape._src.core.several_inputs import bind_any_number, bind_several
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.plans import ITSELF, GeneralPlan, argument_names
from gradtape._src.declare.traits import NO_TRAITS, Traits

REGISTRY: dict[str, Primitive] = {}
"""Every operation by TensorFlow's name."""
BATCHING: dict[str, Callable[..., Outputs]] = {}
"""The ways to run operations without a batching rule on a batch.

Each is `(primitive, size, batched, inputs, params) -> outputs`; `declare.structural` adds these
functions, which use operations."""

VARIADIC = 0x04  # the flag of code that takes `*args`
FLOATING = frozenset({np.float16, np.float32, np.float64, *BFLOAT16})
COMPLEX = frozenset({np.complex64, np.complex128})
SIGNED = frozenset({np.int8, np.int16, np.int32, np.int64})
INTEGER = SIGNED | {np.uint8, np.uint16, np.uint32, np.uint64}
INEXACT = FLOATING | COMPLEX
WIDE = INEXACT - HALVES  # the dtypes of Fourier transforms
NUMERIC = INEXACT | INTEGER
REAL = FLOATING | INTEGER


def register(
    primitive: Primitive, xla: Callable[..., Any] | None = None, traits: Traits = NO_TRAITS
) -> None:
    """Adds an operation to the registry.

    Args:
      primitive: The operation.
      xla: Computes it on JAX's arrays, with the arguments of its kernel.
      traits: Facts about the operation beyond its values and derivatives.

    Raises:
      KeyError: An operation of this name is registered already.
    """
    if primitive.name in REGISTRY:
        raise KeyError(f"two operations are named {primitive.name}")
    primitive.xla, primitive.traits = xla, traits
    REGISTRY[primitive.name] = primitive


def shape_of(x: Any) -> tuple[int, ...]:
    """Returns the shape of a tensor or raw value, as a tuple."""
    shape: tuple[int, ...] = x._value.shape if type(x) is Tensor else x.shape
    return shape


def dtype_of_value(x: Any) -> np.dtype[Any]:
    """Returns the NumPy dtype of a tensor or raw value."""
    dtype: np.dtype[Any] = x._value.dtype if type(x) is Tensor else x.dtype
    return dtype


class General(Primitive):
    """An operation whose rules are written out, a vjp rule for each differentiable input.

    Args:
      vjps: By input name, `(g, ...) -> cotangent`. For a kernel that takes any number of inputs
        (`*xs`), one rule under that name returns the list of all cotangents; these inputs must be
        the `same`.
      jvps: By input name, `(t, ...) -> tangent of the output`, contributions of several inputs are
        added.
      linear: The inputs in which the operation is linear, so that their push-forward is the
        operation itself.
      batching: `(size, batched, inputs, params) -> outputs` with examples along axis 0; "leading"
        if the kernel takes any number of leading axes; None for one call per example.
      sparse: Whether the vjp rules accept an `IndexedSlices`.
    """

    def __init__(
        self,
        name: str,
        kernel: Callable[..., Any],
        vjps: Mapping[str, Rule],
        jvps: Mapping[str, Rule],
        linear: Sequence[str],
        batching: Callable[..., Outputs] | str | None,
        sparse: bool,
        dtypes: frozenset[type] | None,
        same: slice | None,
    ) -> None:
        self.inputs = argument_names(kernel)
        self.variadic = bool(kernel.__code__.co_flags & VARIADIC)
        if self.variadic:
            code = kernel.__code__
            self.inputs = (code.co_varnames[code.co_argcount + code.co_kwonlyargcount],)
        self.vjps, self.jvps, self.linear = dict(vjps), dict(jvps), frozenset(linear)
        self.batching = batching
        self.sparse = sparse
        tracked = sum(1 << i for i, name in enumerate(self.inputs) if name in self.vjps)
        super().__init__(name, kernel, dtypes, same, -1 if self.variadic and vjps else tracked)
        if self.variadic:
            assert not vjps or self.same == slice(None), f"{name}: its inputs must share a dtype"
            self._shared = plan = self._make(0)
            own = [n for n in plan.facts if n[:3] == "out"]
            self.keeps_specs_alone = not plan.tensors and not own

    def make_plan(self, mask: int) -> Plan:
        return self._shared if self.variadic else self._make(mask)

    def _make(self, mask: int) -> GeneralPlan:
        tracked = [i for i in range(len(self.inputs)) if mask >> i & 1 or self.variadic]
        vjps = {i: self.vjps[self.inputs[i]] for i in tracked if self.inputs[i] in self.vjps}
        jvps = {i: self._jvp_rule(i) for i in tracked}
        forward = jvps if all(jvps.values()) else None
        return GeneralPlan(self, self.inputs, self.variadic, vjps, forward, self.sparse)

    def _jvp_rule(self, i: int) -> Any:
        name = self.inputs[i]
        return ITSELF if name in self.linear else self.jvps.get(name)

    def batch(
        self, size: int, batched: Sequence[bool], inputs: Sequence[Any], params: dict[str, Any]
    ) -> Outputs:
        if size and callable(self.batching):
            return self.batching(size, batched, inputs, params)
        way = "leading" if self.batching == "leading" else "one by one"
        return BATCHING[way](self, size, batched, inputs, params)


def general(
    name: str,
    kernel: Callable[..., Any],
    vjps: Mapping[str, Rule] | None = None,
    *,
    jvps: Mapping[str, Rule] | None = None,
    linear: Sequence[str] = (),
    batching: Callable[..., Outputs] | str | None = None,
    sparse: bool = False,
    dtypes: frozenset[type] | None = None,
    same: slice | None = None,
    xla: Callable[..., Any] | None = None,
    traits: Traits = NO_TRAITS,
) -> Bound:
    """Declares an operation of the general family; see `General` and `register`.

    Returns:
      The function that runs it on tensors or raw values.
    """
    primitive = General(
        name, kernel, vjps or {}, jvps or {}, linear, batching, sparse, dtypes, same
    )
    register(primitive, xla, traits)
    count = 0 if primitive.variadic else len(primitive.inputs)
    if count == 0:
        return bind_any_number(primitive)
    return bind_single(primitive) if count == 1 else bind_several(primitive)
