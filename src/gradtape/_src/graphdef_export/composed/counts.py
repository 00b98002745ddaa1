"""Functions that compare or count elements, as programs for tensors of unknown sizes."""

from __future__ import annotations

from typing import Any

from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.graphdef_export.composed.call_programs import as_operation, call_program
from gradtape._src.ops.array import sorting
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.rounding import floor
from gradtape._src.ops.elementwise.selection import maximum, minimum
from gradtape._src.ops.reduce.counting import confusion_matrix, histogram_fixed_width_bins
from gradtape._src.ops.reduce.extremes import reduce_max
from gradtape._src.ops.reduce.reductions import reduce_all
from gradtape._src.ops.reduce.segment import unsorted_segment_sum


@call_program(sorting.is_non_decreasing)
def non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Returns whether no element is less than the one before it."""
    flat = reshape(x, [-1])
    return reduce_all(flat[1:] >= flat[:-1])


@call_program(sorting.is_strictly_increasing)
def increasing(x: Any, name: str | None = None) -> Tensor:
    """Returns whether each element is greater than the one before it."""
    flat = reshape(x, [-1])
    return reduce_all(flat[1:] > flat[:-1])


@call_program(confusion_matrix)
def counted_pairs(
    labels: Any, predictions: Any, num_classes: Any, weights: Any, dtype: Any, name: Any = None
) -> Tensor:
    """Returns how often each pair of classes occurs."""
    rows, columns = (cast(reshape(x, [-1]), "int64") for x in (labels, predictions))
    if num_classes is None:
        n = maximum(reduce_max(rows), reduce_max(columns)) + 1
    else:
        n = cast(num_classes, "int64")
    each = cast(rows * 0 + 1 if weights is None else reshape(weights, [-1]), dtype)
    counts = unsorted_segment_sum(each, rows * n + columns, n * n)
    made: Tensor = as_operation(reshape)(counts, [n, n])
    return made


@call_program(histogram_fixed_width_bins)
def bins(values: Any, value_range: Any, nbins: Any, dtype: Any, name: Any = None) -> Tensor:
    """Returns the index of the bin that each value falls into."""
    x = convert_to_tensor(values)
    bounds = cast(convert_to_tensor(value_range, dtype_hint=x.dtype), "float64")
    n = cast(nbins, "float64")
    places = floor((cast(x, "float64") - bounds[0]) / (bounds[1] - bounds[0]) * n)
    return cast(minimum(maximum(places, 0), n - 1), "int32")
