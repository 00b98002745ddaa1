"""Random numbers that traced functions draw."""

import numpy as np
import pytest

import gradtape as tf

X = tf.fill([20], 2.0)


def _scan(x, n):
    return tf.scan(lambda s, e: e * tf.random.uniform([]), x, 0.0)


def _cond(x, n):
    return tf.cond(n > 0, lambda: x * tf.random.uniform([20]), lambda: x)


def _loop(x, n):
    def turn(i, w):
        return i + 1, w * tf.random.uniform([20]) * tf.nn.dropout(tf.ones([20]), 0.1)

    return tf.while_loop(lambda i, w: i < n, turn, (0, x))[1]


def _nested(x, n):
    return tf.while_loop(lambda i, w: i < n, lambda i, w: (i + 1, _cond(w, n)), (0, x))[1]


def _inner_function(x, n):
    noise = tf.function(lambda x: x * tf.random.normal([20]))
    return tf.cond(n > 0, lambda: noise(x), lambda: x)


CASES = [_scan, _cond, _loop, _nested, _inner_function]


@pytest.mark.parametrize("function", CASES)
@pytest.mark.parametrize("outside", [False, True])
def test_gradients_see_the_numbers_that_the_forward_pass_drew(function, outside):
    """Each function multiplies by random numbers, so that twice its gradient is its value."""
    traced = tf.function(function)

    @tf.function
    def whole(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x, n)
        return y, tape.gradient(y, x)

    for _ in range(3):
        if outside:
            with tf.GradientTape() as tape:
                tape.watch(X)
                y = traced(X, tf.constant(4))
            gradient = tape.gradient(y, X)
        else:
            y, gradient = whole(X, tf.constant(4))
        np.testing.assert_allclose(gradient * 2, y, rtol=1e-5)
        assert len(np.unique(y)) > 1


def test_turns_and_calls_draw_other_numbers_and_a_seed_repeats_them():
    @tf.function
    def f(n):
        numbers = tf.TensorArray(tf.float32, 6, element_shape=[])
        return tf.while_loop(
            lambda i, _: i < n,
            lambda i, a: (i + 1, a.write(i, tf.random.uniform([]) + tf.random.uniform([]))),
            (0, numbers),
        )[1].stack()

    def drawn():
        tf.random.set_seed(3)
        return np.concatenate([f(tf.constant(6)), f(tf.constant(6))]).tolist()

    first = drawn()
    assert len(set(first)) == 12
    assert drawn() == first


def test_a_generator_moves_on_by_the_calls_of_a_loop():
    generator = tf.random.Generator.from_seed(1)

    @tf.function
    def f(n):
        return tf.while_loop(
            lambda i, _: i < n, lambda i, y: (i + 1, y + generator.normal([])), (0, 0.0)
        )[1]

    assert len({float(f(tf.constant(3))) for _ in range(4)}) == 4


def test_a_variables_first_value_may_depend_on_arguments_and_other_variables():
    class Layer(tf.Module):
        def __init__(self):
            self.scale = None

        @tf.function
        def __call__(self, x):
            if self.scale is None:
                self.scale = tf.Variable(tf.reduce_sum(x))
                self.twice = tf.Variable(self.scale * 2.0)
            self.scale.assign_add(1.0)
            return x * self.twice

    layer = Layer()
    assert layer(tf.ones([2])).numpy().tolist() == [4.0, 4.0]
    assert (layer.scale.numpy(), layer.twice.numpy()) == (3.0, 4.0)
    layer(tf.ones([2]))
    assert layer.scale.numpy() == 4.0


# Draws whose parameters are tensors that the graph computes.

PARAMETERS = tf.constant([0.5, 1.0, 2.0, 4.0, 0.25, 3.0])
SEED = [5, 7]
STATELESS = {
    "gamma": lambda p: tf.random.stateless_gamma([50, 6], SEED, p),
    "poisson": lambda p: tf.random.stateless_poisson([50, 6], SEED, p),
    "binomial": lambda p: tf.random.stateless_binomial([50, 6], SEED, p * 8.0, p / 8.0),
    "categorical": lambda p: tf.random.stateless_categorical(p[None], 50, SEED),
    "integers": lambda p: tf.random.stateless_uniform(
        [50], SEED, 0, tf.cast(p[3], tf.int32) * 100, tf.int32
    ),
    "integers between": lambda p: tf.random.stateless_uniform(
        [50], SEED, tf.cast(p[3], tf.int32) * 90, tf.cast(p[3], tf.int32) * 100, tf.int32
    ),
    "integers from 5": lambda p: tf.random.stateless_uniform(
        [50], SEED, 5, tf.cast(p[3], tf.int32) * 100, tf.int32
    ),
    "integers below 0": lambda p: tf.random.stateless_uniform(
        [50], SEED, tf.cast(p[3], tf.int32) * -100, 0, tf.int32
    ),
    "uniform": lambda p: tf.random.stateless_uniform([50, 6], SEED, p, p + 1.0),
    "normal": lambda p: tf.random.stateless_normal([50, 6], SEED, p),
    "shuffle": lambda p: tf.random.experimental.stateless_shuffle(p, SEED),
    "length": lambda p: tf.random.stateless_normal([tf.shape(p)[0], 9], SEED),
    "split": lambda p: tf.random.split(tf.cast(p[2:4], tf.int32), 5),
    "fold_in": lambda p: tf.random.fold_in(SEED, tf.cast(p[3], tf.int32)),
}
STATEFUL = {
    "gamma": lambda p: tf.random.gamma([4000], p),
    "poisson": lambda p: tf.random.poisson([4000], p),
    "categorical": lambda p: tf.random.categorical(tf.math.log(p)[None], 4000)[0],
    "integers": lambda p: tf.random.uniform([4000], 0, tf.cast(p[3], tf.int32) * 9, tf.int32),
    "integers between": lambda p: tf.random.uniform(
        [4000], tf.cast(p[3], tf.int32) * 3, tf.cast(p[3], tf.int32) * 9, tf.int32
    ),
}
SIGNATURES = {"known": None, "unknown": [tf.TensorSpec([None], tf.float32)]}


@pytest.mark.parametrize("signature", SIGNATURES)
@pytest.mark.parametrize("name", STATELESS)
def test_stateless_numbers_are_those_of_an_eager_run(name, signature):
    draw = STATELESS[name]
    traced = tf.function(draw, input_signature=SIGNATURES[signature])
    for _ in range(2):  # the same numbers at each call
        np.testing.assert_array_equal(traced(PARAMETERS), draw(PARAMETERS))
    assert "Python" not in str(traced.explain())
    np.testing.assert_array_equal(traced(PARAMETERS[::-1]), draw(PARAMETERS[::-1]))


@pytest.mark.parametrize("name", STATEFUL)
def test_parameters_that_a_graph_computes_shape_the_distribution(name):
    traced = tf.function(STATEFUL[name])
    first, second = traced(PARAMETERS), traced(PARAMETERS)
    assert not np.array_equal(first, second)
    expected = np.mean(STATEFUL[name](PARAMETERS), axis=0)
    np.testing.assert_allclose(np.mean(first, axis=0), expected, rtol=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("jit", [False, True])
def test_gamma_is_differentiable_in_what_a_graph_computes(jit):
    if jit:
        pytest.importorskip("jax")

    @tf.function(jit_compile=jit)
    def slope(p):
        with tf.GradientTape() as tape:
            tape.watch(p)
            mean = tf.reduce_mean(tf.random.stateless_gamma([20000, 6], SEED, p), 0)
        return tape.gradient(mean, p)  # of the mean of a gamma distribution by its parameter

    np.testing.assert_allclose(slope(PARAMETERS), np.ones(6), rtol=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*STATELESS, "generator"])
def test_draws_with_computed_parameters_compile(name):
    pytest.importorskip("jax")
    generator = tf.random.Generator.from_seed(1)
    own = lambda p: generator.binomial([50, 6], p * 8.0, p / 8.0)  # noqa: E731
    draw = STATELESS.get(name, own)
    compiled = tf.function(draw, jit_compile=True)
    if name != "generator":
        np.testing.assert_array_equal(compiled(PARAMETERS), compiled(PARAMETERS))
    kept = tf.convert_to_tensor(draw(PARAMETERS))
    assert (compiled(PARAMETERS).shape, compiled(PARAMETERS).dtype) == (kept.shape, kept.dtype)


def test_an_empty_range_of_integers_is_told_in_a_run():
    traced = tf.function(lambda n: tf.random.stateless_uniform([3], SEED, 0, n, tf.int32))
    assert traced(tf.constant(3)).shape == [3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Need minval < maxval"):
        traced(tf.constant(0))


def test_no_integers_are_drawn_from_an_empty_range():
    draws = [
        lambda shape: tf.random.uniform(shape, 3, 3, tf.int32),
        lambda shape: tf.random.stateless_uniform(shape, SEED, 3, 3, tf.int32),
        lambda shape: tf.random.Generator.from_seed(1).uniform(shape, 3, 3, tf.int32),
    ]
    for draw in draws[:2]:
        traced = tf.function(lambda x, draw=draw: draw(tf.shape(x)))
        traced = traced.get_concrete_function(tf.TensorSpec([None, 2]))
        assert traced(tf.zeros([0, 2])).shape == [0, 2]
        with pytest.raises(tf.errors.InvalidArgumentError, match="got 3 >= 3"):
            traced(tf.zeros([1, 2]))
    for draw in draws:
        assert draw([0, 2]).shape == [0, 2]
        with pytest.raises(tf.errors.InvalidArgumentError, match="got 3 >= 3"):
            draw([1, 2])


@pytest.mark.parametrize("mapped", [tf.map_fn, tf.vectorized_map])
@pytest.mark.filterwarnings("ignore:vectorized_map calls")
def test_each_row_has_a_range_of_integers(mapped):
    rows = tf.constant([1, 10, 100])
    drawn = mapped(lambda n: tf.random.uniform([30], n, n + 2, tf.int32), rows)
    assert {tuple(np.unique(row)) for row in drawn} == {(1, 2), (10, 11), (100, 101)}
