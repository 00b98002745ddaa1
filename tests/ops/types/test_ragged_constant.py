"""Ragged tensors from nested lists."""

import pytest

import gradtape as tf


@pytest.mark.parametrize(
    ("rows", "arguments", "shape"),
    [
        ([], {"inner_shape": (0, 2)}, [0, 2]),
        ([], {"inner_shape": (2,), "ragged_rank": 1}, [0, None, 2]),
        ([[], []], {"inner_shape": (3,), "ragged_rank": 2}, [2, None, None, 3]),
        ([[[1, 2]], []], {"inner_shape": (2,)}, [2, None, 2]),
        ([[[1, 2]], []], {}, [2, None, None]),
    ],
)
def test_ragged_constant_keeps_the_inner_shape(rows, arguments, shape):
    assert tf.ragged.constant(rows, **arguments).shape.as_list() == shape


@pytest.mark.parametrize(
    ("rows", "arguments", "error"),
    [
        ([], {"inner_shape": (2,)}, TypeError),
        ([[[1, 2]], []], {"inner_shape": (3,)}, TypeError),
        ([[[1, 2]], []], {"inner_shape": (2,), "ragged_rank": 2}, ValueError),
    ],
)
def test_ragged_constant_refuses_another_inner_shape(rows, arguments, error):
    with pytest.raises(error):
        tf.ragged.constant(rows, **arguments)
