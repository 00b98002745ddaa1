"""Runs random programs on gradtape and on the real TensorFlow, and prints where they differ.

    python tests/differential/run.py --programs 1000 --seed 0
    python tests/differential/run.py --kinds extreme --dtypes float16,bfloat16

Both must be importable. The exit status is 1 where something differs.
"""

from __future__ import annotations

import argparse
import logging
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from random import Random
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")  # oneDNN's kernels get empty shapes wrong
BEGUN = "begun: "


def main() -> int:
    """Runs the command; gives its exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="the first program's seed")
    parser.add_argument("--length", type=int, default=6, help="instructions in a program")
    parser.add_argument("--kinds", default="plain,empty,extreme", help="of inputs")
    parser.add_argument("--dtypes", default="all", help="of inputs")
    parser.add_argument("--here", action="store_true", help="in this process, whatever happens")
    options = parser.parse_args()
    if options.here:
        for seed, difference in differences(options):
            print(f"--- seed {seed}\n{difference}", flush=True)
        return 0
    found = run_elsewhere(options)
    print(f"{options.programs} programs, {found} differences")
    return bool(found)


def run_elsewhere(options: argparse.Namespace) -> int:
    """Runs the programs in another process, which TensorFlow ends on some: then in the next one."""
    first, end, found = options.seed, options.seed + options.programs, 0
    fixed = ["--length", str(options.length), "--kinds", options.kinds, "--dtypes", options.dtypes]
    while first < end:
        here = ["--here", "--seed", str(first), "--programs", str(end - first)]
        command = [sys.executable, __file__, *here, *fixed]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout or ():
                if line.startswith(BEGUN):
                    first = int(line.removeprefix(BEGUN))
                    continue
                found += line.startswith("---")
                print(line, end="", flush=True)
        if not process.returncode:
            break
        print(f"(the process ends at seed {first}: {process.returncode})", flush=True)
        first += 1
    return found


def differences(options: argparse.Namespace) -> Iterator[tuple[int, str]]:
    """Yields the seeds of programs that differ, with the program and what differs in it."""
    import tensorflow as tf
    from programs import FLOATS, INTEGERS, disagreement, draw, outcome, smaller

    import gradtape as ours

    logging.getLogger("tensorflow").setLevel("ERROR")
    warnings.simplefilter("ignore", RuntimeWarning)
    dtypes = [*FLOATS, *INTEGERS] if options.dtypes == "all" else options.dtypes.split(",")
    kinds = options.kinds.split(",")

    def difference(program: Any, seed: int) -> str | None:
        return disagreement(outcome(program, ours, seed), outcome(program, tf, seed))

    for seed in range(options.seed, options.seed + options.programs):
        if options.here:
            print(f"{BEGUN}{seed}", flush=True)
        random = Random(-seed)
        kind, dtype = random.choice(kinds), random.choice(dtypes)
        program, values = draw(seed, tf, options.length, kind, dtype)
        parts = [program] if program.exact else program.steps(values)
        for part in parts:
            if difference(part, seed):
                found = smaller(part, seed, ours, tf)
                yield seed, f"{found}\n{difference(found, seed)}"


if __name__ == "__main__":
    sys.exit(main())
