"""Datasets in graphs, whose elements are tuples of tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gradtape._src.base.errors import OutOfRangeError
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.data.dataset import Dataset
from gradtape._src.graphdef.nodes import Kernel, Node, Runnable, kernel, maker
from gradtape._src.graphdef.plain_kernels import refusing
from gradtape._src.ops.elementwise.casting import cast


def _number(x: Any) -> int:
    return int(convert_to_tensor(x)._numpy())


def _flat(*elements: Any) -> tuple[Any, ...]:
    """Returns an element as a tuple; it may be a single tensor."""
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


@maker("FilterDataset")
def _filter(node: Node) -> Kernel:
    body = node.called("predicate")

    def run(values: list[Any]) -> list[Any]:
        data, *others = values
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


@kernel("PrefetchDataset", "OptionsDataset", "ModelDataset", "AssertCardinalityDataset")
def _as_it_is(values: list[Any]) -> list[Any]:
    return values[:1]


@maker("CacheDataset", "CacheDatasetV2")
def _cache(node: Node) -> Kernel:
    def run(values: list[Any]) -> list[Any]:
        if convert_to_tensor(values[1])._value.item() and not node.surroundings.allow_io:
            refusing(node)([])
        return [values[0].cache()]

    return run


@kernel("DatasetCardinality")
def _cardinality(values: list[Any]) -> list[Any]:
    return [values[0].cardinality()]


@maker("TextLineDataset", "TFRecordDataset", "TFRecordDatasetV2", "FixedLengthRecordDatasetV2")
def _files(node: Node) -> Kernel:
    return refusing(node)


class _Iterator:
    """An iterator of a graph, which gets its dataset later."""

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


@kernel("DeleteIterator")
def _delete(_: list[Any]) -> list[Any]:
    return []
