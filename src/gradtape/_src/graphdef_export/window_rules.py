"""Rules for convolutions, pooling and other windows on images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.declare.unknown_sizes import Size, surely_equal
from gradtape._src.graphdef_export import programs
from gradtape._src.graphdef_export.array_rules import paddings
from gradtape._src.graphdef_export.nodes import Value
from gradtape._src.graphdef_export.parts import Part
from gradtape._src.graphdef_export.rules import rule
from gradtape._src.ops.nn.window_geometry import Geometry


def _same(geometry: Geometry) -> bool:
    """Whether the padding is TensorFlow's SAME padding."""
    for n, k, s, (lo, hi), d in zip(*geometry, strict=True):
        reach = (k - 1) * d + 1
        total: Any = (-(-n // s) - 1) * s + reach - n
        if type(total) is not Size:
            total = max(total, 0)
        if not surely_equal((lo, hi), (total // 2, total - total // 2)):
            return False
    return True


def padding(geometry: Geometry) -> str:
    """Returns TensorFlow's name of the padding, such as "SAME"."""
    numbers: list[Any] = [n for pair in geometry.pads for n in pair]
    if all(type(n) is not Size and n == 0 for n in numbers):
        return "VALID"
    return "SAME" if _same(geometry) else "EXPLICIT"


class Windows:
    """Windows on an image, for operations with one to three spatial axes.

    One spatial axis becomes two, of which the first has length one.

    Args:
      part: The part that is being built.
      geometry: The geometry of the windows.
    """

    def __init__(self, part: Part, geometry: Geometry) -> None:
        self.part, self.geometry = part, geometry
        self.rank = len(geometry.space)
        if self.rank > 3:
            raise part.unknown(f"windows on {self.rank} spatial axes")
        self.padding = padding(geometry)
        self.lifted = self.rank == 1

    def spread(self, numbers: Sequence[Any], lead: Any = 1) -> list[Any]:
        """Returns a number for each axis of an image."""
        return [1, *([lead] if self.lifted else []), *numbers, 1]

    def up(self, x: Value) -> Value:
        """Returns an image with as many spatial axes as the operation takes."""
        if not self.lifted:
            return x
        assert x.shape is not None
        made: Value = self.part.op("ExpandDims", x, self.part.const(1, "int32"))
        return made.of_shape([x.shape[0], 1, *x.shape[1:]])

    def up_filter(self, w: Value) -> Value:
        """Returns a filter with as many spatial axes as the operation takes."""
        if not self.lifted:
            return w
        assert w.shape is not None
        made: Value = self.part.op("ExpandDims", w, self.part.const(0, "int32"))
        return made.of_shape([1, *w.shape])

    def down(self, x: Value, axis: int = 1) -> Any:
        """Returns a result of the operation, with the spatial axes of the image."""
        return self.part.op("Squeeze", x, squeeze_dims=[axis]) if self.lifted else x

    def attributes(self) -> dict[str, Any]:
        """Returns the strides, dilations and padding of a convolution."""
        found: dict[str, Any] = {
            "strides": self.spread(self.geometry.strides),
            "dilations": self.spread(self.geometry.dilations),
            "padding": self.padding,
        }
        if self.padding == "EXPLICIT":
            pairs = [(0, 0), *([(0, 0)] if self.lifted else []), *self.geometry.pads, (0, 0)]
            flat: list[Any] = [n for pair in pairs for n in pair]
            if any(type(n) is Size for n in flat):
                raise self.part.unknown("a padding that depends on the image's size")
            found["explicit_paddings"] = flat
        return found

    def padded(self, x: Value, fill: Any = None) -> Value:
        """Pads an image, for operations without explicit padding."""
        if self.padding != "EXPLICIT":
            return x
        pads = [(0, 0), *self.geometry.pads, (0, 0)]
        amounts = paddings(self.part, *zip(*pads, strict=True))
        made: Value = (
            self.part.op("Pad", x, amounts)
            if fill is None
            else self.part.op("PadV2", x, amounts, self.part.like(fill, x))
        )
        assert x.shape is not None
        shape = [lo + n + hi for n, (lo, hi) in zip(x.shape, pads, strict=True)]
        self.padding = "VALID"
        return made.of_shape(shape)


def _is_depthwise(x: Value, groups: int, windows: Windows) -> bool:
    """Whether each channel is convolved separately."""
    plain = {*windows.geometry.strides} if not windows.lifted else {1}
    return (
        groups > 1
        and x.shape is not None
        and x.shape[-1] == groups
        and len(plain) == 1
        and windows.rank < 3
    )


def _is_dilated(geometry: Geometry) -> bool:
    """Whether there are dilations, which TensorFlow's depthwise convolution lacks on processors."""
    return any(d != 1 for d in geometry.dilations)


def _depth_filter(p: Part, w: Value, groups: int) -> Value:
    """Converts a filter for groups of one channel to TensorFlow's depthwise form."""
    assert w.shape is not None
    *window, _, outputs = w.shape
    return p.reshaped(w, (*window, groups, outputs // groups))


def _groups(p: Part, groups: int, rank: int) -> None:
    if groups > 1 and rank == 3:
        raise p.unknown("a convolution in three dimensions with groups")


@rule("Conv2D")
def _conv(p: Part, x: Value, w: Value, *, geometry: Geometry, groups: int) -> Any:
    windows = Windows(p, geometry)
    _groups(p, groups, windows.rank)
    if windows.rank == 3:
        x = windows.padded(x)
        return p.op("Conv3D", x, w, **windows.attributes())
    a, b = windows.up(x), windows.up_filter(w)
    if groups > 1 and x.shape is not None and x.shape[-1] == groups and _is_dilated(geometry):
        return programs.composed(p, programs.depthwise, x, w, geometry=geometry)
    if _is_depthwise(x, groups, windows):
        made = p.op("DepthwiseConv2dNative", a, _depth_filter(p, b, groups), **windows.attributes())
    else:
        made = p.op("Conv2D", a, b, **windows.attributes())
    return windows.down(made)


def _image_shape(p: Part, windows: Windows, batch: Any, channels: Any) -> Value:
    space = windows.spread(windows.geometry.space)[1:-1]
    return p.ints([batch, *space, channels])


@rule("Conv2DBackpropInput")
def _conv_input(p: Part, g: Value, w: Value, *, geometry: Geometry, groups: int) -> Any:
    windows = Windows(p, geometry)
    _groups(p, groups, windows.rank)
    assert g.shape is not None
    assert w.shape is not None
    channels = p.outputs[0].shape[-1]
    if windows.rank == 3:
        if windows.padding == "EXPLICIT":
            raise p.unknown("the gradient of a convolution in three dimensions with this padding")
        shape = p.ints([g.shape[0], *geometry.space, channels])
        return p.op("Conv3DBackpropInputV2", shape, w, g, **windows.attributes())
    if groups > 1 and channels == groups and _is_dilated(geometry):
        how = {"geometry": geometry, "channels": channels}
        return programs.composed(p, programs.depthwise_input, g, w, **how)
    shape = _image_shape(p, windows, g.shape[0], channels)
    a, b = windows.up(g), windows.up_filter(w)
    if _is_depthwise(Value("", g.dtype, shape=(channels,)), groups, windows):
        b = _depth_filter(p, b, groups)
        made = p.op("DepthwiseConv2dNativeBackpropInput", shape, b, a, **windows.attributes())
    else:
        made = p.op("Conv2DBackpropInput", shape, b, a, **windows.attributes())
    return windows.down(made)


@rule("Conv2DBackpropFilter")
def _conv_filter(p: Part, x: Value, g: Value, *, geometry: Geometry, groups: int) -> Any:
    windows = Windows(p, geometry)
    _groups(p, groups, windows.rank)
    out = p.outputs[0].shape
    if windows.rank == 3:
        if windows.padding == "EXPLICIT":
            raise p.unknown("the gradient of a convolution in three dimensions with this padding")
        return p.op("Conv3DBackpropFilterV2", x, p.ints(out), g, **windows.attributes())
    if groups > 1 and x.shape is not None and x.shape[-1] == groups and _is_dilated(geometry):
        return programs.composed(p, programs.depthwise_filter, x, g, geometry=geometry)
    a, b = windows.up(x), windows.up(g)
    full = [*([1] if windows.lifted else []), *out]
    if _is_depthwise(x, groups, windows):
        sizes = p.ints([*full[:-2], groups, out[-1] // groups])
        made = p.op("DepthwiseConv2dNativeBackpropFilter", a, sizes, b, **windows.attributes())
        return p.reshaped(made, out)
    made = p.op("Conv2DBackpropFilter", a, p.ints(full), b, **windows.attributes())
    return windows.down(made, 0)


def _is_plain(windows: Windows, x: Value, *, explicit: bool = False, most: int = 3) -> bool:
    """Whether TensorFlow's pooling has such windows; otherwise a program computes them.

    On processors, its pooling of volumes is for float32 alone.

    Args:
      windows: The windows.
      x: The image.
      explicit: Whether any padding is possible.
      most: The maximum number of spatial axes.
    """
    return (
        all(d == 1 for d in windows.geometry.dilations)
        and (explicit or windows.padding != "EXPLICIT")
        and windows.rank <= most
        and (windows.rank < 3 or x.dtype == "float32")
    )


def _pool_attributes(windows: Windows) -> dict[str, Any]:
    return {
        "ksize": windows.spread(windows.geometry.window),
        "strides": windows.spread(windows.geometry.strides),
        "padding": windows.padding,
    }


@rule("MaxPool")
def _max_pool(p: Part, x: Value, *, geometry: Geometry) -> Any:
    windows = Windows(p, geometry)
    if not _is_plain(windows, x, explicit=True):
        return programs.composed(p, programs.greatest, x, geometry=geometry)
    x = windows.up(windows.padded(x, -np.inf if "float" in x.dtype else np.iinfo(x.dtype).min))
    kind = "MaxPool3D" if windows.rank == 3 else "MaxPool"
    return windows.down(p.op(kind, x, **_pool_attributes(windows)))


@rule("MaxPoolPlaces")
def _max_pool_places(p: Part, x: Value, *, geometry: Geometry) -> Any:
    """Returns the flat spatial indices of the maxima."""
    windows = Windows(p, geometry)
    if not _is_plain(windows, x, most=2):
        return programs.composed(p, programs.places, x, geometry=geometry)
    assert x.shape is not None
    image = windows.up(x)
    _, places = p.op("MaxPoolWithArgmax", image, **_pool_attributes(windows), Targmax="int64")
    return windows.down(p.op("FloorDiv", places, p.number(x.shape[-1], "int64")))


def _max_pool_gradient(p: Part, kind: str, v: Value, x: Value, windows: Windows) -> Any:
    attributes = _pool_attributes(windows)
    three = "3D" if windows.rank == 3 else ""
    image = windows.up(x)
    greatest = p.op(f"MaxPool{three}", image, **attributes)
    kind = kind.replace("MaxPool", f"MaxPool{three}")
    return windows.down(p.op(kind, image, greatest, windows.up(v), **attributes))


@rule("MaxPoolGrad")
def _put(p: Part, g: Value, x: Value, *, geometry: Geometry) -> Any:
    windows = Windows(p, geometry)
    if not _is_plain(windows, x):
        return programs.composed(p, programs.put, g, x, geometry=geometry)
    return _max_pool_gradient(p, "MaxPoolGrad", g, x, windows)


@rule("MaxPoolGradGrad")
def _pick(p: Part, t: Value, x: Value, *, geometry: Geometry) -> Any:
    windows = Windows(p, geometry)
    if not _is_plain(windows, x, most=2):
        return programs.composed(p, programs.picked, t, x, geometry=geometry)
    return _max_pool_gradient(p, "MaxPoolGradGrad", t, x, windows)


@rule("AvgPool")
def _avg_pool(p: Part, x: Value, *, geometry: Geometry) -> Any:
    windows = Windows(p, geometry)
    if not _is_plain(windows, x):
        return programs.composed(p, programs.mean, x, geometry=geometry)
    kind = "AvgPool3D" if windows.rank == 3 else "AvgPool"
    return windows.down(p.op(kind, windows.up(x), **_pool_attributes(windows)))


@rule("AvgPoolGrad")
def _avg_pool_grad(p: Part, g: Value, *, geometry: Geometry) -> Any:
    windows = Windows(p, geometry)
    if not _is_plain(windows, g):
        return programs.composed(p, programs.spread_mean, g, geometry=geometry)
    assert g.shape is not None
    shape = _image_shape(p, windows, g.shape[0], g.shape[-1])
    kind = "AvgPool3DGrad" if windows.rank == 3 else "AvgPoolGrad"
    return windows.down(p.op(kind, shape, windows.up(g), **_pool_attributes(windows)))


@rule("ExtractImagePatches")
def _patches(p: Part, x: Value, *, geometry: Geometry) -> Any:
    windows = Windows(p, geometry)
    if windows.rank != 2:
        raise p.unknown("patches of this rank")
    x = windows.padded(x)
    how = {
        "ksizes": windows.spread(geometry.window),
        "strides": windows.spread(geometry.strides),
        "rates": windows.spread(geometry.dilations),
    }
    return p.op("ExtractImagePatches", x, padding=windows.padding, **how)
