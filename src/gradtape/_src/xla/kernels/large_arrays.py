"""XLA kernels for eager operations on large NumPy arrays; needs JAX.

The Python program stays eager: each compiled program is one operation or one part of its gradient.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import jax
import numpy as np

from gradtape._src.graph import jax_private

Kernel = Callable[..., Any]
_AGAIN = 3  # the number of calls with one shape after which compilation pays off
_MANY = 512  # the maximum number of cached programs

_programs: dict[tuple[Any, ...], Kernel] = {}
_seen: dict[tuple[Any, ...], int] = {}
_making = threading.Lock()


def compute(kernel: Kernel, x: Any, n: int) -> np.ndarray[Any, Any] | np.generic | None:
    """Computes a kernel on an array.

    Args:
      kernel: A function of JAX arrays.
      x: A contiguous array.
      n: The length of the rows, or 0 if the kernel is elementwise.

    Returns:
      A writable NumPy array, or None if NumPy should compute the result.
    """
    char = x.dtype.char
    if char not in "fd":
        return None
    flat = x.reshape(-1, n) if n else x.reshape(-1)
    key = kernel, char, flat.shape
    with jax.enable_x64(True) if char == "d" else nullcontext():
        program = _programs.get(key) or _made(key, flat)
        if program is None:
            return None
        out: np.ndarray[Any, Any] = _of_numpy(program(flat).block_until_ready(), x.shape)
        return out


def _made(key: tuple[Any, ...], x: Any) -> Kernel | None:
    """Returns the program for a shape that occurs repeatedly."""
    with _making:
        count = _seen[key] = _seen.get(key, 0) + 1
        if len(_seen) > 4 * _MANY:
            _seen.clear()
        if count < _AGAIN or len(_programs) >= _MANY:
            return _programs.get(key)
        place = jax.sharding.SingleDeviceSharding(jax.local_devices(backend="cpu")[0])
        spec = jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=place)
        # A program that is compiled ahead of time also runs while a function is being traced.
        made = jax.jit(key[0]).lower(spec).compile()
        return _programs.setdefault(key, made)


def _of_numpy(array: Any, shape: tuple[int, ...]) -> Any:
    """Returns a writable NumPy array that uses the memory of an unshared result."""
    pointer = jax_private.found(jax_private.BUFFER)
    if pointer is None:
        return np.array(array).reshape(shape)
    memory = (ctypes.c_char * array.nbytes).from_address(pointer(array))
    memory.owner = array
    return np.ndarray(shape, array.dtype, memory)
