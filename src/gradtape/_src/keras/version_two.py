"""Keras 3 under the name `tf_keras`, the package of Keras 2, from which libraries import.

Keras 2 itself is built on TensorFlow's graphs. Here, `tf_keras` is Keras 3, except for optimizers
and layers: optimizers have `minimize`, and both may be subclassed as in Keras 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

import keras

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.core.tensor import Tensor
from gradtape._src.keras.legacy_layer import AsInKerasTwo, LegacyLayer
from gradtape._src.keras.legacy_optimizer import LegacyOptimizer, gradients_of
from gradtape._src.keras.output_shapes import register_symbolic_tensor_type

_ROOT = "tf_keras"


class Optimizer(keras.optimizers.Optimizer):  # type: ignore[misc]  # Keras is not typed
    """The base class of optimizers, with the arguments and methods of Keras 2.

    Args:
      learning_rate: A number or a schedule; or the optimizer's name, since subclasses written for
        Keras 2 pass it first.
      jit_compile: Accepted for compatibility.
      **kwargs: The arguments of the optimizers of Keras 3.
    """

    def __init__(
        self,
        learning_rate: object = 0.0,
        *args: Any,
        jit_compile: bool = True,
        **kwargs: Any,
    ) -> None:
        if isinstance(learning_rate, str):
            kwargs["name"], learning_rate = learning_rate, 0.0
        super().__init__(learning_rate, *args, **kwargs)

    @property
    def lr(self) -> object:
        """The learning rate."""
        return self.learning_rate

    @lr.setter
    def lr(self, value: object) -> None:
        self.learning_rate = value

    def minimize(
        self,
        loss: Tensor | Callable[[], Tensor],
        var_list: Sequence[Any] | Callable[[], Sequence[Any]],
        tape: GradientTape | None = None,
    ) -> None:
        """Computes the gradients of a loss, and applies them.

        Args:
          loss: A function that returns the loss; or the loss, if there is a tape.
          var_list: The variables, or a function that returns them.
          tape: The tape that recorded the loss.

        Raises:
          ValueError: `loss` is a tensor, and there is no tape.
        """
        self.apply_gradients(self.compute_gradients(loss, var_list, tape))

    def compute_gradients(
        self,
        loss: Tensor | Callable[[], Tensor],
        var_list: Sequence[Any] | Callable[[], Sequence[Any]],
        tape: GradientTape | None = None,
    ) -> list[tuple[Any, Any]]:
        """Returns the pairs of gradients and variables; see `minimize`."""
        variables, gradients = gradients_of(loss, var_list, tape)
        return list(zip(gradients, variables, strict=True))


def module(path: str) -> ModuleType:
    """Returns the module at a path below `tf_keras`.

    Args:
      path: Such as `"layers"`, or `""` for `tf_keras` itself.

    Raises:
      ModuleNotFoundError: Keras 3 has no such module.
    """
    made = _MADE.get(path)
    if made is not None:
        return made()
    value: Any = keras
    for name in path.split("."):
        value = getattr(value, name, None)
    if not isinstance(value, ModuleType):
        name = f"{_ROOT}.{path}"
        raise ModuleNotFoundError(
            f"No module named {name!r}: {_ROOT} is Keras 3 here, which has no such module",
            name=name,
        )
    return value


def _root() -> ModuleType:
    made = {name: make() for name, make in _MADE.items() if name and "." not in name}
    found = _module("", {**vars(keras), **made})
    found.__all__ = [name for name in vars(found) if not name.startswith("_")]  # type: ignore[attr-defined]
    return found


def _optimizers() -> ModuleType:
    names = {
        name: _derived(value) if _is_optimizer(value) else value
        for name, value in vars(keras.optimizers).items()
    }
    return _module("optimizers", {**names, "Optimizer": Optimizer, "legacy": _legacy()})


def _legacy() -> ModuleType:
    return _module("optimizers.legacy", {"Optimizer": LegacyOptimizer})


def _layers() -> ModuleType:
    function = type(
        "Lambda", (AsInKerasTwo, keras.layers.Lambda), {"__module__": f"{_ROOT}.layers"}
    )
    return _module("layers", {**vars(keras.layers), "Layer": LegacyLayer, "Lambda": function})


def _backend() -> ModuleType:
    return _module("backend", {**vars(keras.backend), "learning_phase": _learning_phase})


def _internal() -> ModuleType:
    names = {"register_symbolic_tensor_type": register_symbolic_tensor_type}
    return _module("__internal__", {"utils": _module("__internal__.utils", names)})


def _learning_phase() -> int:
    """Returns 0: outside of a call with `training`, layers do not train."""
    return 0


def _is_optimizer(value: object) -> bool:
    base = keras.optimizers.Optimizer
    return isinstance(value, type) and issubclass(value, base) and value is not base


def _derived(base: type) -> type:
    """Returns a class of optimizers with Keras 2's arguments and methods."""
    return type(base.__name__, (base, Optimizer), {"__module__": f"{_ROOT}.optimizers"})


def _module(path: str, names: Mapping[str, object]) -> ModuleType:
    found = ModuleType(f"{_ROOT}.{path}".rstrip("."))
    vars(found).update((name, x) for name, x in names.items() if name[0] != "_" or name in _MADE)
    return found


_MADE: dict[str, Callable[[], ModuleType]] = {
    "": _root,
    "__internal__": _internal,
    "backend": _backend,
    "layers": _layers,
    "optimizers": _optimizers,
    "optimizers.legacy": _legacy,
}
