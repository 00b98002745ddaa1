"""Operations that were used with such shapes and dtypes before take a path of their own."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.core.recorder import replaced
from gradtape._src.graph.ir.graph import Symbol
from gradtape._src.graph.tracing.tracer import Tracer
from gradtape._src.ops.array.joining import concat
from gradtape._src.ops.elementwise.arithmetic import mul_p
from gradtape._src.ops.elementwise.trigonometric import tanh
from gradtape._src.ops.linalg.matmul import matmul_p

FLOAT = np.dtype("float32")
SHAPE = (3, 7, 7)  # of no other test


def traced(call, *shapes):
    """Traces a call twice; returns the nodes of the second time, and how many took the path."""
    counts = []

    class Counting(Tracer):
        def process_known(self, *operation):
            out = super().process_known(*operation)
            counts[-1] += out is not None
            return out

    for _ in range(2):
        counts.append(0)
        tracer = Counting()
        with tracer.scope():
            out = call(*[tracer.input((shape, FLOAT)) for shape in shapes])
    return tracer.nodes, counts, out


@pytest.mark.parametrize(
    ("call", "count"),
    [
        (tanh, 1),
        (lambda x: x * x, 1),
        (lambda x: x * 2.0, 1),
        (lambda x: 2.0 - x, 1),
        (lambda x: x @ np.ones((7, 2), "float32"), 1),
        (lambda x: concat([x, x, x], 1), 1),
        (lambda x: tf.split(x, 7, 1), 1),
    ],
    ids=["one", "two", "number", "number first", "constant", "three", "several outputs"],
)
def test_the_second_use_takes_the_path(call, count):
    nodes, (first, second), out = traced(call, SHAPE)
    assert first < second == count == len(nodes)
    expected = call(tf.zeros(SHAPE))
    for y, e in zip(tf.nest.flatten(out), tf.nest.flatten(expected), strict=True):
        assert (type(y._value), y.shape, y.dtype) == (Symbol, e.shape, e.dtype)


def test_nodes_are_those_of_the_first_use():
    (node,), _, out = traced(lambda x: x * 2.0, SHAPE)
    assert node.primitive is mul_p.primitive
    assert [type(x) for x in node.inputs] == [Symbol, np.float32]
    assert node.outputs == (out._value,)
    assert (node.several, node.stateful, node.params) == (False, False, {})


def test_other_shapes_are_checked():
    _, counts, out = traced(lambda x: (x * x, x[0] * x[0])[1], (4, 3, 9))
    assert counts[1] > counts[0]
    assert out.shape == [3, 9]
    with pytest.raises(tf.errors.InvalidArgumentError):
        traced(lambda x, y: x @ y, (2, 3), (2, 3))


def test_values_of_other_graphs_and_two_constants_are_left_to_others():
    outer, inner = Tracer(), Tracer()
    x, known = outer.input(((5, 5), FLOAT)), tf.ones((5, 5))
    with replaced((outer,)):
        assert matmul_p(x, x)._value.owner is outer
    for operands in [(x, x), (x, known), (known, x), (known, known)]:
        assert inner.process_known(matmul_p.primitive, {}, *operands) is None
    assert not inner.nodes
