"""The elements of a dataset: raw values, nested in tuples and dictionaries.

Inside a pipeline, elements consist of raw values. User functions get new tensors in each call, so
that a tape that watches one tensor does not watch another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.composite_tensor import is_composite
from gradtape._src.base.dtypes import dtype_of
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.base.shapes import TensorShape, as_shape
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.extension_point import ExtensionPoint
from gradtape._src.core.recorder import STACK, replaced
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.data.elements.composites import (
    RaggedRow,
    batchable,
    batched_spec,
    ragged_batch,
    row_spec,
)
from gradtape._src.graph.ir.graph import Symbol
from gradtape._src.ops.sparse.algebra import concat as sparse_concat
from gradtape._src.ops.sparse.algebra import expand_dims as sparse_expand_dims
from gradtape._src.ops.sparse.algebra import to_dense as sparse_to_dense
from gradtape._src.ops.types.extension_type import ExtensionType, ExtensionTypeSpec
from gradtape._src.ops.types.ragged_tensor import RaggedTensor, RaggedTensorSpec
from gradtape._src.ops.types.sparse_tensor import SparseTensor, SparseTensorSpec
from gradtape._src.ops.types.specs import TensorSpec, TypeSpec
from gradtape._src.ops.types.type_spec import NoneTensorSpec as NoneTensorSpec

R = TypeVar("R")

Element = Any
Spec = Any


class Parts(tuple[Any, ...]):
    """An element that is split into a part for each replica; parts may have different lengths."""

    __slots__ = ()


class UnevenParts(Parts):
    """Parts of an element; other processes may have longer parts of the same element."""

    __slots__ = ()


def is_whole(value: object) -> bool:
    """Whether a value, such as a sparse or ragged tensor, passes through a dataset unchanged."""
    return is_composite(type(value))


def is_raw(leaf: object) -> bool:
    """Returns whether a leaf is the raw value of a tensor (and not None or a window's dataset)."""
    return isinstance(leaf, (np.ndarray, np.generic, Symbol))


def raw_element(value: Any, keep: type) -> Element:
    """Converts an element from user code to raw values.

    Args:
        value: Tuples and dictionaries of values that are convertible to tensors; a list becomes a
          tensor.
        keep: A class of leaves that remain unchanged.
    """
    if type(value) is Tensor:
        return value._value
    if isinstance(value, TensorLike):
        return tensor(value)._value
    if type(value) is tuple:
        return tuple([raw_element(child, keep) for child in value])
    if value is None or isinstance(value, keep) or is_whole(value):
        return value
    if nest.is_nested(value) and not isinstance(value, (list, range)):
        return nest.rebuild(value, [raw_element(x, keep) for x in nest.children_of(value)])
    return convert_to_tensor(value)._value


def raw_result(value: Any, keep: type) -> Element:
    """Converts a function's result to raw values; a list is treated as a tuple of components."""
    element = raw_element(tuple(value) if isinstance(value, list) else value, keep)
    if not is_raw(element) and all(leaf is None for leaf in nest.flatten(element)):
        raise InvalidArgumentError(
            None, None, "The function of a dataset must return a value, but it returned None."
        )
    return element


def to_tensors(element: Element) -> Any:
    """Returns the element with new tensors for raw values."""
    if is_raw(element):
        return Tensor(element)
    if type(element) is tuple:
        return tuple([to_tensors(child) for child in element])
    return nest.map_structure(_to_tensor, element)


def _to_tensor(leaf: Any) -> Any:
    if type(leaf) is RaggedRow:
        leaf = leaf.value
    return Tensor(leaf) if is_raw(leaf) else leaf


def to_numpy(element: Element) -> Any:
    """Returns the element with copied arrays, as `as_numpy_iterator` returns it."""
    return nest.map_structure(_to_array, to_tensors(element))


def _to_array(leaf: Any) -> Any:
    if isinstance(leaf, SparseTensor):
        return sparse_to_dense(leaf).numpy()
    return leaf.numpy() if isinstance(leaf, (Tensor, RaggedTensor)) else leaf


def call(function: Callable[..., R], element: Element) -> R:
    """Calls a user function on an element, with the components of a tuple as arguments.

    No recorder is active, since gradients don't flow through a dataset.
    """
    value = to_tensors(element)
    arguments = value if type(value) is tuple else (value,)
    if not STACK.recorders:
        return function(*arguments)
    with replaced(()):
        return function(*arguments)


unknown_dataset: ExtensionPoint[Callable[[Spec], Any]] = ExtensionPoint("datasets of a spec")
"""Makes a dataset with only a spec; provided by `dataset`."""


@export("data.DatasetSpec")
class DatasetSpec(TypeSpec):
    """Describes a component that is a dataset.

    Args:
        element_spec: The specs of the elements' tensors, in their structure.
        dataset_shape: The shape of a tensor of datasets.
    """

    def __init__(self, element_spec: Spec, dataset_shape: Any = ()) -> None:
        self.element_spec = element_spec
        self._dataset_shape = as_shape(dataset_shape)

    @classmethod
    def from_value(cls, value: Any) -> DatasetSpec:
        """Describes a dataset.

        Args:
          value: The dataset.

        Returns:
          A DatasetSpec of its elements.
        """
        return cls(value.element_spec)

    def _serialize(self) -> tuple[Any, ...]:
        return self.element_spec, self._dataset_shape

    def _stand_in(self) -> Any:
        """Returns a dataset that represents this spec while a function is traced."""
        return unknown_dataset.get()(self.element_spec)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Returns whether a dataset may have this spec.

        Args:
          spec_or_value: A dataset, or a spec of one.

        Returns:
          True if the dataset may have this spec.
        """
        found = getattr(spec_or_value, "element_spec", None)
        try:
            pairs = nest.map_structure(
                lambda a, b: a.is_compatible_with(b), self.element_spec, found
            )
        except (TypeError, ValueError):
            return False
        return all(nest.flatten(pairs))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DatasetSpec) and self.element_spec == other.element_spec

    def __hash__(self) -> int:
        return hash(repr(self))


def spec_of(element: Element) -> Spec:
    """Returns the spec of an element."""
    return nest.map_structure(_leaf_spec, element)


def _leaf_spec(leaf: Any) -> Any:
    if is_raw(leaf):
        shape = leaf.shape
        return TensorSpec(
            TensorShape.of(shape) if type(shape) is tuple else shape.known(), dtype_of(leaf)
        )
    if is_whole(leaf):
        return leaf._type_spec
    return NoneTensorSpec() if leaf is None else DatasetSpec(leaf.element_spec)


def loose_spec(element: Element) -> Spec:
    """Returns the spec of an element, with the dtypes and ranks only."""
    return loosened(spec_of(element))


def loosened(spec: Spec) -> Spec:
    """Returns a spec without the lengths of axes."""
    return nest.map_structure(_loosened, spec)


def _loosened(leaf: Any) -> Any:
    if isinstance(leaf, DatasetSpec):
        return DatasetSpec(loosened(leaf.element_spec))
    if isinstance(leaf, (NoneTensorSpec, ExtensionTypeSpec)) or leaf.shape.rank is None:
        return leaf
    shape = TensorShape([None] * leaf.shape.rank)
    if isinstance(leaf, TensorSpec):
        return TensorSpec(shape, leaf.dtype)
    if isinstance(leaf, SparseTensorSpec):
        return SparseTensorSpec(shape, leaf.dtype)
    if isinstance(leaf, RaggedTensorSpec):
        return RaggedTensorSpec(shape, leaf.dtype, leaf.ragged_rank, leaf.row_splits_dtype)
    return leaf


def tensor_specs(spec: Spec) -> list[TensorSpec]:
    """Returns the tensor specs in a spec."""
    return [leaf for leaf in nest.flatten(spec) if isinstance(leaf, TensorSpec)]


def up_to(spec: Spec, value: Any) -> list[Any]:
    """Returns the parts of `value` at the leaves of `spec`, which may be structures, too.

    Raises:
        ValueError: If the structure of `value` is not that of `spec`.
    """
    if not nest.is_nested(spec):
        return [value]
    if isinstance(spec, Mapping):
        pairs = [(spec[key], value[key]) for key in sorted(spec)]
    else:
        pairs = list(zip(nest.children_of(spec), value, strict=True))
    return [part for inner, part_of in pairs for part in up_to(inner, part_of)]


def map_spec(function: Callable[[Any], Any], spec: Spec) -> Spec:
    """Applies a function to the specs of tensors, ragged tensors and sparse tensors."""
    kinds = (TensorSpec, RaggedTensorSpec, SparseTensorSpec, ExtensionTypeSpec)
    return nest.map_structure(
        lambda leaf: function(leaf) if isinstance(leaf, kinds) else leaf, spec
    )


def without_first_axis(spec: Any) -> TypeSpec:
    """Returns the spec of slices."""
    if not isinstance(spec, TensorSpec):
        return row_spec(spec)
    shape = spec.shape if spec.shape.rank is None else spec.shape[1:]
    return TensorSpec(shape, spec.dtype)


def with_first_axis(length: int | None) -> Callable[[Any], Any]:
    """Returns a function that makes the spec of batches of `length` elements."""

    def batched(spec: Any) -> Any:
        if not isinstance(spec, TensorSpec):
            return batched_spec(spec, length)
        return TensorSpec(TensorShape([length]) + spec.shape, spec.dtype)

    return batched


def common_spec(one: Spec, other: Spec) -> Spec:
    """Returns the most specific spec that describes the elements of both.

    Raises:
        TypeError: If structures or dtypes differ.
    """
    try:
        return nest.map_structure(_common_leaf_spec, one, other)
    except (TypeError, ValueError):
        raise TypeError(f"Incompatible dataset elements:\n  {one} vs.   {other}") from None


def _common_leaf_spec(one: Any, other: Any) -> Any:
    if isinstance(one, TensorSpec):
        return one.most_specific_compatible_type(other)
    if isinstance(one, DatasetSpec) and isinstance(other, DatasetSpec):
        return DatasetSpec(common_spec(one.element_spec, other.element_spec))
    if one != other:
        raise TypeError
    return one


def stack(elements: Sequence[Element]) -> Element:
    """Stack elements along a new first axis.

    Raises:
        InvalidArgumentError: If their shapes differ.
    """
    first = elements[0]
    if is_raw(first):
        return stack_leaves(elements)
    if type(first) is tuple and all(map(is_raw, first)):
        return tuple([stack_leaves(leaves) for leaves in zip(*elements, strict=True)])
    columns = zip(*map(nest.flatten, elements), strict=True)
    return nest.pack_sequence_as(first, [stack_leaves(leaves) for leaves in columns])


def stack_leaves(
    leaves: Sequence[Any],
) -> np.ndarray[Any, Any] | RaggedTensor | SparseTensor | ExtensionType | None:
    """Stacks raw values along a new first axis."""
    first = leaves[0]
    if first is None:
        return None
    if isinstance(first, (RaggedRow, RaggedTensor)):
        return ragged_batch(leaves)
    if isinstance(first, SparseTensor):
        return sparse_concat(0, [sparse_expand_dims(leaf, 0) for leaf in leaves])
    if isinstance(first, ExtensionType):
        whole: ExtensionType = batchable(first)._of_rows(list(leaves))
        return whole
    if not is_raw(first):
        raise InvalidArgumentError(
            None, None, "Datasets cannot be batched; batch the windows with flat_map instead."
        )
    for leaf in leaves:
        if leaf.shape != first.shape:
            raise InvalidArgumentError(
                None,
                None,
                "Cannot add tensor to the batch: number of elements does not match. Shapes are: "
                f"[tensor]: {list(leaf.shape)}, [batch]: {list(first.shape)}. Give the elements "
                "one shape with map, or use padded_batch.",
            )
    out = np.empty((len(leaves), *first.shape), first.dtype)
    if first.ndim:
        np.stack(leaves, out=out)
    else:
        out[:] = [leaf[()] for leaf in leaves]  # strings are arrays of rank 0
    return out
