"""`tf.test.TestCase`: what its assertions accept and refuse."""

import os
import unittest

import numpy as np
import pytest

import gradtape as tf

CASE = tf.test.TestCase()
X = tf.constant([1.0, 2.0])


@pytest.mark.parametrize(
    ("assertion", "good", "bad"),
    [
        ("assertAllClose", ({"a": [X, 1.0]}, {"a": [X + 1e-7, 1.0]}), ({"a": X}, {"a": X + 1e-3})),
        ("assertAllClose", (X, [1.0, 2.0]), (X, [[1.0, 2.0]])),
        ("assertAllEqual", (tf.constant(["a"]), [b"a"]), (X, [1.0, 3.0])),
        ("assertNotAllClose", (X, X + 1), (X, X)),
        ("assertAllGreater", (X, 0.5), (X, 1.0)),
        ("assertAllInRange", (X, 1.0, 2.0), (X, 1.0, 1.5)),
        ("assertAllInSet", (X, {1.0, 2.0}), (X, {1.0})),
        ("assertShapeEqual", (X, np.zeros(2)), (X, np.zeros(3))),
        ("assertDTypeEqual", (X, tf.float32), (X, tf.float64)),
        ("assertNear", (1.0, 1.01, 0.1), (1.0, 1.2, 0.1)),
        (
            "assertAllCloseAccordingToType",
            (tf.cast(X, tf.float16), tf.cast(X, tf.float16) + 1e-3),
            (X, X + 1e-3),
        ),
    ],
)
def test_assertions(assertion, good, bad):
    getattr(CASE, assertion)(*good)
    with pytest.raises(AssertionError):
        getattr(CASE, assertion)(*bad)


def test_sessions_and_seeds():
    with CASE.session() as session:
        assert session.run({"x": X})["x"].tolist() == [1.0, 2.0]
    CASE.setUp()
    first = tf.random.normal([3]).numpy()
    CASE.setUp()
    np.testing.assert_array_equal(tf.random.normal([3]), first)
    with CASE.assertRaisesOpError("Incompatible|broadcast|must be"):
        X + tf.zeros(3)


def test_sessions_of_graphs():
    with tf.Graph().as_default() as graph, CASE.session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [])
        assert session.run(x + 1.0, feed_dict={x: 2.0}) == 3.0
        assert CASE.evaluate({"y": tf.constant([1.0, 2.0])})["y"].tolist() == [1.0, 2.0]
        CASE.assertAllClose([1.0, 2.0], tf.constant([1.0, 2.0]))
        CASE.assertAllEqual(np.array(3), 3)
    with CASE.session(graph=graph) as session:
        assert session.graph is graph
    assert CASE.evaluate(X).tolist() == [1.0, 2.0]


def test_the_method_for_sessions_is_not_a_test():
    class Empty(tf.test.TestCase):
        pass

    result = Empty("test_session").run()
    assert [reason for _, reason in result.skipped] == ["Not a test."]
    with CASE.test_session() as session:
        assert session.run(X).tolist() == [1.0, 2.0]


def test_tests_skip_themselves_if_a_condition_holds():
    class Case(tf.test.TestCase):
        @tf.test.disable_with_predicate(lambda: True, "not here")
        def test_skipped(self):
            raise AssertionError

        @tf.test.disable_with_predicate(lambda: False, "not here")
        def test_run(self):
            return 5

    with pytest.raises(unittest.SkipTest, match="not here"):
        Case("test_skipped").test_skipped()
    assert Case("test_run").test_run() == 5


def test_what_the_machine_has():
    assert tf.test.is_built_with_xla()
    assert sum(map(tf.test.is_cpu_target_available, ("x86_64", "aarch64", "arm"))) <= 1
    with pytest.raises(AssertionError, match="Unknown CPU target"):
        tf.test.is_cpu_target_available("abacus")


def test_threads_fail_the_test_whose_errors_they_raise():
    done = []
    thread = CASE.checkedThread(done.append, args=(3,))
    thread.start()
    thread.join()
    assert done == [3]
    assert not thread.is_alive()
    thread = CASE.checkedThread(lambda: 1 / 0)
    thread.start()
    with pytest.raises(AssertionError, match="division by zero"):
        thread.join()


def test_what_is_written_to_a_stream_is_captured(tmp_path):
    with (tmp_path / "stream").open("w") as stream:
        with CASE.captureWritesToStream(stream) as captured:
            os.write(stream.fileno(), b"one ")
            stream.write("two")
        assert captured.contents() == "one two"
        stream.write("after")
    assert (tmp_path / "stream").read_text() == "after"
    assert CASE.evaluate_if_both_tensors(X, 3)[1] == 3


class OfGraphs(tf.test.TestCase):
    def test_sessions(self):
        with tf.Graph().as_default() as graph:
            x = tf.compat.v1.placeholder(tf.float32, [None])
            v = tf.compat.v1.get_variable("v", initializer=2.0)
            y = x * v
            with self.session() as session:
                session.run(v.initializer)
                assert session.run(y, {x: [1.0, 3.0]}).tolist() == [2.0, 6.0]
                assert v.eval() == 2.0
                self.assertAllEqual(v, 2.0)
            with pytest.raises(RuntimeError, match="closed"):
                session.run(v)
            assert session.graph is graph

    def test_the_session_of_a_test(self):
        with tf.Graph().as_default():
            v = tf.compat.v1.get_variable("v", initializer=2.0)
            with self.cached_session() as first:
                first.run(v.initializer)
            with self.test_session() as second:
                assert second is first
                assert v.eval() == 2.0
            assert self.evaluate({"a": v, "b": [v + 1.0]}) == {"a": 2.0, "b": [3.0]}
            self.assertAllClose([1.0, 2.0], np.array([1.0, 2.0]))
            self.assertAllClose(v * 2.0, 4.0)
        with tf.Graph().as_default() as other:
            with pytest.raises(ValueError, match="different"), self.cached_session(other):
                pass
            with self.test_session(other) as session:
                assert session.graph is other

    def test_each_test_starts_with_an_empty_graph(self):
        before = tf.compat.v1.get_default_graph()
        self.setUp()
        assert tf.compat.v1.get_default_graph() is not before


@pytest.mark.parametrize(
    "name",
    ["test_sessions", "test_the_session_of_a_test", "test_each_test_starts_with_an_empty_graph"],
)
def test_cases_run_graphs_in_sessions(name):
    result = OfGraphs(name).run()
    assert result.wasSuccessful(), [*result.failures, *result.errors]


def test_functions_and_composite_tensors_are_evaluated():
    case = tf.test.TestCase()
    assert case.evaluate([lambda: tf.constant(2.0), 3]) == [2.0, 3]
    sparse = tf.sparse.from_dense([[0.0, 5.0]])
    value = case.evaluate({"s": sparse})["s"]
    assert type(value).__name__ == "SparseTensorValue"
    assert [part.tolist() for part in value] == [[[0, 1]], [5.0], [1, 2]]
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([2]))
    assert type(case.evaluate(slices)).__name__ == "IndexedSlicesValue"
    assert case.evaluate(slices).dense_shape is None
    case.assertAllClose(sparse, sparse)
    with pytest.raises(AssertionError):
        case.assertAllClose(sparse, sparse * 2.0)
