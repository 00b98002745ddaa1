"""The facts that are known while a function is traced, and the user's line that runs."""

from __future__ import annotations

import linecache
import sys
from types import FrameType
from typing import Any

import numpy as np

from gradtape._src.autodiff.vectorize import Batch
from gradtape._src.autograph.features import OPERATORS
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.eager_only import active_compiler

_KNOWN = (np.ndarray, np.generic)


def is_symbolic(x: Any) -> bool:
    """Whether a value is not known while the function that runs now is traced."""
    if type(x) is not Tensor:
        return type(x) is not bool and isinstance(x, Variable) and active_compiler() is not None
    value = x._value
    while type(value) is Batch:
        value = value.inner._value if type(value.inner) is Tensor else value.inner
    return not isinstance(value, _KNOWN) and active_compiler() is not None


def is_data_set(x: Any) -> bool:
    """Whether a value is a data set, and a function is traced."""
    return hasattr(x, "_traced_loop") and hasattr(x, "take_while") and active_compiler() is not None


def is_iterator(x: Any) -> bool:
    """Whether a value is an iterator over a data set, and a function is traced."""
    optional = hasattr(x, "get_next_as_optional")
    return optional and hasattr(x, "_traced_loop") and active_compiler() is not None


SHORT = 16
"""Turns from which a loop over tensors is traced as one, where fewer are traced each by itself."""


def least_turns() -> int:
    """Returns the least number of turns of a loop over known tensors that is traced as a loop.

    Who traces says so by an attribute of that name: a compiler whose loops lack derivatives or
    shapes that change has short ones written out.
    """
    least: int = getattr(active_compiler(), "least_turns", SHORT)
    return least


def users_frame() -> FrameType | None:
    """Returns the innermost frame of converted code."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and OPERATORS not in frame.f_code.co_freevars:
        frame = frame.f_back
    return frame


def users_error(kind: type[Exception], message: str) -> Exception:
    """Returns an error whose message begins with the line of the user's function that runs now."""
    frame = users_frame()
    if frame is None:
        return kind(message)
    code, line = frame.f_code, frame.f_lineno
    source = linecache.getline(code.co_filename, line, frame.f_globals).strip()
    text = message.replace("\n", "\n    ")
    return kind(
        f'in user code:\n\n    File "{code.co_filename}", line {line}, in {code.co_name}  *\n'
        f"        {source}\n\n    {kind.__name__}: {text}\n"
    )
