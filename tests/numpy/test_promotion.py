"""The table of promotions; entries are TensorFlow's."""

import pytest

import gradtape as tf
from gradtape._src.numpy.promotion import Kind, promotion

STRONG = [tf.bool, tf.uint8, tf.uint64, tf.int8, tf.int64, tf.bfloat16, tf.float32, tf.complex64]
KINDS = [Kind(dtype) for dtype in STRONG] + [Kind(tf.int32, True), Kind(tf.float32, True)]


@pytest.mark.parametrize(
    ("left", "right", "expected", "lossy"),
    [
        (Kind(tf.int8), Kind(tf.uint8), Kind(tf.int16), True),
        (Kind(tf.int32), Kind(tf.float32), Kind(tf.float32), True),
        (Kind(tf.int32), Kind(tf.float64), Kind(tf.float64), False),
        (Kind(tf.int32), Kind(tf.float32, True), Kind(tf.float64, True), True),
        (Kind(tf.int8), Kind(tf.int32, True), Kind(tf.int8), False),
        (Kind(tf.float16), Kind(tf.bfloat16), Kind(tf.float32), True),
        (Kind(tf.uint64), Kind(tf.int8), Kind(tf.float64, True), True),
        (Kind(tf.bool), Kind(tf.float32, True), Kind(tf.float32, True), False),
        (Kind(tf.float16), Kind(tf.complex128, True), Kind(tf.complex64), True),
    ],
)
def test_entries(left, right, expected, lossy):
    for a, b in ((left, right), (right, left)):
        assert promotion(a, b, safe=False) == expected
        if lossy:
            with pytest.raises(TypeError, match=r"PromoMode.SAFE, implicit dtype promotion"):
                promotion(a, b, safe=True)
        else:
            assert promotion(a, b, safe=True) == expected


def test_laws():
    for a in KINDS:
        assert promotion(a, a, safe=True) == a
        for b in KINDS:
            assert promotion(a, b, safe=False) == promotion(b, a, safe=False)
            assert promotion(Kind(tf.bool), b, safe=True) == b
    assert promotion(Kind(tf.string), Kind(tf.int32), safe=False) is None
