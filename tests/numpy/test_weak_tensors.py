"""Weak tensors and the modes "all" and "safe", which are for a whole process; see TensorFlow."""

import subprocess
import sys

import pytest

ALL = [
    (
        "tf.ragged.constant([[[1.0]]], ragged_rank=1, inner_shape=(1,)).to_tensor()",
        "<tf.Tensor: shape=(1, 1, 1), dtype=float32, numpy=array([[[1.]]], dtype=float32)>",
    ),
    ("c(5)", "<tf.Tensor: shape=(), dtype=int32, numpy=5, weak=True>"),
    (
        "c([1, 2])",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32), weak=True>",
    ),
    ("c(1j)", "<tf.Tensor: shape=(), dtype=complex128, numpy=1j, weak=True>"),
    ("c(True)", "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    ("c(np.float32(5))", "<tf.Tensor: shape=(), dtype=float32, numpy=5.0>"),
    ("c(5, tf.int8) + 3", "<tf.Tensor: shape=(), dtype=int8, numpy=8>"),
    ("c(5, tf.int8) + c(2.0, tf.float16)", "<tf.Tensor: shape=(), dtype=float16, numpy=7.0>"),
    ("tf.add(c(5, tf.uint8), c(2, tf.int8))", "<tf.Tensor: shape=(), dtype=int16, numpy=7>"),
    ("c(5, tf.int32) + 1.5", "<tf.Tensor: shape=(), dtype=float64, numpy=6.5, weak=True>"),
    ("tf.add(5, 1.5)", "<tf.Tensor: shape=(), dtype=float32, numpy=6.5, weak=True>"),
    ("1 - c(3)", "<tf.Tensor: shape=(), dtype=int32, numpy=-2, weak=True>"),
    ("c(2) / c(3)", "<tf.Tensor: shape=(), dtype=float64, numpy=0.6666666666666666, weak=True>"),
    ("-c(5)", "<tf.Tensor: shape=(), dtype=int32, numpy=-5, weak=True>"),
    ("tf.reduce_sum(c([1.0, 2.0]))", "<tf.Tensor: shape=(), dtype=float32, numpy=3.0, weak=True>"),
    ("c(5, tf.int32) == c(5.0, tf.float64)", "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    ("c('a') + c('b')", "<tf.Tensor: shape=(), dtype=string, numpy=b'ab'>"),
    ("c(1) + np.array(2)", "<tf.Tensor: shape=(), dtype=int64, numpy=3>"),
    ("tf.cast(c(5), tf.float32)", "<tf.Tensor: shape=(), dtype=float32, numpy=5.0>"),
    ("c([1, 2])[0]", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    ("tf.Variable(5)", "<tf.Variable 'Variable:0' shape=() dtype=int32, numpy=5>"),
    ("str(c(5))", "'tf.Tensor(5, shape=(), dtype=int32, weak=True)'"),
    ("f'{c(5)}'", "'5 weakly typed'"),
    ("c([[1, 2]]).T.shape", "TensorShape([2, 1])"),
    ("[int(x) for x in c([1, 2])]", "[1, 2]"),
    (
        "tf.function(lambda x: x + 1)(c(2))",
        "<tf.Tensor: shape=(), dtype=int32, numpy=3, weak=True>",
    ),
    ("tf.function(lambda: c(2) + c(1, tf.int8))()", "<tf.Tensor: shape=(), dtype=int8, numpy=3>"),
    ("gradient()", "<tf.Tensor: shape=(), dtype=float32, numpy=6.0, weak=True>"),
    ("next(iter(tf.data.Dataset.from_tensor_slices(c([1, 2])))) + c(1, tf.int8)", None),
]
SAFE = [
    ("c(1, tf.int8) + 1", "<tf.Tensor: shape=(), dtype=int8, numpy=2>"),
    ("c(1, tf.int32) + c(1.0, tf.float64)", "<tf.Tensor: shape=(), dtype=float64, numpy=2.0>"),
    ("c(1, tf.int32) + c(1.0, tf.float32)", TypeError),
    ("tf.add(c(1, tf.uint8), c(1, tf.int8))", TypeError),
]
PROGRAM = """
import sys
import numpy as np
import gradtape as tf
tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=sys.argv[1])
c = tf.constant
def gradient():
    x = c(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)
for expression in sys.argv[2:]:
    try:
        print(repr(eval(expression)).replace(chr(10), ""))
    except TypeError as error:
        assert "PromoMode.SAFE" in str(error)
        print("TypeError")
"""


@pytest.mark.parametrize(
    ("mode", "entries"), [pytest.param("all", ALL, marks=pytest.mark.slow), ("safe", SAFE)]
)
def test_answers_of_tensorflow(mode, entries):
    expressions = [expression for expression, _ in entries]
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, mode, *expressions],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    answers = run.stdout.splitlines()
    for (expression, expected), answer in zip(entries, answers, strict=True):
        wanted = "TypeError" if expected is TypeError else expected
        assert wanted is None or answer == wanted, expression


def test_a_process_has_one_mode():
    program = """
import gradtape as tf
enable = tf.experimental.numpy.experimental_enable_numpy_behavior
for mode in ("wat", "safe", "safe", "all"):
    try:
        enable(dtype_conversion_mode=mode)
        print("enabled")
    except ValueError:
        print("refused")
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=True
    )
    assert run.stdout.split() == ["refused", "enabled", "enabled", "refused"]
