"""Writes src/gradtape/_src/compat/v1_same_names.txt: what `tf.compat.v1` and `tf` share.

    python tools/read_v1_names.py

runs where TensorFlow is installed, not gradtape. It compares the objects: a name of `tf.compat.v1`
is written down where `tf` has the same function, class or constant, as `name` where `tf` calls it
so too, and else as `name=path`.
"""

import importlib
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

FILE = Path(__file__).parents[1] / "src" / "gradtape" / "_src" / "compat" / "v1_same_names.txt"
LEFT_OUT = {"compat", "keras", "raw_ops", "lite", "__internal__", "tpu", "mlir"}


def names_below(module: ModuleType, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yields the paths below a module of TensorFlow's API, and what they name."""
    for name in dir(module):
        if name.startswith("_") or name in LEFT_OUT:
            continue
        value, below = getattr(module, name), f"{path}.{name}".lstrip(".")
        if isinstance(value, ModuleType):
            if "LazyLoader" not in type(value).__name__ and "._api." in value.__name__:
                yield from names_below(value, below)
        elif not isinstance(value, int | float | str):
            yield below, value


def shared(tensorflow: Any) -> dict[str, list[str]]:
    """Returns the shared names of each namespace below `tf.compat.v1`."""
    paths: dict[int, list[str]] = defaultdict(list)
    for path, value in names_below(tensorflow):
        paths[id(value)].append(path)
    found: dict[str, list[str]] = defaultdict(list)
    for path, value in names_below(tensorflow.compat.v1):
        places = paths.get(id(value), [])
        if places and (path in places or callable(value)):
            space, _, name = path.rpartition(".")
            best = min(places, key=lambda p: (p.count("."), len(p)))
            found[space].append(name if path in places else f"{name}={best}")
    return found


def main() -> None:
    """Writes the file."""
    tensorflow = importlib.import_module("tensorflow")
    lines = [f"# What tf.compat.v1 and tf share in TensorFlow {tensorflow.__version__}"]
    for space, names in sorted(shared(tensorflow).items()):
        line = f"{space or 'tf'}: {' '.join(sorted(names))}"
        lines.append(textwrap.fill(line, 100, subsequent_indent=" ", break_on_hyphens=False))
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
