"""Sparse and ragged tensors."""

from __future__ import annotations

import gradtape as tf


def graph_convolution(adjacency: tf.SparseTensor, x: tf.Tensor, w: tf.Variable) -> tf.Tensor:
    return tf.nn.relu(tf.sparse.sparse_dense_matmul(adjacency, x) @ w)


def mean_embedding(table: tf.Variable, words: tf.RaggedTensor) -> tf.Tensor:
    rows = tf.ragged.map_flat_values(tf.nn.embedding_lookup, table, words)
    return tf.reduce_mean(rows, axis=1)


def main() -> None:
    edges = tf.SparseTensor(
        indices=[[0, 1], [1, 0], [2, 2]], values=[1.0, 1.0, 0.5], dense_shape=[3, 3]
    )
    edges = tf.sparse.reorder(edges)
    w = tf.Variable(tf.ones([2, 4]))
    x = tf.random.stateless_normal([3, 2], seed=[1, 2])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(graph_convolution(edges, x, w))
    print(tape.gradient(y, w).shape.as_list(), edges.shape.as_list(), float(edges.values[0]))
    dense = tf.sparse.to_dense(edges, default_value=0.0)
    again = tf.sparse.from_dense(dense)
    print(int(tf.size(again.values)), again.dense_shape.numpy().tolist())

    words = tf.ragged.constant([[1, 2], [3], []], dtype=tf.int64)
    table = tf.Variable(tf.random.normal([5, 3]))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.where(tf.math.is_nan(m := mean_embedding(table, words)), 0.0, m))
    gradient = tape.gradient(loss, table)
    print(tf.convert_to_tensor(gradient).shape.as_list())
    lengths = words.row_lengths()
    flat: tf.Tensor = words.values
    print(lengths.numpy().tolist(), flat.dtype.name, words.to_tensor(-1).shape.as_list())
    for row in words:
        print(row.shape.as_list())
    both = tf.concat([words, words], axis=1)
    print(both.shape.rank, words[0, 1].numpy(), words.nested_row_splits[0].numpy().tolist())
    pieces = tf.strings.split(["a b", "c"])
    print(pieces.to_list(), tf.strings.reduce_join(pieces, axis=1, separator="-").numpy())


main()
