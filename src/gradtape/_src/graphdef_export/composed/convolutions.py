"""Rules for convolutions with filters of unknown size."""

from __future__ import annotations

from typing import Any

from gradtape._src.declare.unknown_sizes import UnknownRank
from gradtape._src.graphdef_export.call_rules import value_of
from gradtape._src.graphdef_export.nodes import Value
from gradtape._src.graphdef_export.parts import Part
from gradtape._src.graphdef_export.rules import call_rule
from gradtape._src.ops.nn import convolution, transposed_convolution
from gradtape._src.ops.nn.window_geometry import explicit, is_channels_first, per_axis
from gradtape._src.ops.raw.convolution_gradients import depthwise_conv2d_backprop_input


class _Layout:
    """The attributes of a convolution, and the layout of its images.

    One spatial axis becomes two, of which the first has length one.

    Args:
      part: The part that is being built.
      n: The number of spatial axes.
    """

    def __init__(
        self, part: Part, n: int, strides: Any, padding: Any, data_format: Any, dilations: Any
    ) -> None:
        if n > 3:
            raise part.unknown(f"windows on {n} spatial axes")
        self.part, self.n = part, n
        self.first = is_channels_first(data_format, n)
        self.strides = per_axis(strides, n, self.first, "strides")
        self.dilations = per_axis(dilations, n, self.first, "dilations")
        self.padding = explicit(padding, n, self.first)
        self.lifted = n == 1

    def attributes(self) -> dict[str, Any]:
        """Returns the strides, dilations and padding for images whose channels are last."""
        lead = (1,) * (2 if self.lifted else 1)
        found: dict[str, Any] = {
            "strides": (*lead, *self.strides, 1),
            "dilations": (*lead, *self.dilations, 1),
            "padding": self.padding,
        }
        if not isinstance(self.padding, str):
            if self.n == 3:
                raise self.part.unknown("a convolution in three dimensions with this padding")
            pairs = [*((0, 0) for _ in lead), *self.padding, (0, 0)]
            flat = [n for pair in pairs for n in pair]
            found |= {"padding": "EXPLICIT", "explicit_paddings": flat}
        return found

    def up(self, x: Value) -> Value:
        """Returns an image with channels last and as many spatial axes as the operation takes."""
        p, n = self.part, self.n
        if self.first:
            x = p.op("Transpose", x, p.const([0, *range(2, n + 2), 1], "int32"))
        if self.lifted:
            x = p.op("ExpandDims", x, p.const(1, "int32"))
        return x

    def up_filter(self, w: Value) -> Value:
        """Returns a filter with as many spatial axes as the operation takes."""
        if self.lifted:
            w = self.part.op("ExpandDims", w, self.part.const(0, "int32"))
        return w

    def up_sizes(self, sizes: Value) -> Value:
        """Returns the shape of an image after `up`."""
        p, n = self.part, self.n
        if self.first:
            order = p.const([0, *range(2, n + 2), 1], "int32")
            sizes = p.op("GatherV2", sizes, order, p.const(0, "int32"))
        if not self.lifted:
            return sizes
        parts = p.op("SplitV", sizes, p.const([1, 2], "int32"), p.const(0, "int32"), num_split=2)
        lifted = [parts[0], p.const([1], "int32"), parts[1]]
        made: Value = p.op("ConcatV2", lifted, p.const(0, "int32"))
        return made

    def down(self, x: Value) -> Value:
        """Returns the inverse of `up`."""
        p, n = self.part, self.n
        x = p.op("Squeeze", x, squeeze_dims=[1]) if self.lifted else x
        if self.first:
            x = p.op("Transpose", x, p.const([0, n + 1, *range(1, n + 1)], "int32"))
        return x


def _rank(p: Part, x: Value) -> int:
    if x.shape is None or type(x.shape) is UnknownRank:
        raise p.unknown("the number of axes is unknown")
    return len(x.shape)


def _convolved(p: Part, x: Value, w: Value, n: int | None = None, **how: Any) -> Value:
    """Adds a convolution; axes before the last `n + 1` are batches."""
    n = _rank(p, w) - 2 if n is None else n
    layout = _Layout(p, n, **how)
    lead = max(_rank(p, x) - n - 1, 1)
    whole = p.op("Shape", x)
    zero, one = p.const([0], "int32"), p.const([1], "int32")
    if lead > 1:
        own = p.op("StridedSlice", whole, p.const([lead], "int32"), zero, one, end_mask=1)
        merged = p.op("ConcatV2", [p.const([-1], "int32"), own], p.const(0, "int32"))
        x = p.op("Reshape", x, merged)
    operation = "Conv3D" if n == 3 else "Conv2D"
    made: Value = p.op(operation, layout.up(x), layout.up_filter(w), **layout.attributes())
    made = layout.down(made)
    if lead > 1:
        outer = p.op("StridedSlice", whole, zero, p.const([lead], "int32"), one, begin_mask=1)
        inner = p.op("StridedSlice", p.op("Shape", made), one, zero, one, end_mask=1)
        made = p.op("Reshape", made, p.op("ConcatV2", [outer, inner], p.const(0, "int32")))
    return made


def _with_axes(n: int, function: Any) -> None:
    stride = "stride" if n == 1 else "strides"

    @call_rule(function)
    def convolve(p: Part, input: Any, filters: Any, name: Any = None, **how: Any) -> Any:
        how["strides"] = how.pop(stride)
        return _convolved(p, value_of(p, input), value_of(p, filters), n, **how)


_with_axes(1, convolution.conv1d)
_with_axes(2, convolution.conv2d)
_with_axes(3, convolution.conv3d)


@call_rule(convolution.convolution)
def _of_any_rank(p: Part, input: Any, filters: Any, name: Any = None, **how: Any) -> Any:
    return _convolved(p, value_of(p, input), value_of(p, filters), **how)


@call_rule(convolution.atrous_conv2d)
def _atrous(p: Part, value: Any, filters: Any, rate: Any, padding: Any, **_: Any) -> Any:
    how = {"strides": 1, "padding": padding, "data_format": "NHWC", "dilations": rate}
    return _convolved(p, value_of(p, value), value_of(p, filters), 2, **how)


@call_rule(convolution.depthwise_conv2d)
def _depthwise(p: Part, input: Any, filter: Any, name: Any = None, **how: Any) -> Value:
    x, w = value_of(p, input), value_of(p, filter)
    layout = _Layout(p, 2, **how)
    if layout.dilations == (1, 1) and len({*layout.strides}) == 1 and _rank(p, x) == 4:
        made = p.op("DepthwiseConv2dNative", layout.up(x), w, **layout.attributes())
        return layout.down(made)
    window = p.op("Slice", p.op("Shape", w), p.const([0], "int32"), p.const([2], "int32"))
    shape = p.op("ConcatV2", [window, p.const([1, -1], "int32")], p.const(0, "int32"))
    return _convolved(p, x, p.op("Reshape", w, shape), 2, **how)


@call_rule(convolution.separable_conv2d)
def _separable(
    p: Part,
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    data_format: Any,
    name: Any = None,
    **how: Any,
) -> Any:
    middle = _depthwise(p, input, depthwise_filter, data_format=data_format, **how)
    middle = middle.of_shape(value_of(p, input).shape)
    plain = {"strides": 1, "padding": "VALID", "data_format": data_format, "dilations": None}
    return _convolved(p, middle, value_of(p, pointwise_filter), 2, **plain)


def _transposed(
    p: Part, x: Value, w: Value, output_shape: Any, n: int | None = None, **how: Any
) -> Value:
    n = _rank(p, w) - 2 if n is None else n
    layout = _Layout(p, n, **how)
    sizes = value_of(p, output_shape, "int32")
    if _rank(p, x) != n + 2 or sizes.shape != (n + 2,):
        raise p.unknown("an output shape without the batch, or a batch of several axes")
    operation = "Conv3DBackpropInputV2" if n == 3 else "Conv2DBackpropInput"
    given = layout.up_sizes(sizes), layout.up_filter(w), layout.up(x)
    return layout.down(p.op(operation, *given, **layout.attributes()))


def _transposed_with_axes(n: int | None, function: Any) -> None:
    @call_rule(function)
    def transpose(
        p: Part, input: Any, filters: Any, output_shape: Any, name: Any = None, **how: Any
    ) -> Any:
        return _transposed(p, value_of(p, input), value_of(p, filters), output_shape, n, **how)


_transposed_with_axes(1, transposed_convolution.conv1d_transpose)
_transposed_with_axes(2, transposed_convolution.conv2d_transpose)
_transposed_with_axes(3, transposed_convolution.conv3d_transpose)
_transposed_with_axes(None, transposed_convolution.conv_transpose)


@call_rule(transposed_convolution.atrous_conv2d_transpose)
def _atrous_transposed(
    p: Part, value: Any, filters: Any, output_shape: Any, rate: Any, padding: Any, **_: Any
) -> Any:
    how = {"strides": 1, "padding": padding, "data_format": "NHWC", "dilations": rate}
    return _transposed(p, value_of(p, value), value_of(p, filters), output_shape, 2, **how)


@call_rule(depthwise_conv2d_backprop_input)
def _depthwise_input(
    p: Part, input_sizes: Any, filter: Any, out_backprop: Any, name: Any = None, **how: Any
) -> Any:
    layout = _Layout(p, 2, **how)
    if layout.dilations != (1, 1) or len({*layout.strides}) > 1:
        raise p.unknown("TensorFlow has no such gradient of a depthwise convolution")
    sizes, w = value_of(p, input_sizes, "int32"), value_of(p, filter)
    given = layout.up_sizes(sizes), w, layout.up(value_of(p, out_backprop))
    made = p.op("DepthwiseConv2dNativeBackpropInput", *given, **layout.attributes())
    return layout.down(made)
