import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def _lengths(variable):
    return [part.shape.as_list() for part in variable]


def test_the_first_parts_are_the_longest_and_have_names_of_their_own(session):
    v = v1.get_variable("v", [5, 2], partitioner=v1.fixed_size_partitioner(3))
    assert [part.name for part in v] == ["v/part_0:0", "v/part_1:0", "v/part_2:0"]
    assert _lengths(v) == [[2, 2], [2, 2], [1, 2]]
    assert (v.name, v.shape.as_list(), v.dtype, len(v)) == ("v", [5, 2], tf.float32, 3)
    assert v1.trainable_variables() == v1.global_variables() == list(v)


def test_a_scope_divides_every_variable_that_is_no_scalar(session):
    with v1.variable_scope("s", partitioner=v1.fixed_size_partitioner(2)) as scope:
        assert len(v1.get_variable("v", [4])) == 2
        assert isinstance(v1.get_variable("w", []), tf.Variable)
        scope.set_partitioner(None)
        assert isinstance(v1.get_variable("u", [4]), tf.Variable)


def test_reads_concatenate_the_parts(session):
    first = np.arange(24.0).reshape(4, 6)
    v = v1.get_variable(
        "v", initializer=tf.constant(first), partitioner=v1.fixed_size_partitioner(3, 1)
    )
    session.run(v1.global_variables_initializer())
    np.testing.assert_array_equal(session.run(v.as_tensor()), first)
    np.testing.assert_array_equal(session.run(tf.reduce_sum(v, 0)), first.sum(0))
    one = v1.get_variable("one", [1, 2], partitioner=v1.fixed_size_partitioner(4))
    session.run(v1.global_variables_initializer())
    assert session.run(one.as_tensor()).shape == (1, 2)
    with pytest.raises(TypeError, match="has invalid type"):
        session.run(v)


def test_values_are_divided_when_they_are_assigned(session):
    v = v1.get_variable("v", [5], partitioner=v1.fixed_size_partitioner(2))
    w = v1.get_variable("w", [5], partitioner=v1.fixed_size_partitioner(2))
    session.run(v1.global_variables_initializer())
    session.run(v.assign(np.arange(5, dtype=np.float32)))
    session.run(w.assign(v))
    session.run(v.assign_add(np.ones(5, np.float32)))
    session.run(v.assign_sub([10 * tf.ones(3), tf.zeros(2)], read_value=False))
    assert session.run(v.as_tensor()).tolist() == [-9, -8, -7, 4, 5]
    assert session.run(w.as_tensor()).tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="3 parts"):
        v.assign([1.0, 2.0, 3.0])


def test_gradients_reach_the_parts_and_optimizers_update_them(session):
    v = v1.get_variable(
        "v", [5], partitioner=v1.fixed_size_partitioner(2), initializer=v1.ones_initializer()
    )
    loss = tf.reduce_sum(v.as_tensor() ** 2 * [1.0, 2.0, 3.0, 4.0, 5.0])
    session.run(v1.global_variables_initializer())
    assert [x.tolist() for x in session.run(tf.gradients(loss, list(v)))] == [[2, 4, 6], [8, 10]]
    step = v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    session.run(v1.global_variables_initializer())
    session.run(step)
    np.testing.assert_allclose(session.run(v.as_tensor()), [0.8, 0.6, 0.4, 0.2, 0.0], atol=1e-6)


def test_variables_are_used_again_with_all_their_parts(session):
    halves = v1.fixed_size_partitioner(2)
    v = v1.get_variable("v", [4, 2], partitioner=halves)
    v1.get_variable("u", [4])
    with pytest.raises(ValueError, match="already exists"):
        v1.get_variable("v", [4, 2], partitioner=halves)
    with pytest.raises(ValueError, match="partitioned version of the variable was found"):
        v1.get_variable("v", [4, 2])
    with pytest.raises(ValueError, match="unpartitioned version of the variable was found"):
        v1.get_variable("u", [4], partitioner=halves)
    with v1.variable_scope("", reuse=True):
        assert v1.get_variable("v", [4, 2]) is v
        assert v1.get_variable("v/part_0", [2, 2]) is next(iter(v))
        with pytest.raises(ValueError, match=r"partitions \[3, 1\] and found partitions \[2, 1\]"):
            v1.get_variable("v", [4, 2], partitioner=v1.fixed_size_partitioner(3))
        with pytest.raises(ValueError, match=r"shape \(4, 3\) and found shape \(4, 2\)"):
            v1.get_variable("v", [4, 3], partitioner=halves)
        with pytest.raises(ValueError, match="dtype float64 and found dtype float32"):
            v1.get_variable("v", [4, 2], tf.float64, partitioner=halves)
        with pytest.raises(ValueError, match="PartitionedVariable w does not exist"):
            v1.get_variable("w", [4, 2], partitioner=halves)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([2, 2], "Can only slice a variable along one dimension"),
        ([2], "does not match the Variable's rank"),
        ([0, 1], "zero partitions"),
        (3, "must return a sequence"),
    ],
)
def test_partitioners_that_answer_wrongly(session, answer, message):
    with pytest.raises(ValueError, match=message):
        v1.get_variable("v", [4, 6], partitioner=lambda shape, dtype: answer)


def test_what_a_partitioner_may_be(session):
    with pytest.raises(ValueError, match="must be callable"):
        v1.get_variable("v", [4], partitioner=2)
    with pytest.raises(ValueError, match="must be fully defined"):
        v1.get_variable("v", partitioner=v1.fixed_size_partitioner(2), initializer=np.ones(4))


def test_initializers_are_told_the_place_in_the_whole(session):
    halves, seen = v1.fixed_size_partitioner(2), []

    def initializer(shape, dtype, partition_info):
        seen.append((shape, partition_info.full_shape, partition_info.single_offset(shape)))
        return tf.zeros(shape, dtype)

    v1.get_variable("v", [5, 2], partitioner=halves, initializer=initializer)
    assert seen == [([3, 2], [5, 2], 0), ([2, 2], [5, 2], 3)]
    eye = v1.get_variable("e", [4, 3], partitioner=halves, initializer=v1.initializers.identity())
    fans = v1.initializers.variance_scaling(1.0, "fan_in", "uniform")
    large = v1.get_variable("l", [10000, 2], partitioner=halves, initializer=fans)
    session.run(v1.global_variables_initializer())
    np.testing.assert_array_equal(session.run(eye.as_tensor()), np.eye(4, 3))
    assert 0.0172 < np.abs(session.run(large.as_tensor())).max() <= np.sqrt(3 / 10000)


def test_rows_are_looked_up_in_the_parts(session):
    first = np.arange(10, dtype=np.float32).reshape(5, 2)
    v = v1.get_variable(
        "v", initializer=tf.constant(first), partitioner=v1.fixed_size_partitioner(2)
    )
    session.run(v1.global_variables_initializer())
    found = v1.nn.embedding_lookup(v, [4, 0], partition_strategy="div")
    np.testing.assert_array_equal(session.run(found), first[[4, 0]])
    np.testing.assert_array_equal(session.run(tf.nn.embedding_lookup(v, [4, 0])), first[[4, 0]])
    # Row i is row i // 2 of part i % 2.
    np.testing.assert_array_equal(session.run(v1.nn.embedding_lookup(v, [1, 2])), first[[3, 1]])
    gradient = tf.gradients(tf.reduce_sum(found), list(v))
    dense = [session.run(tf.convert_to_tensor(x)) for x in gradient]
    assert [x[:, 0].tolist() for x in dense] == [[1, 0, 0], [0, 1]]


def test_eager_variables_have_parts_too():
    v = v1.get_variable("v", [4, 2], partitioner=v1.fixed_size_partitioner(2))
    assert [part.name for part in v] == ["v/part_0:0", "v/part_1:0"]
    assert v.as_tensor().shape == (4, 2)


def test_partitioners_count_bytes():
    shape = tf.TensorShape([300, 20])
    by_size = v1.variable_axis_size_partitioner
    assert by_size(800)(shape=shape, dtype=tf.float32) == [30, 1]
    assert by_size(800, axis=1)(shape=shape, dtype=tf.float32) == [1, 20]
    assert by_size(800, max_shards=3)(shape=shape, dtype=tf.float32) == [3, 1]
    assert by_size(800)(shape=shape, dtype=tf.string) == [150, 1]
    limited = v1.min_max_variable_partitioner(max_partitions=10, min_slice_size=8000)
    assert limited(shape=shape, dtype=tf.float32) == [3, 1]
    assert limited(shape=shape, dtype=tf.float64) == [6, 1]
    for wrong in (lambda: by_size(0), lambda: by_size(9, max_shards=0)):
        with pytest.raises(ValueError, match="must be positive"):
            wrong()
    with pytest.raises(ValueError, match="not fully defined"):
        by_size(9)(shape=tf.TensorShape([None, 2]), dtype=tf.float32)


def test_the_parts_of_a_new_variable(session):
    parts = v1.create_partitioned_variables([2, 4], [1, 2], v1.ones_initializer(), name="v")
    assert [part.name for part in parts] == ["v/part_0:0", "v/part_1:0"]
    assert _lengths(parts) == [[2, 2], [2, 2]]
