"""Storage of elements in a directory: their spec as JSON, and a file of records per shard.

Each record is the concatenation of an element's tensors as `TensorProto` messages. Reading it never
runs code.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from gradtape._src.base import nest
from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.errors import DataLossError, NotFoundError
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.tensor import Tensor
from gradtape._src.data.elements.composites import RaggedRow
from gradtape._src.data.elements.elements import Element, NoneTensorSpec, Spec
from gradtape._src.data.elements.traced import leaves_of
from gradtape._src.files.atomic_write import replacing
from gradtape._src.files.damaged_input import SIGNS, explained, reading
from gradtape._src.files.gfile import makedirs
from gradtape._src.files.records import TFRecordWriter, check_compression, records
from gradtape._src.files.tensors import make_ndarray, make_tensor_proto
from gradtape._src.messages import protos
from gradtape._src.messages.reading import parsed
from gradtape._src.ops.types.ragged_tensor import RaggedTensorSpec
from gradtape._src.ops.types.sparse_tensor import SparseTensorSpec
from gradtape._src.ops.types.specs import TensorSpec

ABOUT, DATA = "dataset.json", "elements-{:d}-{:d}.tfrecord"
_VERSION = 2
Elements = Iterator[Element]


def save_elements(
    path: str, elements: Iterator[tuple[int, Element]], spec: Spec, compression: str | None
) -> None:
    """Writes elements; previously saved data remains intact until all are written.

    Args:
      path: The directory.
      elements: Pairs of an element and the number of its shard.
      spec: The spec of the elements.
      compression: "GZIP" or None.
    """
    for _ in saved_while_passing(path, elements, spec, compression):
        pass


def is_saved(path: str) -> bool:
    """Returns whether a directory contains a complete set of elements."""
    return (Path(path) / ABOUT).is_file()


def saved_while_passing(
    path: str, elements: Iterator[tuple[int, Element]], spec: Spec, compression: str | None
) -> Elements:
    """Yields elements and writes them; the data is valid after a complete iteration.

    Args:
      path: The directory.
      elements: See `save_elements`.
      spec: The specs of the elements.
      compression: "GZIP" or None.
    """
    kind = check_compression(None if compression in (None, "NONE") else compression)
    described = _described(spec)
    folder = Path(path)
    makedirs(path)
    number = _generation(folder) + 1
    writers: dict[int, TFRecordWriter] = {}
    counts: Counter[int] = Counter()
    with ExitStack() as open_files:
        for shard, element in elements:
            if shard not in writers:
                place = folder / DATA.format(number, shard)
                writers[shard] = open_files.enter_context(TFRecordWriter(place, kind))
            parts = [_message(leaf) for leaf in leaves_of(element)]
            writers[shard].write(protos.Element(tensor=parts).SerializeToString())
            counts[shard] += 1
            yield element
    shards = {DATA.format(number, shard): counts[shard] for shard in sorted(counts)}
    about = {
        "version": _VERSION,
        "spec": described,
        "compression": kind,
        "generation": number,
        "shards": shards,
    }
    with replacing(str(folder / ABOUT)) as file:
        file.write(json.dumps(about).encode())
    for old in folder.glob("elements-*.tfrecord"):
        if old.name not in shards:
            old.unlink(missing_ok=True)


def _generation(folder: Path) -> int:
    try:
        return int(json.loads((folder / ABOUT).read_text(encoding="utf-8"))["generation"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def _message(leaf: Any) -> protos.TensorProto:
    return make_tensor_proto(Tensor(leaf))


def _described(spec: Spec) -> Any:
    """Converts a spec to JSON."""
    if isinstance(spec, TensorSpec):
        shape = None if spec.shape.rank is None else spec.shape.as_list()
        return {"dtype": spec.dtype.name, "shape": shape}
    if isinstance(spec, SparseTensorSpec):
        return {"sparse": [*_parts(spec)]}
    if isinstance(spec, RaggedTensorSpec):
        return {"ragged": [*_parts(spec), spec.ragged_rank, spec.row_splits_dtype.name]}
    if isinstance(spec, NoneTensorSpec):
        return {"none": []}
    if isinstance(spec, dict):
        return {"dict": {str(key): _described(each) for key, each in spec.items()}}
    if isinstance(spec, tuple):
        return {"tuple": [_described(each) for each in spec]}
    raise ValueError(
        f"Dataset.save: elements of tensors can be saved, not {spec!r}; map them to tensors first"
    )


def _parts(spec: SparseTensorSpec | RaggedTensorSpec) -> tuple[list[int | None] | None, str]:
    return None if spec.shape.rank is None else spec.shape.as_list(), spec.dtype.name


def _spec(described: Any) -> Spec:
    if "tuple" in described:
        return tuple(_spec(each) for each in described["tuple"])
    if "dict" in described:
        return {key: _spec(each) for key, each in described["dict"].items()}
    if "none" in described:
        return NoneTensorSpec()
    if "sparse" in described:
        shape, dtype = described["sparse"]
        return SparseTensorSpec(TensorShape(shape), as_dtype(dtype))
    if "ragged" in described:
        shape, dtype, rank, splits = described["ragged"]
        return RaggedTensorSpec(TensorShape(shape), as_dtype(dtype), rank, as_dtype(splits))
    return TensorSpec(TensorShape(described["shape"]), as_dtype(described["dtype"]))


def load_elements(path: str) -> tuple[Spec, list[tuple[int, Callable[[], Elements]]]]:
    """Returns the spec of saved elements, and for each shard its size and a function to read it."""
    about = Path(path) / ABOUT
    try:
        held = json.loads(about.read_text(encoding="utf-8"))
        if held["version"] != _VERSION:
            raise DataLossError(
                None,
                None,
                (
                    f"{about} has version {held['version']}, which this version of gradtape does "
                    "not know"
                ),
            )
        spec, kind = _spec(held["spec"]), str(held["compression"])
        shards = [(Path(path) / Path(k).name, int(n)) for k, n in held["shards"].items()]
    except OSError:
        raise NotFoundError(
            None,
            None,
            f"{about}: it was not written by gradtape's Dataset.save (a dataset saved by "
            "TensorFlow cannot be read)",
        ) from None
    except SIGNS as error:
        raise DataLossError(None, None, f"{about} is damaged: {explained(error)}") from None

    return spec, [(n, partial(_shard, file, n, spec, kind)) for file, n in shards]


def _shard(data: Path, count: int, spec: Spec, kind: str) -> Elements:
    """Yields the elements in one file."""
    found = 0
    for record in records(data, kind):
        found += 1
        yield _element(record, spec, data)
    if found != count:
        raise DataLossError(None, None, f"{data} holds {found} elements instead of {count}")


def _element(record: bytes, spec: Spec, path: Path) -> Element:
    with reading(f"An element in {path}"):
        following = iter([_leaf(proto) for proto in parsed(protos.Element, record).tensor])
        element = nest.map_structure(partial(_component, following=following), spec)
        for rest in following:
            raise ValueError(f"the saved element has another tensor, of shape {rest.shape}")
        return element


def _component(spec: Any, following: Iterator[Any]) -> object:
    """Returns a component of an element; takes its parts from an iterator of raw values."""
    if isinstance(spec, NoneTensorSpec):
        return None
    parts = []
    for each in nest.flatten(spec, expand_composites=True):
        part = next(following, None)
        if part is None or not each.is_compatible_with(Tensor(part)):
            raise ValueError(
                f"the saved elements must match {each}, got "
                f"{'nothing' if part is None else f'a tensor of shape {part.shape}'}"
            )
        parts.append(part)
    if isinstance(spec, TensorSpec):
        return parts[0]
    if isinstance(spec, RaggedTensorSpec) and not spec.ragged_rank:
        return RaggedRow(parts[0])
    whole: object = nest.pack_sequence_as(spec, [*map(Tensor, parts)], expand_composites=True)
    return whole


def _leaf(proto: protos.TensorProto) -> Any:
    value = make_ndarray(proto)
    return value if value.ndim or value.dtype == object else value[()]
