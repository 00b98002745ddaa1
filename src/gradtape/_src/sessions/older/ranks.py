"""Assertions about ranks and dtypes with TensorFlow 1's arguments, and checks of a whole graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.compat.contexts import control_dependencies
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.graph_operations import of_shape, run_whole
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.declare.registered import Operation
from gradtape._src.ops.control import assertions
from gradtape._src.ops.control import rank_and_type_assertions as checks
from gradtape._src.ops.control.control_flow import group
from gradtape._src.ops.elementwise.comparison import equal
from gradtape._src.ops.elementwise.identities import check_numerics
from gradtape._src.sessions.older.assertions import Data, printing


@export("compat.v1.assert_near")
def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Raises an error unless `|x - y| <= atol + rtol * |y|` for all elements.

    Args:
      x: A floating-point tensor.
      y: A tensor of the same dtype.
      rtol: The relative tolerance; by default ten times the dtype's resolution.
      atol: The absolute tolerance; by default ten times the dtype's resolution.
      data: Values to print if the assertion fails.
      summarize: The number of elements of each value to print.
      message: A text that precedes the error's message.
      name: The operation's name.

    Returns:
      None. In a graph, an operation that raises the error when a session runs it.

    Raises:
      InvalidArgumentError: The difference of two elements exceeds the tolerance.
    """
    if data is not None:
        holds = assertions.near(x, y, rtol, atol)
        return printing(data, holds, message, summarize)
    return assertions.assert_near(x, y, rtol, atol, message, summarize)


@export("compat.v1.assert_rank")
def assert_rank(
    x: Any,
    rank: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raises an error unless a tensor has the given number of axes.

    Args:
      x: A tensor.
      rank: The number of axes.
      data: Accepted for compatibility: the error names the shape.
      summarize: Accepted for compatibility.
      message: A text that precedes the error's message.
      name: The operation's name.

    Raises:
      ValueError: The number of axes is not `rank`.
    """
    checks.assert_rank(x, rank, message)


@export("compat.v1.assert_rank_at_least")
def assert_rank_at_least(
    x: Any,
    rank: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raises an error unless a tensor has at least the given number of axes.

    Args:
      x: A tensor.
      rank: The number of axes.
      data: Accepted for compatibility: the error names the shape.
      summarize: Accepted for compatibility.
      message: A text that precedes the error's message.
      name: The operation's name.

    Raises:
      ValueError: The number of axes is less than `rank`.
    """
    checks.assert_rank_at_least(x, rank, message)


@export("compat.v1.assert_rank_in")
def assert_rank_in(
    x: Any,
    ranks: Sequence[Any],
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raises an error unless the number of axes of a tensor is one of several.

    Args:
      x: A tensor.
      ranks: The numbers of axes that are allowed.
      data: Accepted for compatibility: the error names the shape.
      summarize: Accepted for compatibility.
      message: A text that precedes the error's message.
      name: The operation's name.

    Raises:
      ValueError: The number of axes is not in `ranks`.
    """
    checks.assert_rank_in(x, ranks, message)


@export("compat.v1.assert_scalar")
def assert_scalar(tensor: Any, name: str | None = None, message: str | None = None) -> Tensor:
    """Raises an error unless a tensor is a scalar.

    Args:
      tensor: A tensor.
      name: The operation's name.
      message: A text that precedes the error's message.

    Returns:
      The tensor.

    Raises:
      ValueError: The tensor has an axis.
    """
    checks.assert_scalar(tensor, message, name)
    return convert_to_tensor(tensor)


@export("compat.v1.assert_integer")
def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> None:
    """Raises an error unless a tensor has an integer dtype.

    Args:
      x: A tensor.
      message: A text that precedes the error's message.
      name: The operation's name.

    Raises:
      TypeError: The dtype is not an integer type.
    """
    checks.assert_integer(x, message, name)


@export("compat.v1.assert_type")
def assert_type(
    tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None
) -> None:
    """Raises an error unless a tensor has the given dtype.

    Args:
      tensor: A tensor.
      tf_type: The dtype.
      message: A text that precedes the error's message.
      name: The operation's name.

    Raises:
      TypeError: The dtype is another one.
    """
    checks.assert_type(tensor, tf_type, message, name)


@export("compat.v1.add_check_numerics_ops")
def add_check_numerics_ops() -> Operation | None:
    """Returns an operation that checks all floating-point tensors of the graph.

    Returns:
      The operation, which raises InvalidArgumentError for NaN and infinity. None in eager
      execution.
    """
    graph: Any = open_graph()
    if graph is None:
        return None
    last: list[Any] = []
    for operation in graph.get_operations():
        outputs = [] if operation.type == "Const" else operation.outputs
        for x in outputs:
            if x.dtype.is_floating:
                with control_dependencies(last):
                    last = [check_numerics(x, operation.name)]
    found: Operation | None = group(*last)
    return found


@export("compat.v1.debugging.assert_shapes")
def assert_shapes(
    shapes: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Raises an error unless the shapes of tensors match patterns.

    Args:
      shapes: Pairs of a tensor and its shape, or a dictionary of them. A length in a shape is a
        number, None or "." for any length, or a symbol, which stands for the same number in all
        shapes. "*" or Ellipsis at the beginning stands for any number of axes.
      data: Accepted for compatibility: the error names the shapes.
      summarize: Accepted for compatibility.
      message: A text that precedes the error's message.
      name: The operation's name.

    Returns:
      None. In a graph, an operation that raises the error when a session runs it.

    Raises:
      ValueError: A tensor whose shape is known does not have the shape of its pattern.
      InvalidArgumentError: In a session, another tensor does not.
    """
    pairs = [
        (convert_to_tensor(getattr(x, "deref", lambda x=x: x)()), pattern)
        for x, pattern in (shapes.items() if isinstance(shapes, Mapping) else shapes)
    ]
    known = [pair for pair in pairs if pair[0].shape.is_fully_defined()]
    checks.assert_shapes(known, message=message)
    if (graph := open_graph()) is None:
        return None
    if len(known) == len(pairs):
        return group(name=name)

    def fault(*values: Tensor) -> Tensor:
        patterns = [pattern for _, pattern in pairs]
        try:
            checks.assert_shapes(list(zip(values, patterns, strict=True)), message=message)
        except ValueError as error:
            return convert_to_tensor(str(error))
        return convert_to_tensor("")

    tensors = [graph.constant(x) for x, _ in pairs]
    found = run_whole("AssertShapes", of_shape((), np.dtype(object)), fault, *tensors)
    return assertions.Assert(equal(found, ""), [found])
