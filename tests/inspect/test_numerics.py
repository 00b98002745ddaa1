"""The origins of NaN and infinity: the operation, the line, the trap.

A test marks the line that must be named with `# <-`.
"""

import numpy as np
import pytest
from marked_lines import check_finding

import gradtape as tf
from gradtape.debugging import NonFiniteError, Trap, numerics_checked


def raises():
    return pytest.raises(tf.errors.InvalidArgumentError)


def test_data_that_was_not_finite_to_begin_with():
    data = tf.constant([1.0, np.nan])
    with numerics_checked(), raises() as caught:
        y = tf.reshape(data, (2, 1))
        y * 2.0  # <-
    finding = check_finding(caught, Trap.NOT_FINITE_BEFORE, "forward", "Mul")
    assert finding.operands[0].nans == 1


def test_where_over_an_unsafe_branch():
    x = tf.Variable([0.0, 4.0])

    with numerics_checked(), raises() as caught:
        with tf.GradientTape() as tape:
            root = tf.pow(x, 0.5)  # <-
            y = tf.where(x > 0, root, 0.0)
        tape.gradient(y, x)
    finding = check_finding(caught, Trap.WHERE_BRANCH, "backward", "Pow")
    assert "tf.where(x > 0, root, 0.0)" in finding.selected.source


def test_a_safe_where_passes():
    x = tf.Variable([0.0, 4.0])
    with numerics_checked():
        with tf.GradientTape() as tape:
            safe = tf.where(x > 0, x, 1.0)
            y = tf.where(x > 0, tf.sqrt(safe), 0.0)
        assert tape.gradient(y, x).numpy().tolist() == [0.0, 0.25]


def test_sqrt_at_zero():
    x = tf.Variable([0.0, 1.0])
    with numerics_checked(), raises() as caught:
        with tf.GradientTape() as tape:
            y = tf.sqrt(x)  # <-
        tape.gradient(y, x)
    check_finding(caught, Trap.SQRT_AT_ZERO, "backward", "Sqrt")


@pytest.mark.parametrize("squared", ["x * x", "x**2", "tf.square(x)"])
def test_a_norm_written_out_at_zero(squared):
    x = tf.Variable([0.0, 0.0])
    square = {
        "x * x": lambda x: x * x,
        "x**2": lambda x: x**2,
        "tf.square(x)": tf.square,
    }[squared]
    with numerics_checked(), raises() as caught:
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(square(x))
            y = tf.sqrt(total)  # <-
        tape.gradient(y, x)
    check_finding(caught, Trap.NORM_AT_ZERO, "backward", "Sqrt")


def test_norm_at_zero():
    x = tf.Variable([0.0, 0.0])
    with numerics_checked(), raises() as caught:
        with tf.GradientTape() as tape:
            y = tf.norm(x)  # <-
        tape.gradient(y, x)
    check_finding(caught, Trap.NORM_AT_ZERO, "backward", "EuclideanNorm")


def test_a_root_as_a_power_at_zero():
    x = tf.Variable([0.0, 1.0])
    with numerics_checked(), raises() as caught:
        with tf.GradientTape() as tape:
            y = x**0.25  # <-
        tape.gradient(y, x)
    check_finding(caught, Trap.POWER_AT_ZERO, "backward", "Pow")


def test_zero_to_the_zero():
    x = tf.Variable(0.0)
    for exponent in (0.0, x):  # 1 in itself; the derivative is 0 * inf, or has log(0)
        with numerics_checked(), raises() as caught:
            with tf.GradientTape() as tape:
                y = x**exponent  # <-
            tape.gradient(y, x)
        finding = check_finding(caught, Trap.POWER_AT_ZERO, "backward", "Pow")
        assert finding.operands[1].name == "x"


def test_overflow_in_the_gradient():
    x = tf.Variable(np.float16(200.0))
    with numerics_checked(), raises() as caught:
        with tf.GradientTape() as tape:
            y = x * x  # <-
            z = tf.cast(y, tf.float32) * 1e-3
            del z
            w = y * tf.constant(1.0, tf.float16)
        tape.gradient(w, x, output_gradients=tf.constant(500.0, tf.float16))
    check_finding(caught, Trap.OVERFLOW, "backward", "Mul")


def test_a_jacobian():
    x = tf.Variable([0.0, 1.0])
    with numerics_checked(), raises() as caught:
        with tf.GradientTape() as tape:
            y = tf.sqrt(x)  # <-
        tape.jacobian(y, x)
    check_finding(caught, Trap.SQRT_AT_ZERO, "backward", "Sqrt")


def test_a_second_derivative():
    v = tf.Variable(0.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = v**1.5
        g = inner.gradient(y, v)
    with numerics_checked(), pytest.raises(NonFiniteError):
        outer.gradient(g, v)


def test_the_gradient_of_a_users_function():
    @tf.custom_gradient
    def f(x):
        def grad(dy):
            return dy / (x - x)  # <-

        return x * 1.0, grad

    x = tf.Variable(2.0)
    with numerics_checked(), raises() as caught:
        with tf.GradientTape() as tape:
            y = f(x)
        tape.gradient(y, x)
    finding = caught.value.finding
    assert finding.trap is Trap.DIVISION_BY_ZERO
    assert "dy / (x - x)" in finding.where.source


def test_reports_instead():
    x = tf.Variable([0.0, 1.0])
    found = []
    with numerics_checked(found.append):
        with tf.GradientTape() as tape:
            y = tf.math.log(x) + 1.0
        g = tape.gradient(y, x)
    assert [(f.phase, f.operation) for f in found] == [("forward", "Log"), ("backward", "Log")]
    assert g.numpy()[0] == np.inf


def test_on_and_off():
    x = tf.constant(0.0)
    tf.debugging.enable_check_numerics()
    tf.debugging.enable_check_numerics()
    try:
        with raises():
            1.0 / x
    finally:
        tf.debugging.disable_check_numerics()
    assert float(1.0 / x) == np.inf
    tf.debugging.disable_check_numerics()


def test_infinities_that_only_pass_through():
    with numerics_checked():
        scores = tf.constant([1.0, 2.0])
        masked = tf.where(tf.constant([True, False]), scores, -np.inf)
        assert tf.nn.softmax(masked).numpy().tolist() == [1.0, 0.0]


def test_both_modes_at_once():
    x = tf.Variable([0.0, 1.0])
    with tf.debugging.explanations(), numerics_checked(), raises() as caught:
        with tf.GradientTape() as tape:
            y = tf.sqrt(x)  # <-
        tape.gradient(y, x)
    check_finding(caught, Trap.SQRT_AT_ZERO, "backward", "Sqrt")


def test_integers_and_strings_pass():
    with numerics_checked():
        tf.constant([1, 2]) + 1
        tf.reduce_sum(tf.constant([1, 2]))
