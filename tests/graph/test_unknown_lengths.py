"""Functions traced for unknown lengths: values, gradients and derivatives for every length."""

import threading

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.graph.nested import graph_call

LENGTHS = (1, 4, 5)


def spec(*shape):
    return tf.TensorSpec(list(shape), tf.float32)


def counted_up(*shape):
    return tf.constant(np.arange(np.prod(shape)).reshape(shape).astype(np.float32))


def gradients(function, *tensors):
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        loss = function(*tensors)
    return [tf.convert_to_tensor(g).numpy() for g in tape.gradient(loss, tensors)]


def same_gradients(function, *tensors):
    for traced, eager in zip(
        gradients(function, *tensors), gradients(function.python_function, *tensors), strict=True
    ):
        np.testing.assert_allclose(traced, eager, rtol=1e-6)


OPERATIONS = {
    "sort": lambda x: tf.sort(x, 0),
    "cumsum": lambda x: tf.cumsum(x, 0),
    "max": lambda x: tf.reduce_max(x, 0),
    "prod": lambda x: tf.reduce_prod(x + 1, 0),
    "gather": lambda x: tf.gather(x, [0]),
    "slice": lambda x: x[:1],
    "mean": tf.reduce_mean,
    "std": lambda x: tf.math.reduce_std(x, 0),
    "pad": lambda x: tf.pad(x, [[1, 0], [0, 0]]),
    "split": lambda x: tf.split(x, 3, 1)[0],
    "stack": lambda x: tf.stack([x, x]),
    "einsum": lambda x: tf.einsum("ij,kj->ik", x, x),
    "norm": lambda x: tf.norm(x + 1, axis=0),
    "log_softmax": lambda x: tf.nn.log_softmax(x, 0),
    "tile": lambda x: tf.tile(x, [2, 1]),
    "roll": lambda x: tf.roll(x, 1, 0),
    "where": lambda x: tf.where(x > 2, x, 0.0 * x),
    "top_k": lambda x: tf.math.top_k(x, 1)[0],
    "reverse": lambda x: x[::-1],
    "conv1d": lambda x: tf.nn.conv1d(x[None], tf.ones([2, 3, 1]), 2, "SAME"),
    "segment_sum": lambda x: tf.math.segment_sum(x, tf.zeros([tf.shape(x)[0]], tf.int32)),
    "matmul": lambda x: tf.matmul(x, x, transpose_a=True),
    "logsumexp": lambda x: tf.reduce_logsumexp(x, 0),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_gradients_for_every_length(name):
    operation = OPERATIONS[name]
    function = tf.function(
        lambda x: tf.reduce_sum(operation(x) * operation(x)), input_signature=[spec(None, 3)]
    )
    for length in LENGTHS:
        same_gradients(function, counted_up(length, 3))


def test_a_decision_that_only_the_gradient_takes_is_checked_for_its_call():
    """The gradient sums over the first axis where its length is 1, and else doesn't."""

    @tf.function(input_signature=[spec(None, 3), spec(None, 3)])
    def product(x, y):
        return tf.reduce_sum(x * y)

    for first, second in ((1, 4), (4, 4), (4, 1), (1, 1)):
        same_gradients(product, counted_up(first, 3), counted_up(second, 3))


def test_a_length_that_a_derivative_rule_needs_as_a_number():
    @tf.function(input_signature=[spec(None, 3)])
    def spread(x):
        return tf.reduce_sum(tf.reduce_mean(x, 0, keepdims=True) * x)

    for length in LENGTHS:
        same_gradients(spread, counted_up(length, 3))


def test_second_derivatives_and_forward_mode():
    @tf.function(input_signature=[spec(None, 3)])
    def cubes(x):
        return tf.reduce_sum(x**3)

    for length in LENGTHS:
        x = counted_up(length, 3)
        with tf.GradientTape() as outer:
            outer.watch(x)
            first = _gradient(cubes, x)
        np.testing.assert_allclose(outer.gradient(first, x), 6 * x.numpy())
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = cubes(x)
        np.testing.assert_allclose(accumulator.jvp(y), 3 * np.sum(x.numpy() ** 2))


def _gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def test_nested_functions_with_other_unknown_lengths():
    inner = tf.function(lambda x: tf.reshape(x * 2.0, [-1]), input_signature=[spec(None, 3)])
    outer = tf.function(lambda x: tf.reduce_sum(inner(x)) * 2.0, input_signature=[spec(None, 3)])
    assert [float(outer(tf.ones([n, 3]))) for n in (2, 5, 6)] == [24.0, 60.0, 72.0]
    for length in LENGTHS:
        same_gradients(outer, counted_up(length, 3))


@pytest.mark.parametrize("first", LENGTHS)
def test_gradients_of_loops_and_branches(first):
    loop = tf.function(
        lambda x, n: tf.reduce_mean(
            tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * x), [0, x])[1]
        ),
        input_signature=[spec(None, 3), tf.TensorSpec([], tf.int32)],
    )
    branch = tf.function(
        lambda x: tf.reduce_mean(tf.cond(tf.reduce_sum(x) > 0, lambda: x * x, lambda: -x)),
        input_signature=[spec(None, 3)],
    )
    for length in (first, *LENGTHS):
        x = 2.0 * tf.ones([length, 3])
        (of_loop,) = gradients(lambda x: loop(x, tf.constant(2)), x)
        np.testing.assert_allclose(of_loop, np.full((length, 3), 12 / (3 * length)), rtol=1e-6)
        (of_branch,) = gradients(branch, x)
        np.testing.assert_allclose(of_branch, np.full((length, 3), 4 / (3 * length)), rtol=1e-6)


def test_a_training_step_traced_once_for_all_lengths():
    weights = tf.Variable(tf.ones([3, 2]))
    traced = []

    @tf.function(input_signature=[spec(None, 3)])
    def step(x):
        traced.append(None)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ weights) ** 2)
        weights.assign_sub(0.1 * tape.gradient(loss, weights))
        return loss

    expected = np.ones([3, 2], np.float32)
    for length in (1, 2, 4, 7):
        loss = step(tf.ones([length, 3]))
        y = np.ones([length, 3], np.float32) @ expected
        np.testing.assert_allclose(loss, np.mean(y**2), rtol=1e-6)
        expected -= 0.1 * np.ones([3, length], np.float32) @ (2 * y / y.size)
        np.testing.assert_allclose(weights, expected, rtol=1e-5)
    assert len(traced) == 1


def test_random_numbers_drawn_by_many_threads_have_each_their_own_length():
    dropped = tf.function(
        lambda x: tf.nn.dropout(x, 0.5) * tf.random.normal(tf.shape(x)),
        input_signature=[spec(None, 3)],
    )
    dropped(tf.ones([1, 3]))
    wrong, start = [], threading.Barrier(4)

    def call(length):
        start.wait()
        for _ in range(200):
            shape = tuple(dropped(tf.ones([length, 3])).shape)
            if shape != (length, 3):
                wrong.append((length, shape))

    threads = [threading.Thread(target=call, args=(n,)) for n in (1, 2, 5, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("method", ["bilinear", "bicubic", "nearest", "area", "lanczos3"])
def test_images_of_unknown_size(method):
    traced = []

    @tf.function(input_signature=[spec(None, None, 3)])
    def resize(image):
        traced.append(image.shape)
        return tf.image.resize(image, [4, 5], method)

    for n in (3, 6):
        image = counted_up(n, n + 1, 3)
        np.testing.assert_array_equal(resize(image), tf.image.resize(image, [4, 5], method))
    assert len(traced) == 1


def test_convolutions_over_an_unknown_length():
    layer = tf.function(
        lambda x: tf.nn.conv2d(x, tf.ones([3, 3, 2, 4]), 1, "SAME"),
        input_signature=[spec(None, 8, None, 2)],
    )
    concrete = layer.get_concrete_function()
    assert concrete.output_shapes.as_list() == [None, 8, None, 4]
    for n in (3, 6):
        x = counted_up(n, 8, n + 1, 2)
        np.testing.assert_allclose(layer(x), layer.python_function(x))


def test_frames_of_a_signal_of_unknown_length():
    frames = tf.function(lambda x: tf.signal.frame(x, 4, 2), input_signature=[spec(None)])
    for n in (4, 9):
        np.testing.assert_array_equal(frames(counted_up(n)), tf.signal.frame(counted_up(n), 4, 2))


def growing(x, n):
    rows = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(n):
        rows = rows.write(i, x * tf.cast(i + 1, tf.float32))
    return rows.stack()


def test_an_array_that_grows_in_a_loop():
    f, x = tf.function(growing), tf.constant([1.0, 2.0])
    for n in (3, 1, 0, 3):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, tf.constant(n))
        assert y.numpy().tolist() == [[k, 2.0 * k] for k in range(1, n + 1)]
        assert tape.gradient(y, x).numpy().tolist() == [n * (n + 1) / 2] * 2
    assert "as Python" not in f.explain()


def test_places_of_a_growing_array_that_nothing_is_written_to():
    @tf.function
    def f(i):
        rows = tf.TensorArray(tf.int32, 0, dynamic_size=True, element_shape=[])
        rows = rows.write(i, 7).scatter([i + 1], [8])
        return rows.stack(), rows.size(), rows.read(i), rows.gather([i, 0])

    for i in (0, 2):
        found = [x.numpy().tolist() for x in f(tf.constant(i))]
        assert found == [[0] * i + [7, 8], i + 2, 7, [7, 7 if i == 0 else 0]]
    assert f.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("at_once", [False, True])
def test_an_array_of_as_many_elements_as_a_run_tells(at_once, monkeypatch):
    monkeypatch.setattr(graph_call, "at_once", [at_once])
    w = tf.Variable([[0.5, 0.0], [0.0, 0.25]])

    def plain(xs):
        n = tf.shape(xs)[1]
        given = tf.TensorArray(tf.float32, n).unstack(tf.transpose(xs, [1, 0, 2]))
        made = tf.TensorArray(tf.float32, n)
        h = tf.zeros([tf.shape(xs)[0], 2])
        for t in tf.range(n):
            h = tf.tanh(given.read(t) + xs[:, t] + h @ w)
            made = made.write(t, h)
        return made.stack(), made.concat(), made.size(), made.gather([0])

    f = tf.function(plain, input_signature=[tf.TensorSpec([None, None, 2])])
    for batch, n in ((1, 2), (3, 4), (2, 1), (3, 4)):
        xs = tf.ones([batch, n, 2]) / 4
        with tf.GradientTape(persistent=True) as tape:
            theirs, ours = plain(xs), f(xs)
        for a, b in zip(theirs, ours, strict=True):
            assert a.numpy() == pytest.approx(b.numpy())
        wanted, found = (tape.gradient(outs[:2], w).numpy() for outs in (theirs, ours))
        assert wanted == pytest.approx(found, rel=1e-5)
    assert f.experimental_get_tracing_count() == 1
    assert "as Python" not in f.explain()


def test_scans_and_folds_without_a_first_state():
    def plain(x):
        return (
            tf.scan(lambda a, b: a + b, x),
            tf.scan(lambda a, b: a * b, x, reverse=True),
            tf.foldl(lambda a, b: a - b, x),
            tf.foldr(lambda a, b: a - b, x),
        )

    f = tf.function(plain, input_signature=[tf.TensorSpec([None])])
    for n in (1.0, 2.0, 5.0):
        x = tf.range(1, n + 1)
        for a, b in zip(plain(x), f(x), strict=True):
            assert a.numpy().tolist() == b.numpy().tolist()
    assert f.experimental_get_tracing_count() == 1


def test_a_part_that_needs_a_length_of_nothing_in_it():
    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([], tf.int32)])
    def f(x, n):
        total = 0.0
        for _ in tf.range(n):
            total += tf.reduce_sum(tf.zeros([tf.shape(x)[0]]) + 1.0)
        return total

    assert f(tf.ones([3, 2]), tf.constant(4)).numpy() == 12
    assert f(tf.ones([5, 2]), tf.constant(1)).numpy() == 5
    assert f.experimental_get_tracing_count() == 1


def test_files_are_read_before_lengths_are_compared(tmp_path):
    """Reading a file has no effect, so that a graph may start over after an unforeseen length."""
    names = []
    for i, height in enumerate((3, 1, 7)):
        names.append(str(tmp_path / f"{i}.png"))
        tf.io.write_file(names[-1], tf.io.encode_png(np.full((height, 5, 3), i, np.uint8)))

    def resized(name):
        image = tf.io.decode_png(tf.io.read_file(name), channels=3)
        return tf.image.resize(image, (4, 4))

    graph = tf.function(resized).get_concrete_function(tf.TensorSpec([], tf.string))
    assert graph.structured_outputs.shape == (4, 4, 3)
    images = tf.data.Dataset.from_tensor_slices(names).map(resized)
    assert images.element_spec.shape == (4, 4, 3)
    for name, image in zip(names, images, strict=True):
        np.testing.assert_array_equal(graph(tf.constant(name)), image)
        np.testing.assert_array_equal(image, resized(name))


@pytest.mark.parametrize("lengths", [[None, None, None], [None, None, 3], [2, None, None, 3]])
def test_padded_images_of_unknown_size(lengths):
    @tf.function(input_signature=[tf.TensorSpec(lengths)])
    def padded(image):
        out = tf.image.resize_with_pad(image, 4, target_width=6, method="nearest")
        shapes.append(out.shape.as_list())
        return out

    shapes = []
    for size in ((2, 5), (8, 3), (4, 6)):
        image = np.random.default_rng(1).random((*(lengths[:1] if lengths[0] else ()), *size, 3))
        whole = tf.image.resize_with_pad(image.astype(np.float32), 4, 6, method="nearest")
        np.testing.assert_array_equal(padded(image.astype(np.float32)), whole)
    assert shapes[0] == [*lengths[:-3], 4, 6, lengths[-1]]


WINDOWS = {
    "Conv2D": lambda x, s, p: tf.nn.conv2d(x, tf.reshape(tf.range(36.0), [3, 3, 2, 2]), s, p),
    "DepthwiseConv2d": lambda x, s, p: tf.nn.depthwise_conv2d(
        x, tf.reshape(tf.range(18.0), [3, 3, 2, 1]), [1, s, s, 1], p
    ),
    "MaxPool": lambda x, s, p: tf.nn.max_pool2d(x, 3, s, p),
    "AvgPool": lambda x, s, p: tf.nn.avg_pool2d(x, 3, s, p),
    "ExtractImagePatches": lambda x, s, p: tf.image.extract_patches(
        x, [1, 3, 3, 1], [1, s, s, 1], [1] * 4, p
    ),
    "Dilation2D": lambda x, s, p: tf.nn.dilation2d(
        x, tf.reshape(tf.range(18.0), [3, 3, 2]), [1, s, s, 1], p, "NHWC", [1] * 4
    ),
}


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("name", WINDOWS)
def test_windows_of_images_of_any_size(name: str, stride: int, padding: str) -> None:
    def total(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(WINDOWS[name](x, stride, padding) ** 2)

    traced = tf.function(total, input_signature=[tf.TensorSpec([None, None, None, 2])])
    for height, width in [(6, 5), (7, 5), (6, 8), (9, 10)]:
        x = tf.reshape(tf.sin(tf.range(2.0 * height * width)), [1, height, width, 2])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            wanted, found = total(x), traced(x)
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
        ours, theirs = tape.gradient(found, x), tape.gradient(wanted, x)
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-3)


COMPARISONS = {
    "greater": lambda n: tf.cond(n > 2, lambda: 1, lambda: 0),
    "equal": lambda n: tf.where(n == 4, 5, 6),
    "maximum": lambda n: tf.maximum(n, 3) + tf.minimum(n, 2),
    "sign": lambda n: tf.sign(n - 3) * tf.abs(n - 4),
}


@pytest.mark.parametrize("name", COMPARISONS)
def test_computing_with_a_length_is_traced_once(name):
    """A comparison of lengths that the program computes is a value, not an assumption."""
    compare = COMPARISONS[name]
    function = tf.function(lambda x: compare(tf.shape(x)[0]), input_signature=[spec(None)])
    for n in (0, 1, 2, 3, 4, 5):
        assert int(function(tf.zeros([n]))) == int(compare(tf.constant(n)))
    assert function.experimental_get_tracing_count() == 1


def test_a_maximum_of_lengths_is_a_length():
    @tf.function(input_signature=[spec(None), spec(None)])
    def padded(x, y):
        n = tf.maximum(tf.shape(x)[0], tf.shape(y)[0])
        return tf.pad(x, [[0, n - tf.shape(x)[0]]]) + tf.pad(y, [[0, n - tf.shape(y)[0]]])

    assert padded(tf.ones([2]), tf.ones([3])).numpy().tolist() == [2, 2, 1]
    assert padded(tf.ones([3]), tf.ones([1])).numpy().tolist() == [2, 1, 1]


BROADCAST = {
    "a row": (lambda x, y: x * y, [(None, 3), (3,)], [[(2, 3), (3,)], [(1, 3), (3,)]]),
    "a column": (
        lambda x, y: x * y,
        [(None, None), (5, 1)],
        [[(5, 3), (5, 1)], [(1, 3), (5, 1)], [(1, 1), (5, 1)]],
    ),
    "the mean": (
        lambda x, y: x - tf.reduce_mean(y, 0, keepdims=True) * x,
        [(None, 3), (None, 3)],
        [[(2, 3), (2, 3)], [(1, 3), (4, 3)]],
    ),
    "the maximum": (
        lambda x: tf.nn.softmax(x) * tf.reduce_max(x, 1, keepdims=True),
        [(None, None)],
        [[(2, 3)], [(1, 3)], [(3, 1)], [(1, 1)]],
    ),
    "two batches": (
        lambda x, y: tf.maximum(x * y, y),
        [(None, 3), (None, 3)],
        [[(2, 3), (2, 3)], [(1, 3), (4, 3)], [(4, 3), (1, 3)], [(1, 3), (1, 3)]],
    ),
}


@pytest.mark.parametrize("name", BROADCAST)
def test_one_trace_for_lengths_that_broadcast(name):
    function, shapes, cases = BROADCAST[name]
    traced = tf.function(function, input_signature=[spec(*shape) for shape in shapes])
    for case in cases:
        tensors = [counted_up(*shape) / 10 for shape in case]
        for _ in range(2):
            for a, b in zip(
                gradients(traced, *tensors), gradients(function, *tensors), strict=True
            ):
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
                assert a.shape == b.shape
    assert traced.experimental_get_tracing_count() == 1
    assert "Python" not in traced.explain()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["convolution", "recurrent", "dense"])
def test_an_epoch_whose_last_batch_has_one_example(kind):
    layers = tf.keras.layers
    shape, made = {
        "convolution": (
            (8, 8, 3),
            [
                layers.Conv2D(4, 3, activation="relu"),
                layers.MaxPool2D(),
                layers.BatchNormalization(),
                layers.Flatten(),
            ],
        ),
        "recurrent": ((6, 2), [layers.LSTM(5)]),
        "dense": ((4,), [layers.Dense(4, kernel_regularizer="l2"), layers.LayerNormalization()]),
    }[kind]
    model = tf.keras.Sequential([*made, layers.Dense(3)])
    model(tf.zeros([1, *shape]))
    optimizer = tf.keras.optimizers.Adam(0.01)
    optimizer.build(model.trainable_variables)
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def epoch(batches):
        total = 0.0
        for x, y in batches:
            with tf.GradientTape() as tape:
                found = loss(y, model(x, training=True))
            of_model = tape.gradient(found, model.trainable_variables)
            optimizer.apply_gradients(zip(of_model, model.trainable_variables, strict=True))
            total += found
        return total

    examples = (np.ones((5, *shape), np.float32), np.zeros(5, np.int64))
    batches = tf.data.Dataset.from_tensor_slices(examples).batch(2)
    losses = [float(epoch(batches)) for _ in range(4)]
    assert losses[-1] < losses[0]
    assert "Python" not in epoch.explain()
    assert int(optimizer.iterations) == 12
