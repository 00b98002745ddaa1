"""TensorFlow's private modules: the public functions and classes that libraries import from them.

`lists/private_homes.txt` lists the public names that each module of TensorFlow defines or imports.
It is read when a library first asks for a name that the modules in `compat/python` lack.
"""

import importlib
import inspect
from collections.abc import Callable
from functools import cache, reduce, wraps
from types import ModuleType
from typing import Any

from gradtape._src.compat.module_names import TENSORFLOW_SHIMS
from gradtape._src.compat.names import explain

ALIAS = "tensorflow"
PACKAGE = __name__.partition(".")[0]
FILE = f"{__file__.removesuffix('private_modules.py')}lists/private_homes.txt"
ROOTS = ("python.", "compiler.", "core.")
RAW = "raw_ops"


@cache
def private_homes() -> dict[str, dict[str, str]]:
    """Reads the public names that each private module contains.

    Returns:
        For each module, its names with the paths under which they are public. In the modules of
        generated functions, the name `raw_ops` stands for the raw operations.
    """
    with open(FILE, encoding="utf-8") as file:  # noqa: PTH123  (pathlib loads slowly)
        _, *lines = file.read().replace("\n ", " ").splitlines()
    homes: dict[str, dict[str, str]] = {}
    contained: dict[str, list[str]] = {}
    for line in lines:
        module, _, words = line.partition(":")
        names = homes[module] = {}
        for word in words.split():
            if word == f"*{RAW}":
                names[RAW] = RAW
            elif word.startswith("*"):
                contained.setdefault(module, []).append(word[1:])
            else:
                name, _, path = word.partition("=")
                names[name] = f"{path}{name}" if path.endswith(".") else path or name
    own = {module: dict(names) for module, names in homes.items()}
    for module, others in contained.items():
        for other in others:
            homes[module].update(own[other])
    return homes


@cache
def _raw_names() -> dict[str, str]:
    """Returns the raw operations' names, by the functions' names in generated modules."""
    return {name.lower(): name for name in dir(importlib.import_module(f"{PACKAGE}.{RAW}"))}


def _generated(name: str) -> Callable[..., Any] | None:
    """Returns a function of a generated module: a raw operation with positional arguments."""
    raw = _raw_names().get(name.replace("_", ""))
    if raw is None:
        return None
    function = getattr(importlib.import_module(f"{PACKAGE}.{RAW}"), raw)
    signature = inspect.signature(function)
    signature = signature.replace(
        parameters=[p.replace(kind=p.POSITIONAL_OR_KEYWORD) for p in signature.parameters.values()]
    )

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(**signature.bind(*args, **kwargs).arguments)

    call.__name__ = call.__qualname__ = name
    return call


def _is_private(path: str) -> bool:
    """Whether TensorFlow has a private module at this path below `tensorflow`."""
    return path in TENSORFLOW_SHIMS or path in private_homes()


def is_private_package(path: str) -> bool:
    """Whether private modules of TensorFlow lie below this path."""
    below = f"{path}."
    if not below.startswith(ROOTS):
        return False

    def below_it(module: str) -> bool:
        return module.startswith(below)

    return any(map(below_it, TENSORFLOW_SHIMS)) or any(map(below_it, private_homes()))


class PrivateModule(ModuleType):
    """A private module of TensorFlow, which looks up each value on first use."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{ALIAS}.{path}")
        self._path = path
        self._shim = TENSORFLOW_SHIMS.get(path)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name)
        path = f"{self._path}.{name}"
        if self._shim is not None and hasattr(shim := importlib.import_module(self._shim), name):
            return getattr(shim, name)
        if _is_private(path) or is_private_package(path):
            return importlib.import_module(f"{ALIAS}.{path}")
        value = self._public(name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        shim = dir(importlib.import_module(self._shim)) if self._shim else []
        return sorted({*super().__dir__(), *shim, *private_homes().get(self._path, {})})

    def _public(self, name: str) -> Any:
        names = private_homes().get(self._path, {})
        if RAW in names and (function := _generated(name)) is not None:
            return function
        public = names.get(name)
        try:
            if public is not None:
                return reduce(getattr, public.split("."), importlib.import_module(PACKAGE))
        except AttributeError:
            raise AttributeError(explain(public or name), name=name) from None
        raise AttributeError(explain(f"{self._path}.{name}"), name=name)


def private_module(path: str) -> ModuleType | None:
    """Returns the private module of TensorFlow at a path below `tensorflow`; None if it has none.

    Args:
        path: A dotted name, such as `"python.ops.array_ops"`.
    """
    if not path.startswith(ROOTS) and f"{path}." not in ROOTS:
        return None
    if path.endswith("_pb2") and path in TENSORFLOW_SHIMS:
        return importlib.import_module(TENSORFLOW_SHIMS[path])
    return PrivateModule(path) if _is_private(path) or is_private_package(path) else None
