"""The results of `GradientTape.gradient`: values, structures, None; and the tape's lifetime."""

import logging

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tolerances import close

import gradtape as tf


def numbers(structure):
    return tf.nest.map_structure(lambda g: None if g is None else g.numpy().tolist(), structure)


def test_a_constant_is_followed_once_it_is_watched():
    x = tf.constant(4.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * x
    assert numbers(tape.gradient(y, x)) == 48.0


def test_a_constant_that_is_not_watched_has_no_gradient():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * 3.0
    assert tape.gradient(y, x) is None


def test_what_happened_before_watch_is_not_recorded():
    x = tf.constant(4.0)
    with tf.GradientTape(persistent=True) as tape:
        before = x * 2.0
        tape.watch(x)
        after = x * 5.0
    assert tape.gradient(before, x) is None
    assert numbers(tape.gradient(after, x)) == 5.0


def test_what_happens_after_the_tape_is_not_recorded():
    x = tf.constant(4.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    z = y * 2.0
    assert tape.gradient(z, x) is None


def test_watch_takes_structures_and_returns_nothing():
    a, b, c = tf.constant(1.0), tf.constant(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        assert tape.watch([a, {"b": b, "c": (c,)}]) is None
        y = a * b * c
    assert numbers(tape.gradient(y, [a, b, c])) == [6.0, 3.0, 2.0]


def test_a_tensor_of_equal_value_is_another_tensor():
    x = tf.constant(4.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, tf.constant(4.0)) is None


def test_watching_an_intermediate_result_cuts_nothing_off():
    x = tf.constant(4.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        h = x * x
        tape.watch(h)
        y = h * 3.0
    assert numbers(tape.gradient(y, [x, h])) == [24.0, 3.0]


def test_integers_are_watched_in_vain_and_with_a_warning(caplog):
    x = tf.constant(7)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x) is None
    assert "must be floating" in caplog.text
    assert "tf.int32" in caplog.text


def test_a_float_computed_from_integers_is_not_connected_to_them():
    x = tf.constant([3, 4])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(x, tf.float32) * 2.0
    assert tape.gradient(y, x) is None


def test_an_integer_target_has_no_gradient():
    x = tf.constant(3.7)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(x, tf.int32)
    assert tape.gradient(y, x) is None


def test_a_path_through_integers_is_no_path():
    x = tf.constant(3.7)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(tf.cast(x, tf.int32), tf.float32) * x
    assert numbers(tape.gradient(y, x)) == 3.0


# A source as its own target.


@pytest.mark.parametrize("value", [2.5, [1.0, 2.0], 3, True])
def test_anything_has_gradient_one_by_itself(value):
    x = tf.constant(value)
    with tf.GradientTape() as tape:
        pass
    g = tape.gradient(x, x)
    assert g.dtype == x.dtype
    np.testing.assert_array_equal(g, np.ones_like(x))


def test_a_source_that_is_also_a_target_counts_itself():
    x = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * 4.0
    assert numbers(tape.gradient([y, z], [x, y])) == [50.0, 5.0]


def test_an_intermediate_result_as_source():
    x = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert numbers(tape.gradient(z, y)) == 50.0


def test_a_source_computed_from_another_source():
    x = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * x
    assert numbers(tape.gradient(z, {"x": x, "y": y})) == {"x": 75.0, "y": 5.0}


def test_a_repeated_source_gets_the_gradient_each_time():
    x = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert numbers(tape.gradient(y, [x, x])) == [10.0, 10.0]


def test_a_repeated_target_counts_each_time():
    x = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert numbers(tape.gradient([y, y, y], x)) == 30.0


def test_targets_in_a_structure_add_up():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = {"a": x * 3.0, "b": [x * x, (x * 7.0,)]}
    assert numbers(tape.gradient(y, x)) == 14.0


def test_the_answer_has_the_structure_of_the_sources():
    a, b, c = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = a * 2.0 + b * 5.0
    got = tape.gradient(y, {"z": a, "a": (b, [c])})
    assert numbers(got) == {"z": 2.0, "a": (5.0, [None])}
    assert type(got["a"]) is tuple
    assert type(got["a"][1]) is list


def test_no_sources_and_no_targets():
    x = tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * 2.0
    assert tape.gradient(y, []) == []
    assert tape.gradient([], x) is None


leaves = st.integers(0, 3)
structures = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(structures)
def test_any_structure_of_sources_comes_back_filled_in(structure):
    xs = [tf.constant(float(i)) for i in range(4)]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = xs[0] * 1.0 + xs[1] * 10.0 + xs[2] * 100.0 + xs[3] * 1000.0
    got = tape.gradient(y, tf.nest.map_structure(lambda i: xs[i], structure))
    assert numbers(got) == tf.nest.map_structure(lambda i: 10.0**i, structure)


@given(structures)
def test_any_structure_of_targets_is_summed(structure):
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        ys = tf.nest.map_structure(lambda i: x * 10.0**i, structure)
    flat = tf.nest.flatten(structure)
    got = tape.gradient(ys, x)
    assert numbers(got) == (sum(10.0**i for i in flat) if flat else None)


# What stands in for the gradient of the target.


def doubled(dy, shape=(2,)):
    x = tf.ones(shape)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 2.0
    return tape.gradient(y, x, output_gradients=dy)


def test_output_gradients_weight_the_target():
    assert numbers(doubled(tf.constant([1.0, 3.0]))) == [2.0, 6.0]


def test_an_output_gradient_broadcasts_to_the_targets_shape():
    assert numbers(doubled(tf.constant(3.0))) == [6.0, 6.0]
    assert numbers(doubled(tf.ones((1, 2)))) == [2.0, 2.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[3\] vs\. \[2\]"):
        doubled(tf.ones((3,)))


def test_a_list_of_numbers_is_a_list_of_output_gradients():
    assert numbers(doubled([1.0, 3.0])) == [2.0, 2.0]


def test_targets_without_an_output_gradient_count_once():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, z = x * 2.0, x * 3.0
    assert numbers(tape.gradient([y, z], x, output_gradients=[tf.constant(10.0)])) == 23.0


def test_output_gradients_pair_up_in_the_order_of_the_flattened_structure():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = {"b": x * 2.0, "a": x * 3.0}
    assert numbers(tape.gradient(y, x, output_gradients={"b": 1.0, "a": 100.0})) == 302.0


@given(st.lists(st.integers(-5, 5), min_size=4, max_size=4), st.integers(-3, 3))
def test_the_gradient_is_linear_in_the_output_gradient(entries, factor):
    x = tf.constant([0.5, 2.0])
    u, v = (
        tf.constant([float(e) for e in entries[:2]]),
        tf.constant([float(e) for e in entries[2:]]),
    )
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.sin(x) * tf.reduce_sum(x)
    by_u, by_v = (tape.gradient(y, x, output_gradients=w) for w in (u, v))
    mixed = tape.gradient(y, x, output_gradients=u + float(factor) * v)
    np.testing.assert_allclose(mixed, by_u + float(factor) * by_v, rtol=1e-5, atol=1e-5)


shapes = st.lists(st.integers(1, 3), max_size=3)


@settings(max_examples=50)
@given(shapes, st.data())
def test_broadcasting_is_undone_to_each_operands_shape(full, data):
    pair = []
    for _ in range(2):
        cut = data.draw(st.integers(0, len(full)))
        pair.append([data.draw(st.sampled_from([1, n])) for n in full[cut:]])
    a, b = (tf.constant(np.random.default_rng(1).normal(size=s)) for s in pair)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = a * b
    u = np.random.default_rng(2).normal(size=y.shape)
    by_a, by_b = tape.gradient(y, [a, b], output_gradients=tf.constant(u))
    for g, own, other in [(by_a, a, b), (by_b, b, a)]:
        whole = u * np.asarray(other)
        lead = whole.ndim - own.shape.rank
        axes = (*range(lead), *(lead + i for i, n in enumerate(own.shape) if n == 1))
        close(g, whole.sum(axes, keepdims=True).reshape(own.shape))


# Sources without a path.


@pytest.mark.parametrize("none", ["none", tf.UnconnectedGradients.NONE])
@pytest.mark.parametrize("zero", ["zero", tf.UnconnectedGradients.ZERO])
def test_unconnected_sources_give_none_or_zeros(none, zero):
    x, y = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        z = y * 2.0
    assert tape.gradient(z, x, unconnected_gradients=none) is None
    assert numbers(tape.gradient(z, [x, y], unconnected_gradients=zero)) == [[0.0, 0.0], 2.0]


@pytest.mark.parametrize("dtype", ["float64", "int32", "complex64"])
def test_zeros_have_the_sources_dtype(dtype):
    x = tf.constant([1, 2], dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
    g = tape.gradient(tf.constant(1.0), x, unconnected_gradients="zero")
    assert (g.dtype.name, g.shape) == (dtype, (2,))


# Persistence, recording, forgetting.


def test_a_persistent_tape_answers_again_and_again():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert [numbers(tape.gradient(z, x)) for _ in range(3)] == [108.0] * 3
    assert numbers(tape.gradient(y, x)) == 6.0


def test_a_tape_can_be_entered_again():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    with tape:
        z = y * x
    assert numbers(tape.gradient(z, x)) == 27.0


def test_watch_between_two_contexts_is_in_vain():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        pass
    tape.watch(x)
    with tape:
        y = x * x
    assert tape.gradient(y, x) is None


def test_stop_recording_leaves_a_gap():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            hidden = y * 2.0
        z = y * 4.0
    assert tape.gradient(hidden, x) is None
    assert numbers(tape.gradient(z, x)) == 24.0


def test_reset_forgets_what_was_watched_and_recorded():
    x, v = tf.constant(3.0), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * v
        tape.reset()
        assert tape.watched_variables() == ()
        z = x * v
    assert tape.gradient(y, v) is None
    assert tape.gradient(z, x) is None
    assert numbers(tape.gradient(z, v)) == 3.0


def test_a_gradient_inside_the_tapes_own_context():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        g = tape.gradient(y, x)
    assert numbers(g) == 6.0


def test_a_persistent_tape_records_its_own_gradient_and_says_so(caplog):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * x
        g = tape.gradient(y, x)
    assert "significantly less efficient" in caplog.text
    assert numbers(tape.gradient(g, x)) == 18.0


def test_the_log_can_be_silenced_by_its_level(caplog):
    logging.getLogger("tensorflow").setLevel("ERROR")
    with tf.GradientTape() as tape:
        tape.watch(tf.constant(3))
    assert caplog.text == ""


def test_strings_can_be_watched_in_vain():
    with tf.GradientTape() as tape:
        assert tape.watch(tf.constant("a")) is None


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64"])
def test_the_gradient_has_the_sources_dtype(dtype):
    x = tf.cast(tf.constant([1.0, 2.0]), dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    g = tape.gradient(y, x)
    assert g.dtype == x.dtype
    np.testing.assert_allclose(np.asarray(tf.cast(g, tf.complex64)), [2.0, 4.0])


def test_a_cast_casts_the_gradient_back():
    x = tf.constant([1.0, 2.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(x, tf.float32) * 3.0
    g = tape.gradient(y, x)
    assert g.dtype == tf.float64
    assert numbers(g) == [3.0, 3.0]


def test_the_gradient_of_a_holomorphic_function_is_the_conjugate_of_its_derivative():
    z = tf.constant(1.5 - 0.5j)
    with tf.GradientTape() as tape:
        tape.watch(z)
        w = z * z * z
    close(tape.gradient(w, z), np.conj(3 * (1.5 - 0.5j) ** 2))


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda z: tf.math.real(z * z), 6.0 - 8.0j),
        (lambda z: tf.math.imag(z * z), 8.0 + 6.0j),
        (lambda z: tf.abs(z), 0.6 + 0.8j),
    ],
    ids=["real", "imag", "abs"],
)
def test_the_gradient_of_a_real_function_of_a_complex_number(function, expected):
    z = tf.constant(3.0 + 4.0j)
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = function(z)
    close(tape.gradient(y, z), expected)


# Python's control flow.


def test_loops_and_branches_record_what_ran():
    x = tf.constant(1.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.constant(1.0)
        for k in range(4):
            y = y * x if k % 2 else y + x
    # y = ((1 + x) x + x) x
    close(tape.gradient(y, x), np.float32(3 * 1.5**2 + 4 * 1.5))


def test_iterating_over_a_tensor_is_recorded():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = 0.0
        for row in x:
            y = y + row * row * row
    assert numbers(tape.gradient(y, x)) == [3.0, 12.0, 27.0]


def test_slices_pass_gradients_to_what_they_took():
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, z = x[1:3] * 10.0, x[0] * x[-1]
    assert numbers(tape.gradient([y, z], x)) == [4.0, 10.0, 10.0, 1.0]


def test_numpy_breaks_the_path():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.constant(x.numpy() * 2.0) * x
    assert numbers(tape.gradient(y, x)) == 6.0


def test_stop_gradient_breaks_the_path():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        s = tf.stop_gradient(x * x)
        y = s * x
    assert numbers(tape.gradient(y, x)) == 9.0
    assert tape.gradient(s, x) is None


# Rows of a table.


def table():
    return tf.Variable(np.arange(12.0, dtype="f4").reshape(4, 3))


def test_a_look_up_gives_only_the_rows_that_were_read():
    p = table()
    with tf.GradientTape() as tape:
        y = tf.gather(p, [3, 0, 3])
    g = tape.gradient(y, p)
    assert type(g).__name__ == "IndexedSlices"
    assert (g.indices.numpy().tolist(), g.values.shape) == ([3, 0, 3], (3, 3))
    assert g.dense_shape.numpy().tolist() == [4, 3]
    assert tf.convert_to_tensor(g).numpy()[:, 0].tolist() == [1.0, 0.0, 0.0, 2.0]


def test_two_look_ups_give_both_rows_one_after_the_other():
    p = table()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(p, [3, 0])) + tf.reduce_sum(tf.gather(p, [[1], [3]]))
    g = tape.gradient(y, p)
    assert g.indices.numpy().tolist() == [3, 0, 1, 3]
    assert tf.convert_to_tensor(g).numpy()[:, 0].tolist() == [1.0, 1.0, 0.0, 2.0]


def test_a_look_up_beside_another_use_gives_the_whole_table():
    p = table()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(p, [3])) + tf.reduce_sum(p)
    g = tape.gradient(y, p)
    assert isinstance(g, tf.Tensor)
    assert g.numpy()[:, 0].tolist() == [1.0, 1.0, 1.0, 2.0]


@pytest.mark.parametrize(
    "read",
    [
        lambda p: tf.gather(p, [0, 2], axis=1),
        lambda p: tf.gather(p * 1.0, [0, 2]),
        lambda p: tf.gather_nd(p, [[0, 1]]),
        lambda p: p[1],
    ],
    ids=["axis 1", "of a product", "gather_nd", "slice"],
)
def test_other_look_ups_give_tensors(read):
    p = table()
    with tf.GradientTape() as tape:
        y = read(p)
    assert isinstance(tape.gradient(y, p), tf.Tensor)


@pytest.mark.parametrize(
    "read",
    [
        lambda p: tf.gather(tf.identity(p), [1]),
        lambda p: tf.nn.embedding_lookup(p, [[1, 2], [0, 0]]),
        lambda p: tf.gather_nd(p, [[1], [2]]),
    ],
    ids=["of an identity", "embedding_lookup", "gather_nd"],
)
def test_these_look_ups_give_rows_too(read):
    p = table()
    with tf.GradientTape() as tape:
        y = read(p)
    assert type(tape.gradient(y, p)).__name__ == "IndexedSlices"
