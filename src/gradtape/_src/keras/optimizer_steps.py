"""Steps of Keras' most used optimizers, each as one computation on raw values.

The formulas and the order of roundings are Keras' own. Other cases (`amsgrad`, another dtype,
active recorders) are left to Keras.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.device_values import state_lock
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.convert import tensor
from gradtape._src.core.recorder import active_tapes
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.distribute.context import replica_context
from gradtape._src.ops.array.row_sums import to_dense

_FUSED = (np.float32, np.float64)
_NUMBERS = frozenset({float, int})


def _everyday(gradient: Any, variable: Any, *slots: Any) -> bool:
    """Whether all values are dense, of one dtype and unwatched."""
    if type(gradient) is not Tensor or type(variable) is not Variable or active_tapes() is None:
        return False
    dtype = variable._value.dtype
    return (
        dtype.type in _FUSED
        and gradient._value.dtype is dtype
        and all(type(s) is Variable and s._value.dtype is dtype for s in slots)
    )


def _scalar(value: Any, dtype: Any) -> Any:
    """Casts a number, tensor or variable as Keras does, where a float first becomes float32."""
    return dtype.type(np.float32(value) if type(value) is float else tensor(value)._value)


class _Rates(NamedTuple):
    """The factors of a step of Adam, for one dtype."""

    alpha: Any  # the learning rate, with the bias correction of the averages
    rest_1: Any
    rest_2: Any
    epsilon: Any


def _rates(self: Any, learning_rate: Any, dtype: Any) -> _Rates | None:
    """Returns the rates of a step; None if they are not plain numbers."""
    if not {type(self.beta_1), type(self.beta_2), type(self.epsilon)} <= _NUMBERS:
        return None
    one = dtype.type
    step = one(int(tensor(self.iterations)._value) + 1)
    alpha = _scalar(learning_rate, dtype) * np.sqrt(1 - _scalar(self.beta_2, dtype) ** step)
    alpha = alpha / (1 - _scalar(self.beta_1, dtype) ** step)
    return _Rates(alpha, one(1 - self.beta_1), one(1 - self.beta_2), one(self.epsilon))


def _adam_step(g: Any, square: Any, variable: Any, m: Any, v: Any, rates: _Rates) -> None:
    """Updates a variable and its averages; overwrites `square` with the second average."""
    change = g - m._value
    change *= rates.rest_1
    change += m._value
    m._store(change, read_value=False)
    square -= v._value
    square *= rates.rest_2
    square += v._value
    v._store(square, read_value=False)
    root = np.sqrt(square)
    root += rates.epsilon
    change = change * rates.alpha
    change /= root
    variable._store(variable._value - change, read_value=False)


def _whole(gradient: Any) -> tuple[Any, Any]:
    """Returns a raw gradient and its square; rows are squared separately, as in Keras."""
    if type(gradient) is Tensor:
        g = gradient._value
        return g, g * g
    rows = [gradient.values, gradient.values * gradient.values]
    dense = [to_dense(IndexedSlices(r, gradient.indices, gradient.dense_shape)) for r in rows]
    return dense[0]._value, dense[1]._value


def _moved(self: Any, gradient: Any, variable: Any, learning_rate: Any, known: Any) -> bool:
    """Makes a step of Adam in the usual case; returns whether the case was handled.

    `known` caches the step's rates by dtype.
    """
    index = self._get_variable_index(variable)
    m, v = self._momentums[index].value, self._velocities[index].value
    first = gradient
    if type(gradient) is IndexedSlices and gradient.dense_shape is not None:
        first = gradient.values
    if self.amsgrad or not _everyday(first, variable, m, v):
        return False
    dtype = variable._value.dtype
    rates = known.get(dtype) or _rates(self, learning_rate, dtype)
    if rates is None:
        return False
    known[dtype] = rates
    with state_lock:
        _adam_step(*_whole(gradient), variable, m, v, rates)
    return True


def _sgd_step(
    step: Any, variable: Any, slots: Sequence[Any], momentum: Any, *, nesterov: bool
) -> None:
    """Updates a variable, and its momentum if there is one."""
    if not slots:
        variable._store(variable._value - step, read_value=False)
        return
    moved = slots[0]._value * momentum
    moved -= step
    slots[0]._store(moved, read_value=False)
    if nesterov:
        moved = moved * momentum
        moved -= step
    variable._store(variable._value + moved, read_value=False)


def _descended(self: Any, gradient: Any, variable: Any, learning_rate: Any, known: Any) -> bool:
    """Makes a step of `SGD`, like `_moved`; `known` caches its rate and its momentum by dtype."""
    slots = []
    if self.momentum:
        slots.append(self.momentums[self._get_variable_index(variable)].value)
    if not _everyday(gradient, variable, *slots):
        return False
    dtype = variable._value.dtype
    if dtype not in known:
        momentum = _scalar(self.momentum, dtype) if slots else None
        known[dtype] = _scalar(learning_rate, dtype), momentum
    rate, momentum = known[dtype]
    with state_lock:
        _sgd_step(gradient._value * rate, variable, slots, momentum, nesterov=self.nesterov)
    return True


Maker = Callable[[Any, Any], Callable[..., None]]
_ASSIGNMENTS = ("assign", "assign_add", "assign_sub")


def _unchanged(self: Any, own: dict[str, Any]) -> bool:
    """Whether the methods that Keras' step calls are Keras' own, not those of a program."""
    kind = type(self)
    for name, method in own.items():  # takes a third as long as `all`
        if getattr(kind, name) is not method:
            return False
    return own.keys().isdisjoint(vars(self))


def _one_step(name: str, moved: Callable[..., bool]) -> Maker:
    """Returns the maker of an optimizer's step of one variable; takes what `_all_steps` takes."""

    def make(original: Any, module: Any) -> Callable[..., None]:
        own = {method: getattr(getattr(module, name), method) for method in _ASSIGNMENTS}

        @functools.wraps(original)
        def update_step(self: Any, gradient: Any, variable: Any, learning_rate: Any) -> None:
            with np.errstate(all="ignore"):
                usual = _unchanged(self, own)
                handled = usual and moved(self, gradient, variable, learning_rate, {})
            if not handled:
                original(self, gradient, variable, learning_rate)

        return update_step

    return make


def _all_steps(name: str, moved: Callable[..., bool]) -> Maker:
    """Returns the maker of the steps of all variables.

    Args:
      name: The class of the optimizer.
      moved: Makes a step of one variable in the usual case.
    """

    def make(original: Any, module: Any) -> Callable[..., None]:
        kind = getattr(module, name)
        own = {method: getattr(kind, method) for method in ("update_step", *_ASSIGNMENTS)}
        below = own["update_step"].__wrapped__

        @functools.wraps(original)
        def _backend_update_step(
            self: Any, grads: Any, trainable_variables: Any, learning_rate: Any
        ) -> None:
            alone = self._distribution_strategy._alone and replica_context() is None
            if not alone or not _unchanged(self, own):
                original(self, grads, trainable_variables, learning_rate)
                return
            known: dict[Any, Any] = {}
            with np.errstate(all="ignore"):
                for gradient, given in zip(grads, trainable_variables, strict=False):
                    variable = given if type(given) is Variable else given.value
                    if not moved(self, gradient, variable, learning_rate, known):
                        below(self, gradient, variable, learning_rate)

        return _backend_update_step

    return make


adam_step, adam_steps = _one_step("Adam", _moved), _all_steps("Adam", _moved)
sgd_step, sgd_steps = _one_step("SGD", _descended), _all_steps("SGD", _descended)


def key_of_variable(original: Any, module: Any) -> Callable[..., Any]:
    """Returns the key of a plain variable without making its handle, which has no container."""

    @functools.wraps(original)
    def _var_key(self: Any, variable: Any) -> Any:
        own = variable if type(variable) is Variable else getattr(variable, "_value", None)
        return own._unique_id if type(own) is Variable else original(self, variable)

    return _var_key
