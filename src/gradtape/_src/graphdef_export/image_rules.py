"""Rules for operations on pictures, and for quantization."""

from __future__ import annotations

from typing import Any

from gradtape._src.graphdef_export.nodes import Value, dtype_name
from gradtape._src.graphdef_export.parts import Part
from gradtape._src.graphdef_export.rules import rule


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


@rule("FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVars")
def _quantized(p: Part, x: Value, low: Value, high: Value, **how: Any) -> Any:
    return p.op("FakeQuantWithMinMaxVars", x, low, high, **how)


@rule("FakeQuantWithMinMaxVarsPerChannel")
def _channels(p: Part, x: Value, low: Value, high: Value, **how: Any) -> Any:
    return p.op("FakeQuantWithMinMaxVarsPerChannel", x, low, high, **how)


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
    rounding = "HALF_UP" if up else "HALF_TO_EVEN"
    how = {"signed_input": signed, "num_bits": bits, "range_given": given, "narrow_range": narrow}
    return p.op(p.node.primitive.name, x, low, high, axis=axis, round_mode=rounding, **how)


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
