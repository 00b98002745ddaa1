"""Functions of rows of labels are saved for any number of rows."""

import pytest
from saving.saved_calls import check_saved_function

import gradtape as tf

LABELS, LENGTHS = tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None], tf.int64)
ROWS, OTHERS = [[1, 1, 2, 0], [3, 4, 4, 3]], [[5, 5]]

CALLS = {
    "merged": (tf.nn.collapse_repeated, [LABELS, LENGTHS], ([ROWS, [4, 3]], [OTHERS, [1]])),
    "none": (tf.nn.collapse_repeated, [LABELS, LENGTHS], ([ROWS, [0, 0]],)),
    "distinct": (tf.nn.ctc_unique_labels, [LABELS], ([ROWS], [OTHERS])),
}


@pytest.mark.parametrize("what", CALLS)
def test_saved_functions_of_any_size(what, tmp_path):
    check_saved_function(*CALLS[what], tmp_path)
