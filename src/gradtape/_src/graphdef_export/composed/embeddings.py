"""Look-ups of sparse ids, as programs for any number of rows."""

from __future__ import annotations

from typing import Any

from gradtape._src.core.tensor import Tensor
from gradtape._src.graph.ir.graph import CannotTrace
from gradtape._src.graphdef_export.composed.call_programs import as_operation, call_program
from gradtape._src.ops.array.shaping import expand_dims
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.selection import where
from gradtape._src.ops.nn.embedding import embedding_lookup_sparse, safe_embedding_lookup_sparse
from gradtape._src.ops.sparse.algebra import retain
from gradtape._src.ops.sparse.functions import fill_empty_rows


@call_program(safe_embedding_lookup_sparse)
def looked_up(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any,
    combiner: Any,
    default_id: Any,
    max_norm: Any,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Returns the combined rows of a table for the valid ids of each row."""
    if sparse_ids.indices._value.shape[1] != 2:
        raise CannotTrace("only a matrix of ids is exported")
    good = sparse_ids.values >= 0
    if sparse_weights is not None and combiner != "sum":
        good &= sparse_weights.values > 0
    fill, first = as_operation(fill_empty_rows), as_operation(retain)
    ids, is_empty = fill(first(sparse_ids, good), 0 if default_id is None else int(default_id))
    weights = None
    if sparse_weights is not None:
        weights, _ = fill(first(sparse_weights, good), 1.0)
    look_up = as_operation(embedding_lookup_sparse)
    out: Tensor = look_up(embedding_weights, ids, weights, combiner, max_norm)
    if default_id is not None:
        return out
    for _ in range(out._value.ndim - 1):
        is_empty = expand_dims(is_empty, -1)
    return where(is_empty, cast(0, out.dtype), out)
