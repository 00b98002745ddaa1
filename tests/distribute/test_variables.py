"""Variables of several replicas."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.compute import devices

D = tf.distribute
NONE, SUM, MEAN, FIRST = tf.VariableAggregation


@pytest.fixture(autouse=True)
def _four_processors(monkeypatch):
    monkeypatch.setattr(devices, "requested_processors", [4])


@pytest.fixture
def pair():
    return D.MirroredStrategy(["CPU:0", "CPU:1"])


def number():
    return tf.cast(D.get_replica_context().replica_id_in_sync_group + 1, tf.float32)


def parts(strategy, value):
    return [np.asarray(x).tolist() for x in strategy.experimental_local_results(value)]


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


def test_creators_are_asked_for_the_variables_of_a_strategy(monkeypatch):
    monkeypatch.setattr(devices, "requested_processors", [2])
    strategy = D.MirroredStrategy(["CPU:0", "CPU:1"])
    made = []

    def keep(next_creator, **kwargs):
        made.append(next_creator(**kwargs))
        return made[-1]

    with strategy.scope(), tf.variable_creator_scope(keep):
        v = tf.Variable(1.0)
    assert v is made[0]
    assert strategy.extended.variable_created_in_scope(v)


def test_one_replica_has_mirrored_variables_too():
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        v = tf.Variable(1.0)
    strategy.run(lambda: v.assign_add(2.0))
    assert type(v).__name__ == "MirroredVariable"
    assert [x.numpy() for x in v.values] == [x.numpy() for x in v._values] == [3]
    assert v.synchronization is tf.VariableSynchronization.ON_WRITE
