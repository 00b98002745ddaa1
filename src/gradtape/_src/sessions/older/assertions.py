"""Assertions with TensorFlow 1's arguments: operations in graphs, immediate checks otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.registered import Operation
from gradtape._src.ops.control import assertions
from gradtape._src.ops.elementwise import comparison
from gradtape._src.ops.reduce.reductions import reduce_all

Data = Sequence[Any] | None


def _checked(
    check: Callable[..., Operation | None],
    holds: Callable[[Any, Any], Tensor],
    operands: Sequence[Any],
    data: Data,
    message: str | None,
    summarize: int | None,
) -> Operation | None:
    """Returns an assertion that prints `data`, or the compared values if `data` is None.

    Args:
      check: The assertion of `tf.debugging`.
      holds: The comparison of two tensors, for each element.
      operands: The compared values. A single operand is compared with 0.
      data: The values to print, or None.
      message: A text that precedes them, or None.
      summarize: The number of elements of each value to print, or None.
    """
    if data is None:
        return check(*operands, message=message, summarize=summarize)
    x, y = operands if len(operands) == 2 else (*operands, 0)
    return printing(data, holds(x, y), message, summarize)


def printing(
    data: Sequence[Any], holds: Tensor, message: str | None, summarize: int | None
) -> Operation | None:
    """Returns an assertion that prints given values instead of the compared values."""
    shown = [] if message is None else [message]
    return assertions.Assert(reduce_all(holds), [*shown, *data], summarize)


@export("compat.v1.assert_equal")
def assert_equal(
    x: Any,
    y: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Raises an error unless `x == y` for all elements.

    Args:
      x: A tensor.
      y: A tensor of the same dtype, whose shape broadcasts with the shape of `x`.
      data: Additional values to print if the assertion fails.
      summarize: The number of elements of each value to print.
      message: A text that precedes the error's message.
      name: The operation's name.

    Returns:
      None. In a graph, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: The comparison is false for an element.
    """
    return _checked(assertions.assert_equal, comparison.equal, (x, y), data, message, summarize)


@export("compat.v1.assert_none_equal")
def assert_none_equal(
    x: Any,
    y: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Raises an error unless `x != y` for all elements.

    Args:
      x: A tensor.
      y: A tensor of the same dtype, whose shape broadcasts with the shape of `x`.
      data: Additional values to print if the assertion fails.
      summarize: The number of elements of each value to print.
      message: A text that precedes the error's message.
      name: The operation's name.

    Returns:
      None. In a graph, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: The comparison is false for an element.
    """
    return _checked(
        assertions.assert_none_equal, comparison.not_equal, (x, y), data, message, summarize
    )


@export("compat.v1.assert_less")
def assert_less(
    x: Any,
    y: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Raises an error unless `x < y` for all elements.

    Args:
      x: A tensor.
      y: A tensor of the same dtype, whose shape broadcasts with the shape of `x`.
      data: Additional values to print if the assertion fails.
      summarize: The number of elements of each value to print.
      message: A text that precedes the error's message.
      name: The operation's name.

    Returns:
      None. In a graph, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: The comparison is false for an element.
    """
    return _checked(assertions.assert_less, comparison.less, (x, y), data, message, summarize)


@export("compat.v1.assert_less_equal")
def assert_less_equal(
    x: Any,
    y: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Raises an error unless `x <= y` for all elements.

    Args:
      x: A tensor.
      y: A tensor of the same dtype, whose shape broadcasts with the shape of `x`.
      data: Additional values to print if the assertion fails.
      summarize: The number of elements of each value to print.
      message: A text that precedes the error's message.
      name: The operation's name.

    Returns:
      None. In a graph, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: The comparison is false for an element.
    """
    return _checked(
        assertions.assert_less_equal, comparison.less_equal, (x, y), data, message, summarize
    )


@export("compat.v1.assert_greater")
def assert_greater(
    x: Any,
    y: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Raises an error unless `x > y` for all elements.

    Args:
      x: A tensor.
      y: A tensor of the same dtype, whose shape broadcasts with the shape of `x`.
      data: Additional values to print if the assertion fails.
      summarize: The number of elements of each value to print.
      message: A text that precedes the error's message.
      name: The operation's name.

    Returns:
      None. In a graph, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: The comparison is false for an element.
    """
    return _checked(assertions.assert_greater, comparison.greater, (x, y), data, message, summarize)


@export("compat.v1.assert_greater_equal")
def assert_greater_equal(
    x: Any,
    y: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Raises an error unless `x >= y` for all elements.

    Args:
      x: A tensor.
      y: A tensor of the same dtype, whose shape broadcasts with the shape of `x`.
      data: Additional values to print if the assertion fails.
      summarize: The number of elements of each value to print.
      message: A text that precedes the error's message.
      name: The operation's name.

    Returns:
      None. In a graph, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: The comparison is false for an element.
    """
    return _checked(
        assertions.assert_greater_equal, comparison.greater_equal, (x, y), data, message, summarize
    )


@export("compat.v1.assert_positive")
def assert_positive(
    x: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Raises an error unless `x > 0` for all elements.

    Args:
      x: A numeric tensor.
      data: Additional values to print if the assertion fails.
      summarize: The number of elements of each value to print.
      message: A text that precedes the error's message.
      name: The operation's name.

    Returns:
      None. In a graph, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: The comparison is false for an element.
    """
    return _checked(assertions.assert_positive, comparison.greater, (x,), data, message, summarize)


@export("compat.v1.assert_negative")
def assert_negative(
    x: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Raises an error unless `x < 0` for all elements.

    Args:
      x: A numeric tensor.
      data: Additional values to print if the assertion fails.
      summarize: The number of elements of each value to print.
      message: A text that precedes the error's message.
      name: The operation's name.

    Returns:
      None. In a graph, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: The comparison is false for an element.
    """
    return _checked(assertions.assert_negative, comparison.less, (x,), data, message, summarize)


@export("compat.v1.assert_non_negative")
def assert_non_negative(
    x: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Raises an error unless `x >= 0` for all elements.

    Args:
      x: A numeric tensor.
      data: Additional values to print if the assertion fails.
      summarize: The number of elements of each value to print.
      message: A text that precedes the error's message.
      name: The operation's name.

    Returns:
      None. In a graph, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: The comparison is false for an element.
    """
    return _checked(
        assertions.assert_non_negative, comparison.greater_equal, (x,), data, message, summarize
    )


@export("compat.v1.assert_non_positive")
def assert_non_positive(
    x: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Raises an error unless `x <= 0` for all elements.

    Args:
      x: A numeric tensor.
      data: Additional values to print if the assertion fails.
      summarize: The number of elements of each value to print.
      message: A text that precedes the error's message.
      name: The operation's name.

    Returns:
      None. In a graph, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: The comparison is false for an element.
    """
    return _checked(
        assertions.assert_non_positive, comparison.less_equal, (x,), data, message, summarize
    )
