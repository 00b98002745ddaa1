import pytest
from graphdef_export.exporting import exported, kinds

import gradtape as tf

TEXTS = tf.TensorSpec([None], tf.string)


def test_attributes_of_operations_on_strings_are_kept() -> None:
    (made,) = exported(lambda x: tf.strings.regex_replace(x, "a+", "b", False), TEXTS)
    (node,) = [n for n in made.node_def if n.op == "RegexReplace"]
    assert not node.attr["replace_global"].b
    values = [n.attr["value"].tensor.string_val[0] for n in made.node_def if n.op == "Const"]
    assert values == [b"a+", b"b"]


def test_parts_of_strings_are_ragged() -> None:
    found = kinds(lambda x: tf.strings.split(x, ","), TEXTS)
    assert found["StringSplitV2"] == found["LowerBound"] == 1
    found = kinds(lambda x: tf.strings.split(x[0]), TEXTS)
    assert found["StringSplitV2"] == 1
    assert "LowerBound" not in found
    rows = tf.TensorSpec([None, 2], tf.string)
    made = exported(lambda x: tf.strings.unicode_split(x, "UTF-8"), rows)[-1]
    assert len(made.signature.output_arg) == 3


def test_features_of_examples_are_described() -> None:
    features = {
        "b": tf.io.FixedLenFeature([2], tf.float32, default_value=[1.0, 2.0]),
        "a": tf.io.VarLenFeature(tf.int64),
        "c": tf.io.FixedLenSequenceFeature([3], tf.int64, allow_missing=True),
    }
    made = exported(lambda x: tf.io.parse_example(x, features), TEXTS)[-1]
    (node,) = [n for n in made.node_def if n.op == "ParseExampleV2"]
    assert node.attr["num_sparse"].i == 1
    shapes = [[d.size for d in s.dim] for s in node.attr["dense_shapes"].list.shape]
    assert shapes == [[2], [-1, 3]]
    several = {"a": tf.io.RaggedFeature(tf.int64, partitions=[tf.io.RaggedFeature.RowLengths("n")])}
    with pytest.raises(tf.errors.UnimplementedError, match="features of these kinds"):
        exported(lambda x: tf.io.parse_example(x, several), TEXTS)


def test_files_are_read_and_written_in_order() -> None:
    def function(x: tf.Tensor) -> tf.Tensor:
        tf.io.write_file(x[0], "text")
        return tf.io.read_file(x[0])

    (made,) = exported(function, TEXTS)
    nodes = {n.op: n for n in made.node_def}
    assert f"^{nodes['WriteFile'].name}" in nodes["ReadFile"].input
