"""Scopes in front of variables' names."""

import threading

import pytest

import gradtape as tf
from gradtape._src.base.name_scope import current, name_scope
from gradtape._src.core.variable import Variable


def test_scopes_nest():
    with name_scope("a") as a, name_scope("b") as b:
        assert (a, b, current()) == ("a/", "a/b/", "a/b/")
        assert Variable(1.0).name == "a/b/Variable:0"
        assert Variable(1.0, name="v").name == "a/b/v:0"
    assert current() == ""


@pytest.mark.parametrize(
    ("name", "scope"),
    [("b/", "b/"), ("", ""), ("b", "a/b/"), ("a b", "a/a b/"), ("x//y", "a/x//y/"), ("/", "/")],
)
def test_a_trailing_slash_starts_anew(name, scope):
    with name_scope("a"), name_scope(name) as entered:
        assert entered == scope


def test_a_scope_can_be_entered_again():
    scope = name_scope("a")
    with scope as once, scope as twice:
        assert (once, twice) == ("a/", "a/a/")
    assert scope.name == "a"


def test_an_exception_leaves_the_scope():
    with pytest.raises(KeyError), name_scope("a"):
        raise KeyError
    assert current() == ""


@pytest.mark.parametrize("name", [None, 3])
def test_a_name_is_a_string(name):
    with pytest.raises(ValueError, match="name for name_scope must be a string"):
        name_scope(name)


def test_threads_have_their_own_scopes():
    seen = []
    with name_scope("a"):
        thread = threading.Thread(target=lambda: seen.append(current()))
        thread.start()
        thread.join()
    assert seen == [""]


def test_the_current_scope():
    assert tf.get_current_name_scope() == ""
    with tf.name_scope("a"), tf.name_scope("b"):
        assert tf.get_current_name_scope() == "a/b"
