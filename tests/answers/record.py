"""Records what TensorFlow answers, in a JSON file for each module of questions.

    PYTHONPATH=tests python tests/answers/record.py [MODULE ...]

TensorFlow must be installed. A file has for each answer the questions that it was
given to: all words of the question but the last, then the last words.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import warnings
from pathlib import Path

MODULES = (
    "operators",
    "dtypes",
    "axes",
    "structures",
    "numpy_dtypes",
    "assertions",
    "composites",
    "ragged_functions",
    "linear_operators",
    "programs",
    "wrong_arguments",
)
HERE = Path(__file__).parent


def recorded(name: str) -> dict[str, str]:
    """TensorFlow's answers as they were recorded, by question."""
    grouped = json.loads((HERE / f"{name}.json").read_text())
    return {
        f"{first} {last}": answer
        for answer, asked in grouped.items()
        for first, rest in asked.items()
        for last in rest.split(" ")
    }


def main() -> None:
    """Writes all files."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    warnings.simplefilter("ignore")
    import tensorflow as tf

    for name in sys.argv[1:] or MODULES:
        grouped: dict[str, dict[str, str]] = {}
        for question, answer in importlib.import_module(f"answers.{name}").answers(tf).items():
            first, last = question.rsplit(" ", 1)
            asked = grouped.setdefault(answer, {})
            asked[first] = f"{asked[first]} {last}" if first in asked else last
        lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(grouped.items())]
        (HERE / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
