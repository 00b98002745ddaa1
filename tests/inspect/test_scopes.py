"""The layers in which operations ran, as scopes have noted them."""

import threading

import gradtape as tf
from gradtape._src.base import name_scope
from gradtape._src.inspect.scopes import ScopeHistory


def test_each_entry_of_a_scope_is_told_apart():
    history = ScopeHistory([(0, ""), (3, "a/"), (6, "a/b/"), (8, "a/"), (9, "a/b/"), (12, "")])
    assert history.at(2) == ()
    assert history.at(4) == (("a", 3),)
    assert history.at(7) == (("a", 3), ("b", 6))
    assert history.at(10) == (("a", 3), ("b", 9))
    assert history.at(20) == ()


def test_what_came_before_the_notes_is_unknown():
    assert ScopeHistory([]).at(5) == ()
    assert ScopeHistory([(10, "a/")]).at(5) == ()


def scopes(compute):
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape(persistent=True) as tape:
        y = compute(x)
    return [op.scope for op in tape.graph(y).recording.operations]


def test_operations_are_in_the_scopes_in_which_they_ran():
    def compute(x):
        with tf.name_scope("a"):
            x = tf.sin(x)
            with tf.name_scope("b"):
                x = tf.cos(x)
            x = tf.exp(x)
        return x * 2.0

    assert scopes(compute) == ["a", "a/b", "a", ""]


def test_modules_with_name_scopes_are_scopes():
    class Scale(tf.Module):
        @tf.Module.with_name_scope
        def __call__(self, x):
            return x * 2.0

    assert scopes(lambda x: tf.sin(Scale(name="scale")(x))) == ["scale", ""]


def test_variables_tell_if_no_scope_was_opened():
    def in_a_thread():
        kernel = tf.Variable(2.0, name="dense/kernel")
        bias = tf.Variable(1.0, name="dense/bias")
        found.extend(scopes(lambda x: tf.exp(tf.sin(x * kernel) + bias)))

    found = []
    thread = threading.Thread(target=in_a_thread)  # whose scopes nobody has ever opened
    thread.start()
    thread.join()
    assert found == ["dense", "dense", "dense", ""]


def test_the_last_notes_are_kept():
    for _ in range(10_000):
        with tf.name_scope("many"):
            pass
    history = name_scope.history()
    assert len(history) == 16_384
    assert history[-1][1] == name_scope.current()
