"""Records how often effects of conditionals, loops and calls happen in TensorFlow's graphs.

    python tests/graphdef/record_effects_of_graphs.py

writes recorded_effects_of_graphs.json. TensorFlow must be installed.
"""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

PROGRAMS: dict[str, Callable[[Any], Any]] = {}
"""Each takes TensorFlow or gradtape, and gives a value that depends on "x:0", "w:0" and "c:0"."""
FEED = {"x:0": np.array([1.0, 2.0])}


def program(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    PROGRAMS[function.__name__] = function
    return function


def parts(tf: Any, **kwargs: Any) -> tuple[Any, Any, Callable[[], Any]]:
    """Returns a placeholder, a variable, and a function that counts its calls in another one."""
    v1 = tf.compat.v1
    x = v1.placeholder(tf.float64, [2], "x")
    w = v1.get_variable("w", initializer=tf.constant([0.3, 0.7], tf.float64))
    start = tf.constant(0.0, tf.float64)
    c = v1.get_variable("c", initializer=start, trainable=False, **kwargs)
    return x, w, lambda: v1.assign_add(c, tf.constant(1.0, tf.float64))


def positive(tf: Any, x: Any) -> Any:
    return tf.reduce_sum(x) > 0


@program
def assigning(tf: Any) -> Any:
    x, w, count = parts(tf)

    def yes() -> Any:
        with tf.control_dependencies([count()]):
            return w * x * w

    return tf.cond(positive(tf, x), yes, lambda: tf.sin(w) * x)


@program
def assigning_if_false(tf: Any) -> Any:
    x, w, count = parts(tf)

    def no() -> Any:
        with tf.control_dependencies([count()]):
            return w * x * w

    return tf.cond(positive(tf, -x), lambda: tf.sin(w) * x, no)


@program
def value_of_assignment(tf: Any) -> Any:
    x, w, count = parts(tf)
    return tf.cond(positive(tf, x), lambda: tf.sin(w * x) * count(), lambda: tf.sin(w) * x)


@program
def nested(tf: Any) -> Any:
    x, w, count = parts(tf)

    def inner() -> Any:
        return tf.cond(x[1] > x[0], lambda: tf.sin(w * x) * count(), lambda: tf.tanh(w) * x)

    return tf.cond(positive(tf, x), inner, lambda: tf.sin(w) * x)


@program
def two_assignments(tf: Any) -> Any:
    x, w, count = parts(tf)

    def yes() -> Any:
        with tf.control_dependencies([count()]):
            y = tf.tanh(w * x)
        with tf.control_dependencies([y]):
            return y * count() * w

    return tf.cond(positive(tf, x), yes, lambda: tf.sin(w) * x)


@program
def loop(tf: Any) -> Any:
    x, w, count = parts(tf)

    def body(i: Any, h: Any) -> Any:
        with tf.control_dependencies([count()]):
            return i + 1, tf.tanh(h * w)

    return tf.while_loop(lambda i, _: i < 3, body, (tf.constant(0), x))[1]


@program
def conditional_in_loop(tf: Any) -> Any:
    x, w, count = parts(tf)

    def yes(h: Any) -> Any:
        with tf.control_dependencies([count()]):
            return tf.tanh(h * w)

    def body(i: Any, h: Any) -> Any:
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: yes(h), lambda: h + w)

    return tf.while_loop(lambda i, _: i < 5, body, (tf.constant(0), x))[1]


@program
def array(tf: Any) -> Any:
    x, w, count = parts(tf)

    def body(i: Any, h: Any, ta: Any) -> Any:
        with tf.control_dependencies([count()]):
            h = tf.tanh(h * w)
        return i + 1, h, ta.write(i, h)

    start = tf.constant(0), x, tf.TensorArray(tf.float64, 3)
    return tf.while_loop(lambda i, *_: i < 3, body, start)[2].stack()


@program
def switch(tf: Any) -> Any:
    x, w, count = parts(tf)

    def second() -> Any:
        with tf.control_dependencies([count()]):
            return w * x * w

    index = tf.cast(positive(tf, x), tf.int32)
    return tf.switch_case(index, [lambda: tf.sin(w) * x, second, lambda: w * x])


@program
def call(tf: Any) -> Any:
    x, w, count = parts(tf)

    @tf.function
    def called(x: Any) -> Any:
        count()
        return tf.sin(w * x)

    return called(x)


@program
def call_in_conditional(tf: Any) -> Any:
    x, w, count = parts(tf)

    @tf.function
    def called(x: Any) -> Any:
        count()
        return tf.sin(w * x)

    return tf.cond(positive(tf, x), lambda: called(x), lambda: x * w)


@program
def reference_variable(tf: Any) -> Any:
    x, w, count = parts(tf, use_resource=False)

    def yes() -> Any:
        with tf.control_dependencies([count()]):
            return w * x * w

    return tf.cond(positive(tf, x), yes, lambda: tf.sin(w) * x)


def built(tf: Any, make: Callable[[Any], Any]) -> None:
    """Adds a program with its gradients to the graph."""
    y = make(tf)
    loss = tf.reduce_sum(y * y, name="loss")
    xs = [
        *tf.compat.v1.trainable_variables(),
        tf.compat.v1.get_default_graph().get_tensor_by_name("x:0"),
    ]
    tf.add_n([tf.reduce_sum(g) for g in tf.gradients(loss, xs)], name="old")
    tf.compat.v1.global_variables_initializer()


def measured(tf: Any, kinds: Any) -> dict[str, list[float]]:
    """Returns for each kind of fetches the sum of their values and the count, after two runs."""
    v1 = tf.compat.v1
    graph = v1.get_default_graph()
    loss, old, x = (graph.get_tensor_by_name(f"{name}:0") for name in ("loss", "old", "x"))
    counter = next(v for v in v1.global_variables() if v.name == "c:0")
    fetches = {"loss": [loss], "both": [loss, old], "old": [old]}
    if "new" in kinds:
        new = tf.gradients(tf.square(loss), [*v1.trainable_variables(), x])
        fetches |= {"new": new, "loss and new": [loss, *new]}
    found = {}
    with v1.Session() as session:
        for kind, wanted in fetches.items():
            session.run("init")
            session.run(wanted, FEED)
            total = sum(float(np.sum(value)) for value in session.run(wanted, FEED))
            found[kind] = [total, float(session.run(counter))]
    return found


def main() -> None:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    v1 = tf.compat.v1
    v1.disable_eager_execution()
    found: dict[str, Any] = {}
    for end in ("", "_v1"):
        if end:
            v1.disable_control_flow_v2()
        for name, make in PROGRAMS.items():
            if name == "reference_variable" and not end:
                continue  # TensorFlow refuses it in functions
            with tf.Graph().as_default():
                built(tf, make)
                message = v1.train.export_meta_graph()
            # TensorFlow lacks new gradients of an imported call
            kinds = [] if name.startswith("call") else ["new"]
            with tf.Graph().as_default():
                v1.train.import_meta_graph(message)
                text = base64.b64encode(zlib.compress(message.SerializeToString(), 9)).decode()
                found[name + end] = {"graph": text, **measured(tf, kinds)}
    lines = [f" {json.dumps(name)}: {json.dumps(x)}" for name, x in sorted(found.items())]
    path = Path(__file__).with_name("recorded_effects_of_graphs.json")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
