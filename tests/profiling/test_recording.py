"""One profile at a time; that of a tape ends with its gradient."""

from __future__ import annotations

import pytest

import gradtape as tf
from gradtape._src.profiling.recording import Recording, running


def test_a_profile_of_a_tape_ends_with_its_gradient():
    x = tf.Variable([[2.0]])
    with tf.GradientTape() as tape:
        profile = tape.profile()
        y = tf.matmul(x, x)
    assert running() is profile
    tape.gradient(y, x)
    assert running() is None
    before = str(profile)
    tf.matmul(x, x)
    assert str(profile) == before
    assert "MatMul" in before


def test_the_gradient_of_another_tape_does_not_end_it():
    x = tf.Variable([[2.0]])
    with tf.GradientTape() as outer:
        profile = outer.profile()
        with tf.GradientTape() as inner:
            y = tf.matmul(x, x)
        g = inner.gradient(y, x)
        assert running() is profile
    outer.gradient(g, x)
    assert running() is None


def test_a_persistent_tapes_profile_ends_when_it_is_told_to():
    x = tf.Variable([[2.0]])
    with tf.GradientTape(persistent=True) as tape, tape.profile() as profile:
        y = tf.matmul(x, x)
        tape.gradient(y, x)
        assert "MatMul" in str(profile)
        assert running() is profile
    assert running() is None
    assert profile.stop() is profile.report


def test_there_is_one_at_a_time():
    with Recording(), pytest.raises(tf.errors.AlreadyExistsError, match="Another profiler"):
        tf.GradientTape().profile()
    with Recording() as again:
        assert running() is again


def test_the_first_tape_is_drawn():
    x = tf.Variable([[2.0]])
    with Recording() as profile:
        with tf.GradientTape() as tape:
            y = tf.matmul(x, x)
        tape.gradient(y, x)
    assert profile.report.picture.startswith("<svg")
    assert "MatMul" in profile.report.picture
    assert "<table>" in profile._repr_html_()
