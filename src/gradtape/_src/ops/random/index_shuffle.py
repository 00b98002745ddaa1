"""Computes the image of an index under a random permutation, without computing the permutation.

A block cipher on blocks of an even number of bits permutes the numbers with that many bits. A
number outside of the range is encrypted again until it is in the range (Black and Rogaway 2002,
"Ciphers with Arbitrary Finite Domains"). The cipher is Simon (Beaulieu et al. 2013, "The SIMON and
SPECK Families of Lightweight Block Ciphers") with a key of three words and few rounds, which is
enough for shuffling, but not for secrecy. The results are exactly those of TensorFlow.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import c_name, dtype_of
from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.declare.general import dtype_of_value, general, shape_of
from gradtape._src.ops.array.joining import concat

_OP = "RandomIndexShuffle"
_CONSTANT = 0xFFFFFFFC
_BITS = 0x7369F885192C0EF5  # each further round key uses one of these bits
_FEWEST_BITS = 16  # the minimum size of a block: smaller blocks would leave patterns
_FIRST_WORD = 498247692  # the first words of the key, before the two numbers of a seed
_WORDS = 3
_INTEGERS = frozenset({np.int32, np.int64, np.uint32, np.uint64})


def _round_keys(key: tuple[int, ...], bits: int, rounds: int) -> list[np.uint64]:
    mask = (1 << bits) - 1
    keys, chosen = [word & mask for word in key], _BITS & mask
    for i in range(len(keys), rounds):
        last = keys[-1]
        turned = [(last >> n) | (last << (bits - n)) for n in (3, 4)]
        keys.append((_CONSTANT ^ (chosen & 1) ^ keys[i - _WORDS] ^ turned[0] ^ turned[1]) & mask)
        chosen >>= 1
    return [np.uint64(k) for k in keys]


def _mixed(x: Any, bits: int, mask: np.uint64) -> Any:
    """Returns the function of half a block with which the other half is combined."""
    once, eight, twice = ((x << np.uint64(n)) | (x >> np.uint64(bits - n)) for n in (1, 8, 2))
    return ((once & eight) ^ twice) & mask


def _encrypted(x: Any, keys: list[np.uint64], bits: int) -> Any:
    """Returns numbers of `2 * bits` bits, encrypted."""
    mask = np.uint64((1 << bits) - 1)
    left, right = (x >> np.uint64(bits)) & mask, x & mask
    for first, second in zip(keys[::2], keys[1::2], strict=True):
        left = left ^ _mixed(right, bits, mask) ^ first
        right = right ^ _mixed(left, bits, mask) ^ second
    return (left << np.uint64(bits)) | right


@functools.lru_cache(maxsize=4)
def _encrypted_table(key: tuple[int, ...], rounds: int) -> list[int]:
    """Returns all numbers of the smallest block, encrypted.

    A small range needs many steps of encryption, for which looking up numbers is the fastest.
    """
    bits = _FEWEST_BITS // 2
    numbers = np.arange(1 << _FEWEST_BITS, dtype=np.uint64)
    table: list[int] = _encrypted(numbers, _round_keys(key, bits, rounds), bits).tolist()
    return table


def _walked(table: list[int], index: int, most: int) -> int:
    """Encrypts an index until it is in the range."""
    index = table[index]
    while index > most:
        index = table[index]
    return index


def _places(index: Any, key: tuple[int, ...], most: int, rounds: int) -> Any:
    """Returns the images of indices in a permutation of the numbers up to `most`."""
    if not most:
        return np.zeros_like(index)
    size = max(math.ceil(math.log2(most)), _FEWEST_BITS)
    bits = (size + 1) // 2
    if 2 * bits == _FEWEST_BITS:
        table = _encrypted_table(key, rounds)
        return np.array([_walked(table, i, most) for i in index.tolist()], np.uint64)
    keys = _round_keys(key, bits, rounds)
    out = _encrypted(index, keys, bits)
    while (outside := out > np.uint64(most)).any():
        out[outside] = _encrypted(out[outside], keys, bits)
    return out


def _shuffle(index: Any, seed: Any, max_index: Any, *, rounds: int) -> Any:
    """Returns the shuffled indices; vectorized if they have one seed and range."""
    _check_range(index, max_index)
    shape = np.broadcast_shapes(np.shape(index), seed.shape[:-1], np.shape(max_index))
    indices = np.broadcast_to(index, shape).astype(np.uint64).reshape(-1)
    words = np.asarray(seed).astype(np.uint64) & np.uint64(0xFFFFFFFF)
    if words.ndim == 1 and not np.ndim(max_index):
        key = tuple(map(int, words))
        out = _places(indices, key, int(max_index), rounds)
    else:
        keys = np.broadcast_to(words, (indices.size, _WORDS)).tolist()
        most = np.broadcast_to(max_index, indices.shape).tolist()
        rows = zip(indices[:, None], keys, most, strict=True)
        out = np.concatenate([_places(i, tuple(k), n, rounds) for i, k, n in rows])
    return out.astype(np.asarray(index).dtype).reshape(shape)[()]


def _check_range(index: Any, max_index: Any) -> None:
    if np.any(np.asarray(max_index) < 0):
        raise invalid(
            f"max_index must be >= 0 but was {np.min(max_index)} [Op:{_OP}]", About.VALUES
        )
    if np.any(np.asarray(index) < 0):
        raise invalid(f"index must be >= 0 but was {np.min(index)} [Op:{_OP}]", About.VALUES)
    if np.any(np.asarray(index) > np.asarray(max_index)):
        raise invalid(
            f"max_index must be >= index, but {np.max(max_index)} < {np.max(index)} [Op:{_OP}]",
            About.VALUES,
        )


_shuffle_p = general(_OP, _shuffle)


def _integers(x: Tensor, what: str) -> Tensor:
    if dtype_of_value(x).type not in _INTEGERS:
        raise invalid(
            f"Value for attr '{what}' of {c_name(dtype_of(x._value).name)} is not in the list of "
            f"allowed values: int32, uint32, int64, uint64 [Op:{_OP}]",
            About.DTYPES,
        )
    return x


@export("random_index_shuffle")
@raw_op("RandomIndexShuffle", differentiable=False)
def random_index_shuffle(
    index: Any, seed: Any, max_index: Any, rounds: int = 4, name: str | None = None
) -> Tensor:
    """Returns the images of indices under a random permutation, with a seed of three words.

    Args:
      index: An integer or a vector of integers, of dtype int32, int64, uint32 or uint64.
      seed: Three integers, or a matrix with three for each index.
      max_index: The greatest index, or one for each index, of the same dtype.
      rounds: The number of rounds of the permutation: an even number, at least 4.
      name: Accepted for compatibility.

    Returns:
      A tensor like `index`, with numbers from 0 to `max_index`.

    Raises:
      InvalidArgumentError: An argument is not valid.
    """
    if isinstance(index, (int, list, tuple)) and hasattr(max_index, "dtype"):
        index = convert_to_tensor(index, max_index.dtype)
    x = _integers(convert_to_tensor(index), "dtype")
    most = _integers(convert_to_tensor(max_index, x.dtype), "dtype")
    words = _integers(convert_to_tensor(seed), "Tseed")
    counts = [shape_of(v) for v in (x, words, most)]
    if len(counts[0]) > 1 or len(counts[2]) > 1:
        raise invalid(f"Index must be a scalar or vector. [Op:{_OP}]")
    lengths = {n for shape in (counts[0], counts[1][:-1], counts[2]) for n in shape if n != 1}
    wanted = max(lengths, default=1)
    if counts[1][-1:] != (_WORDS,) or len(counts[1]) not in (1, 2) or len(lengths) > 1:
        raise invalid(
            f"Seed must be a vector of size [3] or a matrix of size [{wanted}, 3] but got "
            f"{shown_shape(counts[1])}. [Op:{_OP}]"
        )
    if rounds < 4 or rounds % 2:
        raise invalid(f"rounds must be even and at least 4, got {rounds} [Op:{_OP}]")
    out: Tensor = _shuffle_p(x, words, most, rounds=int(rounds))
    return out


@export("random.experimental.index_shuffle")
def index_shuffle(index: Any, seed: Any, max_index: Any) -> Tensor:
    """Returns the images of indices under a random permutation of 0 to `max_index`.

    The permutation itself is not computed, so that it may be of any length. The same seed gives the
    same permutation.

    Args:
      index: An integer or a vector of integers, of dtype int32, int64, uint32 or uint64.
      seed: Two integers, or a matrix with two for each index.
      max_index: The greatest index, or one for each index, of the same dtype.

    Returns:
      A tensor like `index`, with numbers from 0 to `max_index`.

    Raises:
      InvalidArgumentError: An index is out of range, or a dtype or shape is not valid.

    >>> [int(tf.random.experimental.index_shuffle(i, [5, 9], 9)) for i in range(10)]
    [8, 0, 6, 3, 1, 5, 4, 7, 2, 9]
    """
    words = convert_to_tensor(seed)
    first = np.full((*shape_of(words)[:-1], 1), _FIRST_WORD, dtype_of_value(words))
    return random_index_shuffle(index, concat([first, words], -1), max_index)
