"""Variables in conditionals, loops and compiled calls: reads after assignments.

A read is differentiated with respect to the variable, not to the value that was assigned. The
expected numbers are those of TensorFlow.
"""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf
from gradtape.data import Dataset


def in_a_branch(x, v):
    if x > 0:
        v.assign(v * 3 * x)
        y = v * 2
    else:
        y = x
    return y + v


def in_nested_branches(x, v):
    v.assign(x * x)
    if x > 0:
        if x > 1:
            v.assign_add(x)
            y = v * v
        else:
            y = x * v
    else:
        y = x
    return y * v


def in_a_loop(x, v):
    y = x
    for _ in tf.range(tf.cast(x, tf.int32) + 1):
        v.assign(v * x)
        y += v
    return y + v


def in_a_loop_of_unknown_length(x, v):
    y = x
    while y < 20.0:
        v.assign_add(y)
        y = y * 2 + v
    return y + v


def in_a_loop_over_rows(x, v):
    y = tf.constant(0.0)
    for row in tf.stack([x, x * 2]):
        v.assign_add(row)
        y += v * row
    return y


def with_a_tape_inside(x, v):
    if x > 0:
        with tf.GradientTape() as tape:
            v.assign(v * x)
            y = v * v
        z = tape.gradient(y, v)
    else:
        z = x
    return z


def of_what_assign_returns(x, v):
    return tf.cond(x > 0, lambda: v.assign(x * x) * 2, lambda: x)


PROGRAMS = {
    in_a_branch: [0, 3, 9, 27],
    in_nested_branches: [0, 108, 6, 216],
    in_a_loop: [1, 4, 12, 35],
    in_a_loop_of_unknown_length: [4, 4, 11, 37],
    in_a_loop_over_rows: [18.5, 6, 7.5, 37],
    with_a_tape_inside: [0, 2, 3, 6],
    of_what_assign_returns: [0, 2, 4, 8],
}
WHILE = {in_a_loop, in_a_loop_of_unknown_length}  # XLA has no gradient of such loops
COMPILED = [program for program in PROGRAMS if program not in WHILE]


def found(function):
    x, v = tf.constant(2.0), tf.Variable(1.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x, v)
    gradients = tape.gradient(y, [x, v], unconnected_gradients="zero")
    return [*map(float, gradients), float(v), float(y)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_of_reads(program):
    function = tf.function(program)
    for _ in range(
        3
    ):  # the first call and its gradient are made in another way than the later ones
        assert found(function) == PROGRAMS[program]


@pytest.mark.slow
@pytest.mark.parametrize("program", COMPILED, ids=lambda f: f.__name__)
def test_gradients_of_compiled_reads(program):
    assert found(tf.function(program, jit_compile=True)) == PROGRAMS[program]


def test_a_compiled_call_in_a_function():
    v = tf.Variable(1.5)

    @tf.function(jit_compile=True)
    def inner(x):
        v.assign_add(x)
        return v * 2 + x

    @tf.function
    def outer(x, _):
        return inner(x) + inner(x)

    assert found(outer)[0] == 2


def test_the_inner_tape_of_a_branch_does_not_see_the_assigned_value():
    @tf.function
    def gradient(x, v):
        with tf.GradientTape() as tape:
            tape.watch(x)
            if x > 0:
                v.assign(x * x)
                y = v * x
            else:
                y = x
        return tape.gradient(y, x)

    assert float(gradient(tf.constant(2.0), tf.Variable(1.5))) == 4


def test_batches_of_a_loop_that_assigns():
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        v.assign(2.0)
        y = x
        for _ in tf.range(tf.size(x)):
            v.assign(v * 2.0)
            y *= v
        return y

    x = tf.constant([1.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.jacobian(y, x).numpy().tolist() == [[32, 0], [0, 32]]
    assert [float(v), *y.numpy()] == [8, 32, 96]


def test_loops_over_data_sets():
    v = tf.Variable(1.5)

    @tf.function
    def f(x):
        y = x
        for _ in Dataset.range(3):
            v.assign_add(x)
            y += v * x
        return y

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert [float(tape.gradient(y, x)), float(v), float(y)] == [17.5, 7.5, 35]


@pytest.mark.parametrize(
    "fail",
    [
        lambda: tf.gather([1, 2, 3], 5),
        lambda: tf.constant(1) // tf.constant(0),
        lambda: tf.cast(tf.linalg.inv([[0.0]])[0, 0], tf.int32),
        lambda: tf.scatter_nd([[7]], [1], [3])[0],
        lambda: tf.cast(tf.debugging.check_numerics(tf.constant(np.nan), "x"), tf.int32),
        lambda: tf.TensorArray(tf.int32, 2, element_shape=[]).read(3),
        lambda: tf.TensorArray(tf.int32, 2).write(3, 1).stack()[0],
        lambda: tf.TensorArray(tf.int32, 2, element_shape=[]).gather([0, 3])[0],
        lambda: tf.TensorArray(tf.int32, 2).scatter([0, 3], [1, 2]).stack()[0],
    ],
)
def test_an_operation_on_constants_fails_only_if_its_branch_runs(fail):
    @tf.function
    def function(n):
        return tf.cond(n > 0, fail, lambda: tf.constant(9))

    assert function(tf.constant(0)).numpy() == 9
    with pytest.raises(tf.errors.InvalidArgumentError):
        function(tf.constant(1))


@pytest.mark.parametrize(
    ("fail", "error"),
    [
        (lambda: tf.math.segment_sum([1, 2], [1, 0])[0], "InvalidArgument"),
        (lambda: tf.math.unsorted_segment_sum([1, 2], [0, 5], 2)[0], "InvalidArgument"),
        (lambda: tf.math.invert_permutation([0, 0])[0], "InvalidArgument"),
        (lambda: tf.dynamic_stitch([[0, -1]], [[1, 2]])[0], "InvalidArgument"),
        (lambda: tf.dynamic_partition([1, 2], [0, 5], 2)[0][0], "InvalidArgument"),
        (lambda: tf.strings.to_number("abc", tf.int32), "InvalidArgument"),
        (lambda: tf.strings.length(tf.strings.substr("abc", 5, 1)), "InvalidArgument"),
        (lambda: tf.strings.length(tf.strings.regex_replace("abc", "(", "x")), "InvalidArgument"),
        (lambda: tf.io.decode_csv("a,b", [[1], [2]])[0], "InvalidArgument"),
        (lambda: tf.io.parse_tensor(b"zz", tf.int32), "InvalidArgument"),
        (lambda: tf.io.decode_raw(b"abc", tf.int32)[0], "InvalidArgument"),
        (lambda: tf.strings.length(tf.io.decode_base64("@@@")), "InvalidArgument"),
        (lambda: tf.strings.length(tf.io.decode_compressed(b"abc", "GZIP")), "DataLoss"),
        (lambda: tf.cast(tf.io.decode_png(b"abc")[0, 0, 0], tf.int32), "InvalidArgument"),
        (lambda: tf.sparse.to_dense(tf.SparseTensor([[5]], [1], [2]))[0], "InvalidArgument"),
    ],
)
def test_a_function_of_constants_fails_only_if_its_branch_runs(fail, error):
    @tf.function
    def function(n):
        if n > 0:  # noqa: SIM108 (a statement)
            y = fail()
        else:
            y = tf.constant(9)
        return y

    assert function(tf.constant(0)).numpy() == 9
    with pytest.raises(getattr(tf.errors, f"{error}Error")):
        function(tf.constant(1))


def test_lengths_that_cannot_be_are_errors_in_a_branch_that_does_not_run():
    for fail in (lambda: tf.range(0, 5, 0)[0], lambda: tf.reshape([1, 2, 3], [2])[0]):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            tf.function(lambda n, f=fail: tf.cond(n > 0, f, lambda: 9))(tf.constant(0))
