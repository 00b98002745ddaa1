"""Sources shared by threads: each element, number or key goes to exactly one thread."""

import copy
import os
import signal
import threading
from collections import Counter

import numpy as np
import pytest
from faults.races import often, race

import gradtape as tf
from gradtape._src.compute import devices

pytestmark = pytest.mark.slow

N, COUNT = 8, 400


def numbers():
    yield from range(COUNT)


def generated():
    return tf.data.Dataset.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int64))


DATASETS = {
    "range": lambda: tf.data.Dataset.range(COUNT),
    "from_generator": generated,
    "map": lambda: tf.data.Dataset.range(COUNT).map(lambda x: x + 0),
    "filter": lambda: tf.data.Dataset.range(2 * COUNT).filter(lambda x: x < COUNT),
    "shuffle": lambda: tf.data.Dataset.range(COUNT).shuffle(50),
    "prefetch": lambda: generated().prefetch(4),
    "parallel map": lambda: generated().map(lambda x: x, num_parallel_calls=2),
    "interleave": lambda: tf.data.Dataset.range(4).interleave(
        lambda k: tf.data.Dataset.range(k * COUNT // 4, (k + 1) * COUNT // 4), cycle_length=2
    ),
    "unbatch": lambda: tf.data.Dataset.range(COUNT).batch(7).unbatch(),
    "cache": lambda: tf.data.Dataset.range(COUNT).cache(),
    "enumerate": lambda: tf.data.Dataset.range(COUNT).enumerate().map(lambda i, x: x),
}


def drained(take, end):
    """A job that takes numbers until the end, and gets the end repeatedly."""

    def job():
        found = []
        while True:
            try:
                found.append(int(take()))
            except end:
                break
        for _ in range(3):
            with pytest.raises(end):
                take()
        return found

    return job


def check(lists):
    assert sorted(x for found in lists for x in found) == list(range(COUNT))


@pytest.mark.parametrize("name", DATASETS)
def test_each_element_goes_to_one_thread(name):
    iterator = iter(DATASETS[name]())
    check(race(*[drained(lambda: next(iterator), StopIteration)] * N))


@pytest.mark.parametrize("name", DATASETS)
def test_get_next_tells_each_thread_of_the_end(name):
    iterator = iter(DATASETS[name]())
    check(race(*[drained(iterator.get_next, tf.errors.OutOfRangeError)] * N))


def test_arrays_go_to_one_thread_each():
    iterator = generated().as_numpy_iterator()
    check(race(*[drained(lambda: next(iterator), StopIteration)] * N))


def test_optionals_go_to_one_thread_each():
    iterator = iter(generated())

    def job():
        found = []
        while (x := iterator.get_next_as_optional()).has_value():
            found.append(int(x.get_value()))
        return found

    check(race(*[job] * N))


def test_batches_of_a_strategy_go_to_one_thread_each(monkeypatch):
    monkeypatch.setattr(devices, "requested_processors", [2])
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    iterator = iter(strategy.experimental_distribute_dataset(generated().batch(2)))

    def job():
        found = []
        while (x := iterator.get_next_as_optional()).has_value():
            parts = strategy.experimental_local_results(x.get_value())
            found += [int(n) for part in parts for n in part.numpy()]
        return found

    check(race(*[job] * N))


def test_an_error_of_a_generator_reaches_one_thread_and_the_others_end():
    def broken():
        yield from range(10)
        raise OSError("no more data")

    signature = tf.TensorSpec([], tf.int64)
    iterator = iter(tf.data.Dataset.from_generator(broken, output_signature=signature))
    errors = []

    def job():
        found = []
        try:
            found.extend(int(x) for x in iterator)
        except tf.errors.UnknownError as error:
            errors.append(error)
        return found

    assert sorted(x for found in race(*[job] * N) for x in found) == list(range(10))
    assert len(errors) == 1


def test_a_generator_that_asks_for_its_own_next_element_gets_an_error():
    iterators = []

    def selfish():
        yield 0
        yield int(next(iterators[0]))

    signature = tf.TensorSpec([], tf.int64)
    iterators.append(iter(tf.data.Dataset.from_generator(selfish, output_signature=signature)))
    assert int(next(iterators[0])) == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="already executing"):
        next(iterators[0])


def test_a_checkpoint_knows_how_many_elements_all_threads_took(tmp_path):
    iterator = iter(tf.data.Dataset.range(COUNT))
    race(*[often(lambda: next(iterator), 20)] * N)
    path = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "place"))
    again = iter(tf.data.Dataset.range(COUNT))
    tf.train.Checkpoint(iterator=again).restore(path)
    assert int(next(again)) == 20 * N


def test_one_dataset_is_iterated_by_many_threads():
    dataset = tf.data.Dataset.range(50).map(lambda x: x * 2).cache().shuffle(10).batch(5)

    def job():
        return sorted(int(x) for batch in dataset for x in batch)

    assert race(*[job] * N) == [[2 * x for x in range(50)]] * N
    assert race(*[lambda: dataset.element_spec] * N) == [dataset.element_spec] * N


def test_takers_of_several_elements_do_not_take_them_from_each_other():
    for _ in range(50):
        queue = tf.queue.FIFOQueue(10, tf.int64, shapes=[[]])
        queue.enqueue_many([np.arange(4)])
        queue.close()

        def job(queue=queue):
            try:
                return queue.dequeue_many(3).numpy().tolist()
            except tf.errors.OutOfRangeError:
                return None

        assert sorted(race(job, job), key=str) == [None, [0, 1, 2]]
        assert int(queue.size()) == 1


def test_each_element_of_a_queue_goes_to_one_thread():
    queue = tf.queue.FIFOQueue(5, tf.int64, shapes=[[]])

    def fill():
        for i in range(COUNT):
            queue.enqueue(np.int64(i))
        queue.close()

    end = tf.errors.OutOfRangeError
    lists = race(fill, *[drained(queue.dequeue, end)] * 3)[1:]
    check(lists)


# Random numbers.


def test_generators_give_each_state_once():
    g = tf.random.Generator.from_seed(3)
    states = [tuple(s) for found in race(*[lambda: skips(g)] * N) for s in found]
    assert max(Counter(states).values()) == 1
    alone = tf.random.Generator.from_seed(3)
    alone.skip(50 * N)
    assert g.state.numpy().tolist() == alone.state.numpy().tolist()


def skips(g):
    return [g.skip(1).numpy().tolist() for _ in range(50)]


def test_draws_are_those_of_one_thread_in_some_order():
    g, alone = tf.random.Generator.from_seed(5), tf.random.Generator.from_seed(5)
    drawn = race(*[lambda: [float(g.normal([])) for _ in range(50)]] * N)
    assert sorted(x for found in drawn for x in found) == sorted(
        float(alone.normal([])) for _ in range(50 * N)
    )


def test_all_threads_have_one_global_generator():
    before = tf.random.get_global_generator()
    try:
        tf.random.set_global_generator(None)
        found = race(*[tf.random.get_global_generator] * N)
        assert all(g is found[0] for g in found)
    finally:
        tf.random.set_global_generator(before)


def test_generators_are_copied():
    g = tf.random.Generator.from_seed(5)
    twin = copy.deepcopy(g)
    assert float(twin.normal([])) == float(g.normal([]))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*")
def test_a_child_process_draws_while_its_parent_was_drawing():
    stop = threading.Event()

    def draws():
        while not stop.is_set():
            tf.random.normal([100])

    def forks():
        try:
            for _ in range(20):
                child = os.fork()
                if not child:
                    signal.alarm(60)  # where it waits for what never comes
                    tf.random.normal([3])
                    os._exit(0)
                assert os.waitpid(child, 0)[1] == 0
        finally:
            stop.set()

    race(draws, forks)


# Tables and averages.


def test_a_table_takes_all_keys_of_an_insertion_at_once():
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)
    keys = tf.range(20, dtype=tf.int64)

    def insert(k):
        return often(lambda: table.insert(keys, tf.fill([20], np.int64(k))), 100)

    def look():
        for _ in range(100):
            assert len(set(table.lookup(keys).numpy().tolist())) == 1

    race(insert(1), insert(2), look)


def test_a_table_is_exported_as_a_whole():
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)
    keys = tf.range(20, dtype=tf.int64)

    def change():
        table.insert(keys, keys)
        table.remove(keys)

    def look():
        for _ in range(100):
            found, values = table.export()
            assert len(found) in (0, 20)
            assert found.numpy().tolist() == values.numpy().tolist()

    race(often(change, 100), look)


def test_no_step_of_a_moving_average_is_lost():
    v, alone = tf.Variable(1.0), tf.Variable(1.0)
    average, expected = (tf.train.ExponentialMovingAverage(0.99) for _ in range(2))
    average.apply([v])
    expected.apply([alone])
    v.assign(2.0)
    alone.assign(2.0)
    race(*[often(lambda: average.apply([v]), 50)] * 4)
    for _ in range(200):
        expected.apply([alone])
    assert average.average(v).numpy() == expected.average(alone).numpy()


# Compiled functions.


def test_compiled_and_eager_updates_are_not_lost():
    pytest.importorskip("jax")
    v = tf.Variable(np.zeros(3, np.float32))

    @tf.function(jit_compile=True)
    def step():
        v.assign_add([1.0, 1.0, 1.0])

    step()
    eager = often(lambda: v.assign_add([1.0, 1.0, 1.0]), 100)
    rows = often(lambda: v.scatter_nd_add([[0], [1], [2]], [1.0, 1.0, 1.0]), 100)
    race(often(step, 100), eager, rows, often(step, 100))
    assert v.numpy().tolist() == [401.0] * 3
