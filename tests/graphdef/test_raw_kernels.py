"""Nodes that raw operations run."""

import inspect

from graph_nodes import run

import gradtape as tf
from gradtape._src.base.export import RAW_OPS
from gradtape._src.graphdef.file_kernels import ADAPTED
from gradtape._src.graphdef.raw_kernels import flat_results, is_raw
from gradtape._src.raw.op_definitions import op_definition
from gradtape._src.raw.signatures import free_attributes

F = tf.float32
OTHERS = {name: op for name, op in ADAPTED.items() if name != "DecodeCSV"}  # has a kernel


def test_arguments_have_their_names_in_graphs():
    (total,) = run("Sum", [[1.0, 2.0], [3.0, 4.0]], [1], T=F, keep_dims=True)
    assert total.numpy().tolist() == [[3], [7]]
    parts = run("Split", 0, [1.0, 2.0], T=F, num_split=2, gives=2)
    assert [p.numpy().tolist() for p in parts] == [[1], [2]]
    assert run("Squeeze", [[1.0]], T=F, squeeze_dims=[0])[0].shape == [1]


def test_lists_of_inputs_are_taken_together():
    (joined,) = run("ConcatV2", [1.0], [2.0], 0, N=2, T=F)
    assert joined.numpy().tolist() == [1, 2]


def test_attributes_without_effect_are_passed_over():
    assert run("MatMul", [[1.0]], [[2.0]], T=F, grad_a=True)[0].numpy().tolist() == [[2]]


def test_shapes_that_do_not_broadcast_are_unequal():
    (equal,) = run("Equal", [1.0, 2.0], [1.0, 2.0, 3.0], T=F, incompatible_shape_error=False)
    assert not equal


def test_raw_operations_take_all_that_graphs_hold():
    for name, op in {**RAW_OPS, **OTHERS}.items():
        known = {*inspect.signature(op.function).parameters, *op.ignored}
        if {"args", "kwargs"} & known:
            continue
        definition = op_definition(name)
        taken = {x.python_name or x.name for x in definition.inputs}
        taken |= {a.python_name or a.name for a in free_attributes(definition)}
        assert {op.renamed.get(x, x) for x in taken} <= known, name


def test_what_is_raw():
    assert is_raw("MatMul")
    assert not is_raw("Placeholder")


def test_results_are_flat():
    a, b = tf.constant(1.0), tf.constant(2.0)
    assert flat_results((a, [b])) == [a, b]
    assert flat_results(None) == []
