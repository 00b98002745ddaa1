"""Saving and restoring variables, timed; `--tensorflow` times the real TensorFlow.

python benchmarks/checkpoints.py [--tensorflow]
"""

import argparse
import importlib
import tempfile
import time
from pathlib import Path

import numpy as np

JOBS = {"100 MB in 10 variables": (10, 2_500_000), "1,000 variables of 100": (1000, 100)}
REPEATS = 5


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorflow", action="store_true", help="time the real TensorFlow")
    options = parser.parse_args()
    tf = importlib.import_module("tensorflow" if options.tensorflow else "gradtape")
    rng = np.random.default_rng(0)
    for job, (count, size) in JOBS.items():
        variables = [tf.Variable(rng.random(size, np.float32)) for _ in range(count)]
        checkpoint = tf.train.Checkpoint(variables=variables)
        saves, restores = [], []
        for _ in range(REPEATS):
            with tempfile.TemporaryDirectory() as directory:
                start = time.perf_counter()
                path = checkpoint.save(str(Path(directory) / "ckpt"))
                between = time.perf_counter()
                checkpoint.restore(path)
                saves.append(between - start)
                restores.append(time.perf_counter() - between)
        print(f"{job}: save {min(saves) * 1e3:.0f} ms, restore {min(restores) * 1e3:.0f} ms")


if __name__ == "__main__":
    main()
