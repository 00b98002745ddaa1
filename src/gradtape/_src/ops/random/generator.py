"""`tf.random.Generator`: a stream of random numbers, whose state is a variable."""

from __future__ import annotations

import enum
import math
import os
from typing import Any

import numpy as np

from gradtape._src.base.device_values import state_lock
from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.export import export
from gradtape._src.base.replication import here
from gradtape._src.base.trackable import Trackable
from gradtape._src.core.convert import tensor
from gradtape._src.core.recorder import STACK
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.ops.random import sampling
from gradtape._src.ops.random.distributions import affine, between

_STEP = 256  # The increment of the counter for each number drawn.


@export("random.Algorithm", "random.experimental.Algorithm")
class Algorithm(enum.Enum):
    """The random number algorithms; in gradtape, each of them is Philox."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def _signed(numbers: list[int]) -> np.ndarray[Any, Any]:
    return np.array([n % 2**64 for n in numbers], np.uint64).view(np.int64)


@export("random.create_rng_state", "random.experimental.create_rng_state")
def create_rng_state(seed: Any, alg: Any) -> Tensor:
    """Returns the initial state of a generator with this seed.

    Args:
      seed: An integer, or a vector of up to three integers.
      alg: The algorithm, "philox" or an `Algorithm`.

    Returns:
      A tensor of three int64, or two for "threefry".

    Raises:
      ValueError: There is no such algorithm.
    """
    size = 3 if sampling.algorithm_number(alg) == 1 else 2
    numbers = [int(n) for n in np.ravel(seed.numpy() if isinstance(seed, Tensor) else seed)]
    return Tensor(_signed((numbers + [0] * size)[:size]))


@export("random.Generator", "random.experimental.Generator")
class Generator(Trackable):
    """An independent stream of random numbers.

    Make one with `from_seed`, `from_non_deterministic_state`, `from_state` or `from_key_counter`.
    Several threads may draw from one generator.

    Args:
      copy_from: A generator to copy.
      state: The state: three int64, of which two are the counter and one is the key.
      alg: The algorithm, "philox".

    Attributes:
      state: A variable that holds the state.

    >>> g = tf.random.Generator.from_seed(1)
    >>> bool(tf.reduce_all(g.normal([2]) == tf.random.Generator.from_seed(1).normal([2])))
    True
    """

    def __init__(
        self, copy_from: Generator | None = None, state: Any = None, alg: Any = None
    ) -> None:
        if copy_from is not None:
            state, alg = copy_from.state.numpy(), copy_from.algorithm
        assert state is not None, "a generator needs a state: use Generator.from_seed"
        assert alg is not None, "a generator needs an algorithm: use Generator.from_seed"
        self._alg = sampling.algorithm_number(alg)
        value = np.asarray(tensor(state)._value).astype(np.int64)
        wanted = (2 if self._alg == Algorithm.THREEFRY.value else 3,)
        if value.shape != wanted:
            raise ValueError(f"Shapes {value.shape} and {wanted} are incompatible: the state")
        self.state: Variable = Variable(value, dtype=np.int64, trainable=False, name="StateVar")

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """Makes a generator that begins from a seed.

        Args:
          seed: An integer.
          alg: The algorithm, "philox" or "threefry". Defaults to Philox.

        Returns:
          A Generator.
        """
        alg = "philox" if alg is None else alg
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """Makes a generator that continues from a state.

        Args:
          state: The state, a vector of integers or another generator's variable.
          alg: The algorithm, "philox" or "threefry".

        Returns:
          A Generator.
        """
        return cls(state=state, alg=alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """Makes a generator from a key and a counter.

        Args:
          key: The key, an integer.
          counter: The counter, a vector of two integers.
          alg: The algorithm, "philox" or "threefry".

        Returns:
          A Generator.

        Raises:
          ValueError: The key is not a scalar.
        """
        if shape := np.shape(tensor(key)._value):
            raise ValueError(f"Shapes {shape} and [] are incompatible: the key is an integer")
        return cls(state=_state_of(key, counter), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """Makes a generator that draws different numbers in each run of a program.

        Args:
          alg: The algorithm, "philox" or "threefry". Defaults to Philox.

        Returns:
          A Generator.
        """
        numbers = [int.from_bytes(os.urandom(8), "little") for _ in range(3)]
        return cls(state=_signed(numbers), alg="philox" if alg is None else alg)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return {"_state_var": self.state}

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._alg

    @property
    def key(self) -> Tensor:
        """The part of the state that does not change."""
        return Tensor(self.state.numpy()[-1])

    def reset(self, state: Any) -> None:
        """Sets the state.

        Args:
          state: The state, a vector of integers.
        """
        self.state.assign(np.asarray(tensor(state)._value).astype(np.int64))

    def reset_from_seed(self, seed: Any) -> None:
        """Restarts from a seed.

        Args:
          seed: An integer.
        """
        self.reset(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Sets the key and the counter.

        Args:
          key: The key, an integer.
          counter: The counter, a vector of two integers.
        """
        self.reset(_state_of(key, counter))

    def skip(self, delta: Any) -> Tensor:
        """Advances the state as if `delta` numbers had been drawn.

        Args:
          delta: The number of values, an integer.

        Returns:
          The previous state.
        """
        return Tensor(self._advance(int(delta)))

    def _advance(self, delta: int) -> Any:
        with state_lock:
            before = self.state.numpy()
            words = [int(n) for n in before.view(np.uint64)]
            total = words[0] + (words[1] << 64 if len(words) == 3 else 0) + delta * _STEP
            high = [total >> 64] if len(words) == 3 else []
            self.state.assign(_signed([total, *high, words[-1]]))
        return before

    def _engine(self, shape: sampling.Shape) -> np.random.Generator:
        """Returns an engine that draws `n` numbers, and advances the state by them."""
        n = math.prod(shape)
        for watcher in STACK.recorders:
            own: np.random.Generator | None = watcher.engine(
                id(self),
                lambda: self._advance(n).view(np.uint32)[:2] ^ 1,
                lambda: self._numpy_engine(n),
            )
            if own is not None:
                return own
        return self._numpy_engine(n)

    def _numpy_engine(self, n: int) -> np.random.Generator:
        """Returns a NumPy generator that draws `n` numbers, and advances the state by them."""
        before = self._advance(n)
        words = [int(n) for n in before.view(np.uint64)]
        counter = [*words[:-1], 0, 0, 0][:4]
        # Each generator draws different numbers.
        replica = 0 if type(self.state) is Variable else here[-1]()
        philox = np.random.Philox(counter=counter, key=[words[-1], replica])
        return np.random.Generator(philox)

    def normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = np.float32,
        name: str | None = None,
    ) -> Tensor:
        """Draws from a normal distribution.

        Args:
          shape: The shape of the result.
          mean: The mean; broadcasts to the shape.
          stddev: The standard deviation; broadcasts to the shape.
          dtype: The dtype of the result.
          name: Accepted for compatibility.

        Returns:
          A tensor of shape `shape` and dtype `dtype`.
        """
        kind = sampling.float_dtype(dtype, "StatefulStandardNormalV2")
        sizes = sampling.shape_argument(shape, "StatefulStandardNormalV2")
        value = sampling.draw_normal(self._engine(sizes), sizes, kind.np_dtype.type)
        return affine(value, mean, stddev, kind)

    def truncated_normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = np.float32,
        name: str | None = None,
    ) -> Tensor:
        """Draws from a normal distribution truncated at two standard deviations.

        Args:
          shape: The shape of the result.
          mean: The mean; broadcasts to the shape.
          stddev: The standard deviation before truncation; broadcasts to the shape.
          dtype: The dtype of the result.
          name: Accepted for compatibility.

        Returns:
          A tensor of shape `shape` and dtype `dtype`.
        """
        kind = sampling.float_dtype(dtype, "StatefulTruncatedNormal")
        sizes = sampling.shape_argument(shape, "StatefulTruncatedNormal")
        value = sampling.draw_truncated(self._engine(sizes), sizes, kind.np_dtype.type)
        return affine(value, mean, stddev, kind)

    def uniform(
        self,
        shape: Any,
        minval: Any = 0,
        maxval: Any = None,
        dtype: Any = np.float32,
        name: str | None = None,
    ) -> Tensor:
        """Draws from a uniform distribution over [minval, maxval).

        Args:
          shape: The shape of the result.
          minval: The lower end; broadcasts to the shape.
          maxval: The upper end, which is never drawn. Defaults to 1 for floats; must be given for
            integers.
          dtype: The dtype of the result.
          name: Accepted for compatibility.

        Returns:
          A tensor of shape `shape` and dtype `dtype`.
        """
        kind = sampling.uniform_dtype(dtype, minval, maxval)
        sizes = sampling.shape_argument(shape, "StatefulUniform")
        np_kind = kind.np_dtype.type
        if kind.is_integer:
            low, high = sampling.integer_bounds(minval, maxval, "StatefulUniformInt", sizes)
            return Tensor(sampling.draw_integers(self._engine(sizes), sizes, low, high, np_kind))
        value = sampling.draw_uniform(self._engine(sizes), sizes, np_kind)
        return between(value, minval, maxval, kind)

    def uniform_full_int(
        self, shape: Any, dtype: Any = np.uint64, name: str | None = None
    ) -> Tensor:
        """Draws integers from the whole range of a dtype.

        Args:
          shape: The shape of the result.
          dtype: The dtype of the result.
          name: Accepted for compatibility.

        Returns:
          A tensor of shape `shape` and dtype `dtype`.
        """
        sizes = sampling.shape_argument(shape, "StatefulUniformFullInt")
        kind = as_dtype(dtype).np_dtype.type
        return Tensor(sampling.draw_bits(self._engine(sizes), sizes, kind))

    def binomial(
        self, shape: Any, counts: Any, probs: Any, dtype: Any = np.int32, name: str | None = None
    ) -> Tensor:
        """Draws from binomial distributions.

        Args:
          shape: The shape of the result, which ends with the shape of the parameters.
          counts: The number of trials.
          probs: The probability of success.
          dtype: The dtype of the result.
          name: Accepted for compatibility.

        Returns:
          A tensor of shape `shape` and dtype `dtype`.

        Raises:
          InvalidArgumentError: A parameter is not numeric, or `shape` does not end with the
            parameters' shape.
        """
        sizes = sampling.shape_argument(shape, "StatefulRandomBinomial")
        n, p = sampling.binomial_parameters(counts, probs, sizes, "StatefulRandomBinomial")
        kind = as_dtype(dtype).np_dtype.type
        return Tensor(sampling.draw_binomial(self._engine(sizes), sizes, n, p, kind))

    def make_seeds(self, count: int = 1) -> Tensor:
        """Makes seeds for stateless functions.

        Args:
          count: The number of seeds.

        Returns:
          A tensor of shape (2, count).
        """
        keys = self.uniform_full_int([count], np.int64)._value
        return Tensor(np.stack([keys, np.zeros_like(keys)]))

    def split(self, count: int = 1) -> list[Generator]:
        """Makes independent generators.

        Args:
          count: The number of seeds.

        Returns:
          A list of Generators.
        """
        keys = self.uniform_full_int([count], np.int64)._value
        return [Generator(state=np.array([0, 0, key]), alg=self._alg) for key in keys]


def _state_of(key: Any, counter: Any) -> Any:
    numbers = [*np.ravel(tensor(counter)._value), *np.ravel(tensor(key)._value)]
    return _signed([int(n) for n in numbers])


class _Global:
    """Holds the global generator."""

    generator: Generator | None = None


@export("random.get_global_generator", "random.experimental.get_global_generator")
def get_global_generator() -> Generator:
    """Returns the global generator, which is created at the first call from a random seed.

    Returns:
      A Generator.
    """
    with state_lock:  # All threads get the same generator.
        if _Global.generator is None:
            _Global.generator = Generator.from_non_deterministic_state()
        return _Global.generator


@export("random.set_global_generator", "random.experimental.set_global_generator")
def set_global_generator(generator: Generator) -> None:
    """Replaces the global generator.

    Args:
      generator: The new global generator.
    """
    _Global.generator = generator
