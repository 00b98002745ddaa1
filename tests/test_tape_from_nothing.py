"""The page that builds a tape from nothing: its code prints its text, and agrees with gradtape."""

import contextlib
import io
import re
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf

PAGE = Path(__file__).resolve().parent.parent / "docs" / "design" / "tape-from-nothing.md"
X = np.array([0.3, -1.2, 2.0])


def blocks():
    text = PAGE.read_text(encoding="utf-8")
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def run():
    """The names that the page defines, and what its code prints."""
    namespace, output = {}, io.StringIO()
    with contextlib.redirect_stdout(output):
        for kind, code in blocks():
            if kind == "python":
                exec(compile(code, PAGE.name, "exec"), namespace)
    return namespace, output.getvalue()


@pytest.fixture(scope="module")
def page():
    return run()[0]


def test_it_prints_the_text_after_its_code():
    assert run()[1] == "".join(text for kind, text in blocks() if kind == "text")


def small(page, x):
    """exp(-sum(sin x)) · x · cos x, by the page's operations."""
    total = page["total"](page["sin"](x), rank=1)
    return page["exp"](-total) * x * page["cos"](x)


def large(x):
    return tf.exp(-tf.reduce_sum(tf.sin(x))) * x * tf.cos(x)


def gradients(page):
    """The gradient and the tape of a gradient, of both."""
    a, b = page["value"](X), tf.constant(X)
    with page["Tape"]() as outer:
        outer.watch(a)
        with page["Tape"]() as inner:
            inner.watch(a)
            y = small(page, a)
        g = inner.gradient(y, a)
    with tf.GradientTape() as tape:
        tape.watch(b)
        with tf.GradientTape() as within:
            within.watch(b)
            z = large(b)
        h = within.gradient(z, b)
    return (outer, g, a), (tape, h, b)


def test_gradients_are_gradtapes(page):
    (_, g, _), (_, h, _) = gradients(page)
    np.testing.assert_allclose(g.array, h.numpy(), rtol=1e-12)


def test_second_derivatives_are_gradtapes(page):
    (outer, g, a), (tape, h, b) = gradients(page)
    np.testing.assert_allclose(outer.gradient(g, a).array, tape.gradient(h, b), rtol=1e-12)


def test_hessians_are_gradtapes(page):
    (outer, g, a), (tape, h, b) = gradients(page)
    np.testing.assert_allclose(page["jacobian"](outer, g, a), tape.jacobian(h, b), rtol=1e-12)


def test_jacobians_are_gradtapes(page):
    a, b = page["value"](X), tf.constant(X)
    with page["Tape"]() as tape:
        tape.watch(a)
        y = small(page, a)
    with tf.GradientTape() as real:
        real.watch(b)
        z = large(b)
    np.testing.assert_allclose(page["jacobian"](tape, y, a), real.jacobian(z, b), rtol=1e-12)


def test_tangents_are_gradtapes(page):
    t = np.array([1.0, -2.0, 0.5])
    a, b = page["value"](X), tf.constant(X)
    with page["Accumulator"](a, page["value"](t)) as forward:
        y = small(page, a)
    with tf.autodiff.ForwardAccumulator(b, tf.constant(t)) as real:
        z = large(b)
    np.testing.assert_allclose(forward.jvp(y).array, real.jvp(z), rtol=1e-12)


def test_a_tape_of_many_operations_is_walked(page):
    a = page["value"](X)
    with page["Tape"]() as tape:
        tape.watch(a)
        y = a
        for _ in range(3000):
            y = y + a
    assert tape.gradient(y, a).array.tolist() == [3001.0] * 3


def test_it_can_be_read_in_one_sitting():
    code = "".join(code for kind, code in blocks() if kind == "python")
    assert len(code.splitlines()) <= 300
