"""Batches of elements of different shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.dtypes import string
from gradtape._src.base.errors import DataLossError
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.data.elements.elements import Element, Spec, tensor_specs, up_to
from gradtape._src.ops.types.specs import TensorSpec


class Padding:
    """The padding of elements: lengths and values.

    Args:
        spec: The spec of the elements.
        shapes: The shape to pad each component to; None for the length of the longest element.
        values: The padding value for each component, or for all; zero or the empty string if None.

    Raises:
        ValueError: If the rank of a component is not known.
        TypeError: If a component is not a tensor, or the dtype of a padding value differs from its
            component's.
    """

    def __init__(self, spec: Spec, shapes: Any, values: Any) -> None:
        self._spec = spec
        for leaf in nest.flatten(spec):
            if not isinstance(leaf, TensorSpec):
                raise TypeError(
                    "`padded_batch` is only supported for datasets that produce tensor elements, "
                    f"but a component has the spec {leaf!r}"
                )
        specs = tensor_specs(spec)
        given = [each.shape for each in specs] if shapes is None else up_to(spec, shapes)
        self._shapes = [_target(number, shape) for number, shape in enumerate(given)]
        fills = up_to(spec, values) if nest.is_nested(values) else [values] * len(specs)
        self._values = [_padding(*pair) for pair in zip(specs, fills, strict=True)]

    @property
    def element_spec(self) -> Spec:
        """The spec of padded elements."""
        dtypes = [spec.dtype for spec in tensor_specs(self._spec)]
        pairs = zip(self._shapes, dtypes, strict=True)
        return nest.pack_sequence_as(self._spec, [TensorSpec(*pair) for pair in pairs])

    def stack(self, elements: Sequence[Element]) -> Element:
        """Stacks elements along a new first axis.

        Raises:
            DataLossError: If an element is larger than its padded shape.
        """
        columns = zip(*map(nest.flatten, elements), strict=True)
        plans = zip(columns, self._shapes, self._values, strict=True)
        return nest.pack_sequence_as(elements[0], [_pad_and_stack(*plan) for plan in plans])


def _target(number: int, shape: Any) -> TensorShape:
    if isinstance(shape, (list, tuple, np.ndarray)):
        shape = [None if n == -1 else n for n in shape]
    known = TensorShape(shape)
    if known.rank is None:
        raise ValueError(
            "You must provide `padded_shapes` argument because component "
            f"{number} has unknown rank."
        )
    return known


def _padding(spec: TensorSpec, value: Any) -> Any:
    if value is None:
        return b"" if spec.dtype is string else 0
    try:
        return convert_to_tensor(value, spec.dtype)._value
    except (TypeError, ValueError):
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type "
            f"{convert_to_tensor(value).dtype} does not match type {spec.dtype} of the "
            "corresponding input component."
        ) from None


def _pad_and_stack(leaves: Sequence[Any], shape: TensorShape, value: Any) -> Any:
    longest = [max(each) for each in zip(*[leaf.shape for leaf in leaves], strict=True)]
    sizes = [a if b is None else b for a, b in zip(longest, shape, strict=True)]
    if any(a > b for a, b in zip(longest, sizes, strict=True)):
        raise DataLossError(
            None,
            None,
            f"Attempted to pad to a smaller size than the input element: {longest} does not fit "
            f"into {sizes}. Give larger padded_shapes, or None to pad to the longest.",
        )
    out = np.full((len(leaves), *sizes), value, leaves[0].dtype)
    for number, leaf in enumerate(leaves):
        place: Any = (number, *[slice(length) for length in leaf.shape])
        out[place] = leaf[()]  # a string is an array of rank 0
    return out
