"""Dtypes of results and gradients where they were wrong once, and what may be made a tensor."""

import array
import pickle
from collections import deque

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.declare import named_results


@pytest.mark.parametrize(
    ("value", "expected", "dtype"),
    [
        (bytearray(b"ab"), [97, 98], "int32"),
        (memoryview(b"ab"), [97, 98], "int32"),
        (array.array("d", [1, 2]), [1, 2], "float32"),
        (array.array("q", [1, 2]), [1, 2], "int32"),
        (deque([1, 2]), [1, 2], "int32"),
        ([bytearray(b"ab"), array.array("b", [1, 2])], [[97, 98], [1, 2]], "int32"),
        ([array.array("f", [1, 2]), [1.5, 2]], [[1, 2], [1.5, 2]], "float32"),
        (bytearray(), [], "float32"),
    ],
)
def test_buffers_are_read_number_by_number(value, expected, dtype):
    x = tf.constant(value)
    assert x.dtype == dtype
    np.testing.assert_array_equal(x, np.array(expected, dtype))


def test_buffers_are_no_strings():
    with pytest.raises(TypeError):
        tf.constant(bytearray(b"ab"), tf.string)


@pytest.mark.parametrize("by_example", [False, True])
@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (lambda x: tf.image.resize(x, [3, 3]), (1, 2, 2, 1)),
        (lambda x: tf.matmul(tf.cast(x, tf.float32), tf.ones((2, 5))), (2, 2)),
        (lambda x: tf.tile(tf.cast(x, tf.float16), [1, 3]), (2, 2)),
    ],
)
def test_jacobians_have_the_dtype_of_the_source(call, shape, by_example):
    x = tf.ones(shape, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = call(x)
    found = tape.batch_jacobian(y, x) if by_example else tape.jacobian(y, x)
    assert found.dtype == tf.float64


def test_gather_by_negative_batch_dims_counts_the_axis_in_params():
    x = tf.reshape(tf.range(24), (2, 3, 4))
    rows = x.numpy()
    expected = np.stack([rows[0][:, [0, 1]], rows[1][:, [1, 0]]])
    np.testing.assert_array_equal(tf.gather(x, [[0, 1], [1, 0]], batch_dims=-1), expected)
    assert tf.gather(x, [[0], [1]], batch_dims=-2).shape == (2, 2, 1, 4)


def test_transforms_of_complex_lists_keep_their_precision():
    assert tf.signal.fft([1 + 1j, 2]).dtype == tf.complex128
    assert tf.signal.fft([1.0, 2.0]).dtype == tf.complex64
    assert tf.signal.fft(np.array([1.0, 2.0])).dtype == tf.complex64


@pytest.mark.parametrize(
    ("pixel", "expected"),
    [
        ([0.5, 0.5, 0.5], [3.0, 0.0, -2.0]),
        ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
        ([1.0, 0.0, 0.0], [1.0, 1 / 6, -1 / 6]),
        ([0.5, 0.5, 0.2], [1.2444444, 0.5555556, -2.0]),
        ([0.2, 0.2, 0.5], [0.5555556, -2.5555556, 1.8]),
        ([0.5, 0.2, 0.5], [2.3555555, -2.0, -0.5555556]),
    ],
)
def test_gradient_of_hue_saturation_value_at_equal_channels(pixel, expected):
    x = tf.constant([pixel])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.image.rgb_to_hsv(x)
    np.testing.assert_allclose(tape.gradient(y, x)[0], expected, rtol=1e-5, atol=1e-6)


def test_sequence_mask_of_floats():
    mask = tf.sequence_mask([1.5, 2.0], 2.5)
    np.testing.assert_array_equal(mask, [[True, True, False], [True, True, False]])
    with pytest.raises(ValueError, match="scalar"):
        tf.sequence_mask([1, 2], [3])


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_ragged_batches_have_the_row_splits_asked_for(dtype):
    rows = tf.data.Dataset.range(4).map(tf.range).ragged_batch(2, row_splits_dtype=dtype)
    assert next(iter(rows)).row_splits.dtype == dtype
    assert rows.element_spec.row_splits_dtype == dtype
    again = rows.batch(2)
    assert next(iter(again)).row_splits.dtype == dtype
    assert again.element_spec.row_splits_dtype == dtype


def test_row_lengths_decide_the_row_splits_dtype():
    lengths = tf.constant([1, 2], tf.int32)
    assert tf.RaggedTensor.from_row_lengths([1, 2, 3], lengths).row_splits.dtype == tf.int32


def test_means_of_segments_of_integers_are_integers():
    means = tf.math.segment_mean([1, 2, -5, -2], [0, 0, 1, 1])
    assert means.dtype == tf.int32
    np.testing.assert_array_equal(means, [1, -3])


def test_results_with_names_survive_pickle_and_nest():
    found = tf.nn.max_pool_with_argmax(tf.ones((1, 2, 2, 1)), 2, 2, "SAME")
    again = pickle.loads(pickle.dumps(tuple(x.numpy() for x in found)))
    assert len(again) == 2
    doubled = tf.nest.map_structure(lambda x: x * 2, found)
    assert type(doubled) is type(found)
    assert type(pickle.loads(pickle.dumps(type(found)))) is type
    assert doubled.output.numpy().item() == 2


@pytest.mark.parametrize("op", named_results.FIELDS)
def test_fields_are_the_outputs_of_raw_operations(op):
    made = named_results.named(op, list(range(len(named_results.FIELDS[op]))))
    assert type(made).__name__ == op
    assert made._asdict() == dict(zip(named_results.FIELDS[op], range(len(made)), strict=True))


def test_numpy_functions_have_the_dtypes_and_bounds_of_tensorflow():
    numpy = tf.experimental.numpy
    single = tf.constant([1.0, 2.0])
    assert numpy.add([1.0, 2.0], single).dtype == tf.float32
    assert numpy.add([1.0, 2.0], [1.0, 2.0]).dtype == tf.float64
    assert numpy.true_divide(tf.constant([3], tf.uint8), 2).dtype == tf.float32
    assert numpy.trace(tf.ones((2, 2), tf.int8)).dtype == tf.int8
    turned = numpy.angle(np.array([1.0, -1.0]))  # of real numbers, always float32
    assert turned.dtype == tf.float32
    np.testing.assert_allclose(turned, [0, np.pi], rtol=1e-6)
    assert numpy.diag_indices(2)[0].dtype == tf.int32
    assert numpy.cumsum(tf.constant([1, 2], tf.uint8)).dtype == tf.int64
    np.testing.assert_array_equal(numpy.clip([0.0, 2.0, 5.0], 3.0, 1.0), [3, 3, 3])


def test_standardized_images_have_gradients():
    image = tf.constant(np.random.default_rng(1).normal(size=(4, 5, 3)), tf.float32)
    theory, numeric = tf.test.compute_gradient(
        lambda x: tf.image.per_image_standardization(x), [image], delta=1e-2
    )
    np.testing.assert_allclose(theory[0], numeric[0], atol=2e-3)


@pytest.mark.parametrize("name", ["rgb_to_yiq", "rgb_to_yuv", "yiq_to_rgb", "yuv_to_rgb"])
def test_colours_of_integers_are_refused_where_they_have_fractions(name):
    with pytest.raises(TypeError, match="floating"):
        getattr(tf.image, name)(tf.ones((2, 2, 3), tf.uint8))
