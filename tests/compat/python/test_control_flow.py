"""TensorFlow's private control flow, which libraries import; results are TensorFlow's."""

import pytest

import gradtape as tf
from gradtape._src.compat.python import control_flow


def test_case_by_ones_own_cond():
    asked = []

    def cond(pred, true_fn, false_fn, name):
        asked.append(bool(pred))
        return true_fn() if pred else false_fn()

    pairs = [(False, lambda: 1), (True, lambda: 2), (True, lambda: 3)]
    assert control_flow._case_helper(cond, pairs, None, False, None) == 2
    assert asked == [False, True]
    with pytest.raises(tf.errors.InvalidArgumentError, match="more than one"):
        control_flow._case_helper(cond, pairs, None, True, None)
    with pytest.raises(tf.errors.InvalidArgumentError, match="no predicate is true"):
        control_flow._case_helper(cond, pairs[:1], None, False, None)
