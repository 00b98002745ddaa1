"""Calls of TensorFlow Probability for inference: chains, pinned models, regressions, losses.

Run by tools/compare_libraries.py on TensorFlow and on gradtape.
"""

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

CALLS = {}
tfb, tfd, mcmc, sts, vi = tfp.bijectors, tfp.distributions, tfp.mcmc, tfp.sts, tfp.vi
SERIES = (np.sin(np.arange(24) / 3.0) + np.arange(24) * 0.1).astype("float32")
DATA = np.random.RandomState(0).normal(1.0, 0.5, 12).astype("float32")
FEATURES = np.random.RandomState(1).normal(size=(30, 3)).astype("float32")
WEIGHTS = np.array([0.5, -0.3, 0.8], "float32")
STATE = tf.constant([0.3, -0.4])
SEED = [3, 4]


def call(function):
    """Adds a function to the calls, under its name."""
    CALLS[function.__name__.replace("_", " ")] = function
    return function


def random_call(function):
    """Adds a function whose numbers are random."""
    CALLS[f"{function.__name__.replace('_', ' ')} (random)"] = function
    return function


def target(x):
    return tfd.MultivariateNormalDiag([0.5, -0.5], [1.0, 0.4]).log_prob(x)


# Chains of Markov.
@random_call
def no_u_turns_with_dual_averaging():
    kernel = mcmc.DualAveragingStepSizeAdaptation(
        mcmc.NoUTurnSampler(target, 0.3), num_adaptation_steps=8, target_accept_prob=0.8
    )

    def trace(_, results):
        inner = results.inner_results
        return (
            results.new_step_size,
            inner.leapfrogs_taken,
            inner.has_divergence,
            inner.is_accepted,
            inner.target_log_prob,
        )

    return mcmc.sample_chain(10, STATE, kernel=kernel, trace_fn=trace, seed=SEED)


@random_call
def no_u_turns_in_a_function():
    kernel = mcmc.DualAveragingStepSizeAdaptation(
        mcmc.NoUTurnSampler(target, 0.3, max_tree_depth=4), num_adaptation_steps=4
    )

    @tf.function
    def run():
        return mcmc.sample_chain(
            6, tf.zeros([3, 2]), kernel=kernel, num_burnin_steps=2, trace_fn=None, seed=SEED
        )

    return run()


@call
def dual_averaging_of_constant_acceptance():
    kernel = mcmc.DualAveragingStepSizeAdaptation(
        mcmc.HamiltonianMonteCarlo(target, 0.4, 2),
        num_adaptation_steps=5,
        log_accept_prob_getter_fn=lambda _: tf.math.log(0.6),
    )
    results = kernel.bootstrap_results(STATE)
    state = STATE
    sizes = []
    for k in range(6):
        state, results = kernel.one_step(state, results, seed=[k, 1])
        sizes.append(results.new_step_size)
    return sizes, results.step


@random_call
def replica_exchange():
    kernel = mcmc.ReplicaExchangeMC(
        target,
        inverse_temperatures=tf.constant([1.0, 0.5, 0.2]),
        make_kernel_fn=lambda f: mcmc.HamiltonianMonteCarlo(f, 0.2, 2),
    )

    def trace(_, results):
        return (
            results.is_swap_accepted,
            results.is_swap_proposed_adjacent,
            results.post_swap_replica_states,
        )

    return mcmc.sample_chain(8, STATE, kernel=kernel, trace_fn=trace, seed=SEED)


@random_call
def replica_exchange_with_even_and_odd_swaps():
    kernel = mcmc.ReplicaExchangeMC(
        target,
        inverse_temperatures=0.5 ** tf.range(4.0),
        make_kernel_fn=lambda f: mcmc.RandomWalkMetropolis(f),
        swap_proposal_fn=mcmc.even_odd_swap_proposal_fn(0.9),
        state_includes_replicas=False,
    )
    return mcmc.sample_chain(
        6, tf.zeros([2, 2]), kernel=kernel, trace_fn=lambda _, r: r.is_swap_accepted, seed=SEED
    )


@random_call
def chain_that_traces_its_results():
    kernel = mcmc.HamiltonianMonteCarlo(target, 0.2, 3)
    return mcmc.sample_chain(
        5,
        STATE,
        kernel=kernel,
        num_burnin_steps=2,
        num_steps_between_results=1,
        trace_fn=lambda state, r: {
            "accepted": r.is_accepted,
            "ratio": r.log_accept_ratio,
            "sum": tf.reduce_sum(state),
            "gradient": r.accepted_results.grads_target_log_prob,
        },
        seed=SEED,
    )


@random_call
def chain_that_returns_its_last_results():
    kernel = mcmc.RandomWalkMetropolis(target)
    first = mcmc.sample_chain(
        4, STATE, kernel=kernel, return_final_kernel_results=True, trace_fn=None, seed=SEED
    )
    again = mcmc.sample_chain(
        3,
        first.all_states[-1],
        previous_kernel_results=first.final_kernel_results,
        kernel=kernel,
        trace_fn=None,
        seed=[5, 6],
    )
    return first.all_states, again


@call
def chain_of_a_deterministic_kernel():
    class Descent(mcmc.TransitionKernel):
        is_calibrated = True

        def one_step(self, state, results, seed=None):
            _, gradient = tfp.math.value_and_gradient(target, state)
            return state + 0.1 * gradient, results + 1

        def bootstrap_results(self, state):
            return tf.zeros([], tf.int32)

    return mcmc.sample_chain(
        6, STATE, kernel=Descent(), num_burnin_steps=3, trace_fn=lambda x, r: (x[0], r)
    )


@random_call
def chain_with_named_parts():
    model = tfd.JointDistributionNamed(
        {"m": tfd.Normal(0.0, 1.0), "x": lambda m: tfd.Sample(tfd.Normal(m, 0.5), 12)}
    )
    pinned = model.experimental_pin(x=DATA)
    kernel = mcmc.HamiltonianMonteCarlo(lambda m: pinned.unnormalized_log_prob(m=m), 0.1, 3)
    return mcmc.sample_chain(5, tf.constant(0.5), kernel=kernel, trace_fn=None, seed=SEED)


@random_call
def elliptical_slices():
    kernel = tfp.experimental.mcmc.EllipticalSliceSampler(
        normal_sampler_fn=lambda seed: tf.random.stateless_normal([2], seed),
        log_likelihood_fn=target,
    )
    return mcmc.sample_chain(5, STATE, kernel=kernel, trace_fn=None, seed=SEED)


@random_call
def reductions_of_a_chain():
    reducer = tfp.experimental.mcmc.VarianceReducer()
    kernel = mcmc.RandomWalkMetropolis(target)
    found = tfp.experimental.mcmc.sample_fold(5, STATE, kernel=kernel, reducer=reducer, seed=SEED)
    return found[0]


@call
def running_moments():
    covariance = tfp.experimental.stats.RunningCovariance.from_shape([2])
    mean = tfp.experimental.stats.RunningMean.from_shape([2])
    for row in FEATURES[:6, :2]:
        covariance, mean = covariance.update(row), mean.update(row)
    return covariance.covariance(), mean.mean


@call
def diagnostics_of_chains():
    states = np.cumsum(np.random.RandomState(5).normal(size=(40, 3, 2)), 0).astype("float32")
    return (
        mcmc.effective_sample_size(states, filter_threshold=0.1),
        mcmc.effective_sample_size(states, cross_chain_dims=1),
        mcmc.potential_scale_reduction(states, split_chains=True),
        tfp.stats.auto_correlation(states, axis=0, max_lags=5),
    )


# Structural time series.
@random_call
def series_fitted_by_hamiltonian_steps():
    model = sts.LocalLevel(observed_time_series=SERIES)
    samples, results = sts.fit_with_hmc(
        model,
        SERIES,
        num_results=4,
        num_warmup_steps=3,
        num_leapfrog_steps=2,
        num_variational_steps=3,
        seed=SEED,
    )
    return samples, tf.nest.flatten(results)[-1]


@random_call
def series_fitted_by_variational_inference():
    model = sts.Sum(
        [
            sts.LocalLinearTrend(observed_time_series=SERIES),
            sts.Seasonal(4, observed_time_series=SERIES),
        ]
    )
    surrogate = sts.build_factored_surrogate_posterior(model)
    losses = vi.fit_surrogate_posterior(
        model.joint_distribution(SERIES).log_prob,
        surrogate,
        optimizer=tf.keras.optimizers.Adam(0.1),
        num_steps=4,
        seed=SEED,
    )
    return losses, list(surrogate.sample(3, seed=SEED).values())


@call
def series_fitted_to_its_likelihood():
    model = sts.Sum([sts.LocalLevel(observed_time_series=SERIES)], observed_time_series=SERIES)
    values = [tf.Variable(0.3), tf.Variable(0.4)]
    losses = []
    for _ in range(5):
        with tf.GradientTape() as tape:
            space = model.make_state_space_model(24, [tf.nn.softplus(v) for v in values])
            loss = -space.log_prob(SERIES[:, None])
        for value, gradient in zip(values, tape.gradient(loss, values), strict=True):
            value.assign_sub(0.01 * gradient)
        losses.append(loss)
    return losses, values


@call
def regression_and_autoregression_of_a_series():
    model = sts.Sum(
        [
            sts.LinearRegression(FEATURES[:24]),
            sts.Autoregressive(2, observed_time_series=SERIES),
        ],
        observed_time_series=SERIES,
    )
    values = [p.bijector(tf.fill(p.prior.event_shape, 0.2)) for p in model.parameters]
    space = model.make_state_space_model(24, values)
    return (
        [p.name for p in model.parameters],
        space.log_prob(SERIES[:, None]),
        model.joint_log_prob(SERIES)(*values),
    )


# Joint distributions.
def coroutine(seed=None):
    mean = yield tfd.Normal(0.0, 1.0, name="mean")
    scale = yield tfd.Gamma(2.0, 1.0, name="scale")
    yield tfd.Normal(mean[..., tf.newaxis], scale[..., tf.newaxis] * tf.ones(4), name="x")


@call
def coroutine_with_automatic_batches():
    model = tfd.JointDistributionCoroutineAutoBatched(coroutine, batch_ndims=0)
    values = model.sample(seed=SEED)
    fixed = (0.3, 1.2, DATA[:4])
    return (
        sorted(values._asdict()),
        model.log_prob(fixed),
        model.log_prob_parts(fixed),
        model.event_shape,
        model.batch_shape,
    )


@random_call
def samples_of_automatic_batches():
    model = tfd.JointDistributionCoroutineAutoBatched(coroutine)
    values = model.sample(3, seed=SEED)
    return values, model.log_prob(values), tf.vectorized_map(model.log_prob, values)


@call
def names_with_automatic_batches():
    model = tfd.JointDistributionNamedAutoBatched(
        {
            "m": tfd.Normal(tf.zeros(2), 1.0),
            "s": tfd.LogNormal(0.0, 1.0),
            "x": lambda m, s: tfd.MultivariateNormalDiag(m, s * tf.ones(2)),
        }
    )
    with tf.GradientTape() as tape:
        scale = tf.constant(0.7)
        tape.watch(scale)
        value = model.log_prob(m=[0.1, 0.2], s=scale, x=[0.5, -0.5])
    return value, tape.gradient(value, scale), model.resolve_graph()


@call
def sequence_with_automatic_batches():
    model = tfd.JointDistributionSequentialAutoBatched(
        [tfd.Normal(0.0, 1.0), lambda m: tfd.Normal(m, tf.ones(3)), tfd.Bernoulli(probs=0.3)],
        use_vectorized_map=True,
    )
    values = [tf.constant([0.1, 0.4]), tf.ones([2, 3]) * 0.2, tf.constant([0, 1])]
    return model.log_prob(values), model.unnormalized_log_prob(values)


@call
def joint_bijectors():
    model = tfd.JointDistributionCoroutineAutoBatched(coroutine)
    bijector = model.experimental_default_event_space_bijector()
    point = model._model_flatten((0.2, -0.4, DATA[:4]))
    moved = bijector.forward(tf.nest.pack_sequence_as(model.dtype, point))
    return moved, bijector.forward_log_det_jacobian(
        tf.nest.pack_sequence_as(model.dtype, [tf.constant(p) for p in point])
    )


# Pinned models.
@call
def pinned_coroutine():
    model = tfd.JointDistributionCoroutineAutoBatched(coroutine)
    pinned = model.experimental_pin(x=DATA[:4])
    bijector = pinned.experimental_default_event_space_bijector()
    return (
        pinned.unnormalized_log_prob(0.2, 0.9),
        pinned.unnormalized_log_prob_parts(0.2, 0.9).pinned,
        pinned.event_shape,
        bijector.inverse(type(pinned.dtype)(tf.constant(0.2), tf.constant(0.9))),
    )


@call
def pinned_sequence_and_its_gradient():
    model = tfd.JointDistributionSequential(
        [tfd.Normal(0.0, 1.0), tfd.HalfNormal(1.0), lambda s, m: tfd.Sample(tfd.Normal(m, s), 12)]
    )
    pinned = model.experimental_pin(None, None, DATA)
    return tfp.math.value_and_gradient(
        lambda m, s: pinned.unnormalized_log_prob([m, s]), [tf.constant(0.2), tf.constant(0.8)]
    )


@random_call
def samples_and_weights_of_a_pinned_model():
    model = tfd.JointDistributionNamed(
        {"m": tfd.Normal(0.0, 1.0), "x": lambda m: tfd.Normal(m, 0.5)}
    )
    pinned = model.experimental_pin({"x": 0.3})
    return pinned.sample_unpinned(4, seed=SEED), pinned.sample_and_log_weight(4, seed=SEED)


# Differential equations.
def ode_gradients(solver):
    rate, start = tf.Variable(0.7), tf.constant([1.0, 0.5])
    with tf.GradientTape() as tape:
        tape.watch(start)
        found = solver.solve(
            lambda t, y, rate: -rate * y * (1.0 + 0.1 * y),
            0.0,
            start,
            solution_times=[0.5, 1.0],
            constants={"rate": rate},
        )
        loss = tf.reduce_sum(found.states**2)
    return found.states, tape.gradient(loss, [start, rate])


@call
def gradients_through_dormand_and_prince():
    return ode_gradients(tfp.math.ode.DormandPrince(rtol=1e-6, atol=1e-8))


@call
def gradients_through_stiff_steps():
    return ode_gradients(tfp.math.ode.BDF(rtol=1e-5, atol=1e-7))


@call
def equations_of_several_states():
    found = tfp.math.ode.DormandPrince(rtol=1e-6).solve(
        lambda t, state: {"x": state["v"], "v": -state["x"]},
        0.0,
        {"x": tf.constant(1.0), "v": tf.constant(0.0)},
        solution_times=tf.linspace(0.2, 1.0, 3),
    )
    return found.times, found.states, found.diagnostics.success


# Generalized linear models.
def glm_data(family):
    eta = FEATURES @ WEIGHTS
    return {
        "Bernoulli": (eta > 0.1).astype("float32"),
        "Poisson": np.round(np.exp(eta)).astype("float32"),
        "Normal": (eta + 0.1 * np.cos(np.arange(30))).astype("float32"),
        "GammaExp": np.exp(eta).astype("float32"),
        "LogNormal": np.exp(eta).astype("float32"),
        "NegativeBinomial": np.round(np.exp(eta)).astype("float32"),
    }[family]


def glm_call(family):
    def run():
        model = getattr(tfp.glm, family)()
        eta = tf.constant(FEATURES @ WEIGHTS)
        mean, variance, slope = model(eta)
        return mean, variance, slope, model.log_prob(tf.constant(glm_data(family)), eta)

    return run


for name in ("Bernoulli", "Poisson", "Normal", "GammaExp", "LogNormal", "NegativeBinomial"):
    CALLS[f"family {name}"] = glm_call(name)


@call
def scores_by_fisher():
    found = tfp.glm.fit(
        FEATURES, glm_data("Poisson"), tfp.glm.Poisson(), maximum_iterations=6, l2_regularizer=0.1
    )
    return found[:3]


@call
def one_step_of_fisher_scoring():
    return tfp.glm.fit_one_step(FEATURES, glm_data("Bernoulli"), tfp.glm.Bernoulli())


@call
def sparse_regression():
    return tfp.glm.fit_sparse(
        FEATURES,
        glm_data("Normal"),
        tfp.glm.Normal(),
        model_coefficients_start=tf.zeros(3),
        tolerance=0.01,
        l1_regularizer=0.05,
        maximum_iterations=5,
        maximum_full_sweeps_per_iteration=2,
    )[:2]


# Losses of variational inference.
@call
def divergences_of_csiszar():
    logu = tf.linspace(-1.0, 1.5, 5)
    names = [
        "amari_alpha",
        "arithmetic_geometric",
        "chi_square",
        "jeffreys",
        "jensen_shannon",
        "kl_forward",
        "kl_reverse",
        "log1p_abs",
        "modified_gan",
        "pearson",
        "squared_hellinger",
        "total_variation",
        "triangular",
    ]
    return {name: tfp.math.value_and_gradient(getattr(vi, name), logu) for name in names} | {
        "t_power": vi.t_power(logu, 0.5),
        "dual": vi.dual_csiszar_function(logu, vi.kl_forward),
        "symmetrized": vi.symmetrized_csiszar_function(logu, vi.kl_reverse),
    }


@random_call
def losses_of_monte_carlo():
    parameters = [tf.Variable(0.3), tf.Variable(0.5)]
    surrogate = tfd.Normal(*parameters)
    with tf.GradientTape(persistent=True) as tape:
        losses = [
            vi.monte_carlo_variational_loss(
                tfd.Normal(0.0, 1.0).log_prob,
                surrogate,
                sample_size=5,
                importance_sample_size=size,
                discrepancy_fn=function,
                gradient_estimator=estimator,
                stopped_surrogate_posterior=tfd.Normal(*map(tf.stop_gradient, parameters)),
                seed=SEED,
            )
            for size, function, estimator in (
                (1, vi.kl_reverse, vi.GradientEstimators.REPARAMETERIZATION),
                (3, vi.kl_reverse, vi.GradientEstimators.DOUBLY_REPARAMETERIZED),
                (1, vi.kl_forward, vi.GradientEstimators.SCORE_FUNCTION),
            )
        ]
    return losses, [tape.gradient(loss, parameters) for loss in losses]


@random_call
def value_of_a_multi_sample_objective():
    return vi.csiszar_vimco(
        vi.kl_reverse,
        tfd.Normal(0.0, 1.0).log_prob,
        tfd.Normal(0.2, 0.8),
        num_draws=4,
        num_batch_draws=3,
        seed=SEED,
    )


@random_call
def optimization_of_a_surrogate():
    surrogate = tfp.experimental.vi.build_factored_surrogate_posterior(
        event_shape=tf.TensorShape([2]), seed=SEED
    )
    return vi.fit_surrogate_posterior(
        target,
        surrogate,
        optimizer=tf.keras.optimizers.Adam(0.1),
        num_steps=5,
        trace_fn=lambda t: (t.loss, t.step, t.has_converged),
        sample_size=4,
        seed=SEED,
    )


@call
def fit_of_a_deterministic_loss():
    x = tf.Variable([1.0, -1.0])
    return tfp.math.minimize(
        lambda: tf.reduce_sum((x - 0.3) ** 2 * [1.0, 2.0]),
        num_steps=6,
        optimizer=tf.keras.optimizers.SGD(0.1),
        trace_fn=lambda t: (t.loss, t.gradients),
    ), x


# Masked distributions, and other statistics.
@call
def statistics_of_masked():
    masked = tfd.Masked(tfd.Normal([0.5, -0.5], [1.0, 2.0]), [True, False])
    means = masked.mean(), masked.mode()  # of what is masked, a random number
    deviations = masked.stddev(), masked.variance()
    return [m[0] for m in means], deviations, masked.log_prob([0.1, 0.2]), masked.entropy()


@call
def statistics_of_masked_with_a_value():
    masked = tfd.Masked(
        tfd.Gamma([2.0, 3.0, 4.0], 1.5),
        [True, False, True],
        safe_sample_fn=lambda d: tf.ones_like(d.rate),
    )
    other = tfd.Masked(tfd.Gamma([2.5, 3.0, 4.0], 1.0), [True, True, True])
    return masked.mean(), masked.log_prob([1.0, 2.0, 3.0]), other.variance(), other.entropy()


@random_call
def samples_of_masked():
    masked = tfd.Masked(tfd.MultivariateNormalDiag(tf.zeros([3, 2])), [True, False, True])
    return masked.sample(4, seed=SEED), masked.batch_shape, masked.event_shape


@call
def divergence_of_masked():
    left = tfd.Masked(tfd.Normal([0.5, -0.5], [1.0, 2.0]), [True, False])
    right = tfd.Masked(tfd.Normal([0.0, 0.0], [1.0, 1.0]), [True, False])
    return tfd.kl_divergence(left, right)
