import gradtape as tf
from gradtape._src.messages import protos
from gradtape._src.raw.op_definitions import op_definition


def test_a_program_without_the_objects_finds_all_it_needs(tmp_path):
    model = tf.Module()
    model.v = tf.Variable([1.0, 2.0], name="v")
    model.f = tf.function(lambda x: x * model.v, input_signature=[tf.TensorSpec([2])])
    tf.saved_model.save(model, tmp_path)
    data = (tmp_path / "saved_model.pb").read_bytes()
    meta = protos.SavedModel.FromString(data).meta_graphs[0]
    nodes = {node.name: node for node in meta.graph_def.node}
    for node in nodes.values():
        assert set(node.attr) == set(op_definition(node.op).attributes)
        assert {x.removeprefix("^").partition(":")[0] for x in node.input} <= set(nodes)
    saver = meta.saver_def
    names = (saver.filename_tensor_name, saver.save_tensor_name, saver.restore_op_name)
    assert {name.partition(":")[0] for name in names} <= set(nodes)
    keys = tf.make_ndarray(nodes["save/keys"].attr["value"].tensor).tolist()
    assert keys == [b"v/.ATTRIBUTES/VARIABLE_VALUE"]
    assert nodes["v"].op == "VarHandleOp"
    assert "__saved_model_init_op" in meta.signature_def
    assert list(meta.meta_info_def.tags) == ["serve"]
