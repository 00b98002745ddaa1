"""`experimental_enable_numpy_behavior`: NumPy's promotion, indexing and methods for tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.core.convert import tensor
from gradtape._src.core.operators import Operators, TensorMethods, register_method
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.numpy import elementwise as e
from gradtape._src.numpy import products as p
from gradtape._src.numpy import reductions as r
from gradtape._src.numpy import shapes as s
from gradtape._src.numpy.arrays import array, promoted, size
from gradtape._src.numpy.arrays import prefer_float32 as _prefer_float32
from gradtape._src.numpy.weak_tensors import Promoting
from gradtape._src.ops.array import gather, shaping

_PROMOTING = (
    *("add", "sub", "mul", "floordiv", "mod", "pow", "and", "or", "xor"),
    *("lt", "le", "gt", "ge", "matmul", "truediv"),
)
_MODES = ("off", "legacy", "safe", "all")
_chosen: list[str] = []  # the mode of the process, empty until one is chosen
_RESULTS: dict[str, Callable[[Any, Any], Tensor]] = {"matmul": p.matmul_, "truediv": e.divide}


def _operator(name: str, plain: Callable[[Any, Any], Tensor]) -> Callable[[Any, Any], Any]:
    """Returns an operator that promotes its arguments before it calls the original one."""
    own = _RESULTS.get(name)

    def operator(x: Any, y: Any) -> Tensor:
        if own is not None:
            return own(x, y)
        if type(x) is Tensor and type(y) is Tensor and x._value.dtype == y._value.dtype:
            return plain(x, y)
        return plain(*promoted(x, y))

    return operator


def _equality(plain: Callable[[Any, Any], Tensor]) -> Callable[[Any, Any], Any]:
    def operator(x: Any, y: Any) -> Tensor:
        if y is None or isinstance(y, (str, bytes)) or tensor(x).dtype.name == "string":
            return plain(x, y)
        try:
            return plain(*promoted(x, y))
        except (TypeError, ValueError):
            return plain(x, y)

    return operator


def _advanced(item: Any) -> bool:
    """Whether this part of an index is an advanced index in NumPy, which selects elements."""
    if isinstance(item, (list, np.ndarray, TensorLike)):
        return bool(np.asarray(item).ndim) or np.asarray(item).dtype == bool
    return False


def _item(plain: Callable[[Any, Any], Tensor]) -> Callable[[Any, Any], Any]:
    """Indexes a tensor by NumPy's rules, also by arrays and lists of indices or booleans."""

    def getitem(self: Any, key: Any) -> Tensor:
        items = key if isinstance(key, tuple) else (key,)
        if not any(map(_advanced, items)):
            return plain(self, key)
        x = tensor(self)
        if len(items) == 1 and isinstance(key, Tensor) and key._value.dtype.kind in "iu":
            places = key + x._value.shape[0] * _if_negative(key)
            return gather.gather(x, places)
        places = np.arange(x._value.size).reshape(x._value.shape)[
            tuple(np.asarray(i) if _advanced(i) else i for i in items)
        ]
        return gather.gather(shaping.reshape(x, (-1,)), array(places))

    return getitem


def _if_negative(places: Tensor) -> Any:
    """Returns 1 for indices that count from the end, 0 for others."""
    return e.as_type(places < 0, places.dtype)


def _reshape(self: Any, *args: Any, **kwargs: Any) -> Tensor:
    """Returns the elements in another shape, given as one argument or as several."""
    newshape = kwargs.pop("newshape", args[0] if len(args) == 1 else args)
    return s.reshape(self, newshape, **kwargs)


def _transpose(self: Any, *axes: Any) -> Tensor:
    """Returns the axes in another order, given as one argument or as several."""
    given = axes[0] if len(axes) == 1 else axes
    return s.transpose(self, given if given is None or len(given) else None)


@export("experimental.numpy.experimental_enable_numpy_behavior")
def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Makes tensors behave like NumPy arrays, permanently and in the whole process.

    Operators promote as NumPy does (`tf.constant([1]) + 1.5` is float64), tensors have the methods
    and attributes `T`, `astype`, `clip`, `data`, `flatten`, `max`, `mean`, `min`, `ravel`,
    `reshape`, `size`, `tolist`, `transpose`, and an index may hold lists and arrays.

    Args:
      prefer_float32: Whether Python numbers get 32 bits rather than 64.
      dtype_conversion_mode: "legacy" for NumPy's promotion, "off" for none; "all" for the
        promotion of TensorFlow's guide "TF-NumPy type promotion", in which Python's numbers give
        way to tensors, and "safe" for the same promotion, which refuses to lose precision.

    Raises:
      ValueError: The mode is unknown, or the process already uses another mode.
    """
    if dtype_conversion_mode not in _MODES:
        raise ValueError(
            f"dtype_conversion_mode: expected one of {', '.join(map(repr, _MODES))}, got "
            f"{dtype_conversion_mode!r}"
        )
    _prefer_float32(prefer_float32)
    if _chosen and _chosen != [dtype_conversion_mode]:
        raise ValueError(
            f"dtype_conversion_mode is {_chosen[0]!r} in this process, and can't become "
            f"{dtype_conversion_mode!r}"
        )
    if _chosen:
        return
    _chosen.append(dtype_conversion_mode)
    if dtype_conversion_mode == "legacy":
        _promote_as_numpy()
    elif dtype_conversion_mode != "off":
        Promoting(safe=dtype_conversion_mode == "safe").enable()
    register_method(Operators, "__getitem__", _item(Operators.__getitem__))
    for name, member in _MEMBERS.items():
        register_method(TensorMethods, name, member)


def _promote_as_numpy() -> None:
    for name in _PROMOTING:
        plain = getattr(TensorLike, f"__{name}__")
        operator = _operator(name, plain)
        register_method(Operators, f"__{name}__", operator)
        if hasattr(TensorLike, f"__r{name}__"):
            register_method(Operators, f"__r{name}__", _reflected(operator))
    for name in ("eq", "ne"):
        register_method(Operators, f"__{name}__", _equality(getattr(Operators, f"__{name}__")))


def _reflected(operator: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: operator(other, self)


_MEMBERS: dict[str, Any] = {
    "T": property(s.transpose, doc="The axes in reversed order."),
    "data": property(lambda self: self, doc="The tensor itself."),
    "size": property(size, doc="The number of elements."),
    "astype": e.as_type,
    "clip": e.clip,
    "flatten": s.flatten,
    "max": r.max,
    "mean": r.mean,
    "min": r.min,
    "ravel": s.ravel,
    "reshape": _reshape,
    "tolist": lambda self: self._numpy().tolist(),
    "transpose": _transpose,
    "__round__": e.around,
}


enable_numpy_behavior = experimental_enable_numpy_behavior  # TensorFlow's private name
