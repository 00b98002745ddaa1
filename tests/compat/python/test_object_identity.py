"""Collections that compare elements by identity."""

import gc

import pytest

import gradtape as tf
from gradtape._src.compat.python import object_identity as by_identity

DICTIONARIES = [
    by_identity.ObjectIdentityDictionary,
    by_identity.ObjectIdentityWeakKeyDictionary,
]
SETS = [by_identity.ObjectIdentitySet, by_identity.ObjectIdentityWeakSet]


@pytest.mark.parametrize("kind", DICTIONARIES)
def test_dictionaries(kind):
    x, y = tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0])
    found = kind([(x, "x")])
    found[y] = "y"
    assert (found[x], found[y], len(found)) == ("x", "y", 2)
    assert [key is x for key in found] == [True, False]
    del found[x]
    assert x not in found
    with pytest.raises(KeyError):
        found[x]
    with pytest.raises(KeyError):
        del found[x]
    assert found.pop(y) == "y"


@pytest.mark.parametrize("kind", SETS)
def test_sets(kind):
    x, y, z = tf.Variable(1.0), tf.Variable(1.0), tf.Variable(1.0)
    found = kind([x, y, x])
    assert len(found) == 2
    assert z not in found
    found.update([z])
    found.discard(x)
    found.discard(x)
    assert {id(v) for v in found} == {id(y), id(z)}
    assert list(found.intersection([x, y])) == [y]
    assert len(found.difference([y])) == 1
    assert len(kind()) == 0
    with pytest.raises(KeyError):
        found.remove(x)


def test_weak_collections_drop_what_is_not_used():
    x = tf.Variable(1.0)
    known = by_identity.ObjectIdentityWeakKeyDictionary([(x, 1)])
    kept = by_identity.ObjectIdentityWeakSet([x])
    assert (len(known), len(kept)) == (1, 1)
    del x
    gc.collect()
    assert (len(known), len(kept)) == (0, 0)
