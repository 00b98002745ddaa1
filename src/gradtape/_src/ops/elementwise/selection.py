"""Chooses between values: maximum, minimum, and selection by a condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import bool_
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute import formulas
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound, Plan, bind_binary
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import input_of, invalid
from gradtape._src.declare.general import (
    NUMERIC,
    REAL,
    dtype_of_value,
    general,
    register,
    shape_of,
)
from gradtape._src.declare.pointwise import Binary
from gradtape._src.declare.same_dtype import operands, pair
from gradtape._src.declare.structural import Value, aligned, broadcast_to_p, reshape_p, unbroadcast
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.unknown_sizes import are_alike, broadcast_shapes, surely_equal
from gradtape._src.ops.elementwise.comparison import greater_equal_p, less_equal_p

Pair = tuple[Any, Any]
_BOOL = np.dtype(bool)


def zero_of(x: Any) -> np.generic:
    """Returns zero as a raw scalar of the dtype of `x`."""
    zero: np.generic = dtype_of_value(x).type(0)
    return zero


def _select(condition: Any, x: Any, y: Any) -> Any:
    try:
        return formulas.select(condition, x, y)
    except ValueError:
        raise invalid(
            f"condition {list(condition.shape)}, then {list(x.shape)}, and else {list(y.shape)} "
            f"must be broadcastable [Op:SelectV2] (give `where` shapes that broadcast)",
        ) from None


def _select_vjp_x(g: Any, condition: Any, x_shape: Any, out_shape: Any) -> Any:
    return unbroadcast(select_p(condition, g, zero_of(g)), out_shape, x_shape)


def _select_vjp_y(g: Any, condition: Any, y_shape: Any, out_shape: Any) -> Any:
    return unbroadcast(select_p(condition, zero_of(g), g), out_shape, y_shape)


def _full(x: Any, shape: tuple[int, ...]) -> Any:
    return x if shape_of(x) == shape else broadcast_to_p(x, shape=shape)


select_p: Bound = general(
    "SelectV2",
    _select,
    {"x": _select_vjp_x, "y": _select_vjp_y},
    jvps={
        "x": lambda t, condition, out_shape: _full(select_p(condition, t, zero_of(t)), out_shape),
        "y": lambda t, condition, out_shape: _full(select_p(condition, zero_of(t), t), out_shape),
    },
    batching=lambda size, batched, inputs, params: select_p(*aligned(size, batched, inputs)),
    same=slice(1, 3),
    xla=lambda condition, x, y: jnp.where(condition, x, y),
    traits=Traits(pattern=Pattern.ELEMENTWISE, passes_on=True),
)


class Choice(Binary):
    """An operation that returns elements of its two inputs.

    Args:
      name: TensorFlow's name of the operation.
      kernel: The function that computes the result from raw values.
      first: The primitive that returns where the first input is chosen.
    """

    def __init__(self, name: str, kernel: Callable[[Any, Any], Any], first: Bound) -> None:
        super().__init__(name, kernel, (lambda x, y: None, lambda x, y: None), REAL)
        self.first = first

    def make_plan(self, mask: int) -> Plan:
        first = self.first

        def keep(inputs: Sequence[Any], out: Any, params: Any) -> Any:
            shapes = shape_of(inputs[0]), shape_of(inputs[1])
            return tuple(inputs), None if are_alike(*shapes) else shapes

        def vjp(g: Any, ids: Any, saved: Any, shapes: Any) -> Pair:
            choice, zero = first(*saved), zero_of(g)
            gx: Value | None = select_p(choice, g, zero) if ids[0] else None
            gy: Value | None = select_p(choice, zero, g) if ids[1] else None
            if shapes is not None:
                full = broadcast_shapes(*shapes)
                gx = gx if gx is None else unbroadcast(gx, full, shapes[0])
                gy = gy if gy is None else unbroadcast(gy, full, shapes[1])
            return gx, gy

        def jvp(tangents: Any, saved: Any, shapes: Any) -> Any:
            tx, ty = tangents
            zero = zero_of(ty if tx is None else tx)
            t = select_p(first(*saved), zero if tx is None else tx, zero if ty is None else ty)
            return t if shapes is None else _full(t, broadcast_shapes(*shapes))

        return Plan(self, keep, vjp, jvp)


def _choice(
    name: str,
    kernel: Callable[[Any, Any], Any],
    first: Bound,
    *,
    xla: Callable[[Any, Any], Any],
    traits: Traits,
) -> Bound:
    primitive = Choice(name, kernel, first)
    register(primitive, xla, traits)
    return bind_binary(primitive, [lambda x, y, out: (x, y)] * 4, operands, pair)


# Where both inputs are equal, TensorFlow gives the whole gradient to the first.
maximum_p = _choice(
    "Maximum",
    formulas.maximum,
    greater_equal_p,
    xla=lambda x, y: jnp.maximum(x, y),
    traits=Traits(passes_on=True),
)
maximum_of = maximum_p.of_arguments
minimum_p = _choice(
    "Minimum",
    formulas.minimum,
    less_equal_p,
    xla=lambda x, y: jnp.minimum(x, y),
    traits=Traits(passes_on=True),
)
minimum_of = minimum_p.of_arguments
indices_p = general(
    "Where",
    lambda condition: np.argwhere(condition).astype(np.int64),
    dtypes=NUMERIC | {np.bool_},
    same=slice(1),
    traits=Traits(
        result=lambda condition: ((None, condition.ndim), np.dtype(np.int64)),
        no_xla="the number of indices that it returns depends on the values, and XLA's shapes "
        "are fixed. Write tf.where(condition, x, y), or multiply by the mask",
    ),
)


@export("maximum", "math.maximum", direct=True)
@raw_op("Maximum")
def maximum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the larger of `x` and `y`, elementwise; NaN if either is NaN.

    The gradient goes to the larger of the two; if they are equal, to `x`.

    Args:
      x: A real tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not real, or the shapes do not broadcast.

    >>> tf.maximum([1, 5], [3, 2]).numpy()
    array([3, 5], dtype=int32)
    """
    return maximum_of(x, y)


@export("minimum", "math.minimum", direct=True)
@raw_op("Minimum")
def minimum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the smaller of `x` and `y`, elementwise; NaN if either is NaN.

    The gradient goes to the smaller of the two; if they are equal, to `x`.

    Args:
      x: A real tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not real, or the shapes do not broadcast.

    >>> tf.minimum([1, 5], [3, 2]).numpy()
    array([1, 2], dtype=int32)
    """
    return minimum_of(x, y)


@export("where", direct=True)
@raw_op("Where")
@raw_op("SelectV2", t="x", e="y")
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Chooses elements of `x` where a condition holds and of `y` elsewhere.

    Both branches are computed, and the gradient of the branch that is not taken is 0 times its
    derivative, which is NaN if the derivative is infinite. To avoid NaN, replace the critical
    values of the branch's input by safe ones before the branch is computed.

    Args:
      condition: A boolean tensor. If `x` and `y` are not given, it may have any numeric dtype.
      x: A tensor.
      y: A tensor of the same dtype; the three shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape. If `x` and `y` are not given, the indices at which the
      condition is true: an int64 tensor of shape (count, rank of `condition`).

    Raises:
      ValueError: Only one of `x` and `y` is given.
      TypeError: `condition` can't be converted to a boolean tensor.
      InvalidArgumentError: Shapes do not broadcast, or dtypes differ.

    >>> x = tf.constant([-1.0, 2.0, -3.0])
    >>> tf.where(x > 0, x, 0.0).numpy()
    array([0., 2., 0.], dtype=float32)
    >>> tf.where([True, False, True]).numpy()
    array([[0],
           [2]])
    """
    if x is None and y is None:
        condition = tensor(condition)
        if not condition._value.ndim:
            raise invalid(
                "WhereOp : Unhandled input dimensions: 0 [Op:Where] (give `condition` "
                "at least one axis)",
            )
        return indices_p(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    if type(condition) is not Tensor or condition._value.dtype is not _BOOL:
        condition = input_of("SelectV2", 0, condition, bool_)
    if type(x) is not Tensor or type(y) is not Tensor:
        x, y = pair(x, y)
    return select_p(condition, x, y)


@export("compat.v1.where")
def where_v1(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Selects elements without broadcasting, as TensorFlow 1 does; a vector selects whole rows.

    Args:
      condition: A boolean tensor: a scalar, a tensor of the shape of `x`, or a vector with an
        element for each row of `x`.
      x: A tensor.
      y: A tensor of the same dtype and shape.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape of `x`. If `x` and `y` are not given, the indices at which the condition
      is true.

    Raises:
      ValueError: Only one of `x` and `y` is given.
      InvalidArgumentError: Shapes or dtypes differ.

    >>> tf.compat.v1.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]).numpy()
    array([[1, 2],
           [7, 8]], dtype=int32)
    """
    if x is None or y is None:
        return where(condition, x, y)
    condition = convert_to_tensor(condition, "bool")
    x, y = pair(x, y)
    shape, chosen = shape_of(x), shape_of(condition)
    if shape != shape_of(y):
        raise invalid(
            f"'then' and 'else' must have the same size: {shape} and {shape_of(y)} [Op:Select] "
            "(tf.where broadcasts)"
        )
    if chosen not in ((), shape):
        if len(chosen) != 1 or not shape or shape[0] != chosen[0]:
            raise invalid(
                f"'then' must be at least a vector, with a row for each element of the condition: "
                f"{shape} and {chosen} [Op:Select] (tf.where broadcasts)"
            )
        condition = reshape_p(condition, shape=(shape[0], *[1] * (len(shape) - 1)))
    elif chosen:
        condition = _of_shape(condition, shape)
    return select_p(condition, x, _of_shape(y, shape))


def _of_shape(x: Tensor, shape: Any) -> Tensor:
    """Returns a tensor whose shape is said to be a given one, which only a run may tell."""
    return x if surely_equal(shape_of(x), shape) else reshape_p(x, shape=shape)


@raw_op("Select")
def raw_select(condition: Any, x: Any, y: Any, name: str | None = None) -> Tensor:
    """Chooses elements of two tensors of one shape, or rows if the condition is a vector."""
    c, a = tensor(condition), tensor(x)
    ranks = len(shape_of(c)), len(shape_of(a))
    if ranks[0] == 1 and ranks[1] > 1:
        c = reshape_p(c, shape=(*shape_of(c), *(1,) * (ranks[1] - 1)))
    return where(c, a, y)
