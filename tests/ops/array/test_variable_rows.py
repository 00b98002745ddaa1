"""Changes of rows and places of variables; values are TensorFlow's."""

import pytest

import gradtape as tf


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("add", [10, 2, -6, 4]),
        ("sub", [-8, 2, 12, 4]),
        ("update", [9, 2, -9, 4]),
        ("max", [9, 2, 3, 4]),
        ("min", [1, 2, -9, 4]),
    ],
)
def test_rows_and_places(name, expected):
    start, updates = [1.0, 2.0, 3.0, 4.0], [9.0, -9.0]
    v = tf.Variable(start)
    getattr(v, f"scatter_nd_{name}")([[0], [2]], updates)
    assert v.numpy().tolist() == expected
    for run, indices in ((f"scatter_{name}", [0, 2]), (f"scatter_nd_{name}", [[0], [2]])):
        if hasattr(tf.compat.v1, run):
            v = tf.Variable(start)
            getattr(tf.compat.v1, run)(v, indices, updates)
            assert v.numpy().tolist() == expected


def test_batches():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    v.batch_scatter_update(tf.IndexedSlices(tf.constant([[9.0], [8.0]]), tf.constant([[0], [1]])))
    assert v.numpy().tolist() == [[9, 2], [3, 8]]


def test_errors():
    with pytest.raises(TypeError, match="must be a variable"):
        tf.compat.v1.scatter_add(tf.constant([1.0]), [0], [1.0])
