"""XLA's kernels for eager operations on large arrays, from NumPy and to NumPy; needs JAX.

The Python code around stays eager: a program here is one operation, or one part of its gradient.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import special

from gradtape._src.compute import formulas
from gradtape._src.graph import jax_private

Kernel = Callable[..., Any]
_AGAIN = 3  # calls with one shape from which compiling it pays
_MANY = 512  # programs that are kept


def _softplus(x: Any) -> Any:
    z = jnp.exp(-jnp.abs(x))
    if x.dtype == np.float32:
        s = z / (2 + z)
        q = s * s
        ratio = formulas.A + formulas.B * q + formulas.C / (formulas.D - q)
        return jnp.maximum(x, 0) + (z - s * (z - ratio))
    return jnp.maximum(x, 0) + jnp.log1p(z)


def _shifted(x: Any) -> Any:
    return x - jnp.max(x, -1, keepdims=True)


def _softmax(x: Any) -> Any:
    powers = jnp.exp(_shifted(x))
    return powers / jnp.sum(powers, -1, keepdims=True)


def _log_softmax(x: Any) -> Any:
    low = _shifted(x)
    return low - jnp.log(jnp.sum(jnp.exp(low), -1, keepdims=True))


KERNELS: dict[str, Kernel] = {
    "elu": lambda x: jnp.where(x > 0, x, jnp.expm1(jnp.minimum(x, 0))),
    "erf": special.erf,
    "erfc": special.erfc,
    "exp": jnp.exp,
    "expm1": jnp.expm1,
    "expm1_below": lambda x: jnp.expm1(jnp.minimum(x, 0)),
    "log": jnp.log,
    "log1p": jnp.log1p,
    "log_softmax": _log_softmax,
    "ndtr": special.ndtr,
    "sigmoid": lambda x: 1 / (1 + jnp.exp(-x)),
    "silu": lambda x: x / (1 + jnp.exp(-x)),
    "softmax": _softmax,
    "softplus": _softplus,
    "tanh": jnp.tanh,
}
"""By the names that `kernels` gives them; what XLA computes no faster than NumPy is not there."""

_programs: dict[tuple[Any, ...], Kernel] = {}
_seen: dict[tuple[Any, ...], int] = {}
_making = threading.Lock()


def compute(name: str, x: Any, n: int) -> Any:
    """What a kernel gives for an array.

    Args:
      name: The kernel's.
      x: A contiguous array.
      n: The length of its rows; 0 where the kernel works on each element by itself.

    Returns:
      An array of NumPy's that may be written to; None: NumPy is to compute it.
    """
    char = x.dtype.char
    if name not in KERNELS or char not in "fd":
        return None
    flat = x.reshape(-1, n) if n else x.reshape(-1)
    key = name, char, flat.shape
    with jax.enable_x64(True) if char == "d" else nullcontext():
        program = _programs.get(key) or _made(key, flat)
        if program is None:
            return None
        return _of_numpy(program(flat).block_until_ready(), x.shape)


def _made(key: tuple[Any, ...], x: Any) -> Kernel | None:
    """The program for a shape that comes again and again."""
    with _making:
        count = _seen[key] = _seen.get(key, 0) + 1
        if len(_seen) > 4 * _MANY:
            _seen.clear()
        if count < _AGAIN or len(_programs) >= _MANY:
            return _programs.get(key)
        place = jax.sharding.SingleDeviceSharding(jax.local_devices(backend="cpu")[0])
        spec = jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=place)
        # Compiled ahead, it runs within a function that is being traced, too.
        made = jax.jit(KERNELS[key[0]]).lower(spec).compile()
        return _programs.setdefault(key, made)


def _of_numpy(array: Any, shape: tuple[int, ...]) -> Any:
    """An array of NumPy's in the memory of a result that nobody else has: it may be written to."""
    pointer = jax_private.found(jax_private.BUFFER)
    if pointer is None:
        return np.array(array).reshape(shape)
    memory = (ctypes.c_char * array.nbytes).from_address(pointer(array))
    memory.owner = array
    return np.ndarray(shape, array.dtype, memory)
