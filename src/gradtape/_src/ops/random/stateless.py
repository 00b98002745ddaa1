"""Random numbers that depend only on the arguments: equal seeds give equal numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.recorder import STACK
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, known
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, graph_operation
from gradtape._src.declare.structural import broadcast_to_p, reduce_sum_p, stack_p
from gradtape._src.declare.unknown_sizes import has_sizes
from gradtape._src.ops.elementwise.casting import cast_p
from gradtape._src.ops.elementwise.comparison import less_equal_p
from gradtape._src.ops.elementwise.exponential import exp_p
from gradtape._src.ops.elementwise.selection import minimum_p
from gradtape._src.ops.random import sampling
from gradtape._src.ops.random.distributions import affine, between, gamma_p
from gradtape._src.ops.reduce.cumulative import cumsum
from gradtape._src.ops.reduce.extremes import reduce_max_p


def engine_of(seed: Any, *arguments: Any) -> np.random.Generator:
    """Returns the generator that a seed of two numbers stands for.

    Args:
      seed: The seed.
      *arguments: The shape of what is drawn and the raw values of its parameters. If one of them is
        symbolic, so is the generator, which then draws whenever the graph runs.

    Raises:
      InvalidArgumentError: The shape of the seed is not (2,).
    """
    value = seed._value if isinstance(seed, Tensor) else tensor(seed)._value
    if not _concrete(value) or has_sizes(arguments) or not all(map(_concrete, arguments)):
        for watcher in STACK.recorders:
            own: np.random.Generator | None = watcher.engine(value, None, _numpy_engine)
            if own is not None:
                return own
    return _numpy_engine(value)


def _concrete(x: Any) -> bool:
    return isinstance(x, (np.ndarray, np.generic, tuple))


def _numpy_engine(value: Any) -> np.random.Generator:
    """Returns NumPy's generator for a seed."""
    value = np.asarray(value)
    if value.shape != (2,):
        raise invalid(f"seed must have shape [2], not {list(value.shape)} [Op:StatelessRandom]")
    key = value.astype(np.int64).view(np.uint64)
    return np.random.Generator(np.random.Philox(key=key))


@export("random.stateless_uniform")
def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = np.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Draws from a uniform distribution over [minval, maxval); equal seeds give equal numbers.

    Args:
      shape: The shape of the result.
      seed: Two integers.
      minval: The inclusive lower bound. If it and `maxval` are None and the dtype is an integer
        dtype, its whole range is used.
      maxval: The exclusive upper bound. Defaults to 1 for floating-point dtypes.
      dtype: A floating-point dtype, int32, int64, uint32 or uint64.
      name: Accepted for compatibility.
      alg: The name or number of an algorithm; there is one.

    Returns:
      A tensor, differentiable in the bounds.

    Raises:
      ValueError: The bounds do not suit the dtype.
      InvalidArgumentError: `shape` or `seed` is malformed.

    >>> a = tf.random.stateless_uniform((3,), seed=(1, 2))
    >>> np.array_equal(a, tf.random.stateless_uniform((3,), seed=(1, 2)))
    True
    """
    sampling.algorithm_number(alg)
    kind = as_dtype(dtype)
    if kind.is_integer and (minval is None) != (maxval is None):
        raise ValueError(
            f"For integer `dtype` argument {kind!r}, argument `minval` and `maxval` must be both "
            f"None or not None. Got `minval`={minval} and `maxval`={maxval}."
        )
    kind = sampling.uniform_dtype(dtype, minval, maxval)
    np_kind = kind.np_dtype.type
    sizes = sampling.open_shape_argument(shape, "StatelessRandomUniform")
    if kind.is_integer and minval is not None:
        low, high = sampling.integer_bounds(minval, maxval, "StatelessRandomUniformInt", sizes)
        engine = engine_of(seed, sizes, low, high)
        return Tensor(sampling.draw_integers(engine, sizes, low, high, np_kind))
    draw = sampling.draw_bits if kind.is_integer else sampling.draw_uniform
    value = draw(engine_of(seed, sizes), sizes, np_kind)
    return Tensor(value) if kind.is_integer else between(value, minval, maxval, kind)


@export("random.stateless_normal")
def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = np.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Draws from a normal distribution; equal seeds give equal numbers.

    Args:
      shape: The shape of the result.
      seed: Two integers.
      mean: The mean, a number or a tensor.
      stddev: The standard deviation, a number or a tensor.
      dtype: A floating-point dtype.
      name: Accepted for compatibility.
      alg: The name or number of an algorithm; there is one.

    Returns:
      A tensor, differentiable in `mean` and `stddev`.

    Raises:
      InvalidArgumentError: `shape` or `seed` is malformed.
      TypeError: `dtype` is not floating.

    >>> tf.random.stateless_normal((2, 2), seed=(1, 2)).shape
    TensorShape([2, 2])
    """
    sampling.algorithm_number(alg)
    kind = sampling.float_dtype(dtype, "StatelessRandomNormalV2")
    sizes = sampling.open_shape_argument(shape, "StatelessRandomNormalV2")
    value = sampling.draw_normal(engine_of(seed, sizes), sizes, kind.np_dtype.type)
    return affine(value, mean, stddev, kind)


@export("random.stateless_truncated_normal")
def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = np.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Draws from a normal distribution truncated at two standard deviations, by seed.

    Args:
      shape: The shape of the result.
      seed: Two integers.
      mean: The mean of the distribution before truncation, a number or a tensor.
      stddev: The standard deviation before truncation, a number or a tensor.
      dtype: A floating-point dtype.
      name: Accepted for compatibility.
      alg: The name or number of an algorithm; there is one.

    Returns:
      A tensor, differentiable in `mean` and `stddev`.

    Raises:
      InvalidArgumentError: `shape` or `seed` is malformed.
      TypeError: `dtype` is not floating.
    """
    sampling.algorithm_number(alg)
    kind = sampling.float_dtype(dtype, "StatelessTruncatedNormalV2")
    sizes = sampling.open_shape_argument(shape, "StatelessTruncatedNormalV2")
    value = sampling.draw_truncated(engine_of(seed, sizes), sizes, kind.np_dtype.type)
    return affine(value, mean, stddev, kind)


def _classes(logits: Any, uniform: Any) -> Any:
    """Returns the classes for uniform random numbers if the logits are symbolic."""
    rows = cast_p(logits, dtype=np.dtype(np.float64))
    steps = cumsum(exp_p(rows - reduce_max_p(rows, axis=(-1,), keepdims=True)), -1)
    at = uniform * steps[:, -1:]
    passed = less_equal_p(steps[:, None, :], at[:, :, None])
    found = reduce_sum_p(cast_p(passed, dtype=np.dtype(np.int64)), axis=(-1,), keepdims=False)
    return minimum_p(found, Tensor(np.int64(shape_of(logits)[1] - 1)))


@export("random.stateless_categorical")
def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = np.int64, name: str | None = None
) -> Tensor:
    """Draws class indices; equal seeds give equal indices.

    Args:
      logits: A tensor of shape (batch, classes): unnormalised log-probabilities.
      num_samples: The number of draws per row.
      seed: Two integers.
      dtype: int32 or int64, which None stands for.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, num_samples).

    Raises:
      InvalidArgumentError: `logits` is not a matrix, or `seed` is malformed.
    """
    x = tensor(logits)
    sampling.categorical_argument(x, "StatelessMultinomial")
    kind = as_dtype(np.int64 if dtype is None else dtype).np_dtype.type
    engine, logits, count = engine_of(seed), x._value, int(num_samples)
    if not known(x) and isinstance(engine, np.random.Generator):
        if not has_sizes(logits.shape):  # with XLA, too, the numbers of an eager run
            uniform = Tensor(engine.random((logits.shape[0], count)))
            return cast_p(_classes(x, uniform), dtype=np.dtype(kind))
        engine = engine_of(seed, logits)
    return Tensor(sampling.draw_classes(engine, logits, count, kind))


@export("random.stateless_gamma")
def stateless_gamma(
    shape: Any,
    seed: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = np.float32,
    name: str | None = None,
) -> Tensor:
    """Draws from gamma distributions; equal seeds give equal numbers.

    Args:
      shape: The shape of the result, which ends with the shape of the parameters.
      seed: Two integers.
      alpha: The shape parameters.
      beta: The rates (inverse scales). Defaults to 1.
      dtype: A floating-point dtype.
      name: Accepted for compatibility.

    Returns:
      A tensor, differentiable with respect to both parameters.

    Raises:
      InvalidArgumentError: `shape` or `seed` is malformed.
    """
    op = "StatelessRandomGammaV3"
    kind = sampling.float_dtype(dtype, op)
    sizes = sampling.open_shape_argument(shape, op)
    a = convert_to_tensor(alpha, kind)
    b = convert_to_tensor(1.0 if beta is None else beta, kind)
    full = np.broadcast_shapes(a._value.shape, b._value.shape)
    sampling.ends_with(sizes, full, op)
    a = a if a._value.shape == full else broadcast_to_p(a, shape=full)
    out = gamma_p(a, engine=engine_of(seed, sizes, a._value), shape=sizes)
    return out if beta is None else out / b


@export("random.stateless_poisson")
def stateless_poisson(
    shape: Any, seed: Any, lam: Any, dtype: Any = np.int32, name: str | None = None
) -> Tensor:
    """Draws from Poisson distributions; equal seeds give equal numbers.

    Args:
      shape: The shape of the result, which ends with the shape of `lam`.
      seed: Two integers.
      lam: The rates.
      dtype: The dtype of the result.
      name: Accepted for compatibility.

    Returns:
      A tensor.

    Raises:
      InvalidArgumentError: `shape` or `seed` is malformed.
    """
    sizes = sampling.open_shape_argument(shape, "StatelessRandomPoisson")
    rates = tensor(lam)._value
    sampling.ends_with(sizes, rates.shape, "StatelessRandomPoisson")
    kind = as_dtype(dtype).np_dtype.type
    return Tensor(sampling.draw_poisson(engine_of(seed, sizes, rates), sizes, rates, kind))


def _of_shape(new: New, shape: Any, seed: Any, counts: Any, probs: Any, dtype: Any) -> Tensor:
    return new(shape, dtype)


@graph_operation("StatelessRandomBinomial", _of_shape, has_gradient=False)
def _binomial(shape: Any, seed: Any, counts: Any, probs: Any, dtype: Any) -> Tensor:
    """Draws from binomial distributions whose parameters are of unknown shape."""
    return stateless_binomial(shape, seed, counts, probs, dtype)


@export("random.stateless_binomial")
def stateless_binomial(
    shape: Any,
    seed: Any,
    counts: Any,
    probs: Any,
    output_dtype: Any = np.int32,
    name: str | None = None,
) -> Tensor:
    """Draws from binomial distributions; equal seeds give equal numbers.

    Args:
      shape: The shape of the result, which ends with the shape of the parameters.
      seed: Two integers.
      counts: The numbers of trials.
      probs: The probabilities of success.
      output_dtype: The dtype of the result.
      name: Accepted for compatibility.

    Returns:
      A tensor.

    Raises:
      InvalidArgumentError: `shape` or `seed` is malformed.
    """
    sizes = sampling.open_shape_argument(shape, "StatelessRandomBinomial")
    kind = as_dtype(output_dtype).np_dtype.type
    given = tensor(counts), tensor(probs)
    if has_sizes([shape_of(x) for x in given]) and not has_sizes(sizes):
        return _binomial(sizes, seed, *given, kind)
    n, p = sampling.binomial_parameters(*given, sizes, "StatelessRandomBinomial")
    return Tensor(sampling.draw_binomial(engine_of(seed, sizes, n, p), sizes, n, p, kind))


@export("random.experimental.stateless_shuffle")
def stateless_shuffle(
    value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None
) -> Tensor:
    """Shuffles the rows of a tensor; equal seeds give equal orders.

    Args:
      value: A tensor; a scalar stays as it is.
      seed: Two integers.
      alg: The name or number of an algorithm; there is one.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape.
    """
    sampling.algorithm_number(alg)
    rows = tensor(value)._value
    return Tensor(engine_of(seed, rows).permutation(rows) if rows.ndim else rows)


@export("random.split", "random.experimental.stateless_split")
def split(seed: Any, num: int = 2, alg: Any = "auto_select") -> Tensor:
    """Derives several seeds from one.

    Args:
      seed: Two integers.
      num: The number of seeds.
      alg: The name or number of an algorithm; there is one.

    Returns:
      A tensor of shape (num, 2) of the seed's dtype.

    Raises:
      InvalidArgumentError: `seed` is malformed.
    """
    sampling.algorithm_number(alg)
    kind = tensor(seed)._value.dtype.type
    return Tensor(sampling.draw_bits(engine_of(seed), (int(num), 2), kind))


@export("random.fold_in", "random.experimental.stateless_fold_in")
def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """Derives a seed from a seed and a number.

    Args:
      seed: Two integers.
      data: An integer.
      alg: The name or number of an algorithm; there is one.

    Returns:
      A tensor of shape (2,) of the seed's dtype.

    Raises:
      InvalidArgumentError: `seed` is malformed.
    """
    sampling.algorithm_number(alg)
    kind = tensor(seed)._value.dtype.type
    first = Tensor(sampling.draw_bits(engine_of(seed), (), kind))
    return stack_p(first, cast_p(tensor(data), dtype=np.dtype(kind)))
