"""Each trap in which a number that is not finite arises, in the forward pass."""

import numpy as np
import pytest
from marked_lines import check_finding

import gradtape as tf
from gradtape.debugging import NonFiniteError, Trap, numerics_checked


def raises():
    return pytest.raises(tf.errors.InvalidArgumentError)


def test_log_of_zero():
    x = tf.constant([0.0, 1.0])
    with numerics_checked(), raises() as caught:
        tf.math.log(x)  # <-
    finding = check_finding(caught, Trap.LOG_OF_ZERO, "forward", "Log")
    (operand,) = finding.operands
    assert (operand.name, operand.shape, operand.low, operand.high) == ("x", (2,), 0.0, 1.0)
    assert operand.zeros == 1
    assert "Detected Infinity or NaN in output 0 of eagerly-executing op" in str(caught.value)
    assert isinstance(caught.value, NonFiniteError)


def test_log_of_a_negative_number():
    with numerics_checked(), raises() as caught:
        tf.math.log(tf.constant([-1.0]))  # <-
    check_finding(caught, Trap.LOG_OF_NEGATIVE, "forward", "Log")


def test_sqrt_of_a_negative_number():
    v = tf.Variable([-1.0])
    with numerics_checked(), raises() as caught:
        tf.sqrt(v)  # <-
    finding = check_finding(caught, Trap.SQRT_OF_NEGATIVE, "forward", "Sqrt")
    assert finding.operands[0].name == "v"


def test_division_by_zero():
    x = tf.constant([1.0, 2.0])
    with numerics_checked(), raises() as caught:
        x / tf.constant([0.0, 1.0])  # <-
    check_finding(caught, Trap.DIVISION_BY_ZERO, "forward", "RealDiv")


def test_zero_to_a_negative_power():
    x = tf.constant([0.0, 2.0])
    with numerics_checked(), raises() as caught:
        x**-1.5  # <-
    check_finding(caught, Trap.DIVISION_BY_ZERO, "forward", "Pow")


def test_overflow_of_exp():
    x = tf.Variable(100.0)
    with numerics_checked(), raises() as caught, tf.GradientTape():
        y = tf.math.log(1 + tf.exp(x))  # <-
        del y
    finding = check_finding(caught, Trap.OVERFLOW, "forward", "Exp")
    assert "softplus" in finding.mend
    assert finding.where.marked[1].count("^") == len("tf.exp(x)")


def test_overflow_of_float16():
    x = tf.constant(1e6)
    with numerics_checked(), raises() as caught:
        tf.cast(x, tf.float16)  # <-
    finding = check_finding(caught, Trap.OVERFLOW, "forward", "Cast")
    assert "float16" in finding.mend


def test_zero_times_infinity():
    x = tf.constant([np.inf, 1.0])
    with numerics_checked(), raises() as caught:
        x * tf.constant([0.0, 1.0])  # <-
    check_finding(caught, Trap.ZERO_TIMES_INFINITY, "forward", "Mul")


def test_mean_of_nothing():
    x = tf.constant([], tf.float32)
    with numerics_checked(), raises() as caught:
        tf.reduce_mean(x)  # <-
    check_finding(caught, Trap.EMPTY_MEAN, "forward", "Mean")


def test_acos_outside():
    x = tf.constant([1.5])
    with numerics_checked(), raises() as caught:
        tf.acos(x)  # <-
    check_finding(caught, Trap.OUT_OF_DOMAIN, "forward", "Acos")
