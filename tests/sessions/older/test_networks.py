import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1
X = np.array([[1.0, -2.0], [3.0, 4.0]], "f")
W = np.array([[1.0, 0.0], [1.0, -1.0]], "f")


def test_layers():
    np.testing.assert_allclose(v1.nn.xw_plus_b(X, W, [0.5, 0.5]), X @ W + 0.5)
    np.testing.assert_allclose(v1.nn.relu_layer(X, W, [0.5, 0.5]), np.maximum(X @ W + 0.5, 0))


def test_two_names_of_arguments():
    logits, labels = [0.5, -0.5], [1.0, 0.0]
    new = v1.nn.weighted_cross_entropy_with_logits(labels, logits, 2.0)
    old = v1.nn.weighted_cross_entropy_with_logits(targets=labels, logits=logits, pos_weight=2.0)
    np.testing.assert_allclose(new, old)
    np.testing.assert_allclose(new, tf.nn.weighted_cross_entropy_with_logits(labels, logits, 2.0))
    with pytest.raises(ValueError, match="both"):
        v1.nn.weighted_cross_entropy_with_logits(labels, logits, 2.0, targets=labels)
    count, total, squares, shift = v1.nn.sufficient_statistics(X, [0], keep_dims=True)
    assert (float(count), shift) == (2.0, None)
    np.testing.assert_allclose(total, X.sum(0, keepdims=True))
    np.testing.assert_allclose(squares, (X * X).sum(0, keepdims=True))


def test_normalization_of_a_batch_of_any_size():
    data = np.random.default_rng(0).normal(size=(5, 2, 3, 4)).astype("f")
    scale, offset = np.arange(1.0, 5.0, dtype="f"), np.ones(4, "f")
    mean, variance = data.mean((0, 1, 2)), data.var((0, 1, 2))
    wanted = (data - mean) / np.sqrt(variance + 1e-3) * scale + offset
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2, 3, 4])
        found = session.run(v1.nn.fused_batch_norm(x, scale, offset), {x: data})
        np.testing.assert_allclose(found[0], wanted, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(found[1], mean, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(found[2], variance * 30 / 29, rtol=1e-4)
        fixed = v1.nn.fused_batch_norm(x, scale, offset, mean, variance, is_training=False)
        np.testing.assert_allclose(session.run(fixed[0], {x: data}), wanted, rtol=1e-4, atol=1e-5)
        with pytest.raises(ValueError, match="must be a 1D tensor"):
            v1.nn.fused_batch_norm(x, scale, offset, is_training=False)


def test_convolutions_and_pools():
    image = np.arange(16.0, dtype="f").reshape(1, 4, 4, 1)
    kernel = np.ones((2, 2, 1, 1), "f")
    found = v1.nn.conv2d_transpose(image, kernel, [1, 8, 8, 1], [1, 2, 2, 1])
    np.testing.assert_allclose(found, image.repeat(2, 1).repeat(2, 2))
    assert v1.nn.convolution(image, kernel, "SAME", [2, 2]).shape == (1, 2, 2, 1)
    pooled = v1.nn.pool(image, [2, 2], "AVG", "VALID", strides=[2, 2])
    np.testing.assert_allclose(np.ravel(pooled), [2.5, 4.5, 10.5, 12.5])
    largest, places = v1.nn.max_pool_with_argmax(image, 2, 2, "VALID", Targmax=tf.int32)
    np.testing.assert_array_equal(np.ravel(largest), np.ravel(places))
    assert places.dtype == tf.int32


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
