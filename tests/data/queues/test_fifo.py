"""Queues: order, waiting, closing, and what is checked."""

import threading

import pytest

import gradtape as tf
from gradtape import errors
from gradtape.queue import FIFOQueue, QueueBase


def scalars(capacity=3):
    return FIFOQueue(capacity, tf.float32, shapes=[()])


def number(tensor):
    value = tensor.numpy()
    return value if isinstance(value, bytes) else value.tolist()


class Job(threading.Thread):
    """Runs a function and keeps what it returned or raised."""

    def __init__(self, function):
        super().__init__(daemon=True)
        self.function = function
        self.result = self.error = None
        self.start()

    def run(self):
        try:
            self.result = self.function()
        except Exception as error:  # noqa: BLE001  (asked for later)
            self.error = error

    def done(self):
        self.join(60)
        assert not self.is_alive()
        return self


def test_first_in_first_out():
    queue = FIFOQueue(3, tf.float32)
    assert isinstance(queue, QueueBase)
    for value in (1.0, 2.0, 3):
        assert queue.enqueue(value) is None
    assert repr(queue.size()) == "<tf.Tensor: shape=(), dtype=int32, numpy=3>"
    assert [number(queue.dequeue()) for _ in range(3)] == [1, 2, 3]
    assert number(queue.size()) == 0


@pytest.mark.parametrize(
    ("dtypes", "value", "result"),
    [
        (tf.float32, tf.constant([1.0, 2.0]), [1, 2]),
        ([tf.float32], [1.0], 1),
        ([tf.float32], (tf.constant([1.0]),), [1]),
        ([tf.float32, tf.int32], (1.0, 2), [1, 2]),
        (tf.string, "a", b"a"),
        ("int64", 3, 3),
    ],
)
def test_elements(dtypes, value, result):
    queue = FIFOQueue(3, dtypes)
    queue.enqueue(value)
    assert tf.nest.map_structure(number, queue.dequeue()) == result


def test_named_components():
    queue = FIFOQueue(3, [tf.float32, tf.int32], shapes=[(), ()], names=["a", "b"])
    queue.enqueue({"b": 2, "a": 1.0})
    assert tf.nest.map_structure(number, queue.dequeue()) == {"a": 1, "b": 2}
    queue.enqueue_many({"a": [1.0, 2.0], "b": [3, 4]})
    assert tf.nest.map_structure(number, queue.dequeue_many(2)) == {"a": [1, 2], "b": [3, 4]}


def test_many_at_a_time():
    queue = scalars()
    queue.enqueue_many(tf.constant([1.0, 2.0, 3.0]))
    assert number(queue.dequeue_many(2)) == [1, 2]
    assert number(queue.dequeue_many(0)) == []
    queue.close()
    assert number(queue.dequeue_up_to(5)) == [3]
    pairs = FIFOQueue(3, [tf.float32, tf.string], shapes=[[2], ()])
    pairs.enqueue_many(([[1.0, 2.0], [3.0, 4.0]], ["a", "b"]))
    vectors, words = pairs.dequeue_many(2)
    assert (number(vectors), number(words)) == ([[1, 2], [3, 4]], [b"a", b"b"])


def test_facts():
    queue = scalars()
    assert (queue.dtypes, queue.shapes, queue.names) == ([tf.float32], [tf.TensorShape([])], None)
    assert FIFOQueue(3, tf.float32, name="jobs").name == "jobs"
    assert FIFOQueue(3, tf.float32).shapes[0].rank is None
    assert FIFOQueue(3, tf.float32, shapes=[2]).shapes == [[2]]
    assert FIFOQueue(3, tf.float32, shapes=()).shapes == [[]]
    unlimited = FIFOQueue(-1, tf.float32)
    for _ in range(10):
        unlimited.enqueue(1.0)
    assert number(unlimited.size()) == 10


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"dtypes": "foo"}, TypeError, "to a TensorFlow DType"),
        ({"capacity": "a"}, TypeError, "Cannot convert 'a'"),
        ({"shapes": [None]}, ValueError, "All shapes must be fully defined"),
        ({"shapes": [(), ()]}, errors.InvalidArgumentError, "Different number of component types"),
        ({"names": ["a", "b"]}, ValueError, r"received len\(names\)=2,len\(dtypes\)=1"),
    ],
)
def test_bad_queues(kwargs, error, message):
    with pytest.raises(error, match=message):
        FIFOQueue(**{"capacity": 3, "dtypes": tf.float32, **kwargs})


named = FIFOQueue(3, [tf.float32], names=["a"])
vector = FIFOQueue(3, tf.float32, shapes=[[2]])


@pytest.mark.parametrize(
    ("queue", "value", "error", "message"),
    [
        (scalars(), tf.constant([1.0]), ValueError, r"Shapes \(1,\) and \(\) are incompatible"),
        (vector, tf.constant([1.0]), ValueError, r"Shapes \(1,\) and \(2,\) are incompatible"),
        (scalars(), tf.constant(1), ValueError, "requested dtype float32 for Tensor with dtype"),
        (scalars(), "a", TypeError, "Cannot convert 'a'"),
        (vector, [1.0, 2.0], errors.InvalidArgumentError, "have 1 components, but 2 were given"),
        (named, (1.0,), ValueError, "You must enqueue a dictionary in a Queue with names"),
        (named, {"b": 1.0}, ValueError, r"Dictionary: \['b'\],Queue: \['a'\]"),
        (scalars(), {"a": 1.0}, ValueError, "Queue must have names to enqueue a dictionary"),
    ],
)
def test_bad_elements(queue, value, error, message):
    with pytest.raises(error, match=message):
        queue.enqueue(value)
    assert number(queue.size()) == 0


def test_bad_requests():
    two = FIFOQueue(3, [tf.float32, tf.int32], shapes=[(), ()])
    with pytest.raises(ValueError, match="Dimensions 2 and 3 are not compatible"):
        two.enqueue_many(([1.0, 2.0], [3, 4, 5]))
    with pytest.raises(ValueError, match=r"Shape \(\) must have rank at least 1"):
        scalars().enqueue_many(tf.constant(1.0))
    with pytest.raises(errors.InvalidArgumentError, match="requested -1 < 0 elements"):
        scalars().dequeue_many(-1)
    with pytest.raises(errors.InvalidArgumentError, match="components to have specified shapes"):
        FIFOQueue(3, tf.float32).dequeue_many(1)


def test_a_closed_queue_gives_what_it_has():
    queue = scalars()
    queue.enqueue(1.0)
    queue.close()
    assert number(queue.is_closed()) is True
    with pytest.raises(errors.CancelledError, match="is closed"):
        queue.enqueue(2.0)
    with pytest.raises(errors.OutOfRangeError, match=r"requested 2, current size 1"):
        queue.dequeue_many(2)
    assert number(queue.dequeue()) == 1
    with pytest.raises(errors.OutOfRangeError, match=r"insufficient elements \(requested 1, curr"):
        queue.dequeue()
    with pytest.raises(errors.CancelledError, match="is already closed"):
        queue.close()


@pytest.mark.parametrize("cancel", [False, True])
def test_closing_ends_waiting_for_an_element(cancel):
    queue = scalars()
    job = Job(queue.dequeue)
    queue.close(cancel_pending_enqueues=cancel)
    assert isinstance(job.done().error, errors.OutOfRangeError)


def test_closing_can_cancel_waiting_for_room():
    queue = scalars(1)
    queue.enqueue(0.0)
    begun = wait_for_pending(queue)
    job = Job(lambda: queue.enqueue(1.0))
    begun()
    queue.close(cancel_pending_enqueues=True)
    assert isinstance(job.done().error, errors.CancelledError)
    assert number(queue.size()) == 1


def test_otherwise_those_who_wait_for_room_go_on():
    queue = scalars(1)
    queue.enqueue(0.0)
    begun = wait_for_pending(queue)
    job = Job(lambda: queue.enqueue_many(tf.constant([1.0, 2.0])))
    begun()
    queue.close()
    assert [number(queue.dequeue()) for _ in range(3)] == [0, 1, 2]
    assert job.done().error is None
    with pytest.raises(errors.OutOfRangeError):
        queue.dequeue()


def wait_for_pending(queue):
    """A function that returns once a call of enqueue waits for room."""

    state = queue._states.now()

    def wait():
        with state._changed:
            assert state._changed.wait_for(lambda: state._pending, 60)

    return wait


def test_a_producer_waits_for_room():
    queue = scalars(1)
    job = Job(lambda: [queue.enqueue(float(i)) for i in range(100)])
    assert [number(queue.dequeue()) for _ in range(100)] == list(range(100))
    assert job.done().error is None


def test_many_producers_and_consumers():
    queue = FIFOQueue(4, tf.int32)

    def produce(first):
        for value in range(first, first + 100):
            queue.enqueue(value)

    def consume():
        return [number(queue.dequeue()) for _ in range(100)]

    producers = [Job(lambda k=k: produce(k * 100)) for k in range(4)]
    consumers = [Job(consume) for _ in range(4)]
    taken = [value for job in consumers for value in job.done().result]
    assert sorted(taken) == list(range(400))
    assert all(job.done().error is None for job in producers)
    assert number(queue.size()) == 0


def test_a_queue_stops_gradients():
    x = tf.Variable(2.0)
    queue = FIFOQueue(3, tf.float32)
    with tf.GradientTape() as tape:
        queue.enqueue(x * 2.0)
        taken = queue.dequeue()
        y = taken * x
    assert float(tape.gradient(y, x)) == 4


def test_a_queue_holds_the_value_of_a_variable():
    queue = FIFOQueue(1, tf.float32)
    v = tf.Variable(2.0)
    queue.enqueue(v)
    v.assign(3.0)
    assert number(queue.dequeue()) == 2


# In functions, a queue's methods are operations of the graph.


def test_queues_in_a_function_are_traced_once():
    queue, traced = scalars(10), []

    @tf.function
    def next_to_last(x):
        traced.append(queue.size())
        queue.enqueue(x)
        queue.enqueue(x + 1.0)
        first = queue.dequeue()
        assert first.shape == ()
        return first, queue.size()

    got = [[number(y) for y in next_to_last(tf.constant(x))] for x in (1.0, 5.0, 7.0)]
    assert got == [[1.0, 1], [2.0, 2], [5.0, 3]]
    assert len(traced) == 1
    assert number(queue.size()) == 3


def test_loops_of_a_function_use_queues():
    queue, traced = scalars(10), []

    @tf.function
    def sum_of(n):
        traced.append(n)
        for i in tf.range(n):
            queue.enqueue(tf.cast(i, tf.float32))
        total = 0.0
        while queue.size() > 0:
            total += queue.dequeue()
        return total

    assert [number(sum_of(tf.constant(n))) for n in (3, 5)] == [3.0, 10.0]
    assert len(traced) == 1


def test_shapes_of_elements_in_a_graph():
    queue = FIFOQueue(9, [tf.float32, tf.int32], shapes=[(2,), ()], names=["x", "n"])
    shapes = []

    @tf.function
    def parts(n):
        queue.enqueue_many({"x": tf.ones([5, 2]), "n": tf.range(5)})
        some = queue.dequeue_many(2), queue.dequeue_many(n)
        shapes.extend([part["x"].shape.as_list(), part["n"].shape.as_list()] for part in some)
        queue.close()
        rest = queue.dequeue_up_to(7)
        shapes.append(rest["x"].shape.as_list())
        return rest["n"], queue.is_closed()

    rest, closed = parts(tf.constant(1))
    assert shapes == [[[2, 2], [2]], [[None, 2], [None]], [None, 2]]
    assert (number(rest), number(closed)) == ([3, 4], True)
    with pytest.raises(errors.CancelledError, match="is closed"):
        parts(tf.constant(1))


def test_wrong_elements_are_found_while_a_function_is_traced():
    queue = scalars()
    with pytest.raises(ValueError, match="compatible"):
        tf.function(queue.enqueue)(tf.ones([2]))
    unknown = FIFOQueue(3, tf.float32)
    with pytest.raises(errors.InvalidArgumentError, match="specified shapes"):
        tf.function(lambda: unknown.dequeue_many(2))()
