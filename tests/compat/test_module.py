"""Modules find the variables and modules among their attributes."""

import collections
import copy
import pickle

import pytest

from gradtape._src.base.name_scope import name_scope
from gradtape._src.compat.module import Module
from gradtape._src.core.variable import Variable


class Child(Module):
    def __init__(self, value=1.0, name=None):
        super().__init__(name=name)
        self.w = Variable(value, name="w")
        self.f = Variable(-value, trainable=False)


def values(variables):
    return [float(v.numpy()) for v in variables]


def model():
    m = Module()
    m.b = Variable(1.0)
    m.a = Variable(2.0)
    m.c = Child(3.0)
    m.z = {"k": [Child(4.0)], "a": Variable(5.0)}
    m._hidden = Variable(9.0)
    m.t = (Variable(10.0), (1, Variable(11.0)))
    m.same = m.a
    m.loop = m
    m.c.parent = m
    return m


def test_own_variables_come_first_in_the_order_of_attribute_names():
    m = model()
    assert values(m.variables) == [9, 2, 1, 10, 11, 5, -3, 3, -4, 4]
    assert values(m.trainable_variables) == [9, 2, 1, 10, 11, 5, 3, 4]
    assert values(m.non_trainable_variables) == [-3, -4]
    assert isinstance(m.variables, tuple)


def test_submodules_without_the_module_itself():
    m = model()
    assert m.submodules == (m.c, m.z["k"][0])


def test_dictionaries_are_ordered_by_key_and_names_as_text():
    m = Module()
    m.x10, m.x9 = Variable(10.0), Variable(9.0)
    m.d = {"b": Variable(2.0), "a": Variable(1.0)}
    m.o = collections.OrderedDict(z=Variable(4.0), y=Variable(3.0))
    m.l = [Variable(float(i)) for i in range(20, 32)]
    assert values(m.variables) == [1, 2, *range(20, 32), 3, 4, 10, 9]


def test_keys_without_an_order():
    m = Module()
    m.k = {1: Variable(1.0), "a": Variable(2.0)}
    with pytest.raises(ValueError, match=r"Error processing property 'k' of {1: "):
        _ = m.variables


@pytest.mark.parametrize(
    ("cls", "name"),
    [
        ("MyDense2D", "my_dense2_d"),
        ("ABCThing", "abc_thing"),
        ("HTTPServer", "http_server"),
        ("conv2D", "conv2_d"),
        ("_Private", "__private"),
        ("A", "a"),
    ],
)
def test_the_name_comes_from_the_class(cls, name):
    module = type(cls, (Module,), {})()
    assert (module.name, module.name_scope.name) == (name, f"{name}/")


@pytest.mark.parametrize("name", ["a b", "1a", "a/b", "a-b", "a.b", "", "\xe4"])
def test_names_are_identifiers(name):
    with pytest.raises(ValueError, match=r"is not a valid module name. Module names must be valid"):
        Module(name)


def test_a_name_is_a_string():
    with pytest.raises(TypeError, match="must be a string, got 3"):
        Module(3)


def test_name_scopes():
    class Layer(Module):
        def __init__(self):
            super().__init__(name="layer")
            with self.name_scope:
                self.a = Variable(1.0, name="a")
            self.b = Variable(1.0, name="b")

        @Module.with_name_scope
        def __call__(self, x):
            """Make a variable."""
            with name_scope("inner"):
                self.c = Variable(x, name="c")
            return x

    with name_scope("outer"):
        layer = Layer()
    assert layer(2.0) == 2.0
    assert [v.name for v in (layer.a, layer.b, layer.c)] == [
        "outer/layer/a:0",
        "outer/b:0",
        "outer/layer/inner/c:0",
    ]
    assert Layer.__call__.__doc__ == "Make a variable."


def test_without_the_base_class_constructor():
    class Hasty(Module):
        def __init__(self):
            self.v = Variable(1.0)

    assert values(Hasty().variables) == [1.0]
    with pytest.raises(AttributeError, match="_name"):
        _ = Hasty().name


def test_ignored_attributes():
    class Partial(Module):
        _TF_MODULE_IGNORED_PROPERTIES = frozenset({"q"}) | Module._TF_MODULE_IGNORED_PROPERTIES

    m = Partial()
    m.q, m.r = Variable(1.0), Variable(2.0)
    assert values(m.variables) == [2.0]


def is_variable(leaf):
    return isinstance(leaf, Variable)


def test_flatten_with_paths():
    paths = [path for path, _ in model()._flatten(predicate=is_variable, with_path=True)]
    assert paths[:8] == [
        ("_hidden",),
        ("a",),
        ("b",),
        ("same",),
        ("t", 0),
        ("t", 1, 1),
        ("z", "a"),
        ("c", "f"),
    ]
    assert ("c", "parent", "a") in paths
    assert ("loop", "t", 0) in paths
    assert ("z", "k", 0, "w") in paths
    assert ("c", "parent", "c", "w") not in paths


def test_flatten_options():
    m = model()
    own = list(m._flatten(recursive=False, predicate=is_variable))
    assert values(own) == [9, 2, 1, 10, 11, 5]
    last_first = m._flatten(
        recursive=False,
        predicate=is_variable,
        attribute_traversal_key=lambda name: [-ord(c) for c in name],
    )
    assert values(last_first)[0] == 5
    assert "module" in list(m._flatten(predicate=lambda leaf: isinstance(leaf, str)))
    point = collections.namedtuple("point", "x y")  # noqa: PYI024
    m = Module()
    m.p = point(Variable(1.0), Variable(2.0))
    paths = [path for path, _ in m._flatten(predicate=is_variable, with_path=True)]
    assert paths == [("p", "x"), ("p", "y")]


def test_copies():
    m = model()
    for twin in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert values(twin.variables) == values(m.variables)
        assert twin.loop is twin
        assert twin.a is not m.a


def test_other_properties_do_not_read_an_overridden_one():
    class Refuses(Module):
        @property
        def variables(self):
            raise ValueError("no variables yet")

    m = Refuses()
    m.w, m.fixed = Variable(1.0), Variable(2.0, trainable=False)
    assert m.trainable_variables == (m.w,)
    assert m.non_trainable_variables == (m.fixed,)
