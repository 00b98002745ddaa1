"""Images, serialized messages and files; the use of files must be allowed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import int64, string
from gradtape._src.base.export import RawOp
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import deferrable, graph_operation, of_shape
from gradtape._src.files import audio, csv, images, serialized, tensors
from gradtape._src.files import bytes as byte_strings
from gradtape._src.files.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    VarLenFeature,
)
from gradtape._src.files.parsing import (
    parse_example,
    parse_sequence_example,
    parse_single_example,
    parse_single_sequence_example,
)
from gradtape._src.graphdef.attributes import Unsupported
from gradtape._src.graphdef.nodes import Kernel, Node, maker
from gradtape._src.graphdef.plain_kernels import refusing
from gradtape._src.graphdef.raw_kernels import raw_kernel
from gradtape._src.graphdef.table_kernels import allowed
from gradtape._src.ops.array.joining import stack
from gradtape._src.ops.array.tensor_shapes import shape
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.text.values import strings


def _columns(records: Any, record_defaults: Any, select_cols: Any, **given: Any) -> list[Tensor]:
    """Returns the selected columns of a CSV file's lines, or None for all columns."""
    return csv.decode_csv(records, record_defaults, select_cols=select_cols or None, **given)


ADAPTED: dict[str, RawOp] = {}
"""Operations whose functions' room is below that of the raw ones, by name."""


def _register(name: str, function: Callable[..., Any], *ignored: str, **renamed: str) -> None:
    """Registers a function for a raw operation that is declared in a later room."""
    op = ADAPTED[name] = RawOp(name, function, renamed, frozenset(ignored), differentiable=False)
    maker(name)(lambda node: raw_kernel(node, op))


_register("DecodePng", images.decode_png)
_register("DecodeJpeg", images.decode_jpeg)
_register("DecodeGif", images.decode_gif)
_register("DecodeBmp", images.decode_bmp)
_register("DecodeImage", images.decode_image)
_register("EncodePng", images.encode_png)
_register("EncodeJpeg", images.encode_jpeg)
_register("DecodeRaw", byte_strings.decode_raw, bytes="input_bytes")
_register("EncodeBase64", byte_strings.encode_base64)
_register("DecodeBase64", byte_strings.decode_base64)
_register("DecodeCompressed", byte_strings.decode_compressed)
_register("ParseTensor", tensors.parse_tensor)
_register("SerializeTensor", tensors.serialize_tensor)
_register("DecodeAndCropJpeg", images.decode_and_crop_jpeg)
_register("DecodeWebP", images.decode_webp)
_register("ExtractJpegShape", images.extract_jpeg_shape)
_register("EncodeJpegVariableQuality", images.encode_jpeg_variable_quality, images="image")
_register("DecodeCSV", _columns)
_register("DecodeJSONExample", serialized.decode_json_example)
_register("DecodePaddedRaw", byte_strings.decode_raw)
_register("DecodeWav", audio.decode_wav)
_register("EncodeWav", audio.encode_wav)


@maker("ReadFile")
def _read(node: Node) -> Kernel:
    @graph_operation("ReadFile", of_shape((), string), stateful=True, undone=True)
    def read(filename: Any) -> Tensor:
        return byte_strings.read_file(str(allowed(filename, node.surroundings, node)))

    return lambda values: [read(values[0])]


@maker("WriteFile")
def _write(node: Node) -> Kernel:
    if not node.surroundings.allow_io:
        return refusing(node)

    def run(values: list[Any]) -> list[Any]:
        byte_strings.write_file(values[0], values[1])
        return []

    return run


@maker("SaveV2", "MergeV2Checkpoints", "RestoreV2", "MatchingFiles", "WriteSummary")
def _checkpoint(node: Node) -> Kernel:
    """Ignores checkpoints in graphs, since gradtape restores variables itself."""
    return refusing(node)


@maker("ShardedFilename")
def _sharded(node: Node) -> Kernel:
    def run(values: list[Any]) -> list[Any]:
        name, shard, count = (convert_to_tensor(x)._value.item() for x in values)
        return [strings([b"%s-%05d-of-%05d" % (name, shard, count)], ())]

    return run


# Parsing. Keys are inputs or attributes, and defaults of dense features are inputs.


def _texts(keys: Any) -> list[str]:
    """Returns names, which are given as a tensor or as an attribute."""
    if isinstance(keys, list):
        return [key.decode() for key in keys]
    return [key.decode() for key in np.ravel(np.asarray(keys._numpy(), object))]


def _features(
    node: Node, prefix: str, sparse: list[str], dense: list[str], defaults: list[Any]
) -> dict[str, Any]:
    """Returns the features of examples, or of the contexts of sequences."""
    attributes = node.attributes
    features: dict[str, Any] = {}
    for name, kind in zip(sparse, attributes[f"{prefix}sparse_types"], strict=True):
        features[name] = VarLenFeature(kind)
    kinds = attributes["Tcontext_dense" if prefix else "Tdense"]
    shapes = attributes[f"{prefix}dense_shapes"]
    for name, kind, each, default in zip(dense, kinds, shapes, defaults, strict=True):
        features[name] = _dense(kind, each.as_list(), default)
    return features


def _check_ranks(node: Node, *attributes: str) -> None:
    if any(each.rank is None for name in attributes for each in node.attributes[name]):
        raise Unsupported("features of an unknown rank are not supported")


def _in_columns(sparse: list[Any]) -> list[Any]:
    """Returns the indices of sparse tensors, then their values, then their shapes."""
    columns = ("indices", "values", "dense_shape")
    return [getattr(x, column) for column in columns for x in sparse]


@maker("ParseExampleV2")
def _parse(node: Node) -> Kernel:
    ragged, splits = node.attributes["ragged_value_types"], node.attributes["ragged_split_types"]
    _check_ranks(node, "dense_shapes")

    def run(values: list[Any]) -> list[Any]:
        serialized, _, *keys = values[:5]
        names = [_texts(k) for k in keys]
        features = _features(node, "", names[0], names[1], values[5:])
        for name, kind, split in zip(names[2], ragged, splits, strict=True):
            features[name] = RaggedFeature(kind, row_splits_dtype=split)
        found = deferrable(parse_example)(serialized, features)
        parts = [[found[name] for name in group] for group in names]
        rows = [_as_rows(x, split) for x, split in zip(parts[2], splits, strict=True)]
        return [*_in_columns(parts[0]), *parts[1], *[x for x, _ in rows], *[s for _, s in rows]]

    return run


def _as_rows(x: Any, dtype: Any) -> tuple[Any, Any]:
    """Returns the values and row splits of a ragged feature; a single example has no splits."""
    if isinstance(x, RaggedTensor):
        return x.values, x.row_splits
    return x, cast(stack([0, shape(x)[0]]), dtype)


@maker("ParseExample")
def _parse_v1(node: Node) -> Kernel:
    counts = [int(node.attributes[name]) for name in ("Nsparse", "Ndense")]
    _check_ranks(node, "dense_shapes")

    def run(values: list[Any]) -> list[Any]:
        serialized, _, *keys = values[: 2 + sum(counts)]
        names = [name for key in keys for name in _texts(key)]
        sparse, dense = names[: counts[0]], names[counts[0] :]
        features = _features(node, "", sparse, dense, values[2 + sum(counts) :])
        found = deferrable(parse_example)(serialized, features)
        return [*_in_columns([found[n] for n in sparse]), *[found[n] for n in dense]]

    return run


@maker("ParseSingleExample")
def _parse_single(node: Node) -> Kernel:
    sparse, dense = (_texts(node.attributes[f"{kind}_keys"]) for kind in ("sparse", "dense"))
    _check_ranks(node, "dense_shapes")

    def run(values: list[Any]) -> list[Any]:
        features = _features(node, "", sparse, dense, values[1:])
        found = deferrable(parse_single_example)(values[0], features)
        return [*_in_columns([found[n] for n in sparse]), *[found[n] for n in dense]]

    return run


_SEQUENCE_KEYS = ("context_sparse", "context_dense", "feature_list_sparse", "feature_list_dense")


@maker("ParseSequenceExampleV2")
def _parse_sequences(node: Node) -> Kernel:
    for kind in ("context", "feature_list"):
        if node.attributes[f"{kind}_ragged_value_types"]:
            raise Unsupported("ragged features of sequences are not supported")

    def run(values: list[Any]) -> list[Any]:
        keys = [_texts(values[i]) for i in (2, 3, 5, 6)]
        empty = np.ravel(values[8]._numpy())
        missing = [name for name, may in zip(keys[3], empty, strict=True) if may]
        return _sequences(node, values[0], keys, missing, values[9:])

    return _checked_sequences(node, run)


@maker("ParseSequenceExample", "ParseSingleSequenceExample")
def _parse_sequences_v1(node: Node) -> Kernel:
    missing, single = "feature_list_dense_missing_assumed_empty", "Single" in node.operation

    def run(values: list[Any]) -> list[Any]:
        if not single:
            keys = [_texts(node.attributes[f"{kind}_keys"]) for kind in _SEQUENCE_KEYS]
            return _sequences(node, values[0], keys, _texts(node.attributes[missing]), values[2:])
        keys, place = [], 2
        for kind in _SEQUENCE_KEYS:
            stop = place + int(node.attributes[f"N{kind}"])
            keys.append([name for key in values[place:stop] for name in _texts(key)])
            place = stop
        return _sequences(node, values[0], keys, _texts(values[1]), values[place:-1])

    return _checked_sequences(node, run)


def _checked_sequences(node: Node, run: Kernel) -> Kernel:
    _check_ranks(node, "context_dense_shapes", "feature_list_dense_shapes")
    return run


def _sequences(
    node: Node, data: Any, keys: list[list[str]], missing: list[str], defaults: list[Any]
) -> list[Any]:
    """Parses sequences with contexts."""
    attributes = node.attributes
    context = _features(node, "context_", keys[0], keys[1], defaults)
    lists: dict[str, Any] = {}
    for name, kind in zip(keys[2], attributes["feature_list_sparse_types"], strict=True):
        lists[name] = VarLenFeature(kind)
    kinds, shapes = attributes["feature_list_dense_types"], attributes["feature_list_dense_shapes"]
    for name, kind, each in zip(keys[3], kinds, shapes, strict=True):
        lists[name] = FixedLenSequenceFeature(each.as_list(), kind, allow_missing=name in missing)
    found: list[dict[str, Any]]
    if len(shape_of(convert_to_tensor(data))) == 0:
        found = [*deferrable(parse_single_sequence_example)(data, context, lists)]
        found.append({name: cast(shape(found[1][name])[0], int64) for name in keys[3]})
    else:
        found = [*deferrable(parse_sequence_example)(data, context, lists)]
    out = [
        *_in_columns([found[0][name] for name in keys[0]]),
        *[found[0][name] for name in keys[1]],
        *_in_columns([found[1][name] for name in keys[2]]),
        *[found[1][name] for name in keys[3]],
    ]
    single = "Single" in node.operation
    return out if single else [*out, *[found[2][name] for name in keys[3]]]


def _dense(kind: Any, shape: list[int | None], default: Any) -> Any:
    """Describes a dense feature, which is required if its default is empty."""
    value: Tensor = convert_to_tensor(default)
    if shape and shape[0] is None:
        fill = value._numpy().item() if value.shape.num_elements() else None
        return FixedLenSequenceFeature(shape[1:], kind, allow_missing=True, default_value=fill)
    has = value.shape.num_elements() != 0 or 0 in shape
    held = np.asarray(value._numpy()).tolist() if kind is string else value
    return FixedLenFeature(shape, kind, held if has else None)
