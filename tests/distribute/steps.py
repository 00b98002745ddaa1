"""A training loop under a strategy, as a program of its own: prints what came of it as JSON.

python steps.py DEVICES JIT [INDEX COUNT PORT FOLDER [WHO FATE]]
"""

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np


def trained(tf, strategy, jit, steps=6, after=lambda *_: None, saved=None, other_shape=None):
    """Losses and weights of gradient steps with momentum; the last batch is uneven."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((21, 3)).astype("f4")
    y = np.tanh(x @ np.array([1, -2, 3], "f4"))
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(8).repeat()
    on_read, total = tf.VariableSynchronization.ON_READ, tf.VariableAggregation.SUM
    with strategy.scope():
        w, v = tf.Variable([0.1, 0.2, -0.1]), tf.Variable(tf.zeros(3))
        seen = tf.Variable(0.0, trainable=False, synchronization=on_read, aggregation=total)
        done = tf.Variable(0, trainable=False)
    seen.assign(4.0)
    checkpoint = tf.train.Checkpoint(w=w, v=v, seen=seen, done=done)
    if saved is not None:
        checkpoint.read(saved).assert_consumed()

    losses = []

    def step(x, y):
        context = tf.distribute.get_replica_context()
        with tf.GradientTape() as tape:
            error = tf.tanh(tf.linalg.matvec(x, w)) - y
            loss = tf.reduce_sum(error * error)
        count = context.all_reduce("SUM", tf.cast(tf.size(y), tf.float32))
        gradient = context.all_reduce("SUM", tape.gradient(loss, w)) / count
        v.assign(0.9 * v - 0.1 * gradient)
        w.assign_add(v)
        seen.assign_add(tf.cast(tf.size(y), tf.float32))
        return loss

    def something_else():
        return tf.distribute.get_replica_context().all_reduce("SUM", tf.ones([4]))

    @tf.function(jit_compile=jit)
    def together(x, y):
        return strategy.reduce("SUM", strategy.run(step, args=(x, y)), axis=None)

    divided = iter(strategy.experimental_distribute_dataset(dataset))
    for number in range(steps):
        batch = next(divided)
        if other_shape == number:
            strategy.run(something_else)
        if number >= int(done):
            losses.append(float(together(*batch)))
            done.assign_add(1)
            after(number, checkpoint)
    assert "ran as Python" not in together.explain(), together.explain()
    return {"losses": losses, "w": w.numpy().tolist(), "seen": float(seen)}


def main():
    devices, jit = int(sys.argv[1]), sys.argv[2] == "jit"
    import gradtape as tf

    if len(sys.argv) < 4:
        strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(devices)])
        print(json.dumps(trained(tf, strategy, jit)))
        return
    index, count, port = map(int, sys.argv[3:6])
    folder = f"{sys.argv[6]}/{index}"
    who, fate = (int(sys.argv[7]), sys.argv[8]) if len(sys.argv) > 7 else (-1, "")
    workers = [f"127.0.0.1:{port + i}" for i in range(count)]
    task = {"type": "worker", "index": index}
    os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": workers}, "task": task})
    last = {"at": time.monotonic(), "step": None}

    def after(number, checkpoint):
        if index == who and number == 3:
            if fate == "raise":
                raise KeyError("a fault of this worker's own")
            if fate == "exit":
                sys.exit()
            if fate != "shape":
                os.kill(os.getpid(), getattr(signal, fate))
        last["at"] = time.monotonic()
        checkpoint.write(f"{folder}/{number}")
        last["step"] = number

    try:
        patience = 1.0 if fate == "never" else None
        options = tf.distribute.experimental.CommunicationOptions(timeout_seconds=patience)
        strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
        saved = f"{folder}/2" if Path(f"{folder}/2.index").exists() else None
        shape = 3 if fate == "shape" and index == who else None
        found = trained(tf, strategy, jit, after=after, saved=saved, other_shape=shape)
    except tf.errors.UnavailableError as error:
        waited = time.monotonic() - last["at"]
        found = {"error": error.message, "waited": waited, "step": last["step"]}
        threading.Event().wait(0.5)  # the time in which a library could end this process
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
