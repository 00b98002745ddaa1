"""Forward mode, products of Hessians with vectors, and derivatives by name."""

from __future__ import annotations

from typing import NamedTuple

import gradtape as tf


class Parameters(NamedTuple):
    rate: tf.Tensor
    decay: tf.Tensor


def model(p: Parameters, t: tf.Tensor) -> tf.Tensor:
    return p.rate * tf.exp(-p.decay * t)


def main() -> None:
    t = tf.linspace(0.0, 1.0, 5)
    p = Parameters(tf.constant(2.0), tf.constant(0.5))
    tangent = Parameters(tf.constant(0.0), tf.constant(1.0))
    with tf.autodiff.ForwardAccumulator(p, tangent) as accumulator:
        y = model(p, t)
    dy = accumulator.jvp(y)
    print(dy.shape.as_list(), dy.dtype == tf.float32)

    x = tf.Variable([1.0, 2.0, 3.0])
    v = tf.constant([1.0, 0.0, -1.0])
    with tf.autodiff.ForwardAccumulator(x, v) as forward:
        with tf.GradientTape() as tape:
            f = tf.reduce_sum(x**3)
        gradient = tape.gradient(f, x)
    product = forward.jvp(gradient)
    print(product.numpy().tolist())

    value, slope = tf.autodiff.value_and_gradient(lambda: tf.reduce_sum(x**2), x)
    print(float(value), slope.numpy().tolist())
    result, push = tf.autodiff.jvp(lambda a: a * a, tf.constant(3.0), tf.constant(1.0))
    print(float(result), float(push))
    both = tf.autodiff.gradient(lambda q: q["a"] * q["b"], {"a": tf.constant(2.0), "b": x})
    print({key: g.shape.rank for key, g in both.items()})
    hessian = tf.autodiff.hessian(lambda x: tf.reduce_sum(x**3), x)
    print(hessian.shape.as_list(), tf.autodiff.hvp(lambda x: tf.reduce_sum(x**3), x, v).numpy())
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(t)
        z = tf.sin(t)
    first, second = outer.gradient(z, (t, t))
    print(bool(tf.reduce_all(first == second)))


main()
