"""Compares public functions with TensorFlow's, and writes docs/compatibility.md.

    python tools/compare_with_tensorflow.py --tensorflow PYTHON [--only GLOB] [--page]

PYTHON is an interpreter that has TensorFlow. Two processes, one with TensorFlow and one with
gradtape, call each function in many ways, and write the answers into the folder `--store`. Calls
with an answer there are not repeated, so that an interrupted comparison can go on. After a change
of gradtape, `--again ours` calls gradtape again and keeps TensorFlow's answers. `--show NAME`
prints the differences of a function. A whole comparison takes less than 20 minutes on one core.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from fnmatch import fnmatch
from pathlib import Path
from typing import IO

sys.path.insert(0, str(Path(__file__).parent))

from comparison import jobs, page
from comparison.judge import Comparison, compared

HERE = Path(__file__).parent
STORE = HERE.parent / "build" / "comparison"
ATTEMPTS = 400
LONGEST = 300
"""The seconds after which a call that can't be interrupted ends its process."""


def options() -> argparse.Namespace:
    """Returns the command's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorflow", metavar="PYTHON", help="an interpreter with TensorFlow")
    parser.add_argument("--store", type=Path, default=STORE, help="a folder for the answers")
    parser.add_argument("--only", metavar="GLOB", default="*", help="the names that are compared")
    parser.add_argument("--again", choices=["ours", "theirs"], help="forget this side's answers")
    parser.add_argument("--show", action="store_true", help="print what differs")
    parser.add_argument("--page", action="store_true", help="write docs/compatibility.md")
    return parser.parse_args()


def run_worker(python: str, side: str, store: Path) -> None:
    """Runs a side's worker until all calls are done; a call that ends the process is skipped."""
    crashed = store / f"crashed.{side}"
    crashed.touch()
    for _ in range(ATTEMPTS):
        command = [python, str(HERE / "comparison" / "worker.py"), side, str(store)]
        now = store / f"now.{side}"
        now.unlink(missing_ok=True)
        with (store / f"errors.{side}").open("w") as errors:
            status = watched(command, errors, now)
        if not status:
            return
        call = now.read_text() if now.exists() else ""
        if status > 0 or not call:  # the worker itself has a fault
            sys.exit((store / f"errors.{side}").read_text()[-2000:])
        print(f"{side}: the process ended with {status} at {call}", flush=True)
        with crashed.open("a") as file:
            file.write(f"{call}\n")
    sys.exit(f"{side}: more than {ATTEMPTS} calls end the process")


def watched(command: list[str], errors: IO[str], now: Path) -> int:
    """Runs a worker, and ends it if a call takes too long; returns the exit status."""
    with subprocess.Popen(command, stderr=errors) as process:  # noqa: S603 - the caller's own
        while True:
            try:
                return process.wait(10)
            except subprocess.TimeoutExpired:
                if now.exists() and time.time() - now.stat().st_mtime > LONGEST:
                    process.kill()


def main() -> int:
    """Runs the command."""
    asked = options()
    store: Path = asked.store.resolve()
    store.mkdir(parents=True, exist_ok=True)
    called = {n: paths for n, paths in jobs.called().items() if fnmatch(n, asked.only)}
    forget(store, asked.again, list(called))
    (store / "jobs.json").write_text(json.dumps(list(called)))
    (store / "names.json").write_text(json.dumps(jobs.named()))
    for side, python in (("theirs", asked.tensorflow), ("ours", sys.executable)):
        if python:
            run_worker(python, side, store)
            reader = str(HERE / "comparison" / "signatures.py")
            if not (store / f"signatures.{side}.json").exists() or side == asked.again:
                subprocess.run([python, reader, side, str(store)], check=True)  # noqa: S603
    found = {name: compared(store, name, paths) for name, paths in called.items()}
    if asked.show:
        show(found)
    if asked.page:
        page.write(store, found)
    print(page.summary(found))
    return 0


def forget(store: Path, side: str | None, names: list[str]) -> None:
    """Removes a side's answers for the given names."""
    if side:
        for name in names:
            (store / side / f"{name}.json").unlink(missing_ok=True)
        (store / f"signatures.{side}.json").unlink(missing_ok=True)
        (store / f"crashed.{side}").unlink(missing_ok=True)
    if side == "theirs":
        shutil.rmtree(store / "ours", ignore_errors=True)


def show(found: dict[str, Comparison]) -> None:
    """Prints the differences of a function."""
    for name, comparison in found.items():
        for difference in comparison.different:
            print(f"{name}: {difference}")


if __name__ == "__main__":
    sys.exit(main())
