"""Rules for operations on strings, and on files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.files.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    VarLenFeature,
)
from gradtape._src.graph.nested.whole_calls import Call, Parts
from gradtape._src.graphdef_export.call_rules import splits_of, value_of
from gradtape._src.graphdef_export.nodes import Value, dtype_name
from gradtape._src.graphdef_export.parts import Part
from gradtape._src.graphdef_export.rules import call_rule, rule


def flat(p: Part, x: Value) -> Value:
    """Reshapes a value to a vector."""
    made: Value = p.op("Reshape", x, p.const([-1], "int32"))
    return made


def even_splits(p: Part, rows: Any, length: Any) -> Value:
    """Returns the row splits of rows of equal length."""
    last = p.op("AddV2", p.number(rows, "int64"), p.const(1, "int64"))
    numbers = p.op("Range", p.const(0, "int64"), last, p.const(1, "int64"))
    made: Value = p.op("Mul", numbers, p.number(length, "int64"))
    return made


def _with_outer_splits(p: Part, shape: Sequence[Any], inner: Value) -> list[Value]:
    """Returns all splits of a ragged tensor that has one row for each element of a tensor."""
    outer = [even_splits(p, _product(shape[:axis]), shape[axis]) for axis in range(1, len(shape))]
    return [*outer, inner]


def _product(lengths: Sequence[Any]) -> Any:
    whole = 1
    for n in lengths:
        whole = whole * n
    return whole


@rule("UnicodeScript")
def _script(p: Part, points: Value) -> Any:
    return p.op("UnicodeScript", points)


@call_rule("StringSplitV2")
def _split(p: Part, *xs: Value, **given: Any) -> Any:
    x = xs[0] if xs else value_of(p, given["input"])
    by = value_of(p, given["sep"])
    found = p.op("StringSplitV2", flat(p, x), by, maxsplit=given.get("maxsplit", -1))
    places, values, _ = found
    if not xs:  # `tf.raw_ops.StringSplitV2` was called
        return found
    return _rows(p, x, values, _first_column(p, places))


@call_rule("StringSplit")
def _split_at_characters(p: Part, *xs: Value, **given: Any) -> Any:
    x = xs[0] if xs else value_of(p, given["input"])
    by = value_of(p, given["delimiter"])
    found = p.op("StringSplit", flat(p, x), by, skip_empty=given.get("skip_empty", True))
    places, values, _ = found
    return _rows(p, x, values, _first_column(p, places)) if xs else found


def _first_column(p: Part, places: Value) -> Value:
    one = p.const([0, 1], "int32")
    made: Value = p.op(
        "StridedSlice",
        places,
        p.const([0, 0], "int32"),
        one,
        p.const([1, 1], "int32"),
        begin_mask=1,
        end_mask=1,
        shrink_axis_mask=2,
    )
    return made


def _rows(p: Part, x: Value, values: Value, ids: Value) -> Any:
    """Returns the parts of each string, as a vector or a ragged tensor."""
    if not x.shape:
        return values
    splits = splits_of(p, ids, p.number(_product(x.shape), "int64"), "int64")
    return [values, *_with_outer_splits(p, x.shape, splits)]


@call_rule("StringSplitBytes")
def _bytes(p: Part, x: Value) -> Any:
    """Returns single bytes, which are substrings of length 1."""
    texts = flat(p, x)
    lengths = p.cast(p.op("StringLength", texts), "int64")
    ends = p.op("Cumsum", lengths, p.const(0, "int32"))
    total = p.op("Sum", lengths, p.const([0], "int32"))
    numbers = p.op("Range", p.const(0, "int64"), total, p.const(1, "int64"))
    first = p.const(0, "int32")
    pairs = (p.op("ExpandDims", y, first) for y in (ends, numbers))
    ids = p.op("Squeeze", p.op("UpperBound", *pairs, out_type="int64"), squeeze_dims=[0])
    starts = p.op("GatherV2", p.op("Sub", ends, lengths), ids, first)
    each = p.op("GatherV2", texts, ids, first)
    at = p.op("Sub", numbers, starts)
    values = p.op("Substr", each, at, p.op("OnesLike", at))
    return _rows(p, x, values, ids)


@call_rule("UnicodeDecode", "UnicodeDecodeWithOffsets")
def _code_points(p: Part, x: Value, **given: Any) -> Any:
    splits, points, starts = p.op("UnicodeDecodeWithOffsets", flat(p, x), **given)
    if not x.shape:
        return [points, starts]
    whole = _with_outer_splits(p, x.shape, splits)
    return [points, *whole, starts, *whole]


@call_rule("UnicodeEncode")
def _encoded(p: Part, *xs: Value, **given: Any) -> Any:
    x, out = xs[0], p.outputs[0].shape
    assert x.shape is not None
    if len(xs) > 1:  # the input is ragged: the innermost rows become strings
        encoded = p.op("UnicodeEncode", p.cast(x, "int32"), xs[-1], **given)
        return [encoded, *xs[1:-1]] if len(xs) > 2 else encoded
    length = x.shape[-1] if len(out) < len(x.shape) else 1
    count = _product(x.shape[:-1]) if len(out) < len(x.shape) else _product(x.shape)
    splits = even_splits(p, count, length)
    encoded = p.op("UnicodeEncode", p.cast(flat(p, x), "int32"), splits, **given)
    return encoded if len(out) == 1 else p.reshaped(encoded, out)


@call_rule("StringJoin")
def _join(p: Part, inputs: Any, between: bytes) -> Any:
    return p.op("StringJoin", [value_of(p, x) for x in inputs], separator=between)


@call_rule("ReduceJoin")
def _reduce_join(p: Part, inputs: Any, axis: Any, keepdims: bool, separator: Any, **_: Any) -> Any:
    x = value_of(p, inputs)
    assert x.shape is not None
    order = range(len(x.shape))[::-1] if axis is None else np.ravel(axis)
    axes = p.const(np.array(list(order), np.int32), "int32")
    return p.op("ReduceJoin", x, axes, keep_dims=keepdims, separator=separator)


@call_rule("AsString")
def _as_string(p: Part, x: Any, count: Any = None, **given: Any) -> Any:
    return p.op("AsString", value_of(p, x), **given)


@call_rule("Substr")
def _substr(p: Part, x_: Any, pos: Any, count: Any, unit: str) -> Any:
    return p.op("Substr", value_of(p, x_), value_of(p, pos), value_of(p, count), unit=unit)


@rule("StringFormat")
def _format(p: Part, *xs: Value, of: Call) -> Any:
    args, kwargs = of.arguments_for(list(xs))
    names = ("template", "inputs", "placeholder", "summarize")
    given = {"placeholder": "{}", "summarize": 3, **dict(zip(names, args, strict=False)), **kwargs}
    inputs = given["inputs"]
    shown = [value_of(p, x) for x in (inputs if isinstance(inputs, (list, tuple)) else [inputs])]
    how = {key: given[key] for key in ("template", "placeholder", "summarize")}
    return p.op("StringFormat", shown, **how)


@call_rule("StringNGrams")
def _ngrams(p: Part, data: Any, ngram_width: Any, separator: str, **given: Any) -> Any:
    padding, width = given["pad_values"], given["padding_width"]
    left, right = padding if isinstance(padding, (list, tuple)) else (padding, padding)
    how = {
        "ngram_widths": [ngram_width] if isinstance(ngram_width, int) else list(ngram_width),
        "left_pad": left or "",
        "right_pad": right or "",
        "pad_width": 0 if padding is None else -1 if width is None else width,
        "separator": separator,
        "preserve_short_sequences": given["preserve_short_sequences"],
    }
    if isinstance(data, Parts):
        values, *splits = [value_of(p, part) for part in data.values]
        found, inner = p.op("StringNGrams", values, splits[-1], **how)
        return [found, *splits[:-1], inner]
    x = value_of(p, data)
    assert x.shape is not None
    rows = even_splits(p, _product(x.shape[:-1]), x.shape[-1])
    found, _ = p.op("StringNGrams", flat(p, x), rows, **how)
    return found if len(x.shape) == 1 else p.op("Reshape", found, p.ints([*x.shape[:-1], -1]))


@call_rule("EditDistance", "edit_distance")
def _edits(p: Part, hypothesis: Any, truth: Any, normalize: bool, **_: Any) -> Any:
    if not isinstance(hypothesis, Parts) or not isinstance(truth, Parts):
        raise p.unknown("it takes sparse tensors")
    parts = [value_of(p, part) for x in (hypothesis, truth) for part in x.values]
    return p.op("EditDistance", *parts, normalize=bool(normalize))


@call_rule("ReadFile")
def _read_file(p: Part, filename: Any, **_: Any) -> Any:
    return p.effect("ReadFile", value_of(p, filename))


@call_rule("WriteFile")
def _write_file(p: Part, filename: Any, contents: Any, **_: Any) -> Any:
    p.effect("WriteFile", value_of(p, filename), value_of(p, contents))
    return ()


@call_rule("MatchingFiles")
def _matching_files(p: Part, pattern: Any, **_: Any) -> Any:
    return p.effect("MatchingFiles", value_of(p, pattern))


# Parsing of CSV lines and serialized examples.


@call_rule("DecodeCSV")
def _columns(p: Part, records: Any, record_defaults: Any, **given: Any) -> Any:
    kinds = [dtype_name(y.np_dtype) for y in p.outputs]
    defaults = [
        value_of(p, np.asarray(x, object if kind == "string" else None), kind)
        if not isinstance(x, Value) and not hasattr(x, "_value")
        else value_of(p, x)
        for x, kind in zip(record_defaults, kinds, strict=True)
    ]
    return p.op(
        "DecodeCSV",
        value_of(p, records),
        defaults,
        OUT_TYPE=kinds,
        field_delim=given.get("field_delim", ","),
        use_quote_delim=given.get("use_quote_delim", True),
        na_value=given.get("na_value", ""),
        select_cols=given.get("select_cols") or [],
    )


@call_rule("parse_example", "parse_single_example")
def _parse_example(p: Part, serialized: Any, features: Any, **_: Any) -> Any:
    kinds: dict[type, list[str]] = {
        kind: sorted(k for k, f in features.items() if isinstance(f, kind))
        for kind in (VarLenFeature, FixedLenFeature, FixedLenSequenceFeature, RaggedFeature)
    }
    sparse, ragged = kinds[VarLenFeature], kinds[RaggedFeature]
    dense = sorted([*kinds[FixedLenFeature], *kinds[FixedLenSequenceFeature]])
    if sum(map(len, kinds.values())) < len(features) or any(
        features[k].partitions or features[k].value_key not in (None, k) for k in ragged
    ):
        raise p.unknown("features of these kinds")
    found = p.op(
        "ParseExampleV2",
        value_of(p, serialized),
        p.const(np.array([], object), "string"),
        *[p.const(np.array(group, object), "string") for group in (sparse, dense, ragged)],
        [_default(p, features[k]) for k in dense],
        num_sparse=len(sparse),
        sparse_types=[features[k].dtype.name for k in sparse],
        ragged_value_types=[features[k].dtype.name for k in ragged],
        ragged_split_types=[features[k].row_splits_dtype.name for k in ragged],
        dense_shapes=[_dense_shape(features[k]) for k in dense],
    )
    indices, values, shapes, tensors, inner, splits = found
    by_name: dict[str, list[Value]] = {}
    for i, k in enumerate(sparse):
        by_name[k] = [indices[i], values[i], shapes[i]]
    by_name |= {k: [x] for k, x in zip(dense, tensors, strict=True)}
    by_name |= {k: [inner[i], splits[i]] for i, k in enumerate(ragged)}
    return [x for k in sorted(features) for x in by_name[k]]


def _dense_shape(feature: Any) -> list[Any]:
    shape = list(feature.shape)
    return [None, *shape] if isinstance(feature, FixedLenSequenceFeature) else shape


def _default(p: Part, feature: Any) -> Value:
    """Returns the default of a feature; it is empty for a required feature."""
    kind = feature.dtype
    given = feature.default_value
    if isinstance(feature, FixedLenSequenceFeature):
        fill = (b"" if kind.name == "string" else 0) if given is None else given
        return p.const(fill, kind)
    if given is None:
        return p.const(np.empty([0], object if kind.name == "string" else kind.np_dtype), kind)
    value = value_of(p, given, kind.name)
    size = math.prod(feature.shape)
    if value.shape is not None and math.prod(value.shape) != size:
        return p.const(np.full(feature.shape, np.asarray(given)), kind)
    return p.reshaped(value, feature.shape)
