"""Writes src/gradtape/_src/compat/v1_same_names.txt: what `tf.compat.v1` and `tf` share.

    python tools/read_v1_names.py

runs if TensorFlow is installed, not gradtape. It compares the objects; of a decorated function, it
compares the innermost one. If `tf` has the same function, class or constant as `tf.compat.v1`, the
name is written: as `name` if `tf` uses the same name, and else as `name=path`. A second name in
`tf.compat.v1` of a function that `tf` lacks is written as `name=compat.v1.path`.
"""

import importlib
import inspect
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

FILE = Path(__file__).parents[1] / "src" / "gradtape" / "_src" / "compat" / "v1_same_names.txt"
LEFT_OUT = {"compat", "keras", "raw_ops", "lite", "__internal__", "tpu", "mlir"}


def names_below(module: ModuleType, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yields the paths below a module of TensorFlow's API, each with its object."""
    for name in dir(module):
        if name.startswith("_") or name in LEFT_OUT:
            continue
        value, below = getattr(module, name), f"{path}.{name}".lstrip(".")
        if isinstance(value, ModuleType):
            if "LazyLoader" in type(value).__name__:
                continue  # its attributes would import Keras
            if "._api." in value.__name__ or value.__name__ == f"tensorflow.{below}":
                yield from names_below(value, below)
        else:
            yield below, value


def identity(value: Any) -> Any:
    """Returns a key that is equal for names of the same object, or of equal numbers."""
    if isinstance(value, int | float | str):
        return type(value), value
    while inspect.isfunction(value):
        inner = getattr(value, "__wrapped__", None) or _decorated(value)
        if inner is None:
            break
        value = inner
    return id(value)


def _decorated(function: Any) -> Any:
    """Returns the function inside TensorFlow's decorator, or None."""
    return getattr(getattr(function, "_tf_decorator", None), "decorated_target", None)


def shared(tensorflow: Any) -> dict[str, list[str]]:
    """Returns the shared names of each namespace below `tf.compat.v1`."""
    paths: dict[Any, list[str]] = defaultdict(list)
    for path, value in names_below(tensorflow):
        paths[identity(value)].append(path)
    old: dict[Any, list[str]] = defaultdict(list)
    for path, value in names_below(tensorflow.compat.v1):
        old[identity(value)].append(path)
    found: dict[str, list[str]] = defaultdict(list)
    for path, value in names_below(tensorflow.compat.v1):
        places = paths.get(identity(value), [])
        space, _, name = path.rpartition(".")
        if path in places:
            found[space].append(name)
        elif callable(value) and (places or len(old[identity(value)]) > 1):
            best = _shortest(places) or f"compat.v1.{_shortest(old[identity(value)])}"
            if best != f"compat.v1.{path}":
                found[space].append(f"{name}={best}")
    return found


def _shortest(paths: list[str]) -> str:
    return min(paths, key=lambda p: (p.count("."), len(p)), default="")


def main() -> None:
    """Writes the file."""
    tensorflow = importlib.import_module("tensorflow")
    lines = [f"# What tf.compat.v1 and tf share in TensorFlow {tensorflow.__version__}"]
    for space, names in sorted(shared(tensorflow).items()):
        line = f"{space or 'tf'}: {' '.join(sorted(names))}"
        filled = textwrap.TextWrapper(
            100, subsequent_indent=" ", break_on_hyphens=False, break_long_words=False
        )
        lines.append(filled.fill(line))
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
