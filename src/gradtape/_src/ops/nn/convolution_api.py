"""`tf.nn`'s convolutions: TensorFlow's arguments turned into windows on an image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.families import count, reshape_p, slice_p, transpose_p
from gradtape._src.ops.nn.convolution import Geometry, conv_p


def windows(
    space: Sequence[int],
    window: Sequence[int],
    strides: Sequence[int],
    padding: Any,
    dilations: Sequence[int],
    op: str,
) -> Geometry:
    """The geometry of windows of an image, with TensorFlow's padding.

    Raises:
      InvalidArgumentError: The padding is unknown, the window is empty, or it reaches so far
        beyond the image that the number of its places would be negative.
    """
    if 0 in window:
        raise InvalidArgumentError(
            None, None, f"The window must not be empty, got {list(window)} [Op:{op}]"
        )
    if isinstance(padding, str):
        if padding not in {"SAME", "VALID"}:
            raise InvalidArgumentError(
                None,
                None,
                f"Value for attr 'padding' of {padding!r} is not in the list of allowed values: "
                f"'SAME', 'VALID', or a list of pairs of numbers",
            )
        pads = tuple(
            _padding(padding, *sizes)
            for sizes in zip(space, window, strides, dilations, strict=True)
        )
    else:
        pads = tuple((int(lo), int(hi)) for lo, hi in padding)
    geometry = Geometry(tuple(space), tuple(window), tuple(strides), pads, tuple(dilations))
    for n, k, s, d in zip(geometry.padded, window, strides, dilations, strict=True):
        if n - (k - 1) * d - 1 + 2 * s <= 0:
            raise InvalidArgumentError(
                None,
                None,
                f"Computed output size would be negative: windows of {list(window)} in an image "
                f"of {list(space)} [Op:{op}] (padding='SAME' pads it)",
            )
    return geometry


def _padding(how: str, n: int, k: int, stride: int, dilation: int) -> tuple[int, int]:
    reach = (k - 1) * dilation + 1
    if how == "VALID":
        return 0, 0
    total = max((-(-n // stride) - 1) * stride + reach - n, 0)
    return total // 2, total - total // 2


def per_axis(value: Any, n: int, channels_first: bool, name: str) -> tuple[int, ...]:
    """A number for each of `n` axes of space, out of 1, n or n + 2 numbers.

    Raises:
      ValueError: It is another number of numbers.
      InvalidArgumentError: Those for batch or channels are not 1, or one is not positive.
    """
    if value is None:
        return (1,) * n
    numbers = [int(v) for v in np.ravel(value.numpy() if isinstance(value, Tensor) else value)]
    if any(v <= 0 for v in numbers):
        raise InvalidArgumentError(None, None, f"{name} must be positive, got {value}")
    if len(numbers) == 1:
        return (numbers[0],) * n
    if len(numbers) == n:
        return tuple(numbers)
    if len(numbers) != n + 2:
        raise ValueError(f"{name} should be of length 1, {n} or {n + 2} but was {len(numbers)}")
    channel = 1 if channels_first else n + 1
    if numbers[0] != 1 or numbers[channel] != 1:
        raise InvalidArgumentError(
            None, None, f"{name} in the batch and depth dimensions must be 1, got {numbers}"
        )
    return tuple(numbers[2:] if channels_first else numbers[1:-1])


def is_channels_first(data_format: str | None, n: int) -> bool:
    """Whether channels come before the axes of space.

    Raises:
      ValueError: The format is unknown.
    """
    last = ("NWC", "NHWC", "NDHWC")[n - 1] if n <= 3 else ""
    first = ("NCW", "NCHW", "NCDHW")[n - 1] if n <= 3 else ""
    if data_format not in {None, last, first}:
        raise ValueError(f"`data_format` must be {last!r} or {first!r}, got {data_format!r}")
    return data_format == first


def channels_last(x: Any, n: int, first: bool) -> Any:
    """(batch, channels, *space) as (batch, *space, channels)."""
    return transpose_p(x, perm=(0, *range(2, n + 2), 1)) if first else x


def as_given(x: Any, n: int, first: bool) -> Any:
    """The inverse of `channels_last`."""
    return transpose_p(x, perm=(0, n + 1, *range(1, n + 1))) if first else x


def explicit(padding: Any, n: int, first: bool) -> Any:
    """Padding for the axes of space alone, out of a list for all axes."""
    if isinstance(padding, str):
        return padding
    pairs = [tuple(map(int, pair)) for pair in padding]
    if len(pairs) == n + 2:
        return pairs[2:] if first else pairs[1:-1]
    if len(pairs) != n:
        raise ValueError(f"explicit padding must have {n + 2} pairs, got {len(pairs)}")
    return pairs


def one_batch(x: Tensor, n: int, op: str) -> tuple[Any, tuple[int, ...]]:
    """An image with its batch axes made one, and what they were.

    Raises:
      InvalidArgumentError: The rank is too low.
    """
    shape = x._value.shape
    if len(shape) < n + 2:
        raise InvalidArgumentError(
            None,
            None,
            f"`input` must have rank {n + 2} or more, (batch, {n} axes of space, channels): got "
            f"shape {list(shape)} [{op}] (x[tf.newaxis] adds a batch axis)",
        )
    lead = shape[: len(shape) - n - 1]
    if len(lead) == 1:
        return x, lead
    return reshape_p(x, shape=(count(lead), *shape[len(lead) :])), lead


def _many_batches(x: Any, lead: tuple[int, ...]) -> Any:
    return x if len(lead) == 1 else reshape_p(x, shape=(*lead, *x._value.shape[1:]))


def operands(input: Any, filters: Any, n: int, op: str) -> tuple[Tensor, Tensor]:
    """An image and a filter as tensors.

    Raises:
      InvalidArgumentError: The filter has another rank than n + 2.
    """
    x = tensor(input)
    w = convert_to_tensor(filters, dtype_hint=x.dtype)
    if w._value.ndim != n + 2:
        raise InvalidArgumentError(
            None, None, f"filter must be {n + 2}-dimensional: {list(w.shape)} [Op:{op}]"
        )
    return x, w


def _convolve(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
    dilations: Any,
    n: int,
) -> Tensor:
    op = f"Conv{n}D"
    x, w = operands(input, filters, n, op)
    first = is_channels_first(data_format, n)
    x, lead = one_batch(x, n, op)
    x = channels_last(x, n, first)
    *space, channels = x._value.shape[1:]
    *window, own, outputs = w._value.shape
    if (channels and not own) or (own and (channels % own or outputs % max(channels // own, 1))):
        raise InvalidArgumentError(
            None,
            None,
            f"input depth must be evenly divisible by filter depth: {channels} vs {own} "
            f"[Op:{op}] (the last but one axis of the filter is the image's number of channels)",
        )
    if not channels:  # nothing to add up: the filter's channels don't matter
        w = slice_p(w, begin=(0,) * (n + 2), end=(*window, 0, outputs))
        own = 1
    geometry = windows(
        space,
        window,
        per_axis(strides, n, first, "strides"),
        explicit(padding, n, first),
        per_axis(dilations, n, first, "dilations"),
        op,
    )
    out = conv_p(x, w, geometry=geometry, groups=max(channels // own, 1))
    return _many_batches(as_given(out, n, first), lead)  # type: ignore[no-any-return]


@export("nn.conv1d")
def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves sequences with filters.

    Args:
      input: A tensor of shape (..., width, channels).
      filters: A tensor of the same dtype and shape (window, channels, outputs).
      stride: How far the window moves on.
      padding: "SAME", "VALID", or a list of pairs of numbers, one per axis.
      data_format: "NWC", or "NCW" where channels come before the width.
      dilations: How far apart the places of the window lie.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., new width, outputs).

    Raises:
      ValueError: An argument is malformed.
      InvalidArgumentError: The numbers of channels do not match.
    """
    return _convolve(input, filters, stride, padding, data_format, dilations, 1)


@export("nn.conv2d")
def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves images with filters.

    Args:
      input: A tensor of shape (..., height, width, channels).
      filters: A tensor of the same dtype and shape (height, width, channels, outputs); where it
        has fewer channels, they are convolved in groups.
      strides: How far the window moves on: 1, 2 or 4 numbers.
      padding: "SAME", "VALID", or a list of pairs of numbers, one per axis.
      data_format: "NHWC", or "NCHW" where channels come before height and width.
      dilations: How far apart the places of the window lie: 1, 2 or 4 numbers.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., new height, new width, outputs).

    Raises:
      ValueError: An argument is malformed.
      InvalidArgumentError: The numbers of channels do not match.
    """
    return _convolve(input, filters, strides, padding, data_format, dilations, 2)


@export("nn.conv3d")
@raw_op("Conv3D", filter="filters")
def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves volumes with filters.

    Args:
      input: A tensor of shape (batch, depth, height, width, channels).
      filters: A tensor of the same dtype and shape (depth, height, width, channels, outputs).
      strides: How far the window moves on: 1, 3 or 5 numbers.
      padding: "SAME" or "VALID".
      data_format: "NDHWC", or "NCDHW" where channels come first.
      dilations: How far apart the places of the window lie.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, new depth, new height, new width, outputs).

    Raises:
      ValueError: An argument is malformed.
      InvalidArgumentError: The numbers of channels do not match.
    """
    return _convolve(input, filters, strides, padding, data_format, dilations, 3)


@export("nn.convolution")
def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves over as many axes as the filters have.

    Args:
      input: A tensor of shape (batch, *space, channels).
      filters: A tensor of the same dtype and shape (*window, channels, outputs).
      strides: How far the window moves on along each axis.
      padding: "SAME", "VALID", or a list of pairs of numbers.
      data_format: None, or "NC..." where channels come before the axes of space.
      dilations: How far apart the places of the window lie.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, *new space, outputs).

    Raises:
      ValueError: An argument is malformed, or strides and dilations both are greater than 1.
      InvalidArgumentError: The numbers of channels do not match.
    """
    w = tensor(filters)
    n = w._value.ndim - 2
    first = is_channels_first(data_format, n)
    steps = per_axis(strides, n, first, "strides")
    rates = per_axis(dilations, n, first, "dilations")
    if max(steps, default=1) > 1 and max(rates, default=1) > 1:
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
            f"strides={list(steps)} and dilation_rate={list(rates)} (tf.nn.conv1d, conv2d and "
            f"conv3d take both)"
        )
    return _convolve(input, w, strides, padding, data_format, dilations, n)


@export("nn.atrous_conv2d")
def atrous_conv2d(
    value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None
) -> Tensor:
    """Convolves images with filters whose places lie `rate` apart.

    Args:
      value: A tensor of shape (batch, height, width, channels).
      filters: A tensor of the same dtype and shape (height, width, channels, outputs).
      rate: How far apart the places of the window lie.
      padding: "SAME" or "VALID".
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, new height, new width, outputs).

    Raises:
      ValueError: An argument is malformed.
    """
    return _convolve(value, filters, 1, padding, "NHWC", rate, 2)


@export("nn.depthwise_conv2d")
def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves each channel by itself with some filters.

    Args:
      input: A tensor of shape (batch, height, width, channels).
      filter: A tensor of the same dtype and shape (height, width, channels, multiplier).
      strides: How far the window moves on: 4 numbers.
      padding: "SAME", "VALID", or a list of pairs of numbers, one per axis.
      data_format: "NHWC", or "NCHW" where channels come before height and width.
      dilations: How far apart the places of the window lie: 1 or 2 numbers.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, new height, new width, channels * multiplier).

    Raises:
      ValueError: An argument is malformed.
      InvalidArgumentError: The numbers of channels do not match.
    """
    x, w = operands(input, filter, 2, "DepthwiseConv2dNative")
    *window, channels, multiplier = w._value.shape
    own = x._value.shape[1 if data_format == "NCHW" else -1]
    if own != channels:
        raise InvalidArgumentError(
            None,
            None,
            f"input and filter must have the same depth: {own} vs {channels} "
            f"[Op:DepthwiseConv2dNative]",
        )
    w = reshape_p(w, shape=(*window, 1, channels * multiplier))
    return _convolve(x, w, strides, padding, data_format, dilations, 2)


@export("nn.separable_conv2d")
def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves each channel by itself, then mixes the channels.

    Args:
      input: A tensor of shape (batch, height, width, channels).
      depthwise_filter: A tensor of shape (height, width, channels, multiplier).
      pointwise_filter: A tensor of shape (1, 1, channels * multiplier, outputs).
      strides: How far the window moves on: 4 numbers.
      padding: "SAME" or "VALID".
      data_format: "NHWC" or "NCHW".
      dilations: How far apart the places of the window lie.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, new height, new width, outputs).

    Raises:
      ValueError: An argument is malformed.
      InvalidArgumentError: The numbers of channels do not match.
    """
    middle = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return _convolve(middle, pointwise_filter, 1, "VALID", data_format, None, 2)
