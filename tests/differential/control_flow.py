"""Compares random functions with Python's control flow on gradtape and on the real TensorFlow.

    python tests/differential/control_flow.py --programs 100 --seed 0

Both must be importable. The exit status is 1 where a value, gradient or variable differs. Programs
that TensorFlow's AutoGraph refuses are left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

VALUES = ("tf.sin({x})", "{x} * {y}", "{x} - 0.5 * {y}", "tf.tanh({x} + v)", "tf.reverse({x}, [0])")
TESTS = ("n > m", "m > 1", "{x}[0] > {y}[1]", "n % 2 == 0 and {x}[0] > 0.0", "not n > 2")
LOOPS = ("for _ in tf.range(n):", "for _ in range(m):", "for _ in tf.stack([{x}, {y}]):")


def program(seed: int) -> str:
    """Returns a random function of two vectors, a tensor n, a number m and a variable v."""
    random, lines = Random(seed), ["def f(tf, v, x, y, n, m):"]

    def chosen(texts: tuple[str, ...]) -> str:
        return random.choice(texts).format(x=random.choice("xy"), y=random.choice("xy"))

    def block(depth: int, in_loop: bool) -> None:
        margin = "    " * depth
        for _ in range(random.randint(1, 3)):
            kind = random.random()
            if kind < 0.45 or depth > 3:
                lines.append(f"{margin}{random.choice('xy')} = {chosen(VALUES)}")
            elif kind < 0.65:
                lines.append(f"{margin}if {chosen(TESTS)}:")
                block(depth + 1, in_loop)
                lines.append(f"{margin}else:")
                block(depth + 1, in_loop)
            elif kind < 0.8:
                lines.append(f"{margin}{chosen(LOOPS)}")
                block(depth + 1, True)
            elif kind < 0.87 and in_loop:
                lines.extend([f"{margin}if {chosen(TESTS)}:", f"{margin}    break"])
            elif kind < 0.93:
                lines.append(f"{margin}v.assign_add(0.1 * {random.choice('xy')})")
            else:
                lines.extend([f"{margin}if {chosen(TESTS)}:", f"{margin}    n = n - 1"])

    block(1, False)
    return "\n".join([*lines, f"    return {chosen(VALUES)}, n", ""])


def outcome(tf: Any, function: Any, seed: int, traced: bool) -> list[Any] | None:
    """Returns results, gradients and the variable after a call; None if the function is refused."""
    numbers = np.random.default_rng(seed)
    x, y, start = (tf.constant(numbers.normal(size=3)) for _ in range(3))
    n, m, v = tf.constant(int(numbers.integers(5))), int(numbers.integers(4)), tf.Variable(start)
    run = tf.function(function) if traced else function
    try:
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z, count = run(tf, v, x, y, n, m)
        gradients = tape.gradient(z, [x, y, v])
    except Exception:  # noqa: BLE001  (what is refused differs; the other tests compare errors)
        return None
    return [None if a is None else np.asarray(a) for a in (z, count, *gradients, v)]


def agree(ours: list[Any], judges: list[Any]) -> bool:
    """Whether outcomes are equal; TensorFlow gives zeros for inputs without influence on loops."""
    for a, b in zip(ours, judges, strict=True):
        if a is None or b is None:
            if a is not b and (b is None or np.any(b)):
                return False
        elif not np.allclose(a, b, 1e-9, 1e-9, equal_nan=True):
            return False
    return True


def main() -> int:
    """Runs the command; gives its exit status."""
    import tensorflow as tf

    import gradtape as ours

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="the first program's seed")
    options = parser.parse_args()
    different = compared = 0
    for seed in range(options.seed, options.seed + options.programs):
        for traced in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / f"program_{seed}.py"
                path.write_text(program(seed))  # AutoGraph reads the source
                spec = importlib.util.spec_from_file_location(path.stem, path)
                assert spec is not None
                assert spec.loader is not None
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                found = [outcome(lib, module.f, seed, traced) for lib in (ours, tf)]
            if found[1] is None:
                continue
            compared += 1
            if found[0] is None or not agree(found[0], found[1]):
                different += 1
                print(f"--- seed {seed}, traced: {traced}\n{program(seed)}\n{found[0]}\n{found[1]}")
    print(f"{compared} outcomes, {different} differences")
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())
