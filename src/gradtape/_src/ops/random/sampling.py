"""Drawing random numbers with a NumPy generator: the kernels behind all of `tf.random`."""

from __future__ import annotations

import enum
import functools
import operator
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype
from gradtape._src.base.error_messages import check_size, is_too_large, too_large
from gradtape._src.base.errors import About, InvalidArgumentError
from gradtape._src.base.python_values import from_shape
from gradtape._src.base.shapes import TensorShape
from gradtape._src.compute.raw_value import RawValue
from gradtape._src.core.convert import tensor
from gradtape._src.core.recorder import active_tapes
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import integers, invalid
from gradtape._src.declare.lengths_of_values import lengths_of_values
from gradtape._src.declare.unknown_sizes import Lengths, has_sizes

Engine: TypeAlias = "np.random.Generator"
Shape = tuple[int, ...]


def shape_argument(shape: Any, op: str) -> Shape:
    """Returns the requested shape as a tuple.

    Raises:
      InvalidArgumentError: `shape` is not a sequence of non-negative integers.
    """
    if isinstance(shape, TensorShape):
        shape = from_shape(shape, None).tolist()
    value = np.asarray(shape) if isinstance(shape, Tensor) else shape
    if np.ndim(value) != 1 and not (isinstance(value, (tuple, list)) and not value):
        raise invalid(
            f"shape must be a vector of {{int32,int64}}, got {shape!r} [Op:{op}] (for one axis "
            f"write [n])",
        )
    try:
        sizes = tuple(operator.index(np.asarray(n) if isinstance(n, Tensor) else n) for n in value)
    except TypeError:
        sizes = tuple(integers(shape, op).tolist())  # which says what is wrong
    for n in sizes:
        if n < 0:
            raise invalid(f"Dimension {n} must be >= 0 [Op:{op}]")
    check_size(op, sizes)
    return sizes


def open_shape_argument(shape: Any, op: str) -> Shape:
    """Returns the requested shape, whose lengths may be unknown in a graph.

    Raises:
      InvalidArgumentError: `shape` is not a sequence of non-negative integers.
    """
    if isinstance(shape, Lengths):
        return shape
    open_ = lengths_of_values(shape) if active_tapes() is None else None
    return shape_argument(shape, op) if open_ is None else open_


def algorithm_number(alg: Any) -> int:
    """Returns the number of an algorithm, which is given by name, number or `Algorithm`.

    Raises:
      ValueError: No algorithm has this name.
      TypeError: The value is of another type.
    """
    alg = alg.value if isinstance(alg, enum.Enum) else alg
    names = {"philox": 1, "threefry": 2, "auto_select": 3}
    if not isinstance(alg, (str, int, np.integer)):
        raise TypeError(f"Can't convert argument `alg` (of value {alg!r}) to int.")
    number = names.get(alg, -1) if isinstance(alg, str) else int(alg)
    if number not in names.values():
        raise ValueError(f"Argument `alg` got unsupported value {alg!r}: use 'philox'")
    return 1 if number == 3 else number


def float_dtype(dtype: Any, op: str) -> DType:
    """Returns the requested dtype, which must be floating.

    Raises:
      TypeError: `dtype` is not a floating-point dtype.
    """
    kind = as_dtype(dtype)
    if not kind.is_floating:
        raise TypeError(f"{op} draws real numbers, which dtype {kind.name} cannot hold")
    return kind


def _own_way(operation: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates a function so that an engine with a method of its name draws the numbers.

    Args:
      operation: The operation to name in the error for a tensor that is too large.
    """

    def mark(draw: Callable[..., Any]) -> Callable[..., Any]:
        name = draw.__name__

        @functools.wraps(draw)
        def run(engine: Any, *args: Any) -> Any:
            own = None if type(engine) is np.random.Generator else getattr(engine, name, None)
            try:
                return draw(engine, *args) if own is None else own(*args)
            except (MemoryError, OverflowError, ValueError) as error:
                if is_too_large(error):
                    raise too_large(operation, error) from None
                raise

        return run

    return mark


def _at_least_float32(kind: Any) -> Any:
    """Returns the dtype in which NumPy draws numbers."""
    return np.float64 if kind == np.float64 else np.float32


@_own_way("RandomStandardNormal")
def draw_normal(engine: Engine, shape: Shape, kind: Any) -> RawValue:
    """Draws from the standard normal distribution."""
    return _as(engine.standard_normal(shape or None, _at_least_float32(kind)), kind)


@_own_way("RandomUniform")
def draw_uniform(engine: Engine, shape: Shape, kind: Any) -> RawValue:
    """Draws from the uniform distribution over [0, 1)."""
    out = _as(engine.random(shape or None, _at_least_float32(kind)), kind)
    if np.dtype(kind).itemsize == 2:  # Rounding may lead to 1.
        below = np.nextafter(kind(1), kind(0)) if kind is np.float16 else kind(0.99609375)
        out = np.minimum(out, below).astype(kind)[()]
    return out


def _as(value: Any, kind: Any) -> RawValue:
    out: RawValue
    if type(value) is float:
        out = kind(value)
    else:
        out = value if value.dtype == kind else value.astype(kind)
    return out


@_own_way("TruncatedNormal")
def draw_truncated(engine: Engine, shape: Shape, kind: Any) -> RawValue:
    """Draws from the standard normal distribution, truncated to the interval from -2 to 2."""
    out = np.asarray(engine.standard_normal(shape, _at_least_float32(kind)))
    far = np.abs(out) > 2
    while far.any():
        out[far] = engine.standard_normal(int(far.sum()), _at_least_float32(kind))
        far = np.abs(out) > 2
    return out.astype(kind)[()]


@_own_way("RandomUniformInt")
def draw_integers(engine: Engine, shape: Shape, low: Any, high: Any, kind: Any) -> RawValue:
    """Draws integers from `low` up to `high` (exclusive); both broadcast to the shape."""
    if 0 not in shape:
        _check_bounds(low, high, "RandomUniformInt")
    return np.asarray(engine.integers(low, high, shape, np.int64)).astype(kind)[()]


@_own_way("StatelessRandomUniformFullInt")
def draw_bits(engine: Engine, shape: Shape, kind: Any) -> RawValue:
    """Draws integers from the whole range of the dtype."""
    info = np.iinfo(kind)
    return np.asarray(engine.integers(info.min, info.max, shape, kind, endpoint=True))[()]


@_own_way("RandomGamma")
def draw_gamma(engine: Engine, shape: Shape, alpha: Any) -> RawValue:
    """Draws from gamma distributions of scale 1; `alpha` broadcasts to the shape."""
    if np.dtype(alpha.dtype).itemsize < 4:
        single: RawValue = draw_gamma(engine, shape, alpha.astype(np.float32))
        return single.astype(alpha.dtype)
    out: RawValue = np.asarray(engine.standard_gamma(alpha, shape), alpha.dtype)[()]
    return out


@_own_way("RandomPoissonV2")
def draw_poisson(engine: Engine, shape: Shape, lam: Any, kind: Any) -> RawValue:
    """Draws from Poisson distributions; `lam` broadcasts to the shape."""
    return np.asarray(engine.poisson(np.asarray(lam, np.float64), shape)).astype(kind)[()]


def ends_with(sizes: tuple[int, ...], parameters: tuple[int, ...], op: str) -> None:
    """Raises InvalidArgumentError unless parameters broadcast to the result's shape."""
    try:
        fits = np.broadcast_shapes(sizes, parameters) == sizes
    except ValueError:
        fits = False
    if not fits:
        raise invalid(
            f"Shape passed in must end with broadcasted shape. Got {list(sizes)} for parameters "
            f"of shape {list(parameters)} [Op:{op}]",
        )


_COUNTS = ("float16", "float32", "float64", "int32", "int64")


def binomial_parameters(counts: Any, probs: Any, sizes: Any, op: str) -> tuple[Any, Any]:
    """Returns the arrays of counts and probabilities, which broadcast to the result's shape.

    Raises:
      InvalidArgumentError: A parameter is not numeric, or does not broadcast to the result's
        shape.
    """
    n, p = tensor(counts), tensor(probs)
    for given in (n, p):
        if given.dtype.name not in _COUNTS:
            raise invalid(
                f"Value for attr 'T' of {given.dtype.name} is not in the list of allowed values: "
                f"half, float, double, int32, int64 [Op:{op}]",
                About.DTYPES,
            )
    try:
        shape = np.broadcast_shapes(n._value.shape, p._value.shape)
    except ValueError:
        raise invalid(
            f"counts and probs must have compatible shapes, got {list(n._value.shape)} and "
            f"{list(p._value.shape)} [Op:{op}]",
        ) from None
    ends_with(sizes, shape, op)
    return n._value, p._value


@_own_way("StatefulRandomBinomial")
def draw_binomial(engine: Engine, shape: Shape, n: Any, p: Any, kind: Any) -> RawValue:
    """Draws from binomial distributions; `n` and `p` broadcast to the shape.

    Like TensorFlow's kernel, it takes counts below 0 for 0, and chances as limited to [0, 1].
    """
    counts = np.maximum(np.asarray(n).astype(np.int64), 0)
    chance = np.clip(np.nan_to_num(np.asarray(p, np.float64)), 0, 1)
    return np.asarray(engine.binomial(counts, chance, shape)).astype(kind)[()]


@_own_way("Multinomial")
def draw_classes(engine: Engine, logits: Any, samples: int, kind: Any) -> RawValue:
    """Draws class indices for each row of unnormalized log-probabilities."""
    rows = np.asarray(logits, np.float64)
    weights = np.exp(rows - rows.max(-1, keepdims=True))
    steps = np.cumsum(weights, -1)
    at = engine.random((rows.shape[0], samples)) * steps[:, -1:]
    found = [np.searchsorted(row, a, "right") for row, a in zip(steps, at, strict=True)]
    out = np.array(found, kind).reshape(rows.shape[0], samples)
    chosen: RawValue = np.minimum(out, kind(rows.shape[1] - 1))
    return chosen


def categorical_argument(logits: Tensor, op: str) -> None:
    """Raises InvalidArgumentError unless `logits` is a matrix with columns."""
    shape = logits._value.shape
    if len(shape) != 2 or not shape[1]:
        raise invalid(f"logits should be a matrix, got shape {list(shape)} [Op:{op}]")


def uniform_dtype(dtype: Any, minval: Any, maxval: Any) -> DType:
    """Returns the dtype of uniform random numbers.

    Raises:
      ValueError: Numbers of `dtype` cannot be drawn, or `dtype` is an integer dtype and `maxval` is
        missing.
    """
    kind = as_dtype(dtype)
    if kind.name not in _UNIFORM:
        raise ValueError(
            f"Argument `dtype` got invalid value {kind!r}. Accepted dtypes are "
            f"({', '.join('tf.' + n for n in _UNIFORM[:6])})."
        )
    if kind.is_integer and maxval is None and minval is not None:
        raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
    return kind


_UNIFORM = ("float16", "bfloat16", "float32", "float64", "int32", "int64", "uint32", "uint64")


def integer_bounds(low: Any, high: Any, op: str, shape: Shape) -> tuple[Any, Any]:
    """Returns the bounds of random integers as raw values.

    Raises:
      InvalidArgumentError: There is no integer between the bounds, and the shape is known and not
        empty.
    """
    low, high = (tensor(b)._value for b in (low, high))
    known = all(isinstance(b, (np.ndarray, np.generic)) for b in (low, high))
    if known and not has_sizes(shape) and 0 not in shape:
        _check_bounds(low, high, op)
    return low, high


def _check_bounds(low: Any, high: Any, op: str) -> None:
    if not np.all(np.asarray(low) < np.asarray(high)):
        raise InvalidArgumentError(
            None, None, f"Need minval < maxval, got {low} >= {high} [Op:{op}]"
        )


Draw = Callable[..., Any]
