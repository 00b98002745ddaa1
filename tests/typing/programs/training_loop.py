"""A linear model, trained by hand and by an optimizer."""

import numpy as np
import numpy.typing as npt

import gradtape as tf


def batches(
    x: npt.NDArray[np.float32], y: npt.NDArray[np.float32], size: int
) -> list[tuple[tf.Tensor, tf.Tensor]]:
    starts = range(0, len(x), size)
    return [(tf.constant(x[i : i + size]), tf.constant(y[i : i + size])) for i in starts]


def loss_of(w: tf.Variable, b: tf.Variable, x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
    predicted = tf.linalg.matvec(x, w) + b
    return tf.reduce_mean(tf.square(predicted - y))


def by_hand(x: npt.NDArray[np.float32], y: npt.NDArray[np.float32]) -> list[float]:
    w, b = tf.Variable(tf.zeros(2), name="w"), tf.Variable(0.0, name="b")
    losses: list[float] = []
    for inputs, targets in 20 * batches(x, y, 16):
        with tf.GradientTape() as tape:
            loss = loss_of(w, b, inputs, targets)
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(0.1 * dw)
        b.assign_sub(0.1 * db)
        losses.append(float(loss))
    return losses


def by_norm(variables: list[tf.Variable], gradients: list[tf.Tensor]) -> tf.Tensor:
    clipped, norm = tf.clip_by_global_norm(gradients, 1.0)
    for variable, gradient in zip(variables, clipped, strict=True):
        variable.assign_sub(0.01 * gradient)
    return norm


def main() -> None:
    generator = np.random.default_rng(0)
    x = generator.standard_normal((64, 2)).astype(np.float32)
    y = (x @ np.array([1.0, -2.0], np.float32) + 0.5).astype(np.float32)
    losses = by_hand(x, y)
    assert losses[-1] < losses[0]
    v = tf.Variable([3.0, 4.0])
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(v**2)
    norm = by_norm([v], tape.gradient(total, [v]))
    print(f"loss {losses[-1]:.3f}, norm {norm.numpy():.2f}, shape {x.shape[0]} by {v.shape[0]}")


if __name__ == "__main__":
    main()
