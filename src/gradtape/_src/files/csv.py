"""`tf.io.decode_csv`: fields of lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, c_name, string
from gradtape._src.base.errors import About, InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, graph_operation
from gradtape._src.text.numbers import number

_DTYPES = ("float32", "float64", "int32", "int64", "string")


class Columns:
    """The columns of CSV lines, their types and defaults.

    Args:
      record_defaults: The default of each column, as a value or a vector of at most one value; an
          empty vector for a required column. Its dtype is that of the column.
      field_delim: The character that separates fields.
      use_quote_delim: Whether fields may be enclosed in double quotes.
      na_value: Another text that marks a missing field.
      select_cols: The indices of the columns to read; all by default.

    Raises:
      ValueError: `select_cols` is not increasing, or its length differs from that of the defaults.
      InvalidArgumentError: `field_delim` is not a single character, or a default has an unsupported
        type.
    """

    def __init__(
        self,
        record_defaults: Any,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Sequence[int] | None = None,
    ) -> None:
        if len(field_delim.encode()) != 1:
            raise invalid("field_delim should be only 1 char [Op:DecodeCSV]")
        self._delimiter = field_delim.encode()
        self._quotes = use_quote_delim
        self._missing = na_value.encode()
        self._selected = None if select_cols is None else list(select_cols)
        self.excluded: frozenset[int] = frozenset()  # the indices of skipped columns
        self.defaults = [convert_to_tensor(default) for default in record_defaults]
        self.dtypes: list[DType] = [default.dtype for default in self.defaults]
        for place, default in enumerate(self.defaults):
            if default.dtype.name not in _DTYPES:
                raise invalid(
                    f"Value for attr 'OUT_TYPE' of {default.dtype.name} is not in the list of "
                    f"allowed values: {', '.join(_DTYPES)} [Op:DecodeCSV] (record default {place})",
                    About.DTYPES,
                )
            if default._value.size > 1:
                raise invalid(
                    f"There should only be 1 default per field but field {place} has "
                    f"{default._value.size} [Op:DecodeCSV]"
                )
        if self._selected is not None:
            pairs = zip(self._selected, self._selected[1:], strict=False)
            if any(a >= b for a, b in pairs):
                raise ValueError("select_cols is not strictly increasing.")
            if self._selected and self._selected[0] < 0:
                raise ValueError("select_cols contains negative values.")
            if len(self._selected) != len(self.defaults):
                raise ValueError("Length of select_cols and record_defaults do not match.")

    def row(self, line: bytes, record: int) -> list[Any]:
        """Returns the raw values of a line, one for each column.

        Raises:
          InvalidArgumentError: The fields of the line don't match the columns.
        """
        fields = self.fields(line)
        if self.excluded:
            fields = [text for place, text in enumerate(fields) if place not in self.excluded]
        if self._selected is not None:
            if self._selected and self._selected[-1] >= len(fields):
                raise invalid(
                    f"Expect {len(self.defaults)} fields but have {len(fields)} in record {record} "
                    "[Op:DecodeCSV]",
                    About.VALUES,
                )
            fields = [fields[place] for place in self._selected]
        if len(fields) != len(self.defaults):
            raise invalid(
                f"Expect {len(self.defaults)} fields but have {len(fields)} in record {record} "
                "[Op:DecodeCSV]",
                About.VALUES,
            )
        return [self._value(place, text, record) for place, text in enumerate(fields)]

    def _value(self, place: int, text: bytes, record: int) -> Any:
        dtype, default = self.dtypes[place], self.defaults[place]._value
        if not text or text == self._missing:
            if not default.size:
                raise invalid(
                    f"Field {place} is required but missing in record {record}! [Op:DecodeCSV]",
                    About.VALUES,
                )
            return default.reshape(())[()]
        if dtype is string:
            return text
        try:
            return dtype.np_dtype.type(number(text, dtype, ""))
        except InvalidArgumentError:
            shown = text.decode("utf-8", "backslashreplace")
            raise invalid(
                f"Field {place} in record {record} is not a valid {c_name(dtype.name)}"
                f": {shown} [Op:DecodeCSV]",
                About.VALUES,
            ) from None

    def fields(self, line: bytes) -> list[bytes]:
        """Yields the fields of a line."""
        if not line:
            return []
        if not self._quotes:
            return line.split(self._delimiter)
        if b'"' not in line:
            _no_breaks(line)
            return line.split(self._delimiter)
        found, at = [], 0
        while at <= len(line):
            if line[at : at + 1] == b'"':
                text, at = self._quoted(line, at + 1)
            else:
                end = line.find(self._delimiter, at)
                end = len(line) if end < 0 else end
                text, at = line[at:end], end + 1
                if b'"' in text:
                    raise invalid(
                        "Unquoted fields cannot have quotes/CRLFs inside [Op:DecodeCSV]",
                        About.VALUES,
                    )
                _no_breaks(text)
            found.append(text)
        return found

    def _quoted(self, line: bytes, at: int) -> tuple[bytes, int]:
        """Returns the field that begins after a quote, and the start of the next field."""
        parts = []
        while True:
            end = line.find(b'"', at)
            if end < 0:
                raise invalid(
                    "Quoted field has to end with quote followed by delim or end [Op:DecodeCSV]",
                    About.VALUES,
                )
            parts.append(line[at:end])
            following = line[end + 1 : end + 2]
            if following in (b"", self._delimiter):
                return b"".join(parts), end + 2
            if following != b'"':
                raise invalid(
                    "Quote inside a string has to be escaped by another quote [Op:DecodeCSV]",
                    About.VALUES,
                )
            parts.append(b'"')
            at = end + 2


def _no_breaks(text: bytes) -> None:
    if b"\n" in text or b"\r" in text:
        raise invalid(
            "Unquoted fields cannot have quotes/CRLFs inside [Op:DecodeCSV]", About.VALUES
        )


def _columns(
    new: New,
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
    name: str | None = None,
) -> list[Tensor]:
    columns = Columns(record_defaults, field_delim, use_quote_delim, na_value, select_cols)
    return [new(shape_of(convert_to_tensor(records, string)), dtype) for dtype in columns.dtypes]


@export("io.decode_csv")
@takes(field_delim="string", use_quote_delim="bool", na_value="string")
@graph_operation("DecodeCSV", _columns)
def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Splits CSV lines into fields (RFC 4180).

    Args:
      records: A string tensor with a line in each element.
      record_defaults: See `Columns`.
      field_delim: See `Columns`.
      use_quote_delim: See `Columns`.
      na_value: See `Columns`.
      select_cols: See `Columns`.
      name: Accepted for compatibility.

    Returns:
      For each column a tensor of the shape of `records`.

    Raises:
      ValueError, InvalidArgumentError: See `Columns`; also if a line's fields don't match the
        columns.
    """
    columns = Columns(record_defaults, field_delim, use_quote_delim, na_value, select_cols)
    lines = convert_to_tensor(records, string)._value
    rows = [columns.row(line, place) for place, line in enumerate(lines.flat)]
    out = []
    for place, dtype in enumerate(columns.dtypes):
        column = np.empty(lines.shape, dtype.np_dtype)
        for at, row in enumerate(rows):
            column.flat[at] = row[place]
        out.append(Tensor(column if dtype is string else column[()]))
    return out
