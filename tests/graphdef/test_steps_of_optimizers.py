"""Steps of optimizers, with values that TensorFlow 2.21 computes."""

import numpy as np
import pytest
from graph_nodes import body, const, node, run

import gradtape as tf
from gradtape._src.graphdef.nodes import Surroundings
from gradtape._src.raw.op_definitions import is_defined

G = np.array([0.5, -1.0], np.float32)
SPEED, SPREAD = [2.3, 0.53], [1.75, 1.63]
CASES = {
    "ResourceApplyGradientDescent": ([0.1], {}, [[0.95, 2.1]]),
    "ResourceApplyMomentum": ([0.1, G, 0.9], {}, [[0.77, 1.947], SPEED]),
    "ResourceApplyMomentum, ahead": (
        [0.1, G, 0.9], {"use_nesterov": True}, [[0.743, 2.0523], SPEED],
    ),
    "ResourceApplyKerasMomentum": ([0.1, G, 0.9], {}, [[2.75, 3.63], SPREAD]),
    "ResourceApplyKerasMomentum, ahead": (
        [0.1, G, 0.9], {"use_nesterov": True}, [[2.525, 3.567], SPREAD],
    ),
    "ResourceApplyAdam": (
        [0.9, 0.99, 0.1, 0.9, 0.99, 1e-3], {},
        [[0.89276, 1.879072], [1.85, 1.43], [2.9725, 1.396]],
    ),
    "ResourceApplyAdam, ahead": (
        [0.9, 0.99, 0.1, 0.9, 0.99, 1e-3], {"use_nesterov": True},
        [[0.900585, 1.899622], [1.85, 1.43], [2.9725, 1.396]],
    ),
    "ResourceApplyAdagrad": ([0.1], {}, [[0.966667, 2.060858], [2.25, 2.7]]),
    "ResourceApplyAdagradV2": ([0.1, 1e-2], {}, [[0.966887, 2.06049], [2.25, 2.7]]),
    "ResourceApplyRMSProp": (
        [0.1, 0.9, 0.5, 1e-3], {},
        [[-0.537002, 1.378302], [1.825, 1.63], [1.537002, 0.621698]],
    ),
    "ResourceApplyAdadelta": (
        [0.1, 0.9, 1e-2], {}, [[0.935962, 2.092723], [1.825, 1.63], [2.741008, 1.345976]],
    ),
    "ResourceApplyAdagradDA": (
        [G, 0.1, 0.1, 0.2, 3], {}, [[-0.118103, -0.024857], [2.5, 0.7], [3.25, 2.4]],
    ),
    "ResourceApplyProximalAdagrad": ([0.1, 0.1, 0.2], {}, [[0.947368, 2.030063], [2.25, 2.7]]),
    "ResourceApplyProximalGradientDescent": ([0.1, 0.1, 0.2], {}, [[0.921569, 2.04902]]),
    "ResourceApplyFtrl": (
        [G, 0.1, 0.1, 0.2, -0.5], {},
        [[-0.165074, 0.373495], [2.25, 2.7], [2.642136, -6.386544]],
    ),
    "ResourceApplyFtrlV2": (
        [G, 0.1, 0.1, 0.2, 0.1, -0.5], {"multiply_linear_by_lr": True},
        [[-1.931308, -0.386976], [2.25, 2.7], [2.984214, 0.661346]],
    ),
    "ResourceApplyCenteredRMSProp": (
        [0.1, 0.9, 0.5, 2.0], {},
        [[-1.043811, 1.537201], [1.85, 1.43], [2.725, 1.36], [2.043811, 0.462799]],
    ),
    "ResourceApplyAdaMax": (
        [0.9, 0.1, 0.9, 0.99, 1e-3], {}, [[0.377314, 0.968998], [1.85, 1.43], [2.97, 1.386]],
    ),
    "ResourceApplyAdamWithAmsgrad": (
        [0.9, 0.99, 0.1, 0.9, 0.99, 1e-3], {},
        [[0.907546, 1.879072], [1.85, 1.43], [2.9725, 1.396], [4.0, 1.396]],
    ),
    "ResourceApplyAddSign": ([0.1, 1.0, 0.5, 0.9], {}, [[0.925, 2.05], [1.85, 1.43]]),
    "ResourceApplyPowerSign": ([0.1, 1.0, 0.5, 0.9], {}, [[0.917564, 2.060653], [1.85, 1.43]]),
}  # fmt: skip


def of_reference(name):
    """The operation of TensorFlow 1 that changes a reference to a tensor in place of a resource."""
    return name.partition(",")[0].removeprefix("Resource")


@pytest.mark.parametrize("name", CASES)
def test_a_step(name):
    given, attributes, wanted = CASES[name]
    variables = [tf.Variable([1.0 + i, 2.0 - 0.3 * i]) for i in range(len(wanted))]
    inputs = given if any(x is G for x in given) else [*given, G]
    run(name.partition(",")[0], *variables, *inputs, T=tf.float32, **attributes, gives=0)
    for v, value in zip(variables, wanted, strict=True):
        np.testing.assert_allclose(v, value, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", [x for x in CASES if is_defined(of_reference(x))])
def test_a_step_on_references(name):
    given, attributes, wanted = CASES[name]
    inputs = given if any(x is G for x in given) else [*given, G]
    names = [f"v{i}" for i in range(len(wanted))]
    nodes = [node(x, "VariableV2", dtype=tf.float32, shape=tf.TensorShape([2])) for x in names]
    nodes += [const(f"c{i}", np.array(x)) for i, x in enumerate(inputs)]
    given = [*names, *[f"c{i}" for i in range(len(inputs))]]
    nodes.append(node("step", of_reference(name), *given, T=tf.float32, **attributes))
    around = Surroundings()
    for i, x in enumerate(names):
        around.resources["variable", x] = tf.Variable([1.0 + i, 2.0 - 0.3 * i])
    (after,) = body(nodes, [], ["step"], surroundings=around).run([])
    np.testing.assert_allclose(after, wanted[0], rtol=1e-5, atol=1e-6)
    for x, value in zip(names, wanted, strict=True):
        np.testing.assert_allclose(around.resources["variable", x], value, rtol=1e-5, atol=1e-6)


def test_a_step_of_some_rows():
    """A sparse step changes rows as a dense one, and leaves the others."""
    start = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    given = {"T": tf.float32, "Tindices": tf.int32, "use_nesterov": True, "gives": 0}
    v, speed = tf.Variable(start), tf.Variable(start)
    run("ResourceSparseApplyMomentum", v, speed, 0.1, [G, 2 * G], [2, 0], 0.9, **given)
    dense, kept = tf.Variable([start[2], start[0]]), tf.Variable([start[2], start[0]])
    given.pop("Tindices")
    run("ResourceApplyMomentum", dense, kept, 0.1, np.stack([G, 2 * G]), 0.9, **given)
    for found, wanted in ((v, dense), (speed, kept)):
        np.testing.assert_allclose(found.numpy()[[2, 0]], wanted, rtol=1e-6)
        assert found.numpy()[1].tolist() == start[1]


ROWS = {
    "Add": [[1, 1], [3, 4], [2, 1]],
    "Sub": [[1, 1], [-1, -2], [0, 1]],
    "Mul": [[1, 1], [2, 3], [1, 0]],
    "Div": [[1, 1], [0.5, 1 / 3], [1, np.inf]],
    "Max": [[1, 1], [2, 3], [1, 1]],
    "Min": [[1, 1], [1, 1], [1, 0]],
    "Update": [[1, 1], [2, 3], [1, 0]],
}


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("name", ROWS)
def test_rows(name):
    v = tf.Variable(tf.ones([3, 2]))
    kinds = {"dtype": tf.float32, "Tindices": tf.int32}
    run(f"ResourceScatter{name}", v, [1, 2], [[2.0, 3.0], [1.0, 0.0]], **kinds, gives=0)
    np.testing.assert_allclose(v, ROWS[name], rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "wanted"), [("Add", 6), ("Sub", -4), ("Max", 5), ("Min", 1), ("Update", 5)]
)
def test_elements(name, wanted):
    v = tf.Variable(tf.ones([2, 2]))
    kinds = {"T": tf.float32, "Tindices": tf.int32}
    run(f"ResourceScatterNd{name}", v, [[0, 1]], [5.0], **kinds, gives=0)
    assert v.numpy().tolist() == [[1, wanted], [1, 1]]
