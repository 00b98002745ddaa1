import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1
X = np.array([[1.0, -2.0], [3.0, 4.0]], "f")


def test_rows_of_tables():
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], np.array([0, 1, 1]), [3, 2])
    found = v1.nn.embedding_lookup_sparse(X, ids, None, combiner="sum")
    np.testing.assert_allclose(found[:2], [X.sum(0), X[1]])
    safe = v1.nn.safe_embedding_lookup_sparse(X, ids)
    np.testing.assert_allclose(safe, [X.mean(0), X[1], [0, 0]])


@pytest.mark.parametrize(("strategy", "rows"), [("mod", [0, 2, 4, 1, 3]), ("div", range(5))])
def test_tables_in_parts(strategy, rows):
    table = np.arange(10.0, dtype=np.float32).reshape(5, 2)
    first, second = (tf.Variable(table[list(part)]) for part in (rows[:3], rows[3:]))
    numbers = [[3, 0], [4, 1]]
    found = v1.nn.embedding_lookup([first, second], numbers, strategy)
    np.testing.assert_array_equal(found, table[numbers])

    ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], np.array([3, 0, 4]), [3, 2])
    expected = [table[3] + table[0], [0, 0], table[4]]
    for look_up in (v1.nn.embedding_lookup_sparse, v1.nn.safe_embedding_lookup_sparse):
        found = look_up([first, second], ids, None, partition_strategy=strategy, combiner="sum")
        np.testing.assert_array_equal(found, expected)
    filled = v1.nn.safe_embedding_lookup_sparse(
        [first, second], ids, default_id=3, partition_strategy=strategy
    )
    np.testing.assert_array_equal(filled[1], table[3])

    drawn = (tf.constant([3, 4], tf.int64), tf.ones((1, 1)), tf.ones(2))
    for loss in (v1.nn.sampled_softmax_loss, v1.nn.nce_loss):
        parts, whole = (
            loss(
                tables,
                tf.zeros(5),
                [[1]],
                tf.ones((1, 2)),
                2,
                5,
                sampled_values=drawn,
                partition_strategy=strategy,
            )
            for tables in ([first, second], table)
        )
        np.testing.assert_array_equal(parts, whole)

    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v1.nn.embedding_lookup([first, second], [4], strategy))
    dense = [tf.convert_to_tensor(g).numpy() for g in tape.gradient(loss, [first, second])]
    np.testing.assert_array_equal(np.concatenate(dense)[list(rows).index(4)], [1, 1])
    with pytest.raises(tf.errors.InvalidArgumentError):
        v1.nn.embedding_lookup([first, second], [5], strategy)


def test_an_unknown_partition_strategy():
    with pytest.raises(ValueError, match="Unrecognized partition strategy: even"):
        v1.nn.embedding_lookup([X, X], [0], "even")


def test_sampled_losses():
    labels, rows, biases = np.array([[0], [1]]), tf.constant(X), tf.zeros([2])
    for loss in (v1.nn.sampled_softmax_loss, v1.nn.nce_loss):
        found = loss(rows, biases, labels, rows, 1, 2, partition_strategy="div")
        assert found.shape == (2,)
        assert np.all(np.isfinite(found))
