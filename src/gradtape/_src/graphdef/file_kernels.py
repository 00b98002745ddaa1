"""Images, serialized messages, and files, whose use has to be allowed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import string
from gradtape._src.base.export import RawOp
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.graph_operations import deferrable, graph_operation, of_shape
from gradtape._src.files import bytes as byte_strings
from gradtape._src.files import csv, images, serialized, tensors
from gradtape._src.files.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    VarLenFeature,
)
from gradtape._src.files.parsing import parse_example
from gradtape._src.graphdef.attributes import Unsupported
from gradtape._src.graphdef.nodes import Kernel, Node, maker
from gradtape._src.graphdef.plain_kernels import refusing
from gradtape._src.graphdef.raw_kernels import raw_kernel
from gradtape._src.graphdef.table_kernels import allowed
from gradtape._src.text.values import strings


def _columns(records: Any, record_defaults: Any, select_cols: Any, **given: Any) -> list[Tensor]:
    """The fields of lines: all of them if none is selected."""
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
_register("DecodeCSV", _columns)
_register("DecodeJSONExample", serialized.decode_json_example)


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


@maker("ParseExampleV2")
def _parse(node: Node) -> Kernel:
    attributes = node.attributes
    sparse, dense = attributes["sparse_types"], attributes["Tdense"]
    shapes = attributes["dense_shapes"]
    ragged, splits = attributes["ragged_value_types"], attributes["ragged_split_types"]
    if any(shape.rank is None for shape in shapes):
        raise Unsupported("features of an unknown rank are not supported")

    def run(values: list[Any]) -> list[Any]:
        serialized, _, *keys = values[:5]
        names = [[key.decode() for key in np.ravel(k._numpy())] for k in keys]
        features: dict[str, Any] = {}
        for name, kind in zip(names[0], sparse, strict=True):
            features[name] = VarLenFeature(kind)
        for name, kind, shape, default in zip(names[1], dense, shapes, values[5:], strict=True):
            features[name] = _dense(kind, shape.as_list(), default)
        for name, kind, split in zip(names[2], ragged, splits, strict=True):
            features[name] = RaggedFeature(kind, row_splits_dtype=split)
        found = deferrable(parse_example)(serialized, features)
        parts = [[found[name] for name in group] for group in names]
        return [
            *[x.indices for x in parts[0]],
            *[x.values for x in parts[0]],
            *[x.dense_shape for x in parts[0]],
            *parts[1],
            *[x.values for x in parts[2]],
            *[x.row_splits for x in parts[2]],
        ]

    return run


def _dense(kind: Any, shape: list[int | None], default: Any) -> Any:
    """Returns the feature of a tensor, which is required if its default is empty."""
    value: Tensor = convert_to_tensor(default)
    if shape and shape[0] is None:
        fill = value._numpy().item() if value.shape.num_elements() else None
        return FixedLenSequenceFeature(shape[1:], kind, allow_missing=True, default_value=fill)
    has = value.shape.num_elements() != 0 or 0 in shape
    held = np.asarray(value._numpy()).tolist() if kind is string else value
    return FixedLenFeature(shape, kind, held if has else None)
