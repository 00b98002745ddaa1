"""The samples as TensorFlow runs them: gradtape's names stand for TensorFlow's there."""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

FACES = ("", "math", "nn", "linalg", "signal", "image", "random", "sparse", "strings", "debugging")


_SAME = {"matmul_p", "real_p", "imag_p", "conj_p"}  # primitives that take what users give


class NotInTensorFlowError(Exception):
    """A sample calls what is gradtape's alone."""


class Standing(types.ModuleType):
    """A module of gradtape whose functions are TensorFlow's of the same public names."""

    def __init__(self, tf: Any, ours: Any, names: dict[int, str]) -> None:
        super().__init__(ours.__name__)
        self._tf, self._ours, self._names = tf, ours, names

    def __getattr__(self, name: str) -> Any:
        thing = getattr(self._ours, name)
        if isinstance(thing, types.ModuleType):
            return sys.modules[thing.__name__]
        public = self._names.get(id(thing)) or self._names.get(name.removesuffix("_p"))
        if public is None:
            return thing if isinstance(thing, type) or not callable(thing) else absent(name)
        found = self._tf
        for part in public.split("."):
            found = getattr(found, part)
        return found if name in _SAME or not name.endswith("_p") else absent(name)


def absent(name: str) -> Any:
    """Returns a placeholder for a function that TensorFlow does not have."""

    def call(*args: Any, **kwargs: Any) -> Any:
        raise NotInTensorFlowError(name)

    return call


def public_names(ours: Any) -> dict[Any, str]:
    """The public name of each function, by its id and by its own name."""
    found: dict[Any, str] = {}
    for face in FACES:
        place = getattr(ours, face) if face else ours
        for name, thing in vars(place).items():
            if callable(thing) and not name.startswith("_"):
                public = f"{face}.{name}" if face else name
                found.setdefault(id(thing), public)
                found.setdefault(name, public)
    return found


def samples_of(tf: Any) -> list[Any]:
    """The table of samples with TensorFlow's functions in place of gradtape's.

    Gradtape's modules are gone afterwards: nothing else of it can be imported in the process.
    """
    import samples

    ours = importlib.import_module("gradtape")
    names = public_names(ours)
    for name in [n for n in sys.modules if n.startswith("samples")]:
        del sys.modules[name]
    del samples
    for name, module in list(sys.modules.items()):
        if name.startswith("gradtape."):
            sys.modules[name] = Standing(tf, module, names)
            vars(sys.modules[name])["__path__"] = []
    sys.modules["gradtape"] = tf
    return importlib.import_module("samples").SAMPLES
