"""The programs give what the operations give for which they stand."""

from typing import Any

import numpy as np
import pytest
from graphdef_export.exporting import kinds

import gradtape as tf
from gradtape._src.graphdef_export import programs
from gradtape._src.ops.nn import ctc, pooling
from gradtape._src.ops.nn.convolution import conv_filter_p, conv_input_p, conv_p
from gradtape._src.ops.nn.window_geometry import windows

_random = np.random.default_rng(0)


def numbers(*shape: int) -> Any:
    return tf.constant(_random.standard_normal(shape))


@pytest.mark.parametrize("size", [0.0, 0.1, 1.0, 30.0])
def test_exponentials_of_matrices(size: float) -> None:
    x = size * numbers(3, 4, 4)
    found, wanted = programs.exponential(x).numpy(), tf.linalg.expm(x).numpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-11 * np.abs(wanted).max())
    assert programs.exponential(tf.cast(x, tf.float16)).dtype == tf.float16


def test_an_exponential_that_is_not_finite() -> None:
    assert np.isnan(programs.exponential(tf.constant([[np.nan, 1.0], [0.0, 1.0]]))).all()
    assert programs.exponential(tf.zeros((0, 2, 2))).shape == (0, 2, 2)


WINDOWS: list[Any] = [
    ((7, 8), (2, 3), (1, 2), "SAME", (2, 2)),
    ((7,), (2,), (2,), [(1, 2)], (3,)),
    ((5, 6, 7), (2, 2, 2), (1, 1, 1), "VALID", (2, 1, 2)),
    ((5, 6, 7), (2, 2, 3), (2, 1, 2), [(1, 0), (0, 1), (1, 1)], (1, 1, 1)),
]


@pytest.mark.parametrize("given", WINDOWS)
def test_pooling(given: Any) -> None:
    geometry = windows(*given, "MaxPool")
    x, t = numbers(2, *geometry.space, 3), numbers(2, *geometry.space, 3)
    g = numbers(2, *geometry.out, 3)
    pairs: list[tuple[Any, Any, list[Any]]] = [
        (programs.greatest, pooling.max_pool_p, [x]),
        (programs.places, pooling.places_p, [x]),
        (programs.picked, pooling.pick_p, [t, x]),
        (programs.put, pooling.put_p, [g, x]),
        (programs.mean, pooling.avg_pool_p, [x]),
        (programs.spread_mean, pooling.avg_pool_grad_p, [g]),
    ]
    for program, operation, inputs in pairs:
        found = program(*inputs, geometry=geometry)
        wanted = operation(*inputs, geometry=geometry)
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def test_depthwise_convolutions() -> None:
    geometry = windows((7, 8), (2, 3), (1, 1), "SAME", (2, 1), "Conv2D")
    x, w, g = numbers(2, 7, 8, 3), numbers(2, 3, 1, 6), numbers(2, *geometry.out, 6)
    how: dict[str, Any] = {"geometry": geometry}
    pairs: list[tuple[Any, Any]] = [
        (programs.depthwise(x, w, **how), conv_p(x, w, groups=3, **how)),
        (
            programs.depthwise_input(g, w, channels=3, **how),
            conv_input_p(g, w, groups=3, **how),
        ),
        (programs.depthwise_filter(x, g, **how), conv_filter_p(x, g, groups=3, **how)),
    ]
    for found, wanted in pairs:
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("blank", "floor"), [(0, True), (3, True), (3, False), (0, False)])
def test_losses_of_sequences(blank: int, floor: bool) -> None:
    """The third sequence has more labels than steps."""
    labels = tf.constant([[1, 2, 2], [3, 1, 0], [1, 1, 1], [2, 0, 0]])
    given = [numbers(5, 4, 4), labels, tf.constant([3, 2, 3, 0]), tf.constant([5, 4, 4, 3])]
    found = programs.sequence_loss(*given, blank=blank, floor=floor)
    wanted = ctc.ctc_loss_p(*given, blank=blank, floor=floor)
    np.testing.assert_allclose(found, wanted, rtol=1e-7)
    found = programs.sequence_gradient(*given, blank=blank, floor=floor)
    wanted = ctc.ctc_gradient_p(*given, blank=blank, floor=floor)
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


def test_programs_become_operations_of_tensorflow() -> None:
    """An average over dilated windows of two by two is a sum of four slices."""
    image = tf.TensorSpec([None, 5, 5, 1])
    found = kinds(lambda x: tf.nn.pool(x, [2, 2], "AVG", dilations=[2, 2]), image)
    assert found["StridedSlice"] == 4
    assert found["AvgPool"] == 0
    found = kinds(tf.linalg.expm, tf.TensorSpec([None, 3, 3]))
    assert found["MatrixSolve"] == found["StatelessWhile"] == 1
