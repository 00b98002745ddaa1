"""Datasets of an SQLite database's rows; expected values are TensorFlow's."""

import sqlite3

import pytest

import gradtape as tf

SqlDataset = tf.data.experimental.SqlDataset


@pytest.fixture
def database(tmp_path):
    path = str(tmp_path / "data.sqlite")
    connection = sqlite3.connect(path)
    connection.execute("create table t (a text, b integer, c real)")
    connection.executemany("insert into t values (?, ?, ?)", [("x", 1, 1.5), ("y", 2, 2.5)])
    connection.commit()
    connection.close()
    return path


def test_rows_are_tuples_of_the_wanted_dtypes(database):
    kinds = (tf.string, tf.int32, tf.float64)
    rows = SqlDataset("sqlite", database, "select a, b, c from t order by b", kinds)
    found = [(a.numpy(), int(b), float(c)) for a, b, c in rows]
    assert found == [(b"x", 1, 1.5), (b"y", 2, 2.5)]
    assert [part.dtype for part in rows.element_spec] == [*kinds]
    assert [x.numpy() for x in SqlDataset("sqlite", database, "select a from t", tf.string)] == [
        b"x",
        b"y",
    ]


def test_cells_are_converted(database):
    query = "select a, c, b, null, null from t where b = 1"
    kinds = (tf.int32, tf.int32, tf.string, tf.string, tf.float64)
    (row,) = SqlDataset("sqlite", database, query, kinds)
    assert [x.numpy() for x in row] == [0, 1, b"1", b"", 0.0]


@pytest.mark.parametrize(
    ("driver", "query", "error"),
    [
        ("mysql", "select a, b from t", tf.errors.InvalidArgumentError),
        ("sqlite", "select a from t", tf.errors.InvalidArgumentError),
        ("sqlite", "nonsense", tf.errors.UnknownError),
    ],
)
def test_what_cannot_be_read_is_refused(database, driver, query, error):
    with pytest.raises(error):
        list(SqlDataset(driver, database, query, (tf.string, tf.int32)))
