"""Sums and samples are those of TensorFlow 2.21 (of JPEG with dct_method="INTEGER_ACCURATE")."""

import io
import zlib

import numpy as np
import pytest
from PIL import Image

import gradtape as tf
from gradtape._src.files.png import _unfiltered

Y, X = np.mgrid[:20, :30]
RGB = np.stack([Y * 12, X * 8, (X + Y) * 5], -1).astype(np.uint8)
RGBA = np.concatenate([RGB, 255 - RGB[..., :1]], -1)


def file(image, kind, **options):
    out = io.BytesIO()
    Image.fromarray(image).save(out, kind, **options)
    return out.getvalue()


PNG, JPEG, BMP = file(RGB, "PNG"), file(RGB, "JPEG", quality=95), file(RGB, "BMP")
GIF = file(RGB, "GIF", save_all=True, append_images=[Image.fromarray(255 - RGB)])


def total(image):
    return int(np.asarray(image).astype(np.int64).sum())


@pytest.mark.parametrize(
    ("image", "sums"),
    [
        (RGB, [210000, 69218, 210000, 363000]),
        (RGB[..., 0], [68400, 68400, 205200, 358200]),
        (RGBA, [294600, 69218, 210000, 294600]),
        (RGBA[..., [0, 3]], [153000, 68400, 205200, 289800]),
        ((Y * 3000 + X).astype(np.uint16), [66530, 66530, 199590, 352590]),
    ],
)
def test_png_channels(image, sums):
    data = file(image, "PNG")
    assert [total(tf.io.decode_png(data, n)) for n in (0, 1, 3, 4)] == sums


def test_png_of_16_bits():
    assert total(tf.io.decode_png(PNG, dtype=tf.uint16)) == 53970000
    gray = (Y * 3000 + X).astype(np.uint16)
    np.testing.assert_array_equal(
        tf.io.decode_png(file(gray, "PNG"), dtype=tf.uint16)[..., 0], gray
    )
    noise = np.random.default_rng(0).integers(0, 1 << 16, (7, 5, 4), dtype=np.uint16)
    for channels in (1, 2, 3, 4):
        data = tf.io.encode_png(noise[..., :channels])
        np.testing.assert_array_equal(
            tf.io.decode_png(data, dtype=tf.uint16), noise[..., :channels]
        )


def test_filters_of_png():
    # every filter undone, against Pillow on a picture of 8 bits for each sample
    data = file(np.random.default_rng(1).integers(0, 5, (40, 31, 3), np.uint8), "PNG")
    parts = data.split(b"IDAT")
    lines = np.frombuffer(zlib.decompress(parts[1][:-8]), np.uint8).reshape(40, -1)
    before, rows = np.zeros(93, np.uint8), []
    for line in lines:
        before = _unfiltered(int(line[0]), line[1:], before, 3)
        rows.append(before)
    np.testing.assert_array_equal(np.reshape(rows, (40, 31, 3)), tf.io.decode_png(data))


def test_jpeg():
    assert total(tf.io.decode_jpeg(JPEG)) == 209926
    assert tf.io.decode_jpeg(JPEG, channels=1).shape == (20, 30, 1)
    assert [tuple(tf.io.decode_jpeg(JPEG, ratio=r).shape) for r in (2, 4, 8)] == [
        (10, 15, 3),
        (5, 8, 3),
        (3, 4, 3),
    ]
    assert tf.io.encode_jpeg(RGB).numpy() == file(RGB, "JPEG", quality=95, dpi=(300, 300))
    assert [bool(tf.io.is_jpeg(data)) for data in (JPEG, PNG)] == [True, False]
    assert tf.io.extract_jpeg_shape(JPEG).numpy().tolist() == [20, 30, 3]
    part = tf.io.decode_and_crop_jpeg(JPEG, [2, 3, 5, 6])
    np.testing.assert_array_equal(part, tf.io.decode_jpeg(JPEG)[2:7, 3:9])


def test_any_kind_of_image():
    frames = tf.io.decode_image(GIF)
    assert (tuple(frames.shape), total(frames)) == ((2, 20, 30, 3), 459772)
    assert total(tf.io.decode_image(GIF, expand_animations=False)) == 210386
    assert total(tf.io.decode_gif(GIF)) == 459772
    assert total(tf.io.decode_bmp(BMP)) == total(tf.io.decode_image(BMP)) == 210000
    assert total(tf.io.decode_bmp(BMP, channels=4)) == 363000
    assert total(tf.io.decode_jpeg(PNG)) == 210000  # the bytes show the format
    np.testing.assert_allclose(tf.io.decode_image(PNG, dtype=tf.float32), RGB / 255, rtol=1e-6)
    assert tf.io.decode_image(JPEG, dtype=tf.uint16).numpy().max() % 256 == 0


WEBP = file(RGBA, "WEBP", lossless=True, exact=True)
TWO = file(RGB, "WEBP", lossless=True, save_all=True, append_images=[Image.fromarray(255 - RGB)])


def test_shapes_of_pictures_in_graphs():
    shapes = {}

    @tf.function
    def read(contents):
        for decode in (tf.io.decode_webp, tf.io.decode_png, tf.io.decode_gif, tf.io.decode_image):
            shapes[decode.__name__] = decode(contents).shape
        shapes["first"] = tf.io.decode_image(contents, 3, expand_animations=False).shape
        with pytest.raises(TypeError, match=r"decode_gif.*'channels'"):
            tf.io.decode_gif(contents, channels=3)
        return tf.io.decode_webp(contents)

    np.testing.assert_array_equal(read(tf.constant(WEBP)), RGBA[None])
    assert {name: None if s.rank is None else s.as_list() for name, s in shapes.items()} == {
        "decode_webp": [None] * 4,
        "decode_png": [None] * 3,
        "decode_gif": [None, None, None, 3],
        "decode_image": None,
        "first": [None, None, 3],
    }


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tf.io.decode_png(b""), "Input is empty"),
        (lambda: tf.io.decode_image(b"junk"), "Unknown image file format"),
        (lambda: tf.io.decode_png(PNG[:60]), "Invalid PNG data, size 60"),
        (lambda: tf.io.decode_jpeg(JPEG[:300]), "Invalid JPEG data"),
        (
            lambda: tf.io.decode_png(tf.io.encode_png(RGB.astype(np.uint16)).numpy()[:-30]),
            "Invalid PNG",
        ),
        (lambda: tf.io.decode_png(GIF), "Got 2 frames"),
        (lambda: tf.io.decode_png(BMP), "Use `decode_bmp`"),
        (lambda: tf.io.decode_bmp(PNG), "Use `decode_png`"),
        (lambda: tf.io.decode_png(PNG, channels=2), "must be 0, 1, 3 or 4"),
        (lambda: tf.io.decode_jpeg(JPEG, channels=4), "does not support 4 channels"),
        (lambda: tf.io.decode_jpeg(JPEG, ratio=3), "ratio must be"),
        (lambda: tf.io.decode_webp(WEBP, channels=1), "only supports 3 or 4 channels"),
        (lambda: tf.io.decode_webp(WEBP, channels=3), "does not match input.*has 4 channels"),
        (lambda: tf.io.decode_gif(WEBP), "does not match input"),
        (lambda: tf.io.decode_webp(GIF), "Bad op type DecodeWebP"),
        (lambda: tf.io.decode_image(WEBP, dtype=tf.uint16), "only supports uint8"),
        (lambda: tf.io.decode_png([PNG]), "must be scalar"),
        (lambda: tf.io.decode_png(PNG, dtype=tf.int32), "allowed"),
        (lambda: tf.io.decode_and_crop_jpeg(JPEG, [2, 3, 50, 6]), "crop window"),
        (lambda: tf.io.encode_png(RGB[..., 0]), "at least rank 3"),
        (lambda: tf.io.encode_png(RGB / 255), "allowed"),
        (lambda: tf.io.encode_png(RGB, compression=10), r"\[-1,9\]"),
        (lambda: tf.io.encode_jpeg(RGBA), "1 or 3 channels"),
        (lambda: tf.io.encode_jpeg(RGB, quality=101), r"\[0,100\]"),
        (lambda: tf.io.encode_jpeg(RGB, format="grayscale"), "expects 1 channels"),
    ],
)
def test_errors(call, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        call()


def test_pictures_get_the_marks_of_compression():
    good, bad = (tf.image.adjust_jpeg_quality(RGB, quality) for quality in (95, 5))
    assert good.dtype is tf.uint8
    assert good.shape == RGB.shape
    errors = [np.abs(np.asarray(x).astype(int) - RGB).mean() for x in (good, bad)]
    assert errors[0] < errors[1] / 4
    numbers = tf.image.adjust_jpeg_quality(RGB / np.float32(255), tf.constant(5))
    assert numbers.dtype is tf.float32
    np.testing.assert_allclose(numbers, np.asarray(bad) / 255, atol=1e-6)
    compiled = tf.function(lambda x: tf.image.adjust_jpeg_quality(x, 5))
    np.testing.assert_array_equal(compiled(tf.constant(RGB)), bad)


def test_a_random_quality_depends_on_the_seed():
    seed = (1, 2)
    quality = tf.random.stateless_uniform([], seed, 20, 95, tf.int32)
    np.testing.assert_array_equal(
        tf.image.stateless_random_jpeg_quality(RGB, 20, 95, seed),
        tf.image.adjust_jpeg_quality(RGB, quality),
    )
    assert tf.image.random_jpeg_quality(RGB, 20, 95, seed=1).shape == RGB.shape
    for bounds, message in (((-1, 5), "between 0 and 100"), ((5, 5), "must be less than")):
        with pytest.raises(ValueError, match=message):
            tf.image.random_jpeg_quality(RGB, *bounds)


@pytest.mark.parametrize(
    ("image", "quality", "message"),
    [
        (RGB, 200, "quality must be in"),
        (RGB, [1, 2], "quality must be scalar"),
        (RGB[None], 50, "3-dimensional"),
        (RGB[..., :2], 50, "1 or 3 channels"),
    ],
)
def test_jpeg_quality_refuses_malformed_arguments(image, quality, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.image.adjust_jpeg_quality(image, quality)
