"""Operations with TensorFlow 1's names and arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.dtypes import (
    as_dtype,
    bfloat16,
    complex64,
    complex128,
    float32,
    float64,
    int32,
    int64,
)
from gradtape._src.base.export import export
from gradtape._src.base.name_scope import current
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.graph.symbolic_gradients import gradients
from gradtape._src.ops.array.creation import fill, zeros
from gradtape._src.ops.array.joining import stack
from gradtape._src.ops.array.shaping import expand_dims as _expand_dims
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.array.shaping import squeeze as _squeeze
from gradtape._src.ops.array.tensor_shapes import shape as shape_tensor
from gradtape._src.ops.array.tensor_shapes import size
from gradtape._src.ops.control import control_flow
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.powers import sqrt
from gradtape._src.ops.elementwise.selection import maximum
from gradtape._src.ops.nn.dropout import dropout as _dropout
from gradtape._src.ops.random.distributions import (
    normal,
    seeds_of,
    set_seed,
    truncated_normal,
    uniform,
)
from gradtape._src.ops.reduce.reductions import reduce_sum
from gradtape._src.ops.sparse.algebra import to_dense
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.sessions.graph import current_graph
from gradtape._src.sessions.older.arguments import either
from gradtape._src.sessions.open_control_flow import with_its_variables
from gradtape._src.sessions.placeholders import named, placeholder, tie_sparse_parts

R = TypeVar("R")


@export("compat.v1.to_float")
def to_float(x: Any, name: str = "ToFloat") -> Tensor:
    """Converts a tensor to float32.

    Args:
      x: A tensor.
      name: The operation's name.

    Returns:
      A tensor.
    """
    return cast(x, float32)


@export("compat.v1.to_double")
def to_double(x: Any, name: str = "ToDouble") -> Tensor:
    """Converts a tensor to float64.

    Args:
      x: A tensor.
      name: The operation's name.

    Returns:
      A tensor.
    """
    return cast(x, float64)


@export("compat.v1.to_bfloat16")
def to_bfloat16(x: Any, name: str = "ToBFloat16") -> Tensor:
    """Converts a tensor to bfloat16.

    Args:
      x: A tensor.
      name: The operation's name.

    Returns:
      A tensor.
    """
    return cast(x, bfloat16)


@export("compat.v1.to_complex128")
def to_complex128(x: Any, name: str = "ToComplex128") -> Tensor:
    """Converts a tensor to complex128.

    Args:
      x: A tensor.
      name: The operation's name.

    Returns:
      A tensor.
    """
    return cast(x, complex128)


@export("compat.v1.to_complex64")
def to_complex64(x: Any, name: str = "ToComplex64") -> Tensor:
    """Converts a tensor to complex64.

    Args:
      x: A tensor.
      name: The operation's name.

    Returns:
      A tensor.
    """
    return cast(x, complex64)


@export("compat.v1.to_int32")
def to_int32(x: Any, name: str = "ToInt32") -> Tensor:
    """Converts a tensor to int32.

    Args:
      x: A tensor.
      name: The operation's name.

    Returns:
      A tensor.
    """
    return cast(x, int32)


@export("compat.v1.to_int64")
def to_int64(x: Any, name: str = "ToInt64") -> Tensor:
    """Converts a tensor to int64.

    Args:
      x: A tensor.
      name: The operation's name.

    Returns:
      A tensor.
    """
    return cast(x, int64)


@export("compat.v1.expand_dims")
def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """Adds an axis of length 1.

    Args:
      input: A tensor.
      axis: The position of the axis.
      name: The operation's name.
      dim: The old name of `axis`.

    Returns:
      A tensor.
    """
    return _expand_dims(input, either(axis, dim, "axis", "dim"))


@export("compat.v1.squeeze")
def squeeze(
    input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None
) -> Tensor:
    """Removes axes of length 1.

    Args:
      input: A tensor.
      axis: The axes. Defaults to all axes of length 1.
      name: The operation's name.
      squeeze_dims: The old name of `axis`.

    Returns:
      A tensor.
    """
    return _squeeze(input, either(axis, squeeze_dims, "axis", "squeeze_dims"))


@export("compat.v1.random_uniform", "compat.v1.random.uniform")
def random_uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws from a uniform distribution.

    Args:
      shape: The shape of the result.
      minval: The lower end.
      maxval: The upper end. Defaults to 1 for floating-point dtypes.
      dtype: The type of the elements.
      seed: The seed.
      name: The operation's name.

    Returns:
      A tensor.
    """
    return uniform(shape, minval, maxval, as_dtype(dtype), seed)


@export("compat.v1.random_normal", "compat.v1.random.normal")
def random_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws from a normal distribution.

    Args:
      shape: The shape of the result.
      mean: The mean.
      stddev: The standard deviation.
      dtype: The type of the elements.
      seed: The seed.
      name: The operation's name.

    Returns:
      A tensor.
    """
    return normal(shape, mean, stddev, as_dtype(dtype), seed)


@export("compat.v1.truncated_normal", "compat.v1.random.truncated_normal")
def old_truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws from a normal distribution truncated at two standard deviations from the mean.

    Args:
      shape: The shape of the result.
      mean: The mean.
      stddev: The standard deviation.
      dtype: The type of the elements.
      seed: The seed.
      name: The operation's name.

    Returns:
      A tensor.
    """
    return truncated_normal(shape, mean, stddev, as_dtype(dtype), seed)


@export("compat.v1.set_random_seed", "compat.v1.random.set_random_seed")
def set_random_seed(seed: int | None) -> None:
    """Sets the seed of the graph, or the global seed in eager execution.

    Args:
      seed: An integer, or None to remove the seed.
    """
    set_seed(seed)


@export("compat.v1.get_seed", "compat.v1.random.get_seed")
def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """Returns the two seeds of an operation that draws random numbers.

    Args:
      op_seed: The seed of the operation, or None.

    Returns:
      The seed of the graph, or the global seed in eager execution, and that of the operation. If
      neither is set, both are None; if only the first one is set, the second one is the number of
      operations of the graph, or a random number.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.set_random_seed(7)
    ...     tf.compat.v1.get_seed(3)
    (7, 3)
    """
    return seeds_of(op_seed)


@export("compat.v1.cond")
def cond(
    pred: Any,
    true_fn: Callable[[], R] | None = None,
    false_fn: Callable[[], R] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], R] | None = None,
    fn2: Callable[[], R] | None = None,
) -> R:
    """Returns the result of one of two functions.

    Args:
      pred: A scalar.
      true_fn: A function without arguments, which is called if `pred` is true.
      false_fn: A function without arguments, which is called if `pred` is false.
      strict: Accepted for compatibility.
      name: The operation's name.
      fn1: The old name of `true_fn`.
      fn2: The old name of `false_fn`.

    Returns:
      The result of the function that is called.
    """
    first = either(true_fn, fn1, "true_fn", "fn1")
    chosen: R = control_flow.cond(pred, first, either(false_fn, fn2, "false_fn", "fn2"))
    return chosen


@export("compat.v1.while_loop")
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Sequence[Any]:
    """Repeats a function for as long as a condition holds.

    Args:
      cond: A function that takes the loop variables and returns whether to continue.
      body: A function that takes the loop variables and returns their next values.
      loop_vars: The initial values of the loop variables.
      shape_invariants: The shape invariants of the loop variables.
      parallel_iterations: Accepted for compatibility.
      back_prop: Accepted for compatibility.
      swap_memory: Accepted for compatibility.
      name: The operation's name.
      maximum_iterations: The maximum number of iterations.
      return_same_structure: Whether a single loop variable is returned in a list.

    Returns:
      The final values of the loop variables.
    """

    def step(*given: Any) -> Any:
        following = body(*given)
        return following if nest.is_nested(following) else [following]

    found: Any = control_flow.while_loop(
        cond,
        with_its_variables(step),
        loop_vars,
        shape_invariants,
        maximum_iterations=maximum_iterations,
    )
    out: Sequence[Any] = found[0] if len(found) == 1 and not return_same_structure else found
    return out


@export("compat.v1.nn.dropout")
def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> Tensor:
    """Sets elements to 0 at random, and scales the others up.

    Args:
      x: A tensor.
      keep_prob: The probability that an element is kept.
      noise_shape: The shape of the random decisions, which are broadcast.
      seed: The seed.
      name: The operation's name.
      rate: The probability that an element is set to 0, in place of `keep_prob`.

    Returns:
      A tensor.

    Raises:
      ValueError: Both `rate` and `keep_prob` are given, or neither.
    """
    if (keep_prob is None) == (rate is None):
        raise ValueError("Either `rate` or `keep_prob` must be provided, and not both.")
    part: Any = 1 - keep_prob if rate is None else rate
    return _dropout(x, part, noise_shape, seed)


@export("compat.v1.div")
def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Divides tensors; quotients of integers are rounded down.

    Args:
      x: A tensor.
      y: A tensor.
      name: The operation's name.

    Returns:
      A tensor.
    """
    first = convert_to_tensor(x)
    second = convert_to_tensor(y, first.dtype)
    found: Tensor = first // second if first.dtype.is_integer else first / second
    return found


@export("hessians")
def hessians(
    ys: Any,
    xs: Any,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    name: str = "hessians",
) -> list[Tensor]:
    """Returns the second derivatives of the sum of `ys`, in a graph.

    Args:
      ys: Tensors.
      xs: A tensor or a list of them.
      gate_gradients: Accepted for compatibility.
      aggregation_method: Accepted for compatibility.
      name: The operations' name.

    Returns:
      A list of tensors; the shape of each is the shape of its x, repeated twice.
    """
    sources = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    found = []
    for x, first in zip(sources, gradients(ys, sources), strict=True):
        shape = x.shape.as_list()
        flat: Any = reshape(first, [-1])
        rows = [gradients(flat[i], x)[0] for i in range(int(np.prod(shape)))]
        zero = zeros(shape, x.dtype)
        found.append(reshape(stack([zero if r is None else r for r in rows]), shape + shape))
    return found


@export("compat.v1.sparse_placeholder")
def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """Returns a placeholder for a sparse tensor, which must be fed in each run of a session.

    Args:
      dtype: The type of its elements.
      shape: The shape, with None for lengths that may differ between runs.
      name: The operations' name.

    Returns:
      A sparse tensor.
    """
    whole = TensorShape(shape)
    indices = _part(name, "indices", int64, [None, whole.rank])
    values = _part(name, "values", dtype, [None])
    lengths = _part(name, "shape", int64, [whole.rank])
    if whole.rank is not None:
        tie_sparse_parts(indices, values, lengths, whole)
    return SparseTensor(indices, values, lengths)


def _part(name: str | None, part: str, dtype: Any, shape: Any) -> Tensor:
    """Returns a placeholder for a part of a sparse tensor, whose name it extends."""
    graph = current_graph()
    whole = name and graph and graph.unique_name(f"{current()}{name}/{part}")
    made = placeholder(dtype, shape)
    return named(made, whole) if whole else made


@export("compat.v1.clip_by_average_norm")
def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """Scales a tensor so that its norm, divided by its number of elements, is at most a number.

    Args:
      t: A tensor.
      clip_norm: The largest mean norm.
      name: The operation's name.

    Returns:
      A tensor.
    """
    x = convert_to_tensor(t)
    limit = convert_to_tensor(clip_norm, x.dtype)
    norm: Any = sqrt(reduce_sum(x * x)) / cast(size(x), x.dtype)
    clipped: Tensor = x * (limit / maximum(norm, limit))
    return clipped


@export("compat.v1.sparse_to_dense")
def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """Returns a tensor with given elements at given places.

    Args:
      sparse_indices: A place, a vector of places along one axis, or a matrix of places.
      output_shape: The shape of the result.
      sparse_values: The elements, or one number for all places.
      default_value: The value of the other elements.
      validate_indices: Whether places must be in order and differ.
      name: The operation's name.

    Returns:
      A tensor.

    Raises:
      InvalidArgumentError: A place is out of range, or occurs twice.
    """
    values = convert_to_tensor(sparse_values)
    places = cast(sparse_indices, int64)
    places = reshape(places, [-1, 1] if (places.shape.rank or 0) < 2 else places.shape)
    if values.shape.rank == 0:
        values = fill(shape_tensor(places)[:1], values)
    whole = SparseTensor(places, values, cast(reshape(output_shape, [-1]), int64))
    return to_dense(whole, default_value, validate_indices)
