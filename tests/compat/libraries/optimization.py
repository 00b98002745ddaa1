"""Calls of Trieste (Bayesian optimization) and GPflux (deep Gaussian processes).

They follow the documentation, and are run by tools/compare_libraries.py on TensorFlow and on
gradtape. Six of them are whole programs.
"""

import gpflow
import gpflux
import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp
import trieste
from gpflow.keras import tf_keras
from trieste.acquisition import function as functions
from trieste.acquisition import rule
from trieste.data import Dataset
from trieste.models.gpflow import (
    GaussianProcessRegression,
    SparseGaussianProcessRegression,
    SparseVariational,
    VariationalGaussianProcess,
    build_gpr,
    build_sgpr,
    build_svgp,
    build_vgp_classifier,
)
from trieste.objectives import single_objectives
from trieste.space import Box, DiscreteSearchSpace, TaggedProductSearchSpace

CALLS = {}
SPACE = Box([0.0, 0.0], [1.0, 1.0])
POINTS = np.random.RandomState(0).uniform(size=(12, 2))
AT = tf.constant(np.random.RandomState(1).uniform(size=(5, 1, 2)))
TAG = "OBJECTIVE"


def call(function):
    """Adds a function to the calls, under its name."""
    CALLS[function.__name__.replace("_", " ")] = function
    return function


def random_call(function):
    """Adds a function whose numbers are random."""
    CALLS[f"{function.__name__.replace('_', ' ')} (random)"] = function
    return function


def data():
    points = tf.constant(POINTS)
    return Dataset(points, single_objectives.scaled_branin(points))


def regression():
    return GaussianProcessRegression(build_gpr(data(), SPACE, likelihood_variance=1e-3))


OBJECTIVES = [
    "Branin",
    "ScaledBranin",
    "SimpleQuadratic",
    "GramacyLee",
    "LogarithmicGoldsteinPrice",
    "Hartmann3",
    "Shekel4",
    "Levy8",
    "Rosenbrock4",
    "Ackley5",
    "Hartmann6",
    "Michalewicz5",
    "Trid10",
]


def objective(name):
    problem = getattr(single_objectives, name)
    low, high = problem.search_space.lower, problem.search_space.upper
    spread = np.random.RandomState(2).uniform(size=(4, int(low.shape[0])))
    points = tf.Variable(low + (high - low) * spread)
    with tf.GradientTape() as tape:
        values = problem.objective(points)
    return values, tape.gradient(values, points), problem.minimum, problem.minimizers


for each in OBJECTIVES:
    CALLS[f"objective {each}"] = lambda each=each: objective(each)


# Spaces.
@call
def spaces():
    discrete = DiscreteSearchSpace(tf.constant([[0.0, 1.0], [2.0, 3.0]], tf.float64))
    product = TaggedProductSearchSpace([SPACE, discrete], ["a", "b"])
    return (
        SPACE.contains(tf.constant([[0.5, 0.5], [2.0, 0.0]], tf.float64)), discrete.points,
        product.lower, product.upper, product.dimension, SPACE.sample_sobol(4, skip=3),
        SPACE.sample_halton(4, seed=5).shape, (SPACE**2).upper,
    )  # fmt: skip


@random_call
def samples_of_spaces():
    return SPACE.sample(7), SPACE.discretize(3).points


@call
def data_sets():
    first, second = data(), data()
    whole = first + second
    return len(whole), whole.query_points, whole.observations, first == second


# Models.
MODELS = {
    "GPR": lambda: regression(),
    "SGPR": lambda: SparseGaussianProcessRegression(
        build_sgpr(data(), SPACE, num_inducing_points=6)
    ),
    "SVGP": lambda: SparseVariational(build_svgp(data(), SPACE, num_inducing_points=6)),
    "VGP": lambda: VariationalGaussianProcess(build_vgp_classifier(positive(), SPACE)),
}


def positive():
    labels = tf.cast(data().observations > 0, tf.float64)
    return Dataset(data().query_points, labels)


def model(name):
    made = MODELS[name]()
    if name == "SVGP":  # its inducing points are random
        made.model.inducing_variable.Z.assign(POINTS[:6])
    if name == "SGPR":
        made.model.inducing_variable.Z.assign(POINTS[:6])
        made.update_posterior_cache()  # which was made for random inducing points
    points = tf.Variable(AT[:, 0])
    with tf.GradientTape() as tape:
        mean, variance = made.predict(points)
        loss = tf.reduce_sum(mean) + tf.reduce_sum(variance)
    return mean, variance, tape.gradient(loss, points), made.predict_joint(points)


for each in MODELS:
    CALLS[f"model {each}"] = lambda each=each: model(each)


@call
def optimized_model():
    made = regression()
    made.optimize(data())
    return made.predict(AT[:, 0]), made.model.training_loss()


@call
def updated_model():
    made = regression()
    more = tf.constant([[0.2, 0.9]], tf.float64)
    made.update(data() + Dataset(more, single_objectives.scaled_branin(more)))
    return made.predict(AT[:, 0])


@call
def conditional_predictions():
    made = regression()
    more = Dataset(AT[:2, 0], single_objectives.scaled_branin(AT[:2, 0]))
    return (
        made.conditional_predict_f(AT[:, 0], more), made.conditional_predict_y(AT[:, 0], more),
        made.covariance_between_points(AT[:2, 0], AT[2:, 0]), made.get_observation_noise(),
        made.get_kernel()(AT[:, 0]), made.get_internal_data().observations,
    )  # fmt: skip


@random_call
def samples_of_models():
    made = regression()
    trajectory = made.trajectory_sampler().get_trajectory()
    return (
        made.sample(AT[:, 0], 3), trajectory(AT),
        made.reparam_sampler(4).sample(AT[:, 0][None][..., :2, :]),
    )  # fmt: skip


# Acquisition functions.
ACQUISITION = {
    "expected improvement": lambda: functions.ExpectedImprovement(),
    "log expected improvement": lambda: functions.LogExpectedImprovement(),
    "augmented expected improvement": lambda: functions.AugmentedExpectedImprovement(),
    "log augmented expected improvement": lambda: functions.LogAugmentedExpectedImprovement(),
    "lower confidence bound": lambda: functions.NegativeLowerConfidenceBound(1.5),
    "predictive mean": lambda: functions.NegativePredictiveMean(),
    "predictive variance": lambda: functions.PredictiveVariance(),
    "probability of improvement": lambda: functions.ProbabilityOfImprovement(),
    "probability of feasibility": lambda: functions.ProbabilityOfFeasibility(0.3),
    "feasibility": lambda: functions.ExpectedFeasibility(0.1, alpha=1.0),
    "integrated variance reduction": lambda: functions.IntegratedVarianceReduction(AT[:, 0]),
    "optimism": lambda: functions.MultipleOptimismNegativeLowerConfidenceBound(SPACE),
    "entropy search (random)": lambda: functions.MinValueEntropySearch(SPACE, num_samples=3),
    "Monte Carlo improvement (random)": lambda: functions.MonteCarloExpectedImprovement(20),
    "batch improvement (random)": lambda: functions.BatchMonteCarloExpectedImprovement(20),
}


def acquisition(name):
    made = ACQUISITION[name]().prepare_acquisition_function(regression(), dataset=data())
    points = tf.Variable(AT)
    with tf.GradientTape() as tape:
        values = made(points)
    return values, tape.gradient(values, points)


for each in ACQUISITION:
    CALLS[f"acquisition {each}"] = lambda each=each: acquisition(each)


@call
def sums_and_products_of_acquisition_functions():
    kinds = (trieste.acquisition.combination.Sum, trieste.acquisition.combination.Product)
    parts = [functions.ExpectedImprovement().using(TAG), functions.PredictiveVariance().using(TAG)]
    return [
        kind(*parts).prepare_acquisition_function({TAG: regression()}, {TAG: data()})(AT)
        for kind in kinds
    ]


@call
def constrained_improvement():
    made = functions.ExpectedConstrainedImprovement(
        TAG, functions.ProbabilityOfFeasibility(0.5).using("CONSTRAINT")
    )
    models = {TAG: regression(), "CONSTRAINT": regression()}
    return made.prepare_acquisition_function(models, {TAG: data(), "CONSTRAINT": data()})(AT)


@call
def hypervolume_improvement():
    points = data().query_points
    many = Dataset(points, tf.concat([data().observations, POINTS[:, :1]], 1))
    parts = [
        (
            GaussianProcessRegression(
                build_gpr(Dataset(many.query_points, y), SPACE, likelihood_variance=1e-3)
            ),
            1,
        )
        for y in tf.split(many.observations, 2, 1)
    ]
    stack = trieste.models.interfaces.TrainableModelStack(*parts)
    made = functions.ExpectedHypervolumeImprovement()
    return made.prepare_acquisition_function(stack, dataset=many)(AT)


@call
def pareto_fronts():
    from trieste.acquisition.multi_objective import Pareto

    front = Pareto(tf.constant([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0], [3.0, 3.0]], tf.float64))
    return front.front, front.hypervolume_indicator(tf.constant([4.0, 4.0], tf.float64))


@call
def grid_search_of_an_acquisition_function():
    made = functions.ExpectedImprovement().prepare_acquisition_function(regression(), data())
    grid = DiscreteSearchSpace(tf.constant(POINTS * 0.9))
    return trieste.acquisition.optimizer.optimize_discrete(grid, made)


@random_call
def continuous_search_of_an_acquisition_function():
    made = functions.ExpectedImprovement().prepare_acquisition_function(regression(), data())
    search = trieste.acquisition.optimizer.generate_continuous_optimizer(20, 2)
    return search(SPACE, made)


RULES = {
    "global": lambda: rule.EfficientGlobalOptimization(),
    "local penalization": lambda: rule.EfficientGlobalOptimization(
        functions.LocalPenalization(SPACE, 20), num_query_points=2
    ),
    "fantasizer": lambda: rule.EfficientGlobalOptimization(
        functions.Fantasizer(), num_query_points=2
    ),
    "Thompson sampling": lambda: rule.DiscreteThompsonSampling(50, 2),
    "random": lambda: rule.RandomSampling(3),
    "asynchronous": lambda: rule.AsynchronousOptimization(num_query_points=1),
}


def acquire(name):
    found = RULES[name]().acquire_single(SPACE, regression(), data())
    return found(None)[1] if callable(found) else found


for each in RULES:
    CALLS[f"rule {each} (random)"] = lambda each=each: acquire(each)


# Deep Gaussian processes.
X = np.linspace(0.0, 1.0, 20)[:, None]
Y = np.sin(6 * X) + 0.1 * X


def layer(output=1, **options):
    made = gpflux.layers.GPLayer(
        gpflux.helpers.construct_basic_kernel(
            gpflow.kernels.SquaredExponential(), output_dim=output, share_hyperparams=True
        ),
        gpflux.helpers.construct_basic_inducing_variables(
            5, 1, output_dim=output, share_variables=True, z_init=np.linspace(0, 1, 5)[:, None]
        ),
        num_data=20, mean_function=gpflow.mean_functions.Zero(), num_latent_gps=output,
        verbose=False, **options,
    )  # fmt: skip
    made.q_mu.assign(np.random.RandomState(3).normal(size=made.q_mu.shape))
    return made


@call
def helpers():
    mean = gpflux.helpers.construct_mean_function(POINTS, 2, 1)
    kernel = gpflux.helpers.construct_basic_kernel(
        [gpflow.kernels.Matern52(), gpflow.kernels.RBF()]
    )
    weights = gpflux.helpers.xavier_initialization_numpy(3, 2)
    return tf.abs(mean(POINTS)), kernel(POINTS, full_cov=False), weights.shape


@call
def layer_of_a_process():
    made = layer(2)
    return (
        made.predict(tf.constant(X)),
        made.prior_kl(),
        made.predict(tf.constant(X), full_cov=True),
    )


@call
def distribution_of_a_layer():
    made = layer()
    out = made(tf.constant(X))
    return out.distribution.mean(), out.distribution.stddev(), made.losses


@random_call
def samples_of_a_layer():
    made = layer()
    return tf.convert_to_tensor(made(tf.constant(X))), made.sample()(tf.constant(X))


@call
def gradients_of_a_layer():
    made = layer()
    with tf.GradientTape() as tape:
        mean, variance = made.predict(tf.constant(X))
        loss = tf.reduce_sum((mean - Y) ** 2) + tf.reduce_sum(variance) + made.prior_kl()
    return loss, tape.gradient(loss, [made.q_mu.unconstrained_variable])


@call
def likelihood_layer():
    made = gpflux.layers.LikelihoodLayer(gpflow.likelihoods.Gaussian(0.1))
    out = made(layer()(tf.constant(X)))
    return out.f_mean, out.f_var, out.y_mean, out.y_var


@call
def likelihood_layer_in_training():
    made = gpflux.layers.LikelihoodLayer(gpflow.likelihoods.Gaussian(0.1))
    out = made(layer()(tf.constant(X)), targets=tf.constant(Y), training=True)
    return out.f_mean, made.losses


@random_call
def features_of_fourier():
    from gpflux.layers.basis_functions.fourier_features import RandomFourierFeaturesCosine

    made = RandomFourierFeaturesCosine(gpflow.kernels.Matern52(), 8, dtype=tf.float64)
    return made(tf.constant(X))


@random_call
def bayesian_layer():
    from gpflux.layers import BayesianDenseLayer

    made = BayesianDenseLayer(1, 3, num_data=20, activation=tf.nn.tanh)
    return tf.convert_to_tensor(made(tf.constant(X))), made.losses


@call
def encoder():
    made = gpflux.encoders.DirectlyParameterizedNormalDiag(20, 2)
    mean, deviation = made(tf.constant(X), training=True)
    return mean.shape.as_list() if hasattr(mean.shape, "as_list") else list(mean.shape), deviation


@call
def latent_variables():
    prior = tfp.distributions.MultivariateNormalDiag(np.zeros(2), np.ones(2))
    made = gpflux.layers.LatentVariableLayer(
        prior, gpflux.encoders.DirectlyParameterizedNormalDiag(20, 2)
    )
    out = made([tf.constant(X), tf.constant(Y)], training=True)
    return list(out.shape), len(made.losses)


def deep(count):
    return gpflux.models.DeepGP([layer() for _ in range(count)], gpflow.likelihoods.Gaussian(0.1))


@call
def predictions_of_a_deep_process():
    made = deep(1)
    return made.predict_f(tf.constant(X)), made.elbo((tf.constant(X), tf.constant(Y)))


@call
def sampling_of_a_deep_process():
    return list(deep(2).sample()(tf.constant(X)).shape)


# Whole programs.
@call
def program_global_optimization():
    observer = trieste.objectives.utils.mk_observer(single_objectives.scaled_branin)
    start = Dataset(tf.constant(POINTS), single_objectives.scaled_branin(tf.constant(POINTS)))
    optimizer = trieste.bayesian_optimizer.BayesianOptimizer(observer, SPACE)
    grid = np.stack(np.meshgrid(np.linspace(0, 1, 15), np.linspace(0, 1, 15)), -1).reshape(-1, 2)

    def search(space, target):
        return trieste.acquisition.optimizer.optimize_discrete(
            DiscreteSearchSpace(tf.constant(grid)), target
        )

    found = optimizer.optimize(
        5, start, regression(), rule.EfficientGlobalOptimization(optimizer=search)
    ).try_get_final_dataset()
    return found.query_points, found.observations


@call
def program_ask_and_tell():
    grid = DiscreteSearchSpace(tf.constant(POINTS * 0.95))
    optimizer = trieste.ask_tell_optimization.AskTellOptimizer(grid, data(), regression())
    seen = []
    for _ in range(3):
        point = optimizer.ask()
        optimizer.tell(Dataset(point, single_objectives.scaled_branin(point)))
        seen.append(point)
    return seen


@random_call
def program_batches_with_thompson_sampling():
    observer = trieste.objectives.utils.mk_observer(single_objectives.scaled_branin)
    optimizer = trieste.bayesian_optimizer.BayesianOptimizer(observer, SPACE)
    found = optimizer.optimize(2, data(), regression(), rule.DiscreteThompsonSampling(100, 3))
    return found.try_get_final_dataset().observations


@call
def program_training_a_deep_process_by_its_bound():
    made = deep(1)
    pair = (tf.constant(X), tf.constant(Y))
    optimizer = tf.optimizers.Adam(0.05)
    variables = [
        *made.f_layers[0].trainable_weights,
        *made.likelihood_layer.likelihood.trainable_variables,
    ]
    variables = [getattr(v, "value", v) if not isinstance(v, tf.Variable) else v for v in variables]
    losses = []
    for _ in range(15):
        with tf.GradientTape() as tape:
            loss = -made.elbo(pair)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        losses.append(loss)
    return losses, made.predict_f(pair[0])


@call
def program_training_by_fit():
    made = deep(1).as_training_model()
    made.compile(tf_keras.optimizers.Adam(0.05))
    seen = made.fit({"inputs": X, "targets": Y}, epochs=5, batch_size=20, verbose=0)
    return seen.history["loss"]


@random_call
def program_two_layers_by_fit():
    model = deep(2)
    made = model.as_training_model()
    made.compile(tf_keras.optimizers.Adam(0.02))
    seen = made.fit({"inputs": X, "targets": Y}, epochs=3, batch_size=20, verbose=0)
    return seen.history["loss"], model.as_prediction_model()(tf.constant(X)).y_mean
