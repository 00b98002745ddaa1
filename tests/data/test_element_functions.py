"""Functions of datasets: traced once, run on the dataset's elements only, and in threads."""

import gc
import subprocess
import sys
import threading

import numpy as np
import pytest

import gradtape as tf
from gradtape import TensorSpec, data, errors
from gradtape.data import Dataset

scalar = TensorSpec([], tf.int64)


def listed(dataset):
    return [np.asarray(x).tolist() for x in dataset.as_numpy_iterator()]


def counter():
    return tf.Variable(0, dtype=tf.int64)


# Traces.


def steps(calls):
    def note(value):
        calls.append(1)
        return value

    numbers = Dataset.range(1, 5)
    return [
        (numbers.map(lambda x: note(x) * 2), [2, 4, 6, 8]),
        (numbers.filter(lambda x: note(x) > 2), [3, 4]),
        (numbers.take_while(lambda x: note(x) < 3), [1, 2]),
        (numbers.scan(np.int64(0), lambda s, x: (s + note(x), s)), [0, 1, 3, 6]),
    ]


@pytest.mark.parametrize("number", range(4))
def test_a_function_is_traced_once_and_at_once(number):
    calls = []
    made, expected = steps(calls)[number]
    before = len(calls)
    assert listed(made) == listed(made) == expected
    assert made.element_spec == scalar
    assert len(calls) == before == 4  # one for each of the steps


def test_the_spec_comes_from_the_trace_without_elements():
    nothing = Dataset.range(0)
    assert nothing.map(lambda x: tf.cast(x, tf.float32)).element_spec == TensorSpec([], tf.float32)
    assert nothing.scan(0.0, lambda s, _: (s, s)).element_spec == TensorSpec([], tf.float32)
    fails = Dataset.from_tensor_slices([0, 1]).map(lambda x: 10 // x)
    assert fails.element_spec == TensorSpec([], tf.int32)
    with pytest.raises(errors.InvalidArgumentError):
        list(fails)


def test_the_spec_of_windows_comes_from_a_dataset_in_their_place():
    pictures = Dataset.from_tensor_slices(np.zeros([5, 2, 3], np.float32))
    batches = pictures.window(2).flat_map(lambda window: window.map(lambda x: x + 1).batch(2))
    assert batches.element_spec == TensorSpec([None, 2, 3], tf.float32)
    grouped = pictures.group_by_window(
        lambda x: tf.cast(tf.reduce_sum(x), tf.int64), lambda _, window: window.batch(2), 2
    )
    assert grouped.element_spec == TensorSpec([None, 2, 3], tf.float32)
    assert [len(x) for x in grouped] == [2, 2, 1]


def test_unknown_lengths_stay_unknown_and_known_ones_known():
    batches = Dataset.from_tensor_slices(np.zeros([5, 4], np.float32)).batch(2)
    assert batches.map(lambda x: x @ tf.ones([4, 3])).element_spec == TensorSpec([None, 3])
    assert batches.map(tf.transpose).element_spec == TensorSpec([4, None])
    assert batches.flat_map(Dataset.from_tensor_slices).element_spec == TensorSpec([4])


def test_errors_of_the_function_are_raised_where_it_is_given():
    numbers = Dataset.range(3)
    with pytest.raises(KeyError, match="boo"):
        numbers.map(lambda _: {}["boo"])
    with pytest.raises(TypeError):
        numbers.map(lambda _a, _b: 1)
    with pytest.raises(AttributeError, match="numpy"):
        numbers.map(lambda x: x.numpy())
    with pytest.raises(TypeError, match="Unsupported return value"):
        numbers.map(lambda _: object())
    with pytest.raises(ValueError, match="`predicate` must return"):
        numbers.filter(lambda x: x)
    with pytest.raises(AttributeError, match="`predicate` must return"):
        numbers.filter(lambda x: [x > 1, x > 2])
    with pytest.raises(TypeError):
        numbers.map(lambda x: x + tf.constant(1.0))
    with pytest.raises(ValueError, match="reshape"):
        numbers.map(lambda x: tf.reshape(x, [2]) + tf.reshape(tf.constant([1, 2, 3]), [2]))


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


def test_values_from_outside_are_kept_and_variables_read_when_iterating():
    k, v = tf.constant(10, tf.int64), counter()
    made = Dataset.range(2).map(lambda x: x + k + v)
    k = tf.constant(100, tf.int64)
    assert listed(made) == [10, 11]
    v.assign(5)
    assert listed(made) == [15, 16]
    assert int(k) == 100


def test_no_tape_follows_what_a_function_does():
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        made = Dataset.from_tensor_slices([1.0, 2.0]).map(lambda x: w * x)
        total = tf.add_n(list(made)) * w
    assert float(tape.gradient(total, w)) == 6.0


def test_random_numbers_begin_anew_under_a_seed_only():
    def draws(seed):
        return Dataset.range(4).map(lambda _: tf.random.uniform([], seed=seed))

    tf.random.set_seed(1)
    seeded = draws(None)
    first = listed(seeded)
    assert len(set(first)) == 4
    assert listed(seeded) == first
    tf.random.set_seed(1)
    assert listed(draws(None)) == first
    interleaved = [float(x) for pair in zip(seeded, seeded, strict=True) for x in pair]
    assert interleaved == [x for x in first for _ in range(2)]


# Effects.


def test_a_variable_is_changed_once_for_each_element():
    v = counter()
    made = Dataset.range(1, 5).map(v.assign_add).padded_batch(2)
    assert made.element_spec == TensorSpec([None], tf.int64)
    assert int(v) == 0
    assert listed(made) == [[1, 3], [6, 10]]
    assert int(v) == 10


def counting_strings(v, seen):
    def count(x):
        v.assign_add(1)
        seen.append(x)
        return x

    def function(text):
        return tf.strings.split(tf.numpy_function(count, [text], tf.string))

    return function


def test_the_first_element_is_made_once_for_the_spec():
    v, seen = counter(), []
    made = Dataset.from_tensor_slices(["a b", "c", "d e f"]).map(counting_strings(v, seen))
    assert not seen
    assert made.element_spec == TensorSpec([None], tf.string)
    assert made.padded_batch(2).element_spec == TensorSpec([None, None], tf.string)
    assert seen == [b"a b"]
    assert listed(made) == [[b"a", b"b"], [b"c"], [b"d", b"e", b"f"]]
    assert seen == [b"a b", b"c", b"d e f"]
    assert int(v) == 3
    assert listed(made.padded_batch(2)) == [[[b"a", b"b"], [b"c", b""]], [[b"d", b"e", b"f"]]]
    assert int(v) == 6


def test_what_fails_before_the_first_element_fails_in_its_place():
    def positive(x):
        if x < 2:
            raise ValueError("small")
        return np.float32(x)

    def made():
        return Dataset.range(4).map(lambda x: tf.py_function(positive, [x], tf.float32))

    assert made().element_spec == TensorSpec([], tf.float32)
    asked = made()
    assert asked.element_spec == TensorSpec([], tf.float32)
    elements = iter(asked)
    for _ in range(2):
        with pytest.raises(errors.InvalidArgumentError, match="small"):
            next(elements)
    assert [float(x) for x in elements] == [2, 3]
    assert listed(made().ignore_errors().batch(2)) == [[2, 3]]
    with pytest.raises(errors.InvalidArgumentError, match="small"):
        _ = Dataset.range(2).map(lambda x: tf.py_function(positive, [x], tf.float32)).element_spec


def test_a_filter_goes_on_after_an_error():
    kept = Dataset.from_tensor_slices([1, 0, 5]).filter(lambda x: 10 // x > 1)
    assert listed(kept.ignore_errors()) == [1, 5]


def test_a_shape_that_depends_on_values_is_unknown():
    rows = Dataset.from_tensor_slices([[1, 0, 3], [0, 0, 2]])
    assert rows.map(lambda x: tf.boolean_mask(x, x > 0)).element_spec == TensorSpec(
        [None], tf.int32
    )
    unique = rows.map(lambda x: tf.unique(x).y)
    assert listed(unique.padded_batch(2)) == [[[1, 0, 3], [0, 2, 0]]]
    raw = Dataset.from_tensor_slices([b"\x01\x02", b"\x03"]).map(
        lambda b: tf.io.decode_raw(b, "uint8")
    )
    assert raw.element_spec == TensorSpec([None], tf.uint8)
    buckets = raw.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [2], [2, 2])
    assert sorted(listed(buckets)) == [[[1, 2]], [[3]]]


def test_a_dataset_with_a_function_in_a_traced_function():
    @tf.function
    def total(n):
        return Dataset.range(n).map(lambda x: x * n).reduce(np.int64(0), lambda s, x: s + x)

    assert [int(total(tf.constant(n, tf.int64))) for n in (4, 5)] == [24, 50]


# Threads.


def meeting(parties):
    barrier = threading.Barrier(parties, timeout=30)

    def meet(x):
        barrier.wait()
        return x

    return meet


@pytest.mark.parametrize("threads", [2, 4])
def test_calls_run_side_by_side(threads):
    meet = meeting(threads)
    made = Dataset.range(2 * threads).map(
        lambda x: tf.numpy_function(meet, [x], tf.int64), num_parallel_calls=threads
    )
    assert listed(made) == list(range(2 * threads))


def test_results_keep_their_order():
    second = threading.Event()

    def slow_first(x):
        if x == 0:
            assert second.wait(30)
        if x == 1:
            second.set()
        return x

    made = Dataset.range(5).map(
        lambda x: tf.numpy_function(slow_first, [x], tf.int64), num_parallel_calls=2
    )
    assert listed(made) == [0, 1, 2, 3, 4]


def test_errors_come_in_the_place_of_their_element():
    made = Dataset.from_tensor_slices([1, 0, 2, 0, 5]).map(lambda x: 10 // x, num_parallel_calls=3)
    elements = iter(made)
    assert int(next(elements)) == 10
    with pytest.raises(errors.InvalidArgumentError):
        next(elements)
    assert int(next(elements)) == 5
    assert listed(made.ignore_errors()) == [10, 5, 2]
    source = Dataset.from_tensor_slices([1, 0, 5]).map(lambda x: 10 // x)
    assert listed(source.map(lambda x: -x, num_parallel_calls=2).ignore_errors()) == [-10, -2]


def test_effects_of_a_traced_function_keep_their_order_in_parallel():
    v = counter()
    made = Dataset.range(1, 50).map(v.assign_add, num_parallel_calls=4)
    assert listed(made) == np.cumsum(range(1, 50)).tolist()
    assert int(v) == 1225


def mapping():
    return [t for t in threading.enumerate() if t.name == "gradtape-map"]


def test_threads_end_with_the_elements_or_a_forgotten_iterator():
    before = mapping()
    made = Dataset.range(6).map(lambda x: x + 1, num_parallel_calls=3)
    assert listed(made) == [1, 2, 3, 4, 5, 6]
    elements = iter(made.repeat())
    next(elements)
    del elements
    gc.collect()
    for thread in mapping():
        if thread not in before:
            thread.join(30)
            assert not thread.is_alive()


def test_autotune_gives_all_results_in_order():
    made = Dataset.range(20).map(lambda x: x * x, num_parallel_calls=data.AUTOTUNE)
    assert listed(made) == [x * x for x in range(20)]
    release = threading.Event()
    released = Dataset.range(6).map(
        lambda x: tf.numpy_function(lambda x: (release.wait(1e-3), x)[1], [x], tf.int64),
        num_parallel_calls=data.AUTOTUNE,
    )
    assert listed(released) == list(range(6))


def test_a_program_ends_while_calls_are_under_way():
    code = """
import threading
import gradtape as tf
never = threading.Event()
def wait(x):
    if x:
        never.wait()
    return x
made = tf.data.Dataset.range(9).map(
    lambda x: tf.numpy_function(wait, [x], tf.int64), num_parallel_calls=3
)
elements = iter(made)
print(int(next(elements)))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr
