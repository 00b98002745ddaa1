"""The predicted peak of a gradient, beside the memory that NumPy allocates."""

import gc
import tracemalloc

import numpy as np
import pytest

import gradtape as tf

draw = np.random.default_rng(0).standard_normal


def tensor(*shape):
    return tf.constant(0.1 * draw(shape), tf.float32)


def variable(*shape):
    return tf.Variable(0.1 * draw(shape).astype("f4"))


def chain(function):
    x = tensor(1 << 18)

    def loss():
        y = x
        for _ in range(20):
            y = function(y)
        return tf.reduce_sum(y)

    return loss, x


def convolutions():
    images = tensor(16, 32, 32, 3)
    sources = [variable(3, 3, 3, 32), variable(32), variable(3, 3, 32, 64), variable(4096, 10)]
    first, bias, second, dense = sources

    def loss():
        x = tf.nn.relu(tf.nn.conv2d(images, first, 1, "SAME") + bias)
        x = tf.nn.max_pool2d(x, 2, 2, "SAME")
        x = tf.nn.avg_pool2d(tf.nn.gelu(tf.nn.conv2d(x, second, 1, "SAME")), 2, 2, "SAME")
        logits = tf.reshape(x, (16, -1)) @ dense
        labels = np.zeros(16, int)
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

    return loss, sources


def transformer(wrap=lambda f: f):
    width, heads = 64, 4
    x = tensor(8, 128, width)
    sources = [variable(width, 3 * width), variable(width, 4 * width), variable(4 * width, width)]

    def block(x):
        mean, scale = (
            tf.reduce_mean(x, -1, True),
            tf.math.rsqrt(tf.math.reduce_variance(x, -1, True)),
        )
        parts = tf.split((x - mean) * scale @ sources[0], 3, -1)
        q, k, v = (tf.transpose(tf.reshape(p, (8, 128, heads, -1)), (0, 2, 1, 3)) for p in parts)
        read = tf.nn.softmax(tf.matmul(q, k, transpose_b=True)) @ v
        x += tf.reshape(tf.transpose(read, (0, 2, 1, 3)), x.shape)
        return x + tf.nn.gelu(x @ sources[1]) @ sources[2]

    block = wrap(block)
    return lambda: tf.reduce_mean(tf.square(block(block(x)))), sources


def embeddings():
    table, weights = variable(5000, 64), variable(64, 64)
    words = np.random.default_rng(0).integers(0, 5000, (64, 128))

    def loss():
        h = tf.nn.embedding_lookup(table, words) + tf.nn.embedding_lookup(table, words[::-1])
        return tf.reduce_sum(tf.gather(tf.tanh(h @ weights), np.arange(32)) ** 2)

    return loss, [table, weights]


def half():
    x = tf.cast(tensor(1 << 20), tf.bfloat16)
    return lambda: tf.reduce_sum(tf.tanh(x) + tf.sigmoid(x) * x), x


def custom():
    @tf.custom_gradient
    def wide(x):
        return x * 2.0, lambda g: tf.reduce_sum(tf.stack([g] * 16), 0)

    x = tensor(1 << 18)
    return lambda: tf.reduce_sum(wide(tf.sin(x))), x


def function():
    weights = variable(256, 256)

    @tf.function
    def layer(x):
        return tf.tanh(tf.sin(x) @ weights)

    x = tensor(1024, 256)
    return lambda: tf.reduce_sum(layer(layer(layer(x)))), [x, weights]


CASES = {
    "tanh": lambda: chain(tf.tanh),
    "relu": lambda: chain(tf.nn.relu),
    "silu": lambda: chain(tf.nn.silu),
    "convolutions": convolutions,
    "transformer": transformer,
    "transformer, recomputed": lambda: transformer(tf.recompute_grad),
    "embeddings": embeddings,
    "bfloat16": half,
    "custom gradient": custom,
    "function": function,
}


def recorded(loss, sources, persistent):
    tape = tf.GradientTape(persistent)
    with tape:
        tape.watch(sources)
        result = loss()
    return tape, result


def measured(loss, sources, persistent):
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tape, result = recorded(loss, sources, persistent)
        gradients = tape.gradient(result, sources)
        assert gradients is not None
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


@pytest.fixture(params=[1, 3])
def _threads(request):
    before = tf.config.threading.get_intra_op_parallelism_threads()
    tf.config.threading.set_intra_op_parallelism_threads(request.param)
    yield
    tf.config.threading.set_intra_op_parallelism_threads(before)


@pytest.mark.usefixtures("_threads")
@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_the_peak_of_a_step(case, persistent):
    loss, sources = CASES[case]()
    measured(loss, sources, persistent)  # caches are filled
    tape, result = recorded(loss, sources, persistent)
    peak = tape.summary().peak
    assert tape.gradient(result, sources) is not None  # the records were kept
    del tape, result
    assert peak == pytest.approx(measured(loss, sources, persistent), rel=0.1)


def test_a_rule_that_fails():
    x = tf.Variable([1.0])
    with tf.GradientTape() as tape:
        y = tf.custom_gradient(lambda x: (x, lambda g: 1 / 0))(x)
    table = tape.summary()
    assert table.peak is None
    assert "peak" not in table.caption
    assert y.shape == (1,)


def test_a_tape_without_records():
    with tf.GradientTape() as tape:
        pass
    assert tape.summary().peak == 0


def test_a_trace_of_memory_goes_on():
    x = tf.Variable([1.0])
    with tf.GradientTape() as tape:
        tf.tanh(x)
    tracemalloc.start()
    try:
        assert tape.summary().peak is not None
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()
