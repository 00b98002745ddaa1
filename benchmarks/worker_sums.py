"""Times the sum of all gradients over workers in gradtape and in plain JAX, in turn.

    gradtape launch -n 2 benchmarks/worker_sums.py [--rounds 200]

Each worker holds the variables of the networks in worker_program.py. A compiled program replaces
them by their mean over all workers, and returns the mean of one number: `all_reduce` of a replica
and `reduce` in gradtape, `jax.lax.psum` in `jax.shard_map` in JAX. Both run in the same processes,
which are connected by gloo. A program that averages one variable of one number shows how long two
sums take in any case. Worker 0 prints the least and the median milliseconds.
"""

import argparse
import json
import time

import jax
import numpy as np
import tensorflow as tf
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from worker_program import NETWORKS


def of_gradtape(strategy, values):
    """Returns a call that averages variables over the workers."""
    with strategy.scope():
        variables = [tf.Variable(value) for value in values]

    def step():
        context = tf.distribute.get_replica_context()
        for variable, mean in zip(variables, context.all_reduce("MEAN", variables), strict=True):
            variable.assign(mean)
        return tf.reduce_sum(variables[0][:1])

    @tf.function(jit_compile=True)
    def together():
        return strategy.reduce("MEAN", strategy.run(step), axis=None)

    return lambda: float(together())


def of_jax(values):
    """Returns a call that averages one array of each worker over the workers."""
    mesh, place = Mesh(np.array(jax.devices()), "workers"), PartitionSpec("workers")
    count = jax.device_count()

    def means(*parts):
        found = [total / count for total in jax.lax.psum(parts, "workers")]
        return found, jax.lax.psum(found[0][:1].sum(), "workers") / count

    program = jax.jit(
        jax.shard_map(means, mesh=mesh, in_specs=place, out_specs=(place, PartitionSpec())),
        donate_argnums=range(len(values)),
    )
    sharding = NamedSharding(mesh, place)
    held = [
        jax.make_array_from_process_local_data(sharding, v, (count * len(v), *v.shape[1:]))
        for v in values
    ]

    def call():
        held[:], first = program(*held)
        return float(first.addressable_data(0))

    return call


def main():
    """Times both libraries on each network's gradients."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    rng = np.random.default_rng(0)
    gradients = {name: [v.numpy() for v in make(rng)[0]] for name, make in NETWORKS.items()}
    for name, values in {"one number": [np.ones(1, "f4")], **gradients}.items():
        calls = {"gradtape": of_gradtape(strategy, values), "JAX": of_jax(values)}
        times = {library: [] for library in calls}
        for _ in range(rounds):
            for library, call in calls.items():
                start = time.perf_counter()
                call()
                times[library].append(time.perf_counter() - start)
        if not strategy.cluster_resolver.task_id:
            found = {"gradients": name, "kB": sum(v.nbytes for v in values) / 1e3}
            for library, seconds in times.items():
                warm = np.array(seconds[5:]) * 1e3
                found[library] = [round(float(f), 3) for f in (warm.min(), np.median(warm))]
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
