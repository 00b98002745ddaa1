"""Models of strings, tables, and ragged and sparse tensors give the same when they are loaded."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from saving.export.structured_models import MODELS, Ragged, Sparse

import gradtape as tf
from gradtape._src.messages import protos


def tensor(x):
    if isinstance(x, Ragged):
        return tf.ragged.constant(x.rows, x.dtype)
    return tf.SparseTensor(x.places, x.values, x.shape) if isinstance(x, Sparse) else tf.constant(x)


def flat(structure):
    return [np.asarray(x) for x in tf.nest.flatten(structure, expand_composites=True)]


def equal(found, wanted):
    assert [(x.dtype, np.shape(x)) for x in found] == [(x.dtype, np.shape(x)) for x in wanted]
    for x, y in zip(found, wanted, strict=True):
        if x.dtype == object:
            assert x.tolist() == y.tolist()
        else:
            np.testing.assert_allclose(x, y, rtol=1e-12)


def gradients(tf_function, inputs, variables):
    parts = tf.nest.flatten(inputs, expand_composites=True)
    sources = [x for x in parts if x.dtype.is_floating] + variables
    with tf.GradientTape() as tape:
        tape.watch(sources)
        outs = tf.nest.flatten(tf_function(*inputs), expand_composites=True)
        loss = [tf.reduce_sum(y * y) for y in outs if y.dtype.is_floating]
        loss = tf.add_n(loss) if loss else tf.zeros([])
    found = tape.gradient(loss, sources, unconnected_gradients="zero")
    return [tf.convert_to_tensor(g).numpy() for g in found]


QUICK = ("ragged", "strings", "tables")


@pytest.mark.parametrize("name", MODELS)
def test_models_give_the_same_when_they_are_loaded(tmp_path, name):
    module, inputs = MODELS[name]()
    tf.saved_model.save(module, tmp_path, signatures=module.f)
    loaded = tf.saved_model.load(tmp_path)
    inputs = [tensor(x) for x in inputs]
    equal(flat(loaded.f(*inputs)), flat(module.f(*inputs)))
    wanted = gradients(module.f, inputs, module.v)
    equal(gradients(loaded.f, inputs, list(loaded.v)), wanted)


@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in MODELS]
)
def test_models_are_saved_again(tmp_path, name):
    module, inputs = MODELS[name]()
    tf.saved_model.save(module, tmp_path / "once", signatures=module.f)
    wanted = flat(module.f(*[tensor(x) for x in inputs]))
    once = tf.saved_model.load(tmp_path / "once")
    tf.saved_model.save(once, tmp_path / "twice")
    for file in (tmp_path / "once" / "assets").iterdir():
        file.unlink()
    twice = tf.saved_model.load(tmp_path / "twice")
    if name != "changing_tables":  # whose state is that from before the call above
        equal(flat(twice.f(*[tensor(x) for x in inputs])), wanted)


def test_contents_of_tables_are_those_at_the_time_of_saving(tmp_path):
    module = tf.Module()
    module.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    module.table.insert(["a"], np.array([1], "i8"))
    lookup = tf.function(module.table.lookup, input_signature=[tf.TensorSpec([None], tf.string)])
    module.lookup = lookup
    tf.saved_model.save(module, tmp_path)
    module.table.insert(["a"], np.array([2], "i8"))
    loaded = tf.saved_model.load(tmp_path)
    assert loaded.lookup(["a", "b"]).numpy().tolist() == [1, -1]
    loaded.table.insert(["b"], np.array([3], "i8"))
    assert loaded.lookup(["a", "b"]).numpy().tolist() == [1, 3]


def test_a_table_has_to_be_a_part_of_the_object(tmp_path):
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
    module = tf.Module()
    module.f = tf.function(table.lookup, input_signature=[tf.TensorSpec([None], tf.string)])
    with pytest.raises(AssertionError, match="untracked"):
        tf.saved_model.save(module, tmp_path)


def test_files_of_one_name_are_told_apart(tmp_path):
    module = tf.Module()
    for part in "abc":
        folder = tmp_path / ("a" if part == "c" else part)
        folder.mkdir(exist_ok=True)
        (folder / "words.txt").write_text(folder.name)
        setattr(module, part, tf.saved_model.Asset(str(folder / "words.txt")))
    tf.saved_model.save(module, tmp_path / "model")
    loaded = tf.saved_model.load(tmp_path / "model")
    paths = [getattr(loaded, part).asset_path.numpy().decode() for part in "abc"]
    texts = [Path(path).read_text() for path in paths]
    assert texts == ["a", "b", "a"]
    names = {path.name for path in (tmp_path / "model" / "assets").iterdir()}
    assert names == {"words.txt", "words.txt_1"}


def test_a_file_that_is_not_there_is_named(tmp_path):
    module = tf.Module()
    module.file = tf.saved_model.Asset(str(tmp_path / "none"))
    with pytest.raises(tf.errors.NotFoundError, match="none"):
        tf.saved_model.save(module, tmp_path / "model")


def test_composite_values_of_signatures_are_described(tmp_path):
    module, _ = MODELS["parts_of_sparse"]()
    tf.saved_model.save(module, tmp_path, signatures=module.f)
    message = protos.SavedModel.FromString((tmp_path / "saved_model.pb").read_bytes())
    signature = message.meta_graphs[0].signature_def["serving_default"]
    assert sorted(signature.inputs) == ["xs", "xs_1", "xs_2"]
    sparse = signature.outputs["flat"]
    assert sparse.coo_sparse.indices_tensor_name
    assert sparse.dtype == tf.float64.as_datatype_enum
    module, _ = MODELS["rows_of_rows"]()
    tf.saved_model.save(module, tmp_path, signatures=module.f)
    message = protos.SavedModel.FromString((tmp_path / "saved_model.pb").read_bytes())
    signature = message.meta_graphs[0].signature_def["serving_default"]
    ragged = signature.outputs["output_0"].composite_tensor
    assert ragged.type_spec.num_flat_components == len(ragged.components) == 3


def test_tables_are_resources_that_libraries_look_for():
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
    assert isinstance(table, tf.saved_model.experimental.TrackableResource)


class Pair(tf.experimental.ExtensionType):
    __name__ = "tests.saving.Pair"
    rows: tf.RaggedTensor
    named: Mapping[str, tf.Tensor]
    count: int = 2


def test_extension_types_and_slices_are_arguments_and_results(tmp_path):
    module = tf.Module()
    module.w = tf.Variable(2.0)
    pair_spec = Pair.Spec(
        rows=tf.RaggedTensorSpec([None, None]), named={"a": tf.TensorSpec([None])}, count=3
    )

    @tf.function(input_signature=[pair_spec])
    def scaled(x):
        return Pair(x.rows * module.w, {"a": x.named["a"] + 1.0}, x.count + 1)

    slices_spec = tf.IndexedSlicesSpec([None, 2], dense_shape_dtype=tf.int32)

    @tf.function(input_signature=[slices_spec])
    def both(x):
        return tf.convert_to_tensor(x) * module.w, x

    module.scaled, module.both = scaled, both
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    pair = Pair(tf.ragged.constant([[1.0], [2.0, 3.0]]), {"a": [1.0, 2.0]}, 3)
    found = loaded.scaled(pair)
    assert (type(found), found.count) == (Pair, 4)
    assert found.rows.to_list() == [[2], [4, 6]]
    assert found.named["a"].numpy().tolist() == [2, 3]
    with pytest.raises(TypeError, match="Binding inputs"):
        loaded.scaled(Pair(pair.rows, pair.named, 4))
    slices = tf.IndexedSlices(
        tf.constant([[1.0, 2.0]]), tf.constant([1], tf.int64), tf.constant([3, 2])
    )
    whole, same = loaded.both(slices)
    assert whole.numpy().tolist() == [[0, 0], [2, 4], [0, 0]]
    assert same.dense_shape.numpy().tolist() == [3, 2]


def test_values_of_classes_that_the_program_lacks_have_their_fields(tmp_path):
    class Unknown(tf.experimental.ExtensionType):
        __name__ = "tests.saving.Unknown"
        values: tf.Tensor
        unit: str

    module = tf.Module()
    module.f = tf.function(lambda x: Unknown(x, "m"), input_signature=[tf.TensorSpec([None])])
    tf.saved_model.save(module, tmp_path)
    path = tmp_path / "saved_model.pb"
    path.write_bytes(path.read_bytes().replace(b"tests.saving.Unknown", b"tests.saving.UNKNOWN"))
    found = tf.saved_model.load(tmp_path).f([1.0])
    assert "AnonymousExtensionType" in repr(found)
    assert (found.values.numpy().tolist(), found.unit) == ([1], "m")


def test_a_class_without_a_name_is_refused(tmp_path):
    class Nameless(tf.experimental.ExtensionType):
        values: tf.Tensor

    module = tf.Module()
    module.f = tf.function(lambda x: Nameless(x), input_signature=[tf.TensorSpec([None])])
    with pytest.raises(TypeError, match="give the class Nameless a name"):
        tf.saved_model.save(module, tmp_path)
