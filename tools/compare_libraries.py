"""Compares calls of a TensorFlow library on TensorFlow and on gradtape.

    python tools/compare_libraries.py FILE --tensorflow PYTHON --ours PYTHON [--only TEXT]

FILE, such as tests/compat/libraries/pennylane.py, holds the dictionary `CALLS` of functions without
arguments. Each PYTHON is an interpreter that has the library: one with TensorFlow, the other with
gradtape. The results are compared in dtype, in shape and, to `--tolerance`, in value; results
whose name ends in "(random)" only in dtype and shape. Exceptions are equal if their types are.
"""

from __future__ import annotations

import argparse
import collections
import importlib.util
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

RANDOM = "(random)"
SMALL = 1e-6
"""The part of the tolerance that does not depend on the value."""


class Outcome(NamedTuple):
    """The outcome of a call.

    Attributes:
        arrays: The arrays in its result, with texts and other objects unchanged.
        error: The type of the exception that it raised, else "".
        text: The traceback's last lines.
        seconds: The seconds that it took.
    """

    arrays: list[Any]
    error: str
    text: str
    seconds: float


def leaves(value: Any) -> list[Any]:
    """Returns the arrays, numbers and texts in a nested result."""
    if isinstance(value, Mapping):
        return [leaf for key in sorted(value, key=str) for leaf in [str(key), *leaves(value[key])]]
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in leaves(part)]
    if value is None or isinstance(value, (str, bytes)):
        return [value]
    if hasattr(value, "indices") and hasattr(value, "values"):
        return [np.asarray(value.indices), np.asarray(value.values)]
    if hasattr(value, "numpy") and not isinstance(value, np.ndarray):
        value = value.numpy()
    array = np.asarray(value)
    return [array if array.dtype != object else str(type(value))]


def called(call: Callable[[], Any]) -> Outcome:
    """Calls a function, and returns the outcome."""
    start = time.perf_counter()
    try:
        found = leaves(call())
    except Exception as error:  # noqa: BLE001 - every failure is a result
        text = "".join(traceback.format_exception(error)[-6:])
        return Outcome([], type(error).__name__, text, time.perf_counter() - start)
    return Outcome(found, "", "", time.perf_counter() - start)


def _end(_signal: int, _frame: FrameType | None) -> None:
    raise TimeoutError("the call did not end in time")


def work(side: str, file: Path, only: str, seconds: int, out: Path) -> None:
    """Calls all functions of a file on one side, and writes the outcomes after each."""
    if side == "ours":
        import gradtape

        gradtape.install()
    warnings.simplefilter("ignore")
    spec = importlib.util.spec_from_file_location("calls", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    signal.signal(signal.SIGALRM, _end)
    outcomes = {}
    for name, call in module.CALLS.items():
        if only in name:
            signal.alarm(seconds)
            outcomes[name] = called(call)
            signal.alarm(0)
            out.write_bytes(pickle.dumps(outcomes))


def difference(ours: Any, theirs: Any, tolerance: float, random: bool) -> str:
    """Describes the difference of two leaves; "" if they are equal."""
    if not isinstance(ours, np.ndarray) or not isinstance(theirs, np.ndarray):
        return "" if type(ours) is type(theirs) and (random or ours == theirs) else "object"
    if ours.dtype != theirs.dtype:
        return f"dtype {ours.dtype}, not {theirs.dtype}"
    if ours.shape != theirs.shape:
        return f"shape {ours.shape}, not {theirs.shape}"
    if random or ours.dtype.kind not in "fciub":
        return "" if random or np.array_equal(ours, theirs) else "value"
    wide = np.complex128 if ours.dtype.kind == "c" else np.float64
    if np.allclose(ours.astype(wide), theirs.astype(wide), tolerance, SMALL, equal_nan=True):
        return ""
    return f"value {ours.ravel()[:4]}, not {theirs.ravel()[:4]}"


def judged(name: str, ours: Outcome, theirs: Outcome, tolerance: float) -> str:
    """Describes the difference of two outcomes; "" if they are equal."""
    if ours.error or theirs.error:
        return "" if ours.error == theirs.error else f"{ours.error or 'runs'}: {ours.text[-300:]}"
    if len(ours.arrays) != len(theirs.arrays):
        return f"{len(ours.arrays)} results, not {len(theirs.arrays)}"
    pairs = zip(ours.arrays, theirs.arrays, strict=True)
    found = (difference(a, b, tolerance, RANDOM in name) for a, b in pairs)
    return next((text for text in found if text), "")


def outcomes(options: argparse.Namespace, side: str, python: str) -> dict[str, Outcome]:
    """Runs one side in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "outcomes.pickle")
        words = [python, __file__, str(options.file), "--worker", side, "--out", str(out)]
        words += ["--only", options.only, "--seconds", str(options.seconds)]
        environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
        silent = subprocess.DEVNULL
        subprocess.run(words, env=environment, check=False, stderr=silent)  # noqa: S603
        if not out.exists():
            sys.exit(f"no call ran with {python}")
        given: dict[str, Outcome] = pickle.loads(out.read_bytes())  # noqa: S301 - written here
        return given


def main() -> None:
    """Runs both sides, and prints a comparison."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--tensorflow", metavar="PYTHON")
    parser.add_argument("--ours", metavar="PYTHON", default=sys.executable)
    parser.add_argument("--only", metavar="TEXT", default="", help="a part of the calls' names")
    parser.add_argument("--seconds", type=int, default=120, help="the longest that a call may take")
    parser.add_argument("--tolerance", type=float, default=2e-3)
    parser.add_argument("--cache", type=Path, help="where TensorFlow's outcomes are kept")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options.worker, options.file, options.only, options.seconds, options.out)
        return
    if options.cache is not None and options.cache.exists():
        theirs = pickle.loads(options.cache.read_bytes())  # noqa: S301 - written by this program
    else:
        theirs = outcomes(options, "tensorflow", options.tensorflow)
        if options.cache is not None:
            options.cache.write_bytes(pickle.dumps(theirs))
    report(outcomes(options, "ours", options.ours), theirs, options.tolerance)


def report(ours: dict[str, Outcome], theirs: dict[str, Outcome], tolerance: float) -> None:
    """Prints each difference, and the totals."""
    count: collections.Counter[str] = collections.Counter()
    for name in (name for name in theirs if name in ours):
        text = judged(name, ours[name], theirs[name], tolerance)
        kind = "fails on TensorFlow" if theirs[name].error else "runs on TensorFlow"
        count[f"{kind}, {'different' if text else 'alike'}"] += 1
        if text:
            print(f"{name}: {text} [TensorFlow: {theirs[name].error or 'runs'}]")
    for kind, number in sorted(count.items()):
        print(f"{kind}: {number}")
    both = [name for name in theirs if name in ours]
    spent = [sum(side[name].seconds for name in both) for side in (theirs, ours)]
    print(f"seconds: TensorFlow {spent[0]:.1f}, gradtape {spent[1]:.1f}")


if __name__ == "__main__":
    main()
