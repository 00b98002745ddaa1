"""Parts of ragged tensors by `[]`, and axes that become one."""

import pytest

import gradtape as tf

R = tf.ragged.constant([[[1, 2], [3]], [], [[4], [5, 6], [7]]])
ROWS = R.to_list()


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (0, ROWS[0]),
        (-1, ROWS[-1]),
        ((2, 1), [5, 6]),
        ((2, 1, 0), 5),
        (slice(1, None), ROWS[1:]),
        (slice(None, None, -1), ROWS[::-1]),
        ((slice(None), slice(1, None)), [row[1:] for row in ROWS]),
        ((slice(None), slice(None), slice(0, 1)), [[v[:1] for v in row] for row in ROWS]),
        ((..., slice(None, None, -1)), [[v[::-1] for v in row] for row in ROWS]),
        ((None, 0), [ROWS[0]]),
    ],
)
def test_parts(key, expected):
    got = R[key]
    assert (got.to_list() if hasattr(got, "to_list") else got.numpy().tolist()) == expected


@pytest.mark.parametrize(
    ("key", "error"),
    [
        (3, (tf.errors.InvalidArgumentError, IndexError)),
        ((slice(None), 0), ValueError),
        (True, (TypeError, ValueError)),
        ("a", TypeError),
    ],
)
def test_keys_that_are_refused(key, error):
    with pytest.raises(error):
        R[key]


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        (0, 1, [[1, 2], [3], [4], [5, 6], [7]]),
        (1, 2, [[1, 2, 3], [], [4, 5, 6, 7]]),
        (0, -1, [1, 2, 3, 4, 5, 6, 7]),
        (1, 1, ROWS),
    ],
)
def test_axes_that_become_one(outer, inner, expected):
    got = R.merge_dims(outer, inner)
    assert (got.to_list() if hasattr(got, "to_list") else got.numpy().tolist()) == expected


def test_axes_out_of_order():
    with pytest.raises(ValueError, match="axis"):
        R.merge_dims(2, 1)


def test_gradients_reach_the_parts():
    values = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(values)
        y = tf.RaggedTensor.from_row_lengths(values, [2, 1])[:, 1:].flat_values * 5.0
    g = tf.convert_to_tensor(tape.gradient(y, values))  # rows alone, before
    assert g.numpy().tolist() == [0, 5, 0]
