"""Functions that a compiler refuses, and tapes that make it trace a function once more."""

import pytest

import gradtape as tf
from gradtape._src.core.recorder import Recorder, replaced
from gradtape._src.declare.eager_only import (
    UsedInsideError,
    active_compiler,
    check_used_inside,
    is_traced,
    refuse_under_jit,
)
from gradtape._src.ops.control.control_flow import graph_size, is_compiled


class Following(Recorder):
    follows_tapes = compiles = True

    def refuse(self, operation):
        raise NotImplementedError(operation)


def test_a_tape_around_a_function_has_to_watch_it():
    tape, recorder = tf.GradientTape(), Following()
    check_used_inside(tape)
    with replaced((recorder, tape)):
        check_used_inside(tape)
    with replaced((recorder,)), pytest.raises(UsedInsideError) as raised:
        check_used_inside(tape)
    assert raised.value.tape is tape
    with replaced((Recorder(),)):
        check_used_inside(tape)


def test_side_effects_are_refused_by_the_active_compiler():
    refuse_under_jit("a side effect")
    assert active_compiler() is None
    recorder = Following()
    with replaced((recorder,)):
        assert active_compiler() is recorder
        with pytest.raises(NotImplementedError, match="a side effect"):
            refuse_under_jit("a side effect")


def test_values_of_arguments_are_traced_and_constants_are_known():
    seen = []

    @tf.function
    def f(x):
        seen.append((is_compiled(), is_traced(x), is_traced(tf.constant(1.0))))
        return x + 1

    f(tf.constant(1.0))
    assert seen == [(True, True, False)]
    assert not is_compiled()
    assert not is_traced(tf.constant(1.0))
    assert not is_traced(1.0)


def test_the_size_counts_the_operations_of_a_graph_that_numpy_runs():
    found = []

    def f(x):
        before = graph_size()
        y = tf.sin(x) * 3.0
        found.append(graph_size() - before)
        return y

    f(tf.constant(1.0))
    tf.function(f)(tf.constant(1.0))
    tf.function(f, jit_compile=True)(tf.constant(1.0))  # XLA finds loops in equal operations
    assert found == [0, 2, 0]
