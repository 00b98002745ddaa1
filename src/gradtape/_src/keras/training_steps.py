"""Steps of `fit` and `evaluate`: building of layers, and results of several processes."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any


class _Batch(threading.local):
    """The batch size with which layers are being built, if layers must not depend on it."""

    size: int | None = None


_batch = _Batch()


def get_shapes_dict(original: Any, module: Any) -> Callable[..., Any]:
    """Makes `fit` build layers for batches of any size, as in TensorFlow's graphs."""

    @functools.wraps(original)
    def get_shapes_dict(call_spec: Any) -> Any:
        shapes = original(call_spec)
        return shapes if _batch.size is None else _without_batch(shapes, _batch.size)

    return get_shapes_dict


def _without_batch(shapes: Any, size: int) -> Any:
    if isinstance(shapes, dict):
        return {key: _without_batch(part, size) for key, part in shapes.items()}
    if not shapes:
        return shapes
    if all(n is None or isinstance(n, int) for n in shapes):
        return (None, *shapes[1:]) if shapes[0] == size else shapes
    return type(shapes)([_without_batch(part, size) for part in shapes])


def make_function(original: Any, module: Any) -> Callable[..., Any]:
    """Passes the batch size in `fit` and `evaluate` to `get_shapes_dict`."""

    @functools.wraps(original)
    def _make_function(self: Any, step_function: Callable[[Any], Any]) -> Any:
        def step(data: Any) -> Any:
            if self.built:
                return step_function(data)
            leaf = next((x for x in module.tree.flatten(data) if x is not None), None)
            _batch.size = leaf.shape[0] if leaf is not None and len(leaf.shape) else None
            try:
                return step_function(data)
            finally:
                _batch.size = None

        return original(self, step_function if self.run_eagerly else step)

    return _make_function


def reduce_per_replica(original: Any, module: Any) -> Callable[..., Any]:
    """With several processes, averages numbers, and joins parts in the order of the data."""

    @functools.wraps(original)
    def reduce_per_replica(values: Any, strategy: Any, reduction: str) -> Any:
        if strategy._processes is None or reduction == "first":
            return original(values, strategy, reduction)

        def reduced(v: Any) -> Any:
            if reduction == "concat":
                return strategy.gather(v, axis=0)
            return strategy.reduce("SUM" if reduction == "sum" else "MEAN", v, axis=None)

        return module.tree.map_structure(reduced, values)

    return reduce_per_replica
