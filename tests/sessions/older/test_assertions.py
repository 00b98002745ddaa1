"""Assertions are operations in graphs of TensorFlow 1, and checks elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1
OF_TWO = {
    "equal": (2.0, 3.0),
    "none_equal": (2.0, 2.0),
    "less": (2.0, 2.0),
    "less_equal": (3.0, 2.0),
    "greater": (2.0, 2.0),
    "greater_equal": (1.0, 2.0),
}
"""By name, values for which the assertion does not hold."""
OF_ONE = {"positive": 0.0, "negative": 0.0, "non_negative": -1.0, "non_positive": 1.0}


@pytest.mark.parametrize("name", OF_TWO)
@pytest.mark.parametrize("room", [v1, tf.debugging], ids=["old", "new"])
def test_comparisons_run_with_what_waits_for_them(name: str, room: Any) -> None:
    check, (a, b) = getattr(room, f"assert_{name}"), OF_TWO[name]
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None])
        y = v1.placeholder(tf.float32, [])
        made = check(x, y, message="not so")
        assert made.type == "Assert"
        with tf.control_dependencies([made]):
            z = x + y
        opposite = {"equal": b, "none_equal": a + 1, "less": a - 1, "greater": a + 1}
        good = opposite.get(name, b)
        assert session.run(z, {x: [good], y: b}).tolist() == [good + b]
        with pytest.raises(tf.errors.InvalidArgumentError, match="not so"):
            session.run(z, {x: [good, a], y: b})
        assert session.run(x + y, {x: [a], y: b}) == [a + b]


@pytest.mark.parametrize("name", OF_ONE)
@pytest.mark.parametrize("data", [None, ["the data"]], ids=["", "data"])
def test_signs(name: str, data: Any) -> None:
    check, bad = getattr(v1, f"assert_{name}"), OF_ONE[name]
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        made = check(x, data=data, message="not so")
        good = 1.0 if bad <= 0 and name != "negative" else -1.0
        assert session.run(made, {x: good}) is None
        with pytest.raises(tf.errors.InvalidArgumentError, match=data[0] if data else "not so"):
            session.run(made, {x: bad})


@pytest.mark.parametrize("name", OF_TWO)
def test_what_is_printed_besides(name: str) -> None:
    check, (a, b) = getattr(v1, f"assert_{name}"), OF_TWO[name]
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        made = check(x, b, data=["the other is", x + 1.0])
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"the other is(.|\n)*{a + 1}"):
            session.run(made, {x: a})


def test_where_operations_run_at_once_so_do_checks() -> None:
    assert v1.assert_equal([1, 2], [1, 2]) is None
    with pytest.raises(tf.errors.InvalidArgumentError):
        v1.assert_positive(np.array([1.0, 0.0]), data=["x"])


def test_closeness_within_a_tolerance() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None])
        strict = v1.assert_near(x, [1.0, 2.0], message="not near")
        loose = v1.assert_near(x, [1.0, 2.0], atol=1.0)
        assert session.run([strict, loose], {x: [1.0, 2.0]}) == [None, None]
        assert session.run(loose, {x: [1.0, 2.5]}) is None
        with pytest.raises(tf.errors.InvalidArgumentError, match="not near"):
            session.run(strict, {x: [1.0, 2.5]})
    assert v1.assert_near([1.0, 2.5], [1.0, 2.0], rtol=1.0) is None
    with pytest.raises(tf.errors.InvalidArgumentError, match="not near"):
        v1.assert_near([1.0, 2.5], [1.0, 2.0], message="not near")
