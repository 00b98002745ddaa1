"""In-place updates of rows and single elements of variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape._src.base.device_values import state_lock
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.convert import tensor
from gradtape._src.core.operators import VariableMethods, register_method
from gradtape._src.core.stored_value import Array
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.traits import Traits
from gradtape._src.ops.array.joining import unstack
from gradtape._src.ops.array.row_sums import fold_rows
from gradtape._src.ops.array.shaping import reshape

_KNOWN = (np.ndarray, np.generic)
_AT = {"update": "set", "maximum": "max", "minimum": "min"}  # JAX's names
_OPERATIONS = {  # the ends of the names in TensorFlow
    "subtract": "Sub",
    "multiply": "Mul",
    "divide": "Div",
    "maximum": "Max",
    "minimum": "Min",
}


def _update(self: Variable, key: Any, values: Any, combine: str) -> Any:
    """Combines values with the elements at a NumPy index."""
    if not self._value.ndim:
        raise ValueError(f"{self._name} is a scalar, which has no rows: use `assign`")
    values = self._incoming(values)
    if hasattr(type(values), "refuse"):  # A batched value inside `vectorized_map`.
        values.refuse()
    with state_lock:
        if not isinstance(self._present(), _KNOWN):  # A traced value can't be changed in place.
            keys = key if type(key) is tuple else (key,)
            given = [Tensor(x) for x in (self._read()._value, values, *keys)]
            return self._store(_edited_p(*given, combine=combine)._value)
        return self._change(lambda array: _edit(array, key, values, combine))


def _edited(array: Array, values: Any, *keys: Any, combine: str) -> Array:
    """Returns a copy of an array with values combined into it."""
    whole = array.copy()
    _edit_given(whole, values, *keys, combine=combine)
    return whole


def _edit_given(array: Array, values: Any, *keys: Any, combine: str) -> None:
    """Combines values into an array whose old value is not needed."""
    _edit(array, keys if len(keys) > 1 else keys[0], values, combine)


def _edited_xla(array: Any, values: Any, *keys: Any, combine: str) -> Any:
    return getattr(array.at[keys], _AT.get(combine, combine))(values)


_edited_p = general(
    "ResourceScatter", _edited, xla=_edited_xla, traits=Traits(in_place=_edit_given)
)


def _edit(array: Array, key: Any, values: Any, combine: str) -> None:
    """Combines values with the elements of an array at a NumPy index.

    Raises:
      InvalidArgumentError: The index is out of range, or the values have another shape than the
        elements.
    """
    keys = key if type(key) is tuple else (key,)
    wanted = (*np.shape(keys[0]), *array.shape[len(keys) :])
    if np.shape(values) != wanted and (np.ndim(values) or len(keys) > 1 or type(key) is tuple):
        raise invalid(
            f"Must have updates.shape = indices.shape + params.shape[1:]: the updates of shape "
            f"{[*np.shape(values)]} are to have shape {[*wanted]} [Op:ResourceScatter]",
        )
    _check(array, keys, combine)
    if combine == "update":
        array[key] = values
    elif type(key) is np.ndarray:
        fold_rows(getattr(np, combine), array, key, values)
    else:
        getattr(np, combine).at(array, key, values)


def _check(array: Array, keys: Sequence[Any], combine: str) -> None:
    """Raises InvalidArgumentError if an index is out of range."""
    wrong: Any = False
    for places, extent in zip(keys, array.shape, strict=False):
        wrong = wrong | (places < 0) | (places >= extent)
    if not np.any(wrong):
        return
    first = np.unravel_index(np.argmax(wrong), np.shape(wrong))
    where = "".join([f"[{i}]" for i in first])
    place = [int(np.broadcast_to(k, np.shape(wrong))[first]) for k in keys]
    name = _OPERATIONS.get(combine, combine.capitalize())
    if len(keys) == 1:
        message = f"indices{where} = {place[0]} is not in [0, {array.shape[0]})"
        raise InvalidArgumentError(None, None, f"{message} [Op:ResourceScatter{name}]")
    message = f"indices{where} = {place} does not index into shape {[*array.shape]}"
    raise InvalidArgumentError(None, None, f"{message} [Op:ResourceScatterNd{name}]")


register_method(VariableMethods, "_update", _update)


def _by_row(name: str, combine: str, does: str) -> None:
    """Registers a method of variables that combines `IndexedSlices` into their rows."""

    def scatter(
        self: Variable, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(
                f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: "
                f"{sparse_delta!r} (write tf.IndexedSlices(values, indices))"
            )
        return self._update(tensor(sparse_delta.indices)._value, sparse_delta.values, combine)

    _attach(name, scatter, f"{does} rows given as `IndexedSlices`, in place.")


def _by_point(name: str, combine: str, does: str) -> None:
    """Registers a method of variables that combines `updates[i]` into the element `indices[i]`."""

    def scatter(self: Variable, indices: Any, updates: Any, name: str | None = None) -> Variable:
        points = tensor(indices)
        if len(shape_of(points)) == 1:  # The indices are row numbers, as in TensorFlow's kernel.
            points = reshape(points, [-1, 1])
        key = tuple([part._value for part in unstack(points, axis=-1)])
        return self._update(key, updates, combine)

    _attach(name, scatter, f"{does} `updates[i]` at the index `indices[i]`, in place.")


def _attach(name: str, method: Callable[..., Any], doc: str) -> None:
    method.__name__, method.__qualname__, method.__doc__ = name, f"Variable.{name}", doc
    register_method(VariableMethods, name, method)


_by_row("scatter_add", "add", "Adds")
_by_row("scatter_sub", "subtract", "Subtracts")
_by_row("scatter_update", "update", "Puts")
_by_row("scatter_mul", "multiply", "Multiplies by")
_by_row("scatter_div", "divide", "Divides by")
_by_row("scatter_max", "maximum", "Takes the maximum with")
_by_row("scatter_min", "minimum", "Takes the minimum with")
_by_point("scatter_nd_add", "add", "Adds")
_by_point("scatter_nd_sub", "subtract", "Subtracts")
_by_point("scatter_nd_update", "update", "Puts")
_by_point("scatter_nd_max", "maximum", "Takes the maximum with")
_by_point("scatter_nd_min", "minimum", "Takes the minimum with")


def _batch_scatter_update(
    self: Variable, sparse_delta: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    whole = isinstance(sparse_delta, IndexedSlices)
    rows = tensor(sparse_delta.indices)._value if whole else None
    if rows is None or rows.ndim > self._value.ndim:
        raise TypeError(
            f"Argument `sparse_delta` must be a `tf.IndexedSlices` whose indices have at most the "
            f"variable's rank. Received arg: {sparse_delta!r}"
        )
    lead = np.ogrid[tuple(slice(n) for n in rows.shape)]
    return self._update((*lead[:-1], rows), sparse_delta.values, "update")


_attach(
    "batch_scatter_update",
    _batch_scatter_update,
    "Assigns rows given as `IndexedSlices`, separately for each example of a batch, in place.",
)
