"""Datasets and iterators as arguments and results of functions that are traced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.compute.raw_value import boxed
from gradtape._src.core.tensor import Tensor
from gradtape._src.graph.ir.graph import Symbol
from gradtape._src.graph.signatures import IdentityKey

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradtape._src.data.pipeline import Pipeline

_KEY = ((), np.dtype(object))


def described(value: Any, dataset: Pipeline, leaves: list[Tensor], source: Any) -> tuple[Any, ...]:
    """Returns the part of a cache key for a dataset or iterator as an argument.

    Appends its scalar to `leaves`. A dataset whose element spec is not known without computing
    an element gets a unique key.
    """
    spec = dataset.known_spec()
    if spec is None:
        return type(value), IdentityKey(value)
    leaves.append(source if type(source) is Tensor else Tensor(boxed(source)))
    return type(value), (str, repr(spec)), _KEY


class Returned:
    """A dataset that a function returns, as a composite of the scalar that holds it.

    Args:
      handle: The scalar, or the dataset itself.
      stand_in: A function that makes a dataset from the scalar if it is symbolic.
      spec: The spec of the elements.
    """

    def __init__(self, handle: Any, stand_in: Callable[[Any, Tensor], Any], spec: Any) -> None:
        self.handle = handle if type(handle) is Tensor else Tensor(boxed(handle))
        self.stand_in, self.spec = stand_in, spec

    @property
    def _type_spec(self) -> Any:
        return self.spec

    def with_handle(self, handle: Tensor) -> object:
        """Returns the same dataset, held by another scalar."""
        value = handle._value
        if type(value) is Symbol:
            return self.stand_in(self.spec, handle)
        return value.item() or self  # The scalar has no value in a template.


nest.register_composite(
    Returned, nest.Container(lambda x: [x.handle], lambda like, parts: like.with_handle(parts[0]))
)
