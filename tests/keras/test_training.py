"""Models that learn: `fit` and custom loops, to an accuracy."""

import importlib.util

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.slow

keras, layers = tf.keras, tf.keras.layers
rng = np.random.default_rng(0)


def circles(n=600):
    """Points in a plane, and whether they lie inside a circle."""
    x = rng.uniform(-1, 1, (n, 2)).astype(np.float32)
    return x, ((x**2).sum(1) < 0.5).astype(np.int32)


def network(*, logits=True):
    return keras.Sequential(
        [
            layers.Dense(16, activation="relu"),
            layers.Dense(16, activation="relu"),
            layers.Dense(2, activation=None if logits else "softmax"),
        ]
    )


def loss_function(*, logits=True):
    return keras.losses.SparseCategoricalCrossentropy(from_logits=logits)


def test_fit_evaluate_predict():
    x, y = circles()
    model = network(logits=False)
    model.compile(keras.optimizers.Adam(0.02), loss_function(logits=False), metrics=["accuracy"])
    history = model.fit(x, y, batch_size=32, epochs=12, validation_split=0.2, verbose=0)
    assert set(history.history) == {"loss", "accuracy", "val_loss", "val_accuracy"}
    loss, accuracy = model.evaluate(x, y, verbose=0)
    assert accuracy > 0.94
    p = model.predict(x, verbose=0)
    np.testing.assert_allclose(p.sum(1), 1, rtol=1e-5)
    np.testing.assert_allclose(loss, -np.log(p[np.arange(len(y)), y]).mean(), rtol=1e-3)
    np.testing.assert_allclose(accuracy, (p.argmax(1) == y).mean(), rtol=1e-5)
    assert model.layers[0].output.shape == (None, 16)


def test_fit_on_a_dataset_with_callbacks(tmp_path):
    x, y = circles(256)
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(32)
    model = network()
    model.compile("sgd", loss_function())
    seen = []

    class Watch(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            seen.append((batch, logs["loss"]))

    model.fit(
        data,
        epochs=3,
        verbose=0,
        shuffle=False,
        steps_per_epoch=8,
        callbacks=[
            Watch(),
            keras.callbacks.EarlyStopping("loss", patience=5),
            keras.callbacks.ModelCheckpoint(tmp_path / "best.keras", "loss", save_best_only=True),
            keras.callbacks.LearningRateScheduler(lambda epoch: 0.1 / (epoch + 1)),
            keras.callbacks.CSVLogger(tmp_path / "log.csv"),
        ],
    )
    assert [b for b, _ in seen] == [*range(8)] * 3
    assert (tmp_path / "best.keras").exists()
    assert len((tmp_path / "log.csv").read_text().splitlines()) == 4


def test_a_custom_loop():
    x, y = circles()
    model, optimizer = network(), keras.optimizers.Adam(0.02)
    accuracy, loss_fn = keras.metrics.SparseCategoricalAccuracy(), loss_function()

    @tf.function
    def step(xs, ys):
        with tf.GradientTape() as tape:
            scores = model(xs, training=True)
            loss = loss_fn(ys, scores)
        gradients = tape.gradient(loss, model.trainable_weights)
        optimizer.apply_gradients(zip(gradients, model.trainable_weights, strict=True))
        accuracy.update_state(ys, scores)
        return loss

    for _ in range(12):
        accuracy.reset_state()
        for start in range(0, len(x), 32):
            step(x[start : start + 32], y[start : start + 32])
    assert float(accuracy.result()) > 0.93


@pytest.mark.parametrize("steps", [1, 2])
def test_a_custom_train_step(steps):
    class Penalized(keras.Model):
        def __init__(self):
            super().__init__()
            self.inner = network()

        def call(self, x):
            return self.inner(x)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = self.compute_loss(x=x, y=y, y_pred=self(x, training=True))
                loss += 1e-3 * sum(tf.reduce_sum(v**2) for v in self.trainable_variables)
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
            return {"penalized": loss}

    x, y = circles(200)
    model = Penalized()
    model.compile(keras.optimizers.Adam(0.01), loss_function(), steps_per_execution=steps)
    losses = [float(x) for x in model.fit(x, y, epochs=6, verbose=0).history["penalized"]]
    assert losses[-1] < losses[0]


def test_weights_and_sample_weights():
    x, y = circles(128)
    model = network()
    model.compile("adam", loss_function(), weighted_metrics=["accuracy"])
    model.fit(x, y, epochs=1, verbose=0, class_weight={0: 1.0, 1: 2.0})
    model.fit(x, y, epochs=1, verbose=0, sample_weight=np.ones(128))
    before = model.evaluate(x, y, verbose=0)[0]
    zero = model.evaluate(x, y, verbose=0, sample_weight=np.zeros(128))[0]
    assert before > 0
    assert zero == 0


@pytest.mark.parametrize("format_", [".keras", ".weights.h5"])
def test_saving_and_loading(tmp_path, format_):
    x, y = circles(64)
    model = network()
    model.compile("adam", loss_function())
    model.fit(x, y, epochs=1, verbose=0)
    path = tmp_path / f"model{format_}"
    if format_ == ".keras":
        model.save(path)
        again = keras.models.load_model(path)
        assert int(again.optimizer.iterations) == 2
    else:
        model.save_weights(path)
        again = network()
        again.build((None, 2))
        again.load_weights(path)
    np.testing.assert_array_equal(model(x), again(x))


def test_a_convolutional_network_learns_where_a_bar_is():
    x = rng.normal(0, 0.3, (256, 8, 8, 1)).astype(np.float32)
    y = rng.integers(0, 2, 256)
    for image, label in zip(x, y, strict=True):
        k = rng.integers(1, 7)
        image[k, :, 0] += label
        image[:, k, 0] += 1 - label
    model = keras.Sequential(
        [
            layers.Conv2D(8, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dropout(0.1),
            layers.Dense(2),
        ]
    )
    model.compile(keras.optimizers.Adam(0.01), loss_function(), metrics=["accuracy"])
    history = model.fit(x, y, epochs=8, verbose=0)
    assert history.history["accuracy"][-1] > 0.9


def test_a_recurrent_network_learns_which_came_first():
    x = rng.integers(2, 9, (256, 8))
    x[:, [2, 5]] = np.where(rng.random((256, 1)) < 0.5, [0, 1], [1, 0])
    y = (x[:, 2] == 1).astype(np.int32)
    model = keras.Sequential([layers.Embedding(9, 8), layers.LSTM(8), layers.Dense(1)])
    model.compile(
        keras.optimizers.Adam(0.02),
        keras.losses.BinaryCrossentropy(from_logits=True),
        metrics=[keras.metrics.BinaryAccuracy(threshold=0.0)],
    )
    history = model.fit(x, y, epochs=10, verbose=0)
    assert history.history["binary_accuracy"][-1] > 0.95


@pytest.mark.parametrize("name", ["Adagrad", "Adadelta", "RMSprop", "Adam", "SGD"])
def test_sparse_gradients_are_divided_and_clipped(name):
    """In graphs as eagerly, where Keras' division of slices branches by whether there are zeros."""
    x, y = rng.integers(0, 9, (6, 3)), rng.normal(size=(6, 1))
    weights = []
    for eagerly in (False, True):
        keras.utils.set_random_seed(1)
        model = keras.Sequential([layers.Embedding(9, 4), layers.Flatten(), layers.Dense(1)])
        optimizer = getattr(keras.optimizers, name)(0.1, clipnorm=0.5)
        model.compile(optimizer, "mse", run_eagerly=eagerly, jit_compile=False)
        model.fit(x, y, batch_size=3, epochs=2, shuffle=False, verbose=0)
        weights.append(model.get_weights())
    for a, b in zip(*weights, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_mixed_precision_and_regularization():
    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        layer = layers.Dense(4, kernel_regularizer="l2", activation="relu")
        model = keras.Sequential([layer, layers.Dense(1, dtype="float32")])
        x = rng.normal(size=(8, 3)).astype(np.float32)
        with tf.GradientTape() as tape:
            y = model(x)
            loss = tf.reduce_sum(y) + tf.add_n(model.losses)
        assert layer(x).dtype is tf.float16
        gradients = tape.gradient(loss, model.trainable_variables)
        assert [g.dtype for g in gradients] == [tf.float32] * 4
        np.testing.assert_allclose(
            float(model.losses[0]), 0.01 * (layer.kernel.numpy() ** 2).sum(), rtol=1e-3
        )
    finally:
        keras.mixed_precision.set_global_policy("float32")


def test_training_under_a_strategy():
    x, y = circles(64)
    with tf.distribute.MirroredStrategy().scope():
        model = network()
        model.compile("adam", loss_function())
    history = model.fit(x, y, epochs=2, verbose=0)
    assert len(history.history["loss"]) == 2


def test_compilation_without_jax_names_the_extra(monkeypatch):
    model = network()
    model.compile("sgd", loss_function(), jit_compile=True)
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda n, *a: None if n == "jax" else found(n, *a)
    )
    with pytest.raises(ImportError, match=r"gradtape\[xla\]"):
        model.fit(*circles(64), verbose=0)
