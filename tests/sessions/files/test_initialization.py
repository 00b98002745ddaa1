import pytest

import gradtape as tf
from gradtape.compat import v1


@pytest.fixture
def path(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("a", initializer=1.0)
        with v1.variable_scope("old"):
            v1.get_variable("b", initializer=[2.0, 3.0])
            v1.get_variable("c", initializer=4.0)
        session.run(v1.global_variables_initializer())
        return v1.train.Saver().save(session, tmp_path / "m")


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def test_variables_and_scopes_begin_with_saved_values(session, path):
    with v1.variable_scope("new"):
        b = v1.get_variable("b", [2])
        c = v1.get_variable("c", [])
    a = v1.get_variable("mine", [])
    v1.train.init_from_checkpoint(path, {"old/": "new/", "a": "mine"})
    session.run(v1.global_variables_initializer())
    assert [x.tolist() for x in session.run([a, b, c])] == [1.0, [2.0, 3.0], 4.0]


def test_all_of_a_checkpoint(session, path):
    a = v1.get_variable("a", [])
    v1.train.init_from_checkpoint(path, {"/": "/"})
    session.run(v1.global_variables_initializer())
    assert session.run(a) == 1.0


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"absent": "a"}, "'absent' is not found in the checkpoint"),
        ({"a": "absent"}, "Variable absent is not found in the graph"),
        ({"old/b": "a"}, r"Shape of variable a:0 \(\(\)\) doesn't match"),
        ({"old": "new/"}, "scope only name"),
        ({"absent/": "/"}, "Tensor absent/a"),
    ],
)
def test_what_does_not_fit(session, path, mapping, message):
    v1.get_variable("a", [])
    with pytest.raises(ValueError, match=message):
        v1.train.init_from_checkpoint(path, mapping)


def test_outside_of_graphs_a_variable_is_assigned(path):
    v = tf.Variable(0.0)
    v1.train.init_from_checkpoint(path, {"a": v})
    assert float(v) == 1.0
