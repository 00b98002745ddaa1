"""Models of TensorFlow 1."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.messages import protos

MODELS = Path(__file__).parent / "tensorflow_models"


def unpacked(name, folder):
    with zipfile.ZipFile(MODELS / f"{name}.zip") as archive:
        archive.extractall(folder)
    return folder


def test_signatures_variables_and_assets(tmp_path):
    model = tf.saved_model.load(unpacked("builder_v1", tmp_path))
    assert list(model.signatures) == ["embed"]
    assert [v.name for v in model.variables] == ["w:0", "b:0"]
    assert Path(model.asset_paths[0].numpy().decode()).name == "words.txt"
    model.variables[0].assign(np.ones((4, 2), np.float32))
    found = model.signatures["embed"](words=tf.constant(["cat"]))["y"]
    assert found.numpy().tolist() == [[1, 1]]


def test_parts_of_the_graph(tmp_path):
    model = tf.saved_model.load(unpacked("control_flow_v1", tmp_path))
    (name,) = [x.name for x in model.signatures["serving_default"].variables]
    read = model.prune([], f"{name.partition(':')[0]}/Read/ReadVariableOp:0")
    assert read().numpy().tolist() == [[1, -1], [0.5, 2]]
    several = model.prune("x:0", {"x": "x:0", "loop": "while/Exit_1:0"})(tf.ones([1, 2]))
    assert several["x"].numpy().tolist() == [[1, 1]]
    with pytest.raises(TypeError, match="expects 1 tensors"):
        model.prune("x:0", ["x:0"])()
    with pytest.raises(ValueError, match="has no node"):
        model.prune([], "nothing:0")


def test_no_values(tmp_path):
    folder = unpacked("builder_v1", tmp_path)
    options = tf.saved_model.LoadOptions(experimental_skip_checkpoint=True)
    assert not tf.saved_model.load(folder, options=options).variables[0].numpy().any()


def test_damage(tmp_path):
    file = unpacked("control_flow_v1", tmp_path) / "saved_model.pb"
    model = protos.SavedModel.FromString(file.read_bytes())
    graph = model.meta_graphs[0].graph_def
    kept = [node for node in graph.node if node.op != "NextIteration"]
    del graph.node[:]
    graph.node.extend(kept)
    file.write_bytes(model.SerializeToString())
    with pytest.raises(tf.errors.DataLossError, match="lacks a Switch"):
        tf.saved_model.load(tmp_path)


def test_initializers_of_tables_that_cannot_be_run_are_reported(tmp_path):
    folder = unpacked("builder_v1", tmp_path)
    path = folder / "saved_model.pb"
    path.write_bytes(path.read_bytes().replace(b"HashTableV2", b"LashTableV2"))
    with pytest.warns(UserWarning, match="LashTableV2"):
        model = tf.saved_model.load(folder)
    with pytest.raises(tf.errors.UnimplementedError, match="LashTableV2"):
        model.signatures["embed"](words=tf.constant(["cat"]))


WITH_GRADIENTS = (
    "array_gradients_v1", "conditional_loop_gradients_v1", "loop_gradients_v1",
    "loops_in_conditionals_v1", "nested_loop_gradients_v1", "recurrent_gradients_v1",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ["control_flow_v1", *WITH_GRADIENTS])
def test_a_session_runs_loops_and_their_gradients(name, tmp_path):
    v1, folder = tf.compat.v1, unpacked(name, tmp_path)
    calls = json.loads((folder / "recorded.json").read_text(encoding="utf-8"))["calls"]
    with np.load(folder / "recorded.npz") as arrays, tf.Graph().as_default(), v1.Session() as run:
        signatures = v1.saved_model.load(run, ["serve"], str(folder)).signature_def
        for number, call in enumerate(calls):
            signature = signatures[call["path"].removeprefix("signatures.")]
            feeds = {signature.inputs["x"].name: arrays[f"{number}/in/0"]}
            fetches = [signature.outputs[key].name for key in sorted(signature.outputs)]
            for place, y in enumerate(run.run(fetches, feeds)):
                np.testing.assert_allclose(y, arrays[f"{number}/out/{place}"], 1e-5, 1e-6)
