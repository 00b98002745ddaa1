"""Sums, means and products of 16-bit floats: accumulated wider, and rounded once."""

from __future__ import annotations

import numpy as np
import pytest
from checks import all_outputs, draw, rng
from samples import SAMPLES

import gradtape as tf

HALVES = ["bfloat16", "float16"]
EPS = {"bfloat16": 2.0**-7, "float16": 2.0**-10}  # the distance from 1 to the next number
IDS = np.arange(3000) % 3
ROWS = (np.arange(3000) % 3)[:, None]


def ones(*shape):
    return np.ones(shape)


def positive(*shape):
    """Numbers that don't cancel: a sum of n of them is known to about one part in 1 / eps."""
    return np.random.default_rng(len(shape) + sum(shape)).uniform(0.5, 1.5, shape)


def gradient(call, xs):
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = call(*xs)
    return [y, *tape.gradient(y, xs, unconnected_gradients="zero")]


def halves(arrays, dtype):
    return [tf.cast(tf.constant(np.asarray(a, np.float32)), dtype) for a in arrays]


def wide(x):
    return tf.cast(tf.convert_to_tensor(x), tf.float64).numpy()


FROM_TENSORFLOW = [  # what TensorFlow 2.21 answers in bfloat16
    ("sum of all", lambda: tf.reduce_sum(tf.ones((1000, 1000), tf.bfloat16)), 999424.0),
    ("sum of rows", lambda: tf.reduce_sum(tf.ones((3, 1000), tf.bfloat16), 1), [1000.0] * 3),
    ("sum of columns", lambda: tf.reduce_sum(tf.ones((1000, 3), tf.bfloat16), 0), [1000.0] * 3),
    ("mean", lambda: tf.reduce_mean(tf.ones((1000, 1000), tf.bfloat16)), 1.0),
    ("einsum", lambda: tf.einsum("ij->i", tf.ones((2, 1000), tf.bfloat16)), [1000.0] * 2),
    ("trace", lambda: tf.linalg.trace(tf.ones((600, 600), tf.bfloat16)), 600.0),
    ("norm of order 1", lambda: tf.norm(tf.ones(3000, tf.bfloat16), 1), 3008.0),
    ("add_n of 600", lambda: tf.add_n([tf.ones(1, tf.bfloat16)] * 600), [600.0]),
    ("running sum", lambda: tf.cumsum(tf.ones(300, tf.bfloat16))[-1], 256.0),
    (
        "sum of a segment",
        lambda: tf.math.segment_sum(tf.ones(300, tf.bfloat16), [0] * 300),
        [256.0],
    ),
]


@pytest.mark.parametrize(
    ("call", "want"), [c[1:] for c in FROM_TENSORFLOW], ids=[c[0] for c in FROM_TENSORFLOW]
)
def test_values_as_tensorflow(call, want):
    np.testing.assert_array_equal(wide(call()), want)


def test_the_gradient_by_a_scalar_that_was_broadcast():
    v, x = tf.constant(1.0, tf.bfloat16), tf.ones((1000, 1000), tf.bfloat16)
    _, g, _ = gradient(lambda v, x: tf.reduce_mean(v * x), [v, x])
    assert float(g) == 1.0


def test_the_gradient_of_a_mean_of_more_elements_than_float16_counts():
    """TensorFlow's is 0: it divides by infinity."""
    _, g = gradient(tf.reduce_mean, [tf.ones((300, 300), tf.float16)])
    np.testing.assert_allclose(wide(g), 1 / 90000, 0, 2.0**-24)


@pytest.mark.parametrize("dtype", HALVES)
def test_the_gradient_by_a_bias(dtype):
    x, b = halves([ones(5000, 3), ones(3)], dtype)
    g = gradient(tf.nn.bias_add, [x, b])[2]
    want = {"bfloat16": 4992.0, "float16": 5000.0}[dtype]
    np.testing.assert_array_equal(wide(g), [want] * 3)


def test_a_product_is_rounded_once():
    x = tf.constant([1.01] * 300, tf.bfloat16)
    exact = float(x[0]) ** 300
    assert abs(float(tf.reduce_prod(x)) - exact) <= exact * EPS["bfloat16"] / 2


@pytest.mark.parametrize("dtype", HALVES)
def test_a_value_used_many_times_gathers_its_gradients_exactly(dtype):
    x = tf.constant([1.0, 2.0], dtype)
    _, g = gradient(lambda x: sum((x * 1.0 for _ in range(400)), x), [x])
    assert g.dtype == dtype
    np.testing.assert_allclose(wide(g), [401, 401], EPS[dtype])


@pytest.mark.parametrize("dtype", HALVES)
def test_gradients_of_many_uses_to_second_order(dtype):
    x = tf.constant([1.0, 2.0], dtype)
    with tf.GradientTape() as outer:
        outer.watch(x)
        _, g = gradient(lambda x: sum((x * x * 0.5 for _ in range(400)), x), [x])
    np.testing.assert_allclose(wide(g), [401, 801], EPS[dtype])
    np.testing.assert_allclose(wide(outer.gradient(g, x)), [400, 400], EPS[dtype])


@pytest.mark.parametrize("dtype", HALVES)
def test_rows_and_whole_gradients_of_one_value_add_up(dtype):
    x = tf.ones((3, 2), dtype)

    def uses(x):
        total = tf.reduce_sum(tf.gather(x, [0, 0, 2]))
        for _ in range(300):
            total += tf.reduce_sum(x * 1.0)
        return total + tf.reduce_sum(tf.gather(x, [1]))

    _, g = gradient(uses, [x])
    np.testing.assert_allclose(wide(g), [[302] * 2, [301] * 2, [301] * 2], EPS[dtype])


REDUCTIONS = (
    *("reduce_sum", "reduce_mean", "reduce_variance", "reduce_euclidean_norm"),
    "reduce_logsumexp",
)
LARGE = {
    **{
        f"{name} {axis}": (lambda x, f=name, a=axis: getattr(tf.math, f)(x, a), [(40, 50, 30)])
        for name in REDUCTIONS
        for axis in (None, 0, 1, 2, (0, 1), (0, 2), (1, 2))
    },
    "segment_mean": (lambda x: tf.math.unsorted_segment_mean(x, IDS, 3), [(3000, 2)]),
    "segment_mean, sorted": (lambda x: tf.math.segment_mean(x, np.sort(IDS)), [(3000, 2)]),
    "bias_add": (tf.nn.bias_add, [(3000, 3), (3,)]),
    "x + b": (lambda x, b: x + b, [(3000, 3), (3,)]),
    "x * b": (lambda x, b: x * b, [(3, 3000), (3, 1)]),
    "x / v": (lambda x, v: x / v, [(3000,), ()]),
    "where": (lambda x, v: tf.where(x > 1, x, v), [(3000,), ()]),
    "broadcast_to": (lambda x: tf.broadcast_to(x, (3000, 3)), [(3,)]),
    "tile": (lambda x: tf.tile(x, (1000, 3)), [(2, 3)]),
    "repeat": (lambda x: tf.repeat(x, 1000, 0), [(2, 3)]),
    "matmul": (tf.matmul, [(10, 3000), (3000, 4)]),
    "matmul of stacks": (tf.matmul, [(700, 3, 4), (1, 4, 3)]),
    "matvec": (tf.linalg.matvec, [(10, 3000), (3000,)]),
    "tensordot": (lambda a, b: tf.tensordot(a, b, 2), [(4, 50, 60), (50, 60, 3)]),
    "einsum of one": (lambda x: tf.einsum("ij->j", x), [(3000, 4)]),
    "einsum of two": (lambda x, y: tf.einsum("bi,bj->ij", x, y), [(3000, 3), (3000, 4)]),
    "conv2d": (lambda x, k: tf.nn.conv2d(x, k, 1, "SAME"), [(2, 16, 16, 16), (5, 5, 16, 2)]),
    "depthwise": (
        lambda x, k: tf.nn.depthwise_conv2d(x, k, (1, 1, 1, 1), "SAME"),
        [(2, 16, 16, 2), (9, 9, 2, 2)],
    ),
    "avg_pool": (lambda x: tf.nn.avg_pool2d(x, 16, 16, "SAME"), [(2, 32, 32, 2)]),
    "avg_pool, overlapping": (lambda x: tf.nn.avg_pool2d(x, 24, 1, "SAME"), [(1, 32, 32, 2)]),
    "avg_pool3d": (lambda x: tf.nn.avg_pool3d(x, 8, 8, "SAME"), [(1, 16, 16, 16, 2)]),
    "extract_patches": (
        lambda x: tf.image.extract_patches(x, [1, 8, 8, 1], [1] * 4, [1] * 4, "SAME"),
        [(1, 32, 32, 2)],
    ),
    "l2_loss": (tf.nn.l2_loss, [(3000,)]),
    "moments": (lambda x: tf.nn.moments(x, [0])[0], [(3000, 4)]),
    "add_n": (lambda *xs: tf.add_n(xs), [(4,)] * 30),
    "local response": (lambda x: tf.nn.lrn(x, 5), [(1, 3, 3, 32)]),
    "trace": (tf.linalg.trace, [(600, 600)]),
    "l2_normalize": (lambda x: tf.nn.l2_normalize(tf.stop_gradient(x), 0), [(3000, 2)]),
}
# Rules that round between steps lose some units; a sum that stops growing loses a hundred.
UNITS = {"reduce_variance": 4, "local response": 6, "avg_pool": 2}


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("fill", [ones, positive])
def test_long_sums_against_float64(name, dtype, fill):
    call, shapes = LARGE[name]
    if name.startswith("reduce_variance") and fill is ones:
        return  # its gradient is what rounding leaves
    xs = halves([fill(*shape) for shape in shapes], dtype)
    got = gradient(call, xs)
    if name == "local response":
        want = gradient(call, [tf.cast(x, tf.float32) for x in xs])
    else:
        want = gradient(call, [tf.cast(x, tf.float64) for x in xs])
    units = next((n for key, n in UNITS.items() if name.startswith(key)), 1.5)
    for g, w in zip(got, want, strict=True):
        assert g.dtype == dtype
        if np.abs(wide(w)).max() > 60000:
            continue  # more than float16 holds
        scale = np.maximum(np.abs(wide(w)), np.abs(wide(w)).mean())
        limit = units * EPS[dtype] * scale + 2.0**-24  # and float16's smallest number
        assert (np.abs(wide(g) - wide(w)) <= limit).all()


def _in_halves_and_wide(sample, dtype):
    """The results and gradients in 16 bits, and in float64 of the same numbers."""
    xs = [np.asarray(x).astype(dtype) for x in sample.inputs]
    found = []
    for kind in (dtype, np.float64):
        inputs = [tf.constant(x.astype(kind)) for x in xs]
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            ys = all_outputs(sample.call, inputs)
        live = [y for y in ys if y.dtype.is_floating]
        us = [draw(rng(sample.id), wide(y)).astype(dtype).astype(kind) for y in live]
        gs = tape.gradient(live, inputs, output_gradients=[tf.constant(u) for u in us])
        found.append(
            live + [tf.zeros_like(x) if g is None else g for g, x in zip(gs, inputs, strict=True)]
        )
    return found


SINGLE = ("Cast-real", "Complex", "Mean-per_image")  # what makes float32 or complex numbers
ROUNDED = ("Sum", "Mean", "Prod", "MatMul", "Einsum", "Conv2D", "AvgPool", "BiasAdd", "Softmax")
LIMITS = ("UnsortedSegmentMax", "UnsortedSegmentMin")  # an empty segment has the dtype's limit


def _takes_halves(sample):
    real = all(np.asarray(x).dtype.kind != "c" for x in sample.inputs)
    return real and sample.single and not sample.id.startswith(SINGLE)


@pytest.mark.parametrize("dtype", ["bfloat16", pytest.param("float16", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "sample", [pytest.param(s, id=s.id) for s in SAMPLES if _takes_halves(s) and s.op not in LIMITS]
)
def test_every_sample_against_float64(sample, dtype):
    """Each result is rounded by its dtype's epsilon a few times, on its way from exact inputs.

    What knows no 16-bit floats, such as decompositions of matrices, says so.
    """
    try:
        got, want = _in_halves_and_wide(sample, tf.as_dtype(dtype).as_numpy_dtype)
    except (
        ValueError,
        TypeError,
        tf.errors.InvalidArgumentError,
        tf.errors.NotFoundError,
    ) as error:
        named = any(word in str(error) for word in (dtype, "half"))
        if named and sample.op not in ROUNDED:
            return
        raise
    scale = max([np.abs(wide(w)).max(initial=0) for w in want] + [1e-2])
    for g, w in zip(got, want, strict=True):
        assert g.dtype == dtype
        np.testing.assert_allclose(wide(g), wide(w), 0, 4 * EPS[dtype] * scale)


@pytest.mark.parametrize("dtype", [f"{s}int{n}" for s in ("", "u") for n in (8, 16, 32, 64)])
def test_the_mean_of_integers_is_that_of_a_wide_sum(dtype):
    """As in TensorFlow, whose sums and products of integers wrap around."""
    x = tf.fill(300, tf.constant(100, dtype))
    assert tf.reduce_mean(x).dtype == dtype
    assert tf.reduce_mean(x).numpy() == 100
    assert tf.reduce_mean(x[None], 1, keepdims=True).numpy().tolist() == [[100]]
    assert tf.reduce_mean(x[:0]).numpy() == 0
    whole = np.full(300, 100, dtype)
    assert tf.reduce_sum(x).numpy() == whole.sum(dtype=dtype)
    assert tf.reduce_prod(x).numpy() == whole.prod(dtype=dtype)
    rows = tf.constant([[100, 100], [27, 3]], dtype)
    np.testing.assert_array_equal(tf.reduce_mean(rows, 0), [63, 51])
    np.testing.assert_array_equal(tf.reduce_mean(rows, 1), [100, 15])


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_the_mean_of_integers_is_rounded_towards_zero(dtype):
    assert tf.reduce_mean(tf.constant([-1, -2, -2], dtype)).numpy() == -1


@pytest.mark.parametrize("dtype", HALVES)
def test_further_operations_keep_their_dtype(dtype):
    """np.clip and np.finfo do not know bfloat16."""
    x = tf.constant([-1.0, 3.0, 7.0], dtype)
    y, g = gradient(tf.nn.relu6, [x])
    assert y.dtype == g.dtype == dtype
    np.testing.assert_array_equal(wide(y), [0, 3, 6])
    image = tf.reshape(x, (1, 1, 3, 1))
    out = tf.nn.dilation2d(
        image, tf.zeros((1, 2, 1), dtype), (1, 1, 1, 1), "SAME", "NHWC", (1, 1, 1, 1)
    )
    assert out.dtype == dtype
    np.testing.assert_array_equal(wide(out).ravel(), [3, 7, 7])
    tf.debugging.assert_near(x, x)
