"""Records graphs of TensorFlow 1, with what sessions of TensorFlow give for them.

    python tests/graphdef/record_graphs.py

writes recorded_graphs.json, which test_recorded_graphs.py reads. TensorFlow must be installed.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
RUNS = 3
PROGRAMS: list[Callable[[], Any]] = []
"""Each gives the operation that initializes, feeds, and fetches."""


def program(function: Callable[[], Any]) -> Callable[[], Any]:
    PROGRAMS.append(function)
    return function


@contextmanager
def off(switch: str) -> Any:
    """A block in which a behaviour of TensorFlow 2 is off."""
    getattr(v1, f"disable_{switch}")()
    try:
        yield
    finally:
        getattr(v1, f"enable_{switch}")()


def regression(rate: Callable[[Any], Any], **options: Any) -> Any:
    x = v1.placeholder(tf.float32, [None, 2], name="x")
    w = v1.get_variable("w", initializer=tf.constant([[1.0], [2.0]]), **options)
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0), name="loss")
    step = v1.train.get_or_create_global_step() if not options else None
    train = rate(v1.train).minimize(loss, global_step=step)
    return v1.global_variables_initializer(), {x: [[1.0, 2.0], [3.0, 4.0]]}, [train, loss]


@program
def adam() -> Any:
    return regression(lambda train: train.AdamOptimizer(0.1))


@program
def root_mean_square() -> Any:
    return regression(lambda train: train.RMSPropOptimizer(0.01, momentum=0.5))


@program
def momentum_of_references() -> Any:
    with off("resource_variables"):
        return regression(lambda train: train.MomentumOptimizer(0.01, 0.9), use_resource=False)


@program
def assigned_references() -> Any:
    with off("resource_variables"):
        v = v1.get_variable("v", initializer=tf.constant([1.0, 2.0]), use_resource=False)
        more = v1.assign_add(v, [1.0, 1.0])
        with tf.control_dependencies([more]):
            read = v.read_value()
        return v1.global_variables_initializer(), {}, [more, read]


def control_flow() -> Any:
    x = v1.placeholder(tf.float32, [], name="x")
    n = v1.placeholder(tf.int32, [], name="n")
    y = tf.cond(x > 0, lambda: x * 2.0, lambda: tf.sin(x))
    i, z = tf.while_loop(
        lambda i, z: i < n, lambda i, z: (i + 1, z * x), [tf.constant(0), tf.constant(1.0)]
    )
    return x, n, [y, i, z]


@program
def control_flow_of_switches() -> Any:
    with off("control_flow_v2"):
        x, n, fetches = control_flow()
        return tf.no_op(), {x: 3.0, n: 4}, fetches


@program
def control_flow_of_functions() -> Any:
    v1.enable_control_flow_v2()
    x, n, fetches = control_flow()
    return tf.no_op(), {x: 3.0, n: 4}, [*fetches, *tf.gradients(fetches[-1], x)]


@program
def variables_in_branches() -> Any:
    v1.enable_control_flow_v2()
    x = v1.placeholder(tf.float32, [], name="x")
    v = tf.Variable(2.0, name="v")
    y = tf.cond(x > 0, lambda: x * v, lambda: tf.sin(x))
    return v1.global_variables_initializer(), {x: 3.0}, [y, *tf.gradients(y, x)]


@program
def convolutions() -> Any:
    x = v1.placeholder(tf.float32, [None, 8, 8, 3], name="x")
    kernel = tf.constant(np.arange(108).reshape(3, 3, 3, 4) % 7 - 3.0, tf.float32)
    y = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "SAME")), 2, 2, "VALID")
    joined = tf.concat(tf.split(tf.reshape(y, [-1, 64]), 4, 1), 0)
    values, places = tf.nn.top_k(joined, 2)
    mean, variance = tf.nn.moments(joined, [0])
    normal = v1.nn.fused_batch_norm(x, tf.ones([3]), tf.zeros([3]), is_training=True)[0]
    gradient = tf.gradients(tf.reduce_sum(joined * joined), x)
    feed = np.linspace(-1, 1, 2 * 8 * 8 * 3).reshape(2, 8, 8, 3)
    return tf.no_op(), {x: feed}, [values, places, mean, variance, normal, *gradient]


@program
def tables() -> Any:
    initializer = v1.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    table = v1.lookup.StaticHashTable(initializer, -1)
    keys = v1.placeholder(tf.string, [None], name="keys")
    return v1.tables_initializer(), {keys: ["b", "z"]}, [table.lookup(keys)]


@program
def calls_of_functions() -> Any:
    @tf.function
    def f(x: Any, y: Any) -> Any:
        if tf.reduce_sum(x) > 0:
            return x * y
        return x - y

    x = v1.placeholder(tf.float32, [None, 2], name="x")
    y = f(x, tf.constant(3.0))
    return tf.no_op(), {x: [[1.0, 2.0]]}, [y, *tf.gradients(y, x)]


@program
def a_recurrent_cell() -> Any:
    x = v1.placeholder(tf.float32, [2, 3, 4], name="x")
    start = np.sin(np.arange(8 * 16)).reshape(8, 16)
    w = v1.get_variable("w", initializer=tf.constant(start, tf.float32))
    h = c = tf.zeros([2, 4])
    for i in range(3):
        a, b, d, e = tf.split(tf.matmul(tf.concat([x[:, i], h], 1), w), 4, 1)
        c = tf.sigmoid(a) * c + tf.sigmoid(b) * tf.tanh(d)
        h = tf.sigmoid(e) * tf.tanh(c)
    feed = np.cos(np.arange(24)).reshape(2, 3, 4)
    gradients = tf.gradients(tf.reduce_sum(h), [w, x])
    return v1.global_variables_initializer(), {x: feed}, [h, *gradients]


@program
def placeholders_without_shape() -> Any:
    x, y = v1.placeholder(tf.float32, name="x"), v1.placeholder(tf.float32, name="y")
    z = tf.nn.softmax(tf.matmul(x, tf.ones([2, 3])) + y)
    return (
        tf.no_op(),
        {x: [[1.0, 2.0]], y: [0.5, 1.0, 2.0]},
        [x * 2.0, tf.reduce_sum(x), z, tf.shape(x), *tf.gradients(z * z, x)],
    )


@program
def lengths_that_differ() -> Any:
    x = v1.placeholder(tf.float32, [None, 2], name="x")
    y = v1.placeholder(tf.float32, [None, 2], name="y")
    total = tf.reduce_sum(x + y, 1, name="total")
    return tf.no_op(), {x: [[1.0, 2.0]], y: [[1.0, 0.0], [2.0, 5.0]]}, [x * y, total]


def recorded(make: Callable[[], Any]) -> dict[str, Any]:
    """A graph, and what a session gives in several runs."""
    with tf.Graph().as_default() as graph, v1.Session() as session:
        start, feeds, fetches = make()
        session.run(start)
        runs = [session.run(fetches, feeds) for _ in range(RUNS)]
        return {
            "graph": base64.b64encode(graph.as_graph_def().SerializeToString()).decode(),
            "start": start.name,
            "feeds": {x.name: np.asarray(value).tolist() for x, value in feeds.items()},
            "fetches": [x.name for x in fetches],
            "runs": [[plain(x) for x in run] for run in runs],
        }


def plain(x: Any) -> Any:
    if x is None or np.asarray(x).dtype.kind != "f":
        return x if x is None else np.asarray(x).tolist()
    return [float(f"{n:.7g}") for n in x.ravel()] if np.ndim(x) else float(x)


def main() -> None:
    found = {make.__name__: recorded(make) for make in PROGRAMS}
    lines = [f" {json.dumps(name)}: {json.dumps(x)}" for name, x in sorted(found.items())]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    Path(__file__).with_name("recorded_graphs.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
