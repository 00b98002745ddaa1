"""`map_fn`, `scan` and the folds call a function for each row; tapes record what it computes."""

import numpy as np
import pytest

import gradtape as tf

ROWS = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def test_map_fn_stacks_results_in_the_structure_of_the_signature():
    spec = {"sum": tf.float32, "first": tf.float32}
    out = tf.map_fn(
        lambda row: {"sum": tf.reduce_sum(row), "first": row[0]}, ROWS, fn_output_signature=spec
    )
    np.testing.assert_array_equal(out["sum"], [3.0, 7.0, 11.0])
    np.testing.assert_array_equal(out["first"], [1.0, 3.0, 5.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="fn_output_signature"):
        tf.map_fn(lambda row: tf.cast(row, tf.int32), ROWS)


def test_scan_gives_all_states_and_folds_the_last():
    def add(state, row):
        return state + row

    sums = np.cumsum(ROWS.numpy(), 0)
    np.testing.assert_array_equal(tf.scan(add, ROWS), sums)
    np.testing.assert_array_equal(tf.scan(add, ROWS, tf.zeros(2)), sums)
    np.testing.assert_array_equal(tf.scan(add, ROWS, reverse=True)[0], sums[-1])
    np.testing.assert_array_equal(tf.foldl(add, ROWS), sums[-1])
    np.testing.assert_array_equal(tf.foldl(lambda s, r: r - s, ROWS), [3.0, 4.0])
    np.testing.assert_array_equal(tf.foldr(lambda s, r: r - s, ROWS), [3.0, 4.0])
    with pytest.raises(tf.errors.OutOfRangeError, match="no initializer"):
        tf.foldl(add, tf.zeros((0, 2)))


def test_a_tape_records_what_the_functions_compute():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.map_fn(lambda row: row * x, ROWS)) + tf.foldl(
            lambda state, row: state * x + row, tf.constant([1.0, 1.0, 1.0])
        )
    assert tape.gradient(y, x).numpy() == 21 + 2 * 2 + 1


def test_what_is_no_function_or_has_no_rows_is_refused():
    with pytest.raises(TypeError, match="callable"):
        tf.map_fn(3, ROWS)
    with pytest.raises(ValueError, match="scalars"):
        tf.map_fn(tf.identity, tf.constant(1.0))


@pytest.mark.parametrize("signature", [np.float64, np.float64(0).dtype, "float64", tf.float64])
def test_signatures_are_dtypes_in_any_form(signature):
    rows = tf.map_fn(lambda x: 2 * x, np.arange(3.0), fn_output_signature=signature)
    assert rows.dtype == tf.float64
    np.testing.assert_array_equal(rows, [0.0, 2.0, 4.0])


@pytest.mark.parametrize("traced", [False, True])
def test_map_fn_expects_rows_like_those_of_a_ragged_tensor(traced):
    def doubled(ragged):
        return tf.map_fn(lambda row: row * 2, ragged)

    function = tf.function(doubled) if traced else doubled
    two = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    three = tf.ragged.constant([[[1.0, 2.0], []], [[3.0]], []])
    assert function(two).to_list() == [[2, 4], [], [6]]
    assert function(three).to_list() == [[[2, 4], []], [[6]], []]


LOOPS = {
    "map_fn": lambda f, x: tf.map_fn(lambda row: f(row) * 2, x),
    "scan": lambda f, x: tf.scan(lambda state, row: f(state) + row, x),
    "foldl": lambda f, x: tf.foldl(lambda state, row: f(state) + row, x),
    "foldr": lambda f, x: tf.foldr(lambda state, row: f(state) + row, x, 0.0),
}


@pytest.mark.parametrize("name", LOOPS)
def test_the_function_is_traced_once_for_few_rows(name):
    calls = []

    def square(x):
        calls.append(x)
        return x * x

    def found(function):
        x = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return y.numpy().tolist(), tape.gradient(y, x).numpy().tolist()

    expected = found(lambda x: LOOPS[name](square, x))
    calls.clear()
    function = tf.function(lambda x: LOOPS[name](square, x))
    assert [found(function) for _ in range(3)] == [expected] * 3
    assert len(calls) == 1


def test_map_fn_of_a_function_with_no_rows_or_ragged_results():
    spec = tf.RaggedTensorSpec([None], tf.int32)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def counted(n):
        return tf.map_fn(tf.range, n, fn_output_signature=spec)

    assert counted(tf.constant([2, 0, 1])).to_list() == [[0, 1], [], [0]]
    assert counted(tf.constant(18 * [1])).to_list() == 18 * [[0]]
    nothing = tf.function(lambda x: tf.map_fn(tf.sin, x))(tf.zeros([0, 2]))
    assert nothing.shape == (0, 2)


def test_maps_over_ragged_rows_are_traced_once():
    traced = []

    @tf.function
    def f(rows, weights):
        def one(row):
            traced.append(row)
            return tf.reduce_sum(row[0] ** 2) * row[1], tf.shape(row[0])[0]

        return tf.map_fn(one, (rows, weights), fn_output_signature=(tf.float32, tf.int32))

    for lists in ([[1.0, 2.0], [], [3.0]], [[4.0], [1.0, 1.0, 1.0]]):
        weights = tf.range(1.0, len(lists) + 1)
        sums, lengths = f(tf.ragged.constant(lists), weights)
        assert lengths.numpy().tolist() == [*map(len, lists)]
        expected = [sum(x * x for x in row) * (i + 1) for i, row in enumerate(lists)]
        assert sums.numpy().tolist() == expected
    assert "ran as Python" not in f.explain()
    assert len(traced) == f.experimental_get_tracing_count() == 2  # for 3 rows, and for 2


def test_maps_over_rows_of_ragged_rows_and_their_gradient():
    @tf.function
    def f(values):
        rows = tf.RaggedTensor.from_nested_row_lengths(values, ([2, 0, 1], [2, 1, 1]))
        return tf.map_fn(
            lambda x: tf.reduce_sum(x * x) + tf.cast(x.nrows(), tf.float32),
            rows,
            fn_output_signature=tf.float32,
        )

    values = tf.constant([1.0, 2.0, 3.0, 4.0])
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(values)
            sums = f(values)
        assert sums.numpy().tolist() == [16.0, 0.0, 17.0]
        assert tape.gradient(sums, values).numpy().tolist() == [2.0, 4.0, 6.0, 8.0]


@pytest.mark.parametrize(
    ("fn", "spec"),
    [
        (lambda row: tf.cast(row, tf.float32), None),
        (lambda row: tf.cast(tf.reduce_sum(row), tf.float32), None),
        (lambda row: row, tf.RaggedTensorSpec([None], tf.int64)),
        (lambda row: row, tf.RaggedTensorSpec([None, None], tf.int32)),
        (lambda row: tf.ragged.constant([[1], [2, 3]]), None),
    ],
)
def test_rows_that_are_not_of_the_ragged_signature_are_refused(fn, spec):
    with pytest.raises(ValueError, match="expected `fn` to return"):
        tf.map_fn(fn, tf.ragged.constant([[1, 2], [3]]), fn_output_signature=spec)
