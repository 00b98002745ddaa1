"""The representation of graphs: symbols, nodes, and what is said of their lengths."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.graph.ir import graph as representation
from gradtape._src.graph.ir.graph import (
    Graph,
    Node,
    Symbol,
    end,
    new_node,
    new_symbol,
    spec_of,
)
from gradtape._src.ops.elementwise.arithmetic import add_p

FLOAT = np.dtype("float32")
ROOM = Path(representation.__file__).parent
MAX_LINES = 1500
LATER = ("running", "tracing", "nested", "inference", "views")


class Owner:
    """A tracer, as far as a symbol needs it."""

    finished = False


def test_the_representation_is_small():
    lines = [len(p.read_text(encoding="utf-8").splitlines()) for p in ROOM.glob("*.py")]
    assert 0 < sum(lines) < MAX_LINES


def test_the_representation_does_not_know_how_graphs_are_made_or_run():
    for path in ROOM.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                room = (node.module or "").removeprefix("gradtape._src.")
                assert not room.startswith(("xla", *[f"graph.{name}" for name in LATER])), path


def test_equal_specs_are_one_object():
    assert spec_of((2, 3), FLOAT) is spec_of((2, 3), FLOAT)
    assert spec_of((2, 3), FLOAT) is not spec_of((3, 2), FLOAT)


def test_symbols_have_what_arrays_tell_without_values():
    x = Symbol((2, 3), FLOAT, Owner())
    assert (x.ndim, x.size, x.itemsize, x.nbytes) == (2, 6, 4, 24)
    assert x.spec is spec_of((2, 3), FLOAT)
    end([[x], [x]])
    assert x.np_dtype == FLOAT


def test_both_ways_to_make_a_symbol_and_a_node_agree():
    owner = Owner()
    spec = spec_of((2,), FLOAT)
    assert spec is not None
    x, y = Symbol((2,), FLOAT, owner), new_symbol(spec, owner)
    for name in ("shape", "dtype", "np_dtype", "spec", "owner", "elements"):
        assert getattr(x, name) == getattr(y, name), name
    add = add_p.primitive
    made, fast = Node(add, [x, y], {}, [x], False), new_node(add, (x, y), {}, (x,), False, None)
    for name in Node.__slots__:
        assert getattr(made, name) == getattr(fast, name), name


def test_a_node_with_other_inputs_keeps_the_rest():
    owner = Owner()
    x, y, z = (Symbol((2,), FLOAT, owner) for _ in range(3))
    node = Node(add_p.primitive, [x, x], {}, [z], False, True, "line")
    other = node.with_inputs([x, y])
    assert other.inputs == (x, y)
    assert (other.outputs, other.stateful, other.line) == ((z,), True, "line")
    assert node.inputs == (x, x)


def test_graphs_know_whether_a_length_is_unknown():
    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def f(x):
        return x + 1

    @tf.function(input_signature=[tf.TensorSpec([3, 2])])
    def g(x):
        return x + 1

    x, y = f.get_concrete_function().graph.inputs[0], g.get_concrete_function().graph.inputs[0]
    of_f, of_g = Graph([x._value], [], [x._value]), Graph([y._value], [], [y._value])
    assert of_f.has_unknown_lengths()
    assert not of_g.has_unknown_lengths()
    assert of_f.decisions() is not None
    assert of_g.decisions() is None
    assert of_f.with_nodes([]).outputs == of_f.outputs


def test_a_value_that_is_asked_of_a_symbol_is_refused_as_in_tensorflow():
    @tf.function(autograph=False)
    def f(x):
        for ask, error in ((bool, TypeError), (np.asarray, NotImplementedError), (int, TypeError)):
            with pytest.raises(error):
                ask(x)
        with pytest.raises(AttributeError, match="numpy"):
            x.numpy()
        return x

    f(tf.constant(1.0))
