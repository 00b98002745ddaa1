"""The size of a dataset's batches, as Keras asks for it."""

import pytest

import gradtape as tf
from gradtape._src.data.elements.batch_sizes import compute_batch_size

D = tf.data.Dataset
BATCHES = D.range(20).batch(4)


@pytest.mark.parametrize(
    ("dataset", "size"),
    [  # as TensorFlow computes it
        (BATCHES, 4),
        (BATCHES.repeat().prefetch(1), 4),
        (BATCHES.map(lambda x: x), -1),
        (BATCHES.map(lambda x: tf.ones([7, 2])), 7),
        (D.from_tensor_slices(tf.ones([3, 7, 2])), 7),
        (D.zip((BATCHES, D.range(20).batch(5))), -1),
        (BATCHES.map(lambda x: {"a": x, "b": tf.ones([4])}), -1),
    ],
)
def test_the_batch_size(dataset, size):
    assert int(compute_batch_size(dataset)) == size


def test_elements_without_an_axis():
    with pytest.raises(IndexError):
        compute_batch_size(D.range(3))
