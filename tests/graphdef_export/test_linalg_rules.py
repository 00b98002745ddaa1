from collections.abc import Callable
from typing import Any

import pytest
from graphdef_export.exporting import kinds

import gradtape as tf


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda x: x @ x, {"BatchMatMulV2": 1}),
        (lambda x: x[0] @ x[1], {"MatMul": 1, "StridedSlice": 2}),
        (lambda x: tf.linalg.cholesky(x), {"Cholesky": 1}),
        (lambda x: tf.linalg.svd(x)[0], {"Svd": 1}),
        (lambda x: tf.linalg.diag_part(x), {"MatrixDiagPartV3": 1}),
        (lambda x: tf.linalg.band_part(x, 1, 0), {"MatrixBandPart": 1}),
        (lambda x: tf.signal.rfft(x), {"RFFT": 1}),
        (lambda x: tf.einsum("aij,akj->aik", x, x), {"Einsum": 1}),
    ],
)
def test_operations_become_tensorflows(
    function: Callable[..., Any], wanted: dict[str, int]
) -> None:
    assert kinds(function, tf.TensorSpec([2, 3, 3])) == wanted
