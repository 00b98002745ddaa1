"""The warning about functions that are traced at nearly every call."""

import logging

import pytest

import gradtape as tf
from gradtape._src.graph.retracing import Retracing


@pytest.fixture
def heard(caplog):
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        yield caplog


def test_five_traces_for_few_calls(heard):
    counter = Retracing()
    for _ in range(4):
        counter.traced("f", 0, quiet=False, why="x")
    assert not heard.records
    counter.traced("f", 0, quiet=False, why="x: shape (1,) became (2,)")
    assert "5 out of the last 5 calls to f triggered" in heard.records[0].getMessage()
    assert "shape (1,) became (2,)" in heard.records[0].getMessage()


def test_many_calls_between_traces(heard):
    counter = Retracing()
    for _ in range(20):
        counter.traced("f", 4, quiet=False, why="")
    assert not heard.records


def test_it_is_said_twice_at_most_and_not_where_retracing_is_reduced(heard):
    for quiet, times in ((True, 0), (False, 2)):
        counter = Retracing()
        for _ in range(20):
            counter.traced("f", 0, quiet=quiet, why="")
        assert len(heard.records) == times


def test_functions_that_are_made_in_a_loop_are_counted_together(heard):
    for n in range(5):
        tf.function(lambda x: x + 1)(tf.constant(n))
    assert len(heard.records) == 1
    assert "outside loops" in heard.records[0].getMessage()


def test_calls_that_trace_nothing_are_counted(heard):
    @tf.function
    def often(n):
        return tf.constant(n)

    for n in range(8):
        often(n)
        for _ in range(10):
            often(n)
    assert not heard.records


def test_requests_for_concrete_functions_are_no_calls(heard):
    def make():
        @tf.function
        def f(x):
            return x + 1

        return f

    for n in range(8):
        make().get_concrete_function(tf.TensorSpec([n + 1]))
    assert not heard.records
    for n in range(8):
        make()(tf.ones([n + 1]))
    assert "the function was created again" in heard.records[0].getMessage()
