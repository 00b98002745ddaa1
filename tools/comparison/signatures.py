"""Reads the parameters of public functions, classes and methods.

    python tools/comparison/signatures.py (theirs | ours) STORE

`STORE/names.json` holds the names; the result is `STORE/signatures.SIDE.json`.
"""

from __future__ import annotations

import enum
import importlib
import inspect
import json
import logging
import os
import sys
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from comparison.values import found

Parameters = list[list[str]]
ADDRESS = " at 0x"


def default(value: Any) -> str:
    """Formats a default; equal defaults have equal texts."""
    if value is inspect.Parameter.empty:
        return ""
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(default, value))}]"
    named = getattr(value, "name", None) or getattr(value, "__name__", None)
    return str(named) if isinstance(named, str) else "an object"


def parameters(target: Any) -> Parameters | None:
    """Returns the names, kinds and defaults of parameters; None if Python can't find them."""
    try:
        signature = inspect.signature(target)
    except (TypeError, ValueError):
        return None
    return [[p.name, p.kind.name, default(p.default)] for p in signature.parameters.values()]


def described(tf: Any, path: str) -> Parameters | str | None:
    """Returns the parameters of a named object, or a text that says why it has none."""
    try:
        target = found(tf, path)
    except AttributeError:
        return "not there"
    except Exception as error:  # noqa: BLE001 - an extra may be missing
        return type(error).__name__
    return parameters(target) if callable(target) else "not called"


def main() -> int:
    """Writes the file of one side."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    side, store = sys.argv[1], Path(sys.argv[2])
    tf = importlib.import_module("tensorflow" if side == "theirs" else "gradtape")
    names = json.loads((store / "names.json").read_text())
    result = {name: described(tf, name) for name in names}
    (store / f"signatures.{side}.json").write_text(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
