"""Calls of PennyLane's TensorFlow interface, after its documentation.

Run by tools/compare_libraries.py on TensorFlow and on gradtape.
"""

import numpy as np
import pennylane as qml
import tensorflow as tf

CALLS = {}
TWO = qml.device("default.qubit", wires=2)
FOUR = qml.device("default.qubit", wires=4)


def call(function):
    """Adds a function to the calls, under its name."""
    CALLS[function.__name__.replace("_", " ")] = function
    return function


def variable(*values, dtype=tf.float64):
    return tf.Variable(values, dtype=dtype)


def gradient(cost, *sources):
    with tf.GradientTape() as tape:
        value = cost(*sources)
    return value, tape.gradient(value, list(sources))


def jacobian(cost, *sources, **options):
    with tf.GradientTape(persistent=not options.get("experimental_use_pfor", True)) as tape:
        value = cost(*sources)
    return value, tape.jacobian(value, list(sources), **options)


# Gates: a value and its gradient.
ONE_PARAMETER = {
    "RX": [0],
    "RY": [0],
    "RZ": [0],
    "PhaseShift": [0],
    "U1": [0],
    "CRX": [0, 1],
    "CRY": [0, 1],
    "CRZ": [0, 1],
    "ControlledPhaseShift": [0, 1],
    "IsingXX": [0, 1],
    "IsingYY": [0, 1],
    "IsingZZ": [0, 1],
    "IsingXY": [0, 1],
    "SingleExcitation": [0, 1],
    "DoubleExcitation": [0, 1, 2, 3],
    "MultiRZ": [0, 1],
}


def gate_call(gate, wires, count):
    @qml.qnode(FOUR)
    def circuit(x):
        for wire in range(4):
            qml.RY(0.3 + 0.2 * wire, wires=wire)
        operation = getattr(qml, gate)
        operation(*(x[i] for i in range(count)), wires=wires)
        qml.Hadamard(wires=0)
        return qml.expval(qml.PauliZ(0) @ qml.PauliX(1))

    return lambda: gradient(circuit, variable(*(0.4 + 0.3 * i for i in range(count))))


for gate, wires in ONE_PARAMETER.items():
    CALLS[f"gradient of {gate}"] = gate_call(gate, wires, 1)
for gate, wires, count in [
    ("U2", [0], 2),
    ("U3", [0], 3),
    ("Rot", [0], 3),
    ("CRot", [0, 1], 3),
]:
    CALLS[f"gradient of {gate}"] = gate_call(gate, wires, count)


# Methods of differentiation, in both dtypes.
def layered(x):
    qml.RX(x[0], wires=0)
    qml.RY(x[1], wires=1)
    qml.CNOT(wires=[0, 1])
    qml.Rot(x[2], x[0] * x[1], 0.1, wires=1)


def method_call(method, dtype, order):
    @qml.qnode(qml.device("default.qubit"), interface="tf", diff_method=method, max_diff=order)
    def circuit(x):
        layered(x)
        return qml.expval(qml.PauliZ(0) @ qml.PauliZ(1))

    def first():
        return gradient(circuit, variable(0.5, 0.1, 0.2, dtype=dtype))

    def second():
        x = variable(0.5, 0.1, 0.2, dtype=dtype)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                value = circuit(x)
            slope = inner.gradient(value, x)
        return slope, outer.jacobian(slope, x)

    return first if order == 1 else second


for method in ("best", "backprop", "adjoint", "parameter-shift", "finite-diff", "hadamard"):
    for dtype in (tf.float32, tf.float64):
        CALLS[f"gradient by {method} in {dtype.name}"] = method_call(method, dtype, 1)
for method in ("backprop", "parameter-shift"):
    CALLS[f"Hessian by {method}"] = method_call(method, tf.float64, 2)
CALLS["gradient by spsa (random)"] = method_call("spsa", tf.float64, 1)


# Measurements.
MEASUREMENTS = {
    "expval": lambda: qml.expval(qml.PauliZ(0)),
    "expval of a Hamiltonian": lambda: qml.expval(
        qml.Hamiltonian([0.5, -1.5], [qml.PauliX(0), qml.PauliZ(0) @ qml.PauliY(1)])
    ),
    "expval of a Hermitian matrix": lambda: qml.expval(
        qml.Hermitian(np.array([[1.0, 0.5j], [-0.5j, 2.0]]), wires=0)
    ),
    "expval of a projector": lambda: qml.expval(qml.Projector([1, 0], wires=[0, 1])),
    "expval of a sum": lambda: qml.expval(0.3 * qml.PauliX(0) + 2.0 * qml.PauliZ(1)),
    "var": lambda: qml.var(qml.PauliX(0) @ qml.PauliZ(1)),
    "probs": lambda: qml.probs(wires=[0, 1]),
    "probs of one wire": lambda: qml.probs(wires=1),
    "state": lambda: qml.state(),
    "density matrix": lambda: qml.density_matrix([0]),
    "purity": lambda: qml.purity(wires=[0]),
    "von Neumann entropy": lambda: qml.vn_entropy(wires=[0]),
    "mutual information": lambda: qml.mutual_info(wires0=[0], wires1=[1]),
    "two values": lambda: (qml.expval(qml.PauliZ(0)), qml.var(qml.PauliX(1))),
}


def measurement_call(measure, method):
    @qml.qnode(TWO, diff_method=method)
    def circuit(x):
        layered(x)
        return measure()

    def cost(x):
        value = circuit(x)
        value = tf.stack(value) if isinstance(value, (tuple, list)) else value
        return (
            tf.concat([tf.math.real(value), tf.math.imag(value)], -1)
            if (value.dtype.is_complex)
            else value
        )

    return lambda: jacobian(cost, variable(0.5, 0.1, 0.2))


for name, measure in MEASUREMENTS.items():
    CALLS[f"Jacobian of {name} by backprop"] = measurement_call(measure, "backprop")
for name in ("expval", "var", "probs", "two values", "expval of a Hamiltonian"):
    CALLS[f"Jacobian of {name} by parameter-shift"] = measurement_call(
        MEASUREMENTS[name], "parameter-shift"
    )


# Jacobians through a custom gradient that computes in NumPy.
@call
def jacobian_without_vectorization():
    @qml.qnode(TWO, diff_method="adjoint")
    def circuit(x):
        layered(x)
        return qml.expval(qml.PauliZ(0)), qml.expval(qml.PauliZ(1))

    return jacobian(
        lambda x: tf.stack(circuit(x)), variable(0.5, 0.1, 0.2), experimental_use_pfor=False
    )


@call
def jacobian_with_device_derivatives_without_vectorization():
    @qml.qnode(TWO, diff_method="adjoint", device_vjp=True)
    def circuit(x):
        layered(x)
        return qml.expval(qml.PauliZ(0)), qml.expval(qml.PauliZ(1))

    return jacobian(
        lambda x: tf.stack(circuit(x)), variable(0.5, 0.1, 0.2), experimental_use_pfor=False
    )


@call
def vectorized_jacobian_with_device_derivatives():
    @qml.qnode(TWO, diff_method="adjoint", device_vjp=True)
    def circuit(x):
        layered(x)
        return qml.expval(qml.PauliZ(0)), qml.expval(qml.PauliZ(1))

    return jacobian(lambda x: tf.stack(circuit(x)), variable(0.5, 0.1, 0.2))


@call
def jacobian_of_two_arguments_of_the_documentation():
    @qml.qnode(TWO, interface="tf")
    def circuit(phi, theta):
        qml.RX(phi[0], wires=0)
        qml.RY(phi[1], wires=1)
        qml.CNOT(wires=[0, 1])
        qml.PhaseShift(theta, wires=0)
        return qml.expval(qml.PauliZ(0)), qml.expval(qml.Hadamard(1))

    return jacobian(lambda a, b: tf.stack(circuit(a, b)), tf.Variable([0.5, 0.1]), tf.Variable(0.2))


@call
def gradient_and_classical_processing():
    @qml.qnode(TWO, diff_method="parameter-shift")
    def circuit(x, y):
        qml.RX(tf.sin(x), wires=0)
        qml.RY(x * y, wires=1)
        qml.CNOT(wires=[0, 1])
        return qml.expval(qml.PauliZ(1))

    return gradient(
        lambda x, y: tf.exp(circuit(x, y)) ** 2,
        tf.Variable(0.3, dtype=tf.float64),
        tf.Variable(0.7, dtype=tf.float64),
    )


@call
def gradient_of_a_sum_of_two_circuits():
    @qml.qnode(TWO)
    def one(x):
        qml.RX(x, wires=0)
        return qml.expval(qml.PauliZ(0))

    @qml.qnode(TWO, diff_method="parameter-shift")
    def two(x):
        qml.RY(x, wires=1)
        return qml.expval(qml.PauliX(1))

    return gradient(lambda x: one(x) * two(x) + two(one(x)), tf.Variable(0.3, dtype=tf.float64))


@call
def a_constant_argument_is_not_differentiated():
    @qml.qnode(TWO, diff_method="parameter-shift")
    def circuit(x, y):
        qml.RX(x, wires=0)
        qml.RY(y, wires=0)
        return qml.expval(qml.PauliZ(0))

    with tf.GradientTape() as tape:
        x = tf.constant(0.3, dtype=tf.float64)
        y = tf.Variable(0.4, dtype=tf.float64)
        value = circuit(x, y)
    return tape.gradient(value, [x, y])


@call
def a_watched_constant():
    @qml.qnode(TWO, diff_method="parameter-shift")
    def circuit(x):
        qml.RX(x[0], wires=0)
        qml.RY(x[1], wires=0)
        return qml.expval(qml.PauliZ(0))

    x = tf.constant([0.3, 0.4], dtype=tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = circuit(x)
    return tape.gradient(value, x)


def broadcast_call(method):
    @qml.qnode(TWO, diff_method=method)
    def circuit(x):
        qml.RX(x, wires=0)
        qml.RY(0.5, wires=1)
        qml.CNOT(wires=[0, 1])
        return qml.expval(qml.PauliZ(1))

    return lambda: jacobian(circuit, variable(0.1, 0.2, 0.3))


CALLS["broadcast parameters by backprop"] = broadcast_call("backprop")
CALLS["broadcast parameters by parameter-shift"] = broadcast_call("parameter-shift")


# Under tf.function.
def function_call(method, interface="auto"):
    @qml.qnode(TWO, diff_method=method, interface=interface)
    def circuit(x):
        layered(x)
        return qml.expval(qml.PauliZ(0) @ qml.PauliZ(1))

    return lambda: gradient(tf.function(circuit), variable(0.5, 0.1, 0.2))


CALLS["tf.function by backprop"] = function_call("backprop")
CALLS["tf.function by parameter-shift"] = function_call("parameter-shift", "tf-autograph")
CALLS["tf.function by adjoint"] = function_call("adjoint", "tf-autograph")


@call
def a_training_step_in_a_function():
    @qml.qnode(TWO, diff_method="backprop")
    def circuit(x):
        layered(x)
        return qml.expval(qml.PauliZ(0) @ qml.PauliZ(1))

    optimizer = tf.keras.optimizers.SGD(0.1)
    x = variable(0.5, 0.1, 0.2)
    optimizer.build([x])

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            value = circuit(x)
        optimizer.apply_gradients([(tape.gradient(value, x), x)])
        return value

    return [step() for _ in range(5)], x


# Shots.
@call
def samples_random():
    @qml.qnode(qml.device("default.qubit", wires=2, shots=50, seed=1))
    def circuit(x):
        qml.RX(x, wires=0)
        return qml.sample(wires=[0, 1]), qml.expval(qml.PauliZ(0)), qml.probs(wires=0)

    return circuit(tf.Variable(0.3))


CALLS["samples (random)"] = CALLS.pop("samples random")


def shots_call(shots):
    @qml.qnode(
        qml.device("default.qubit", wires=1, shots=shots, seed=1), diff_method="parameter-shift"
    )
    def circuit(x):
        qml.RX(x, wires=0)
        return qml.expval(qml.PauliZ(0))

    def cost(x):
        value = circuit(x)
        return tf.stack(value) if isinstance(value, tuple) else value

    return lambda: jacobian(cost, tf.Variable(0.3, dtype=tf.float64))


CALLS["gradient with shots (random)"] = shots_call(1000)
CALLS["Jacobian with a vector of shots (random)"] = shots_call((100, 1000))


# Templates.
def template_call(build, shape):
    @qml.qnode(FOUR)
    def circuit(x):
        build(x)
        return [qml.expval(qml.PauliZ(i)) for i in range(4)]

    def run():
        values = np.random.RandomState(0).normal(size=shape)
        return jacobian(lambda x: tf.stack(circuit(x)), tf.Variable(values))

    return run


for name, build, shape in [
    ("AngleEmbedding", lambda x: qml.AngleEmbedding(x, wires=range(4)), (4,)),
    (
        "AmplitudeEmbedding",
        lambda x: qml.AmplitudeEmbedding(x, wires=range(4), normalize=True),
        (16,),
    ),
    ("IQPEmbedding", lambda x: qml.IQPEmbedding(x, wires=range(4)), (4,)),
    ("BasicEntanglerLayers", lambda x: qml.BasicEntanglerLayers(x, wires=range(4)), (2, 4)),
    (
        "StronglyEntanglingLayers",
        lambda x: qml.StronglyEntanglingLayers(x, wires=range(4)),
        (1, 4, 3),
    ),
    ("SimplifiedTwoDesign", lambda x: qml.SimplifiedTwoDesign(x[0], x[1:], range(4)), (4,)),
    ("QFT", lambda x: (qml.AngleEmbedding(x, wires=range(4)), qml.QFT(wires=range(4))), (4,)),
    ("ArbitraryUnitary", lambda x: qml.ArbitraryUnitary(x, wires=[0]), (3,)),
]:
    if name != "SimplifiedTwoDesign":
        CALLS[f"Jacobian of {name}"] = template_call(build, shape)


# Functions of qml.math and transforms.
MATRIX = np.array([[1.0, 0.5], [0.5, 2.0]])
for name, function in {
    "dot": lambda x: qml.math.dot(x, x),
    "kron": lambda x: qml.math.kron(x, x),
    "tensordot": lambda x: qml.math.tensordot(x, x, axes=[[1], [0]]),
    "einsum": lambda x: qml.math.einsum("ij,jk->ik", x, x),
    "expm": lambda x: qml.math.expm(x),
    "eigh": lambda x: qml.math.linalg.eigh(x)[0],
    "block diag": lambda x: qml.math.block_diag([x, x]),
    "scatter": lambda x: qml.math.scatter_element_add(x, [0, 1], 3.0),
    "gather": lambda x: qml.math.take(x, [1, 0], axis=1),
    "where": lambda x: qml.math.where(x > 0.7, x, 0 * x),
    "stack": lambda x: qml.math.stack([x, x]),
    "moveaxis": lambda x: qml.math.moveaxis(qml.math.stack([x, 2 * x, x]), 0, 2),
    "partial trace": lambda x: qml.math.partial_trace(
        qml.math.kron(qml.math.cast(x, "complex128"), qml.math.cast(x, "complex128")), [0]
    ),
    "cov matrix": lambda x: qml.math.cov_matrix(
        qml.math.reshape(x, [4]) / 4, [qml.PauliZ(0), qml.PauliZ(1)], wires=qml.wires.Wires([0, 1])
    ),
    "fidelity": lambda x: qml.math.fidelity(x / 3, x / 3),
    "sqrt matrix": lambda x: qml.math.sqrt_matrix(x / 3),
    "trace distance": lambda x: qml.math.trace_distance(
        qml.math.cast(x, "complex128") / 3, tf.eye(2, dtype=tf.complex128) / 2
    ),
}.items():
    CALLS[f"qml.math {name}"] = lambda function=function: jacobian(
        lambda x: tf.math.real(function(x)), tf.Variable(MATRIX)
    )


@call
def metric_tensor():
    @qml.qnode(qml.device("default.qubit", wires=3))
    def circuit(x):
        layered(x)
        return qml.expval(qml.PauliZ(0))

    x = variable(0.5, 0.1, 0.2)
    with tf.GradientTape():
        return qml.metric_tensor(circuit, approx="block-diag")(x)


@call
def gradient_transform():
    @qml.qnode(TWO)
    def circuit(x):
        layered(x)
        return qml.expval(qml.PauliZ(0))

    x = variable(0.5, 0.1, 0.2)
    with tf.GradientTape() as tape:
        slopes = qml.gradients.param_shift(circuit)(x)
        total = tf.reduce_sum(tf.stack(slopes))
    return slopes, tape.gradient(total, x)


@call
def classical_fisher_information():
    @qml.qnode(TWO)
    def circuit(x):
        layered(x)
        return qml.probs(wires=[0, 1])

    with tf.GradientTape():
        return qml.gradients.classical_fisher(circuit)(variable(0.5, 0.1, 0.2))


@call
def matrix_of_an_operation():
    def cost(x):
        return tf.math.real(qml.matrix(qml.RX(x, 0) @ qml.RY(2 * x, 1)))

    return jacobian(cost, tf.Variable(0.3, dtype=tf.float64))


@call
def noisy_circuit():
    @qml.qnode(qml.device("default.mixed", wires=2), diff_method="backprop")
    def circuit(x):
        qml.RX(x[0], wires=0)
        qml.DepolarizingChannel(x[1], wires=0)
        qml.CNOT(wires=[0, 1])
        qml.AmplitudeDamping(0.1, wires=1)
        return qml.expval(qml.PauliZ(1))

    return gradient(circuit, variable(0.3, 0.1))


@call
def lightning_device():
    @qml.qnode(qml.device("lightning.qubit", wires=2), diff_method="adjoint")
    def circuit(x):
        layered(x)
        return qml.expval(qml.PauliZ(0)), qml.expval(qml.PauliZ(1))

    return jacobian(lambda x: tf.stack(circuit(x)), variable(0.5, 0.1, 0.2))


@call
def device_with_qutrits():
    @qml.qnode(qml.device("default.qutrit", wires=1), diff_method="parameter-shift")
    def circuit(x):
        qml.TRX(x, wires=0, subspace=(0, 1))
        return qml.expval(qml.GellMann(0, 3))

    return gradient(circuit, tf.Variable(0.3, dtype=tf.float64))


# Whole programs.
@call
def program_that_rotates_a_qubit():
    @qml.qnode(qml.device("default.qubit", wires=1))
    def circuit(phi, theta):
        qml.RX(phi, wires=0)
        qml.RY(theta, wires=0)
        return qml.expval(qml.PauliZ(0))

    phi, theta = tf.Variable(0.011), tf.Variable(0.012)
    optimizer = tf.keras.optimizers.SGD(learning_rate=0.1)
    for _ in range(40):
        with tf.GradientTape() as tape:
            loss = circuit(phi, theta)
        gradients = tape.gradient(loss, [phi, theta])
        optimizer.apply_gradients(zip(gradients, [phi, theta], strict=True))
    return phi, theta, loss


@call
def program_of_a_variational_classifier():
    features = np.random.RandomState(0).uniform(-1, 1, (12, 4))
    labels = np.sign(features[:, 0] * features[:, 1])

    @qml.qnode(FOUR)
    def circuit(weights, x):
        qml.AngleEmbedding(x, wires=range(4))
        qml.StronglyEntanglingLayers(weights, wires=range(4))
        return qml.expval(qml.PauliZ(0))

    weights = tf.Variable(np.random.RandomState(1).normal(0, 0.3, (2, 4, 3)))
    bias = tf.Variable(0.0, dtype=tf.float64)
    optimizer = tf.keras.optimizers.Adam(0.05)
    losses = []
    for _ in range(6):
        with tf.GradientTape() as tape:
            predictions = tf.stack([circuit(weights, x) for x in features]) + bias
            loss = tf.reduce_mean((labels - predictions) ** 2)
        losses.append(loss)
        gradients = tape.gradient(loss, [weights, bias])
        optimizer.apply_gradients(zip(gradients, [weights, bias], strict=True))
    return losses, weights, bias


@call
def program_of_an_eigensolver():
    hamiltonian = qml.Hamiltonian(
        [-0.2427, 0.1777, 0.1777, -0.2427, 0.1705, 0.0448, -0.0448],
        [
            qml.PauliZ(0),
            qml.PauliZ(1),
            qml.PauliZ(2),
            qml.PauliZ(3),
            qml.PauliZ(0) @ qml.PauliZ(1),
            qml.PauliY(0) @ qml.PauliX(1) @ qml.PauliX(2) @ qml.PauliY(3),
            qml.PauliY(0) @ qml.PauliY(1) @ qml.PauliX(2) @ qml.PauliX(3),
        ],
    )

    @qml.qnode(FOUR, diff_method="adjoint")
    def energy(x):
        qml.BasisState(np.array([1, 1, 0, 0]), wires=range(4))
        qml.DoubleExcitation(x, wires=[0, 1, 2, 3])
        return qml.expval(hamiltonian)

    x = tf.Variable(0.1, dtype=tf.float64)
    energies = []
    for _ in range(20):
        with tf.GradientTape() as tape:
            value = energy(x)
        energies.append(value)
        x.assign_sub(0.4 * tape.gradient(value, x))
    return energies, x


class Quantum(tf.keras.layers.Layer):
    """A layer around a QNode, with its weights."""

    def __init__(self, circuit, shape):
        super().__init__()
        self.circuit = circuit
        self.shape_of_weights = shape

    def build(self, input_shape):
        start = tf.keras.initializers.Constant(0.2)
        self.weights_of_circuit = self.add_weight(shape=self.shape_of_weights, initializer=start)

    def compute_output_shape(self, input_shape):
        return input_shape

    def call(self, inputs):
        return tf.cast(tf.stack(self.circuit(inputs, self.weights_of_circuit), -1), tf.float32)


def hybrid(call_of_layer):
    features = np.random.RandomState(0).normal(size=(16, 2)).astype("float32")
    labels = (features.sum(1) > 0).astype("float32")
    tf.keras.utils.set_random_seed(0)
    constant = tf.keras.initializers.Constant(0.1)
    model = tf.keras.Sequential(
        [
            tf.keras.Input((2,)),
            tf.keras.layers.Dense(2, kernel_initializer=constant, activation="tanh"),
            call_of_layer(),
            tf.keras.layers.Dense(1, kernel_initializer=constant),
        ]
    )
    model.compile(tf.keras.optimizers.SGD(0.1), "mse", run_eagerly=True)
    history = model.fit(features, labels, epochs=3, batch_size=8, shuffle=False, verbose=0)
    return history.history["loss"], model.predict(features, verbose=0), model.get_weights()


@call
def program_with_a_layer_of_ones_own():
    @qml.qnode(TWO)
    def circuit(inputs, weights):
        qml.AngleEmbedding(inputs, wires=range(2))
        qml.BasicEntanglerLayers(weights, wires=range(2))
        return [qml.expval(qml.PauliZ(i)) for i in range(2)]

    return hybrid(lambda: Quantum(circuit, (2, 2)))


@call
def program_that_learns_a_fourier_series():
    points = np.linspace(-3, 3, 12)
    target = 0.4 * np.cos(points) - 0.2 * np.sin(2 * points)

    @qml.qnode(qml.device("default.qubit", wires=1))
    def circuit(weights, x):
        for i in range(2):
            qml.Rot(weights[i, 0], weights[i, 1], weights[i, 2], wires=0)
            qml.RX(x, wires=0)
        qml.Rot(weights[2, 0], weights[2, 1], weights[2, 2], wires=0)
        return qml.expval(qml.PauliZ(0))

    weights = tf.Variable(np.random.RandomState(2).uniform(0, 6, (3, 3)))
    optimizer = tf.keras.optimizers.Adam(0.1)
    losses = []
    for _ in range(15):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((circuit(weights, tf.constant(points)) - target) ** 2)
        optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
        losses.append(loss)
    return losses, weights
