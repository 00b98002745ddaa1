import pytest

import gradtape as tf
from gradtape.compat import v1


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def test_variables_in_collections(session):
    a = v1.Variable(1.0, name="a")
    b = v1.Variable(2, trainable=False, name="b")
    c = v1.Variable(3.0, collections=[v1.GraphKeys.LOCAL_VARIABLES], trainable=False)
    assert v1.global_variables() == [a, b]
    assert v1.global_variables("b") == [b]
    assert v1.trainable_variables() == [a]
    assert v1.local_variables() == [c]
    assert isinstance(a, v1.Variable)
    assert isinstance(a, tf.Variable)


def test_initializers_run_in_their_order(session):
    a = tf.Variable(2.0)
    b = tf.Variable(a * 3.0)
    session.run(v1.global_variables_initializer())
    assert session.run(b) == 6.0


def test_what_is_not_initialized(session):
    a, b = tf.Variable(1.0, name="a"), tf.Variable(1.0, name="b")
    names, check = v1.report_uninitialized_variables(), v1.assert_variables_initialized()
    assert session.run(v1.is_variable_initialized(a)) == False  # noqa: E712 (a NumPy boolean)
    session.run(v1.variables_initializer([a]))
    assert session.run(names).tolist() == [b"b"]
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value b"):
        session.run(check)
    session.run([b.initializer, v1.tables_initializer()])
    assert session.run(names).tolist() == []
    session.run(check)


def test_assignments(session):
    a = tf.Variable(1.0)
    made = [v1.assign(a, 5.0), v1.assign_add(a, 1.0), v1.assign_sub(a, 2.0)]
    session.run(a.initializer)
    assert [session.run(x) for x in made] == [5.0, 6.0, 4.0]


def test_where_operations_run_at_once():
    v = v1.Variable(1.0, collections=["mine"])
    assert float(v) == 1.0
    assert v1.global_variables_initializer() is None


def test_functions_that_make_variables_get_the_arguments_of_tensorflow_1():
    seen = []

    def frozen(next_creator, **options):
        seen.append(set(options))
        return next_creator(**options | {"trainable": False})

    with tf.Graph().as_default(), v1.variable_creator_scope(frozen):
        made = [v1.get_variable("v", [2]), v1.Variable(1.0), tf.Variable(1.0)]
    assert [v.trainable for v in made] == [False] * 3
    assert [("collections" in options, "use_resource" in options) for options in seen] == [
        (True, True),
        (True, True),
        (False, False),
    ]
    with v1.variable_creator_scope(frozen):
        assert not v1.get_variable("v", [2]).trainable
    assert len(seen) == 4
