import pytest

import gradtape as tf
from gradtape.compat import v1

models = v1.saved_model


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        v1.placeholder(tf.float32, [None, 2], name="x")
        v1.placeholder(tf.string, [None], name="text")
        yield graph


def test_a_tensor_is_described_and_found_again(graph):
    x = graph.get_tensor_by_name("x:0")
    info = models.build_tensor_info(x)
    assert (info.name, info.dtype) == ("x:0", tf.float32.as_datatype_enum)
    assert [d.size for d in info.tensor_shape.dim] == [-1, 2]
    assert models.get_tensor_from_tensor_info(info).name == "x:0"
    with pytest.raises(KeyError):
        models.get_tensor_from_tensor_info(info, import_scope="other")


def test_sparse_and_ragged_tensors(graph):
    sparse = v1.sparse_placeholder(tf.float32, [None, 2], name="s")
    info = models.build_tensor_info(sparse)
    again = models.get_tensor_from_tensor_info(info)
    assert again.indices.name == sparse.indices.name
    splits = v1.placeholder(tf.int64, [3], name="splits")
    ragged = tf.RaggedTensor.from_row_splits(sparse.values, splits, validate=False)
    parts = models.build_tensor_info(ragged).composite_tensor.components
    assert len(parts) == 2
    with pytest.raises(ValueError, match="encoding"):
        models.get_tensor_from_tensor_info(models.build_tensor_info(ragged))


def test_tensors_of_no_graph():
    with pytest.raises(RuntimeError, match="where operations run at once"):
        models.build_tensor_info(tf.constant(1.0))


def test_signatures_of_each_method(graph):
    x, text = (graph.get_tensor_by_name(name) for name in ("x:0", "text:0"))
    predict = models.predict_signature_def({"x": x}, {"y": x})
    classify = models.classification_signature_def(text, text, x)
    regress = models.regression_signature_def(text, x)
    constants = models.signature_constants
    assert [s.method_name for s in (predict, classify, regress)] == [
        constants.PREDICT_METHOD_NAME,
        constants.CLASSIFY_METHOD_NAME,
        constants.REGRESS_METHOD_NAME,
    ]
    assert all(map(models.is_valid_signature, (predict, classify, regress)))
    assert sorted(classify.outputs) == ["classes", "scores"]


def test_what_is_no_signature(graph):
    x, text = (graph.get_tensor_by_name(name) for name in ("x:0", "text:0"))
    with pytest.raises(ValueError, match="None or empty"):
        models.predict_signature_def({}, {"y": x})
    with pytest.raises(ValueError, match="cannot both be None"):
        models.classification_signature_def(text, None, None)
    with pytest.raises(ValueError, match="must be of dtype string"):
        models.classification_signature_def(x, text, None)
    with pytest.raises(ValueError, match="predictions cannot be None"):
        models.regression_signature_def(text, None)
    infos = [{"inputs": models.build_tensor_info(t)} for t in (x, text)]
    wrong = models.build_signature_def(infos[0], infos[1], "tensorflow/serving/classify")
    assert not models.is_valid_signature(wrong)
    assert not models.is_valid_signature(models.build_signature_def(infos[1], {}, "mine"))
    assert not models.is_valid_signature(None)


def test_the_constants_are_those_of_saved_models():
    old = [models.constants, models.signature_constants, models.tag_constants]
    values = {name: value for space in old for name, value in vars(space).items() if name.isupper()}
    gone = ("LEGACY_INIT_OP_KEY", "MAIN_OP_KEY")  # in TensorFlow 2
    assert len(values) == 26
    for name, value in values.items():
        assert getattr(tf.saved_model, name, None) == (None if name in gone else value)
