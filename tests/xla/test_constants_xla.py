"""Tensors from outside that a compiled function uses."""

import pytest

pytest.importorskip("jax")

import gradtape as tf

pytestmark = pytest.mark.slow


def test_a_constant_that_a_tape_follows_later_has_a_gradient():
    c, x = tf.constant(2.0), tf.constant(3.0)
    f = tf.function(lambda x: x * c * c, jit_compile=True)
    assert float(f(x)) == 12
    with tf.GradientTape() as tape:
        tape.watch(c)
        y = f(x)
    assert float(tape.gradient(y, c)) == 12
    with tf.GradientTape() as outer:
        outer.watch(c)
        with tf.GradientTape() as tape:
            tape.watch(c)
            y = f(x)
        first = tape.gradient(y, c)
    assert float(outer.gradient(first, c)) == 6


X = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x, n: tf.gather(x, tf.add(5, n)), [5, 6]),
        (lambda x, n: tf.gather(x[:0], tf.add([0], n)), [[0, 0]]),
        (lambda x, n: tf.gather(x[:, :0], tf.add([1], n), axis=1), [[0], [0], [0]]),
        (lambda x, n: tf.gather(x[:, :0], tf.add([[0]] * 3, n), batch_dims=1), [[0], [0], [0]]),
        (lambda x, n: tf.nn.embedding_lookup(x[:0], tf.add([0], n)), [[0, 0]]),
        (lambda x, n: tf.tensor_scatter_nd_update(x[:, 0], tf.add([[7]], n), [1.0]), [1, 3, 5]),
    ],
    ids=["row", "no rows", "no columns", "batch", "embedding", "update"],
)
def test_indices_out_of_range_give_the_same_when_known(function, expected):
    none = tf.constant(0)
    constant = tf.function(lambda: function(X, none), jit_compile=True)
    given = tf.function(function, jit_compile=True)
    assert constant().numpy().tolist() == expected
    assert given(X, none).numpy().tolist() == expected


def test_a_known_divisor_of_0_divides_as_any_other():
    n, zero = tf.constant([7, -3]), tf.constant(0)
    constant = tf.function(lambda: n // zero, jit_compile=True)
    given = tf.function(lambda n, zero: n // zero, jit_compile=True)
    assert constant().numpy().tolist() == given(n, zero).numpy().tolist()


def test_a_block_outside_of_a_tensor_is_an_error():
    function = tf.function(lambda x: tf.slice(x, [0, 1], [2, 2]), jit_compile=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="size"):
        function(X)
