"""Operations with TensorFlow 1's names and arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.dtypes import as_dtype, float32, float64, int32, int64
from gradtape._src.base.export import export
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.graph.symbolic_gradients import gradients
from gradtape._src.ops.array.creation import zeros
from gradtape._src.ops.array.joining import stack
from gradtape._src.ops.array.shaping import expand_dims as _expand_dims
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.array.shaping import squeeze as _squeeze
from gradtape._src.ops.control import control_flow
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.nn.dropout import dropout as _dropout
from gradtape._src.ops.random.distributions import normal, set_seed, truncated_normal, uniform
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.sessions.placeholders import placeholder

R = TypeVar("R")


@export("compat.v1.to_float")
def to_float(x: Any, name: str = "ToFloat") -> Tensor:
    """Converts to float32.

    Args:
      x: A tensor.
      name: The operation's name.

    Returns:
      A tensor.
    """
    return cast(x, float32)


@export("compat.v1.to_double")
def to_double(x: Any, name: str = "ToDouble") -> Tensor:
    """Converts to float64.

    Args:
      x: A tensor.
      name: The operation's name.

    Returns:
      A tensor.
    """
    return cast(x, float64)


@export("compat.v1.to_int32")
def to_int32(x: Any, name: str = "ToInt32") -> Tensor:
    """Converts to int32.

    Args:
      x: A tensor.
      name: The operation's name.

    Returns:
      A tensor.
    """
    return cast(x, int32)


@export("compat.v1.to_int64")
def to_int64(x: Any, name: str = "ToInt64") -> Tensor:
    """Converts to int64.

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
    return _expand_dims(input, _either(axis, dim, "axis", "dim"))


@export("compat.v1.squeeze")
def squeeze(
    input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None
) -> Tensor:
    """Removes axes of length 1.

    Args:
      input: A tensor.
      axis: The axes; all of length 1 by default.
      name: The operation's name.
      squeeze_dims: The old name of `axis`.

    Returns:
      A tensor.
    """
    return _squeeze(input, _either(axis, squeeze_dims, "axis", "squeeze_dims"))


def _either(new: Any, old: Any, name: str, old_name: str) -> Any:
    """Returns an argument of two names.

    Raises:
      ValueError: Both are given.
    """
    if old is None:
        return new
    if new is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{name}'.")
    return old


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
      maxval: The upper end; 1 by default for floating numbers.
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
    """Draws from a normal distribution, numbers within two standard deviations of the mean.

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
    """Sets the seed of the graph, or of the program where operations run at once.

    Args:
      seed: An integer; None takes the seed away.
    """
    set_seed(seed)


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
      true_fn: Called without arguments for the case that `pred` is true.
      false_fn: Called for the other.
      strict: Accepted for compatibility.
      name: The operation's name.
      fn1: The old name of `true_fn`.
      fn2: The old name of `false_fn`.

    Returns:
      What the function returns.
    """
    first = _either(true_fn, fn1, "true_fn", "fn1")
    chosen: R = control_flow.cond(pred, first, _either(false_fn, fn2, "false_fn", "fn2"))
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
      cond: Tells from the loop variables whether to go on.
      body: Gives the next loop variables.
      loop_vars: The first ones.
      shape_invariants: The invariants of their shapes.
      parallel_iterations: Accepted for compatibility.
      back_prop: Accepted for compatibility.
      swap_memory: Accepted for compatibility.
      name: The operation's name.
      maximum_iterations: The maximum number of iterations.
      return_same_structure: Whether a single loop variable comes back in a list.

    Returns:
      The last loop variables.
    """

    def step(*given: Any) -> Any:
        following = body(*given)
        return following if nest.is_nested(following) else [following]

    found: Any = control_flow.while_loop(
        cond, step, loop_vars, shape_invariants, maximum_iterations=maximum_iterations
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
      noise_shape: The shape of what is drawn.
      seed: The seed.
      name: The operation's name.
      rate: The probability that an element is set to 0, in place of `keep_prob`.

    Returns:
      A tensor.

    Raises:
      ValueError: Both are given, or neither.
    """
    if (keep_prob is None) == (rate is None):
        raise ValueError("`rate` must be provided, or `keep_prob`, and not both.")
    part: Any = 1 - keep_prob if rate is None else rate
    return _dropout(x, part, noise_shape, seed)


@export("compat.v1.div")
def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Divides; whole numbers are rounded down.

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


@export("hessians", "compat.v1.hessians")
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
      For each of `xs` a tensor, with its axes twice.
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
    """Returns a sparse tensor of a graph that each run of a session is given a value for.

    Args:
      dtype: The type of its elements.
      shape: Its shape, None for lengths that differ from run to run.
      name: The operations' name.

    Returns:
      A sparse tensor.

    Raises:
      ValueError: The number of axes is not said.
    """
    rank = TensorShape(shape).rank
    if rank is None:
        raise ValueError("sparse_placeholder needs the number of axes: say it by `shape`")
    front = "" if name is None else f"{name}/"
    return SparseTensor(
        placeholder(int64, [None, rank], f"{front}indices"),
        placeholder(dtype, [None], f"{front}values"),
        placeholder(int64, [rank], f"{front}shape"),
    )
