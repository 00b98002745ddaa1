"""Writes tensorflow_names.txt: the public names of the installed TensorFlow.

    python tools/read_tensorflow_names.py

runs if TensorFlow is installed, not gradtape. It walks the public modules, and records only names:
those in every namespace, and the members of every public class of TensorFlow 2. tf.keras is left
out, since it is the real Keras. For compat.v1's namespaces, it writes the differences from
TensorFlow 2's.
"""

import importlib
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import TypeGuard

FILE = Path(__file__).parents[1] / "src/gradtape/_src/compat/lists/tensorflow_names.txt"
SAME_AGAIN = ("compat.v2", "compat.v1.compat")  # namespaces that repeat the whole API
UNDERSCORED = {"__internal__", "__version__"}
OLD = "compat.v1"


def is_public(name: str, module: ModuleType) -> bool:
    """Whether a name of a module is a public name of TensorFlow."""
    listed = name.startswith("__") and name in getattr(module, "__all__", ())
    return (listed and name != "__path__") or name in UNDERSCORED or not name.startswith("_")


def is_worth_reading(value: object) -> TypeGuard[type]:
    """Whether a value is a class of TensorFlow, but not a protocol buffer message."""
    return isinstance(value, type) and not hasattr(value, "DESCRIPTOR")


class Walk:
    """The results of a walk over the public modules.

    Attributes:
        modules: The names in each namespace, by its path below tf.
        classes: The paths of each class of TensorFlow 2.
    """

    def __init__(self, root: ModuleType) -> None:
        self.modules: dict[str, list[str]] = {}
        self.classes: dict[type, list[str]] = {}
        self._folder = str(Path(root.__file__ or "").parents[1])
        self._enter(root, "")

    def _enter(self, module: ModuleType, path: str) -> None:
        names = self.modules[path] = [n for n in dir(module) if is_public(n, module)]
        for name in names:
            below = f"{path}.{name}".lstrip(".")
            value = getattr(module, name)
            if isinstance(value, ModuleType):
                if self._is_of_the_api(value) and not below.startswith(SAME_AGAIN):
                    self._enter(value, below)
            elif is_worth_reading(value) and not below.startswith(OLD):
                self.classes.setdefault(value, []).append(below)

    def _is_of_the_api(self, module: ModuleType) -> bool:
        # A request for a Keras module's file would load the module.
        lazy = "LazyLoader" in type(module).__name__
        return not lazy and (module.__file__ or "").startswith(self._folder)


def members(cls: type) -> set[str]:
    """Returns the public members of a class that come from TensorFlow's own code."""
    bases = [base for base in cls.__mro__ if base.__module__.startswith("tensorflow")]
    return {name for base in bases for name in vars(base) if not name.startswith("_")}


def entry(head: str, names: Iterable[str]) -> str:
    """Returns a wrapped line of the file, whose continuation is indented."""
    line = " ".join([f"{head}:", *sorted(names)])
    return textwrap.fill(line, 100, subsequent_indent=" ", break_on_hyphens=False)


def module_entries(modules: dict[str, list[str]]) -> Iterable[str]:
    """Yields the entries of the namespaces, `tf` first."""
    for path, names in sorted(modules.items(), key=lambda item: (item[0].startswith(OLD), item[0])):
        new = path.removeprefix(f"{OLD}.")
        if path == new or new not in modules:
            yield entry(f"tf.{path}".rstrip("."), names)
        else:
            here, there = set(names), set(modules[new])
            changes = [f"+{n}" for n in here - there] + [f"-{n}" for n in there - here]
            yield entry(f"tf.{path} = tf.{new}", changes)


def class_entries(classes: dict[type, list[str]]) -> Iterable[str]:
    """Yields each class's entry: all paths, the nearest public base, and the added members."""
    for cls, paths in sorted(classes.items(), key=lambda item: item[1]):
        base = next((base for base in cls.__mro__[1:] if base in classes), None)
        inherited = members(base) if base else set()
        if own := members(cls):
            head = "class " + " ".join(f"tf.{path}" for path in sorted(paths, key=len))
            yield entry(
                head + (f" < tf.{min(classes[base], key=len)}" if base else ""), own - inherited
            )


def main() -> int:
    """Writes the file."""
    root = importlib.import_module("tensorflow._api.v2.v2")
    version = importlib.import_module("tensorflow").__version__
    walk = Walk(root)
    title = f"# The public names of TensorFlow {version}, by tools/read_tensorflow_names.py"
    lines = [title, *module_entries(walk.modules), *class_entries(walk.classes)]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
