"""Pictures, serialized messages and files of graphs."""

import numpy as np
import pytest
from graph_nodes import body, const, node, run

import gradtape as tf
from gradtape._src.graphdef.nodes import Surroundings

F = tf.float32


def test_pictures():
    picture = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    (data,) = run("EncodePng", picture, T=tf.uint8)
    (again,) = run("DecodePng", data, channels=3, dtype=tf.uint8)
    assert again.numpy().tolist() == picture.tolist()


def test_bytes():
    (numbers,) = run("DecodeRaw", b"\x01\x00\x02\x00", out_type=tf.int16)
    assert numbers.numpy().tolist() == [1, 2]
    (text,) = run("EncodeBase64", b"hi", pad=True)
    assert run("DecodeBase64", text)[0].numpy() == b"hi"
    (kept,) = run("SerializeTensor", [1.0, 2.0], T=F)
    assert run("ParseTensor", kept, out_type=F)[0].numpy().tolist() == [1, 2]
    assert run("ShardedFilename", "a", 1, 2)[0].numpy() == b"a-00001-of-00002"


def test_examples():
    features = {
        "x": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0])),
        "n": tf.train.Feature(int64_list=tf.train.Int64List(value=[3])),
    }
    example = tf.train.Example(features=tf.train.Features(feature=features))
    nodes = [
        const("names", np.array([], object)),
        const("sparse", ["n"]),
        const("dense", ["x"]),
        const("ragged", np.array([], object)),
        const("default", np.zeros([0], np.float32)),
        node(
            "y", "ParseExampleV2", "s", "names", "sparse", "dense", "ragged", "default",
            Tdense=[F], num_sparse=1, sparse_types=[tf.int64], ragged_value_types=[],
            ragged_split_types=[], dense_shapes=[tf.TensorShape([2])],
        ),
    ]  # fmt: skip
    made = body(nodes, ["s"], ["y:0", "y:1", "y:2", "y:3"])
    places, values, shape, x = made.run([tf.constant([example.SerializeToString()])])
    assert (places.numpy().tolist(), values.numpy().tolist()) == ([[0, 0]], [3])
    assert (shape.numpy().tolist(), x.numpy().tolist()) == ([1, 1], [[1, 2]])


def test_files_need_to_be_allowed(tmp_path):
    path = tmp_path / "file.txt"
    path.write_text("text")
    for op, inputs, gives in (("ReadFile", ["f"], 1), ("WriteFile", ["f", "t"], 0)):
        nodes = [const("f", str(path)), const("t", "new"), node("y", op, *inputs)]
        nodes.append(node("z", "Identity", "t", "^y", T=tf.string))
        fetch = ["y"] if gives else ["z"]
        with pytest.raises(tf.errors.PermissionDeniedError, match="allow_io"):
            body(nodes, [], fetch).run([])
        body(nodes, [], fetch, surroundings=Surroundings(allow_io=True)).run([])
    assert path.read_text() == "new"
    with pytest.raises(tf.errors.PermissionDeniedError, match="allow_io"):
        body([const("f", "x"), node("y", "MatchingFiles", "f")], [], ["y"]).run([])
