"""Arguments of a wrong form raise what TensorFlow raises, in one operation as in the others."""

import pytest

import gradtape as tf

X = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
SQUARE = tf.constant([[2.0, 1.0], [1.0, 3.0]])
INVALID = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    "call",
    [
        lambda axis: tf.cumsum(X, axis),
        lambda axis: tf.math.cumprod(X, axis),
        lambda axis: tf.math.cumulative_logsumexp(X, axis),
        lambda axis: tf.gather(X, [0], axis=axis),
        lambda axis: tf.split(X, 1, axis),
        lambda axis: tf.argmin(X, axis),
        lambda axis: tf.concat([X, X], [*axis, 1]),
        lambda axis: tf.linspace(1.0, 2.0, 3, axis=axis),
        lambda axis: tf.math.bincount([1], minlength=tf.constant([*axis, 1])),
        lambda axis: tf.linalg.band_part(X, axis, 1),
    ],
)
def test_several_numbers_for_a_tensor_of_one(call):
    with pytest.raises(INVALID, match="must be a scalar"):
        call([0, 1])


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.concat([X, X], None),
        lambda: tf.cumsum(X, None),
        lambda: tf.split(X, 1, None),
        lambda: tf.histogram_fixed_width([1.0], [0.0, 2.0], None),
        lambda: tf.linalg.diag(X, k=None),
        lambda: tf.linalg.band_part(X, None, 1),
    ],
)
def test_none_is_no_tensor(call):
    with pytest.raises(ValueError, match="Attempt to convert a value"):
        call()


@pytest.mark.parametrize(
    ("call", "dtype"),
    [
        (lambda: tf.argmax(X, output_type=None), tf.int64),
        (lambda: tf.histogram_fixed_width([1.0], [0.0, 2.0], dtype=None), tf.int32),
        (lambda: tf.searchsorted([1.0], [2.0], out_type=None), tf.int32),
        (lambda: tf.sequence_mask([1], dtype=None), tf.bool),
        (lambda: tf.unique([1, 1], out_idx=None).idx, tf.int32),
        (lambda: tf.linalg.lu(SQUARE, output_idx_type=None).p, tf.int32),
        (lambda: tf.math.bincount([1], dtype=None), tf.int32),
        (lambda: tf.math.top_k(X, index_type=None).indices, tf.int32),
        (lambda: tf.histogram_fixed_width_bins([1.0], [0.0, 2.0], dtype=tf.int64), tf.int32),
    ],
)
def test_no_dtype_is_the_default(call, dtype):
    assert call().dtype is dtype


@pytest.mark.parametrize(
    "call",
    [
        lambda kind: tf.searchsorted([1.0], [2.0], out_type=kind),
        lambda kind: tf.shape(X, out_type=kind),
        lambda kind: tf.histogram_fixed_width([1.0], [0.0, 2.0], dtype=kind),
        lambda kind: tf.unique([1], out_idx=kind),
        lambda kind: tf.linalg.lu(SQUARE, output_idx_type=kind),
        lambda kind: tf.nn.max_pool_with_argmax(
            tf.ones((1, 2, 2, 1)), 2, 2, "SAME", output_dtype=kind
        ),
    ],
)
def test_places_are_integers(call):
    with pytest.raises(INVALID, match="allowed values: int32, int64"):
        call(tf.float32)


@pytest.mark.parametrize(
    "call",
    [
        tf.strings.length,
        tf.strings.upper,
        tf.strings.reduce_join,
        tf.io.encode_base64,
        tf.image.is_jpeg,
        lambda x: tf.strings.regex_replace(x, "a", "b"),
        lambda x: tf.io.decode_raw(x, tf.int32),
    ],
)
def test_numbers_are_no_strings(call):
    with pytest.raises(INVALID, match="was expected to be a string tensor but is a float tensor"):
        call(X)


@pytest.mark.parametrize("check", [tf.debugging.assert_rank, tf.debugging.assert_rank_at_least])
def test_ranks_are_scalar_integers(check):
    with pytest.raises(ValueError, match="must be a scalar"):
        check(X, [2, 2])
    with pytest.raises(TypeError, match="must be of type"):
        check(X, X)
    with pytest.raises(TypeError, match="must be of type"):
        check(X, 2.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.sort(X, axis=[0]),
        lambda: tf.argsort(X, axis=[0]),
    ],
)
def test_sorting_wants_one_axis(call):
    with pytest.raises(ValueError, match="must be a constant scalar"):
        call()


def test_what_tensorflow_takes():
    assert tf.concat([X, X], [0]).shape == (4, 3)
    assert tf.linalg.lu(tf.zeros((2, 0, 3, 3)))[1].shape == (2, 0, 3)
    assert tf.linalg.matrix_rank(tf.eye(2, batch_shape=[2]), tol=[0.5, 2.0]).numpy().tolist() == [
        1,
        1,
    ]
    v = tf.Variable([1.0, 2.0, 3.0])
    assert v.scatter_nd_add([0, 2], [10.0, 20.0]).numpy().tolist() == [11.0, 2.0, 23.0]
    assert tf.strings.as_string([1.5], precision=None, fill=None).numpy() == [b"1.500000"]
    assert tf.nn.leaky_relu([-1.0], alpha=None).numpy() == [-tf.constant(0.2).numpy()]
    assert tf.strided_slice([1, 2, 3], [1], [3], begin_mask=None).numpy().tolist() == [2, 3]
    mean, _ = tf.nn.moments(X, 0, keepdims=None)
    assert mean.shape == (3,)


def test_other_faults_that_the_comparison_found():
    assert tf.pad(["a"], [[1, 0]]).numpy().tolist() == [b"", b"a"]
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.matmul(X, X, transpose_b=True, output_type=tf.float32)
    assert tape.gradient(y, X).shape == X.shape
    small = tf.constant([[100]], tf.int8)
    assert tf.matmul(small, small, output_type=tf.int32).numpy() == [[10000]]
    assert tf.experimental.numpy.isreal([1.0, float("inf")]).numpy().all()
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.experimental.numpy.imag(X)
    assert tape.gradient(y, X) is None


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.strings.unicode_split("ab", 1),
        lambda: tf.strings.as_string([1], fill=X),
        lambda: tf.io.decode_compressed(["a"], 2),
        lambda: tf.strings.to_hash_bucket_fast(["a"], X),
        lambda: tf.random.stateless_uniform([2], [1, 2], alg=X),
    ],
)
def test_attributes_of_another_type(call):
    with pytest.raises(TypeError):
        call()


def test_weights_of_moments_broadcast_the_values():
    mean, _ = tf.nn.weighted_moments(tf.ones([1]), 0, tf.ones([2, 3]))
    assert mean.shape == [3]
