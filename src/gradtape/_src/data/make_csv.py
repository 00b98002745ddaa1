"""`make_csv_dataset`: batches of columns of CSV files, with inferred types."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, float32, float64, int32, int64, string
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.data.dataset import Dataset
from gradtape._src.data.readers import CsvDataset, joined, lines_of
from gradtape._src.files import gfile
from gradtape._src.files.csv import Columns
from gradtape._src.files.damaged_input import reading
from gradtape._src.text.numbers import number


@export("data.experimental.make_csv_dataset")
def make_csv_dataset(
    file_pattern: Any,
    batch_size: int,
    column_names: Sequence[str] | None = None,
    column_defaults: Any = None,
    label_name: str | None = None,
    select_columns: Sequence[Any] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: str | None = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Dataset:
    """Makes a dataset of batches of the columns of CSV files.

    Args:
        file_pattern: The files: a pattern of their names, or several patterns.
        batch_size: The number of lines in a batch.
        column_names: The names of the columns. Defaults to those in the first line.
        column_defaults: A default value or a dtype for each wanted column. By default, the dtypes
          are inferred from the first lines.
        label_name: The column that is the label.
        select_columns: The wanted columns by name or number. Defaults to all.
        field_delim: The character that separates fields.
        use_quote_delim: Whether fields may be enclosed in double quotes.
        na_value: A text that marks a missing field, like the empty text.
        header: Whether the first line of each file holds the names.
        num_epochs: The number of repetitions of the files. Unlimited by default.
        shuffle: Whether to shuffle the lines.
        shuffle_buffer_size: See `Dataset.shuffle`.
        shuffle_seed: See `Dataset.shuffle`.
        prefetch_buffer_size: The number of batches to make in advance.
        num_parallel_reads: Accepted for compatibility.
        sloppy: Accepted for compatibility.
        num_rows_for_inference: The number of lines from which dtypes are inferred; None for all
          lines.
        compression_type: "GZIP", "ZLIB" or "".
        ignore_errors: Whether to skip lines that cannot be parsed.
        encoding: Accepted for compatibility.

    Returns:
        A dataset of dictionaries of columns, or of pairs of a dictionary and the label.

    Raises:
        ValueError: No file matches, or a column does not exist or occurs twice.
    """
    patterns = file_pattern if isinstance(file_pattern, (list, tuple)) else [file_pattern]
    paths = sorted(gfile.glob(list(patterns)))
    if not paths:
        raise ValueError(f"No files match `file_pattern` {file_pattern}.")
    form = (field_delim, use_quote_delim, na_value)
    names = _names(paths, column_names, header, form, compression_type)
    wanted = _selected(names, select_columns)
    if label_name is not None and label_name not in [names[place] for place in wanted]:
        raise ValueError(
            f"`label_name` provided must be one of the columns: {[names[i] for i in wanted]}. "
            f"Received: {label_name}."
        )
    if column_defaults is None:
        defaults = _inferred(
            paths, wanted, len(names), header, form, num_rows_for_inference, compression_type
        )
    elif isinstance(column_defaults, Mapping):
        raise ValueError("`column_defaults` is a list with one entry for each wanted column.")
    else:
        defaults = list(column_defaults)
    kept = [names[place] for place in wanted]

    def labelled(*columns: Any) -> Any:
        features = OrderedDict(zip(kept, columns, strict=True))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    lines: Any = CsvDataset(
        paths, defaults, compression_type, None, header, *form, select_cols=wanted
    )
    if ignore_errors:
        lines = lines.ignore_errors()
    if shuffle:
        lines = lines.shuffle(shuffle_buffer_size, shuffle_seed)
    lines = lines.repeat(num_epochs)
    batches = lines.batch(batch_size, drop_remainder=num_epochs is None).map(labelled)
    out: Dataset = batches.prefetch(1 if prefetch_buffer_size is None else prefetch_buffer_size)
    return out


_Form = tuple[str, bool, str]


def _names(
    paths: Sequence[str],
    given: Sequence[str] | None,
    header: bool,
    form: _Form,
    compression: str | None,
) -> list[str]:
    """Returns the names of the columns."""
    if given is None:
        if not header:
            raise ValueError("Expected `column_names` or `header` arguments.")
        reader = Columns([], *form)
        firsts = {}
        for path in paths:
            with reading(f"The first line of {path}", InvalidArgumentError):
                fields = reader.fields(next(lines_of(path, compression), b""))
                firsts[path] = [text.decode() for text in fields]
        found = firsts[paths[0]]
        for path, names in firsts.items():
            if names != found:
                raise ValueError(
                    "All input CSV files should have the same column names in the header row. "
                    f"File {path} has different column names."
                )
    else:
        found = list(given)
    if len(set(found)) != len(found):
        raise ValueError("Cannot have duplicate column names.")
    return found


def _selected(names: Sequence[str], select: Sequence[Any] | None) -> list[int]:
    """Returns the indices of the wanted columns, in order."""
    if select is None:
        return list(range(len(names)))
    places = []
    for each in select:
        if isinstance(each, int) and 0 <= each < len(names):
            places.append(each)
        elif each in names:
            places.append(list(names).index(each))
        else:
            raise ValueError(
                f"Value '{each}' specified in `select_columns` not a valid index or name"
            )
    if len(set(places)) != len(places):
        raise ValueError(f"Cannot have duplicate columns in `select_columns`: {list(select)}")
    return sorted(places)


def _inferred(
    paths: Sequence[str],
    wanted: Sequence[int],
    width: int,
    header: bool,
    form: _Form,
    rows: int | None,
    compression: str | None,
) -> list[Any]:
    """Returns, for each wanted column, the default of the first dtype that fits all its fields."""
    reader = Columns([], *form)
    kinds: list[int] = [0] * len(wanted)
    types = (int32, int64, float32, float64, string)
    lines = itertools.chain.from_iterable(
        itertools.islice(joined(lines_of(path, compression), form[1]), int(header), None)
        for path in paths
    )
    for line in itertools.islice(lines, rows):
        fields = reader.fields(line)
        if len(fields) != width:
            raise ValueError(
                f"Problem inferring types: CSV row {line.decode(errors='replace')} has "
                f"{len(fields)} number of fields. Expected: {width}."
            )
        for at, place in enumerate(wanted):
            text = fields[place]
            if not text or text == form[2].encode():
                continue
            while not _fits(text, types[kinds[at]]):
                kinds[at] += 1
    return [convert_to_tensor(["" if types[k] is string else 0], types[k]) for k in kinds]


def _fits(text: bytes, dtype: DType) -> bool:
    if dtype is string:
        return True
    try:
        value = number(text, as_dtype(dtype), "")
    except InvalidArgumentError:
        return False
    if dtype is float32:
        return bool(np.isfinite(value) or np.isnan(value))
    return True
