"""Behaviour and messages without `ml_dtypes`."""

import importlib.util
import subprocess
import sys

HIDE = "import sys; sys.modules['ml_dtypes'] = None\n"
PROGRAM = """
import copy, pickle
import numpy as np
import gradtape as tf
from gradtape._src.base import dtypes, optional_dtypes

assert not optional_dtypes.AVAILABLE
small = [d for d in dtypes._BY_NAME.values() if not has_storage(d)]
assert len(small) == 11
sizes = {d.name: d.size for d in small}
assert sizes.pop("bfloat16") == 2 and set(sizes.values()) == {1}

uses = [
    lambda d: d.as_numpy_dtype,
    lambda d: tf.cast([1, 2], d),
    lambda d: tf.constant(1, d),
    lambda d: tf.zeros([2], d),
    lambda d: tf.Variable(1, dtype=d),
    lambda d: tf.ones_like([1.0], dtype=d),
    lambda d: tf.bitcast(tf.constant([1], tf.uint8), d),
]
for dtype in small:
    assert dtypes.as_dtype(dtype.name) is dtype is pickle.loads(pickle.dumps(dtype))
    assert copy.copy(dtype) is dtype
    assert dtype != tf.float32 and tf.TensorSpec([2], dtype).dtype is dtype
    for use in uses:
        try:
            use(dtype)
        except ImportError as error:
            assert error.name == "ml_dtypes"
            assert f"tf.{dtype.name} needs the package ml_dtypes" in str(error), error
            assert "pip install ml_dtypes" in str(error)
        else:
            raise AssertionError(dtype)

assert tf.float16.max == np.finfo(np.float16).max and tf.int8.min == -128
for dtype in (tf.float16, tf.float32, tf.float64, tf.complex64):
    x = tf.Variable([1, 2], dtype=dtype)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x * x)
    assert tape.gradient(y, x).numpy().tolist() == [2, 4]
"""
HELPER = """
def has_storage(dtype):
    try:
        return dtype.np_dtype is not None
    except ImportError:
        return False
"""


def test_everything_but_the_small_types_works_without_ml_dtypes():
    if importlib.util.find_spec("ml_dtypes") is None:
        exec(compile(HELPER + PROGRAM, "without ml_dtypes", "exec"), {})
        return
    code = HIDE + HELPER + PROGRAM
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
