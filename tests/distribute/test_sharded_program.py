"""Compiled for several devices, and in several processes: the same as one device alone."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from runs import answer, same
from steps import trained

import gradtape as tf
from gradtape._src.compute import devices

pytest.importorskip("jax")

pytestmark = pytest.mark.slow


@pytest.fixture
def _four_processors(monkeypatch):
    monkeypatch.setattr(devices, "requested_processors", [4])


@pytest.mark.usefixtures("_four_processors")
@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("jit", [False, True])
def test_replicas_of_one_process(alone, count, jit):
    strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(count)])
    same(trained(tf, strategy, jit), alone)


def test_a_program_over_four_devices(alone, started):
    flags = "--xla_force_host_platform_device_count=4"
    same(answer(started(4, "jit", XLA_FLAGS=flags)), alone)


@pytest.mark.parametrize("decorator", ["@tf.function", "@tf.function(jit_compile=True)"])
def test_the_guides_example_prints_the_text_after_it(decorator):
    page = Path(__file__).parents[2] / "docs" / "distribute.md"
    blocks = re.findall(r"```\w+\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    code = blocks[0].replace("@tf.function", decorator, 1)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == blocks[1], done.stderr


@pytest.mark.usefixtures("_four_processors")
def test_what_a_compiled_step_can_ask_of_a_strategy():
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        mine = tf.Variable(0.0)
        mean = tf.Variable(0.0, aggregation=tf.VariableAggregation.MEAN)
    outside = tf.Variable(0.0)

    def replica(x):
        context = tf.distribute.get_replica_context()
        i = tf.cast(context.replica_id_in_sync_group, tf.float32)
        mine.assign(i + 1)
        mean.assign_add(i + 1)
        return i, context.all_gather(x * (i + 1), 0), tf.random.normal([2])

    @tf.function(jit_compile=True)
    def step(x):
        i, everything, drawn = strategy.run(replica, args=(x,))
        first, second = strategy.experimental_local_results(drawn)
        return strategy.reduce("MEAN", i, axis=None), everything, first - second, x

    x = strategy.experimental_distribute_values_from_function(lambda c: tf.ones([2]))
    i, everything, apart, back = step(x)
    assert float(i) == 0.5
    for part in everything.values:
        assert part.numpy().tolist() == [1, 1, 2, 2]
    assert np.all(apart.numpy() != 0)
    assert [p.numpy().tolist() for p in back.values] == [[1, 1]] * 2
    assert [float(v) for v in mine.values] == [1, 2]
    assert float(mean) == 1.5
    step(x)
    assert float(mean) == 3

    direct = strategy.run(tf.function(replica, jit_compile=True), args=(x,))
    assert [float(p) for p in direct[0].values] == [0, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="outside of the strategy's scope"):
        strategy.run(tf.function(lambda: outside.assign_add(1.0), jit_compile=True))
    assert float(outside) == 0


@pytest.mark.usefixtures("_four_processors")
@pytest.mark.parametrize(("name", "jit"), [("sgd", False), ("adam", False), ("adam", True)])
def test_keras_fits_as_on_one_device(name, jit):
    if importlib.util.find_spec("keras") is None:
        pytest.skip("Keras is not installed")
    keras = tf.keras
    rng = np.random.default_rng(0)
    x = rng.standard_normal((20, 4)).astype("f4")
    y = (x.sum(1) > 0).astype("i4")

    def fitted(strategy):
        keras.utils.set_random_seed(0)
        with strategy.scope():
            model = keras.Sequential(
                [
                    keras.layers.Input((4,)),
                    keras.layers.Dense(8, activation="relu", kernel_regularizer="l2"),
                    keras.layers.Dense(2),
                ]
            )
            optimizer = (
                keras.optimizers.SGD(0.1, momentum=0.9)
                if name == "sgd"
                else keras.optimizers.Adam()
            )
            loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
            model.compile(optimizer, loss, metrics=["accuracy"], jit_compile=jit)
        history = model.fit(x, y, epochs=2, batch_size=8, shuffle=False, verbose=0).history
        scores = model.evaluate(x, y, batch_size=8, verbose=0)
        predicted = model.predict(x, batch_size=8, verbose=0)
        return [*history["loss"], *history["accuracy"], *scores, *np.ravel(predicted)]

    two = fitted(tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]))
    np.testing.assert_allclose(two, fitted(tf.distribute.get_strategy()), rtol=2e-4, atol=1e-5)
