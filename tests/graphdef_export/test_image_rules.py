from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graphdef_export.exporting import kinds

import gradtape as tf


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda x: tf.image.adjust_hue(x, 0.2), "AdjustHue"),
        (lambda x: tf.image.adjust_saturation(x, 0.5), "AdjustSaturation"),
        (lambda x: tf.image.adjust_contrast(x, 0.5), "AdjustContrastv2"),
        (lambda x: tf.image.hsv_to_rgb(x), "HSVToRGB"),
        (lambda x: tf.image.resize(x, [2, 2], "area"), "ResizeArea"),
        (
            lambda x: tf.quantization.fake_quant_with_min_max_args(x, -1.0, 1.0),
            "FakeQuantWithMinMaxVars",
        ),
        (
            lambda x: tf.quantization.fake_quant_with_min_max_vars_per_channel(
                x, [-1.0] * 3, [1.0] * 3
            ),
            "FakeQuantWithMinMaxVarsPerChannel",
        ),
        (
            lambda x: tf.quantization.quantize_and_dequantize_v2(x, -1.0, 1.0),
            "QuantizeAndDequantizeV4",
        ),
        (
            lambda x: tf.quantization.quantize_and_dequantize(
                x, [-1.0] * 3, [1.0] * 3, range_given=True, axis=3
            ),
            "QuantizeAndDequantizeV3",
        ),
        (
            lambda x: tf.quantization.dequantize(
                *tf.quantization.quantize(x, -1.0, 1.0, tf.qint8, "SCALED"), "SCALED"
            ),
            "Dequantize",
        ),
        (
            lambda x: tf.image.draw_bounding_boxes(x, [[[0.1, 0.1, 0.8, 0.8]]] * 2, [[1.0] * 3]),
            "DrawBoundingBoxesV2",
        ),
    ],
)
def test_operations_on_pictures(function: Callable[..., Any], wanted: str) -> None:
    assert kinds(function, tf.TensorSpec([2, 4, 4, 3]))[wanted] == 1


@pytest.mark.parametrize("n", [3, None])
def test_limits_that_are_not_used_are_as_long_as_the_axis(n: int | None) -> None:
    found = kinds(
        lambda x: tf.quantization.quantize_and_dequantize(x, -1.0, 1.0, axis=3),
        tf.TensorSpec([2, 4, 4, n]),
    )
    assert found["BroadcastTo"] == 2


def _levels_of(x: Any) -> Any:
    return tf.quantization.quantize(x, -1.0, 1.0, tf.quint8, "MIN_FIRST").output


QUANTIZED: list[tuple[str, dict[str, Any]]] = [
    ("QuantizedMul", {"x": 4, "y": 4, "min_x": -1.0, "max_x": 1.0, "min_y": -1.0, "max_y": 1.0}),
    ("QuantizedRelu", {"features": 4, "min_features": -1.0, "max_features": 1.0}),
    ("QuantizedRelu6", {"features": 4, "min_features": -1.0, "max_features": 1.0}),
    (
        "QuantizedMatMul",
        {"a": 2, "b": 2, "min_a": -1.0, "max_a": 1.0, "min_b": -1.0, "max_b": 1.0}
        | {"transpose_b": True},
    ),
    (
        "QuantizedBiasAdd",
        {"input": 4, "bias": 1, "min_input": -1.0, "max_input": 1.0}
        | {"min_bias": -1.0, "max_bias": 1.0, "out_type": tf.qint32},
    ),
    (
        "QuantizedConv2D",
        {"input": 4, "filter": 4, "min_input": -1.0, "max_input": 1.0}
        | {"min_filter": -1.0, "max_filter": 1.0, "strides": [1, 2, 1, 1], "padding": "SAME"}
        | {"dilations": [1, 1, 1, 1]},
    ),
    *[
        (
            kind,
            {"input": 4, "min_input": -1.0, "max_input": 1.0, "ksize": [1, 2, 1, 1]}
            | {"strides": [1, 1, 2, 1], "padding": "VALID"},
        )
        for kind in ("QuantizedMaxPool", "QuantizedAvgPool")
    ],
    ("RequantizationRange", {"input": 4, "input_min": -1.0, "input_max": 1.0}),
    (
        "Requantize",
        {"input": 4, "input_min": -1.0, "input_max": 1.0, "out_type": tf.qint8}
        | {"requested_output_min": -2.0, "requested_output_max": 1.5},
    ),
    (
        "QuantizeDownAndShrinkRange",
        {"input": 4, "input_min": -1.0, "input_max": 1.0, "out_type": tf.qint8},
    ),
]
"""Raw operations with their arguments; a whole number is the rank of a quantized tensor."""


@pytest.mark.parametrize(("kind", "arguments"), QUANTIZED, ids=[kind for kind, _ in QUANTIZED])
def test_quantized_operations(kind: str, arguments: dict[str, Any], tmp_path: Path) -> None:
    x = np.linspace(-1, 1, 16, dtype=np.float32)

    @tf.function(input_signature=[tf.TensorSpec([16])])
    def function(x: Any) -> Any:
        given = {
            name: _levels_of(tf.reshape(x[: 2**value], [2] * value))
            if type(value) is int
            else value
            for name, value in arguments.items()
        }
        found = getattr(tf.raw_ops, kind)(**given)
        return [tf.bitcast(y, STORED.get(y.dtype, y.dtype)) for y in found]

    module = tf.Module()
    module.call = function
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    for got, want in zip(loaded.call(x), function(x), strict=True):
        np.testing.assert_array_equal(got, want)
    assert kinds(function.python_function, tf.TensorSpec([16]))[kind] == 1


STORED = {tf.quint8: tf.uint8, tf.qint8: tf.int8, tf.qint32: tf.int32}
