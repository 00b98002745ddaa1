"""The origin of a dataset's elements: sources, files, the size of batches, and shuffles."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.data.elements.graph_values import bound_also, value_of

Produce = Callable[[], Iterator[Any]]

_ORDER = frozenset({"Repeat", "Take", "Skip", "Shuffle", "Cache", "Prefetch", "Shard"})
_BATCHES_STAY = _ORDER | {"Filter", "Options", "AssertCardinality"}
"""Steps after which batches have the same size."""
_WHOLE = frozenset({"Snapshot", "AssertCardinality"})
"""Steps that need all elements, so that the files before them can't be divided."""
_SEED = object()


class Source:
    """A source of elements, distinguished from others by its identity."""

    def _fingerprint_parts(self) -> tuple[object, ...]:
        return ()


@dataclass(frozen=True)
class Lineage:
    """The origin of a dataset's elements.

    Attributes:
      sources: All sources.
      files: The sources of files; empty unless all elements come from files.
      batch: The number of rows of a full batch, if a step makes batches.
      unseeded: Whether elements are shuffled without a seed.
    """

    sources: frozenset[Source] = frozenset()
    files: frozenset[Source] = frozenset()
    batch: int | None = None
    unseeded: bool = False

    def _fingerprint_parts(self) -> tuple[object, ...]:
        return ()  # The steps, which are a part of the fingerprint, determine the lineage.

    def after(self, kind: str) -> Lineage:
        """Returns the lineage after one more step of a dataset."""
        if kind in _WHOLE:
            return replace(self, files=frozenset(), batch=self.batch if _keeps(kind) else None)
        return self if self.batch is None or _keeps(kind) else replace(self, batch=None)

    def in_batches(self, size: int | None) -> Lineage:
        """Returns the lineage after a step that makes batches."""
        return replace(self, batch=size)

    def opening_files(self) -> Lineage:
        """Returns the lineage of the records in files; the elements are the names of the files."""
        return replace(self, files=self.sources, batch=None)


def _keeps(kind: str) -> bool:
    return kind in _BATCHES_STAY


def of_source(reads_files: bool = False) -> tuple[Source, Lineage]:
    """Returns a new source and its lineage."""
    source = Source()
    alone = frozenset([source])
    return source, Lineage(alone, alone if reads_files else frozenset())


def of_several(parts: Sequence[Lineage]) -> Lineage:
    """Returns the lineage of a dataset that combines the elements of others."""
    sizes = {part.batch for part in parts}
    files = [part.files for part in parts]
    return Lineage(
        frozenset().union(*[part.sources for part in parts]),
        frozenset().union(*files) if all(files) else frozenset(),
        sizes.pop() if len(sizes) == 1 else None,
        any(part.unseeded for part in parts),
    )


def divided(produce: Produce, lineage: Lineage, count: int, index: int) -> Produce:
    """Returns a function that starts iterations over one worker's part of the files.

    Args:
      produce: A function that starts an iteration over all elements.
      lineage: The lineage of the elements.
      count: The number of workers.
      index: The worker.
    """
    return bound_also(produce, dict.fromkeys(lineage.files, (count, index)))


def own_files(source: Source, names: Iterator[Any]) -> Iterator[Any]:
    """Yields a worker's part of the names of files, or all names if they are not divided.

    Args:
      source: The source.
      names: All names.

    Raises:
      InvalidArgumentError: There are more workers than files.
    """
    part: Any = value_of(source)
    if part is None:
        return names
    count, index = part
    first = list(itertools.islice(names, count))
    if len(first) < count:
        raise InvalidArgumentError(
            None,
            None,
            f"Could not apply FILE based sharding: the dataset only has {len(first)} file(s), "
            f"which is not enough for the required {count} shards/workers. Set the auto sharding "
            "policy to DATA or OFF (options.experimental_distribute.auto_shard_policy), or write "
            "more and smaller files.",
        )
    return itertools.islice(itertools.chain(first, names), index, None, count)


def share_of(lineage: Lineage) -> tuple[object, bool]:
    """Returns a key that is equal for iterations with the same share of files and kind of seed."""
    parts = [value_of(source) for source in lineage.sources]
    return next((p for p in parts if p is not None), None), value_of(_SEED) is not None


def with_common_seed(produce: Produce, seed: int) -> Produce:
    """Returns a function that starts iterations in which shuffles without a seed use `seed`."""
    return lambda: bound_also(produce, {_SEED: (seed, Counter[object]())})()


def common_seed(shuffle: object) -> tuple[int, int] | None:
    """Returns the seed that all workers use for a shuffle without a seed, if they have agreed.

    Args:
      shuffle: The step that shuffles.

    Returns:
      The seed, and how often the step has been started in this iteration.
    """
    agreed: Any = value_of(_SEED)
    if agreed is None:
        return None
    seed, starts = agreed
    starts[shuffle] += 1
    return seed, starts[shuffle]
