"""Sums, differences, products, absolute values and signs."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import string
from gradtape._src.base.error_messages import STAND_INS
from gradtape._src.base.export import export, raw_op
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.compute.axis_sums import wider
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import FLOATING, INEXACT, NUMERIC, SIGNED, general, shape_of
from gradtape._src.declare.open_graphs import when_run
from gradtape._src.declare.pointwise import binary, itself_x, itself_y, mul_no_nan_p, unary
from gradtape._src.declare.same_dtype import pair
from gradtape._src.declare.structural import with_axis
from gradtape._src.declare.traits import Hazard, Pattern, Traits
from gradtape._src.declare.unknown_sizes import NeedsRank
from gradtape._src.declare.xla_kernels import in_float32
from gradtape._src.ops.elementwise.complex_numbers import complex_abs_p, complex_p
from gradtape._src.ops.elementwise.division import div_no_nan_p
from gradtape._src.ops.elementwise.selection import zero_of

add_p = binary("AddV2", operator.add, 1, 1)
add_of = add_p.of_arguments


def _join(x: Any, y: Any) -> Any:
    out = np.empty(np.broadcast_shapes(x.shape, y.shape), object)
    out[...] = x + y
    return out


string_join_p = binary("StringJoin", _join, None, None, frozenset({np.object_}))
STAND_INS["AddV2", string] = string_join_p
sub_p = binary("Sub", operator.sub, 1, -1)
sub_of = sub_p.of_arguments
mul_p = binary("Mul", operator.mul, itself_y, itself_x, traits=Traits(hazard=Hazard.PRODUCT))
mul_of = mul_p.of_arguments
neg_p = unary("Neg", operator.neg, -1, INEXACT | SIGNED, traits=Traits(passes_on=True))
neg_of = neg_p.of_arguments


def _sign(x: Any) -> Any:
    return np.sign(x) if x.dtype.kind != "c" else np.sign(x).astype(x.dtype)


def _sign_in_xla(x: Any) -> Any:
    if x.dtype.kind == "c":
        size = jnp.abs(x)
        return jnp.where(x == 0, 0, x / jnp.where(size == 0, 1, size)).astype(x.dtype)
    return jnp.sign(x)


sign_p = unary("Sign", _sign, 0, INEXACT | SIGNED, xla=_sign_in_xla, traits=Traits(passes_on=True))
abs_p = unary(
    "Abs", operator.abs, lambda x: sign_p(x), FLOATING | SIGNED, traits=Traits(passes_on=True)
)


@export("add", "math.add", direct=True)
@raw_op("AddV2")
@raw_op("Add")
def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x + y, elementwise.

    Args:
      x: A numeric tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.

    >>> tf.add([1, 2], [10, 20]).numpy()
    array([11, 22], dtype=int32)
    """
    return add_of(x, y)


@export("subtract", "math.subtract", direct=True)
@raw_op("Sub")
def subtract(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x - y, elementwise.

    Args:
      x: A numeric tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.

    >>> tf.subtract([5, 7], [1, 2]).numpy()
    array([4, 5], dtype=int32)
    """
    return sub_of(x, y)


@export("multiply", "math.multiply", direct=True)
@raw_op("Mul")
def multiply(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x * y, elementwise.

    Args:
      x: A numeric tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.

    >>> tf.multiply([1, 2], 3).numpy()
    array([3, 6], dtype=int32)
    """
    return mul_of(x, y)


@export("math.multiply_no_nan")
@raw_op("MulNoNan")
def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x * y, elementwise. Where y is 0, the result is 0 even if x is infinite or NaN.

    Args:
      x: A floating or complex tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      ValueError: The dtypes differ.
      InvalidArgumentError: The dtype is not supported, or shapes do not broadcast.
    """
    x, y = pair(x, y)
    if x._value.dtype != y._value.dtype:
        raise ValueError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    return mul_no_nan_p(x, y)


@export("scalar_mul", "math.scalar_mul")
def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Tensor:
    """Returns a scalar times a tensor or `IndexedSlices`.

    Args:
      scalar: A tensor of rank 0.
      x: A tensor of the same dtype.
      name: Accepted for compatibility.

    Returns:
      A tensor, or `IndexedSlices`, of the shape of `x`.

    Raises:
      ValueError: `scalar` has a rank above 0.

    >>> tf.math.scalar_mul(2, [1, 2]).numpy()
    array([2, 4], dtype=int32)
    """
    sparse = isinstance(x, IndexedSlices)
    values = tensor(x.values if sparse else x)
    scalar = convert_to_tensor(scalar, values.dtype)
    if shape_of(scalar):
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    out = mul_p(scalar, values)
    if sparse:
        return IndexedSlices(out, x.indices, x.dense_shape)  # type: ignore[return-value]
    return out


@export("negative", "math.negative", direct=True)
@raw_op("Neg")
def negative(x: Any, name: str | None = None) -> Tensor:
    """-x, elementwise.

    Args:
      x: A floating, complex or signed integer tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.negative([1, -2]).numpy()
    array([-1,  2], dtype=int32)
    """
    return neg_of(x)


@export("abs", "math.abs", direct=True)
@raw_op("ComplexAbs", ignored=("Tout",))
@raw_op("Abs")
def abs(x: Any, name: str | None = None) -> Tensor:
    """Returns the absolute value, elementwise; its derivative at 0 is 0.

    Args:
      x: A numeric tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype, real for a complex `x`.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.abs([-1.5, 2.0]).numpy()
    array([1.5, 2. ], dtype=float32)
    """
    x = tensor(x)
    return complex_abs_p(x) if x._value.dtype.kind == "c" else abs_p(x)


@export("sign", "math.sign", direct=True)
@raw_op("Sign")
def sign(x: Any, name: str | None = None) -> Tensor:
    """Returns -1, 0 or 1, elementwise, or `x / |x|` if `x` is complex.

    The gradient of the sign of a real number is 0.

    Args:
      x: A floating, complex or signed integer tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.sign([-2.5, 0.0, 3.0]).numpy()
    array([-1.,  0.,  1.], dtype=float32)
    """
    x = tensor(x)
    if x.dtype.is_complex:
        length = complex_abs_p(x)
        return div_no_nan_p(x, complex_p(length, zero_of(length)))
    return sign_p(x)


def _add_n(*xs: Any) -> Any:
    total = xs[0]
    for x in xs:
        if x.shape != total.shape:
            raise invalid(
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


@in_float32
def _add_n_in_xla(*xs: Any) -> Any:
    total = xs[0]
    for x in xs[1:]:
        total = total + x
    return total


add_n_p: Bound = general(
    "AddN",
    _add_n,
    {"xs": lambda g, xs_shape: [g] * len(xs_shape)},
    linear=["xs"],
    batching=lambda size, batched, inputs, params: add_n_p(*with_axis(size, batched, inputs)),
    dtypes=NUMERIC,
    sparse=True,
    same=slice(None),
    xla=_add_n_in_xla,
    traits=Traits(pattern=Pattern.ELEMENTWISE),
)


@export("add_n", "math.add_n", direct=True)
@raw_op("AddN")
def add_n(inputs: Iterable[Any], name: str | None = None) -> Tensor:
    """Returns the sum of tensors of one shape.

    Args:
      inputs: Tensors or `IndexedSlices` of one shape and dtype.
      name: Accepted for compatibility.

    Returns:
      A tensor of that shape and dtype.

    Raises:
      ValueError: There are no inputs.
      TypeError: `inputs` is not a sequence.
      InvalidArgumentError: Shapes or dtypes differ.

    >>> tf.add_n([[1, 2], [3, 4]]).numpy()
    array([4, 6], dtype=int32)
    """
    xs = [tensor(x) for x in inputs]
    if not xs:
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype "
            "and shape."
        )
    try:
        return add_n_p(*xs)
    except NeedsRank:  # shapes that may differ are compared in the run
        return when_run(add_n, xs)


@export("math.accumulate_n")
def accumulate_n(
    inputs: Iterable[Any], shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Tensor:
    """Returns the sum of tensors of one shape; see `add_n`.

    Args:
      inputs: Tensors of one shape and dtype.
      shape: The expected shape of the inputs, which is checked if it is given.
      tensor_dtype: The expected dtype of the inputs, which is checked if it is given.
      name: Accepted for compatibility.

    Returns:
      A tensor of that shape and dtype.

    Raises:
      TypeError: The dtype is not `tensor_dtype`.
      ValueError: The shape is not `shape`, or there are no inputs.
    """
    xs = [tensor(x) for x in inputs]
    if tensor_dtype is not None and any(x.dtype != tensor_dtype for x in xs):
        raise TypeError(
            f"accumulate_n: tensor_dtype is {tensor_dtype!r}, but inputs have {xs[0].dtype!r}"
        )
    if shape is not None and any(not x.shape.is_compatible_with(shape) for x in xs):
        raise ValueError(f"Shapes {xs[0].shape} and {shape} are incompatible")
    return add_n(xs)
