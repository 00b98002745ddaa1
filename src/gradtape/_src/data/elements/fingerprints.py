"""Computes a number that is equal for datasets created in the same way."""

from __future__ import annotations

import functools
import hashlib
import itertools
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.ops.types.specs import TypeSpec

_OURS = "gradtape."
_PLAIN = (int, float, complex, bool, str, bytes, type(None), type(Ellipsis), range)
_strangers = itertools.count()


def fingerprint_of(dataset: Any) -> int:
    """Returns a hash of a dataset's steps, their arguments and the code of functions.

    Args:
      dataset: The dataset.

    Returns:
      A number below 2⁶⁴. Datasets with objects that can't be compared, such as open files, have a
      unique number.
    """
    digest = hashlib.sha256()
    _Description(digest.update).of(dataset)
    return int.from_bytes(digest.digest()[:8], "little")


class _Description:
    """Describes the contents of objects, each object once.

    Args:
      tell: A function that is called with the bytes of the description.
    """

    def __init__(self, tell: Callable[[bytes], object]) -> None:
        self._tell = tell
        # Objects are kept alive so that ids stay unique.
        self._seen: dict[int, tuple[int, object]] = {}

    def _say(self, *words: object) -> None:
        self._tell(repr(words).encode())

    def of(self, value: Any) -> None:
        """Describes a value."""
        if isinstance(value, _PLAIN):
            self._say(type(value).__name__, value)
            return
        known = self._seen.get(id(value))
        if known is not None:
            self._say("again", known[0])
            return
        self._seen[id(value)] = (len(self._seen), value)
        if isinstance(value, (Tensor, Variable, np.ndarray, np.generic)):
            self._array(value)
        elif isinstance(value, (DType, TensorShape, TypeSpec, np.dtype)):
            self._say(repr(value))
        elif isinstance(value, (list, tuple, Mapping, set, frozenset)):
            self._container(value)
        else:
            self._object(value)

    def _each(self, what: str, parts: Any) -> None:
        self._say(what, len(parts))
        for part in parts:
            self.of(part)

    def _array(self, value: Any) -> None:
        array = np.asarray(value._numpy() if hasattr(value, "_numpy") else value)
        self._say("array", array.dtype.str, array.shape)
        is_text = array.dtype.kind == "O"
        self._tell(repr(array.tolist()).encode() if is_text else array.tobytes())

    def _container(self, value: Any) -> None:
        parts: list[Any] = list(value.items()) if isinstance(value, Mapping) else list(value)
        if isinstance(value, (set, frozenset)):
            parts.sort(key=repr)
        self._each(type(value).__name__, parts)

    def _object(self, value: Any) -> None:
        if isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(value, types.MethodType):
            self._each("method", (value.__func__, value.__self__))
        elif isinstance(value, functools.partial):
            self._each("partial", (value.func, value.args, value.keywords))
        elif isinstance(value, types.CodeType):
            self._code(value)
        elif isinstance(value, (type, types.ModuleType, types.BuiltinFunctionType, np.ufunc)):
            self._say(getattr(value, "__module__", ""), getattr(value, "__qualname__", repr(value)))
        elif hasattr(value, "_produce") and hasattr(value, "_kind"):
            self._each(value._kind, (value._produce, value._cardinality))
        elif hasattr(value, "_fingerprint_parts"):
            self._each(type(value).__name__, value._fingerprint_parts())
        elif hasattr(value, "__wrapped__"):  # also for the Python function of a tf.function
            self.of(value.__wrapped__)
        else:
            self._say("stranger", type(value).__qualname__, next(_strangers))

    def _function(self, function: types.FunctionType) -> None:
        module = function.__module__ or ""
        cells = []
        for cell in function.__closure__ or ():
            try:
                cells.append(cell.cell_contents)
            except ValueError:  # The closure cell is not filled yet.
                cells.append(None)
        self._each("function", (function.__defaults__, function.__kwdefaults__, cells))
        if module.startswith(_OURS):
            self._say(module, function.__qualname__, function.__code__.co_firstlineno)
            return
        self.of(function.__code__)
        names = [n for n in function.__code__.co_names if n in function.__globals__]
        self._each("globals", [(n, function.__globals__[n]) for n in names])

    def _code(self, code: types.CodeType) -> None:
        self._say(code.co_name, code.co_names, code.co_varnames, code.co_argcount)
        self._tell(code.co_code)
        self._each("constants", code.co_consts)
