"""The rows of a query to a database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gradtape._src.base.dtypes import DType, as_dtype, string
from gradtape._src.base.errors import InvalidArgumentError, UnknownError
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.data.dataset import Dataset
from gradtape._src.ops.types.specs import TensorSpec


@export("data.experimental.SqlDataset")
class SqlDataset(Dataset):
    """The rows of a query to an SQLite database, as tuples of the columns.

    Args:
      driver_name: "sqlite".
      data_source_name: The file of the database.
      query: The query, in SQL.
      output_types: The dtype of each column, or one dtype for a single column.

    Raises:
      InvalidArgumentError: While iterating, if the driver is not "sqlite", or the numbers of
        columns and dtypes differ.
      UnknownError: While iterating, if the query fails.
    """

    def __init__(
        self, driver_name: Any, data_source_name: Any, query: Any, output_types: Any
    ) -> None:
        driver, source, text = (_text(x) for x in (driver_name, data_source_name, query))
        several = isinstance(output_types, (list, tuple))
        dtypes = tuple(as_dtype(dtype) for dtype in (output_types if several else [output_types]))

        def rows() -> Iterator[Any]:
            if driver != "sqlite":
                raise InvalidArgumentError(
                    None,
                    None,
                    f"The database type, {driver}, is not supported by SqlDataset. The set of "
                    "supported databases is: {'sqlite'}.",
                )
            for row in _selected(source, text):
                if len(row) != len(dtypes):
                    raise InvalidArgumentError(
                        None,
                        None,
                        f"The number of columns in query ({len(row)}) must match the number of "
                        f"elements in output_types ({len(dtypes)}).",
                    )
                cells = tuple(_cell(*pair) for pair in zip(row, dtypes, strict=True))
                yield cells if several else cells[0]

        specs = tuple(TensorSpec([], dtype) for dtype in dtypes)
        super().__init__("Sql", rows, specs if several else specs[0])

    @classmethod
    def _kind_of_step(cls) -> Any:
        return Dataset


def _text(value: Any) -> str:
    return value if isinstance(value, str) else convert_to_tensor(value, string).numpy().decode()


def _selected(source: str, query: str) -> Iterator[tuple[Any, ...]]:
    try:
        connection = sqlite3.connect(f"{Path(source).absolute().as_uri()}?mode=ro", uri=True)
        try:
            yield from connection.execute(query)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise UnknownError(None, None, f"SqlDataset: {error}: [{query}]") from None


def _cell(value: Any, dtype: DType) -> Any:
    """Converts a cell as SQLite does: a text without a number counts as 0."""
    if dtype is string:
        return convert_to_tensor("" if value is None else str(value))._value
    if isinstance(value, (str, bytes)) or value is None:
        value = 0
    return dtype.as_numpy_dtype(value if dtype.is_floating else int(value))
