"""Layer normalization by gradtape's operations, which make few passes over memory."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from gradtape._src.core.recorder import active_tapes
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.elementwise.casting import widened
from gradtape._src.ops.nn.fused_normalization import FUSED
from gradtape._src.ops.nn.normalization_by_moments import batch_normalization, in_dtype, moments


def layer_normalization(original: Any, module: Any) -> Callable[..., Any]:
    """Normalizes outside of graphs by one operation; Keras composes it of seven."""

    @functools.wraps(original)
    def _layer_normalization(
        x: Any,
        gamma: Any = None,
        beta: Any = None,
        axis: Any = -1,
        epsilon: Any = None,
        rms_scaling: bool = False,
    ) -> Any:
        wide = widened(x) if type(x) is Tensor and active_tapes() is not None else None
        if rms_scaling or wide is None or wide._value.dtype not in FUSED:
            return original(x, gamma, beta, axis, epsilon, rms_scaling)
        if epsilon is None:
            epsilon = module.backend.epsilon()
        shape = wide._value.shape
        axes = sorted([axis] if isinstance(axis, int) else axis)
        lengths = [1] * len(shape)
        for a in axes:
            lengths[a] = shape[a]

        def placed(v: Any) -> Any:
            if v is None:
                return None
            v = module.backend.convert_to_tensor(v, wide.dtype)
            return v if axes == [len(shape) - 1] else module.backend.numpy.reshape(v, lengths)

        mean, variance = moments(wide, axes, keepdims=True)
        out = batch_normalization(wide, mean, variance, placed(beta), placed(gamma), float(epsilon))
        return in_dtype(out, x._value.dtype)

    return _layer_normalization
