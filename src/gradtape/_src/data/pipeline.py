"""The base class of datasets: elements, their spec, and iterators over them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.composite_tensor import AnyCompositeTensor
from gradtape._src.base.errors import (
    DataLossError,
    InvalidArgumentError,
    UnimplementedError,
)
from gradtape._src.base.export import export
from gradtape._src.base.trackable import Trackable
from gradtape._src.core.extension_point import wrappable
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.tracebacks import shorten
from gradtape._src.data.argument_handles import Returned, described
from gradtape._src.data.cardinality import INFINITE, UNKNOWN
from gradtape._src.data.elements import elements as el
from gradtape._src.data.elements.element_functions import (
    ElementFunction,
    NeedsElementError,
    without_elements,
)
from gradtape._src.data.elements.graph_values import held, in_graph, present
from gradtape._src.data.elements.lineage import Lineage
from gradtape._src.data.graph_iteration import (
    element_of,
    handle_from,
    loop,
    made_in_graph,
    next_of,
    size_of,
)
from gradtape._src.data.optional import Optional
from gradtape._src.data.options import Options
from gradtape._src.data.shared_iteration import Turns
from gradtape._src.declare.eager_only import active_compiler, refuse_under_jit
from gradtape._src.ops.types.extension_type import ExtensionTypeSpec
from gradtape._src.ops.types.type_spec import TypeSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gradtape._src.data.elements.traced import Finish
    from gradtape._src.data.iteration import Produce

_MOST_STEPS = 1000  # the maximum number of an iterator's loops that are unrolled into a graph


@export("data.Iterator")
@AnyCompositeTensor.register
@wrappable("__next__")
class OwnedIterator(Trackable):
    """Iterates over the elements of a dataset; several threads may share an iterator.

    A checkpoint stores the number of returned elements; a restored iterator skips that many.

    Args:
      dataset: The dataset.

    >>> elements = iter(tf.data.Dataset.range(3))
    >>> int(next(elements)), int(next(elements))
    (0, 1)
    """

    def __init__(self, dataset: Pipeline) -> None:
        self._dataset, self._steps = dataset, 0  # Python iterators that a graph uses
        self._handle: Tensor | None = None
        self._elements: Any = None
        if in_graph("iter(dataset)"):
            self._handle = made_in_graph("MakeIterator", self._made, dataset._produce, True)
        else:
            self._elements = Turns(dataset._produce)

    def _made(self, produce: Produce) -> OwnedIterator:
        return OwnedIterator(self._dataset._then(self._dataset._kind, produce))

    @classmethod
    def _of_handle(cls, handle: Tensor, dataset: Pipeline) -> OwnedIterator:
        """Makes the symbolic form of an iterator that a scalar holds when the graph runs."""
        iterator = cls.__new__(cls)
        iterator._dataset, iterator._handle, iterator._elements = dataset, handle, None
        iterator._steps = 0
        return iterator

    def _like(self, spec: el.Spec, handle: Tensor) -> OwnedIterator:
        """Makes the symbolic form of an iterator like this one."""
        dataset = self._dataset
        return OwnedIterator._of_handle(handle, dataset._then("Variant", dataset._produce, spec))

    @property
    def _source(self) -> Any:
        return self if self._handle is None else self._handle

    def _described_parts(self, leaves: list[Tensor], *_: object) -> Any:
        return described(self, self._dataset, leaves, self._source)

    def _filled(self, tensors: Iterator[Tensor], *_: object) -> OwnedIterator:
        """Returns the symbolic form of the iterator, held by the next tensor."""
        spec = self._dataset.known_spec()
        return self if spec is None else self._like(spec, next(tensors))

    def _traced_loop(self, first: Any, step: Any, goes: Any) -> Any:
        """Traces a loop over the elements; see `graph_iteration.loop`."""
        in_graph("a loop over an iterator")
        return loop(self, self._dataset._stand_in, first, step, goes)

    def __iter__(self) -> OwnedIterator:
        return self

    def __next__(self) -> Any:
        if in_graph("next(iterator)"):
            self._steps += 1
            if self._steps > _MOST_STEPS:
                refuse_under_jit("a Python loop over an iterator")
            return self.get_next()
        try:
            return el.to_tensors(next(self._elements))
        except Exception as error:
            shorten(error)
            raise

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"ITERATOR_POSITION": np.int64(self._elements.given)}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        if "ITERATOR_POSITION" not in restored_tensors:
            raise UnimplementedError(
                None,
                None,
                "The checkpoint holds the state of an iterator in TensorFlow's own form, which "
                "gradtape can't read: remove the iterator from the Checkpoint that is restored.",
            )
        given = int(restored_tensors["ITERATOR_POSITION"])
        if given < 0:
            raise DataLossError(
                None,
                None,
                f"The checkpoint holds the position {given} of an iterator: it is damaged",
            )
        self._elements.go_to(given)

    def get_next(self) -> Any:
        """Returns the next element; raises OutOfRangeError at the end.

        Returns:
            The next element, in the structure of the dataset's elements.
        """
        if in_graph("next(iterator)"):
            stand_in = self._dataset._stand_in
            return element_of("IteratorGetNext", self._source, self.element_spec, stand_in, next_of)
        return el.to_tensors(next_of(self))

    def get_next_as_optional(self) -> Optional:
        """Returns an optional with the next element, or without a value at the end.

        Returns:
            An `Optional`.
        """
        if in_graph("next(iterator)"):
            take = OwnedIterator.get_next_as_optional
            handle = handle_from("IteratorGetNextAsOptional", self._source, take)
            return Optional._of_handle(self.element_spec, handle, self._dataset._stand_in)
        for element in self:
            return Optional.from_value(element)
        return Optional.empty(self.element_spec)

    @property
    def element_spec(self) -> el.Spec:
        """The spec of the elements."""
        return self._dataset.element_spec

    @property
    def _type_spec(self) -> IteratorSpec:
        return IteratorSpec(self.element_spec)


@export("data.IteratorSpec")
class IteratorSpec(TypeSpec):
    """Describes an iterator over the elements of a dataset.

    Args:
        element_spec: The specs of the elements' tensors, in their structure.

    >>> tf.type_spec_from_value(iter(tf.data.Dataset.range(3)))
    IteratorSpec(TensorSpec(shape=(), dtype=tf.int64, name=None),)
    """

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec: el.Spec) -> None:
        self._element_spec = element_spec

    @property
    def value_type(self) -> type[OwnedIterator]:
        """The class of the described values."""
        return OwnedIterator

    @classmethod
    def from_value(cls, value: Any) -> IteratorSpec:
        """Describes an iterator.

        Args:
          value: The iterator.

        Returns:
          An IteratorSpec of its elements.
        """
        return cls(value.element_spec)

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    def _stand_in(self) -> OwnedIterator:
        """Returns an iterator that represents this spec while a function is traced."""
        return OwnedIterator(el.unknown_dataset.get()(self._element_spec))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IteratorSpec) and self._element_spec == other._element_spec

    def __hash__(self) -> int:
        return hash(repr(self._element_spec))


@export("data.NumpyIterator")
class NumpyIterator:
    """An iterator over the elements of a dataset as arrays, which several threads may share.

    Args:
        dataset: The dataset.
    """

    def __init__(self, dataset: Pipeline) -> None:
        self._elements = Turns(dataset._produce)

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        if in_graph("next(iterator)"):
            raise RuntimeError(
                "as_numpy_iterator() is for eager execution: iterate over the dataset itself in a "
                "tf.function"
            )
        return el.to_numpy(next(self._elements))


class Pipeline:
    """A sequence of elements, which are computed again in each iteration.

    Args:
        kind: The name of the last step, which the printed form shows.
        produce: A function that starts an iteration.
        spec: The spec of the elements, or a function that finds it.
        cardinality: The number of elements.
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
        self._spec = spec  # the spec, or a function that returns it
        self._cardinality = cardinality
        self._options = options or Options()
        self._handle: Tensor | None = None
        self._in_graph = active_compiler() is not None

    _lineage = Lineage()

    def _then(
        self,
        kind: str,
        produce: Produce,
        spec: Any = None,
        cardinality: int | None = None,
        lineage: Lineage | None = None,
    ) -> Self:
        """Adds a step; keeps the spec and cardinality that are not given."""
        made = self._kind_of_step()(
            kind,
            produce,
            (lambda: self.element_spec) if spec is None else spec,
            self._cardinality if cardinality is None else cardinality,
            self._options,
        )
        made._lineage = self._lineage.after(kind) if lineage is None else lineage
        return made

    @classmethod
    def _kind_of_step(cls) -> type[Self]:
        """The class of the dataset that a step returns."""
        return cls

    @property
    def element_spec(self) -> el.Spec:
        """The `TensorSpec` of each component.

        If the user function can't be traced, the first element is computed to find the spec; the
        next iteration uses this element.
        """
        spec = self._spec
        if callable(spec):
            self._spec = spec = spec()
        return spec

    def known_spec(self) -> el.Spec | None:
        """The spec of the elements, or None if that requires an element."""
        try:
            with without_elements():
                return self.element_spec
        except NeedsElementError:
            return None

    def _stand_in(self, spec: Any, handle: Tensor) -> Self:
        """Makes the symbolic form of a dataset that a scalar holds when the graph runs."""
        value = held(handle._value)
        made = type(self)("Variant", lambda: present(value).item()._produce(), spec)
        made._handle = handle
        return made

    def _variant(self) -> Any:
        """The dataset, or in the graph that makes it, a scalar that holds it."""
        if self._handle is None and self._in_graph:
            self._handle = made_in_graph(
                f"{self._kind}Dataset", lambda p: self._then(self._kind, p), self._produce, False
            )
        return self if self._handle is None else self._handle

    def _described_parts(self, leaves: list[Tensor], *_: object) -> Any:
        return described(self, self, leaves, self._variant())

    def _filled(self, tensors: Iterator[Tensor], *_: object) -> Self:
        """Returns the symbolic form of the dataset, held by the next tensor."""
        spec = self.known_spec()
        return self if spec is None else self._stand_in(spec, next(tensors))

    def _argument_spec(self) -> Any:
        """Describes the dataset in the signature of a function that takes it."""
        return el.DatasetSpec(self.element_spec)

    def _given_out(self) -> Any:
        """Makes the value that a traced function returns in place of the dataset."""
        return Returned(self._variant(), self._stand_in, self.element_spec)

    def _traced_loop(self, first: Any, step: Any, goes: Any = None) -> Any:
        """Traces a loop over the elements; see `graph_iteration.loop`."""
        return loop(self, self._stand_in, first, step, goes)

    def _function(self, function: Callable[..., Any], finish: Finish) -> ElementFunction:
        """Wraps a user function of the elements."""
        return ElementFunction(function, self.known_spec, finish, self._stand_in)

    def cardinality(self, name: str | None = None) -> Tensor:
        """Returns the number of elements, or `INFINITE_CARDINALITY` or `UNKNOWN_CARDINALITY`."""
        if self._in_graph and self._cardinality == UNKNOWN and in_graph("cardinality"):
            return size_of(self._variant())
        return Tensor(np.int64(self._cardinality))

    def __len__(self) -> int:
        if self._cardinality == INFINITE:
            raise TypeError("The dataset is infinite.")
        if self._cardinality == UNKNOWN:
            raise TypeError(
                "The dataset length is unknown. Iterate to count, or state the number with "
                "dataset.apply(tf.data.experimental.assert_cardinality(n))."
            )
        return self._cardinality

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> OwnedIterator:
        return OwnedIterator(self)

    def as_numpy_iterator(self) -> NumpyIterator:
        """Returns an iterator over the elements as NumPy arrays, scalars and bytes.

        Ragged tensors become arrays of arrays, and sparse tensors dense arrays.

        Raises:
            TypeError: If a component is a dataset or of an extension type.
        """
        for leaf in nest.flatten(self.known_spec()):
            if isinstance(leaf, (el.DatasetSpec, ExtensionTypeSpec)):
                raise TypeError(
                    "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that "
                    f"produce elements of {leaf!r}"
                )
        return NumpyIterator(self)

    def get_single_element(self, name: str | None = None) -> Any:
        """Returns the only element.

        Raises:
            InvalidArgumentError: If there is no element, or more than one.
        """
        found = list(itertools.islice(self, 2))
        if len(found) != 1:
            many = "more than one element" if found else "no elements"
            raise InvalidArgumentError(None, None, f"Dataset had {many}.")
        return found[0]

    def options(self) -> Options:
        """Returns the options of the dataset."""
        return self._options

    def with_options(self, options: Options, name: str | None = None) -> Self:
        """Returns a dataset with other options, which don't change its elements."""
        dataset = self._then("Options", self._produce)
        dataset._options = self._options.merge(options)
        return dataset

    def _repr_html_(self) -> str:
        """Returns the HTML that notebooks show; no elements are computed."""
        from gradtape._src.inspect.notebooks.objects_html import dataset_html

        return dataset_html(self)

    def __repr__(self) -> str:
        kind = "CacheDataset" if self._kind == "Cache" else f"_{self._kind}Dataset"
        try:
            spec = repr(self.element_spec)
        except Exception as error:  # noqa: BLE001 (a program's function may fail; repr may not)
            spec = f"unknown ({type(error).__name__}: {error})"
        return f"<{kind} element_spec={spec}>"
