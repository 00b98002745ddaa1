"""A physics-informed network for u'' = -sin x, without Keras."""

import math
from collections.abc import Callable

import gradtape as tf

Network = Callable[[tf.Tensor], tf.Tensor]


class Dense(tf.Module):
    def __init__(self, ins: int, outs: int) -> None:
        super().__init__()
        scale = math.sqrt(2.0 / (ins + outs))
        self.w = tf.Variable(tf.random.stateless_normal((ins, outs), [1, ins]) * scale)
        self.b = tf.Variable(tf.zeros(outs))

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return x @ self.w + self.b


class Net(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = Dense(1, 16)
        self.out = Dense(16, 1)

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return self.out(tf.tanh(self.hidden(x)))


def second_derivative(u: Network, x: tf.Tensor) -> tf.Tensor:
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = u(x)
        dy = inner.gradient(y, x)
    return outer.gradient(dy, x)


def residual(u: Network, x: tf.Tensor) -> tf.Tensor:
    ends = u(tf.constant([[0.0], [math.pi]]))
    inside = second_derivative(u, x) + tf.sin(x)
    return tf.reduce_mean(inside**2) + tf.reduce_sum(ends**2)


def main() -> None:
    net, x = Net(), tf.reshape(tf.linspace(0.0, math.pi, 20), (-1, 1))
    first = residual(net, x)
    for _ in range(100):
        variables = net.trainable_variables
        with tf.GradientTape() as tape:
            loss = residual(net, x)
        for v, g in zip(variables, tape.gradient(loss, variables), strict=True):
            v.assign_sub(0.01 * g)
    assert residual(net, x) < first


if __name__ == "__main__":
    main()
