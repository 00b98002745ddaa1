"""Lines of comma-separated values; answers are TensorFlow's."""

import pytest

import gradtape as tf


@pytest.mark.parametrize(
    ("lines", "defaults", "options", "expected"),
    [
        (["1,2.5,a", ",,"], [7, 0.0, "d"], {}, [[1, 7], [2.5, 0.0], [b"a", b"d"]]),
        (['"a,""b""";c'], ["", ""], {"field_delim": ";"}, [[b'a,"b"'], [b"c"]]),
        (['a"b'], [""], {"use_quote_delim": False}, [[b'a"b']]),
        (["NA,1"], [7, 8], {"na_value": "NA"}, [[7], [1]]),
        (["1,2,3"], [[0.0], ["z"]], {"select_cols": [0, 2]}, [[1.0], [b"3"]]),
        ([' 1 ,"2"'], [0, 0], {}, [[1], [2]]),
    ],
)
def test_csv(lines, defaults, options, expected):
    found = tf.io.decode_csv(lines, defaults, **options)
    assert [column.numpy().tolist() for column in found] == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (",", "required but missing"),
        ("1,2,3", "Expect 2 fields but have 3"),
        ("x,1", "Field 0 in record 0 is not a valid int32: x"),
        ('"1', "end with quote"),
        ('1"2,3', "Unquoted fields"),
        ('"1"2,3', "escaped by another"),
        ("", "have 0 in record 0"),
        ("1\n,2", "Unquoted"),
    ],
)
def test_csv_errors(line, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.io.decode_csv([line], [tf.constant([], tf.int32), 0])
