"""Raw operations that are the gradients of others."""

import numpy as np
import pytest

import gradtape as tf

OF_INPUT = {
    "LeakyRelu": (tf.nn.leaky_relu, {"alpha": 0.3}),
    "Relu": (tf.nn.relu, {}),
    "Relu6": (tf.nn.relu6, {}),
    "Softplus": (tf.nn.softplus, {}),
    "Softsign": (tf.nn.softsign, {}),
}
OF_OUTPUT = {
    "Elu": (tf.nn.elu, "outputs", "gradients"),
    "Inv": (tf.math.reciprocal, "y", "dy"),
    "Reciprocal": (tf.math.reciprocal, "y", "dy"),
    "Rsqrt": (tf.math.rsqrt, "y", "dy"),
    "Selu": (tf.nn.selu, "outputs", "gradients"),
    "Sigmoid": (tf.sigmoid, "y", "dy"),
    "Sqrt": (tf.sqrt, "y", "dy"),
    "Tanh": (tf.tanh, "y", "dy"),
}
X = tf.constant([-7.0, -0.5, 0.25, 2.0, 8.0])
G = tf.constant([1.0, -2.0, 3.0, 0.5, -1.5])


def _gradient(run, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(x)
    return y, tape.gradient(y, x, G)


@pytest.mark.parametrize("name", OF_INPUT)
def test_the_gradient_in_terms_of_the_input_is_that_of_a_tape(name):
    function, attributes = OF_INPUT[name]
    _, expected = _gradient(lambda x: function(x, **attributes), X)
    raw = getattr(tf.raw_ops, f"{name}Grad")
    np.testing.assert_array_equal(raw(gradients=G, features=X, **attributes), expected)


@pytest.mark.parametrize("name", OF_OUTPUT)
def test_the_gradient_in_terms_of_the_output_is_that_of_a_tape(name):
    function, kept, cotangent = OF_OUTPUT[name]
    x = tf.abs(X) if name in ("Rsqrt", "Sqrt") else X
    y, expected = _gradient(function, x)
    raw = getattr(tf.raw_ops, f"{name}Grad")
    np.testing.assert_array_equal(raw(**{kept: y, cotangent: G}), expected)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("SigmoidGrad", 0.41 + 2.82j),
        ("TanhGrad", 3.11 + 3.22j),
        ("SqrtGrad", -0.7798165 + 0.73394495j),
        ("RsqrtGrad", 1.1665 + 0.508j),
        ("InvGrad", -0.29 + 2.42j),
        ("ReciprocalGrad", -0.29 + 2.42j),
    ],
)
def test_complex_gradients_are_conjugated_where_tensorflow_does(name, expected):
    raw = getattr(tf.raw_ops, name)
    found = raw(y=tf.constant([0.3 + 1j, 0]), dy=tf.constant([1 + 2j, 0]))
    np.testing.assert_allclose(found, [expected, 0], rtol=1e-6)


def test_raw_gradients_have_gradients():
    with tf.GradientTape() as tape:
        tape.watch(X)
        slope = tf.raw_ops.ReluGrad(gradients=2 * X, features=X)
    np.testing.assert_array_equal(tape.gradient(slope, X), [0, 0, 2, 2, 2])
    y = tf.constant([0.5, 2.0, -0.75])
    with tf.GradientTape() as tape:
        tape.watch(y)
        slope = tf.raw_ops.EluGrad(gradients=3.0 * tf.ones(3), outputs=y)
    np.testing.assert_array_equal(tape.gradient(slope, y), [0, 0, 3])


@pytest.mark.parametrize("given", [{"features": X}, {"features": X, "gradients": G, "slope": 1}])
def test_wrong_arguments_are_refused(given):
    with pytest.raises(TypeError, match="argument"):
        tf.raw_ops.ReluGrad(**given)


@pytest.mark.parametrize("number", [1.0, -2.5])
@pytest.mark.parametrize("name", ["Sigmoid", "Tanh"])
def test_one_cotangent_for_all_elements_of_a_large_array(name, number):
    y = np.random.default_rng(0).random((300, 200), "f4")
    slope = y * (1 - y) if name == "Sigmoid" else 1 - y * y
    raw = getattr(tf.raw_ops, f"{name}Grad")

    @tf.function
    def of_sum(y):
        return raw(y=y, dy=tf.broadcast_to(tf.constant(number), [300, 200]))

    for _ in range(2):
        np.testing.assert_allclose(of_sum(tf.constant(y)), number * slope, rtol=1e-5, atol=1e-7)
    row = np.full(200, number, "f4")
    row[1:] = 3
    rows = tf.broadcast_to(row, [300, 200])
    np.testing.assert_allclose(raw(y=y, dy=rows), row * slope, rtol=1e-5, atol=1e-7)
