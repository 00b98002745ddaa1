"""`ForwardAccumulator`: derivatives computed alongside the operations, in forward mode."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, Self, overload

from gradtape._src.autodiff.arguments import UnconnectedGradients, leaf, unconnected_choice
from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base import nest
from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.base.scope_stacks import ExitOf, RecordingExit
from gradtape._src.core import recorder
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.primitive import Outputs, Plan, Primitive
from gradtape._src.core.recorder import Recorder, next_id
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.structural import zeros


@export("autodiff.ForwardAccumulator")
class ForwardAccumulator(Recorder):
    """Computes Jacobian-vector products while a program runs.

    Args:
      primals: A tensor, variable or nested structure of them, the point at which to differentiate.
      tangents: The direction, in the same structure.

    Raises:
      ValueError: A primal is not a tensor or is given twice, or structures, dtypes or shapes
        differ.

    >>> x = tf.constant([2.0, 3.0])
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as acc:
    ...     y = tf.reduce_sum(x * x)
    >>> float(acc.jvp(y))
    4.0
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        self._tangents: dict[int, Any] = {}
        self._alive: dict[int, weakref.ref[Any]] = {}
        self._recording = False
        nest.assert_same_structure(primals, tangents)
        for x, t in zip(nest.flatten(primals), nest.flatten(tangents), strict=True):
            primal = leaf(x)
            if primal is None:
                raise ValueError(
                    f"a primal must be a tf.Tensor or tf.Variable, not {x!r} of type "
                    f"{type(x).__name__!r}"
                )
            tangent = convert_to_tensor(t, primal.dtype)
            if tuple(tangent._value.shape) != tuple(primal._value.shape):
                raise ValueError(
                    f"ForwardAccumulator: a tangent of shape {tangent.shape} was given for a "
                    f"primal of shape {primal.shape} (give each tangent its primal's shape)"
                )
            if primal._id in self._tangents:
                raise ValueError(
                    f"Tensor {x!r} was specified as a primal multiple times. This may indicate an "
                    "error. If it was intended, please sum the corresponding tangents."
                )
            self._set(primal, tangent)

    def _set(self, value: Any, tangent: Any) -> None:
        """Keeps a value's tangent for as long as the value lives."""
        if not value._id:
            value._id = next_id()
        i = value._id
        self._tangents[i] = tangent
        if type(value) is Tensor:
            tangents, alive = self._tangents, self._alive

            def forget(_: Any) -> None:
                tangents.pop(i, None)
                alive.pop(i, None)

            alive[i] = weakref.ref(value, forget)

    def __enter__(self) -> Self:
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        self.by_with = type(self.__weakref__) is RecordingExit  # type: ignore[attr-defined]
        self._recording = True
        recorder.push(self)
        return self

    __exit__ = ExitOf(RecordingExit)

    def _stop(self) -> None:
        recorder.remove(self)
        self._recording = False

    @overload
    def jvp(self, primals: TensorLike, unconnected_gradients: Any = ...) -> Tensor: ...
    @overload
    def jvp(  # type: ignore[overload-overlap]
        self, primals: tuple[TensorLike, ...], unconnected_gradients: Any = ...
    ) -> tuple[Tensor, ...]: ...
    @overload
    def jvp(
        self, primals: Sequence[TensorLike], unconnected_gradients: Any = ...
    ) -> list[Tensor]: ...
    @overload
    def jvp(self, primals: Any, unconnected_gradients: Any = ...) -> Any: ...
    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> object:
        """Returns the tangents of values computed while the accumulator was active.

        Args:
          primals: A tensor, variable or nested structure of them.
          unconnected_gradients: Whether a value that does not depend on the primals gives None
            ("none") or zeros ("zero").

        Returns:
          Tangents of the values' shapes and dtypes, in the structure of `primals`.

        Raises:
          ValueError: `unconnected_gradients` is unknown.
          AttributeError: A value is not a tensor.
        """
        choice = unconnected_choice(unconnected_gradients)

        def tangent(x: Any) -> Any:
            if isinstance(x, IndexedSlices):
                values = tangent(x.values)
                return None if values is None else IndexedSlices(values, x.indices, x.dense_shape)
            if isinstance(x, CompositeTensor) and (value := x._differentiable()) is not None:
                values = tangent(value)
                return None if values is None else x._with_gradient(values)
            value = leaf(x)
            if value is None:
                raise AttributeError(
                    f"{type(x).__name__!r} object has no attribute '_id': jvp takes tensors "
                    f"computed while the accumulator was active, not {x!r}"
                )
            t = self._tangents.get(value._id)
            if t is None and choice is UnconnectedGradients.ZERO:
                x = convert_to_tensor(x)
                t = Tensor(zeros(x._value.shape, x._value.dtype))
            return t

        return nest.map_structure(tangent, primals)

    def _follows(self, value: Any) -> bool:
        """Whether a tangent is known for a tensor or variable."""
        return value._id in self._tangents

    def process(
        self, primitive: Primitive, inputs: Sequence[Tensor], params: dict[str, Any]
    ) -> Outputs:
        """Runs an operation, and computes the tangent of its output.

        Args:
          primitive: The operation.
          inputs: The operation's inputs.
          params: The operation's other parameters.

        Returns:
          The output, or a tuple of several outputs.
        """
        out = primitive.bind(*inputs, **params)
        tangents = [self._tangents.get(x._id) if x._id else None for x in inputs]
        mask = sum(1 << i for i, t in enumerate(tangents) if t is not None) & primitive.tracked
        if mask:
            plan = primitive.plan(mask)
            tangents = [t if mask >> i & 1 else None for i, t in enumerate(tangents)]
            saved, static = plan.keep(inputs, out, params)
            try:
                if plan.jvp is not None:
                    self._take(out, plan.jvp(tangents, saved, static))
                else:
                    self._take(out, transposed(plan, tangents, saved, static, out))
            except InvalidArgumentError as error:
                _check_shapes(primitive, inputs, tangents, error)
                raise
        return out

    def custom(self, plan: Plan, inputs: Sequence[Any], outputs: Sequence[Tensor]) -> None:
        """Computes the tangents of the outputs of an operation that has run.

        Args:
          plan: The operation's derivative rules.
          inputs: The operation's inputs.
          outputs: The operation's outputs.
        """
        tangents = [self._tangents.get(getattr(x, "_id", 0)) for x in inputs]
        if any(t is not None for t in tangents):
            stack = recorder.STACK.recorders
            with recorder.replaced(stack[: stack.index(self)]):
                self._take(tuple(outputs), transposed(plan, tangents, (), None, tuple(outputs)))

    def _take(self, out: Any, tangent: Any) -> None:
        several = type(out) is tuple
        for y, t in zip(out, tangent, strict=True) if several else ((out, tangent),):
            if t is not None and y.dtype.differentiable:
                self._set(y, t)


def _check_shapes(
    primitive: Primitive, inputs: Sequence[Tensor], tangents: Sequence[Any], error: Exception
) -> None:
    """Raises a ValueError that states the cause if a tangent's shape is not that of its tensor."""
    for x, t in zip(inputs, tangents, strict=True):
        if t is not None and tuple(t._value.shape) != tuple(x._value.shape):
            raise ValueError(
                f"ForwardAccumulator: a tangent of shape {t.shape} was given for a tensor of shape "
                f"{x.shape}, and {primitive.name} cannot combine them: {error} (give each tangent "
                "its primal's shape)"
            ) from error


def transposed(plan: Plan, tangents: Sequence[Any], saved: Any, static: Any, out: Any) -> Outputs:
    """Returns the jvp rule of an operation that has only a vjp rule.

    The vjp is linear in the cotangent, so that the vjp of this function is the jvp.
    """
    outs = out if type(out) is tuple else (out,)
    dummies = [Tensor(zeros(y._value.shape, y._value.dtype), next_id()) for y in outs]
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch([d for d in dummies if d.dtype.differentiable])
        g = list(dummies) if type(out) is tuple else dummies[0]
        pulled = plan.vjp(g, [int(t is not None) for t in tangents], saved, static)
    pairs = [
        (d, t) for d, t in zip(pulled, tangents, strict=False) if d is not None and t is not None
    ]
    found = tape.gradient(
        [d for d, _ in pairs],
        dummies,
        output_gradients=[t for _, t in pairs],
        unconnected_gradients=UnconnectedGradients.ZERO,
    )
    return tuple(found) if type(out) is tuple else found[0]
