"""Random changes of images."""

import numpy as np
import pytest
from tolerances import close

import gradtape as tf

BOXES = np.array(
    [
        [0, 0, 1, 1],
        [0, 0.1, 1, 1.1],
        [0, -0.1, 1, 0.9],
        [0, 10, 1, 11],
        [0, 10.1, 1, 11.1],
        [0, 100, 1, 101],
    ],
    "f",
)
SCORES = np.array([0.9, 0.75, 0.6, 0.95, 0.5, 0.3], "f")
IMAGE = np.random.default_rng(0).uniform(size=(4, 5, 3)).astype("f")


def test_random_changes_stay_in_their_range():
    x = tf.constant(IMAGE)
    change = tf.image.random_brightness(x, 0.2) - x
    assert np.ptp(change) < 1e-6
    assert np.max(np.abs(change)) <= 0.2
    for run, fixed in (
        (tf.image.stateless_random_contrast, tf.image.adjust_contrast),
        (tf.image.stateless_random_saturation, tf.image.adjust_saturation),
    ):
        got = run(x, 0.5, 0.9, (1, 2))
        close(got, run(x, 0.5, 0.9, (1, 2)))
        close(got, fixed(x, tf.random.stateless_uniform([], (1, 2), 0.5, 0.9)))
    hue = tf.image.stateless_random_hue(x, 0.1, (1, 2))
    close(hue, tf.image.adjust_hue(x, tf.random.stateless_uniform([], (1, 2), -0.1, 0.1)))


def test_random_flips():
    batch = tf.constant(np.stack([IMAGE] * 16))
    tf.random.set_seed(1)
    got = tf.image.random_flip_left_right(batch).numpy()
    turned = [np.array_equal(one, IMAGE[:, ::-1]) for one in got]
    assert 0 < sum(turned) < 16
    assert all(t or np.array_equal(one, IMAGE) for t, one in zip(turned, got, strict=True))
    found = {
        tf.image.stateless_random_flip_up_down(IMAGE, (i, 1)).numpy().tobytes() for i in range(9)
    }
    assert found == {IMAGE.tobytes(), IMAGE[::-1].tobytes()}


def test_random_crops():
    x = np.arange(30).reshape(5, 6)
    got = tf.image.stateless_random_crop(x, [2, 3], (1, 2)).numpy()
    assert got.shape == (2, 3)
    row, column = divmod(int(got[0, 0]), 6)
    assert np.array_equal(got, x[row : row + 2, column : column + 3])
    assert tf.image.random_crop(x, [5, 6]).numpy().tolist() == x.tolist()


def test_distorted_boxes():
    begin, size, box = tf.image.stateless_sample_distorted_bounding_box(
        [100, 120, 3], [[[0.1, 0.1, 0.9, 0.9]]], (1, 2), min_object_covered=0.9
    )
    top, left, bottom, right = box.numpy()[0, 0] * [100, 120, 100, 120]
    covered = (min(bottom, 90) - max(top, 10)) * (min(right, 108) - max(left, 12))
    assert covered >= 0.9 * 80 * 96 * (1 - 1e-5)
    assert begin.numpy().tolist() == [round(top), round(left), 0]
    assert size.numpy().tolist() == [round(bottom - top), round(right - left), -1]


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: tf.image.random_brightness(IMAGE, -1.0), ValueError, "non-negative"),
        (lambda: tf.image.random_contrast(IMAGE, 0.5, 0.2), ValueError, "upper"),
        (lambda: tf.image.random_hue(IMAGE, 0.9), ValueError, "<= 0.5"),
        (
            lambda: tf.image.random_crop(IMAGE, [2, 9, 3]),
            tf.errors.InvalidArgumentError,
            "value.shape >= size",
        ),
        (
            lambda: tf.image.sample_distorted_bounding_box([9, 9, 3], np.zeros((1, 0, 4))),
            tf.errors.InvalidArgumentError,
            "No bounding boxes",
        ),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()
