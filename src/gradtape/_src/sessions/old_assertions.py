"""Assertions with TensorFlow 1's arguments: operations in graphs, immediate checks otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.registered import Operation
from gradtape._src.ops.control import assertions
from gradtape._src.ops.elementwise import comparison
from gradtape._src.ops.reduce.reductions import reduce_all

Data = Sequence[Any] | None


def _with(
    data: Sequence[Any], holds: Tensor, message: str | None, summarize: int | None
) -> Operation | None:
    """Returns an assertion that prints values other than those it compares."""
    told = [] if message is None else [message]
    return assertions.Assert(reduce_all(holds), [*told, *data], summarize)


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
    if data is not None:
        return _with(data, comparison.equal(x, y), message, summarize)
    return assertions.assert_equal(x, y, message, summarize)


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
    if data is not None:
        return _with(data, comparison.not_equal(x, y), message, summarize)
    return assertions.assert_none_equal(x, y, summarize, message)


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
    if data is not None:
        return _with(data, comparison.less(x, y), message, summarize)
    return assertions.assert_less(x, y, message, summarize)


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
    if data is not None:
        return _with(data, comparison.less_equal(x, y), message, summarize)
    return assertions.assert_less_equal(x, y, message, summarize)


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
    if data is not None:
        return _with(data, comparison.greater(x, y), message, summarize)
    return assertions.assert_greater(x, y, message, summarize)


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
    if data is not None:
        return _with(data, comparison.greater_equal(x, y), message, summarize)
    return assertions.assert_greater_equal(x, y, message, summarize)


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
    if data is not None:
        return _with(data, comparison.greater(x, 0), message, summarize)
    return assertions.assert_positive(x, message, summarize)


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
    if data is not None:
        return _with(data, comparison.less(x, 0), message, summarize)
    return assertions.assert_negative(x, message, summarize)


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
    if data is not None:
        return _with(data, comparison.greater_equal(x, 0), message, summarize)
    return assertions.assert_non_negative(x, message, summarize)


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
    if data is not None:
        return _with(data, comparison.less_equal(x, 0), message, summarize)
    return assertions.assert_non_positive(x, message, summarize)
