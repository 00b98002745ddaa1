"""Fast paths for calls of Keras layers.

At every call, Keras binds the arguments to the signature, opens name scopes, looks for masks and
sets the same flags. If a layer gets one tensor, most of this work can be skipped.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from gradtape._src.core.tensor import Tensor

_FLAGS = frozenset({bool, type(None)})
_PLAIN = _FLAGS | {int, float, str}
_NAMED = inspect.Parameter.POSITIONAL_OR_KEYWORD


def get_tensor_attr(original: Any, module: Any) -> Callable[..., Any]:
    """Reads Keras' attributes of a tensor, such as a mask, from the tensor itself."""

    @functools.wraps(original)
    def get_tensor_attr(tensor: Any, attr: str) -> Any:
        if type(tensor) is not Tensor:
            return original(tensor, attr)
        return tensor.__dict__.get(attr)

    return get_tensor_attr


def set_flag(original: Any, module: Any) -> Callable[..., None]:
    """Skips the tracking of a flag that does not change."""

    @functools.wraps(original)
    def setattr_(self: Any, name: str, value: Any) -> None:
        if type(value) in _FLAGS and self.__dict__.get(name, self) is value:
            return
        original(self, name, value)

    return setattr_


def open_name_scope(original: Any, module: Any) -> Callable[..., Any]:
    """Opens the scope of a layer with a known path directly."""

    @functools.wraps(original)
    def _open_name_scope(self: Any) -> Any:
        if self._parent_path is None:
            return original(self)
        return module.backend.name_scope(self.name, caller=self)

    return _open_name_scope


def init_call_spec(original: Any, module: Any) -> Callable[..., None]:
    """Binds the arguments of a call with one tensor and flags by name, without `inspect`."""
    known: dict[int, tuple[inspect.Signature, dict[str, Any] | None]] = {}

    def arguments(signature: inspect.Signature) -> dict[str, Any] | None:
        """Returns the parameters with their defaults; None for signatures of another form."""
        found = known.get(id(signature))
        if found is None or found[0] is not signature:
            given = list(signature.parameters.values())
            usual = given and all(
                p.kind is _NAMED and (p is given[0] or type(p.default) in _PLAIN) for p in given
            )
            if len(known) > 4096:
                known.clear()
            made = {p.name: None if p is given[0] else p.default for p in given}
            found = known[id(signature)] = signature, made if usual else None
        return found[1]

    @functools.wraps(original)
    def init(self: Any, signature: Any, call_context_args: Any, args: Any, kwargs: Any) -> None:
        defaults = arguments(signature)
        if (
            defaults is None
            or len(args) != 1
            or type(args[0]) is not Tensor
            or not all(type(value) in _FLAGS for value in kwargs.values())
            or not all(name in defaults or name in call_context_args for name in kwargs)
            or (first := next(iter(defaults))) in kwargs
        ):
            original(self, signature, call_context_args, args, kwargs)
            return
        foreign = [name for name in kwargs if name not in defaults]
        user = {name: kwargs.pop(name) for name in foreign}
        user[first] = x = args[0]
        user.update(kwargs)
        self.user_arguments_dict = user
        self.arguments_dict = {**defaults, first: x, **kwargs}
        self.argument_names = list(defaults)
        self.tensor_arguments_dict = {first: x}
        self.tensor_arguments_names = [first]
        self.nested_tensor_argument_names = []
        self.first_arg = x
        self.eager = True

    return init
