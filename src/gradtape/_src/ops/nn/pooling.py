"""Pooling: the maximum or mean of each window of an image."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from gradtape._src.base.errors import About, InvalidArgumentError
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.axis_sums import wider
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.compute.max_pooling import (
    elements,
    greatest,
    greatest_xla,
    picked,
    picked_xla,
    places,
    places_xla,
    put,
    put_xla,
)
from gradtape._src.compute.window_views import (
    Scratch,
    added,
    axes,
    by_lines,
    met,
    over_windows,
    room,
    spread_equally,
)
from gradtape._src.compute.xla_convolution import padded_xla, slices_xla, spread_xla
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import FLOATING, REAL, general
from gradtape._src.declare.structural import with_axis
from gradtape._src.declare.traits import Traits
from gradtape._src.declare.xla_kernels import in_float32
from gradtape._src.ops.nn.window_geometry import (
    Geometry,
    as_given,
    channels_last,
    explicit,
    folded,
    is_channels_first,
    per_axis,
    raw_padding,
    windows,
)

# Maximum pooling. The gradient goes to the first maximum of each window.

places_p: Bound = general(
    "MaxPoolPlaces",
    places,
    batching=folded(lambda: places_p),
    dtypes=REAL,
    same=slice(0, 1),
    xla=places_xla,
)
pick_p: Bound = general(
    "MaxPoolGradGrad",
    picked,
    {"t": lambda g, x, geometry: put_p(g, x, geometry=geometry)},
    linear=["t"],
    batching=folded(lambda: pick_p),
    xla=picked_xla,
)
"""Takes the elements of `t` at the positions of the maxima of `x`."""
put_p: Bound = general(
    "MaxPoolGrad",
    put,
    {"g": lambda t, x, geometry: pick_p(t, x, geometry=geometry)},
    linear=["g"],
    batching=folded(lambda: put_p),
    xla=put_xla,
    traits=Traits(costly=True),
)
"""Adds `g` to zeros at the positions of the maxima of `x`."""


with_zero_derivative_p: Bound = general(
    "PassBeside",
    lambda g, x: g,
    {"g": lambda d: d, "x": lambda d: d * 0},
    jvps={"g": lambda t: t, "x": lambda t: t * 0},
    batching=lambda size, batched, inputs, params: with_zero_derivative_p(
        *with_axis(size, batched, inputs)
    ),
    xla=lambda g, x: g,
)
"""Returns `g`, as an operation that also has the input `x`, with a derivative of zero.

As in TensorFlow, the second derivative of maximum pooling is then zero and not None.
"""


def _max_pool_vjp(g: Any, x: Any, geometry: Geometry) -> Any:
    return with_zero_derivative_p(put_p(g, x, geometry=geometry), x)


def _max_pool_jvp(t: Any, x: Any, geometry: Geometry) -> Any:
    return pick_p(t, x, geometry=geometry)


max_pool_p: Bound = general(
    "MaxPool",
    greatest,
    {"x": _max_pool_vjp},
    jvps={"x": _max_pool_jvp},
    batching=folded(lambda: max_pool_p),
    dtypes=REAL,
    same=slice(0, 1),
    xla=greatest_xla,
    traits=Traits(costly=True),
)

# Mean pooling over the elements of each window that lie in the image.


@lru_cache(256)
def _shares(geometry: Geometry, dtype: Any) -> Any:
    """Returns 1 / n for each window, or all, where n is the number of its elements in the image."""
    if not any(map(any, geometry.pads)):
        return 1 / np.array(math.prod(geometry.window), dtype)
    total: Any = 1
    each = zip(*geometry, geometry.out, strict=True)
    for n, k, s, (low, _), d, out in each:
        start = np.arange(out) * s - low
        first = -(np.minimum(start, 0) // d)
        count = np.clip((n - 1 - start) // d + 1, 0, k) - first
        total = np.multiply.outer(total, np.maximum(count, 0))
    return 1 / total[..., None].astype(dtype)


def _avg_pool(x: Any, *, geometry: Geometry) -> Any:
    if wider(x.dtype) is not x.dtype:
        return _avg_pool(x.astype(wider(x.dtype)), geometry=geometry).astype(x.dtype)
    return over_windows(np.add, x, geometry, 0, _shares(met(geometry), x.dtype))


def _avg_pool_grad(g: Any, *, geometry: Geometry) -> Any:
    if wider(g.dtype) is not g.dtype:
        return _avg_pool_grad(g.astype(wider(g.dtype)), geometry=geometry).astype(g.dtype)
    out = np.empty((g.shape[0], *geometry.space, g.shape[-1]), g.dtype)
    if not g.size:
        out.fill(0)
        return out
    windows: Any = met(geometry)
    g, shares = added(g, windows), _shares(windows, g.dtype)

    def step(block: slice, scratch: Scratch) -> None:
        share = np.multiply(g[block], shares, out=scratch.empty(g[block].shape, g.dtype))
        for axis in reversed(axes(windows, scratch.is_apart)):
            onto = out[block]
            if axis.number:
                space = *windows.out[: axis.number], *windows.space[axis.number :]
                onto = scratch.empty((len(share), *space, g.shape[-1]), g.dtype)
            spread_equally(share, axis, onto, scratch)
            share = onto

    each = (1 + len(windows.out)) * g.itemsize
    by_lines(step, len(g), elements(out), room(windows, g.shape[-1], each))
    return out


@in_float32
def _avg_pool_xla(x: Any, *, geometry: Geometry) -> Any:
    windows: Any = met(geometry)
    parts = slices_xla(padded_xla(x, windows, 0), windows)
    for size in windows.window:  # along one axis after another, as NumPy adds them
        rest = len(parts) // size
        parts = [sum(parts[i + rest :: rest], parts[i]) for i in range(rest)]
    means = parts[0] * _shares(windows, x.dtype)
    return jnp.broadcast_to(means, (x.shape[0], *geometry.out, x.shape[-1]))


@in_float32
def _avg_pool_grad_xla(g: Any, *, geometry: Geometry) -> Any:
    windows: Any = met(geometry)
    share = added(g, windows) * _shares(windows, g.dtype)
    return spread_xla([share] * len(windows.offsets()), windows)


avg_pool_p: Bound = general(
    "AvgPool",
    _avg_pool,
    {"x": lambda g, geometry: avg_pool_grad_p(g, geometry=geometry)},
    linear=["x"],
    batching=folded(lambda: avg_pool_p),
    dtypes=FLOATING,
    same=slice(0, 1),
    xla=_avg_pool_xla,
    traits=Traits(costly=True),
)
avg_pool_grad_p: Bound = general(
    "AvgPoolGrad",
    _avg_pool_grad,
    {"g": lambda t, geometry: avg_pool_p(t, geometry=geometry)},
    linear=["g"],
    batching=folded(lambda: avg_pool_grad_p),
    dtypes=FLOATING,
    same=slice(0, 1),
    xla=_avg_pool_grad_xla,
    traits=Traits(costly=True),
)

# The public functions.


def pooled(
    run: Any,
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
    n: int,
    dilations: Any = None,
    of_window: About = About.VALUES,
) -> Tensor:
    x = tensor(input)
    op = run.primitive.name
    shape = x._value.shape
    if len(shape) != n + 2:
        raise invalid(
            f"tensor_in_shape must have {n} spatial dimensions: got shape {list(shape)} [Op:{op}] "
            f"(x[tf.newaxis] adds a batch axis)",
        )
    first = is_channels_first(data_format, n)
    x = channels_last(x, n, first)
    geometry = windows(
        x._value.shape[1:-1],
        per_axis(ksize, n, first, "ksize", of_window),
        per_axis(strides, n, first, "strides"),
        explicit(padding, n, first),
        per_axis(dilations, n, first, "dilations"),
        op,
    )
    out: Tensor = as_given(run(x, geometry=geometry), n, first)
    return out


def _rank(input: Any) -> int:
    rank = int(tensor(input)._value.ndim)
    if rank not in (3, 4, 5):
        raise ValueError(f"`input.shape.rank` must be 3, 4 or 5. Received a tensor of rank {rank}.")
    return rank - 2


@export("nn.max_pool")
def max_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the maximum of each window. The gradient goes to the first maximum.

    Args:
      input: A tensor of shape (batch, *space, channels), of one to three spatial axes.
      ksize: The size of the window: a number, or one per axis.
      strides: The stride of the window.
      padding: "SAME", "VALID", or a list of pairs of numbers, one per axis.
      data_format: None, or "NC..." if channels come before the spatial axes.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, *new space, channels).

    Raises:
      ValueError: An argument is malformed.
      InvalidArgumentError: The window is larger than the image.

    >>> tf.nn.max_pool(tf.ones((1, 4, 4, 2)), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 2])
    """
    return pooled(max_pool_p, input, ksize, strides, padding, data_format, _rank(input))


@export("nn.max_pool1d")
def max_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """Computes the maximum of each window along a spatial axis.

    Args:
      input: A tensor of shape (batch, width, channels).
      ksize: The size of the window: one integer, one for each spatial axis, or one for each axis.
      strides: The steps of the window, given like `ksize`.
      padding: "VALID", "SAME", or explicit padding.
      data_format: "NWC" or "NCW".
      name: Accepted for compatibility.

    Returns:
      A tensor of the layout and dtype of `input`.

    Raises:
      ValueError: The length of `ksize` or `strides` is wrong, or `padding` or `data_format` is
        unknown.
    """
    return pooled(max_pool_p, input, ksize, strides, padding, data_format, 1)


@export("nn.max_pool2d")
def max_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Computes the maximum of each window of an image.

    Args:
      input: A tensor of shape (batch, height, width, channels).
      ksize: The size of the window: one integer, one for each spatial axis, or one for each axis.
      strides: The steps of the window, given like `ksize`.
      padding: "VALID", "SAME", or explicit padding.
      data_format: "NHWC" or "NCHW".
      name: Accepted for compatibility.

    Returns:
      A tensor of the layout and dtype of `input`.

    Raises:
      ValueError: The length of `ksize` or `strides` is wrong, or `padding` or `data_format` is
        unknown.

    >>> tf.nn.max_pool2d(tf.reshape(tf.range(4.0), (1, 2, 2, 1)), 2, 2, "VALID").numpy()
    array([[[[3.]]]], dtype=float32)
    """
    return pooled(max_pool_p, input, ksize, strides, padding, data_format, 2)


@raw_op("MaxPool")
def _raw_max_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Returns the maximum of each window of images."""
    return max_pool2d(input, ksize, strides, raw_padding(padding, explicit_paddings), data_format)


@export("nn.max_pool3d")
@raw_op("MaxPool3D")
def max_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """Computes the maximum of each window of a volume.

    Args:
      input: A tensor of shape (batch, depth, height, width, channels).
      ksize: The size of the window: one integer, one for each spatial axis, or one for each axis.
      strides: The steps of the window, given like `ksize`.
      padding: "VALID", "SAME", or explicit padding.
      data_format: "NDHWC" or "NCDHW".
      name: Accepted for compatibility.

    Returns:
      A tensor of the layout and dtype of `input`.

    Raises:
      ValueError: The length of `ksize` or `strides` is wrong, or `padding` or `data_format` is
        unknown.
    """
    return pooled(max_pool_p, input, ksize, strides, padding, data_format, 3)


@export("nn.avg_pool")
def avg_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the mean of each window, over the elements within the image.

    Args:
      input: A tensor of shape (batch, *space, channels), of one to three spatial axes.
      ksize: The size of the window: a number, or one per axis.
      strides: The stride of the window.
      padding: "SAME" or "VALID".
      data_format: None, or "NC..." if channels come before the spatial axes.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, *new space, channels).

    Raises:
      ValueError: An argument is malformed.
      InvalidArgumentError: The window is larger than the image.

    >>> tf.nn.avg_pool(tf.ones((1, 4, 4, 2)), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 2])
    """
    return _averaged(input, ksize, strides, padding, data_format, _rank(input))


def _averaged(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None, n: int
) -> Tensor:
    if not isinstance(padding, str):
        raise TypeError(f"Expected string for argument 'padding' not {padding}.")
    return pooled(avg_pool_p, input, ksize, strides, padding, data_format, n)


@export("nn.avg_pool1d")
def avg_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """Computes the mean of each window along a spatial axis.

    Args:
      input: A tensor of shape (batch, width, channels).
      ksize: The size of the window: one integer, one for each spatial axis, or one for each axis.
      strides: The steps of the window, given like `ksize`.
      padding: "VALID", "SAME", or explicit padding.
      data_format: "NWC" or "NCW".
      name: Accepted for compatibility.

    Returns:
      A tensor of the layout and dtype of `input`.

    Raises:
      ValueError: The length of `ksize` or `strides` is wrong, or `padding` or `data_format` is
        unknown.
    """
    return _averaged(input, ksize, strides, padding, data_format, 1)


@export("nn.avg_pool2d")
@raw_op("AvgPool", value="input")
def avg_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Computes the mean of each window of an image.

    Args:
      input: A tensor of shape (batch, height, width, channels).
      ksize: The size of the window: one integer, one for each spatial axis, or one for each axis.
      strides: The steps of the window, given like `ksize`.
      padding: "VALID", "SAME", or explicit padding.
      data_format: "NHWC" or "NCHW".
      name: Accepted for compatibility.

    Returns:
      A tensor of the layout and dtype of `input`.

    Raises:
      ValueError: The length of `ksize` or `strides` is wrong, or `padding` or `data_format` is
        unknown.

    >>> tf.nn.avg_pool2d(tf.reshape(tf.range(4.0), (1, 2, 2, 1)), 2, 2, "VALID").numpy()
    array([[[[1.5]]]], dtype=float32)
    """
    return _averaged(input, ksize, strides, padding, data_format, 2)


@export("nn.avg_pool3d")
@raw_op("AvgPool3D")
def avg_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """Computes the mean of each window of a volume.

    Args:
      input: A tensor of shape (batch, depth, height, width, channels).
      ksize: The size of the window: one integer, one for each spatial axis, or one for each axis.
      strides: The steps of the window, given like `ksize`.
      padding: "VALID", "SAME", or explicit padding.
      data_format: "NDHWC" or "NCDHW".
      name: Accepted for compatibility.

    Returns:
      A tensor of the layout and dtype of `input`.

    Raises:
      ValueError: The length of `ksize` or `strides` is wrong, or `padding` or `data_format` is
        unknown.
    """
    return _averaged(input, ksize, strides, padding, data_format, 3)


@export("nn.pool")
def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Pools over windows, which may be dilated.

    Args:
      input: A tensor of shape (batch, *space, channels).
      window_shape: The size of the window along each axis.
      pooling_type: "MAX" or "AVG".
      strides: The stride of the window along each axis.
      padding: "SAME", "VALID", or a list of pairs of numbers.
      data_format: None, or "NC..." if channels come before the spatial axes.
      dilations: The dilation of the window.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, *new space, channels).

    Raises:
      ValueError: An argument is malformed.
      InvalidArgumentError: The window is larger than the image.
    """
    n = _rank(input)
    kinds = {"MAX": max_pool_p, "AVG": avg_pool_p}
    if pooling_type not in kinds:
        raise ValueError(f"{n}-D {pooling_type} pooling is not supported.")
    run = kinds[pooling_type]
    try:
        return pooled(run, input, window_shape, strides, padding, data_format, n, dilations)
    except InvalidArgumentError:
        if np.any(np.less_equal(window_shape, 0)):
            raise ValueError(f"`window_shape` must be positive, got {window_shape}") from None
        raise
