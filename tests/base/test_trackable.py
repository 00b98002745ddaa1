"""Parts of objects by name, and parts that arrive after the checkpoint that holds them."""

import copy
import pickle

import pytest

import gradtape as tf
from gradtape._src.base.trackable import (
    DictWrapper,
    ListWrapper,
    Trackable,
    is_trackable,
    parts_of,
    wrapped,
)


class Restored:
    """Records the parts that are added."""

    def __init__(self):
        self.added = []

    def arrived(self, node, part):
        self.added.append((node, part))


def test_lists_and_dictionaries_are_wrapped_and_all_else_stays():
    assert type(wrapped([1])) is ListWrapper
    assert type(wrapped({"a": 1})) is DictWrapper
    assert type(wrapped([{"a": []}])[0]["a"]) is ListWrapper
    value = (1, [2])
    assert wrapped(value) is value


@pytest.mark.parametrize("value", [Trackable(), [], {}, (1, []), tf.Module(), tf.Variable(1.0)])
def test_what_can_be_a_part(value):
    assert is_trackable(value)


@pytest.mark.parametrize("value", [1, "a", None, (1, 2), tf.constant(1.0)])
def test_what_can_be_no_part(value):
    assert not is_trackable(value)


def test_a_tracked_part_is_found_by_its_name():
    owner, part = Trackable(), Trackable()
    assert owner._track_trackable(part, "part") is part
    assert parts_of(owner) == {"part": part}
    assert owner._lookup_dependency("part") is part
    assert owner._lookup_dependency("other") is None
    with pytest.raises(ValueError, match="already declared"):
        owner._track_trackable(Trackable(), "part")
    with pytest.raises(TypeError, match="Got type <class 'int'>"):
        owner._track_trackable(1, "number")
    assert parts_of(Trackable()) == {}


def test_a_part_that_arrives_is_told_to_the_checkpoint_once():
    owner, part, restored = Trackable(), Trackable(), Restored()
    owner._defer("part", restored, 3)
    owner._track_trackable(Trackable(), "other")
    assert restored.added == []
    owner._track_trackable(part, "part")
    owner._track_trackable(part, "part")
    assert restored.added == [(3, part)]


def test_checkpoints_that_wait_are_told_in_order():
    owner, part, first, second = Trackable(), Trackable(), Restored(), Restored()
    owner._defer("part", first, 1)
    owner._defer("part", second, 2)
    owner._track_trackable(part, "part")
    assert (first.added, second.added) == ([(1, part)], [(2, part)])


@pytest.mark.parametrize("put", ["append", "extend", "insert", "+="])
def test_a_list_tells_of_what_is_put_into_it(put):
    owner, part, restored = ListWrapper(), Trackable(), Restored()
    owner._defer("0", restored, 5)
    owner._defer("1", restored, 6)
    if put == "append":
        owner.append(part)
    elif put == "extend":
        owner.extend([part])
    elif put == "insert":
        owner.insert(0, part)
    else:
        owner += [part]
    assert restored.added == [(5, part)]


@pytest.mark.parametrize("put", ["item", "update", "setdefault", "|="])
def test_a_dictionary_tells_of_what_is_put_into_it(put):
    owner, part, restored = DictWrapper(), Trackable(), Restored()
    owner._defer("a", restored, 5)
    if put == "item":
        owner["a"] = part
    elif put == "update":
        owner.update(a=part)
    elif put == "setdefault":
        assert owner.setdefault("a", part) is part
    else:
        owner |= {"a": part}
    assert restored.added == [(5, part)]


def test_a_module_tells_of_attributes_and_shows_no_state_of_its_own():
    module, restored = tf.Module(), Restored()
    module._defer("part", restored, 4)
    module.part = part = tf.Variable(1.0)
    assert restored.added == [(4, part)]
    assert set(parts_of(module)) == {"part"}
    assert module.variables == (part,)


def test_wrapped_containers_are_copied_and_pickled():
    for value in (ListWrapper([1, [2]]), DictWrapper({"a": {"b": 1}})):
        for again in (copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert again == value
            assert type(again) is type(value)


def test_a_dictionary_with_a_part_under_a_number_is_refused():
    with pytest.raises(ValueError, match="under the key 1"):
        parts_of({1: Trackable()})
