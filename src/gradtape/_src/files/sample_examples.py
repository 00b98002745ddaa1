"""Serialized examples from which a graph infers the shapes and dtypes of parsed features."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from gradtape._src.base.dtypes import DType, as_dtype, int64, string
from gradtape._src.files import features as kinds
from gradtape._src.messages import protos

_LISTS = {"string": "bytes_list", "float32": "float_list", "int64": "int64_list"}


def texts_of_examples(_: Any, features: Mapping[str, Any], *__: Any, **___: Any) -> list[bytes]:
    """Returns two examples for `parse_example`, whose features have one value and two values."""
    return [
        protos.Example(features={"feature": _features(features, n)}).SerializeToString()
        for n in (1, 2)
    ]


def texts_of_sequences(
    _: Any,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
    *__: Any,
    **___: Any,
) -> list[bytes]:
    """Returns two examples for `parse_sequence_example`: with sequences of one step, and of two."""
    found = []
    for n in (1, 2):
        step = _features(sequence_features or {}, 1, of_step=True)
        lists = {key: {"feature": [each] * n} for key, each in step.items()}
        example = protos.SequenceExample(
            context={"feature": _features(context_features or {}, n)},
            feature_lists={"feature_list": lists},
        )
        found.append(example.SerializeToString())
    return found


def _features(features: Mapping[str, Any], n: int, of_step: bool = False) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, spec in features.items():
        if isinstance(spec, kinds.FixedLenFeature):
            found[key] = _values(spec.dtype, prod(spec.shape))
        elif isinstance(spec, kinds.FixedLenSequenceFeature):
            found[key] = _values(spec.dtype, prod(spec.shape) * (1 if of_step else n))
        elif isinstance(spec, kinds.SparseFeature):
            own = spec.index_key if isinstance(spec.index_key, (list, tuple)) else [spec.index_key]
            found.update({name: _feature(int64, [*range(n)]) for name in own})
            found[spec.value_key] = _values(spec.dtype, n)
        elif isinstance(spec, kinds.RaggedFeature):
            found.update(_ragged(key, spec, n))
        else:
            found[key] = _values(spec.dtype, n)
    return found


def _ragged(key: str, spec: Any, n: int) -> dict[str, Any]:
    found = {spec.value_key or key: _values(spec.dtype, n)}
    for part in reversed(spec.partitions):
        known = {
            kinds.RowLengths: [n],
            kinds.RowSplits: [0, n],
            kinds.RowStarts: [0],
            kinds.RowLimits: [n],
            kinds.ValueRowIds: [0] * n,
        }
        if type(part) in known:
            found[part.key] = _feature(int64, known[type(part)])
        n = 1
    return found


def _values(dtype: Any, count: int) -> Any:
    kind = as_dtype(dtype)
    return _feature(kind, [b"" if kind is string else 0] * count)


def _feature(dtype: DType, values: list[Any]) -> Any:
    return protos.Feature(**{_LISTS[dtype.name]: {"value": values}})
