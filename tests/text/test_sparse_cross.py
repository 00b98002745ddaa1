"""Crosses of features; values are TensorFlow's."""

import pytest

import gradtape as tf

RAGGED = tf.ragged.constant([["a", "b", "c"], ["d"], []])


def test_crosses_of_features():
    words, letters = tf.constant([["a", "q"], ["b", "r"]]), tf.constant([["c"], ["d"]])
    found = tf.sparse.cross([words, letters])
    assert found.values.numpy().tolist() == [b"a_X_c", b"q_X_c", b"b_X_d", b"r_X_d"]
    assert found.indices.numpy().tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    numbers = tf.sparse.cross_hashed([words, letters], num_buckets=1000)
    assert numbers.values.numpy().tolist() == [566, 594, 454, 912]
    seven = tf.sparse.cross_hashed([tf.constant([[7]], tf.int64)], num_buckets=1 << 60)
    assert seven.values.numpy().tolist() == [211960328286072238]
    assert tf.sparse.cross([tf.constant([[1.5]])]).values.numpy().tolist() == [b"1"]
    for wrong in ([words, letters[:1]], [tf.constant(["a"])]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.sparse.cross(wrong)
    with pytest.raises(TypeError, match="ragged"):
        tf.sparse.cross([RAGGED])


SPARSE = tf.sparse.from_dense([[1, 0], [2, 3]])
WORDS = tf.constant([["a", "b"], ["c", "d"]])
PARTS = {
    "indices": [SPARSE.indices],
    "values": [tf.cast(SPARSE.values, tf.int64)],
    "shapes": [SPARSE.dense_shape],
    "dense_inputs": [WORDS],
}


def test_raw_crosses_take_parts():
    text = tf.sparse.cross([SPARSE, WORDS], separator="+")
    found = tf.raw_ops.SparseCrossV2(**PARTS, sep="+")
    assert found[0].numpy().tolist() == text.indices.numpy().tolist()
    assert found[1].numpy().tolist() == [b"1+a", b"1+b", b"2+c", b"2+d", b"3+c", b"3+d"]
    assert found[2].numpy().tolist() == [2, 4]
    options = {"num_buckets": 50, "hash_key": 7, "internal_type": tf.string}
    hashed = tf.raw_ops.SparseCross(**PARTS, hashed_output=True, out_type=tf.int64, **options)
    wanted = tf.sparse.cross_hashed([SPARSE, WORDS], 50, 7)
    assert hashed[1].numpy().tolist() == wanted.values.numpy().tolist()
    plain = tf.raw_ops.SparseCross(**PARTS, hashed_output=False, out_type=tf.string, **options)
    assert plain[1].numpy().tolist()[0] == b"1_X_a"


@pytest.mark.parametrize("hashed", [False, True])
def test_a_raw_cross_of_ragged_parts_keeps_the_order(hashed):
    inputs = [tf.constant([["x"], ["y"], ["z"]]), RAGGED]
    values, splits = tf.raw_ops.RaggedCross(
        ragged_values=[RAGGED.values],
        ragged_row_splits=[RAGGED.row_splits],
        sparse_indices=[],
        sparse_values=[],
        sparse_shape=[],
        dense_inputs=inputs[:1],
        input_order="DR",
        hashed_output=hashed,
        num_buckets=90,
        hash_key=5,
        out_values_type=tf.int64 if hashed else tf.string,
        out_row_splits_type=tf.int32,
    )
    wanted = tf.ragged.cross_hashed(inputs, 90, 5) if hashed else tf.ragged.cross(inputs)
    assert values.numpy().tolist() == wanted.values.numpy().tolist()
    assert splits.dtype is tf.int32
    assert splits.numpy().tolist() == [0, 3, 4, 4]


@pytest.mark.parametrize("cross_hashed", [tf.sparse.cross_hashed, tf.ragged.cross_hashed])
def test_numbers_of_buckets_are_not_negative(cross_hashed):
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_buckets"):
        cross_hashed([tf.constant([[1]])], num_buckets=-3)


def test_errors_name_the_operation():
    for cross, op in ((tf.sparse.cross, "SparseCross"), (tf.ragged.cross, "RaggedCross")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"matrix .*\[Op:{op}\]"):
            cross([tf.constant(["a"])])


def test_the_dtype_decides_whether_raw_crosses_are_hashed():
    given = {
        "ragged_values": [["a", "b"]],
        "ragged_row_splits": [tf.constant([0, 2], tf.int64)],
        "sparse_indices": [],
        "sparse_values": [],
        "sparse_shape": [],
        "dense_inputs": [[["x"]]],
        "input_order": "RD",
        "num_buckets": 0,
        "hash_key": 1,
        "out_row_splits_type": tf.int64,
    }
    for hashed in (False, True):
        words = tf.raw_ops.RaggedCross(**given, hashed_output=hashed, out_values_type=tf.string)
        assert words.output_values.numpy().tolist() == [b"a_X_x", b"b_X_x"]
        numbers = tf.raw_ops.RaggedCross(**given, hashed_output=hashed, out_values_type=tf.int64)
        assert numbers.output_values.numpy().tolist() == [4587187218450306006, 3050726035604380138]
