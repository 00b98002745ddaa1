"""Keras' convolutions that TensorFlow cannot compute on a CPU without XLA."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from gradtape._src.ops.nn.convolution import convolution


def conv(original: Any, module: Any) -> Callable[..., Any]:
    """Computes convolutions in groups and with channels first, for which TensorFlow needs XLA."""

    @functools.wraps(original)
    def conv(
        inputs: Any,
        kernel: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
    ) -> Any:
        layout = module.backend.standardize_data_format(data_format)
        rank, last = len(inputs.shape), layout == "channels_last"
        channels = inputs.shape[-1 if last else 1]
        if channels == kernel.shape[-2] and (last or rank < 5):
            return original(inputs, kernel, strides, padding, data_format, dilation_rate)
        named = module._convert_data_format(layout, rank)
        return convolution(inputs, kernel, strides, padding.upper(), named, dilation_rate)

    return conv
