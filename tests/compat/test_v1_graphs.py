import threading

import pytest

import gradtape as tf
from gradtape.compat import v1


def test_the_default_graph_is_that_of_the_function_that_is_traced():
    outside = v1.get_default_graph()
    assert outside is v1.get_default_graph()
    assert not outside.building_function
    assert outside.get_operations() == []
    seen = []

    @tf.function
    def run(x):
        graph = v1.get_default_graph()
        seen.append((graph, graph.unique_name("mul"), graph.building_function))
        return x * 2

    run(tf.constant(1.0))
    ((graph, name, building),) = seen
    assert graph is not outside
    assert building
    assert name == "mul"
    assert v1.get_default_graph() is outside


def test_unique_names():
    graph = v1.get_default_graph()
    first = graph.unique_name("thing")
    following = graph.unique_name("thing", mark_as_used=False)
    assert first != following
    assert graph.unique_name("thing") == following
    assert graph.unique_name("thing") != following


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
