"""`tf.io.parse_example` and related functions: parse serialized examples to tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise
from math import prod
from typing import Any, TypeAlias

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, c_name, float32, int64, string
from gradtape._src.base.errors import About
from gradtape._src.base.export import export
from gradtape._src.compute.axis_sums import repeated
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.declare.graph_operations import sample_text
from gradtape._src.files import features as kinds
from gradtape._src.files.sample_examples import texts_of_examples, texts_of_sequences
from gradtape._src.messages import protos
from gradtape._src.messages.reading import DecodeError, parsed
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.text.values import texts

_MOST_ROWS = 1 << 24  # the maximum index of a row
Array = np.ndarray[Any, Any]
Features: TypeAlias = "Mapping[str, protos.Feature]"
_ALLOWED = (float32, int64, string)
_LISTS = {string: "bytes_list", float32: "float_list", int64: "int64_list"}
_C_NAMES = {"bytes_list": "string", "float_list": "float", "int64_list": "int64"}


class _Examples:
    """The features of some examples, and the examples' names in messages.

    Args:
      features: The features of each example.
      names: The name of each example, or None.
    """

    def __init__(self, features: Sequence[Features], names: Sequence[str] | None) -> None:
        self.features = features
        self._names = names

    def __len__(self) -> int:
        return len(self.features)

    def column(self, key: str, dtype: DType) -> tuple[Array, list[int]]:
        """Returns the concatenated values of a feature in all examples, and the number in each.

        The number is -1 for an example without the feature. Messages are merged, which is ten
        times as fast as reading their values one by one.
        """
        kind = _LISTS[dtype]
        whole = protos.Feature(**{kind: {"value": [b"" if dtype is string else 0]}})
        values = getattr(whole, kind).value  # With a first value, the list is a part of `whole`.
        merge, ends = whole.MergeFrom, [1]
        for features in self.features:
            merge(features[key])  # A map of messages has an empty one for a missing key.
            ends.append(len(values))
        lengths = [end - start for start, end in pairwise(ends)]
        if 0 in lengths:
            lengths = [n or self._length_of_none(i, kind, key) for i, n in enumerate(lengths)]
        if dtype is not string:
            return np.array(values, dtype.np_dtype)[1:], lengths
        texts_ = np.empty(len(values) - 1, object)
        texts_[:] = values[1:]
        return texts_, lengths

    def vectors(self, key: str, dtype: DType) -> list[Array]:
        """Returns the values of a feature in each example, which are empty if it is missing."""
        flat, lengths = self.column(key, dtype)
        ends = accumulate((max(n, 0) for n in lengths), initial=0)
        return [flat[start:end] for start, end in pairwise(ends)]

    def _length_of_none(self, place: int, kind: str, key: str) -> int:
        """Returns 0 for a feature without values of the expected kind, -1 for an empty message."""
        held = self.features[place][key].WhichOneof("kind")
        if held is None:
            return -1
        if held == kind:
            return 0
        raise self.wrong(
            place,
            f"Key: {key}.  Data types don't match. Data type: {_C_NAMES[held]} but expected type: "
            f"{_C_NAMES[kind]}",
        )

    def wrong(self, place: int, message: str) -> Exception:
        """Returns the error for one of the examples."""
        return invalid(f"{_label(self._names, place)}{message} [Op:ParseExampleV2]", About.VALUES)


def _label(names: Sequence[str] | None, place: int) -> str:
    return "" if names is None else f"Name: {names[place]}, "


@export("io.parse_example")
@sample_text(texts_of_examples)
def parse_example(
    serialized: Any, features: Mapping[str, Any], example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """Returns the features of a batch of examples.

    Args:
      serialized: A vector of serialized `Example` messages; a scalar for a single example, whose
        features get no batch axis.
      features: For each wanted feature a `FixedLenFeature`, `FixedLenSequenceFeature`,
        `VarLenFeature`, `SparseFeature` or `RaggedFeature`.
      example_names: Names of the examples, for messages.
      name: Accepted for compatibility.

    Returns:
      For each feature a tensor, sparse or ragged tensor with the examples along its first axis.

    Raises:
      ValueError: `features` is empty or not valid.
      InvalidArgumentError: An example lacks a feature, holds another type or shape, or can't be
        parsed.
    """
    data = texts(serialized, "ParseExampleV2", [])._value
    if not data.ndim:
        return parse_single_example(data.item(), features)
    _check_features(features)
    names = ["<unknown>"] * len(data)
    if example_names is not None:
        names = [each.decode() for each in texts(example_names, "ParseExampleV2", [])._value]
    return _parsed(_read(data.tolist(), names), features, batch=True)


@export("io.parse_single_example")
@sample_text(texts_of_examples)
def parse_single_example(
    serialized: Any, features: Mapping[str, Any], example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """Returns the features of one example; see `parse_example`.

    Args:
      serialized: The example's bytes, a string scalar.
      features: The features to parse, by name.
      example_names: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      A dictionary of tensors by name.
    """
    data = texts(serialized, "ParseExampleV2", [])._value
    if data.ndim:
        raise ValueError("Input serialized must be a scalar")
    _check_features(features)
    return _parsed(_read([data.item()], None), features, batch=False)


def _read(data: Sequence[bytes], names: Sequence[str] | None) -> _Examples:
    if names is not None and len(names) != len(data):
        raise invalid(
            "Expected names have the same shape as serialized: "
            f"name.shape=[{len(names)}], serialized.shape=[{len(data)}] [Op:ParseExampleV2]"
        )
    features: list[Features] = []
    try:
        features.extend(parsed(protos.Example, each).features.feature for each in data)
    except DecodeError as error:
        raise invalid(
            f"{_label(names, len(features))}Could not parse example input: {error} "
            "[Op:ParseExampleV2]",
            About.VALUES,
        ) from None
    return _Examples(features, names)


def _check_features(features: Any) -> None:
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")


def _dtype(feature: Any, key: str) -> DType:
    dtype = as_dtype(feature.dtype)
    if dtype not in _ALLOWED:
        raise invalid(
            f"Value for attr 'Tdense' of {c_name(dtype.name)} is not in the list of allowed "
            f"values: float, int64, string [Op:ParseExampleV2] (feature {key!r}; tf.cast converts)",
            About.DTYPES,
        )
    return dtype


def _parsed(examples: _Examples, features: Mapping[str, Any], *, batch: bool) -> dict[str, Any]:
    parsers: tuple[tuple[type, Callable[..., Any]], ...] = (
        (kinds.VarLenFeature, _var_len),
        (kinds.SparseFeature, _sparse),
        (kinds.FixedLenSequenceFeature, _sequence),
        (kinds.FixedLenFeature, _fixed),
        (kinds.RaggedFeature, _ragged),
    )
    for key, feature in features.items():
        if not isinstance(feature, tuple(kind for kind, _ in parsers)):
            raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key {key!r}")
    order = {"VarLenFeature": 0, "SparseFeature": 0, "RaggedFeature": 2}
    found = {}
    for key in sorted(features, key=lambda k: (order.get(type(features[k]).__name__, 1), k)):
        feature = features[key]
        parse = next(parse for kind, parse in parsers if isinstance(feature, kind))
        found[key] = parse(examples, key, feature, batch)
    return found


def _shape(feature: Any, key: str) -> tuple[int, ...]:
    given = feature.shape
    shape = (
        list(given) if isinstance(given, (list, tuple)) or hasattr(given, "__iter__") else [given]
    )
    if any(n is None for n in shape):
        raise ValueError(
            f"First dimension of shape for feature {key} unknown. Consider using "
            f"FixedLenSequenceFeature. Received feature={feature}."
        )
    return tuple(int(n) for n in shape)


def _vector(values: Sequence[Any], dtype: DType) -> Array:
    """Concatenates vectors into one."""
    return np.concatenate([np.empty(0, dtype.np_dtype), *values])


def _raw(value: Array, dtype: DType) -> Any:
    return value if value.ndim or dtype is string else value[()]


def _fixed(examples: _Examples, key: str, feature: Any, batch: bool) -> Tensor:
    dtype, shape = _dtype(feature, key), _shape(feature, key)
    size, default = prod(shape), None
    if feature.default_value is not None:
        default = np.asarray(convert_to_tensor(feature.default_value, dtype)._value).reshape(-1)
        if default.size != size:
            raise invalid(
                f"Input to reshape is a tensor with {default.size} values, but the requested shape "
                f"has {size} [Op:Reshape] (the default value of feature {key!r}, shape "
                f"{list(shape)})"
            )
    flat, lengths = examples.column(key, dtype)
    whole = flat
    if lengths.count(size) != len(lengths):
        there = np.array(lengths) >= 0
        for place, length in enumerate(lengths):
            if length < 0 and default is None:
                raise examples.wrong(
                    place,
                    f"Feature: {key} (data type: {c_name(dtype.name)}) is required but could not "
                    "be found.",
                )
            if length not in (-1, size):
                raise examples.wrong(
                    place,
                    f"Key: {key}, Index: {place}.  Number of {c_name(dtype.name)} values != "
                    f"expected.  Values size: {length} but output shape: {shown_shape(shape)}",
                )
        whole = np.empty((len(examples), size), dtype.np_dtype)
        whole[there] = flat.reshape(-1, size)
        whole[~there] = default
    whole = whole.reshape(len(examples), *shape)
    return Tensor(_raw(whole if batch else whole[0, ...], dtype))


def _sequence(examples: _Examples, key: str, feature: Any, batch: bool) -> Tensor:
    if not feature.allow_missing:
        raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
    dtype, shape = _dtype(feature, key), _shape(feature, key)
    rows = []
    for place, values in enumerate(examples.vectors(key, dtype)):
        if values.size % max(prod(shape), 1):
            raise examples.wrong(
                place,
                f"Error while parsing feature with key {key}: number of elements should be "
                f"divisible by {prod(shape)}, got {values.size}",
            )
        rows.append(values.reshape(-1, *shape))
    return Tensor(padded(rows, shape, dtype, feature.default_value) if batch else rows[0])


def padded(rows: Sequence[Array], shape: Sequence[int], dtype: DType, default: Any = None) -> Array:
    """Stacks sequences of elements along a new first axis, and pads the shorter ones."""
    empty: Any = b"" if dtype is string else 0
    fill = empty if default is None else convert_to_tensor(default, dtype)._value
    longest = max((len(row) for row in rows), default=0)
    out = np.full((len(rows), longest, *shape), fill, dtype.np_dtype)
    for place, row in enumerate(rows):
        out[place, : len(row)] = row
    return out


def _var_len(examples: _Examples, key: str, feature: Any, batch: bool) -> SparseTensor:
    dtype = _dtype(feature, key)
    flat, lengths = examples.column(key, dtype)
    return _sparse_rows(flat, [max(n, 0) for n in lengths], batch=batch)


def _sparse_rows(flat: Array, lengths: list[int], *, batch: bool) -> SparseTensor:
    """Makes a sparse matrix whose rows are the vectors, or a sparse vector without a batch."""
    if not batch:
        columns = np.arange(lengths[0])[:, None]
        return SparseTensor(columns, Tensor(flat), np.array([len(flat)], np.int64))
    indices = np.empty((len(flat), 2), np.int64)
    indices[:, 0] = repeated(np.arange(len(lengths)), lengths)
    starts = np.cumsum([0, *lengths[:-1]])
    indices[:, 1] = np.arange(len(flat)) - repeated(starts, lengths)
    extent = np.array([len(lengths), max(lengths, default=0)], np.int64)
    return SparseTensor(indices, Tensor(flat), extent)


def _sparse(examples: _Examples, key: str, feature: Any, batch: bool) -> SparseTensor:
    dtype = _dtype(feature, key)
    single = isinstance(feature.index_key, str)
    index_keys = [feature.index_key] if single else list(feature.index_key)
    extents = (
        [feature.size]
        if single and not isinstance(feature.size, (list, tuple))
        else list(feature.size)
    )
    values = examples.vectors(feature.value_key, dtype)
    columns = [examples.vectors(each, int64) for each in index_keys]
    parts = []
    for place, row in enumerate(values):
        indices = [column[place] for column in columns]
        if any(len(index) != len(row) for index in indices):
            raise ValueError(
                f"Dimensions {len(indices[0])} and {len(row)} are not compatible (feature {key!r} "
                "needs as many indices as values)"
            )
        order = np.arange(len(row)) if feature.already_sorted else np.lexsort(indices[::-1])
        table = np.stack([index[order] for index in indices], axis=1)
        batch_column = np.full((len(row), int(batch)), place, np.int64)
        parts.append((np.concatenate([batch_column, table], axis=1), row[order]))
    shape = [*([len(examples)] if batch else []), *extents]
    indices_ = np.concatenate([np.empty((0, len(shape)), np.int64), *[part[0] for part in parts]])
    flat = Tensor(_vector([part[1] for part in parts], dtype))
    return SparseTensor(indices_, flat, np.array(shape, np.int64))


def _ragged(examples: _Examples, key: str, feature: Any, batch: bool) -> Any:
    dtype = _dtype(feature, key)
    values = examples.vectors(feature.value_key or key, dtype)
    levels: list[list[Array]] = []  # each example's partition, the outermost first
    counts = [len(row) for row in values]
    partitions = list(feature.partitions)
    inner: tuple[int, ...] = ()
    while partitions and isinstance(partitions[-1], kinds.UniformRowLength):
        inner = (partitions.pop().length, *inner)
    counts = [count // max(prod(inner), 1) for count in counts]
    for partition in reversed(partitions):
        if isinstance(partition, kinds.UniformRowLength):
            size = partition.length
            lengths = [np.full(count // size, size) for count in counts]
        else:
            lengths = [
                _row_lengths(partition, given, count, key, partial(examples.wrong, place))
                for place, (given, count) in enumerate(
                    zip(examples.vectors(partition.key, int64), counts, strict=True)
                )
            ]
        counts = [len(each) for each in lengths]
        levels.insert(0, lengths)
    if not batch:
        counts_by_level = [each[0] for each in levels]
    else:
        counts_by_level = [np.array(counts), *[np.concatenate(each) for each in levels]]
    flat = Tensor(_vector(values, dtype).reshape(-1, *inner))
    return _in_rows(flat, counts_by_level, feature)


def _in_rows(flat: Tensor, lengths_by_level: Sequence[Any], feature: Any) -> Any:
    """Returns values divided into rows, given the lengths of the rows, outermost first."""
    splits_dtype = as_dtype(feature.row_splits_dtype).np_dtype
    found: Any = flat
    for lengths in reversed(lengths_by_level):
        splits = np.concatenate([[0], np.cumsum(lengths)]).astype(splits_dtype)
        found = RaggedTensor.from_row_splits(found, Tensor(splits), validate=False)
    return found


def _row_lengths(
    partition: Any, given: Array, count: int, key: str, wrong: Callable[[str], Exception]
) -> Array:
    """Returns the lengths of the rows into which a partition's numbers divide `count` items."""
    if isinstance(partition, kinds.RowLengths):
        lengths = given
    elif isinstance(partition, kinds.RowSplits):
        lengths = np.diff(given)
    elif isinstance(partition, kinds.RowStarts):
        lengths = np.diff(given, append=count)
    elif isinstance(partition, kinds.RowLimits):
        lengths = np.diff(given, prepend=0)
    else:
        rises = not given.size or (given[0] >= 0 and (np.diff(given) >= 0).all())
        some = rises and (not given.size or given[-1] < _MOST_ROWS)
        lengths = np.bincount(given) if some else np.array([-1])
    outside = (lengths < 0).any() or (lengths > count).any()  # Their sum could overflow.
    if outside or lengths.sum() != count:
        raise wrong(
            f"Key: {key}.  The partition {partition} does not divide {count} values: it holds "
            f"{given.tolist()}"
        )
    return lengths


@export("io.parse_sequence_example")
@sample_text(texts_of_sequences)
def parse_sequence_example(
    serialized: Any,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Returns the features of a batch of examples with sequences.

    Args:
      serialized: A vector of serialized `SequenceExample` messages.
      context_features: The features of the context to parse; see `parse_example`.
      sequence_features: The features of the sequences to parse: for each a
        `FixedLenSequenceFeature`, `VarLenFeature` or `RaggedFeature`.
      example_names: Names of the examples, for messages.
      name: Accepted for compatibility.

    Returns:
      The context; the sequences, with the examples along the first axis and time along the
      second; and the lengths of those that are padded.

    Raises:
      ValueError, InvalidArgumentError: See `parse_example`.
    """
    data = texts(serialized, "ParseExampleV2", [])._value
    names = ["<unknown>"] * len(data)
    if example_names is not None:
        names = [each.decode() for each in texts(example_names, "ParseExampleV2", [])._value]
    return _sequences(
        list(data), names, context_features or {}, sequence_features or {}, batch=True
    )


@export("io.parse_single_sequence_example")
@sample_text(texts_of_sequences)
def parse_single_sequence_example(
    serialized: Any,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the context and the sequences of one example; see `parse_sequence_example`.

    Args:
      serialized: The example's bytes, a string scalar.
      context_features: The features of the context to parse, by name.
      sequence_features: The features of each step to parse, by name.
      example_name: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      Two dictionaries of tensors by name: of the context, and of the sequence.
    """
    data = texts(serialized, "ParseExampleV2", [])._value
    if data.ndim:
        raise ValueError("Input serialized must be a scalar")
    context, lists, _ = _sequences(
        [data.item()], ["<unknown>"], context_features or {}, sequence_features or {}, batch=False
    )
    return context, lists


def _sequences(
    data: Sequence[bytes],
    names: Sequence[str],
    context_features: Mapping[str, Any],
    sequence_features_: Mapping[str, Any],
    *,
    batch: bool,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    if not context_features and not sequence_features_:
        raise ValueError("Both `context_features` and `sequence_features` are missing.")
    contexts, lists = [], []
    for each, name in zip(data, names, strict=True):
        try:
            example = parsed(protos.SequenceExample, each)
        except DecodeError as error:
            raise invalid(
                f"Name: {name}, Could not parse example input: {error} [Op:ParseSequenceExampleV2]",
                About.VALUES,
            ) from None
        contexts.append(example.context.feature)
        lists.append(example.feature_lists.feature_list)
    context_found = _parsed(_Examples(contexts, names), context_features, batch=batch)
    found_lists: dict[str, Any] = {}
    lengths: dict[str, Any] = {}
    for key in sorted(sequence_features_, key=lambda k: (not _is_var(sequence_features_[k]), k)):
        feature = sequence_features_[key]
        dtype = _dtype(feature, key)
        rows = [
            _steps(each, key, feature, dtype, name) for each, name in zip(lists, names, strict=True)
        ]
        if isinstance(feature, kinds.FixedLenSequenceFeature):
            shape = _shape(feature, key)
            tables = [_table(row, shape, key, dtype) for row in rows]
            found_lists[key] = Tensor(padded(tables, shape, dtype) if batch else tables[0])
            lengths[key] = Tensor(np.array([len(row) for row in rows], np.int64))
        elif isinstance(feature, kinds.VarLenFeature):
            found_lists[key] = _sparse_steps(rows, dtype, batch=batch)
        else:
            found_lists[key] = _ragged_steps(rows, dtype, feature, batch=batch)
    return context_found, found_lists, lengths if batch else {}


def _is_var(feature: Any) -> bool:
    return isinstance(feature, kinds.VarLenFeature)


def _steps(
    lists: Mapping[str, protos.FeatureList], key: str, feature: Any, dtype: DType, name: str
) -> list[Array]:
    """Returns the values of a feature at each step of a sequence."""
    allowed = (kinds.FixedLenSequenceFeature, kinds.VarLenFeature, kinds.RaggedFeature)
    if not isinstance(feature, allowed):
        raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key {key!r}")
    source = getattr(feature, "value_key", None) or key
    if source not in lists:
        if isinstance(feature, kinds.FixedLenSequenceFeature) and not feature.allow_missing:
            raise invalid(
                f"Name: {name}, Feature list '{key}' is required but could not be found.  Did you "
                "mean to include it in feature_list_dense_missing_assumed_empty or "
                "feature_list_dense_defaults? (`allow_missing`) [Op:ParseSequenceExampleV2]",
                About.VALUES,
            )
        return []
    steps = [{key: each} for each in lists[source].feature]
    return _Examples(steps, [name] * len(steps)).vectors(key, dtype)


def _table(steps: Sequence[Array], shape: tuple[int, ...], key: str, dtype: DType) -> Array:
    for place, step in enumerate(steps):
        if step.size != prod(shape):
            raise invalid(
                f"Key: {key}, Index: {place}.  Number of {c_name(dtype.name)} values != expected.  "
                f"values size: {step.size} but output shape: {shown_shape(shape)} "
                "[Op:ParseSequenceExampleV2]",
                About.VALUES,
            )
    return _vector(steps, dtype).reshape(len(steps), *shape)


def _sparse_steps(rows: Sequence[list[Array]], dtype: DType, *, batch: bool) -> SparseTensor:
    if not batch:
        lengths = [len(row) for row in rows[0]]
        return _sparse_rows(_vector(rows[0], dtype), lengths, batch=True)
    indices = [
        (example, step, place)
        for example, steps in enumerate(rows)
        for step, values in enumerate(steps)
        for place in range(len(values))
    ]
    steps_ = [values for steps in rows for values in steps]
    extent = [
        len(rows),
        max((len(steps) for steps in rows), default=0),
        max((len(values) for values in steps_), default=0),
    ]
    table = np.array(indices, np.int64).reshape(-1, 3)
    return SparseTensor(table, Tensor(_vector(steps_, dtype)), np.array(extent, np.int64))


def _ragged_steps(rows: Sequence[list[Array]], dtype: DType, feature: Any, *, batch: bool) -> Any:
    if feature.partitions:
        raise ValueError(
            "RaggedFeature with `partitions` is not supported in sequences: parse the values "
            "without, and divide them with tf.RaggedTensor"
        )
    steps = [values for each in rows for values in each]
    by_step = [len(values) for values in steps]
    levels = [by_step] if not batch else [[len(each) for each in rows], by_step]
    return _in_rows(Tensor(_vector(steps, dtype)), levels, feature)
