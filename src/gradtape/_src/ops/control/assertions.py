"""`tf.debugging`: checks of values, shapes and dtypes that raise where they do not hold."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dispatch import implements
from gradtape._src.base.dtypes import DType, as_dtype
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.base.optional_dtypes import float_limits
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.eager_only import each_run
from gradtape._src.ops.control import control_flow
from gradtape._src.ops.elementwise import comparison
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor


def _is_staged(*args: Any, **kwargs: Any) -> bool:
    """Whether a value to check is known only when the function runs that is being traced."""
    return any(map(control_flow.is_traced, (*args, *kwargs.values())))


@export("Assert", "debugging.Assert")
@each_run("Assert", when=_is_staged, only_checks=True)
def Assert(  # noqa: N802 (TensorFlow's name)
    condition: Any, data: Sequence[Any], summarize: int | None = None, name: str | None = None
) -> None:
    """Raises unless a condition holds.

    Args:
      condition: A boolean tensor without axes.
      data: What to print where it doesn't hold.
      summarize: How many elements of each to print.
      name: Accepted for compatibility.

    Raises:
      InvalidArgumentError: The condition does not hold.
    """
    if _unknown(condition):
        return
    if not bool(convert_to_tensor(condition)):
        count = 3 if summarize is None else summarize
        shown = "\n".join(_told(x, count) for x in data)
        raise InvalidArgumentError(
            None, None, f"Expected '{condition}' to be true. Summarized data: {shown}"
        )


def _unknown(*xs: Any) -> bool:
    """Whether values are known only when a compiled function runs: XLA leaves checks out."""
    if not any(control_flow.is_traced(x) for x in xs):
        return False
    control_flow.compiled.get().leave_out("an assertion")
    return True


def _told(x: Any, count: int) -> str:
    value = np.ravel(np.asarray(convert_to_tensor(x)))
    kept = value if count < 0 else value[:count]
    return ", ".join(map(str, kept)) + (", ..." if len(kept) < len(value) else "")


def _prefix(message: str | None) -> str:
    return f"{message}\n" if message else ""


@each_run("Assert", when=_is_staged, only_checks=True)
def _check_all(
    holds: Callable[[Any, Any], Any],
    symbol: str,
    x: Any,
    y: Any,
    message: str | None,
    summarize: int | None,
) -> None:
    if _unknown(x, y):
        return
    x, y = convert_to_tensor(x), convert_to_tensor(y)
    # A vectorized value has no one NumPy value, and says so: the map goes on row by row.
    good = np.asarray(holds(x, y))
    if good.all():
        return
    a, b = np.asarray(x), np.asarray(y)
    lines = [f"{_prefix(message)}Condition x {symbol} y did not hold."]
    count = 3 if summarize is None else summarize
    count = None if count < 0 else count  # type: ignore[assignment]
    if a.shape == b.shape and a.ndim:
        places = np.argwhere(~good)[:count]
        lines += [
            f"Indices of first {len(places)} different values:",
            f"{places}",
            "Corresponding x values:",
            f"{a[tuple(places.T)]}",
            "Corresponding y values:",
            f"{b[tuple(places.T)]}",
        ]
    for what, value in (("x", a), ("y", b)):
        first = np.ravel(value)[:count]
        lines += [f"First {len(first)} elements of {what}:", f"{first}"]
    raise InvalidArgumentError(None, None, "\n".join(lines))


@export("assert_equal", "debugging.assert_equal")
def assert_equal(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raises InvalidArgumentError unless `x == y` for all elements.

    Args:
      x: A tensor.
      y: A tensor of the same dtype, of a shape that broadcasts with x's.
      message: Is put in front of the error's message.
      summarize: How many elements to print; 3 by default.
      name: Accepted for compatibility.

    Raises:
      InvalidArgumentError: It does not hold for an element, the dtypes differ, or the shapes do not
        broadcast.
    """
    if x is not y:
        _check_all(comparison.equal, "==", x, y, message, summarize)


@export("debugging.assert_none_equal")
def assert_none_equal(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raises unless `x != y` for all elements; arguments and errors as `assert_equal`."""
    _check_all(comparison.not_equal, "!=", x, y, message, summarize)


@export("assert_less", "debugging.assert_less")
def assert_less(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raises unless `x < y` for all elements; arguments and errors as `assert_equal`."""
    _check_all(comparison.less, "<", x, y, message, summarize)


@export("debugging.assert_less_equal")
def assert_less_equal(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raises unless `x <= y` for all elements; arguments and errors as `assert_equal`."""
    _check_all(comparison.less_equal, "<=", x, y, message, summarize)


@export("assert_greater", "debugging.assert_greater")
def assert_greater(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raises unless `x > y` for all elements; arguments and errors as `assert_equal`."""
    _check_all(comparison.greater, ">", x, y, message, summarize)


@export("debugging.assert_greater_equal")
def assert_greater_equal(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raises unless `x >= y` for all elements; arguments and errors as `assert_equal`."""
    _check_all(comparison.greater_equal, ">=", x, y, message, summarize)


@each_run("Assert", when=_is_staged, only_checks=True)
def _check_sign(holds: Callable[[Any, Any], Any], symbol: str, x: Any, message: str | None) -> None:
    value = convert_to_tensor(x)
    if _unknown(value):
        return
    if not np.all(holds(np.asarray(value), 0)):
        elements = list(map(str, np.ravel(value._value)))
        raise InvalidArgumentError(
            None,
            None,
            f"{message + '.  ' if message else ''}\nCondition x {symbol} 0 did not hold "
            f"element-wise:\nx (shape={value.shape} dtype={value.dtype.name}) = \n{elements}",
        )


@export("debugging.assert_positive")
def assert_positive(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises InvalidArgumentError unless `x > 0` for all elements.

    Args:
      x: A numeric tensor.
      message: Is put in front of the error's message.
      summarize: Accepted for compatibility.
      name: Accepted for compatibility.

    Raises:
      InvalidArgumentError: It does not hold for an element.
    """
    _check_sign(operator.gt, ">", x, message)


@export("debugging.assert_negative")
def assert_negative(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises unless `x < 0` for all elements; arguments and errors as `assert_positive`."""
    _check_sign(operator.lt, "<", x, message)


@export("debugging.assert_non_negative")
def assert_non_negative(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises unless `x >= 0` for all elements; arguments and errors as `assert_positive`."""
    _check_sign(operator.ge, ">=", x, message)


@export("debugging.assert_non_positive")
def assert_non_positive(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises unless `x <= 0` for all elements; arguments and errors as `assert_positive`."""
    _check_sign(operator.le, "<=", x, message)


@export("debugging.assert_near")
@each_run("Assert", when=_is_staged, only_checks=True)
def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raises unless `|x - y| <= atol + rtol * |y|` for all elements.

    Args:
      x: A floating tensor.
      y: Another of the same dtype.
      rtol: The relative tolerance; by default ten times the dtype's resolution.
      atol: The absolute tolerance, likewise.
      message: Is put in front of the error's message.
      summarize: How many elements to print; 3 by default.
      name: Accepted for compatibility.

    Raises:
      InvalidArgumentError: It does not hold for an element, or the shapes do not broadcast.
      ValueError: `y` is a tensor of another dtype.
    """
    if _unknown(x, y):
        return
    dtype = convert_to_tensor(x).dtype
    a, b = np.asarray(convert_to_tensor(x)), np.asarray(convert_to_tensor(y, dtype))
    eps = 10 * float(float_limits(a.dtype).eps)
    rtol = eps if rtol is None else float(rtol)
    atol = eps if atol is None else float(atol)
    try:
        distance = np.abs(a - b)
    except ValueError:
        raise InvalidArgumentError(
            None, None, f"Incompatible shapes: {list(a.shape)} vs. {list(b.shape)} [Op:Sub]"
        ) from None
    if not np.all(distance <= atol + rtol * np.abs(b)):
        count = 3 if summarize is None else summarize
        raise InvalidArgumentError(
            None,
            None,
            f"{_prefix(message)}x and y not equal to tolerance rtol = {rtol}, atol = {atol}\n"
            f"x (shape={a.shape}) = {_told(x, count)}\ny (shape={b.shape}) = {_told(y, count)}",
        )


def _check_rank(x: Any, holds: bool, wanted: str, message: str | None) -> None:
    if not holds:
        shape = convert_to_tensor(x).shape
        raise ValueError(
            f"{message + '.  ' if message else ''}Tensor  must have rank {wanted}.  Received rank "
            f"{len(shape)}, shape {shape}"
        )


def _rank(x: Any) -> int:
    return int(convert_to_tensor(x)._value.ndim)


@export("assert_rank", "debugging.assert_rank")
def assert_rank(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """Raises ValueError unless a tensor has just `rank` axes."""
    _check_rank(x, _rank(x) == int(rank), f"{int(rank)}", message)


@export("debugging.assert_rank_at_least")
def assert_rank_at_least(
    x: Any, rank: Any, message: str | None = None, name: str | None = None
) -> None:
    """Raises ValueError unless a tensor has `rank` axes or more."""
    _check_rank(x, _rank(x) >= int(rank), f"at least {int(rank)}", message)


@export("debugging.assert_rank_in")
def assert_rank_in(
    x: Any, ranks: Sequence[Any], message: str | None = None, name: str | None = None
) -> None:
    """Raises ValueError unless the number of a tensor's axes is one of `ranks`."""
    wanted = tuple(map(int, ranks))
    _check_rank(x, _rank(x) in wanted, f"in {wanted}", message)


@export("debugging.assert_scalar")
def assert_scalar(tensor: Any, message: str | None = None, name: str | None = None) -> Tensor:
    """Raises ValueError unless a tensor has no axes; answers with the tensor."""
    x = convert_to_tensor(tensor)
    if x._value.ndim:
        raise ValueError(f"{message or ''}Expected scalar shape, saw shape: {x.shape}.")
    return x


@export("debugging.assert_type")
def assert_type(
    tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None
) -> None:
    """Raises TypeError unless a tensor has a dtype."""
    _check_dtype(convert_to_tensor(tensor), tf_type, message)


@implements(assert_type, {"tensor": RaggedTensor}, {"tensor": SparseTensor})
def _assert_type_of_composite(
    tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None
) -> None:
    _check_dtype(tensor, tf_type, message)


def _check_dtype(x: Any, tf_type: Any, message: str | None) -> None:
    wanted = as_dtype(tf_type)
    if x.dtype is not wanted:
        raise TypeError(f"{message or ''}tensor must be of type {wanted!r}; got {x.dtype!r}")


@export("debugging.assert_integer")
def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> None:
    """Raises TypeError unless a tensor's dtype is an integer type."""
    value = convert_to_tensor(x)
    if not value.dtype.is_integer:
        raise TypeError(
            f'{message or ""}Expected "x" to be integer type.  Found: tensor of dtype '
            f"{value.dtype!s}"
        )


@export("debugging.assert_same_float_dtype")
def assert_same_float_dtype(tensors: Sequence[Any] | None = None, dtype: Any = None) -> DType:
    """Raises ValueError unless all tensors have one floating dtype; answers with the dtype."""
    wanted = None if dtype is None else as_dtype(dtype)
    for x in tensors or ():
        if x is None:
            continue
        if wanted is not None and x.dtype is not wanted:
            raise ValueError(
                f"{x}, type={x.dtype!s}, must be of the same type ({wanted!s})"
                + (f" as {tensors[0]}." if tensors and dtype is None else ".")
            )
        wanted = x.dtype
    wanted = as_dtype("float32") if wanted is None else wanted
    if not wanted.is_floating:
        raise ValueError(f"Expected floating point type, got {wanted!s}.")
    return wanted


@export("debugging.is_numeric_tensor")
def is_numeric_tensor(tensor: Any) -> bool:
    """Whether this is a tensor of numbers."""
    return isinstance(tensor, TensorLike) and bool(convert_to_tensor(tensor).dtype.is_numeric)


@export("debugging.assert_proper_iterable")
def assert_proper_iterable(values: Any) -> None:
    """Raises TypeError unless this is a list, tuple or the like, and no tensor, array or text."""
    unwanted = (TensorLike, np.ndarray, bytes, str)
    if isinstance(values, unwanted) or not hasattr(values, "__iter__"):
        raise TypeError(
            f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}'
        )


@export("debugging.assert_shapes")
def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raises unless tensors have shapes that fit a pattern.

    Args:
      shapes: Pairs of a tensor and its shape, or a dictionary of them. A length in a shape is a
        number, None or "." for any, or a symbol that stands for one number in all of them;
        "*" or Ellipsis in the first place stands for any number of axes.
      data: Accepted for compatibility.
      summarize: Accepted for compatibility.
      message: Is put in front of the error's message.
      name: Accepted for compatibility.

    Raises:
      ValueError: One does not fit.
    """
    pairs: Iterable[Any] = shapes.items() if isinstance(shapes, Mapping) else shapes
    known: dict[Any, tuple[int, str]] = {}
    for given, pattern in pairs:
        x = convert_to_tensor(getattr(given, "deref", lambda given=given: given)())
        _fit(x, pattern, known, f"{message}.  " if message else "")


def _fit(x: Tensor, pattern: Any, known: dict[Any, tuple[int, str]], prefix: str) -> None:
    what = f"Tensor shape={x.shape} dtype={x.dtype.name}"
    if not hasattr(pattern, "__iter__") and not hasattr(pattern, "__getitem__"):
        raise ValueError(
            f"{prefix}{what}.  Specified shape must be an iterable.  An iterable has the attribute "
            f"`__iter__` or `__getitem__`.  Received specified shape: {pattern}"
        )
    wanted, shape, skipped = list(pattern), list(x._value.shape), 0
    if wanted[:1] and wanted[0] in ("*", Ellipsis):
        wanted = wanted[1:]
        skipped = max(len(shape) - len(wanted), 0)
        shape = shape[skipped:]
    if len(wanted) != len(shape):
        raise ValueError(
            f"{prefix}Tensor  must have rank {'at least ' if skipped else ''}{len(wanted)}.  "
            f"Received rank {x._value.ndim}, shape {x.shape}"
        )
    for axis, (size, want) in enumerate(zip(shape, wanted, strict=True), skipped):
        if want in (None, "."):
            continue
        explicit = isinstance(want, (int, np.integer))
        number, origin = (
            (int(want), "Specified explicitly")
            if explicit
            else known.setdefault(
                want,
                (
                    size,
                    f"Specified by tensor shape={x.shape} dtype={x.dtype.name} dimension {axis}",
                ),
            )
        )
        if size != number:
            raise ValueError(
                f"{prefix}{origin}.  {what} dimension {axis} must have size {number}.  Received "
                f"size {size}, shape {x.shape}"
            )
