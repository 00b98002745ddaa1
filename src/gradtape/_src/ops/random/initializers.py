"""Initial values of variables: objects that make a tensor of a shape and dtype."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, float32
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.creation import constant, ones, zeros
from gradtape._src.ops.random.distributions import normal, uniform
from gradtape._src.ops.random.stateless import stateless_normal, stateless_uniform


class Initializer:
    """The base class of initializers, which are called with a shape and dtype."""

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        """Returns a new tensor.

        Args:
          shape: The shape of the tensor.
          dtype: The dtype of the tensor.
          **kwargs: `partition_shape` and `partition_offset`, the shape and the offset of a part of
            a partitioned variable.
        """
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments, from which an equal initializer can be made."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Returns an initializer, given the result of `get_config`."""
        config.pop("dtype", None)
        return cls(**config)


def _part(kwargs: dict[str, Any], shape: Any) -> Any:
    """Returns the shape of the result: the shape of a part if one is requested."""
    for word in kwargs:
        if word not in ("partition_shape", "partition_offset"):
            raise TypeError(
                "Keyword argument should be one of ['partition_shape', 'partition_offset']. "
                f"Received: {word}"
            )
    return kwargs.get("partition_shape", shape)


def _numeric(dtype: Any) -> DType:
    found = as_dtype(dtype)
    if not (found.is_numeric or found.is_bool):
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {found}.")
    return found


def _floating(dtype: Any) -> DType:
    found = as_dtype(dtype)
    if not found.is_floating:
        raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {found}.")
    return found


@export("zeros_initializer")
class zeros_initializer(Initializer):  # noqa: N801  (TensorFlow's name)
    """An initializer that makes zeros; it raises ValueError if the dtype is not numeric or boolean.

    >>> tf.zeros_initializer()((2,)).numpy()
    array([0., 0.], dtype=float32)
    """

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        return zeros(_part(kwargs, shape), _numeric(dtype))


@export("ones_initializer")
class ones_initializer(Initializer):  # noqa: N801  (TensorFlow's name)
    """An initializer that makes ones; it raises ValueError if the dtype is not numeric or boolean.

    >>> tf.ones_initializer()((2,)).numpy()
    array([1., 1.], dtype=float32)
    """

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        return ones(_part(kwargs, shape), _numeric(dtype))


@export("constant_initializer")
class constant_initializer(Initializer):  # noqa: N801  (TensorFlow's name)
    """An initializer with constant values.

    Args:
      value: A number or string, which is repeated, or one for each element of the shape.
      support_partition: Whether parts of partitioned variables may be requested.

    Raises:
      TypeError: The value is not a number, string, list, tuple or array; or, in a call, it does not
        fit the shape or dtype.

    >>> tf.constant_initializer(3.0)((2,)).numpy()
    array([3., 3.], dtype=float32)
    """

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value: {type(value).__name__}. Expected Python scalar, "
                f"list or tuple of values, or numpy.ndarray."
            )
        self.value = value
        self.support_partition = support_partition

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        part = _part(kwargs, None)
        if kwargs and not self.support_partition:
            raise ValueError(
                "Constant initializer doesn't support partition-related arguments (make it with "
                "support_partition=True)"
            )
        shape = shape if part is None else part
        return constant(self.value, None if dtype is None else as_dtype(dtype), shape)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor by name.

        Returns:
          A dictionary.
        """
        return {"value": self.value}


@export("random_uniform_initializer")
class random_uniform_initializer(Initializer):  # noqa: N801  (TensorFlow's name)
    """An initializer with uniformly distributed numbers between `minval` and `maxval`.

    Args:
      minval: The lower end.
      maxval: The upper end, exclusive.
      seed: If it is given, every call returns the same numbers, also in a `tf.function`.
    """

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: int | None = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        dtype = as_dtype(dtype)
        if not (dtype.is_floating or dtype.is_integer):
            raise ValueError(
                f"Argument `dtype` expected to be numeric or boolean. Received {dtype}."
            )
        shape = _part(kwargs, shape)
        if self.seed is None:
            return uniform(shape, self.minval, self.maxval, dtype)
        return stateless_uniform(shape, [self.seed, 0], self.minval, self.maxval, dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor by name.

        Returns:
          A dictionary.
        """
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


@export("random_normal_initializer")
class random_normal_initializer(Initializer):  # noqa: N801  (TensorFlow's name)
    """An initializer with normally distributed numbers, for floating-point dtypes only.

    Args:
      mean: The mean.
      stddev: The standard deviation.
      seed: If it is given, every call returns the same numbers, also in a `tf.function`.
    """

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        shape, dtype = _part(kwargs, shape), _floating(dtype)
        if self.seed is None:
            return normal(shape, self.mean, self.stddev, dtype)
        return stateless_normal(shape, [self.seed, 0], self.mean, self.stddev, dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor by name.

        Returns:
          A dictionary.
        """
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}
