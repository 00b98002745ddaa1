import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def test_constants_say_their_values_where_they_are_needed(session):
    rows, axis = tf.constant(2), tf.constant(0)
    x = v1.placeholder(tf.float32, [4])
    y = tf.reduce_sum(tf.reshape(x, [rows, rows * 1]), axis)
    assert y.shape == (2,)
    np.testing.assert_array_equal(session.run(y, {x: [1, 2, 3, 4]}), [4, 6])


def test_constants_can_be_fed(session):
    c = tf.constant(2.0)
    y = c * 3.0
    assert session.run(y) == 6.0
    assert session.run(y, {c: 5.0}) == 15.0


def test_a_tensor_has_no_value_while_the_graph_is_made(session):
    x = tf.constant(2.0)
    with pytest.raises(AttributeError, match="numpy"):
        x.numpy()
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        bool(x)
    with pytest.raises(TypeError):
        float(x)


def test_a_call_that_needs_a_value_is_one_operation(session):
    n, image = v1.placeholder(tf.int32, []), tf.ones([1, 4, 4, 1])
    y = tf.nn.max_pool(image, n, 1, "VALID")
    assert session.run(y, {n: 3}).shape == (1, 2, 2, 1)


def test_what_needs_a_value_says_so(session):
    x = v1.placeholder(tf.float32, [None])
    with pytest.raises(tf.errors.UnimplementedError, match="give the placeholder a shape"):
        tf.identity_n(x)


def test_printing_is_an_operation(session, capsys):
    x = v1.placeholder(tf.float32, [])
    with tf.control_dependencies([tf.print("x is", x)]):
        y = x * 1.0
    assert capsys.readouterr().err == ""
    session.run(y, {x: 2.0})
    assert capsys.readouterr().err == "x is 2\n"


def test_random_numbers_are_drawn_at_each_run(session):
    x = tf.random.normal([4])
    first, second = session.run(x), session.run(x)
    assert not np.array_equal(first, second)
    again = session.run([x, x])
    np.testing.assert_array_equal(again[0], again[1])


def add_and_pass(v, b, x):
    v.assign_add(1)
    return x


def read_write_read(v, b, x):
    v.assign_add(x)
    y = v * 10
    v.assign(y + 1)
    return v + 0


def loops(v, b, x):
    for _ in tf.range(x):
        v.assign_add(1)
    for _ in tf.range(x):
        v.assign_add(v)
    return x


def branches(v, b, x):
    if x > 1:
        v.assign_add(x)
    if v > 3:
        v.assign(100)
    return x


def calls_of_others(v, b, x):
    add = tf.function(lambda: add_row(v, b, x))

    @tf.function
    def add_all(n):
        for _ in tf.range(n):
            add()

    add_all(x)
    return x


def add_row(v, b, x):
    b.scatter_update(tf.IndexedSlices([x + v], [tf.math.mod(v, 3)]))
    v.assign_add(1)


def rows_where(v, b, x):
    v.assign_add(1)
    for place in tf.where(tf.equal([x, 1, x], x)):
        b.scatter_add(tf.IndexedSlices([1], [tf.cast(place[0], tf.int32)]))
        v.assign_add(10)
    return x


@pytest.mark.parametrize(
    ("compute", "first", "second"),
    [
        (add_and_pass, (2, 1, [0, 0, 0]), (2, 2, [0, 0, 0])),
        (read_write_read, (21, 21, [0, 0, 0]), (231, 231, [0, 0, 0])),
        (loops, (2, 8, [0, 0, 0]), (2, 40, [0, 0, 0])),
        (branches, (2, 2, [0, 0, 0]), (2, 100, [0, 0, 0])),
        (calls_of_others, (2, 2, [2, 3, 0]), (2, 4, [5, 3, 4])),
        (rows_where, (2, 21, [1, 0, 1]), (2, 42, [2, 0, 2])),
    ],
)
def test_the_effects_of_a_function_happen_in_order_before_its_results(
    session, compute, first, second
):
    v, b = tf.Variable(0), tf.Variable([0, 0, 0])
    y = tf.function(compute)(v, b, tf.constant(2))
    session.run(v1.global_variables_initializer())
    for wanted in (first, second):
        found = session.run(y), session.run(v), session.run(b).tolist()
        assert found == wanted


def test_effects_of_functions_wait_for_control_inputs_and_have_gradients(session):
    v, count = tf.Variable(3.0), tf.Variable(0)

    @tf.function
    def f(x):
        count.assign_add(1)
        return v * v * x

    with tf.control_dependencies([count.assign_add(5)]):
        y = f(4.0)
    (slope,) = tf.gradients(y, [v])
    session.run(v1.global_variables_initializer())
    assert (session.run(y), session.run(count), session.run(slope)) == (36, 6, 24)


def test_a_function_makes_its_variables_once(session):
    class Model(tf.Module):
        v = None

        @tf.function
        def add(self, x):
            if self.v is None:
                self.v = tf.Variable(5)
            self.v.assign_add(x)
            return self.v.read_value()

    model = Model()
    a, b = model.add(2), model.add(3)
    session.run(v1.global_variables_initializer())
    assert [session.run(a), session.run(a), session.run(b)] == [7, 9, 12]
