"""Initializers of variables with TensorFlow 1's names and arguments."""

from __future__ import annotations

import math
from typing import Any, Self

from gradtape._src.base.dtypes import as_dtype, float32
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.creation import constant, eye, ones, zeros
from gradtape._src.ops.array.shaping import reshape, transpose
from gradtape._src.ops.array.slicing import slice_
from gradtape._src.ops.elementwise.arithmetic import sign
from gradtape._src.ops.linalg.decompositions import qr
from gradtape._src.ops.linalg.diagonals import diag_part
from gradtape._src.ops.random.distributions import normal, truncated_normal, uniform


class Initializer:
    """The base class of initializers.

    Args:
      dtype: The default dtype of the tensors.
    """

    def __init__(self, dtype: Any = float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """Returns a new tensor.

        Args:
          shape: The shape.
          dtype: The dtype.
          partition_info: The place in a larger variable of which the tensor is a part, or None.
        """
        kind = self.dtype if dtype is None else as_dtype(dtype)
        if partition_info is None:
            return self._made(shape, kind)
        return self._part(shape, kind, partition_info)

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        raise NotImplementedError

    def _part(self, shape: Any, dtype: Any, info: Any) -> Tensor:
        """Returns a part of a larger tensor."""
        return self._made(shape, dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        own = {k: v for k, v in vars(self).items() if k != "dtype"}
        return {**own, "dtype": self.dtype.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Returns an initializer, given the result of `get_config`.

        Args:
          config: The result of `get_config`.
        """
        return cls(**config)


@export("compat.v1.zeros_initializer", "compat.v1.initializers.zeros")
class Zeros(Initializer):
    """Makes tensors of zeros."""

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        return zeros(shape, dtype)


@export("compat.v1.ones_initializer", "compat.v1.initializers.ones")
class Ones(Initializer):
    """Makes tensors of ones."""

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        return ones(shape, dtype)


@export("compat.v1.constant_initializer", "compat.v1.initializers.constant")
class Constant(Initializer):
    """Makes tensors of one value, or of the elements of a list.

    Args:
      value: The value or values.
      dtype: The type of the elements.
      verify_shape: Whether the values must already have the requested shape.
    """

    def __init__(self, value: Any = 0, dtype: Any = float32, verify_shape: bool = False) -> None:
        super().__init__(dtype)
        self.value, self.verify_shape = value, verify_shape

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        return constant(self.value, dtype, shape)


@export("compat.v1.random_normal_initializer", "compat.v1.initializers.random_normal")
class RandomNormal(Initializer):
    """Draws from a normal distribution.

    Args:
      mean: The mean.
      stddev: The standard deviation.
      seed: The seed.
      dtype: The type of the elements.
    """

    def __init__(
        self, mean: Any = 0.0, stddev: Any = 1.0, seed: int | None = None, dtype: Any = float32
    ) -> None:
        super().__init__(dtype)
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        return normal(shape, self.mean, self.stddev, dtype, self.seed)


@export("compat.v1.truncated_normal_initializer", "compat.v1.initializers.truncated_normal")
class TruncatedNormal(RandomNormal):
    """Draws from a normal distribution truncated at two standard deviations from the mean."""

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        return truncated_normal(shape, self.mean, self.stddev, dtype, self.seed)


@export("compat.v1.random_uniform_initializer", "compat.v1.initializers.random_uniform")
class RandomUniform(Initializer):
    """Draws from a uniform distribution.

    Args:
      minval: The lower end.
      maxval: The upper end. None stands for 1 if the dtype is a floating-point type.
      seed: The seed.
      dtype: The type of the elements.
    """

    def __init__(
        self, minval: Any = 0.0, maxval: Any = None, seed: int | None = None, dtype: Any = float32
    ) -> None:
        super().__init__(dtype)
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        top = 1 if self.maxval is None and dtype.is_floating else self.maxval
        return uniform(shape, self.minval, top, dtype, self.seed)


@export("compat.v1.variance_scaling_initializer", "compat.v1.initializers.variance_scaling")
class VarianceScaling(Initializer):
    """Draws numbers whose variance depends on the number of inputs and outputs of a layer.

    Args:
      scale: The variance times the number of units that `mode` selects.
      mode: The units that are counted: "fan_in", "fan_out" or "fan_avg".
      distribution: "truncated_normal", "untruncated_normal" or "uniform".
      seed: The seed.
      dtype: The type of the elements.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: Any = float32,
    ) -> None:
        super().__init__(dtype)
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        return self._drawn(shape, dtype, shape)

    def _part(self, shape: Any, dtype: Any, info: Any) -> Tensor:
        return self._drawn(shape, dtype, info.full_shape)

    def _drawn(self, shape: Any, dtype: Any, whole: Any) -> Tensor:
        fan_in, fan_out = _fans([int(n) for n in whole])
        fans = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}
        scale = self.scale / max(1.0, fans[self.mode])
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * scale)
            return uniform(shape, -limit, limit, dtype, self.seed)
        if self.distribution == "untruncated_normal":
            return normal(shape, 0.0, math.sqrt(scale), dtype, self.seed)
        return truncated_normal(shape, 0.0, math.sqrt(scale) / _CUT, dtype, self.seed)


_CUT = 0.87962566103423978
"""The standard deviation of a normal distribution that is cut off at 2."""


def _fans(shape: list[int]) -> tuple[float, float]:
    """Returns the numbers of inputs and outputs of a layer, given the shape of its weights."""
    if len(shape) < 2:
        n = shape[0] if shape else 1
        return n, n
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


@export("compat.v1.glorot_uniform_initializer", "compat.v1.initializers.glorot_uniform")
class GlorotUniform(VarianceScaling):
    """Draws from the uniform distribution that Glorot and Bengio proposed (2010).

    Args:
      seed: The seed.
      dtype: The type of the elements.
    """

    def __init__(self, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments.

        Returns:
          A dictionary from the arguments' names to their values.
        """
        return {"seed": self.seed, "dtype": self.dtype.name}


@export("compat.v1.glorot_normal_initializer", "compat.v1.initializers.glorot_normal")
class GlorotNormal(VarianceScaling):
    """Draws from the normal distribution that Glorot and Bengio proposed (2010).

    Args:
      seed: The seed.
      dtype: The type of the elements.
    """

    def __init__(self, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments.

        Returns:
          A dictionary from the arguments' names to their values.
        """
        return {"seed": self.seed, "dtype": self.dtype.name}


@export("compat.v1.initializers.identity")
class Identity(Initializer):
    """Makes identity matrices.

    Args:
      gain: The factor of the identity matrices.
      dtype: The type of the elements.
    """

    def __init__(self, gain: float = 1.0, dtype: Any = float32) -> None:
        super().__init__(dtype)
        self.gain = gain

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        if len(shape) != 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least "
                f"two-dimensional. Received shape={shape}"
            )
        out: Any = eye(shape[0], shape[1], dtype=dtype)
        scaled: Tensor = out if self.gain == 1.0 else out * self.gain
        return scaled

    def _part(self, shape: Any, dtype: Any, info: Any) -> Tensor:
        return slice_(self._made(info.full_shape, dtype), info.var_offset, shape)


@export("compat.v1.uniform_unit_scaling_initializer")
class UniformUnitScaling(Initializer):
    """Draws from a uniform distribution that keeps the scale of the inputs of a layer.

    Args:
      factor: The factor of the largest value.
      seed: The seed.
      dtype: The type of the elements.
    """

    def __init__(self, factor: float = 1.0, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(dtype)
        self.factor, self.seed = factor, seed

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        return self._drawn(shape, dtype, shape)

    def _part(self, shape: Any, dtype: Any, info: Any) -> Tensor:
        return self._drawn(shape, dtype, info.full_shape)

    def _drawn(self, shape: Any, dtype: Any, whole: Any) -> Tensor:
        inputs = max(1.0, float(math.prod(int(n) for n in whole[:-1])))
        limit = math.sqrt(3.0 / inputs) * self.factor
        return uniform(shape, -limit, limit, dtype, self.seed)


@export("compat.v1.orthogonal_initializer", "compat.v1.initializers.orthogonal")
class Orthogonal(Initializer):
    """Makes random matrices whose rows or columns are orthonormal.

    Args:
      gain: The factor of the matrices.
      seed: The seed.
      dtype: The type of the elements.
    """

    def __init__(self, gain: float = 1.0, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(dtype)
        self.gain, self.seed = gain, seed

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least "
                f"two-dimensional. Received shape={shape}"
            )
        rows, columns = math.prod(int(n) for n in shape[:-1]), int(shape[-1])
        long, short = max(rows, columns), min(rows, columns)
        q, r = qr(normal([long, short], 0.0, 1.0, dtype, self.seed))
        q = q * sign(diag_part(r))
        out: Tensor = self.gain * reshape(q if rows >= columns else transpose(q), shape)
        return out


def _scaled(scale: float, distribution: str, seed: int | None) -> VarianceScaling:
    return VarianceScaling(scale, "fan_in", distribution, seed)


@export("compat.v1.initializers.he_normal")
def he_normal(seed: int | None = None) -> VarianceScaling:
    """Returns an initializer for layers with `relu`, normally distributed (He, 2015).

    Args:
      seed: The seed.

    Returns:
      The initializer.
    """
    return _scaled(2.0, "truncated_normal", seed)


@export("compat.v1.initializers.he_uniform")
def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Returns an initializer for layers with `relu`, uniformly distributed (He, 2015).

    Args:
      seed: The seed.

    Returns:
      The initializer.
    """
    return _scaled(2.0, "uniform", seed)


@export("compat.v1.initializers.lecun_normal")
def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Returns an initializer that keeps variances, normally distributed (LeCun, 1998).

    Args:
      seed: The seed.

    Returns:
      The initializer.
    """
    return _scaled(1.0, "truncated_normal", seed)


@export("compat.v1.initializers.lecun_uniform")
def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Returns an initializer that keeps variances, uniformly distributed (LeCun, 1998).

    Args:
      seed: The seed.

    Returns:
      The initializer.
    """
    return _scaled(1.0, "uniform", seed)
