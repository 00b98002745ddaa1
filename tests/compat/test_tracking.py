"""Values that objects track as their parts when an attribute is set."""

import gradtape as tf
from gradtape._src.compat.tracking import (
    NoDependency,
    no_automatic_dependency_tracking_scope,
    sticky_attribute_assignment,
)


def test_a_value_becomes_a_part():
    owner, weight = tf.Module(), tf.Variable(1.0)
    assert sticky_attribute_assignment(owner, "w", weight) is weight
    assert owner._lookup_dependency("w") is weight
    held = sticky_attribute_assignment(trackable=owner, name="held", value=[weight])
    assert held == [weight]
    assert type(held).__name__ == "ListWrapper"


def test_other_values_are_no_parts():
    owner, held = tf.Module(), [1]
    assert sticky_attribute_assignment(owner, "n", 5) == 5
    assert sticky_attribute_assignment(owner, "h", NoDependency(held)) is held
    assert owner._lookup_dependency("n") is owner._lookup_dependency("h") is None


def test_a_scope_without_tracking():
    owner = tf.Module()
    with no_automatic_dependency_tracking_scope(owner):
        owner.held = [1]
        owner.weight = tf.Variable(1.0)
    assert type(owner.held) is list
    assert owner._trackable_children() == {}
    owner.other = tf.Variable(2.0)
    assert list(owner._trackable_children()) == ["other"]
