"""Datasets that read files."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gradtape._src.base.dtypes import as_dtype, string
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.data import iteration as walk
from gradtape._src.data.dataset import Dataset
from gradtape._src.data.elements import elements as el
from gradtape._src.data.elements.graph_values import held, present
from gradtape._src.data.elements.lineage import Lineage, of_source, own_files
from gradtape._src.data.transformations import AUTOTUNE
from gradtape._src.files.csv import Columns
from gradtape._src.files.paths import local
from gradtape._src.files.records import check_compression, opened, read, records
from gradtape._src.ops.types.specs import TensorSpec
from gradtape._src.text.values import strings

_PIECE = 1 << 18  # the number of bytes to read at a time


class FileDataset(Dataset):
    """A dataset that reads files; its methods return a plain `Dataset`."""

    def __init__(
        self,
        kind: str,
        filenames: Any,
        parts: Callable[[str], Iterator[Any]],
        spec: Any,
        parallel: Any = None,
    ) -> None:
        paths, lineage = _paths(filenames)
        super().__init__(kind, _each_file(paths, parts, parallel), spec)
        self._lineage = lineage

    @classmethod
    def _kind_of_step(cls) -> Any:
        return Dataset

    def __repr__(self) -> str:
        return f"<{type(self).__name__}V2 element_spec={self.element_spec!r}>"


def _paths(filenames: Any) -> tuple[Callable[[], Iterator[str]], Lineage]:
    """Returns the names of files, given as strings, paths, a tensor or a dataset of them."""
    if isinstance(filenames, Dataset):
        listed = filenames
        return lambda: map(_named, listed._produce()), listed._lineage.opening_files()
    given = filenames if isinstance(filenames, (list, tuple, Tensor)) else [filenames]
    key, lineage = of_source(reads_files=True)
    if isinstance(given, Tensor):
        names = held(convert_to_tensor(given, string)._value)
        return lambda: own_files(key, map(local, present(names).reshape(-1))), lineage
    known = [local(name) for name in given]
    return lambda: own_files(key, iter(known)), lineage


def _named(name: Any) -> str:
    return local(el.to_numpy(name))


def _each_file(
    paths: Callable[[], Iterator[str]], parts: Callable[[str], Iterator[Any]], parallel: Any
) -> Callable[[], Iterator[Any]]:
    """Yields the elements of all files, alternating if several files are read at a time."""
    if parallel is None:
        return lambda: itertools.chain.from_iterable(map(parts, paths()))
    cycle = walk.default_cycle_length(AUTOTUNE) if int(parallel) == AUTOTUNE else int(parallel)
    return lambda: walk.interleaved(map(parts, paths()), cycle, 1)


def _text(data: bytes) -> Any:
    return strings([data], ())._value


@export("data.TFRecordDataset")
class TFRecordDataset(FileDataset):
    """The records of TFRecord files.

    Args:
        filenames: The files: a name, a list of names, or a dataset of names.
        compression_type: "GZIP", "ZLIB" or "".
        buffer_size: Accepted for compatibility.
        num_parallel_reads: The number of files that are read alternately. By default, one file is
          read after another.
        name: Accepted for compatibility.

    Raises:
        NotFoundError: While iterating, if a file does not exist.
        DataLossError: While iterating, if a record is damaged or cut short.
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: str | None = None,
        buffer_size: int | None = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        def parts(path: str) -> Iterator[Any]:
            return map(_text, records(path, compression_type))

        spec = TensorSpec([], string)
        super().__init__("TFRecord", filenames, parts, spec, num_parallel_reads)


@export("data.TextLineDataset")
class TextLineDataset(FileDataset):
    """The lines of text files, without line breaks.

    Args:
        filenames: The files: a name, a list of names, or a dataset of names.
        compression_type: "GZIP", "ZLIB" or "".
        buffer_size: Accepted for compatibility.
        num_parallel_reads: The number of files that are read alternately. By default, one file is
          read after another.
        name: Accepted for compatibility.

    Raises:
        NotFoundError: While iterating, if a file does not exist.
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: str | None = None,
        buffer_size: int | None = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        def parts(path: str) -> Iterator[Any]:
            return (_text(line.replace(b"\r", b"")) for line in lines_of(path, compression_type))

        spec = TensorSpec([], string)
        super().__init__("TextLine", filenames, parts, spec, num_parallel_reads)


def lines_of(path: str, compression: str | None) -> Iterator[bytes]:
    file, rest = opened(path, compression), b""
    try:
        while data := read(file, _PIECE):
            *whole, rest = (rest + data).split(b"\n")
            yield from whole
        if rest:
            yield rest
    finally:
        file.close()


@export("data.FixedLengthRecordDataset")
class FixedLengthRecordDataset(FileDataset):
    """The records of files with a fixed record length.

    Args:
        filenames: The files: a name, a list of names, or a dataset of names.
        record_bytes: The length of a record.
        header_bytes: The number of bytes to skip at the beginning of a file.
        footer_bytes: The number of bytes to skip at its end.
        buffer_size: Accepted for compatibility.
        compression_type: "GZIP", "ZLIB" or "".
        num_parallel_reads: The number of files that are read alternately. By default, one file is
          read after another.
        name: Accepted for compatibility.

    Raises:
        NotFoundError: While iterating, if a file does not exist.
        InvalidArgumentError: While iterating, if a file does not hold whole records.
    """

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: int | None = None,
        compression_type: str | None = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        size, header, footer = int(record_bytes), int(header_bytes or 0), int(footer_bytes or 0)

        def parts(path: str) -> Iterator[Any]:
            file = opened(path, compression_type)
            try:
                data = b"".join(iter(lambda: read(file, _PIECE), b""))
            finally:
                file.close()
            body = data[header : len(data) - footer]
            if len(data) < header + footer or len(body) % size:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Excluding the header ({header} bytes) and footer ({footer} bytes), input "
                    f'file "{path}" has body length {len(data) - header - footer} bytes, which is '
                    f"not an exact multiple of the record length ({size} bytes).",
                )
            return (_text(body[at : at + size]) for at in range(0, len(body), size))

        spec = TensorSpec([], string)
        super().__init__("FixedLengthRecord", filenames, parts, spec, num_parallel_reads)


@export("data.experimental.CsvDataset")
class CsvDataset(FileDataset):
    """The lines of CSV files as tuples of their fields.

    Args:
        filenames: The files: a name, a list of names, or a dataset of names.
        record_defaults: The default of each column, or its type if the field is required.
        compression_type: "GZIP", "ZLIB" or "".
        buffer_size: Accepted for compatibility.
        header: Whether the first line of each file holds the names of columns.
        field_delim: The character that separates fields.
        use_quote_delim: Whether fields may be enclosed in double quotes.
        na_value: A text that marks a missing field, like the empty text.
        select_cols: The indices of the wanted columns; all by default.
        exclude_cols: The indices of the columns to skip.

    Raises:
        ValueError: Both `select_cols` and `exclude_cols` are given.
        InvalidArgumentError: While iterating, if a line's fields don't match the columns.
    """

    def __init__(
        self,
        filenames: Any,
        record_defaults: Any,
        compression_type: str | None = None,
        buffer_size: int | None = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Sequence[int] | None = None,
        exclude_cols: Sequence[int] | None = None,
    ) -> None:
        if select_cols is not None and exclude_cols is not None:
            raise ValueError("Cannot set both select_cols and exclude_cols")
        check_compression(compression_type)
        defaults = [_default(each) for each in record_defaults]
        columns = Columns(defaults, field_delim, use_quote_delim, na_value, select_cols)
        columns.excluded = frozenset(exclude_cols or ())

        def parts(path: str) -> Iterator[Any]:
            rows = joined(lines_of(path, compression_type), use_quote_delim)
            for place, line in enumerate(itertools.islice(rows, int(header), None)):
                row = columns.row(line, place)
                yield tuple(map(_field, row))

        spec = tuple(TensorSpec([], dtype) for dtype in columns.dtypes)
        super().__init__("Csv", filenames, parts, spec)

    def __repr__(self) -> str:
        return f"<CsvDatasetV2 element_spec={self.element_spec!r}>"


def _field(value: Any) -> Any:
    return _text(value) if isinstance(value, bytes) else value


def _default(given: Any) -> Any:
    """Returns the default as a list, which is empty if only the column's dtype is given."""
    try:
        dtype = as_dtype(given)
    except TypeError:
        return given
    if hasattr(given, "shape"):
        return given
    return convert_to_tensor([], dtype)


def joined(lines: Iterator[bytes], quotes: bool) -> Iterator[bytes]:
    """Joins the lines of quoted fields that contain line breaks."""
    held = b""
    for line in lines:
        held = held + b"\n" + line if held else line
        if quotes and held.count(b'"') % 2:
            continue
        yield held.removesuffix(b"\r")
        held = b""
    if held:
        yield held
