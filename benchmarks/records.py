"""Compares the speed of examples and TFRecord files with TensorFlow.

    python benchmarks/records.py [--tensorflow /path/to/python] [--rounds 3]

The libraries take turns, each in a process of its own with one thread, `--rounds` times. The result
is the least time.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from options import interpreter, positive

SMALL, PICTURE = 10, 784  # the number of float values in an example
BATCH = 128
RECORDS = {"100 bytes": (100, 10_000), "10 kB": (10_000, 2_000)}
SLICE = 0.15  # the seconds for which a call is repeated
ONE_THREAD = {"OMP_NUM_THREADS": "1", "TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1"}


def timed(call, items=1):
    """Returns the least time of a call, in seconds for each item."""
    call()
    least, end = float("inf"), time.perf_counter() + SLICE
    while time.perf_counter() < end:
        begin = time.perf_counter()
        call()
        least = min(least, time.perf_counter() - begin)
    return least / items


def example(tf, numbers):
    """Returns an example with numbers, integers and a string."""
    return tf.train.Example(
        features=tf.train.Features(
            feature={
                "numbers": tf.train.Feature(float_list=tf.train.FloatList(value=numbers)),
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[3])),
                "ids": tf.train.Feature(int64_list=tf.train.Int64List(value=range(1000, 1010))),
                "name": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"some name"])),
            }
        )
    )


def examples(tf):
    """Returns the times of making, writing and reading examples."""
    for size in (SMALL, PICTURE):
        numbers = np.random.default_rng(0).random(size, np.float32)
        made = example(tf, numbers)
        data = made.SerializeToString()
        features = {
            "numbers": tf.io.FixedLenFeature([size], tf.float32),
            "label": tf.io.FixedLenFeature([], tf.int64),
            "ids": tf.io.VarLenFeature(tf.int64),
            "name": tf.io.FixedLenFeature([], tf.string),
        }
        batch = tf.constant([data] * BATCH)
        one = tf.constant(data)
        jobs = {
            "make": lambda n=numbers: example(tf, n),
            "SerializeToString": made.SerializeToString,
            "FromString": lambda d=data: tf.train.Example.FromString(d),
            "parse_single_example": lambda o=one, f=features: tf.io.parse_single_example(o, f),
        }
        for name, job in jobs.items():
            yield f"{name}, {size} floats", timed(job)
        yield (
            f"parse_example, {BATCH} of {size} floats, each",
            timed(lambda b=batch, f=features: tf.io.parse_example(b, f), BATCH),
        )


def records(tf):
    """Returns the times of writing and reading files of records."""
    with tempfile.TemporaryDirectory() as folder:
        for title, (size, count) in RECORDS.items():
            path = str(Path(folder) / "records")
            data = np.random.default_rng(0).bytes(size)

            def write(path=path, data=data, count=count):
                with tf.io.TFRecordWriter(path) as writer:
                    for _ in range(count):
                        writer.write(data)

            def read(path=path, count=count):
                assert sum(1 for _ in tf.data.TFRecordDataset(path)) == count

            def read_batches(path=path, count=count):
                batches = tf.data.TFRecordDataset(path).batch(BATCH)
                assert sum(len(batch) for batch in batches) == count

            yield f"write a record of {title}", timed(write, count)
            yield f"read a record of {title}", timed(read, count)
            yield f"read a record of {title}, in batches", timed(read_batches, count)


def times(library):
    """Returns all times of a library."""
    tf = importlib.import_module(library)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    return dict(examples(tf)) | dict(records(tf))


def in_process(python, library):
    """Returns all times of a library, measured in a new process."""
    command = [python, __file__, "--library", library]
    done = subprocess.run(  # noqa: S603
        command, env={**os.environ, **ONE_THREAD}, stdout=subprocess.PIPE, check=True, text=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorflow", type=interpreter, help="a Python with TensorFlow")
    parser.add_argument("--rounds", type=positive, default=3)
    parser.add_argument("--library", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.library:
        print(json.dumps(times(options.library)))
        return
    pythons = {"gradtape": sys.executable}
    if options.tensorflow:
        pythons["tensorflow"] = options.tensorflow
    found = {library: [] for library in pythons}
    for _ in range(options.rounds):
        for library, python in pythons.items():
            found[library].append(in_process(python, library))
    print(f"| µs | {' | '.join(pythons)} | ratio |")
    print(f"|---|{'---|' * (len(pythons) + 1)}")
    for job in found["gradtape"][0]:
        least = [1e6 * min(each[job] for each in rounds) for rounds in found.values()]
        ratio = f"{least[0] / least[1]:.2f}" if len(least) == 2 else ""
        print(f"| {job} | {' | '.join(f'{t:.2f}' for t in least)} | {ratio} |")


if __name__ == "__main__":
    main()
