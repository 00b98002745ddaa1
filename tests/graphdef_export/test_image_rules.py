from collections.abc import Callable
from typing import Any

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
