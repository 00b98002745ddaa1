"""Tensors that are stored in slices."""

from pathlib import Path

import numpy as np
import pytest

import gradtape as tf

TENSORFLOWS = Path(__file__).parent / "from_tensorflow"


@pytest.mark.parametrize("name", ["rows", "columns"])
def test_tensors_in_slices(name):
    value = tf.train.load_variable(TENSORFLOWS / "sliced", name)
    np.testing.assert_array_equal(value, np.arange(140).reshape(70, 2))
