"""How a later room provides what an earlier one has to reach."""

import pytest

from gradtape._src.core.extension_point import ExtensionPoint


def test_what_is_provided_is_found_and_returned():
    point = ExtensionPoint("sums")
    assert point.provided is None

    @point.provide
    def total(values):
        return sum(values)

    assert point.get() is point.provided is total


def test_what_is_provided_later_stands_in_the_earlier_ones_place():
    point = ExtensionPoint("sums")
    point.provide(min)
    point.provide(max)
    assert point.get() is max


def test_a_point_without_provider_says_what_it_is_for():
    with pytest.raises(RuntimeError, match="nothing has been provided for sums over replicas"):
        ExtensionPoint("sums over replicas").get()
