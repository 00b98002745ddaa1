"""Records what the programs of tests/graph/probes print under TensorFlow.

    python tests/graph/record_probes.py [--check] [NAME ...]

TensorFlow must be installed. Each program runs in a fresh process, forked after TensorFlow is
imported. Programs whose source is as it was recorded are not run again unless they are named;
`--check` runs all, or those that are named, writes nothing, and fails if something is printed
otherwise than recorded.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("KERAS_BACKEND", "tensorflow")

from graph.probing import RECORDED, Printed, Program, difference, execute, plain, programs, recorded

SECONDS = 60  # for one program
LOGGED = re.compile(r"^(?:[IWEF]\d{4} |WARNING: All log|\d{4}-\d\d-\d\d ).*\n?", re.MULTILINE)


def main() -> int:
    """Runs the command; gives its exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with what is recorded")
    parser.add_argument("names", nargs="*", help="beginnings of names, to run these anew")
    options = parser.parse_args()
    import tensorflow as tf

    before = recorded() if RECORDED.exists() else {}
    after: dict[str, Any] = {}
    for program in programs():
        known = before.get(program.name)
        named = program.name.startswith(tuple(options.names))
        wanted = named or (options.check and not options.names)
        if known and known["source"] == program.digest and not wanted:
            after[program.name] = known
            continue
        printed = in_a_process(program, tf)
        again = in_a_process(program, tf)
        if differs := difference(again, printed):
            print(f"{program.name} prints something else each time: {differs}")
        after[program.name] = {"source": program.digest, **printed._asdict()}
        show(program, printed)
    if options.check:
        changed = [name for name, entry in after.items() if entry != before.get(name)]
        print("different from the recording:", ", ".join(changed) or "nothing")
        return bool(changed)
    RECORDED.write_text(json.dumps(after, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    return 0


def show(program: Program, printed: Printed) -> None:
    """Prints what was recorded, to be read by the author of the program."""
    print(f"== {program.name}" + (f" !! {printed.error}" if printed.error else ""))
    for line in printed.stdout:
        print("  ", line)
    for line in printed.stderr:
        print("  2>", line)


def in_a_process(program: Program, tf: Any) -> Printed:
    """Returns the output of a program in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("stdout", "stderr", "error")]
        child = os.fork()
        if child == 0:
            signal.alarm(SECONDS)
            try:
                _write(program, tf, files)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        out, err, error = (path.read_text() if path.exists() else "crash" for path in files)
    return Printed(plain(out), plain(LOGGED.sub("", err)), error or None)


def _write(program: Program, tf: Any, files: list[Path]) -> None:
    """Runs a program whose output, that of the C++ runtime too, goes into two files."""
    for number, path in zip((1, 2), files, strict=False):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(os.fdopen(os.dup(number), "wb", buffering=0), write_through=True)
        for number in (1, 2)
    )
    error = execute(program, tf)
    files[2].write_text(error or "")


if __name__ == "__main__":
    sys.exit(main())
