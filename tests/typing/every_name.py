"""Prints a program that looks at each public name of tf once, for checkers to read."""

from types import ModuleType

import gradtape as tf

found, seen = ["import gradtape as tf"], set()


def walk(module, path):
    """Adds the names in a namespace and in those below it."""
    for name in dir(module):
        value = None if name[0] == "_" else getattr(module, name)
        if isinstance(value, ModuleType):
            if value.__name__.startswith("gradtape") and value.__name__ not in seen:
                seen.add(value.__name__)
                walk(value, f"{path}.{name}")
        elif name[0] != "_":
            found.append(f"{path}.{name}")


walk(tf, "tf")
print("\n".join(found))
