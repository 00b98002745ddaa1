"""Rows of tables by sparse indices; values are TensorFlow's."""

import numpy as np
import pytest
from tolerances import close

import gradtape as tf

TABLE = np.arange(12, dtype="f").reshape(6, 2)
IDS = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 0]], [1, 3, 1, 5], [5, 2])
WEIGHTS = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 0]], [1.0, 3.0, 0.5, 2.0], [5, 2])


@pytest.mark.parametrize(
    ("combiner", "weights", "first"),
    [
        ("sum", None, [8, 10]),
        ("mean", None, [4, 5]),
        (None, WEIGHTS, [5, 6]),
        ("sqrtn", WEIGHTS, [20 / 10**0.5, 24 / 10**0.5]),
    ],
)
def test_sparse_look_up(combiner, weights, first):
    got = tf.nn.embedding_lookup_sparse(TABLE, IDS, weights, combiner)
    assert got.shape == (4, 2)  # up to the last row that has an id
    close(got[0], np.array(first, "f"))
    assert not np.any(got[2])


def test_sparse_look_up_gives_sparse_gradients():
    table = tf.Variable(TABLE)
    with tf.GradientTape() as tape:
        y = tf.nn.embedding_lookup_sparse(table, IDS, WEIGHTS, "sum")
    g = tape.gradient(y, table)
    assert isinstance(g, tf.IndexedSlices)
    assert g.indices.numpy().tolist() == [1, 3, 5]
    close(g.values, np.array([[1.5, 1.5], [3, 3], [2, 2]], "f"))


def test_safe_sparse_look_up():
    bad = tf.SparseTensor(IDS.indices, [1, -3, -1, 5], [5, 2])
    got = tf.nn.safe_embedding_lookup_sparse(TABLE, bad)
    close(got, np.array([[2, 3], [0, 0], [0, 0], [10, 11], [0, 0]], "f"))
    got = tf.nn.safe_embedding_lookup_sparse(TABLE, bad, WEIGHTS, default_id=2)
    close(got, np.array([[2, 3], [4, 5], [4, 5], [10, 11], [4, 5]], "f"))


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
def test_fed_ids(combiner):
    v1 = tf.compat.v1
    table = np.arange(8, dtype=np.float32).reshape(4, 2)
    ids = tf.sparse.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 1, 3], [3, 2])
    weights = tf.sparse.SparseTensor(ids.indices, [1.0, 2.0, 3.0], [3, 2])
    functions = (tf.nn.embedding_lookup_sparse, tf.nn.safe_embedding_lookup_sparse)
    expected = [f(table, ids, weights, combiner=combiner) for f in functions]
    with tf.Graph().as_default(), v1.Session() as session:
        x, w = v1.sparse_placeholder(tf.int64), v1.sparse_placeholder(tf.float32)
        known = v1.get_variable("w", initializer=table)
        found = [f(known, x, w, combiner=combiner) for f in functions]
        assert isinstance(tf.gradients(found[0], [known])[0], tf.IndexedSlices)
        session.run(known.initializer)
        fed = {
            key: v1.SparseTensorValue(v.indices.numpy(), v.values.numpy(), [3, 2])
            for key, v in ((x, ids), (w, weights))
        }
        for own, other in zip(session.run(found, fed), expected, strict=True):
            np.testing.assert_allclose(own, other)
