"""Images turned, cut and adjusted, against NumPy."""

import numpy as np
import pytest

import gradtape as tf

IMAGE = np.random.default_rng(0).uniform(size=(4, 6, 3)).astype(np.float32)
BATCH = np.stack([IMAGE, IMAGE[::-1]])


@pytest.mark.parametrize("image", [IMAGE, BATCH], ids=["one", "batch"])
def test_turns(image):
    rows, columns = image.ndim - 3, image.ndim - 2
    np.testing.assert_array_equal(tf.image.flip_left_right(image), np.flip(image, columns))
    np.testing.assert_array_equal(tf.image.flip_up_down(image), np.flip(image, rows))
    np.testing.assert_array_equal(tf.image.transpose(image), np.swapaxes(image, rows, columns))
    for k in range(5):
        np.testing.assert_array_equal(tf.image.rot90(image, k), np.rot90(image, k, (rows, columns)))


def test_parts():
    got = tf.image.crop_to_bounding_box(IMAGE, 1, 2, 3, 4)
    np.testing.assert_array_equal(got, IMAGE[1:4, 2:6])
    wide = tf.image.pad_to_bounding_box(got, 1, 2, 4, 6)
    assert wide.shape == (4, 6, 3)
    np.testing.assert_array_equal(wide[1:, 2:], got)
    assert not np.any(wide[0])
    np.testing.assert_array_equal(tf.image.central_crop(IMAGE, 0.5), IMAGE[1:3, 1:5])
    np.testing.assert_array_equal(tf.image.resize_with_crop_or_pad(IMAGE, 2, 6), IMAGE[1:3])
    assert tf.image.resize_with_crop_or_pad(BATCH, 5, 8).shape == (2, 5, 8, 3)


def test_contrast_and_brightness():
    mean = IMAGE.mean((0, 1))
    got = tf.image.adjust_contrast(IMAGE, 2.0)
    np.testing.assert_allclose(got, (IMAGE - mean) * 2 + mean, atol=1e-6)
    np.testing.assert_allclose(tf.image.adjust_brightness(IMAGE, 0.25), IMAGE + 0.25, atol=1e-6)
    bytes_ = (IMAGE * 255).astype(np.uint8)
    brighter = tf.image.adjust_brightness(bytes_, 0.5)
    assert brighter.dtype is tf.uint8
    assert np.max(brighter) == 255


@pytest.mark.parametrize(
    ("value", "dtype", "saturate", "expected"),
    [
        (np.uint8([0, 255]), tf.float32, False, [0.0, 1.0]),
        (np.float32([0.0, 0.5, 1.0]), tf.uint8, False, [0, 127, 255]),
        (np.float32([-1.0, 2.0]), tf.uint8, True, [0, 255]),
        (np.uint8([0, 255]), tf.uint16, False, [0, 65280]),
        (np.uint16([256, 65535]), tf.uint8, False, [1, 255]),
    ],
)
def test_dtypes_of_images(value, dtype, saturate, expected):
    got = tf.image.convert_image_dtype(value, dtype, saturate)
    assert got.dtype is dtype
    assert got.numpy().tolist() == expected


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.image.central_crop(IMAGE, 0.0),
        lambda: tf.image.crop_to_bounding_box(IMAGE, 2, 2, 3, 4),
        lambda: tf.image.pad_to_bounding_box(IMAGE, 0, 0, 3, 6),
        lambda: tf.image.flip_left_right(IMAGE[0]),
        lambda: tf.image.resize_with_crop_or_pad(IMAGE, 0, 3),
    ],
)
def test_what_does_not_fit(call):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        call()


def test_the_whole_of_a_tensor_of_any_rank_is_its_own_crop():
    assert tf.image.central_crop(tf.ones((2, 3)), 1).shape == (2, 3)
    with pytest.raises(ValueError, match="axes"):
        tf.image.central_crop(tf.ones((2, 3)), 0.5)
    with pytest.raises(TypeError, match="central_fraction"):
        tf.image.central_crop(tf.ones((2, 3, 1)), "a")


@pytest.mark.parametrize(
    "adjust", [tf.image.adjust_contrast, tf.image.adjust_saturation, tf.image.adjust_hue]
)
def test_adjustments_need_images_of_numbers(adjust):
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least 3-D"):
        adjust(tf.ones((2, 3)), 0.5)
    with pytest.raises(AttributeError, match="image dtype"):
        adjust(tf.fill((1, 2, 3), "a"), 0.5)


def test_the_brightness_is_cast():
    brighter = tf.image.adjust_brightness(IMAGE, tf.constant(0.5, tf.float64))
    np.testing.assert_allclose(brighter, IMAGE + 0.5, rtol=1e-6)


def test_strings_are_padded_with_empty_strings():
    image = tf.fill([1, 1, 1], "x")
    wanted = [[[b""], [b"x"]]]
    assert tf.image.pad_to_bounding_box(image, 0, 1, 1, 2).numpy().tolist() == wanted
    assert tf.image.resize_with_crop_or_pad(image, 1, 2).numpy().ravel().tolist() == [b"x", b""]
