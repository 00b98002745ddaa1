"""Several replicas in one process: what runs as plain Python, in lockstep."""

import gc
import sys
import threading

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.graph import devices

D = tf.distribute
NONE, SUM, MEAN, FIRST = tf.VariableAggregation


@pytest.fixture(autouse=True)
def _four_processors(monkeypatch):
    monkeypatch.setattr(devices, "asked", [4])


@pytest.fixture
def pair():
    return D.MirroredStrategy(["CPU:0", "CPU:1"])


def number():
    return tf.cast(D.get_replica_context().replica_id_in_sync_group + 1, tf.float32)


def parts(strategy, value):
    return [np.asarray(x).tolist() for x in strategy.experimental_local_results(value)]


def test_devices():
    assert D.MirroredStrategy().num_replicas_in_sync == 4
    strategy = D.MirroredStrategy(["/cpu:1", "CPU:3"])
    stem = "/job:localhost/replica:0/task:0/device:CPU:"
    assert strategy.extended.worker_devices == (f"{stem}1", f"{stem}3")
    with pytest.raises(AssertionError, match="No duplicates"):
        D.MirroredStrategy(["CPU:0", "cpu:0"])
    with pytest.raises(ValueError, match="CPU:7"):
        D.MirroredStrategy(["CPU:7"])


def test_run_gives_each_replica_its_part(pair):
    mine = pair.run(number)
    assert repr(mine) == (
        "PerReplica:{\n  0: <tf.Tensor: shape=(), dtype=float32, numpy=1.0>,\n"
        "  1: <tf.Tensor: shape=(), dtype=float32, numpy=2.0>\n}"
    )
    both = pair.run(lambda x, y: {"a": x + y, "b": (3, None)}, args=(mine,), kwargs={"y": 1.0})
    assert parts(pair, both["a"]) == [2, 3]
    assert both["b"] == (3, None)
    with pytest.raises(ValueError, match="inside a replica context"):
        tf.convert_to_tensor(mine)
    with pytest.raises(ValueError, match="list or tuple"):
        pair.run(number, args=None)


@pytest.mark.parametrize(
    ("op", "y", "gradients"), [("SUM", 5, [11, 17]), ("MEAN", 2.5, [5.5, 8.5])]
)
def test_all_reduce_in_the_middle_and_its_gradient(pair, op, y, gradients):
    def replica():
        x = number()
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = D.get_replica_context().all_reduce(op, x * x)
            z = total * x
        return total, tape.gradient(z, x)

    total, gradient = pair.run(replica)
    assert parts(pair, total) == [y, y]
    assert parts(pair, gradient) == gradients


def test_all_gather_of_uneven_lengths_and_its_gradient(pair):
    def replica():
        c, n = D.get_replica_context(), number()
        x = tf.fill([c.replica_id_in_sync_group + 1], n)
        with tf.GradientTape() as tape:
            tape.watch(x)
            everything = c.all_gather(x * x, 0)
            z = tf.reduce_sum(everything * everything) * n
        return everything, tape.gradient(z, x)

    everything, gradient = pair.run(replica)
    assert parts(pair, everything) == [[1, 4, 4]] * 2
    assert parts(pair, gradient) == [[12], [96, 96]]  # 3 · 2x² · 2x


def test_sparse_and_whole_numbers(pair):
    def replica():
        i = D.get_replica_context().replica_id_in_sync_group
        rows = tf.IndexedSlices(tf.ones([1, 2]) * number(), [i], [3, 2])
        c = D.get_replica_context()
        return tf.convert_to_tensor(c.all_reduce("MEAN", rows)), c.all_reduce("MEAN", i + 3)

    dense, mean = pair.run(replica)
    assert parts(pair, dense) == [[[0.5, 0.5], [1, 1], [0, 0]]] * 2
    assert parts(pair, mean) == [3.5, 3.5]


def test_merge_call(pair):
    def replica():
        def merged(strategy, x, scale):
            assert D.in_cross_replica_context()
            return strategy.reduce("SUM", x, axis=None) * scale, x

        return D.get_replica_context().merge_call(merged, args=(number(),), kwargs={"scale": 2.0})

    total, mine = pair.run(replica)
    assert float(total) == 6
    assert parts(pair, mine) == [1, 2]


def test_faults_of_replicas(pair):
    first = threading.active_count()

    def uneven():
        c = D.get_replica_context()
        return c.all_reduce("SUM", 1.0) if c.replica_id_in_sync_group == 0 else tf.constant(1.0)

    def late():
        c = D.get_replica_context()
        x = c.all_reduce("SUM", number())
        if c.replica_id_in_sync_group == 1:
            raise KeyError("late")
        return c.all_reduce("SUM", x)

    shapes = lambda: D.get_replica_context().all_reduce("SUM", tf.ones([int(number())]))  # noqa: E731
    for function, error in (
        (uneven, RuntimeError),
        (late, KeyError),
        (shapes, tf.errors.InvalidArgumentError),
        (lambda: pair.run(number), RuntimeError),
        (lambda: D.get_replica_context().all_reduce("MAX", 1.0), ValueError),
        (
            lambda: D.get_replica_context().all_reduce("SUM", tf.constant("a")),
            tf.errors.InvalidArgumentError,
        ),
    ):
        with pytest.raises(error):
            pair.run(function)
    assert threading.active_count() == first
    with pair.scope(), pytest.raises(RuntimeError, match="Mixing"), D.MirroredStrategy().scope():
        pass


def test_reduce_and_gather(pair):
    uneven = pair.run(lambda: tf.range(3.0 if number() == 1 else 1.0) + 1)
    assert float(pair.reduce("SUM", uneven, axis=0)) == 7
    assert float(pair.reduce("mean", uneven, axis=0)) == 1.75
    assert pair.gather(uneven, axis=0).numpy().tolist() == [1, 2, 3, 1]
    assert float(pair.reduce("MEAN", pair.run(number), axis=None)) == 1.5
    with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
        pair.reduce("SUM", uneven, axis=None)
    with pytest.raises(tf.errors.InvalidArgumentError, match="all axes but 1"):
        pair.gather(pair.run(lambda: tf.ones([int(number()), 1])), axis=1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="bool can't be summed"):
        pair.reduce("SUM", pair.run(lambda: number() > 1), axis=None)
    with pytest.raises(ValueError, match="non-DistributedValues"):
        pair.reduce("SUM", tf.constant(1.0), axis=None)


@pytest.mark.parametrize(
    ("aggregation", "assigned", "added"),
    [
        (NONE, [1, 2], [2, 4]),
        (SUM, [3, 3], [6, 6]),
        (MEAN, [1.5, 1.5], [3, 3]),
        (FIRST, [1, 1], [2, 2]),
    ],
)
def test_mirrored_variables(pair, aggregation, assigned, added):
    with pair.scope():
        v = tf.Variable(0.0, aggregation=aggregation, name="v")
    assert type(v).__name__ == "MirroredVariable"
    assert isinstance(v, D.DistributedValues)
    pair.run(lambda: v.assign(number()))
    assert parts(pair, v) == assigned
    pair.run(lambda: v.assign_add(number()))
    assert parts(pair, v) == added
    assert float(v) == added[0]
    assert [x.name for x in v.values] == ["v:0", "v/replica_1:0"]
    v.assign(5.0)
    assert parts(pair, pair.run(lambda: v + 1)) == [6, 6]


def test_variables_that_are_combined_when_read(pair, tmp_path):
    with pair.scope():
        made = {
            how: tf.Variable(
                0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=how
            )
            for how in (SUM, MEAN, FIRST)
        }
    for how, value in ((SUM, 3), (MEAN, 1.5), (FIRST, 1)):
        v = made[how]
        pair.run(lambda v=v: v.assign_add(number()))
        assert float(v) == value
        assert parts(pair, pair.run(v.read_value)) == [1, 2]
        v.assign(4.0)
        assert float(v) == 4
    with pytest.raises(ValueError, match="does not support `assign_add`"):
        made[SUM].assign_add(1.0)
    with pair.scope():
        on_read = tf.VariableSynchronization.ON_READ
        made["whole"] = tf.Variable(7, synchronization=on_read, aggregation=SUM)
    made["whole"].assign(5)
    assert parts(pair, made["whole"]) == [3, 2]
    saved = tf.train.Checkpoint(**{str(k): v for k, v in made.items()})
    path = saved.write(str(tmp_path / "saved"))
    pair.run(lambda: [v.assign(tf.cast(50 * number(), v.dtype)) for v in made.values()])
    saved.read(path)
    assert [parts(pair, v) for v in made.values()] == [[2, 2], [4, 4], [4, 4], [3, 2]]
    assert int(made["whole"]) == 5
    with pair.scope(), pytest.raises(ValueError, match="NONE"):
        tf.Variable(0.0, synchronization=tf.VariableSynchronization.NONE)


def test_what_variables_refuse(pair):
    with D.MirroredStrategy(["CPU:0", "CPU:1", "CPU:2"]).scope():
        other = tf.Variable(0.0, aggregation=SUM)
    on_read = tf.VariableSynchronization.ON_READ
    with pair.scope():
        mine = tf.Variable(tf.zeros(3), aggregation=MEAN)
        none = tf.Variable(0.0, synchronization=on_read)
        trained = tf.Variable(0.0, synchronization=on_read, trainable=True)
    assert (mine.synchronization, none.trainable, trained.trainable) == (
        tf.VariableSynchronization.ON_WRITE,
        False,
        True,
    )
    row = tf.IndexedSlices(tf.ones([1]), tf.constant([1]))
    with pytest.raises(RuntimeError, match="Mixing"):
        pair.run(lambda: other.assign_add(1.0))
    for change in (mine.scatter_update, mine.scatter_max, mine.scatter_min):
        with pytest.raises(NotImplementedError, match="ONLY_FIRST_REPLICA"):
            pair.run(change, args=(row,))
    with pytest.raises(ValueError, match=r"is set to `tf\.VariableAggregation\.NONE`"):
        none.assign(1.0)
    pair.run(lambda: mine.scatter_add(tf.IndexedSlices(number()[None], tf.constant([1]))))
    assert mine.numpy().tolist() == [0, 1.5, 0]


def test_a_generator_draws_other_numbers_in_each_replica(pair):
    with pair.scope():
        ours = tf.random.Generator.from_seed(3)
    alone = tf.random.Generator.from_seed(3)
    for _ in range(2):
        first, second = parts(pair, pair.run(lambda: ours.normal([])))
        assert first == float(alone.normal([]))
        assert first != second
    assert ours.state.numpy().tolist() == alone.state.numpy().tolist()


def test_many_steps_leave_nothing_behind(pair):
    with pair.scope():
        w = tf.Variable(tf.zeros(8), aggregation=MEAN)
        seen = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=SUM)

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w - x) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        seen.assign_add(1.0)
        return loss

    x = pair.run(lambda: tf.ones(8) * number())

    def steps(count):
        for _ in range(count):
            pair.reduce("SUM", pair.run(step, args=(x,)), axis=None)
        gc.collect()
        return sys.getallocatedblocks(), threading.active_count()

    blocks, threads = steps(100)
    more, left = steps(300)
    assert more - blocks < 300
    assert left == threads
    np.testing.assert_allclose(w, np.full(8, 1.5), rtol=1e-6)
    assert float(seen) == 800


def test_what_a_replica_makes_is_one_variable(pair):
    kept = []

    def replica():
        if len(kept) < 1:
            kept.append(tf.Variable(number()))
        return kept[0].assign_add(number())

    pair.run(replica)
    assert parts(pair, kept[0]) == [2, 3]
    first, second = pair.run(lambda: (tf.Variable(1.0), tf.Variable(2.0)))
    assert parts(pair, first) == [1, 1]
    assert parts(pair, second) == [2, 2]


def test_updates_run_once_where_all_replicas_agree(pair):
    with pair.scope():
        v = tf.Variable(1.0)
    calls = []

    def change(variable, x):
        calls.append(float(x))
        variable.assign_add(x)

    def replica():
        total = D.get_replica_context().all_reduce("SUM", number())
        pair.extended.update(v, change, args=(total,))

    pair.run(replica)
    assert (calls, float(v)) == ([3], 4)
    pair.extended.update(v, change, args=(pair.run(number),))
    assert parts(pair, v) == [5, 6]


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


def test_losses_know_the_replicas(pair):
    loss = tf.constant([1.0, 3.0])
    assert parts(pair, pair.run(lambda: tf.nn.compute_average_loss(loss))) == [1, 1]
    assert parts(pair, pair.run(lambda: tf.nn.scale_regularization_loss(loss))) == [2, 2]
    with pair.scope(), pytest.raises(RuntimeError, match="cross replica"):
        tf.nn.scale_regularization_loss(loss)


def test_cluster_resolvers(monkeypatch):
    resolvers = D.cluster_resolver
    monkeypatch.setenv(
        "TF_CONFIG",
        '{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}}',
    )
    found = resolvers.TFConfigClusterResolver()
    assert (found.task_type, found.task_id, found.master()) == ("worker", 1, "b:2")
    assert repr(found.cluster_spec()) == "ClusterSpec({'worker': ['a:1', 'b:2']})"
    monkeypatch.setenv("TF_CONFIG", '{"cluster": {"worker": ["a:1", "b:2"]}}')
    with pytest.raises(ValueError, match="task_type"):
        D.MultiWorkerMirroredStrategy()
    monkeypatch.delenv("TF_CONFIG")
    assert D.MultiWorkerMirroredStrategy().num_replicas_in_sync == 4
    with pytest.raises(TypeError, match="ClusterSpec"):
        resolvers.SimpleClusterResolver({"worker": ["a:1"]})


def test_cluster_spec():
    spec = tf.train.ClusterSpec({"worker": {1: "b:2", 0: b"a:1"}, "ps": {2: "c:3"}})
    assert spec.as_dict() == {"worker": ["a:1", "b:2"], "ps": {2: "c:3"}}
    assert repr(spec) == "ClusterSpec({'ps': {2: 'c:3'}, 'worker': ['a:1', 'b:2']})"
    assert spec.job_tasks("ps") == [None, None, "c:3"]
    assert spec == tf.train.ClusterSpec(spec)
    for wrong in (3, {"worker": 3}, {"worker": [3]}):
        with pytest.raises(TypeError):
            tf.train.ClusterSpec(wrong)
    with pytest.raises(ValueError, match="No such job in cluster: 'x'"):
        spec.num_tasks("x")


def test_a_staged_variable_of_a_strategy_has_its_value_again(pair):
    assert not tf.Variable(1.0)._replicated
    with pair.scope():
        v = tf.Variable([1.0, 2.0])
    assert v._replicated
    raw = v._primary()
    v._stage(np.float32([5.0, 6.0]))
    assert v._at_hand()[0] == 5.0
    np.testing.assert_array_equal(v._unstage(), [5.0, 6.0])
    assert v._primary() is raw
