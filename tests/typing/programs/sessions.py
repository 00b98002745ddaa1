"""A graph of TensorFlow 1, run in a session."""

from __future__ import annotations

import numpy as np

import gradtape as tf

v1 = tf.compat.v1


def main() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        y = v1.placeholder(tf.float32, [None, 1], name="y")
        with v1.variable_scope("line", reuse=v1.AUTO_REUSE):
            w = v1.get_variable("w", [2, 1], initializer=v1.zeros_initializer())
            b = v1.get_variable("b", initializer=tf.constant(0.0))
        prediction = tf.matmul(x, w) + b
        loss = tf.reduce_mean((prediction - y) ** 2)
        step = v1.train.get_or_create_global_step()
        optimizer = v1.train.GradientDescentOptimizer(0.1)
        train = optimizer.minimize(loss, global_step=step)
        (slope,) = v1.gradients(loss, [w])
        saver = v1.train.Saver(max_to_keep=1)
        init = v1.global_variables_initializer()
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 2)).astype(np.float32)
    values = points @ np.array([[1.0], [-2.0]], np.float32) + 0.5
    with v1.Session(graph=graph) as session:
        session.run(init)
        value = np.inf
        for _ in range(50):
            _, value = session.run([train, loss], feed_dict={x: points, y: values})
        found = session.run({"w": w, "step": step, "slope": slope}, {x: points, y: values})
        print(value < 0.1, found["w"].shape, int(found["step"]))
        print(graph.get_tensor_by_name("x:0").name, [v.name for v in v1.trainable_variables()])
        operation = graph.get_operation_by_name("x")
        print(operation.type, len(graph.get_operations()) > 5, saver is not None)
        print(prediction.eval({x: points[:1]}).shape)


main()
