import pytest

import gradtape as tf

v1 = tf.compat.v1


class Closable:
    """A queue whose closing is counted."""

    name = "queue"

    def __init__(self):
        self.closed = v1.Variable(0, trainable=False, collections=["local_variables"])

    def close(self, cancel_pending_enqueues=False):
        return self.closed.assign_add(10 if cancel_pending_enqueues else 1).op


def test_threads_run_until_there_is_no_more():
    with tf.Graph().as_default(), v1.Session() as session:
        queue = Closable()
        data = v1.data.make_one_shot_iterator(v1.data.Dataset.range(5)).get_next()
        total = v1.get_local_variable("total", initializer=tf.constant(0, tf.int64))
        runner = v1.train.QueueRunner(queue, [total.assign_add(data)])
        v1.train.add_queue_runner(runner)
        session.run(v1.local_variables_initializer())
        coord = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coord)
        assert len(threads) == 2
        threads[0].join(30)
        assert session.run([total, queue.closed]) == [10, 1]
        assert not coord.should_stop()
        coord.request_stop()
        coord.join()
        assert session.run(queue.closed) == 11


def test_errors_of_threads():
    with tf.Graph().as_default(), v1.Session() as session:
        bad = tf.debugging.check_numerics(v1.placeholder_with_default(float("nan"), []), "bad")
        runner, alone = (v1.train.QueueRunner(Closable(), [bad]) for _ in range(2))
        session.run(v1.local_variables_initializer())
        coord = v1.train.Coordinator()
        runner.create_threads(session, coord, start=True, daemon=True)
        with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
            coord.join()
        for thread in alone.create_threads(session, start=True):
            thread.join(30)
        assert [type(e) for e in alone.exceptions_raised] == [tf.errors.InvalidArgumentError]


def test_what_is_missing():
    with pytest.raises(ValueError, match="queue and enqueue_ops"):
        v1.train.QueueRunner()
    with tf.Graph().as_default(), pytest.raises(ValueError, match="No default session"):
        v1.train.start_queue_runners()
