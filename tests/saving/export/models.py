"""Models that are saved here and loaded, run, differentiated and trained further by TensorFlow.

Each is a module with a function `f`, which has an input signature, and with its variables in the
list `v`; where it has a function `train`, too, that is a step of a training.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import gradtape as tf

MODELS: dict[str, Callable[[], tuple[Any, list[Any]]]] = {}
"""By name, what gives a module and inputs for it."""

_random = np.random.default_rng(7)


def numbers(*shape: int) -> Any:
    """Numbers between 0 and 1."""
    return _random.random(shape)


def spec(*shape: int | None, dtype: Any = tf.float64) -> tf.TensorSpec:
    """A spec of float64."""
    return tf.TensorSpec(shape, dtype)


def model(
    specs: Sequence[Any], variables: Sequence[Any], inputs: Sequence[Any], train: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enters a model whose function is decorated: it takes the variables and the inputs.

    Args:
      specs: The function's input signature.
      variables: The values that the variables begin with.
      inputs: The arguments of the function.
      train: Whether the module has a function that takes a step of gradient descent.
    """

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        def made() -> tuple[Any, list[Any]]:
            module = tf.Module()
            module.v = [tf.Variable(value) for value in variables]
            module.f = tf.function(lambda *xs: function(module.v, *xs), input_signature=specs)
            if train:
                module.train = tf.function(stepping(module, function), input_signature=specs)
            return module, list(inputs)

        MODELS[function.__name__.strip("_")] = made
        return function

    return enter


def loss(out: Any) -> Any:
    """A number of all floating results."""
    flat = [y for y in tf.nest.flatten(out) if y.dtype.is_floating]
    return tf.add_n([tf.reduce_sum(y * y) for y in flat])


def stepping(module: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """A step of gradient descent."""

    def train(*xs: Any) -> Any:
        with tf.GradientTape() as tape:
            found = loss(function(module.v, *xs))
        for variable, g in zip(module.v, tape.gradient(found, module.v), strict=True):
            variable.assign_sub(0.01 * tf.convert_to_tensor(g))
        return found

    return train


@model([spec(None, 3)], [numbers(3, 4), numbers(4)], [numbers(5, 3)], train=True)
def _dense(v: Any, x: Any) -> Any:
    return tf.nn.relu(x @ v[0] + v[1])


@model(
    [spec(None, 3), spec(None, 2)],
    [numbers(3, 4), numbers(4, 2)],
    [numbers(5, 3), numbers(5, 2)],
    train=True,
)
def _two_layers(v: Any, x: Any, y: Any) -> Any:
    return tf.nn.softmax(tf.tanh(x @ v[0]) @ v[1]) - y


@model([spec(None, 8, 8, 2)], [numbers(3, 3, 2, 4), numbers(4)], [numbers(2, 8, 8, 2)], train=True)
def _convolution(v: Any, x: Any) -> Any:
    y = tf.nn.relu(tf.nn.conv2d(x, v[0], 1, "SAME") + v[1])
    return tf.nn.avg_pool2d(tf.nn.max_pool2d(y, 2, 2, "VALID"), 2, 1, "SAME")


@model(
    [spec(None, 7, 7, 2)],
    [numbers(3, 3, 2, 2), numbers(1, 1, 4, 3)],
    [numbers(2, 7, 7, 2)],
    train=True,
)
def _separable_convolution(v: Any, x: Any) -> Any:
    return tf.nn.separable_conv2d(x, v[0], v[1], [1, 2, 2, 1], "SAME")


@model([spec(None, None, 3)], [numbers(3, 3, 4)], [numbers(2, 9, 3)])
def _sequences(v: Any, x: Any) -> Any:
    return tf.nn.conv1d(tf.pad(x, [[0, 0], [2, 0], [0, 0]]), v[0], 1, "VALID")


@model([spec(2, 4, 4, 3)], [numbers(3, 3, 2, 3)], [numbers(2, 4, 4, 3)], train=True)
def _transposed_convolution(v: Any, x: Any) -> Any:
    return tf.nn.conv2d_transpose(x, v[0], [2, 8, 8, 2], 2, "SAME")


@model([spec(None, 4, 4, 4, 2)], [numbers(2, 2, 2, 2, 3)], [numbers(2, 4, 4, 4, 2)])
def _volumes(v: Any, x: Any) -> Any:
    return tf.nn.conv3d(x, v[0], [1, 1, 1, 1, 1], "SAME")


@model([spec(None, 6)], [numbers(6), numbers(6)], [numbers(4, 6)], train=True)
def _normalization(v: Any, x: Any) -> Any:
    mean, variance = tf.nn.moments(x, 1, keepdims=True)
    return tf.nn.gelu((x - mean) * tf.math.rsqrt(variance + 1e-3) * v[0] + v[1])


@model([spec(None, 5, 6)], [numbers(6, 6) for _ in range(3)], [numbers(2, 5, 6)], train=True)
def _attention(v: Any, x: Any) -> Any:
    q, k, values = (tf.einsum("bti,ij->btj", x, w) for w in v)
    return tf.nn.softmax(tf.einsum("bij,bkj->bik", q, k) / 6.0**0.5) @ values


@model([spec(None, dtype=tf.int32)], [numbers(6, 3)], [np.array([0, 2, 2, 5], "i4")], train=True)
def _embedding(v: Any, rows: Any) -> Any:
    found = tf.nn.embedding_lookup(v[0], rows)
    return found, tf.math.unsorted_segment_sum(found, rows, 6)


@model([spec(None, 3)], [numbers(3, 3)], [numbers(6, 3)], train=True)
def _recurrence(v: Any, x: Any) -> Any:
    return tf.scan(lambda a, e: tf.tanh(a @ v[0] + e[None]), x, tf.zeros((1, 3), tf.float64))


@model([spec(None, 3)], [numbers(3)], [numbers(4, 3)])
def _rows(v: Any, x: Any) -> Any:
    return tf.map_fn(lambda row: tf.reduce_sum(row * v[0]), x)


@model([spec(3)], [numbers(3)], [numbers(3)], train=True)
def _loop(v: Any, x: Any) -> Any:
    return tf.while_loop(
        lambda y: tf.reduce_sum(y) < 20.0, lambda y: [y * v[0] + y + x], [x], maximum_iterations=9
    )[0]


@model([spec(3)], [numbers(3)], [numbers(3) - 2.0])
def _choice(v: Any, x: Any) -> Any:
    return tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * v[0], lambda: tf.exp(x) + v[0])


@model([spec(3)], [numbers(3), np.float64(0)], [numbers(3)])
def _choice_that_assigns(v: Any, x: Any) -> Any:
    if tf.reduce_sum(x) > 0.0:
        v[1].assign_add(1.0)
    return x * v[0] * v[1]


@model([spec(3), tf.TensorSpec([], tf.int32)], [numbers(3)], [numbers(3), np.int32(7)])
def _program(v: Any, x: Any, n: Any) -> Any:
    for i in tf.range(n):
        if i % 3 == 0:
            continue
        x = tf.sin(x) * v[0] if tf.reduce_max(x) > 0.5 else x + 1.0
    return x


@model([spec(3, 3)], [np.eye(3) * 3], [numbers(3, 3)], train=True)
def _matrices(v: Any, x: Any) -> Any:
    whole = x @ tf.transpose(x) + v[0] @ tf.transpose(v[0])
    return tf.linalg.cholesky(whole), tf.linalg.solve(whole, x), tf.linalg.logdet(whole)


@model([spec(4, 3)], [numbers(3)], [numbers(4, 3)])
def _decompositions(v: Any, x: Any) -> Any:
    square = tf.transpose(x * v[0]) @ x
    return tf.linalg.svd(x, compute_uv=False), tf.linalg.eigvalsh(square), tf.linalg.qr(x)[1]


@model([spec(None, 8)], [numbers(8)], [numbers(2, 8)])
def _spectra(v: Any, x: Any) -> Any:
    return tf.abs(tf.signal.rfft(x * v[0])), tf.signal.irfft(tf.signal.rfft(x) * 2.0)


@model(
    [spec(None, 4), spec(None, dtype=tf.int32)],
    [numbers(4)],
    [numbers(3, 4), np.array([0, 3, 1], "i4")],
    train=True,
)
def _losses(v: Any, x: Any, labels: Any) -> Any:
    x = x * v[0]
    hot = tf.one_hot(labels, 4, dtype=tf.float64)
    return (
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x),
        tf.nn.softmax_cross_entropy_with_logits(hot, x),
        tf.nn.sigmoid_cross_entropy_with_logits(hot, x),
        tf.nn.log_softmax(x, 0),
    )


@model([spec(None, None)], [numbers(2)], [numbers(5, 4)])
def _slices(v: Any, x: Any) -> Any:
    table = tf.concat([x[::2], x[-1:]], 0) * v[0][0]
    picked = tf.gather(x, [3, 1], axis=1) + v[0]
    return table, picked, tf.reverse(x, [1])[:, None], tf.tile(x, [2, 1])


@model([spec(3, 4)], [numbers(2)], [numbers(3, 4)], train=True)
def _scattered(v: Any, x: Any) -> Any:
    put = tf.tensor_scatter_nd_update(x, [[1, 2]], [v[0][1]])
    return put, tf.scatter_nd([[0], [2]], v[0], [4]), tf.gather_nd(x, [[0, 1], [2, 3]]) * v[0]


@model([spec(None, 4)], [numbers(4)], [numbers(3, 4)])
def _order(v: Any, x: Any) -> Any:
    best = tf.math.top_k(x * v[0], 2)
    falling = tf.sort(x, direction="DESCENDING")
    return falling, best.values, best.indices, tf.argsort(x), tf.argmax(x, 1)


@model([spec(None, None)], [numbers(1)], [numbers(3, 4)])
def _unknown_lengths(v: Any, x: Any) -> Any:
    count = tf.cast(tf.shape(x)[0] * tf.shape(x)[1], tf.float64)
    flat = tf.reshape(x, [-1])
    return flat / count * v[0], tf.ones(tf.shape(x), tf.float64) * x, tf.reduce_mean(x, 0)


@model([spec(3)], [numbers(3)], [numbers(3)])
def _gradient(v: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.tanh(x * v[0]) ** 3.0)
    return tape.gradient(y, x)


@model([spec(3)], [numbers(3)], [numbers(3)])
def _gradient_of_a_loop(v: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.while_loop(
            lambda y: tf.reduce_sum(y) < 9.0, lambda y: [y * v[0] + x], [x], maximum_iterations=5
        )[0]
    return tape.gradient(y, x)


@model([spec(None, 3)], [numbers(3)], [numbers(4, 3)])
def _gradient_of_rows(v: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.scan(lambda a, e: tf.tanh(a * v[0] + e), x, tf.zeros(3, tf.float64))
    return tape.gradient(y, x)


@model([spec(None, 6, 6, 2)], [numbers(3, 3, 2, 2)], [numbers(2, 6, 6, 2)])
def _gradient_of_a_convolution(v: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        y = loss(tf.nn.max_pool2d(tf.nn.conv2d(x, v[0], 2, "SAME"), 2, 1, "VALID"))
    return tape.gradient(y, v[0])


@model([spec(2, 3)], [numbers(3)], [numbers(2, 3)])
def _complex_numbers(v: Any, x: Any) -> Any:
    z = tf.complex(x, v[0] * x)
    return tf.math.real(z * tf.math.conj(z)), tf.abs(tf.exp(z)), tf.math.angle(z)


@model([spec(None, 6, 6, 3)], [numbers(3)], [numbers(2, 6, 6, 3)])
def _pictures(v: Any, x: Any) -> Any:
    patches = tf.image.extract_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID")
    return tf.image.flip_left_right(x) * v[0], patches


@model([spec(None)], [np.float64(2), np.float64(0)], [numbers(3)])
def _counter(v: Any, x: Any) -> Any:
    v[1].assign_add(tf.reduce_sum(x))
    before = v[1] * 1.0
    v[1].assign(v[1] * v[0])
    return before, v[1] + x


@model([spec(None)], [numbers(1)], [numbers(4)])
def _special_functions(v: Any, x: Any) -> Any:
    x = x * v[0] + 0.5
    return tf.math.lgamma(x), tf.math.erf(x), tf.math.digamma(x), tf.math.log1p(x), tf.nn.elu(x)


@model([spec(None, 3)], [numbers(3)], [numbers(4, 3)], train=True)
def _functions_in_functions(v: Any, x: Any) -> Any:
    inner = tf.function(lambda y: tf.nn.softplus(y) * v[0])
    return inner(x) + inner(x * 2.0)


@model([spec(None, 3)], [numbers(3)], [numbers(4, 3)], train=True)
def _own_gradients(v: Any, x: Any) -> Any:
    @tf.custom_gradient
    def clipped(y: Any) -> Any:
        half = y * 0.5
        return tf.sin(y), lambda dy: tf.clip_by_value(dy, -0.1, 0.1) * half * v[0]

    @tf.custom_gradient
    def both(y: Any, w: Any) -> Any:
        def backward(dy: Any, dw: Any) -> Any:
            return 2.0 * dy + w, None if w is None else dw * 3.0

        return (y * 1.0, w + 1.0), backward

    first, second = both(clipped(x), v[0])
    return first * second, tf.grad_pass_through(tf.round)(x)


@model([spec(2, 4, 4, 3, dtype=tf.float32)], [np.float32(0.5)], [numbers(2, 4, 4, 3).astype("f4")])
def _colors(v: Any, x: Any) -> Any:
    image = tf.image
    boxes = [[[0.1, 0.1, 0.8, 0.8]]] * 2
    changed = (
        image.adjust_hue(x, 0.2),
        image.adjust_saturation(x, 0.5),
        image.adjust_contrast(x, 0.5),
        image.hsv_to_rgb(x),
        image.rgb_to_hsv(x),
        image.resize(x, [2, 2], "area"),
        image.draw_bounding_boxes(x, boxes, [[1.0, 0.0, 0.5]]),
    )
    return (
        *[tf.stop_gradient(y) for y in changed],  # which have no gradient, or not in both
        tf.quantization.fake_quant_with_min_max_args(x * v[0], -1.0, 1.0),
        tf.quantization.fake_quant_with_min_max_vars(x, -1.0, 1.0, num_bits=4),
    )


@model([spec(None, 3, 3)], [numbers(3, 3)], [4 * numbers(3, 3, 3)], train=True)
def _matrix_exponential(v: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.linalg.expm(x * 0.5)
    return tf.linalg.expm((x - 2.0) * v[0]), tape.gradient(y, x)


def _windows_of(x: Any) -> Any:
    return (
        tf.nn.pool(x, [2, 3], "MAX", padding="SAME", dilations=[2, 1]),
        tf.nn.pool(x, [2, 2], "AVG", padding="SAME", dilations=[2, 2]),
        tf.nn.max_pool2d(x, [2, 3], 2, [[0, 0], [1, 0], [0, 2], [0, 0]]),
    )


@model([spec(None, 7, 6, 2)], [numbers(2)], [numbers(2, 7, 6, 2)], train=True)
def _dilated_pooling(v: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loss(_windows_of(x))
    return *_windows_of(x * v[0]), tape.gradient(y, x)


@model([spec(None, None, None, 2)], [numbers(2)], [numbers(2, 7, 6, 2)])
def _pooling_of_unknown_sizes(v: Any, x: Any) -> Any:
    return _windows_of(x * v[0])


@model([spec(2, 5, 6, 7, 1)], [numbers(1)], [numbers(2, 5, 6, 7, 1)])
def _pooling_of_volumes(v: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.pool(x, [2, 2, 3], "MAX", padding="VALID", dilations=[2, 1, 1])
    return y * v[0], tape.gradient(y, x)


@model(
    [spec(5, None, 4), spec(None, None, dtype=tf.int32), *[spec(None, dtype=tf.int32)] * 2],
    [numbers(4)],
    [
        numbers(5, 4, 4),
        np.array([[1, 2, 2], [3, 1, 0], [2, 0, 0], [1, 3, 1]], "i4"),
        np.array([3, 2, 0, 3], "i4"),
        np.array([5, 4, 3, 5], "i4"),
    ],
    train=True,
)
def _alignments(v: Any, x: Any, labels: Any, label_length: Any, logit_length: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.ctc_loss(labels, x, label_length, logit_length)
    last = tf.nn.ctc_loss(labels - 1, x * v[0], label_length, logit_length, blank_index=-1)
    return y, last, tf.stop_gradient(tape.gradient(y, x))


@model(
    [spec(None, None, None, 3, dtype=tf.float32), spec(3, 4, dtype=tf.float32)],
    [np.float32(0.5)],
    [numbers(2, 5, 4, 3).astype("f4"), numbers(3, 4).astype("f4")],
)
def _more_pictures(v: Any, x: Any, y: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        least, most = tf.constant(-0.3), tf.constant(0.6)
        tape.watch([least, most])
        quantized = tf.quantization.fake_quant_with_min_max_vars(x, least, most, num_bits=4)
    steps = tape.gradient(quantized, [x, least, most])
    at = [[0.5, -1.5], [2.0, 1.0]]
    glimpse = tf.image.extract_glimpse(x, [3, 2], at, False, False, "zero")
    centre = tf.image.extract_glimpse(tf.ones([2, 5, 4, 3]), [3, 2], at, noise="zero")
    fit = tf.nn.isotonic_regression(y, decreasing=False)
    nearest = tf.image.resize(x, [3, 7], "nearest")
    rounded = tf.raw_ops.Cast(x=x, DstT=tf.bfloat16, Truncate=True)
    return (
        *[tf.stop_gradient(part) for part in (*steps, glimpse, centre)],
        fit.output * v[0],
        fit.segments,
        nearest,
        tf.cast(tf.stop_gradient(rounded), tf.float32),
    )


@model([spec(2, 3, 3, 8)], [numbers(8)], [numbers(2, 3, 3, 8)])
def _gradient_of_patches(v: Any, x: Any) -> Any:
    image = tf.ones([2, 4, 4, 2], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(image)
        y = tf.image.extract_patches(image, [1, 2, 2, 1], [1] * 4, [1] * 4, "VALID")
    return tape.gradient(y, image, x * v[0])


@model(
    [spec(None, None), spec(None, None, 2), spec(None, None, dtype=tf.int32)],
    [numbers(1)],
    [numbers(4, 2), numbers(3, 4, 2), np.array([[0, 3], [1, 1], [2, 0]], "i4")],
    train=True,
)
def _gathered(v: Any, x: Any, y: Any, places: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = loss((tf.gather(x, places), tf.gather(y, places, batch_dims=1)))
    return [part * v[0] for part in tape.gradient(z, [x, y])]


@model([spec(None, 7, 7, 2)], [numbers(3, 3, 2, 2)], [numbers(2, 7, 7, 2)], train=True)
def _dilated_depthwise_convolution(v: Any, x: Any) -> Any:
    return tf.nn.depthwise_conv2d(x, v[0], [1, 1, 1, 1], "SAME", dilations=[2, 2])


@model([spec(None, 5, 4, 4, 2)], [numbers(2)], [numbers(2, 5, 4, 4, 2)], train=True)
def _pooling_of_float64_volumes(v: Any, x: Any) -> Any:
    return tf.nn.avg_pool3d(x * v[0], 2, 2, "SAME"), tf.nn.max_pool3d(x * v[0], 2, 1, "VALID")
