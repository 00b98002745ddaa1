"""The programs of functions of images, and of quantization."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.graphdef_export.composed import images


@pytest.mark.parametrize("shape", [(4, 6, 3), (2, 9, 3, 1)])
def test_programs_agree_with_the_functions(shape):
    x = tf.constant(np.random.default_rng(0).random(shape), tf.float32)
    pairs = [
        (images.padded, tf.image.pad_to_bounding_box, (1, 2, 12, 11)),
        (images.cropped, tf.image.crop_to_bounding_box, (1, 0, 3, 2)),
        (images.cropped_or_padded, tf.image.resize_with_crop_or_pad, (5, 4)),
    ]
    for program, function, sizes in pairs:
        np.testing.assert_array_equal(program(x, *sizes), function(x, *sizes))
    np.testing.assert_allclose(
        images.resized_and_padded(x, 7, 8, "bilinear", False),
        tf.image.resize_with_pad(x, 7, 8),
        atol=1e-6,
    )


ROUNDED = {
    images.rounded: tf.quantization.quantize_and_dequantize,
    images.rounded_between: tf.quantization.quantize_and_dequantize_v2,
}


@pytest.mark.parametrize("program", ROUNDED, ids=lambda program: program.__name__)
@pytest.mark.parametrize("axis", [0, -1])
def test_slices_of_unknown_lengths_are_rounded(program, axis, tmp_path):
    x = tf.constant(np.random.default_rng(0).normal(size=(3, 4)), tf.float32)
    limits = [np.linspace(a, b, x.shape[axis], dtype=np.float32) for a, b in ((-1, -2), (1, 3))]
    how = {"num_bits": 5, "range_given": True, "axis": axis}
    wanted = ROUNDED[program](x, *limits, **how)
    np.testing.assert_array_equal(program(x, *limits, **how), wanted)
    module, vector = tf.Module(), tf.TensorSpec([None])
    module.f = tf.function(
        lambda x, low, high: ROUNDED[program](x, low, high, **how),
        input_signature=[tf.TensorSpec([None, None]), vector, vector],
    )
    tf.saved_model.save(module, tmp_path)
    f = tf.saved_model.load(tmp_path).f
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        found, wanted = f(x, *map(tf.constant, limits)), ROUNDED[program](x, *limits, **how)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(tape.gradient(found, x), tape.gradient(wanted, x))
