"""A training program for `gradtape launch`, which `workers.py` measures and interrupts.

    gradtape launch -n 2 benchmarks/worker_program.py NETWORK --batch 256 --steps 20

At the end, each worker prints one line of JSON. With --folder, the program saves a checkpoint after
every step, and continues from the last one.
"""

import argparse
import itertools
import json
import time
from pathlib import Path

import numpy as np
import tensorflow as tf

DIGITS = (64, 512, 512, 10)
WIDTH, HEADS, LENGTH = 128, 4, 32


def digits(rng):
    """Returns the variables and the logits' function of a network for digits of 8 by 8."""
    weights = [
        tf.Variable((rng.standard_normal((n, m)) / np.sqrt(n)).astype("f4"))
        for n, m in itertools.pairwise(DIGITS)
    ]

    def logits(x):
        for w in weights[:-1]:
            x = tf.nn.relu(x @ w)
        return x @ weights[-1]

    return weights, logits, (DIGITS[0],)


def transformer(rng):
    """Returns the variables and the logits' function of a transformer with one block."""

    def matrix(n, m):
        return tf.Variable((rng.standard_normal((n, m)) / np.sqrt(n)).astype("f4"))

    joint, out = matrix(WIDTH, 3 * WIDTH), matrix(WIDTH, WIDTH)
    wide, narrow, last = matrix(WIDTH, 4 * WIDTH), matrix(4 * WIDTH, WIDTH), matrix(WIDTH, 10)

    def heads(x):
        return tf.transpose(tf.reshape(x, (-1, LENGTH, HEADS, WIDTH // HEADS)), (0, 2, 1, 3))

    def logits(x):
        x = tf.reshape(x, (-1, LENGTH, WIDTH))
        q, k, v = [heads(part) for part in tf.split(x @ joint, 3, axis=-1)]
        weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / (WIDTH / HEADS) ** 0.5)
        mixed = tf.reshape(tf.transpose(weights @ v, (0, 2, 1, 3)), (-1, LENGTH, WIDTH))
        x = x + mixed @ out
        x = x + tf.nn.gelu(x @ wide) @ narrow
        return tf.reduce_mean(x, axis=1) @ last

    return [joint, out, wide, narrow, last], logits, (LENGTH * WIDTH,)


NETWORKS = {"digits": digits, "transformer": transformer}


def sent_bytes():
    """Returns the bytes that all processes of this machine have sent to each other."""
    lines = Path("/proc/net/dev").read_text().splitlines()
    loopback = next(line for line in lines if line.strip().startswith("lo:"))
    return int(loopback.split(":")[1].split()[8])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("network", choices=NETWORKS)
    parser.add_argument("--batch", type=int, default=256, help="the rows of a batch of all workers")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--folder", type=Path, help="save after every step, and go on from there")
    options = parser.parse_args()

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    worker = strategy.cluster_resolver.task_id or 0
    rng = np.random.default_rng(0)
    with strategy.scope():
        weights, logits, shape = NETWORKS[options.network](rng)
        done = tf.Variable(0, dtype=tf.int64, trainable=False)
    x = rng.standard_normal((options.batch, *shape)).astype("f4")
    y = rng.integers(0, 10, options.batch)
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(options.batch).repeat()

    def step(x, y):
        with tf.GradientTape() as tape:
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits(x))
            loss = tf.reduce_sum(each) / options.batch
        context = tf.distribute.get_replica_context()
        gradients = context.all_reduce("SUM", tape.gradient(loss, weights))
        for w, gradient in zip(weights, gradients, strict=True):
            w.assign_sub(0.1 * gradient)
        return loss

    @tf.function(jit_compile=True)
    def together(x, y):
        return strategy.reduce("SUM", strategy.run(step, args=(x, y)), axis=None)

    manager = None
    if options.folder is not None:
        checkpoint = tf.train.Checkpoint(done=done, **{f"w{i}": w for i, w in enumerate(weights)})
        folder = str(options.folder / str(worker))
        manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
        last = common_step(options.folder, strategy.num_replicas_in_sync)
        if last:
            checkpoint.restore(f"{folder}/ckpt-{last}").assert_consumed()

    times, losses = [], []
    parts = iter(strategy.experimental_distribute_dataset(dataset))
    sent = None
    while int(done) < options.steps:
        batch = next(parts)
        if len(times) == 2:  # the step is compiled, and the first calls are over
            sent = sent_bytes(), len(times)
        start = time.perf_counter()
        losses.append(float(together(*batch)))
        times.append(time.perf_counter() - start)
        done.assign_add(1)
        if manager is not None:
            manager.save(checkpoint_number=int(done))
    found = {"worker": worker, "loss": losses[-1] if losses else None, "steps": len(times)}
    found["sum"] = float(sum(tf.reduce_sum(tf.abs(w)) for w in weights))
    found["parameters"] = int(sum(w.shape.num_elements() for w in weights))
    if sent is not None:
        warm = times[sent[1] :]
        found["median_s"] = float(np.median(warm))
        found["bytes_per_step"] = (sent_bytes() - sent[0]) / len(warm)
    print(json.dumps(found))


def common_step(folder, workers):
    """Returns the last step that all workers have saved, or 0."""
    saved = [
        {int(path.stem.removeprefix("ckpt-")) for path in (folder / str(i)).glob("ckpt-*.index")}
        for i in range(workers)
    ]
    return max(set.intersection(*saved), default=0)


if __name__ == "__main__":
    main()
