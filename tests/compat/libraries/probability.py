"""Calls of TensorFlow Probability, after its documentation.

Run by tools/compare_libraries.py on TensorFlow and on gradtape.
"""

import collections

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

CALLS = {}
tfb, tfd, mcmc, sts = tfp.bijectors, tfp.distributions, tfp.mcmc, tfp.sts


def call(function):
    """Adds a function to the calls, under its name."""
    CALLS[function.__name__.replace("_", " ")] = function
    return function


def random_call(function):
    """Adds a function whose numbers are random."""
    CALLS[f"{function.__name__.replace('_', ' ')} (random)"] = function
    return function


# Bijectors: forward, inverse, both logarithms of determinants, and gradients.
LINE = [-1.3, 0.2, 0.7, 1.9]
UNIT = [0.1, 0.35, 0.6, 0.9]
POSITIVE = [0.2, 0.7, 1.3, 2.4]
TRIANGLE = [[1.2, 0.0], [0.5, 0.8]]
BIJECTORS = {
    "AbsoluteValue": (lambda: tfb.AbsoluteValue(), POSITIVE, 0),
    "Ascending": (lambda: tfb.Ascending(), LINE, 1),
    "BatchNormalization": (lambda: tfb.BatchNormalization(training=False), [LINE, UNIT], 1),
    "Blockwise": (lambda: tfb.Blockwise([tfb.Exp(), tfb.Softplus()], block_sizes=[2, 2]), LINE, 1),
    "Chain": (lambda: tfb.Chain([tfb.Exp(), tfb.Shift(1.0), tfb.Scale(2.0)]), LINE, 0),
    "CholeskyOuterProduct": (lambda: tfb.CholeskyOuterProduct(), TRIANGLE, 2),
    "CholeskyToInvCholesky": (lambda: tfb.CholeskyToInvCholesky(), TRIANGLE, 2),
    "CorrelationCholesky": (lambda: tfb.CorrelationCholesky(), [0.3, -0.2, 0.5], 1),
    "Cumsum": (lambda: tfb.Cumsum(), LINE, 1),
    "DiscreteCosineTransform": (lambda: tfb.DiscreteCosineTransform(), LINE, 1),
    "Exp": (lambda: tfb.Exp(), LINE, 0),
    "Expm1": (lambda: tfb.Expm1(), LINE, 0),
    "FillScaleTriL": (lambda: tfb.FillScaleTriL(), [0.3, -0.2, 0.5], 1),
    "FillTriangular": (lambda: tfb.FillTriangular(), [0.3, -0.2, 0.5], 1),
    "FrechetCDF": (lambda: tfb.FrechetCDF(0.0, 1.5, 2.0), POSITIVE, 0),
    "GeneralizedPareto": (lambda: tfb.GeneralizedPareto(0.0, 1.5, 0.2), LINE, 0),
    "GeneralizedExtremeValueCDF": (
        lambda: tfb.GeneralizedExtremeValueCDF(0.0, 1.5, 0.2),
        POSITIVE,
        0,
    ),
    "GompertzCDF": (lambda: tfb.GompertzCDF(0.8, 1.3), POSITIVE, 0),
    "GumbelCDF": (lambda: tfb.GumbelCDF(0.2, 1.3), LINE, 0),
    "Identity": (lambda: tfb.Identity(), LINE, 0),
    "Inline": (
        lambda: tfb.Inline(
            forward_fn=tf.exp,
            inverse_fn=tf.math.log,
            inverse_log_det_jacobian_fn=lambda y: -tf.math.log(y),
            forward_min_event_ndims=0,
        ),
        LINE,
        0,
    ),
    "Invert": (lambda: tfb.Invert(tfb.Softplus()), POSITIVE, 0),
    "IteratedSigmoidCentered": (lambda: tfb.IteratedSigmoidCentered(), LINE, 1),
    "KumaraswamyCDF": (lambda: tfb.KumaraswamyCDF(1.5, 2.0), UNIT, 0),
    "LambertWTail": (lambda: tfb.LambertWTail(0.1, 1.0, 0.3), LINE, 0),
    "Log": (lambda: tfb.Log(), POSITIVE, 0),
    "Log1p": (lambda: tfb.Log1p(), POSITIVE, 0),
    "LogLogistic": (lambda: tfb.Chain([tfb.Exp(), tfb.Shift(0.5)]), LINE, 0),
    "MatrixInverseTriL": (lambda: tfb.MatrixInverseTriL(), TRIANGLE, 2),
    "MaskedAutoregressiveFlow": (
        lambda: tfb.MaskedAutoregressiveFlow(lambda y: (0.3 * tf.cumsum(y, -1, True), None), True),
        LINE,
        1,
    ),
    "MoyalCDF": (lambda: tfb.MoyalCDF(0.2, 1.3), LINE, 0),
    "NormalCDF": (lambda: tfb.NormalCDF(), LINE, 0),
    "Pad": (lambda: tfb.Pad(), LINE, 1),
    "Permute": (lambda: tfb.Permute([2, 0, 3, 1]), LINE, 1),
    "Power": (lambda: tfb.Power(1.5), POSITIVE, 0),
    "PowerTransform": (lambda: tfb.PowerTransform(0.5), LINE, 0),
    "RationalQuadraticSpline": (
        lambda: tfb.RationalQuadraticSpline([0.8, 0.7, 2.5], [1.2, 1.8, 1.0], [1.5, 0.7], -2.0),
        LINE,
        0,
    ),
    "RayleighCDF": (lambda: tfb.RayleighCDF(1.3), POSITIVE, 0),
    "RealNVP": (
        lambda: tfb.RealNVP(2, shift_and_log_scale_fn=lambda x, n, **_: (0.3 * x, 0.1 * x)),
        LINE,
        1,
    ),
    "Reciprocal": (lambda: tfb.Reciprocal(), POSITIVE, 0),
    "Reshape": (lambda: tfb.Reshape([2, 2], [4]), LINE, 1),
    "Restructure": (lambda: tfb.Split(2), LINE, 1),
    "Scale": (lambda: tfb.Scale(1.7), LINE, 0),
    "ScaleMatvecDiag": (lambda: tfb.ScaleMatvecDiag([1.0, 2.0, 0.5, 3.0]), LINE, 1),
    "ScaleMatvecLU": (
        lambda: tfb.ScaleMatvecLU([[1.2, 0.3], [0.4, 0.8]], [0, 1]),
        [0.3, -0.2],
        1,
    ),
    "ScaleMatvecTriL": (lambda: tfb.ScaleMatvecTriL(TRIANGLE), [0.3, -0.2], 1),
    "ScaleMatvecLinearOperator": (
        lambda: tfb.ScaleMatvecLinearOperator(tf.linalg.LinearOperatorLowerTriangular(TRIANGLE)),
        [0.3, -0.2],
        1,
    ),
    "ScaleTriL": (lambda: tfb.ScaleTriL(), [0.3, -0.2, 0.5], 1),
    "Shift": (lambda: tfb.Shift(0.7), LINE, 0),
    "ShiftedGompertzCDF": (lambda: tfb.ShiftedGompertzCDF(0.8, 1.3), POSITIVE, 0),
    "Sigmoid": (lambda: tfb.Sigmoid(-1.0, 2.0), LINE, 0),
    "Sinh": (lambda: tfb.Sinh(), LINE, 0),
    "SinhArcsinh": (lambda: tfb.SinhArcsinh(0.3, 1.2), LINE, 0),
    "SoftClip": (lambda: tfb.SoftClip(-1.0, 2.0), LINE, 0),
    "Softfloor": (lambda: tfb.Softfloor(0.5), LINE, 0),
    "Softplus": (lambda: tfb.Softplus(1.3), LINE, 0),
    "SoftmaxCentered": (lambda: tfb.SoftmaxCentered(), LINE, 1),
    "Softsign": (lambda: tfb.Softsign(), LINE, 0),
    "Split": (lambda: tfb.Split([1, 3]), LINE, 1),
    "Square": (lambda: tfb.Square(), POSITIVE, 0),
    "Tanh": (lambda: tfb.Tanh(), LINE, 0),
    "TransformDiagonal": (lambda: tfb.TransformDiagonal(tfb.Exp()), TRIANGLE, 2),
    "Transpose": (lambda: tfb.Transpose(perm=[1, 0]), TRIANGLE, 2),
    "UnitVector": (lambda: tfb.UnitVector(), LINE, 1),
    "WeibullCDF": (lambda: tfb.WeibullCDF(1.3, 1.7), POSITIVE, 0),
}


def bijector_call(make, values, rank):
    def run():
        bijector = make()
        x = tf.constant(values)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = bijector.forward(x)
            forward = bijector.forward_log_det_jacobian(x, event_ndims=rank)
            total = tf.reduce_sum(forward)
        fresh = tf.nest.map_structure(lambda v: tf.identity(v), y)
        again = bijector.inverse(fresh)
        ranks = bijector.forward_event_ndims(rank)
        inverse = bijector.inverse_log_det_jacobian(fresh, event_ndims=ranks)
        shape = bijector.forward_event_shape([4]) if rank == 1 and x.shape == [4] else []
        return y, forward, again, inverse, tape.gradient(total, x), list(tf.nest.flatten(shape))[:0]

    return run


for name, (make, values, rank) in BIJECTORS.items():
    CALLS[f"bijector {name}"] = bijector_call(make, values, rank)


@call
def caching_of_bijectors():
    bijector = tfb.Exp()
    x = tf.constant([1.0, 2.0])
    y = bijector.forward(x)
    return bijector.inverse(y) is x, bijector.forward(x) is y


@call
def transformed_distributions():
    flow = tfd.TransformedDistribution(
        tfd.MultivariateNormalDiag([0.0, 0.0], [1.0, 2.0]),
        tfb.Chain([tfb.Softplus(), tfb.ScaleMatvecTriL(TRIANGLE)]),
    )
    x = tf.constant([0.5, 1.5])
    return tfp.math.value_and_gradient(flow.log_prob, x)


@call
def joint_distributions():
    model = tfd.JointDistributionNamed(
        {
            "scale": tfd.HalfNormal(1.0),
            "mean": tfd.Normal(0.0, 2.0),
            "x": lambda mean, scale: tfd.Sample(tfd.Normal(mean, scale), 3),
        }
    )
    point = {"scale": tf.constant(0.7), "mean": tf.constant(0.2), "x": tf.constant([0.1, 0.5, 1.0])}
    pinned = model.experimental_pin(x=point["x"])
    return model.log_prob(point), pinned.unnormalized_log_prob(mean=0.2, scale=0.7)


@call
def coroutine_models():
    @tfd.JointDistributionCoroutineAutoBatched
    def model():
        slope = yield tfd.Normal(0.0, 1.0, name="slope")
        noise = yield tfd.Exponential(1.0, name="noise")
        yield tfd.Normal(slope * tf.constant([1.0, 2.0, 3.0]), noise, name="y")

    values = tf.constant(0.4), tf.constant(0.5), tf.constant([0.3, 0.9, 1.1])
    return tfp.math.value_and_gradient(lambda a, b: model.log_prob(a, b, values[2]), values[:2])


# Chains.
def target(x):
    return -0.5 * tf.reduce_sum((x - 1.0) ** 2 / [1.0, 4.0], -1)


def chain_call(make, state=(0.0, 0.0), steps=20, trace=None):
    def run():
        found = mcmc.sample_chain(
            steps,
            current_state=tf.constant(state),
            kernel=make(),
            num_burnin_steps=5,
            trace_fn=trace or (lambda _, results: ()),
            seed=[1, 2],
        )
        return found.all_states

    return run


KERNELS = {
    "Hamiltonian": lambda: mcmc.HamiltonianMonteCarlo(target, 0.3, 3),
    "Hamiltonian with adapted steps": lambda: mcmc.SimpleStepSizeAdaptation(
        mcmc.HamiltonianMonteCarlo(target, 0.3, 3), 4
    ),
    "Hamiltonian with dual averaging": lambda: mcmc.DualAveragingStepSizeAdaptation(
        mcmc.HamiltonianMonteCarlo(target, 0.3, 3), 4
    ),
    "no U-turn": lambda: mcmc.NoUTurnSampler(target, 0.3, max_tree_depth=4),
    "random walk": lambda: mcmc.RandomWalkMetropolis(target),
    "Langevin": lambda: mcmc.MetropolisAdjustedLangevinAlgorithm(target, 0.1),
    "slices": lambda: mcmc.SliceSampler(target, 0.5, 5),
    "replica exchange": lambda: mcmc.ReplicaExchangeMC(
        target,
        tf.constant([1.0, 0.3, 0.1]),
        lambda f: mcmc.HamiltonianMonteCarlo(f, 0.3, 3),
    ),
    "transformed": lambda: mcmc.TransformedTransitionKernel(
        mcmc.HamiltonianMonteCarlo(target, 0.3, 3), tfb.Softplus()
    ),
    "elliptical slices": lambda: mcmc.EllipticalSliceSampler(
        lambda seed: tf.random.stateless_normal([2], seed),
        target,
    ),
    "preconditioned Hamiltonian": lambda: tfp.experimental.mcmc.PreconditionedHamiltonianMonteCarlo(
        target,
        0.3,
        3,
        momentum_distribution=tfd.MultivariateNormalDiag([0.0, 0.0], [1.0, 2.0]),
    ),
}
for name, make in KERNELS.items():
    CALLS[f"chain {name} (random)"] = chain_call(make, (0.1, 0.1))


@call
def leapfrog_integration():
    integrator = tfp.mcmc.internal.leapfrog_integrator.SimpleLeapfrogIntegrator(
        target, [tf.constant(0.2)], 5
    )
    found = integrator([tf.constant([0.3, -0.4])], [tf.constant([0.1, 0.6])])
    return [found[0], found[1], found[2], found[3]]


def chains(seed=3):
    return np.cumsum(np.random.RandomState(seed).normal(size=(50, 4)), 0).astype("float32") * 0.1


@call
def effective_sample_size():
    return mcmc.effective_sample_size(chains(), filter_beyond_positive_pairs=True)


@call
def potential_scale_reduction():
    return mcmc.potential_scale_reduction(chains(), independent_chain_ndims=1)


@random_call
def annealed_importance_chain():
    found = mcmc.sample_annealed_importance_chain(
        10,
        tfd.MultivariateNormalDiag([0.0, 0.0]).log_prob,
        target,
        tf.zeros([3, 2]),
        lambda f: mcmc.HamiltonianMonteCarlo(f, 0.3, 2),
        seed=[1, 2],
    )
    return found[0], found[1]


@random_call
def windowed_adaptive_sampling():
    model = tfd.JointDistributionSequential(
        [tfd.Normal(0.0, 1.0), lambda m: tfd.Sample(tfd.Normal(m, 1.0), 3)]
    )
    found, _ = tfp.experimental.mcmc.windowed_adaptive_nuts(
        5,
        model.experimental_pin([None, tf.constant([0.1, 0.5, 1.0])]),
        n_chains=2,
        num_adaptation_steps=60,
        seed=[1, 2],
    )
    return tf.nest.flatten(found)


@random_call
def sequential_monte_carlo():
    found = tfp.experimental.mcmc.particle_filter(
        tf.constant([0.1, 0.4, 0.2]),
        tfd.Normal(0.0, 1.0),
        lambda _, x: tfd.Normal(0.9 * x, 0.3),
        lambda _, x: tfd.Normal(x, 0.5),
        num_particles=20,
        seed=[1, 2],
    )
    return tf.nest.flatten(found)


# Variational inference.
@call
def evidence_lower_bound_of_a_constant_surrogate():
    surrogate = tfd.Deterministic(0.3)
    return tfp.vi.monte_carlo_variational_loss(
        lambda x: -(x**2), surrogate, sample_size=3, seed=[1, 2]
    )


for name in (
    "amari_alpha",
    "arithmetic_geometric",
    "chi_square",
    "csiszar_vimco",
    "dual_csiszar_function",
    "jeffreys",
    "jensen_shannon",
    "kl_forward",
    "kl_reverse",
    "log1p_abs",
    "modified_gan",
    "pearson",
    "squared_hellinger",
    "symmetrized_csiszar_function",
    "t_power",
    "total_variation",
    "triangular",
):
    if name in ("csiszar_vimco", "dual_csiszar_function", "symmetrized_csiszar_function"):
        continue
    more = {"t_power": (0.5,)}.get(name, ())
    CALLS[f"divergence {name}"] = lambda name=name, more=more: getattr(tfp.vi, name)(
        tf.constant([-0.5, 0.1, 0.8]), *more
    )


@random_call
def surrogate_posteriors():
    surrogate = tfp.experimental.vi.build_factored_surrogate_posterior(
        event_shape=[[2], []], bijector=[tfb.Identity(), tfb.Softplus()], seed=[1, 2]
    )
    losses = tfp.vi.fit_surrogate_posterior(
        lambda a, b: -tf.reduce_sum(a**2) - (b - 1.0) ** 2,
        surrogate,
        optimizer=tf.keras.optimizers.Adam(0.1),
        num_steps=5,
        seed=[1, 2],
    )
    return losses, surrogate.sample(3, seed=[1, 2]), len(surrogate.trainable_variables)


@random_call
def affine_surrogate_posteriors():
    surrogate = tfp.experimental.vi.build_affine_surrogate_posterior(
        event_shape=[[2], []], operators="tril", bijector=None, seed=[1, 2]
    )
    losses = tfp.vi.fit_surrogate_posterior(
        lambda a, b: -tf.reduce_sum(a**2) - (b - 1.0) ** 2,
        surrogate,
        optimizer=tf.keras.optimizers.Adam(0.1),
        num_steps=5,
        seed=[1, 2],
    )
    return losses, surrogate.sample(3, seed=[1, 2])


@random_call
def automatic_structured_surrogate():
    model = tfd.JointDistributionSequential([tfd.Normal(0.0, 1.0), lambda m: tfd.Normal(m, 1.0)])
    surrogate = tfp.experimental.vi.build_asvi_surrogate_posterior(model, seed=[1, 2])
    return surrogate.sample(4, seed=[1, 2])


# Structural time series.
SERIES = np.sin(np.arange(24) / 3.0).astype("float32") + np.arange(24, dtype="float32") * 0.05


def model_call(make, parameters):
    def run():
        model = make()
        values = [tf.constant(v) for v in parameters(model)]
        return (
            model.joint_distribution(observed_time_series=SERIES).log_prob(*values),
            model.make_state_space_model(24, values).log_prob(SERIES[:, None]),
        )

    return run


COMPONENTS = {
    "LocalLevel": lambda: sts.LocalLevel(observed_time_series=SERIES),
    "LocalLinearTrend": lambda: sts.LocalLinearTrend(observed_time_series=SERIES),
    "SemiLocalLinearTrend": lambda: sts.SemiLocalLinearTrend(observed_time_series=SERIES),
    "Seasonal": lambda: sts.Seasonal(4, observed_time_series=SERIES),
    "SmoothSeasonal": lambda: sts.SmoothSeasonal(6, [1, 2], observed_time_series=SERIES),
    "LinearRegression": lambda: sts.LinearRegression(np.ones((24, 2), "float32")),
    "Autoregressive": lambda: sts.Autoregressive(2, observed_time_series=SERIES),
    "AutoregressiveIntegratedMovingAverage": lambda: sts.AutoregressiveIntegratedMovingAverage(
        1, 1, 1, observed_time_series=SERIES
    ),
}
for name, make in COMPONENTS.items():
    CALLS[f"structural {name}"] = model_call(
        lambda make=make: sts.Sum([make()], observed_time_series=SERIES),
        lambda model: [np.full(p.prior.event_shape, 0.3, "float32") for p in model.parameters],
    )


@call
def forecasts():
    model = sts.Sum([sts.LocalLinearTrend(observed_time_series=SERIES)])
    values = [tf.fill([2], 0.3) for _ in model.parameters]
    found = sts.forecast(model, SERIES, values, 5)
    return found.mean(), found.stddev(), sts.one_step_predictive(model, SERIES, values).mean()


@call
def decomposition_of_a_series():
    model = sts.Sum([sts.LocalLevel(SERIES), sts.Seasonal(4, observed_time_series=SERIES)])
    values = [tf.fill([1], 0.3) for _ in model.parameters]
    found = sts.decompose_by_component(model, SERIES, values)
    return [d.mean() for d in found.values()]


@call
def missing_values_of_a_series():
    masked = tfp.sts.MaskedTimeSeries(SERIES, np.arange(24) % 5 == 0)
    model = sts.Sum([sts.LocalLevel(masked)], observed_time_series=masked)
    return sts.impute_missing_values(
        model, masked, [tf.fill([1], 0.3) for _ in model.parameters]
    ).mean()


@call
def kalman_filter():
    model = tfd.LinearGaussianStateSpaceModel(
        10,
        tf.linalg.LinearOperatorFullMatrix([[1.0, 0.5], [0.0, 0.9]]),
        tfd.MultivariateNormalDiag(scale_diag=[0.1, 0.2]),
        tf.linalg.LinearOperatorFullMatrix([[1.0, 0.0]]),
        tfd.MultivariateNormalDiag(scale_diag=[0.3]),
        tfd.MultivariateNormalDiag(scale_diag=[1.0, 1.0]),
    )
    series = SERIES[:10, None]
    return [*model.forward_filter(series)], model.posterior_marginals(series)


# Differential equations.
@call
def stiff_equations():
    found = tfp.math.ode.BDF(rtol=1e-6, atol=1e-8).solve(
        lambda t, y: tf.stack([-0.5 * y[0], y[0] - 10.0 * y[1]]),
        0.0,
        tf.constant([1.0, 0.0], tf.float64),
        solution_times=np.array([0.5, 1.0, 2.0]),
    )
    return found.states


@call
def equations_by_dormand_and_prince():
    y = tf.constant([1.0, 0.5], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(y)
        found = tfp.math.ode.DormandPrince(rtol=1e-8, atol=1e-10).solve(
            lambda t, y: tf.stack([y[1], -y[0]]), 0.0, y, solution_times=[1.0, 2.0]
        )
        total = tf.reduce_sum(found.states**2)
    return found.states, tape.gradient(total, y)


# Gaussian processes and kernels.
def kernel_call(name, *parameters):
    def run():
        kernel = getattr(tfp.math.psd_kernels, name)(*parameters)
        x = tf.constant([[0.1, 0.3], [0.9, 0.2], [0.5, 1.4]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            matrix = kernel.matrix(x, x[:2] + 0.3)
            total = tf.reduce_sum(matrix**2)
        return matrix, kernel.apply(x, x + 0.2), tape.gradient(total, x)

    return run


for name, parameters in {
    "ExponentiatedQuadratic": (1.2, 0.7),
    "MaternOneHalf": (1.2, 0.7),
    "MaternThreeHalves": (1.2, 0.7),
    "MaternFiveHalves": (1.2, 0.7),
    "GeneralizedMatern": (1.7, 1.2, 0.7),
    "RationalQuadratic": (1.2, 0.7, 1.5),
    "Linear": (0.3, 0.8, 0.1),
    "Polynomial": (0.3, 0.8, 0.1, 2.0),
    "ExpSinSquared": (1.2, 0.7, 1.1),
    "Constant": (0.4,),
    "GammaExponential": (1.2, 0.7, 1.3),
    "Parabolic": (1.2, 0.7),
    "Additive": (),
}.items():
    if name != "Additive":
        CALLS[f"kernel {name}"] = kernel_call(name, *parameters)

POINTS = np.linspace(-1, 1, 8).reshape(8, 1)


def regression():
    kernel = tfp.math.psd_kernels.MaternFiveHalves(tf.constant(1.1, tf.float64), 0.5)
    return tfd.GaussianProcessRegressionModel(
        kernel, POINTS[:3] + 0.1, POINTS, np.sin(3 * POINTS[:, 0]), 0.01
    )


@call
def gaussian_process_regression():
    model = regression()
    return model.mean(), model.variance(), model.covariance(), model.log_prob([0.1, 0.2, 0.3])


@call
def variational_gaussian_process():
    kernel = tfp.math.psd_kernels.ExponentiatedQuadratic(tf.constant(1.1, tf.float64), 0.5)
    model = tfd.VariationalGaussianProcess(
        kernel,
        POINTS,
        POINTS[::3],
        variational_inducing_observations_loc=np.zeros(3),
        variational_inducing_observations_scale=np.eye(3) * 0.5,
        observation_noise_variance=0.1,
    )
    loss = model.variational_loss(np.sin(POINTS[:, 0]), POINTS, kl_weight=0.5)
    return loss, model.mean(), model.variance()


@call
def student_t_process_regression():
    kernel = tfp.math.psd_kernels.ExponentiatedQuadratic(tf.constant(1.1, tf.float64), 0.5)
    model = tfd.StudentTProcessRegressionModel(
        tf.constant(4.0, tf.float64),
        kernel,
        POINTS[:3] + 0.1,
        POINTS,
        np.sin(POINTS[:, 0]),
        observation_noise_variance=0.1,
    )
    return model.mean(), model.variance()


# Optimizers.
def valley(x):
    return (1 - x[..., 0]) ** 2 + 100 * (x[..., 1] - x[..., 0] ** 2) ** 2


def both(x):
    return tfp.math.value_and_gradient(valley, x)


START = np.array([-1.2, 1.0])
CALLS["L-BFGS"] = lambda: list(tfp.optimizer.lbfgs_minimize(both, START)[:6])
CALLS["BFGS"] = lambda: list(tfp.optimizer.bfgs_minimize(both, START)[:6])
CALLS["Nelder and Mead"] = lambda: list(
    tfp.optimizer.nelder_mead_minimize(valley, initial_vertex=START)[:4]
)
CALLS["whether all have converged"] = lambda: tfp.optimizer.converged_all(
    tf.constant([True, False]), tf.constant([False, True])
)
CALLS["Hager and Zhang's line search"] = lambda: list(
    tfp.optimizer.linesearch.hager_zhang(value_on_line, initial_step_size=tf.constant(0.1))[:4]
)


Value = collections.namedtuple("Value", ["x", "f", "df"])  # noqa: PYI024


def value_on_line(x):
    return Value(x, (x - 1.3) ** 2, 2 * (x - 1.3))


@random_call
def differential_evolution():
    found = tfp.optimizer.differential_evolution_minimize(
        lambda x, y: x**2 + (y - 1) ** 2,
        initial_position=[tf.constant(1.0), tf.constant(2.0)],
        max_iterations=20,
        seed=42,
    )
    return found.position


@call
def proximal_steps():
    return tfp.math.minimize(lambda: (POSITION - 2.0) ** 2, 10, tf.keras.optimizers.SGD(0.1))


POSITION = tf.Variable(0.0)


@random_call
def stochastic_gradient_langevin_dynamics():
    x = tf.Variable([1.0, 1.0])
    optimizer = tfp.optimizer.StochasticGradientLangevinDynamics(
        0.01, preconditioner_decay_rate=0.9
    )
    with tf.GradientTape() as tape:
        loss = -target(x)
    optimizer.apply_gradients([(tape.gradient(loss, x), x)])
    return x


@call
def roots_of_functions():
    return list(
        tfp.math.find_root_chandrupatla(lambda x: x**3 - 2.0, tf.constant(0.0), tf.constant(2.0))
    )[:2]


# Layers.
def layer_call(make, seed=0):
    def run():
        tf.keras.utils.set_random_seed(seed)
        model = tf.keras.Sequential([tf.keras.Input((3,)), make()])
        model.compile(
            "sgd", lambda y, d: -d.log_prob(y) if hasattr(d, "log_prob") else (y - d) ** 2
        )
        x = np.random.RandomState(0).normal(size=(16, 3)).astype("float32")
        history = model.fit(x, x[:, :1], epochs=2, verbose=0).history["loss"]
        return len(history), model(x).shape.as_list()

    return run


for name, make in {
    "DistributionLambda": lambda: tfp.layers.DistributionLambda(
        lambda t: tfd.Normal(t[..., :1], 1.0)
    ),
    "DenseVariational": lambda: tfp.layers.DenseVariational(
        1,
        lambda k, b, dtype: tf.keras.Sequential(
            [
                tfp.layers.VariableLayer(2 * (k + b), dtype=dtype),
                tfp.layers.DistributionLambda(
                    lambda t: tfd.Independent(tfd.Normal(t[..., : k + b], 1.0), 1)
                ),
            ]
        ),
        lambda k, b, dtype: lambda _: tfd.Independent(tfd.Normal(tf.zeros(k + b), 1.0), 1),
    ),
    "DenseReparameterization": lambda: tfp.layers.DenseReparameterization(1),
    "DenseFlipout": lambda: tfp.layers.DenseFlipout(1),
    "DenseLocalReparameterization": lambda: tfp.layers.DenseLocalReparameterization(1),
    "IndependentNormal": lambda: tfp.layers.IndependentNormal(1),
}.items():
    CALLS[f"layer {name} (random)"] = layer_call(make)


# Samples whose shapes, dtypes and gradients are compared.
for name, make in {
    "TruncatedNormal": lambda x: tfd.TruncatedNormal(x, 1.0, -1.0, 2.0),
    "Gamma": lambda x: tfd.Gamma(x, 1.0),
    "Beta": lambda x: tfd.Beta(x, 1.0),
    "Dirichlet": lambda x: tfd.Dirichlet([x, 1.0]),
    "StudentT": lambda x: tfd.StudentT(x + 2.0, 0.0, 1.0),
    "VonMises": lambda x: tfd.VonMises(0.0, x),
    "Wishart": lambda x: tfd.WishartTriL(3.0, [[x, 0.0], [0.5, 1.0]]),
    "LKJ": lambda x: tfd.LKJ(3, x),
    "MixtureSameFamily": lambda x: tfd.MixtureSameFamily(
        tfd.Categorical([0.3, 0.7]), tfd.Normal([x, 1.0], 1.0), reparameterize=True
    ),
    "Masked": lambda x: tfd.Masked(tfd.Normal(x, 1.0), True),
}.items():

    def sample(make=make):
        x = tf.constant(0.8)
        with tf.GradientTape() as tape:
            tape.watch(x)
            drawn = make(x).sample(5, seed=[1, 2])
        return drawn, tape.gradient(drawn, x)

    CALLS[f"samples of {name} (random)"] = sample


# Functions of tfp.math, tfp.stats and tfp.glm.
X = tf.constant([0.3, 1.2, 2.5])
for name, function in {
    "bessel_iv_ratio": lambda: tfp.math.bessel_iv_ratio(1.5, X),
    "betainc": lambda: tfp.math.betainc(1.5, 2.0, X / 3),
    "betaincinv": lambda: tfp.math.special.betaincinv(1.5, 2.0, X / 3),
    "clip_by_value_preserve_gradient": lambda: tfp.math.clip_by_value_preserve_gradient(
        X, 0.5, 2.0
    ),
    "cholesky_update": lambda: tfp.math.cholesky_update(TRIANGLE, [0.3, 0.1]),
    "dawsn": lambda: tfp.math.dawsn(X),
    "erfcx": lambda: tfp.math.erfcx(X),
    "erfinv": lambda: tfp.math.special.ndtri(X / 3),
    "fill_triangular": lambda: tfp.math.fill_triangular([1.0, 2.0, 3.0]),
    "igammainv": lambda: tfp.math.igammainv(1.5, X / 3),
    "interp_regular_1d_grid": lambda: tfp.math.interp_regular_1d_grid(X, 0.0, 3.0, [0.0, 1.0, 4.0]),
    "lambertw": lambda: tfp.math.lambertw(X),
    "lbeta": lambda: tfp.math.lbeta(X, 2.0),
    "log_add_exp": lambda: tfp.math.log_add_exp(X, 2 * X),
    "log_bessel_kve": lambda: tfp.math.log_bessel_kve(1.5, X),
    "log_cosh": lambda: tfp.math.log_cosh(X),
    "lu_solve": lambda: tfp.math.lu_solve(*tf.linalg.lu([[2.0, 1.0], [1.0, 3.0]]), [[1.0], [2.0]]),
    "owens_t": lambda: tfp.math.owens_t(X, 0.7),
    "pivoted_cholesky": lambda: tfp.math.pivoted_cholesky([[2.0, 1.0], [1.0, 3.0]], 2),
    "scan_associative": lambda: tfp.math.scan_associative(tf.add, X),
    "smootherstep": lambda: tfp.math.smootherstep(X / 3),
    "sparse_or_dense_matmul": lambda: tfp.math.sparse_or_dense_matmul(TRIANGLE, TRIANGLE),
    "trapz": lambda: tfp.math.trapz(X, [0.0, 1.0, 3.0]),
    "auto_correlation": lambda: tfp.stats.auto_correlation(X),
    "covariance": lambda: tfp.stats.covariance(chains(), sample_axis=0),
    "histogram": lambda: tfp.stats.histogram(X, [0.0, 1.0, 2.0, 3.0]),
    "percentile": lambda: tfp.stats.percentile(X, [25.0, 50.0], interpolation="linear"),
    "quantiles": lambda: tfp.stats.quantiles(chains(), 4),
    "cholesky_covariance": lambda: tfp.stats.cholesky_covariance(chains()),
    "expected calibration error": lambda: tfp.stats.expected_calibration_error(
        3, [[0.3, 0.7], [0.6, 0.4]], [1, 0]
    ),
    "glm.fit": lambda: tfp.glm.fit(
        np.stack([np.ones(24), np.arange(24) / 24], 1), SERIES.astype("float64"), tfp.glm.Normal()
    ),
    "glm Poisson": lambda: tfp.glm.fit(
        np.stack([np.ones(24), np.arange(24) / 24], 1),
        np.arange(24) % 5 * 1.0,
        tfp.glm.Poisson(),
    ),
}.items():
    CALLS[f"function {name}"] = function


# Whole programs.
@call
def program_of_linear_regression_by_a_mean():
    x = np.linspace(0, 1, 20).astype("float32")
    y = 2 * x + 0.5
    slope, offset = tf.Variable(0.0), tf.Variable(0.0)
    scale = tfp.util.TransformedVariable(1.0, tfb.Softplus())

    def loss():
        return -tf.reduce_mean(tfd.Normal(slope * x + offset, scale).log_prob(y))

    optimizer = tf.keras.optimizers.Adam(0.05)
    losses = []
    for _ in range(30):
        with tf.GradientTape() as tape:
            value = loss()
        variables = [slope, offset, *scale.trainable_variables]
        optimizer.apply_gradients(zip(tape.gradient(value, variables), variables, strict=True))
        losses.append(value)
    return losses, slope, offset, tf.identity(scale)


@call
def program_that_trains_a_gaussian_process():
    amplitude = tfp.util.TransformedVariable(np.float64(1.0), tfb.Exp())
    length = tfp.util.TransformedVariable(np.float64(0.5), tfb.Exp())
    kernel = tfp.math.psd_kernels.ExponentiatedQuadratic(amplitude, length)
    process = tfd.GaussianProcess(kernel, POINTS, observation_noise_variance=np.float64(0.05))
    variables = process.trainable_variables
    optimizer = tf.keras.optimizers.Adam(0.1)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = -process.log_prob(np.sin(3 * POINTS[:, 0]))
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    optimizer.build(variables)
    return [step() for _ in range(10)], [tf.identity(v) for v in variables]


@call
def program_of_a_mixture_by_maximum_likelihood():
    data = np.concatenate([np.linspace(-3, -1, 10), np.linspace(1, 2, 10)]).astype("float32")
    locations = tf.Variable([-0.5, 0.5])
    logits = tf.Variable([0.0, 0.0])
    optimizer = tf.keras.optimizers.SGD(0.1)
    for _ in range(20):
        with tf.GradientTape() as tape:
            mixture = tfd.MixtureSameFamily(
                tfd.Categorical(logits=logits), tfd.Normal(locations, 1.0)
            )
            loss = -tf.reduce_mean(mixture.log_prob(data))
        gradients = tape.gradient(loss, [locations, logits])
        optimizer.apply_gradients(zip(gradients, [locations, logits], strict=True))
    return locations, logits, loss


@call
def program_of_a_normalizing_flow():
    data = np.random.RandomState(0).normal(size=(32, 2)).astype("float32") ** 2
    shift = tf.Variable([0.1, 0.2])
    scale = tf.Variable([1.0, 0.8])
    optimizer = tf.keras.optimizers.SGD(0.05)
    losses = []
    for _ in range(15):
        with tf.GradientTape() as tape:
            flow = tfd.TransformedDistribution(
                tfd.MultivariateNormalDiag([0.0, 0.0]),
                tfb.Chain([tfb.Exp(), tfb.Shift(shift), tfb.Scale(scale)]),
            )
            loss = -tf.reduce_mean(flow.log_prob(data))
        gradients = tape.gradient(loss, [shift, scale])
        optimizer.apply_gradients(zip(gradients, [shift, scale], strict=True))
        losses.append(loss)
    return losses, shift, scale


@random_call
def program_that_samples_a_posterior():
    model = tfd.JointDistributionSequential(
        [
            tfd.Normal(0.0, 5.0),
            tfd.HalfCauchy(0.0, 2.0),
            lambda scale, mean: tfd.Sample(tfd.Normal(mean, scale), 8),
        ]
    )
    data = tf.constant(SERIES[:8])

    @tf.function
    def run():
        return mcmc.sample_chain(
            20,
            [tf.constant(0.1), tf.constant(1.0)],
            kernel=mcmc.TransformedTransitionKernel(
                mcmc.HamiltonianMonteCarlo(
                    lambda mean, scale: model.log_prob([mean, scale, data]), 0.1, 3
                ),
                [tfb.Identity(), tfb.Exp()],
            ),
            trace_fn=lambda _, results: results.inner_results.is_accepted,
            seed=[1, 2],
        )

    states, accepted = run()
    return states, accepted
