"""The raw operations that draw random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.graph_operations import graph_operation
from gradtape._src.ops.array.joining import stack
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.random import distributions, stateless

_PHILOX = 1


def _seed(seed: int, seed2: int) -> int | None:
    """Returns the seed of an operation's own stream, or None if both of its seeds are zero."""
    return hash((seed, seed2)) % (1 << 31) if seed or seed2 else None


@raw_op("RandomUniform", differentiable=False)
def random_uniform(
    shape: Any, dtype: Any, seed: int = 0, seed2: int = 0, name: str | None = None
) -> Tensor:
    """Draws from a uniform distribution over [0, 1)."""
    return distributions.uniform(shape, dtype=dtype, seed=_seed(seed, seed2))


@raw_op("RandomUniformInt", differentiable=False)
def random_uniform_int(
    shape: Any, minval: Any, maxval: Any, seed: int = 0, seed2: int = 0, name: str | None = None
) -> Tensor:
    """Draws integers from a uniform distribution over [minval, maxval)."""
    dtype = convert_to_tensor(minval).dtype
    return distributions.uniform(shape, minval, maxval, dtype, seed=_seed(seed, seed2))


@raw_op("RandomStandardNormal", differentiable=False)
def random_standard_normal(
    shape: Any, dtype: Any, seed: int = 0, seed2: int = 0, name: str | None = None
) -> Tensor:
    """Draws from a normal distribution."""
    return distributions.normal(shape, dtype=dtype, seed=_seed(seed, seed2))


@raw_op("RandomGammaGrad", differentiable=False)
def random_gamma_grad(alpha: Any, sample: Any, name: str | None = None) -> Tensor:
    """Returns the derivatives of draws from gamma distributions with respect to `alpha`."""
    derivative: Tensor = distributions.gamma_grad_p(tensor(alpha), tensor(sample))
    return derivative


@raw_op("TruncatedNormal", differentiable=False)
def truncated_normal(
    shape: Any, dtype: Any, seed: int = 0, seed2: int = 0, name: str | None = None
) -> Tensor:
    """Draws from a normal distribution truncated at two standard deviations from its mean."""
    return distributions.truncated_normal(shape, dtype=dtype, seed=_seed(seed, seed2))


@raw_op("RandomShuffle", differentiable=False)
def random_shuffle(value: Any, seed: int = 0, seed2: int = 0, name: str | None = None) -> Tensor:
    """Returns a tensor with its rows in a random order."""
    return distributions.shuffle(value, _seed(seed, seed2))


@raw_op("Multinomial", differentiable=False)
def multinomial(
    logits: Any,
    num_samples: Any,
    seed: int = 0,
    seed2: int = 0,
    output_dtype: Any = np.int64,
    name: str | None = None,
) -> Tensor:
    """Draws class indices for each row of unnormalised log-probabilities."""
    return distributions.categorical(logits, num_samples, output_dtype, _seed(seed, seed2))


@raw_op("RandomGamma", differentiable=False)
def random_gamma(
    shape: Any, alpha: Any, seed: int = 0, seed2: int = 0, name: str | None = None
) -> Tensor:
    """Draws from gamma distributions."""
    dtype = convert_to_tensor(alpha).dtype
    return distributions.gamma(shape, alpha, dtype=dtype, seed=_seed(seed, seed2))


@raw_op("RandomPoissonV2", differentiable=False)
def random_poisson(
    shape: Any,
    rate: Any,
    seed: int = 0,
    seed2: int = 0,
    dtype: Any = np.int64,
    name: str | None = None,
) -> Tensor:
    """Draws from Poisson distributions."""
    return distributions.poisson(shape, rate, dtype, _seed(seed, seed2))


@graph_operation(
    "StatelessRandomGetAlg", lambda new: new((), np.dtype(np.int32)), when=lambda: True
)
def _get_alg() -> Tensor:
    return Tensor(np.int32(_PHILOX))


@raw_op("StatelessRandomGetAlg", differentiable=False)
def get_alg(name: str | None = None) -> Tensor:
    """Returns the number of the random number algorithm."""
    return _get_alg()


@raw_op("StatelessRandomGetKeyCounter", differentiable=False)
def get_key_counter(seed: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Returns the key and the counter for a seed: each holds one of the seed's two numbers."""
    whole = cast(seed, np.uint64)
    nothing = Tensor(np.uint64(0))
    return whole[:1], stack([whole[1], nothing])


@raw_op("StatelessRandomGetKeyCounterAlg", differentiable=False)
def get_key_counter_alg(seed: Any, name: str | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """Returns the key and the counter for a seed, and the number of the algorithm."""
    return *get_key_counter(seed), get_alg()


def _seeds(key: Any, counter: Any) -> Tensor:
    """Returns the seed of a key and a counter."""
    first, second = convert_to_tensor(key), convert_to_tensor(counter)
    return cast(stack([first[0], second[0]]), np.int64)


@raw_op("StatelessRandomUniformV2", ignored=("alg",), differentiable=False)
def stateless_uniform(
    shape: Any, key: Any, counter: Any, dtype: Any = np.float32, name: str | None = None
) -> Tensor:
    """Draws from a uniform distribution over [0, 1), by key and counter."""
    return stateless.stateless_uniform(shape, _seeds(key, counter), dtype=dtype)


@raw_op("StatelessRandomUniformIntV2", ignored=("alg",), differentiable=False)
def stateless_uniform_int(
    shape: Any,
    key: Any,
    counter: Any,
    minval: Any,
    maxval: Any,
    name: str | None = None,
) -> Tensor:
    """Draws integers from a uniform distribution over [minval, maxval), by key and counter."""
    dtype = convert_to_tensor(minval).dtype
    return stateless.stateless_uniform(shape, _seeds(key, counter), minval, maxval, dtype)


@raw_op("StatelessRandomUniformFullIntV2", ignored=("alg",), differentiable=False)
def stateless_uniform_full_int(
    shape: Any, key: Any, counter: Any, dtype: Any = np.uint64, name: str | None = None
) -> Tensor:
    """Draws integers from the whole range of a dtype, by key and counter."""
    return stateless.stateless_uniform(shape, _seeds(key, counter), None, None, dtype)


@raw_op("StatelessRandomNormalV2", ignored=("alg",), differentiable=False)
def stateless_normal(
    shape: Any, key: Any, counter: Any, dtype: Any = np.float32, name: str | None = None
) -> Tensor:
    """Draws from a normal distribution, by key and counter."""
    return stateless.stateless_normal(shape, _seeds(key, counter), dtype=dtype)


@raw_op("StatelessTruncatedNormalV2", ignored=("alg",), differentiable=False)
def stateless_truncated_normal(
    shape: Any, key: Any, counter: Any, dtype: Any = np.float32, name: str | None = None
) -> Tensor:
    """Draws from a truncated normal distribution, by key and counter."""
    return stateless.stateless_truncated_normal(shape, _seeds(key, counter), dtype=dtype)


@raw_op("StatelessRandomUniform", differentiable=False)
def stateless_uniform_v1(
    shape: Any, seed: Any, dtype: Any = np.float32, name: str | None = None
) -> Tensor:
    """Draws from a uniform distribution over [0, 1), by seed."""
    return stateless.stateless_uniform(shape, seed, dtype=dtype)


@raw_op("StatelessRandomUniformInt", differentiable=False)
def stateless_uniform_int_v1(
    shape: Any, seed: Any, minval: Any, maxval: Any, name: str | None = None
) -> Tensor:
    """Draws integers from a uniform distribution over [minval, maxval), by seed."""
    dtype = convert_to_tensor(minval).dtype
    return stateless.stateless_uniform(shape, seed, minval, maxval, dtype)


@raw_op("StatelessRandomNormal", differentiable=False)
def stateless_normal_v1(
    shape: Any, seed: Any, dtype: Any = np.float32, name: str | None = None
) -> Tensor:
    """Draws from a normal distribution, by seed."""
    return stateless.stateless_normal(shape, seed, dtype=dtype)


@raw_op("StatelessTruncatedNormal", differentiable=False)
def stateless_truncated_normal_v1(
    shape: Any, seed: Any, dtype: Any = np.float32, name: str | None = None
) -> Tensor:
    """Draws from a truncated normal distribution, by seed."""
    return stateless.stateless_truncated_normal(shape, seed, dtype=dtype)


@raw_op("StatelessMultinomial", differentiable=False)
def stateless_multinomial(
    logits: Any,
    num_samples: Any,
    seed: Any,
    output_dtype: Any = np.int64,
    name: str | None = None,
) -> Tensor:
    """Draws class indices for each row of unnormalised log-probabilities, by seed."""
    return stateless.stateless_categorical(logits, num_samples, seed, output_dtype)


@raw_op("StatelessRandomUniformFullInt", differentiable=False)
def stateless_uniform_full_int_v1(
    shape: Any, seed: Any, dtype: Any = np.uint64, name: str | None = None
) -> Tensor:
    """Draws integers from the whole range of a dtype, by seed."""
    return stateless.stateless_uniform(shape, seed, None, None, dtype)


@raw_op("StatelessRandomGammaV3", ignored=("alg",))
def stateless_gamma(
    shape: Any, key: Any, counter: Any, alpha: Any, name: str | None = None
) -> Tensor:
    """Draws from gamma distributions, by key and counter."""
    dtype = convert_to_tensor(alpha).dtype
    return stateless.stateless_gamma(shape, _seeds(key, counter), alpha, dtype=dtype)


@raw_op("StatelessRandomGammaV2")
def stateless_gamma_v2(shape: Any, seed: Any, alpha: Any, name: str | None = None) -> Tensor:
    """Draws from gamma distributions, by seed."""
    return stateless.stateless_gamma(shape, seed, alpha, dtype=convert_to_tensor(alpha).dtype)


@raw_op("StatelessRandomPoisson", differentiable=False)
def stateless_poisson(
    shape: Any, seed: Any, lam: Any, dtype: Any, name: str | None = None
) -> Tensor:
    """Draws from Poisson distributions, by seed."""
    return stateless.stateless_poisson(shape, seed, lam, dtype)


@raw_op("StatelessRandomBinomial", differentiable=False)
def stateless_binomial(
    shape: Any,
    seed: Any,
    counts: Any,
    probs: Any,
    dtype: Any = np.int64,
    name: str | None = None,
) -> Tensor:
    """Draws from binomial distributions, by seed."""
    return stateless.stateless_binomial(shape, seed, counts, probs, dtype)


@raw_op("StatelessShuffle", ignored=("alg",), differentiable=False)
def stateless_shuffle(value: Any, key: Any, counter: Any, name: str | None = None) -> Tensor:
    """Shuffles the rows of a tensor, by key and counter."""
    return stateless.stateless_shuffle(value, _seeds(key, counter))
