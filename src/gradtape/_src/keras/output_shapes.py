"""The shapes of what layers return, found by running them with examples."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.core.tensor import Tensor
from gradtape._src.graph.abstract_evaluation import FILLS, example, merged, run_abstractly
from gradtape._src.ops.sparse.algebra import from_dense
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor

# A first axis that more lengths divide than those of `FILLS`, if a layer splits it.
LARGE = ((5040, 5040), (10080, 10080))


def compute_output_spec(original: Any, keras: Any) -> Callable[..., Any]:
    """Returns what finds output shapes by runs with two batch sizes, without TensorFlow's graph."""
    flatten, pack = keras.tree.flatten, keras.tree.map_structure
    symbolic = keras.KerasTensor

    @functools.wraps(original)
    def compute_output_spec(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        unknown = any(isinstance(x, symbolic) and None in x.shape for x in flatten((args, kwargs)))
        if not unknown:
            return evaluated(FILLS[:1], fn, args, kwargs)
        try:
            return evaluated(FILLS, fn, args, kwargs)
        except Exception:
            with contextlib.suppress(Exception):  # a small batch may have been what did not suit
                return evaluated(LARGE, fn, args, kwargs)
            raise

    def evaluated(fills: Any, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        runs = []
        for fill in fills:

            def stand_in(x: Any, fill: tuple[int, int] = fill) -> Any:
                return stood_in(x, fill) if isinstance(x, symbolic) else x

            with keras.StatelessScope(), keras.SymbolicScope():
                given, named = pack(stand_in, (args, kwargs))
                runs.append(run_abstractly(fn, *given, **named))
        return pack(described, runs[0], runs[-1])

    def described(x: Any, y: Any) -> Any:
        if not keras.is_tensor(x):
            return x
        kinds = {
            "sparse": isinstance(x, SparseTensor),
            "ragged": isinstance(x, RaggedTensor),
        }
        return symbolic(merged(x.shape.as_list(), y.shape.as_list()), x.dtype.name, **kinds)

    return compute_output_spec


def stood_in(x: Any, fill: tuple[int, int]) -> Tensor | SparseTensor | RaggedTensor:
    """Returns the value that a symbolic tensor of Keras has in an abstract evaluation."""
    made = example(x.shape, as_dtype(x.dtype), fill)
    if x.sparse:
        return from_dense(made)
    return RaggedTensor.from_tensor(made) if x.ragged and made._value.ndim > 1 else made
