"""The steps of a dataset that group elements, mix several datasets, or read and write files."""

from __future__ import annotations

import bisect
import functools
import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.dtypes import DType, as_dtype, int64, string
from gradtape._src.base.errors import InvalidArgumentError, OpError
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.data import cardinality as sizes
from gradtape._src.data import iteration as walk
from gradtape._src.data.elements import composites
from gradtape._src.data.elements import elements as el
from gradtape._src.data.elements.arguments import check_function, integer, positive
from gradtape._src.data.elements.element_functions import DatasetFunction
from gradtape._src.data.elements.lineage import of_source, own_files
from gradtape._src.data.elements.traced import Kept
from gradtape._src.data.padding import Padding
from gradtape._src.data.pipeline import Pipeline
from gradtape._src.data.saving import load_elements, save_elements
from gradtape._src.data.transformations import Transformations
from gradtape._src.declare.attributes import takes
from gradtape._src.files import gfile
from gradtape._src.files.paths import local
from gradtape._src.ops.random.distributions import own_seed
from gradtape._src.ops.types.sparse_tensor import SparseTensorSpec
from gradtape._src.ops.types.specs import TensorSpec
from gradtape._src.text.values import strings, texts


class Groupings(Transformations):
    """The methods of a dataset that group, mix, save and load elements."""

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[[Tensor, Any], Pipeline],
        window_size: int | None = None,
        window_size_func: Callable[[Tensor], Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """Groups elements by a key, and makes a dataset of each full group.

        Args:
            key_func: A function that returns the int64 key of an element.
            reduce_func: A function of a key and the dataset of a group that returns a dataset.
            window_size: The number of elements in a full group.
            window_size_func: A function that returns the window size for a key.
            name: Accepted for compatibility.

        Returns:
            The elements of the datasets that `reduce_func` makes; incomplete groups come at the
            end.

        Raises:
            ValueError: Neither or both of `window_size` and `window_size_func` are given.
            InvalidArgumentError: While iterating, if a window's size is not positive.
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` argument must be "
                "specified."
            )
        check_function(key_func)
        keys = self._function(key_func, _key)
        reducer = DatasetFunction(
            reduce_func,
            lambda: _with_key(self.known_spec()),
            _window_result,
            self._stand_in,
        )

        def size_of(key: int) -> int:
            asked = window_size_func(Tensor(np.int64(key))) if window_size_func else window_size
            size = integer(asked)
            if size < 1:
                raise InvalidArgumentError(
                    None, None, f"Window size must be greater than zero, but got {size}."
                )
            return size

        def windows() -> Iterator[Pipeline]:
            key_of = keys.start()
            groups = _groups(self._produce(), lambda x: int(key_of(x)), size_of)
            for key, group in groups:
                window = self._then("Window", group.__iter__, cardinality=len(group))
                yield reducer((np.int64(key), window))

        kept = Kept(windows)
        return self._then(
            "GroupByWindow",
            lambda: itertools.chain.from_iterable(made._produce() for made in kept()),
            lambda: reducer.spec_from(kept),
            sizes.UNKNOWN,
        )

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """Makes padded batches of elements with similar lengths.

        Args:
            element_length_func: A function that returns the length of an element.
            bucket_boundaries: The lengths at which buckets end.
            bucket_batch_sizes: The batch size of each bucket; one more than there are boundaries.
            padded_shapes: See `padded_batch`.
            padding_values: See `padded_batch`.
            pad_to_bucket_boundary: Whether to pad unknown lengths to the bucket's boundary minus
              one. Longer elements raise an error.
            no_padding: Whether to batch without padding, for buckets whose elements have equal
              shapes.
            drop_remainder: Whether to drop smaller batches.
            name: Accepted for compatibility.

        Raises:
            ValueError: The numbers of batch sizes and boundaries are not compatible.
        """
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(
                f"`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                f"`len(bucket_batch_sizes)={len(bucket_batch_sizes)}` and "
                f"`len(bucket_boundaries)={len(bucket_boundaries)}`."
            )
        ends = list(bucket_boundaries)
        padding = None if no_padding else self._padding(padded_shapes, padding_values)

        def stack(group: list[el.Element], bucket: int) -> el.Element:
            if padding is None:
                return el.stack(group)
            if not pad_to_bucket_boundary:
                return padding().stack(group)
            shapes = self._bounded(padded_shapes, _last_length(ends, bucket))
            return Padding(self.element_spec, shapes, padding_values).stack(group)

        check_function(element_length_func)
        lengths = self._function(element_length_func, lambda x: convert_to_tensor(x)._value)

        def produce() -> Iterator[el.Element]:
            length_of = lengths.start()
            for bucket, group in _groups(
                self._produce(),
                lambda x: bisect.bisect_right(ends, int(length_of(x))),
                lambda bucket: bucket_batch_sizes[bucket],
            ):
                if len(group) == bucket_batch_sizes[bucket] or not drop_remainder:
                    yield stack(group, bucket)

        def spec() -> el.Spec:
            one = self.element_spec if padding is None else padding().element_spec
            return el.map_spec(el.with_first_axis(None), one)

        return self._then("GroupByWindow", produce, spec, sizes.UNKNOWN)

    def _bounded(self, shapes: Any, bound: int) -> Any:
        """Returns the shapes to pad to, with unknown extents replaced by a bound."""
        specs = el.tensor_specs(self.element_spec)
        given = (
            [spec.shape for spec in specs]
            if shapes is None
            else el.up_to(self.element_spec, shapes)
        )
        known = [[bound if n is None else n for n in TensorShape(shape)] for shape in given]
        return nest.pack_sequence_as(self.element_spec, [TensorShape(shape) for shape in known])

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: int | None = None,
        name: str | None = None,
    ) -> Self:
        """Makes pairs of class and element; drops pairs at random to reach target frequencies.

        Args:
            class_func: A function that returns the class of an element, a number from 0.
            target_dist: The target frequency of each class.
            initial_dist: The initial frequency of each class; estimated while iterating if not
              given.
            seed: The seed for a reproducible choice.
            name: Accepted for compatibility.
        """
        target = np.asarray(convert_to_tensor(target_dist)._value, np.float64)
        known = initial_dist is not None
        start = np.asarray(convert_to_tensor(initial_dist)._value, np.float64) if known else None
        first = own_seed(seed)

        def produce() -> Iterator[el.Element]:
            rng = random.Random(first)  # noqa: S311 (no secrets)
            counts = np.zeros(len(target))
            for element in self._produce():
                found = convert_to_tensor(el.call(class_func, element))._value
                label = int(found)
                counts[label] += 1
                share = start if start is not None else (counts + 1e-9) / counts.sum()
                ratios = np.divide(target, share, out=np.zeros_like(target), where=share > 0)
                if rng.random() < ratios[label] / max(ratios.max(), 1e-300):
                    yield found, element

        def spec() -> el.Spec:
            return self.map(class_func).element_spec, self.element_spec

        return self._then("Filter", produce, spec, sizes.UNKNOWN)

    @takes(log_warning="bool")
    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Self:
        """Skips the elements whose computation fails.

        Args:
            log_warning: Accepted for compatibility.
            name: Accepted for compatibility.
        """
        return self._then("IgnoreErrors", self._retry, cardinality=sizes.UNKNOWN)

    def _retry(self) -> Iterator[el.Element]:
        elements = self._produce()
        while True:
            try:
                yield next(elements)
            except StopIteration:
                return
            except (OpError, ValueError, TypeError):
                continue

    def ragged_batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        row_splits_dtype: Any = int64,
        name: str | None = None,
    ) -> Self:
        """Combines successive elements into batches, ragged along axes of unknown length.

        Args:
            batch_size: The number of elements in a batch.
            drop_remainder: Whether to drop a last, smaller batch.
            row_splits_dtype: The type of the row splits, int32 or int64.
            name: Accepted for compatibility.

        Raises:
            InvalidArgumentError: If `batch_size` is not positive.
        """
        count, splits = positive(batch_size, "Batch size"), as_dtype(row_splits_dtype)

        def produce() -> Iterator[el.Element]:
            specs = nest.flatten(self.element_spec)
            for group in walk.batches(self._produce(), count, drop_remainder):
                columns = zip(specs, *map(nest.flatten, group), strict=True)
                leaves = [_ragged_column(spec, column, splits) for spec, *column in columns]
                yield nest.pack_sequence_as(group[0], leaves)

        def spec() -> el.Spec:
            size = count if drop_remainder else None
            return el.map_spec(
                lambda each: composites.ragged_spec(each, size, splits), self.element_spec
            )

        return self._then(
            "Batch",
            produce,
            spec,
            sizes.divided(self._cardinality, count, drop_remainder),
            self._lineage.in_batches(count),
        )

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> Self:
        """Combines successive elements, each a single tensor, into sparse tensors.

        Args:
            batch_size: The number of elements in a batch.
            row_shape: The shape of a row; None stands for the greatest length in the batch.
            name: Accepted for compatibility.

        Raises:
            InvalidArgumentError: If `batch_size` is not positive, or while iterating, if the rank
                of an element differs from that of `row_shape`.
            TypeError: If an element has several components.
            DataLossError: While iterating, if an element is larger.
        """
        count, shape = positive(batch_size, "Batch size"), TensorShape(row_shape).as_list()
        known = self.known_spec()
        if known is not None and nest.is_nested(known):
            raise TypeError(
                "dense_to_sparse_batch requires a dataset of single tensors, but the elements of "
                f"this one have the spec {known}"
            )
        return self._then(
            "DenseToSparseBatch",
            lambda: (
                composites.sparse_batch(group, shape)
                for group in walk.batches(self._produce(), count, False)
            ),
            lambda: SparseTensorSpec([None, *shape], self.element_spec.dtype),
            sizes.divided(self._cardinality, count),
        )

    # Several datasets.

    @classmethod
    def sample_from_datasets(
        cls,
        datasets: Sequence[Pipeline],
        weights: Any = None,
        seed: int | None = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """Takes elements from datasets that are chosen at random.

        Args:
            datasets: The datasets.
            weights: The probability of each dataset, equal by default; or a dataset of such
              weights.
            seed: The seed for a reproducible choice.
            stop_on_empty_dataset: Whether to end when one of the datasets ends, rather than to
              continue with the others.
            rerandomize_each_iteration: Whether each iteration chooses differently.
            name: Accepted for compatibility.

        Raises:
            ValueError: There are no datasets, or the numbers of weights and datasets differ.
        """
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")

        def spec() -> el.Spec:
            return functools.reduce(el.common_spec, [each.element_spec for each in datasets])

        if all(each.known_spec() is not None for each in datasets):
            spec()
        if not isinstance(weights, Pipeline) and weights is not None:
            weights = _checked_weights(weights, len(datasets))
            if np.count_nonzero(weights > 0) == 1:
                only = datasets[int(np.argmax(weights))]
                return cls("DirectedInterleave", only._produce, spec, only._cardinality)
        first = own_seed(seed)
        state = {"epoch": 0}

        def produce() -> Iterator[el.Element]:
            rng = random.Random(f"{first} {state['epoch']}")  # noqa: S311 (no secrets)
            state["epoch"] += bool(rerandomize_each_iteration)
            sources = [dataset._produce() for dataset in datasets]
            shares = weights._produce() if isinstance(weights, Pipeline) else None
            alive = (
                np.ones(len(sources)) if weights is None or shares is not None else 1.0 * weights
            )
            while alive.any():
                now = alive if shares is None else alive * np.asarray(next(shares))
                (chosen,) = rng.choices(range(len(sources)), now.tolist())
                try:
                    yield next(sources[chosen])
                except StopIteration:
                    if stop_on_empty_dataset:
                        return
                    alive[chosen] = 0

        numbers = [dataset._cardinality for dataset in datasets]
        total = sizes.mixed(numbers)
        return cls("DirectedInterleave", produce, spec, total)

    @classmethod
    @takes(rerandomize_each_iteration="bool")
    def random(
        cls,
        seed: Any = None,
        rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """Makes an endless dataset of random int64 numbers from 0 to 2³² - 1."""
        first = own_seed(None if seed is None else integer(seed))
        state = {"epoch": 0}

        def produce() -> Iterator[el.Element]:
            rng = random.Random(f"{first} {state['epoch']}")  # noqa: S311 (no secrets)
            state["epoch"] += bool(rerandomize_each_iteration)
            while True:
                yield np.int64(rng.getrandbits(32))

        return cls("Random", produce, TensorSpec([], int64), sizes.INFINITE)

    @classmethod
    def list_files(
        cls,
        file_pattern: Any,
        shuffle: bool | None = None,
        seed: int | None = None,
        name: str | None = None,
    ) -> Self:
        """Makes a dataset of the names of files that match patterns.

        Args:
            file_pattern: A pattern, or several patterns.
            shuffle: Whether to shuffle the names; True by default.
            seed: The seed for a reproducible order.
            name: Accepted for compatibility.

        Raises:
            InvalidArgumentError: No file matches.
        """
        patterns = [local(each) for each in texts(file_pattern, "MatchingFiles")._value.reshape(-1)]
        names = sorted(gfile.glob(patterns))
        if not names:
            raise InvalidArgumentError(
                None, None, f"No files matched pattern: {', '.join(patterns)}"
            )
        held = strings([each.encode() for each in names], [len(names)])._value
        key, lineage = of_source()

        def each() -> Iterator[el.Element]:
            return own_files(key, walk.rows(held))

        dataset = cls("TensorSlice", each, TensorSpec([], string), len(names))
        dataset._lineage = lineage
        return dataset.shuffle(len(names), seed) if shuffle is not False else dataset

    @takes(compression="string")
    def save(
        self,
        path: Any,
        compression: str | None = None,
        shard_func: Callable[..., Any] | None = None,
        checkpoint_args: Any = None,
    ) -> None:
        """Writes all elements to a directory, from which `Dataset.load` reads them.

        The format is specific to gradtape; TensorFlow can't read it.

        Args:
            path: The directory; data that was saved there is replaced.
            compression: "GZIP" or None.
            shard_func: A function that returns the number of an element's shard, an int64; each
              shard is a file. By default, all elements go to one shard.
            checkpoint_args: Accepted for compatibility.

        Raises:
            ValueError: An element holds values that are not tensors, or the dataset is infinite.
            InvalidArgumentError: `shard_func` does not return an int64 scalar.
        """
        if self._cardinality == sizes.INFINITE:
            raise ValueError("The dataset is infinite: take(n) makes it finite.")
        if shard_func is not None:
            check_function(shard_func)
        elements = sharded(self._produce(), shard_func)
        save_elements(local(path), elements, self.element_spec, compression)

    @classmethod
    @takes(compression="string")
    def load(
        cls,
        path: Any,
        element_spec: Any = None,
        compression: str | None = None,
        reader_func: Callable[..., Any] | None = None,
        wait: bool = False,
    ) -> Self:
        """Makes a dataset of the elements that `save` wrote.

        Args:
            path: The directory.
            element_spec: The spec of the elements; by default it is read from the directory.
            compression: Ignored: the directory records the compression.
            reader_func: A function that makes a dataset of elements from a dataset of the shards,
              which are datasets themselves. By default, shards are interleaved, one for each
              processor at a time.
            wait: Accepted for compatibility.

        Raises:
            InvalidArgumentError: `reader_func` does not return a dataset.
            NotFoundError: The directory holds no saved dataset.
            DataLossError: The saved data is damaged; may also be raised while iterating.
        """
        saved_spec, saved = load_elements(local(path))
        spec = saved_spec if element_spec is None else element_spec
        shards = [cls("Shard", produce, spec, count) for count, produce in saved]
        total = sum(count for count, _ in saved)
        of_shards = cls("Shards", lambda: iter(shards), el.DatasetSpec(spec), len(shards))
        if reader_func is None:
            loaded = of_shards.interleave(lambda shard: shard)
        else:
            loaded = reader_func(of_shards)
            if not isinstance(loaded, cls):
                raise InvalidArgumentError(
                    None, None, f"Dataset.load: `reader_func` must return a Dataset, got {loaded!r}"
                )
        return cls("Load", loaded._produce, spec, total)


def _key(found: Any) -> Any:
    """Returns the raw key that a function computed."""
    return convert_to_tensor(found, int64)._value


def _with_key(spec: Any) -> Any:
    """Returns the spec of a key and a window of elements."""
    return None if spec is None else (TensorSpec([], int64), el.DatasetSpec(spec))


def _window_result(found: Any) -> Pipeline:
    """Checks the result of a function that makes a dataset of each window."""
    if not isinstance(found, Pipeline):
        raise TypeError(
            f"Invalid `reduce_func`. `reduce_func` must return a `Dataset`, but got {type(found)}."
        )
    return found


def sharded(
    elements: Iterator[el.Element], shard_func: Callable[..., Any] | None
) -> Iterator[tuple[int, el.Element]]:
    """Yields each element with the number of its shard."""
    for element in elements:
        if shard_func is None:
            yield 0, element
            continue
        number = convert_to_tensor(el.call(shard_func, element))
        if number.dtype is not int64 or number._value.ndim:
            raise InvalidArgumentError(
                None,
                None,
                "`shard_func` must return a scalar int64, got a tensor of shape "
                f"{tuple(number.shape)} and dtype {number.dtype.name} (tf.cast it to tf.int64)",
            )
        yield int(number._value), element


def _ragged_column(spec: Any, leaves: Sequence[Any], row_splits: DType) -> Any:
    """Makes one component of a ragged batch."""
    if isinstance(spec, TensorSpec) and None in spec.shape.as_list():
        return composites.ragged_stack(leaves, spec, row_splits)
    return el.stack_leaves(leaves)


def _groups(
    elements: Iterator[el.Element],
    key_of: Callable[[el.Element], int],
    size_of: Callable[[int], int],
) -> Iterator[tuple[int, list[el.Element]]]:
    """Yields full groups of elements with equal keys, and incomplete ones at the end."""
    groups: dict[int, list[el.Element]] = {}
    wanted: dict[int, int] = {}
    for element in elements:
        key = key_of(element)
        if key not in groups:
            groups[key], wanted[key] = [], size_of(key)
        groups[key].append(element)
        if len(groups[key]) == wanted[key]:
            yield key, groups.pop(key)
    yield from groups.items()


def _last_length(ends: list[int], bucket: int) -> int:
    """Returns the maximum length in a bucket.

    Raises InvalidArgumentError for the last bucket, which has no maximum length.
    """
    if bucket == len(ends):
        raise InvalidArgumentError(
            None,
            None,
            f"When pad_to_bucket_boundary=True, elements must have length < "
            f"max(bucket_boundaries), {ends[-1]}.",
        )
    return ends[bucket] - 1


def _checked_weights(weights: Any, count: int) -> np.ndarray[Any, Any]:
    """Returns the weights of datasets as an array.

    Raises:
        ValueError: The number of weights is not `count`.
    """
    found = np.asarray(convert_to_tensor(weights)._value, np.float64)
    if found.shape != (count,):
        raise ValueError(
            "Invalid `weights`. The shape of `weights` should be compatible with "
            f"`[len(datasets)]` but is {list(found.shape)}."
        )
    return found
