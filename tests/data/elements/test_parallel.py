"""Functions of datasets in threads."""

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
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr
