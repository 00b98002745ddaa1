"""Ragged tensors as arrays of arrays and as text."""

import sys

import pytest

import gradtape as tf


@pytest.mark.parametrize(
    ("rows", "text"),  # as TensorFlow writes them
    [
        ([[1.5, 2], [3]], "[[1.5, 2.0], [3.0]]"),
        ([[[1.5, 2], [3]], []], "[[[1.5, 2.0], [3.0]], []]"),
        ([[[1], [2, 3]], [[4], [5, 6]]], "[[[1], [2, 3]],\n [[4], [5, 6]]]"),
        ([[b"a", b"b"], [b"c"]], "[[b'a', b'b'], [b'c']]"),
        ([[True], []], "[[True], []]"),
        ([[0.1, 1e-9], [1e20]], "[[0.1, 1e-09], [1e+20]]"),
        ([[[1]], [[2]]], "[[[1]],\n\n [[2]]]"),
    ],
)
def test_repr_breaks_lines_as_numpy_does(rows, text):
    assert repr(tf.ragged.constant(rows)) == f"<tf.RaggedTensor {text}>"


def test_long_rows_are_broken_and_shortened(capsys):
    long = tf.ragged.range(tf.range(20))
    assert repr(long).splitlines()[1] == (
        " [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 6, 7],"
    )
    tf.print(long, output_stream=sys.stdout)
    assert capsys.readouterr().out == (
        "[[], [0], [0, 1], ..., [0, 1, 2, ..., 14, 15, 16], [0, 1, 2, ..., 15, 16, 17], "
        "[0, 1, 2, ..., 16, 17, 18]]\n"
    )


def test_print_writes_values_on_one_line(capsys):
    numbers = tf.ragged.constant([[1.5, 1e-9], [3e12]])
    truths, texts = tf.ragged.constant([[True], []]), tf.ragged.constant([["a"], ["b", "c"]])
    tf.print(numbers, truths, {"key": texts}, output_stream=sys.stdout)
    sparse = tf.sparse.from_dense([[0, 1], [2, 0]])
    tf.print([sparse], output_stream=sys.stdout)
    assert capsys.readouterr().out == (
        "[[1.500000, 0.000000], [3000000053248.000000]] [[true], []] "
        "{'key': [['a'], ['b', 'c']]}\n"
        "['SparseTensor(indices=[[0 1]\n [1 0]], values=[1 2], shape=[2 2])']\n"
    )


def test_nested_rows_as_arrays():
    shapes = [
        tf.ragged.constant(rows).numpy().shape
        for rows in ([[1], [2, 3]], [[[1], [2, 3]], []], [[[1], [2, 3]], [[4], [5, 6]]], [[[1]]])
    ]
    assert shapes == [(2,), (2,), (2, 2), (1, 1, 1)]
