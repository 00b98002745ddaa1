"""Images are resized by their corners, as in TensorFlow 1."""

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1


def test_pixels_are_sampled_at_their_corners():
    x = tf.reshape(tf.range(4.0), [1, 2, 2, 1])
    old = v1.image.resize(x, [4, 4])[0, 0, :, 0].numpy().tolist()
    assert old == [0.0, 0.5, 1.0, 1.0]
    ends = v1.image.resize(x, [4, 4], align_corners=True)[0, 0, :, 0]
    assert ends.numpy().tolist() == pytest.approx([0.0, 1 / 3, 2 / 3, 1.0])


def test_a_size_within_which_images_keep_their_shape():
    x = tf.zeros([4, 2, 1])
    assert v1.image.resize(x, [8, 8], preserve_aspect_ratio=True).shape == [8, 4, 1]


def test_a_matrix_is_no_image():
    with pytest.raises(ValueError, match="either 3 or 4 dimensions"):
        v1.image.resize(tf.zeros([2, 2]), [4, 4])


@pytest.mark.parametrize("method", ["lanczos", 7])
def test_an_unknown_method(method):
    with pytest.raises(ValueError, match=f"method is not implemented: {method}"):
        v1.image.resize(tf.zeros([2, 2, 1]), [4, 4], method)


def test_a_size_has_two_numbers():
    with pytest.raises(ValueError, match="1-D Tensor of 2 elements"):
        v1.image.resize(tf.zeros([2, 2, 1]), [4, 4, 4], preserve_aspect_ratio=True)


def test_boxes_by_their_old_name():
    x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    found = v1.image.crop_and_resize(x, [[0.0, 0.0, 1.0, 1.0]], [0], [2, 2])
    assert found[0, :, :, 0].numpy().tolist() == [[0.0, 2.0], [6.0, 8.0]]


def test_boxes_and_parts():
    """The values are those of TensorFlow 2.21."""
    image, box = np.zeros((1, 3, 3, 3), "f"), [[[0.0, 0.0, 1.0, 1.0]]]
    first = v1.image.draw_bounding_boxes(image, box).numpy().ravel()
    assert first[:3].tolist() == [1.0, 1.0, 0.0]
    red = v1.image.draw_bounding_boxes(image, box, colors=[[1.0, 0.0, 0.0]]).numpy().ravel()
    assert red[:6].tolist() == [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    numbers = np.arange(16.0, dtype="f").reshape(1, 4, 4, 1)
    window = v1.image.extract_glimpse(numbers, [2, 2], [[0.0, 0.0]], True, True, False)
    assert window.numpy().ravel().tolist() == [5.0, 6.0, 9.0, 10.0]
    start, size, part = v1.image.sample_distorted_bounding_box([10, 10, 3], box, 1)
    assert (start.shape, size.shape, part.shape) == ((3,), (3,), (1, 1, 4))
    method = v1.image.ResizeMethod
    assert (method.BILINEAR, method.NEAREST_NEIGHBOR, method.BICUBIC, method.AREA) == (0, 1, 2, 3)
