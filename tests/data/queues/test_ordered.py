import numpy as np
import pytest

import gradtape as tf


def test_the_lowest_priority_comes_first_and_equal_ones_in_their_order():
    queue = tf.queue.PriorityQueue(9, [tf.string], [()])
    for priority, word in [(2, "b"), (1, "a"), (2, "c")]:
        queue.enqueue((tf.constant(priority, tf.int64), word))
    assert [queue.dequeue()[1].numpy() for _ in range(3)] == [b"a", b"b", b"c"]


def test_a_seed_decides_the_order_and_enough_elements_remain():
    orders = []
    for _ in range(2):
        queue = tf.queue.RandomShuffleQueue(9, 2, tf.int32, [[]], seed=3)
        queue.enqueue_many([np.arange(6)])
        orders.append([int(queue.dequeue()) for _ in range(4)])
    assert orders[0] == orders[1]
    assert int(queue.size()) == 2
    queue.close()
    assert len(set(queue.dequeue_many(2).numpy()) | set(orders[1])) == 6
    with pytest.raises(tf.errors.OutOfRangeError):
        queue.dequeue()
