"""Functions that graphs call as one operation: what is declared of them holds for every call."""

import numpy as np
import pytest

import gradtape as tf

TEXTS = ["a bc  d", "", "xé y"]
EMPTY: list[str] = []


def strings(*shape):
    return tf.TensorSpec(list(shape), tf.string)


def floats(*shape):
    return tf.TensorSpec(list(shape), tf.float32)


def integers(*shape):
    return tf.TensorSpec(list(shape), tf.int64)


OPERATIONS = {
    "lower": (tf.strings.lower, strings(None), TEXTS),
    "upper": (lambda x: tf.strings.upper(x, "utf-8"), strings(3), TEXTS),
    "strip": (tf.strings.strip, strings(), "  a "),
    "length": (tf.strings.length, strings(None), TEXTS),
    "substr": (lambda x: tf.strings.substr(x, [[0], [0]], [[1], [2]]), strings(None), TEXTS),
    "join": (lambda x: tf.strings.join([x, "z", x], "-"), strings(None), TEXTS),
    "add": (lambda x: x + "!", strings(None), TEXTS),
    "reduce_join": (lambda x: tf.strings.reduce_join(x, 0), strings(None, 2), [["a", "b"]]),
    "split": (tf.strings.split, strings(None), TEXTS),
    "split_scalar": (lambda x: tf.strings.split(x, ",")[-1], strings(), "a,b"),
    "split_matrix": (tf.strings.split, strings(None, 2), [["a b", "c"], ["", "d e"]]),
    "split_padded": (lambda x: tf.strings.split(x).to_tensor("?"), strings(None), TEXTS),
    "row_lengths": (lambda x: tf.strings.split(x).row_lengths(), strings(None), TEXTS),
    "row_ids": (lambda x: tf.strings.split(x).value_rowids(), strings(None), TEXTS),
    "row_starts": (lambda x: tf.strings.split(x).row_starts(), strings(None), TEXTS),
    "rows": (lambda x: tf.strings.split(x).nrows(), strings(None), TEXTS),
    "bytes_split": (tf.strings.bytes_split, strings(None), TEXTS),
    "regex_replace": (lambda x: tf.strings.regex_replace(x, "[ab]", "Q"), strings(None), TEXTS),
    "regex_match": (lambda x: tf.strings.regex_full_match(x, "a.*"), strings(None), TEXTS),
    "to_number": (lambda x: tf.strings.to_number(x, tf.int32), strings(None), ["1", "2"]),
    "hash": (lambda x: tf.strings.to_hash_bucket_fast(x, 10), strings(None), TEXTS),
    "as_string": (tf.strings.as_string, integers(None), [1, 2]),
    "unicode": (lambda x: tf.strings.unicode_decode(x, "UTF-8"), strings(None), TEXTS),
    "unicode_split": (lambda x: tf.strings.unicode_split(x, "UTF-8"), strings(None), TEXTS),
    "unicode_rows": (
        lambda x: tf.strings.unicode_encode(tf.strings.unicode_decode(x, "UTF-8"), "UTF-8"),
        strings(None),
        TEXTS,
    ),
    "ngrams": (lambda x: tf.strings.ngrams(tf.strings.split(x), 2), strings(None), TEXTS),
    "segments": (
        lambda x: tf.strings.unsorted_segment_join(x, [0, 1, 0], 2),
        strings(3),
        TEXTS,
    ),
    "base64": (lambda x: tf.io.decode_base64(tf.io.encode_base64(x)), strings(None), TEXTS),
    "raw": (lambda x: tf.io.decode_raw(x, tf.uint8), strings(None), ["ab", "cd"]),
    "raw_fixed": (
        lambda x: tf.io.decode_raw(x, tf.int16, fixed_length=4),
        strings(None),
        ["ab", "cd"],
    ),
    "csv": (lambda x: tf.io.decode_csv(x, [[0], [""]]), strings(None), ["1,a", "2,b"]),
    "unique": (tf.unique, integers(None), [1, 2, 1, 3]),
    "unique_with_counts": (tf.unique_with_counts, integers(None), [1, 2, 1, 3]),
    "boolean_mask": (lambda x: tf.boolean_mask(x, x > 1), floats(None, 2), [[1.0, 2.0]]),
    "where": (lambda x: tf.where(x > 1), floats(None, 2), [[1.0, 2.0], [3.0, 0.0]]),
    "range": (tf.range, integers(), 4),
    "range_of_size": (lambda x: tf.range(tf.shape(x)[0]), floats(None), [1.0, 2.0]),
    "repeat": (lambda x: tf.repeat(x, x), integers(None), [1, 2, 3]),
    "sequence_mask": (tf.sequence_mask, integers(None), [1, 2, 3]),
    "bincount": (lambda x: tf.math.bincount(tf.cast(x, tf.int32)), integers(None), [1, 2, 3]),
    "partition": (
        lambda x: tf.dynamic_partition(x, tf.cast(x > 1, tf.int32), 2),
        floats(None),
        [1.0, 2.0, 3.0],
    ),
    "from_row_lengths": (
        lambda x: tf.RaggedTensor.from_row_lengths(tf.range(6), x),
        integers(None),
        [1, 2, 3],
    ),
    "from_value_rowids": (
        lambda x: tf.RaggedTensor.from_value_rowids(x, x),
        integers(None),
        [0, 1, 1],
    ),
    "top_k": (lambda x: tf.math.top_k(tf.boolean_mask(x, x > 1), 1).values, floats(None), [2.0]),
    "map_fn": (
        lambda x: tf.map_fn(lambda v: v * 2, tf.boolean_mask(x, x > 1)),
        floats(None),
        [1.0, 2.0, 3.0],
    ),
    "ensure_shape": (
        lambda x: tf.ensure_shape(tf.boolean_mask(x, x > 1), [2]),
        floats(None),
        [1.0, 2.0, 3.0],
    ),
}


def parts(result):
    return tf.nest.flatten(result, expand_composites=True)


@pytest.mark.parametrize("name", OPERATIONS)
def test_results_are_as_declared(name):
    operation, spec, value = OPERATIONS[name]
    seen = []

    def run(x):
        seen.append(operation(x))
        return seen[-1]

    function = tf.function(run, input_signature=[spec], autograph=False)
    given = tf.constant(value, spec.dtype)
    for _ in range(2):  # the second call has a program
        found, expected = parts(function(given)), parts(operation(given))
        for a, b in zip(found, expected, strict=True):
            assert a.dtype is b.dtype
            assert np.asarray(a.numpy()).tolist() == np.asarray(b.numpy()).tolist()
    assert len(seen) == 1, function.explain()  # it became a graph
    for symbol, result in zip(parts(seen[0]), found, strict=True):
        assert symbol.dtype is result.dtype
        assert symbol.shape.is_compatible_with(result.shape)


@pytest.mark.parametrize("name", ["lower", "join", "split", "length", "unicode", "split_padded"])
def test_no_strings(name):
    operation, spec, _ = OPERATIONS[name]
    function = tf.function(operation, input_signature=[spec], autograph=False)
    found = parts(function(tf.constant(EMPTY, tf.string)))
    expected = parts(operation(tf.constant(EMPTY, tf.string)))
    for a, b in zip(found, expected, strict=True):
        assert a.shape == b.shape


def test_files_are_read_whenever_the_graph_runs(tmp_path):
    path = str(tmp_path / "text")

    @tf.function
    def read():
        return tf.io.read_file(path)

    for text in ("one", "two"):
        tf.io.write_file(path, text)
        assert read().numpy().decode() == text


def test_files_are_written_whenever_the_graph_runs(tmp_path):
    path = str(tmp_path / "text")

    @tf.function
    def write(text):
        tf.io.write_file(path, tf.strings.upper(text))

    for text in ("one", "two"):
        write(tf.constant(text))
        assert tf.io.read_file(path).numpy().decode() == text.upper()


def test_errors_are_those_of_the_function():
    number = tf.function(tf.strings.to_number, input_signature=[strings(None)])
    with pytest.raises(tf.errors.InvalidArgumentError, match="could not correctly convert"):
        number(tf.constant(["x"]))


def test_tables_change_in_the_order_of_the_program():
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)

    @tf.function
    def count(word):
        before = table.lookup(word)
        table.insert(word, before + 1)
        return before, table.lookup(word), table.size()

    found = [[x.numpy().item() for x in count(tf.constant(w))] for w in ("a", "b", "a")]
    assert found == [[-1, 0, 1], [-1, 0, 2], [0, 1, 2]]
    assert count.experimental_get_tracing_count() == 1


def test_gradients_go_through_rows_of_unknown_lengths():
    def loss(x):
        rows = tf.RaggedTensor.from_row_lengths(x * x, [1, 2])
        return tf.reduce_sum(rows.to_tensor() * [[1.0, 2.0], [3.0, 4.0]])

    x = tf.constant([1.0, 2.0, 3.0])
    for function in (loss, tf.function(loss)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        np.testing.assert_allclose(tape.gradient(y, x), [2.0, 12.0, 24.0])
