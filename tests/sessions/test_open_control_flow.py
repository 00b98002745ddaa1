import pytest

import gradtape as tf
from gradtape.compat import v1


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def test_a_choice_runs_one_branch(session):
    x = v1.placeholder(tf.float32, [])
    v = tf.Variable(0.0)
    y = tf.cond(x > 0.0, lambda: v.assign_add(x) * 2.0, lambda: v + 100.0)
    session.run(v.initializer)
    assert session.run(y, {x: 3.0}) == 6.0
    assert session.run(v) == 3.0
    assert session.run(y, {x: -1.0}) == 103.0
    assert session.run(v) == 3.0


def test_a_choice_between_operations_is_an_operation(session):
    x = v1.placeholder(tf.bool, [])
    v = tf.Variable(0)
    choice = tf.cond(x, lambda: tf.group(v.assign(1)), lambda: tf.no_op())
    session.run(v.initializer)
    assert session.run(choice, {x: False}) is None
    assert session.run(v) == 0
    session.run(choice, {x: True})
    assert session.run(v) == 1


def test_a_loop_runs_as_often_as_is_fed(session):
    n = v1.placeholder(tf.int32, [])
    total = tf.Variable(0)

    def step(i):
        total.assign_add(i)
        return (i + 1,)

    (last,) = tf.while_loop(lambda i: i < n, step, (tf.constant(0),))
    session.run(total.initializer)
    assert session.run(last, {n: 4}) == 4
    assert session.run(total) == 6


def test_a_loop_has_a_gradient(session):
    x = v1.placeholder(tf.float64, [])
    _, y = tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, tf.ones([], "float64"))
    )
    (slope,) = tf.gradients(y, x)
    assert session.run([y, slope], {x: 2.0}) == [8.0, 12.0]


def test_an_array_has_as_many_elements_as_is_fed(session):
    n = v1.placeholder(tf.int32, [])
    w = tf.Variable(2.0)
    array = tf.TensorArray(tf.float32, size=n)
    _, array, _ = tf.while_loop(
        lambda i, *_: i < n,
        lambda i, a, x: (i + 1, a.write(i, x * w), x * w),
        [0, array, tf.ones([])],
    )
    rows = array.stack()
    gradient = tf.gradients(tf.reduce_sum(rows), w)[0]
    session.run(v1.global_variables_initializer())
    for count, powers, slope in ((0, [], 0.0), (1, [2.0], 1.0), (3, [2.0, 4.0, 8.0], 17.0)):
        found = session.run([rows, array.size(), gradient], {n: count})
        assert (found[0].tolist(), *found[1:]) == (powers, count, slope)


def test_a_fed_size_of_an_array_that_grows(session):
    n = v1.placeholder(tf.int32, [])
    fixed = tf.TensorArray(tf.float32, size=n).write(n - 1, 5.0).write(0, 1.0)
    grown = tf.TensorArray(tf.int32, size=n, dynamic_size=True)
    step = lambda i, a: (i + 1, a.write(i, i))  # noqa: E731
    _, grown = v1.while_loop(lambda i, _: i < 2 * n, step, [0, grown])
    assert session.run(fixed.stack(), {n: 3}).tolist() == [1.0, 0.0, 5.0]
    assert session.run([grown.stack(), grown.size()], {n: 2})[0].tolist() == [0, 1, 2, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not index into"):
        session.run(tf.TensorArray(tf.float32, size=n).write(2, 1.0).stack(), {n: 2})


def test_shapes_with_lengths_that_are_fed(session):
    n = v1.placeholder(tf.int32, [])
    shape = v1.placeholder(tf.int32, [2])
    zeros, ones = tf.zeros([n, 2]), tf.ones(shape)
    assert zeros.shape.as_list() == [None, 2]
    for count in (0, 3):
        assert session.run(zeros, {n: count}).shape == (count, 2)
    assert session.run(ones, {shape: [1, 2]}).tolist() == [[1.0, 1.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Dimension -1 must be >= 0"):
        session.run(zeros, {n: -1})


@pytest.mark.parametrize("known", [True, False])
def test_the_body_of_a_loop_may_make_variables(known):
    with tf.Graph().as_default(), v1.Session() as session:
        turns = tf.constant(3) if known else v1.placeholder(tf.int32, [])

        def body(i, x):
            w = v1.get_variable("w", [], initializer=v1.constant_initializer(2.0))
            return i + 1, x * w

        _, power = v1.while_loop(lambda i, _: i < turns, body, (0, tf.constant(1.0)))
        (w,) = v1.global_variables()
        slope = tf.gradients(power, w)[0]
        session.run(w.initializer)
        fed = {} if known else {turns: 3}
        assert session.run([power, slope], fed) == [8.0, 12.0]
        with pytest.raises(ValueError, match="already exists"):
            v1.get_variable("w", [])


@pytest.mark.parametrize("repeated", [False, True])
def test_branches_and_loops_assign_values_from_outside(repeated):
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        v = v1.get_variable("v", initializer=-1.0)

        def assigned(*_):
            v.assign(x)
            return [x + 1.0]

        y = (
            tf.while_loop(lambda y: y < x, assigned, [0.0])[0]
            if repeated
            else v1.cond(x > 0, assigned, lambda: [x])[0]
        )
        session.run(v.initializer)
        assert session.run(y, {x: 5.0}) == 6.0
        assert session.run(v) == 5.0


def test_invariants_of_arrays_are_left_to_them():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2])
        rows = tf.TensorArray(tf.float32, size=3)
        _, rows, last = v1.while_loop(
            lambda n, *_: n < 3,
            lambda n, a, y: (n + 1, a.write(n, y), tf.concat([y, y], 0)[: tf.shape(y)[0]] + 1.0),
            [tf.constant(0), rows, x],
            shape_invariants=[
                tf.TensorShape([]),
                tf.TensorShape(None),
                tf.TensorSpec([None, 2], tf.float32),
            ],
        )
        found = session.run([rows.stack(), last], {x: [[1.0, 2.0]]})
        assert found[0].tolist() == [[[1.0, 2.0]], [[2.0, 3.0]], [[3.0, 4.0]]]
        assert found[1].tolist() == [[4.0, 5.0]]


@pytest.mark.parametrize("first", [0, tf.constant(0)])
def test_each_iteration_assigns_even_if_no_other_needs_it(session, first):
    x = tf.compat.v1.placeholder(tf.float32, [3])
    v = tf.compat.v1.get_variable("counter", initializer=1.0)

    def body(i, _):
        with tf.control_dependencies([v.assign_add(1.0)]):
            return i + 1, tf.identity(x)

    _, y = tf.compat.v1.while_loop(lambda i, _: i < 4, body, [first, x])
    session.run(v.initializer)
    session.run(y, {x: [1, 2, 3]})
    assert session.run(v) == 5
