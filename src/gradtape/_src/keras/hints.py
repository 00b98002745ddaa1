"""Adds advice to messages of Keras, and removes lines of Keras and gradtape from tracebacks."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gradtape._src.base.errors import announced
from gradtape._src.core.tensor import TensorLike
from gradtape._src.core.tracebacks import Filtering, hidden_in_tests, hide, is_ours
from gradtape._src.core.variable import Variable
from gradtape._src.profiling.sections import section

__tracebackhide__ = hidden_in_tests
_RENAMED = {
    "lr": "learning_rate",
    "beta1": "beta_1",
    "beta2": "beta_2",
    "eps": "epsilon",
    "momentum_": "momentum",
}
_PAIRS = "apply_gradients takes pairs (gradient, variable): zip(gradients, variables)"


def include_frame(original: Any, module: Any) -> Callable[[str], bool]:
    """Makes Keras' filter remove gradtape's frames, and gradtape's filter remove Keras' frames."""
    hide(str(Path(module.__file__).parents[1]), module.is_traceback_filtering_enabled)

    @functools.wraps(original)
    def include_frame(fname: str) -> bool:
        return original(fname) and not (Filtering.on and is_ours(fname))

    return include_frame


def get(original: Any, module: Any) -> Callable[[Any], Any]:
    """Adds the nearest known names to the error for a misspelt identifier."""

    @functools.wraps(original)
    def get(identifier: Any) -> object:
        try:
            return original(identifier)
        except ValueError as error:
            names = module.ALL_OBJECTS_DICT
            if not isinstance(identifier, str) or identifier in names:
                raise
            near = difflib.get_close_matches(identifier, [n for n in names if n], 3)
            hint = f" (the nearest: {', '.join(map(repr, near))})" if near else ""
            raise ValueError(f"{error}{hint}") from None

    return get


def init(original: Any, module: Any) -> Callable[..., None]:
    """Adds the current name of an argument that older versions of Keras or other libraries use."""

    @functools.wraps(original)
    def initialized(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            original(self, *args, **kwargs)
        except ValueError as error:
            if not str(error).startswith("Argument(s) not recognized"):
                raise
            hints = [f"`{old}` is `{new}` here" for old, new in _RENAMED.items() if old in kwargs]
            hint = f" ({', '.join(hints)})" if hints else ""
            raise announced(ValueError(f"{error}{hint}")) from None

    return initialized


def apply_gradients(original: Any, module: Any) -> Callable[[Any, Any], Any]:
    """Adds the reason to the error for pairs that are swapped, or objects that are not pairs."""
    section(module.BaseOptimizer, "apply", "optimizer step", "optimizer")

    @functools.wraps(original)
    def apply_gradients(self: Any, grads_and_vars: Any) -> object:
        pairs = list(grads_and_vars)
        try:
            grads, variables = zip(*pairs, strict=False)
            self.apply(grads, variables)
        except (AttributeError, TypeError, ValueError) as error:
            hint = _hint(pairs)
            if hint is None:
                raise
            raise announced(type(error)(f"{error} ({hint})")) from None
        return self._iterations

    return apply_gradients


def _hint(pairs: list[Any]) -> str | None:
    """Returns what is wrong with pairs passed to an optimizer; None if it is unknown."""
    if not pairs:
        return f"there are no pairs; {_PAIRS}"
    for pair in pairs:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            kind = "a tensor" if isinstance(pair, TensorLike) else f"{pair!r}"
            return f"{_PAIRS}; one of them is {kind}"
        if isinstance(pair[0], Variable) and not _is_variable(pair[1]):
            return f"{_PAIRS}; here the variable comes first"
    if all(pair[0] is None for pair in pairs):
        return "all gradients are None: tape.explain(loss, variable) says why"
    return None


def _is_variable(x: Any) -> bool:
    return isinstance(x, Variable) or isinstance(getattr(x, "value", None), Variable)
