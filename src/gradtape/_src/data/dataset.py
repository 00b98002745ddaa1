"""`Dataset`: the sources of elements."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.composite_tensor import AnyCompositeTensor
from gradtape._src.base.dtypes import as_dtype, int64
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.data import cardinality as sizes
from gradtape._src.data import iteration as walk
from gradtape._src.data.elements import elements as el
from gradtape._src.data.elements.arguments import integer
from gradtape._src.data.elements.fingerprints import fingerprint_of
from gradtape._src.data.elements.graph_values import held, number_of, present
from gradtape._src.data.elements.lineage import of_several, of_source, own_files
from gradtape._src.data.groupings import Groupings, sharded
from gradtape._src.data.saving import is_saved, saved_while_passing
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.unknown_sizes import may_be_equal
from gradtape._src.files.paths import local
from gradtape._src.files.records import check_compression
from gradtape._src.graph.ir.graph import Symbol
from gradtape._src.ops.types.extension_type import ExtensionType
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.ops.types.specs import TensorSpec, TypeSpec
from gradtape._src.ops.types.type_spec import register_type_spec_from_value_converter


@export("__internal__.types.data.Dataset")
class DatasetV2:
    """The base class of datasets; Keras recognizes it by its name and module."""

    __slots__ = ()
    __module__ = "tensorflow.python.data.ops.dataset_ops"


@export("data.Dataset")
@AnyCompositeTensor.register
class Dataset(Groupings, DatasetV2):
    """A sequence of elements, which are computed while a program iterates over it.

    An element is a tensor, or tuples and dictionaries of tensors. User functions are traced once,
    if possible, and run once for each element. Gradients don't flow through a dataset.

    >>> squares = Dataset.range(3).map(lambda x: x * x)
    >>> list(squares.as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(4)]
    """

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """Makes a dataset of the slices of tensors along their first axis.

        Args:
            tensors: A tensor, or tuples and dictionaries of tensors of the same length; or a list
              of datasets, which become the elements.
            name: Accepted for compatibility.

        Returns:
            A dataset with as many elements as the tensors have rows.

        Raises:
            ValueError: If a tensor has no axis, or lengths differ.

        >>> len(Dataset.from_tensor_slices(([[1.0, 2.0], [3.0, 4.0]], [0, 1])))
        2
        """
        if isinstance(tensors, list) and tensors and all(isinstance(x, Dataset) for x in tensors):
            return _of_datasets(tensors)
        element = _held(el.raw_element(tensors, Dataset))
        leaves = [leaf for leaf in nest.flatten(element) if leaf is not None]
        if not leaves:
            raise ValueError("Invalid `element`. `element` should not be empty.")
        kinds = (np.ndarray, Symbol, RaggedTensor, SparseTensor)
        plain = [x for x in leaves if not isinstance(x, ExtensionType)]
        if any(not isinstance(leaf, kinds) or not leaf.shape for leaf in plain):
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        length = walk.length(leaves[0])
        for leaf in leaves:
            if not may_be_equal([own := walk.length(leaf)], [length]):
                raise ValueError(f"Dimensions {length} and {own} are not compatible")
        spec = el.map_spec(el.without_first_axis, el.spec_of(element))
        known = length if type(length) is int else sizes.UNKNOWN
        return _source("TensorSlice", lambda: walk.slices(_present(element)), spec, known)

    def fingerprint(self) -> Tensor:
        """Returns a number that is equal for datasets created in the same way.

        Returns:
            A uint64 scalar. It depends on the steps, their arguments, and the user's functions,
            including the values that they use.

        >>> a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(3)
        >>> bool(a.fingerprint() == b.fingerprint())
        True
        >>> bool(a.fingerprint() == b.batch(2).fingerprint())
        False
        """
        return Tensor(np.uint64(fingerprint_of(self)))

    @takes(compression="string")
    def snapshot(
        self,
        path: Any,
        compression: str | None = "AUTO",
        reader_func: Callable[..., Any] | None = None,
        shard_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Writes the elements to files once, and reads them from the files later on.

        The files are used for this dataset only: several datasets in one directory are
        distinguished by their `fingerprint`. They are used after the first complete iteration.

        Args:
            path: A directory.
            compression: "GZIP", or None; "AUTO" and "SNAPPY" stand for None.
            reader_func: See `load`.
            shard_func: See `save`.
            name: Accepted for compatibility.

        Returns:
            A dataset with the same elements.

        Raises:
            ValueError: `compression` is unknown, or an element has a component that is not a
              tensor, which is raised during iteration.

        >>> import tempfile
        >>> made = tf.data.Dataset.range(3).map(lambda x: x * x).snapshot(tempfile.mkdtemp())
        >>> [int(x) for x in made], [int(x) for x in made]
        ([0, 1, 4], [0, 1, 4])
        """
        kind = None if compression in ("AUTO", "SNAPPY") else compression
        folder = Path(local(path)) / f"{fingerprint_of(self):016x}"

        def produce() -> Iterator[el.Element]:
            if is_saved(str(folder)):
                return Dataset.load(str(folder), reader_func=reader_func)._produce()
            elements = sharded(self._produce(), shard_func)
            return saved_while_passing(str(folder), elements, self.element_spec, kind)

        check_compression(kind)
        return self._then("Snapshot", produce)

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """Makes a dataset of one element: the tensors themselves.

        Args:
            tensors: A tensor or nested structure of tensors.
            name: Accepted for compatibility.

        Returns:
            A dataset of one element.

        >>> [x.numpy().tolist() for x in tf.data.Dataset.from_tensors([1, 2])]
        [[1, 2]]
        """
        element = _held(el.raw_element(tensors, Dataset))
        if not nest.flatten(element):
            raise InvalidArgumentError(None, None, "from_tensors needs at least one tensor.")
        return _source("Tensor", lambda: iter((_present(element),)), el.spec_of(element), 1)

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """Makes a dataset of the elements that a Python generator yields.

        Args:
            generator: A function that returns an iterable; it is called for each iteration.
            output_types: The dtypes of an element's components; `output_signature` is more precise.
            output_shapes: Their shapes, as far as they are known.
            args: Arguments for `generator`, which gets them as arrays.
            output_signature: A `TensorSpec` or another `TypeSpec` for each component.
            name: Accepted for compatibility.

        Returns:
            A dataset that calls `generator` again for each iteration.

        Raises:
            TypeError: If no valid signature is given.
            InvalidArgumentError: While iterating, if an element does not match the signature.

        >>> def numbers():
        ...     yield from (1.0, 2.0)
        >>> made = tf.data.Dataset.from_generator(
        ...     numbers, output_signature=tf.TensorSpec([], tf.float32)
        ... )
        >>> [float(x) for x in made]
        [1.0, 2.0]
        """
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        spec = _signature(output_types, output_shapes, output_signature)
        arrays = [convert_to_tensor(arg).numpy() for arg in args or ()]
        return _source("FlatMap", lambda: walk.generated(generator, arrays, spec), spec)

    @staticmethod
    def range(*args: Any, output_type: Any = int64, name: str | None = None) -> Dataset:
        """Makes a dataset of the numbers of a range: `range(stop)` or `range(start, stop, step)`.

        Args:
            *args: `stop`, or `start, stop`, or `start, stop, step`.
            output_type: The dtype of the elements.
            name: Accepted for compatibility.

        Returns:
            A dataset of scalars.

        Raises:
            ValueError: If there are not one to three arguments.
            InvalidArgumentError: If the step is zero.

        >>> [int(x) for x in tf.data.Dataset.range(1, 6, 2)]
        [1, 3, 5]
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(
                "Invalid `args`. The length of `args` should be between 1 and 3 but was "
                f"{len(args)}."
            )
        bounds = [number_of(arg) for arg in args]
        known = all(type(bound) is int for bound in bounds)
        if len(bounds) == 3 and known and bounds[2] == 0:
            raise InvalidArgumentError(None, None, "step must be a non-zero integer.")
        dtype = as_dtype(output_type)
        scalar = dtype.np_dtype.type
        spec = TensorSpec([], dtype)

        def numbers() -> range:
            return range(*[int(present(bound)) for bound in bounds])

        count = len(numbers()) if known else sizes.UNKNOWN
        return _source("Range", lambda: map(scalar, numbers()), spec, count)

    @staticmethod
    def counter(
        start: int = 0, step: int = 1, dtype: Any = int64, name: str | None = None
    ) -> Dataset:
        """Makes an endless dataset of the numbers start, start + step, ...

        Args:
            start: The first number.
            step: The difference between consecutive numbers.
            dtype: The dtype of the elements.
            name: Accepted for compatibility.

        Returns:
            An endless dataset.
        """
        scalar = as_dtype(dtype).np_dtype.type
        return _source(
            "Counter",
            lambda: map(scalar, itertools.count(start, step)),
            TensorSpec([], dtype),
            sizes.INFINITE,
        )

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """Combines the corresponding elements of datasets, up to the end of the shortest.

        Args:
            *args: Datasets, or one structure of datasets.
            datasets: One structure of datasets, instead of `args`.
            name: Accepted for compatibility.

        Returns:
            A dataset as long as the shortest one, each of whose elements consists of one element of
            each dataset.

        Raises:
            TypeError: If an argument is not a dataset.

        >>> numbers = tf.data.Dataset.range(2)
        >>> [(int(a), int(b)) for a, b in tf.data.Dataset.zip(numbers, numbers.skip(1).repeat())]
        [(0, 1), (1, 1)]
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if datasets is None:
            datasets = args[0] if len(args) == 1 else args
        parts = nest.flatten(datasets)
        wrong = next((part for part in parts if not isinstance(part, Dataset)), None)
        if wrong is not None or isinstance(datasets, list):
            found = "Python `list` is not supported and you should use `tuple` instead."
            raise TypeError(
                "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                "`tf.data.Dataset` objects"
                + (f" but encountered object of type {type(wrong)}." if wrong else f". {found}")
            )

        def produce() -> Iterator[el.Element]:
            together = zip(*[part._produce() for part in parts], strict=False)
            return (nest.pack_sequence_as(datasets, row) for row in together)

        zipped = Dataset(
            "Zip",
            produce,
            lambda: nest.map_structure(lambda part: part.element_spec, datasets),
            sizes.zipped([part._cardinality for part in parts]),
        )
        zipped._lineage = of_several([part._lineage for part in parts])
        return zipped

    @staticmethod
    def choose_from_datasets(
        datasets: Any, choice_dataset: Dataset, stop_on_empty_dataset: bool = True
    ) -> Dataset:
        """Takes each element from the dataset whose index is the next element of `choice_dataset`.

        Args:
            datasets: The datasets.
            choice_dataset: A dataset of the indices of the datasets to take from, int64 scalars.
            stop_on_empty_dataset: Whether to end when one of the datasets ends, rather than skip
              it.

        Returns:
            A dataset of the chosen elements.
        """

        def produce() -> Iterator[el.Element]:
            sources = [dataset._produce() for dataset in datasets]
            for choice in choice_dataset._produce():
                try:
                    yield next(sources[int(choice)])
                except StopIteration:
                    if stop_on_empty_dataset:
                        return

        total = sizes.mixed([dataset._cardinality for dataset in datasets])
        mixed = Dataset("DirectedInterleave", produce, lambda: datasets[0].element_spec, total)
        mixed._lineage = of_several([part._lineage for part in (*datasets, choice_dataset)])
        return mixed


def _source(
    kind: str, produce: walk.Produce, spec: Any, cardinality: int = sizes.UNKNOWN
) -> Dataset:
    """Makes a dataset that does not take its elements from another dataset."""
    key, lineage = of_source()
    made = Dataset(kind, lambda: own_files(key, produce()), spec, cardinality)
    made._lineage = lineage
    return made


def _unknown_dataset(spec: el.Spec) -> Dataset:
    return Dataset("Variant", lambda: iter(()), spec)


el.unknown_dataset.provide(_unknown_dataset)


def _of_datasets(datasets: list[Dataset]) -> Dataset:
    """Makes a dataset whose elements are datasets.

    Raises:
      ValueError: Their elements differ in structure or dtype.
    """
    spec = datasets[0].element_spec
    for other in datasets[1:]:
        try:
            spec = el.common_spec(spec, other.element_spec)
        except TypeError as error:
            raise ValueError(f"from_tensor_slices: {error}") from None
    return Dataset("TensorSlice", lambda: iter(datasets), el.DatasetSpec(spec), len(datasets))


def _held(element: el.Element) -> el.Element:
    """Records the symbols in an element as used by this dataset."""
    return nest.map_structure(partial(_of_parts, held), element, expand_composites=True)


def _present(element: el.Element) -> el.Element:
    """Replaces the symbols in an element by their values."""
    return nest.map_structure(partial(_of_parts, present), element, expand_composites=True)


def _of_parts(change: Callable[[Any], Any], part: Any) -> Any:
    """Applies a function to a raw value, or to that of a tensor in a composite one."""
    return Tensor(change(part._value)) if type(part) is Tensor else change(part)


@export("data.experimental.cardinality")
def cardinality(dataset: Dataset) -> Tensor:
    """Returns `dataset.cardinality()`, the number of elements.

    Args:
        dataset: The dataset.

    Returns:
        An int64 scalar; -1 for an infinite dataset, -2 if the number is unknown.
    """
    return dataset.cardinality()


@export("data.experimental.assert_cardinality")
def assert_cardinality(expected_cardinality: Any) -> Callable[[Dataset], Dataset]:
    """Asserts the number of a dataset's elements, which is checked at the end of an iteration.

    Args:
        expected_cardinality: The number of elements.

    Returns:
        A function for `Dataset.apply`.

    Raises:
        FailedPreconditionError: While iterating, if there are more or fewer elements.
    """
    expected = integer(expected_cardinality)
    return lambda dataset: dataset._then(
        "AssertCardinality",
        lambda: walk.counted(dataset._produce(), expected),
        cardinality=expected,
    )


register_type_spec_from_value_converter(Dataset, el.DatasetSpec.from_value, allow_subclass=True)


def _signature(types: Any, shapes: Any, signature: Any) -> Any:
    """Returns the spec of a generator's elements from the older or newer arguments."""
    if signature is None:
        if types is None:
            raise TypeError(
                "To specify the output signature you need to provide either the "
                "`output_signature` argument or the `output_types` argument."
            )
        each = el.up_to(types, shapes) if shapes is not None else itertools.repeat(None)
        pairs = zip(nest.flatten(types), each, strict=False)
        return nest.pack_sequence_as(types, [TensorSpec(shape, dtype) for dtype, shape in pairs])
    for argument, given in (("output_types", types), ("output_shapes", shapes)):
        if given is not None:
            raise TypeError(
                f"The `{argument}` argument can not be used together with the "
                "`output_signature` argument."
            )
    for spec in nest.flatten(signature):
        if not isinstance(spec, TypeSpec):
            raise TypeError(
                "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but "
                f"found {type(spec)} which is not."
            )
    return signature
