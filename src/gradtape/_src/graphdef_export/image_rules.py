"""Rules for operations on images, and for quantization."""

from __future__ import annotations

from typing import Any

from gradtape._src.graphdef_export.call_rules import value_of
from gradtape._src.graphdef_export.nodes import Value, dtype_name
from gradtape._src.graphdef_export.parts import Part
from gradtape._src.graphdef_export.rules import call_rule, rule
from gradtape._src.ops.image import boxes
from gradtape._src.ops.image.resize import resize


@rule("AdjustContrastv2", "AdjustHue", "AdjustSaturation")
def _adjusted(p: Part, images: Value, by: Value) -> Any:
    assert p.node is not None
    made = p.op(p.node.primitive.name, p.cast(images, "float32"), p.cast(by, "float32"))
    return p.cast(made, images.dtype)


@rule("RGBToHSV", "HSVToRGB")
def _colors(p: Part, x: Value) -> Any:
    assert p.node is not None
    return p.op(p.node.primitive.name, x)


@rule("DrawBoundingBoxesV2")
def _drawn(p: Part, images: Value, boxes: Value, colors: Value) -> Any:
    boxes, colors = (p.cast(x, "float32") for x in (boxes, colors))
    return p.op("DrawBoundingBoxesV2", images, boxes, colors)


@rule("ResizeArea")
def _resized(p: Part, x: Value, *, size: Any) -> Any:
    made = p.op("ResizeArea", x, p.ints(size))
    return p.cast(made, dtype_name(p.outputs[0].np_dtype))


@rule("ResizeWeights")
def _weights(p: Part, *, n: Any, m: Any, method: str, antialias: bool, dtype: str) -> Any:
    """Returns the weights of a bilinear resize; the graph computes the original length."""
    if method != "bilinear" or antialias:
        raise p.unknown("only a bilinear resize without antialiasing is, from an unknown size")
    kind = "float64"
    count, most = (p.number(x, kind) for x in (n, m))
    zero, one, half = (p.const(x, kind) for x in (0, 1, 0.5))
    wanted, there = (p.op("Range", zero, x, one) for x in (most, count))
    at = p.op("Mul", p.op("AddV2", wanted, half), p.op("RealDiv", count, most))
    at = p.op("Maximum", p.op("Sub", at, half), zero)
    at = p.op("Minimum", at, p.op("Sub", count, one))
    apart = p.op("Abs", p.op("Sub", p.op("ExpandDims", at, p.const(-1, "int32")), there))
    return p.cast(p.op("Relu", p.op("Sub", one, apart)), dtype)


@rule("ImageProjectiveTransformV3")
def _projected(
    p: Part,
    images: Value,
    transforms: Value,
    fill: Value,
    *,
    output_shape: Any,
    interpolation: str,
    fill_mode: str,
) -> Any:
    how = {"interpolation": interpolation, "fill_mode": fill_mode}
    size = p.ints(output_shape)
    return p.op("ImageProjectiveTransformV3", images, transforms, size, fill, **how)


@rule("InvertProjectiveTransform")
def _inverted(p: Part, x: Value) -> Any:
    column, last = p.const([-1, 1], "int32"), p.const(1, "int32")
    first = p.op("Slice", x, p.const([0, 0], "int32"), p.const([-1, 1], "int32"))
    whole = p.op("ConcatV2", [x, p.op("OnesLike", first)], last)
    square = p.op("MatrixInverse", p.op("Reshape", whole, p.const([-1, 3, 3], "int32")))
    back = p.op("Reshape", square, p.const([-1, 9], "int32"))
    scale = p.op("Slice", back, p.const([0, 8], "int32"), column)
    found = p.op("Slice", back, p.const([0, 0], "int32"), p.const([-1, 8], "int32"))
    return p.op("RealDiv", found, scale)


@rule("FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVars")
def _quantized(p: Part, x: Value, low: Value, high: Value, **how: Any) -> Any:
    return p.op("FakeQuantWithMinMaxVars", x, low, high, **how)


@rule("FakeQuantWithMinMaxVarsPerChannel")
def _channels(p: Part, x: Value, low: Value, high: Value, **how: Any) -> Any:
    return p.op("FakeQuantWithMinMaxVarsPerChannel", x, low, high, **how)


@rule("FakeQuantRegions")
def _regions(p: Part, x: Value, low: Value, high: Value, **how: Any) -> Any:
    """Returns the masks of the values between, below and above the limits.

    The limits enclose 0.
    """
    kind = "FakeQuantWithMinMaxVars" + ("PerChannel" if low.shape else "")
    inside = p.op(f"{kind}Gradient", p.op("OnesLike", x), x, low, high, **how)[0]
    outside, zero = p.op("Sub", p.like(1, x), inside), p.like(0, x)
    masks = (p.op(order, x, zero) for order in ("Less", "Greater"))
    return [inside, *[p.op("SelectV2", mask, outside, zero) for mask in masks]]


@rule("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4")
def _rounded(
    p: Part,
    x: Value,
    low: Value,
    high: Value,
    *,
    signed: bool,
    bits: int,
    given: bool,
    up: bool,
    narrow: bool,
    axis: int,
) -> Any:
    assert p.node is not None
    assert x.shape is not None
    kind = p.node.primitive.name
    how = {"signed_input": signed, "range_given": given, "narrow_range": narrow, "axis": axis}
    if axis >= 0 and not given:  # TensorFlow checks the lengths even so.
        low, high = (p.op("BroadcastTo", end, p.ints([x.shape[axis]])) for end in (low, high))
    if axis >= 0 and given and not up:  # TensorFlow's other versions refuse limits of slices.
        if kind == "QuantizeAndDequantizeV4":  # no slopes beyond the limits
            inside = p.cast(_inside(p, x, low, high, axis=axis), "bool")
            x = p.op("SelectV2", inside, x, p.op("StopGradient", x))
        return p.op("QuantizeAndDequantizeV3", x, low, high, p.number(bits), **how)
    rounding = "HALF_UP" if up else "HALF_TO_EVEN"
    return p.op(kind, x, low, high, num_bits=bits, round_mode=rounding, **how)


@rule("QuantizeAndDequantizeInside")
def _inside(p: Part, x: Value, low: Value, high: Value, *, axis: int) -> Any:
    if axis >= 0 and low.shape:
        shape = [-1 if i == axis else 1 for i in range(x.rank)]
        low, high = (p.op("Reshape", end, p.const(shape, "int32")) for end in (low, high))
    found = p.op("LogicalAnd", p.op("GreaterEqual", x, low), p.op("LessEqual", x, high))
    return p.cast(found, x.dtype)


@rule("QuantizeV2")
def _levels(
    p: Part,
    x: Value,
    low: Value,
    high: Value,
    *,
    dtype: Any,
    mode: str,
    to_even: bool,
    narrow: bool,
    axis: int,
    least_range: float,
) -> Any:
    rounding = "HALF_TO_EVEN" if to_even else "HALF_AWAY_FROM_ZERO"
    how = {"mode": mode, "narrow_range": narrow, "axis": axis, "round_mode": rounding}
    kind = dtype_name(dtype)
    return p.op("QuantizeV2", x, low, high, T=kind, ensure_minimum_range=least_range, **how)


@rule("Dequantize")
def _numbers(
    p: Part, x: Value, low: Value, high: Value, *, mode: str, narrow: bool, axis: int, dtype: Any
) -> Any:
    how = {"mode": mode, "narrow_range": narrow, "axis": axis, "dtype": dtype_name(dtype)}
    return p.op("Dequantize", x, low, high, **how)


@rule("ResizePlaces")
def _nearest(p: Part, *, n: Any, m: Any) -> Any:
    """Returns the index of the nearest of n pixels to each of m pixels."""
    kind = "float64"
    have, want = p.number(n, kind), p.number(m, kind)
    numbers = p.op("Range", p.const(0, kind), want, p.const(1, kind))
    middles = p.op("AddV2", numbers, p.const(0.5, kind))
    found = p.op("Floor", p.op("Mul", middles, p.op("RealDiv", have, want)))
    last = p.op("Sub", have, p.const(1, kind))
    return p.cast(p.op("Minimum", found, last), "int32")


@rule("ExtractGlimpseV2")
def _glimpse(p: Part, x: Value, starts: Value, *, size: Any, noise: str, seed: int) -> Any:
    how = {"centered": False, "normalized": False, "uniform_noise": False, "noise": noise}
    return p.op("ExtractGlimpseV2", x, p.ints(size), p.cast(starts, "float32"), **how)


@call_rule(boxes.extract_glimpse)
def _glimpse_of_any_size(p: Part, input: Any, size: Any, offsets: Any, **how: Any) -> Any:
    how = {key: how[key] for key in ("centered", "normalized", "noise")}
    x, at = value_of(p, input, "float32"), value_of(p, offsets, "float32")
    return p.op("ExtractGlimpseV2", x, value_of(p, size, "int32"), at, uniform_noise=False, **how)


@rule("QuantizedBiasAdd", "QuantizedRelu", "QuantizedRelu6")
@rule("Requantize", "QuantizeDownAndShrinkRange")
def _in_quantized_numbers(p: Part, *inputs: Value, dtype: Any, most: float | None = None) -> Any:
    assert p.node is not None
    return p.op(p.node.primitive.name, *inputs, out_type=dtype_name(dtype))


@rule("QuantizedMul")
def _quantized_product(p: Part, *inputs: Value, dtype: Any) -> Any:
    return p.op("QuantizedMul", *inputs, Toutput=dtype_name(dtype))


@rule("QuantizedMatMul")
def _quantized_matmul(p: Part, *inputs: Value, dtype: Any, flip_a: bool, flip_b: bool) -> Any:
    how = {"transpose_a": flip_a, "transpose_b": flip_b}
    return p.op("QuantizedMatMul", *inputs, Toutput=dtype_name(dtype), **how)


@rule("QuantizedConv2D")
def _quantized_conv(
    p: Part, *inputs: Value, dtype: Any, strides: Any, padding: str, dilations: Any
) -> Any:
    how = {"strides": [1, *strides, 1], "dilations": [1, *dilations, 1], "padding": padding}
    return p.op("QuantizedConv2D", *inputs, out_type=dtype_name(dtype), **how)


@rule("QuantizedMaxPool", "QuantizedAvgPool")
def _quantized_pool(
    p: Part, *inputs: Value, size: Any, strides: Any, padding: str, largest: bool
) -> Any:
    assert p.node is not None
    how = {"ksize": [1, *size, 1], "strides": [1, *strides, 1], "padding": padding}
    return p.op(p.node.primitive.name, *inputs, **how)


@rule("RequantizationRange")
def _range_in_use(p: Part, *inputs: Value) -> Any:
    return p.op("RequantizationRange", *inputs)


_RESIZED = {
    "bilinear": "ResizeBilinear",
    "nearest": "ResizeNearestNeighbor",
    "area": "ResizeArea",
    "bicubic": "ResizeBicubic",
}


@call_rule(resize)
def _resized_to_any(
    p: Part,
    images: Any,
    size: Any,
    method: str,
    preserve_aspect_ratio: bool,
    antialias: bool,
    **_: Any,
) -> Any:
    """Returns images of a size that the graph computes."""
    if preserve_aspect_ratio or antialias or method not in _RESIZED:
        raise p.unknown("this way to resize images is not exported for sizes that are computed")
    x, wanted = value_of(p, images), value_of(p, size, "int32")
    single = len(x.shape or ()) == 3
    x = p.op("ExpandDims", x, p.const(0, "int32")) if single else x
    if method == "area":
        made = p.op("ResizeArea", x, wanted)
    else:
        x = x if method == "nearest" else p.cast(x, "float32")
        made = p.op(_RESIZED[method], x, wanted, half_pixel_centers=True)
    return p.op("Squeeze", made, squeeze_dims=[0]) if single else made


@call_rule("EncodeJpegVariableQuality")
def _jpeg(p: Part, image: Any, quality: Any, **_: Any) -> Any:
    return p.op("EncodeJpegVariableQuality", value_of(p, image), value_of(p, quality, "int32"))


@call_rule(boxes.non_max_suppression_with_scores)
def _suppressed(
    p: Part,
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any,
    score_threshold: Any,
    soft_nms_sigma: Any,
    **_: Any,
) -> Any:
    limits = iou_threshold, score_threshold, soft_nms_sigma
    made = _suppression(p, "NonMaxSuppressionV5", boxes, scores, max_output_size, *limits)
    return made[:2]


@call_rule(boxes.non_max_suppression_padded)
def _padded_suppression(
    p: Part,
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any,
    score_threshold: Any,
    pad_to_max_output_size: bool,
    **_: Any,
) -> Any:
    if len(value_of(p, boxes).shape or ()) != 2:
        raise p.unknown("it is not exported for a batch of sets of boxes")
    limits = iou_threshold, score_threshold
    how = {"pad_to_max_output_size": bool(pad_to_max_output_size)}
    return _suppression(p, "NonMaxSuppressionV4", boxes, scores, max_output_size, *limits, **how)


@call_rule(boxes.non_max_suppression_overlaps)
def _suppressed_by_overlaps(
    p: Part,
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any,
    score_threshold: Any,
    **_: Any,
) -> Any:
    limits = overlap_threshold, score_threshold
    operation = "NonMaxSuppressionWithOverlaps"
    return _suppression(p, operation, overlaps, scores, max_output_size, *limits)


def _suppression(
    p: Part, operation: str, boxes: Any, scores: Any, most: Any, *limits: Any, **how: Any
) -> Any:
    x = value_of(p, boxes)
    given = [value_of(p, limit, x.dtype) for limit in limits]
    return p.op(
        operation, x, value_of(p, scores, x.dtype), value_of(p, most, "int32"), *given, **how
    )
