"""Datasets in graphs, whose elements are tuples of tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradtape._src.base.errors import OutOfRangeError
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.data.dataset import Dataset
from gradtape._src.graphdef.control_kernels import KeptValues
from gradtape._src.graphdef.nodes import Kernel, Node, Runnable, kernel, maker
from gradtape._src.graphdef.plain_kernels import refusing
from gradtape._src.ops.elementwise.casting import cast


def _number(x: Any) -> int:
    return int(convert_to_tensor(x)._numpy())


def _array(x: Any) -> Any:
    return np.asarray(convert_to_tensor(x)._numpy())


def _flat(*elements: Any) -> tuple[Any, ...]:
    """Returns an element as a tuple, even if the element is a single tensor."""
    return elements[0] if len(elements) == 1 and isinstance(elements[0], tuple) else elements


def _calling(body: Runnable, others: list[Any]) -> Callable[..., tuple[Any, ...]]:
    """Converts a function of a graph to a function of an element."""

    def call(*element: Any) -> tuple[Any, ...]:
        return tuple(body.run([*_flat(*element), *others]))

    return call


@kernel("TensorSliceDataset")
def _slices(values: list[Any]) -> list[Any]:
    return [Dataset.from_tensor_slices(tuple(values))]


@kernel("TensorDataset")
def _tensors(values: list[Any]) -> list[Any]:
    return [Dataset.from_tensors(tuple(values))]


@maker("RangeDataset")
def _range(node: Node) -> Kernel:
    (dtype,) = node.attributes["output_types"]

    def run(values: list[Any]) -> list[Any]:
        numbers = Dataset.range(*map(_number, values))
        return [numbers.map(lambda n: (cast(n, dtype),))]

    return run


@maker("MapDataset", "ParallelMapDataset", "ParallelMapDatasetV2")
def _map(node: Node) -> Kernel:
    body = node.called("f")
    last = None if node.operation == "MapDataset" else -1  # the number of concurrent calls

    def run(values: list[Any]) -> list[Any]:
        data, *others = values[:last]
        return [data.map(_calling(body, others))]

    return run


@maker("FlatMapDataset")
def _flat_map(node: Node) -> Kernel:
    body = node.called("f")

    def run(values: list[Any]) -> list[Any]:
        data, *others = values
        return [data.flat_map(lambda *x: body.run([*_flat(*x), *others])[0])]

    return run


@maker("FilterDataset", "ParallelFilterDataset")
def _filter(node: Node) -> Kernel:
    body = node.called("predicate")
    last = None if node.operation == "FilterDataset" else -1  # the number of concurrent calls

    def run(values: list[Any]) -> list[Any]:
        data, *others = values[:last]
        return [data.filter(lambda *x: body.run([*_flat(*x), *others])[0])]

    return run


@maker("TakeWhileDataset")
def _take_while(node: Node) -> Kernel:
    body = node.called("predicate")

    def run(values: list[Any]) -> list[Any]:
        data, *others = values
        return [data.take_while(lambda *x: body.run([*_flat(*x), *others])[0])]

    return run


@maker("ScanDataset")
def _scan(node: Node) -> Kernel:
    body, count = node.called("f"), len(node.attributes["Tstate"])

    def run(values: list[Any]) -> list[Any]:
        data, state, others = values[0], tuple(values[1 : 1 + count]), values[1 + count :]

        def step(state: Any, *element: Any) -> Any:
            out = body.run([*state, *_flat(*element), *others])
            return tuple(out[:count]), tuple(out[count:])

        return [data.scan(state, step)]

    return run


@maker("ReduceDataset")
def _reduce(node: Node) -> Kernel:
    body, count = node.called("f"), len(node.attributes["Tstate"])

    def run(values: list[Any]) -> list[Any]:
        data, state, others = values[0], tuple(values[1 : 1 + count]), values[1 + count :]

        def step(state: Any, *element: Any) -> Any:
            return tuple(body.run([*state, *_flat(*element), *others]))

        return list(data.reduce(state, step))

    return run


@kernel("BatchDataset")
def _batch(values: list[Any]) -> list[Any]:
    return [values[0].batch(_number(values[1]))]


@kernel("BatchDatasetV2")
def _batch_v2(values: list[Any]) -> list[Any]:
    return [values[0].batch(_number(values[1]), bool(values[2]))]


@kernel("ParallelBatchDataset")
def _parallel_batch(values: list[Any]) -> list[Any]:
    return [values[0].batch(_number(values[1]), bool(values[3]))]


@kernel("TakeDataset")
def _take(values: list[Any]) -> list[Any]:
    return [values[0].take(_number(values[1]))]


@kernel("SkipDataset")
def _skip(values: list[Any]) -> list[Any]:
    return [values[0].skip(_number(values[1]))]


@kernel("RepeatDataset")
def _repeat(values: list[Any]) -> list[Any]:
    return [values[0].repeat(_number(values[1]))]


@kernel("ConcatenateDataset")
def _concatenate(values: list[Any]) -> list[Any]:
    return [values[0].concatenate(values[1])]


@kernel("ZipDataset")
def _zip(values: list[Any]) -> list[Any]:
    joined = Dataset.zip(tuple(values))
    return [joined.map(lambda *parts: tuple([x for part in parts for x in _flat(part)]))]


@kernel("UnbatchDataset")
def _unbatch(values: list[Any]) -> list[Any]:
    return [values[0].unbatch()]


@kernel("ShuffleDataset", "ShuffleDatasetV2", "ShuffleDatasetV3")
def _shuffle(values: list[Any]) -> list[Any]:
    return [values[0].shuffle(_number(values[1]))]


@kernel(
    "PrefetchDataset",
    "OptionsDataset",
    "ModelDataset",
    "AssertCardinalityDataset",
    "FinalizeDataset",
    "MaxIntraOpParallelismDataset",
    "OptimizeDatasetV2",
    "PrivateThreadPoolDataset",
    "RewriteDataset",
)
def _as_it_is(values: list[Any]) -> list[Any]:
    return values[:1]


@kernel("DummyMemoryCache", "DummySeedGenerator")
def _unused(_: list[Any]) -> list[Any]:
    return [None]


@maker("CacheDataset", "CacheDatasetV2")
def _cache(node: Node) -> Kernel:
    def run(values: list[Any]) -> list[Any]:
        if convert_to_tensor(values[1])._value.item() and not node.surroundings.allow_io:
            refusing(node)([])
        return [values[0].cache()]

    return run


@maker("PaddedBatchDataset", "PaddedBatchDatasetV2")
def _padded_batch(node: Node) -> Kernel:
    count = int(node.attributes["N"])

    def run(values: list[Any]) -> list[Any]:
        data, size, *rest = values
        shapes = [TensorShape([None if n < 0 else int(n) for n in _array(x)]) for x in rest[:count]]
        remainder = bool(rest[2 * count]) if node.operation.endswith("V2") else False
        fill = tuple(rest[count : 2 * count])
        return [data.padded_batch(_number(size), tuple(shapes), fill, remainder)]

    return run


@kernel("ShardDataset")
def _shard(values: list[Any]) -> list[Any]:
    return [values[0].shard(_number(values[1]), _number(values[2]))]


@kernel("RebatchDatasetV2")
def _rebatch(values: list[Any]) -> list[Any]:
    sizes = _array(values[1])
    return [values[0].rebatch(sizes if sizes.ndim else int(sizes), bool(values[2]))]


@kernel("UniqueDataset")
def _unique(values: list[Any]) -> list[Any]:
    return [values[0].map(_single).unique()]


@kernel("WindowDataset")
def _window(values: list[Any]) -> list[Any]:
    data, size, shift, stride, remainder = values
    return [data.window(_number(size), _number(shift), _number(stride), bool(remainder))]


@maker("GroupByWindowDataset")
def _group_by_window(node: Node) -> Kernel:
    parts = ("key_func", "reduce_func", "window_size_func")
    bodies = [node.called(name) for name in parts]
    counts = [len(node.attributes[f"T{name}_other_arguments"]) for name in parts]

    def run(values: list[Any]) -> list[Any]:
        data, *rest = values
        others = [rest[sum(counts[:i]) : sum(counts[: i + 1])] for i in range(3)]
        key, reduced, size = (
            lambda *x, body=body, given=given: body.run([*_flat(*x), *given])[0]
            for body, given in zip(bodies, others, strict=True)
        )
        return [data.group_by_window(key, reduced, window_size_func=size)]

    return run


_INTERLEAVED = {"InterleaveDataset": 0, "V2": 1, "V3": 1, "V4": 3}
"""The number of inputs after the length of blocks, by the end of the operation's name."""


@maker("InterleaveDataset", *[f"ParallelInterleaveDatasetV{n}" for n in (2, 3, 4)])
def _interleave(node: Node) -> Kernel:
    body = node.called("f")
    after = next(n for end, n in _INTERLEAVED.items() if node.operation.endswith(end))

    def run(values: list[Any]) -> list[Any]:
        data, *others = values[: len(values) - 2 - after]
        cycle, block = map(_number, values[len(values) - 2 - after : len(values) - after])

        def opened(*element: Any) -> Any:
            return body.run([*_flat(*element), *others])[0]

        return [data.interleave(opened, None if cycle < 0 else cycle, block)]

    return run


@maker("DirectedInterleaveDataset")
def _directed(node: Node) -> Kernel:
    stops = bool(node.attributes["stop_on_empty_dataset"])

    def run(values: list[Any]) -> list[Any]:
        choices, *datasets = values
        return [Dataset.choose_from_datasets(datasets, choices.map(_single), stops)]

    return run


def _single(*element: Any) -> Any:
    (only,) = _flat(*element)
    return only


@kernel("ShuffleAndRepeatDataset", "ShuffleAndRepeatDatasetV2")
def _shuffle_and_repeat(values: list[Any]) -> list[Any]:
    return [values[0].shuffle(_number(values[1])).repeat(_number(values[4]))]


@kernel("DatasetCardinality")
def _cardinality(values: list[Any]) -> list[Any]:
    return [values[0].cardinality()]


@maker("TextLineDataset", "TFRecordDataset", "TFRecordDatasetV2", "FixedLengthRecordDatasetV2")
def _files(node: Node) -> Kernel:
    return refusing(node)


class _Iterator:
    """An iterator of a graph; another node assigns its dataset later."""

    def __init__(self) -> None:
        self.elements: Iterator[Any] = iter(())


@maker("AnonymousIteratorV2", "AnonymousIteratorV3", "IteratorV2")
def _iterator(node: Node) -> Kernel:
    held = node.surroundings.resources

    def run(_: list[Any]) -> list[Any]:
        if node.operation.startswith("Anonymous"):
            return [_Iterator(), None][: len(node.definition.outputs)]
        return [held.setdefault(("iterator", node.name), _Iterator())]

    return run


@kernel("MakeIterator")
def _make_iterator(values: list[Any]) -> list[Any]:
    values[1].elements = iter(values[0])
    return []


@kernel("IteratorGetNext", "IteratorGetNextSync")
def _next(values: list[Any]) -> list[Any]:
    try:
        found = next(values[0].elements)
    except StopIteration:
        raise OutOfRangeError(None, None, "End of sequence [Op:IteratorGetNext]") from None
    return list(_flat(found)) if isinstance(found, tuple) else [found]


@kernel("IteratorGetNextAsOptional")
def _next_if_any(values: list[Any]) -> list[Any]:
    try:
        return [KeptValues(_next(values))]
    except OutOfRangeError:
        return [KeptValues(None)]


@kernel("DeleteIterator")
def _delete(_: list[Any]) -> list[Any]:
    return []
