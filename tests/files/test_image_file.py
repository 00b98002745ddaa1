"""The pictures in an image file, and the frames of a WebP file."""

import io

import numpy as np
import pytest
from PIL import Image

import gradtape as tf
from gradtape._src.files.image_file import ImageFile, as_type

RGBA = np.random.default_rng(0).integers(0, 256, (5, 4, 4)).astype(np.uint8)
RGB = RGBA[..., :3]


def file(image, kind, **options):
    out = io.BytesIO()
    Image.fromarray(image).save(out, kind, **options)
    return out.getvalue()


WEBP = file(RGBA, "WEBP", lossless=True, exact=True)
TWO = file(RGB, "WEBP", lossless=True, save_all=True, append_images=[Image.fromarray(255 - RGB)])


@pytest.mark.parametrize("kind", ["PNG", "GIF", "BMP", "WEBP", "JPEG"])
def test_the_kind_of_a_file_is_found_by_its_bytes(kind):
    found = ImageFile(tf.constant(file(RGB, kind)), "DecodeImage")
    assert found.kind == kind
    assert found.frames(0).shape == (1, 5, 4, 3)


@pytest.mark.parametrize("dtype", [tf.uint16, tf.float32])
def test_samples_of_other_types(dtype):
    read = ImageFile(tf.constant(file(RGB, "PNG")), "DecodeImage")
    scale = 257 if dtype == tf.uint16 else 1 / 255
    np.testing.assert_allclose(as_type(RGB, dtype, read), RGB * float(scale), rtol=1e-6)


@pytest.mark.parametrize("decode", [tf.io.decode_webp, tf.io.decode_image, tf.io.decode_png])
def test_webp(decode):
    """A WebP file is an animation, which most often has one frame."""
    np.testing.assert_array_equal(decode(WEBP), RGBA[None])
    np.testing.assert_array_equal(decode(WEBP, channels=4), RGBA[None])
    np.testing.assert_array_equal(decode(TWO), [RGB, 255 - RGB])


def test_webp_as_one_picture():
    np.testing.assert_array_equal(tf.io.decode_image(TWO, expand_animations=False), RGB)
    np.testing.assert_array_equal(tf.io.decode_gif(TWO), [RGB, 255 - RGB])
    np.testing.assert_array_equal(tf.io.decode_bmp(WEBP), RGBA[None])
