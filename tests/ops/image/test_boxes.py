"""Boxes in images: which are left, drawn and cut out; values are TensorFlow's."""

import numpy as np
import pytest

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
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()


@pytest.mark.parametrize(("least", "left"), [(float("-inf"), [0, 2]), (0.15, [1, 2])])
def test_sorted_boxes_are_left_in_their_order(least, left):
    boxes, scores = [[[0.0, 0, 1, 1], [0, 0, 0.9, 1], [2, 2, 3, 3]]], [[0.1, 0.2, 0.3]]
    how = {"score_threshold": least, "pad_to_max_output_size": True, "sorted_input": True}
    found, count = tf.image.non_max_suppression_padded(boxes, scores, 2, **how)
    assert (found.numpy().tolist(), count.numpy().tolist()) == ([left], [2])


def test_the_gradient_of_boxes_in_the_default_colors_is_none():
    image, boxes = tf.Variable(IMAGE[None]), tf.Variable([[[0.1, 0.1, 0.8, 0.8]]])
    with tf.GradientTape(persistent=True) as tape:
        plain = tf.image.draw_bounding_boxes(image, boxes, None)
        colored = tf.image.draw_bounding_boxes(image, boxes, [[1.0, 0, 0]])
    assert tape.gradient(plain, [image, boxes]) == [None, None]
    with pytest.raises(LookupError):
        tape.gradient(colored, image)
