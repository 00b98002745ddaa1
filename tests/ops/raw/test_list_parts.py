"""Raw operations on many elements of lists; values and messages are TensorFlow's."""

import pytest
from graph_nodes import run
from raw_lists import (
    F,
    M,
    R,
    W,
    both,
    cut,
    empty,
    gather,
    get,
    gradient,
    into,
    joined,
    listed,
    push,
    put,
    reserve,
    rows_of,
    scatter,
    stack,
)

import gradtape as tf

VALUES = {
    "gather a matrix": (lambda: gather(rows_of(M), [[2, 0]]), [[5, 6], [1, 2]]),
    "gather a scalar": (lambda: gather(rows_of(M), 2), [[5, 6]]),
    "get a vector of one": (lambda: get(rows_of(M), [1], [2]), [3, 4]),
    "gather": (lambda: gather(rows_of(M), [2, 0]), [[5, 6], [1, 2]]),
    "scatter": (lambda: stack(scatter(M, [2, 0, 1], -1)), [[3, 4], [5, 6], [1, 2]]),
    "scatter twice": (lambda: stack(scatter(M, [2, 0, 0], -1)), [[5, 6], [0, 0], [1, 2]]),
    "scatter to more": (
        lambda: stack(scatter(M, [2, 0, 1], 5)),
        [[3, 4], [5, 6], [1, 2], [0, 0], [0, 0]],
    ),
    "scatter without a size": (
        lambda: stack(R.TensorListScatter(tensor=M, indices=[2, 0, 1], element_shape=[2])),
        [[3, 4], [5, 6], [1, 2]],
    ),
    "scatter into a list": (
        lambda: stack(into(reserve(count=1), M, [2, 0, 1])),
        [[3, 4], [5, 6], [1, 2]],
    ),
    "concat": (lambda: joined(rows_of(M))[0], [1, 2, 3, 4, 5, 6]),
    "concat of different lengths": (
        lambda: joined(push(push(empty([-1]), [1.0]), [2.0, 3.0]), [-1])[0],
        [1, 2, 3],
    ),
    "lengths of parts": (
        lambda: joined(push(push(empty([-1]), [1.0]), [2.0, 3.0]), [-1])[1],
        [1, 2],
    ),
    "concat of zeros": (
        lambda: joined(reserve([-1, 2], 2), [-1, 2], tf.constant([1, 2], tf.int64))[0],
        [[0, 0], [0, 0], [0, 0]],
    ),
    "concat without shapes": (
        lambda: R.TensorListConcat(input_handle=empty([2, 3]), element_dtype=F).lengths,
        [],
    ),
    "split": (lambda: get(cut(M, [1, 2]), 1, -1), [[3, 4], [5, 6]]),
    "two lists": (lambda: stack(both(rows_of(M[:1]), rows_of(M[1:]))), [[1, 2], [3, 4], [5, 6]]),
    "a batch of lists": (
        lambda: stack(
            R.TensorListPushBackBatch(input_handles=tf.stack([empty(), empty()]), tensor=M[:2])[1]
        ),
        [[3, 4]],
    ),
}


@pytest.mark.parametrize("what", VALUES)
def test_values(what):
    compute, wanted = VALUES[what]
    assert listed(compute()) == wanted


REFUSED = {
    "gather past the end": (
        lambda: gather(rows_of(M), [3]),
        "Index 3 out of range; list only has 3",
    ),
    "gather nothing": (
        lambda: gather(rows_of(M, -1), tf.constant([], tf.int32), -1),
        "non-fully-defined shape: <unknown>",
    ),
    "scatter to too few": (lambda: scatter(M, [2, 0, 1], 2), "at index 2 in list with size 2"),
    "scatter to a negative index": (lambda: scatter(M, [2, 0, -1], -1), "all be non-negative"),
    "scatter to a negative number": (lambda: scatter(M, [2, 0, 1], -2), ">= -1, found: -2"),
    "scatter of too many rows": (lambda: scatter(M, [2, 0], -1), "Expected: 2 Actual: 3"),
    "concat of an unknown length": (
        lambda: joined(reserve([-1, 2], 2), [-1, 2]),
        "index 0 but leading_dims has only 0",
    ),
    "concat of unknown shapes": (lambda: joined(empty(-1), -1), "element_shape: <unknown>"),
    "concat of zeros of unknown shapes": (lambda: joined(reserve(-1), -1), "not fully defined"),
    "concat of scalars": (
        lambda: joined(put(reserve(-1), 0, 1.0), -1),
        "at least vectors, found scalars",
    ),
    "split to too few": (lambda: cut(M, [1, 1]), "Length of tensor: 3 Values used: 2"),
    "split to too many": (lambda: cut(M, [1, 4]), r"slice \[1, 5\] from tensor with length 3"),
    "split to another shape": (
        lambda: cut(M, [1, 2], [-1, 3]),
        r"shape \[3,2\] is not compatible with element_shape \[\?,3\]",
    ),
    "split to a negative length": (lambda: cut(M, [3, -1, 1]), "Invalid value in lengths: -1"),
    "split of a scalar": (lambda: cut(tf.constant(1.0), [1]), "at least a vector"),
    "lists of other dtypes": (
        lambda: both(rows_of(M), rows_of(M), tf.int32),
        r"input_a\[0\].dtype != element_dtype.  Saw: float vs. int32",
    ),
    "lists of other shapes": (
        lambda: both(rows_of(M), rows_of(tf.ones([2, 3]), [3])),
        r"Saw \[2\] vs. \[3\]",
    ),
    "batches of other sizes": (
        lambda: R.TensorListPushBackBatch(input_handles=tf.stack([empty()]), tensor=M),
        "saw 3 vs. 1",
    ),
    "a batch of no lists": (
        lambda: run("TensorListPushBackBatch", M, M, element_dtype=F),
        "vector of lists",
    ),
}

WRONG_RANKS = {
    "lengths": (lambda: cut(M, [[1, 2]]), "vector"),
    "place": (lambda: put(rows_of(M), [0], M[0]), "scalar"),
    "size": (lambda: R.TensorListResize(input_handle=rows_of(M), size=[3]), "scalar"),
    "shape": (
        lambda: R.EmptyTensorList(element_shape=3, max_num_elements=3, element_dtype=F),
        "-1",
    ),
    "shapes": (
        lambda: R.TensorListReserve(element_shape=[[3]], num_elements=3, element_dtype=F),
        "rank",
    ),
    "list": (lambda: R.TensorListLength(input_handle=rows_of(M)[None]), "scalar"),
    "two lists": (lambda: both(rows_of(M), rows_of(M)[None]), "Incompatible"),
    "scalar of lists": (
        lambda: R.TensorListPushBackBatch(input_handles=rows_of(M), tensor=M[:1]),
        "vector",
    ),
}


@pytest.mark.parametrize("what", WRONG_RANKS)
def test_ranks_of_arguments(what):
    compute, message = WRONG_RANKS[what]
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        compute()


@pytest.mark.parametrize("what", REFUSED)
def test_refusals(what):
    compute, message = REFUSED[what]
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        compute()


GRADIENTS = {
    "gather": (lambda x: W[:2] * gather(rows_of(x), [2, 0]), [[100, 1000], [0, 0], [1, 10]]),
    "scatter": (lambda x: W * stack(scatter(x, [2, 0, 1], -1)), [[7, 9], [1, 10], [100, 1000]]),
    "into": (lambda x: W * stack(into(rows_of(x), x[:1], [2])), [[8, 19], [100, 1000], [0, 0]]),
    "concat": (
        lambda x: tf.reshape(W, [-1]) * joined(rows_of(x))[0],
        [[1, 10], [100, 1000], [7, 9]],
    ),
    "split": (lambda x: get(cut(x, [1, 2]), 1, -1), [[0, 0], [1, 1], [1, 1]]),
    "two lists": (lambda x: stack(both(rows_of(x), rows_of(x))), None),
}


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("what", GRADIENTS)
def test_gradients(what, traced):
    compute, wanted = GRADIENTS[what]
    assert gradient(tf.function(compute) if traced else compute) == wanted
