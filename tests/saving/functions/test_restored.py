"""Calls of loaded functions, which find the matching trace."""

import copy

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.saving.functions.restored import (
    RestoredConcrete,
    RestoredFunction,
    UnavailableFunction,
)
from gradtape._src.saving.functions.structured_values import Parameters

VECTOR = tf.TensorSpec([None], tf.float32, "x")
ROW = tf.TensorSpec([2], tf.float32)
PARAMETERS = Parameters(
    ["x", "scale"], (2.0,), named=["squared"], named_defaults={"squared": False}
)


def concrete(scale=2.0, squared=False, by_name=False):
    arguments = ((), {"x": VECTOR}) if by_name else ((VECTOR, scale), {"squared": squared})
    parameters = Parameters(["x"]) if by_name else PARAMETERS
    run = lambda tensors: [tensors[0] * (1 if by_name else scale) ** (1 + squared)]  # noqa: E731
    return RestoredConcrete(parameters, arguments, {"y": VECTOR}, run, [], "f", by_name)


def test_a_call_finds_its_trace():
    f = RestoredFunction("f", PARAMETERS, [concrete(), concrete(3.0), concrete(3.0, True)])
    assert f(tf.constant([1.0]))["y"].numpy().tolist() == [2]
    assert f([1.0], scale=3.0)["y"].numpy().tolist() == [3]
    assert f([1.0], 3.0, squared=True)["y"].numpy().tolist() == [9]
    assert f.get_concrete_function(VECTOR, 3.0) is f.concrete_functions[1]
    assert f.get_concrete_function(np.ones(2, np.float32), 3.0) is f.concrete_functions[1]
    assert f.get_concrete_function() is f.concrete_functions[0]


def test_a_call_that_fits_none():
    f = RestoredFunction("f", PARAMETERS, [concrete(), concrete(3.0)])
    with pytest.raises(ValueError, match="Could not find matching concrete function") as caught:
        f(tf.constant([1.0]), 4.0)
    assert "Option 2:" in str(caught.value)
    for args, kwargs in (((1, 2, 3), {}), ((), {}), (([1.0],), {"y": 1}), (([1.0],), {"x": 1})):
        with pytest.raises(TypeError, match="Binding inputs"):
            f(*args, **kwargs)
    with pytest.raises(ValueError, match="Found zero restored functions"):
        RestoredFunction("g", PARAMETERS, [])([1.0])


def test_a_signature_takes_arguments_by_name_and_by_place():
    signature = concrete(by_name=True)
    assert signature(x=tf.constant([1.0]))["y"].numpy().tolist() == [1]
    assert signature(tf.constant([1.0]))["y"].numpy().tolist() == [1]
    with pytest.raises(TypeError, match="was saved for the arguments"):
        signature(y=1.0)
    with pytest.raises(TypeError, match="takes its tensors by name"):
        signature([1.0], [2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"input #0.*a float32 tensor but is"):
        signature(x=tf.constant([1]))
    assert [x.shape.rank for x in (*signature.inputs, *signature.outputs)] == [1, 1]


def test_composite_tensors_are_taken_apart():
    spec = tf.SparseTensorSpec([None, 2], tf.float32)
    run = lambda parts: [parts[1], *parts]  # noqa: E731
    results = (VECTOR, spec)
    f = RestoredConcrete(Parameters(["x"]), ((spec,), {}), results, run, [])
    values, again = f(tf.sparse.from_dense([[0.0, 5.0]]))
    assert values.numpy().tolist() == [5]
    assert tf.sparse.to_dense(again).numpy().tolist() == [[0, 5]]


def test_what_cannot_be_called_says_why():
    with pytest.raises(tf.errors.UnimplementedError, match="'f' can't be called: it is odd"):
        UnavailableFunction("f", "it is odd")(1)


def test_what_cannot_be_called_says_why_it_lacks_a_signature():
    f = UnavailableFunction("f", "it is odd")
    for held in (f, copy.deepcopy(f)):
        with pytest.raises(AttributeError, match=r"'f' has no 'structured_input_signature'.*odd"):
            _ = held.structured_input_signature
        with pytest.raises(AttributeError, match="object has no attribute '_nothing'"):
            _ = held._nothing


def test_a_loaded_function_as_one_that_can_be_saved():
    f = RestoredFunction("f", PARAMETERS, [concrete(), concrete(3.0, True)])
    made = f.as_function()
    assert len(made._list_all_concrete_functions()) == 2
    assert made(tf.constant([1.0]))["y"].numpy().tolist() == [2]
    assert made(tf.constant([1.0]), 3.0, squared=True)["y"].numpy().tolist() == [9]


def test_the_signature_is_that_of_the_saved_function():
    import inspect

    found = inspect.signature(RestoredFunction("f", PARAMETERS, [concrete()]))
    assert found == PARAMETERS.signature()


def test_the_graph_of_a_loaded_function(tmp_path):
    class Model(tf.Module):
        def __init__(self):
            self.v = tf.Variable([1.0, 2.0], name="v")

        @tf.function(input_signature=[ROW, tf.TensorSpec([], name="scale")])
        def run(self, x, scale):
            return {"y": x * self.v * scale}

        @tf.function
        def other(self, x, scale=2.0):
            return x * scale

    model = Model()
    model.other(tf.ones([2]))
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    found = loaded.run.get_concrete_function()
    assert [x.name for x in found.inputs][:2] == ["x:0", "scale:0"]
    assert len(found.captured_inputs) == 1
    kinds = [node.op for node in found.graph.as_graph_def().node]
    assert kinds.count("Placeholder") == 3
    assert kinds.count("Mul") == 2
    assert [x.shape.as_list() for x in found.outputs] == [[2]]
    assert loaded.run.input_signature == (ROW, tf.TensorSpec([], name="scale"))
    assert loaded.run.function_spec.fullargspec.args == ["x", "scale"]
    assert loaded.other.input_signature is None
    assert loaded.other.function_spec.fullargspec.defaults == (2.0,)
