"""The transformations of datasets."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final, Self

from gradtape._src.autograph.calls import converted
from gradtape._src.base import nest
from gradtape._src.base.dtypes import int64
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export_value
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tracebacks import shorten
from gradtape._src.data import cardinality as sizes
from gradtape._src.data import iteration as walk
from gradtape._src.data.background import ahead
from gradtape._src.data.elements import elements as el
from gradtape._src.data.elements.arguments import batch_sizes, check_function, integer, positive
from gradtape._src.data.elements.element_functions import (
    DatasetFunction,
    ElementFunction,
    spec_by_element,
)
from gradtape._src.data.elements.graph_values import in_graph, number_of, present
from gradtape._src.data.elements.lineage import of_several, share_of
from gradtape._src.data.elements.parallel import in_threads, parallel_calls
from gradtape._src.data.elements.traced import Kept
from gradtape._src.data.padding import Padding
from gradtape._src.data.pipeline import Pipeline
from gradtape._src.data.states import Scan, reduced, scanned
from gradtape._src.declare.attributes import takes
from gradtape._src.ops.random.distributions import is_seeded, own_seed
from gradtape._src.ops.types.specs import TensorSpec

AUTOTUNE: Final = -1
_AUTOMATIC_PREFETCH = 4  # the number of prefetched elements


class Transformations(Pipeline):
    """The methods that return a transformed dataset."""

    # Methods that select elements.

    def repeat(self, count: Any = None, name: str | None = None) -> Self:
        """Repeats all elements `count` times, or endlessly for None and -1."""
        times = -1 if count is None else integer(count)
        return self._then(
            "Repeat",
            lambda: walk.repeated(self._produce, times),
            cardinality=sizes.repeated(self._cardinality, times),
        )

    def take(self, count: Any, name: str | None = None) -> Self:
        """Takes the first `count` elements, or all for -1."""
        most = number_of(count)

        def taken() -> Iterator[el.Element]:
            number = int(present(most))
            return itertools.islice(self._produce(), None if number < 0 else number)

        total = sizes.taken(self._cardinality, most) if isinstance(most, int) else sizes.UNKNOWN
        return self._then("Take", taken, cardinality=total)

    def skip(self, count: Any, name: str | None = None) -> Self:
        """Skips the first `count` elements, or all for -1."""
        number = number_of(count)

        def rest() -> Iterator[el.Element]:
            first = int(present(number))
            return iter(()) if first < 0 else itertools.islice(self._produce(), first, None)

        total = (
            sizes.skipped(self._cardinality, number) if isinstance(number, int) else sizes.UNKNOWN
        )
        return self._then("Skip", rest, cardinality=total)

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Self:
        """Takes every `num_shards`th element, starting with number `index`.

        Raises:
            InvalidArgumentError: If `index` is not below `num_shards`.
        """
        shards, first = integer(num_shards), integer(index)
        if not 0 <= first < shards:
            raise InvalidArgumentError(
                None, None, f"Index must be between 0 and {shards - 1} (currently index = {first})."
            )
        return self._then(
            "Shard",
            lambda: itertools.islice(self._produce(), first, None, shards),
            cardinality=sizes.divided(sizes.skipped(self._cardinality, first), shards),
        )

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """Keeps the elements for which `predicate` returns true.

        Raises:
            ValueError: If `predicate` does not return a boolean scalar; raised while iterating if
              `predicate` can't be traced.
        """
        check_function(predicate)
        try:
            function = self._function(predicate, walk.truth)
        except Exception as error:
            shorten(error)
            raise
        return self._then(
            "Filter",
            lambda: filter(function.start(), self._produce()),
            cardinality=sizes.UNKNOWN,
        )

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """Takes the elements before the first for which `predicate` returns false."""
        check_function(predicate)
        try:
            function = self._function(predicate, walk.truth)
        except Exception as error:
            shorten(error)
            raise
        return self._then(
            "TakeWhile",
            lambda: itertools.takewhile(function.start(), self._produce()),
            cardinality=sizes.UNKNOWN,
        )

    def unique(self, name: str | None = None) -> Self:
        """Removes repeated elements, which must be single tensors.

        Raises:
            InvalidArgumentError: If an element consists of several tensors.
            TypeError: If the elements are not integers or strings.
        """
        spec = self.known_spec()
        if spec is not None:
            walk.check_unique(spec)
        return self._then("Unique", lambda: walk.unique(self._produce()), cardinality=sizes.UNKNOWN)

    def concatenate(self, dataset: Pipeline, name: str | None = None) -> Self:
        """Appends the elements of `dataset`.

        Raises:
            TypeError: If the elements differ in structure or dtype.
        """

        def spec() -> el.Spec:
            return el.common_spec(self.element_spec, dataset.element_spec)

        if self.known_spec() is not None and dataset.known_spec() is not None:
            spec()
        return self._then(
            "Concatenate",
            lambda: itertools.chain(self._produce(), dataset._produce()),
            spec,
            sizes.concatenated(self._cardinality, dataset._cardinality),
            of_several([self._lineage, dataset._lineage]),
        )

    def enumerate(self, start: Any = 0, name: str | None = None) -> Self:
        """Makes pairs of a number, counting from `start`, and an element."""
        first = integer(start)
        return self._then(
            "Zip",
            lambda: zip(walk.numbers(first, 1), self._produce(), strict=False),
            lambda: (TensorSpec([], int64), self.element_spec),
        )

    # Methods that change the order of elements, or the time of their computation.

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool = True,
        name: str | None = None,
    ) -> Self:
        """Shuffles the elements.

        Args:
            buffer_size: The size of the buffer from which elements are drawn; shuffling is uniform
              if it is not smaller than the dataset.
            seed: The seed for a reproducible order; see `tf.random.set_seed`.
            reshuffle_each_iteration: Whether each iteration has a different order.
            name: Accepted for compatibility.

        Raises:
            InvalidArgumentError: If `buffer_size` is not positive.
        """
        buffer = integer(buffer_size)
        if buffer < 1 and buffer != sizes.UNKNOWN:
            raise InvalidArgumentError(
                None, None, "buffer_size must be greater than zero or UNKNOWN_CARDINALITY"
            )
        first = own_seed(None if seed is None else integer(seed))
        size = None if buffer == sizes.UNKNOWN else buffer
        again, known = reshuffle_each_iteration is not False, is_seeded(seed)
        return self._then(
            "Shuffle",
            walk.Shuffle(self._produce, size, first, again, known),
            lineage=self._lineage if known else replace(self._lineage, unseeded=True),
        )

    def cache(self, filename: str = "", name: str | None = None) -> Self:
        """Caches the elements of the first iteration in memory, even if a file is named."""
        return self._then("Cache", walk.Cache(self._produce, lambda: share_of(self._lineage)))

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Self:
        """Computes up to `buffer_size` elements ahead in a thread.

        Raises:
            InvalidArgumentError: If `buffer_size` is negative and not `AUTOTUNE`.
        """
        buffer = integer(buffer_size)
        if buffer < AUTOTUNE:
            raise InvalidArgumentError(
                None,
                None,
                "buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning",
            )
        items = _AUTOMATIC_PREFETCH if buffer == AUTOTUNE else buffer
        return self._then(
            "Prefetch", (lambda: ahead(self._produce, items)) if items else self._produce
        )

    # Methods that compute new elements.

    @takes(synchronous="bool")
    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Self:
        """Applies `map_func` to each element.

        Args:
            map_func: A function; the components of a tuple are its arguments.
            num_parallel_calls: The number of threads that call it; AUTOTUNE for one per processor
                if calls take long enough. Results keep their order. Calls of a function that is
                traced and changes variables, draws random numbers or prints run one after another.
            deterministic: Accepted for compatibility.
            synchronous: Accepted for compatibility.
            use_unbounded_threadpool: Accepted for compatibility.
            name: Accepted for compatibility.

        Raises:
            ValueError: If `map_func` is not a function.

        Errors that `map_func` raises while it is traced are raised here.
        """
        check_function(map_func)
        threads = parallel_calls(num_parallel_calls)
        try:
            function = self._function(map_func, _mapped)
        except Exception as error:
            shorten(error)
            raise

        def start() -> Iterator[el.Element]:
            if threads == 1 or function.ordered:
                return map(function.start(), self._produce())
            return in_threads(function.start(), self._produce(), threads)

        kept = Kept(start)
        return self._then("Map", kept, lambda: function.spec_from(kept))

    def flat_map(self, map_func: Callable[..., Pipeline], name: str | None = None) -> Self:
        """Concatenates the datasets that `map_func` returns."""
        return self._joined("FlatMap", map_func, itertools.chain.from_iterable)

    def interleave(
        self,
        map_func: Callable[..., Pipeline],
        cycle_length: int | None = None,
        block_length: int | None = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """Interleaves the elements of the datasets that `map_func` returns.

        Args:
            map_func: A function that makes a dataset of each element.
            cycle_length: The number of datasets that are open at a time; one per processor by
                default, but no more than `num_parallel_calls`.
            block_length: The number of successive elements from one dataset; 1 by default.
            num_parallel_calls: Determines the default of `cycle_length`.
            deterministic: Accepted for compatibility.
            name: Accepted for compatibility.
        """
        cycle = cycle_length
        if not cycle or cycle < 0:
            cycle = walk.default_cycle_length(num_parallel_calls)
        return self._joined(
            "Interleave",
            map_func,
            lambda inputs: walk.interleaved(map(iter, inputs), cycle, block_length or 1),
        )

    def _joined(
        self,
        kind: str,
        map_func: Callable[..., Pipeline],
        join: Callable[[Iterator[Iterator[el.Element]]], Iterator[el.Element]],
    ) -> Self:
        check_function(map_func)
        function = DatasetFunction(map_func, self.known_spec, _dataset, self._stand_in)
        kept = Kept(lambda: map(function, self._produce()))
        lineage = self._lineage.after(kind)
        return self._then(
            kind,
            lambda: join(inner._produce() for inner in kept()),
            lambda: function.spec_from(kept),
            sizes.UNKNOWN,
            lineage.opening_files() if function.reads_files else lineage,
        )

    def scan(
        self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None
    ) -> Self:
        """Maps elements with a state: `scan_func(state, element)` returns (next state, result).

        Raises:
            TypeError: If `scan_func` does not return a pair, or the state's structure or dtype
              changes; raised while iterating if it can't be traced.
        """
        check_function(scan_func)
        first = el.raw_element(initial_state, Pipeline)
        step = self._step(scan_func, first, lambda pair: scanned(pair, el.spec_of(first)))

        def start() -> Iterator[el.Element]:
            return Scan(step.start(), first, self._produce())

        kept = Kept(start)

        def spec() -> el.Spec:
            found = step.spec()
            return (
                spec_by_element(lambda: el.loose_spec(kept.first())) if found is None else found[1]
            )

        return self._then("Scan", kept, spec)

    def reduce(
        self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None
    ) -> Any:
        """Returns the final state, updated by `reduce_func(state, element)` for each element.

        Raises:
            TypeError: If the structure or dtype of the state changes.
        """
        check_function(reduce_func)
        if in_graph("Dataset.reduce"):
            return self._reduced_in_graph(initial_state, reduce_func)
        state = el.raw_element(initial_state, Pipeline)
        spec = el.spec_of(state)
        step = self._step(reduce_func, state, lambda new: reduced(new, spec)).start()
        for element in self._produce():
            state = step((state, element))
        return el.to_tensors(state)

    def _reduced_in_graph(self, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
        first = nest.map_structure(convert_to_tensor, initial_state)
        spec = el.spec_of(el.raw_element(first, Pipeline))
        finish = converted(reduce_func, libraries=False)

        def step(state: Any, element: Any) -> Any:
            new = finish(nest.pack_sequence_as(first, list(state)), element)
            return nest.flatten(el.to_tensors(reduced(new, spec, shapes=False)))

        last = self._traced_loop(nest.flatten(first), step)
        return nest.pack_sequence_as(first, list(last))

    def _step(
        self, function: Callable[..., Any], state: el.Element, finish: Callable[[Any], Any]
    ) -> ElementFunction:
        """Wraps a user function of a state and an element."""

        def known() -> el.Spec | None:
            spec = self.known_spec()
            return None if spec is None else (el.spec_of(state), spec)

        return ElementFunction(function, known, finish, self._stand_in)

    def apply(self, transformation_func: Callable[[Self], Self]) -> Self:
        """Applies `transformation_func` to this dataset."""
        dataset = transformation_func(self)
        if not isinstance(dataset, Pipeline):
            raise TypeError(
                "`transformation_func` must return a `tf.data.Dataset` object. Got "
                f"{type(dataset)}."
            )
        return dataset

    def batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """Combines successive elements into batches along a new first axis.

        Args:
            batch_size: The number of elements in a batch.
            drop_remainder: Whether to drop a last batch that is smaller.
            num_parallel_calls: Accepted for compatibility.
            deterministic: Accepted for compatibility.
            name: Accepted for compatibility.

        Raises:
            InvalidArgumentError: If `batch_size` is not positive, or while iterating, if shapes
                differ.
        """
        count, drop = positive(batch_size, "Batch size"), bool(drop_remainder)
        return self._then(
            "Batch",
            lambda: map(el.stack, walk.batches(self._produce(), count, drop)),
            lambda: el.map_spec(el.with_first_axis(count if drop else None), self.element_spec),
            sizes.divided(self._cardinality, count, drop),
            self._lineage.in_batches(count),
        )

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """Combines successive elements into batches; pads smaller elements at their ends.

        Args:
            batch_size: The number of elements in a batch.
            padded_shapes: The shape to pad each component to, with None for the longest extent in
                the batch, which is also the default.
            padding_values: The padding value for each component, or for all; zero or the empty
                string by default.
            drop_remainder: Whether to drop a last batch that is smaller.
            name: Accepted for compatibility.

        Raises:
            InvalidArgumentError: If `batch_size` is not positive.
            DataLossError: While iterating, if an element is larger than its padded shape.
        """
        count = positive(batch_size, "Batch size")
        padding = self._padding(padded_shapes, padding_values)
        return self._then(
            "PaddedBatch",
            lambda: map(padding().stack, walk.batches(self._produce(), count, drop_remainder)),
            lambda: el.map_spec(
                el.with_first_axis(count if drop_remainder else None), padding().element_spec
            ),
            sizes.divided(self._cardinality, count, drop_remainder),
            self._lineage.in_batches(count),
        )

    def _padding(self, shapes: Any, values: Any) -> Callable[[], Padding]:
        """Returns a function that makes the padding of elements.

        The arguments are checked immediately if the element spec is known.
        """
        made = functools.cache(lambda: Padding(self.element_spec, shapes, values))
        if self.known_spec() is not None:
            made()
        return made

    def unbatch(self, name: str | None = None) -> Self:
        """Splits the elements along their first axis.

        Raises:
            ValueError: If a component has no axis.
        """
        known = self.known_spec()
        if known is not None and any(x.shape.rank == 0 for x in el.tensor_specs(known)):
            raise ValueError("Cannot unbatch an input with scalar components.")
        return self._then(
            "Unbatch",
            lambda: itertools.chain.from_iterable(map(walk.slices, self._produce())),
            lambda: el.map_spec(el.without_first_axis, self.element_spec),
            sizes.UNKNOWN if known is None else sizes.unbatched(self._cardinality, known),
        )

    def rebatch(
        self, batch_size: Any, drop_remainder: bool = False, name: str | None = None
    ) -> Self:
        """Changes the batch size of a dataset of batches.

        Args:
            batch_size: The number of rows, or a vector of numbers that are used in turn.
            drop_remainder: Whether to drop a last batch that is smaller.
            name: Accepted for compatibility.

        Returns:
            A dataset of batches.

        Raises:
            ValueError: If the elements are scalars, or `batch_size` is a matrix.
            InvalidArgumentError: If a size is negative, or all sizes are zero.

        >>> batches = tf.data.Dataset.range(5).batch(4).rebatch([2, 1])
        >>> [x.numpy().tolist() for x in batches]
        [[0, 1], [2], [3, 4]]
        """
        lengths = batch_sizes(batch_size)
        if any(leaf.shape.rank == 0 for leaf in el.tensor_specs(self.element_spec)):
            raise ValueError(
                "Invalid `batch_sizes`. Expected dataset with rank of >= 1 but found a dataset "
                "with scalar elements. Fix the issue by adding the `batch` transformation to the "
                "dataset."
            )
        rows = self.unbatch()
        given = {leaf.shape[0] for leaf in el.tensor_specs(self.element_spec) if leaf.shape.rank}
        given -= {None}
        if len(given) > 1:
            raise ValueError(
                f"The components of the elements have different lengths: {sorted(given)}."
            )
        same = len(set(lengths)) == 1
        fits = same and bool(given) and max(given) % lengths[0] == 0
        size = lengths[0] if same and (drop_remainder or fits) else None
        return self._then(
            "Rebatch",
            lambda: walk.rebatched(rows._produce(), lengths, drop_remainder),
            lambda: el.map_spec(el.with_first_axis(size), rows.element_spec),
            sizes.UNKNOWN,
        )

    def window(
        self,
        size: Any,
        shift: Any = None,
        stride: Any = 1,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """Combines successive elements into windows, which are datasets.

        Args:
            size: The number of elements in a window.
            shift: The distance between the starts of windows; `size` by default.
            stride: The distance between the elements of a window.
            drop_remainder: Whether to drop smaller windows at the end.
            name: Accepted for compatibility.

        Raises:
            InvalidArgumentError: If a size is not positive.
        """
        length, step = positive(size, "Window size"), positive(stride, "Window stride")
        offset = length if shift is None else positive(shift, "Window shift")
        leaves = nest.flatten

        def produce() -> Iterator[el.Element]:
            elements = self._produce()
            for group in walk.windows(elements, length, offset, step, drop_remainder):
                columns = zip(*map(leaves, group), strict=True)
                yield nest.pack_sequence_as(
                    group[0], [self._windowed(column) for column in columns]
                )

        return self._then(
            "Window",
            produce,
            lambda: nest.map_structure(el.DatasetSpec, self.element_spec),
            sizes.windowed(self._cardinality, (length - 1) * step + 1, offset, drop_remainder),
        )

    def _windowed(self, column: tuple[Any, ...]) -> Self:
        spec = el.spec_of(column[0])
        return type(self)("Variant", lambda: iter(column), spec, cardinality=len(column))


def _mapped(value: Any) -> el.Element:
    """Returns the raw element that a function computed."""
    try:
        return el.raw_result(value, Pipeline)
    except ValueError as error:
        raise TypeError(
            "Unsupported return value from function passed to Dataset.map(): "
            f"{value} ({type(value).__name__}). {error}"
        ) from error


def _dataset(found: Any) -> Pipeline:
    """Checks the result of a function that makes a dataset of each element."""
    if not isinstance(found, Pipeline):
        raise AttributeError(f"`map_func` must return a `Dataset` object. Got {type(found)}.")
    return found


export_value(AUTOTUNE, "data.AUTOTUNE", "data.experimental.AUTOTUNE")
