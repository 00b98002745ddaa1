"""Trains one of the models in one library, and prints the results as JSON.

    KERAS_BACKEND=jax python benchmarks/learners.py keras compiled --seed 1

Three networks of Keras, each fitted by `fit`, and the two training steps of `examples/digits.py`
(the second differentiates a gradient) in each library's own style. The library is "gradtape",
"tensorflow", or for the steps alone "torch" or "jax"; Keras uses the same one. The data are part of
scikit-learn: handwritten digits, and as text the descriptions of its datasets.
"""

import argparse
import importlib
import json
import math
import os
import pathlib
import statistics
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from options import chosen

f32 = np.float32
EPOCHS = {"cnn": 8, "lstm": 10, "transformer": 6}
TITLES = {
    "cnn": "convolutional network, digits",
    "lstm": "LSTM, rows of digits",
    "transformer": "transformer, text",
    "plain": "demo: plain step",
    "regularized": "demo: step with a gradient's gradient",
}
WINDOW, WORDS = 24, 1000  # the lengths of a text and of the vocabulary
BATCH, PENALTY, RATE = 64, 0.7, 2e-3  # the demo's step


def digits():
    """Returns images (8, 8) in [0, 1] and labels, for training and for testing."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    x, y = load_digits(return_X_y=True)
    x = (x / 16).astype(f32).reshape(-1, 8, 8)
    return train_test_split(x, y.astype(np.int32), test_size=0.3, random_state=0, stratify=y)


def text():
    """Returns windows of 24 words, with the indices of their descriptions, for training and tests.

    Words that are rarer than the thousand most frequent count as one.
    """
    import sklearn.datasets

    folder = pathlib.Path(sklearn.datasets.__file__).parent / "descr"
    pages = [page.read_text().lower().split() for page in sorted(folder.glob("*.rst"))]
    count = {}
    for word in (word for page in pages for word in page):
        count[word] = count.get(word, 0) + 1
    common = sorted(count, key=lambda word: (-count[word], word))[: WORDS - 1]
    number = {word: i + 1 for i, word in enumerate(common)}
    parts = {False: ([], []), True: ([], [])}
    for label, page in enumerate(pages):
        numbers = [number.get(word, 0) for word in page]
        for start in range(0, len(numbers) - WINDOW, 2):
            stretches = {place // 48 % 4 == 3 for place in (start, start + WINDOW - 1)}
            if len(stretches) == 1:
                windows, labels = parts[stretches.pop()]
                windows.append(numbers[start : start + WINDOW])
                labels.append(label)
    (x, y), (x_test, y_test) = (map(np.int32, parts[test]) for test in (False, True))
    return x, x_test, y, y_test


def cnn(keras):
    """Returns a network of two convolutions and a dense layer."""
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.Flatten(),
            layers.Dropout(0.25),
            layers.Dense(10),
        ]
    )


def lstm(keras):
    """Returns a network with an LSTM that reads an image row by row."""
    layers = keras.layers
    return keras.Sequential([keras.Input((8, 8)), layers.LSTM(64), layers.Dense(10)])


def transformer(keras):
    """Returns a transformer with one block, for words and their positions."""
    layers = keras.layers

    class Places(layers.Layer):
        """Adds an embedding of the position to each word."""

        def build(self, shape):
            self.table = self.add_weight(shape=shape[1:], initializer="random_normal")

        def call(self, x):
            return x + self.table

    words = keras.Input((WINDOW,), dtype="int32")
    x = Places()(layers.Embedding(WORDS, 32)(words))
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 16)(x, x))
    inner = layers.Dense(32)(layers.Dense(64, activation="relu")(x))
    x = layers.LayerNormalization()(x + inner)
    x = layers.GlobalAveragePooling1D()(x)
    return keras.Model(words, layers.Dense(14)(x))


NETWORKS = {"cnn": cnn, "lstm": lstm, "transformer": transformer}


def fit(keras, name, seed, *, compiled):
    """Trains a model; returns the test accuracy, and each epoch's wall and processor seconds."""
    keras.utils.set_random_seed(seed)
    x, x_test, y, y_test = text() if name == "transformer" else digits()
    model = NETWORKS[name](keras)
    model.compile(
        keras.optimizers.Adam(3e-3),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
        jit_compile=compiled,
    )
    marks = []

    class Clock(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            self.begin = time.perf_counter(), time.process_time()

        def on_epoch_end(self, epoch, logs=None):
            ends = time.perf_counter(), time.process_time()
            marks.append([end - begin for begin, end in zip(self.begin, ends, strict=True)])

    kept = len(x) // 32 * 32  # all batches have one size, since JAX compiles for each size
    model.fit(x[:kept], y[:kept], 32, EPOCHS[name], verbose=0, callbacks=[Clock()])
    accuracy = (model.predict(x_test, verbose=0).argmax(1) == y_test).mean()
    return {"accuracy": float(accuracy), "epochs": marks, "steps": kept // 32}


# The demo's steps.


def _weights(seed):
    rng = np.random.default_rng(seed)
    sizes = [(64, 96), (96, 96), (96, 10)]
    scale = [math.sqrt(6 / sum(size)) for size in sizes]
    kernels = [rng.uniform(-s, s, size).astype(f32) for s, size in zip(scale, sizes, strict=True)]
    return [w for kernel in kernels for w in (kernel, np.zeros(kernel.shape[1], f32))]


def _batch():
    x, _, y, _ = digits()
    return x[:BATCH].reshape(BATCH, 64), y[:BATCH]


def tf_step(tf, keras, penalty, compiled):
    """Returns the step of `examples/digits.py`."""
    layers = keras.layers
    model = keras.Sequential(
        [
            layers.Dense(96, activation="tanh"),
            layers.Dense(96, activation="tanh"),
            layers.Dense(10),
        ]
    )
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.Adam(RATE)
    x, y = map(tf.constant, _batch())
    model.build(x.shape)
    model.set_weights(_weights(0))

    @compiled
    def step(x, y):
        with tf.GradientTape() as outer:
            if penalty:
                with tf.GradientTape(watch_accessed_variables=False) as inner:
                    inner.watch(x)
                    loss = loss_fn(y, model(x, training=True))
                gradient = inner.gradient(loss, x) * tf.cast(len(x), x.dtype)
                loss += penalty * tf.reduce_mean(tf.reduce_sum(gradient**2, axis=1))
            else:
                loss = loss_fn(y, model(x, training=True))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(outer.gradient(loss, variables), variables, strict=True))
        return loss

    return lambda: float(step(x, y))


def torch_step(torch, penalty):
    """Returns a training step with PyTorch's own layers and optimizer."""
    nn = torch.nn
    model = nn.Sequential(
        nn.Linear(64, 96), nn.Tanh(), nn.Linear(96, 96), nn.Tanh(), nn.Linear(96, 10)
    )
    with torch.no_grad():
        for parameter, w in zip(model.parameters(), _weights(0), strict=True):
            parameter.copy_(torch.tensor(w.T))
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE, eps=1e-7)
    x, y = map(torch.tensor, _batch())
    y = y.long()

    def step():
        optimizer.zero_grad()
        if penalty:
            watched = x.detach().requires_grad_()
            loss = nn.functional.cross_entropy(model(watched), y)
            (gradient,) = torch.autograd.grad(loss, watched, create_graph=True)
            loss = loss + penalty * ((gradient * len(x)) ** 2).sum(1).mean()
        else:
            loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def jax_step(jax, keras, penalty):
    """Returns a training step with Keras' layers and optimizer, in `jax.jit`."""
    layers = keras.layers
    model = keras.Sequential(
        [
            layers.Dense(96, activation="tanh"),
            layers.Dense(96, activation="tanh"),
            layers.Dense(10),
        ]
    )
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.Adam(RATE)
    x, y = map(jax.numpy.asarray, _batch())
    model.build(x.shape)
    model.set_weights(_weights(0))
    optimizer.build(model.trainable_variables)

    def value(weights, x, y):
        def plain(x):
            return loss_fn(y, model.stateless_call(weights, [], x, training=True)[0])

        if not penalty:
            return plain(x)
        loss, gradient = jax.value_and_grad(plain)(x)
        return loss + penalty * ((gradient * len(x)) ** 2).sum(1).mean()

    @jax.jit
    def step(weights, state, x, y):
        loss, slopes = jax.value_and_grad(value)(weights, x, y)
        return loss, *optimizer.stateless_apply(state, slopes, weights)

    kept = [[v.value for v in model.trainable_variables], [v.value for v in optimizer.variables]]

    def work():
        loss, *kept[:] = step(*kept, x, y)
        return float(loss)

    return work


def demo(library, keras, mode, penalty):
    """Returns the training step for a library."""
    module = importlib.import_module(library)
    if library == "torch":
        return torch_step(module, penalty)
    if library == "jax":
        return jax_step(module, keras, penalty)
    compiled = {
        "eager": lambda f: f,
        "function": module.function,
        "automatic": module.function,
        "compiled": module.function(jit_compile=True),
    }[mode]
    return tf_step(module, keras, penalty, compiled)


def timed(step, seconds):
    """Returns the least wall and processor time of a step, and the losses of the first two."""
    losses = [step(), step()]
    wall, processor = [], []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(wall) < 5:
        begin = time.perf_counter(), time.process_time()
        for _ in range(10):
            step()
        wall.append((time.perf_counter() - begin[0]) / 10)
        processor.append((time.process_time() - begin[1]) / 10)
    return {"losses": losses, "epochs": [[min(wall), min(processor)]], "steps": 1}


def main():
    """Trains the selected model."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=["gradtape", "tensorflow", "torch", "jax"])
    parser.add_argument("mode", choices=["eager", "function", "automatic", "compiled"])
    parser.add_argument("--only", nargs="*", default=list(TITLES))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=2)
    options = parser.parse_args()

    tensors = options.library in ("gradtape", "tensorflow")
    os.environ["KERAS_BACKEND"] = "tensorflow" if tensors else options.library
    if options.library == "gradtape":
        module = importlib.import_module("gradtape")
        module.install()
        module.config.optimizer.set_jit(options.mode == "automatic")
    keras = importlib.import_module("keras")
    found = {}
    for name in chosen(parser, options.only, TITLES):
        if name in NETWORKS:
            compiled = options.mode == "compiled"
            found[name] = fit(keras, name, options.seed, compiled=compiled)
        else:
            penalty = PENALTY if name == "regularized" else 0
            keras.utils.set_random_seed(options.seed)
            step = demo(options.library, keras, options.mode, penalty)
            found[name] = timed(step, options.seconds)
        after = found[name]["epochs"][1:] or found[name]["epochs"]
        print(name, statistics.median(after), file=sys.stderr)
    library = sys.modules[options.library]
    versions = {options.library: str(library.__version__), "keras": keras.__version__}
    print(json.dumps({"versions": versions, "found": found}))


if __name__ == "__main__":
    main()
