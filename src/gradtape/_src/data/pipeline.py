"""The common base of datasets: elements, their spec, and iterators over them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gradtape._src.base.errors import (
    DataLossError,
    InvalidArgumentError,
    OutOfRangeError,
    UnimplementedError,
)
from gradtape._src.base.export import export
from gradtape._src.base.trackable import Trackable
from gradtape._src.core.tensor import Tensor
from gradtape._src.data.cardinality import INFINITE, UNKNOWN
from gradtape._src.data.elements import elements as el
from gradtape._src.data.elements.element_functions import (
    ElementFunction,
    NeedsElementError,
    without_elements,
)
from gradtape._src.data.optional import Optional
from gradtape._src.data.options import Options
from gradtape._src.data.shared_iteration import Turns
from gradtape._src.declare.eager_only import refuse_under_jit
from gradtape._src.graph.ir.graph import CannotTrace

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradtape._src.data.elements.traced import Finish
    from gradtape._src.data.iteration import Produce


def _refused() -> Any:
    raise CannotTrace("a function iterates over a dataset")


@export("data.Iterator")
class OwnedIterator(Trackable):
    """Iterates over the elements of a dataset; several threads may share an iterator.

    A checkpoint holds how many elements the iterator has returned; a restored iterator skips as
    many.

    Args:
      dataset: The dataset.

    >>> elements = iter(tf.data.Dataset.range(3))
    >>> int(next(elements)), int(next(elements))
    (0, 1)
    """

    def __init__(self, dataset: Pipeline) -> None:
        refuse_under_jit("iter(dataset)")
        self._dataset = dataset
        self._elements = Turns(dataset._produce)

    def __iter__(self) -> OwnedIterator:
        return self

    def __next__(self) -> Any:
        refuse_under_jit("next(iterator)")
        return el.to_tensors(next(self._elements))

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"ITERATOR_POSITION": np.int64(self._elements.given)}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        if "ITERATOR_POSITION" not in restored_tensors:
            raise UnimplementedError(
                None,
                None,
                "The checkpoint holds the state of an iterator in TensorFlow's own form, which "
                "gradtape can't read: leave the iterator out of the Checkpoint that is restored.",
            )
        given = int(restored_tensors["ITERATOR_POSITION"])
        if given < 0:
            raise DataLossError(
                None, None, f"The checkpoint holds the place {given} of an iterator: it is damaged"
            )
        self._elements.go_to(given)

    def get_next(self) -> Any:
        """The next element; OutOfRangeError if there isn't one.

        Returns:
            The next element, in the structure of the data set's elements.
        """
        try:
            return next(self)
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence") from None

    def get_next_as_optional(self) -> Optional:
        """The next element, or an optional without a value if there isn't one.

        Returns:
            An `Optional`.
        """
        for element in self:
            return Optional.from_value(element)
        return Optional.empty(self.element_spec)

    @property
    def element_spec(self) -> el.Spec:
        """The spec of the elements."""
        return self._dataset.element_spec


@export("data.NumpyIterator")
class NumpyIterator:
    """An iterator over the elements of a dataset as arrays, which several threads may share.

    Args:
        dataset: What to iterate over.
    """

    def __init__(self, dataset: Pipeline) -> None:
        self._elements = Turns(dataset._produce)

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        refuse_under_jit("next(iterator)")
        return el.to_numpy(next(self._elements))


class Pipeline:
    """Elements that are made anew for each iteration.

    Args:
        kind: What the last step does; it stands in the printed form.
        produce: Starts an iteration.
        spec: What is known of the elements, or a function that finds it out.
        cardinality: How many there are.
        options: The options.
    """

    def __init__(
        self,
        kind: str,
        produce: Produce | None = None,
        spec: Any = None,
        cardinality: int = UNKNOWN,
        options: Options | None = None,
    ) -> None:
        if produce is None:
            raise TypeError(
                "A Dataset is made by Dataset.from_tensor_slices, from_generator, range, ..., "
                "not by its class."
            )
        self._kind = kind
        self._produce = produce
        self._spec = spec  # or a function that finds it out
        self._cardinality = cardinality
        self._options = options or Options()

    def _then(
        self, kind: str, produce: Produce, spec: Any = None, cardinality: int | None = None
    ) -> Self:
        """A further step; spec and cardinality stay as they are if not given."""
        return type(self)(
            kind,
            produce,
            (lambda: self.element_spec) if spec is None else spec,
            self._cardinality if cardinality is None else cardinality,
            self._options,
        )

    @property
    def element_spec(self) -> el.Spec:
        """The `TensorSpec` of each component.

        Where a function of the program makes the elements and can't be traced, it is found out by
        making the first element, which the next iteration begins with.
        """
        spec = self._spec
        if callable(spec):
            self._spec = spec = spec()
        return spec

    def known_spec(self) -> el.Spec | None:
        """The spec of the elements; None if an element must be made to find it out."""
        try:
            with without_elements():
                return self.element_spec
        except NeedsElementError:
            return None

    def _stand_in(self, spec: Any) -> Self:
        """A dataset of elements that are not known, for a function that is traced."""
        return type(self)("Variant", _refused, spec)

    def _function(self, function: Callable[..., Any], finish: Finish) -> ElementFunction:
        """A program's function of the elements."""
        return ElementFunction(function, self.known_spec, finish, self._stand_in)

    def cardinality(self, name: str | None = None) -> Tensor:
        """The number of elements, or `INFINITE_CARDINALITY` or `UNKNOWN_CARDINALITY`."""
        return Tensor(np.int64(self._cardinality))

    def __len__(self) -> int:
        if self._cardinality == INFINITE:
            raise TypeError("The dataset is infinite.")
        if self._cardinality == UNKNOWN:
            raise TypeError(
                "The dataset length is unknown. Iterate to count, or say it with "
                "dataset.apply(tf.data.experimental.assert_cardinality(n))."
            )
        return self._cardinality

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> OwnedIterator:
        return OwnedIterator(self)

    def as_numpy_iterator(self) -> NumpyIterator:
        """An iterator over the elements as NumPy arrays, scalars and bytes."""
        return NumpyIterator(self)

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element.

        Raises:
            InvalidArgumentError: If there is no element, or more than one.
        """
        found = list(itertools.islice(self, 2))
        if len(found) != 1:
            many = "more than one element" if found else "no elements"
            raise InvalidArgumentError(None, None, f"Dataset had {many}.")
        return found[0]

    def options(self) -> Options:
        """The options of the data set."""
        return self._options

    def with_options(self, options: Options, name: str | None = None) -> Self:
        """Returns a data set with other options, none of which changes what comes out."""
        dataset = self._then("Options", self._produce)
        dataset._options = self._options.merge(options)
        return dataset

    def __repr__(self) -> str:
        kind = "CacheDataset" if self._kind == "Cache" else f"_{self._kind}Dataset"
        try:
            spec = repr(self.element_spec)
        except Exception as error:  # noqa: BLE001 (a program's function may fail; repr may not)
            spec = f"unknown ({type(error).__name__}: {error})"
        return f"<{kind} element_spec={spec}>"
