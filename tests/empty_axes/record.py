"""Writes down what TensorFlow gives for every case: tests/empty_axes/tensorflow.json.

    PYTHONPATH=src:tests python tests/empty_axes/record.py

TensorFlow and gradtape with its dependencies must both be importable. TensorFlow ends the whole
process on some empty inputs, so another process does the work and restarts after each such case.
Cases that were written down stay as they are unless `--all` is given.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")  # oneDNN's kernels get empty shapes wrong
FILE = Path(__file__).with_name("tensorflow.json")
CRASH = "crash"
TIMEOUT = 3000


def main() -> int:
    """Runs the command; gives its exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="record every case anew")
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    parser.add_argument("--work", type=Path, help="for the process that does the work: its file")
    options = parser.parse_args()
    if options.work:
        work(options.work, options.only)
        return 0
    lines = FILE.with_suffix(".lines")
    lines.write_text("" if options.all or not FILE.exists() else as_lines(read()))
    command = [sys.executable, __file__, "--work", str(lines), "--only", options.only]
    while subprocess.run(command, check=False, timeout=TIMEOUT).returncode:
        name, _, found = lines.read_text().rpartition("\n")[2].partition("\t")
        if not name or found:  # no case was begun: the fault is here
            return 1
        with lines.open("a") as file:
            file.write(json.dumps({"values": CRASH}) + "\n")
        print(f"TensorFlow crashes: {name}", flush=True)
    write(dict(line.split("\t", 1) for line in lines.read_text().splitlines()))
    lines.unlink()
    return 0


def read() -> dict[str, Any]:
    """The answers, by the case's name."""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def as_lines(answers: dict[str, Any]) -> str:
    return "".join(f"{name}\t{json.dumps(found)}\n" for name, found in answers.items())


def write(lines: dict[str, str]) -> None:
    """Writes the file, a line for each case."""
    rows = [
        f"{json.dumps(name)}: {json.dumps(json.loads(text), separators=(',', ':'))}"
        for name, text in sorted(lines.items())
    ]
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def work(lines: Path, only: str) -> None:
    """Adds the cases that a file does not hold yet, a line for each."""
    import tensorflow as tf

    from empty_axes.calls import CALLS, on
    from empty_axes.cases import cases
    from empty_axes.judge import samples_of
    from empty_axes.outcomes import answer, outcome

    tf.get_logger().setLevel("ERROR")
    known = {line.split("\t")[0] for line in lines.read_text().splitlines()}
    with lines.open("a", buffering=1) as file:
        for case in cases([*samples_of(tf), *on(tf, CALLS)]):
            if case.name in known or only not in case.name:
                continue
            file.write(f"{case.name}\t")
            file.flush()
            found = outcome(tf, case.call, case.inputs, case.stages)
            file.write(json.dumps(answer(found)) + "\n")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    sys.exit(main())
