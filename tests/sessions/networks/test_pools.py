import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1
IMAGE = np.arange(16.0, dtype="f").reshape(1, 4, 4, 1)


def test_pools_of_images():
    for name in ("max_pool", "avg_pool"):
        old, new = getattr(v1.nn, name), getattr(tf.nn, name)
        wanted = new(IMAGE, 2, 2, "SAME")
        np.testing.assert_array_equal(old(value=IMAGE, ksize=2, strides=2, padding="SAME"), wanted)
        np.testing.assert_array_equal(old(None, [1, 2, 2, 1], 2, "SAME", input=IMAGE), wanted)
        with pytest.raises(ValueError, match="Cannot specify both"):
            old(IMAGE, 2, 2, "SAME", input=IMAGE)
    pooled = v1.nn.pool(IMAGE, [2, 2], "AVG", "VALID", strides=[2, 2])
    np.testing.assert_allclose(np.ravel(pooled), [2.5, 4.5, 10.5, 12.5])


def test_places_of_maxima():
    largest, places = v1.nn.max_pool_with_argmax(IMAGE, 2, 2, "VALID", Targmax=tf.int32)
    np.testing.assert_array_equal(np.ravel(largest), np.ravel(places))
    assert places.dtype == tf.int32


def test_windows_of_random_sizes():
    """The largest value of all is the last one, in whatever window it is."""
    ratio = [1.0, 1.5, 1.5, 1.0]
    largest = v1.nn.fractional_max_pool(IMAGE, ratio, deterministic=True, seed=3, seed2=2)[0]
    again = v1.nn.fractional_max_pool(IMAGE, ratio, deterministic=True, seed=3, seed2=2)[0]
    assert largest.shape == (1, 2, 2, 1)
    np.testing.assert_array_equal(largest, again)
    assert float(largest[0, -1, -1, 0]) == 15.0
    mean, rows, columns = v1.nn.fractional_avg_pool(IMAGE, ratio)
    assert mean.shape == (1, 2, 2, 1)
    assert [int(rows[0]), int(rows[-1]), int(columns[-1])] == [0, 4, 4]


def test_morphology():
    flat = np.zeros((2, 2, 1), "f")
    steps = [1, 2, 2, 1]
    found = v1.nn.dilation2d(IMAGE, flat, steps, [1, 1, 1, 1], "VALID")
    assert np.ravel(found).tolist() == [5.0, 7.0, 13.0, 15.0]
    named = v1.nn.dilation2d(
        IMAGE, strides=steps, padding="VALID", filters=flat, dilations=[1, 1, 1, 1]
    )
    np.testing.assert_array_equal(named, found)
    found = v1.nn.erosion2d(IMAGE, flat, steps, [1, 1, 1, 1], "VALID")
    assert np.ravel(found).tolist() == [0.0, 2.0, 8.0, 10.0]
