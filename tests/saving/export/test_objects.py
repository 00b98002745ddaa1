import pytest

import gradtape as tf
from gradtape._src.messages import protos


class Model(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = tf.Variable([[1.0], [2.0]], name="w")
        self.c = tf.constant(3.0)

    @tf.function(input_signature=[tf.TensorSpec([None, 2], name="x")])
    def serve(self, x):
        return {"y": x @ self.w * self.c}

    @tf.function
    def scaled(self, x, times=2):
        return x * times


def meta_graph(path) -> protos.MetaGraphDef:
    data = (path / "saved_model.pb").read_bytes()
    return protos.SavedModel.FromString(data).meta_graphs[0]


def test_functions_that_were_called_are_saved_for_each_kind_of_call(tmp_path):
    model = Model()
    model.scaled(tf.ones(3))
    model.scaled(tf.ones(4), times=5)
    tf.saved_model.save(model, tmp_path)
    graph = meta_graph(tmp_path).object_graph_def
    parts = {x.local_name: x.node_id for x in graph.nodes[0].children}
    assert set(parts) == {"w", "serve", "scaled", "signatures"}
    assert len(graph.nodes[parts["scaled"]].function.concrete_functions) == 2
    (name,) = graph.nodes[parts["serve"]].function.concrete_functions
    variable, *_ = graph.concrete_functions[name].bound_inputs
    assert graph.nodes[variable].variable.name == "w"


def test_the_only_function_with_an_input_signature_serves(tmp_path):
    tf.saved_model.save(Model(), tmp_path)
    signature = meta_graph(tmp_path).signature_def["serving_default"]
    assert [dim.size for dim in signature.inputs["x"].tensor_shape.dim] == [-1, 2]
    assert set(signature.outputs) == {"y"}


def test_aliases(tmp_path):
    model = Model()
    options = tf.saved_model.SaveOptions(function_aliases={"mine": model.serve})
    tf.saved_model.save(model, tmp_path, options=options)
    meta = meta_graph(tmp_path)
    ((name, alias),) = meta.meta_info_def.function_aliases.items()
    assert alias == "mine"
    assert name in [f.signature.name for f in meta.graph_def.library.function]


def test_a_signature_gives_tensors_by_name(tmp_path):
    model = tf.Module()
    model.f = tf.function(lambda x: (x, [x]), input_signature=[tf.TensorSpec([])])
    with pytest.raises(ValueError, match="non-Tensor value"):
        tf.saved_model.save(model, tmp_path, signatures=model.f)


def test_what_cannot_be_saved_is_named_and_nothing_is_written(tmp_path):
    model = tf.Module()
    model.f = tf.function(
        lambda n: tf.eye(n, batch_shape=[n]), input_signature=[tf.TensorSpec([], tf.int32)]
    )
    with pytest.raises(tf.errors.UnimplementedError, match="identity matrices of unknown size"):
        tf.saved_model.save(model, tmp_path / "m")
    assert not (tmp_path / "m").exists()
