"""`if`, conditional expressions, `and`, `or`, `not`: traced as eager Python has them."""

from __future__ import annotations

import pytest
from autograph_checks import agree, jit

import gradtape as tf

NUMBERS = [-5.0, 0.0, 1.5, 3.0]


def if_else(x):
    if x > 0:
        y = x * x
    else:
        y = -x
    return y


def without_else(x):
    y = x * 2.0
    if x > 0:
        y = y * x
    return y


def nested(x):
    if x > 0:
        if x > 2:
            y = x * 2
        else:
            y = tf.sin(x)
    elif x < -2:
        y = x * x
    else:
        y = -x
    return y


def early_returns(x):
    if x < 0:
        return x
    y = x * 2
    if y > 5:
        return y * y
    z = y + 1
    return z


def structures(x):
    pair, named, several = (x, x), {"a": x, "b": -x}, [x, x]
    if x > 1:
        pair = (x * 2, pair[1])
        named["a"] = x * 3
        several[0] = x * 4
    return pair, named, several


class Holder:
    value = None


def attributes(x):
    holder = Holder()
    holder.value = x * 0.5
    if x > 0:
        holder.value = holder.value * x
    return holder.value


def rebound_later(x):
    a = x * 2.0
    if x > 0:
        y = a * a
    else:
        y = a
    a = a * 100.0
    return y + 0.0 * a


def inner_function(x):
    def double(v, least=x):
        if v > least:
            return v * 2
        return v

    return double(x + 1.0) + double(-x)


def lambdas(x):
    f = lambda v: v if v > 0 else -v * v
    g = lambda v: v * 3 if v > 1 else v
    return f(x) + g(x)


def chained_expression(x):
    return x * 1.0 if x > 4 else x * 2.0 if x > 2 else x * 3.0


def logic(x):
    return x > 0 and x < 2, x > 5 or x < -4, not x > 0, -1.0 < x < 3.0, x is not None and x > 1


def in_a_tape(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        if x > 0:
            y = x * x * x
        else:
            y = tf.sin(x)
    return tape.gradient(y, x)


def equal_booleans(x):
    if x > 0:
        done, y = True, x
    else:
        done, y = True, -x
    if done:
        return y
    return 1.0


def several_names(x):
    a = b = x
    c: float = x
    if x > 0:
        a = b = x * 2
        c, d = a * b, x
    else:
        d = c
    return a, b, c, d


def defined_on_both_sides(x):
    found = {}
    if x > 0:
        found["v"] = x
    else:
        found["v"] = x * x
    return found["v"]


def without_effect(x):
    if x > 0:
        pass
    if False:
        y = x
    else:
        y = x * x
    return y


def deleted(x):
    y = 1
    del y
    if x > 0:
        y = x
    else:
        y = x * 3
    return y


def tried(x):
    try:
        if x > 0:
            return x * x
        return -x
    finally:
        x = None


FUNCTIONS = [
    if_else,
    without_else,
    nested,
    early_returns,
    structures,
    attributes,
    rebound_later,
    inner_function,
    lambdas,
    chained_expression,
    logic,
    in_a_tape,
    equal_booleans,
    several_names,
    defined_on_both_sides,
    without_effect,
    deleted,
    tried,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_traced_as_in_eager_execution(function):
    agree(function, *[(x,) for x in NUMBERS])


def test_one_program_takes_both_sides():
    compiled = jit(early_returns)
    # What TensorFlow gives.
    assert [float(compiled(tf.constant(x))) for x in (-3.0, 1.0, 3.0)] == [-3.0, 3.0, 36.0]
    assert compiled.experimental_get_tracing_count() == 1


def test_python_values_become_tensors_as_in_tensorflow():
    @jit
    def f(x):
        if x > 0:
            n = 1
        else:
            n = 1
        return n / 2

    assert f(tf.constant(3.0)).dtype == tf.float64


def test_variables_change_on_one_side_alone():
    v = tf.Variable(1.0)

    @jit
    def f(x):
        if x > 0:
            v.assign_add(x)
        else:
            v.assign(0.0)
        return v.read_value()

    assert [f(tf.constant(x)).numpy() for x in (2.0, -1.0, 4.0)] == [3.0, 0.0, 4.0]


def test_a_variable_decides():
    v = tf.Variable(True)

    @jit
    def f(x):
        if v:
            return x
        return -x

    assert f(tf.constant(2.0)).numpy() == 2
    v.assign(False)
    assert f(tf.constant(2.0)).numpy() == -2


def test_known_values_run_one_side_alone():
    ran = []

    @jit
    def f(x, flag):
        if flag and x is not None:
            ran.append("yes")
        else:
            ran.append("no")
        return x

    f(tf.constant(1.0), True)
    assert ran == ["yes"]


def test_both_sides_run_where_a_tensor_decides():
    ran = set()

    @jit
    def f(x):
        if x > 0:
            ran.add("yes")
        else:
            ran.add("no")
        return x

    f(tf.constant(1.0))
    assert ran == {"yes", "no"}


# Errors: exception types and messages are TensorFlow's.


def vector_condition(x):
    if tf.stack([x, x]) > 0:
        y = x
    else:
        y = -x
    return y


def float_condition(x):
    if x:
        return x
    return -x


def undefined_in_else(x):
    if x > 0:
        y = x
    return y


def undefined_in_main(x):
    if x > 0:
        pass
    else:
        y = x
    return y


def none_in_else(x):
    y = None
    if x > 0:
        y = x
    return y


def other_dtype(x):
    if x > 0:
        y = x
    else:
        y = 1
    return y


def other_structure(x):
    if x > 0:
        y = (x, x)
    else:
        y = x
    return y


def other_object(x):
    if x > 0:
        y = tf.sin
    else:
        y = tf.cos
    return y(x)


def return_in_one_branch(x):
    if x > 0:
        return x


def return_in_one_elif(x):
    if x > 0:
        return x
    elif x < -1:
        return -x


def return_of_other_dtype(x):
    if x > 0:
        return x
    return 1


def return_of_none(x):
    if x > 0:
        return None
    return x


def expression_of_other_dtype(x):
    return x if x > 0 else 1


def expression_of_none(x):
    return x if x > 0 else None


def float_and(x):
    return x and x > 1


def missing_key(x):
    found = {}
    if x > 0:
        found["v"] = x
    return found["v"]


def not_bound(x):
    if False:
        y = x
    return y


CONDITION = r"condition of if statement expected to be `tf.bool` scalar, got .*; "
ERRORS = [
    (float_condition, ValueError, CONDITION + "to use as boolean Tensor, use `tf.cast`; to check"),
    (vector_condition, ValueError, CONDITION + "to check for None, use `is not None`"),
    (undefined_in_else, ValueError, "'y' must also be initialized in the else branch"),
    (undefined_in_main, ValueError, "'y' must also be initialized in the main branch"),
    (none_in_else, ValueError, "'y' is None at the end of the else branch."),
    (
        other_dtype,
        TypeError,
        "'y' has dtype float32 in the main branch, but dtype int32 in the else branch",
    ),
    (
        other_structure,
        TypeError,
        "'y' must have the same nested structure in the main and else branches:",
    ),
    (other_object, TypeError, "'y' is .*sin.* in the main branch and .*cos.* in the else branch"),
    (return_in_one_branch, ValueError, "the else branch must also have a return statement."),
    (return_in_one_elif, ValueError, "the else branch must also have a return statement."),
    (return_of_other_dtype, TypeError, "'retval_' has dtype float32 in the main branch, but"),
    (return_of_none, ValueError, "'retval_' is None at the end of the main branch."),
    (expression_of_other_dtype, TypeError, "'x > 0' has dtype float32 in the main branch, but"),
    (expression_of_none, ValueError, "'x > 0' is None at the end of the else branch."),
    (
        float_and,
        tf.errors.InvalidArgumentError,
        "condition of `and` expected to be `tf.bool` scalar",
    ),
    (missing_key, ValueError, r"'found\['v'\]' must also be initialized in the else branch"),
]


@pytest.mark.parametrize(
    ("function", "kind", "message"), ERRORS, ids=lambda x: getattr(x, "__name__", "")
)
def test_errors_name_the_line_and_what_is_wrong(function, kind, message):
    with pytest.raises(kind, match=message) as caught:
        jit(function)(tf.constant(3.0))
    assert type(caught.value) is kind
    first = function.__code__.co_firstlineno
    message = str(caught.value)
    assert message.startswith("in user code:\n\n    File ")
    line = int(message.partition(", line ")[2].partition(",")[0])
    assert first < line < first + 7
    assert f"in {function.__name__}  *" in message


def test_a_name_that_is_not_bound():
    with pytest.raises(UnboundLocalError, match="'y' is used before assignment"):
        jit(not_bound)(tf.constant(3.0))


def test_a_loop_whose_condition_becomes_symbolic_in_its_first_turn():
    @tf.function
    def search(xs, wanted):
        low, high, found = 0, tf.size(xs) - 1, -1
        while low <= high and found < 0:
            middle = (low + high) // 2
            if xs[middle] == wanted:
                found = middle
            elif xs[middle] < wanted:
                low = middle + 1
            else:
                high = middle - 1
        return found

    xs = tf.constant([1, 3, 5, 7, 11])
    assert [search(xs, tf.constant(n)).numpy() for n in (7, 4, 1)] == [3, -1, 0]
