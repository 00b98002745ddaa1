"""Runs random programs on gradtape and on the real TensorFlow, and prints where they differ.

    python tests/differential/run.py --programs 1000 --seed 0

Both must be importable. The exit status is 1 where something differs.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def main() -> int:
    """Runs the command; gives its exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="the first program's seed")
    parser.add_argument("--length", type=int, default=6, help="instructions in a program")
    options = parser.parse_args()
    found = 0
    for seed, difference in differences(options.programs, options.seed, options.length):
        found += 1
        print(f"--- seed {seed}\n{difference}", flush=True)
    print(f"{options.programs} programs, {found} differences")
    return bool(found)


def differences(programs: int, first: int, length: int):
    """Yields the seeds of programs that differ, with the program and what differs in it."""
    import tensorflow as tf
    from programs import disagreement, draw, outcome, smaller

    import gradtape as ours

    logging.getLogger("tensorflow").setLevel("ERROR")
    warnings.simplefilter("ignore", RuntimeWarning)
    for seed in range(first, first + programs):
        program = draw(seed, tf, length)
        if disagreement(outcome(program, ours, seed), outcome(program, tf, seed)):
            program = smaller(program, seed, ours, tf)
            why = disagreement(outcome(program, ours, seed), outcome(program, tf, seed))
            yield seed, f"{program}\n{why}"


if __name__ == "__main__":
    sys.exit(main())
