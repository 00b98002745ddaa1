"""A forked child: compiled functions are an error that says what to do, all else runs."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")

CHILD = """
import os, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
import gradtape as tf

x = tf.constant(np.ones(1 << 19, "f4"))
w = tf.Variable(2.0)

@tf.function(jit_compile=True)
def compiled(a):
    return a * 2

@tf.function(jit_compile=True)
def other(a):
    return tf.reduce_sum(a) * w

if {first}:
    compiled(w.read_value())
tf.exp(x)  # its threads run
reading, writing = os.pipe()
if os.fork() == 0:
    said = []
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.exp(x) * w)
    said.append(tape.gradient(y, w).numpy() > 0)
    for function, argument in ((compiled, w.read_value()), (other, x)):
        try:
            said.append(float(function(argument)))
        except RuntimeError as error:
            said.append("spawn" in str(error))
    os.write(writing, repr(said).encode())
    os._exit(0)
os.close(writing)
print(os.read(reading, 1000).decode(), float(compiled(w.read_value())))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "expected"),
    [(True, "[True, True, True] 4.0"), (False, f"[True, 4.0, {2.0 * (1 << 19)}] 4.0")],
)
def test_compiled_functions_in_a_forked_child(first, expected):
    pytest.importorskip("jax")
    ran = subprocess.run(  # noqa: PLW1510
        [sys.executable, "-c", CHILD.format(first=first)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "2", "JAX_PLATFORMS": "cpu"},
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip().replace("np.True_", "True") == expected
