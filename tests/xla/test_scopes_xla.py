"""Tensors of conditionals and loops that are used outside raise an error."""

import pytest

pytest.importorskip("jax")

import gradtape as tf

pytestmark = pytest.mark.slow


def in_a_list(x):
    kept = []
    tf.cond(x > 0, lambda: kept.append(x * 2), lambda: None)
    return kept


def used_afterwards(x):
    kept = []
    tf.cond(x > 0, lambda: kept.append(x * 2), lambda: None)
    return kept[0] + 1.0


def in_an_outer_variable(x):
    total = tf.constant(0.0)

    def add():
        nonlocal total
        total += x

    tf.cond(x > 0, add, lambda: None)
    return total


def from_a_loop(x):
    kept = []

    def body(x):
        kept.append(x)
        return (x - 1.0,)

    tf.while_loop(lambda x: x > 0, body, (x,))
    return tf.stack(kept)


def returned_from_a_loop(x):
    kept = []

    def body(x):
        kept.append(x * 2.0)
        return (x - 1.0,)

    tf.while_loop(lambda x: x > 0, body, (x,))
    return kept


@pytest.mark.parametrize(
    "function",
    [in_a_list, used_afterwards, in_an_outer_variable, from_a_loop, returned_from_a_loop],
)
def test_a_tensor_of_a_branch_or_loop_is_out_of_scope_outside(function):
    with pytest.raises(ValueError, match="is out of scope and cannot be used here") as caught:
        tf.function(function, jit_compile=True)(tf.constant(3.0))
    assert type(caught.value).__name__ == "InaccessibleTensorError"


def test_known_values_may_be_kept():
    kept = {}

    @tf.function(jit_compile=True)
    def f(x):
        def table():
            kept.setdefault("table", tf.range(3.0))
            return kept["table"] * x

        return tf.cond(x > 0, table, lambda: tf.zeros(3)) + kept["table"]

    assert f(tf.constant(2.0)).numpy().tolist() == [0.0, 3.0, 6.0]
