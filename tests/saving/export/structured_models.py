"""Models of strings, tables, and ragged and sparse tensors that are saved for TensorFlow.

Each is a module with a function `f`, which has an input signature, and with its variables in the
list `v`. Inputs are arrays, `Ragged` or `Sparse`, so that they can be made with both libraries.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import gradtape as tf

MODELS: dict[str, Callable[[], tuple[Any, list[Any]]]] = {}
"""By name, what gives a module and inputs for it."""

TEXTS = tf.TensorSpec([None], tf.string)
ROWS = tf.RaggedTensorSpec([None, None], tf.float64)
SPARSE = tf.SparseTensorSpec([None, 3], tf.float64)
WORDS = np.array([b"Tick tack", b"", b"a bc d", "grün".encode()], object)
NUMBERS = np.array([b"1.5", b"-2", b"1e3"], object)


class Ragged:
    """A ragged tensor of rows."""

    def __init__(self, rows: Any, dtype: str = "float64") -> None:
        self.rows, self.dtype = rows, dtype


class Sparse:
    """A sparse tensor."""

    def __init__(self, places: Any, values: Any, shape: Any) -> None:
        self.places, self.values, self.shape = places, np.array(values), shape


SOME_ROWS = Ragged([[1.0, 2.5], [], [3.0, -4.0, 5.0]])
SOME_PLACES = Sparse([[0, 1], [2, 0], [2, 2]], [1.5, -2.0, 3.0], [4, 3])


def model(
    specs: Sequence[Any], inputs: Sequence[Any], variables: Sequence[Any] = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enters a model whose function is decorated: it takes the module and the inputs."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        def made() -> tuple[Any, list[Any]]:
            module = tf.Module()
            module.v = [tf.Variable(value) for value in variables]
            module.f = tf.function(lambda *xs: function(module, *xs), input_signature=specs)
            parts = _PARTS.get(function.__name__)
            if parts is not None:
                parts(module)
            return module, list(inputs)

        MODELS[function.__name__.strip("_")] = made
        return function

    return enter


_PARTS: dict[str, Callable[[Any], None]] = {}


def with_parts(parts: Callable[[Any], None]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares what gives a model its tables and files."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        _PARTS[function.__name__] = parts
        return function

    return declare


def _file(text: str) -> str:
    path = Path(tempfile.mkdtemp()) / "words.txt"
    path.write_text(text, encoding="utf-8")
    return str(path)


# Tables and files.


def _two_tables(module: Any) -> None:
    lookup = tf.lookup
    lines = lookup.TextFileInitializer(
        _file("tick\ntack\na\n"),
        tf.string,
        lookup.TextFileIndex.WHOLE_LINE,
        tf.int64,
        lookup.TextFileIndex.LINE_NUMBER,
    )
    pairs = lookup.KeyValueTensorInitializer([1, 2], ["one", "two"])
    module.table, module.names = (
        lookup.StaticHashTable(lines, -1),
        lookup.StaticHashTable(pairs, "?"),
    )


@model([TEXTS], [np.array([b"tack", b"none", b"a"], object)])
@with_parts(_two_tables)
def _tables(module: Any, x: Any) -> Any:
    found = module.table.lookup(x)
    return found, module.names.lookup(tf.cast(found, tf.int32))


def _vocabularies(module: Any) -> None:
    words = tf.lookup.KeyValueTensorInitializer(["a", "b"], np.array([0, 1], "i8"))
    numbers = tf.lookup.KeyValueTensorInitializer(np.array([7, 9], "i8"), np.array([0, 1], "i8"))
    module.words = tf.lookup.StaticVocabularyTable(words, 3)
    module.numbers = tf.lookup.StaticVocabularyTable(numbers, 2)
    module.none = tf.lookup.StaticVocabularyTable(None, 4)


@model([TEXTS, tf.TensorSpec([None], tf.int64)], [WORDS, np.array([9, 8, 7], "i8")])
@with_parts(_vocabularies)
def _vocabulary(module: Any, x: Any, n: Any) -> Any:
    return module.words.lookup(x), module.numbers.lookup(n), module.none.lookup(x)


def _changing(module: Any) -> None:
    module.counts = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
    module.counts.insert(["a"], np.array([5], "i8"))
    module.rows = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float64, [0.0, 0.5])
    module.rows.insert(np.array([3], "i8"), [[1.0, 2.0]])
    dense = tf.lookup.experimental.DenseHashTable
    module.dense = dense(tf.int64, tf.int64, -1, empty_key=-8, deleted_key=-9)
    module.dense.insert(np.array([3, 4], "i8"), np.array([6, 8], "i8"))


@model([TEXTS, tf.TensorSpec([None], tf.int64)], [WORDS, np.array([3, 5], "i8")])
@with_parts(_changing)
def _changing_tables(module: Any, x: Any, n: Any) -> Any:
    before = module.counts.lookup(x)
    module.counts.insert(x, before + 1)
    module.rows.remove(n[1:])
    found = module.rows.lookup(n)
    return before, module.counts.lookup(x), module.counts.size(), found, module.dense.lookup(n)


def _one_file(module: Any) -> None:
    module.asset = tf.saved_model.Asset(_file("some text"))


@model([], [])
@with_parts(_one_file)
def _file_of_the_model(module: Any) -> Any:
    return tf.io.read_file(module.asset.asset_path)


@model([TEXTS], [WORDS])
def _strings(module: Any, x: Any) -> Any:
    s = tf.strings
    return (
        s.upper(x),
        s.lower(x, encoding="utf-8"),
        s.strip(s.join([" ", x, "!"], "-")),
        s.length(x),
        s.length(x, unit="UTF8_CHAR"),
        s.substr(x, 0, 2),
        s.regex_replace(x, "[aeiou]", "<\\0>"),
        s.regex_full_match(x, "a.*"),
        s.reduce_join(x, separator=","),
        s.to_hash_bucket_fast(x, 10),
        s.to_hash_bucket_strong(x, 10, [1, 2]),
        s.unicode_transcode(x, "UTF-8", "UTF-16-BE"),
        tf.io.encode_base64(x),
        tf.where(x == "", "empty", x),
    )


@model([TEXTS], [NUMBERS])
def _numbers_as_strings(module: Any, x: Any) -> Any:
    found = tf.strings.to_number(x, tf.float64)
    return (
        found,
        tf.strings.as_string(found, precision=2),
        tf.strings.as_string(tf.cast(found, tf.int32)),
    )


@model([TEXTS], [WORDS])
def _parts_of_strings(module: Any, x: Any) -> Any:
    s = tf.strings
    points = s.unicode_decode(x, "UTF-8")
    return {
        "words": s.split(x),
        "letters": s.bytes_split(x),
        "points": points,
        "characters": s.unicode_split(x, "UTF-8"),
        "again": s.unicode_encode(points, "UTF-8"),
        "padded": s.split(x).to_tensor("none"),
    }


@model([TEXTS], [np.array([b"1.5,a", b",b c"], object)])
def _columns(module: Any, x: Any) -> Any:
    return tf.io.decode_csv(x, [[2.5], ["none"]])


def _examples() -> Any:
    features = {
        "dense": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0])),
        "some": tf.train.Feature(int64_list=tf.train.Int64List(value=[3, 4, 5])),
        "text": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a"])),
    }
    less = {"dense": features["dense"]}
    made = [
        tf.train.Example(features=tf.train.Features(feature=f)).SerializeToString()
        for f in (features, less)
    ]
    return np.array(made, object)


@model([TEXTS], [_examples()])
def _parsed_examples(module: Any, x: Any) -> Any:
    return tf.io.parse_example(
        x,
        {
            "dense": tf.io.FixedLenFeature([2], tf.float32),
            "some": tf.io.VarLenFeature(tf.int64),
            "text": tf.io.FixedLenFeature([], tf.string, default_value="none"),
            "rows": tf.io.RaggedFeature(tf.int64, value_key="rows"),
        },
    )


# Ragged tensors.


@model([ROWS], [SOME_ROWS], [np.float64(1.5)])
def _ragged(module: Any, x: Any) -> Any:
    y = x * module.v[0] + 1.0
    return {
        "same": y,
        "sum": tf.reduce_sum(y, 1),
        "mean": tf.reduce_mean(x[:1], -1),
        "all": tf.reduce_sum(y),
        "largest": tf.reduce_max(y, axis=1),
        "dense": y.to_tensor(),
        "wide": y.to_tensor(-1.0, shape=[None, 4]),
        "lengths": y.row_lengths(),
        "sine": tf.ragged.map_flat_values(tf.sin, y),
    }


@model([ROWS], [SOME_ROWS], [np.float64(1.5)])
def _parts_of_rows(module: Any, x: Any) -> Any:
    y = x * module.v[0]
    return tf.gather(y, [2, 0]), y[:, :1], y[1:], y[0], y[:, -2:]


@model([tf.TensorSpec([None], tf.int64)], [np.array([0, 2, 2, 3], "i8")])
def _made_rows(module: Any, splits: Any) -> Any:
    ragged = tf.RaggedTensor
    values = tf.range(splits[-1])
    lengths = splits[1:] - splits[:-1]
    return (
        ragged.from_row_splits(values, splits),
        ragged.from_row_lengths(values, lengths),
        ragged.from_row_starts(values, splits[:-1]),
        ragged.from_row_limits(values, splits[1:]),
        ragged.from_value_rowids(values, values),
        tf.ragged.range(splits),
    )


@model(
    [tf.RaggedTensorSpec([None, None], tf.int32)],
    [Ragged([[0, 3], [], [1]], "int32")],
    [np.arange(8.0).reshape(4, 2)],
)
def _embedded_rows(module: Any, x: Any) -> Any:
    found = tf.nn.embedding_lookup(module.v[0], x)
    return found, tf.reduce_sum(found, 1)


@model(
    [tf.RaggedTensorSpec([None, None, None], tf.float64)], [Ragged([[[1.0], [2.0, 3.0]], [[4.0]]])]
)
def _rows_of_rows(module: Any, x: Any) -> Any:
    return x * 2.0, tf.reduce_sum(x, 2), x.to_tensor()


# Sparse tensors.


@model([SPARSE], [SOME_PLACES], [np.arange(6.0).reshape(3, 2)])
def _sparse(module: Any, x: Any) -> Any:
    return {
        "same": x * 2.0,
        "dense": tf.sparse.to_dense(x),
        "product": tf.sparse.sparse_dense_matmul(x, module.v[0]),
        "sum": tf.sparse.reduce_sum(x, 1),
        "twice": tf.sparse.add(x, x),
        "with_dense": tf.sparse.add(x, tf.sparse.to_dense(x)),
    }


@model([SPARSE], [SOME_PLACES])
def _parts_of_sparse(module: Any, x: Any) -> Any:
    fixed = x.with_values(tf.stop_gradient(x.values))  # TensorFlow has no gradient of joined ones
    return {
        "slice": tf.sparse.slice(x, [0, 0], [3, 2]),
        "joined": tf.sparse.concat(0, [fixed, fixed]),
        "across": tf.sparse.transpose(x),
        "flat": tf.sparse.reshape(x, [-1]),
        "filled": tf.sparse.fill_empty_rows(x, -1.0)[0],
        "ordered": tf.sparse.reorder(x),
        "likely": tf.sparse.softmax(x),
    }


@model([tf.TensorSpec([None, None], tf.float64)], [np.array([[0.0, 1.5], [2.0, 0.0]])])
def _from_dense(module: Any, x: Any) -> Any:
    return tf.sparse.from_dense(x)


@model(
    [tf.SparseTensorSpec([None, None], tf.int64), tf.SparseTensorSpec([None, None], tf.float64)],
    [
        Sparse([[0, 0], [0, 1], [2, 0]], np.array([1, 3, 0]), [3, 2]),
        Sparse([[0, 0], [0, 1], [2, 0]], [0.5, 1.0, 2.0], [3, 2]),
    ],
    [np.arange(8.0).reshape(4, 2)],
)
def _embedded_sparse(module: Any, x: Any, weights: Any) -> Any:
    look = tf.nn.embedding_lookup_sparse
    return [
        look(module.v[0], x, w, combiner=how)
        for how in ("sum", "mean", "sqrtn")
        for w in (None, weights)
    ]
