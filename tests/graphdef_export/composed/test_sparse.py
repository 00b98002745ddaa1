"""Functions of sparse and ragged tensors are saved for any sizes."""

import numpy as np
import pytest
from saving.saved_calls import check_saved_function, sparse

import gradtape as tf

MATRIX = tf.TensorSpec([None, None])
VECTOR = tf.TensorSpec([None])
LABELS = tf.TensorSpec([None], tf.int64)
TABLE = tf.SparseTensorSpec([None, None])
IDS = tf.SparseTensorSpec([None, None], tf.int64)
WORDS = tf.SparseTensorSpec([None, None], tf.string)

FLOATS = (
    [sparse([[1, 0, 2], [0, 3, 0]], "f4"), sparse([[0, 5, 1], [0, 2, 0]], "f4")],
    [sparse([[-1, 0]], "f4"), sparse([[0, -3]], "f4")],
)
NUMBERS = [sparse([[1, 0, 2], [0, 3, 0]], "i8")], [sparse([[4, 0], [0, 0], [1, 2]], "i8")]
TEXTS = (
    [sparse([["a", "b"], ["", "c"]], object), sparse([["x", ""], ["y", "z"]], object)],
    [sparse([["a"], ["b"], [""]], object), sparse([["x"], ["y"], ["z"]], object)],
)
MASKED = (
    [[[1.0, 2, 3], [4, 5, 6]], [[True, False, True], [False, False, True]]],
    [np.arange(8.0).reshape(4, 2), np.array([[1, 0], [0, 0], [1, 1], [0, 1]], bool)],
)

CALLS = {
    "greater": (tf.sparse.maximum, [TABLE, TABLE], FLOATS),
    "less": (tf.sparse.minimum, [TABLE, TABLE], FLOATS),
    "serialized": (lambda x: tf.io.serialize_sparse(x), [IDS], NUMBERS),
    "serialized rows": (lambda x: tf.io.serialize_many_sparse(x), [IDS], NUMBERS),
    "indicator": (lambda x: tf.sparse.to_indicator(x, 6), [IDS], NUMBERS),
    "counts": (lambda x: tf.sparse.bincount(x, minlength=4), [LABELS], ([[1, 1, 3]], [[7]])),
    "counts of rows": (
        lambda x: tf.sparse.bincount(x, axis=-1, binary_output=True),
        [tf.TensorSpec([None, None], tf.int32)],
        ([[[1, 1], [0, 2]]], [[[5, 5, 1]]]),
    ),
    "counts of a sparse matrix": (lambda x: tf.sparse.bincount(x, axis=-1), [IDS], NUMBERS),
    "crossed": (lambda x, y: tf.sparse.cross([x, y], separator="&"), [WORDS, WORDS], TEXTS),
    "hashes": (lambda x, y: tf.sparse.cross_hashed([x, y], 100), [WORDS, WORDS], TEXTS),
    "stacked": (
        lambda x, y: tf.ragged.stack([x, y, x]),
        [VECTOR, VECTOR],
        ([[1, 2], [3]], [[], [4, 5]]),
    ),
    "masked": (
        lambda x, m: tf.ragged.boolean_mask(x, m),
        [MATRIX, tf.TensorSpec([None, None], tf.bool)],
        MASKED,
    ),
    "splits": (
        tf.ragged.segment_ids_to_row_splits,
        [LABELS],
        ([[0, 0, 2]], [[1]], [np.zeros(0)]),
    ),
}


@pytest.mark.parametrize("what", CALLS)
def test_saved_functions_of_any_size(what, tmp_path):
    check_saved_function(*CALLS[what], tmp_path)


def test_masks_of_ragged_tensors(tmp_path):
    rows = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    flags = tf.ragged.constant([[True, False], [], [True]], ragged_rank=1)
    module = tf.Module()
    module.f = tf.function(
        tf.ragged.boolean_mask,
        input_signature=[tf.RaggedTensorSpec([None, None], kind) for kind in (tf.float32, tf.bool)],
    )
    tf.saved_model.save(module, tmp_path)
    assert tf.saved_model.load(tmp_path).f(rows, flags).to_list() == [[1.0], [], [3.0]]
