"""Reads datasets that several processes share; prints what each process got.

python shares.py FOLDER INDEX PORT...
"""

import json
import os
import random
import sys

import gradtape as tf

D = tf.data.Dataset


def numbers(names, **how):
    lines = D.from_tensor_slices(names).interleave(tf.data.TextLineDataset, **how)
    return lines.map(lambda x: tf.strings.to_number(x, tf.int64))


KINDS = {
    "reader": lambda names, n: tf.data.TextLineDataset(names).map(lambda x: int_of(x)),
    "interleaved": lambda names, n: numbers(names, cycle_length=3),
    "shuffled": lambda names, n: int_of_each(
        D.from_tensor_slices(names).shuffle(9).flat_map(tf.data.TextLineDataset).shuffle(20)
    ),
    "cached": lambda names, n: numbers(names).cache().shuffle(5),
    "from names": lambda names, n: int_of_each(
        tf.data.TextLineDataset(D.from_tensor_slices(names).shuffle(3))
    ),
    "range": lambda names, n: D.range(n).shuffle(7),
    "once": lambda names, n: D.range(n).shuffle(7, reshuffle_each_iteration=False),
    "two": lambda names, n: D.zip((D.range(n).shuffle(9), D.range(n).shuffle(9))).map(
        lambda x, y: x
    ),
}
FILES = ("reader", "interleaved", "shuffled", "cached", "from names")


def int_of(line):
    return tf.strings.to_number(line, tf.int64)


def int_of_each(lines):
    return lines.map(int_of, num_parallel_calls=2)


def cases(folder, workers, seed=0):
    """Yields the kind, the policy, the number of elements and a dataset of random cases."""
    generator = random.Random(seed)
    for case in range(24):
        kind = generator.choice([*KINDS])
        policy = generator.choice(["AUTO", "DATA", *["FILE"] * (kind in FILES)])
        names, total = [], 0
        for i in range(generator.randint(workers, workers + 3)):
            length = generator.randint(0, 9)
            path = folder / f"{case}_{i}.txt"
            path.write_text("".join(f"{total + j}\n" for j in range(length)))
            names.append(str(path))
            total += length
        size = generator.randint(1, 9)
        dataset = KINDS[kind](names, total).batch(size)
        options = tf.data.Options()
        how = options.experimental_distribute
        how.auto_shard_policy = tf.data.experimental.AutoShardPolicy[policy]
        yield kind, policy, total, dataset.with_options(options).prefetch(case % 3)


def main():
    from pathlib import Path

    folder, index, *ports = sys.argv[1:]
    folder = Path(folder) / index
    folder.mkdir()
    addresses = [f"127.0.0.1:{port}" for port in ports]
    task = {"type": "worker", "index": int(index)}
    os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": addresses}, "task": task})
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    found = []
    for kind, policy, total, dataset in cases(folder, len(ports)):
        if total % 2:
            list(dataset)  # an iteration of its own before
        for _ in range(2):
            steps = [
                strategy.experimental_local_results(x)[0].numpy().tolist()
                for x in strategy.experimental_distribute_dataset(dataset)
            ]
            found.append([f"{kind}, {policy}", total, steps])
    print(json.dumps(found))  # noqa: T201


if __name__ == "__main__":
    main()
