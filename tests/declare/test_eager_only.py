"""Functions that a compiler refuses, and tapes that make it trace a function once more."""

import pytest

import gradtape as tf
from gradtape._src.core.recorder import Recorder, replaced
from gradtape._src.declare.eager_only import (
    UsedInsideError,
    active_compiler,
    check_used_inside,
    refuse_under_jit,
)


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
