"""The output shapes of layers, found by running them with examples."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any

from gradtape._src.autograph.errors_while_tracing import as_of_shapes
from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.primitive import Outputs, Primitive
from gradtape._src.core.recorder import Recorder, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.eager_only import is_traced
from gradtape._src.graph.input_signatures import zeros_of
from gradtape._src.ops.sparse.algebra import from_dense
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor

# Two runs use these lengths in place of an unknown one: one for the first axis, one for other axes.
# A length of the result is unknown if the runs differ. They have many divisors, since layers may
# divide lengths. Those of the first axis are larger in LARGE, for layers that split it.
FILLS = ((2, 96), (4, 144))
LARGE = ((5040, 5040), (10080, 10080))


_registered: list[type] = []


def register_symbolic_tensor_type(cls: type) -> None:
    """Makes layers of symbolic models accept and return objects of a class, as tensors.

    Args:
      cls: A class whose objects can be converted to tensors.
    """
    _registered.append(cls)


def compute_output_spec(original: Any, keras: Any) -> Callable[..., Any]:
    """Returns a function that finds output shapes by runs with two batch sizes."""
    flatten, pack = keras.tree.flatten, keras.tree.map_structure
    symbolic = keras.KerasTensor

    @functools.wraps(original)
    def compute_output_spec(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        unknown = any(has_no_values(x) and None in x.shape for x in flatten((args, kwargs)))
        if not unknown:
            return evaluated(FILLS[:1], fn, args, kwargs)
        try:
            return evaluated(FILLS, fn, args, kwargs)
        except Exception:
            with contextlib.suppress(Exception):  # the small batch may have caused the error
                return evaluated(LARGE, fn, args, kwargs)
            raise

    def has_no_values(x: Any) -> bool:
        return isinstance(x, symbolic) or is_traced(x)

    def evaluated(fills: Any, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        runs = []
        for fill in fills:

            def stand_in(x: Any, fill: tuple[int, int] = fill) -> Any:
                return stood_in(x, fill) if has_no_values(x) else x

            with keras.StatelessScope(), keras.SymbolicScope():
                given, named = pack(stand_in, (args, kwargs))
                runs.append(_run(fn, given, named))
        return pack(described, runs[0], runs[-1])

    def described(x: Any, y: Any) -> Any:
        x, y = _as_tensor(x), _as_tensor(y)
        if not keras.is_tensor(x):
            return x
        kinds = {
            "sparse": isinstance(x, SparseTensor),
            "ragged": isinstance(x, RaggedTensor),
        }
        return symbolic(_merged(x.shape.as_list(), y.shape.as_list()), x.dtype.name, **kinds)

    return compute_output_spec


def _as_tensor(x: Any) -> Any:
    return convert_to_tensor(x) if isinstance(x, tuple(_registered)) else x


def _run(fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Runs a function on examples; shapes that don't fit are a ValueError, as in TensorFlow."""
    run = _WithoutEffects()
    try:
        with replaced((run,)):
            return fn(*args, **kwargs)
    except InvalidArgumentError as error:
        translated = as_of_shapes(error)
        if translated is error:
            raise
        raise translated from None
    finally:
        run.undo()


class _WithoutEffects(Recorder):
    """Runs operations that no tape records, and restores the values of variables."""

    def __init__(self) -> None:
        self._before: dict[int, tuple[Variable, Any]] = {}

    def process(
        self, primitive: Primitive, inputs: Sequence[Tensor], params: dict[str, Any]
    ) -> Outputs:
        return primitive.bind(*inputs, **params)

    def variable_written(self, variable: Variable) -> None:
        self._before.setdefault(variable._id, (variable, variable._value))

    def undo(self) -> None:
        """Restores the variables."""
        for variable, value in self._before.values():
            variable._put(value)


def _filled(shape: Sequence[int | None], fill: tuple[int, int]) -> list[int]:
    """Returns a shape with numbers in place of its unknown lengths."""
    return [fill[i > 0] if n is None else n for i, n in enumerate(shape)]


def _merged(shape: Sequence[int | None], other: Sequence[int | None]) -> list[int | None]:
    """Returns the lengths that are equal in two runs, with None for the others."""
    if len(shape) != len(other):
        raise ValueError(
            f"the number of axes depends on a length that is unknown: {shape} or {other}"
        )
    return [a if a == b else None for a, b in zip(shape, other, strict=True)]


def stood_in(x: Any, fill: tuple[int, int]) -> Tensor | SparseTensor | RaggedTensor:
    """Returns an example for a symbolic Keras tensor, or a traced one, with given lengths."""
    made = zeros_of(_filled(x.shape, fill), as_dtype(x.dtype))
    if type(x) is Tensor:
        return made
    if x.sparse:
        return from_dense(made)
    return RaggedTensor.from_tensor(made) if x.ragged and made._value.ndim > 1 else made
