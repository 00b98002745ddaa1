"""The windows of images and volumes, with the elements of each window as channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.axis_sums import wider
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.compute.xla_convolution import padded_xla, slices_xla, spread_xla
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import (
    invalid,
)
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.structural import pad_p
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.unknown_sizes import is_unknown
from gradtape._src.declare.xla_kernels import in_float32
from gradtape._src.ops.array.joining import concat
from gradtape._src.ops.array.slicing import getitem
from gradtape._src.ops.nn.pooling import pooled
from gradtape._src.ops.nn.window_geometry import (
    Geometry,
    folded,
    inner,
    padded,
    windows,
)


def _patches(x: Any, *, geometry: Geometry) -> Any:
    full = padded(x, geometry)
    return np.concatenate([full[(slice(None), *at)] for at in geometry.offsets()], -1)


def _unpatch(g: Any, *, geometry: Geometry) -> Any:
    offsets = geometry.offsets()
    channels = g.shape[-1] // len(offsets)
    out = np.zeros((g.shape[0], *geometry.padded, channels), wider(g.dtype))
    for i, at in enumerate(offsets):
        out[(slice(None), *at)] += g[..., i * channels : (i + 1) * channels]
    return out[inner(geometry)].astype(g.dtype, copy=False)


def _patches_xla(x: Any, *, geometry: Geometry) -> Any:
    return jnp.concatenate(slices_xla(padded_xla(x, geometry, 0), geometry), -1)


@in_float32
def _unpatch_xla(g: Any, *, geometry: Geometry) -> Any:
    return spread_xla(jnp.split(g, len(geometry.offsets()), -1), geometry)


patches_p: Bound = general(
    "ExtractImagePatches",
    _patches,
    {"x": lambda g, geometry: unpatch_p(g, geometry=geometry)},
    linear=["x"],
    batching=folded(lambda: patches_p),
    traits=Traits(pattern=Pattern.MOVED),
    xla=_patches_xla,
)
unpatch_p: Bound = general(
    "ExtractImagePatchesGrad",
    _unpatch,
    {"g": lambda t, geometry: patches_p(t, geometry=geometry)},
    linear=["g"],
    batching=folded(lambda: unpatch_p),
    xla=_unpatch_xla,
)


@export("image.extract_patches")
@raw_op("ExtractImagePatches", ksizes="sizes")
def extract_patches(
    images: Any, sizes: Any, strides: Any, rates: Any, padding: Any, name: str | None = None
) -> Tensor:
    """Returns the windows of images, with the elements of each window as channels.

    Args:
      images: A tensor of shape (batch, height, width, channels).
      sizes: The window, [1, height, width, 1].
      strides: The strides of the window,  [1, rows, columns, 1].
      rates: The dilations of the window, [1, rows, columns, 1].
      padding: "SAME" or "VALID".
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, new height, new width, window height * window width * channels).

    Raises:
      ValueError: An argument is malformed.
      InvalidArgumentError: The window is larger than the image.

    >>> x = tf.ones((1, 4, 4, 1))
    >>> tf.image.extract_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID").shape
    TensorShape([1, 2, 2, 4])
    """
    return pooled(patches_p, images, sizes, strides, padding, "NHWC", 2, rates, About.SHAPES)


@export("extract_volume_patches")
@takes(ksizes="list(int)", strides="list(int)", padding="string")
@raw_op("ExtractVolumePatches")
def extract_volume_patches(
    input: Any, ksizes: Any, strides: Any, padding: str, name: str | None = None
) -> Tensor:
    """Returns the windows of volumes, with the elements of each window as channels.

    Args:
      input: A tensor of shape (batch, planes, rows, columns, channels).
      ksizes: The window, [1, planes, rows, columns, 1].
      strides: The strides of the window,  in the same form.
      padding: "SAME" or "VALID".
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, new planes, new rows, new columns, window * channels).

    Raises:
      InvalidArgumentError: An argument is malformed, or the window larger than the volume.
    """
    x = tensor(input)
    window, steps = ([int(n) for n in np.ravel(v)] for v in (ksizes, strides))
    if len(shape_of(x)) != 5 or len(window) != 5 or len(steps) != 5:
        raise invalid(
            f"input must be 5-dimensional, ksizes and strides of five numbers: got shape "
            f"{x.shape}, {window} and {steps} [Op:ExtractVolumePatches]"
        )
    if padding not in ("SAME", "VALID"):
        raise invalid(
            f"padding must be SAME or VALID, got {padding!r} [Op:ExtractVolumePatches]",
            About.ATTRIBUTES,
        )
    space, k, s = shape_of(x)[1:4], window[1:4], steps[1:4]
    if padding == "VALID":
        pairs = zip(space, k, strict=True)
        if any(not is_unknown((n,)) and n < w for n, w in pairs):
            raise invalid(
                f"ksizes {k} must not exceed the input's {list(space)} [Op:ExtractVolumePatches]"
            )
    else:
        for axis, (n, w, m) in enumerate(zip(space, k, s, strict=True)):
            if w < m:  # as in TensorFlow, elements that no window reaches are on both sides
                skipped = int(n) - w - (-(-int(n) // m) - 1) * m
                x = getitem(x, (*[slice(None)] * (axis + 1), slice(max(skipped, 0) // 2, None)))
        space = shape_of(x)[1:4]
        pads = windows(space, k, s, padding, (1, 1, 1), "ExtractVolumePatches").pads
        before, after = ((0, *ends, 0) for ends in zip(*pads, strict=True))
        x = pad_p(x, before=before, after=after)
    parts = []
    for at in np.ndindex(*k):
        spans = [slice(i, i + 1 - w or None, m) for i, w, m in zip(at, k, s, strict=True)]
        parts.append(getitem(x, (slice(None), *spans)))
    return concat(parts, -1)
