"""Rows of different lengths, and sparse rows of a table."""

import gradtape as tf


def lengths(rows: tf.RaggedTensor) -> tf.Tensor:
    return rows.row_lengths()


def means(rows: tf.RaggedTensor) -> tf.Tensor:
    return tf.reduce_sum(rows, axis=1) / tf.cast(lengths(rows), tf.float32)


def main() -> None:
    rows = tf.ragged.constant([[1.0, 2.0, 3.0], [], [4.0]])
    doubled = rows * 2.0
    squares = tf.ragged.map_flat_values(tf.square, doubled)
    print(squares.to_list(), doubled.to_tensor().shape, rows.flat_values, rows.row_splits)
    values = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        built = tf.RaggedTensor.from_row_lengths(values, [2, 1])
        total = tf.reduce_sum(means(built))
    print(tape.gradient(total, values).numpy(), [row.shape for row in rows])
    table = tf.Variable(tf.ones((5, 2)))
    with tf.GradientTape() as tape:
        picked = tf.nn.embedding_lookup(table, tf.constant([1, 3, 3]))
        loss = tf.reduce_sum(picked)
    rows_of = tape.gradient(loss, table)
    if isinstance(rows_of, tf.IndexedSlices):
        print(rows_of.indices, rows_of.values)
    sparse = tf.sparse.from_dense([[0.0, 1.0], [2.0, 0.0]])
    print(tf.sparse.to_dense(sparse), sparse.indices.shape, sparse.dense_shape)


if __name__ == "__main__":
    main()
