"""`dir` shows what is public, and nothing else."""

import subprocess
import sys

import pytest

import gradtape as tf
from gradtape._src.compat.names import tensorflow_names

pytestmark = pytest.mark.slow

OWN = {"explain", "profile", "graph", "summary"}
OWN_NAMES = {"define_op", "install", "load_ipython_extension", "optimize"}


def test_a_tape_lists_its_public_methods():
    tape = tf.GradientTape()
    assert set(dir(tape)) == tensorflow_names().classes["GradientTape"] | OWN
    assert all(callable(getattr(tape, name)) for name in dir(tape))


def test_tf_lists_its_public_names():
    """In a process of its own: every module that a test imports becomes an attribute of tf."""
    code = "import gradtape as tf; print(*dir(tf))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = done.stdout.split()
    dunders = ["__git_version__", "__internal__", "__operators__", "__version__"]
    assert [n for n in names if n[0] == "_"] == dunders
    assert {"GradientTape", "keras", "losses", "data", "strings", "newaxis"} <= set(names)
    assert set(names) - tensorflow_names().modules[""] == OWN_NAMES
