import zipfile
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.messages import protos
from gradtape.compat import v1

models = v1.saved_model
TENSORFLOWS = Path(__file__).parents[2] / "saving" / "tensorflow_models"


def build(directory, *, assets=False):
    """Writes a model with a variable, and a table that an asset fills if one is asked for."""
    builder = models.Builder(directory / "model")
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], name="x")
        v = v1.get_variable("v", initializer=3.0)
        outputs = {"y": tf.multiply(x, v, name="y")}
        session.run(v1.global_variables_initializer())
        given, first = [], None
        if assets:
            (directory / "words.txt").write_text("from a file")
            path = tf.constant(str(directory / "words.txt"), name="path")
            held = v1.get_variable("held", initializer="", trainable=False)
            first = held.assign(tf.io.read_file(path), read_value=False)
            given, outputs["text"] = [path], tf.identity(held, name="text")
            session.run(held.initializer)
        signature = models.predict_signature_def({"x": x}, outputs)
        builder.add_meta_graph_and_variables(
            session, ["serve"], {"scale": signature}, given, init_op=first
        )
    return builder


def test_a_model_is_loaded_into_a_session(tmp_path):
    build(tmp_path).save()
    with tf.Graph().as_default(), v1.Session() as session:
        meta = models.load(session, ["serve"], tmp_path / "model")
        y = meta.signature_def["scale"].outputs["y"].name
        np.testing.assert_array_equal(session.run(y, {"x:0": [1.0, 2.0]}), [3.0, 6.0])


def test_under_a_scope_and_as_text(tmp_path):
    assert build(tmp_path).save(as_text=True).endswith("saved_model.pbtxt")
    with tf.Graph().as_default(), v1.Session() as session:
        models.loader.load(session, ["serve"], tmp_path / "model", import_scope="in")
        assert session.run("in/y:0", {"in/x:0": [4.0]}).tolist() == [12.0]
        assert [v.name for v in v1.global_variables()] == ["in/v:0"]


def test_assets_are_read_where_the_model_lies(tmp_path):
    build(tmp_path, assets=True).save()
    (tmp_path / "words.txt").unlink()
    (tmp_path / "model").rename(tmp_path / "elsewhere")
    with tf.Graph().as_default(), v1.Session() as session:
        models.load(session, ["serve"], tmp_path / "elsewhere")
        assert session.run("text:0") == b"from a file"


def test_several_graphs_share_variables(tmp_path):
    builder = build(tmp_path)
    with tf.Graph().as_default():
        tf.add(v1.get_variable("v", []), 1.0, name="more")
        builder.add_meta_graph(["train"])
    builder.save()
    with tf.Graph().as_default(), v1.Session() as session:
        models.load(session, ["train"], tmp_path / "model")
        assert session.run("more:0") == 4.0
    assert float(tf.saved_model.load(tmp_path / "model", tags=["serve"]).variables[0]) == 3.0


def test_what_a_builder_refuses(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        builder = models.Builder(tmp_path / "new")
        with pytest.raises(AssertionError, match="has not been saved yet"):
            builder.add_meta_graph(["serve"])
        with pytest.raises(ValueError, match="An asset is to be a tensor of strings"):
            builder.add_meta_graph_and_variables(session, ["x"], assets_list=[tf.constant(1.0)])
    builder = build(tmp_path)
    builder.save()
    with tf.Graph().as_default(), v1.Session() as session:
        with pytest.raises(AssertionError, match="already been saved"):
            builder.add_meta_graph_and_variables(session, ["serve"])
        with pytest.raises(AssertionError, match="isn't empty"):
            models.Builder(tmp_path / "model")


def test_what_is_not_there(tmp_path):
    build(tmp_path).save()
    with tf.Graph().as_default(), v1.Session() as session:
        with pytest.raises(OSError, match="does not exist at"):
            models.load(session, ["serve"], tmp_path / "absent")
        with pytest.raises(RuntimeError, match=r"tags \['gpu'\] could not be found"):
            models.load(session, ["gpu"], tmp_path / "model")
    assert models.contains_saved_model(tmp_path / "model")
    assert not models.maybe_saved_model_directory(tmp_path)


@pytest.mark.parametrize("name", ["saved_model.pb", "saved_model.pbtxt"])
def test_damage(tmp_path, name):
    (tmp_path / name).write_bytes(b"\xff\xff nothing of a model")
    with (
        tf.Graph().as_default(),
        v1.Session() as session,
        pytest.raises(tf.errors.DataLossError, match="is damaged"),
    ):
        models.load(session, ["serve"], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dense", "builder_v1", "lstm", "strings"])
def test_models_of_tensorflow(tmp_path, name):
    unpack(name, tmp_path)
    calls = {}
    for key, f in tf.saved_model.load(tmp_path).signatures.items():
        given = {n: sample_of(spec) for n, spec in f.structured_input_signature[1].items()}
        calls[key] = given, f(**{n: tf.constant(x) for n, x in given.items()})
    with tf.Graph().as_default(), v1.Session() as session:
        meta = models.load(session, ["serve"], tmp_path)
        for key, (given, wanted) in calls.items():
            signature = meta.signature_def[key]
            feeds = {signature.inputs[n].name: x for n, x in given.items()}
            for n, y in wanted.items():
                found = session.run(signature.outputs[n].name, feeds)
                if found.dtype == object:
                    assert found.tolist() == y.numpy().tolist()
                else:
                    np.testing.assert_allclose(found, y, 1e-6, 1e-6)


@pytest.mark.slow
def test_contents_of_a_table_are_not_left_out_silently(tmp_path):
    unpack("tables", tmp_path)
    with (
        tf.Graph().as_default(),
        v1.Session() as session,
        pytest.raises(tf.errors.UnimplementedError, match="restores a table by the node"),
    ):
        models.load(session, ["serve"], tmp_path)


def unpack(name, directory):
    with zipfile.ZipFile(TENSORFLOWS / f"{name}.zip") as archive:
        archive.extractall(directory)


def sample_of(spec):
    shape = [n or 2 for n in spec.shape.as_list()]
    if spec.dtype == tf.string:
        return np.full(shape, b"a", object)
    return np.linspace(0.0, 1.0, int(np.prod(shape))).reshape(shape).astype(spec.dtype.np_dtype)


def test_operations_that_initialize(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=2.0)
        restored = v.assign(8.0).op
        session.run(models.main_op.main_op())
        assert session.run(v) == 2.0
        session.run(models.main_op_with_restore(restored.name))
        assert session.run(v) == 8.0


def with_tables(directory):
    """Writes a model with a table of pairs, a table of a file, and a table that changes."""
    words = directory / "words.txt"
    words.write_text("a\nb\nc\n")
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.string, [None], name="x")
        pairs = tf.lookup.KeyValueTensorInitializer(
            tf.constant(["a", "b"]), tf.constant([1.5, 2.5])
        )
        scores = tf.lookup.StaticHashTable(pairs, -1.0).lookup(x)
        file = tf.lookup.TextFileInitializer(
            str(words), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
            tf.lookup.TextFileIndex.LINE_NUMBER,
        )  # fmt: skip
        ids = tf.lookup.StaticVocabularyTable(file, 2).lookup(x)
        session.run(v1.tables_initializer())
        outputs = {"scores": scores, "ids": ids}
        models.simple_save(session, directory / "model", {"x": x}, outputs)
    words.unlink()


def test_tables_of_a_graph_are_written_and_filled_when_it_is_loaded(tmp_path):
    with_tables(tmp_path)
    texts = tf.constant(["b", "zz"])
    served = tf.saved_model.load(tmp_path / "model").signatures["serving_default"](texts)
    assert served["scores"].numpy().tolist() == [2.5, -1]
    assert served["ids"].numpy()[0] == 1
    with tf.Graph().as_default(), v1.Session() as session:
        signature = models.load(session, ["serve"], tmp_path / "model").signature_def
        signature = signature["serving_default"]
        names = [signature.outputs[key].name for key in ("scores", "ids")]
        scores, ids = session.run(names, {signature.inputs["x"].name: ["a", "c"]})
    assert (scores.tolist(), ids.tolist()) == ([1.5, -1], [0, 2])


def test_a_table_that_is_not_filled_is_an_error(tmp_path):
    with_tables(tmp_path)
    data = (tmp_path / "model" / "saved_model.pb").read_bytes()
    (meta,) = protos.SavedModel.FromString(data).meta_graphs
    with tf.Graph().as_default(), v1.Session() as session:
        v1.train.import_meta_graph(meta)
        signature = meta.signature_def["serving_default"]
        fed = {signature.inputs["x"].name: ["a"]}
        with pytest.raises(tf.errors.FailedPreconditionError, match="Table not initialized"):
            session.run(signature.outputs["scores"].name, fed)
        session.run(v1.tables_initializer())
        assert session.run(signature.outputs["scores"].name, fed).tolist() == [1.5]


def test_tables_of_functions_are_filled_in_a_session(tmp_path):
    module = tf.Module()
    (tmp_path / "words.txt").write_text("a\nb\n")
    file = tf.lookup.TextFileInitializer(
        str(tmp_path / "words.txt"), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
        tf.lookup.TextFileIndex.LINE_NUMBER,
    )  # fmt: skip
    module.words = tf.lookup.StaticHashTable(file, -1)
    pairs = tf.lookup.KeyValueTensorInitializer(tf.constant(["b"]), tf.constant([2.5]))
    module.scores = tf.lookup.StaticHashTable(pairs, 0.0)
    module.f = tf.function(
        lambda x: {"ids": module.words.lookup(x), "scores": module.scores.lookup(x)},
        input_signature=[tf.TensorSpec([None], tf.string, name="x")],
    )
    tf.saved_model.save(module, tmp_path / "model")
    with tf.Graph().as_default(), v1.Session() as session:
        meta = models.loader.load(session, ["serve"], tmp_path / "model")
        signature = meta.signature_def["serving_default"]
        fed = {signature.inputs["x"].name: ["b", "c"]}
        found = {k: session.run(v.name, fed).tolist() for k, v in signature.outputs.items()}
    assert found == {"ids": [1, -1], "scores": [2.5, 0]}


def test_models_without_assets_have_no_folder_for_them(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        v1.saved_model.simple_save(session, str(tmp_path / "m"), {"x": x}, {"y": x + 1.0})
    assert [path.name for path in (tmp_path / "m").iterdir()] == ["saved_model.pb"]
