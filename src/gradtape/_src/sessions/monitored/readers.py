"""Readers, which take names of files from a queue: `tf.compat.v1.TFRecordReader` and others."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from itertools import islice
from typing import Any

from gradtape._src.base.dtypes import int64, string
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.data.queues.fifo import QueueBase
from gradtape._src.data.readers import lines_of
from gradtape._src.declare.graph_operations import New, graph_operation
from gradtape._src.declare.named_results import named
from gradtape._src.declare.open_graphs import PerSession, open_graph
from gradtape._src.files.records import opened, read, tf_record_iterator

Record = tuple[bytes, bytes]


def _contents(name: bytes, compression: str | None = None) -> bytes:
    file = opened(name.decode(), compression)
    try:
        return read(file, sys.maxsize)
    finally:
        file.close()


class _Work:
    """The state of a reader in a session.

    Attributes:
      lock: Held while a record is read.
      records: The other records of the current file, or None.
      produced: The number of records that were read.
      completed: The number of files that were read to their end.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.records: Iterator[Record] | None = None
        self.produced = self.completed = 0


def _pair(new: New, *_: Any, **__: Any) -> list[Tensor]:
    pair = new((), string), new((), string)
    made: list[Tensor] = named("ReaderReadV2", pair, ("key", "value"))
    return made


def _columns(new: New, *_: Any, **__: Any) -> list[Tensor]:
    pair = new((None,), string), new((None,), string)
    made: list[Tensor] = named("ReaderReadUpToV2", pair, ("keys", "values"))
    return made


def _number(new: New, *_: Any, **__: Any) -> Tensor:
    return new((), int64)


@export("compat.v1.ReaderBase")
class ReaderBase:
    """The base class of readers, which produce the records of files whose names are in a queue.

    Raises:
      RuntimeError: Execution is eager.
    """

    supports_serialize = False
    """Whether each file has one record, so that no place in a file would have to be saved."""

    def __init__(self) -> None:
        if open_graph() is None:
            raise RuntimeError(
                "Readers are not supported when eager execution is enabled. Instead, please use "
                "tf.data to get data into your model."
            )
        self._work = PerSession(_Work)

    def _records(self, name: bytes) -> Iterator[Record]:
        """Yields the keys and values of a file."""
        raise NotImplementedError

    def _next(self, work: _Work, queue: QueueBase, most: int = 1) -> list[Record]:
        """Returns the next records, all of one file."""
        found: list[Record] = []
        while not found:
            if work.records is None:
                file: Any = queue.dequeue()
                work.records = self._records(bytes(file.numpy()))
            found = list(islice(work.records, most))
            work.produced += len(found)
            if len(found) < most or self.supports_serialize:
                work.records = None
                work.completed += 1
        return found

    @graph_operation("ReaderReadV2", _pair, stateful=True, waits=True)
    def read(self, queue: QueueBase, name: str | None = None) -> list[Tensor]:
        """Reads a record, and takes the next file from the queue if that is needed.

        Args:
          queue: A queue of names of files.
          name: The operation's name.

        Returns:
          The key and the value, two scalar strings.

        Raises:
          OutOfRangeError: The queue is closed and empty.
        """
        work = self._work.now()
        with work.lock:
            (record,) = self._next(work, queue)
        pair = [convert_to_tensor(x) for x in record]
        made: list[Tensor] = named("ReaderReadV2", pair, ("key", "value"))
        return made

    @graph_operation("ReaderReadUpToV2", _columns, stateful=True, waits=True)
    def read_up_to(
        self, queue: QueueBase, num_records: Any, name: str | None = None
    ) -> list[Tensor]:
        """Reads several records, all of one file.

        Args:
          queue: A queue of names of files.
          num_records: The maximum number of records.
          name: The operation's name.

        Returns:
          The keys and the values, two vectors of strings.

        Raises:
          OutOfRangeError: The queue is closed and empty.
        """
        work = self._work.now()
        with work.lock:
            found = self._next(work, queue, int(num_records))
        keys, values = zip(*found, strict=True)
        pair = convert_to_tensor(list(keys)), convert_to_tensor(list(values))
        made: list[Tensor] = named("ReaderReadUpToV2", pair, ("keys", "values"))
        return made

    @graph_operation("ReaderNumRecordsProducedV2", _number, stateful=True)
    def num_records_produced(self, name: str | None = None) -> Tensor:
        """Returns the number of records that were read.

        Args:
          name: The operation's name.

        Returns:
          An int64 scalar.
        """
        return convert_to_tensor(self._work.now().produced, int64)

    @graph_operation("ReaderNumWorkUnitsCompletedV2", _number, stateful=True)
    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """Returns the number of files that were read to their end.

        Args:
          name: The operation's name.

        Returns:
          An int64 scalar.
        """
        return convert_to_tensor(self._work.now().completed, int64)


@export("compat.v1.IdentityReader")
class IdentityReader(ReaderBase):
    """A reader whose keys and values are the names in the queue.

    Args:
      name: The reader's name.

    Raises:
      RuntimeError: Execution is eager.
    """

    supports_serialize = True

    def __init__(self, name: str | None = None) -> None:
        super().__init__()

    def _records(self, name: bytes) -> Iterator[Record]:
        yield name, name


@export("compat.v1.WholeFileReader")
class WholeFileReader(ReaderBase):
    """A reader whose keys are names of files, and whose values are their contents.

    Args:
      name: The reader's name.

    Raises:
      RuntimeError: Execution is eager.
    """

    supports_serialize = True

    def __init__(self, name: str | None = None) -> None:
        super().__init__()

    def _records(self, name: bytes) -> Iterator[Record]:
        yield name, _contents(name)


@export("compat.v1.TextLineReader")
class TextLineReader(ReaderBase):
    """A reader of the lines of text files; a key is the name of a file and the number of a line.

    Args:
      skip_header_lines: The number of lines at the beginning of each file that are left out.
      name: The reader's name.

    Raises:
      RuntimeError: Execution is eager.
    """

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        super().__init__()
        self._skipped = skip_header_lines or 0

    def _records(self, name: bytes) -> Iterator[Record]:
        for number, line in enumerate(lines_of(name.decode(), None), 1):
            if number > self._skipped:
                yield name + b":%d" % number, line.removesuffix(b"\r")


@export("compat.v1.FixedLengthRecordReader")
class FixedLengthRecordReader(ReaderBase):
    """A reader whose values have a fixed number of bytes; a key is the file's name and an index.

    Args:
      record_bytes: The number of bytes of a value.
      header_bytes: The number of bytes at the beginning of each file that are left out.
      footer_bytes: The number of bytes at the end of each file that are left out.
      hop_bytes: The number of bytes from one value to the next. Defaults to `record_bytes`.
      name: The reader's name.
      encoding: "ZLIB" or "GZIP" for compressed files.

    Raises:
      RuntimeError: Execution is eager.
    """

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        super().__init__()
        self._bytes, self._hop = record_bytes, hop_bytes or record_bytes
        self._header, self._footer = header_bytes or 0, footer_bytes or 0
        self._encoding = encoding

    def _records(self, name: bytes) -> Iterator[Record]:
        whole = _contents(name, self._encoding)
        body = whole[self._header : len(whole) - self._footer]
        starts = range(0, len(body) - self._bytes + 1, self._hop)
        for number, start in enumerate(starts):
            yield name + b":%d" % number, body[start : start + self._bytes]


@export("compat.v1.TFRecordReader")
class TFRecordReader(ReaderBase):
    """A reader whose values are records of TFRecord files; a key is the file's name and a place.

    Args:
      name: The reader's name.
      options: `tf.io.TFRecordOptions`, for compressed files.

    Raises:
      RuntimeError: Execution is eager.
    """

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        super().__init__()
        self._options = options

    def _records(self, name: bytes) -> Iterator[Record]:
        place = 0
        for record in tf_record_iterator(name.decode(), self._options):
            yield name + b":%d" % place, record
            place += len(record) + 16  # the length and two checksums
