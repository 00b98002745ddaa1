"""`tf.import_graph_def`: names, what takes the place of tensors, and damaged messages."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1


def _message() -> Any:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        tf.multiply(tf.nn.relu(x), tf.constant([1.0, 2.0]), name="y")
        return graph.as_graph_def()


def _imported(*args: Any, **options: Any) -> tuple[Any, list[str]]:
    with tf.Graph().as_default() as graph:
        found = tf.graph_util.import_graph_def(*args, **options)
        return found, [op.name for op in graph.get_operations()]


def test_names_begin_with_that_of_the_import() -> None:
    assert _imported(_message()) == (None, ["import/x", "import/Relu", "import/Const", "import/y"])
    assert _imported(_message(), name="")[1] == ["x", "Relu", "Const", "y"]
    assert _imported(_message(), name="a/b")[1] == ["a/b/x", "a/b/Relu", "a/b/Const", "a/b/y"]


def test_names_that_are_taken_get_a_number() -> None:
    with tf.Graph().as_default():
        tf.constant(1.0, name="y")
        (y,) = tf.import_graph_def(_message(), name="", return_elements=["y"])
        (z,) = tf.import_graph_def(_message(), name="n", return_elements=["y"])
        with tf.name_scope("scope"):
            (u,) = tf.import_graph_def(_message(), name="n", return_elements=["y:0"])
        (w,) = tf.import_graph_def(_message(), name="n", return_elements=["y"])
    assert [y.name, z.name, u.name, w.name] == ["y_1", "n/y", "scope/n/y:0", "n_1/y"]
    assert (y.type, y.inputs[0].name, y.get_attr("T")) == ("Mul", "Relu:0", tf.float32)


def test_tensors_take_the_place_of_others() -> None:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        given = tf.constant([[1.0, -3.0]])
        y, x = tf.import_graph_def(_message(), {"x": given}, ["y:0", "x:0"], name="a")
        (z,) = tf.import_graph_def(_message(), {"Relu:0": [[5.0, 6.0]]}, ["y:0"], name="b")
        assert session.run([y, z])[0].tolist() == [[1.0, 0.0]]
        assert session.run(z).tolist() == [[5.0, 12.0]]
        assert x is given
        assert graph.get_operation_by_name("b/_inputs/Const").type == "Const"


def test_operations_wait_for_what_takes_the_place_of_others() -> None:
    with tf.Graph().as_default() as graph:
        with tf.control_dependencies([tf.no_op(name="first")]):
            tf.constant(1.0, name="c")
        message = graph.as_graph_def()
    with tf.Graph().as_default(), v1.Session() as session:
        v = tf.Variable(1.0)
        more = v.assign_add(1.0).op
        (c,) = tf.import_graph_def(message, {"^first": more}, ["c"])
        assert more.name in [op.name for op in c.control_inputs]
        session.run(v.initializer)
        session.run(c)
        assert session.run(v) == 2.0


def test_control_dependencies_around_hold_for_all() -> None:
    with tf.Graph().as_default() as graph:
        first = tf.constant(1.0, name="first")
        with graph.control_dependencies([first]):
            (y,) = tf.import_graph_def(_message(), return_elements=["y"])
        assert [op.name for op in y.control_inputs] == ["first"]


def test_what_is_written_is_what_was_imported() -> None:
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(_message(), name="")
        assert graph.as_graph_def() == _message()


def test_outside_of_graphs_the_default_one_is_meant() -> None:
    v1.reset_default_graph()
    (y,) = tf.import_graph_def(_message(), return_elements=["y:0"], name="outside")
    assert y.graph is v1.get_default_graph()
    with v1.Session() as session:
        assert session.run(y, {"outside/x:0": [[2.0, 3.0]]}).tolist() == [[2.0, 6.0]]
    v1.reset_default_graph()


def test_functions_take_what_they_import_as_operations_of_their_own() -> None:
    @tf.function
    def f(x: Any) -> Any:
        (y,) = tf.graph_util.import_graph_def(_message(), {"x": x}, ["y:0"], name="in")
        return y

    concrete = f.get_concrete_function(tf.TensorSpec([None, 2]))
    names = {op.name: op.type for op in concrete.graph.get_operations()}
    assert (names["in/y"], names["in/Relu"], names["in/Const"]) == ("Mul", "Relu", "Const")
    assert f(tf.constant([[1.0, -1.0]])).numpy().tolist() == [[1.0, 0.0]]
    written = concrete.graph.as_graph_def()
    (y,) = [n for n in written.node if n.name == "in/y"]
    assert list(y.input) == ["in/Relu", "in/Const"]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"input_map": {"z": 1.0}}, ValueError, r"not found in graph_def: \[z:0\]"),
        ({"input_map": {"x": 1}}, ValueError, "passed int32 from x:0 incompatible"),
        ({"input_map": 3}, TypeError, "`input_map` must be a dictionary"),
        ({"input_map": {3: 1.0}}, TypeError, "keys for argument `input_map` must be strings"),
        ({"return_elements": ["q:0"]}, ValueError, "return tensor 'q:0' not found"),
        ({"return_elements": ["y:1"]}, ValueError, "Invalid return output 1 of node 'y'"),
        ({"return_elements": ["y:"]}, ValueError, "Cannot convert 'y:' to a tensor name"),
        ({"return_elements": ["q"]}, ValueError, "return node 'q' not found"),
        ({"return_elements": [3]}, TypeError, "`return_elements` must be a list of strings"),
    ],
)
def test_arguments_are_checked(options: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        _imported(_message(), **options)


def test_only_messages_are_imported() -> None:
    with pytest.raises(TypeError, match="must be a GraphDef proto"):
        _imported(3)


def _change(change: Callable[[Any], object]) -> Any:
    message = _message()
    change(message)
    return message


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (lambda m: setattr(m.node[3], "op", "Foo"), tf.errors.NotFoundError, "'Foo'.*'y'"),
        (
            lambda m: setattr(m.node[3], "op", "AllToAll"),
            tf.errors.UnimplementedError,
            "can't run the node 'y' .AllToAll.",
        ),
        (lambda m: m.node[3].input.append("nn"), ValueError, "Node 'y': Unknown input node 'nn'"),
        (lambda m: m.node[3].input.__setitem__(0, "y"), ValueError, "'y' .* depends on itself"),
        (lambda m: m.node[3].attr.pop("T"), ValueError, "Node 'y'.*'T' is missing"),
        (lambda m: setattr(m.node[3].attr["T"], "type", 3), ValueError, "passed float32 from Relu"),
        (lambda m: setattr(m.node[3].attr["T"], "type", 99), ValueError, "Node 'y'.*99"),
        (lambda m: m.node[3].input.append("x"), ValueError, "takes 2 inputs, but has 3"),
        (lambda m: setattr(m.node[3], "name", "x"), ValueError, "Node 'x' is not unique"),
        (lambda m: setattr(m.node[3], "name", "a b!"), ValueError, "invalid characters"),
        (lambda m: m.node[3].input.__setitem__(0, "Relu:3"), ValueError, "no tensor 'Relu:3'"),
        (lambda m: setattr(m.versions, "min_consumer", 10**5), ValueError, "newer TensorFlow"),
        (
            lambda m: setattr(m.node[2].attr["value"].tensor, "tensor_content", b"abc"),
            ValueError,
            "has 3 bytes",
        ),
    ],
)
def test_damaged_messages_are_refused(change: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        _imported(_change(change))


def test_a_claim_of_a_huge_constant_takes_no_memory() -> None:
    message = _message()
    tensor = message.node[2].attr["value"].tensor
    tensor.tensor_content = b""
    tensor.float_val.append(1.0)
    tensor.tensor_shape.dim[0].size = 1 << 40
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="too large"):
            _imported(message)
        assert tracemalloc.get_traced_memory()[1] < 1 << 22
    finally:
        tracemalloc.stop()


def test_a_placeholder_of_more_elements_than_numpy_counts_is_imported() -> None:
    message = _message()
    message.node[0].attr["shape"].shape.dim[0].size = 2**63 - 1
    with tf.Graph().as_default():
        (y,) = tf.import_graph_def(message, return_elements=["y:0"])
        assert y.shape == [2**63 - 1, 2]
        with pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 3"):
            y + tf.ones([3])


def test_messages_that_are_damaged_at_random_raise_errors_of_few_types() -> None:
    whole = _message().SerializeToString(deterministic=True)
    random = np.random.default_rng(3)
    allowed = (ValueError, TypeError, tf.errors.OpError)
    refused = 0
    for _ in range(300):
        data = bytearray(whole)
        for place in random.integers(len(data), size=random.integers(1, 4)):
            data[place] = random.integers(256)
        try:
            message = v1.GraphDef.FromString(bytes(data))
        except Exception as error:  # noqa: BLE001 (protobuf's own, which can't be imported here)
            assert type(error).__name__ == "DecodeError"  # noqa: PT017
            continue
        try:
            _imported(message)
        except allowed:
            refused += 1
    assert refused > 20
