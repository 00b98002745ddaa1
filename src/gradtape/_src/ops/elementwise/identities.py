"""Operations that return their input: copies, operations that stop gradients, and checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export, raw_op
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import FLOATING, general, shape_of
from gradtape._src.declare.graph_operations import New, graph_operation
from gradtape._src.declare.registered import Operation, RegisterGradient, opaque
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.unknown_sizes import Lengths


def _itself(x: Any) -> Any:
    return x


identity_p = general(
    "Identity",
    _itself,
    {"x": lambda g: g},
    linear=["x"],
    batching="leading",
    sparse=True,
    xla=_itself,
    traits=Traits(pattern=Pattern.ELEMENTWISE, passes_on=True),
)


@export("identity", direct=True)
@raw_op("Identity")
def identity(input: Any, name: str | None = None) -> Tensor:
    """Returns a new tensor with the same value; the result for `IndexedSlices` is `IndexedSlices`.

    Args:
      input: A tensor, variable or composite tensor, or a value that can become a tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor with the value, shape and dtype of `input`.

    >>> tf.identity([1, 2]).numpy()
    array([1, 2], dtype=int32)
    """
    if type(input) is not Tensor and isinstance(input, CompositeTensor):
        out: Tensor = nest.map_structure(identity, input, expand_composites=True)
        return out
    return identity_p(convert_to_tensor(input))


@export("identity_n")
@raw_op("IdentityN")
def identity_n(input: Sequence[Any], name: str | None = None) -> list[Tensor]:
    """Returns new tensors with the same values.

    Args:
      input: Tensors, or values that can become tensors.
      name: Accepted for compatibility.

    Returns:
      A list of tensors of the same shapes and dtypes.
    """
    return [identity(x) for x in input]


@export("guarantee_const")
def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    """Returns a tensor; the caller guarantees that its value is constant.

    Args:
      input: A tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor with the value, shape and dtype of `input`.
    """
    return identity(input)


stop_gradient_p = general(
    "StopGradient", _itself, batching="leading", xla=_itself, traits=Traits(passes_on=True)
)


@export("stop_gradient", direct=True)
@raw_op("StopGradient")
def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """Returns a tensor with the same value through which no gradient flows.

    Args:
      input: A tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype that counts as a constant.

    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * tf.stop_gradient(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(3.0)
    """
    if type(input) is not Tensor and isinstance(input, CompositeTensor):
        out: Tensor = nest.map_structure(stop_gradient, input, expand_composites=True)
        return out
    return stop_gradient_p(convert_to_tensor(input))


def _with_message(x: Any, *, message: str) -> Any:
    return x


_prevented_p = opaque("PreventGradient", _with_message, xla=_with_message)


@RegisterGradient("PreventGradient")
def _refuse_gradient(op: Operation, gradient: Tensor) -> Tensor:
    raise LookupError(f"Gradient explicitly disabled. Reason: {op.get_attr('message')!r}")


@raw_op("PreventGradient", differentiable=False)
def _prevent_gradient(input: Any, message: str = "", name: str | None = None) -> Tensor:
    """Returns the input; computing its gradient raises a LookupError."""
    return _prevented_p(tensor(input), message=message)


def _check_numerics(x: Any, *, message: str) -> Any:
    infinite, nan = bool(np.isinf(x).any()), bool(np.isnan(x).any())
    if infinite or nan:
        what = " and ".join(w for w, found in (("Inf", infinite), ("NaN", nan)) if found)
        raise InvalidArgumentError(
            None, None, f"{message} : Tensor had {what} values [Op:CheckNumerics]"
        )
    return x


check_numerics_p: Bound = general(
    "CheckNumerics",
    _check_numerics,
    {"x": lambda g, message: check_numerics_p(g, message=_in_gradient(message))},
    linear=["x"],
    batching="leading",
    dtypes=FLOATING,
    same=slice(0, 1),
    traits=Traits(pattern=Pattern.ELEMENTWISE, passes_on=True, only_checks=True),
)


def _in_gradient(message: str) -> str:
    head = "Not a number (NaN) or infinity (Inf) values detected in gradient. "
    return message if message.startswith(head) else head + message


@export("debugging.check_numerics")
@takes(message="string")
@raw_op("CheckNumerics")
def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """Raises an error if a value is NaN or infinite; its gradient is checked, too.

    Args:
      tensor: A floating-point tensor.
      message: The beginning of the error message.
      name: Accepted for compatibility.

    Returns:
      The tensor.

    Raises:
      InvalidArgumentError: A value is not finite, or the dtype is not floating.

    >>> tf.debugging.check_numerics([1.0, 2.0], "loss").numpy()
    array([1., 2.], dtype=float32)
    """
    return check_numerics_p(_tensor(tensor), message=message)


@export("debugging.assert_all_finite")
@takes(message="string")
def assert_all_finite(x: Any, message: str, name: str | None = None) -> Tensor:
    """Raises an error if a value is NaN or infinite, as `check_numerics` does.

    Args:
      x: A floating tensor.
      message: The beginning of the error message.
      name: Accepted for compatibility.

    Returns:
      The tensor.

    Raises:
      InvalidArgumentError: A value is not finite, or the dtype is not floating.
    """
    return check_numerics(x, message, name)


_tensor = tensor


def _ensured_result(new: New, x: Tensor, shape: TensorShape) -> Tensor:
    if not x.shape.is_compatible_with(shape):
        raise ValueError(
            f"Shape must be compatible: {x.shape} and {shape} are not [Op:EnsureShape]"
        )
    known: Sequence[Any] = shape_of(x)
    if shape.rank is not None:
        own = [None] * shape.rank if x.shape.rank is None else known
        known = [n if m is None else m for n, m in zip(own, shape.as_list(), strict=True)]
    return new(known, x._value.dtype)


@graph_operation("EnsureShape", _ensured_result)
def _ensured(x: Tensor, shape: TensorShape) -> Tensor:
    return ensure_shape(x, shape)


def _of_shape(x: Any, *, shape: TensorShape) -> Any:
    return x


def _ensured_batch(
    size: int, batched: Sequence[bool], inputs: Sequence[Any], params: dict[str, Any]
) -> Any:
    return ensured_p(inputs[0], shape=TensorShape([size]).concatenate(params["shape"]))


ensured_p: Bound = general(
    "EnsureShape",
    _of_shape,
    {"x": lambda g, shape: g},
    linear=["x"],
    batching=_ensured_batch,
    sparse=True,
    xla=_of_shape,
    traits=Traits(pattern=Pattern.ELEMENTWISE, passes_on=True),
)


@export("ensure_shape")
@raw_op("EnsureShape", input="x")
def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """Raises an error if the shape of a tensor is not the expected one.

    Args:
      x: A tensor.
      shape: The expected shape, in which None stands for any length.
      name: Accepted for compatibility.

    Returns:
      A tensor with the value of `x`.

    Raises:
      InvalidArgumentError: The shape is different.

    >>> tf.ensure_shape([[1, 2]], [None, 2]).shape
    TensorShape([1, 2])
    """
    x = tensor(x)
    if isinstance(shape_of(x), Lengths):
        return _ensured(x, TensorShape(shape))
    if not TensorShape(shape).is_compatible_with(list(shape_of(x))):
        raise invalid(
            f"Shape of tensor input {list(shape_of(x))} is not compatible with expected shape "
            f"{TensorShape(shape)}. [Op:EnsureShape]",
        )
    return ensured_p(x, shape=TensorShape(shape))
