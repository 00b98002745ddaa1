"""Tests that run in a graph and eagerly."""

import pytest

import gradtape as tf
from gradtape._src.compat.internals.graph_modes import (
    eager_mode,
    graph_mode,
    run_all_in_graph_and_eager_modes,
    run_in_graph_and_eager_modes,
)


def test_modes():
    with graph_mode():
        assert not tf.executing_eagerly()
        added = tf.constant(1.0) + 1.0
        with eager_mode():
            assert tf.executing_eagerly()
            assert float(tf.constant(1.0) + 1.0) == 2
    assert tf.executing_eagerly()
    with tf.compat.v1.Session(graph=added.graph) as session:
        assert session.run(added) == 2


def test_a_test_runs_in_both_modes():
    seen = []

    class Case(tf.test.TestCase):
        @run_in_graph_and_eager_modes()
        def test_sum(self):
            seen.append(tf.executing_eagerly())
            v = tf.Variable(1.0)
            self.evaluate(tf.compat.v1.global_variables_initializer())
            assert self.evaluate(v + 1.0) == 2

        @run_in_graph_and_eager_modes
        def test_skipped_in_graphs(self):
            if not tf.executing_eagerly():
                self.skipTest("needs values")
            seen.append("skipped once")

    for name in ("test_sum", "test_skipped_in_graphs"):
        assert Case(name).run().wasSuccessful()
    assert seen == [False, True, "skipped once"]
    with pytest.raises(ValueError, match="only supports test methods"):
        run_in_graph_and_eager_modes(Case)


def test_all_tests_of_a_class():
    seen = []

    @run_all_in_graph_and_eager_modes
    class Case(tf.test.TestCase):
        def test_one(self):
            seen.append(tf.executing_eagerly())

        def helper(self):
            seen.append("never twice")

    assert Case("test_one").run().wasSuccessful()
    assert seen == [False, True]
    Case("test_one").helper()
    assert seen[2:] == ["never twice"]
