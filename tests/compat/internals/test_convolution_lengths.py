"""Arguments and output lengths of convolutions; the lengths are those of convolutions of Keras."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.compat.internals.convolution_lengths import (
    conv_input_length,
    conv_output_length,
    convert_data_format,
    deconv_output_length,
    normalize_data_format,
    normalize_padding,
    normalize_tuple,
)


@pytest.mark.parametrize("padding", ["same", "valid", "causal"])
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (3, 1), (1, 2)])
def test_lengths_of_outputs(padding, stride, dilation):
    layer = tf.keras.layers.Conv1D(1, 3, stride, padding, dilation_rate=dilation)
    length = layer(np.ones((1, 11, 1), "float32")).shape[1]
    assert conv_output_length(11, 3, padding, stride, dilation) == length


@pytest.mark.parametrize("padding", ["same", "valid"])
@pytest.mark.parametrize("size", [1, 3, 4])
@pytest.mark.parametrize("stride", [2, 3])
def test_lengths_of_transposed_convolutions(padding, size, stride):
    layer = tf.keras.layers.Conv1DTranspose(1, size, stride, padding)
    length = layer(np.ones((1, 5, 1), "float32")).shape[1]
    assert deconv_output_length(5, size, padding, stride=stride) == length


def test_other_lengths():
    assert conv_output_length(10, 3, "full", 2) == 6
    assert deconv_output_length(5, 3, "full", stride=2) == 7
    assert [deconv_output_length(5, 3, "same", n, 2) for n in (0, 1)] == [9, 10]
    assert [deconv_output_length(5, 3, "valid", n, 2, 2) for n in (0, 1)] == [13, 14]
    assert [deconv_output_length(5, 3, "full", n, 2, 2) for n in (0, 1)] == [5, 6]
    assert [conv_input_length(5, 3, p, 2) for p in ("same", "valid", "full")] == [9, 11, 7]
    assert conv_output_length(None, 3, "same", 2) is None
    assert conv_input_length(None, 3, "same", 2) is None
    assert deconv_output_length(None, 3, "same", stride=2) is None
    with pytest.raises(AssertionError):
        conv_output_length(10, 3, "bad", 2)


def test_formats():
    assert convert_data_format("channels_last", 4) == "NHWC"
    assert convert_data_format("channels_first", 3) == "NCW"
    assert normalize_data_format("Channels_First") == "channels_first"
    assert normalize_data_format(None) == "channels_last"
    assert normalize_padding("SAME") == "same"
    assert normalize_padding([1, 2]) == [1, 2]
    for call in (
        lambda: convert_data_format("channels_last", 6),
        lambda: convert_data_format("last", 4),
        lambda: normalize_data_format("last"),
        lambda: normalize_padding("full"),
    ):
        with pytest.raises(ValueError, match=r"[Ii]nvalid|not supported|must be"):
            call()


def test_tuples():
    assert normalize_tuple(2, 3, "strides") == (2, 2, 2)
    assert normalize_tuple([1, 2], 2, "strides") == (1, 2)
    for wrong in ([1, 2, 3], 1.5, "ab", [None, 2]):
        with pytest.raises(ValueError, match="`strides` argument must be a tuple of 2 integers"):
            normalize_tuple(wrong, 2, "strides")
