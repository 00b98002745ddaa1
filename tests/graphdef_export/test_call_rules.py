from collections.abc import Callable
from typing import Any

import pytest
from graphdef_export.exporting import kinds

import gradtape as tf


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda x: tf.range(tf.shape(x)[0]), "Range"),
        (lambda x: tf.unique(x)[0], "Unique"),
        (lambda x: tf.sequence_mask(x), "Less"),
        (lambda x: tf.repeat(x, x), "UpperBound"),
        (lambda x: tf.dynamic_partition(x, x, 2), "DynamicPartition"),
    ],
)
def test_calls_become_operations(function: Callable[..., Any], wanted: str) -> None:
    assert kinds(function, tf.TensorSpec([None], tf.int32))[wanted] == 1


def test_a_call_without_a_counterpart_is_refused() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="identity matrices"):
        kinds(lambda n: tf.eye(n, batch_shape=[n]), tf.TensorSpec([], tf.int32))
