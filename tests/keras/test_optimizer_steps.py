"""Steps of optimizers, against Keras' own."""

from random import Random

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.compute import devices
from gradtape._src.keras import optimizer_steps

pytestmark = pytest.mark.slow

keras, layers = tf.keras, tf.keras.layers


def test_adam_on_rows_takes_the_square_of_each():
    # Keras squares rows before it adds up those that come again (checked with TensorFlow 2.21).
    table = tf.Variable(np.ones((4, 2), np.float32))
    optimizer = keras.optimizers.Adam(0.1)
    values = np.array([[1.0, -2.0], [3.0, 0.5], [0.5, 0.5]], np.float32)
    rows = tf.IndexedSlices(tf.constant(values), tf.constant([1, 1, 3]), tf.constant([4, 2]))
    m = v = np.zeros((4, 2))
    expected = np.ones((4, 2))
    first, second = np.zeros((4, 2)), np.zeros((4, 2))
    np.add.at(first, [1, 1, 3], values)
    np.add.at(second, [1, 1, 3], values**2)
    for t in (1, 2):
        optimizer.apply_gradients([(rows, table)])
        m, v = 0.9 * m + 0.1 * first, 0.999 * v + 0.001 * second
        rate = 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        expected = expected - rate * m / (np.sqrt(v) + 1e-7)
        np.testing.assert_allclose(table, expected, rtol=1e-5)


def drawn_options(seed):
    """A class of optimizers and arguments of its constructor, some of them no good."""
    random = Random(seed)
    rates = [0.1, -0.1, 1, None, "a", True, np.float32(0.1), tf.constant(0.1), [0.1]]
    rates += [keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5), lambda: 0.1]
    numbers = [0.9, 0.0, 1.0, 1, 2.0, -0.5, None, "a", True, np.float32(0.5), np.float64(0.5)]
    numbers += [tf.constant(0.5), tf.constant(0.5, tf.float64), [0.5]]
    flags = [True, False, None, 1, "a"]
    name, known = random.choice(
        [
            ("Adam", {"beta_1": numbers, "beta_2": numbers, "epsilon": numbers, "amsgrad": flags}),
            ("AdamW", {"epsilon": numbers, "weight_decay": numbers, "beta_1": numbers}),
            ("SGD", {"momentum": numbers, "nesterov": flags}),
        ]
    )
    known |= {"learning_rate": rates, "clipnorm": numbers, "use_ema": flags}
    names = random.sample(sorted(known), random.randint(1, 2))
    return name, {key: random.choice(known[key]) for key in names}


def trained(name, options):
    """Weights after two steps, or what was raised."""
    weights = [tf.Variable([1.0, -2.0]), tf.Variable([[0.5]])]
    try:
        optimizer = getattr(keras.optimizers, name)(**options)
        for k in (1.0, -3.0):
            gradients = [tf.constant([0.5, 0.25]) * k, tf.constant([[2.0]])]
            optimizer.apply_gradients(zip(gradients, weights, strict=True))
    except Exception as error:  # noqa: BLE001 (any is an answer)
        return type(error)
    return np.concatenate([w.numpy().ravel() for w in weights])


@pytest.mark.parametrize("seed", range(60))
def test_optimizers_take_what_keras_takes(seed, monkeypatch):
    name, options = drawn_options(seed)
    quick = trained(name, options)
    monkeypatch.setattr(optimizer_steps, "_everyday", lambda *given: False)
    plain = trained(name, options)
    if isinstance(plain, type) or isinstance(quick, type):
        assert quick is plain, (name, options)
    else:
        np.testing.assert_allclose(quick, plain, rtol=2e-6, err_msg=f"{name} {options}")


def drawn_steps(seed):
    """An optimizer's name and options, weights, three steps' gradients, and how they are run."""
    random, draw = Random(seed), np.random.default_rng(seed).standard_normal
    name, options = random.choice(
        [
            ("SGD", {}),
            ("SGD", {"momentum": 0.9}),
            ("SGD", {"momentum": 0.5, "nesterov": True, "weight_decay": 0.1}),
            ("SGD", {"clipvalue": 0.5, "use_ema": True, "ema_overwrite_frequency": 2}),
            ("SGD", {"gradient_accumulation_steps": 2}),
            ("Adam", {}),
            ("Adam", {"amsgrad": True}),
            ("AdamW", {"weight_decay": 0.1}),
        ]
    )
    shapes = [random.choice([(), (3,), (2, 3), (0,)]) for _ in range(random.randint(1, 5))]
    values = [draw(s).astype(random.choice(["f4", "f4", "f4", "f8", "f2"])) for s in shapes]
    made = [random.choice([tf.Variable, keras.Variable]) for _ in values]
    gradients = [[draw(v.shape).astype(v.dtype) for v in values] for _ in range(3)]
    missing = random.choice([None, None, len(values) - 1])
    return name, options, values, made, gradients, missing, random.choice(["", "tape", "function"])


def stepped(name, options, values, made, gradients, missing, way):
    """The weights, the optimizer's variables and what the tape found, after three steps."""
    weights = [kind(v, dtype=v.dtype.name) for kind, v in zip(made, values, strict=True)]
    optimizer = getattr(keras.optimizers, name)(**options)
    optimizer.build(weights)

    def step(*given):
        pairs = [
            (None if k == missing and k else g, w)
            for k, (g, w) in enumerate(zip(given, weights, strict=True))
        ]
        optimizer.apply_gradients(pairs)

    run, found = tf.function(step) if way == "function" else step, []
    for each in gradients:
        given = [tf.constant(g) for g in each]
        with tf.GradientTape() as tape:
            tape.watch(given)
            if way == "tape":
                run(*given)
            total = tf.add_n([tf.reduce_sum(tf.cast(w, tf.float64)) for w in weights])
        if way != "tape":
            run(*given)
        found += tape.gradient(total, given)
    return [
        None if x is None else np.array(x)
        for x in [*[tf.convert_to_tensor(w) for w in weights], *optimizer.variables, *found]
    ]


@pytest.mark.filterwarnings("ignore:Gradients do not exist")
@pytest.mark.parametrize("seed", range(80))
def test_random_steps_are_those_of_keras(seed, monkeypatch):
    drawn = drawn_steps(seed)
    quick = stepped(*drawn)
    monkeypatch.setattr(optimizer_steps, "_everyday", lambda *given: False)
    for one, other in zip(quick, stepped(*drawn), strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            assert one.dtype == other.dtype
            rtol = {"f2": 1e-3, "f4": 2e-6}.get(one.dtype.str[1:], 1e-13)
            np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol)


def test_a_step_of_a_program_is_called_for_each_variable():
    steps = []

    class Mine(keras.optimizers.SGD):
        def update_step(self, gradient, variable, learning_rate):
            steps.append(variable.shape.as_list())
            super().update_step(gradient, variable, learning_rate)

    weights = [tf.Variable([1.0]), tf.Variable([[1.0, 2.0]])]
    Mine(0.5).apply_gradients([(tf.ones_like(w), w) for w in weights])
    assert steps == [[1], [1, 2]]
    assert weights[1].numpy().tolist() == [[0.5, 1.5]]
    Mine.__bases__[0](0.5).apply_gradients([(tf.ones_like(w), w) for w in weights])
    assert len(steps) == 2


def test_variables_have_the_keys_that_keras_gives_them():
    optimizer = keras.optimizers.SGD()
    key = type(optimizer)._var_key
    strategy = tf.distribute.MirroredStrategy(["cpu:0"])
    with strategy.scope():
        shared = [tf.Variable(1.0), keras.Variable(1.0)]
    for variable in [tf.Variable(1.0), keras.Variable(1.0), *shared]:
        assert key(optimizer, variable) == key.__wrapped__(optimizer, variable)


@pytest.mark.parametrize("name", ["Adam", "AdamW"])
def test_adam_without_epsilon_is_an_error(name):
    weight = tf.Variable([1.0])
    optimizer = getattr(keras.optimizers, name)(epsilon=None)
    with pytest.raises(ValueError, match="None"):
        optimizer.apply_gradients([(tf.constant([1.0]), weight)])
    assert not np.isnan(weight.numpy()).any()


KINDS = [("SGD", {}), ("SGD", {"momentum": 0.9}), ("Adam", {}), ("AdamW", {})]
HOOKS = ["update_step", "assign", "assign_add", "assign_sub"]


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize(("name", "options"), KINDS)
@pytest.mark.parametrize("where", ["subclass", "class", "object"])
def test_methods_of_a_program_are_called_as_often_as_keras_calls_them(
    name, options, hook, where, monkeypatch
):
    base = getattr(keras.optimizers, name)
    calls = []

    def counted(self, *given):
        calls.append(hook)
        return below(self, *given)

    def steps():
        kind = type("Mine", (base,), {hook: counted}) if where == "subclass" else base
        optimizer, weights = kind(0.1, **options), [tf.Variable([1.0]), tf.Variable([[2.0]])]
        if where == "object":
            setattr(optimizer, hook, counted.__get__(optimizer))
        with monkeypatch.context() as patched:
            if where == "class":
                patched.setattr(base, hook, counted)
            for _ in range(2):
                optimizer.apply_gradients([(tf.ones_like(w), w) for w in weights])
        found = len(calls), [w.numpy().tolist() for w in weights]
        calls.clear()
        return found

    below = getattr(base, hook)
    quick = steps()
    monkeypatch.setattr(optimizer_steps, "_everyday", lambda *given: False)
    plain = steps()
    assert quick[0] == plain[0]
    assert plain[0] or hook != "update_step"
    for one, other in zip(quick[1], plain[1], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.parametrize(("name", "options"), KINDS)
def test_gradients_and_variables_end_with_the_shorter_list(name, options):
    weights = [tf.Variable([1.0]), tf.Variable([2.0])]
    optimizer = getattr(keras.optimizers, name)(0.1, **options)
    optimizer.build(weights)
    optimizer.apply([tf.constant([1.0])], weights)
    once = weights[0].numpy()
    optimizer.apply([tf.constant([1.0])] * 2, weights[:1])
    assert weights[0].numpy() < once < 1
    assert optimizer.iterations.numpy() == 2


@pytest.mark.parametrize("name", ["Adam", "AdamW"])
def test_adam_on_rows_of_a_table_of_unknown_shape_is_an_error(name):
    table = tf.Variable(np.ones((4, 2), np.float32))
    rows = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]))
    with pytest.raises(ValueError, match="dense_shape"):
        getattr(keras.optimizers, name)(0.1).apply_gradients([(rows, table)])


def test_replicas_add_gradients_for_an_optimizer_made_outside_the_strategy(monkeypatch):
    monkeypatch.setattr(devices, "requested_processors", [2])
    optimizer = keras.optimizers.SGD(0.5)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        weight = keras.Variable([8.0])
        optimizer.build([weight])

    def step():
        place = tf.distribute.get_replica_context().replica_id_in_sync_group
        optimizer.apply([tf.cast(place + 1, tf.float32)[None]], [weight])

    strategy.run(step)
    assert weight.numpy().tolist() == [8.0 - 0.5 * (1 + 2)]
