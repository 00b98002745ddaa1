"""Each cause of a gradient that is None, explained with the right line.

A test marks the line that an explanation must name with `# <-`.
"""

import numpy as np
import pytest
from marked_lines import check_cause

import gradtape as tf
from gradtape._src.declare.general import REGISTRY
from gradtape.debugging import Cause, explanations

# The seeds' five ways to None.


@explanations()
def test_a_variable_replaced_by_a_tensor():
    x = tf.Variable(2.0)
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x + 1
        gradient = tape.gradient(y, x)
        if gradient is None:
            why = tape.explain(y, x)
        x = x + 1  # <-
    check_cause(why, Cause.VARIABLE_REPLACED, source="x", target="y")
    assert "assign" in why.mend


@explanations()
def test_numpy_on_the_way():
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]], dtype=tf.float32)
    with tf.GradientTape() as tape:
        x2 = x**2
        y = np.mean(x2, axis=0)  # <-
        y = tf.reduce_mean(y, axis=0)
    assert tape.gradient(y, x) is None
    why = check_cause(tape.explain(y, x), Cause.NUMPY, certain=True)
    assert why.tensor.name == "x2"
    assert why.tensor.shape == (2, 2)
    assert [step.operation for step in why.path] == ["Square"] or why.path[0].operation == "Pow"
    assert "tf.reduce_mean" in why.mend


@explanations()
def test_an_integer_variable():
    x = tf.Variable([[2, 2], [2, 2]])  # <-
    with tf.GradientTape() as tape:
        y = tf.cast(x, tf.float32)
        y = tf.reduce_sum(x)
    assert tape.gradient(y, x) is None
    why = check_cause(tape.explain(y, x), Cause.NOT_DIFFERENTIABLE_DTYPE)
    assert why.tensor.dtype == "int32"


@explanations()
def test_a_cast_to_an_integer():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        a = x * 2.0
        b = tf.cast(a, tf.int32)  # <-
        y = tf.reduce_sum(tf.cast(b, tf.float32))
    assert tape.gradient(y, x) is None
    why = check_cause(tape.explain(y, x), Cause.NOT_DIFFERENTIABLE_DTYPE, operation="Cast")
    assert (why.tensor.name, why.tensor.dtype) == ("b", "int32")
    assert [s.name for s in why.path] == ["a"]


@explanations()
def test_a_variable_assigned():
    x0 = tf.Variable(3.0)
    x1 = tf.Variable(0.0, name="x1")
    with tf.GradientTape() as tape:
        x1.assign_add(x0)  # <-
        y = x1**2
    assert tape.gradient(y, x0) is None
    why = check_cause(tape.explain(y, x0), Cause.STATE)
    assert "x1" in why.message


@explanations()
def test_variables_and_tensors_of_the_guide():
    x0 = tf.Variable(3.0, name="x0")
    x1 = tf.Variable(3.0, name="x1", trainable=False)
    x2 = tf.Variable(2.0, name="x2") + 1.0
    x3 = tf.constant(3.0, name="x3")
    with tf.GradientTape() as tape:
        y = (x0**2) + (x1**2) + (x2**2)  # <-
    grad = tape.gradient(y, [x0, x1, x2, x3])
    assert [g is None for g in grad] == [False, True, True, True]
    found = tape.explain(y, [x0, x1, x2, x3])
    assert [why.cause for why in found] == [
        Cause.CONNECTED,
        Cause.NOT_TRAINABLE,
        Cause.VARIABLE_REPLACED,
        Cause.NO_PATH,
    ]
    check_cause(found[1], Cause.NOT_TRAINABLE)
    assert "x2 = " in found[2].where.source


@explanations()
def test_watch_accessed_variables_false():
    x0 = tf.Variable(0.0)
    x1 = tf.Variable(10.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x1)
        y0 = tf.math.sin(x0)  # <-
        ys = tf.reduce_sum(y0 + tf.exp(x1))
    assert tape.gradient(ys, x0) is None
    check_cause(tape.explain(ys, x0), Cause.NOT_WATCHED_BY_CHOICE)


@explanations()
def test_a_condition_of_python():
    x = tf.constant(1.0)
    v0 = tf.Variable(2.0, name="v0")
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        if x > 0.0:  # <-
            result = v0**2
    assert tape.gradient(result, x) is None
    why = check_cause(tape.explain(result, x), Cause.CONTROL_FLOW, certain=False)
    assert any("v0" in note for note in why.notes)


@explanations()
def test_no_path():
    x = tf.Variable(2.0, name="x")
    y = tf.Variable(3.0, name="y")
    with tf.GradientTape() as tape:
        z = y * y  # <-
    assert tape.gradient(z, x) is None
    why = check_cause(tape.explain(z, x), Cause.NO_PATH)
    assert why.notes == ("z depends on y.",)


@explanations()
def test_never_watched():
    x = tf.constant(3.0)
    w = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * w  # <-
    assert tape.gradient(y, x) is None
    check_cause(tape.explain(y, x), Cause.NEVER_WATCHED)


@explanations()
def test_watched_late():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x  # <-
        tape.watch(x)
    assert tape.gradient(y, x) is None
    check_cause(tape.explain(y, x), Cause.WATCHED_LATE)


@explanations()
def test_stop_gradient():
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y_sq = y**2
        z = x**2 + tf.stop_gradient(y_sq)  # <-
    assert tape.gradient(z, y) is None
    why = check_cause(tape.explain(z, y), Cause.STOP_GRADIENT)
    text, marks = why.where.marked
    assert text[marks.index("^") : marks.rindex("^") + 1] == "tf.stop_gradient(y_sq)"


@explanations()
def test_stop_recording():
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        x_sq = x * x
        with tape.stop_recording():
            y_sq = y * y  # <-
        z = x_sq + y_sq
    assert tape.gradient(z, y) is None
    check_cause(tape.explain(z, y), Cause.STOP_RECORDING)
    assert tape.explain(z, x).cause is Cause.CONNECTED


@explanations()
def test_reset():
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y_sq = y * y
        tape.reset()  # <-
        z = x * x + y_sq
    assert tape.gradient(z, y) is None
    check_cause(tape.explain(z, y), Cause.TAPE_RESET)


@explanations()
def test_watch_forgotten_by_reset():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        tape.reset()  # <-
        z = x * x
    assert tape.gradient(z, x) is None
    check_cause(tape.explain(z, x), Cause.TAPE_RESET)


@explanations()
def test_before_the_tape():
    x = tf.Variable(2.0)
    w = tf.Variable(2.0)
    a = x * 3.0  # <-
    with tf.GradientTape() as tape:
        y = a * w
    assert tape.gradient(y, x) is None
    check_cause(tape.explain(y, x), Cause.OUTSIDE_TAPE)


@explanations()
def test_after_the_tape():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    loss = y + 1.0  # <-
    assert tape.gradient(loss, x) is None
    check_cause(tape.explain(loss, x), Cause.OUTSIDE_TAPE)


@explanations()
def test_a_derivative_taken_outside_the_outer_tape():
    x = tf.Variable(2.0)
    with tf.GradientTape() as inner:
        y = x**3
    with tf.GradientTape() as outer:
        dy = inner.gradient(y, x)
        w = tf.Variable(1.0)
        z = dy * w
    assert outer.gradient(z, x) is None
    why = outer.explain(z, x)
    assert why.cause is Cause.OUTSIDE_TAPE
    assert "x**3" in why.where.source


@pytest.mark.parametrize("operation", ["argmax", "floor", "greater"])
@explanations()
def test_operations_without_a_gradient(operation):
    x = tf.Variable([1.0, 2.5])
    run = {"argmax": lambda v: tf.argmax(v), "floor": tf.floor, "greater": lambda v: v > 0}
    with tf.GradientTape() as tape:
        a = x * 2.0
        b = tf.cast(run[operation](a), tf.float32)
        y = tf.reduce_sum(b) * tf.reduce_sum(tf.stop_gradient(x))
    assert tape.gradient(y, x) is None
    why = tape.explain(y, x)
    assert why.cause is Cause.NOT_DIFFERENTIABLE_OPERATION
    assert why.operation == {"argmax": "ArgMax", "floor": "Floor", "greater": "Greater"}[operation]
    assert any("stop_gradient" in note for note in why.notes)


@pytest.mark.parametrize("persistent", [False, True])
@explanations()
def test_custom_gradient_with_none(persistent):
    @tf.custom_gradient
    def halve(x, w):
        return x * w, lambda dy: (None, dy * x)

    x, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(persistent=persistent) as tape:
        y = halve(x * 1.0, w)  # <-
    assert tape.gradient(y, x) is None
    check_cause(tape.explain(y, x), Cause.CUSTOM_GRADIENT)
    if persistent:
        assert tape.explain(y, w).cause is Cause.CONNECTED


@explanations()
def test_float_and_back():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        s = float(x * x)  # <-
        y = tf.constant(s) * tf.Variable(1.0)
    assert tape.gradient(y, x) is None
    why = check_cause(tape.explain(y, x), Cause.NUMPY, certain=True)
    assert "float" in why.mend


@explanations()
def test_a_target_that_is_a_number():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
        loss = y.numpy()  # <-
    check_cause(tape.explain(loss, x), Cause.NUMPY)


@explanations()
def test_a_dataset():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        a = x * 3.0
        for b in tf.data.Dataset.from_tensors(a):
            y = tf.reduce_sum(b)  # <-
    assert tape.gradient(y, x) is None
    check_cause(tape.explain(y, x), Cause.STATE)


@explanations()
def test_a_queue():
    x = tf.Variable([1.0, 2.0])
    queue = tf.queue.FIFOQueue(3, [tf.float32])
    with tf.GradientTape() as tape:
        a = x * 3.0
        queue.enqueue(a)
        y = tf.reduce_sum(queue.dequeue())  # <-
    assert tape.gradient(y, x) is None
    check_cause(tape.explain(y, x), Cause.STATE)


@explanations()
def test_source_made_after():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
        z = x * 3.0  # <-
    assert tape.gradient(y, z) is None
    why = check_cause(tape.explain(y, z), Cause.MADE_AFTER)
    assert any("computed from" in note for note in why.notes)


def test_it_is_not_none():
    x = tf.Variable(2.0)
    with explanations(), tf.GradientTape() as tape:
        a = x * x
        y = tf.sin(a)
    why = tape.explain(y, x)
    assert why.cause is Cause.CONNECTED
    assert not why.is_none
    assert [(s.operation, s.place.source.split("=")[0].strip()) for s in why.path] == [
        ("Mul", "a"),
        ("Sin", "y"),
    ]
    assert tape.gradient(y, x) is not None  # nothing was used up


def test_a_used_tape_remembers_in_the_mode_only():
    x, c = tf.Variable(2.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = c * tf.stop_gradient(x * x)
    assert tape.gradient(y, x) is None
    why = tape.explain(y, x)
    assert why.cause is Cause.TAPE_USED
    assert "enable_explanations" in why.mend


# Without the mode.


def test_without_the_mode_unwatched():
    x = tf.constant(2.0)  # <-
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    check_cause(tape.explain(y, x), Cause.NEVER_WATCHED)


def test_without_the_mode_after_the_gradient():
    x = tf.constant(2.0)  # <-
    w = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * w
    assert tape.gradient(y, x) is None
    check_cause(tape.explain(y, x), Cause.NEVER_WATCHED)


def test_without_the_mode_replaced():
    x = tf.Variable(2.0)
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x + 1
        if tape.gradient(y, x) is None:
            why = tape.explain(y, x)
        x = x + 1  # <-
    check_cause(why, Cause.VARIABLE_REPLACED)


def test_without_the_mode_variables():
    x = tf.Variable(2.0, trainable=False)
    z = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * z
    assert tape.explain(y, x).cause is Cause.NOT_TRAINABLE
    assert tape.explain(y, tf.Variable(1.0)).cause is Cause.NOT_READ
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = x * z
    assert tape.explain(y, z).cause is Cause.NOT_WATCHED_BY_CHOICE


def test_without_the_mode_a_cut_path():
    x, w = tf.Variable(2.0, name="x"), tf.Variable(2.0, name="w")
    with tf.GradientTape(persistent=True) as tape:
        a = tf.exp(x)
        y = w * tf.stop_gradient(a)
        z = tf.stop_gradient(y)
    why = tape.explain(y, x)
    assert why.cause is Cause.NO_PATH
    assert any("ends at the result of Exp" in note for note in why.notes)
    assert any("explanations()" in note for note in why.notes)
    assert tape.explain(z, x).cause is Cause.UNKNOWN


def test_a_tape_never_entered():
    tape = tf.GradientTape()
    x = tf.Variable(1.0)
    assert tape.explain(x * x, x).cause is Cause.TAPE_NEVER_ENTERED


@pytest.fixture
def twice_is_forgotten():
    yield
    REGISTRY.pop("Twice", None)


@pytest.mark.usefixtures("twice_is_forgotten")
def test_opaque_operations():
    @tf.define_op("Twice")
    def twice(x):
        return 2 * x

    x = tf.Variable(1.0)
    with explanations(), tf.GradientTape() as tape:
        y = twice(x) * 1.0  # <-
    why = check_cause(tape.explain(y, x), Cause.NO_GRADIENT_REGISTERED, operation="Twice")
    assert "LookupError" in str(why)


def test_structures_give_structures():
    x, y = tf.Variable(1.0), tf.Variable(2.0)
    with explanations(), tf.GradientTape() as tape:
        z = x * 2.0
    found = tape.explain(z, {"a": x, "b": [y]})
    assert found["a"].cause is Cause.CONNECTED
    assert found["b"][0].cause is Cause.NO_PATH


def test_errors():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(TypeError, match=r"must be a tf\.Tensor or tf\.Variable"):
        tape.explain(y, 3.0)
    with pytest.raises(ValueError, match="limit"):
        tf.debugging.enable_explanations(0)


@explanations()
def test_in_a_function_of_the_program():
    def helper(v):
        s = v * 2.0
        return tf.round(s)

    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = helper(x) + 1.0
    why = tape.explain(y, x)
    assert why.where.function == "helper"
    assert why.where.source.strip() == "return tf.round(s)"
    assert why.tensor.name == "s"
