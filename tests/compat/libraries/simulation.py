"""Calls of PhiML, a library of tensors with named dimensions, after its documentation.

Run by tools/compare_libraries.py on TensorFlow and on gradtape. The last three are whole programs.
"""

import numpy as np
import tensorflow as tf
from phiml import math, nn
from phiml.math import batch, channel, dual, extrapolation, instance, spatial, tensor, vec

math.use("tensorflow")
CALLS = {}
ARRAY = np.linspace(-1.0, 1.0, 24).reshape(4, 6).astype("float32")


def call(function):
    """Adds a function to the calls, under its name."""
    CALLS[function.__name__.replace("_", " ")] = lambda: natives(function())
    return function


def natives(value):
    """Replaces PhiML's tensors by tensors of TensorFlow."""
    if isinstance(value, math.Tensor):
        value = math.dense(value) if math.is_sparse(value) else value
        return value.native(value.shape)
    if isinstance(value, dict):
        return {key: natives(part) for key, part in value.items()}
    return [natives(part) for part in value] if isinstance(value, (tuple, list)) else value


def grid():
    return tensor(tf.constant(ARRAY), spatial("x,y"))


def points():
    return tensor(tf.constant(ARRAY), batch("examples"), channel("vector"))


UNARY = [
    "abs",
    "sign",
    "round",
    "ceil",
    "floor",
    "sqrt",
    "exp",
    "sin",
    "cos",
    "tan",
    "arcsin",
    "arccos",
    "arctan",
    "sinh",
    "cosh",
    "tanh",
    "log",
    "log2",
    "log10",
    "sigmoid",
    "softmax",
    "is_finite",
    "is_nan",
    "erf",
    "log_gamma",
    "relu",
    "soft_plus",
    "cumulative_sum",
    "factorial",
    "real",
    "imag",
    "conjugate",
    "to_float",
    "to_complex",
    "to_int64",
    "to_bool",
    "zeros_like",
    "ones_like",
    "boolean",
    "fft",
]
REDUCE = "sum prod mean std any all max min median argmax finite_mean finite_sum l1_loss l2_loss"


def unary(name):
    x = grid()
    function = {
        "softmax": lambda x: math.softmax(x, "y"),
        "cumulative_sum": lambda x: math.cumulative_sum(x, "y"),
        "factorial": lambda x: math.factorial(tensor(tf.constant([1.0, 3.0, 5.0]), spatial("x"))),
        "relu": lambda x: math.maximum(x, 0),
        "boolean": lambda x: (x > 0) & (x < 0.5) | ~(x > -0.5),
        "to_bool": lambda x: math.cast(x, bool),
        "to_int64": math.to_int64,
    }.get(name) or getattr(math, name)
    if name in {"sqrt", "log", "log2", "log10", "log_gamma"}:
        x = math.abs(x) + 0.1
    return natives(function(x))


def reduction(name):
    x = grid()
    if name in {"any", "all"}:
        x = x > 0
    return natives(getattr(math, name)(x, "y"))


for each in UNARY:
    CALLS[f"math.{each}"] = lambda each=each: unary(each)
for each in REDUCE.split():
    CALLS[f"math.{each} along y"] = lambda each=each: reduction(each)


@call
def arithmetic_by_names():
    a, b = grid(), tensor(tf.constant(ARRAY[:, 0]), spatial("x"))
    return a + b, a * b, a - 1, a / (b + 3), a**2, -a, a % 0.3, 2 - a, a @ math.ones(dual(y=6))


@call
def slices():
    a = grid()
    return a.x[1], a.y[1:3], a.x[::2].y[-1], a.x[[0, 2]], a[{"x": 1, "y": slice(0, 2)}]


@call
def shapes():
    a = grid()
    packed = math.pack_dims(a, "x,y", instance("points"))
    return (
        packed,
        math.unpack_dim(packed, "points", spatial(x=4, y=6)),
        math.rename_dims(a, "x", batch("b")),
    )


@call
def joining():
    a = grid()
    return (
        math.stack([a, a * 2], channel("c")), math.concat([a, a], "x"), math.expand(a, batch(b=2)),
        math.flatten(a, instance("all")), math.unstack(a, "x"),
    )  # fmt: skip


@call
def padding():
    a, widths = grid(), {"x": (1, 2), "y": (0, 1)}
    kinds = (extrapolation.ZERO, extrapolation.PERIODIC, extrapolation.BOUNDARY,
             extrapolation.SYMMETRIC, extrapolation.REFLECT, extrapolation.ONE)  # fmt: skip
    return [math.pad(a, widths, kind) for kind in kinds]


@call
def finite_differences():
    a = grid()
    return (
        math.spatial_gradient(a, dx=0.5, padding=extrapolation.BOUNDARY),
        math.laplace(a, padding=extrapolation.PERIODIC),
        math.fourier_laplace(a, 1.0), math.shift(a, (-1, 1), "x", extrapolation.ZERO),
    )  # fmt: skip


@call
def fourier():
    a = grid()
    return math.fft(a), math.ifft(math.fft(a)), math.fft(math.to_complex(a), "x")


@call
def sampling_a_grid():
    places = tensor(
        tf.constant([[0.5, 1.5], [2.2, 4.9]]), instance("points"), channel(vector="x,y")
    )
    return math.grid_sample(grid(), places, extrapolation.ZERO), math.closest_grid_values(
        grid(), places, extrapolation.BOUNDARY
    )


@call
def gather_and_scatter():
    places = tensor(tf.constant([[0, 1], [2, 3]]), instance("points"), channel(vector="x,y"))
    values = tensor(tf.constant([1.0, 2.0]), instance("points"))
    base = math.zeros(spatial(x=4, y=6))
    return (
        math.gather(grid(), places),
        math.scatter(base, places, values, mode="add"),
        math.scatter(base, places, values, mode="update"),
        math.scatter(base, places, values, mode="mean"),
    )


@call
def conditions():
    a = grid()
    return math.where(a > 0, a, -a), math.clip(a, -0.5, 0.5), math.maximum(a, 0.1)


@call
def products():
    a = grid()
    b = tensor(tf.constant(ARRAY.T @ ARRAY), dual("y"), spatial("z"))
    return math.dot(a, "y", a, "y"), math.dot(a, "x", a, "x"), a @ b


@call
def norms():
    a = points()
    return math.vec_length(a), math.vec_squared(a), math.vec_normalize(a), math.norm(a)


@call
def rotations():
    return math.rotate_vector(vec(x=tensor(tf.constant(1.0)), y=0.5), 0.3)


@call
def convolution():
    kernel = tensor(tf.constant(ARRAY[:3, :3]), spatial("x,y"))
    return math.convolve(grid(), kernel, extrapolation.ZERO)


@call
def interpolation():
    a = grid()
    return (
        math.downsample2x(a),
        math.upsample2x(a),
        math.sample_subgrid(a, vec(x=0.5, y=0.25), spatial(x=2, y=3)),
    )


@call
def quantiles():
    return math.quantile(grid(), 0.3, "y"), math.sort(grid(), "y"), math.dim_mask(grid().shape, "x")


@call
def histogram():
    values = tensor(tf.constant(ARRAY.ravel()), instance("v"))
    return math.histogram(values, math.linspace(-1.0, 1.0, spatial(bins=5)))[0]


@call
def ranges():
    return (
        math.linspace(0.0, 1.0, spatial(x=5)), math.arange(spatial("x"), 2, 6),
        math.meshgrid(x=3, y=2), math.range_tensor(spatial(x=2, y=2)),
    )  # fmt: skip


@call
def sparse_matrices():
    places = tensor([[0, 0], [1, 2], [3, 1]], instance("items"), channel(vector="x,~x"))
    values = tensor(tf.constant([1.0, 2.0, 3.0]), instance("items"))
    matrix = math.sparse_tensor(places, values, spatial(x=4) & dual(x=4), format="csr")
    x = tensor(tf.constant(ARRAY[:, 0]), spatial("x"))
    return matrix, matrix @ x, matrix * 2, math.sum(matrix, "~x"), math.dense(matrix)


@call
def gradient():
    return math.gradient(lambda x: math.l2_loss(math.sin(x)), wrt="x")(grid())


@call
def gradients_with_respect_to_several():
    def f(x, y):
        return math.sum(x**2 * y), x

    return math.gradient(f, wrt="x,y", get_output=True)(tensor(tf.constant(2.0)), tensor(3.0))


@call
def compiled_gradient():
    @math.jit_compile
    def f(x):
        return math.gradient(lambda x: math.l2_loss(math.exp(x) * x), wrt="x", get_output=False)(x)

    return f(grid()), f(grid() * 2)


@call
def compiled_functions():
    @math.jit_compile
    def f(x, k=2):
        return {"a": x * k, "b": math.sum(x, "y")}

    return f(grid()), f(grid(), k=3)


@call
def custom_gradient():
    doubled = math.custom_gradient(lambda x: x**2, lambda inputs, y, dy: {"x": 2 * dy})
    return math.gradient(lambda x: math.sum(doubled(x)), wrt="x")(grid())


@call
def stopped_gradient():
    return math.gradient(lambda x: math.sum(x * math.stop_gradient(x)), wrt="x")(grid())


@call
def mapped_function():
    return math.map(lambda x: math.sum(x) ** 2, grid(), dims="x")


@call
def loops():
    return math.iterate(lambda x: x * 0.9, batch(t=5), grid())


@call
def linear_solution():
    @math.jit_compile_linear
    def f(x):
        return math.laplace(x, padding=extrapolation.ZERO) - x

    solve = math.Solve("CG", 1e-5, 1e-5, x0=math.zeros(spatial(x=4, y=6)))
    return math.solve_linear(f, grid(), solve)


@call
def gradient_of_a_linear_solution():
    @math.jit_compile_linear
    def f(x):
        return math.laplace(x, padding=extrapolation.ZERO) - x

    def loss(y):
        solve = math.Solve("CG", 1e-5, 1e-5, x0=math.zeros(spatial(x=4, y=6)))
        return math.l2_loss(math.solve_linear(f, y, solve))

    return math.gradient(loss, wrt="y", get_output=False)(grid())


@call
def minimum():
    solve = math.Solve("L-BFGS-B", 0, 1e-6, x0=math.zeros(spatial(x=3)))
    return math.minimize(lambda x: math.l2_loss(x - 2.0), solve)


def fixed(network):
    """Gives each weight values that do not depend on a generator."""
    numbers = np.random.RandomState(3)
    for weight in network.weights:
        weight.assign(numbers.normal(size=weight.shape, scale=0.3).astype("float32"))
    return network


NETWORKS = {
    "mlp": (lambda: nn.mlp(6, 2, [8, 8]), points),
    "mlp with normalization": (lambda: nn.mlp(6, 2, [8], batch_norm=True), points),
    "residual mlp": (lambda: nn.res_net(1, 2, [4, 4]), lambda: images()),
    "u-net": (lambda: nn.u_net(1, 2, levels=2, filters=4), lambda: images()),
    "convolutional network": (lambda: nn.conv_net(1, 2, [4, 4]), lambda: images()),
    "classifier": (
        lambda: nn.conv_classifier(1, (8, 8), 3, blocks=[4, 4], dense_layers=[8]),
        lambda: images(),
    ),
}


def images():
    data = np.random.RandomState(4).normal(size=(2, 8, 8)).astype("float32")
    return tensor(tf.constant(data), batch("examples"), spatial("x,y"))


def network(name):
    make, data = NETWORKS[name]
    net = fixed(make())
    return natives(math.native_call(net, data())), nn.parameter_count(net)


for each in NETWORKS:
    CALLS[f"network {each}"] = lambda each=each: network(each)


# Whole programs.
@call
def program_training_a_network():
    net = fixed(nn.mlp(1, 1, [16], activation="tanh"))
    optimizer = nn.adam(net, 0.01)
    x = tensor(tf.constant(np.linspace(-2, 2, 32).astype("float32")), batch("examples"))

    def loss(x, y):
        return math.l2_loss(math.native_call(net, x) - y)

    return [nn.update_weights(net, optimizer, loss, x, math.sin(x)) for _ in range(20)]


@call
def program_heat_equation():
    @math.jit_compile
    def step(u):
        return u + 0.1 * math.laplace(u, padding=extrapolation.PERIODIC)

    def loss(start):
        u = start
        for _ in range(10):
            u = step(u)
        return math.l2_loss(u - 0.2)

    start = grid()
    losses = []
    slope = math.gradient(loss, wrt="start")
    for _ in range(10):
        value, gradient = slope(start)
        start = start - 0.5 * gradient
        losses.append(value)
    return losses, start


@call
def program_fit_of_parameters():
    t = tensor(tf.constant(np.linspace(0, 1, 20).astype("float32")), batch("t"))
    data = 2 * math.exp(-1.5 * t) + 0.3

    def loss(p):
        a, k, c = p.p
        return math.l2_loss(a * math.exp(-k * t) + c - data)

    start = tensor(tf.constant([1.0, 1.0, 0.0]), channel("p"))
    return math.sum(loss(start), batch), math.minimize(
        lambda p: math.sum(loss(p), "t"), math.Solve("L-BFGS-B", 0, 1e-7, x0=start)
    )
