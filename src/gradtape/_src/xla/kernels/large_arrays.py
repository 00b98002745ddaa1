"""XLA kernels for eager operations on large NumPy arrays; needs JAX.

The Python program stays eager: each compiled program is one operation or the gradient of one. The
declaration of an operation says whether this pays off (`Traits.costly`).
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gradtape._src.compute import jax_private
from gradtape._src.compute.formulas import AVX512, vectorized
from gradtape._src.compute.parallel import SHARED, Engine, crew
from gradtape._src.core.kernels import ExchangedKernels, ExchangedRules, Kernel
from gradtape._src.core.primitive import Plan, Primitive, Rule
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import REGISTRY
from gradtape._src.declare.traits import traits_of
from gradtape._src.raw import modules as _modules  # noqa: F401 (fills REGISTRY)
from gradtape._src.xla.compiler import Compiler
from gradtape._src.xla.kernels.lookup import kernel_of
from gradtape._src.xla.lowering import structured
from gradtape._src.xla.options import for_one_operation

ndarray = np.ndarray
_AGAIN = 3  # the number of calls with one shape after which compilation pays off
_MANY = 512  # the maximum number of cached programs

_programs: dict[tuple[Any, ...], Any] = {}  # None for what XLA does not compile
_seen: dict[tuple[Any, ...], int] = {}
_making = threading.Lock()
_exchanged: list[ExchangedKernels | ExchangedRules] = []


def exchange(enabled: bool) -> None:
    """Sets whether XLA computes costly operations, and gradients of operations, on large arrays."""
    while _exchanged:
        _exchanged.pop().put_back()
    if enabled:
        known = list(REGISTRY.values())
        costly = [p for p in known if traits_of(p).costly and not _is_fast(p)]
        _exchanged.append(ExchangedKernels(costly, _kernel_around))
        costly = [p for p in known if traits_of(p).costly_rule]
        _exchanged.append(ExchangedRules(costly, _rule_around))


def _is_fast(primitive: Primitive) -> bool:
    """Whether NumPy's code for AVX-512 computes an operation about as fast as XLA."""
    ufunc = getattr(primitive.kernel, "ufunc", None)
    name = primitive.name.lower() if ufunc is None else ufunc.__name__
    return vectorized(traits_of(primitive).costs_as or name, AVX512)


def _is_large(x: Any) -> bool:
    return type(x) is ndarray and x.size >= SHARED and Engine.is_xla


def _kernel_around(primitive: Primitive, own: Kernel) -> Kernel:
    """Returns a kernel that lets XLA compute large arrays."""
    formula = kernel_of(primitive)
    assert formula is not None

    def kernel(*values: Any, **params: Any) -> Any:
        if _is_large(values[0]):
            key = primitive, tuple(params.items())
            found = _computed(key, values, lambda *xs: [formula(*xs, **params)])
            if found is not None:
                return found[0]
        return own(*values, **params)

    return kernel


def _rule_around(plan: Plan, own: Rule) -> Rule:
    """Returns a rule that lets XLA compute the cotangents of an operation with large arrays."""

    def vjp_raw(g: Any, ids: Any, saved: Any, static: Any) -> Any:
        if not _is_large(g):
            return own(g, ids, saved, static)
        wanted = tuple([int(i != 0) for i in ids])

        def cotangents(*given: Any) -> list[Any]:
            g, *kept = map(Tensor, given)
            with Compiler(structured).scope():
                outs = list(plan.vjp(g, wanted, tuple(kept), static))
            return [None if out is None else out._value for out in outs]

        key = plan, wanted, _hashable(static)
        found = _computed(key, [g, *[x._value for x in saved]], cotangents)
        return own(g, ids, saved, static) if found is None else found

    return vjp_raw


def _hashable(static: Any) -> Any:
    """Returns the static values of a record as a key; its functions and arrays are not hashable."""
    if isinstance(static, dict):
        return (*[(name, _hashable(value)) for name, value in static.items()],)
    return (*map(_hashable, static),) if isinstance(static, tuple | list) else static


def _computed(
    key: tuple[Any, ...], values: Sequence[Any], function: Callable[..., list[Any]]
) -> list[Any] | None:
    """Computes a function on arrays.

    Args:
      key: Identifies the function.
      values: Arrays and NumPy scalars.
      function: The function of JAX arrays.

    Returns:
      Writable NumPy arrays, and None for each None that the function returns; or None if NumPy
      should compute the results.
    """
    char = values[0].dtype.char
    if char not in "fd":
        return None
    arguments, shapes = [], []
    for x in values:
        if x.dtype.char != char:
            return None
        shapes.append(x.shape)
        arguments.append(_without_repetition(x))
        if not arguments[-1].flags.c_contiguous:
            return None
    whole = *key, char, tuple(shapes), tuple([x.shape for x in arguments]), crew.size > 1
    try:
        program = _programs[whole]
    except KeyError:
        program = None
    except TypeError:  # a static value is not hashable
        return None
    with jax.enable_x64(True) if char == "d" else nullcontext():
        program = program or _made(whole, arguments, shapes, function)
        if program is None:
            return None
        return [
            None if out is None else _of_numpy(out) for out in program(*map(_of_xla, arguments))
        ]


def _without_repetition(x: Any) -> Any:
    """Returns one element along each axis along which an array repeats its memory."""
    if 0 not in x.strides:
        return x
    return x[tuple([slice(None, None if step else 1) for step in x.strides])]


def _made(
    key: tuple[Any, ...], arguments: Sequence[Any], shapes: Sequence[Any], function: Any
) -> Any:
    """Returns the program for shapes that occur repeatedly, or None for other shapes."""

    def of_whole_arrays(*xs: Any) -> list[Any]:
        outs: list[Any] = function(
            *[jnp.broadcast_to(x, s) for x, s in zip(xs, shapes, strict=True)]
        )
        return outs

    with _making:
        count = _seen[key] = _seen.get(key, 0) + 1
        if len(_seen) > 4 * _MANY:
            _seen.clear()
        if count < _AGAIN or key in _programs or len(_programs) >= _MANY:
            return _programs.get(key)
        place = jax.sharding.SingleDeviceSharding(jax.local_devices(backend="cpu")[0])
        specs = [jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=place) for x in arguments]
        # A program that is compiled ahead of time also runs while a function is being traced.
        with jax.enable_x64(True):
            lowered = jax.jit(of_whole_arrays).lower(*specs)
        made = lowered.compile(compiler_options=for_one_operation(crew.size > 1))
        return _programs.setdefault(key, made)


def _of_xla(x: Any) -> Any:
    """Returns the JAX array whose memory a NumPy array uses, or the NumPy array."""
    owner = getattr(x.base, "owner", x)
    return owner if owner.shape == x.shape else x


def _of_numpy(array: Any) -> Any:
    """Returns a writable NumPy array that uses the memory of an unshared result."""
    if not array.ndim:
        return np.asarray(array)[()]
    pointer = jax_private.found(jax_private.BUFFER)
    if pointer is None:
        return np.array(array)
    array.block_until_ready()
    memory = (ctypes.c_char * array.nbytes).from_address(pointer(array))
    memory.owner = array
    return np.ndarray(array.shape, array.dtype, memory)
