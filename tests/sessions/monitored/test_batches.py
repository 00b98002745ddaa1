"""Batches from several sources, and of chosen elements; the values are those of TensorFlow 2.21."""

import contextlib

import numpy as np

import gradtape as tf

v1 = tf.compat.v1
T = v1.train


def taken(make):
    """Returns what a session takes from a queue until there is no more."""
    with tf.Graph().as_default(), v1.Session() as session:
        fetch = make()
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        coord = T.Coordinator()
        threads = T.start_queue_runners(session, coord)
        found = []
        with contextlib.suppress(tf.errors.OutOfRangeError):
            while True:
                found.append(session.run(fetch))
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=20)
        return found


def numbers(limit):
    return T.range_input_producer(limit, num_epochs=1, shuffle=False).dequeue()


def test_chosen_elements():
    def even():
        x = numbers(7)
        return T.maybe_batch([x, 2 * x], tf.equal(x % 2, 0), 2)

    found = [[x.tolist() for x in batch] for batch in taken(even)]
    assert found == [[[0, 2], [0, 4]], [[4, 6], [8, 12]]]

    def even_of_many():
        x = numbers(3)
        rows = tf.stack([x, x + 10, x + 20])
        return T.maybe_batch([rows], tf.equal(rows % 2, 0), 3, enqueue_many=True)

    assert [x.tolist() for x in taken(even_of_many)] == [[0, 10, 20], [2, 12, 22]]
    small = taken(lambda: T.maybe_shuffle_batch([x := numbers(6)], 3, 20, 0, tf.less(x, 3)))
    assert [sorted(x) for x in small] == [[0, 1, 2]]


def test_several_sources():
    everything = [0, 1, 2, 3, 100, 101, 102, 103]
    both = taken(lambda: T.batch_join([[numbers(4)], [numbers(4) + 100]], 8))
    assert [sorted(x) for x in both] == [everything]

    def named():
        return T.shuffle_batch_join([{"n": numbers(4)}, {"n": numbers(4) + 100}], 8, 20, 0)

    (found,) = taken(named)
    assert sorted(found["n"]) == everything
    none = taken(lambda: T.maybe_batch_join([[numbers(4)], [numbers(2)]], False, 2))
    assert none == []
    kept = taken(lambda: T.maybe_shuffle_batch_join([[numbers(2)], [numbers(2)]], 4, 9, 0, True))
    assert [sorted(x) for x in kept] == [[0, 0, 1, 1]]


def test_shapes_that_both_sources_have():
    with tf.Graph().as_default():
        wide, other = v1.placeholder(tf.float32, [2, 3]), v1.placeholder(tf.float32, [2, 3])
        assert T.batch_join([[wide], [other]], 4).shape == (4, 2, 3)
        lists = [[np.zeros(2, "f"), 1], [np.ones(2, "f"), 2]]
        assert [x.shape.as_list() for x in T.batch_join(lists, 5)] == [[5, 2], [5]]
