"""Operations on known values that fail: their nodes are kept, and fail when the graph runs.

TensorFlow computes nothing while it makes a graph, so that only a run can see wrong values; wrong
shapes and dtypes are errors at once.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.errors import About, InvalidArgumentError
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.graph_operations import has_symbols
from gradtape._src.declare.unknown_sizes import NeedsSize
from gradtape._src.graph.ir.graph import CannotTrace, Symbol

_OF_SHAPES = frozenset(
    ("axis", "batch_shape", "begin", "delta", "depth", "dims", "k", "limit", "nbins", "num")
) | {"num_columns", "num_rows", "paddings", "shape", "start"}
"""Arguments from which shapes follow; TensorFlow, too, checks known ones when it makes a graph."""
_PLAIN = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)


def called_on_symbols(tracer: Any, call: Callable[..., Any], args: Any, kwargs: Any) -> object:
    """Calls a function again on symbols, so that its node fails if it runs.

    Args:
      tracer: The tracer of the graph.
      call: The function, which failed on known values.
      args: Its arguments.
      kwargs: Its named arguments.

    Raises:
      OpError: The error of the first call; it isn't about values, or the function also fails on
        symbols.
    """
    error, count = sys.exception(), len(tracer.nodes)
    assert error is not None
    if isinstance(error, InvalidArgumentError) and error._about is not About.VALUES:
        raise error
    hidden, names = [*args], [*inspect.signature(call).parameters]
    # Of sizes, TensorFlow checks only those of blocks.
    checked = _OF_SHAPES | {"size"} if "begin" in names else _OF_SHAPES
    for i in range(len(args)):
        if not checked.isdisjoint(names[i : i + 1]):
            continue
        hidden[i] = nest.map_structure(lambda x: _hidden(tracer, x), _as_tensor(args[i]))
        if not has_symbols(hidden[i]):
            continue
        try:
            return call(*hidden, **kwargs)
        except (CannotTrace, NeedsSize, Exception):  # noqa: BLE001 (it may be an attribute)
            del tracer.nodes[count:]
    raise error


def _as_tensor(x: Any) -> Any:
    """Returns an argument of an operation as a tensor, if it can be one."""
    try:
        return convert_to_tensor(x) if isinstance(x, (*_PLAIN, list, tuple)) else x
    except (TypeError, ValueError):
        return x


def _hidden(tracer: Any, x: Any) -> Any:
    """Returns a tensor, or one of the tensors that make up a composite one, as a symbol."""
    if type(x) is Tensor:
        return x if type(x._value) is Symbol else Tensor(tracer._capture(x, x._value))
    flat = nest.flatten(x, expand_composites=True)
    if len(flat) == 1 and flat[0] is x:
        return x
    whole = [_hidden(tracer, each) for each in flat]
    return nest.pack_sequence_as(x, whole, expand_composites=True)
