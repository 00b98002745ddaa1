"""`tf.debugging`: checks of values, shapes and dtypes, which raise an error if they fail."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.base.optional_dtypes import float_limits
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.eager_only import active_compiler, each_run, is_traced
from gradtape._src.declare.registered import Operation
from gradtape._src.ops.elementwise import comparison


def _is_traced(*args: Any, **kwargs: Any) -> bool:
    """Whether a checked value is symbolic in the function that is being traced."""
    return any(map(is_traced, (*args, *kwargs.values())))


@export("Assert", "debugging.Assert")
@each_run("Assert", when=_is_traced, only_checks=True)
def Assert(  # noqa: N802 (TensorFlow's name)
    condition: Any, data: Sequence[Any], summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """Raises an error unless a condition is true.

    Args:
      condition: A scalar bool tensor.
      data: The values to print if the condition is false.
      summarize: The number of elements of each value to print.
      name: Accepted for compatibility.

    Returns:
      None. In a graph of TensorFlow 1, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: The condition is false.

    >>> tf.debugging.Assert(tf.constant(True), ["never shown"])
    """
    if _unknown(condition):
        return None
    if not bool(convert_to_tensor(condition)):
        count = 3 if summarize is None else summarize
        shown = "\n".join(_shown(x, count) for x in data)
        raise InvalidArgumentError(
            None, None, f"Expected '{condition}' to be true. Summarized data: {shown}"
        )
    return None


def _unknown(*xs: Any) -> bool:
    """Whether values are symbolic in a compiled function, for which XLA omits checks."""
    if not any(is_traced(x) for x in xs):
        return False
    active_compiler().leave_out("an assertion")
    return True


def _shown(x: Any, count: int) -> str:
    value = np.ravel(np.asarray(convert_to_tensor(x)))
    kept = value if count < 0 else value[:count]
    return ", ".join(map(str, kept)) + (", ..." if len(kept) < len(value) else "")


def _prefix(message: str | None) -> str:
    return f"{message}\n" if message else ""


@each_run("Assert", when=_is_traced, only_checks=True)
def _check_all(
    holds: Callable[[Any, Any], Any],
    symbol: str,
    x: Any,
    y: Any,
    message: str | None,
    summarize: int | None,
) -> Operation | None:
    if _unknown(x, y):
        return None
    x, y = convert_to_tensor(x), convert_to_tensor(y)
    # A vectorized value raises an error here, since it has no single NumPy value; the map then
    # continues row by row.
    good = np.asarray(holds(x, y))
    if good.all():
        return None
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
) -> Operation | None:
    """Raises InvalidArgumentError unless `x == y` for all elements.

    Args:
      x: A tensor.
      y: A tensor of the same dtype, whose shape broadcasts with the shape of `x`.
      message: A text that precedes the error's message.
      summarize: The number of elements to print; 3 by default.
      name: Accepted for compatibility.

    Returns:
      None. In a graph of TensorFlow 1, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: The elements at some index are not equal, the dtypes differ, or the
        shapes do not broadcast.

    >>> tf.debugging.assert_equal([1, 2], [1, 2])
    """
    return None if x is y else _check_all(comparison.equal, "==", x, y, message, summarize)


@export("debugging.assert_none_equal")
def assert_none_equal(
    x: Any,
    y: Any,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Raises an error unless `x != y` for all elements.

    Args:
      x: A tensor.
      y: A tensor of the same dtype, whose shape broadcasts with the shape of `x`.
      summarize: The number of elements to print; 3 by default.
      message: A text that precedes the error's message.
      name: Accepted for compatibility.

    Returns:
      None. In a graph of TensorFlow 1, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: The elements at some index are equal, the dtypes differ, or the shapes
        do not broadcast.
    """
    return _check_all(comparison.not_equal, "!=", x, y, message, summarize)


@export("assert_less", "debugging.assert_less")
def assert_less(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Raises an error unless `x < y` for all elements.

    Args:
      x: A tensor.
      y: A tensor of the same dtype, whose shape broadcasts with the shape of `x`.
      message: A text that precedes the error's message.
      summarize: The number of elements to print; 3 by default.
      name: Accepted for compatibility.

    Returns:
      None. In a graph of TensorFlow 1, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: `x < y` is false for an element, the dtypes differ, or the shapes do not
        broadcast.
    """
    return _check_all(comparison.less, "<", x, y, message, summarize)


@export("debugging.assert_less_equal")
def assert_less_equal(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Raises an error unless `x <= y` for all elements.

    Args:
      x: A tensor.
      y: A tensor of the same dtype, whose shape broadcasts with the shape of `x`.
      message: A text that precedes the error's message.
      summarize: The number of elements to print; 3 by default.
      name: Accepted for compatibility.

    Returns:
      None. In a graph of TensorFlow 1, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: `x <= y` is false for an element, the dtypes differ, or the shapes do
        not broadcast.

    >>> tf.debugging.assert_less_equal([1, 2], [2, 2])
    """
    return _check_all(comparison.less_equal, "<=", x, y, message, summarize)


@export("assert_greater", "debugging.assert_greater")
def assert_greater(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Raises an error unless `x > y` for all elements.

    Args:
      x: A tensor.
      y: A tensor of the same dtype, whose shape broadcasts with the shape of `x`.
      message: A text that precedes the error's message.
      summarize: The number of elements to print; 3 by default.
      name: Accepted for compatibility.

    Returns:
      None. In a graph of TensorFlow 1, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: `x > y` is false for an element, the dtypes differ, or the shapes do not
        broadcast.

    >>> tf.debugging.assert_greater([2, 3], 1)
    """
    return _check_all(comparison.greater, ">", x, y, message, summarize)


@export("debugging.assert_greater_equal")
def assert_greater_equal(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Raises an error unless `x >= y` for all elements.

    Args:
      x: A tensor.
      y: A tensor of the same dtype, whose shape broadcasts with the shape of `x`.
      message: A text that precedes the error's message.
      summarize: The number of elements to print; 3 by default.
      name: Accepted for compatibility.

    Returns:
      None. In a graph of TensorFlow 1, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: `x >= y` is false for an element, the dtypes differ, or the shapes do
        not broadcast.

    >>> tf.debugging.assert_greater_equal([2, 1], 1)
    """
    return _check_all(comparison.greater_equal, ">=", x, y, message, summarize)


@each_run("Assert", when=_is_traced, only_checks=True)
def _check_sign(
    holds: Callable[[Any, Any], Any], symbol: str, x: Any, message: str | None
) -> Operation | None:
    value = convert_to_tensor(x)
    if _unknown(value):
        return None
    if not np.all(holds(np.asarray(value), 0)):
        elements = list(map(str, np.ravel(value._value)))
        raise InvalidArgumentError(
            None,
            None,
            f"{message + '.  ' if message else ''}\nCondition x {symbol} 0 did not hold "
            f"element-wise:\nx (shape={value.shape} dtype={value.dtype.name}) = \n{elements}",
        )
    return None


@export("debugging.assert_positive")
def assert_positive(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """Raises InvalidArgumentError unless `x > 0` for all elements.

    Args:
      x: A numeric tensor.
      message: A text that precedes the error's message.
      summarize: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      None. In a graph of TensorFlow 1, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: An element is not positive.

    >>> tf.debugging.assert_positive([1.0, 0.5])
    """
    return _check_sign(operator.gt, ">", x, message)


@export("debugging.assert_negative")
def assert_negative(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """Raises an error unless `x < 0` for all elements.

    Args:
      x: A numeric tensor.
      message: A text that precedes the error's message.
      summarize: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      None. In a graph of TensorFlow 1, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: An element is not negative.
    """
    return _check_sign(operator.lt, "<", x, message)


@export("debugging.assert_non_negative")
def assert_non_negative(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """Raises an error unless `x >= 0` for all elements.

    Args:
      x: A numeric tensor.
      message: A text that precedes the error's message.
      summarize: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      None. In a graph of TensorFlow 1, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: An element is negative.
    """
    return _check_sign(operator.ge, ">=", x, message)


@export("debugging.assert_non_positive")
def assert_non_positive(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """Raises an error unless `x <= 0` for all elements.

    Args:
      x: A numeric tensor.
      message: A text that precedes the error's message.
      summarize: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      None. In a graph of TensorFlow 1, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: An element is positive.
    """
    return _check_sign(operator.le, "<=", x, message)


@export("debugging.assert_near")
@each_run("Assert", when=_is_traced, only_checks=True)
def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Raises an error unless `|x - y| <= atol + rtol * |y|` for all elements.

    Args:
      x: A floating-point tensor.
      y: A tensor of the same dtype.
      rtol: The relative tolerance; by default ten times the dtype's resolution.
      atol: The absolute tolerance; by default ten times the dtype's resolution.
      message: A text that precedes the error's message.
      summarize: The number of elements to print; 3 by default.
      name: Accepted for compatibility.

    Returns:
      None. In a graph of TensorFlow 1, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: The difference of two elements exceeds the tolerance, or the shapes do
        not broadcast.
      ValueError: `y` is a tensor of another dtype.
    """
    if _unknown(x, y):
        return None
    dtype = convert_to_tensor(x).dtype
    a, b = np.asarray(convert_to_tensor(x)), np.asarray(convert_to_tensor(y, dtype))
    rtol, atol = [t._numpy() for t in _tolerances(dtype, rtol, atol)]
    try:
        distance = np.abs(a - b)
        bound = np.broadcast_to(atol + rtol * np.abs(b), distance.shape)
    except ValueError:
        raise invalid(
            f"Incompatible shapes: {list(a.shape)} vs. {list(b.shape)} [Op:Sub]"
        ) from None
    if not np.all(distance <= bound):
        count = 3 if summarize is None else summarize
        raise InvalidArgumentError(
            None,
            None,
            f"{_prefix(message)}x and y not equal to tolerance rtol = {rtol}, atol = {atol}\n"
            f"x (shape={a.shape}) = {_shown(x, count)}\ny (shape={b.shape}) = {_shown(y, count)}",
        )
    return None


def _tolerances(dtype: DType, *given: Any) -> list[Tensor]:
    """Returns tolerances as tensors. None becomes ten times the dtype's resolution."""
    eps = 10 * float(float_limits(dtype.np_dtype).eps)
    return [convert_to_tensor(eps if t is None else t, dtype) for t in given]


def near(x: Any, y: Any, rtol: Any = None, atol: Any = None) -> Tensor:
    """Returns for each element whether `|x - y| <= atol + rtol * |y|`.

    Args:
      x: A floating-point tensor.
      y: A tensor of the same dtype.
      rtol: The relative tolerance; by default ten times the dtype's resolution.
      atol: The absolute tolerance; by default ten times the dtype's resolution.
    """
    a = convert_to_tensor(x)
    b = convert_to_tensor(y, a.dtype)
    relative, absolute = _tolerances(a.dtype, rtol, atol)
    return comparison.less_equal(abs(a - b), absolute + relative * abs(b))
