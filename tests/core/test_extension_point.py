"""Extension points, by which a later room provides objects to an earlier one."""

import pytest

from gradtape._src.core.extension_point import ExtensionPoint, Wrappings, wrappable


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


class Base:
    def inherited(self):
        return "inherited"


@wrappable("own", "inherited")
class Owner(Base):
    def own(self):
        return "own"

    def other(self):
        return "other"


def in_brackets(original):
    return lambda self: f"({original(self)})"


def test_wrapped_functions_come_back_in_turn():
    before = dict(vars(Owner))
    inner, outer = Wrappings(), Wrappings()
    inner.wrap(Owner, "own", in_brackets)
    inner.wrap(Owner, "inherited", in_brackets)
    outer.wrap(Owner, "own", in_brackets)
    assert (Owner().own(), Owner().inherited()) == ("((own))", "(inherited)")
    assert Base().inherited() == "inherited"
    outer.undo()
    assert Owner().own() == "(own)"
    inner.undo()
    assert dict(vars(Owner)) == before


@pytest.mark.parametrize(("owner", "name"), [(Owner, "other"), (Base, "inherited")])
def test_what_is_not_declared_is_not_wrapped(owner, name):
    with pytest.raises(AttributeError, match=f"{owner.__name__} does not declare that '{name}'"):
        Wrappings().wrap(owner, name, in_brackets)
