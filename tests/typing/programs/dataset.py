"""Pipelines of elements, and their way into a training step."""

import numpy as np

import gradtape as tf


def normalized(x: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    return (x - tf.reduce_mean(x)) / (tf.math.reduce_std(x) + 1e-6), y


def pipeline(x: np.ndarray, y: np.ndarray, size: int) -> tf.data.Dataset:
    return (
        tf.data.Dataset.from_tensor_slices((x, y))
        .map(normalized, num_parallel_calls=tf.data.AUTOTUNE)
        .shuffle(100, seed=1)
        .batch(size, drop_remainder=True)
        .prefetch(tf.data.AUTOTUNE)
    )


def main() -> None:
    generator = np.random.default_rng(0)
    x = generator.standard_normal((20, 3)).astype(np.float32)
    y = np.arange(20)
    data = pipeline(x, y, 5)
    w = tf.Variable(tf.ones((3, 1)))
    for inputs, labels in data:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(inputs @ w - tf.cast(labels, tf.float32)[:, None]))
        w.assign_sub(0.001 * tape.gradient(loss, w))
    total = tf.data.Dataset.range(5).reduce(np.int64(0), lambda s, n: s + n)
    print(int(total), len(list(data.take(2))), data.element_spec)
    lines = tf.data.Dataset.from_tensors(["a b", "c"]).unbatch().map(tf.strings.upper)
    print([line.numpy().decode() for line in lines])


if __name__ == "__main__":
    main()
