"""`tf.print`: the text, and where it goes; texts are TensorFlow's."""

import io

import pytest

import gradtape as tf


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (["a", tf.constant([1.0, 2.0])], "a [1 2]"),
        ([3, [1, tf.constant(2)], {"k": tf.constant([1, 2])}], "3 [1, 2] {'k': [1 2]}"),
        ([tf.range(10)], "[0 1 2 ... 7 8 9]"),
        ([tf.constant([[1, 2], [3, 4]])], "[[1 2]\n [3 4]]"),
        ([tf.constant("s"), tf.constant(["a", "b"])], '"s" ["a" "b"]'),
        ([tf.constant(True), tf.Variable(2.0), None, 1.0], "1 2 None 1.0"),
        ([tf.constant([1 / 3, 1e-10, 1e5])], "[0.333333343 1e-10 100000]"),
        ([tf.constant(1 / 3, tf.float64)], "0.33333333333333331"),
    ],
)
def test_print(values, text):
    stream = io.StringIO()
    tf.print(*values, output_stream=stream)
    assert stream.getvalue() == text + "\n"


def test_print_to_other_places(tmp_path, capsys):
    tf.print("x", 1, sep="|", end="!")
    assert capsys.readouterr().err == "x|1!"
    path = tmp_path / "log.txt"
    for _ in range(2):
        tf.print(tf.range(9), summarize=1, output_stream=f"file://{path}")
    assert path.read_text() == "[0 ... 8]\n" * 2
    with pytest.raises(ValueError, match="output stream"):
        tf.print("x", output_stream="nowhere")


def test_print_to_a_log(capsys):
    tf.print("x", output_stream=tf.compat.v1.logging.WARN)
    tf.print("y", output_stream=0)  # absl's level INFO
    assert capsys.readouterr().err == "WARNING: x\nINFO: y\n"
    with pytest.raises(ValueError, match="logging level"):
        tf.print("x", output_stream=7)
