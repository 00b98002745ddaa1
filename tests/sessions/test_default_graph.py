import threading

import pytest

import gradtape as tf
from gradtape.compat import v1


@pytest.fixture(autouse=True)
def _eager_again():
    yield
    v1.enable_eager_execution()
    v1.reset_default_graph()


def test_the_default_graph_is_that_of_the_function_that_is_traced():
    v1.reset_default_graph()  # others may have added operations
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


def test_without_eager_execution_operations_become_a_part_of_the_default_graph():
    v1.disable_eager_execution()
    assert not tf.executing_eagerly()
    x = v1.placeholder(tf.float32, [])
    y = x * 3.0
    assert y.graph is v1.get_default_graph()
    with v1.Session() as session:
        assert session.run(y, {x: 2.0}) == 6.0
    v1.enable_eager_execution()
    assert tf.executing_eagerly()


def test_a_new_default_graph_has_no_operations():
    v1.disable_eager_execution()
    tf.constant(1.0)
    before = v1.get_default_graph()
    v1.reset_default_graph()
    assert v1.get_default_graph() is not before
    assert tf.constant(2.0).name == "Const:0"
    assert not tf.executing_eagerly()


def test_a_graph_in_whose_block_a_program_is_stays():
    with tf.Graph().as_default(), pytest.raises(AssertionError, match="nested"):
        v1.reset_default_graph()


def test_threads_that_begin_later_put_their_operations_into_the_graph_too():
    found = []

    def work():
        found.append((tf.executing_eagerly(), tf.constant(1.0).graph))

    v1.disable_eager_execution()
    try:
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [(False, v1.get_default_graph())] * 2
    finally:
        v1.enable_eager_execution()
    thread = threading.Thread(target=lambda: found.append(tf.executing_eagerly()))
    thread.start()
    thread.join()
    assert found[-1] is True
