"""The errors during tracing that replace those of kernels."""

import pytest

import gradtape as tf
from gradtape._src.autograph.errors_while_tracing import (
    as_of_shapes,
    while_tracing,
)
from gradtape._src.base.errors import About, invalid_argument

WRONG_SHAPE = "Incompatible shapes: [2] vs. [3]"


def made(message):
    return tf.errors.InvalidArgumentError(None, None, message)


def test_what_a_program_raises_stays():
    kinds = []

    @tf.function
    def raising(x):
        try:
            raise made(WRONG_SHAPE)
        except tf.errors.InvalidArgumentError as error:
            kinds.append(type(while_tracing(error)))
        return x

    raising(tf.ones([]))
    assert kinds == [tf.errors.InvalidArgumentError]


def test_errors_outside_of_traces_stay():
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.ones([2]) + tf.ones([3])
    assert while_tracing(caught.value) is caught.value


@pytest.mark.parametrize(
    ("about", "known", "unknown"),
    [
        (About.DTYPES, TypeError, TypeError),
        (About.ATTRIBUTES, ValueError, ValueError),
        (About.SHAPES, ValueError, tf.errors.InvalidArgumentError),
        (About.VALUES, tf.errors.InvalidArgumentError, tf.errors.InvalidArgumentError),
    ],
)
def test_what_an_error_is_about_decides(about, known, unknown):
    error = invalid_argument("", about)
    assert type(as_of_shapes(error)) is known
    assert type(as_of_shapes(error, shapes_are_known=False)) is unknown


IMAGE = tf.ones([1, 4, 4, 1])
FILTER = tf.ones([2, 2, 1, 1])


def exception(run):
    """The type of the exception that a compiled function raises."""
    with pytest.raises(Exception) as caught:
        tf.function(run)()
    return caught.type


@pytest.mark.parametrize(
    "run",
    [
        lambda: tf.ones([2]) + tf.constant(1),
        lambda: tf.math.bessel_i0(tf.constant(1)),
        lambda: tf.reshape(tf.ones([2]), [1.5]),
        lambda: tf.gather(tf.ones([2]), [0.5]),
        lambda: tf.one_hot([0.5], 3),
        lambda: tf.math.in_top_k([0.5], tf.ones([1, 2]), 1),
        lambda: tf.constant([1, "a"]),
    ],
)
def test_errors_of_dtypes(run):
    assert exception(run) is TypeError


@pytest.mark.parametrize(
    "run",
    [
        lambda: tf.nn.max_pool2d(IMAGE, 2, 1, "nonsense"),
        lambda: tf.nn.conv2d(IMAGE, FILTER, 1, "SAME", data_format="nonsense"),
        lambda: tf.nn.conv2d(IMAGE, FILTER, -1, "SAME"),
        lambda: tf.nn.conv2d(IMAGE, FILTER, 1, "SAME", dilations=-1),
        lambda: tf.linalg.diag_part(tf.ones([2, 2]), k=(0, 1), align="nonsense"),
        lambda: tf.split(tf.ones([2]), -1),
        lambda: tf.raw_ops.QuantizeV2(
            input=tf.ones([2]), min_range=0.0, max_range=1.0, T=tf.quint8, mode="nonsense"
        ),
        lambda: tf.raw_ops.AddN(inputs=[]),
    ],
)
def test_errors_of_attributes(run):
    assert exception(run) is ValueError


@pytest.mark.parametrize(
    "run",
    [
        lambda: tf.tile(tf.ones([2, 2]), [1, -7]),
        lambda: tf.transpose(tf.ones([2, 3]), [0, 5]),
        lambda: tf.reverse(tf.ones([2, 3]), [5]),
        lambda: tf.one_hot([1], -2),
        lambda: tf.math.top_k(tf.ones([3]), -1),
        lambda: tf.pad(tf.ones([2, 2]), [[-1, 1], [0, 0]]),
        lambda: tf.linalg.diag([1.0, 2.0], k=(3, 1)),
        lambda: tf.debugging.assert_equal([1, 2], [1, 2, 3]),
        lambda: tf.tensor_scatter_nd_update(tf.ones([0]), [[0]], [1.0]),
        lambda: tf.nn.pool(IMAGE, [-1, 2], "AVG"),
    ],
)
def test_errors_of_shapes(run):
    assert exception(run) is ValueError


@pytest.mark.parametrize(
    "run",
    [
        lambda: tf.tile(tf.ones([2, 2]), [1, -1]),
        lambda: tf.roll(tf.ones([2, 2]), 1, 5),
        lambda: tf.cumsum([1.0], 5),
        lambda: tf.gather_nd(tf.ones([0, 3]), [[0]]),
        lambda: tf.unravel_index([9], [2, 2]),
        lambda: tf.raw_ops.Bucketize(input=[1.0], boundaries=[3.0, 1.0]),
        lambda: tf.pad(tf.ones([2, 2]), [[5, 5], [0, 0]], "REFLECT"),
        lambda: tf.random.uniform([2], 5, 1, "int32"),
        lambda: tf.quantization.fake_quant_with_min_max_args([1.0], num_bits=99),
        lambda: tf.strings.unicode_decode([b"a"], "nonsense"),
        lambda: tf.image.non_max_suppression(tf.ones([1, 4]), [1.0], 1, iou_threshold=5.0),
        lambda: tf.nn.avg_pool1d(tf.ones([1, 4, 1]), -2, 1, "SAME"),
        lambda: tf.io.decode_csv(["a"], [[1]]),
        lambda: tf.sparse.map_values(
            tf.add, tf.SparseTensor([[2]], [1.0], [3]), tf.SparseTensor([[1]], [1.0], [3])
        ),
    ],
)
def test_errors_of_values(run):
    assert exception(run) is tf.errors.InvalidArgumentError
