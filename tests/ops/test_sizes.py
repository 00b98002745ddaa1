"""Tensors of any size: what no memory can hold is refused as TensorFlow refuses it.

Integers have TensorFlow's dtypes even where NumPy's own integer has 32 bits: run these tests on
WebAssembly to see it.
"""

import math
import sys

import numpy as np
import pytest

import gradtape as tf

HUGE = 2**60
BEYOND = [2**48, HUGE, 2**62]  # more bytes than a program can address
MAKERS = {
    "zeros": lambda n: tf.zeros([n, 2]),
    "ones": lambda n: tf.ones([n, 2]),
    "strings": lambda n: tf.zeros([n, 2], tf.string),
    "fill": lambda n: tf.fill([n, 2], 1.0) + 1,
    "broadcast_to": lambda n: tf.broadcast_to(1.0, [n, 2]) + 1,
    "constant": lambda n: tf.constant(1.0, shape=[n, 2]) + 1,
    "eye": lambda n: tf.eye(n, 2),
    "eye of a batch": lambda n: tf.eye(2, batch_shape=[n]),
    "range": lambda n: tf.range(tf.constant(n, tf.int64)),
    "range down": lambda n: tf.range(tf.constant(n, tf.int64), 0, -1),
    "range of floats": lambda n: tf.range(tf.constant(n, tf.float64)),
    "linspace": lambda n: tf.linspace(0.0, 1.0, tf.constant(n, tf.int64)),
    "sequence_mask": lambda n: tf.sequence_mask([1], tf.constant(n, tf.int64)),
    "pad": lambda n: tf.pad([1.0], tf.constant([[0, n]], tf.int64)),
    "tile": lambda n: tf.tile([1.0, 2.0], tf.constant([n], tf.int64)),
    "scatter_nd": lambda n: tf.scatter_nd(tf.constant([[0]], tf.int64), [1.0], [n]),
    "unsorted_segment_sum": lambda n: tf.math.unsorted_segment_sum([1.0], [0], n),
    "normal": lambda n: tf.random.normal([n]),
    "truncated_normal": lambda n: tf.random.truncated_normal([n]),
    "uniform": lambda n: tf.random.uniform([n], 0, 9, tf.int64),
    "gamma": lambda n: tf.random.gamma([n], 1.0),
    "poisson": lambda n: tf.random.poisson([n], 1.0),
    "stateless_uniform": lambda n: tf.random.stateless_uniform([n], seed=[1, 2]),
    "a generator": lambda n: tf.random.Generator.from_seed(1).normal([n]),
    "ragged.range": lambda n: tf.ragged.range([tf.constant(n, tf.int64)]),
    "sparse.eye": tf.sparse.eye,
    "sparse.to_dense": lambda n: tf.sparse.to_dense(tf.SparseTensor([[0, 0]], [1.0], [n, 2])),
    "hann_window": tf.signal.hann_window,
    "kaiser_bessel_derived_window": tf.signal.kaiser_bessel_derived_window,
    "vorbis_window": tf.signal.vorbis_window,
    "histogram_fixed_width": lambda n: tf.histogram_fixed_width([1.0], [0.0, 5.0], n),
    "numpy.zeros": lambda n: tf.experimental.numpy.zeros([n, 2]),
    "numpy.eye": lambda n: tf.experimental.numpy.eye(n, 2),
    "numpy.tri": lambda n: tf.experimental.numpy.tri(n, 2),
    "numpy.arange": tf.experimental.numpy.arange,
    "initializer": lambda n: tf.random_normal_initializer()([n, 2]),
    "a sum of two": lambda n: tf.reduce_sum(tf.ones([n, 1]) + tf.ones([1, n])),
}


@pytest.mark.parametrize("size", BEYOND)
@pytest.mark.parametrize("make", MAKERS)
def test_what_no_memory_holds(make, size):
    errors = [tf.errors.ResourceExhaustedError]
    if size == BEYOND[-1]:  # 64 bits cannot count the elements of some of them
        errors.append(tf.errors.InvalidArgumentError)
    with pytest.raises(tuple(errors)):
        MAKERS[make](size)


def test_the_error_names_shape_and_operation():
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"shape\[1152921504606846976,2\]"):
        tf.zeros([HUGE, 2])
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"\[Op:TruncatedNormal\]"):
        tf.random.truncated_normal([HUGE])


@pytest.mark.parametrize("make", [tf.zeros, tf.ones, lambda s: tf.fill(s, 1.0), tf.random.normal])
def test_shapes_that_cannot_be(make):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"more than 2\*\*63 - 1 elements"):
        make([2**32, 2**32])
    with pytest.raises(tf.errors.InvalidArgumentError, match="even an empty one"):
        make([0, 2**32, 2**32])
    with pytest.raises(ValueError, match="out-of-range integer"):
        make([2**64])


def test_a_range_as_long_as_a_number_is_large():
    """NumPy makes an empty array of it."""
    with pytest.raises(tf.errors.ResourceExhaustedError, match="Range"):
        tf.range(tf.constant(2**63 - 1, tf.int64))


def test_ranges_keep_their_ends():
    for begin, end, step in [(0, 0, 1), (3, 18, 5), (3, 19, 5), (18, 3, -5), (0, -1, -7)]:
        found = tf.range(begin, end, step)
        assert found.dtype is tf.int32
        assert found.numpy().tolist() == list(range(begin, end, step))


def test_the_number_of_elements_does_not_wrap_round():
    side = math.isqrt(sys.maxsize + 1) * 2  # its square is a multiple of what an address counts
    with pytest.raises(tf.errors.OpError):
        tf.constant(1.0, shape=[side, side])


def test_integers_have_the_width_that_tensorflow_gives_them():
    true = tf.zeros([1, 1], tf.int64)
    assert tf.random.all_candidate_sampler(true, 1, 3, unique=True)[0].dtype is tf.int64
    for pseudo in (False, True):
        _, rows, columns = tf.nn.fractional_max_pool(tf.ones([1, 6, 6, 1]), 1.4, pseudo)
        assert rows.dtype is columns.dtype is tf.int64
    assert tf.ragged.constant([[1], [2, 3]]).row_splits.dtype is tf.int64


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_lengths_that_differ_between_examples(dtype):
    lengths = tf.constant([[1, 2], [0, 3]], dtype)
    x = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    found = tf.vectorized_map(lambda n: tf.sequence_mask(n, 3), lengths)
    assert found.numpy().tolist() == tf.sequence_mask(lengths, 3).numpy().tolist()
    turned = tf.vectorized_map(lambda a: tf.reverse_sequence(*a, seq_axis=1), (x, lengths))
    for row, want in zip(turned, zip(x, lengths, strict=True), strict=True):
        assert row.numpy().tolist() == tf.reverse_sequence(*want, seq_axis=1).numpy().tolist()
