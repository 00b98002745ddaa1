"""States that go from element to element."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.data import Dataset


def listed(dataset):
    return [np.asarray(x).tolist() for x in dataset.as_numpy_iterator()]


def test_states_keep_their_dtype_and_structure():
    numbers = Dataset.range(3)
    with pytest.raises(TypeError, match="element types for the new state"):
        numbers.scan(0, lambda s, x: (x, s))
    with pytest.raises(TypeError, match="return a pair"):
        numbers.scan(np.int64(0), lambda s, x: s + x)
    with pytest.raises(TypeError, match="structure of the new state"):
        numbers.reduce({"a": np.int64(0)}, lambda s, x: (s["a"] + x,))
    grown = numbers.scan(tf.zeros([0], tf.int64), lambda s, x: (tf.concat([s, [x]], 0), tf.size(s)))
    assert listed(grown) == [0, 1, 2]
    assert listed(Dataset.range(4).map(lambda x: x if x > 1 else -x)) == [0, -1, 2, 3]
