"""Functions of loaded models as they were saved."""

import pytest

import gradtape as tf
from gradtape._src.messages import protos
from gradtape._src.saving.functions.kept import Kept, Source


def function(name, *nodes):
    made = protos.FunctionDef()
    made.signature.name = name
    for op, called in nodes:
        node = made.node_def.add(op=op)
        if called:
            node.attr["f"].func.name = called
    return made


def source(*functions, gradients=None):
    return Source({f.signature.name: f for f in functions}, {}, gradients or {}, lambda n: n)


def test_all_that_a_function_calls_is_needed():
    whole = function("whole", ("PartitionedCall", "part"), ("inner", ""), ("Add", ""))
    choice = function("part", ("Case", ""))
    choice.node_def[0].attr["branches"].list.func.add(name="branch")
    known = source(whole, choice, function("inner"), function("branch"), function("other"))
    assert sorted(known.needed(["whole"])) == ["branch", "inner", "part", "whole"]


def test_gradients_of_the_users_are_needed():
    whole = function("whole", ("IdentityN", ""))
    whole.node_def[0].attr["_gradient_op_type"].s = b"mine"
    known = source(whole, function("backward"), gradients={"mine": "backward", "other": "none"})
    assert known.needed(["whole"]) == ["whole", "backward"]
    assert known.gradients_of(["whole"]) == {"mine": "backward"}


def test_names_of_what_was_saved():
    saved = protos.SavedFunction(concrete_functions=["a", "b"])
    assert Kept(source(), saved).names == ["a", "b"]
    bare = protos.SavedBareConcreteFunction(concrete_function_name="c")
    assert Kept(source(), bare).names == ["c"]


def model(factor):
    module = tf.Module()
    module.v = tf.Variable(factor)
    module.f = tf.function(lambda x: x * module.v, input_signature=[tf.TensorSpec([None])])
    return module


def test_functions_of_two_models_are_told_apart(tmp_path):
    both = tf.Module()
    for name, factor in (("a", 2.0), ("b", 3.0)):
        tf.saved_model.save(model(factor), tmp_path / name)
        setattr(both, name, tf.saved_model.load(tmp_path / name))
    both.again = both.a.f
    tf.saved_model.save(both, tmp_path / "both", signatures={"b": both.b.f})
    loaded = tf.saved_model.load(tmp_path / "both")
    assert float(loaded.a.f([1.0])[0]) == float(loaded.again([1.0])[0]) == 2
    assert float(loaded.b.f([1.0])[0]) == 3
    assert float(loaded.signatures["b"](tf.constant([1.0]))["output_0"][0]) == 3
    loaded.b.v.assign(5.0)
    assert float(loaded.b.f([1.0])[0]) == 5


def test_functions_are_not_traced_to_be_saved_again(tmp_path):
    tf.saved_model.save(model(2.0), tmp_path / "once")
    loaded = tf.saved_model.load(tmp_path / "once")
    run = loaded.f.concrete_functions[0].run
    tf.saved_model.save(loaded, tmp_path / "twice")
    assert run._function._traces().counted == 0


def test_a_function_that_lost_its_variable_is_not_saved(tmp_path):
    tf.saved_model.save(model(2.0), tmp_path / "once")
    other = tf.Module()
    other.f = tf.saved_model.load(tmp_path / "once").f
    with pytest.raises(AssertionError, match="untracked"):
        tf.saved_model.save(other, tmp_path / "twice")
