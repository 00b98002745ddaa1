"""`GradientTape.jacobian` and `batch_jacobian`: shapes, values, and never a loop over rows."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tolerances import close

import gradtape as tf

X = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])
W = np.array([[1.0, 2.0, 0.5, -1.0], [0.0, 1.0, 3.0, 2.0], [-2.0, 1.0, 1.0, 0.5]])


def jacobian(function, x, *, by="jacobian", persistent=False, **options):
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = function(x)
    return getattr(tape, by)(y, x, **options)


def by_rows(function, x):
    """The Jacobian by one gradient per element of the target."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = function(x)
    units = np.eye(np.size(y)).reshape(-1, *y.shape)
    rows = [tape.gradient(y, x, output_gradients=tf.constant(u, y.dtype)) for u in units]
    return np.reshape(rows, (*y.shape, *x.shape))


FUNCTIONS = {
    "elementwise": lambda x: tf.sin(x) * x,
    "matmul": lambda x: tf.tanh(x @ tf.constant(W)),
    "wide": lambda x: x[:, :, None] * tf.ones((2, 3, 5), tf.float64) * tf.exp(x)[:, :, None],
    "narrow": lambda x: tf.reduce_sum(x * x, axis=1),
    "to a scalar": lambda x: tf.reduce_sum(x * x * x),
    "mixing rows": lambda x: tf.constant([[1.0, 2.0], [3.0, 4.0]], tf.float64) @ (x * x),
    "broadcast": lambda x: x * tf.reduce_sum(x, axis=0) + tf.reduce_sum(x),
    "split": lambda x: tf.unstack(x)[0] * 3.0,
    "reshape": lambda x: tf.reshape(tf.transpose(x), (6,)) * 2.0,
    "gather": lambda x: tf.gather(x * x, [1, 0, 1, 1]),
    "concat": lambda x: tf.concat([x, x * x], 1),
    "softmax": lambda x: tf.nn.softmax(x),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_the_jacobian_is_its_rows(function):
    x = tf.constant(X)
    close(jacobian(function, x), by_rows(function, x))


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_the_jacobian_of_a_function_of_one_number(function):
    def along(t):
        return function(tf.constant(X) + t * tf.constant(W[:2, :3]))

    t = tf.constant(0.3, tf.float64)
    close(jacobian(along, t), by_rows(along, t))


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_wide_and_narrow_chains(data):
    """Push-forward or pull-back, whichever it is: the product of the matrices."""
    sizes = data.draw(st.lists(st.integers(1, 5), min_size=2, max_size=5))
    generator = np.random.default_rng(len(sizes))
    matrices = [generator.normal(size=(m, n)) for m, n in itertools.pairwise(sizes)]

    def chain(x):
        for m in matrices:
            x = tf.linalg.matvec(tf.constant(m), x, transpose_a=True)
        return x

    x = tf.constant(generator.normal(size=sizes[0]))
    want = np.eye(sizes[0])
    for m in matrices:
        want = want @ m
    close(jacobian(chain, x), want.T)


def test_the_shape_is_the_targets_then_the_sources():
    assert jacobian(lambda x: x @ tf.ones((3, 4)), tf.ones((2, 3))).shape == (2, 4, 2, 3)
    assert jacobian(lambda x: x * tf.ones((3,)), tf.constant(2.0)).shape == (3,)
    assert jacobian(tf.reduce_sum, tf.ones((2, 3))).shape == (2, 3)
    assert jacobian(lambda x: x * x, tf.constant(2.0)).shape == ()


def test_an_empty_source():
    assert jacobian(lambda x: x * x, tf.zeros((0, 3))).shape == (0, 3, 0, 3)


def test_a_structure_of_sources():
    xs = {"a": tf.ones((2,)), "b": [tf.constant(3.0), tf.ones((4, 2))]}
    got = jacobian(lambda xs: xs["a"] * xs["b"][0], xs)
    assert got["a"].numpy().tolist() == [[3.0, 0.0], [0.0, 3.0]]
    assert got["b"][0].numpy().tolist() == [1.0, 1.0]
    assert got["b"][1] is None


def test_several_sources_pushed_forward_together():
    a, b, c = tf.constant(2.0), tf.constant(3.0), tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b, c])
        y = a * b * tf.ones((4,))
    got = tape.jacobian(y, [a, b, c])
    assert got[0].numpy().tolist() == [3.0] * 4
    assert got[1].numpy().tolist() == [2.0] * 4
    assert got[2] is None


# Sources without a path.


def test_an_unconnected_source_gives_none_or_zeros():
    def constant(_):
        return tf.constant([1.0, 2.0])

    x = tf.ones((3,))
    assert jacobian(constant, x) is None
    got = jacobian(constant, x, unconnected_gradients="zero")
    assert got.numpy().tolist() == [[0.0] * 3] * 2


def test_integers_have_no_jacobian():
    assert jacobian(lambda x: x * x, tf.constant([1, 2])) is None


def test_the_jacobian_of_a_table_is_dense():
    p = tf.Variable(np.ones((5, 3)))
    with tf.GradientTape() as tape:
        y = tf.gather(p, [4, 0])
    j = tape.jacobian(y, p)
    assert isinstance(j, tf.Tensor)
    assert j.shape == (2, 3, 5, 3)
    assert j.numpy()[0, :, 4].tolist() == np.eye(3).tolist()
    assert j.numpy().sum() == 6.0


# One example at a time.


PER_EXAMPLE = {
    "elementwise": lambda x: tf.sin(x) * x,
    "matmul": lambda x: tf.tanh(x @ tf.constant(W)),
    "wide": lambda x: x[:, :, None] * tf.exp(x)[:, None, :],
    "narrow": lambda x: tf.reduce_sum(x * x, axis=1, keepdims=True),
    "softmax": lambda x: tf.nn.softmax(x),
}


@pytest.mark.parametrize("function", PER_EXAMPLE.values(), ids=PER_EXAMPLE)
def test_the_batch_jacobian_is_the_diagonal_of_the_jacobian(function):
    x = tf.constant(X)
    whole = jacobian(function, x).numpy()
    rank = function(x).shape.rank
    want = np.stack([whole[i].take(i, axis=rank - 1) for i in range(2)])
    close(jacobian(function, x, by="batch_jacobian"), want)


def test_examples_that_mix_add_up():
    got = jacobian(lambda x: tf.ones((2, 2)) @ x, tf.ones((2, 3)), by="batch_jacobian")
    assert got.numpy().tolist() == [(2 * np.eye(3)).tolist()] * 2


def test_the_batch_jacobian_of_a_variable():
    v = tf.Variable(np.full((2, 3), 2.0))
    with tf.GradientTape() as tape:
        y = v * v
    close(tape.batch_jacobian(y, v), np.stack([4 * np.eye(3)] * 2))


@pytest.mark.parametrize("unconnected", ["none", "zero"])
def test_an_unconnected_batch_gives_zeros_either_way(unconnected):
    got = jacobian(
        lambda _: tf.ones((2, 4)),
        tf.ones((2, 3)),
        by="batch_jacobian",
        unconnected_gradients=unconnected,
    )
    assert got.numpy().tolist() == np.zeros((2, 4, 3)).tolist()


# Ways of asking.


@pytest.mark.parametrize("by", ["jacobian", "batch_jacobian"])
def test_the_loop_gives_the_same(by):
    function, x = PER_EXAMPLE["matmul"], tf.constant(X)
    got = jacobian(function, x, by=by, persistent=True, experimental_use_pfor=False)
    close(got, jacobian(function, x, by=by))


@pytest.mark.parametrize("by", ["jacobian", "batch_jacobian"])
def test_inside_the_tapes_own_context(by):
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        j = getattr(tape, by)(y, x)
    close(j, jacobian(lambda x: x * x, x, by=by))


def test_a_jacobian_of_a_jacobian():
    x = tf.constant(X[0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * x
        j = tape.jacobian(y, x)
    want = np.zeros((3, 3, 3))
    want[np.arange(3), np.arange(3), np.arange(3)] = 6 * X[0]
    close(outer.jacobian(j, x), want)


def test_a_hessian():
    x = tf.constant(X[0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x) * tf.reduce_sum(x * x)
        g = tape.gradient(y, x)
    want = 2 * X[0].sum() * np.eye(3) + 2 * X[0] + 2 * X[0][:, None]
    close(outer.jacobian(g, x), want)


def test_a_hessian_of_every_example():
    x = tf.constant(X)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x * x, axis=1) * x[:, 0]
        g = tape.gradient(y, x)
    h = outer.batch_jacobian(g, x).numpy()
    for i, (a, b, c) in enumerate(X):
        close(
            h[i],
            [
                [12 * a * a, 3 * b * b, 3 * c * c],
                [3 * b * b, 6 * a * b, 0],
                [3 * c * c, 0, 6 * a * c],
            ],
        )


def test_a_complex_jacobian():
    z = tf.constant([1.0 + 2.0j, -0.5j])
    got = jacobian(lambda z: z * z, z)
    close(got, np.diag(np.conj([2 * (1.0 + 2.0j), -1.0j])))


@pytest.mark.parametrize("operation", [lambda w, x: w * x, lambda w, x: w - x, lambda w, x: w / x])
def test_what_only_another_tape_watches_is_no_source(operation):
    x, w = tf.ones([2, 1]), tf.ones([1, 3])
    for sources in (x, [w, x]):
        with tf.GradientTape() as mine, tf.GradientTape() as other:
            mine.watch(w)
            other.watch(x)
            y = operation(w, x)
        found = mine.jacobian(y, sources)
        assert (found if sources is x else found[1]) is None
        assert tuple(other.jacobian(y, x).shape) == (2, 3, 2, 1)
