"""Values with a part for each replica."""

import pytest

import gradtape as tf
from gradtape._src.distribute.values import Mirrored, PerReplica, part_of, regroup, same

A, B = tf.constant([1.0]), tf.constant([2.0])


def test_parts_stand_in_the_order_of_the_replicas():
    value = PerReplica([A, B])
    assert value.values == (A, B)
    assert "0" in repr(value)
    assert isinstance(value, tf.distribute.DistributedValues)


def test_arguments_are_taken_apart():
    arguments = {"x": PerReplica([A, B]), "k": 3, "l": [PerReplica([1, 2])]}
    assert part_of(0, arguments, 2) == {"x": A, "k": 3, "l": [1]}
    assert part_of(1, arguments, 2)["x"] is B
    with pytest.raises(ValueError, match="replicas"):
        part_of(0, arguments, 3)


def test_results_are_merged():
    merged = regroup([{"y": A, "n": 5}, {"y": B, "n": 5}])
    assert merged["y"].values == (A, B)
    shared = tf.Variable(1.0)
    assert regroup([(shared, A), (shared, B)])[0] is shared
    assert regroup([[A], [A]])[0] is A or same(regroup([[A], [A]])[0])
    with pytest.raises(AssertionError):
        regroup([{"y": A}, {"z": B}])


def test_mirrored_values_are_the_same_everywhere():
    assert same(Mirrored([A, A]))
    assert not same(PerReplica([A, B]))


def test_specs():
    spec = PerReplica([A, B])._type_spec
    assert spec == PerReplica([B, A])._type_spec
    assert hash(spec) == hash(PerReplica([B, A])._type_spec)
    assert spec.is_compatible_with(PerReplica([A, A]))
    assert not spec.is_compatible_with(PerReplica([A]))
    assert spec.value_type is PerReplica


def test_a_value_of_several_parts_is_no_tensor():
    with pytest.raises((ValueError, TypeError)):
        tf.convert_to_tensor(PerReplica([A, B]))
