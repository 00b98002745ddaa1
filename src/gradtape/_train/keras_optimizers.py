"""One step of Keras' most used optimizers, each as one computation on raw values.

The formulas and the order of roundings are Keras' own. Everything that is not the everyday case
(rows alone, `amsgrad`, another dtype, somebody who watches the operations) is left to Keras.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._core.convert import tensor
from gradtape._core.recorder import active_tapes
from gradtape._core.tensor import Tensor
from gradtape._core.variable import Variable

_FUSED = (np.float32, np.float64)


def _everyday(gradient: Any, variable: Any, *slots: Any) -> bool:
    """Whether everything is dense, of one dtype and unwatched."""
    if type(gradient) is not Tensor or type(variable) is not Variable or active_tapes() is None:
        return False
    dtype = variable._value.dtype
    return (
        dtype.type in _FUSED
        and gradient._value.dtype is dtype
        and all(type(s) is Variable and s._value.dtype is dtype for s in slots)
    )


def _scalar(value: Any, dtype: Any) -> Any:
    """A rate as a scalar of the dtype; it may be a variable."""
    return dtype.type(value if isinstance(value, (int, float)) else tensor(value)._value)


def adam(module: Any) -> None:
    """`Adam`, and `AdamW`, which is Adam with a decay before each step."""
    original = module.Adam.update_step

    def update_step(self: Any, gradient: Any, variable: Any, learning_rate: Any) -> None:
        index = self._get_variable_index(variable)
        m, v = self._momentums[index].value, self._velocities[index].value
        if self.amsgrad or not _everyday(gradient, variable, m, v):
            original(self, gradient, variable, learning_rate)
            return
        g, dtype = gradient._value, variable._value.dtype
        one = dtype.type
        with np.errstate(all="ignore"):
            step = one(int(tensor(self.iterations)._value) + 1)
            rest_1 = 1 - one(self.beta_1) ** step
            rest_2 = 1 - one(self.beta_2) ** step
            alpha = _scalar(learning_rate, dtype) * np.sqrt(rest_2) / rest_1
            change = g - m._value
            change *= one(1 - self.beta_1)
            change += m._value
            m._store(change, read_value=False)
            square = g * g
            square -= v._value
            square *= one(1 - self.beta_2)
            square += v._value
            v._store(square, read_value=False)
            root = np.sqrt(square)
            root += one(self.epsilon)
            change = change * alpha
            change /= root
            variable._store(variable._value - change, read_value=False)

    module.Adam.update_step = update_step


def sgd(module: Any) -> None:
    """`SGD`, with and without momentum."""
    original = module.SGD.update_step

    def update_step(self: Any, gradient: Any, variable: Any, learning_rate: Any) -> None:
        slots = []
        if self.momentum:
            slots.append(self.momentums[self._get_variable_index(variable)].value)
        if not _everyday(gradient, variable, *slots):
            original(self, gradient, variable, learning_rate)
            return
        value = variable._value
        with np.errstate(all="ignore"):
            step = gradient._value * _scalar(learning_rate, value.dtype)
            if not slots:
                variable._store(value - step, read_value=False)
                return
            momentum = value.dtype.type(self.momentum)
            moved = slots[0]._value * momentum
            moved -= step
            slots[0]._store(moved, read_value=False)
            if self.nesterov:
                moved = moved * momentum
                moved -= step
            variable._store(value + moved, read_value=False)

    module.SGD.update_step = update_step
