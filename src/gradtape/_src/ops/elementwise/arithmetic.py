"""Arithmetic."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import dtype_of
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export, export_value, raw_op
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.compute.axis_sums import wider
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.families import INEXACT, general, shape_of, with_axis
from gradtape._src.declare.same_dtype import gives_way, pair
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.ops.array.row_sums import to_dense
from gradtape._src.ops.elementwise.casting import cast_p
from gradtape._src.ops.elementwise.complex_numbers import complex_abs_p, complex_p
from gradtape._src.ops.elementwise.primitives import (
    abs_p,
    add_p,
    div_no_nan_p,
    div_p,
    floordiv_p,
    mod_p,
    mul_no_nan_p,
    mul_p,
    neg_p,
    next_after_p,
    pow_p,
    reciprocal_no_nan_p,
    reciprocal_p,
    sign_p,
    square_p,
    squared_difference_p,
    sub_p,
    truncatediv_p,
    truncatemod_p,
)
from gradtape._src.ops.elementwise.raw_gradients import raw_gradient
from gradtape._src.ops.elementwise.selection import zero_of


@export("add", "math.add")
@raw_op("AddV2")
@raw_op("Add")
def add(x: Any, y: Any, name: str | None = None) -> Any:
    """X + y, elementwise.

    Args:
      x: A numeric tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return add_p(*pair(x, y))


@export("subtract", "math.subtract")
@raw_op("Sub")
def subtract(x: Any, y: Any, name: str | None = None) -> Any:
    """X - y, elementwise.

    Args:
      x: A numeric tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return sub_p(*pair(x, y))


@export("multiply", "math.multiply")
@raw_op("Mul")
def multiply(x: Any, y: Any, name: str | None = None) -> Any:
    """X * y, elementwise.

    Args:
      x: A numeric tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return mul_p(*pair(x, y))


@export("realdiv")
@raw_op("RealDiv")
def realdiv(x: Any, y: Any, name: str | None = None) -> Any:
    """X / y, elementwise.

    Args:
      x: A floating or complex tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return div_p(*pair(x, y))


@export("math.floordiv")
@raw_op("FloorDiv")
def floordiv(x: Any, y: Any, name: str | None = None) -> Any:
    """X / y rounded down, elementwise. Not differentiable.

    Args:
      x: A real tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, shapes do not broadcast, or
        an integer is divided by 0.
    """
    return floordiv_p(*pair(x, y))


@export("math.floormod")
@raw_op("FloorMod")
def floormod(x: Any, y: Any, name: str | None = None) -> Any:
    """The remainder of the division that rounds down: it has the sign of `y`.

    Args:
      x: A real tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, shapes do not broadcast, or
        an integer is divided by 0.
    """
    return mod_p(*pair(x, y))


@export("truncatediv")
@raw_op("TruncateDiv")
def truncatediv(x: Any, y: Any, name: str | None = None) -> Any:
    """X / y rounded towards 0, elementwise. Not differentiable.

    Args:
      x: A real tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, shapes do not broadcast, or
        an integer is divided by 0.
    """
    return truncatediv_p(*pair(x, y))


@export("truncatemod")
@raw_op("TruncateMod")
def truncatemod(x: Any, y: Any, name: str | None = None) -> Any:
    """The remainder of the division that rounds to 0: it has the sign of `x`.

    Args:
      x: A real tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, shapes do not broadcast, or
        an integer is divided by 0.
    """
    return truncatemod_p(*pair(x, y))


@export("math.squared_difference")
@raw_op("SquaredDifference")
def squared_difference(x: Any, y: Any, name: str | None = None) -> Any:
    """(x - y)**2, elementwise; times the conjugate if complex.

    Args:
      x: A numeric tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return squared_difference_p(*pair(x, y))


@export("math.nextafter")
@raw_op("NextAfter")
def nextafter(x1: Any, x2: Any, name: str | None = None) -> Any:
    """The next number that the dtype has after `x1` towards `x2`, elementwise.

    Args:
      x1: A floating tensor.
      x2: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return next_after_p(*pair(x1, x2))


mod = floormod


@export("negative", "math.negative")
@raw_op("Neg")
def negative(x: Any, name: str | None = None) -> Any:
    """-x, elementwise.

    Args:
      x: A floating, complex or signed integer tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return neg_p(tensor(x))


@export("square", "math.square")
@raw_op("Square")
def square(x: Any, name: str | None = None) -> Any:
    """X * x, elementwise.

    Args:
      x: A numeric tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return square_p(tensor(x))


@export("sign", "math.sign")
@raw_op("Sign")
def sign(x: Any, name: str | None = None) -> Any:
    """-1, 0 or 1, elementwise; `x / |x|` if complex. The gradient of a real sign is 0.

    Args:
      x: A floating, complex or signed integer tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    x = tensor(x)
    if x.dtype.is_complex:
        length = complex_abs_p(x)
        return div_no_nan_p(x, complex_p(length, zero_of(length)))
    return sign_p(x)


@export("math.reciprocal")
@raw_op("Reciprocal")
@raw_op("Inv")
def reciprocal(x: Any, name: str | None = None) -> Any:
    """1 / x, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return reciprocal_p(tensor(x))


raw_gradient(reciprocal_p, "ReciprocalGrad", kept="y", cotangent="dy")
raw_gradient(reciprocal_p, "InvGrad", kept="y", cotangent="dy")


@export("math.reciprocal_no_nan")
def reciprocal_no_nan(x: Any, name: str | None = None) -> Any:
    """1 / x, elementwise, and 0 where x is 0.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return reciprocal_no_nan_p(tensor(x))


@export("divide", "math.divide")
def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """X / y, elementwise; integers are divided as floats.

    Args:
      x: A numeric tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape: of the inputs' dtype if floating or complex, else float32
      for 8 and 16 bits and float64 for more.

    Raises:
      TypeError: The dtypes differ or are not numeric.
    """
    return truediv(x, y)


@export("truediv", "math.truediv")
def truediv(x: Any, y: Any, name: str | None = None) -> Any:
    """X / y, elementwise; integers are divided as floats.

    Args:
      x: A numeric tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape: of the inputs' dtype if floating or complex, else float32
      for 8 and 16 bits and float64 for more.

    Raises:
      TypeError: The dtypes differ or are not numeric.
    """
    return quotient(x, tensor(y) if gives_way(y) else y)


def quotient(x: Any, y: Any) -> Any:
    """The operator `/`; NotImplemented where the class of `y` has its own."""
    if (
        type(x) is Tensor
        and (kind := x._value.dtype).type in INEXACT
        and (type(y) is float or (type(y) is Tensor and y._value.dtype == kind))
    ):
        return div_p.operator(x, y)
    return NotImplemented if gives_way(y) else div_p(*_divisible(x, y))


def _divisible(x: Any, y: Any) -> tuple[Tensor, Tensor]:
    """Dividend and divisor as floats."""
    x, y = pair(x, y)
    kind, other = dtype_of(x._value), dtype_of(y._value)
    if kind is not other:
        raise TypeError(
            f"`x` and `y` must have the same dtype, got {kind!r} != {other!r}. (tf.cast one)"
        )
    if kind.is_floating or kind.is_complex:
        return x, y
    if not kind.is_integer:
        raise TypeError(
            f"Invalid dtype {kind!r} in __truediv__. Expected a numeric dtype (tf.cast converts)."
        )
    wide = np.dtype(np.float32 if kind.size < 4 else np.float64)
    return cast_p(x, dtype=wide), cast_p(y, dtype=wide)


@export("math.divide_no_nan")
@raw_op("DivNoNan")
def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """X / y, elementwise, and 0 where y is 0; both gradients are 0 there.

    Args:
      x: A numeric tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape; integers give floats as with `divide`.

    Raises:
      TypeError: The dtypes differ or are not numeric.
    """
    return div_no_nan_p(*_divisible(x, y))


@export("math.multiply_no_nan")
@raw_op("MulNoNan")
def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """X * y, elementwise, and 0 where y is 0 even if x is infinite or NaN.

    Args:
      x: A floating or complex tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      TypeError: The dtypes differ.
      InvalidArgumentError: The dtype is not supported, or shapes do not broadcast.
    """
    x, y = pair(x, y)
    if x._value.dtype != y._value.dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    return mul_no_nan_p(x, y)


@export("pow", "math.pow")
@raw_op("Pow")
def pow(x: Any, y: Any, name: str | None = None) -> Any:
    """X to the power y, elementwise.

    The gradient by `y` is 0 where `x` is not positive, and that by `x` is `y * x**(y - 1)`, which
    is NaN at 0**0.

    Args:
      x: A numeric tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ, shapes do not broadcast, or an integer has a
        negative exponent.
    """
    return power(x, tensor(y) if gives_way(y) else y)


def power(x: Any, y: Any) -> Any:
    """The operator `**`; NotImplemented where the class of `y` has its own."""
    if (type(y) is int or type(y) is float) and isinstance(x, TensorLike):
        x = tensor(x)
        whole = x._value.dtype.kind in "iu"
        if y == 2 and (type(y) is int or not whole):
            return square_p(x)
        if not whole and -1024 < y < 1024:
            y = float(y)  # constants are kept
    return NotImplemented if gives_way(y) else pow_p(*pair(x, y))


@export("abs", "math.abs")
@raw_op("ComplexAbs", ignored=("Tout",))
@raw_op("Abs")
def abs(x: Any, name: str | None = None) -> Any:
    """The absolute value, elementwise; its derivative at 0 is 0.

    Args:
      x: A numeric tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype, real for a complex `x`.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    x = tensor(x)
    return complex_abs_p(x) if x._value.dtype.kind == "c" else abs_p(x)


@export("scalar_mul", "math.scalar_mul")
def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """A scalar times a tensor or `IndexedSlices`.

    Args:
      scalar: A tensor of rank 0.
      x: A tensor of the same dtype.
      name: Accepted for compatibility.

    Returns:
      A tensor, or `IndexedSlices`, of `x`'s shape.

    Raises:
      ValueError: `scalar` has a rank above 0.
    """
    sparse = isinstance(x, IndexedSlices)
    values = tensor(x.values if sparse else x)
    scalar = convert_to_tensor(scalar, values.dtype)
    if shape_of(scalar):
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    out = mul_p(scalar, values)
    return IndexedSlices(out, x.indices, x.dense_shape) if sparse else out


def _add_n(*xs: Any) -> Any:
    total = xs[0]
    for x in xs:
        if x.shape != total.shape:
            raise InvalidArgumentError(
                None,
                None,
                "Inputs to operation AddN must have the same size and shape.  "
                f"Input 0: {list(total.shape)} != {list(x.shape)} [Op:AddN] (tf.add broadcasts)",
            )
    if len(xs) > 2 and wider(total.dtype) is not total.dtype:
        return _add_n(*[x.astype(wider(x.dtype)) for x in xs]).astype(total.dtype)
    if type(total) is not np.ndarray or len(xs) == 1:
        for x in xs[1:]:
            total = total + x
        return total
    total = total + xs[1]
    for x in xs[2:]:
        total += x
    return total


add_n_p: Bound = general(
    "AddN",
    _add_n,
    {"xs": lambda g, xs_shape: [g] * len(xs_shape)},
    linear=["xs"],
    batching=lambda size, batched, inputs, params: add_n_p(*with_axis(size, batched, inputs)),
    sparse=True,
    same=slice(None),
    traits=Traits(pattern=Pattern.ELEMENTWISE),
)


@export("add_n", "math.add_n")
@raw_op("AddN")
def add_n(inputs: Iterable[Any], name: str | None = None) -> Any:
    """The sum of tensors of one shape.

    Args:
      inputs: Tensors or `IndexedSlices` of one shape and dtype.
      name: Accepted for compatibility.

    Returns:
      A tensor of that shape and dtype.

    Raises:
      ValueError: There are no inputs.
      TypeError: `inputs` is no sequence.
      InvalidArgumentError: Shapes or dtypes differ.
    """
    xs = [tensor(to_dense(x)) if isinstance(x, IndexedSlices) else tensor(x) for x in inputs]
    if not xs:
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype "
            "and shape."
        )
    return add_n_p(*xs)


@export("math.accumulate_n")
def accumulate_n(
    inputs: Iterable[Any], shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Any:
    """The sum of tensors of one shape; see `add_n`.

    Args:
      inputs: Tensors of one shape and dtype.
      shape: Their shape, checked where given.
      tensor_dtype: Their dtype, checked where given.
      name: Accepted for compatibility.

    Returns:
      A tensor of that shape and dtype.

    Raises:
      TypeError: The dtype is not `tensor_dtype`.
      ValueError: The shape is not `shape`, or there are no inputs.
    """
    xs = [tensor(x) for x in inputs]
    if tensor_dtype is not None and any(x.dtype != tensor_dtype for x in xs):
        raise TypeError(f"tensor_dtype is {tensor_dtype!r}, but the inputs are {xs[0].dtype!r}")
    if shape is not None and any(not x.shape.is_compatible_with(shape) for x in xs):
        raise ValueError(f"Shapes {xs[0].shape} and {shape} are incompatible")
    return add_n(xs)


export_value(mod, "math.mod")
