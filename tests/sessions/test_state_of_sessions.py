"""Queues, iterators, tables and random numbers of a graph have a state in each session."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1


@pytest.fixture
def sessions():
    with tf.Graph().as_default():
        yield v1.Session(), v1.Session()


def test_queues(sessions):
    first, second = sessions
    queue = tf.queue.FIFOQueue(3, tf.int32, [[]])
    add, size, closed, close = queue.enqueue(5), queue.size(), queue.is_closed(), queue.close()
    first.run(add)
    assert [s.run(size) for s in sessions] == [1, 0]
    second.run(close)
    assert [s.run(closed) for s in sessions] == [False, True]
    assert first.run(queue.dequeue()) == 5
    with pytest.raises(tf.errors.OutOfRangeError):
        second.run(queue.dequeue())


def test_queues_in_random_order(sessions):
    queue = tf.queue.RandomShuffleQueue(9, 0, tf.int32, [[]], seed=3)
    fill, taken = queue.enqueue_many([[1, 2, 3, 4, 5, 6]]), queue.dequeue()
    found = []
    for session in sessions:
        session.run(fill)
        found.append([int(session.run(taken)) for _ in range(6)])
    assert found[0] == found[1]


def test_iterators(sessions):
    first, second = sessions
    data = v1.data.Dataset.range(3)
    once = v1.data.make_one_shot_iterator(data).get_next()
    iterator = v1.data.make_initializable_iterator(data)
    element, ready = iterator.get_next(), iterator.initializer
    assert [int(first.run(once)) for _ in range(3)] == [0, 1, 2]
    assert second.run(once) == 0
    first.run(ready)
    assert first.run(element) == 0
    with pytest.raises(tf.errors.FailedPreconditionError):
        second.run(element)


def test_random_numbers(sessions):
    v1.set_random_seed(7)
    drawn = [v1.random_uniform([2]), tf.random.normal([3], seed=1), v1.random_shuffle(tf.range(9))]
    one, other = ([session.run(drawn) for _ in range(2)] for session in sessions)
    for step in range(2):
        for a, b in zip(one[step], other[step], strict=True):
            np.testing.assert_array_equal(a, b)
    assert not np.array_equal(one[0][0], one[1][0])


def test_tables(sessions):
    first, second = sessions
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    fill, found = table.insert(["a"], tf.constant([3], tf.int64)), table.lookup(tf.constant(["a"]))
    first.run(fill)
    assert [int(s.run(found)[0]) for s in (first, second)] == [3, -1]


def test_what_is_made_outside_of_a_graph_is_shared():
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(["a"], tf.constant([3], tf.int64))
    queue = tf.queue.FIFOQueue(3, tf.int32, [[]])
    queue.enqueue(5)
    with tf.Graph().as_default():
        found, size = table.lookup(tf.constant(["a"])), queue.size()
        for _ in range(2):
            with v1.Session() as session:
                assert session.run(found).tolist() == [3]
                assert session.run(size) == 1
