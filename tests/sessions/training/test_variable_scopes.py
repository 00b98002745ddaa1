import threading

import pytest

import gradtape as tf
from gradtape.compat import v1


def test_scopes_name_variables_and_hand_on_their_defaults():
    with v1.variable_scope("a", dtype="float64", initializer="ones") as outer:
        assert (outer.name, outer.original_name_scope) == ("a", "a/")
        assert v1.get_variable_scope() is outer
        assert tf.Variable(1.0).name == "a/Variable:0"
        with v1.variable_scope("b") as inner:
            assert (inner.name, inner.dtype, inner.initializer) == ("a/b", tf.float64, "ones")
            assert tf.Variable(1.0).name == "a/b/Variable:0"
        with v1.variable_scope("b", auxiliary_name_scope=False) as inner:
            assert (inner.name, inner.original_name_scope) == ("a/b", "a/")
        with v1.variable_scope(outer) as again:
            assert (again.name, again.original_name_scope) == ("a", "a/")
    assert v1.get_variable_scope().name == ""


def test_default_names_are_numbered():
    names = []
    for _ in range(2):
        with v1.variable_scope(None, default_name="numbered") as scope:
            names.append(scope.name)
    assert names == ["numbered", "numbered_1"]


@pytest.mark.parametrize("name", [None, 3])
def test_what_is_no_name(name):
    with pytest.raises(TypeError, match="name_or_scope"), v1.variable_scope(name):
        pass


def test_a_scope_is_left_when_its_block_fails():
    with pytest.raises(RuntimeError, match="stop"), v1.variable_scope("left"):
        raise RuntimeError("stop")
    assert v1.get_variable_scope().name == ""


def test_each_thread_has_scopes_of_its_own():
    found = []
    with v1.variable_scope("mine"):
        thread = threading.Thread(target=lambda: found.append(v1.get_variable_scope().name))
        thread.start()
        thread.join()
    assert found == [""]


def test_caching_devices_are_for_functions():
    with v1.variable_scope("device") as scope, pytest.raises(NotImplementedError, match="eager"):
        scope.set_caching_device("cpu")
    seen = []

    @tf.function
    def run():
        with v1.variable_scope("device", caching_device="cpu") as scope:
            seen.append(scope.caching_device)
        return tf.constant(1)

    run()
    assert seen == ["cpu"]


def test_scopes_that_are_made_by_hand():
    with tf.Graph().as_default():
        zeros = v1.zeros_initializer()
        made = v1.VariableScope(v1.AUTO_REUSE, "by_hand", zeros, dtype=tf.float64)
        for _ in range(2):
            with v1.variable_scope(made):
                w = v1.get_variable("w", [2])
        assert (w.name, w.dtype, made.reuse) == ("by_hand/w:0", tf.float64, v1.AUTO_REUSE)
    assert v1.VariableScope(False).reuse is v1.AUTO_REUSE
