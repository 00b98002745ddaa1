"""Boxes, random changes and scales of images; values are TensorFlow's."""

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


def test_suppression():
    run = tf.image.non_max_suppression
    assert run(BOXES, SCORES, 30).numpy().tolist() == [3, 0, 5]
    assert run(BOXES[:, [2, 3, 0, 1]], SCORES, 2).numpy().tolist() == [3, 0]
    assert run(BOXES, SCORES, 10, 0.9, 0.55).numpy().tolist() == [3, 0, 1, 2]
    assert run(BOXES[:0], SCORES[:0], 3).shape == (0,)
    overlaps = np.array([[1, 0.6, 0.1], [0.6, 1, 0.2], [0.1, 0.2, 1]], "f")
    got = tf.image.non_max_suppression_overlaps(overlaps, SCORES[:3], 3)
    assert got.numpy().tolist() == [0, 2]


def test_soft_suppression():
    places, scores = tf.image.non_max_suppression_with_scores(BOXES, SCORES, 6, soft_nms_sigma=0.5)
    assert places.numpy().tolist() == [3, 0, 1, 5, 4, 2]
    np.testing.assert_allclose(scores, [0.95, 0.9, 0.384004, 0.3, 0.256003, 0.196972], 1e-5)


def test_padded_suppression():
    places, count = tf.image.non_max_suppression_padded(
        np.stack([BOXES, BOXES]), np.stack([SCORES, SCORES[::-1]]), 5, pad_to_max_output_size=True
    )
    assert places.numpy().tolist() == [[3, 0, 5, 0, 0], [2, 5, 4, 0, 0]]
    assert count.numpy().tolist() == [3, 3]


def test_combined_suppression():
    scores = np.random.default_rng(0).uniform(size=(1, 6, 3)).astype("f")
    got = tf.image.combined_non_max_suppression(BOXES[None, :, None], scores, 1, 4)
    np.testing.assert_allclose(got.nmsed_scores, [[*np.sort(scores[0].max(0))[::-1], 0]])
    assert got.nmsed_classes[0, 0] == scores[0].max(0).argmax()
    assert got.valid_detections.numpy().tolist() == [3]
    assert np.max(got.nmsed_boxes) <= 1


def test_drawing():
    images = np.zeros((1, 6, 8, 3), "f")
    got = tf.image.draw_bounding_boxes(images, [[[0.1, 0.2, 0.6, 0.9]]], [[1.0, 0.0, 0.5]])
    want = np.zeros((6, 8))
    want[0:4, 1:7] = 1
    want[1:3, 2:6] = 0
    assert got[0, ..., 0].numpy().tolist() == want.tolist()
    assert np.max(got[..., 2]) == 0.5
    beyond = tf.image.draw_bounding_boxes(images, [[[-0.5, 0, 0.3, 1.5]]], None)
    assert beyond[0, :, :, 0].numpy()[:2].tolist() == [[1] + [0] * 7, [1] * 8]


@pytest.mark.parametrize(
    ("offset", "centered", "normalized", "first"),
    [
        ([0.5, 0.2], True, True, [22, 24, 26]),
        ([1.0, -1.0], True, False, [32, 34, 36]),
        ([0.5, 0.2], False, True, [22, 24, 26]),
        ([1.0, -1.0], False, False, [0, 10, 12]),
        ([-2.0, 0.0], True, True, [0, 0, 0]),
    ],
)
def test_glimpses(offset, centered, normalized, first):
    image = np.arange(50, dtype="f").reshape(1, 5, 5, 2)
    got = tf.image.extract_glimpse(image, [3, 3], [offset], centered, normalized, noise="zero")
    assert got[0, 0, :, 0].numpy().tolist() == first


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


def test_similarity_over_scales():
    rng = np.random.default_rng(0)
    a = rng.uniform(size=(1, 30, 31, 1)).astype("f")
    b = np.clip(a + 0.1 * rng.normal(size=a.shape), 0, 1).astype("f")
    same = tf.image.ssim_multiscale(a, a, 1.0, (0.5, 0.5), filter_size=7)
    np.testing.assert_allclose(same, [1], 1e-5)
    one = tf.image.ssim_multiscale(a, b, 1.0, (1.0,), filter_size=7)
    np.testing.assert_allclose(one, tf.image.ssim(a, b, 1.0, 7), 1e-5)
    x = tf.constant(a)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.image.ssim_multiscale(x, b, 1.0, (0.5, 0.5), filter_size=7)
    np.testing.assert_allclose(y, [0.94262165], 1e-4)
    np.testing.assert_allclose(np.abs(tape.gradient(y, x)).sum(), 1.2704843, 1e-3)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (
            lambda: tf.image.non_max_suppression(BOXES[:, :3], SCORES, 3),
            tf.errors.InvalidArgumentError,
            "4 columns",
        ),
        (
            lambda: tf.image.non_max_suppression(BOXES, SCORES, 3, 1.5),
            tf.errors.InvalidArgumentError,
            "iou_threshold",
        ),
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
        (
            lambda: tf.image.ssim_multiscale(IMAGE, IMAGE, 1.0, filter_size=3),
            tf.errors.InvalidArgumentError,
            "smaller than the window",
        ),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()
