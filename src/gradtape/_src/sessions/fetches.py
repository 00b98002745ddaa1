"""The fetches and feeds of a session: structures of tensors, operations, variables and names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dtypes import dtype_of, string
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.graph.ir.graph import Node, Symbol
from gradtape._src.graph.named.operations import Operation
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.sessions.handles import Kept
from gradtape._src.sessions.ragged_values import nested


@export("compat.v1.SparseTensorValue")
class SparseTensorValue(NamedTuple):
    """The value of a sparse tensor, which a session returns or is fed.

    Attributes:
      indices: The indices of the elements.
      values: The elements.
      dense_shape: The dense shape.
    """

    indices: Any
    values: Any
    dense_shape: Any


class IndexedSlicesValue(NamedTuple):
    """The value of `tf.IndexedSlices`, which a session returns or is fed.

    Attributes:
      values: The rows.
      indices: The indices of the rows in the dense tensor.
      dense_shape: The dense shape, or None.
    """

    values: Any
    indices: Any
    dense_shape: Any


Packed = Callable[[Iterator[Any]], Any]


class Fetches:
    """The structure of fetches that a session is to compute.

    Args:
      graph: The graph.
      fetches: A structure of tensors, operations, variables, composite tensors and names.

    Attributes:
      symbols: The requested values.
      nodes: The requested operations.
    """

    def __init__(self, graph: Any, fetches: Any) -> None:
        self._graph = graph
        self.symbols: list[Symbol] = []
        self.nodes: list[Node] = []
        self._pack = self._parsed(fetches)

    def packed(self, values: Any) -> object:
        """Returns the structure with values in place of tensors and None in place of operations."""
        return self._pack(iter(values))

    def _parsed(self, fetch: Any) -> Packed:
        if fetch is None:
            raise TypeError(
                f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}". Cannot '
                "be None"
            )
        if isinstance(fetch, (list, tuple)):
            return self._sequence(fetch)
        if isinstance(fetch, Mapping):
            keys, pack = list(fetch), self._sequence(list(fetch.values()))
            kind: Any = type(fetch)
            if isinstance(fetch, defaultdict):
                kind = partial(kind, fetch.default_factory)
            return lambda values: kind(zip(keys, pack(values), strict=True))
        if hasattr(type(fetch), "__attrs_attrs__"):
            names = [a.name for a in type(fetch).__attrs_attrs__]
            pack = self._sequence([getattr(fetch, name) for name in names])
            return lambda values: type(fetch)(*pack(values))
        if isinstance(fetch, SparseTensor):
            pack = self._sequence([fetch.indices, fetch.values, fetch.dense_shape])
            return lambda values: SparseTensorValue(*pack(values))
        if isinstance(fetch, IndexedSlices):
            parts = [fetch.values, fetch.indices]
            parts += [] if fetch.dense_shape is None else [fetch.dense_shape]
            pack = self._sequence(parts)
            return lambda values: IndexedSlicesValue(*[*pack(values), None][:3])
        if isinstance(fetch, RaggedTensor):
            pack = self._sequence([fetch.flat_values, *fetch.nested_row_splits])
            return lambda values: nested(*pack(values))
        if isinstance(fetch, CompositeTensor):
            raise TypeError(f"{type(fetch).__name__} can't be fetched: fetch its parts")
        return self._element(fetch)

    def _sequence(self, fetches: Any) -> Packed:
        packs = [self._parsed(x) for x in fetches]
        kind: Any = type(fetches)
        if hasattr(kind, "_fields"):
            return lambda values: kind(*[pack(values) for pack in packs])
        return lambda values: kind([pack(values) for pack in packs])

    def _element(self, fetch: Any) -> Packed:
        try:
            element = self._graph.as_graph_element(fetch)
        except TypeError as error:
            raise TypeError(
                f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}" must be a '
                f"string or Tensor. ({error})"
            ) from None
        except ValueError as error:
            raise ValueError(
                f"Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({error})"
            ) from None
        except KeyError as error:
            raise ValueError(
                f"Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({error})"
            ) from None
        if isinstance(element, Operation):
            if element.node is not None:
                self.nodes.append(element.node)
            return lambda values: None
        value = element._value
        if type(value) is not Symbol:
            return lambda values: given_out(value)
        self.symbols.append(value)
        return next


def given_out(value: Any) -> object:
    """Converts a raw value to the form in which a session returns it: a new array, or a scalar.

    The value of a variable's handle is that of the variable.
    """
    if type(value) is np.ndarray:
        return value.copy() if value.ndim else value[()]
    return given_out(value.read()) if type(value) is Kept else value


def feeds_of(graph: Any, feed_dict: Any) -> dict[Symbol, Any]:
    """Returns the values that a session is fed, by symbol or variable.

    Args:
      graph: The graph.
      feed_dict: A dictionary from tensors, variables or names to values.

    Raises:
      TypeError: `feed_dict` is not such a dictionary, or the type of a value is not compatible.
      ValueError: The shape of a value is not compatible.
      AttributeError: The value of a ragged tensor is no `RaggedTensorValue`.
    """
    if feed_dict is None:
        return {}
    if not isinstance(feed_dict, Mapping):
        raise TypeError(f"Argument `feed_dict` is not a dictionary. Got {feed_dict!r}")
    found: dict[Symbol, Any] = {}
    for key, value in feed_dict.items():
        for part, given in _fed_parts(key, value):
            symbol, raw = _feed(graph, part, given)
            found[symbol] = raw
    return found


def parts_of_feed(key: Any) -> list[Any]:
    """Returns the tensors or names for which a key of `feed_dict` stands.

    Args:
      key: A tensor, composite tensor, variable or name.
    """
    if isinstance(key, SparseTensor):
        return [key.indices, key.values, key.dense_shape]
    if isinstance(key, IndexedSlices):
        return [x for x in (key.values, key.indices, key.dense_shape) if x is not None]
    if isinstance(key, RaggedTensor):
        return [key.flat_values, *key.nested_row_splits]
    return [key]


def _fed_parts(key: Any, value: Any) -> list[tuple[Any, Any]]:
    """Returns the tensors or names for which a key stands, each with its part of the value."""
    if isinstance(key, RaggedTensor):
        if not hasattr(value, "nested_row_splits"):
            raise AttributeError(
                "The value of a ragged tensor must be a RaggedTensorValue, which "
                f"tf.compat.v1.ragged.constant_value makes, not {value!r}"
            )
        value = [value.flat_values, *value.nested_row_splits]
    elif not isinstance(key, (SparseTensor, IndexedSlices)):
        value = [value]
    return list(zip(parts_of_feed(key), value, strict=False))


def _feed(graph: Any, key: Any, value: Any) -> tuple[Symbol, Any]:
    tensor, symbol = symbol_of_feed(graph, key)
    if isinstance(value, Tensor):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include "
            "Python scalars, strings, lists, numpy ndarrays, or TensorHandles. For reference, the "
            f"tensor object was {value} which was passed to the argument `feed_dict` with key "
            f"{tensor}."
        )
    return symbol, _raw(tensor, symbol, value)


def symbol_of_feed(graph: Any, key: Any) -> tuple[Tensor, Symbol]:
    """Returns the tensor to which a key of `feed_dict` refers, and its symbol.

    Args:
      graph: The graph.
      key: A tensor, variable or name.

    Raises:
      TypeError: The key refers to no tensor.
      ValueError: The tensor may not be fed.
    """
    try:
        tensor = graph.as_graph_element(key, allow_operation=False)
    except (TypeError, ValueError, KeyError) as error:
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {error.args[0]}") from None
    symbol = tensor._value
    if type(symbol) is not Symbol or not graph.is_feedable(tensor):
        raise ValueError(f"Tensor {tensor} may not be fed.")
    return tensor, symbol


def _raw(tensor: Tensor, symbol: Symbol, value: Any) -> Any:
    """Converts a fed value to an array of the tensor's dtype."""
    dtype = dtype_of(symbol)
    if dtype is string:
        array = np.asarray(convert_to_tensor(value, string)._value)
    else:
        try:
            array = np.asarray(value, dtype=dtype.np_dtype)
            fits = not isinstance(value, int) or array.ndim > 0 or int(array) == value
        except OverflowError:
            fits = False
        except ValueError as error:
            raise ValueError(
                f"Cannot feed a value for Tensor {symbol.tensor_name}: {error}"
            ) from None
        if not fits:
            raise TypeError(
                f"Type of feed value {value} with type {type(value)} is not compatible with Tensor "
                f"type {dtype.np_dtype}. Try explicitly setting the type of the feed tensor to a "
                "larger type (e.g. int64)."
            )
    if not tensor.shape.is_compatible_with(array.shape):
        raise ValueError(
            f"Cannot feed value of shape {array.shape} for Tensor {symbol.tensor_name}, which has "
            f"shape {tensor.shape}"
        )
    return array if array.ndim or dtype is string else array[()]


def not_fed(name: str, dtype: str, shape: str) -> InvalidArgumentError:
    """Returns the error for a placeholder without a value."""
    return InvalidArgumentError(
        None,
        None,
        f"You must feed a value for placeholder tensor '{name}' with dtype {dtype}{shape}\n\t "
        f"[[{{{{node {name}}}}}]]",
    )
