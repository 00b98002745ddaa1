"""Structures of elements of datasets, in which a list is a leaf."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.compat.internals import data_nest


def test_lists_are_leaves():
    assert data_nest.flatten({"b": [1, 2], "a": (3, [4])}) == [3, [4], [1, 2]]
    assert data_nest.flatten([1, (2,)]) == [[1, (2,)]]
    assert [data_nest.is_nested(x) for x in ((1,), {}, [1], 1)] == [True, True, False, False]
    packed = data_nest.pack_sequence_as((1, {"k": [2, 3]}), [[5], 6])
    assert packed == ([5], {"k": 6})
    assert data_nest.map_structure(len, ([1, 2], {"k": [3]})) == (2, {"k": 1})
    ragged = tf.ragged.constant([[1], [2, 3]])
    assert data_nest.flatten((ragged,))[0] is ragged
    array = np.arange(2)
    assert data_nest.flatten((array, None)) == [array, None]


def test_structures_are_compared():
    data_nest.assert_same_structure((1, 2), (3, [4, 5]))
    with pytest.raises(ValueError, match="same nested structure"):
        data_nest.assert_same_structure((1, 2), (3, (4, 5)))
    data_nest.assert_same_structure((1, (2,)), ([1], (3,)), check_types=True)
    data_nest.assert_shallow_structure((1,), ((2, 3),))
    with pytest.raises(TypeError, match="sequence"):
        data_nest.assert_shallow_structure((1,), [2])


def test_shallower_structures():
    assert data_nest.flatten_up_to((1, 2), ((3, [4]), [5])) == [(3, [4]), [5]]
    sums = data_nest.map_structure_up_to((0,), lambda a, b: a[1] + b, ((1, [2]),), ([3],))
    assert sums == ([2, 3],)
