"""Writes tests/compat/v1_signatures.txt: the parameters of TensorFlow's `tf.compat.v1`.

    python tools/read_v1_signatures.py

runs if TensorFlow is installed, not gradtape. A line holds a function or class and its parameters;
`=` follows those that have a default.
"""

import importlib
import inspect
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from read_v1_names import names_below

FILE = Path(__file__).parents[1] / "tests" / "compat" / "v1_signatures.txt"


def described(value: Any) -> str | None:
    """Returns the parameters of a function or class; None if it hasn't any that can be read."""
    try:
        parameters = list(inspect.signature(value).parameters.values())
        if [p.name for p in parameters] == ["args", "kwargs"] and inspect.isclass(value):
            # A metaclass or `__new__` takes what the class passes to `__init__`.
            parameters = list(inspect.signature(value.__init__).parameters.values())[1:]
    except (TypeError, ValueError):
        return None
    marks: dict[Any, str] = {
        inspect.Parameter.VAR_POSITIONAL: "*",
        inspect.Parameter.VAR_KEYWORD: "**",
    }
    return " ".join(
        f"{marks.get(p.kind, '')}{p.name}{'' if p.default is p.empty else '='}" for p in parameters
    )


def main() -> None:
    """Writes the file."""
    tensorflow = importlib.import_module("tensorflow")
    lines = [f"# Parameters of tf.compat.v1 in TensorFlow {tensorflow.__version__}"]
    for path, value in sorted(names_below(tensorflow.compat.v1), key=lambda pair: pair[0]):
        shown = described(value) if inspect.isroutine(value) or inspect.isclass(value) else None
        if shown is not None and not (inspect.isclass(value) and "Error" in path):
            lines.append(f"{path}: {shown}".rstrip())
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
