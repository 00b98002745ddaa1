"""Raw operations on arrays; answers are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

R = tf.raw_ops


def lists(*tensors):
    return [x.numpy().tolist() for x in tensors]


def test_elements_that_another_vector_lacks():
    assert lists(*R.ListDiff(x=[1, 2, 3, 4, 2], y=[2, 4])) == [[1, 3], [0, 2]]
    found = R.ListDiff(x=[1, 2], y=[2], out_idx=tf.int64)
    assert found.idx.dtype is tf.int64


def test_bits_that_are_one():
    found = R.PopulationCount(x=np.array([5, -1, -128], np.int8))
    assert (found.dtype, found.numpy().tolist()) == (tf.uint8, [2, 8, 1])


def test_best_predictions():
    found = R.InTopK(predictions=[[0.1, 0.9, 0.3], [0.5, 0.2, 0.1]], targets=[2, 1], k=2)
    assert found.numpy().tolist() == [True, True]


def test_least_squares():
    found = R.MatrixSolveLs(matrix=[[2.0, 0.0], [1.0, 3.0]], rhs=[[1.0], [2.0]], l2_regularizer=0.0)
    np.testing.assert_allclose(found, [[0.5], [0.5]], rtol=1e-6)


def test_diagonals_that_begin_at_the_left():
    found = R.MatrixDiagV2(
        diagonal=[[1.0, 2.0, 0.0], [3.0, 4.0, 5.0]],
        k=[0, 1],
        num_rows=-1,
        num_cols=-1,
        padding_value=9.0,
    )
    assert found.numpy().tolist() == [[3, 1, 9], [9, 4, 2], [9, 9, 5]]
    matrix = [[1.0, 2.0], [3.0, 4.0]]
    found = R.MatrixDiagPartV2(input=matrix, k=[0, 1], padding_value=9.0)
    assert found.numpy().tolist() == [[2, 9], [1, 4]]
    found = R.MatrixSetDiagV2(input=matrix, diagonal=[7.0, 8.0], k=0)
    assert found.numpy().tolist() == [[7, 2], [3, 8]]


def test_transforms_of_three_axes():
    x = np.arange(8, dtype=np.float32).reshape(2, 2, 2)
    found = R.RFFT3D(input=x, fft_length=[2, 2, 2])
    assert tf.math.real(found).numpy().tolist() == [[[28, -4], [-8, 0]], [[-16, 0], [0, 0]]]
    np.testing.assert_allclose(R.IRFFT3D(input=found, fft_length=[2, 2, 2]), x, atol=1e-6)


def test_a_step_of_a_long_short_term_memory():
    found = R.LSTMBlockCell(
        x=[[0.5, -1.0]],
        h_prev=[[0.2]],
        cs_prev=[[0.3]],
        w=np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4),
        b=[0.1, 0.2, 0.3, 0.4],
        wci=[0.1],
        wcf=[0.2],
        wco=[0.3],
        use_peephole=True,
        cell_clip=0.1,
        forget_bias=0.5,
    )
    wanted = [0.498409, 0.1, 0.648977, 0.532454, 0.009091, 0.099668, 0.053069]
    np.testing.assert_allclose(np.ravel(found), wanted, rtol=1e-4)


def test_a_step_of_a_gated_recurrent_unit():
    found = R.GRUBlockCell(
        x=[[0.5, -1.0]],
        h_prev=[[0.2]],
        w_ru=np.linspace(-1, 1, 6, dtype=np.float32).reshape(3, 2),
        w_c=[[0.1], [0.2], [0.3]],
        b_ru=[0.1, 0.2],
        b_c=[0.3],
    )
    np.testing.assert_allclose(np.ravel(found), [0.480011, 0.475021, 0.176919, 0.187883], rtol=1e-5)


@pytest.mark.parametrize(
    ("lines", "marks", "places", "parts"),
    [
        (["a,b c", "d"], ", ", [[0, 0], [0, 1], [0, 2], [1, 0]], [b"a", b"b", b"c", b"d"]),
        (["ab", ""], "", [[0, 0], [0, 1]], [b"a", b"b"]),
    ],
)
def test_strings_are_split_at_characters(lines, marks, places, parts):
    found = R.StringSplit(input=lines, delimiter=marks, skip_empty=False)
    assert lists(*found)[:2] == [places, parts]


def test_empty_tensors_hold_zeros():
    assert R.Empty(shape=[2], dtype=tf.int32, init=True).numpy().tolist() == [0, 0]
    assert R.Empty(shape=[1], dtype=tf.string).numpy().tolist() == [b""]
    with pytest.raises(tf.errors.InvalidArgumentError):
        R.Empty(shape=[-2], dtype=tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError):
        R.Empty(shape=2, dtype=tf.int32)
