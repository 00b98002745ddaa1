"""Arguments and results of compiled functions, and which calls share a program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

pytest.importorskip("jax")

import gradtape as tf

pytestmark = pytest.mark.slow


def jit(function=None, **options):
    return tf.function(function, jit_compile=True, **options)


SPARSE = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])
OTHER = tf.SparseTensor([[0, 0], [1, 2]], [3.0, 4.0], [2, 3])
RAGGED = tf.ragged.constant([[1.0, 2.0], [3.0]])
ROWS = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([2, 0]), [4, 2])


def test_one_program_for_sparse_tensors_of_a_shape_where_their_places_do_not_matter():
    f = jit(lambda d: {"dense": tf.sparse.to_dense(d["s"]) * d["k"], "s": d["s"], "n": None})
    k = tf.constant(2.0)
    out = f({"s": SPARSE, "k": k})
    assert out["dense"].numpy().tolist() == [[0, 2, 0], [4, 0, 0]]
    assert out["s"].indices.numpy().tolist() == [[0, 1], [1, 0]]
    assert out["s"].shape.as_list() == [2, 3]
    assert f({"s": OTHER, "k": k})["dense"].numpy().tolist() == [[6, 0, 0], [0, 0, 8]]
    assert f.experimental_get_tracing_count() == 1


NEEDS_PLACES = {
    "sum": lambda s, d: tf.sparse.reduce_sum(s, 1) * d,
    "softmax": lambda s, d: tf.sparse.softmax(s).values * d,
    "transpose": lambda s, d: tf.sparse.transpose(s).values * d,
    "concat": lambda s, d: tf.sparse.concat(0, [s, s]).values[1:3] * d,
    "reshape": lambda s, d: tf.sparse.reshape(s, [-1]).values * d,
    "expand_dims": lambda s, d: tf.sparse.expand_dims(s, 0).values * d,
    "fill_empty_rows": lambda s, d: tf.sparse.fill_empty_rows(s, 0.0)[0].values * d,
    "add": lambda s, d: tf.sparse.add(s, s).values * d,
}


@pytest.mark.parametrize("what", NEEDS_PLACES)
def test_places_become_part_of_the_program_where_it_asks_for_them(what):
    function = NEEDS_PLACES[what]
    f = jit(function)
    d = tf.constant([2.0, 3.0])
    for s in (SPARSE, OTHER, SPARSE):
        with tf.GradientTape() as tape:
            tape.watch([d, s.values])
            y = f(s, d)
        found = tape.gradient(y, [d, s.values])
        with tf.GradientTape() as tape:
            tape.watch([d, s.values])
            want = function(s, d)
        np.testing.assert_allclose(y.numpy(), want.numpy())
        for a, b in zip(found, tape.gradient(want, [d, s.values]), strict=True):
            np.testing.assert_allclose(a.numpy(), b.numpy())
    assert f.experimental_get_tracing_count() == 2
    assert "the values [[0, 1], [1, 0]] became the values [[0, 0], [1, 2]]" in f.explain()


def test_ragged_tensors():
    f = jit(lambda r, w: (r * w + r, r.row_lengths(), r.to_tensor(), r[1]))
    for r in (RAGGED, tf.ragged.constant([[1.0], [], [2.0, 3.0]])):
        for got, want in zip(f(r, 2.0), f.python_function(r, 2.0), strict=True):
            assert str(got) == str(want)


def test_rows():
    f = jit(lambda s: (tf.convert_to_tensor(s), tf.IndexedSlices(s.values * 2, s.indices), s.shape))
    dense, rows, shape = f(ROWS)
    assert dense.numpy().tolist() == [[3, 4], [0, 0], [1, 2], [0, 0]]
    assert (rows.values.numpy().tolist(), rows.dense_shape) == ([[2, 4], [6, 8]], None)
    assert shape.numpy().tolist() == [4, 2]


def test_a_function_that_fails_on_composite_arguments_says_its_own_error():
    f = jit(lambda s: tf.reduce_sum(s.values).numpy())
    with pytest.raises(AttributeError, match="SymbolicTensor"):
        f(SPARSE)


def test_one_program_however_arguments_are_given():
    f = jit(lambda x, k=2, *, scale=1.0: x * k * scale)
    x = tf.constant([1.0, 2.0])
    calls = [((x,), {}), ((x, 2), {}), ((x,), {"k": 2}), ((), {"k": 2, "x": x, "scale": 1.0})]
    assert all(f(*args, **kwargs).numpy().tolist() == [2, 4] for args, kwargs in calls)
    assert f.experimental_get_tracing_count() == 1
    assert f(x, scale=3.0).numpy().tolist() == [6, 12]
    assert f(x, 3, scale=3.0).numpy().tolist() == [9, 18]
    assert f.experimental_get_tracing_count() == 3


def test_arguments_that_come_by_name_only_sometimes():
    f = jit(lambda a, b=None, *rest, c=1, **more: a + sum(rest) + c + sum(more.values()))
    x = tf.constant(1.0)
    assert float(f(x)) == float(f(x, None)) == float(f(a=x)) == float(f(x, c=1)) == 2
    assert float(f(x, 5, x, x, c=2, d=x)) == 6
    assert f.experimental_get_tracing_count() == 2
    with pytest.raises(TypeError, match=r"unexpected|multiple|missing"):
        jit(lambda a: a)(x, a=x)


def test_defaults_of_a_signature():
    specs = [tf.TensorSpec([None]), tf.TensorSpec([])]
    for options in ({}, {"jit_compile": True}):
        f = tf.function(lambda x, y=2.0: x * y, input_signature=specs, **options)
        assert f([1.0, 2.0]).numpy().tolist() == [2, 4]
        assert f([1.0, 2.0], 3.0).numpy().tolist() == [3, 6]


@dataclass(frozen=True)
class Options:
    k: float


def test_objects_share_a_program_if_they_are_equal():
    f = jit(lambda o, x: x * o.k)
    a, b, c = Options(2.0), Options(2.0), Options(3.0)
    x = tf.constant(1.0)
    assert [float(f(o, x)) for o in (a, b, c)] == [2, 2, 3]
    assert f.experimental_get_tracing_count() == 2


def test_scalars_of_several_dtypes():
    f = jit(lambda x: x * 2)
    given = [np.float64(1.5), np.int64(3), tf.constant(1.5), True and np.float32(1.5)]
    assert [f(x).dtype.name for x in given] == ["float64", "int64", "float32", "float32"]
    assert "x: dtype float64 became int64" in f.explain()


def test_printing_what_is_not_known(capsys):
    @jit
    def f(x):
        print(x, f"{x}", [x])  # noqa: T201
        return x

    f(tf.constant([1.0]))
    printed = capsys.readouterr().out
    assert printed.count('Tensor("x:0", shape=(1,), dtype=float32)') == 2


@pytest.mark.parametrize(
    "f",
    [
        lambda x, n: x[:n],
        lambda x, n: tf.slice(x, [n], [2]),
        lambda x, n: tf.reshape(x, [n, -1]),
        lambda x, n: tf.zeros([n, 2]) + tf.one_hot(n - n, n)[:, None],
        lambda x, n: tf.reduce_sum(tf.tile(x[None], [n, 1]), n - 1),
        lambda x, n: tf.add_n([x * tf.cast(i, tf.float32) for i in tf.range(n)]),
    ],
)
def test_shapes_axes_and_counts_that_are_arguments_are_known_to_the_program(f):
    x, run = tf.range(6.0), jit(f)
    for n in (2, 1, 2):
        np.testing.assert_allclose(run(x, tf.constant(n)).numpy(), f(x, tf.constant(n)).numpy())
    assert run.experimental_get_tracing_count() == 2
    assert "the values 2 became the values 1" in run.explain()


def test_what_the_users_code_asks_for_stays_an_error():
    def asked(ask, autograph):
        f = tf.function(lambda n: tf.constant(ask(n)), jit_compile=True, autograph=autograph)
        with pytest.raises((AttributeError, NotImplementedError, TypeError), match=r"(?i)symbolic"):
            f(tf.constant(2))

    for ask in (bool, lambda n: n.numpy()):
        asked(ask, autograph=True)
    for ask in (int, float, bool, lambda n: 1 if n > 0 else 2):
        asked(ask, autograph=False)
