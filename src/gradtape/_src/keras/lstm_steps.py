"""Keras' LSTM, with steps written in gradtape's own operations.

Keras calls the cell as a layer for every step, which costs many times the arithmetic. Here, one
product handles the inputs of all steps, and a step is a dozen operations. Masks, recurrent dropout,
other activations and symbolic values are left to Keras.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.structural import reshape_p, stack_p, transpose_p
from gradtape._src.keras.arithmetic import FLOATS, as_tensor
from gradtape._src.ops.array.joining import split_p, unstack_p
from gradtape._src.ops.elementwise.exponential import sigmoid_p
from gradtape._src.ops.elementwise.trigonometric import tanh_p
from gradtape._src.ops.linalg.matmul import matmul_p


def no_cudnn(original: Any, module: Any) -> Callable[[], bool]:
    """Disables cuDNN's loops, which Keras uses on GPUs; XLA compiles the plain loop there."""
    return lambda: False


def inner_loop(original: Any, module: Any) -> Callable[..., Any]:
    """Runs the loop over the steps of an LSTM with a few operations per step."""
    sigmoid, tanh = module.activations.sigmoid, module.activations.tanh

    def weights(self: Any, sequences: Any, states: Any, mask: Any, training: Any) -> Any:
        """Returns the kernels and the bias if these steps implement the case, else None."""
        cell = self.cell
        usual = (
            mask is None
            and type(cell) is module.LSTMCell
            and cell.implementation == 2
            and cell.activation is tanh
            and cell.recurrent_activation is sigmoid
            and not (training and (cell.dropout or cell.recurrent_dropout))
            and cell.activity_regularizer is None
            and getattr(cell, "quantization_mode", None) is None
            and cell._remat_mode is None
        )
        if not usual:
            return None
        found = [as_tensor(w) for w in (cell.kernel, cell.recurrent_kernel)]
        found.append(as_tensor(cell.bias) if cell.use_bias else None)
        tensors = [x for x in (sequences, *states, *found) if x is not None]
        if not all(type(x) is Tensor and isinstance(x._value, np.ndarray) for x in tensors):
            return None
        dtypes = {x._value.dtype for x in tensors}
        known = len(dtypes) == 1 and dtypes <= FLOATS and sequences._value.ndim == 3
        return found if known and sequences._value.shape[1] else None

    @functools.wraps(original)
    def inner_loop(
        self: Any, sequences: Any, initial_state: Any, mask: Any, training: Any = False
    ) -> Any:
        found = weights(self, sequences, initial_state, mask, training)
        if found is None:
            return original(self, sequences, initial_state, mask, training)
        outputs, states = _run(sequences, initial_state, *found, backwards=self.go_backwards)
        if self.return_sequences:
            every = transpose_p(stack_p(*outputs), perm=(1, 0, 2))
        else:
            every = reshape_p(outputs[-1], shape=(len(outputs[-1]), 1, self.units))
        return outputs[-1], every, states

    return inner_loop


def _run(x: Any, states: Any, kernel: Any, inner: Any, bias: Any, *, backwards: bool) -> Any:
    """Returns the outputs of all steps and the last states.

    i, f, o = sigmoid(z), new = tanh(z), c = f c + i new, h = o tanh(c) (Gers et al., 2000).
    """
    batch, steps, width = x._value.shape
    units = inner._value.shape[0]
    x = reshape_p(transpose_p(x, perm=(1, 0, 2)), shape=(steps * batch, width))
    z = matmul_p(x, kernel)
    if bias is not None:
        z = z + bias
    parts = unstack_p(reshape_p(z, shape=(steps, batch, 4 * units)))
    h, c = states
    outputs = []
    for part in reversed(parts) if backwards else parts:
        z = part + matmul_p(h, inner)
        gates, new, out = split_p(z, lengths=(2 * units, units, units), axis=-1)
        i, f = split_p(sigmoid_p(gates), lengths=(units, units), axis=-1)
        c = f * c + i * tanh_p(new)
        h = sigmoid_p(out) * tanh_p(c)
        outputs.append(h)
    return outputs, [h, c]
