"""Operations on the parts of ragged and sparse tensors; answers are TensorFlow's."""

import numpy as np
import pytest
from graph_nodes import run

import gradtape as tf

A, B = np.array([[1, 2, 3], [4, 4, 5]]), np.array([[2, 3], [5, 7]])
LONG = {"T": tf.int64}


def lists(found):
    return [tf.convert_to_tensor(x).numpy().tolist() for x in found]


def longs(*values):
    return [tf.constant(x, tf.int64) for x in values]


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("a-b", [[[0, 0], [1, 0]], [1, 4], [2, 1]]),
        ("b-a", [[[1, 0]], [7], [2, 1]]),
        ("intersection", [[[0, 0], [0, 1], [1, 0]], [2, 3, 5], [2, 2]]),
        ("union", [[[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]], [1, 2, 3, 4, 5, 7], [2, 3]]),
    ],
)
def test_dense_sets(kind, wanted):
    found = run("DenseToDenseSetOperation", *longs(A, B), set_operation=kind, **LONG, gives=3)
    assert lists(found) == wanted


def test_sparse_sets():
    places, shape = [[0, 0], [1, 0]], [2, 1]
    second = longs(places, [3, 4], shape)
    found = run(
        "DenseToSparseSetOperation",
        *longs(A),
        *second,
        set_operation="intersection",
        **LONG,
        gives=3,
    )
    assert lists(found) == [[[0, 0], [1, 0]], [3, 4], [2, 1]]
    both = [*second, *longs(places, [3, 5], shape)]
    found = run("SparseToSparseSetOperation", *both, set_operation="union", **LONG, gives=3)
    assert lists(found) == [[[0, 0], [1, 0], [1, 1]], [3, 4, 5], [2, 2]]
    found = run("SetSize", *longs([[0, 0], [0, 1], [2, 0]], [3, 3, 4], [3, 2]), **LONG)
    assert lists(found) == [[1, 0, 1]]


def test_counts():
    none = longs([])
    how = {**LONG, "output_type": tf.int64, "binary_output": False, "gives": 3}
    found = run("DenseCountSparseOutput", *longs(A), *none, minlength=7, **how)
    places = [[0, 1], [0, 2], [0, 3], [1, 4], [1, 5]]
    assert lists(found) == [places, [1, 1, 1, 2, 1], [2, 7]]
    how = {**LONG, "output_type": tf.float32, "binary_output": False, "gives": 3}
    found = run("RaggedCountSparseOutput", *longs([0, 2, 3], [1, 1, 2]), [0.5, 1.0, 2.0], **how)
    assert lists(found) == [[[0, 1], [1, 2]], [1.5, 2.0], [2, 3]]
    how = {**LONG, "output_type": tf.int64, "binary_output": True, "gives": 3}
    given = longs([[0, 0], [1, 1]], [1, 2], [2, 2])
    found = run("SparseCountSparseOutput", *given, *none, maxlength=2, **how)
    assert lists(found) == [[[0, 1]], [1], [2, 2]]


def test_the_lesser_of_two_sparse_tensors():
    places, shape, one = longs([[0, 0], [1, 1]], [2, 2], [[0, 0]])
    given = places, [1.0, 2.0], shape, one, [-1.0], shape
    found = run("SparseSparseMinimum", *given, T=tf.float32, gives=2)
    assert lists(found) == [[[0, 0], [1, 1]], [-1.0, 0.0]]
    found = run("SparseSparseMaximum", *given, T=tf.float32, gives=2)
    assert lists(found) == [[[0, 0], [1, 1]], [1.0, 2.0]]


def test_parts_of_a_sparse_tensor():
    given = longs(1, [[0, 0], [0, 3], [1, 2]])
    found = run(
        "SparseSplit", *given, [1.0, 2.0, 3.0], *longs([2, 4]), num_split=2, T=tf.float32, gives=6
    )
    assert lists(found) == [[[0, 0]], [[0, 1], [1, 0]], [1.0], [2.0, 3.0], [2, 2], [2, 2]]


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("Sum", [[4, 6], [0, 0], [1, 2], [0, 0]]),
        ("Mean", [[3.5, 5], [0, 0], [0.5, 1], [0, 0]]),
        ("SqrtN", [[3.707107, 5.414214], [0, 0], [0.707107, 1.414214], [0, 0]]),
    ],
)
def test_gradients_of_segments(kind, wanted):
    given = [[1.0, 2.0], [3.0, 4.0]], [0, 2, 0], [0, 0, 1], 4
    (found,) = run(f"SparseSegment{kind}Grad", *given, T=tf.float32)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_gradients_of_sparse_tensors():
    sums = longs([[0, 0], [1, 1]], [[0, 0], [0, 2]], [[0, 0], [0, 2], [1, 1]])
    found = run("SparseAddGrad", [1.0, 2.0, 3.0], *sums, T=tf.float32, gives=2)
    assert lists(found) == [[1, 3], [1, 2]]
    part = longs([[0, 0], [1, 1], [1, 2]], [1, 1], [[0, 0], [0, 1]])
    assert lists(run("SparseSliceGrad", [1.0, 2.0], *part, T=tf.float32)) == [[0, 1, 2]]
    found = run("SparseFillEmptyRowsGrad", *longs([0, 2]), [1.0, 2.0, 4.0], T=tf.float32, gives=2)
    assert lists(found) == [[1, 4], 2]


def test_strings():
    attributes = {"separator": "_", "ngram_widths": [2], "left_pad": "", "right_pad": ""}
    attributes |= {"pad_width": 0, "preserve_short_sequences": False, "Tsplits": tf.int64}
    found = run("StringNGrams", ["a", "b", "c", "d"], *longs([0, 3, 4]), **attributes, gives=2)
    assert lists(found) == [[b"a_b", b"b_c"], [0, 2, 2]]
    first = [*longs([[0, 0], [0, 1]]), ["a", "b"], *longs([1, 2])]
    second = [*longs([[0, 0], [0, 1]]), ["a", "c"], *longs([1, 2])]
    found = run("EditDistance", *first, *second, T=tf.string, normalize=True)
    assert lists(found) == [[0.5]]


def test_sparse_tensors_as_strings():
    parts = [*longs([[0, 1], [1, 0]]), [1.0, 2.0], *longs([2, 2])]
    (rows,) = run("SerializeManySparse", *parts, T=tf.float32, out_type=tf.string)
    found = run("DeserializeManySparse", rows, dtype=tf.float32, gives=3)
    assert lists(found) == lists(parts)
    (whole,) = run("SerializeSparse", *parts, T=tf.float32, out_type=tf.string)
    assert whole.shape == (3,)


def test_ragged_tensors_as_variants():
    deep = tf.ragged.constant([[[1.0], [2.0, 3.0]], [], [[4.0]]], row_splits_dtype=tf.int64)
    splits = [x.numpy() for x in deep.nested_row_splits]
    kinds = {"Tvalues": tf.float32, "Tsplits": tf.int64, "RAGGED_RANK": 2}
    values = deep.flat_values.numpy()
    (rows,) = run("RaggedTensorToVariant", *splits, values, **kinds, batched_input=True)
    assert run("Shape", rows, T=tf.variant, out_type=tf.int32)[0].numpy().tolist() == [3]
    back = {"Tvalues": tf.float32, "Tsplits": tf.int64, "output_ragged_rank": 2, "gives": 3}
    (whole,) = run("RaggedTensorToVariant", *splits, values, **kinds, batched_input=False)
    for given, rank in ((rows, 1), (whole, 2)):
        found = run("RaggedTensorFromVariant", given, **back, input_ragged_rank=rank)
        assert [x.numpy().tolist() for x in found[:2]] == [x.tolist() for x in splits]
        assert found[2].numpy().tolist() == [1, 2, 3, 4]


def test_the_gradient_of_variants():
    kinds = {"Tvalues": tf.float32, "Tsplits": tf.int64, "RAGGED_RANK": 1}
    splits, shape = np.array([0, 2, 3]), np.array([3], np.int32)
    (rows,) = run("RaggedTensorToVariant", splits, [1.0, 2.0, 3.0], **kinds, batched_input=True)
    del kinds["RAGGED_RANK"]
    (found,) = run("RaggedTensorToVariantGradient", rows, splits, shape, **kinds)
    assert found.numpy().tolist() == [1, 2, 3]
