"""Handles of variables; what they print is TensorFlow's, but for the number after the name."""

import gc
import weakref

import pytest

import gradtape as tf
from gradtape._src.core.resource_handles import variable_of


def test_a_handle_is_a_scalar_of_dtype_resource():
    v = tf.Variable([1.0, 2.0], name="v")
    handle = v.handle
    assert (handle.dtype, handle.shape.as_list(), tf.is_tensor(handle)) == (tf.resource, [], True)
    assert handle is v.handle
    assert handle.ref() == v.handle.ref()
    assert handle is not tf.Variable([1.0, 2.0]).handle
    assert tf.TensorSpec.from_tensor(handle) == tf.TensorSpec([], tf.resource)
    assert tf.identity(handle).dtype is tf.resource
    shown = repr(handle)
    assert shown.startswith('<tf.Tensor: shape=(), dtype=resource, value=<ResourceHandle(name="v/')
    assert '"[ DType enum: 1, Shape: [2] ]")>>' in shown


def test_it_represents_the_variable():
    v = tf.Variable([1.0, 2.0])
    assert variable_of(v.handle) is v
    assert variable_of(v) is variable_of(tf.constant(1.0)) is variable_of(tf.constant("a")) is None
    tf.raw_ops.AssignAddVariableOp(resource=v.handle, value=[1.0, 1.0])
    read = tf.function(lambda: tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.float32))
    assert read().numpy().tolist() == [2.0, 3.0]
    v.assign([0.0, 0.0])
    assert read().numpy().tolist() == [0.0, 0.0]


def test_tapes_take_handles_for_variables():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v.handle)
        y = tf.reduce_sum(v * v)
    assert tape.gradient(y, v.handle).numpy().tolist() == [2.0, 4.0]


def test_captures_of_functions_are_handles():
    v, k = tf.Variable(2.0, name="v"), tf.Variable(3.0)

    @tf.function
    def f(x):
        return x * v + k

    concrete = f.get_concrete_function(tf.TensorSpec([]))
    by_handle = {v.handle.ref(): v for v in concrete.variables}
    assert [by_handle[x.ref()] for x in concrete.captured_inputs] == [v, k]
    assert [x.dtype for x in concrete.inputs] == [tf.float32, tf.resource, tf.resource]
    assert concrete.inputs[1].op.name == "mul/ReadVariableOp/resource"


def test_a_handle_has_no_number():
    v = tf.Variable(1.0)
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        _ = v.handle + 1
    for wrong in (
        lambda: tf.raw_ops.Exp(x=v.handle),
        lambda: v.handle + v.handle,
        lambda: tf.reduce_sum(v.handle),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            wrong()


def test_a_variable_is_freed_although_its_handle_was_asked_for():
    v = tf.Variable(1.0)
    seen = weakref.ref(v)
    repr(v.handle)
    del v
    gc.collect()
    assert seen() is None


def test_a_handle_has_no_array():
    v = tf.Variable(1.0)
    for convert in (v.handle.numpy, lambda: bool(v.handle)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="dtype resource to a NumPy"):
            convert()
    for dtype in (tf.resource, tf.variant):
        with pytest.raises(tf.errors.UnimplementedError, match=f"to {dtype.name} is not supp"):
            tf.cast([1.0], dtype)


def test_operations_that_move_handles():
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
    row = tf.stack([v.handle, w.handle])
    one = tf.expand_dims(v.handle, 0)
    found = [row[1], tf.unstack(row)[0], tf.gather(row, 1), one[0], tf.concat([row, one], 0)[2]]
    found += [tf.where(True, v.handle, w.handle), tf.reshape(one, [])]
    assert [variable_of(x) for x in found] == [w, v, w, v, v, v, v]


def test_quantized_tensors_are_stacked():
    x = tf.quantization.quantize([1.0, 3.0], 0.0, 3.0, tf.quint8)[0]
    assert tf.stack([x[1], x[0]]).numpy().tolist() == [255, 85]
    assert tf.stack([x, x]).dtype is tf.quint8


@pytest.mark.parametrize("function", [tf.zeros, tf.ones])
def test_no_handle_is_made_of_a_number(function):
    with pytest.raises(TypeError, match="EagerTensor of dtype resource"):
        function([2], tf.resource)


def test_handles_are_printed(capfd):
    v = tf.Variable([1.0], name="v")
    tf.print(v.handle, [v.handle])
    said = capfd.readouterr().err
    assert said.startswith('<ResourceHandle(name="v/')
    assert said.count("Shape: [1] ]") == 2
    assert tf.strings.format("{}", v.handle).numpy().startswith(b'<ResourceHandle(name="v/')
