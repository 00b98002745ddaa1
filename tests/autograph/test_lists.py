"""`Feature.LISTS`, `EQUALITY_OPERATORS` and `ASSERT_STATEMENTS`."""

import pytest
from autograph_checks import jit

import gradtape as tf
from gradtape._src.autograph import lists
from gradtape._src.autograph.calls import converted
from gradtape._src.autograph.features import Feature, options_of


def test_lists_stay_lists():
    def f(x):
        found = [x]
        found.append(x * 2)
        last = found.pop()
        first = found.pop(0)
        found.append(last + first)
        found[0] = found[0] * 2
        found[0] += 1.0
        return found

    new = converted(f, options_of(Feature.LISTS))
    assert [v.numpy() for v in new(tf.constant(1.0))] == [7.0]


def test_appending_to_an_array_writes_behind_its_end():
    @tf.function
    def f(n):
        found = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in range(n):
            found.append(i * i)
        return tf.stack(found)

    new = converted(f.python_function, options_of(Feature.LISTS))
    assert new(4).numpy().tolist() == [0, 1, 4, 9]


def test_items_of_tensors_and_arrays():
    x = lists.set_item(tf.constant([1, 2, 3]), 1, 9)
    assert x.numpy().tolist() == [1, 9, 3]
    array = tf.TensorArray(tf.int32, size=2).unstack([1, 2])
    assert lists.set_item(array, 0, 5).stack().numpy().tolist() == [5, 2]
    found = [1, 2, 3]
    assert lists.update_item_with_op(found, 2, 4, "mult") == [1, 2, 12]


def test_equality_is_elementwise():
    new = jit(
        lambda n: (n == 3, n != 3, n == [1, 2, 3]),
        experimental_autograph_options=Feature.EQUALITY_OPERATORS,
    )
    same, other, several = new(tf.constant(3))
    assert (same.numpy(), other.numpy()) == (True, False)
    assert several.numpy().tolist() == [False, False, True]


def test_assertions_on_known_values():
    def f(x):
        assert x > 0, "x must be positive"
        return x

    new = converted(f, options_of(Feature.ASSERT_STATEMENTS))
    assert new(1) == 1
    with pytest.raises(AssertionError, match="x must be positive"):
        new(-1)
