import pytest

import gradtape as tf
from gradtape._src.sessions.recurrent.cells import check_cell, kept, lengths_of


def test_what_a_cell_lacks_is_named():
    with pytest.raises(TypeError, match="'output_size' property is missing"):
        check_cell("cell", 3)


def test_lengths_are_a_vector():
    assert lengths_of(None) is None
    assert lengths_of([1, 2]).dtype is tf.int32
    with pytest.raises(ValueError, match="must be a vector"):
        lengths_of([[1]])


def test_values_of_ended_sequences_are_kept():
    ended, now = tf.constant([True, False]), (tf.ones([2, 2]), tf.constant(5))
    found = kept(ended, (tf.zeros([2, 2]), tf.constant(3)), now)
    assert found[0].numpy().tolist() == [[0, 0], [1, 1]]
    assert int(found[1]) == 5  # a scalar belongs to all sequences
    assert kept(ended, None, tf.ones([2])).numpy().tolist() == [0, 1]
