import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1


def taken(fetch, count=None):
    """Returns what a session takes from queues until there is no more."""
    with v1.Session() as session:
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        coord = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coord)
        found = []
        try:
            while count is None or len(found) < count:
                found.append(session.run(fetch))
        except tf.errors.OutOfRangeError:
            pass
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=20)
        return found


def test_batches_in_order():
    with tf.Graph().as_default():
        x, n = v1.train.slice_input_producer(
            [[[1.0], [2.0], [3.0]], [1, 2, 3]], num_epochs=2, shuffle=False
        )
        first = v1.train.batch({"x": x, "n": n}, 2)
        assert first["x"].shape == (2, 1)
        assert [batch["n"].tolist() for batch in taken(first)] == [[1, 2], [3, 1], [2, 3]]


def test_smaller_last_batch_in_random_order():
    with tf.Graph().as_default():
        n = v1.train.range_input_producer(7, num_epochs=1, seed=1).dequeue()
        batch = v1.train.shuffle_batch([n], 3, 20, 4, seed=2, allow_smaller_final_batch=True)
        found = taken(batch)
        assert [len(x) for x in found] == [3, 3, 1]
        assert sorted(np.concatenate(found)) == list(range(7))


def test_strings_without_end():
    with tf.Graph().as_default():
        names = v1.train.string_input_producer(["a", "b"], shuffle=False)
        assert taken(names.dequeue(), 5) == [b"a", b"b", b"a", b"b", b"a"]


def test_elements_are_padded():
    with tf.Graph().as_default():
        n = v1.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
        row = tf.range(n)
        batch = v1.train.batch([row], 3, dynamic_pad=True)
        (found,) = taken(batch)
        assert found.tolist() == [[0, 0], [0, 0], [0, 1]]


def test_arguments():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="num_epochs must be > 0"):
            v1.train.limit_epochs(1, 0)
        with pytest.raises(ValueError, match="at least one tensor"):
            v1.train.slice_input_producer([])
        with pytest.raises(ValueError, match="known shape"):
            v1.train.input_producer(v1.placeholder(tf.int32, [None, None]))
        with pytest.raises(ValueError, match="non-null"):
            v1.train.string_input_producer([])


def test_producers_need_a_graph():
    with pytest.raises(RuntimeError, match="eager"):
        v1.train.string_input_producer(["a"])
