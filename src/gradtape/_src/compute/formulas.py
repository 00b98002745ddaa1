"""Kernels that several files of operations share: fast and accurate formulas on raw values."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from gradtape._src.compute.jax_modules import jnp
from gradtape._src.compute.parallel import BLOCK, SHARED, elementwise_block, over_blocks
from gradtape._src.compute.raw_value import RawValue

# Python reads these names faster than attributes of NumPy.
multiply, ndarray, subtract = np.multiply, np.ndarray, np.subtract
Kernel = Callable[[Any], Any]
F = TypeVar("F", bound=Callable[..., Any])

NATIVE = frozenset({np.float16, np.float32, np.float64, np.complex64, np.complex128})
"""The types that are kept in products with Python floats (unlike bfloat16)."""
AVX512 = "AVX512", "X86_V4"
"""NumPy's names of the instructions with vectors of 512 bits."""


def of_arrays(function: F) -> F:
    """Returns a function of NumPy that does not look for other libraries' arrays first.

    NumPy takes 0.15 µs to look for them.
    """
    found: F = getattr(function, "_implementation", function)
    return found


_where = of_arrays(np.where)


def number(value: float, like: Any) -> float:
    """Returns a constant in a form that keeps the dtype of `like`, a tensor or raw value."""
    dtype = like.dtype
    kind = getattr(dtype, "type", None) or dtype.np_dtype.type
    constant: float = value if kind in NATIVE else kind(value)
    return constant


def in_single(kernel: Kernel) -> Kernel:
    """Returns a kernel that computes 16-bit floats as float32, for speed and accuracy."""

    def run(x: Any) -> Any:
        if x.dtype.itemsize == 2:
            return kernel(x.astype(np.float32)).astype(x.dtype)
        return kernel(x)

    return run


def in_single_2(kernel: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Returns a kernel of two inputs that computes 16-bit floats as float32."""

    def run(x: Any, y: Any) -> Any:
        if x.dtype.itemsize == 2:
            return kernel(x.astype(np.float32), y.astype(np.float32)).astype(x.dtype)
        return kernel(x, y)

    return run


@lru_cache
def vectorized(name: str, by: tuple[str, ...] = ("",)) -> bool:
    """Returns whether NumPy has vector code of a function of float32 for this processor.

    Args:
      name: The name of the NumPy function.
      by: Names of the instructions of which the code must use one.
    """
    introspect: Any = getattr(np.lib, "introspect", None)
    if introspect is None:  # before NumPy 2.1
        return False
    found = introspect.opt_func_info(func_name=f"^{name}$", signature="float32")
    targets = [kind["current"] for kind in found.get(name, {}).values()]
    return any(
        not target.startswith("baseline") and any(n in target for n in by) for target in targets
    )


@lru_cache(1)
def special() -> ModuleType:
    """Returns SciPy's special functions, which are loaded on first use."""
    from scipy import special as functions

    module: ModuleType = functions
    return module


def scipy(name: str) -> Kernel:
    """Returns the kernel of one of SciPy's functions of one argument."""
    if name.startswith("fresnel"):
        place = int(name == "fresnel_cos")
        # The oscillation falls below the precision long before the squares overflow.
        return in_single(lambda x: special().fresnel(np.clip(x, -1e30, 1e30))[place])
    return in_single(lambda x: _special(name)(x))


@lru_cache
def _special(name: str) -> Kernel:
    return shared(getattr(special(), name))


def blockwise(step: Callable[[Any, Any], Any]) -> Kernel:
    """Returns a kernel `x -> out` made of `step(x, out)`, run on blocks of a large array."""

    def run(x: Any) -> Any:
        out = np.empty(x.shape, x.dtype)
        if x.size <= BLOCK or not x.flags.c_contiguous:
            step(x, out)
            return out
        flat_x, flat_out = x.reshape(-1), out.reshape(-1)
        over_blocks(
            lambda block: step(flat_x[block], flat_out[block]), x.size, 1, elementwise_block()
        )
        return out

    return run


def shared(ufunc: Kernel) -> Kernel:
    """Returns a costly NumPy function, parallelized on large arrays."""
    large = blockwise(ufunc)  # type: ignore[arg-type]

    def run(x: Any) -> Any:
        if type(x) is ndarray and x.size >= SHARED and x.dtype.kind == "f":
            return large(x)
        return ufunc(x)

    run.ufunc = ufunc  # type: ignore[attr-defined]  # by which other engines know it
    return run


def along_rows(step: Callable[..., None], axis: int, *xs: Any) -> RawValue:
    """Returns the result of `step(*xs, out, axis)`, on blocks of rows of large arrays of one shape.

    Args:
      step: Computes each row along an axis independently.
      axis: The axis, counted from the end.
      *xs: Arrays; 16-bit floats are computed as float32.
    """
    x = xs[0]
    if x.dtype.itemsize == 2:
        wide = [v.astype(np.float32) for v in xs]
        return along_rows(step, axis, *wide).astype(x.dtype)
    n = x.shape[-1]
    whole = axis == -1 and all(v.flags.c_contiguous for v in xs)
    out = np.empty(x.shape, x.dtype)
    if x.size <= BLOCK or not whole:
        step(*xs, out, axis)
        return out
    rows = [v.reshape(-1, n) for v in (*xs, out)]
    over_blocks(
        lambda block: step(*[v[block] for v in rows], -1), x.size // n, n, elementwise_block()
    )
    return out


_LARGE = 256  # the number of elements from which several fast passes beat a slow one
_LOG2_E = np.float32(1.4426950408889634)
exp, log = shared(np.exp), shared(np.log)
sin, cos, tan = shared(np.sin), shared(np.cos), shared(np.tan)
sinh, cosh = shared(np.sinh), shared(np.cosh)
tanh = shared(np.tanh)


def exp_of_rounded_into(x: Any, out: Any) -> None:
    """exp(x) of values that are rounded results themselves, as exp2(x * log2(e)) if that is faster.

    The product's rounding changes the result by as much as the rounding of `x` did.
    """
    if x.dtype.itemsize == 4 and x.size >= _LARGE and vectorized("exp2", AVX512):
        np.multiply(x, _LOG2_E, out)
        np.exp2(out, out)
    else:
        np.exp(x, out)


def _denominator_into(x: Any, out: Any) -> None:
    """1 + exp(-x), as 2 + expm1(-x) where that is faster."""
    np.negative(x, out)
    if x.dtype.itemsize == 4 and x.size >= _LARGE and vectorized("expm1", AVX512):
        np.expm1(out, out)
        out += 2
    else:
        np.exp(out, out)
        out += 1


def _sigmoid_into(x: Any, out: Any) -> None:
    _denominator_into(x, out)
    np.divide(1, out, out)


def sigmoid_in_xla(x: RawValue) -> RawValue:
    """Returns `sigmoid` on JAX's arrays."""
    out: RawValue = 1 / (1 + jnp.exp(-x))
    return out


_sigmoid_large = blockwise(_sigmoid_into)


def _complex_sigmoid(x: Any) -> RawValue:
    """Returns the sigmoid of complex numbers, and avoids a division by infinity."""
    low = x.real < 0
    z = np.exp(np.where(low, x, -x))  # its modulus is at most 1
    out: RawValue = (np.where(low, z, x.dtype.type(1)) / (1 + z))[()]
    return out


def sigmoid(x: RawValue) -> RawValue:
    """1 / (1 + exp(-x)): exp overflows to infinity exactly where the result is 0."""
    size = x.dtype.itemsize
    if size == 2:
        return sigmoid(x.astype(np.float32)).astype(x.dtype)
    if size > 4 and x.dtype.kind == "c":
        return _complex_sigmoid(x)
    out: RawValue = _sigmoid_large(x) if type(x) is ndarray else 1 / (1 + np.exp(-x))
    return out


def _log1p_into(x: Any, out: Any) -> None:
    """log(u) - ((u - 1) - x) / u with u = 1 + x: the second term corrects the rounding of u."""
    if x.dtype.itemsize == 4 and vectorized("log1p"):
        np.log1p(x, out)
        return
    u = x + 1
    np.log(u, out)
    lost = u - 1
    lost -= x
    lost /= u
    out -= lost
    bad = np.isnan(out)
    if bad.any():  # for x = -1, x = infinity and x < -1
        out[bad] = np.log1p(x[bad])


def _expm1_into(x: Any, out: Any) -> None:
    """(u - 1) * x / log(u) with u = exp(x): the rounding of u cancels (W. Kahan)."""
    if vectorized("expm1"):
        np.expm1(x, out)
        return
    clipped = np.maximum(x, -80)
    u = np.exp(clipped)
    np.log(u, out)
    np.divide(clipped, out, out)
    u -= 1
    out *= u
    bad = np.isnan(out)
    if bad.any():  # for u = 1 and infinite u
        few = x[bad]
        few[few > 1] = np.inf
        out[bad] = few


# s in terms of z and q = s * s: log1p(z) = z - s * (z - r) where s = z / (2 + z) and
# r = 2 atanh(s) / s - 2, here A + B q + C / (D - q) within 2**-26 for z between 0 and 1.
_A, _B = np.float32(-0.7606704831123352), np.float32(0.11528496444225311)
_C, _D = np.float32(1.0493853092193604), np.float32(1.3795530796051025)
_SIGN = np.int32(-(1 << 31))


def _softplus_single_into(x: Any, out: Any) -> None:
    """max(x, 0) + log1p(exp(-|x|)) for float32, without a logarithm unless that is fast."""
    z = np.empty(x.shape, x.dtype)
    np.bitwise_or(x.view(np.int32), _SIGN, z.view(np.int32))  # -|x|
    np.exp(z, z)
    if vectorized("log1p"):
        np.log1p(z, out)
    else:
        _log1p_to_1_into(z, out)
    out += np.clip(x, np.float32(0), np.float32(np.inf), out=z)


def _log1p_to_1_into(z: Any, out: Any) -> None:
    """log1p(z) for float32 numbers from 0 to 1."""
    q = np.empty(z.shape, z.dtype)
    np.add(z, np.float32(2), q)
    s = np.divide(z, q)
    np.multiply(s, s, q)
    np.subtract(_D, q, out)
    np.divide(_C, out, out)
    q *= _B
    out += q
    out += _A
    np.subtract(z, out, out)
    out *= s
    np.subtract(z, out, out)


def _softplus_into(x: Any, out: Any) -> None:
    """max(x, 0) + log1p(exp(-|x|))."""
    if x.dtype.itemsize == 4:
        _softplus_single_into(x, out)
        return
    z = np.abs(x)
    np.negative(z, z)
    np.exp(z, z)
    u = z + 1
    np.log(u, out)
    kept = u - 1
    z -= kept  # the rounding error of z in u
    z /= u
    out += z
    out += np.maximum(x, 0)


def softplus_in_xla(x: RawValue) -> RawValue:
    """Returns `softplus` on JAX's arrays."""
    z = jnp.exp(-jnp.abs(x))
    top = jnp.maximum(x, 0)
    out: RawValue
    if x.dtype == np.float32:
        # The same formula with one division: with n = (2 + z)**2 and p = n * (_D - q), it is
        # z - s * (z - _A - _B * q - _C * n / p).
        n, squared = (2 + z) * (2 + z), z * z
        p = _D * n - squared
        rest = (z - _A) * (n * p) - (_B * squared * p + _C * n * n)
        out = top + (z - z * rest / ((2 + z) * n * p))
        return out
    out = top + jnp.log1p(z)
    return out


def _expm1_below_into(x: Any, out: Any) -> None:
    """expm1(min(x, 0)) = 2 t / (1 - t) with t = tanh(min(x, 0) / 2), where 1 - t is precise."""
    np.clip(x, -np.inf, x.dtype.type(0), out=out)
    out *= x.dtype.type(0.5)
    np.tanh(out, out)
    out /= 1 - out
    out += out


def expm1_below_in_xla(x: RawValue) -> RawValue:
    """Returns `expm1_below` on JAX's arrays."""
    out: RawValue = jnp.expm1(jnp.minimum(x, 0))
    return out


def _elu_into(x: Any, out: Any) -> None:
    _expm1_below_into(x, out)
    out += np.clip(x, x.dtype.type(0), np.inf)


def elu_in_xla(x: RawValue) -> RawValue:
    """Returns `elu` on JAX's arrays."""
    out: RawValue = jnp.where(x < 0, expm1_below_in_xla(x), x)
    return out


def _silu_into(x: Any, out: Any) -> None:
    _denominator_into(x, out)
    np.divide(x, out, out)


def _silu_slope_into(x: Any, out: Any) -> None:
    """Computes s * (1 + x * (1 - s)) with s = sigmoid(x)."""
    _sigmoid_into(x, out)
    rest = 1 - out
    rest *= x
    rest += 1
    out *= rest


def silu_in_xla(x: RawValue) -> RawValue:
    """Returns `silu` on JAX's arrays."""
    out: RawValue = x / (1 + jnp.exp(-x))
    return out


def log1p_in_xla(x: RawValue) -> RawValue:
    """Returns `log1p` on JAX's arrays."""
    out: RawValue = jnp.log1p(x)
    return out


def expm1_in_xla(x: RawValue) -> RawValue:
    """Returns `expm1` on JAX's arrays."""
    out: RawValue = jnp.expm1(x)
    return out


_log1p_large = blockwise(_log1p_into)
_expm1_large = blockwise(_expm1_into)
_softplus_large = blockwise(_softplus_into)
expm1_below = blockwise(_expm1_below_into)
_elu_large = blockwise(_elu_into)
_silu_large = blockwise(_silu_into)
silu_slope = blockwise(_silu_slope_into)


def _many(x: Any) -> bool:
    return type(x) is ndarray and x.size >= _LARGE and x.dtype.kind == "f"


@in_single
def log1p(x: RawValue) -> RawValue:
    """log(1 + x), accurate next to 0."""
    out: RawValue = _log1p_large(x) if _many(x) else np.log1p(x)
    return out


@in_single
def expm1(x: RawValue) -> RawValue:
    """exp(x) - 1, accurate next to 0."""
    large = _many(x) and x.dtype.itemsize == 4
    out: RawValue = _expm1_large(x) if large else np.expm1(x)
    return out


@in_single
def softplus(x: RawValue) -> RawValue:
    """log(1 + exp(x)) for any x."""
    many = _many(x)
    out: RawValue
    out = _softplus_large(x) if many else np.maximum(x, 0) + np.log1p(np.exp(-abs(x)))
    return out


@in_single
def elu(x: RawValue) -> RawValue:
    """Returns x where it is positive, else expm1(x)."""
    out: RawValue
    if _many(x):
        out = _elu_large(x)
    elif type(x) is not ndarray:
        out = x if not x < 0 else np.expm1(x)
    else:
        out = np.maximum(x, 0) + np.expm1(np.minimum(x, 0))
    return out


def silu(x: RawValue) -> RawValue:
    """X * sigmoid(x)."""
    size = x.dtype.itemsize
    if size == 2:
        return silu(x.astype(np.float32)).astype(x.dtype)
    if size > 4 and x.dtype.kind == "c":
        return x * _complex_sigmoid(x)
    out: RawValue = _silu_large(x) if _many(x) else x / (1 + np.exp(-x))
    return out


def silu_and_sigmoid(x: RawValue) -> tuple[RawValue, RawValue]:
    """Returns `x * s` and `s`, where s is the sigmoid of a value of float32 or float64."""
    if type(x) is not ndarray or x.size <= BLOCK or not x.flags.c_contiguous:
        s = sigmoid(x)
        return x * s, s
    out, s = np.empty(x.shape, x.dtype), np.empty(x.shape, x.dtype)
    flat_x, flat_out, flat_s = x.reshape(-1), out.reshape(-1), s.reshape(-1)

    def step(block: slice) -> None:
        _sigmoid_into(flat_x[block], flat_s[block])
        np.multiply(flat_x[block], flat_s[block], flat_out[block])

    over_blocks(step, x.size, 1, elementwise_block())
    return out, s


def silu_slope_of(y: np.ndarray[Any, Any], s: np.ndarray[Any, Any]) -> RawValue:
    """Returns the derivative `s + y * (1 - s)`, in new memory; see `silu_and_sigmoid`."""
    out: np.ndarray[Any, Any] = np.subtract(number(1, s), s)
    out *= y
    out += s
    return out


def less_square(x: RawValue) -> RawValue:
    """1 - x * x, in new memory for one array."""
    if type(x) is not ndarray:
        return 1 - x * x
    out = multiply(x, x)
    return subtract(number(1, x), out, out)


def sigmoid_slope(out: RawValue) -> RawValue:
    """Returns the sigmoid's derivative `out * (1 - out)`, in new memory for one array."""
    if type(out) is not ndarray:
        return out * (1 - out)
    d = subtract(number(1, out), out)
    return multiply(d, out, d)


_INTEGERS: dict[int, np.dtype[Any]] = {
    2: np.dtype(np.int16),
    4: np.dtype(np.int32),
    8: np.dtype(np.int64),
}


def select(condition: Any, x: Any, y: Any) -> RawValue:
    """Returns `x` where the condition holds, else `y`; exact for every bit pattern.

    NumPy's `where` suffers from branch mispredictions for mixed conditions: on large arrays,
    bitwise xor and and are six times faster.
    """
    if type(condition) is not ndarray:
        out: RawValue = x if condition else y
        if type(x) is ndarray or type(y) is ndarray:
            out = np.broadcast_to(np.asarray(out), np.broadcast_shapes(x.shape, y.shape))
        return out
    whole = _INTEGERS.get(x.dtype.itemsize)
    bitwise = condition.size >= 4096 and whole is not None and x.dtype.kind in "fiu"
    if not bitwise or condition.shape != np.broadcast_shapes(condition.shape, x.shape, y.shape):
        chosen: RawValue = _where(condition, x, y)
        return chosen
    a, b = x.view(whole), y.view(whole)
    mask: np.ndarray[Any, Any] = condition.view(np.int8).astype(whole)
    np.negative(mask, mask)
    if b.ndim == 0 and b == 0:
        mask &= a
    elif a.ndim == 0 and a == 0:
        np.invert(mask, mask)
        mask &= b
    else:
        mask &= a ^ b
        mask ^= b
    bits: np.ndarray[Any, Any] = mask.view(x.dtype)
    return bits


_CLIP_FROM = 4096  # the number of elements from which np.clip is faster


def _beats(x: Any, y: Any) -> bool:
    return type(x) is ndarray and x.size >= _CLIP_FROM and not np.ndim(y) and x.dtype.kind == "f"


def maximum(x: RawValue, y: RawValue) -> RawValue:
    """Returns the larger value, or NaN; `np.clip` is three times as fast for a scalar."""
    return np.clip(x, y, np.inf) if _beats(x, y) else np.maximum(x, y)


def minimum(x: RawValue, y: RawValue) -> RawValue:
    """Returns the smaller value, or NaN if one is NaN."""
    return np.clip(x, -np.inf, y) if _beats(x, y) else np.minimum(x, y)
