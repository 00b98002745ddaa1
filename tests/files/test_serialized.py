"""Examples as JSON, sparse tensors as strings, graphs as files: what real TensorFlow gives."""

import json

import numpy as np
import pytest
from google.protobuf import json_format, text_format

import gradtape as tf

INVALID = tf.errors.InvalidArgumentError
SPARSE = tf.SparseTensor([[0, 1], [2, 0]], [1.5, 2.5], [3, 4])


def dense(sparse):
    return tf.sparse.to_dense(tf.sparse.reorder(sparse)).numpy().tolist()


def test_examples_of_json():
    text = '{"features": {"feature": {"a": {"int64List": {"value": ["3"]}}}}}'
    found = tf.io.decode_json_example([[text, "{}"]])
    wanted = tf.train.Example.FromString(b"\n\x0b\n\t\n\x01a\x12\x04\x1a\x02\x08\x03")
    assert tf.train.Example.FromString(found[0, 0].numpy()) == wanted
    assert found[:, 1].numpy().tolist() == [b""]
    example = tf.train.Example()
    example.features.feature["b"].float_list.value.extend([0.5, 1.5])
    again = tf.io.decode_json_example(json_format.MessageToJson(example))
    assert tf.train.Example.FromString(again.numpy()) == example
    other = text.replace("int64List", "int64_list")
    assert tf.io.decode_json_example(other) == found[0, 0]


@pytest.mark.parametrize(
    "text",
    [
        '{"nope": 1}',
        '{"features":',
        "",
        "[]",
        b"\xff",
        '{"features": {"feature": {"a": {"int64List": {"value": ["x"]}}}}}',
        "[" * 100_000,
        json.dumps({"features": {"feature": {"a": 3}}}),
    ],
)
def test_what_is_not_the_json_of_an_example(text):
    with pytest.raises(INVALID, match="Error while parsing JSON"):
        tf.io.decode_json_example(text)


def test_a_sparse_tensor_as_strings():
    indices, values, shape = tf.io.serialize_sparse(SPARSE).numpy()
    assert values == b'\x08\x01\x12\x04\x12\x02\x08\x02"\x08\x00\x00\xc0?\x00\x00 @'
    assert tf.io.parse_tensor(indices, tf.int64).numpy().tolist() == [[0, 1], [2, 0]]
    assert tf.io.parse_tensor(shape, tf.int64).numpy().tolist() == [3, 4]


def test_slices_of_a_sparse_tensor_there_and_back():
    table = tf.io.serialize_many_sparse(SPARSE)
    assert table.shape == (3, 3)
    assert table[1, 0].numpy() == b"\x08\t\x12\x06\x12\x00\x12\x02\x08\x01"
    for rank in (None, 1):
        found = tf.io.deserialize_many_sparse(table, tf.float32, rank)
        assert dense(found) == dense(SPARSE)
        assert found.dense_shape.numpy().tolist() == [3, 4]


def test_sparse_tensors_of_different_extents():
    rows = [tf.SparseTensor([[0]], [1], [5]), tf.SparseTensor([[2]], [7], [3])]
    table = tf.stack([tf.io.serialize_sparse(row) for row in rows])
    found = tf.io.deserialize_many_sparse(table, tf.int32)
    assert found.indices.numpy().tolist() == [[0, 0], [1, 2]]
    assert found.values.numpy().tolist() == [1, 7]
    assert found.dense_shape.numpy().tolist() == [2, 5]


def test_texts_in_sparse_tensors():
    sparse = tf.SparseTensor([[1, 0]], ["a"], [2, 1])
    found = tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(sparse), tf.string)
    assert found.values.numpy().tolist() == [b"a"]


def row(indices, values, shape):
    return [tf.io.serialize_tensor(part).numpy() for part in (indices, values, shape)]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([["a", "b", "c"]], "Could not parse serialized proto"),
        (np.zeros((0, 3), object), "at least one"),
        ([["a", "b"]], "rows of 3 strings"),
        ([row(np.int64([[0]]), [1.0], np.int64([2]))], "Requested SparseTensor of type int32"),
        ([row(np.int64([[0]]), [1, 2], np.int64([2]))], "has indices of shape"),
        ([row(np.int64([[0, 1]]), [1], np.int64([2]))], "has indices of shape"),
        ([row(np.int64([[0]]), 1, np.int64([2]))], "has indices of shape"),
        ([row([[0]], [1], np.int64([2]))], "has indices of shape"),
        (
            [
                row(np.int64([[0]]), [1], np.int64([2])),
                row(np.int64([[0, 0]]), [1], np.int64([2, 2])),
            ],
            "Inconsistent rank",
        ),
    ],
)
def test_strings_that_are_no_sparse_tensors(table, words):
    with pytest.raises(INVALID, match=words):
        tf.io.deserialize_many_sparse(tf.constant(table, tf.string), tf.int32)


def test_arguments_of_sparse_functions():
    with pytest.raises(TypeError, match="must be a SparseTensor"):
        tf.io.serialize_sparse(1.0)
    with pytest.raises(TypeError, match="must be a SparseTensor"):
        tf.io.serialize_many_sparse(1.0)
    with pytest.raises(INVALID, match=r"should be > 1, but saw rank: 1"):
        tf.io.serialize_many_sparse(tf.SparseTensor([[0]], [1], [2]))
    with pytest.raises(INVALID, match=r"out_type must be tf\.string"):
        tf.io.serialize_sparse(SPARSE, tf.variant)
    with pytest.raises(ValueError, match="have the rank 1"):
        tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(SPARSE), tf.float32, rank=2)


def test_in_a_function():
    @tf.function
    def there_and_back(values):
        sparse = tf.SparseTensor([[0, 1], [2, 0]], values, [3, 4])
        table = tf.io.serialize_many_sparse(sparse)
        assert table.shape.as_list() == [None, 3]
        found = tf.io.deserialize_many_sparse(table, tf.float32, rank=1)
        assert found.indices.shape.as_list() == [None, 2]
        return found.values + 1.0

    assert there_and_back(tf.constant([1.0, 2.0])).numpy().tolist() == [2, 3]

    @tf.function
    def decoded(text):
        return tf.io.decode_json_example(text)

    assert decoded(tf.constant(["{}", "{}"])).numpy().tolist() == [b"", b""]


def test_graphs_in_files(tmp_path):
    graph = tf.function(tf.tanh).get_concrete_function(tf.constant(1.0)).graph
    path = tf.io.write_graph(graph, str(tmp_path / "new"), "g.pbtxt")
    assert path == str(tmp_path / "new" / "g.pbtxt")
    text = (tmp_path / "new" / "g.pbtxt").read_text()
    defined = graph.as_graph_def()
    assert text_format.Parse(text, tf.compat.v1.GraphDef()) == defined
    path = tf.io.write_graph(defined, str(tmp_path), "g.pb", as_text=False)
    assert tf.compat.v1.GraphDef.FromString((tmp_path / "g.pb").read_bytes()) == defined
    with pytest.raises(TypeError, match="has no attribute"):
        tf.io.write_graph(3, str(tmp_path), "none")
    assert not (tmp_path / "none").exists()


def test_strings_of_sparse_tensors_are_packed():
    words = tf.SparseTensor([[0, 0], [1, 1]], ["a", "b" * 200], [2, 2])
    values = tf.io.serialize_sparse(words).numpy()[1]
    assert values == b'\x08\x07\x12\x04\x12\x02\x08\x02"\xcc\x01\x01\xc8\x01a' + b"b" * 200
    again = tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(words), tf.string)
    assert dense(again) == dense(words)
