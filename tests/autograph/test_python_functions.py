"""Python's own functions on tensors, in converted functions. Values are TensorFlow's."""

import pytest
from autograph_checks import agree, jit

import gradtape as tf


def test_functions_on_tensors():
    @jit
    def f(x):
        return len(x), abs(-x), int(x[0]), float(x[0]), sorted(x), sorted(x, reverse=True)

    n, positive, i, f32, up, down = f(tf.constant([3, 1, 2]))
    assert n.numpy() == 3
    assert positive.numpy().tolist() == [3, 1, 2]
    assert (i.dtype, i.numpy()) == (tf.int32, 3)
    assert (f32.dtype, f32.numpy()) == (tf.float32, 3.0)
    assert up.numpy().tolist() == [1, 2, 3]
    assert down.numpy().tolist() == [3, 2, 1]


def test_functions_on_python_values():
    def f(x):
        values = [int("12", 8), float("1.5"), abs(-2), len("abc"), sorted([2, 1], key=abs)[0]]
        return x * float(sum(values)) * list(range(1, 4, 2))[1]

    agree(f, (2.0,))


def test_a_function_named_as_one_of_pythons():
    @jit
    def f(x):
        len = 3.0
        abs = lambda v: v * 2
        return abs(x) * len

    assert f(tf.constant(-1.0)).numpy() == -6


def test_len_of_a_scalar():
    with pytest.raises(ValueError, match="len requires a non-scalar tensor, got one of shape"):
        jit(lambda x: len(x))(tf.constant(1.0))


def test_print_runs_while_the_function_is_traced(capsys):
    @jit
    def f(x):
        print("traced", 1, sep="|")
        return x

    f(tf.constant(1.0))
    f(tf.constant(2.0))
    assert capsys.readouterr().out == "traced|1\n"


def test_ranges_of_floats_and_downwards():
    def f(n):
        up, down = tf.constant(0.0), tf.constant(0)
        for v in tf.range(0.0, n, 0.25):
            up += v
        for i in range(tf.cast(n, tf.int32), 0, -1):
            down = down * 10 + i
        return up, down

    agree(f, (1.0,), (3.0,), gradient=False)
