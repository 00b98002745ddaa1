"""What every dataset has: elements, what is known of them, and iterators over them."""

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
from gradtape._src.data import elements as el
from gradtape._src.data.cardinality import INFINITE, UNKNOWN
from gradtape._src.data.optional import Optional
from gradtape._src.data.options import Options
from gradtape._src.data.shared_iteration import Turns
from gradtape._src.declare.eager_only import outside

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradtape._src.data.iteration import Produce


@export("data.Iterator")
class OwnedIterator(Trackable):
    """An iterator over the elements of a dataset, which several threads may share.

    A checkpoint holds how many elements it has given; when that is restored, it skips as many.
    """

    def __init__(self, dataset: Pipeline) -> None:
        outside("iter(dataset)")
        self._dataset = dataset
        self._elements = Turns(dataset._produce)

    def __iter__(self) -> OwnedIterator:
        return self

    def __next__(self) -> Any:
        outside("next(iterator)")
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
        """The next element; OutOfRangeError if there is none."""
        try:
            return next(self)
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence") from None

    def get_next_as_optional(self) -> Optional:
        """The next element, or an optional without a value if there is none."""
        for element in self:
            return Optional.from_value(element)
        return Optional.empty(self.element_spec)

    @property
    def element_spec(self) -> Any:
        """What is known of the elements."""
        return self._dataset.element_spec


@export("data.NumpyIterator")
class NumpyIterator:
    """An iterator over the elements of a dataset as arrays, which several threads may share."""

    def __init__(self, dataset: Pipeline) -> None:
        self._elements = Turns(dataset._produce)

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        outside("next(iterator)")
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
    def element_spec(self) -> Any:
        """The `TensorSpec` of each component.

        Where a function of the program makes the elements, it is found out by calling that
        function twice with made-up elements, or with the first element if that fails.
        """
        spec = self._spec
        if callable(spec):
            self._spec = spec = spec()
        return spec

    def _spec_after(self, function: Callable[[el.Element], el.Element]) -> Any:
        try:
            tried = [function(el.example(self.element_spec, number)) for number in (0, 1)]
        except Exception:  # noqa: BLE001 (whatever a program's function does with made-up values)
            return self._first_spec(lambda: map(function, self._produce()))
        return el.common_spec(*map(el.spec_of, tried))

    def _first_spec(self, produce: Produce) -> Any:
        for element in produce():
            return el.spec_of(element)
        raise ValueError("What a dataset without elements would hold cannot be found out.")

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
            InvalidArgumentError: If there is none, or more than one.
        """
        found = list(itertools.islice(self, 2))
        if len(found) != 1:
            many = "more than one element" if found else "no elements"
            raise InvalidArgumentError(None, None, f"Dataset had {many}.")
        return found[0]

    def options(self) -> Options:
        """The options."""
        return self._options

    def with_options(self, options: Options, name: str | None = None) -> Self:
        """The same elements with other options, none of which changes what comes out."""
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
