import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1


@pytest.mark.parametrize(
    ("initializer", "wanted"),
    [
        (v1.zeros_initializer(), [[0, 0], [0, 0]]),
        (v1.ones_initializer(tf.int32), [[1, 1], [1, 1]]),
        (v1.constant_initializer([1, 2, 3, 4]), [[1, 2], [3, 4]]),
        (v1.initializers.identity(2.0), [[2, 0], [0, 2]]),
    ],
)
def test_fixed_values(initializer, wanted):
    np.testing.assert_array_equal(initializer([2, 2]), wanted)
    again = type(initializer).from_config(initializer.get_config())
    np.testing.assert_array_equal(again([2, 2]), wanted)


@pytest.mark.parametrize(
    ("initializer", "deviation", "limit"),
    [
        (v1.random_normal_initializer(stddev=2.0, seed=1), 2.0, np.inf),
        (v1.truncated_normal_initializer(stddev=2.0, seed=1), 2.0 * 0.8796, 4.0),
        (v1.random_uniform_initializer(-1.0, 1.0, seed=1), 1 / np.sqrt(3), 1.0),
        (v1.glorot_uniform_initializer(seed=1), np.sqrt(2 / 250), np.sqrt(6 / 250)),
        (v1.glorot_normal_initializer(seed=1), np.sqrt(2 / 250), 0.21),
        (v1.variance_scaling_initializer(2.0, seed=1), np.sqrt(2 / 200), np.inf),
    ],
)
def test_random_values(initializer, deviation, limit):
    found = initializer([200, 50]).numpy()
    assert found.dtype == np.float32
    np.testing.assert_allclose(found.std(), deviation, rtol=0.05)
    assert abs(found).max() <= limit


def test_only_matrices_are_unit_matrices():
    with pytest.raises(ValueError, match="two-dimensional"):
        v1.initializers.identity()([2])


def test_names_of_classes():
    assert v1.initializers.glorot_normal.__name__ == "GlorotNormal"
    assert type(v1.initializers.he_normal()).__name__ == "VarianceScaling"
    assert v1.zeros_initializer is v1.initializers.zeros
