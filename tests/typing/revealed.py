"""The types of 24 expressions: the comment holds the type for checkers and at run time."""

from typing import reveal_type

import numpy as np

import gradtape as tf

x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
v = tf.Variable(x)
with tf.GradientTape(persistent=True) as tape:
    y = tf.reduce_sum(v * v)


@tf.function
def squared(a: tf.Tensor) -> tf.Tensor:
    return a * a


layer = tf.keras.layers.Dense(3)
rows = tf.ragged.constant([[1.0], [2.0, 3.0]])

reveal_type(x)  # Tensor
reveal_type(v)  # Variable
reveal_type(v * 2.0)  # Tensor
reveal_type(2.0 / x)  # Tensor
reveal_type(x @ v)  # Tensor
reveal_type(-x > 0)  # Tensor
reveal_type(x[0])  # Tensor
reveal_type(x.numpy())  # Any
reveal_type(x.shape)  # TensorShape
reveal_type(x.dtype)  # DType
reveal_type(v.assign_add(x))  # Variable
reveal_type(tf.reduce_sum(np.ones(3)))  # Tensor
reveal_type(tf.where(x > 2, x, 0.0))  # Tensor
reveal_type(tf.concat([x, x], axis=0))  # Tensor
reveal_type(tf.split(x, 2))  # list[Tensor]
reveal_type(tf.linalg.svd(x))  # tuple[Tensor, Tensor, Tensor]
reveal_type(tape.gradient(y, v))  # Tensor
reveal_type(tape.gradient(y, [v, v]))  # list[Tensor]
reveal_type(tape.jacobian(y, {"v": v}))  # dict[str, Tensor]
reveal_type(squared(x))  # Tensor
reveal_type(layer(x))  # Tensor
reveal_type(tf.data.Dataset.range(3).batch(2))  # Dataset
reveal_type(rows * 2.0)  # RaggedTensor
reveal_type(tf.random.normal([2]))  # Tensor
