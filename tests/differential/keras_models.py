"""Compares random Keras models on gradtape and on the real TensorFlow.

    python tests/differential/keras_models.py --programs 100 --seed 0

Each model has random layers in a random graph, given weights and given data. Compared are its
outputs, its gradients to second order, a few steps of `fit`, `evaluate` and `predict`. Keras has
one backend in a process, so the models run in two of them. The exit status is 1 where something
differs. Models that TensorFlow refuses are left out.
"""

from __future__ import annotations

import argparse
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

ACTIVATIONS = (
    "relu",
    "tanh",
    "sigmoid",
    "gelu",
    "selu",
    "softplus",
    "swish",
    "elu",
    "softmax",
    "mish",
)
SHAPES = {"rows": (5,), "steps": (6, 4), "image": (8, 9, 3), "volume": (4, 5, 4, 2), "tokens": (7,)}
OPTIMIZERS = ("SGD", "Adam", "RMSprop", "Adagrad", "Nadam", "AdamW", "Ftrl", "Adadelta", "Adamax")
BATCH, ROWS = 4, 10


class Drawn:
    """A random model, with the text of what it is made of."""

    def __init__(self, keras: Any, seed: int) -> None:
        self.keras, self.random, self.lines = keras, Random(seed), []
        self.kind = self.random.choice(list(SHAPES))
        dtype = "int32" if self.kind == "tokens" else "float32"
        x = inputs = keras.Input(SHAPES[self.kind], dtype=dtype)
        if self.kind == "tokens":
            x = self.layer("Embedding", 11, 4, mask_zero=self.random.random() < 0.5)(x)
        for _ in range(self.random.randint(1, 4)):
            x = self.extended(x)
        if len(x.shape) > 2:
            pools = {3: "1D", 4: "2D", 5: "3D"}
            ends = [
                "GlobalAveragePooling" + pools[len(x.shape)],
                "GlobalMaxPooling" + pools[len(x.shape)],
            ]
            x = self.layer(self.random.choice([*ends, "Flatten"]))(x)
        self.classes = self.random.random() < 0.4
        activation = "softmax" if self.classes else None
        outputs = self.layer("Dense", 3, activation=activation)(x)
        self.model = keras.Model(inputs, outputs)

    def layer(self, name: str, *args: Any, **kwargs: Any) -> Any:
        self.lines.append(f"{name}(*{args}, **{kwargs})")
        return getattr(self.keras.layers, name)(*args, **kwargs)

    def extended(self, x: Any) -> Any:
        """Applies a random layer, a branch or a residual connection."""
        pick, layer = self.random.choice, self.layer
        if self.random.random() < 0.2:
            y, z = self.single(x), self.single(x)
            if y.shape == z.shape:
                return layer(
                    pick(["Add", "Multiply", "Average", "Maximum", "Minimum", "Subtract"])
                )([y, z])
            if y.shape[1:-1] == z.shape[1:-1]:
                return layer("Concatenate")([y, z])
            return y
        return self.single(x)

    def single(self, x: Any) -> Any:
        pick, layer, rank = self.random.choice, self.layer, len(x.shape)
        activation = pick([None, *ACTIVATIONS])
        anywhere = [
            lambda: layer(
                "Dense", pick([2, 4, 6]), activation=activation, use_bias=pick([True, False])
            ),
            lambda: layer("Activation", activation or "linear"),
            lambda: layer("BatchNormalization", momentum=0.6, scale=pick([True, False])),
            lambda: layer("LayerNormalization", center=pick([True, False])),
            lambda: layer("UnitNormalization"),
            lambda: layer(pick(["LeakyReLU", "PReLU", "ELU", "Softmax"])),
            lambda: layer("RMSNormalization"),
            lambda: layer("Dense", 4, kernel_regularizer="l2", kernel_constraint="max_norm"),
            lambda: layer("EinsumDense", "...i,ij->...j", output_shape=(*([None] * (rank - 2)), 3)),
            lambda: layer("Rescaling", 0.5, offset=0.1),
        ]
        n = rank - 2
        if n in (1, 2, 3):
            dims = f"{n}D"
            pad = pick(["same", "valid"])
            size = pick([1, 2, 3])
            stride = pick([1, 1, 2])
            if any(d is not None and d < 4 for d in x.shape[1:-1]):
                pad = "same"
            groups = pick([1, 2]) if x.shape[-1] % 2 == 0 else 1
            anywhere += 2 * [
                lambda: layer(
                    "Conv" + dims,
                    pick([2, 4]),
                    size,
                    strides=stride,
                    padding=pad,
                    activation=activation,
                ),
                lambda: layer("Conv" + dims, 4, size, padding=pad, groups=groups),
                lambda: layer(
                    "Conv" + dims,
                    3,
                    size,
                    padding=pad,
                    dilation_rate=1 if size == 1 or pad == "valid" else 2,
                ),
                lambda: layer(f"Conv{dims}Transpose", 3, size, strides=stride, padding=pad),
                lambda: layer("AveragePooling" + dims, 2, strides=stride, padding=pad),
                lambda: layer("MaxPooling" + dims, 2, strides=stride, padding=pad),
                lambda: layer("UpSampling" + dims, 2),
                lambda: layer("ZeroPadding" + dims, 1),
            ]
        if n in (1, 2):
            anywhere += [
                lambda: layer(
                    "SeparableConv" + dims,
                    4,
                    size,
                    strides=stride,
                    padding=pad,
                    depth_multiplier=pick([1, 2]),
                ),
                lambda: layer("DepthwiseConv" + dims, size, strides=stride, padding=pad),
            ]
        if n == 2:
            anywhere += [
                lambda: layer("GroupNormalization", groups=-1),
                lambda: layer(
                    "Resizing", 5, 6, interpolation=pick(["bilinear", "nearest", "bicubic"])
                ),
                lambda: layer("CenterCrop", 3, 3),
                lambda: layer("ConvLSTM1D", 2, 2, padding="same", return_sequences=True),
            ]
        if n == 1:
            cell = pick(["LSTM", "GRU", "SimpleRNN"])
            many = pick([True, False])
            anywhere += 3 * [
                lambda: layer(cell, 3, return_sequences=many, go_backwards=pick([True, False])),
                lambda: layer(cell, 3, return_sequences=many, unroll=True),
                lambda: self.bidirectional(cell, many),
                lambda: self.time_distributed(activation),
                lambda: layer("Permute", (2, 1)),
            ]
            if self.random.random() < 0.3:
                return self.attention(x)
        return pick(anywhere)()(x)

    def bidirectional(self, cell: str, many: bool) -> Any:
        mode = self.random.choice(["concat", "sum", "ave", "mul"])
        self.lines.append(f"Bidirectional({cell}(3, {many=}), {mode})")
        layers = self.keras.layers
        return layers.Bidirectional(
            getattr(layers, cell)(3, return_sequences=many), merge_mode=mode
        )

    def time_distributed(self, activation: str | None) -> Any:
        self.lines.append(f"TimeDistributed(Dense(3, {activation}))")
        layers = self.keras.layers
        return layers.TimeDistributed(layers.Dense(3, activation=activation))

    def attention(self, x: Any) -> Any:
        name = self.random.choice(
            ["MultiHeadAttention", "Attention", "AdditiveAttention", "GroupQueryAttention"]
        )
        if name == "MultiHeadAttention":
            causal = self.random.random() < 0.5
            return self.layer(name, 2, 3)(x, x, use_causal_mask=causal)
        if name == "GroupQueryAttention":
            return self.layer(name, 3, 4, 2)(x, x)
        return self.layer(name)([x, x])


def data(drawn: Drawn, seed: int) -> tuple[Any, Any]:
    """Returns inputs and targets."""
    numbers = np.random.default_rng(seed)
    shape = (ROWS, *SHAPES[drawn.kind])
    if drawn.kind == "tokens":
        x = numbers.integers(0, 11, shape).astype("int32")
        x[:, -2:] = 0
    else:
        x = numbers.normal(size=shape).astype("float32")
    if drawn.classes:
        return x, numbers.integers(0, 3, ROWS).astype("int32")
    return x, numbers.normal(size=(ROWS, 3)).astype("float32")


def outcome(tf: Any, seed: int) -> dict[str, Any]:
    """Returns what the model of a seed gives, by name."""
    keras = tf.keras
    keras.backend.clear_session()
    keras.utils.set_random_seed(seed)
    drawn = Drawn(keras, seed)
    model, random = drawn.model, Random(-seed)
    numbers = np.random.default_rng(seed)
    for weight in model.weights:
        if "seed" not in weight.path:
            value = numbers.normal(size=weight.shape) * 0.4
            weight.assign(abs(value) + 0.5 if "variance" in weight.path else value)
    x, y = data(drawn, seed)
    found: dict[str, Any] = {"layers": drawn.lines, "shape": [str(model.output.shape)]}
    found["output"] = np.asarray(model(x))
    found["training output"] = np.asarray(model(x, training=True))
    loss = (
        "sparse_categorical_crossentropy"
        if drawn.classes
        else random.choice(["mse", "mae", "huber", "log_cosh", "cosine_similarity"])
    )
    jit = False
    watched = tf.constant(x)

    def gradients(x: Any) -> Any:
        weights = model.trainable_variables
        with tf.GradientTape() as outer:
            if drawn.kind != "tokens":
                outer.watch(x)
            with tf.GradientTape() as tape:
                if drawn.kind != "tokens":
                    tape.watch(x)
                value = tf.reduce_sum(tf.sin(model(x, training=False)))
            sources = [w.value for w in weights] + ([] if drawn.kind == "tokens" else [x])
            first = tape.gradient(value, sources)
            norm = tf.add_n([tf.reduce_sum(tf.square(g)) for g in first if g is not None])
        return value, first, outer.gradient(norm, sources)

    def flat(values: Any) -> list[Any]:
        value, first, second = values
        return [
            None if v is None else np.asarray(tf.convert_to_tensor(v))
            for v in (value, *first, *second)
        ]

    found["gradients"] = flat(gradients(watched))
    found["gradients in a function"] = flat(tf.function(gradients)(watched))
    name = random.choice(OPTIMIZERS)
    # With the default, gradients that are zero but for rounding would make steps of full length.
    small = {} if name in ("SGD", "Ftrl") else {"epsilon": 0.01}
    rate, norm = random.choice([0.01, 0.1]), random.choice([None, 0.5])
    optimizer = getattr(keras.optimizers, name)(rate, clipnorm=norm, **small)
    metrics = ["accuracy"] if drawn.classes else ["mae", "mse"]
    eagerly = random.random() < 0.2
    model.compile(optimizer, loss, metrics=metrics, run_eagerly=eagerly, jit_compile=jit)
    found["options"] = [loss, optimizer.name, str(eagerly)]
    weights = numbers.random(ROWS).astype("float32") if random.random() < 0.3 else None
    log = model.fit(x, y, BATCH, epochs=2, shuffle=False, verbose=0, sample_weight=weights)
    found["history"] = {k: np.asarray(v) for k, v in log.history.items()}
    found["evaluation"] = np.asarray(model.evaluate(x, y, BATCH, verbose=0))
    found["prediction"] = model.predict(x, BATCH, verbose=0)
    found["weights"] = [np.asarray(w) for w in model.weights]
    return found


def record(engine: str, seeds: range, path: Path) -> None:
    """Writes the outcomes of seeds; an exception is an outcome as well."""
    tf = __import__(engine)
    with path.open("wb") as file:
        for seed in seeds:
            try:
                found = outcome(tf, seed)
            except Exception as error:  # noqa: BLE001  (compared by their types)
                found = {"error": f"{type(error).__name__}: {error}"[:600]}
            pickle.dump((seed, found), file)
            file.flush()


def disagreement(ours: dict[str, Any], judges: dict[str, Any]) -> str | None:
    """Returns how two outcomes differ first; None if they don't."""
    if "error" in judges:
        return None
    if ours.keys() != judges.keys():
        return f"{list(ours)} and {list(judges)}: {ours.get('error')}"
    for key, value in judges.items():
        found = difference(ours[key], value)
        # Optimized graphs of TensorFlow round otherwise than its operations one by one.
        if found and key == "gradients in a function":
            found = difference(ours[key], judges["gradients"])
        if found:
            return f"{key}: {found}"
    return None


def difference(ours: Any, judges: Any) -> str | None:
    """Returns how two values differ, relative to the largest element of all their arrays."""
    if isinstance(judges, dict):
        return difference([*ours, *ours.values()], [*judges, *judges.values()])
    if not isinstance(judges, list):
        return difference([ours], [judges])
    if len(ours) != len(judges):
        return f"{len(ours)} and {len(judges)} values"
    sizes = [float(np.max(np.abs(b), initial=0.0)) for b in judges if isinstance(b, np.ndarray)]
    scale = max([1e-3, *sizes])
    for i, (a, b) in enumerate(zip(ours, judges, strict=True)):
        if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
            if type(a) is not type(b) or a != b:
                return f"{i}: {a} and {b}"
        elif a.shape != b.shape or a.dtype != b.dtype:
            return f"{i}: {a.dtype}{a.shape} and {b.dtype}{b.shape}"
        elif not np.allclose(a, b, rtol=1e-3, atol=1e-4 * scale, equal_nan=True):
            apart = np.max(np.abs(a - b))
            return f"{i}: {a.ravel()[:4]} and {b.ravel()[:4]}, at most {apart} apart"
    return None


def main() -> int:
    """Runs the command; gives its exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="the first model's seed")
    parser.add_argument("--record", nargs=2, metavar=("ENGINE", "FILE"), help="run one engine only")
    parser.add_argument("--judge", default=sys.executable, help="a Python with TensorFlow")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.programs)
    if options.record:
        record(options.record[0], seeds, Path(options.record[1]))
        return 0
    count = ["--programs", str(options.programs), "--seed", str(options.seed)]
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        outcomes = []
        for engine, python in (("gradtape", sys.executable), ("tensorflow", options.judge)):
            path = Path(folder) / engine
            command = [python, __file__, *count, "--record", engine, str(path)]
            subprocess.run(command, check=True)
            outcomes.append(loaded(path))
    for (seed, ours), (_, judges) in zip(*outcomes, strict=True):
        if what := disagreement(ours, judges):
            found += 1
            print(
                f"--- seed {seed}\n{judges.get('layers')} {judges.get('options')}\n{what}",
                flush=True,
            )
    print(f"{options.programs} models, {found} differences")
    return bool(found)


def loaded(path: Path) -> list[Any]:
    """Reads the outcomes that `record` wrote."""
    with path.open("rb") as file:
        found = []
        while True:
            try:
                found.append(pickle.load(file))
            except EOFError:
                return found


if __name__ == "__main__":
    sys.exit(main())
