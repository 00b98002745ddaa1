"""Constants, checks and messages of graphs."""

import numpy as np
import pytest
from graph_nodes import body, const, node, run

import gradtape as tf
from gradtape._src.graphdef.bodies import UnavailableError
from gradtape._src.graphdef.nodes import Surroundings

F = tf.float32


@pytest.mark.parametrize("value", [3, 1.5, [1.0, 2.0], "text", ["a", "b"]], ids=str)
def test_constants(value):
    (found,) = body([const("c", value)], [], ["c"]).run([])
    wanted = tf.constant(value)
    assert found.dtype is wanted.dtype
    assert np.array_equal(found.numpy(), wanted.numpy())


def test_constants_are_counted():
    surroundings = Surroundings()
    large = tf.zeros([1 << 22])
    for _ in range(512):
        surroundings.hold(large)
    with pytest.raises(ValueError, match="constants take more"):
        surroundings.hold(large)


def test_an_assertion():
    assert run("Assert", True, [1.0], T=[F], summarize=3, gives=0) == []
    with pytest.raises(tf.errors.InvalidArgumentError, match="to be true"):
        run("Assert", False, [1.0], T=[F], summarize=3, gives=0)


def test_messages(capsys):
    run("PrintV2", "hello", output_stream="stdout", gives=0)
    assert capsys.readouterr().out == "hello\n"


def test_messages_into_files_need_to_be_allowed(tmp_path):
    stream = f"file://{tmp_path / 'out.txt'}"
    nodes = [const("c", "text"), node("p", "PrintV2", "c", output_stream=stream)]
    made = body([*nodes, node("y", "Identity", "x", "^p", T=F)], ["x"], ["y"])
    with pytest.raises(tf.errors.PermissionDeniedError, match="allow_io=True"):
        made.run([tf.constant(1.0)])
    nodes.append(node("y", "Identity", "x", "^p", T=F))
    made = body(nodes, ["x"], ["y"], surroundings=Surroundings(allow_io=True))
    made.run([tf.constant(1.0)])
    assert (tmp_path / "out.txt").read_text() == "text\n"


def test_placeholders_need_values():
    with pytest.raises(ValueError, match="was not fed"):
        body([node("y", "Placeholder", dtype=F)], [], ["y"]).run([])


def test_python_functions_are_refused():
    with pytest.raises(UnavailableError, match="Python functions"):
        run("PyFunc", 1.0, token="t", Tin=[F], Tout=[F])


def test_offsets_of_a_concatenation():
    first, second = run("ConcatOffset", 0, [2, 3], [4, 3], N=2, gives=2)
    assert (first.numpy().tolist(), second.numpy().tolist()) == ([0, 0], [2, 0])


def test_eigenvalues_with_and_without_vectors():
    x = tf.constant([[2.0, 0.0], [0.0, 3.0]])
    values, vectors = run("Eig", x, compute_v=True, T=F, Tout=tf.complex64, gives=2)
    assert values.dtype == vectors.dtype == tf.complex64
    values, nothing = run("Eig", x, compute_v=False, T=F, Tout=tf.complex64, gives=2)
    assert sorted(values.numpy().real.tolist()) == [2.0, 3.0]
    assert nothing.shape == ()


def test_a_decreasing_fit():
    x = tf.constant([[1.0, 3.0, 0.0]])
    fit, segments = run("IsotonicRegression", x, output_dtype=F, T=F, gives=2)
    assert fit.numpy().tolist() == [[2.0, 2.0, 0.0]]
    assert segments.numpy().tolist() == [[0, 0, 1]]
