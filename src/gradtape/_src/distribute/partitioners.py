"""`tf.distribute.experimental.partitioners`: numbers of parts into which variables are divided."""

from __future__ import annotations

import math
from typing import Any

from gradtape._src.base.dtypes import as_dtype, string
from gradtape._src.base.export import export
from gradtape._src.base.shapes import TensorShape


@export("distribute.experimental.partitioners.Partitioner")
class Partitioner:
    """The base class of functions that say into how many parts a variable is divided."""

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """Returns the number of parts along each axis.

        Args:
          shape: The shape of the variable, a `tf.TensorShape` that is fully defined.
          dtype: The dtype of the variable.
          axis: The axis along which it is divided.

        Returns:
          A list of integers, of which at most one is not 1.
        """
        raise NotImplementedError


def _divided(shape: TensorShape, axis: int, parts: int) -> list[int]:
    numbers = [1] * len(shape)
    extent: Any = shape.as_list()[axis]
    numbers[axis] = min(parts, extent)
    return numbers


def _bytes_of_element(dtype: Any, bytes_per_string: int) -> int:
    kind = as_dtype(dtype)
    return bytes_per_string if kind is string else int(kind.size)


def _check(shape: Any) -> None:
    if not isinstance(shape, TensorShape):
        raise ValueError(f"shape is not a TensorShape: {shape}")


def _positive(**numbers: Any) -> None:
    for name, number in numbers.items():
        if number is not None and number < 1:
            raise ValueError(f"Argument `{name}` must be positive. Received: {number}")


@export("distribute.experimental.partitioners.FixedShardsPartitioner")
class FixedShardsPartitioner(Partitioner):
    """Divides each variable into the same number of parts.

    Args:
      num_shards: The number of parts; an axis that is shorter has as many parts as elements.

    >>> partitioner = tf.distribute.experimental.partitioners.FixedShardsPartitioner(2)
    >>> partitioner(tf.TensorShape([10, 3]), tf.float32)
    [2, 1]
    """

    def __init__(self, num_shards: int) -> None:
        self._num_shards = num_shards

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        return _divided(shape, axis, self._num_shards)


@export("distribute.experimental.partitioners.MinSizePartitioner")
class MinSizePartitioner(Partitioner):
    """Divides variables into as many parts as possible whose size is at least a number of bytes.

    Args:
      min_shard_bytes: The least size of a part.
      max_shards: The maximum number of parts.
      bytes_per_string: The size of an element of a string variable.

    Raises:
      ValueError: An argument is not positive.

    >>> partitioner = tf.distribute.experimental.partitioners.MinSizePartitioner(16, max_shards=4)
    >>> partitioner(tf.TensorShape([10]), tf.float32)
    [3]
    """

    def __init__(
        self, min_shard_bytes: int = 256 << 10, max_shards: int = 1, bytes_per_string: int = 16
    ) -> None:
        _positive(
            min_shard_bytes=min_shard_bytes,
            max_shards=max_shards,
            bytes_per_string=bytes_per_string,
        )
        self._min_shard_bytes, self._max_shards = min_shard_bytes, max_shards
        self._bytes_per_string = bytes_per_string

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        _check(shape)
        if axis >= len(shape):
            raise ValueError(
                f"Cannot partition variable along axis {axis} when shape is only {shape}"
            )
        size = math.prod(shape.as_list()) * _bytes_of_element(dtype, self._bytes_per_string)
        parts = max(1, math.ceil(size / self._min_shard_bytes))
        return _divided(shape, axis, min(self._max_shards, parts))


@export("distribute.experimental.partitioners.MaxSizePartitioner")
class MaxSizePartitioner(Partitioner):
    """Divides variables into as few parts as possible whose size is at most a number of bytes.

    Args:
      max_shard_bytes: The greatest size of a part; a part has at least one slice.
      max_shards: The maximum number of parts, which takes precedence. Defaults to no limit.
      bytes_per_string: The size of an element of a string variable.

    Raises:
      ValueError: An argument is not positive.

    >>> partitioner = tf.distribute.experimental.partitioners.MaxSizePartitioner(64)
    >>> partitioner(tf.TensorShape([10, 4]), tf.float32)
    [3, 1]
    """

    def __init__(
        self, max_shard_bytes: int, max_shards: int | None = None, bytes_per_string: int = 16
    ) -> None:
        _positive(
            max_shard_bytes=max_shard_bytes,
            max_shards=max_shards or None,
            bytes_per_string=bytes_per_string,
        )
        self._max_shard_bytes, self._max_shards = max_shard_bytes, max_shards
        self._bytes_per_string = bytes_per_string

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        _check(shape)
        extent = shape.as_list()[axis]
        size = _bytes_of_element(dtype, self._bytes_per_string)
        slice_size = size * math.prod(n for i, n in enumerate(shape.as_list()) if i != axis)
        slices = max(1, self._max_shard_bytes // max(1, slice_size))
        parts = max(1, math.ceil(extent / slices))
        return _divided(shape, axis, min(parts, self._max_shards) if self._max_shards else parts)
