"""The choice of a trace with unknown lengths for a call."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.graph.open_keys import is_open, openness, serves, with_shapes

F, I = np.dtype("float32"), np.dtype("int32")
KEY = (((2, 3), F), (list, ((4,), I), (int, 2)))


@pytest.mark.parametrize(
    ("general", "fits"),
    [
        ((((None, 3), F), (list, ((4,), I), (int, 2))), True),
        ((((None, None), F), (list, ((None,), I), (int, 2))), True),
        ((((None, 4), F), (list, ((4,), I), (int, 2))), False),
        ((((None, 3), I), (list, ((4,), I), (int, 2))), False),
        ((((None, 3), F), (list, ((4,), I), (int, 5))), False),
        ((((None, 3), F), (tuple, ((4,), I), (int, 2))), False),
        ((((None,), F), (list, ((4,), I), (int, 2))), False),
    ],
)
def test_a_general_key_serves_what_differs_in_its_unknown_lengths(general, fits):
    assert serves(general, KEY) is fits


def test_keys_with_other_shapes():
    general = with_shapes(KEY, iter([(None, 3), (None,)]))
    assert general == (((None, 3), F), (list, ((None,), I), (int, 2)))
    assert is_open(general)
    assert not is_open(KEY)
    assert openness(general) == 2


def test_the_trace_with_the_fewest_unknown_lengths_is_called():
    traced = []

    @tf.function
    def total(x):
        traced.append(x.shape.as_list())
        return tf.reduce_sum(x)

    for shape in ([2, 3], [None, 3], [None, None], [4, 3], [5, None]):
        total.get_concrete_function(tf.TensorSpec(shape))
    assert traced == [[2, 3], [None, 3], [None, None]]
    for shape in ((2, 3), (4, 3), (4, 4), (1, 1)):
        assert float(total(tf.ones(shape))) == shape[0] * shape[1]
    assert len(traced) == 3
    calls = [line.rsplit(" ", 1)[-1] for line in total.explain().splitlines() if "called" in line]
    assert calls == ["once", "once", "times"]


def test_a_kept_tensor_tells_its_dtype_and_does_not_compute():
    kept = []

    @tf.function
    def keep(x):
        kept.append(x)
        return x

    keep(tf.ones([2]))
    assert kept[0].dtype is tf.float32
    with pytest.raises(TypeError, match="out of scope"):
        kept[0] + 1
