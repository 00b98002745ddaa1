"""Arguments at the edge of what a function takes give what TensorFlow gives."""

import sys

import numpy as np
import pytest

import gradtape as tf

BIG = 2**31
INF = np.inf


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_floordiv_rounds_the_quotient(dtype):
    x = tf.constant([INF, -INF, 1, 0, np.nan, 1, -1, -7], dtype)
    y = tf.constant([1, 1, INF, 0, 1, 0, INF, 2], dtype)
    want = [INF, -INF, 0, np.nan, np.nan, INF, -0.0, -4]
    np.testing.assert_array_equal((x // y).numpy().astype(float), want)
    assert tf.constant(1, dtype) // tf.constant(0.1, dtype) == np.floor(
        tf.constant(1, dtype).numpy() / tf.constant(0.1, dtype).numpy()
    )


def test_imag_of_real_values_is_zero_and_has_no_gradient():
    x = tf.constant([INF, -INF, np.nan, -0.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.imag(x)
    assert y.numpy().tolist() == [0.0] * 4
    assert not np.signbit(y.numpy()).any()
    assert tape.gradient(y, x) is None


@pytest.mark.parametrize(
    ("make", "dtype", "value"),
    [
        (lambda: tf.convert_to_tensor(tf.TensorShape([BIG])), tf.int64, [BIG]),
        (lambda: tf.convert_to_tensor(tf.TensorShape([BIG - 1])), tf.int32, [BIG - 1]),
        (lambda: tf.convert_to_tensor(tf.TensorShape([2]), tf.int64), tf.int64, [2]),
        (lambda: tf.constant(tf.TensorShape([BIG, 1])), tf.int64, [BIG, 1]),
        (lambda: tf.constant(tf.TensorShape([2]), tf.float32), tf.float32, [2.0]),
        (lambda: tf.constant([tf.TensorShape([2]), tf.TensorShape([3])]), tf.int32, [[2], [3]]),
        (lambda: tf.stack([2, BIG]), tf.int64, [2, BIG]),
        (lambda: tf.stack([[2], [BIG]], axis=1), tf.int64, [[2, BIG]]),
        (lambda: tf.stack([2, np.float64(1.5)]), tf.float32, [2, 1.5]),
        (lambda: tf.constant(2**64 - 1, tf.uint64), tf.uint64, 2**64 - 1),
        pytest.param(
            *(lambda: tf.shape(tf.zeros([0, BIG]), tf.int64), tf.int64, [0, BIG]),
            marks=pytest.mark.skipif(sys.maxsize < BIG, reason="a dimension has 31 bits here"),
        ),
    ],
)
def test_integers_that_need_64_bits(make, dtype, value):
    made = make()
    assert made.dtype is dtype
    assert made.numpy().tolist() == value


@pytest.mark.parametrize(
    ("run", "error"),
    [
        (lambda: tf.convert_to_tensor(tf.TensorShape([BIG]), tf.int32), ValueError),
        (lambda: tf.convert_to_tensor(tf.TensorShape([2]), tf.float32), TypeError),
        (lambda: tf.convert_to_tensor(tf.TensorShape([2]), tf.uint8), TypeError),
        (lambda: tf.convert_to_tensor(tf.TensorShape([None])), ValueError),
        (lambda: tf.convert_to_tensor(tf.TensorShape(None)), ValueError),
        (lambda: tf.shape(tf.zeros([0, BIG])), tf.errors.InvalidArgumentError),
        (lambda: tf.Variable(1.0, synchronization="x"), ValueError),
        (lambda: tf.Variable(1.0, aggregation="x"), ValueError),
        (lambda: tf.split(tf.ones(6), [2, 4], num=3), tf.errors.InvalidArgumentError),
        (lambda: tf.split(tf.ones(6), [2, -1], num=1), tf.errors.InvalidArgumentError),
        (lambda: tf.clip_by_norm(tf.ones(2), tf.ones([3, 1])), ValueError),
        (lambda: tf.clip_by_norm(tf.ones([3, 2]), tf.ones([1, 1, 1])), ValueError),
        (lambda: tf.clip_by_norm(tf.constant([3]), 1), tf.errors.InvalidArgumentError),
    ],
)
def test_refused(run, error):
    with pytest.raises(error):
        run()


def test_num_of_split_may_repeat_what_the_lengths_say():
    assert [x.shape[0] for x in tf.split(tf.ones(6), [2, -1], num=2)] == [2, 4]
    assert len(tf.split(tf.ones(6), 2, num=3)) == 2


@pytest.mark.parametrize("synchronization", tf.VariableSynchronization)
@pytest.mark.parametrize("aggregation", tf.VariableAggregation)
@pytest.mark.parametrize("trainable", [None, True, False])
def test_variables_that_differ_between_replicas_are_not_trainable(
    synchronization, aggregation, trainable
):
    v = tf.Variable(
        1.0, synchronization=synchronization, aggregation=aggregation, trainable=trainable
    )
    usual = synchronization is not tf.VariableSynchronization.ON_READ
    assert v.trainable is (usual if trainable is None else trainable)
    assert (v.synchronization, v.aggregation) == (synchronization, aggregation)
    with tf.GradientTape() as tape:
        y = v * v
    assert (tape.gradient(y, v) is not None) is v.trainable


def test_modes_of_variables_may_be_none_or_numbers():
    v = tf.Variable(1.0, synchronization=None, aggregation=2)
    assert v.synchronization is tf.VariableSynchronization.AUTO
    assert v.aggregation is tf.VariableAggregation.MEAN


WHOLE = [1, True, np.uint8(1), [1, 2]]


@pytest.mark.parametrize("value", [*WHOLE, "a", ["a", "b"]])
def test_jacobian_of_what_has_no_derivative_is_none(value):
    x = tf.constant(value)
    with tf.GradientTape(persistent=True) as tape:
        y = tf.identity(x)
    assert tape.jacobian(x, x) is None
    assert tape.jacobian(y, x) is None


@pytest.mark.parametrize("value", ["a", ["a", "b"], ["a"] * 2000])
@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_strings_have_no_gradient(value, make):
    x, other = make(value), tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(other)
        y = other * other
    assert tape.gradient(x, x) is None
    assert tape.gradient([x, y], x) is None
    assert tape.gradient([x, y], other) == 2
    zeros = tape.gradient(y, x, unconnected_gradients="zero")
    assert zeros.dtype is tf.string
    assert (zeros.numpy() == np.full(x.shape, b"", object)).all()


@pytest.mark.parametrize("value", WHOLE)
def test_integers_have_the_gradient_one_by_themselves_alone(value):
    x = tf.constant(value)
    with tf.GradientTape(persistent=True) as tape:
        y = tf.identity(x)
    assert tape.gradient(x, x).dtype is x.dtype
    assert tape.gradient(y, x) is None


X = np.array([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]])


@pytest.mark.parametrize("bound", [-1.0, 0.0, -INF])
def test_clip_by_norm_takes_a_negative_bound_for_zero(bound):
    x = tf.constant(X[:2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.clip_by_norm(x, bound)
    assert not y.numpy().any()
    assert not tape.gradient(y, x).numpy().any()


@pytest.mark.parametrize("shape", [[1], [2], [1, 1], [3, 1], [3, 2]])
def test_clip_by_norm_takes_bounds_that_broadcast(shape):
    bounds = np.arange(1.0, np.prod(shape) + 1).reshape(shape)
    got = tf.clip_by_norm(tf.constant(X), tf.constant(bounds, "float32"))
    assert got.dtype is tf.float64
    norm = np.sqrt((X**2).sum())
    np.testing.assert_allclose(got.numpy(), X * bounds / np.maximum(norm, bounds))


@pytest.mark.parametrize(
    ("equation", "arrays"),
    [
        ("ij->ii", [X[:2]]),
        ("i->ii", [X[0]]),
        ("i->iii", [X[0]]),
        ("ij->iji", [X]),
        ("ij,jk->iik", [X, X.T]),
        ("bi->bibi", [X]),
        ("i...->i...i", [X]),
        ("...ij->j...ij", [X[:, None]]),
    ],
)
def test_einsum_of_raw_ops_makes_diagonals(equation, arrays):
    """Against the same sums with labels of their own, times the identity for each repetition."""
    xs = [tf.constant(x) for x in arrays]
    left, out = equation.split("->")
    fresh, seen, masks = "", set(), []
    for c in out:
        new = "pqrs"[len(masks)] if c in seen and c != "." else c
        if new != c:
            masks.append(c + new)
        seen.add(c)
        fresh += new
    sizes = {}
    for term, x in zip(left.split(","), arrays, strict=True):
        letters = term.replace("...", "")
        axes = x.shape[-len(letters) :] if term.startswith("...") else x.shape
        sizes.update(zip(letters, axes, strict=False))
    eyes = [np.eye(sizes[m[0]]) for m in masks]
    want = np.einsum(",".join([left, *masks]) + "->" + fresh, *arrays, *eyes)
    weights = np.arange(float(want.size)).reshape(want.shape)
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = tf.raw_ops.Einsum(inputs=xs, equation=equation)
        total = tf.reduce_sum(y * weights)
    np.testing.assert_allclose(y.numpy(), want)
    with tf.GradientTape() as dense:
        dense.watch(xs)
        other = tf.einsum(",".join([left, *masks]) + "->" + fresh, *xs, *map(tf.constant, eyes))
        total_dense = tf.reduce_sum(other * weights)
    for got, g in zip(tape.gradient(total, xs), dense.gradient(total_dense, xs), strict=True):
        np.testing.assert_allclose(got.numpy(), g.numpy())


def test_einsum_itself_refuses_a_label_twice_in_the_result():
    with pytest.raises(ValueError, match="more than once"):
        tf.einsum("i->ii", tf.ones(2))


INITIALIZERS = [
    tf.zeros_initializer(),
    tf.ones_initializer(),
    tf.random_normal_initializer(),
    tf.random_uniform_initializer(),
    tf.constant_initializer(3.0, support_partition=True),
]


@pytest.mark.parametrize("initializer", INITIALIZERS, ids=lambda i: type(i).__name__)
def test_initializers_make_the_part_that_is_asked_for(initializer):
    assert initializer([4, 5]).shape == [4, 5]
    made = initializer([4, 5], partition_shape=(2, 5), partition_offset=(2, 0))
    assert made.shape == [2, 5]
    assert initializer([4, 5], partition_offset=(2, 0)).shape == [4, 5]
    with pytest.raises(TypeError, match="partition_shape"):
        initializer([4, 5], part=1)


def test_a_constant_initializer_has_no_parts_unless_it_says_so():
    with pytest.raises(ValueError, match="support_partition"):
        tf.constant_initializer(3.0)([4], partition_shape=[2])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"width": 5}, [b"   ab", b"abcdefg", b"     "]),
        ({"width": 5, "fill": "-"}, [b"ab   ", b"abcdefg", b"     "]),
        ({"width": 5, "fill": "0"}, [b"   ab", b"abcdefg", b"     "]),
        ({"width": 0}, [b"ab", b"abcdefg", b""]),
    ],
)
def test_as_string_fills_strings_up(arguments, expected):
    got = tf.strings.as_string(["ab", "abcdefg", ""], **arguments)
    assert got.numpy().tolist() == expected
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.strings.as_string(["ab"], fill="ab")


@pytest.mark.parametrize(
    ("rows", "arguments", "shape"),
    [
        ([], {"inner_shape": (0, 2)}, [0, 2]),
        ([], {"inner_shape": (2,), "ragged_rank": 1}, [0, None, 2]),
        ([[], []], {"inner_shape": (3,), "ragged_rank": 2}, [2, None, None, 3]),
        ([[[1, 2]], []], {"inner_shape": (2,)}, [2, None, 2]),
        ([[[1, 2]], []], {}, [2, None, None]),
    ],
)
def test_ragged_constant_keeps_the_inner_shape(rows, arguments, shape):
    assert tf.ragged.constant(rows, **arguments).shape.as_list() == shape


@pytest.mark.parametrize(
    ("rows", "arguments", "error"),
    [
        ([], {"inner_shape": (2,)}, TypeError),
        ([[[1, 2]], []], {"inner_shape": (3,)}, TypeError),
        ([[[1, 2]], []], {"inner_shape": (2,), "ragged_rank": 2}, ValueError),
    ],
)
def test_ragged_constant_refuses_another_inner_shape(rows, arguments, error):
    with pytest.raises(error):
        tf.ragged.constant(rows, **arguments)


TABLE = np.array([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize("table", [TABLE, TABLE.astype(int), TABLE.astype(str)])
def test_gather_nd_gives_zeros_for_indices_that_are_to_be_ignored(table):
    x = tf.constant(table)
    got = tf.gather_nd(x, [[0, 5], [1, 1], [-1, 0]], bad_indices_policy="IGNORE").numpy()
    none = b"" if x.dtype is tf.string else 0
    assert got.tolist() == [none, x.numpy()[1, 1], none]
    rows = tf.gather_nd(x, [[[5]], [[1]]], bad_indices_policy="IGNORE").numpy()
    assert rows.tolist() == [[[none] * 2], [x.numpy()[1].tolist()]]
    batches = tf.gather_nd(x, [[5], [1]], batch_dims=1, bad_indices_policy="IGNORE")
    assert batches.numpy().tolist() == [none, x.numpy()[1, 1]]


@pytest.mark.parametrize("policy", ["", "DEFAULT", "ERROR", None, "other"])
def test_bad_indices_are_errors_otherwise(policy):
    for run in (
        lambda: tf.gather_nd(TABLE, [[0, 5]], bad_indices_policy=policy),
        lambda: tf.scatter_nd([[5]], [1.0], [3], bad_indices_policy=policy),
        lambda: tf.tensor_scatter_nd_add(np.zeros(3), [[5]], [1.0], bad_indices_policy=policy),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            run()


def test_gradients_skip_ignored_indices():
    x, u = tf.constant(TABLE), tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, u])
        taken = tf.gather_nd(x, [[0, 5], [1, 1]], bad_indices_policy="IGNORE")
        put = tf.scatter_nd([[5], [1]], u, [3], bad_indices_policy="IGNORE") * 3.0
    assert put.numpy().tolist() == [0, 6, 0]
    assert tape.gradient(taken, x).numpy().tolist() == [[0, 0], [0, 1]]
    assert tape.gradient(put, u).numpy().tolist() == [0, 3]


def test_raw_scatters_take_the_policy():
    asked = {"indices": [[5], [1]], "bad_indices_policy": "IGNORE"}
    got = tf.raw_ops.TensorScatterUpdate(tensor=[9.0, 9, 9], updates=[1.0, 2], **asked)
    assert got.numpy().tolist() == [9, 2, 9]
    assert tf.raw_ops.ScatterNd(updates=["a", "b"], shape=[2], **asked).numpy().tolist() == [
        b"",
        b"b",
    ]


def test_row_lengths_along_any_axis():
    ragged = tf.ragged.constant([[[1, 2], [3]], [[4]]])
    assert ragged.row_lengths().numpy().tolist() == [2, 1]
    assert ragged.row_lengths(axis=2).to_list() == [[2, 1], [1]]
    assert ragged.row_lengths(axis=0) == 2
    uniform = tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
    assert uniform.row_lengths(axis=-1).to_list() == [[2, 2], [2]]


def test_sparse_concat_expands_only_where_it_is_asked_to():
    a, b = tf.sparse.from_dense([[1, 0], [0, 2]]), tf.sparse.from_dense([[1, 0, 3]])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.sparse.concat(0, [a, b])
    joined = tf.sparse.concat(0, [a, b], expand_nonconcat_dims=True)
    assert joined.shape == [3, 3]


def test_meshgrid_refuses_unknown_arguments():
    with pytest.raises(TypeError):
        tf.meshgrid([1], [2], sparse=True)


def test_shards_are_read_as_the_reader_function_says(tmp_path):
    tf.data.Dataset.range(10).save(tmp_path, shard_func=lambda x: x % 3)
    load = tf.data.Dataset.load

    def numbers(reader):
        return [int(x) for x in load(tmp_path, reader_func=reader)]

    assert numbers(lambda shards: shards.flat_map(lambda x: x)) == [0, 3, 6, 9, 1, 4, 7, 2, 5, 8]
    in_turn = numbers(lambda shards: shards.interleave(lambda x: x, cycle_length=3))
    assert in_turn == list(range(10))
    assert load(tmp_path).cardinality() == 10
    with pytest.raises(tf.errors.InvalidArgumentError, match="must return a Dataset"):
        load(tmp_path, reader_func=lambda shards: 3)
    tf.data.Dataset.range(4).save(tmp_path, shard_func=lambda x: x * 0 - 7)
    assert [int(x) for x in load(tmp_path)] == [0, 1, 2, 3]
    assert len(list(tmp_path.glob("*.tfrecord"))) == 1


def test_save_asks_the_shard_function_for_an_int64(tmp_path):
    numbers = tf.data.Dataset.range(4)
    seen = []
    numbers.save(tmp_path / "a", shard_func=lambda x: seen.append(int(x)) or x % 2)
    assert seen == [0, 1, 2, 3]
    assert sorted(int(x) for x in tf.data.Dataset.load(tmp_path / "a")) == [0, 1, 2, 3]
    for bad in (lambda x: 5, lambda x: tf.constant("a"), lambda x: tf.constant([1], tf.int64)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            numbers.save(tmp_path / "b", shard_func=bad)
