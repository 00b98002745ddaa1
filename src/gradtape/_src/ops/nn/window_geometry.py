"""The positions of windows on an image: strides, padding, dilations and the order of the axes.

Here images are (batch, *space, channels); the other layouts of TensorFlow are converted to this
one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.errors import About
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.structural import count, reshape_p, transpose_p, with_axis


class Geometry(NamedTuple):
    """The positions of windows on an image, with one entry for each spatial axis."""

    space: tuple[int, ...]  # the image's extent
    window: tuple[int, ...]
    strides: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]  # the padding before and after
    dilations: tuple[int, ...]

    @property
    def out(self) -> tuple[int, ...]:
        """The number of windows along each axis."""
        return tuple(
            max(0, (n + lo + hi - (k - 1) * d - 1) // s + 1)
            for n, k, s, (lo, hi), d in zip(*self, strict=True)
        )

    @property
    def padded(self) -> tuple[int, ...]:
        """The image's extent with its padding."""
        return tuple(n + lo + hi for n, (lo, hi) in zip(self.space, self.pads, strict=True))

    def offsets(self) -> list[tuple[slice, ...]]:
        """Returns the slices of the padded image for each position in the window."""
        steps = [
            [slice(i * d, i * d + (o - 1) * s + 1 if o else i * d, s) for i in range(k)]
            for k, s, d, o in zip(self.window, self.strides, self.dilations, self.out, strict=True)
        ]
        return list(product(*steps))


def windows(
    space: Sequence[int],
    window: Sequence[int],
    strides: Sequence[int],
    padding: Any,
    dilations: Sequence[int],
    op: str,
) -> Geometry:
    """Returns the geometry of windows of an image, with TensorFlow's padding.

    Raises:
      InvalidArgumentError: The padding is unknown, the window is empty, or it is so much larger
        than the image that the output's length would be negative.
    """
    if 0 in window:
        raise invalid(f"The window must not be empty, got {list(window)} [Op:{op}]")
    if isinstance(padding, str):
        if padding not in {"SAME", "VALID"}:
            raise invalid(
                f"Value for attr 'padding' of {padding!r} is not in the list of allowed values: "
                f"'SAME', 'VALID', or a list of pairs of numbers",
                About.ATTRIBUTES,
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
            raise invalid(
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


def padded(x: np.ndarray[Any, Any], geometry: Geometry, fill: Any = 0) -> np.ndarray[Any, Any]:
    """Returns an image with its padding."""
    if not any(map(any, geometry.pads)):
        return x
    made = np.full((x.shape[0], *geometry.padded, x.shape[-1]), fill, x.dtype)
    made[inner(geometry)] = x
    return made


def inner(geometry: Geometry) -> tuple[slice, ...]:
    """Returns the slices of the padded image that hold the image."""
    spaces = zip(geometry.space, geometry.pads, strict=True)
    return (slice(None), *(slice(lo, lo + n) for n, (lo, _) in spaces))


def per_axis(
    value: Any, n: int, channels_first: bool, name: str, about: About = About.ATTRIBUTES
) -> tuple[int, ...]:
    """Returns a number for each of `n` spatial axes, given 1, n or n + 2 numbers.

    Args:
      value: The numbers.
      n: The number of spatial axes.
      channels_first: Whether the channels precede them.
      name: The argument, for messages.
      about: The cause of the error for a number that isn't positive.

    Raises:
      ValueError: `value` does not hold 1, n or n + 2 numbers.
      InvalidArgumentError: The numbers for batch or channels are not 1, or a number is not
        positive.
    """
    if value is None:
        return (1,) * n
    numbers = [int(v) for v in np.ravel(value.numpy() if isinstance(value, Tensor) else value)]
    if any(v <= 0 for v in numbers):
        raise invalid(f"{name} must be positive, got {value}", about)
    if len(numbers) == 1:
        return (numbers[0],) * n
    if len(numbers) == n:
        return tuple(numbers)
    if len(numbers) != n + 2:
        raise ValueError(f"{name} should be of length 1, {n} or {n + 2} but was {len(numbers)}")
    channel = 1 if channels_first else n + 1
    if numbers[0] != 1 or numbers[channel] != 1:
        raise invalid(f"{name} in the batch and depth dimensions must be 1, got {numbers}")
    return tuple(numbers[2:] if channels_first else numbers[1:-1])


def is_channels_first(data_format: str | None, n: int) -> bool:
    """Whether channels come before the spatial axes.

    Raises:
      InvalidArgumentError: The format is unknown.
    """
    last = ("NWC", "NHWC", "NDHWC")[n - 1] if n <= 3 else ""
    first = ("NCW", "NCHW", "NCDHW")[n - 1] if n <= 3 else ""
    if data_format not in {None, last, first}:
        raise invalid(
            f"`data_format` must be {last!r} or {first!r}, got {data_format!r}", About.ATTRIBUTES
        )
    return data_format == first


def channels_last(x: Tensor, n: int, first: bool) -> Tensor:
    """Moves the channels' axis to the end: (batch, *space, channels)."""
    return transpose_p(x, perm=(0, *range(2, n + 2), 1)) if first else x


def as_given(x: Tensor, n: int, first: bool) -> Tensor:
    """Returns the inverse of `channels_last`."""
    return transpose_p(x, perm=(0, n + 1, *range(1, n + 1))) if first else x


def explicit(padding: Any, n: int, first: bool) -> str | list[tuple[int, ...]]:
    """Returns the padding of the spatial axes from a list for all axes."""
    if isinstance(padding, str):
        return padding
    pairs = [tuple(map(int, pair)) for pair in padding]
    if len(pairs) == n + 2:
        return pairs[2:] if first else pairs[1:-1]
    if len(pairs) != n:
        raise ValueError(f"explicit padding must have {n + 2} pairs, got {len(pairs)}")
    return pairs


def raw_padding(padding: Any, explicit_paddings: Any) -> str | list[list[int]]:
    """Converts a raw operation's padding to the form of public functions: pairs if explicit."""
    if padding in ("EXPLICIT", b"EXPLICIT"):
        pairs: list[list[int]] = np.reshape(explicit_paddings, (-1, 2)).tolist()
        return pairs
    named: str = padding
    return named


def one_batch(x: Tensor, n: int, op: str) -> tuple[Any, tuple[int, ...]]:
    """Returns an image with its batch axes merged into one, and the shape of these axes.

    Raises:
      InvalidArgumentError: The rank is too low.
    """
    shape = x._value.shape
    if len(shape) < n + 2:
        raise invalid(
            f"`input` must have rank {n + 2} or more, (batch, {n} spatial axes, channels): got "
            f"shape {list(shape)} [{op}] (x[tf.newaxis] adds a batch axis)",
        )
    lead = shape[: len(shape) - n - 1]
    if len(lead) == 1:
        return x, lead
    return reshape_p(x, shape=(count(lead), *shape[len(lead) :])), lead


def many_batches(x: Tensor, lead: tuple[int, ...]) -> Tensor:
    return x if len(lead) == 1 else reshape_p(x, shape=(*lead, *x._value.shape[1:]))


# Batching. An axis of examples is merged into the batch axis if all examples have the same filter,
# and into the outputs' axis if they have the same image; otherwise each example becomes a group.


def fold(x: Any) -> Tensor:
    """Returns the axis of examples merged into the axis after it."""
    shape = shape_of(x)
    return reshape_p(x, shape=(shape[0] * shape[1], *shape[2:]))


def unfold(x: Any, size: int) -> Tensor:
    """Returns the inverse of `fold`."""
    shape = shape_of(x)
    return reshape_p(x, shape=(size, shape[0] // size, *shape[1:]))


def into_channels(x: Any, groups: int) -> Tensor:
    """Moves the axis of examples into the channels: (..., groups * size * c)."""
    size, *lead, c = shape_of(x)
    x = reshape_p(x, shape=(size, *lead, groups, c // groups))
    n = len(lead)
    x = transpose_p(x, perm=(*range(1, n + 2), 0, n + 2))
    return reshape_p(x, shape=(*lead, size * c))


def out_of_channels(x: Any, size: int, groups: int) -> Tensor:
    """Returns the inverse of `into_channels`."""
    *lead, c = shape_of(x)
    x = reshape_p(x, shape=(*lead, groups, size, c // (size * groups)))
    n = len(lead)
    x = transpose_p(x, perm=(n + 1, *range(n + 1), n + 2))
    return reshape_p(x, shape=(size, *lead, c // size))


def operands(input: Any, filters: Any, n: int, op: str) -> tuple[Tensor, Tensor]:
    """Returns an image and a filter as tensors.

    Raises:
      InvalidArgumentError: The rank of the filter is not n + 2.
    """
    x = tensor(input)
    w = convert_to_tensor(filters, dtype_hint=x.dtype)
    if w._value.ndim != n + 2:
        raise invalid(f"filter must be {n + 2}-dimensional: {list(w.shape)} [Op:{op}]")
    return x, w


# Kernels for XLA.


def folded(run: Callable[[], Bound]) -> Callable[..., Tensor]:
    """Returns a batching rule that merges the axis of examples into the batch axis."""

    def batch(size: int, batched: Any, inputs: Any, params: Any) -> Tensor:
        full = with_axis(size, batched, inputs)
        return unfold(run()(*map(fold, full), **params), size)

    return batch
