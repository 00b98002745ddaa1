"""Gradients of one's own: of a function, of a method, and passed through."""

from collections.abc import Callable

import gradtape as tf

Gradient = Callable[[tf.Tensor], tf.Tensor]


@tf.custom_gradient
def log1pexp(x: tf.Tensor) -> tuple[tf.Tensor, Gradient]:
    e = tf.exp(x)

    def grad(dy: tf.Tensor) -> tf.Tensor:
        return dy * (1 - 1 / (1 + e))

    return tf.math.log(1 + e), grad


@tf.custom_gradient
def bounded(x: tf.Tensor, bound: float = 1.0) -> tuple[tf.Tensor, Gradient]:
    """The identity, whose gradient is clipped."""
    return tf.identity(x), lambda dy: tf.clip_by_value(dy, -bound, bound)


@tf.recompute_grad
def deep(x: tf.Tensor) -> tf.Tensor:
    for _ in range(3):
        x = tf.tanh(x)
    return x


rounded = tf.grad_pass_through(tf.round)


def main() -> None:
    x = tf.constant([-1.0, 0.0, 100.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = log1pexp(x)
        z = bounded(5.0 * x)
        w = deep(x) + rounded(x)
    slopes = tape.gradient(y, x)
    assert tf.reduce_all(tf.math.is_finite(slopes))
    print(slopes.numpy(), tape.gradient(z, x).numpy(), tape.gradient(w, x).numpy())


if __name__ == "__main__":
    main()
