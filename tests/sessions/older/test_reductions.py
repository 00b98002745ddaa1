import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1

X = np.array([[1.0, 2.0], [4.0, 3.0]])


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod", "logsumexp"])
def test_numbers(name):
    run = getattr(v1, f"reduce_{name}")
    wanted = getattr(tf, f"reduce_{name}", None) or getattr(tf.math, f"reduce_{name}")
    np.testing.assert_array_equal(run(X), wanted(X))
    found = run(X, reduction_indices=[0], keep_dims=True)
    np.testing.assert_array_equal(found, wanted(X, 0, keepdims=True))
    np.testing.assert_array_equal(run(X, 1, True), wanted(X, 1, True))


def test_truth_and_places():
    assert not v1.reduce_all(X > 1.0)
    assert v1.reduce_any(X > 3.0, axis=1, keepdims=True).numpy().tolist() == [[False], [True]]
    assert v1.argmax(X, dimension=1).numpy().tolist() == [1, 0]
    assert v1.argmin(X, 0, output_type=tf.int32).numpy().tolist() == [0, 0]


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod", "all", "any", "logsumexp"])
def test_one_of_two_names_of_an_argument(name):
    run = getattr(v1, f"reduce_{name}")
    with pytest.raises(ValueError, match="Cannot specify both 'reduction_indices' and 'axis'"):
        run(X, axis=0, reduction_indices=0)
    with pytest.raises(ValueError, match="Cannot specify both 'keep_dims' and 'keepdims'"):
        run(X, keepdims=True, keep_dims=False)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_the_axis_of_places_has_two_names(name):
    with pytest.raises(ValueError, match="Cannot specify both 'dimension' and 'axis'"):
        getattr(v1, name)(X, axis=0, dimension=0)
