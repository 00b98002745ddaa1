"""Functions that a graph calls whole are saved as programs of other operations."""

import numpy as np
import pytest
from saving.saved_calls import check_saved_function, sparse

import gradtape as tf

IMAGE = tf.TensorSpec([None, None, 3])
IMAGES = tf.TensorSpec([None, None, None, 3])
MATRIX = tf.TensorSpec([None, None])
VECTOR = tf.TensorSpec([None])
LABELS = tf.TensorSpec([None], tf.int64)
TABLE = tf.SparseTensorSpec([None, None])
IDS = tf.SparseTensorSpec([None, None], tf.int64)


def random(*shape):
    return np.random.default_rng(len(shape)).random(shape).astype(np.float32)


PICTURES = [random(4, 6, 3)], [random(9, 3, 3)]
BATCHES = [random(2, 4, 6, 3)], [random(3, 9, 3, 3)]
SQUARES = [random(3, 3)], [random(4, 4)]
TALL = [random(3, 2)], [random(4, 4)], [np.ones((3, 5), np.float32)]
BOXES = np.array([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 3, 1, 4], [2, 2, 3, 3]], np.float32)
SCORES = np.array([0.9, 0.75, 0.6, 0.95], np.float32)
SOME_BOXES = [BOXES, SCORES], [BOXES[1:], SCORES[1:]]
NUMBERS = [sparse([[1, 0, 2], [0, 3, 0]], "i8")], [sparse([[4, 0], [0, 0], [1, 2]], "i8")]

CALLS = {
    "padded": (lambda x: tf.image.pad_to_bounding_box(x, 2, 1, 12, 9), [IMAGE], PICTURES),
    "padded batch": (lambda x: tf.image.pad_to_bounding_box(x, 2, 1, 12, 9), [IMAGES], BATCHES),
    "crop or pad": (lambda x: tf.image.resize_with_crop_or_pad(x, 5, 5), [IMAGE], PICTURES),
    "crop or pad batch": (lambda x: tf.image.resize_with_crop_or_pad(x, 5, 5), [IMAGES], BATCHES),
    "resize and pad": (lambda x: tf.image.resize_with_pad(x, 8, 7), [IMAGE], PICTURES),
    "resize and pad batch": (
        lambda x: tf.image.resize_with_pad(x, 8, 7, method="nearest"),
        [IMAGES],
        BATCHES,
    ),
    "standardized": (tf.image.per_image_standardization, [IMAGE], PICTURES),
    "standardized batch": (tf.image.per_image_standardization, [IMAGES], BATCHES),
    "jpeg": (
        tf.io.is_jpeg,
        [tf.TensorSpec([None], tf.string)],
        ([[b"\xff\xd8\xff\xe0", b"\xff\xd8", b""]], [[b"abcd"]]),
    ),
    "suppression with scores": (
        lambda x, s: tf.image.non_max_suppression_with_scores(x, s, 3, soft_nms_sigma=0.3),
        [tf.TensorSpec([None, 4]), VECTOR],
        SOME_BOXES,
    ),
    "padded suppression": (
        lambda x, s: tf.image.non_max_suppression_padded(x, s, 5, pad_to_max_output_size=True),
        [tf.TensorSpec([None, 4]), VECTOR],
        SOME_BOXES,
    ),
    "suppression by overlaps": (
        lambda x, s: tf.image.non_max_suppression_overlaps(x, s, 3, 0.5),
        [MATRIX, VECTOR],
        ([random(4, 4), SCORES], [random(3, 3), SCORES[1:]]),
    ),
    "pseudo-inverse": (tf.linalg.pinv, [MATRIX], TALL[:2]),
    "pseudo-inverse with a limit": (lambda x: tf.linalg.pinv(x, 0.3), [MATRIX], TALL[:2]),
    "rank": (tf.linalg.matrix_rank, [MATRIX], TALL),
    "rank with a limit": (lambda x: tf.linalg.matrix_rank(x, 0.5), [MATRIX], TALL),
    "solution": (lambda x: tf.linalg.lu_solve(*tf.linalg.lu(x), x + 1), [MATRIX], SQUARES),
    "inverse": (lambda x: tf.linalg.lu_matrix_inverse(*tf.linalg.lu(x)), [MATRIX], SQUARES),
    "product": (lambda x: tf.linalg.lu_reconstruct(*tf.linalg.lu(x)), [MATRIX], SQUARES),
    "non-decreasing": (
        tf.math.is_non_decreasing,
        [MATRIX],
        ([[[1, 2], [2, 3]]], [[[1, 2], [1, 3]]], [np.zeros((0, 2))]),
    ),
    "increasing": (tf.math.is_strictly_increasing, [VECTOR], ([[1, 2, 2]], [[1, 2, 3]], [[]])),
    "pairs": (
        tf.math.confusion_matrix,
        [LABELS, LABELS],
        ([[0, 1, 2], [0, 2, 2]], [[4, 1], [0, 1]]),
    ),
    "weighted pairs": (
        lambda x, y, w: tf.math.confusion_matrix(x, y, 5, w, tf.float32),
        [LABELS, LABELS, VECTOR],
        ([[0, 1, 2], [0, 2, 2], [0.5, 1, 2]], [[4, 1], [0, 1], [1, 3]]),
    ),
    "blocks": (
        lambda x: tf.space_to_batch(x, [2, 3], [[0, 0], [0, 0]]),
        [IMAGES],
        ([random(2, 4, 6, 3)], [random(1, 2, 3, 3)]),
    ),
    "embedded": (
        lambda x: tf.nn.safe_embedding_lookup_sparse(tf.reshape(tf.range(10.0), [5, 2]), x),
        [IDS],
        NUMBERS,
    ),
    "embedded with weights": (
        lambda x, w: tf.nn.safe_embedding_lookup_sparse(
            tf.reshape(tf.range(10.0), [5, 2]), x, w, "sqrtn", default_id=1
        ),
        [IDS, TABLE],
        (
            [sparse([[1, 2, 0], [0, 0, 3]], "i8"), sparse([[2, 3, 0], [0, 0, -1]], "f4")],
            [sparse([[4, 4]], "i8"), sparse([[-1, 2]], "f4")],
        ),
    ),
}


@pytest.mark.parametrize("what", CALLS)
def test_saved_functions_of_any_size(what, tmp_path):
    check_saved_function(*CALLS[what], tmp_path)


def test_arguments_that_are_not_exported_are_refused(tmp_path):
    module = tf.Module()
    module.f = tf.function(
        lambda x: tf.image.resize_with_pad(x, 8, 8, antialias=True), input_signature=[IMAGE]
    )
    with pytest.raises(tf.errors.UnimplementedError, match="this way to resize images"):
        tf.saved_model.save(module, tmp_path)
