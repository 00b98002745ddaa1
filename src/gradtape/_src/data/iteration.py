"""The generators that iterate over transformed datasets."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, repeat
from typing import Any

import numpy as np

from gradtape._src.base import errors, nest
from gradtape._src.base.dtypes import bool_, int32, int64, string
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.data.elements import composites
from gradtape._src.data.elements.elements import Element, NoneTensorSpec, Spec, is_raw, stack
from gradtape._src.data.elements.lineage import common_seed
from gradtape._src.ops.types.specs import TensorSpec, TypeSpec

Elements = Iterator[Element]
Produce = Callable[[], Elements]


def rows(array: Any) -> Iterator[Any]:
    """Yields the raw values along the first axis."""
    if array is None:
        return repeat(None)
    if not is_raw(array):
        return composites.rows(array)
    if array.dtype.kind == "O":
        return (array[i, ...] for i in range(len(array)))
    return iter(array)


def length(leaf: Any) -> int:
    """Returns the number of rows of a leaf."""
    return leaf.shape[0] if is_raw(leaf) else composites.length(leaf)


def slices(element: Element) -> Elements:
    """Yields the elements along the first axis of the leaves."""
    if is_raw(element):
        return rows(element)
    leaves = [x.value if type(x) is composites.RaggedRow else x for x in nest.flatten(element)]
    lengths = {length(leaf) for leaf in leaves if leaf is not None}
    if len(lengths) > 1:
        raise ValueError(
            "`unbatch()` is only supported for datasets of elements whose components have a "
            f"matching leading dimension. Encountered {sorted(lengths)}."
        )
    walks = zip(*map(rows, leaves), strict=False)
    if type(element) is tuple and all(map(is_raw, element)):
        return walks
    return (nest.pack_sequence_as(element, row) for row in walks)


def repeated(produce: Produce, count: int) -> Elements:
    """Repeats all elements, endlessly if the count is negative."""
    while count:
        empty = True
        for element in produce():
            empty = False
            yield element
        if empty:
            return
        count -= 1


def batches(elements: Elements, size: int, drop_remainder: bool) -> Iterator[list[Element]]:
    """Yields lists of successive elements."""
    while group := list(islice(elements, size)):
        if len(group) == size or not drop_remainder:
            yield group


def rebatched(elements: Elements, sizes: Sequence[int], drop_remainder: bool) -> Elements:
    """Yields batches of the given sizes in turn; a size of zero yields batches without rows."""
    like: Any = None
    for size in itertools.cycle(sizes):
        if not size:
            if like is None:
                like = next(elements, None)
                if like is None:
                    return
                elements = itertools.chain([like], elements)
            yield nest.map_structure(lambda leaf: leaf[:0], stack([like]))
            continue
        group = list(islice(elements, size))
        if not group or (drop_remainder and len(group) < size):
            return
        like = group[0]
        yield stack(group)


def shuffled(elements: Elements, size: int | None, rng: random.Random) -> Elements:
    """Yields the elements in random order, each drawn from a buffer of `size`, or from all."""
    buffer = list(islice(elements, size))
    for element in elements:
        place = int(rng.random() * len(buffer))
        yield buffer[place]
        buffer[place] = element
    rng.shuffle(buffer)
    yield from buffer


def windows(
    elements: Elements, size: int, shift: int, stride: int, drop_remainder: bool
) -> Iterator[list[Element]]:
    """Yields lists of `size` elements, `stride` apart, whose starts are `shift` apart."""
    span = (size - 1) * stride + 1
    buffer = list(islice(elements, span))
    while buffer:
        if len(buffer) < span and drop_remainder:
            return
        yield buffer[::stride]
        for _ in islice(elements, max(0, shift - len(buffer))):
            pass
        buffer = buffer[shift:]
        buffer += islice(elements, span - len(buffer))


def interleaved(inputs: Iterator[Elements], cycle_length: int, block_length: int) -> Elements:
    """Yields elements of `cycle_length` iterators in turn, `block_length` of each."""
    cycle: list[Elements | None] = [None] * cycle_length
    more = True
    while more or any(cycle):
        for place, current in enumerate(cycle):
            source = current
            if source is None and more:
                source = cycle[place] = next(inputs, None)
                more = source is not None
            if source is not None:
                block = list(islice(source, block_length))
                yield from block
                if len(block) < block_length:
                    cycle[place] = None


def default_cycle_length(calls: Any = None) -> int:
    """Returns the number of inputs that are interleaved by default: one for each processor.

    If the calls run in parallel, it is their number at most; by AUTOTUNE (-1), each input takes
    three threads.
    """
    processors = os.cpu_count() or 1
    if calls is None:
        return processors
    return -(-processors // 3) if int(calls) == -1 else min(int(calls), processors)


def truth(answer: Any) -> Element:
    """Returns the raw value that a predicate returned.

    Raises:
      ValueError: `answer` is not a boolean scalar.
      AttributeError: `answer` is a structure.
    """
    if isinstance(answer, (list, tuple, dict)):
        raise AttributeError(
            f"`predicate` must return a `tf.bool` scalar tensor, but it returns {answer}"
        )
    tensor = convert_to_tensor(answer)
    if tensor.dtype is not bool_ or tensor.shape.rank != 0:
        raise ValueError(
            "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its "
            f"return type is {TensorSpec.from_tensor(tensor)}."
        )
    return tensor._value


def check_unique(spec: Spec) -> None:
    """Checks that elements can be compared.

    Args:
      spec: The spec of the elements.

    Raises:
      TypeError: The elements are not integers or strings.
      InvalidArgumentError: The elements consist of several tensors.
    """
    specs = nest.flatten(spec)
    for each in specs:
        if getattr(each, "dtype", None) not in (int32, int64, string):
            raise TypeError(
                "`tf.data.Dataset.unique` does not support elements of the dtype "
                f"{getattr(each, 'dtype', each)}: only int32, int64 and string (map to an integer)."
            )
    if len(specs) > 1 or type(specs[0]) is not TensorSpec:
        raise errors.InvalidArgumentError(
            None, None, "unique needs elements of one tensor, which is not ragged or sparse"
        )


def unique(elements: Elements) -> Elements:
    """Yields each distinct element once."""
    seen = set()
    for element in elements:
        key = (tuple(element.ravel().tolist()), element.shape)
        if key not in seen:
            seen.add(key)
            yield element


def numbers(start: int, step: int) -> Iterator[np.int64]:
    """Yields integers endlessly."""
    while True:
        yield np.int64(start)
        start += step


def counted(elements: Elements, wanted: int) -> Elements:
    """Yields the elements, and checks that there are `wanted` of them."""
    count = 0
    for count, element in enumerate(elements, 1):
        if count <= wanted:
            yield element
    if count != wanted:
        raise errors.FailedPreconditionError(
            None,
            None,
            f"Input dataset was expected to contain {wanted} elements but contained "
            f"{'only ' if count < wanted else ''}{count} elements.",
        )


class Cache:
    """Keeps the elements of the first complete iteration.

    Args:
      produce: A function that starts an iteration.
      share: A function that returns a key for the elements of an iteration; the elements are kept
        separately for each key.
    """

    def __init__(self, produce: Produce, share: Callable[[], object]) -> None:
        self._produce, self._share = produce, share
        self._kept: dict[object, list[Element]] = {}

    def _fingerprint_parts(self) -> tuple[Any, ...]:
        return (self._produce,)

    def __call__(self) -> Elements:
        share = self._share()
        if share in self._kept:
            yield from self._kept[share]
            return
        elements = []
        for element in self._produce():
            elements.append(element)
            yield element
        self._kept[share] = elements


class Shuffle:
    """Shuffles elements, in a different or in the same order at each iteration.

    Args:
      produce: A function that starts an iteration over the elements.
      size: The size of the buffer; None for all elements.
      seed: The seed.
      reshuffle: Whether each iteration has an order of its own.
      known: Whether the program specified the seed, so that all workers use the same seed.
    """

    def __init__(
        self, produce: Produce, size: int | None, seed: int, reshuffle: bool, known: bool = True
    ) -> None:
        self._produce, self._known = produce, known
        self._size = size
        self._seed = seed
        self._reshuffle = reshuffle
        self._epochs = itertools.count()
        self._first_common: tuple[int, int] | None = None

    def _fingerprint_parts(self) -> tuple[Any, ...]:
        return self._produce, self._size, self._seed, self._reshuffle

    def __call__(self) -> Elements:
        epoch = next(self._epochs) if self._reshuffle else 0
        seed = f"{self._seed} {epoch}"
        common = None if self._known else common_seed(self)
        if common is not None:
            if not self._reshuffle:
                common = self._first_common = self._first_common or common
            seed = f"{common} {self._size}"
        rng = random.Random(seed)  # noqa: S311 (no secrets)
        return shuffled(self._produce(), self._size, rng)


def generated(generator: Callable[..., Any], args: Sequence[Any], signature: Spec) -> Elements:
    """Yields the elements of a user's generator after checking them against its signature."""
    try:
        yield from (_checked(value, signature) for value in generator(*args))
    except errors.OpError:
        raise
    except (TypeError, ValueError) as error:
        message = f"{type(error).__name__}: {error}"
        raise errors.InvalidArgumentError(None, None, message) from error
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        raise errors.UnknownError(None, None, message) from error


def _checked(value: Any, signature: Spec) -> Element:
    if isinstance(signature, TensorSpec):
        return _checked_leaf(value, signature)
    if isinstance(signature, NoneTensorSpec) and value is None:
        return None
    if isinstance(signature, TypeSpec) and signature.describes(value):
        return value
    if type(value) is type(signature) and len(value) == len(signature):
        if not isinstance(value, dict):
            pairs = zip(value, nest.children_of(signature), strict=True)
            return nest.rebuild(signature, [_checked(child, spec) for child, spec in pairs])
        if value.keys() == signature.keys():
            return {key: _checked(value[key], spec) for key, spec in signature.items()}
    raise TypeError(
        "`generator` yielded an element that did not match the expected structure. The expected "
        f"structure was {signature}, but the yielded element was {value}."
    )


def _checked_leaf(value: Any, spec: TensorSpec) -> Any:
    try:
        if spec.dtype is string:
            raw = convert_to_tensor(value, string)._value
        else:
            value = value._value if isinstance(value, Tensor) else value
            raw = np.array(value, spec.dtype.np_dtype)[()]
    except (TypeError, ValueError) as error:
        raise TypeError(
            "`generator` yielded an element that could not be converted to the expected type. "
            f"The expected type was {spec.dtype.name}, but the yielded element was {value}."
        ) from error
    if not spec.shape.is_compatible_with(raw.shape):
        raise TypeError(
            f"`generator` yielded an element of shape {raw.shape} where an element of shape "
            f"{spec.shape} was expected."
        )
    return raw
