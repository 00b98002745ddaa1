"""`gradtape show` prints what a saved model says of itself, and runs nothing."""

from pathlib import Path

import pytest
from google.protobuf import text_format

from gradtape._src.cli import saved_models
from gradtape._src.cli.program import CommandError
from gradtape._src.messages import protos
from gradtape.cli import main

BY_TENSORFLOW = Path(__file__).parents[1] / "saving" / "from_tensorflow" / "saved_model"

MODEL = """
meta_graphs {
  meta_info_def { tags: "serve" tags: "gpu" tensorflow_version: "2.21.0" }
  signature_def { key: "__saved_model_init_op" value {} }
  signature_def { key: "serving_default" value {
    method_name: "tensorflow/serving/predict"
    inputs { key: "x" value { name: "x:0" dtype: DT_FLOAT tensor_shape {
      dim { size: -1 } dim { size: 3 } } } }
    inputs { key: "s" value { dtype: DT_INT64 tensor_shape { unknown_rank: true } coo_sparse {
      values_tensor_name: "v:0" indices_tensor_name: "i:0" dense_shape_tensor_name: "d:0" } } }
    outputs { key: "r" value { dtype: DT_STRING tensor_shape {} composite_tensor {
      type_spec { type_spec_class_name: "RaggedTensorSpec" }
      components { name: "a:0" } components { name: "b:0" } } } }
  } }
  object_graph_def {
    nodes { user_object {}
      children { node_id: 1 local_name: "layer" }
      children { node_id: 2 local_name: "call" }
      children { node_id: 2 local_name: "again" }
      children { node_id: 4 local_name: "signatures" } }
    nodes { user_object {} children { node_id: 3 local_name: "free" }
      children { node_id: 0 local_name: "owner" } }
    nodes { function { concrete_functions: "f" concrete_functions: "g" function_spec {
      is_method: true
      fullargspec { named_tuple_value { name: "FullArgSpec" values { key: "args" value {
        list_value { values { string_value: "self" } values { string_value: "a" }
          values { string_value: "training" } } } } } } } } }
    nodes { function {} }
    nodes { user_object {} children { node_id: 3 local_name: "serving_default" } }
    concrete_functions { key: "f" value {
      canonicalized_input_signature { tuple_value {
        values { tuple_value {
          values { tensor_spec_value { name: "a" dtype: DT_FLOAT shape { dim { size: -1 } } } }
          values { bool_value: true } values { none_value {} } } }
        values { dict_value { fields { key: "scale" value { float64_value: 2.5 } } } } } }
      output_signature { dict_value { fields { key: "y" value { list_value {
        values { tensor_spec_value { dtype: DT_BFLOAT16 shape { unknown_rank: true } } } } } } } }
    } }
    concrete_functions { key: "g" value {
      canonicalized_input_signature { tuple_value {
        values { tuple_value { values { type_spec_value {
          type_spec_class_name: "SparseTensorSpec" type_state { tuple_value {
            values { tensor_shape_value { dim { size: 4 } } }
            values { tensor_dtype_value: DT_INT32 } } } } } } }
        values { dict_value {} } } }
      output_signature { named_tuple_value { name: "Pair" values { key: "first" value {
        tensor_value { dtype: DT_INT64 tensor_shape { dim { size: 2 } } } } } } }
    } }
  }
}
"""

SHOWN = """\
graph with tag set: 'serve', 'gpu'
saved by TensorFlow 2.21.0

signature_def['serving_default']:
  inputs['s']:
    dtype: DT_INT64
    shape: unknown_rank
    name: sparse: v:0, i:0, d:0
  inputs['x']:
    dtype: DT_FLOAT
    shape: (-1, 3)
    name: x:0
  outputs['r']:
    dtype: DT_STRING
    shape: ()
    name: RaggedTensorSpec: a:0, b:0
  method name: tensorflow/serving/predict

functions:
  call(a: TensorSpec(shape=(None,), dtype=tf.float32, name='a'), training: True, None, scale: 2.5) \
-> {'y': [TensorSpec(shape=None, dtype=tf.bfloat16)]}
  call(a: SparseTensorSpec(((4,), tf.int32))) -> Pair(first=a constant of DT_INT64 (2))
  layer.free: it was never traced, and can't be called
"""


@pytest.fixture
def model():
    return text_format.Parse(MODEL, protos.SavedModel())


def shown(model, tmp_path, capsys):
    (tmp_path / "saved_model.pb").write_bytes(model.SerializeToString())
    assert main(["show", str(tmp_path)]) == 0
    return capsys.readouterr().out


def test_signatures_and_functions(model, tmp_path, capsys):
    assert shown(model, tmp_path, capsys) == SHOWN


def test_a_model_in_text(tmp_path, capsys):
    (tmp_path / "saved_model.pbtxt").write_text(MODEL)
    assert main(["show", str(tmp_path)]) == 0
    assert capsys.readouterr().out == SHOWN
    (tmp_path / "saved_model.pbtxt").write_text(MODEL[:-5])
    assert_refused(tmp_path, capsys, "is damaged")


def test_a_model_of_tensorflows(capsys):
    assert main(["show", str(BY_TENSORFLOW)]) == 0
    out = capsys.readouterr().out
    assert "signature_def['serving_default']:\n  inputs['x']:\n    dtype: DT_FLOAT\n" in out
    assert "  __call__(x: TensorSpec(shape=(None, 2), dtype=tf.float32, name='x')) ->" in out


def test_several_graphs(model, tmp_path, capsys):
    model.meta_graphs.add()
    assert shown(model, tmp_path, capsys) == SHOWN + "\ngraph with tag set: none\n"


def test_names_can_not_command_the_terminal(model, tmp_path, capsys):
    graph = model.meta_graphs[0]
    graph.meta_info_def.tags[0] = "\x1b[2Jtag\n"
    graph.signature_def["\x1b]0;title\x07"].inputs["\r"].name = "\u202e"
    graph.object_graph_def.nodes[0].children[0].local_name = "la\x1byer"
    out = shown(model, tmp_path, capsys)
    assert "\\x1b[2Jtag\\n" in out
    assert "la\\x1byer.free" in out
    assert all(c.isprintable() for line in out.split("\n") for c in line)


def assert_refused(directory, capsys, words):
    assert main(["show", str(directory)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("gradtape: ")
    assert captured.err.count("\n") == 1
    assert words in captured.err


def test_what_is_no_saved_model(tmp_path, capsys):
    assert_refused(tmp_path / "none", capsys, "there is no directory")
    assert_refused(tmp_path, capsys, "holds no saved model")
    assert_refused("a\0b", capsys, "there is no directory")


def test_damage(model, tmp_path, capsys):
    data = model.SerializeToString()
    (tmp_path / "saved_model.pb").write_bytes(data[:-9])
    assert_refused(tmp_path, capsys, "is damaged")
    graph = model.meta_graphs[0].object_graph_def
    graph.nodes[1].children[0].node_id = 77
    (tmp_path / "saved_model.pb").write_bytes(model.SerializeToString())
    assert_refused(tmp_path, capsys, "an object refers to a missing part")
    graph.nodes[1].children[0].node_id = 3
    graph.nodes[2].function.concrete_functions[0] = "lost"
    (tmp_path / "saved_model.pb").write_bytes(model.SerializeToString())
    assert_refused(tmp_path, capsys, "'lost' is missing")


def test_structures_that_are_too_deep():
    deep = protos.StructuredValue()
    inner = deep
    for _ in range(60):
        inner = inner.list_value.values.add()
    with pytest.raises(saved_models.DecodeError, match="too deeply"):
        saved_models.value_text(deep)


def test_every_byte_changed_is_described_or_refused(model):
    data = model.SerializeToString()
    refused = 0
    for place in range(0, len(data), 3):
        changed = data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]
        try:
            lines = list(saved_models.described(saved_models.parsed(protos.SavedModel, changed)))
        except saved_models.DecodeError:
            refused += 1
            continue
        assert all(line.isprintable() for line in lines)
    assert refused


def test_errors_are_of_one_class():
    with pytest.raises(CommandError):
        saved_models.read_model(Path("/nowhere"))
