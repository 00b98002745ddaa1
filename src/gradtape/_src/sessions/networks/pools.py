"""Maxima and means of windows of images, as functions of `tf.compat.v1.nn`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.nn import fractional_pooling as fractional
from gradtape._src.ops.nn import morphology, pooling
from gradtape._src.sessions.older.arguments import either

if TYPE_CHECKING:
    from gradtape._src.declare.named_results import FractionalPool


@export("compat.v1.nn.max_pool")
def max_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """Returns the largest value of each window of images.

    Args:
      value: Images.
      ksize: The size of the windows.
      strides: The steps between windows.
      padding: "VALID", "SAME" or a list of pairs of numbers.
      data_format: "NHWC" or "NCHW".
      name: The operation's name.
      input: The new name of `value`.

    Returns:
      A tensor.

    Raises:
      ValueError: The images are given under both names.
    """
    x = either(input, value, "input", "value")
    return pooling.max_pool2d(x, ksize, strides, padding, data_format)


@export("compat.v1.nn.avg_pool")
def avg_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """Returns the mean value of each window of images.

    Args:
      value: Images.
      ksize: The size of the windows.
      strides: The steps between windows.
      padding: "VALID" or "SAME".
      data_format: "NHWC" or "NCHW".
      name: The operation's name.
      input: The new name of `value`.

    Returns:
      A tensor.

    Raises:
      ValueError: The images are given under both names.
    """
    x = either(input, value, "input", "value")
    return pooling.avg_pool2d(x, ksize, strides, padding, data_format)


@export("compat.v1.nn.pool")
def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    padding: Any,
    dilation_rate: Any = None,
    strides: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """Returns the largest or mean value of each window.

    Args:
      input: The inputs.
      window_shape: The size of the windows.
      pooling_type: "AVG" or "MAX".
      padding: "VALID" or "SAME".
      dilation_rate: The old name of `dilations`.
      strides: The steps between windows.
      name: The operation's name.
      data_format: The order of the axes, such as "NHWC".
      dilations: The distances between the elements of a window.

    Returns:
      A tensor.
    """
    spread = either(dilations, dilation_rate, "dilations", "dilation_rate")
    return pooling.pool(input, window_shape, pooling_type, strides, padding, data_format, spread)


@export("compat.v1.nn.max_pool_with_argmax")
def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    Targmax: Any = None,
    name: str | None = None,
    output_dtype: Any = None,
    include_batch_in_index: bool = False,
) -> tuple[Tensor, Tensor]:
    """Returns the largest value of each window, and its place.

    Args:
      input: Images.
      ksize: The size of the windows.
      strides: The steps between windows.
      padding: "VALID" or "SAME".
      data_format: "NHWC".
      Targmax: The old name of `output_dtype`.
      name: The operation's name.
      output_dtype: The dtype of the places. Defaults to int64.
      include_batch_in_index: Whether the places count from the start of the batch.

    Returns:
      The largest values and their places.
    """
    dtype = either(output_dtype, Targmax, "output_dtype", "Targmax") or "int64"
    return morphology.max_pool_with_argmax(
        input, ksize, strides, padding, data_format, dtype, include_batch_in_index
    )


def _seed(deterministic: bool, seed: int, seed2: int) -> int:
    """Returns the seed of windows of random sizes; 0 for other sizes in each call."""
    return seed or seed2 or int(deterministic)


@export("compat.v1.nn.fractional_max_pool")
def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> FractionalPool:
    """Returns the maximum of windows of random sizes.

    Args:
      value: Images.
      pooling_ratio: The ratio of sizes for each axis.
      pseudo_random: Whether the windows' sizes are pseudorandom rather than random.
      overlapping: Whether neighbouring windows share an edge.
      deterministic: Whether the sizes depend on the seeds alone.
      seed: The seed.
      seed2: A second seed.
      name: The operation's name.

    Returns:
      The maximums, and the edges of the windows in rows and in columns.
    """
    chosen = _seed(deterministic, seed, seed2)
    return fractional.fractional_max_pool(value, pooling_ratio, pseudo_random, overlapping, chosen)


@export("compat.v1.nn.fractional_avg_pool")
def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> FractionalPool:
    """Returns the mean of windows of random sizes.

    Args:
      value: Images.
      pooling_ratio: The ratio of sizes for each axis.
      pseudo_random: Whether the windows' sizes are pseudorandom rather than random.
      overlapping: Whether neighbouring windows share an edge.
      deterministic: Whether the sizes depend on the seeds alone.
      seed: The seed.
      seed2: A second seed.
      name: The operation's name.

    Returns:
      The means, and the edges of the windows in rows and in columns.
    """
    chosen = _seed(deterministic, seed, seed2)
    return fractional.fractional_avg_pool(value, pooling_ratio, pseudo_random, overlapping, chosen)


@export("compat.v1.nn.dilation2d")
def dilation2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Computes the grayscale dilation: the maximum of each window's elements plus the filter's.

    Args:
      input: Images.
      filter: Filters of shape (height, width, channels).
      strides: The steps between windows, one for each axis.
      rates: The old name of `dilations`.
      padding: "VALID" or "SAME".
      name: The operation's name.
      filters: The new name of `filter`.
      dilations: The distances between the elements of a filter, one for each axis.

    Returns:
      A tensor.

    Raises:
      ValueError: An argument is given under both of its names.
    """
    kernel = either(filter, filters, "filter", "filters")
    spread = either(rates, dilations, "rates", "dilations")
    return morphology.dilation2d(input, kernel, strides, padding, "NHWC", spread)


@export("compat.v1.nn.erosion2d")
def erosion2d(
    value: Any, kernel: Any, strides: Any, rates: Any, padding: str, name: str | None = None
) -> Tensor:
    """Computes the grayscale erosion: the minimum of each window's elements minus the filter's.

    Args:
      value: Images.
      kernel: Filters of shape (height, width, channels).
      strides: The steps between windows, one for each axis.
      rates: The distances between the elements of a filter, one for each axis.
      padding: "VALID" or "SAME".
      name: The operation's name.

    Returns:
      A tensor.
    """
    return morphology.erosion2d(value, kernel, strides, padding, "NHWC", rates)
