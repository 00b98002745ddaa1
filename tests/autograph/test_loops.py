"""`while` and `for`, traced as eager Python has them."""

from __future__ import annotations

import pytest
from autograph_checks import agree, jit

import gradtape as tf


def i32(n):
    return tf.constant(n)


# Loops over rows, with gradients.


def rows(x):
    total = 0.0
    for row in x:
        total += tf.reduce_sum(row) * total + 1.0
    return total


def rows_with_a_choice(x):
    total = tf.constant(1.0)
    for v in x:
        if v > 0:
            total = total * v
        else:
            total = total - v
    return total


def rows_and_break(x):
    total = tf.constant(0.0)
    for v in x:
        if v > 2.0:
            break
        total += v * v
    return total


def rows_and_continue(x):
    total = tf.constant(0.0)
    for v in x:
        if v < 0.0:
            continue
        total += v * v
    return total


def first_defined_inside(x):
    for v in x:
        last = v * 2.0
    return last


def numbered(x):
    total = tf.constant(0.0)
    for i in tf.range(20):
        total += x[i % 3] * tf.cast(i, tf.float32)
    return total


def loops_in_loops(x):
    total = tf.constant(0.0)
    for row in x:
        for v in row:
            if v > 0:
                total += v * v
    return total


def in_a_branch(x):
    if x[0] > 0:
        total = tf.constant(0.0)
        for v in x:
            total += v * v
    else:
        total = x[0]
    return total


def with_an_array(x):
    squares = tf.TensorArray(tf.float32, size=20)
    for i in tf.range(20):
        squares = squares.write(i, x[i] * x[i])
    return squares.stack()


def state_in_an_object(x):
    class Holder:
        pass

    holder = Holder()
    holder.total = tf.constant(0.0)
    for v in x:
        holder.total = holder.total + v * v
    return holder.total


def pair_as_state(x):
    state = (tf.constant(1.0), {"b": tf.constant(2.0)})
    for v in x:
        state = (state[0] * v, {"b": state[1]["b"] + v})
    return state


SHORT, LONG = [1.0, -2.0, 3.0, 0.5], [0.1 * (i - 7) for i in range(20)]
MATRIX = [[0.1, 0.2], [0.3, -0.4], [0.5, 0.6]]


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (rows, [(MATRIX,)]),
        (rows, [(MATRIX * 7,)]),
        (rows_with_a_choice, [(SHORT,)]),
        (rows_with_a_choice, [(LONG,)]),
        (rows_and_break, [(SHORT,)]),
        (rows_and_break, [([0.5] * 17 + [3.0, 1.0],)]),
        (rows_and_continue, [(SHORT,)]),
        (rows_and_continue, [(LONG,)]),
        (first_defined_inside, [(SHORT,)]),
        (first_defined_inside, [(LONG,)]),
        (numbered, [(SHORT,)]),
        (loops_in_loops, [(MATRIX,)]),
        (loops_in_loops, [(MATRIX * 7,)]),
        (in_a_branch, [(LONG,), (SHORT * 5,)]),
        (with_an_array, [(LONG,)]),
        (state_in_an_object, [(LONG,)]),
        (pair_as_state, [(LONG,)]),
    ],
    ids=lambda x: getattr(x, "__name__", str(len(x[0][0])) if isinstance(x, list) else None),
)
def test_over_rows_as_in_eager_execution(function, args):
    agree(function, *args)


# Loops whose length a tensor says. Values are those of TensorFlow.


def countdown(n):
    total = 0
    while n > 0:
        total += n
        n -= 1
    return total, n


def bounded(n):
    total = 0
    for i in range(n):
        total += i
    return total


def tensor_range(n):
    total = 0
    for i in tf.range(n):
        total += i
    return total


def steps(n):
    total = 0
    for i in range(0, n, 2):
        total += i
    for i in tf.range(n, 0, -1):
        total += i
    return total


def nested_ranges(n):
    total = 0
    for i in tf.range(n):
        for j in tf.range(i):
            if j > 0:
                total += j
            else:
                total += 10
    return total


def skip_one(n):
    total = 0
    for i in tf.range(n):
        if i == 1:
            continue
        total += i
    return total


def stop_after(n):
    total = 0
    for i in tf.range(10):
        if i > n:
            break
        total += i
    return total


def endless(n):
    i = tf.constant(0)
    while tf.constant(True):
        i += 1
        if i > n:
            break
    return i


def conjunction(n):
    i = 0
    while i < 10 and i * i < n * 3:
        i += 1
    return i


def fibonacci(n):
    a, b = 0, 1
    while a < n:
        a, b = b, a + b
    return a, b


def first_value_inside(n):
    while n > 0:
        y = n
        n -= 1
    return y


def none_before(n):
    y = None
    while n > 0:
        y = n
        n -= 1
    return y


def value_of_last_turn(n):
    for i in tf.range(n):
        t = i * 2
    return t


def counter_afterwards(n):
    i = 100
    for i in tf.range(n):
        pass
    return i


def counter_of_an_empty_loop(n):
    i = 100
    for i in tf.range(n - 3):
        pass
    return i


def at_most(n):
    i = 0
    while i < n:
        tf.autograph.experimental.set_loop_options(maximum_iterations=2)
        i += 1
    return i


def at_most_for(n):
    total = 0
    for i in tf.range(n):
        tf.autograph.experimental.set_loop_options(maximum_iterations=2)
        total += i
    return total


def options_of_a_python_loop(n):
    total = 0
    for _ in range(5):
        tf.autograph.experimental.set_loop_options(maximum_iterations=2)
        total += n
    return total


def deleted_inside(n):
    total = 0
    for i in tf.range(n):
        t = i * 2
        total += t
        del t
    return total


def else_of_while(n):
    while n > 0:
        n -= 1
    else:
        n = n + 5
    return n


def else_after_break(n):
    found = 0
    for i in tf.range(n):
        if i == 7:
            break
    else:
        found = 1
    return found


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (countdown, [6, 0]),
        (bounded, 3),
        (tensor_range, 3),
        (steps, 8),
        (nested_ranges, 21),
        (skip_one, 2),
        (stop_after, 6),
        (endless, 4),
        (conjunction, 3),
        (fibonacci, [3, 5]),
        (first_value_inside, 1),
        (none_before, 1),
        (value_of_last_turn, 4),
        (counter_afterwards, 2),
        (counter_of_an_empty_loop, 100),
        (at_most, 2),
        (at_most_for, 1),
        (options_of_a_python_loop, 15),
        (deleted_inside, 6),
        (else_of_while, 5),
        (else_after_break, 1),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_a_tensor_says_how_often(function, expected):
    compiled = jit(function)
    found = [int(x) for x in tf.nest.flatten(compiled(i32(3)))]
    assert found == (expected if isinstance(expected, list) else [expected])


def test_one_program_for_all_lengths():
    compiled = jit(tensor_range)
    assert [int(compiled(i32(n))) for n in (0, 1, 5, 100)] == [0, 0, 10, 4950]
    assert compiled.experimental_get_tracing_count() == 1


def test_the_body_of_a_long_loop_is_traced_a_few_times():
    turns = []

    @jit
    def f(x):
        total = 0.0
        for i in tf.range(1000):
            turns.append(1)
            total += x * tf.cast(i, tf.float32)
        return total

    assert float(f(tf.constant(1.0))) == 499500.0
    assert len(turns) < 10


def test_a_loop_that_writes_variables_alone():
    v = tf.Variable(0.0)

    @jit
    def f(n):
        while v < n:
            v.assign_add(2.0)

    f(tf.constant(7.0))
    assert v.numpy() == 8


def test_gradient_of_a_while_loop_with_a_bound():
    def power(x, n):
        out = tf.constant(1.0)
        while n > 0:
            tf.autograph.experimental.set_loop_options(maximum_iterations=10)
            out *= x
            n -= 1
        return out

    agree(power, (2.0, i32(3)), (3.0, i32(5)))


def test_a_generator_and_python_sequences_stay_python():
    @jit
    def f(x):
        total = 0.0
        for i, v in enumerate(w for w in (1.0, 2.0)):
            total += i * v * x
        for a, b in zip(range(2), [x, x], strict=True):
            total += a * b
        return total

    assert float(f(tf.constant(3.0))) == 9


# Errors: exception types and messages are TensorFlow's.


def used_before(n):
    while n > 0:
        y = y + n  # noqa: F821
        n -= 1
    return y


def other_dtype(n):
    y = tf.constant(0)
    while n > 0:
        y = tf.constant(1.5)
        n -= 1
    return y


def other_shape(n):
    y = tf.constant([1])
    while n > 0:
        y = tf.concat([y, [1]], 0)
        n -= 1
    return y


def bad_invariant(n):
    y = tf.constant([1])
    while n > 0:
        tf.autograph.experimental.set_loop_options(shape_invariants=[(y, tf.TensorShape([2]))])
        y = tf.concat([y, [1]], 0)
        n -= 1
    return y


def other_structure(n):
    y = (n,)
    while n > 0:
        y = (n, n)
        n -= 1
    return y


def none_after(n):
    y = n
    while n > 0:
        y = None
        n -= 1
    return y


def number_condition(n):
    y = n * 1
    while y:
        y -= 1
    return y


def returned(n):
    while n > 0:
        if n == 2:
            return n
        n -= 1
    return n


def break_of_a_python_loop(n):
    i = 0
    while True:
        i += 1
        if n < i:
            break
    return i


def break_of_a_python_for(n):
    y = 0
    for i in range(10):
        y += 1
        if n < i:
            break
    return y


def return_of_a_python_for(n):
    for i in range(10):
        if n < i:
            return n * i
    return n


def over_a_scalar(n):
    for i in n:
        n += i
    return n


@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        (
            used_before,
            ValueError,
            "'y' must be defined before the loop\n.*ran into a UnboundLocalError: 'y' is used",
        ),
        (
            other_dtype,
            TypeError,
            "'y' has dtype int32 before the loop, but dtype float32 after one iteration",
        ),
        (
            other_shape,
            ValueError,
            r"'y' has shape \(1,\) before the loop, but shape \(2,\) after one iteration. Use tf.",
        ),
        (
            bad_invariant,
            ValueError,
            r"'y' has shape \(1,\) before the loop, which does not conform with the shape "
            r"invariant \(2,\).",
        ),
        (
            other_structure,
            TypeError,
            "'y' does not have the same nested structure after one iteration.",
        ),
        (none_after, ValueError, "'y' is None at the end of the iteration."),
        (number_condition, ValueError, "condition of while loop expected to be `tf.bool` scalar"),
        (returned, NotImplementedError, "a return statement cannot be placed inside this"),
        (
            break_of_a_python_loop,
            NotImplementedError,
            "The condition of while loop started as non-Tensor, then changed to Tensor.",
        ),
        (
            break_of_a_python_for,
            NotImplementedError,
            "break and return statements which depend on a TF condition are not supported",
        ),
        (return_of_a_python_for, ValueError, "the else branch must also have a return statement."),
        (over_a_scalar, ValueError, "len requires a non-scalar tensor, got one of shape"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_errors_name_the_line_and_what_is_wrong(function, kind, message):
    with pytest.raises(kind, match=message) as caught:
        jit(function)(i32(3))
    assert type(caught.value) is kind
    message = str(caught.value)
    assert message.startswith("in user code:\n\n    File ")
    line = int(message.partition(", line ")[2].partition(",")[0])
    assert 0 < line - function.__code__.co_firstlineno < 8
    assert f"in {function.__name__}  *" in message


# Loops over the rows of ragged tensors.


@pytest.mark.parametrize("signature", [None, [tf.RaggedTensorSpec([None, None], tf.float32)]])
def test_rows_of_a_ragged_tensor_are_traced_once(signature):
    shapes = []

    @tf.function(input_signature=signature)
    def long_rows(ragged):
        total = 0.0
        for row in ragged:
            shapes.append(row.shape.as_list())
            if tf.size(row) < 2:
                continue
            total += tf.reduce_sum(row * row)
        return total

    ragged = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    for _ in range(3):
        with tf.GradientTape() as tape:
            tape.watch(ragged.flat_values)
            total = long_rows(ragged)
        assert float(total) == 5
        assert tape.gradient(total, ragged.flat_values).numpy().tolist() == [2, 4, 0]
    assert shapes == [[None]]
    if signature is not None:
        assert float(long_rows(tf.ragged.constant([[1.0, 3.0]]))) == 10
        assert shapes == [[None]]


def test_a_loop_over_a_ragged_tensor_ends_early():
    @tf.function
    def first_with_more_than(ragged, limit):
        found, turns = tf.constant(-1.0), 0
        for row in ragged:
            turns += 1
            if tf.reduce_sum(row) > limit:
                found = tf.reduce_max(row)
                break
        return found, turns

    ragged = tf.ragged.constant([[1.0, 2.0], [], [3.0], [4.0]])
    assert [*map(float, first_with_more_than(ragged, 2.5))] == [2, 1]
    assert [*map(float, first_with_more_than(ragged, 3.5))] == [4, 4]
    assert [*map(float, first_with_more_than(ragged, 5.0))] == [-1, 4]


def test_nested_loops_over_a_ragged_tensor():
    @tf.function
    def sums(ragged):
        out, i = tf.TensorArray(tf.float32, 0, dynamic_size=True), 0
        for row in ragged:
            total = 0.0
            for inner in row:
                total += tf.reduce_sum(inner) + 1.0
            out = out.write(i, total)
            i += 1
        return out.stack()

    ragged = tf.ragged.constant([[[1.0, 2.0], []], [[3.0]], []])
    assert sums(ragged).numpy().tolist() == [5, 4, 0]


def test_a_condition_that_is_known_before_the_loop():
    """A negated truth value is a tensor, so that the loop is one over tensors from the start."""

    @tf.function
    def decoded(x, most):
        done, turns = tf.zeros([2], tf.bool), 0
        while turns < 6 and not tf.reduce_all(done):
            turns += 1
            done = x * tf.cast(turns, tf.float32) > most
        return turns, not tf.constant(False)

    turns, flag = decoded(tf.constant([1.0, 2.0]), tf.constant(3.5))
    assert (int(turns), bool(flag)) == (4, True)
    assert int(decoded(tf.constant([0.0, 2.0]), tf.constant(3.5))[0]) == 6
