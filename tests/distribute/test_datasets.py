"""Datasets that are divided among replicas."""

import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shares import FILES, KINDS

import gradtape as tf
from gradtape._src.compute import devices
from gradtape._src.distribute.datasets import DistributedDataset

D = tf.distribute


@pytest.fixture(autouse=True)
def _four_processors(monkeypatch):
    monkeypatch.setattr(devices, "requested_processors", [4])


@pytest.fixture
def pair():
    return D.MirroredStrategy(["CPU:0", "CPU:1"])


def parts(strategy, value):
    return [np.asarray(x).tolist() for x in strategy.experimental_local_results(value)]


@pytest.mark.parametrize(
    ("length", "size", "drop", "batches"),
    [  # as TensorFlow divides them
        (7, 4, False, [[[0, 1], [2, 3], []], [[4], [5], [6]]]),
        (13, 7, False, [[[0, 1, 2], [3, 4, 5], [6]], [[7, 8], [9, 10], [11, 12]]]),
        (13, 6, True, [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]),
    ],
)
def test_batches_are_divided(length, size, drop, batches):
    strategy = D.MirroredStrategy(["CPU:0", "CPU:1", "CPU:2"])
    dataset = tf.data.Dataset.range(length).batch(size, drop_remainder=drop)
    divided = strategy.experimental_distribute_dataset(dataset)
    assert isinstance(divided, D.DistributedDataset)
    assert [parts(strategy, x) for x in divided] == batches
    iterator = iter(divided)
    assert isinstance(iterator, D.DistributedIterator)
    for batch in batches:
        assert parts(strategy, iterator.get_next_as_optional().get_value()) == batch
    with pytest.raises(tf.errors.OutOfRangeError):
        iterator.get_next()
    assert divided.element_spec.is_compatible_with(next(iter(divided)))


def test_batches_from_a_function(pair):
    def make(context):
        size = context.get_per_replica_batch_size(4)
        return tf.data.Dataset.range(6).batch(size)

    divided = pair.distribute_datasets_from_function(make)
    assert [parts(pair, x) for x in divided] == [[[0, 1], [2, 3]], [[4, 5], []]]
    with pytest.raises(ValueError, match="batched"):
        list(pair.experimental_distribute_dataset(tf.data.Dataset.range(3)))
    with pytest.raises(TypeError, match="Dataset"):
        pair.experimental_distribute_dataset([1])


def total(strategy, x):
    return strategy.reduce("SUM", strategy.run(tf.reduce_sum, args=(x,)), axis=None)


def test_a_function_is_traced_once_for_uneven_batches(pair):
    traces = []

    @tf.function
    def epoch(dataset):
        traces.append(1)
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += total(pair, x)
        return found

    for n in (6, 7, 9):
        divided = pair.experimental_distribute_dataset(tf.data.Dataset.range(n).batch(4))
        assert epoch(divided) == sum(range(n))
    assert len(traces) == 1


def test_an_iterator_is_made_in_a_function(pair):
    divided = pair.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(4))

    @tf.function
    def f():
        iterator = iter(divided)
        return total(pair, next(iterator)), total(pair, iterator.get_next())

    for _ in range(2):
        assert [int(x) for x in f()] == [6, 22]
    assert "ran as Python" not in f.explain()


def test_a_data_set_is_divided_in_a_function(pair):
    @tf.function
    def f(rows):
        found = 0
        batches = tf.data.Dataset.from_tensor_slices(rows).batch(4)
        for x in pair.experimental_distribute_dataset(batches):
            found += total(pair, x)
        return found

    for n in (3, 8):
        assert f(tf.range(n, n + 7)) == sum(range(n, n + 7))
    assert f.experimental_get_tracing_count() == 1


def test_the_mean_of_uneven_parts(pair):
    divided = pair.experimental_distribute_dataset(tf.data.Dataset.range(7).batch(4))

    @tf.function
    def mean(iterator):
        out = pair.run(lambda x: tf.cast(x, tf.float32), args=(next(iterator),))
        return pair.reduce("MEAN", out, axis=0)

    iterator = iter(divided)
    assert [float(mean(iterator)) for _ in range(2)] == [1.5, 5.0]


def test_parts_of_ragged_batches(pair):
    ragged = tf.ragged.constant([[1], [2, 3], [], [4, 5, 6]])
    batches = tf.data.Dataset.from_tensor_slices(ragged).batch(4)
    (x,) = pair.experimental_distribute_dataset(batches)
    assert [part.to_list() for part in x.values] == [[[1], [2, 3]], [[], [4, 5, 6]]]


class Threads:
    """Does for threads what the connections of workers do for processes."""

    def __init__(self, count):
        self.barrier = threading.Barrier(count, timeout=60)
        self.given = [None] * count

    def of(self, index):
        def gathered(value):
            self.given[index] = value
            self.barrier.wait()
            found = [*self.given]
            self.barrier.wait()
            return found

        return SimpleNamespace(
            summed=lambda tables: [sum(given[0] for given in gathered(tables))],
            from_first=lambda value: gathered(value)[0],
        )


def read(make, workers, replicas):
    """Returns for each worker what its replicas got: epochs, steps, replicas, rows."""
    threads = Threads(workers)

    def worker(index):
        strategy = SimpleNamespace(
            num_replicas_in_sync=workers * replicas,
            _first_replica=index * replicas,
            _local_replicas=replicas,
            _processes=threads.of(index) if workers > 1 else None,
        )
        divided = DistributedDataset(make(), strategy)
        try:
            return [[rows(x) for x in divided] for _ in range(2)]
        except BaseException:
            threads.barrier.abort()
            raise

    def rows(x):
        each = x.values if replicas > 1 else (x,)
        return [np.asarray(part).tolist() for part in each]

    with ThreadPoolExecutor(workers) as pool:
        return [*pool.map(worker, range(workers))]


@given(
    kind=st.sampled_from(sorted(KINDS)),
    policy=st.sampled_from(["AUTO", "DATA", "FILE", "OFF"]),
    lengths=st.lists(st.integers(0, 9), min_size=1, max_size=7),
    size=st.integers(1, 13),
    workers=st.integers(1, 5),
    replicas=st.integers(1, 3),
    prefetched=st.booleans(),
)
def test_every_row_goes_to_one_replica(
    tmp_path_factory, kind, policy, lengths, size, workers, replicas, prefetched
):
    """No row is lost or read twice, and all workers do the same number of steps."""
    tf.random.set_seed(None)  # seeded threads, unlike processes, draw from one sequence
    if policy == "FILE" and kind not in FILES:
        policy = "DATA"
    by_file = kind in FILES and policy in {"AUTO", "FILE"}
    if by_file:
        lengths += [1] * (workers - len(lengths))  # fewer files than workers are refused
    folder, total, names = tmp_path_factory.mktemp("rows"), sum(lengths), []
    for i, length in enumerate(lengths):
        first = sum(lengths[:i])
        names.append(str(folder / f"{i}.txt"))
        (folder / f"{i}.txt").write_text("".join(f"{first + j}\n" for j in range(length)))

    def make():
        dataset = KINDS[kind](names, total).batch(size)
        options = tf.data.Options()
        asked = tf.data.experimental.AutoShardPolicy[policy]
        options.experimental_distribute.auto_shard_policy = asked
        dataset = dataset.with_options(options)
        return dataset.prefetch(2) if prefetched else dataset

    found = read(make, workers, replicas)
    most = -(-size // (workers * replicas))
    for epochs in zip(*found, strict=True):
        assert len({len(steps) for steps in epochs}) == 1
        each = [[row for step in steps for part in step for row in part] for steps in epochs]
        assert max((len(p) for steps in epochs for step in steps for p in step), default=0) <= most
        if policy == "OFF" and workers > 1:
            for rows in each:
                assert sorted(rows) == [*range(total)]
        else:
            assert sorted(row for rows in each for row in rows) == [*range(total)]
        if not by_file and policy != "OFF":  # the parts of a step are a batch
            steps = [
                sum(len(part) for of in step for part in of) for step in zip(*epochs, strict=True)
            ]
            assert steps == [min(size, total - k) for k in range(0, total, size)]
