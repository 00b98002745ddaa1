"""Scripts of characters; expected numbers are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

script = tf.strings.unicode_script


def test_scripts():
    points = [0x61, 0x3B1, 0x6587, 0x44F, 0x31, 0x5D0, -1, 0x110000, 2**31 - 1]
    found = script(points)
    assert found.dtype == tf.int32
    assert found.numpy().tolist() == [25, 14, 17, 8, 0, 19, -1, -1, -1]
    assert int(script(65)) == 25
    assert script([]).shape == (0,)


def test_every_character_has_a_script():
    found = script(np.arange(0x110000)).numpy()
    assert (found >= 0).all()
    assert found.max() == 192


def test_ragged_characters_and_graphs():
    rows = tf.strings.unicode_decode(["ab", "\u044f"], "UTF-8")
    assert script(rows).to_list() == [[25, 25], [8]]
    assert tf.function(script)(tf.constant([65, 32])).numpy().tolist() == [25, 0]


def test_other_dtypes():
    with pytest.raises(TypeError, match="dtype int32"):
        script([65.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="int32 tensor but is a int64"):
        script(tf.constant([65], tf.int64))
