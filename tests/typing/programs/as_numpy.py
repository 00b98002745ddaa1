"""NumPy's functions on tensors, with gradients."""

from __future__ import annotations

import numpy as np

import gradtape as tf
import gradtape.experimental.numpy as tnp


def standardize(x: tf.Tensor) -> tf.Tensor:
    return (x - tnp.mean(x, axis=0, keepdims=True)) / tnp.std(x, axis=0, keepdims=True)


def main() -> None:
    a = tnp.reshape(tnp.arange(6.0), (2, 3))
    b = tnp.asarray(np.ones((3, 2)))
    c = tnp.matmul(a, b)
    print(c.shape.as_list(), tnp.sum(c).dtype.name)
    x = tf.Variable(np.linspace(0.5, 2.0, 6).reshape(3, 2))
    with tf.GradientTape() as tape:
        z = standardize(tf.convert_to_tensor(x))
        loss = tnp.sum(tnp.where(z > 0, tnp.exp(-z), z**2)) + tnp.trace(
            tnp.dot(tnp.transpose(z), z)
        )
    print(tape.gradient(loss, x).shape.as_list())
    parts = tnp.split(tnp.arange(9.0), 3)
    print(len(parts), parts[0].numpy().tolist(), tnp.concatenate(parts).shape.as_list())
    grid_x, grid_y = tnp.meshgrid(tnp.linspace(0.0, 1.0, 3), tnp.linspace(0.0, 1.0, 2))
    print(grid_x.shape.as_list(), float(tnp.max(grid_y)))
    print(tnp.result_type(np.int32, 1.0), tnp.finfo(tnp.float32).eps > 0, tnp.pi > 3)
    order = tnp.argsort(tnp.array([3.0, 1.0, 2.0]))
    found = tnp.take(tnp.array([3.0, 1.0, 2.0]), order)
    print(found.numpy().tolist(), tnp.allclose(found, [1.0, 2.0, 3.0]))
    rows = tnp.vstack([tnp.zeros(2), tnp.ones((2,))])
    print(tnp.einsum("ij,kj->ik", rows, rows).numpy().tolist(), tnp.ndim(rows))
    tnp.random.seed(1)
    print(tnp.random.uniform(0.0, 1.0, (2,)).shape.as_list(), isinstance(rows, tnp.ndarray))


main()
