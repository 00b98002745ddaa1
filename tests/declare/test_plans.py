"""The values that plans of the general family keep, and the code that is generated for them."""

import traceback
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.declare.general import REGISTRY, general


def _divided(x, by, *, part):
    return x / by, x // by if part else x


def _vjp_x(g, by, out, part, x_shape):
    assert isinstance(out, tuple)
    assert part is True
    return tf.reshape(g[0] / by, x_shape)


@pytest.fixture
def declared():
    names = []

    def declare(name, *args, **options):
        names.append(name)
        return general(name, *args, **options)

    yield declare
    for name in names:
        del REGISTRY[name]


def test_rules_get_what_they_name_of_several_outputs(declared):
    divide = declared(
        "PlansDivided",
        _divided,
        {"x": _vjp_x, "by": lambda g, x, out, by: -g[0] * out[0] / by + 0 * x},
    )
    x, by = tf.constant([6.0, 8.0]), tf.constant([2.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, by])
        first, second = divide(x, by, part=True)
        unused = 2 * second
    assert tape.gradient(first, [x, by])[0].numpy().tolist() == [0.5, 0.25]
    assert tape.gradient(first, [x, by])[1].numpy().tolist() == [-1.5, -0.5]
    np.testing.assert_array_equal(tape.jacobian(first, x), np.diag([0.5, 0.25]))
    assert tape.gradient(unused, x).numpy().tolist() == [0, 0], "None of the other is zeros"
    with tf.GradientTape() as tape:
        tape.watch(by)
        first, _ = divide(x, by, part=True)
    saved = tape.records[0][3]
    assert [v.numpy().tolist() for v in saved] == [[6, 8], [3, 2], [3, 2], [2, 4]], "in order"


def test_code_is_written_when_it_is_needed_and_is_no_line_of_the_users(declared):
    def fails(g, x_shape):
        raise ZeroDivisionError(x_shape)

    op = declared("PlansFailing", lambda x: x + 1, {"x": fails})
    plan = op.primitive.plan(1)
    assert plan.keep.__name__ == "first"
    x = tf.constant([1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = op(x)
    assert plan.keep.__name__ == "keep"
    tf.debugging.disable_traceback_filtering()
    with pytest.raises(ZeroDivisionError) as caught:
        tape.gradient(y, x)
    files = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
    package = str(Path(tf.__file__).parent)
    strange = [f for f in files if not f.startswith(package) and f != __file__]
    assert not strange
    assert any("plan of PlansFailing" in f for f in files)


def test_forward_derivatives_of_operations_of_many_inputs_some_of_which_are_not_followed():
    x = tf.Variable([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        y = tf.concat([x, tf.zeros([2, 2]), 3.0 * x], 1)  # more rows than columns: forwards
    jacobian = tape.jacobian(y, x)
    expected = np.zeros((2, 4, 2, 1))
    expected[0, :, 0, 0] = expected[1, :, 1, 0] = [1, 0, 0, 3]
    np.testing.assert_array_equal(jacobian, expected)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as forward:
        y = tf.concat([tf.zeros([2, 1]), x], 1)
    np.testing.assert_array_equal(forward.jvp(y), [[0, 1], [0, 1]])
