"""Random numbers by TensorFlow's seeding rules: a global seed, and a seed for each operation.

* If neither is set, each run of a program draws different numbers.
* If only `set_seed` is called, the same sequence of calls draws the same numbers again.
* If the argument `seed` is given, each combination of operation, dtype and seed has its own stream,
  which continues from call to call and restarts at `set_seed`.
* In a graph, each operation has its own stream, which continues from run to run. If it has no seed,
  but there is a global one, its position in the graph acts as its seed.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.export import export
from gradtape._src.base.process_settings import lasting
from gradtape._src.compute.jax_modules import jnp, lax
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.recorder import STACK
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.open_graphs import PerSession, running_session
from gradtape._src.declare.registered import opaque
from gradtape._src.declare.structural import broadcast_to_p, unbroadcast
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.ops.random import sampling

_DEFAULT_SEED = 87654321
_MOST = 2**31 - 1


class _Seeds:
    """The streams of the stateful operations; `lock` is held while numbers are drawn."""

    def __init__(self) -> None:
        self.lock = lasting(threading.Lock())
        self.seed: int | None = None
        self.streams: dict[tuple[Any, ...], np.random.Generator] = {}
        self.of_graphs: weakref.WeakKeyDictionary[Any, int | None] = weakref.WeakKeyDictionary()
        self.restarts = 0
        self._common: np.random.Generator | None = None

    @property
    def common(self) -> np.random.Generator:
        """The stream of calls without a seed; `numpy.random` loads on first use."""
        if self._common is None:
            self._common = np.random.default_rng(None if self.seed is None else [self.seed % 2**64])
        return self._common

    def restart(self, seed: int | None) -> None:
        """Sets the global seed; all streams start again."""
        with self.lock:
            self.seed = seed
            self._common = None
            self.streams = {}
            self.restarts += 1

    def stream(self, op: str, dtype: Any, seed: int | None) -> np.random.Generator:
        """Returns the generator that a call draws from."""
        for watcher in STACK.recorders:
            own: np.random.Generator | None = watcher.engine(
                (op, np.dtype(dtype), seed),
                lambda: self.key(op, dtype, seed),
                lambda: self._stream(op, dtype, seed),
            )
            if own is not None:
                return own
        return self._stream(op, dtype, seed)

    def key(self, op: str, dtype: Any, seed: int | None) -> np.ndarray[Any, Any]:
        """Returns a key of two uint32 for one run of a compiled program."""
        with self.lock:
            return self._stream(op, dtype, seed).integers(0, 2**32, 2, np.uint32)

    def kept(self) -> Callable[[], None]:
        """Returns a function that restores the current state of all streams."""
        seed, streams, common = self.seed, dict(self.streams), self._common
        before = [(s, s.bit_generator.state) for s in (*streams.values(), common) if s is not None]

        def restart() -> None:
            with self.lock:
                self.seed, self.streams = seed, streams
                self._common = common
                for stream, state in before:
                    stream.bit_generator.state = state

        return restart

    def _stream(self, op: str, dtype: Any, seed: int | None) -> np.random.Generator:
        if seed is None:
            return self.common
        start = _DEFAULT_SEED if self.seed is None else self.seed
        key = (op, np.dtype(dtype), start, seed)
        engine = self.streams.get(key)
        if engine is None:
            entropy = [start % 2**64, _number(seed) % 2**64]
            engine = self.streams[key] = np.random.Generator(np.random.Philox(entropy))
        return engine


_SEEDS = _Seeds()


kept = _SEEDS.kept


class OperationStream:
    """The stream of one operation of a graph, which starts again at `set_seed`.

    In a TensorFlow 1 graph, each session has a stream of its own.

    Args:
      entropy: The initial value.
    """

    def __init__(self, entropy: Sequence[int]) -> None:
        self.entropy = entropy
        self._of_sessions = PerSession(self._new)
        self._begin()

    def _new(self) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(self.entropy))

    def _begin(self) -> None:
        self._restarts = _SEEDS.restarts
        self._engine = self._new()

    def key(self) -> np.ndarray[Any, Any]:
        """Returns a key of two uint32 for one run of a compiled program."""
        return self().integers(0, 2**32, 2, np.uint32)

    def __call__(self) -> np.random.Generator:
        if running_session.get() is not None:
            return self._of_sessions.now()
        if self._restarts != _SEEDS.restarts:
            self._begin()
        return self._engine


def stream_of_operation(graph: Any, seed: int | None, count: int) -> OperationStream | None:
    """Returns the stream of an operation in a graph, or None if no seed is set.

    Args:
      graph: The tracer that makes the graph.
      seed: The seed of the operation, or None.
      count: The number of operations in the graph so far, which acts as a seed if there is a
        global one.
    """
    whole = _SEEDS.of_graphs.get(graph, _SEEDS.seed)
    if whole is None and seed is None:
        return None
    start = _DEFAULT_SEED if whole is None else whole
    own = count if seed is None else _number(seed)
    return OperationStream([start % 2**64, own % 2**64])


@export("random.set_seed")
def set_seed(seed: int | None) -> None:
    """Sets the global seed, so that subsequent calls give the same numbers on every run.

    In a function that is traced, it applies to the subsequent operations of this function.

    Args:
      seed: An integer, or None to remove the global seed.

    >>> tf.random.set_seed(1)
    >>> a = tf.random.normal((3,))
    >>> tf.random.set_seed(1)
    >>> np.array_equal(a, tf.random.normal((3,)))
    True
    """
    whole = int(seed) if isinstance(seed, (int, np.integer)) else None
    recorders = STACK.recorders
    if recorders and recorders[0].defers:
        _SEEDS.of_graphs[recorders[0]] = whole
    else:
        _SEEDS.restart(whole)


def seeds_of(op_seed: int | None) -> tuple[int | None, int | None]:
    """Returns the seed of the graph or the global seed, and the seed of an operation.

    Args:
        op_seed: The seed that a program gives to the operation, or None.
    """
    tracer = STACK.recorders[0] if STACK.recorders and STACK.recorders[0].defers else None
    whole = _SEEDS.seed if tracer is None else _SEEDS.of_graphs.get(tracer)
    if whole is None and op_seed is None:
        return None, None
    first = _DEFAULT_SEED if whole is None else whole
    if op_seed is None:
        op_seed = own_seed(None) if tracer is None else len(tracer.nodes)
    seeds = first % _MOST, op_seed % _MOST
    return (0, _MOST) if seeds == (0, 0) else seeds


def _number(seed: Any) -> int:
    """Returns a seed as an integer; raises TypeError for text."""
    if isinstance(seed, (str, bytes)):
        raise TypeError(f"a seed is an integer, got {seed!r}")
    return int(seed)


def own_seed(seed: int | None) -> int:
    """Returns the seed for an object with its own generator, by the rules of this module."""
    if seed is None:
        with _SEEDS.lock:
            return int(_SEEDS.common.integers(2**63))
    start = _DEFAULT_SEED if _SEEDS.seed is None else _SEEDS.seed
    return (start << 64 ^ _number(seed)) % 2**128  # NumPy does not accept negative seeds


def is_seeded(seed: int | None) -> bool:
    """Whether a call with this seed gives the same numbers on every run of the program."""
    return seed is not None or _SEEDS.seed is not None


def _drawn(op: str, dtype: Any, seed: int | None, draw: Any, *args: Any) -> Any:
    with _SEEDS.lock:
        return draw(_SEEDS.stream(op, dtype, seed), *args)


def affine(value: Any, shift: Any, scale: Any, dtype: Any) -> Tensor:
    """Scales and shifts numbers; differentiable with respect to the shift and the scale."""
    if isinstance(shift, (int, float)) and isinstance(scale, (int, float)):
        kind = dtype.np_dtype
        with np.errstate(over="ignore"):
            if scale != 1:
                value = value * kind.type(scale)
            return Tensor(value if shift == 0 else value + kind.type(shift))
    shift, scale = convert_to_tensor(shift, dtype), convert_to_tensor(scale, dtype)
    out: Tensor = Tensor(value) * scale + shift
    return out


@export("random.normal")
def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = np.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws from a normal distribution.

    Args:
      shape: The shape of the result.
      mean: The mean, a number or a tensor that broadcasts to the shape.
      stddev: The standard deviation, a number or a tensor that broadcasts to the shape.
      dtype: A floating-point dtype.
      seed: The seed of the operation's own stream; see `set_seed`.
      name: Accepted for compatibility.

    Returns:
      A tensor, differentiable in `mean` and `stddev`.

    Raises:
      InvalidArgumentError: `shape` is not a valid shape.
      TypeError: `dtype` is not floating.

    >>> tf.random.set_seed(1)
    >>> tf.random.normal((2, 3)).shape
    TensorShape([2, 3])
    """
    kind = sampling.float_dtype(dtype, "RandomStandardNormal")
    sizes = sampling.open_shape_argument(shape, "RandomStandardNormal")
    np_kind = kind.np_dtype.type
    value = _drawn("RandomStandardNormal", np_kind, seed, sampling.draw_normal, sizes, np_kind)
    return affine(value, mean, stddev, kind)


@export("random.truncated_normal")
def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = np.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws from a normal distribution truncated at two standard deviations from its mean.

    Args:
      shape: The shape of the result.
      mean: The mean of the distribution before truncation, a number or a tensor.
      stddev: The standard deviation before truncation, a number or a tensor.
      dtype: A floating-point dtype.
      seed: The seed of the operation's own stream; see `set_seed`.
      name: Accepted for compatibility.

    Returns:
      A tensor, differentiable in `mean` and `stddev`.

    Raises:
      InvalidArgumentError: `shape` is not a valid shape.
      TypeError: `dtype` is not floating.

    >>> float(tf.reduce_max(tf.abs(tf.random.truncated_normal((1000,))))) <= 2.0
    True
    """
    kind = sampling.float_dtype(dtype, "TruncatedNormal")
    sizes = sampling.open_shape_argument(shape, "TruncatedNormal")
    np_kind = kind.np_dtype.type
    value = _drawn("TruncatedNormal", np_kind, seed, sampling.draw_truncated, sizes, np_kind)
    return affine(value, mean, stddev, kind)


@export("random.uniform")
def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = np.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws from a uniform distribution over [minval, maxval).

    Args:
      shape: The shape of the result.
      minval: The inclusive lower bound, a number or a tensor.
      maxval: The exclusive upper bound. Defaults to 1 for floating-point dtypes.
      dtype: A floating-point dtype, int32 or int64.
      seed: The seed of the operation's own stream; see `set_seed`.
      name: Accepted for compatibility.

    Returns:
      A tensor, differentiable in the bounds.

    Raises:
      ValueError: `dtype` is not supported, or it is an integer dtype and `maxval` is not given.
      InvalidArgumentError: `shape` is not a valid shape, or the range of integers is empty.

    >>> x = tf.random.uniform((100,), minval=2, maxval=5, dtype=tf.int32)
    >>> sorted(set(x.numpy().tolist()))
    [2, 3, 4]
    """
    kind = sampling.uniform_dtype(dtype, minval, maxval)
    np_kind = kind.np_dtype.type
    if kind.is_integer:
        op = "RandomUniformInt"
        sizes = sampling.open_shape_argument(shape, op)
        low, high = sampling.integer_bounds(minval, maxval, op, sizes)
        return Tensor(_drawn(op, np_kind, seed, sampling.draw_integers, sizes, low, high, np_kind))
    sizes = sampling.open_shape_argument(shape, "RandomUniform")
    value = _drawn("RandomUniform", np_kind, seed, sampling.draw_uniform, sizes, np_kind)
    return between(value, minval, maxval, kind)


def between(value: Any, minval: Any, maxval: Any, kind: Any) -> Tensor:
    """Scales numbers in [0, 1) to [minval, maxval)."""
    top = 1 if maxval is None else maxval
    if isinstance(minval, (int, float)) and isinstance(top, (int, float)):
        return affine(value, minval, top - minval, kind)
    low, high = convert_to_tensor(minval, kind), convert_to_tensor(top, kind)
    return affine(value, low, high - low, kind)


@export("random.shuffle")
def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """Shuffles the rows of a tensor; not differentiable.

    Args:
      value: A tensor.
      seed: The seed of the operation's own stream; see `set_seed`.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape.

    >>> sorted(tf.random.shuffle([3, 1, 2]).numpy().tolist())
    [1, 2, 3]
    """
    x = tensor(value)._value
    if not x.ndim:
        return Tensor(x)
    return Tensor(_drawn("RandomShuffle", x.dtype, seed, lambda e: e.permutation(x)))


@export("random.categorical")
def categorical(
    logits: Any,
    num_samples: Any,
    dtype: Any = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws class indices; not differentiable.

    Args:
      logits: A tensor of shape (batch, classes): unnormalised log-probabilities.
      num_samples: The number of draws per row.
      dtype: int32 or int64 (the default).
      seed: The seed of the operation's own stream; see `set_seed`.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, num_samples).

    Raises:
      InvalidArgumentError: `logits` is not a matrix.

    >>> tf.random.categorical([[0.0, -1e9]], 3).numpy()
    array([[0, 0, 0]])
    """
    x = tensor(logits)
    sampling.categorical_argument(x, "Multinomial")
    kind = as_dtype(np.int64 if dtype is None else dtype).np_dtype.type
    args = (x._value, int(num_samples), kind)
    return Tensor(_drawn("Multinomial", kind, seed, sampling.draw_classes, *args))


# Gamma: differentiable in its parameter, by the implicit function theorem.


def _gamma_grad(alpha: Any, sample: Any) -> Any:
    """Returns the derivative of a sample with respect to alpha, -(dF/d alpha) / pdf.

    Figurnov, Mohamed and Mnih, "Implicit reparameterization gradients" (2018).
    """
    from scipy import special

    a, x = np.broadcast_arrays(alpha.astype(np.float64), sample.astype(np.float64))
    h = 1e-5 * np.maximum(a, 1e-3)
    with np.errstate(all="ignore"):
        slope = (special.gammainc(a + h, x) - special.gammainc(a - h, x)) / (2 * h)
        density = np.exp((a - 1) * np.log(x) - x - special.gammaln(a))
        # In the upper tail, the complementary function is more accurate.
        tail = (special.gammaincc(a - h, x) - special.gammaincc(a + h, x)) / (2 * h)
        grad = -np.where(x > a, tail, slope) / density
    return np.where(np.isfinite(grad), grad, 0).astype(sample.dtype)[()]


gamma_grad_p: Bound = general(
    "RandomGammaGrad",
    _gamma_grad,
    batching="leading",
    xla=lambda a, x: lax.random_gamma_grad(*jnp.broadcast_arrays(a, x)),
    traits=Traits(pattern=Pattern.ELEMENTWISE),
)


def _gamma(alpha: Any, *, engine: Any, shape: Any) -> Any:
    return sampling.draw_gamma(engine, shape, alpha)


def _gamma_vjp(g: Any, alpha: Any, out: Any) -> Any:
    full = g * gamma_grad_p(alpha, out)
    return unbroadcast(full, shape_of(full), shape_of(alpha))


def _drawn_in_graph(kernel: Callable[..., Any]) -> Traits:
    """Returns the traits of an operation whose kernel itself adds the draw to a graph."""
    return Traits(in_graph=lambda x, **params: Tensor(kernel(x._value, **params)))


gamma_p: Bound = general(
    "RandomGamma", _gamma, {"alpha": _gamma_vjp}, xla=_gamma, traits=_drawn_in_graph(_gamma)
)


@export("random.gamma")
def gamma(
    shape: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = np.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws from gamma distributions.

    Args:
      shape: The shape of the draws for each pair of parameters.
      alpha: The shape parameters.
      beta: The rates (inverse scales), which broadcast with `alpha`. Default to 1.
      dtype: A floating-point dtype.
      seed: The seed of the operation's own stream; see `set_seed`.
      name: Accepted for compatibility.

    Returns:
      A tensor whose shape is `shape` followed by the shape of the parameters, differentiable with
      respect to both of them.

    Raises:
      InvalidArgumentError: `shape` is not a valid shape.

    >>> tf.random.gamma((2,), alpha=[1.0, 2.0]).shape
    TensorShape([2, 2])
    """
    kind = sampling.float_dtype(dtype, "RandomGamma")
    sizes = sampling.shape_argument(shape, "RandomGamma")
    a = convert_to_tensor(alpha, kind)
    b = convert_to_tensor(1.0 if beta is None else beta, kind)
    full = np.broadcast_shapes(a._value.shape, b._value.shape)
    a = a if a._value.shape == full else broadcast_to_p(a, shape=full)
    with _SEEDS.lock:
        engine = _SEEDS.stream("RandomGamma", kind.np_dtype, seed)
        out = gamma_p(a, engine=engine, shape=(*sizes, *full))
    return out if beta is None else out / b


def _poisson(lam: Any, *, engine: Any, shape: Any, kind: Any) -> Any:
    return sampling.draw_poisson(engine, shape, lam, kind)


_poisson_p = opaque("RandomPoissonV2", _poisson, xla=_poisson, traits=_drawn_in_graph(_poisson))


@export("random.poisson")
def poisson(
    shape: Any,
    lam: Any,
    dtype: Any = np.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws from Poisson distributions.

    Args:
      shape: The shape of the draws for each rate.
      lam: The rates.
      dtype: The dtype of the result.
      seed: The seed of the operation's own stream; see `set_seed`.
      name: Accepted for compatibility.

    Returns:
      A tensor whose shape is `shape` followed by the shape of `lam`.

    Raises:
      InvalidArgumentError: `shape` is not a valid shape.
      LookupError: When the gradient is computed, which TensorFlow does not define.

    >>> tf.random.poisson((2,), lam=[1.0, 2.0]).shape
    TensorShape([2, 2])
    """
    sizes = sampling.shape_argument(shape, "RandomPoissonV2")
    rates = lam if isinstance(lam, (Tensor, Variable)) else convert_to_tensor(lam, np.float32)
    rates = tensor(rates)
    kind = as_dtype(dtype).np_dtype.type
    with _SEEDS.lock:
        engine = _SEEDS.stream("RandomPoissonV2", kind, seed)
        return _poisson_p(rates, engine=engine, shape=(*sizes, *rates._value.shape), kind=kind)
