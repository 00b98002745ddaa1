"""Libraries that others wrote for TensorFlow, unchanged over gradtape; skipped where absent."""

import importlib.util
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

EINOPS = """
import gradtape
gradtape.install()
import numpy as np, tensorflow as tf
from einops import asnumpy, einsum, pack, parse_shape, rearrange, reduce, repeat, unpack
x = tf.constant(np.arange(96.0).reshape(2, 4, 4, 3))
with tf.GradientTape() as tape:
    tape.watch(x)
    y = reduce(x, "b (h h2) (w w2) c -> b h w c", "max", h2=2, w2=2)
    z = einsum(rearrange(y, "b h w c -> b (h w) c"), x[:, 0], "b i c, b j c -> b i j")
g = tape.gradient(z, x)
assert y.shape == (2, 2, 2, 3) and g.shape == x.shape
value = x.numpy().reshape(2, 2, 2, 2, 2, 3).max((2, 4))
np.testing.assert_array_equal(asnumpy(y), value)
rows = value.reshape(2, 4, 3).sum(1)
expected = np.zeros((2, 4, 4, 3))
expected[:, 0] += rows[:, None]
expected[:, 1::2, 1::2] += x.numpy()[:, 0].sum(1)[:, None, None]
np.testing.assert_allclose(g, expected)
assert repeat(x, "b h w c -> b (h 2) w c").shape == (2, 8, 4, 3)
packed, shapes = pack([x, y], "b * c")
np.testing.assert_array_equal(unpack(packed, shapes, "b * c")[1], y)
assert parse_shape(x, "b _ _ c") == {"b": 2, "c": 3}
"""

EINOPS_KERAS = """
import gradtape
gradtape.install()
import numpy as np, keras
from einops.layers.keras import EinMix, Rearrange
model = keras.Sequential([
    keras.Input((4, 6)),
    Rearrange("b h (w c) -> b (h w c)", c=2),
    EinMix("b c1 -> (b c2)", weight_shape="c1 c2", bias_shape="c2", c1=24, c2=84),
    EinMix("(b c2) -> b c3", weight_shape="c2 c3", c2=84, c3=5),
])
assert model.output_shape == (None, 5)
model.compile("sgd", "mse")
x, y = np.ones((8, 4, 6), "float32"), np.ones((8, 5), "float32")
history = model.fit(x, y, epochs=3, verbose=0).history["loss"]
assert history[2] < history[0]
"""

DEEPXDE = """
import os
os.environ["DDE_BACKEND"] = "tensorflow"
import gradtape
gradtape.install()
import numpy as np
import deepxde as dde
from deepxde.backend import tf
dde.config.set_random_seed(1)
def pde(x, y):
    return -dde.grad.hessian(y, x) - np.pi**2 * tf.sin(np.pi * x)
def solution(x):
    return np.sin(np.pi * x)
line = dde.geometry.Interval(-1, 1)
edge = dde.icbc.DirichletBC(line, solution, lambda _, on: on)
data = dde.data.PDE(line, pde, edge, 16, 2, solution=solution, num_test=100)
model = dde.Model(data, dde.nn.FNN([1, 20, 20, 1], "tanh", "Glorot uniform"))
model.compile("adam", lr=1e-3)
model.train(iterations=100, verbose=0)
dde.optimizers.set_LBFGS_options(maxiter=200)
model.compile("L-BFGS", metrics=["l2 relative error"])
history, state = model.train(verbose=0)
assert sum(history.loss_train[-1]) < 0.01, history.loss_train[-1]
assert state.best_metrics[0] < 0.02, state.best_metrics
"""

PROBABILITY = """
import gradtape
gradtape.install()
import numpy as np, tensorflow as tf, tensorflow_probability as tfp
def valley(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
start = tf.constant([-1.2, 1.0], tf.float64)
for minimize, steps in ((tfp.optimizer.lbfgs_minimize, 29), (tfp.optimizer.bfgs_minimize, 37)):
    found = minimize(lambda x: tfp.math.value_and_gradient(valley, x), start)
    np.testing.assert_allclose(found.position, [1, 1], atol=1e-6)
    assert found.num_iterations == steps  # TensorFlow's
x = tf.constant([0.5, 2.0, -1.0])
density = tfp.distributions.Normal(0.5, 2.0).log_prob(x)
np.testing.assert_allclose(density, [-1.6120857, -1.8933357, -1.8933357], 1e-6)
bent = tfp.bijectors.Softplus().forward(x)
np.testing.assert_allclose(bent, [0.974077, 2.126928, 0.313262], 1e-5)
"""

# With TensorFlow's results.
PROBABILITY_OPERATORS = """
import gradtape
gradtape.install()
import numpy as np, tensorflow as tf, tensorflow_probability as tfp
tfd, tfb, kernels = tfp.distributions, tfp.bijectors, tfp.math.psd_kernels
x = tf.constant([0.5, -0.5])
half = tf.linalg.cholesky([[2.0, 0.5], [0.5, 1.0]])
diagonal = tf.linalg.LinearOperatorDiag([1.0, 2.0])
kernel = kernels.ExponentiatedQuadratic(1.0, 1.0)
known = [
    (tfd.MultivariateNormalDiag([0.0, 1.0], [1.0, 2.0]), -2.9373),
    (tfd.MultivariateNormalTriL([0.0, 1.0], half), -3.6891),
    (tfd.MultivariateNormalDiagPlusLowRank([0.0, 1.0], [1.0, 1.0], [[1.0], [0.5]]), -3.8787),
    (tfd.MultivariateStudentTLinearOperator(3.0, [0.0, 1.0], diagonal), -3.1302),
    (tfd.GaussianProcess(kernel, [[1.0], [2.0]]), -2.2439),
    (tfd.StudentTProcess(3.0, kernel, [[1.0], [2.0]]), -2.5602),
]
for distribution, wanted in known:
    np.testing.assert_allclose(distribution.log_prob(x), wanted, atol=1e-4)
divergence = tfd.kl_divergence(known[0][0], known[1][0])
np.testing.assert_allclose(divergence, 1.1581, atol=1e-4)
np.testing.assert_allclose(tfd.Gamma(2.0, 3.0).log_prob(1.0), -0.8028, atol=1e-4)
draws = tfd.Gamma(2.0, 3.0).sample(20000, seed=1)
np.testing.assert_allclose(tf.reduce_mean(draws), 2 / 3, atol=0.02)
variable = tfp.util.TransformedVariable(1.0, tfb.Softplus())
with tf.GradientTape() as tape:
    loss = variable ** 2
np.testing.assert_allclose(loss, 1.0, 1e-6)
slope = tape.gradient(loss, variable.trainable_variables[0])
np.testing.assert_allclose(slope, 2 * (1 - np.exp(-1)), 1e-5)
joint = tfd.JointDistributionSequential([tfd.Normal(0.0, 1.0), lambda a: tfd.Normal(a, 1.0)])
np.testing.assert_allclose(joint.log_prob([0.1, 0.2]), -1.8479, atol=1e-4)
for kind in (
    tfp.mcmc.HamiltonianMonteCarlo(lambda x: -x**2, 0.1, 2),
    tfp.mcmc.RandomWalkMetropolis(lambda x: -x**2),
    tfp.mcmc.NoUTurnSampler(lambda x: -x**2, 0.1),
):
    chain = tfp.mcmc.sample_chain(3, current_state=0.0, kernel=kind, trace_fn=None, seed=1)
    assert chain.shape == (3,)
"""


# With TensorFlow's results; a Jacobian through a gradient that PennyLane computes in NumPy.
PENNYLANE = """
import gradtape
gradtape.install()
import numpy as np, tensorflow as tf, pennylane as qml
def layered(x):
    qml.RX(x[0], wires=0)
    qml.RY(x[1], wires=1)
    qml.CNOT(wires=[0, 1])
    return qml.expval(qml.PauliZ(0)), qml.expval(qml.Hadamard(1))
for method in ("backprop", "adjoint", "parameter-shift"):
    circuit = qml.QNode(layered, qml.device("default.qubit", wires=2), diff_method=method)
    x = tf.Variable([0.5, 0.1], dtype=tf.float64)
    with tf.GradientTape() as tape:
        values = tf.stack(circuit(x))
    np.testing.assert_allclose(values, [0.877583, 0.688037], atol=1e-6)
    expected = [[-0.479426, 0.0], [-0.337312, 0.641623]]
    np.testing.assert_allclose(tape.jacobian(values, x), expected, atol=1e-6)
"""


def _run(program, *packages):
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    subprocess.run([sys.executable, "-c", program], check=True)


def test_einops():
    _run(EINOPS, "einops")


def test_einops_in_keras():
    _run(EINOPS_KERAS, "einops", "keras")


def test_deepxde():
    _run(DEEPXDE, "deepxde", "tensorflow_probability", "keras")


def test_probability():
    _run(PROBABILITY, "tensorflow_probability", "keras")


def test_probability_with_linear_operators():
    _run(PROBABILITY_OPERATORS, "tensorflow_probability", "keras")


def test_pennylane():
    _run(PENNYLANE, "pennylane")
