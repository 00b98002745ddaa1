"""Raw operations on images and boxes; answers are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

R = tf.raw_ops
IMAGE = np.arange(8, dtype=np.float32).reshape(1, 2, 4, 1)
SCALED = {
    "lanczos1": [0.830298, 2.169702, 3.0, 4.430298, 5.769702, 6.6],
    "lanczos3": [-0.072571, 1.668748, 2.447504, 3.697857, 5.439176, 6.217932],
    "lanczos5": [-0.327567, 1.561872, 2.114607, 3.579953, 5.469393, 6.022128],
    "gaussian": [1.042704, 2.336702, 3.094354, 3.777235, 5.071234, 5.828884],
    "triangle": [0.818182, 2.181818, 3.0, 3.818182, 5.181818, 6.0],
    "keyscubic": [0.370908, 1.923209, 2.738496, 3.895278, 5.447579, 6.262866],
    "mitchellcubic": [0.652301, 2.10056, 2.881775, 3.789249, 5.237508, 6.018722],
}
BOXES = np.array([[0, 0, 0.5, 0.5], [0.05, 0, 0.5, 0.5], [0.4, 0.4, 1, 1]], np.float32)
SCORES = np.array([0.9, 0.8, 0.7], np.float32)
GIVEN = {"boxes": BOXES, "scores": SCORES, "iou_threshold": 0.5}


def scaled(images, kernel_type, antialias=True):
    how = {"scale": [1.0, 0.75], "translation": [0.25, -0.5], "kernel_type": kernel_type}
    return R.ScaleAndTranslate(images=images, size=[2, 3], antialias=antialias, **how)


@pytest.mark.parametrize("kernel", SCALED)
def test_images_are_scaled_and_shifted(kernel):
    found = scaled(IMAGE, kernel)
    np.testing.assert_allclose(np.ravel(found), SCALED[kernel], rtol=2e-5, atol=2e-5)
    traced = tf.function(
        lambda x: scaled(x, kernel), input_signature=[tf.TensorSpec([None, None, None, 1])]
    )
    np.testing.assert_allclose(traced(IMAGE), found, rtol=1e-6)


def test_scaling_is_linear():
    x = tf.constant(IMAGE)
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(scaled(x, "triangle") * tf.constant(IMAGE[:, :, :3]))
    ends = [
        scaled(IMAGE + sign * np.eye(4, dtype=np.float32)[0, :, None], "triangle")
        for sign in (1, -1)
    ]
    slope = np.sum((ends[0] - ends[1]).numpy() * IMAGE[:, :, :3]) / 2
    np.testing.assert_allclose(np.sum(tape.gradient(total, x)[0, :, 0]), slope, rtol=1e-4)


def test_pixels_without_smoothing():
    found = scaled(IMAGE, "box", antialias=False)
    assert np.ravel(found).tolist() == [1, 2, 3, 5, 6, 7]
    with pytest.raises(tf.errors.InvalidArgumentError, match="kernel_type"):
        scaled(IMAGE, "round")


@pytest.mark.parametrize("name", ["NonMaxSuppression", "NonMaxSuppressionV2"])
def test_boxes_that_overlap_little(name):
    assert getattr(R, name)(max_output_size=2, **GIVEN).numpy().tolist() == [0, 2]


def test_boxes_that_are_counted():
    more = {"max_output_size": 4, "score_threshold": 0.1, "pad_to_max_output_size": True}
    found, count = R.NonMaxSuppressionV4(**GIVEN, **more)
    assert (found.numpy().tolist(), int(count)) == ([0, 2, 0, 0], 2)
    found, scores, count = R.NonMaxSuppressionV5(**GIVEN, **more, soft_nms_sigma=0.5)
    assert (found.numpy().tolist(), int(count)) == ([0, 2, 1, 0], 3)
    np.testing.assert_allclose(scores, [0.9, 0.699806, 0.355779, 0.0], rtol=1e-5)


def test_boxes_by_given_overlaps():
    overlaps = np.array([[1, 0.8, 0], [0.8, 1, 0], [0, 0, 1]], np.float32)
    found = R.NonMaxSuppressionWithOverlaps(
        overlaps=overlaps,
        scores=SCORES,
        max_output_size=3,
        overlap_threshold=0.5,
        score_threshold=0.1,
    )
    assert found.numpy().tolist() == [0, 2]


def test_glimpses_and_outlines():
    given = {"size": [1, 2], "offsets": [[0.0, 0.0]], "noise": "zero", "uniform_noise": False}
    for name in ("ExtractGlimpse", "ExtractGlimpseV2"):
        assert np.ravel(getattr(R, name)(input=IMAGE, **given)).tolist() == [1.0, 2.0]
    drawn = R.DrawBoundingBoxes(images=np.zeros((1, 4, 4, 3), np.float32), boxes=[[[0.0, 0, 1, 1]]])
    assert np.sum(drawn, (0, 1, 2)).tolist() == [12.0, 12.0, 0.0]


@pytest.mark.parametrize(
    ("centered", "normalized", "first"),
    [(True, True, 20), (True, False, 14), (False, True, 12), (False, False, 1)],
)
def test_the_first_version_of_glimpses(centered, normalized, first):
    images = tf.Variable(tf.reshape(tf.range(36.0), (1, 6, 6, 1)))
    at = [[0.5, 0.25]] if normalized else [[1.5, 2.5]]
    how = {"centered": centered, "normalized": normalized, "noise": "zero", "uniform_noise": False}
    with tf.GradientTape() as tape:
        found = R.ExtractGlimpse(input=images, size=[2, 3], offsets=at, **how)
    wanted = [first, first + 1, first + 2, first + 6, first + 7, first + 8]
    assert found.numpy().ravel().tolist() == wanted
    assert tape.gradient(found, images) is None
