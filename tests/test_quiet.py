"""Infinities and NaN are values: no warning, whatever a program does with warnings."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.slow

PROGRAM = """
import gradtape as tf
x, y = tf.Variable(0.0), tf.Variable([0.0, -1.0, 1000.0])
with tf.GradientTape(persistent=True) as tape:
    a = 1.0 / x
    b = tf.math.log(y)
    c = tf.sqrt(y) * tf.exp(y)
print(float(a), float(tape.gradient(a, x)))
print(b.numpy(), tape.gradient(b, y).numpy())
print(c.numpy(), tape.gradient(c, y).numpy())
print(tf.reduce_mean(tf.constant([])).numpy(), tf.cast(tf.constant(1e30), tf.float16).numpy())
"""


@pytest.mark.parametrize("option", ["default", "error"])
def test_a_program_that_divides_by_zero_prints_no_warning(option):
    result = subprocess.run(
        [sys.executable, "-W", option, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert result.stderr == ""
    assert result.stdout.startswith("inf -inf\n")


def test_warnings_made_errors_by_the_program_itself():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = tf.Variable([0.0, 1.0])
        with tf.GradientTape() as tape:
            y = 1.0 / x
        assert y.numpy().tolist() == [np.inf, 1.0]
        del tape


def test_numpys_own_settings_stay_as_they_were():
    code = "import numpy as np; a = np.geterr(); import gradtape; assert a == np.geterr()"
    subprocess.run([sys.executable, "-c", code], check=True)
