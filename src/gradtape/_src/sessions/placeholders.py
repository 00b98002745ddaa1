"""Placeholders: tensors whose values are fed to a session."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, int64
from gradtape._src.base.export import export
from gradtape._src.base.name_scope import name_scope
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.primitive import Primitive, bind
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.graph.ir.graph import Symbol
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.sessions.fetches import not_fed
from gradtape._src.sessions.graph import Graph

_EAGER = (
    "tf.placeholder() is not compatible with eager execution. (Call it inside of `with "
    "tf.Graph().as_default():`, or after tf.compat.v1.disable_eager_execution().)"
)


def _unfed(*, placeholder: Placeholder) -> Any:
    raise placeholder.unfed()


placeholder_p = Primitive("Placeholder", _unfed, tracked=0)
bind(placeholder_p)


def _passed(x: Any) -> Any:
    return x


placeholder_with_default_p = Primitive("PlaceholderWithDefault", _passed, tracked=0)
bind(placeholder_with_default_p)


_C_NAMES = {"float32": "float", "float64": "double", "bool": "bool", "complex64": "complex64"}


class Placeholder:
    """Describes a placeholder: its dtype, shape and default value."""

    def __init__(self, dtype: Any, shape: TensorShape) -> None:
        self.dtype, self.shape = dtype, shape
        self.symbol: Symbol | None = None

    def unfed(self) -> Exception:
        """Returns the error for a placeholder that is not fed."""
        assert self.symbol is not None
        shown = ""
        if self.shape.rank is not None:
            lengths = ["?" if n is None else str(n) for n in self.shape.as_list()]
            shown = f" and shape [{','.join(lengths)}]"
        name = self.symbol.owner.view.name_of(self.symbol)[:-2]
        return not_fed(name, _C_NAMES.get(self.dtype.name, self.dtype.name), shown)


def _graph() -> Graph:
    graph = open_graph()
    if graph is None:
        raise RuntimeError(_EAGER)
    assert isinstance(graph, Graph)
    return graph


def _lengths(tracer: Any, shape: TensorShape) -> tuple[Any, ...]:
    dims = None if shape.rank is None else shape.as_list()
    found: tuple[Any, ...] = tracer.decisions.shape_of(dims)
    return found


def new_placeholder(tracer: Any, dtype: DType, shape: TensorShape) -> Tensor:
    """Returns a new placeholder.

    Args:
      tracer: The tracer that makes the graph.
      dtype: The dtype.
      shape: The shape.

    Returns:
      The tensor.
    """
    declared = Placeholder(dtype, shape)
    spec = (_lengths(tracer, shape), dtype.np_dtype)
    made: Tensor = tracer.add(placeholder_p, (), {"placeholder": declared}, spec)
    declared.symbol = made._value
    return made


def with_default(x: Tensor, shape: TensorShape) -> Tensor:
    """Returns a new placeholder with a default value in a graph of TensorFlow 1.

    Args:
      x: A tensor of the graph.
      shape: The placeholder's shape.

    Returns:
      The tensor.
    """
    tracer = _graph().tracer
    spec = (_lengths(tracer, shape), x._value.np_dtype)
    node = tracer.operation(placeholder_with_default_p, [x._value], spec, stateful=False)
    return Tensor(node.outputs[0])


def tie_sparse_parts(indices: Tensor, values: Tensor, lengths: Tensor, shape: TensorShape) -> None:
    """Declares that placeholders are the parts of a sparse tensor.

    Args:
      indices: The placeholder of the indices.
      values: The placeholder of the values, of which there are as many.
      lengths: The placeholder of the shape.
      shape: The shape, as far as it is known.
    """
    symbol: Symbol = values._value
    symbol.shape, symbol.spec = indices._value.shape[:1], None
    decisions = _graph().tracer.decisions
    known = [decisions.new() if n is None else n for n in shape.as_list()]
    lengths._value.consists_of(np.array(known, object))


@export("compat.v1.placeholder")
def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """Returns a placeholder, a tensor whose value must be fed in each run of a session.

    Args:
      dtype: The type of its elements.
      shape: The shape, with None for lengths that may differ between runs.
      name: The operation's name.

    Returns:
      The tensor.

    Raises:
      RuntimeError: Execution is eager.
    """
    graph = _graph()
    return new_placeholder(graph.tracer, as_dtype(dtype), TensorShape(shape))


@export("compat.v1.placeholder_with_default")
def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Returns a placeholder with a default value, which may be fed in a run of a session.

    Args:
      input: The default value.
      shape: The shape, with None for lengths that may differ between runs.
      name: The operation's name.

    Returns:
      The tensor. In eager execution, `input`.
    """
    x = convert_to_tensor(input)
    if open_graph() is None:
        return x
    return with_default(_graph().constant(x), TensorShape(shape))


@export("compat.v1.ragged.placeholder")
def ragged_placeholder(
    dtype: Any, ragged_rank: int, value_shape: Any = None, name: str | None = None
) -> RaggedTensor | Tensor:
    """Returns a placeholder for a ragged tensor, which must be fed in each run of a session.

    Args:
      dtype: The type of its elements.
      ragged_rank: The number of ragged axes.
      value_shape: The shape of an innermost value. Defaults to an unknown shape.
      name: The name scope of the operations.

    Returns:
      A ragged tensor, or a tensor if no axis is ragged.

    Raises:
      RuntimeError: Execution is eager.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.ragged.placeholder(tf.int32, 1, [])
    ...     fed = tf.compat.v1.ragged.constant_value([[1, 2], [3]], "int32")
    ...     session.run(2 * x, {x: fed}).to_list()
    [[2, 4], [6]]
    """
    if ragged_rank == 0:
        return placeholder(dtype, value_shape, name)
    with name_scope(name or "RaggedPlaceholder") as scope:
        shape = TensorShape([None]).concatenate(value_shape)
        values: Any = named(placeholder(dtype, shape), f"{scope}flat_values")
        for axis in reversed(range(ragged_rank)):
            splits = named(placeholder(int64, [None]), f"{scope}row_splits_{axis}")
            values = RaggedTensor(values, splits)
    rows: RaggedTensor = values
    return rows


def named(x: Tensor, name: str) -> Tensor:
    """Gives the operation that makes a tensor another name.

    Args:
      x: A tensor of an open graph.
      name: The name, which no other operation has.

    Returns:
      The tensor.
    """
    tracer = x._value.owner
    tracer.named[tracer.producer(x._value)] = name
    return x
