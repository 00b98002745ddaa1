"""Compares training steps in `function` with eager ones and with TensorFlow's.

    python benchmarks/function_graph.py [--tensorflow /path/to/python] [--rounds 3]
    python benchmarks/function_graph.py --compiled    # by XLA, with gradtape alone
    OPENBLAS_NUM_THREADS=1 python benchmarks/function_graph.py --towers    # on two threads

It prints the milliseconds of a step, the least of all rounds. For a new `function`, it prints the
processor time of tracing (`get_concrete_function`) and of the first call, which traces and runs, as
multiples of an eager call in the same process. AutoGraph has already converted the step, since it
does so only once for a piece of code. The steps are those of a physics-informed network (two inner
tapes and an outer one, 6 layers of 20, 100 points), of a small convolutional network of Keras with
Adam, and of an LSTM of two layers with a Python loop over 128 rows. The libraries take turns, each
in a process of its own with one thread.

With `--compiled`, a new process compiles (`jit_compile=True`) the step of a language model: two
layers of an LSTM with a Python loop over 128 characters. It prints the processor time of the first
call, which traces, finds loops in the graph, compiles and runs, and of a later call.
"""

import argparse
import itertools
import json
import logging
import os
import subprocess
import sys
import time

from options import interpreter, positive

ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}


def step_of(tf, np):
    """Returns the step of Burgers' equation, and its two arguments."""
    rng = np.random.default_rng(0)
    sizes = [2, *[20] * 6, 1]
    pairs = itertools.pairwise(sizes)
    weights = [tf.Variable((rng.normal(size=p) / p[0] ** 0.5).astype("float32")) for p in pairs]
    biases = [tf.Variable(np.zeros(n, "float32")) for n in sizes[1:]]
    variables = [*weights, *biases]

    def network(x, t):
        h = tf.concat([x, t], 1)
        for w, b in zip(weights[:-1], biases[:-1], strict=True):
            h = tf.tanh(h @ w + b)
        return h @ weights[-1] + biases[-1]

    def step(x, t):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as second:
                second.watch(x)
                with tf.GradientTape(persistent=True) as first:
                    first.watch([x, t])
                    u = network(x, t)
                ux, ut = first.gradient(u, x), first.gradient(u, t)
            residual = ut + u * ux - 0.01 / np.pi * second.gradient(ux, x)
            loss = tf.reduce_mean(residual * residual)
        for v, g in zip(variables, outer.gradient(loss, variables), strict=True):
            if g is not None:
                v.assign_sub(0.001 * g)
        return loss

    points = [tf.constant(rng.uniform(low, 1, (100, 1)).astype("float32")) for low in (-1, 0)]
    return step, points


def network_of(tf, np):
    """Returns a step of a convolutional network of Keras, and its two arguments."""
    import keras
    import learners

    keras.utils.set_random_seed(0)
    model = learners.cnn(keras)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.Adam(3e-3)
    optimizer.build(model.trainable_variables)

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    rng = np.random.default_rng(0)
    images = rng.random((32, 8, 8, 1)).astype("float32")
    return step, [tf.constant(images), tf.constant(rng.integers(0, 10, 32))]


def unrolled_of(tf, np, rows=128, units=32, batch=16):
    """Returns a step of two layers of an LSTM, written as Python loops, and its argument."""
    rng = np.random.default_rng(0)
    weights = [0.1 * rng.normal(size=(2 * units, 4 * units)) for _ in range(2)]
    weights = [tf.Variable(w.astype("float32")) for w in weights]

    def layer(weight, xs):
        h = c = tf.zeros([batch, units])
        for x in xs:
            i, f, g, o = tf.split(tf.concat([x, h], 1) @ weight, 4, 1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
            h = tf.sigmoid(o) * tf.tanh(c)
            yield h

    def step(x):
        with tf.GradientTape() as tape:
            xs = tf.unstack(x)
            for weight in weights:
                xs = list(layer(weight, xs))
            loss = tf.reduce_mean(tf.square(xs[-1]))
        for v, g in zip(weights, tape.gradient(loss, weights), strict=True):
            v.assign_sub(0.01 * g)
        return loss

    return step, [tf.constant(rng.normal(size=(rows, batch, units)).astype("float32"))]


def language_model_of(tf, np, length=128, units=64, batch=16, characters=80):
    """Returns a step of two layers of an LSTM over characters, and its argument."""
    rng = np.random.default_rng(0)

    def variable(*shape):
        return tf.Variable((0.1 * rng.normal(size=shape)).astype("float32"))

    embedding, head = variable(characters, units), variable(units, characters)
    layers = [(variable(2 * units, 4 * units), variable(4 * units)) for _ in range(2)]
    variables = [embedding, head, *itertools.chain(*layers)]
    loss_of = tf.nn.sparse_softmax_cross_entropy_with_logits

    def step(text):
        with tf.GradientTape() as tape:
            rows = tf.one_hot(text, characters) @ embedding
            states = [2 * [tf.zeros([batch, units])] for _ in layers]
            loss = 0.0
            for t in range(length - 1):
                h = rows[:, t]
                for k, (weight, bias) in enumerate(layers):
                    before, c = states[k]
                    i, f, g, o = tf.split(tf.concat([h, before], 1) @ weight + bias, 4, 1)
                    c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
                    h = tf.sigmoid(o) * tf.tanh(c)
                    states[k] = [h, c]
                loss += tf.reduce_mean(loss_of(labels=text[:, t + 1], logits=h @ head))
        for v, g in zip(variables, tape.gradient(loss, variables), strict=True):
            v.assign_sub(1e-3 * g)
        return loss / (length - 1)

    return step, [tf.constant(rng.integers(0, characters, (batch, length)).astype("int32"))]


CASES = {
    "physics": (step_of, 100),
    "convolutional": (network_of, 30),
    "unrolled LSTM": (unrolled_of, 3),
}


def seconds(call, points, steps=1, clock=time.perf_counter):
    """Returns the mean seconds of several calls."""
    start = clock()
    for _ in range(steps):
        out = call(*points)
    float(out)
    return (clock() - start) / steps


def compared(tf, step, points, steps):
    """Returns milliseconds of calls, and ratios of tracing and first calls to eager calls."""
    used = time.process_time

    def traced(*points):
        tf.function(step).get_concrete_function(*points)
        return 0.0

    function = tf.function(step)
    for _ in range(3):
        step(*points)
        function(*points)
    found = {"eager": [], "function": []}
    work = {"eager": [], "trace": [], "first": []}
    for _ in range(5):
        for _ in range(min(steps, 20)):
            work["eager"].append(seconds(step, points, clock=used))
            work["trace"].append(seconds(traced, points, clock=used))
            work["first"].append(seconds(tf.function(step), points, clock=used))
        found["eager"].append(seconds(step, points, steps))
        found["function"].append(seconds(function, points, steps))
    least = {name: 1e3 * min(times) for name, times in found.items()}
    for name in ("trace", "first"):
        least[f"{name} / eager"] = min(work[name]) / min(work["eager"])
    return least


def measure_compiled():
    """Prints the processor time of compiling the language model's step, and of its calls."""
    import jax  # noqa: F401 (imported before the timing)
    import numpy as np

    import gradtape as tf

    step, texts = language_model_of(tf, np)
    compiled = tf.function(step, jit_compile=True)
    eager = [seconds(step, texts, clock=time.process_time) for _ in range(3)]
    first = seconds(compiled, texts, clock=time.process_time)
    later = [seconds(compiled, texts, 5, time.process_time) for _ in range(3)]
    print(f"eager {min(eager):.3f} s, first call {first:.2f} s, later {min(later):.3f} s")


def towers_of(tf, np, rows, size):
    """Returns a step that trains two towers of six layers, and its argument."""
    rng = np.random.default_rng(0)
    shape = (size, size)
    towers = [
        [tf.Variable((rng.normal(size=shape) / size**0.5).astype("float32")) for _ in range(6)]
        for _ in range(2)
    ]

    def output(x, weights):
        for w in weights:
            x = tf.tanh(tf.nn.relu(x @ w))
        return x

    def step(x):
        with tf.GradientTape() as tape:
            first, second = [output(x, weights) for weights in towers]
            loss = tf.reduce_mean((first - second) ** 2)
        weights = [*towers[0], *towers[1]]
        for w, g in zip(weights, tape.gradient(loss, weights), strict=True):
            w.assign_sub(0.01 * g)
        return loss

    return step, [tf.constant(rng.normal(size=(rows, size)).astype("float32"))]


def measure_towers():
    """Prints the times of the two towers, one after the other and at the same time."""
    import numpy as np

    import gradtape as tf

    logging.getLogger("tensorflow").setLevel(logging.ERROR)  # no warnings of retracing
    for rows, size in ((64, 128), (128, 512), (256, 1024)):
        steps = {}
        for threads in (1, 2):
            tf.config.threading.set_inter_op_parallelism_threads(threads)
            step, points = towers_of(tf, np, rows, size)
            steps[threads] = tf.function(step)
            for _ in range(3):
                steps[threads](*points)
        times = {1: [], 2: []}
        for _ in range(20):
            for threads, step in steps.items():
                times[threads].append(1e3 * seconds(step, points))
        least = {threads: round(min(found), 2) for threads, found in times.items()}
        print(f"{rows} rows, {size} units", least, round(least[1] / least[2], 2))


def measure(library):
    """Prints the times of one library as JSON."""
    import importlib

    import numpy as np

    tf = importlib.import_module(library)
    os.environ["KERAS_BACKEND"] = "tensorflow"
    if library == "gradtape":
        tf.install()
    logging.getLogger("tensorflow").setLevel(logging.ERROR)  # no warnings of retracing
    print(json.dumps({name: compared(tf, *of(tf, np), n) for name, (of, n) in CASES.items()}))


def main():
    """Runs the libraries in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tensorflow", type=interpreter, help="a Python that has TensorFlow")
    parser.add_argument("--rounds", type=positive, default=3)
    parser.add_argument("--compiled", action="store_true", help="time compiling by XLA")
    parser.add_argument("--towers", action="store_true", help="time two towers on two threads")
    parser.add_argument("--library", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.compiled:
        measure_compiled()
        return
    if options.towers:
        measure_towers()
        return
    if options.library:
        measure(options.library)
        return
    pythons = {"gradtape": sys.executable}
    if options.tensorflow:
        pythons["tensorflow"] = options.tensorflow
    times = {name: [] for name in pythons}
    for _ in range(options.rounds):
        for name, python in pythons.items():
            out = subprocess.run(  # noqa: S603 (the Python from the command line)
                [python, __file__, "--library", name],
                env={**os.environ, **ENVIRONMENT},
                check=True,
                capture_output=True,
                text=True,
            )
            times[name].append(json.loads(out.stdout.splitlines()[-1]))
    for name, rounds in times.items():
        for case, modes in rounds[0].items():
            print(name, case, {m: round(min(r[case][m] for r in rounds), 2) for m in modes})


if __name__ == "__main__":
    main()
