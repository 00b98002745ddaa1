"""Raw operations on the elements of lists; values and messages are TensorFlow's."""

import pytest
from graph_nodes import run
from raw_lists import (
    F,
    M,
    R,
    W,
    empty,
    get,
    gradient,
    length,
    listed,
    pop,
    push,
    put,
    reserve,
    resize,
    rows_of,
    shape_of,
    stack,
)

import gradtape as tf

VALUES = {
    "an element that is not set": (lambda: get(reserve(), 1), [0, 0]),
    "the shape is that of the operation": (lambda: get(reserve([-1]), 1), [0, 0]),
    "the shape is that of the list": (lambda: get(reserve(), 1, -1), [0, 0]),
    "a change": (lambda: stack(put(reserve(), 1, [3.0, 4.0])), [[0, 0], [3, 4], [0, 0]]),
    "a change past the end": (
        lambda: stack(put(reserve(), 4, [3.0, 4.0], resize_if_index_out_of_bounds=True)),
        [[0, 0], [0, 0], [0, 0], [0, 0], [3, 4]],
    ),
    "zeros of the shape of the others": (
        lambda: stack(put(reserve([-1]), 1, [3.0, 4.0, 5.0]), [-1]),
        [[0, 0, 0], [3, 4, 5], [0, 0, 0]],
    ),
    "no elements": (lambda: stack(empty([-1]), [3]).shape.as_list(), [0, 3]),
    "rows": (lambda: stack(rows_of(M)), [[1, 2], [3, 4], [5, 6]]),
    "a row": (lambda: get(rows_of(M, -1), 2, -1), [5, 6]),
    "push": (lambda: stack(push(push(empty(), [1.0, 2.0]), [3.0, 4.0])), [[1, 2], [3, 4]]),
    "pop": (lambda: pop(rows_of(M)).tensor, [5, 6]),
    "pop of zeros": (lambda: pop(reserve())[1], [0, 0]),
    "pop leaves": (lambda: stack(pop(rows_of(M)).output_handle), [[1, 2], [3, 4]]),
    "longer": (lambda: stack(resize(rows_of(M), 4)), [[1, 2], [3, 4], [5, 6], [0, 0]]),
    "shorter": (lambda: stack(resize(rows_of(M), 1)), [[1, 2]]),
    "the shape of elements": (lambda: shape_of(reserve([-1, 3])), [-1, 3]),
    "an unknown rank": (lambda: shape_of(rows_of(M, -1), tf.int64), -1),
    "a copy": (lambda: stack(tf.identity(rows_of(M))), [[1, 2], [3, 4], [5, 6]]),
}


@pytest.mark.parametrize("what", VALUES)
def test_values(what):
    compute, wanted = VALUES[what]
    assert listed(compute()) == wanted


MERGED = r"Incompatible shapes during merge: \[3\] vs. \[2\]"
REFUSED = {
    "an unknown shape": (lambda: get(reserve([-1]), 1, [-1]), r"fully defined: \[\?\] and no list"),
    "another shape": (lambda: get(reserve(), 1, [3]), MERGED),
    "an index": (lambda: get(reserve(), 3), "access element 3 in a list with 3 elements"),
    "a negative index": (lambda: get(reserve(), -1), "access element -1 in a list with 3"),
    "a dtype": (
        lambda: get(reserve(), 1, dtype=tf.int32),
        "op elements int32 but list elements float",
    ),
    "a change past the end": (
        lambda: put(reserve(), 3, [1.0, 2.0]),
        "modify element 3 in a list with 3",
    ),
    "a value's dtype": (
        lambda: put(reserve(), 1, [1, 2]),
        "op elements int32 but list elements float",
    ),
    "a value's shape": (
        lambda: put(reserve(), 1, [1.0]),
        r"Item element shape: \[1\] list shape: \[2\]",
    ),
    "different lengths": (
        lambda: stack(put(put(reserve([-1]), 1, [1.0, 2.0]), 0, [1.0, 2.0, 3.0]), [-1]),
        MERGED,
    ),
    "the shape of the rows": (lambda: stack(reserve(), [3]), MERGED),
    "zeros of unknown shape": (
        lambda: stack(reserve([-1]), [-1]),
        r"only contains uninitialized tensors .*: \[\?\]",
    ),
    "the number of elements": (
        lambda: stack(reserve(), num_elements=4),
        "expected a list with 4 elements but got a list with 3",
    ),
    "no elements": (lambda: stack(empty([-1]), [-1]), r"elements of an empty list .*: \[\?\]"),
    "rows of another shape": (
        lambda: rows_of(M, [3]),
        r"shape \[3\] from a tensor with shape \[2\]",
    ),
    "a full list": (
        lambda: push(push(empty(most=1), [1.0, 2.0]), [3.0, 4.0]),
        "list size: 1 max_num_elements: 1",
    ),
    "push of another shape": (
        lambda: push(empty(), [1.0]),
        r"Op element shape: \[1\] list shape: \[2\]",
    ),
    "an empty list": (lambda: pop(empty()), "pop from an empty list"),
    "a negative size": (lambda: resize(reserve(), -1), "to be non-negative. Got: -1"),
    "a negative count": (lambda: reserve(count=-1), "non negative number, but got -1"),
    "a negative length": (lambda: reserve([-2]), "Dimension -2 must be >= -1"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refusals(what):
    compute, message = REFUSED[what]
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        compute()


GRADIENTS = {
    "stack": (lambda x: W * stack(rows_of(x * x)), [[2, 40], [600, 8000], [70, 108]]),
    "set": (lambda x: W * stack(put(rows_of(x), 1, x[0] ** 2)), [[201, 4010], [0, 0], [7, 9]]),
    "get": (lambda x: get(rows_of(x * x), 1), [[0, 0], [6, 8], [0, 0]]),
    "push": (
        lambda x: W[:2] * stack(push(push(empty(), x[1]), x[2])),
        [[0, 0], [1, 10], [100, 1000]],
    ),
    "pop": (lambda x: pop(rows_of(x * x))[1], [[0, 0], [0, 0], [10, 12]]),
    "after pop": (lambda x: W[:2] * stack(pop(rows_of(x))[0]), [[1, 10], [100, 1000], [0, 0]]),
    "resize": (lambda x: stack(resize(rows_of(x), 2)), [[1, 1], [1, 1], [0, 0]]),
}


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("what", GRADIENTS)
def test_gradients(what, traced):
    compute, wanted = GRADIENTS[what]
    assert gradient(tf.function(compute) if traced else compute) == wanted


def test_second_derivatives():
    with tf.GradientTape() as outer:
        outer.watch(M)
        with tf.GradientTape() as inner:
            inner.watch(M)
            y = stack(put(rows_of(M**3), 0, M[1] ** 3))
        first = inner.gradient(y, M)
    assert outer.gradient(first, M).numpy().tolist() == [[0, 0], [36, 48], [30, 36]]


def test_lists_of_lists():
    inner = rows_of(M)
    outer = R.TensorListReserve(element_shape=-1, num_elements=2, element_dtype=tf.variant)
    outer = put(outer, 1, inner)
    assert stack(get(outer, 1, -1, tf.variant)).numpy().tolist() == M.numpy().tolist()
    with pytest.raises(tf.errors.InvalidArgumentError, match="not a list"):
        stack(get(outer, 0, -1, tf.variant))


def test_nodes_run_the_same_operations():
    kind = {"element_dtype": F, "shape_type": tf.int32}
    (handle,) = run("TensorListReserve", [2], 2, **kind)
    (handle,) = run("TensorListSetItem", handle, 1, [1.0, 2.0], element_dtype=F)
    (found,) = run("TensorListStack", handle, [2], element_dtype=F)
    assert found.numpy().tolist() == [[0, 0], [1, 2]]
    rest, last = run("TensorListPopBack", handle, [2], element_dtype=F, gives=2)
    assert (last.numpy().tolist(), length(rest)) == ([1, 2], 1)
