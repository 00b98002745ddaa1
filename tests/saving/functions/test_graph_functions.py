"""Functions, constants, assets and tables of saved models."""

import zipfile
from pathlib import Path

import pytest

import gradtape as tf
from gradtape._src.messages import protos
from gradtape._src.messages.reading import DecodeError
from gradtape._src.saving.functions.graph_functions import GraphRun, asset_path

MODELS = Path(__file__).parents[1] / "tensorflow_models"


def unpacked(name, folder):
    with zipfile.ZipFile(MODELS / f"{name}.zip") as archive:
        archive.extractall(folder)
    return folder


def changed(folder, change):
    """A model with something changed in its message."""
    file = folder / "saved_model.pb"
    model = protos.SavedModel.FromString(file.read_bytes())
    change(model.meta_graphs[0])
    file.write_bytes(model.SerializeToString())
    return folder


def functions_of(meta):
    return meta.graph_def.library.function


def test_what_cannot_run_is_told_when_a_model_is_loaded(tmp_path):
    def change(meta):
        for f in functions_of(meta):
            for node in f.node_def:
                if "ids" in f.signature.name and node.op == "LookupTableFindV2":
                    node.op = "NoSuchOperation"

    with pytest.warns(UserWarning, match=r"NoSuchOperation\) of '__inference_ids"):
        model = tf.saved_model.load(changed(unpacked("tables", tmp_path), change))
    with pytest.raises(tf.errors.UnimplementedError, match="NoSuchOperation"):
        model.ids(tf.constant(["red"]))
    assert model.name(tf.constant([1]))[0].numpy().tolist() == [b"ONE"]


def test_tables_are_filled_when_a_model_is_loaded(tmp_path):
    model = tf.saved_model.load(unpacked("tables", tmp_path))
    assert model.count(tf.constant(["red", "new"])).numpy().tolist() == [6, 0]


def test_traces_of_several_models_are_not_counted_together(tmp_path, caplog):
    for n in range(6):
        model = tf.saved_model.load(unpacked("tables", tmp_path / str(n)))
        model.count(tf.constant(["red"]))
    assert "retracing" not in caplog.text


def test_second_derivatives_flow_through_a_model(tmp_path):
    model = tf.saved_model.load(unpacked("elementwise", tmp_path))
    x = tf.Variable([0.5, 1.5])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = model.smooth(x)
        first = inner.gradient(y, x)
    second = outer.gradient(first, x)
    h = 1e-2
    with tf.GradientTape() as tape:
        y = model.smooth(moved := tf.Variable(x + h))
    assert second.numpy() == pytest.approx((tape.gradient(y, moved) - first).numpy() / h, abs=0.1)


DAMAGE = {
    "uses a missing object": lambda described: described.bound_inputs.append(999),
    "takes": lambda described: described.bound_inputs.append(0),
    "is missing": None,
}


@pytest.mark.parametrize("why", DAMAGE)
def test_damaged_functions(why, tmp_path):
    def change(meta):
        held = meta.object_graph_def.concrete_functions
        name = next(name for name in held if "smooth" in name)
        if DAMAGE[why] is None:
            del held[name]
        else:
            DAMAGE[why](held[name])

    with pytest.raises(tf.errors.DataLossError, match=why):
        tf.saved_model.load(changed(unpacked("elementwise", tmp_path), change))


def test_assets_lie_in_the_model(tmp_path):
    assert asset_path(tmp_path, protos.AssetFileDef(filename="a.txt")).name == "a.txt"
    for name in ("../secret", "/etc/passwd", "a/../../b"):
        with pytest.raises(DecodeError, match="lies outside"):
            asset_path(tmp_path, protos.AssetFileDef(filename=name))


def test_a_run_gives_captures_to_the_nodes():
    class Body:
        def run(self, inputs):
            return [inputs[0] * inputs[1]]

    run = GraphRun("f", Body(), [tf.TensorSpec([], tf.float32)], lambda: [tf.constant(3.0)], True)
    assert run([tf.constant(2.0)])[0].numpy() == 6


def test_tags(tmp_path):
    folder = unpacked("elementwise", tmp_path)
    assert tf.saved_model.load(folder, tags=["serve"]) is not None
    with pytest.raises(ValueError, match="incompatible argument to `tags`"):
        tf.saved_model.load(folder, tags="train")


@pytest.mark.slow
def test_damaged_models_raise_one_error(tmp_path):
    folder = unpacked("control_flow", tmp_path)
    file = folder / "saved_model.pb"
    whole = file.read_bytes()
    for place in range(0, len(whole), max(1, len(whole) // 300)):
        damaged = bytearray(whole)
        damaged[place] ^= 0x15
        file.write_bytes(damaged)
        try:
            tf.saved_model.load(folder)
        except (
            tf.errors.DataLossError,
            AssertionError,
            ValueError,
            tf.errors.InvalidArgumentError,
        ):
            continue  # it is damaged, or its checkpoint is that of another model
        except UserWarning:
            continue  # an operation has another name now


class Indexed(tf.Module):
    """A model whose operations can fail when they run."""

    def __init__(self):
        super().__init__()
        self.w = tf.Variable(tf.ones([4, 3]))

    @tf.function(
        input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([None, None], tf.float32)]
    )
    def rows(self, i, x):
        return tf.gather(self.w, i) @ x

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def counted(self, n):
        total = tf.zeros([3])
        for i in tf.range(n):
            total += self.w[0]
            tf.debugging.assert_less(i, 3)
        return total


FITTING, OTHERS = [1, 2], [1, 9]


def notes_of(call):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)) as caught:
        call()
    return caught.value.__notes__


def test_errors_name_the_node_in_graphs_loops_gradients_and_compiled_functions(tmp_path):
    tf.saved_model.save(Indexed(), tmp_path)
    model = tf.saved_model.load(tmp_path)
    model.rows(FITTING, tf.ones([3, 2]))

    def differentiated():
        with tf.GradientTape():
            model.rows(FITTING, tf.ones([4, 2]))

    outer = tf.function(lambda i, x: model.rows(i, x) * 2)
    outer(tf.constant(FITTING), tf.ones([3, 2]))
    compiled = tf.function(lambda x: model.rows(FITTING, x), jit_compile=True)
    calls = [
        ("GatherV2", lambda: model.rows(OTHERS, tf.ones([3, 2]))),
        ("MatMul", lambda: model.rows(FITTING, tf.ones([4, 2]))),
        ("MatMul", differentiated),
        ("GatherV2", lambda: outer(tf.constant(OTHERS), tf.ones([3, 2]))),
        ("MatMul", lambda: compiled(tf.ones([4, 2]))),
    ]
    for operation, call in calls:
        (note,) = notes_of(call)
        assert f"({operation}) of the loaded function" in note
        assert "__inference_rows" in note
    (note,) = notes_of(lambda: model.counted(9))
    assert "(Assert) of the loaded function" in note
    assert "body" in note


def test_errors_in_a_caller_show_the_line_of_the_call(tmp_path):
    tf.saved_model.save(Indexed(), tmp_path)
    model = tf.saved_model.load(tmp_path)
    model.rows(FITTING, tf.ones([3, 2]))

    @tf.function
    def outer(i):
        return model.rows(i, tf.ones([3, 2])) * 2

    outer(tf.constant(FITTING))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        outer(tf.constant(OTHERS))
    assert caught.traceback[-1].name == "outer"
