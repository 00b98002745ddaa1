"""The output shapes of layers, found by running them with examples."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

from gradtape._src.autograph.errors_while_tracing import as_of_shapes
from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.core.tensor import Tensor
from gradtape._src.graph.abstract_evaluation import FILLS, example, merged, run_abstractly
from gradtape._src.ops.sparse.algebra import from_dense
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor

# A length of the first axis with more divisors than those of `FILLS`, for layers that split it.
LARGE = ((5040, 5040), (10080, 10080))


def compute_output_spec(original: Any, keras: Any) -> Callable[..., Any]:
    """Returns a function that finds output shapes by runs with two batch sizes."""
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
            with contextlib.suppress(Exception):  # perhaps the small batch caused the error
                return evaluated(LARGE, fn, args, kwargs)
            raise

    def evaluated(fills: Any, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        runs = []
        for fill in fills:

            def stand_in(x: Any, fill: tuple[int, int] = fill) -> Any:
                return stood_in(x, fill) if isinstance(x, symbolic) else x

            with keras.StatelessScope(), keras.SymbolicScope():
                given, named = pack(stand_in, (args, kwargs))
                runs.append(_run(fn, given, named))
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


def _run(fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Runs a function on examples; shapes that don't fit are a ValueError, as in TensorFlow."""
    try:
        return run_abstractly(fn, *args, **kwargs)
    except InvalidArgumentError as error:
        translated = as_of_shapes(error)
        if translated is error:
            raise
        raise translated from None


def stood_in(x: Any, fill: tuple[int, int]) -> Tensor | SparseTensor | RaggedTensor:
    """Returns the value of a symbolic Keras tensor in an abstract evaluation."""
    made = example(x.shape, as_dtype(x.dtype), fill)
    if x.sparse:
        return from_dense(made)
    return RaggedTensor.from_tensor(made) if x.ragged and made._value.ndim > 1 else made
