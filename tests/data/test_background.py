"""Iteration ahead of the consumer."""

import threading

import numpy as np
import pytest

import gradtape as tf
from gradtape import data, errors
from gradtape._src.data.background import ahead
from gradtape.data import Dataset


def listed(dataset):
    """The elements, arrays as lists."""
    return [
        tf.nest.map_structure(
            lambda leaf: leaf.tolist() if isinstance(leaf, np.ndarray | np.generic) else leaf,
            element,
        )
        for element in dataset.as_numpy_iterator()
    ]


def prefetching():
    return [t for t in threading.enumerate() if t.name == "gradtape-prefetch"]


def thread_of(items):
    """The thread that makes items; there must be one."""
    before = set(threading.enumerate())
    first = next(items)
    (thread,) = set(threading.enumerate()) - before
    return first, thread


def test_all_items_in_order():
    assert list(ahead(lambda: iter(range(100)), 3)) == list(range(100))
    assert list(ahead(lambda: iter(()), 3)) == []


def test_no_more_than_the_buffer_is_made_beforehand():
    made = []

    def produce():
        for i in range(100):
            made.append(i)
            yield i

    items = ahead(produce, 2)
    assert made == []
    for i in range(50):
        assert next(items) == i
        assert len(made) <= i + 1 + 2 + 1  # taken, buffered, and one in the thread's hands
    items.close()


def test_closing_closes_the_source():
    closed = threading.Event()

    def produce():
        try:
            while True:
                yield 1
        finally:
            closed.set()

    items = ahead(produce, 2)
    _, thread = thread_of(items)
    items.close()
    thread.join(60)
    assert not thread.is_alive()
    assert closed.is_set()


@pytest.mark.parametrize("error", [KeyError("boo"), KeyboardInterrupt()])
def test_errors_are_raised_in_the_consumers_thread(error):
    def produce():
        yield 1
        raise error

    items = ahead(produce, 5)
    assert next(items) == 1
    with pytest.raises(type(error)) as raised:
        next(items)
    assert raised.value is error


@pytest.mark.parametrize("size", [0, 1, 100, data.AUTOTUNE])
def test_prefetch(size):
    assert listed(Dataset.range(10).prefetch(size)) == list(range(10))


def test_prefetching_runs_ahead():
    asked, made = threading.Event(), threading.Event()

    def make(v):
        if v == 2:
            made.set()
        return v

    elements = iter(Dataset.range(10).map(make).prefetch(2))
    assert not asked.is_set()
    assert int(next(elements)) == 0
    assert made.wait(60)


def test_errors_come_through_after_the_elements_before_them():
    dataset = Dataset.range(3).map(lambda v: 2 // (2 - v)).prefetch(10)
    elements = iter(dataset)
    assert [int(next(elements)), int(next(elements))] == [1, 2]
    with pytest.raises(errors.InvalidArgumentError):
        next(elements)


def test_a_forgotten_iterator_ends_its_thread():
    before = prefetching()
    elements = iter(Dataset.range(3).repeat().prefetch(2))
    next(elements)
    (thread,) = [t for t in prefetching() if t not in before]
    del elements
    thread.join(60)
    assert not thread.is_alive()


def test_a_negative_buffer():
    with pytest.raises(errors.InvalidArgumentError, match="buffer_size must be >= 0"):
        Dataset.range(3).prefetch(-2)
