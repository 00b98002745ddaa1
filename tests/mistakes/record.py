"""Writes `answers.json`: what TensorFlow and gradtape say to each program of the table.

python tests/mistakes/record.py tensorflow    # where TensorFlow is installed
python tests/mistakes/record.py gradtape      # after the messages were changed: review the diff
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

from programs import PROGRAMS
from running import run

ANSWERS = Path(__file__).with_name("answers.json")


def _answer(name: str, tf: Any) -> list[str]:
    """Returns a library's answer to a program, in a process of its own, which may end."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        raised = run(name, PROGRAMS[name], tf)
        os.write(writing, json.dumps([raised.kind, raised.message[:2000]]).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        answer = file.read()
    os.waitpid(child, 0)
    found: list[str] = json.loads(answer) if answer else ["the process is aborted", ""]
    return found


def main(library: str) -> None:
    """Asks a library, and keeps the other one's answers."""
    if library == "gradtape":
        importlib.import_module("gradtape").install()
    tf = importlib.import_module("tensorflow")
    known = json.loads(ANSWERS.read_text()) if ANSWERS.exists() else {}
    table = {name: {**known.get(name, {}), library: _answer(name, tf)} for name in PROGRAMS}
    ANSWERS.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
