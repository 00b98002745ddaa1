"""The tensors for which a session is given values."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.export import export
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.primitive import Primitive, bind
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.graph.ir.graph import Symbol
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
        self._dtype, self._shape = dtype, shape
        self.symbol: Symbol | None = None

    def unfed(self) -> Exception:
        """The error where no value is given."""
        assert self.symbol is not None
        lengths = ["?" if n is None else str(n) for n in self._shape.as_list()]
        shown = f" and shape [{','.join(lengths)}]"
        name = self.symbol.owner.view.name_of(self.symbol)[:-2]
        return not_fed(name, _C_NAMES.get(self._dtype.name, self._dtype.name), shown)


def _graph() -> Graph:
    graph = open_graph()
    if graph is None:
        raise RuntimeError(_EAGER)
    assert isinstance(graph, Graph)
    return graph


def _lengths(graph: Graph, shape: TensorShape) -> tuple[Any, ...]:
    new = graph.tracer.decisions.new
    return tuple([new() if n is None else n for n in shape.as_list()])


@export("compat.v1.placeholder")
def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor of a graph that each run of a session is given a value for.

    Args:
      dtype: The type of its elements.
      shape: Its shape, None for lengths that differ from run to run.
      name: The operation's name.

    Returns:
      The tensor.

    Raises:
      RuntimeError: Operations run at once.
    """
    graph = _graph()
    kind, known = as_dtype(dtype), TensorShape(shape)
    told = Placeholder(kind, known)
    spec = (_lengths(graph, known), kind.np_dtype)
    node = graph.tracer.operation(placeholder_p, (), spec, {"placeholder": told})
    told.symbol = node.outputs[0]
    return Tensor(told.symbol)


@export("compat.v1.placeholder_with_default")
def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """A tensor of a graph that a run of a session may be given a value for.

    Args:
      input: The value where none is given.
      shape: Its shape, None for lengths that differ from run to run.
      name: The operation's name.

    Returns:
      The tensor; where operations run at once, `input`.
    """
    x = convert_to_tensor(input)
    if open_graph() is None:
        return x
    graph = _graph()
    x = graph.constant(x)
    known = TensorShape(shape)
    own = x._value.shape
    lengths = own if known.rank is None else _lengths(graph, known)
    spec = (lengths, x._value.np_dtype)
    node = graph.tracer.operation(placeholder_with_default_p, [x._value], spec, stateful=False)
    return Tensor(node.outputs[0])
