"""Functions for `Dataset.apply`, and a few for datasets and iterators."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from gradtape._src.base import nest
from gradtape._src.base.dtypes import bool_, int64
from gradtape._src.base.export import export, export_value
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.data import cardinality as sizes
from gradtape._src.data.dataset import Dataset
from gradtape._src.data.elements import elements as el
from gradtape._src.data.functions import Step
from gradtape._src.data.optional import Optional
from gradtape._src.data.pipeline import OwnedIterator
from gradtape._src.ops.array.creation import ones, zeros

SHARD_HINT: Final = -1
export_value(SHARD_HINT, "data.experimental.SHARD_HINT")


@export("data.experimental.AutotuneAlgorithm")
class AutotuneAlgorithm(enum.Enum):
    """The ways in which TensorFlow chooses the parallelism of datasets; accepted everywhere."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


@export("data.experimental.RandomDataset")
class RandomDataset(Dataset):
    """An endless dataset of random int64 numbers from 0 to 2³² - 1, as `Dataset.random`.

    Args:
      seed: The seed for reproducible numbers.
      rerandomize_each_iteration: Whether each iteration has other numbers.
      name: Accepted for compatibility.
    """

    def __init__(
        self,
        seed: Any = None,
        rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> None:
        made = Dataset.random(seed, rerandomize_each_iteration)
        super().__init__("Random", made._produce, made.element_spec, sizes.INFINITE)

    @classmethod
    def _kind_of_step(cls) -> Any:
        return Dataset


@export("data.experimental.from_list")
def from_list(elements: Sequence[Any], name: str | None = None) -> Dataset:
    """Makes a dataset of the elements of a list.

    Args:
      elements: Elements of the same structure, dtypes and shapes.
      name: Accepted for compatibility.

    Returns:
      A dataset.

    Raises:
      ValueError: `elements` is not a list, is empty, or its elements differ in structure.

    >>> [int(x["a"]) for x in tf.data.experimental.from_list([{"a": 1}, {"a": 2}])]
    [1, 2]
    """
    if not isinstance(elements, (list, tuple)):
        raise ValueError(f"`elements` must be a list, got {type(elements).__name__}")
    if not elements:
        raise ValueError("Invalid `elements`. `elements` should not be empty.")
    raw = [el.raw_element(element, Dataset) for element in elements]
    spec = el.spec_of(raw[0])
    for element in raw[1:]:
        nest.assert_same_structure(raw[0], element)
        spec = el.common_spec(spec, el.spec_of(element))
    return Dataset("FromList", lambda: iter(raw), spec, len(raw))


@export("data.experimental.get_structure")
def get_structure(dataset_or_iterator: Any) -> el.Spec:
    """Returns the spec of the elements of a dataset or an iterator.

    Args:
      dataset_or_iterator: A dataset or an iterator.

    Returns:
      A `TypeSpec`, or a structure of them.

    Raises:
      TypeError: The argument is neither a dataset nor an iterator.
    """
    if not isinstance(dataset_or_iterator, (Dataset, OwnedIterator)):
        raise TypeError(
            "Invalid `dataset_or_iterator`. It must be a dataset or an iterator, but got "
            f"{type(dataset_or_iterator).__name__}"
        )
    return dataset_or_iterator.element_spec


@export("data.experimental.get_next_as_optional")
def get_next_as_optional(iterator: OwnedIterator) -> Optional:
    """Implements `Iterator.get_next_as_optional`.

    Args:
      iterator: An iterator over a dataset.

    Returns:
      An optional with the next element, or without a value at the end.
    """
    return iterator.get_next_as_optional()


@export("data.experimental.prefetch_to_device")
def prefetch_to_device(device: Any, buffer_size: int | None = None) -> Step:
    """Computes elements ahead in a thread; tensors of gradtape are in the memory of the machine.

    Args:
      device: Accepted for compatibility.
      buffer_size: The number of elements. Chosen automatically by default.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.prefetch(-1 if buffer_size is None else buffer_size)


@export("data.experimental.copy_to_device")
def copy_to_device(target_device: Any, source_device: Any = "/cpu:0") -> Step:
    """Leaves a dataset as it is: tensors of gradtape are in the memory of the machine.

    Args:
      target_device: Accepted for compatibility.
      source_device: Accepted for compatibility.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset


@export("data.experimental.parallel_interleave")
def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: int,
    block_length: int = 1,
    sloppy: bool = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Step:
    """Implements `Dataset.interleave` with several datasets at a time.

    Args:
      map_func: A function that makes a dataset of each element.
      cycle_length: The number of datasets that are open at a time.
      block_length: The number of successive elements from one dataset.
      sloppy: Accepted for compatibility.
      buffer_output_elements: Accepted for compatibility.
      prefetch_input_elements: Accepted for compatibility.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)


@export("data.experimental.Reducer")
class Reducer:
    """A reduction with a state, for `group_by_reducer`.

    Args:
      init_func: `key -> state`: the first state of a group.
      reduce_func: `(state, element) -> state`.
      finalize_func: `state -> result`.
    """

    def __init__(
        self,
        init_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ) -> None:
        self.init_func = init_func
        self.reduce_func = reduce_func
        self.finalize_func = finalize_func


@export("data.experimental.group_by_reducer")
def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Step:
    """Reduces the elements of each group to one.

    Args:
      key_func: `element -> int64`: the group of an element.
      reducer: The reduction.

    Returns:
      A function for `Dataset.apply`, which gives a dataset with an element for each group, in the
      order of the keys.

    Raises:
      ValueError: `key_func` does not return an int64 scalar; raised when the function is applied.

    >>> sums = tf.data.experimental.Reducer(lambda key: 0, lambda s, x: s + x, lambda s: s)
    >>> step = tf.data.experimental.group_by_reducer(lambda x: tf.cast(x % 2, tf.int64), sums)
    >>> [int(x) for x in tf.data.Dataset.from_tensor_slices([1, 2, 3, 4]).apply(step)]
    [6, 4]
    """

    def key_of(*element: Any) -> Tensor:
        key = convert_to_tensor(key_func(*element))
        if key.dtype is not int64 or key.shape.rank != 0:
            raise ValueError(
                f"`key_func` must return a single tf.int64 scalar tensor, but returns {key!r}"
            )
        return key

    def apply(dataset: Dataset) -> Dataset:
        keys: Any = dataset.map(key_of)
        example = el.to_tensors(_zeros(dataset.element_spec))
        key: Any = zeros([], int64)
        first = nest.map_structure(convert_to_tensor, reducer.init_func(key))
        packed = example if type(example) is tuple else (example,)
        result = reducer.finalize_func(*_arguments(reducer.reduce_func(first, *packed)))
        spec = nest.map_structure(lambda leaf: _spec_of(convert_to_tensor(leaf)), result)

        def results() -> Iterator[Any]:
            states: dict[int, Any] = {}
            for group, element in zip(keys, dataset, strict=False):
                given = element if type(element) is tuple else (element,)
                number = int(group)
                state = states[number] if number in states else reducer.init_func(group)
                states[number] = reducer.reduce_func(state, *given)
            for number in sorted(states):
                yield reducer.finalize_func(*_arguments(states[number]))

        return Dataset.from_generator(results, output_signature=spec)

    return apply


def _arguments(state: Any) -> tuple[Any, ...]:
    return state if type(state) is tuple else (state,)


def _zeros(spec: Any) -> Any:
    return nest.map_structure(
        lambda part: zeros([n or 0 for n in part.shape.as_list()], part.dtype)._value, spec
    )


def _spec_of(tensor: Tensor) -> Any:
    return el.spec_of(tensor._value)


@export("data.experimental.pad_to_cardinality")
def pad_to_cardinality(cardinality: int, mask_key: str = "valid") -> Step:
    """Appends zeros to a dataset of dictionaries until it has a given number of elements.

    Args:
      cardinality: The number of elements.
      mask_key: The key of a bool scalar in each element: False if the element is filling.

    Returns:
      A function for `Dataset.apply`.

    Raises:
      ValueError: The dataset has more elements, or an unknown number of them, or its elements are
        not dictionaries; raised when the function is applied.

    >>> few = tf.data.Dataset.from_tensor_slices({"a": [1, 2]})
    >>> padded = few.apply(tf.data.experimental.pad_to_cardinality(3))
    >>> [(int(x["a"]), bool(x["valid"])) for x in padded]
    [(1, True), (2, True), (0, False)]
    """

    def apply(dataset: Dataset) -> Dataset:
        count, spec = int(dataset.cardinality()), dataset.element_spec
        if count < 0:
            raise ValueError(f"the dataset must have a known, finite cardinality, got {count}")
        if not isinstance(spec, dict):
            raise ValueError(f"the elements of the dataset must be dictionaries, got {spec}")
        if count > cardinality:
            raise ValueError(f"the dataset has {count} elements, more than {cardinality}")
        given: Any = dataset.map(lambda element: {**element, mask_key: ones([], bool_)})
        filling: Any = Dataset.from_tensors(el.to_tensors(_zeros(given.element_spec)))
        out: Dataset = given.concatenate(filling.repeat(cardinality - count))
        return out

    return apply
