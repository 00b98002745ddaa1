"""A training loop under a strategy, as a program of its own: prints what came of it as JSON.

python steps.py DEVICES JIT [INDEX PORT [DIE]]
"""

import json
import os
import signal
import sys
import time

import numpy as np


def trained(tf, strategy, jit, steps=6, after=lambda step, variables: None):
    """Losses and weights of gradient steps with momentum; the last batch is uneven."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((21, 3)).astype("f4")
    y = np.tanh(x @ np.array([1, -2, 3], "f4"))
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(8).repeat()
    on_read, total = tf.VariableSynchronization.ON_READ, tf.VariableAggregation.SUM
    with strategy.scope():
        w, v = tf.Variable([0.1, 0.2, -0.1]), tf.Variable(tf.zeros(3))
        seen = tf.Variable(0.0, trainable=False, synchronization=on_read, aggregation=total)
    seen.assign(4.0)

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

    @tf.function(jit_compile=jit)
    def together(x, y):
        return strategy.reduce("SUM", strategy.run(step, args=(x, y)), axis=None)

    losses = []
    divided = iter(strategy.experimental_distribute_dataset(dataset))
    for number in range(steps):
        losses.append(float(together(*next(divided))))
        after(number, (w, v))
    return {"losses": losses, "w": w.numpy().tolist(), "seen": float(seen)}


def main():
    devices, jit = int(sys.argv[1]), sys.argv[2] == "jit"
    import gradtape as tf

    if len(sys.argv) < 4:
        strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(devices)])
        print(json.dumps(trained(tf, strategy, jit)))
        return
    index, port = int(sys.argv[3]), int(sys.argv[4])
    workers = [f"127.0.0.1:{port}", f"127.0.0.1:{port + 1}"]
    task = {"type": "worker", "index": index}
    os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": workers}, "task": task})
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    died = len(sys.argv) > 5
    last = {}

    def after(number, variables):
        if died and index != int(sys.argv[5]):
            np.savez(f"{sys.argv[6]}-{index}.npz", *[v.numpy() for v in variables])
            last["step"], last["at"] = number, time.monotonic()
        elif died and number == 2:
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        found = trained(tf, strategy, jit, after=after)
    except tf.errors.UnavailableError as error:
        waited = time.monotonic() - last["at"]
        found = {"error": str(error), "waited": waited, "step": last["step"]}
        time.sleep(1)  # JAX would have ended this process by now
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
