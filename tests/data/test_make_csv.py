"""Batches of lines of comma-separated values; values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf


def items(dataset):
    return list(dataset.as_numpy_iterator())


def test_csv_in_batches(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("a,b,s,y\n1,2.5,p,0\n2,3.5,q,1\n3,,r,0\n")

    def made(**options):
        return tf.data.experimental.make_csv_dataset(
            str(path), 2, num_epochs=1, shuffle=False, **options
        )

    first, second = items(made(label_name="y"))
    assert {key: value.tolist() for key, value in first[0].items()} == {
        "a": [1, 2],
        "b": [2.5, 3.5],
        "s": [b"p", b"q"],
    }
    assert (second[0]["b"].tolist(), second[1].dtype) == ([0.0], np.int32)
    assert list(made(select_columns=["a", 2]).element_spec) == ["a", "s"]
    with pytest.raises(ValueError, match="must be one of the columns"):
        made(label_name="nope")
    with pytest.raises(ValueError, match="No files match"):
        tf.data.experimental.make_csv_dataset(str(tmp_path / "none*"), 2)
