"""The specs of a function's results, found by running it without side effects."""

import pytest

import gradtape as tf
from gradtape._src.graph import abstract_evaluation as abstract

SPEC = tf.TensorSpec([None, 3], tf.float32)


def test_results_are_described():
    found = abstract.abstract_outputs(lambda x: {"y": tf.reduce_sum(x, 1), "n": x}, ((SPEC,), {}))
    assert found["y"].shape.as_list() == [None]
    assert found["n"].shape.as_list() == [None, 3]


def test_variables_keep_their_values_and_no_tape_sees_it():
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        abstract.run_abstractly(lambda: v.assign_add(2.0))
    assert float(v) == 1
    assert tape.watched_variables() == ()


def test_variables_that_are_used():
    v, w, unused = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0)
    found = abstract.variables_used(lambda x: tf.reduce_sum(x) * w + v, ((SPEC,), {}))
    assert {id(x) for x in found} == {id(v), id(w)}
    assert float(unused) == 3


def test_a_variable_that_is_assigned_is_named_as_it_is():
    v = tf.Variable(1.0, name="v")
    (found,) = abstract.variables_used(lambda x: v.assign_add(tf.reduce_sum(x)) * 2, ((SPEC,), {}))
    assert found is v


def test_lengths_on_which_two_runs_agree():
    assert abstract.merged([2, 3], [4, 3]) == [None, 3]
    assert abstract.filled([None, 3], (5, 7))[1] == 3


def test_a_rank_that_is_unknown():
    with pytest.raises(ValueError, match="rank"):
        abstract.abstract_outputs(lambda x: x, ((tf.TensorSpec(None),), {}))
