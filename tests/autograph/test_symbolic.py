"""Symbolic values while a function is traced."""

from autograph_checks import jit

import gradtape as tf
from gradtape._src.autograph.symbolic import is_symbolic
from gradtape._src.ops.control.control_flow import least_turns


def test_what_is_known(engine):
    found = {}
    v = tf.Variable(1.0)

    @jit
    def f(x):
        found["argument"] = is_symbolic(x)
        found["result"] = is_symbolic(x * 2)
        found["constant"] = is_symbolic(tf.constant(1.0))
        found["variable"] = is_symbolic(v)
        found["number"] = is_symbolic(1.0)
        found["rows"] = tf.vectorized_map(lambda r: r * (2.0 if is_symbolic(r) else 3.0), x)
        found["turns"] = least_turns()
        return found.pop("rows")

    assert f(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]
    assert found == {
        "argument": True,
        "result": True,
        "constant": False,
        "variable": True,
        "number": False,
        "turns": 1,
    }
    assert not is_symbolic(tf.constant(1.0))
    assert not is_symbolic(v)
