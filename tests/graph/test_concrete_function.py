"""Functions for tensors of certain shapes and dtypes."""

from __future__ import annotations

from typing import Any

import pytest

import gradtape as tf

VECTOR = tf.TensorSpec([2], tf.float32)


def test_a_concrete_function_is_the_trace_that_calls_use() -> None:
    ran: list[int] = []

    @tf.function
    def f(x: Any) -> Any:
        ran.append(1)
        return x * 2.0

    concrete = f.get_concrete_function(VECTOR)
    assert concrete(tf.ones([2])).numpy().tolist() == [2, 2]
    f(tf.ones([2]))
    assert ran == [1]
    assert f.get_concrete_function(tf.ones([2])) is concrete
    assert f._list_all_concrete_functions() == [concrete]
    f(tf.ones([3]))
    shapes = [c.inputs[0].shape for c in f._list_all_concrete_functions()]
    assert shapes == [[2], [3]]
    assert f.experimental_get_tracing_count() == 2


def test_what_it_tells_of_itself() -> None:
    v = tf.Variable(2.0)
    w = tf.Variable(2.0, trainable=False)

    @tf.function
    def f(left: Any, right: Any) -> Any:
        return {"sum": left + right * v * w, "both": (left, [right])}

    concrete = f.get_concrete_function(VECTOR, tf.TensorSpec([], name="given"))
    assert [x.name for x in concrete.inputs][:2] == ["left:0", "given:0"]
    assert len(concrete.inputs) == 4
    assert concrete.captured_inputs[0] is v.handle
    assert concrete.variables == (v, w)
    assert concrete.trainable_variables == (v,)
    assert concrete.output_shapes == {"sum": [2], "both": ([2], [[]])}
    assert concrete.output_dtypes["both"] == (tf.float32, [tf.float32])
    assert concrete.structured_outputs["sum"].name == "Identity_2:0"
    assert concrete.name.startswith(b"__inference_f_")
    assert concrete.function_type.output == concrete.function_type.return_annotation
    assert "Captures:\n  " in str(concrete)
    assert "left: TensorSpec" in repr(concrete)


def test_names_of_nested_arguments() -> None:
    f = tf.function(lambda pair, *rest: pair["a"] + rest[1])
    concrete = f.get_concrete_function({"a": VECTOR}, VECTOR, VECTOR)
    assert [x.op.name for x in concrete.inputs] == ["pair_a", "rest_0", "rest_1"]
    assert concrete.structured_input_signature[0][2].name == "rest_1"


def test_arguments_become_tensors_of_the_dtype() -> None:
    concrete = tf.function(lambda x: x + 1.0).get_concrete_function(tf.TensorSpec([]))
    assert concrete(1).dtype is tf.float32
    with pytest.raises(tf.errors.InvalidArgumentError, match="int32"):
        concrete(tf.constant(1))
    with pytest.raises(TypeError):
        concrete("a")


def test_gradients_flow_through() -> None:
    v = tf.Variable(3.0)
    concrete = tf.function(lambda x: x * v).get_concrete_function(tf.TensorSpec([]))
    with tf.GradientTape() as tape:
        y = concrete(v) * v
    assert tape.gradient(y, v).numpy() == 27


def test_in_another_function() -> None:
    concrete = tf.function(lambda x: x * 2.0).get_concrete_function(VECTOR)
    outer = tf.function(lambda x: concrete(x) + 1.0)
    assert outer(tf.ones([2])).numpy().tolist() == [3, 3]


def test_arguments_are_not_kept_alive_by_a_trace() -> None:
    import gc
    import weakref

    class Box:
        value = 2.0

    @tf.function
    def f(x: Any, box: Any) -> Any:
        return x * box.value

    box = Box()
    assert f(tf.constant(1.0), box).numpy() == 2
    seen = weakref.ref(box)
    del box
    gc.collect()
    assert seen() is None


def test_an_instance_whose_method_was_requested_can_be_dropped() -> None:
    import gc
    import weakref

    class Model:
        def __init__(self) -> None:
            self.w = tf.Variable(2.0)

        @tf.function
        def call(self, x: Any) -> Any:
            return self.w * x

    model = Model()
    assert model.call.get_concrete_function(VECTOR)(tf.ones([2])).numpy().tolist() == [2, 2]
    seen = weakref.ref(model)
    del model
    gc.collect()
    assert seen() is None


def test_dropped_functions_leave_no_graphs_to_the_garbage_collection() -> None:
    import gc
    import weakref

    f, g = (tf.function(lambda x: tf.sin(x) * 2.0) for _ in range(2))
    f(tf.ones([2]))
    concrete = g.get_concrete_function(VECTOR)
    (trace,) = f._traces().traces.values()
    seen = [weakref.ref(trace), weakref.ref(concrete._trace)]
    gc.disable()
    try:
        del f, g, concrete, trace
        assert [ref() for ref in seen] == [None, None]
    finally:
        gc.enable()


def test_a_dropped_concrete_function_is_saved_and_listed() -> None:
    f = tf.function(lambda x: x + 1.0)
    name = f.get_concrete_function(VECTOR).name
    (listed,) = f._list_all_concrete_functions()
    assert listed.name == name
    assert f.get_concrete_function(VECTOR) is listed


def test_a_function_that_runs_as_python_has_no_graph() -> None:
    v = tf.Variable(0)

    def double(x):
        v.assign_add(1)
        return tf.py_function(lambda y: y * 2, [x], tf.int64)

    f = tf.function(lambda x: tf.cond(x[0] > 0, lambda: double(x), lambda: x))
    concrete = f.get_concrete_function(tf.TensorSpec([None], tf.int64))
    assert concrete(tf.constant([1, 2], tf.int64)).numpy().tolist() == [2, 4]
    with pytest.raises(ValueError, match="graph"):
        _ = concrete.graph


def test_a_function_that_xla_compiles_has_a_graph_too():
    pytest.importorskip("jax")
    v = tf.Variable(2.0)
    f = tf.function(lambda x: {"y": tf.reduce_sum(x, 1) * v}, jit_compile=True)
    concrete = f.get_concrete_function(tf.TensorSpec([None, 3]))
    assert concrete.structured_outputs["y"].shape.as_list() == [None]
    assert concrete.variables == (v,)
    assert "Sum" in [op.type for op in concrete.graph.get_operations()]


def test_the_function_that_computes_the_results():
    concrete = tf.function(lambda x: x + 1.0).get_concrete_function(VECTOR)
    inner = concrete.inference_fn
    assert type(inner).__name__ == "AtomicFunction"
    assert repr(inner).startswith(f"<AtomicFunction> {concrete.name.decode()}(x: TensorSpec(")
    assert inner(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 3.0]


def test_a_function_is_added_to_a_graph_by_its_call():
    f = tf.function(lambda x: x * 2.0)

    @tf.function
    def around(x):
        inner = f.get_concrete_function(x)
        inner.add_to_graph()
        inner.add_gradient_functions_to_graph()
        return f(x)

    assert around(tf.constant(2.0)).numpy() == 4
