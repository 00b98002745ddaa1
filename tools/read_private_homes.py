"""Writes private_homes.txt: the private modules that contain TensorFlow's public functions.

    python tools/read_private_homes.py

runs if TensorFlow is installed, not gradtape. Libraries import public functions from the private
modules that define them: `tensorflow.python.ops.array_ops.expand_dims_v2` is `tf.expand_dims`. An
entry names a module below `tensorflow`, then its names: `name` alone is public as `tf.name`,
`name=compat.v1.` stands for the same name there, and `*module` says that the names of another
module are in this one, too. `*raw_ops` stands for the raw operations, in snake case and with
positional arguments.
"""

import contextlib
import importlib
import pkgutil
import sys
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

FILE = Path(__file__).parents[1] / "src/gradtape/_src/compat/lists/private_homes.txt"
NAME = "tools/read_private_homes.py"
ROOT = "tensorflow."
PRIVATE = f"{ROOT}python."
LEFT_OUT = (
    "autograph",  # functions that AutoGraph converts import from it by name
    "debug",
    "estimator",
    "feature_column",
    "keras",
    "lite",
    "tpu",
    "tools",
)
"""Packages of TensorFlow of which no name is read: gradtape leaves out what they do."""
DTYPES = f"{PRIVATE}framework.dtypes"
RAW = "raw_ops."
KERAS = "keras."
OLD = "compat.v1."
READ = ("client", "eager", "framework", "lib.io", "ops", "platform", "summary", "training", "util")
"""Packages of which all modules are imported; of others, those that `import tensorflow` loads."""
GENERATED = "gen_"
"""Begins the name of a module whose functions TensorFlow generates, one for each operation."""
SHARED = 3
"""How many names a module takes from another one before it is said to contain that module."""


def public_paths(root: ModuleType) -> dict[int, str]:
    """Returns the public path of each function, class and dtype, by its identity."""
    paths: dict[int, list[str]] = {}
    walked = set()

    def walk(module: ModuleType, path: str) -> None:
        if id(module) in walked:
            return
        walked.add(id(module))
        for name in dir(module):
            if name.startswith("_") and name not in ("__internal__", "__operators__"):
                continue
            value, below = getattr(module, name), f"{path}.{name}".lstrip(".")
            if not isinstance(value, ModuleType):
                paths.setdefault(id(value), []).append(below)
            elif "_api" in (getattr(value, "__file__", "") or "") and name != "compat":
                walk(value, below)

    walk(root, "")
    walk(root.compat.v1, "compat.v1")
    walk(root.compat, "compat")
    return {key: min(given, key=simplicity) for key, given in paths.items()}


def simplicity(path: str) -> tuple[Any, ...]:
    """Sorts the paths of one value: those of TensorFlow 2 first, then the shortest."""
    return ("raw_ops" in path, "compat.v1" in path, path.count("."), len(path), path)


def private_modules() -> dict[str, ModuleType]:
    """Returns the private modules that can be imported, by their names."""
    for package in map(importlib.import_module, map(f"{PRIVATE}{{}}".format, READ)):
        for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            if not found.ispkg and "test" not in found.name:
                with contextlib.suppress(Exception):  # some modules need other packages
                    importlib.import_module(found.name)
    return {
        name: module
        for name, module in sorted(sys.modules.items())
        if name.startswith(PRIVATE)
        and name.removeprefix(PRIVATE).partition(".")[0] not in LEFT_OUT
        and not name.rpartition(".")[2].startswith("_")
        and isinstance(module, ModuleType)
    }


def public_path(value: Any, paths: dict[int, str]) -> str | None:
    """Returns the public path of a value; None if it has none.

    Public functions that promote weak tensors replace those of the private modules, which
    therefore also say by an attribute under which names they are public.
    """
    said = getattr(value, "__dict__", {})
    new = [*said.get("_tf_api_names", ())]
    old = [f"{OLD}{name}" for name in said.get("_tf_api_names_v1", ())]
    found = [*new, *old, *([paths[id(value)]] if id(value) in paths else [])]
    return min(found, key=simplicity) if found else None


def public_names(module: ModuleType, paths: dict[int, str]) -> dict[str, str]:
    """Returns the names of a private module whose values are public, with their public paths."""
    return {
        name: path
        for name, value in vars(module).items()
        if (callable(value) or module.__name__ == DTYPES)
        and not name.startswith("_")
        and (path := public_path(value, paths)) is not None
        and not path.startswith((RAW, KERAS, f"{OLD}{KERAS}"))
    }


def defined_in(module: ModuleType, names: dict[str, str]) -> dict[str, str]:
    """Returns those of the names whose values the module itself defines."""
    return {
        name: path
        for name, path in names.items()
        if getattr(getattr(module, name), "__module__", None) == module.__name__
    }


def contained(name: str, names: dict[str, str], own: dict[str, dict[str, str]]) -> list[str]:
    """Returns the modules all of whose own names are in the module `name`, too."""
    return [
        other
        for other, theirs in own.items()
        if other != name and len(theirs) >= SHARED and theirs.items() <= names.items()
    ]


def word(name: str, path: str) -> str:
    """Formats a name; the path is left out if it follows from the name."""
    if path == name:
        return name
    space, _, last = path.rpartition(".")
    return f"{name}={space}." if last == name else f"{name}={path}"


def entries(modules: dict[str, ModuleType], paths: dict[int, str]) -> list[str]:
    """Returns the lines of the file."""
    generated = [name for name in modules if name.rpartition(".")[2].startswith(GENERATED)]
    public = {
        name: public_names(module, paths)
        for name, module in modules.items()
        if name not in generated
    }
    own = {name: defined_in(modules[name], names) for name, names in public.items()}
    lines = []
    for name, names in public.items():
        inside = contained(name, names, own)
        taken = {n for other in inside for n in own[other]}
        rest = {n: p for n, p in names.items() if n not in taken}
        words = [f"*{other.removeprefix(ROOT)}" for other in inside]
        words += [word(n, p) for n, p in sorted(rest.items())]
        if words:
            line = " ".join([f"{name.removeprefix(ROOT)}:", *words])
            lines.append(
                textwrap.fill(
                    line, 100, subsequent_indent=" ", break_on_hyphens=False, break_long_words=False
                )
            )
    return sorted([*lines, *(f"{name.removeprefix(ROOT)}: *raw_ops" for name in generated)])


def main() -> None:
    """Writes the file."""
    tf = importlib.import_module("tensorflow")
    title = f"# The private homes of the public names of TensorFlow {tf.__version__}, by {NAME}"
    lines = entries(private_modules(), public_paths(tf))
    FILE.write_text("\n".join([title, *lines]) + "\n")


if __name__ == "__main__":
    main()
