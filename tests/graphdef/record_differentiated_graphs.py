"""Records graphs that TensorFlow had differentiated, and new derivatives that it takes of them.

    python tests/graphdef/record_differentiated_graphs.py

writes recorded_differentiated_graphs.json. TensorFlow must be installed.
"""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
PROGRAMS: list[Callable[[], Any]] = []
"""Each gives a loss, which depends on "x:0" and trainable variables, and several feeds."""


def program(function: Callable[[], Any]) -> Callable[[], Any]:
    PROGRAMS.append(function)
    return function


def values(*shape: int) -> Any:
    return np.cos(np.arange(1.0, 1 + np.prod(shape, dtype=int)) * 1.7).reshape(shape) * 0.6


def variable(*shape: int) -> Any:
    return v1.get_variable("w", initializer=tf.constant(values(*shape)))


def fed(*shape: int | None) -> Any:
    return v1.placeholder(tf.float64, shape, "x")


def total(y: Any) -> Any:
    return tf.reduce_sum(y * y)


@program
def conditional() -> Any:
    x, w = fed(2), variable(2)
    y = tf.cond(tf.reduce_sum(x) > 0, lambda: w * x * w, lambda: tf.sin(w) * x)
    return total(y), [{"x:0": [1.0, 2.0]}, {"x:0": [-1.0, 0.5]}]


@program
def conditional_of_unknown_length() -> Any:
    x, w = fed(None, 2), variable(2)
    y = tf.cond(tf.reduce_sum(x) > 0, lambda: tf.tanh(w * x), lambda: tf.exp(tf.sin(w) * x))
    return total(y), [{"x:0": values(3, 2) + 2}, {"x:0": values(2, 2) - 2}]


@program
def nested_conditional() -> Any:
    x, w = fed(2), variable(2)

    def inner() -> Any:
        return tf.cond(x[0] > x[1], lambda: tf.tanh(w) * x, lambda: w * w * x)

    y = tf.cond(tf.reduce_sum(x) > 0, inner, lambda: tf.sin(w) * x)
    return total(y), [{"x:0": [1.0, 2.0]}, {"x:0": [2.0, 0.5]}, {"x:0": [-1.0, 0.5]}]


@program
def switch() -> Any:
    x, w = fed(2), variable(2)
    index = v1.placeholder(tf.int32, [], "index")
    y = tf.switch_case(index, [lambda: w * x * w, lambda: tf.sin(w) * x, lambda: tf.exp(w)])
    return total(y), [{"x:0": [1.0, 2.0], "index:0": i} for i in range(3)]


@program
def loop() -> Any:
    x, w = fed(None, 3), variable(3, 3)
    start = tf.constant(0), x
    y = tf.while_loop(lambda i, _: i < 4, lambda i, h: (i + 1, tf.tanh(h @ w)), start)[1]
    return total(y), [{"x:0": values(2, 3)}, {"x:0": values(4, 3)}]


@program
def loop_of_unknown_length() -> Any:
    x, w, n = fed(), variable(), v1.placeholder(tf.int32, [], "n")
    start = tf.constant(0), x
    y = tf.while_loop(lambda i, _: i < n, lambda i, h: (i + 1, tf.sin(h * w) + x * h), start)[1]
    return y * y, [{"x:0": 1.2, "n:0": 3}, {"x:0": 0.7, "n:0": 0}]


@program
def array() -> Any:
    x, w = fed(None, 3), variable(3, 3)

    def body(i: Any, h: Any, ta: Any) -> Any:
        h = tf.tanh(h @ w + x[i])
        return i + 1, h, ta.write(i, h)

    n = tf.shape(x)[0]
    start = tf.constant(0), tf.zeros([1, 3], tf.float64), tf.TensorArray(tf.float64, n)
    y = tf.while_loop(lambda i, *_: i < n, body, start)[2].stack()
    return total(y), [{"x:0": values(4, 3)}, {"x:0": values(1, 3)}]


@program
def recurrent() -> Any:
    x, w = fed(2, None, 3), variable(8, 5)
    n = tf.shape(x)[1]
    rows = tf.TensorArray(tf.float64, n).unstack(tf.transpose(x, [1, 0, 2]))

    def body(i: Any, h: Any, ta: Any) -> Any:
        h = tf.tanh(tf.concat([rows.read(i), h], 1) @ w)
        return i + 1, h, ta.write(i, h)

    start = 0, tf.zeros([2, 5], tf.float64), tf.TensorArray(tf.float64, n)
    _, h, ta = tf.while_loop(lambda i, *_: i < n, body, start)
    return total(ta.stack()) + tf.reduce_sum(h), [{"x:0": values(2, 4, 3)}]


@program
def reading() -> Any:
    x, w = fed(4, 2), variable(2)
    rows = tf.TensorArray(tf.float64, 4, clear_after_read=False).unstack(x * w)
    start = tf.constant(0), tf.ones([2], tf.float64)
    body = lambda i, h: (i + 1, h * rows.read(i) + tf.sin(h) * rows.read(i))  # noqa: E731
    return total(tf.while_loop(lambda i, _: i < 4, body, start)[1]), [{"x:0": values(4, 2)}]


@program
def growing() -> Any:
    x, w = fed(2), variable(2)
    shapes = tf.TensorShape([]), tf.TensorShape([None])
    body = lambda i, h: (i + 1, tf.concat([h, tf.tanh(h[:2] * w)], 0))  # noqa: E731
    y = tf.while_loop(lambda i, _: i < 3, body, (tf.constant(0), x), shapes)[1]
    return total(y), [{"x:0": values(2)}]


@program
def conditional_in_loop() -> Any:
    x, w = fed(3), variable(3)

    def body(i: Any, h: Any) -> Any:
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: tf.tanh(h * w), lambda: h + w * w)

    return total(tf.while_loop(lambda i, _: i < 5, body, (tf.constant(0), x))[1]), [
        {"x:0": values(3)}
    ]


@program
def loop_in_conditional() -> Any:
    x, w = fed(3), variable(3)

    def inner() -> Any:
        body = lambda i, h: (i + 1, tf.tanh(h * w))  # noqa: E731
        return tf.while_loop(lambda i, _: i < 3, body, (tf.constant(0), x))[1]

    y = tf.cond(x[0] > 0, inner, lambda: x * w)
    return total(y), [{"x:0": [1.0, 2.0, 3.0]}, {"x:0": [-1.0, 2.0, 3.0]}]


@program
def nested_loop() -> Any:
    x, w = fed(3), variable(3)

    def body(i: Any, h: Any) -> Any:
        inner = lambda j, g: (j + 1, tf.sin(g * w) + g)  # noqa: E731
        return i + 1, tf.while_loop(lambda j, _: j < i + 1, inner, (tf.constant(0), h))[1]

    return total(tf.while_loop(lambda i, _: i < 3, body, (tf.constant(0), x))[1]), [
        {"x:0": values(3)}
    ]


def recorded(make: Callable[[], Any]) -> dict[str, Any]:
    """A graph with the gradients of its loss, and new derivatives after it was imported."""
    with tf.Graph().as_default() as graph:
        loss, feeds = make()
        tf.identity(loss, "loss")
        xs = [*v1.trainable_variables(), graph.get_tensor_by_name("x:0")]
        found = tf.gradients(loss, xs)
        tf.add_n([tf.reduce_sum(g) for g in found], name="old")
        v1.global_variables_initializer()
        message = v1.train.export_meta_graph()
    asked, runs = {}, {}
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v1.train.import_meta_graph(message)
        loss, old = (graph.get_tensor_by_name(name) for name in ("loss:0", "old:0"))
        xs = [*v1.trainable_variables(), graph.get_tensor_by_name("x:0")]
        asked["old"] = [old]
        asked["first"] = tf.gradients(tf.square(loss), xs)
        with suppress(TypeError, AttributeError):  # TensorFlow lacks it for loops of version 1
            sines = [tf.reduce_sum(tf.sin(g)) for g in asked["first"]]
            asked["second"] = tf.gradients(sines, xs)
            asked["of_old"] = tf.gradients(tf.sin(old), xs)
        session.run("init")
        for name, wanted in asked.items():
            runs[name] = [[x.tolist() for x in session.run(wanted, feed)] for feed in feeds]
    return {
        "graph": base64.b64encode(zlib.compress(message.SerializeToString(), 9)).decode(),
        "feeds": [{k: np.asarray(x).tolist() for k, x in feed.items()} for feed in feeds],
        **runs,
    }


def main() -> None:
    found = {make.__name__: recorded(make) for make in PROGRAMS}
    v1.disable_control_flow_v2()
    found |= {f"{make.__name__}_v1": recorded(make) for make in PROGRAMS}
    lines = [f" {json.dumps(name)}: {json.dumps(x)}" for name, x in sorted(found.items())]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    path = Path(__file__).with_name("recorded_differentiated_graphs.json")
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
