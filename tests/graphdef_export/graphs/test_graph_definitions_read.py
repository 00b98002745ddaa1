"""A reader of definitions, which computes their nodes one by one as other libraries do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.raw.op_definitions import op_definition

F = np.float32


def _strided(node: Any, x: Any, begin: Any, end: Any, strides: Any) -> Any:
    key: list[Any] = []
    masks = {name: node.attr[f"{name}_mask"].i for name in ("begin", "end", "shrink_axis")}
    assert node.attr["ellipsis_mask"].i == node.attr["new_axis_mask"].i == 0
    for i, (a, b, step) in enumerate(zip(begin, end, strides, strict=True)):
        first = None if masks["begin"] >> i & 1 else int(a)
        last = None if masks["end"] >> i & 1 else int(b)
        key.append(int(a) if masks["shrink_axis"] >> i & 1 else slice(first, last, int(step)))
    return x[tuple(key)]


def _conv(node: Any, x: Any, kernel: Any) -> Any:
    strides = list(node.attr["strides"].list.i)
    padding = node.attr["padding"].s.decode()
    assert node.attr["data_format"].s == b"NHWC"
    assert list(node.attr["dilations"].list.i) == [1, 1, 1, 1]
    return tf.nn.conv2d(x, kernel, strides, padding).numpy()


def _pool(node: Any, x: Any) -> Any:
    size, step = list(node.attr["ksize"].list.i), list(node.attr["strides"].list.i)
    return tf.nn.max_pool2d(x, size, step, node.attr["padding"].s.decode()).numpy()


def _matmul(node: Any, a: Any, b: Any) -> Any:
    a = a.T if node.attr["transpose_a"].b else a
    return a @ (b.T if node.attr["transpose_b"].b else b)


def _reduced(function: Any) -> Callable[..., Any]:
    return lambda node, x, axis: function(
        x, axis=tuple(np.ravel(axis)), keepdims=node.attr["keep_dims"].b
    )


def _cast(node: Any, x: Any) -> Any:
    assert node.attr["SrcT"].type == tf.as_dtype(x.dtype).as_datatype_enum
    return x.astype(tf.as_dtype(node.attr["DstT"].type).as_numpy_dtype)


def _packed(node: Any, *xs: Any) -> Any:
    assert node.attr["N"].i == len(xs)
    return np.stack(xs, node.attr["axis"].i)


COMPUTE: dict[str, Callable[..., Any]] = {
    "AddV2": lambda _, x, y: x + y,
    "Sub": lambda _, x, y: x - y,
    "Mul": lambda _, x, y: x * y,
    "Neg": lambda _, x: -x,
    "Tanh": lambda _, x: np.tanh(x),
    "TanhGrad": lambda node, y, g: g * (1 - y * y),
    "Exp": lambda _, x: np.exp(x),
    "Relu": lambda _, x: np.maximum(x, 0),
    "Less": lambda _, x, y: x < y,
    "LogicalAnd": lambda _, x, y: x & y,
    "Identity": lambda _, x: x,
    "IdentityN": lambda _, *xs: xs,
    "Cast": _cast,
    "MatMul": _matmul,
    "Conv2D": _conv,
    "MaxPool": _pool,
    "Softmax": lambda _, x: (e := np.exp(x - x.max(-1, keepdims=True))) / e.sum(-1, keepdims=True),
    "Sum": _reduced(np.sum),
    "Mean": _reduced(np.mean),
    "Reshape": lambda _, x, shape: x.reshape(shape),
    "Transpose": lambda _, x, perm: x.transpose(perm),
    "BroadcastTo": lambda _, x, shape: np.broadcast_to(x, shape),
    "ConcatV2": lambda _, *xs: np.concatenate(xs[:-1], int(xs[-1])),
    "ExpandDims": lambda _, x, axis: np.expand_dims(x, int(axis)),
    "Pack": _packed,
    "Shape": lambda _, x: np.array(x.shape, np.int32),
    "StridedSlice": _strided,
}


class Reader:
    """Computes a definition.

    Args:
      definition: A `GraphDef`.
      variables: By the names of the placeholders for their handles, arrays.
    """

    def __init__(self, definition: Any, variables: dict[str, Any]) -> None:
        self.functions = {f.signature.name: f for f in definition.library.function}
        self.nodes, self.variables = definition.node, variables

    def run(self, given: dict[str, Any], wanted: list[str]) -> list[Any]:
        """The values of some tensors of the graph."""
        values: dict[str, Any] = dict(given)
        for node in self.nodes:
            for i, y in enumerate(self.outputs(node, [values.get(x) for x in node.input])):
                values.setdefault(f"{node.name}:{i}", y)
                if not i:
                    values.setdefault(node.name, y)
        return [values[name] for name in wanted]

    def outputs(self, node: Any, inputs: list[Any]) -> list[Any]:
        """The outputs of a node."""
        assert set(op_definition(node.op).attributes) <= set(node.attr)
        inputs = inputs[: len([x for x in node.input if not x.startswith("^")])]
        if node.op == "Placeholder":
            return [self.variables.get(node.name)]
        if node.op == "Const":
            return [tf.make_ndarray(node.attr["value"].tensor)]
        if node.op == "NoOp":
            return []
        if node.op == "ReadVariableOp":
            return [inputs[0]]
        if node.op in ("StatelessIf", "If"):
            branch = "then_branch" if inputs[0] else "else_branch"
            return self.call(node.attr[branch].func.name, inputs[1:])
        if node.op in ("StatelessWhile", "While"):
            while self.call(node.attr["cond"].func.name, inputs)[0]:
                inputs = self.call(node.attr["body"].func.name, inputs)
            return inputs
        out = COMPUTE[node.op](node, *inputs)
        return list(out) if isinstance(out, tuple) else [out]

    def call(self, name: str, inputs: list[Any]) -> list[Any]:
        """The results of a function of the library."""
        function = self.functions[name]
        arguments = [x.name for x in function.signature.input_arg]
        values: dict[str, Any] = dict(zip(arguments, inputs, strict=True))
        for node in function.node_def:
            outs = self.outputs(node, [values.get(x) for x in node.input])
            names = [x.name for x in op_definition(node.op).outputs]
            lists = any(x.is_list for x in op_definition(node.op).outputs)
            for i, y in enumerate(outs):
                values[f"{node.name}:{names[0]}:{i}" if lists else f"{node.name}:{names[i]}:0"] = y
        return [values[function.ret[x.name]] for x in function.signature.output_arg]


def check(f: Callable[..., Any], *args: Any) -> Any:
    """Compares what a reader of a function's definition computes with what the function gives."""
    specs = [tf.TensorSpec([None, *x.shape[1:]] if x.ndim else [], x.dtype) for x in args]
    concrete = tf.function(f).get_concrete_function(*specs)
    graph = concrete.graph
    values = {v.handle.ref(): v.numpy() for v in concrete.variables}
    variables = {
        inner.op.name: values[outer.ref()]
        for outer, inner in graph.captures
        if outer.dtype is tf.resource
    }
    names = [x.name.partition(":")[0] for x in graph.inputs[: len(args)]]
    definition = graph.as_graph_def()
    wanted = [y.op.name for y in graph.outputs]
    found = Reader(definition, variables).run(dict(zip(names, args, strict=True)), wanted)
    expected = tf.nest.flatten(f(*map(tf.constant, args)))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b.numpy(), 1e-5, 1e-6)
    return definition


def test_a_dense_network() -> None:
    w, b = tf.Variable(np.arange(6, dtype=F).reshape(3, 2) / 5), tf.Variable([0.1, -0.2])

    def f(x: Any) -> Any:
        with tf.name_scope("dense"):
            return tf.nn.softmax(tf.tanh(tf.matmul(x, w) + b))

    definition = check(f, np.linspace(-1, 1, 12, dtype=F).reshape(4, 3))
    assert {"dense/Tanh", "dense/Softmax"} <= {n.name for n in definition.node}


def test_a_convolutional_network() -> None:
    kernel = tf.Variable(np.sin(np.arange(3 * 3 * 2 * 4)).reshape(3, 3, 2, 4).astype(F))

    def f(x: Any) -> Any:
        y = tf.nn.relu(tf.nn.conv2d(x, kernel, [1, 2, 2, 1], "SAME"))
        y = tf.nn.max_pool2d(y, 2, 2, "VALID")
        return tf.reshape(y, [-1, 4]), tf.reduce_mean(y, [1, 2], keepdims=True)

    check(f, np.cos(np.arange(2 * 64 * 2, dtype=F)).reshape(2, 8, 8, 2))


@pytest.mark.parametrize("count", [0, 3])
def test_loops_and_choices_are_functions(count: int) -> None:
    def f(x: Any, n: Any) -> Any:
        for i in tf.range(n):
            if tf.reduce_sum(x) < 10.0:
                x = x * 2.0
            x = x - tf.cast(i, tf.float32)
        return x

    check(f, np.array([1.0, 2.0], F), np.array(count, np.int32))


def test_gradients_are_nodes_too() -> None:
    w = tf.Variable(np.eye(3, 2, dtype=F) + 0.5)

    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(tf.matmul(x, w)) * 2.0 - 1.0)
        return tape.gradient(loss, w)

    check(f, np.linspace(-1, 1, 6, dtype=F).reshape(2, 3))
