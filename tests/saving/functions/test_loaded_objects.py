"""The objects of a loaded model."""

import pytest

import gradtape as tf
from gradtape._src.messages import protos
from gradtape._src.messages.reading import DecodeError
from gradtape._src.saving.functions.loaded_objects import (
    SignatureMap,
    UserObject,
    loaded_objects,
    set_part,
)


def user(identifier="_generic_user_object", **parts):
    children = [{"local_name": name, "node_id": n} for name, n in parts.items()]
    return protos.SavedObject(user_object={"identifier": identifier}, children=children)


def loaded(*nodes, variables=None, made=lambda _: None):
    return loaded_objects(nodes, variables or {}, made)


def test_objects_have_their_parts():
    nodes = [
        user(v=1, items=2, named=3, signatures=4),
        protos.SavedObject(variable={}),
        user("trackable_list_wrapper", **{"1": 1}),
        user("trackable_dict_wrapper", a=1),
        user("signature_map", serve=5),
        protos.SavedObject(function={}),
    ]
    v = tf.Variable(1.0)
    root = loaded(*nodes, variables={1: v}, made=lambda n: len if n == 5 else None)[0]
    assert root.v is v
    assert list(root.items) == [None, v]
    assert root.named["a"] is v
    assert isinstance(root.signatures, SignatureMap)
    assert root.signatures["serve"] is len


def test_objects_are_called():
    root = loaded(user(__call__=1), protos.SavedObject(), made=lambda n: abs if n else None)[0]
    assert root(-3) == 3
    with pytest.raises(TypeError, match="can't be called"):
        UserObject()()


def test_damage():
    with pytest.raises(DecodeError, match="missing part"):
        loaded(user(a=7))
    with pytest.raises(DecodeError, match="of the name '__class__'"):
        set_part(UserObject(), "__class__", 1)
    with pytest.raises(DecodeError, match="a list has"):
        loaded(user(a=1), user("trackable_list_wrapper", **{str(1 << 40): 0}))
