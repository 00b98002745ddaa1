"""Dilation and erosion of images, and pooling that also returns the indices of the maxima."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape._src.base.dtypes import int64
from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.base.optional_dtypes import float_limits
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import index_dtype, invalid
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import dtype_of_value, shape_of
from gradtape._src.declare.named_results import named

if TYPE_CHECKING:
    from gradtape._src.declare.named_results import PoolWithPlaces
from gradtape._src.declare.structural import reshape_p, transpose_p
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.array.padding import pad_value_p
from gradtape._src.ops.array.roll_reverse import reverse
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.nn.image_patches import patches_p
from gradtape._src.ops.nn.pooling import pick_p, places_p
from gradtape._src.ops.nn.window_geometry import Geometry, explicit, per_axis, windows
from gradtape._src.ops.reduce.extremes import argmax


def _lowest(dtype: np.dtype[Any]) -> Any:
    return dtype.type(float_limits(dtype).min)


@export("nn.dilation2d")
@takes(padding="string")
def dilation2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Tensor:
    """Computes the grayscale dilation: the maximum of each window's elements plus the filter's.

    As in TensorFlow, the gradient goes to the first of several equal maxima.

    Args:
      input: A real tensor of shape (batch, height, width, channels).
      filters: A tensor of the same dtype and shape (rows, columns, channels).
      strides: The strides of the window, [1, rows, columns, 1].
      padding: "SAME" or "VALID"; positions outside the image are ignored.
      data_format: "NHWC".
      dilations: The dilations of the window, [1, rows, columns, 1].
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, new height, new width, channels).

    Raises:
      ValueError: The data format is not "NHWC".
      InvalidArgumentError: The shapes or the padding are not valid.
    """
    if data_format != "NHWC":
        raise ValueError(
            "`data_format` values other  than 'NHWC' are not supported. Received: "
            f"data_format={data_format}"
        )
    x = tensor(input)
    f = convert_to_tensor(filters, dtype_hint=x.dtype)
    for what, given, rank in (("input", x, 4), ("filter", f, 3)):
        if len(shape_of(given)) != rank:
            raise invalid(
                f"{what} must be {rank}-dimensional{list(shape_of(given))} [Op:Dilation2D]"
            )
    if shape_of(x)[-1] != shape_of(f)[-1]:
        raise invalid(
            f"input and filter must have the same depth: {shape_of(x)[-1]} vs {shape_of(f)[-1]} "
            f"[Op:Dilation2D]"
        )
    if padding not in ("SAME", "VALID"):
        raise invalid(
            f"Value for attr 'padding' of \"{padding}\" is not in the list of allowed values: "
            f'"SAME", "VALID" [Op:Dilation2D]',
            About.ATTRIBUTES,
        )
    rows, columns = map(int, shape_of(f)[:2])  # a graph needs the size of the windows
    channels = shape_of(f)[-1]
    steps = per_axis(strides, 2, False, "strides")
    apart = per_axis(dilations, 2, False, "dilations")
    geometry = windows(shape_of(x)[1:-1], (rows, columns), steps, padding, apart, "Dilation2D")
    (top, bottom), (left, right) = geometry.pads
    own: Any = dtype_of_value(x)
    whole = own.kind in "iu"
    if whole:  # what is outside stays below all others, with the filter's elements added to it
        x, f = cast(x, int64), cast(f, int64)
    outside = Tensor(np.int64(-(2**62)) if whole else _lowest(own))
    x = pad_value_p(x, outside, before=(0, top, left, 0), after=(0, bottom, right, 0))
    inside = Geometry(shape_of(x)[1:-1], (rows, columns), steps, ((0, 0), (0, 0)), apart)
    seen = patches_p(x, geometry=inside)
    seen = reshape_p(seen, shape=(*shape_of(seen)[:-1], rows * columns, channels))
    sums = transpose_p(seen + reshape_p(f, shape=(rows * columns, channels)), perm=(0, 1, 2, 4, 3))
    best = reshape_p(argmax(sums, -1), shape=(*shape_of(sums)[:-1], 1))
    out = gather_p(sums, best, axis=4, batch_dims=4)
    out = reshape_p(out, shape=shape_of(out)[:-1])
    return cast(out, own) if whole else out


@raw_op("Dilation2D")
def _raw_dilation2d(
    input: Any, filter: Any, strides: Any, rates: Any, padding: str, name: str | None = None
) -> Tensor:
    """Computes the grayscale dilation of images."""
    return dilation2d(input, filter, strides, padding, "NHWC", rates)


@export("nn.erosion2d")
def erosion2d(
    value: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Tensor:
    """Computes the grayscale erosion of images.

    Each element of the result is the minimum of a window's elements minus those of the reversed
    filter.

    Args:
      value: A tensor of shape (batch, height, width, channels).
      filters: A tensor of the same dtype and shape (rows, columns, channels).
      strides: The strides of the window, [1, rows, columns, 1].
      padding: "SAME" or "VALID"; positions outside the image are ignored.
      data_format: "NHWC".
      dilations: The dilations of the window, [1, rows, columns, 1].
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, new height, new width, channels).

    Raises:
      ValueError: The data format is not "NHWC".
      InvalidArgumentError: The shapes or the padding are not valid.
    """
    f = reverse(tensor(filters), [0, 1])
    return -dilation2d(-tensor(value), f, strides, padding, data_format, dilations)


@export("nn.max_pool_with_argmax")
@takes(include_batch_in_index="bool")
@raw_op("MaxPoolWithArgmax", Targmax="output_dtype")
def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: Any = int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> PoolWithPlaces:
    """Returns the maximum of each window, and its index.

    Args:
      input: A real tensor of shape (batch, height, width, channels).
      ksize: The window: a number, [rows, columns] or [1, rows, columns, 1].
      strides: The strides of the window,  in the same forms.
      padding: "SAME" or "VALID".
      data_format: "NHWC".
      output_dtype: The dtype of the indices, int32 or int64.
      include_batch_in_index: Whether the indices are those of the flattened batch, instead of each
        flattened image.
      name: Accepted for compatibility.

    Returns:
      The maxima and their indices, `(y * width + x) * channels + channel`.

    Raises:
      ValueError: The data format is not "NHWC".
      InvalidArgumentError: The window does not fit the image.
    """
    if data_format != "NHWC":
        raise ValueError(
            "`data_format` values other  than 'NHWC' are not supported. Received: "
            f"data_format={data_format}"
        )
    x = tensor(input)
    if len(shape_of(x)) != 4:
        raise invalid(f"tensor_in must be 4-dimensional, got {x.shape} [Op:MaxPoolWithArgmax]")
    geometry = windows(
        shape_of(x)[1:-1],
        per_axis(ksize, 2, False, "ksize"),
        per_axis(strides, 2, False, "strides"),
        explicit(padding, 2, False),
        per_axis(None, 2, False, "dilations"),
        "MaxPoolWithArgmax",
    )
    place = places_p(x, geometry=geometry)
    values = pick_p(x, x, geometry=geometry)
    batch, height, width, channels = shape_of(x)
    numbers = Tensor(np.arange(channels, dtype=dtype_of_value(place)))
    at = place * channels + numbers
    if include_batch_in_index:
        images = np.arange(batch, dtype=dtype_of_value(place)).reshape(batch, 1, 1, 1)
        at = at + Tensor(images * (height * width * channels))
    out: PoolWithPlaces = named(
        "MaxPoolWithArgmax",
        (values, cast(at, index_dtype(output_dtype, int64, "MaxPoolWithArgmax", "Targmax"))),
    )
    return out
