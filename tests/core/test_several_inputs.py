"""The path of operations with several inputs, beside the one that `bind` describes."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.core.primitive import bind
from gradtape._src.core.several_inputs import bind_any_number, bind_several
from gradtape._src.declare.general import General


def declared(binder, same=None, dtypes=None, rules="xyz"):
    """Returns `a * x + 2 y + z` as an operation with rules for some inputs."""

    def kernel(x, y, z, *, a):
        return a * x + 2 * y + z

    every = {"x": lambda g, a: g * a, "y": lambda g: g * 2, "z": lambda g: g}
    vjps = {name: every[name] for name in rules}
    return binder(General("Sum3", kernel, vjps, {}, (), None, False, dtypes, same))


@pytest.mark.parametrize("rules", ["xyz", "yz", "x", ""])
@pytest.mark.parametrize("watched", [(), (0,), (1, 2), (0, 2), (0, 1, 2)])
def test_it_records_what_bind_records(rules, watched):
    found = []
    for binder in (bind, bind_several):
        run = declared(binder, rules=rules)
        xs = [tf.constant(np.arange(3.0) + k) for k in range(3)]
        with tf.GradientTape() as outer, tf.GradientTape() as tape:
            for k in watched:
                tape.watch(xs[k])
            outer.watch(xs[2])
            y = run(*xs, a=5.0)
        assert y._id in outer.ids or not outer.records
        lengths = len(tape.records), len(outer.records)
        places = [[bool(i) for i in record[2]] for t in (tape, outer) for record in t.records]
        slopes = [tape.gradient(y, xs), outer.gradient(y, xs)]
        values = [[None if g is None else g.numpy().tolist() for g in each] for each in slopes]
        found.append((lengths, places, values, y.numpy().tolist()))
    assert found[0] == found[1]
    assert bool(found[1][0][0]) == any("xyz"[k] in rules for k in watched)


def test_raw_values_give_raw_values_and_mixed_ones_tensors():
    run = declared(bind_several)
    assert type(run(1.0, 2.0, 3.0, a=1.0)) is float
    assert float(run(tf.constant(1.0), np.float32(2), np.float32(3), a=1.0)) == 8


@pytest.mark.parametrize("binder", [bind, bind_several])
def test_inputs_of_one_dtype_are_checked(binder):
    run = declared(binder, same=slice(1, 3), dtypes=frozenset({np.float32}))
    x, y = tf.constant(1, tf.int32), tf.constant(2.0)
    assert run(x, y, y, a=1).numpy() == 7
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(x, y, tf.constant(2.0, tf.float64), a=1)
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(x, x, x, a=1)


def test_several_outputs_are_recorded():
    def kernel(x, y):
        return x + y, x * y

    vjps = {"x": lambda g, y: g[0] + g[1] * y, "y": lambda g, x: g[0] + g[1] * x}
    run = bind_several(General("Both", kernel, vjps, {}, (), None, False, None, None))
    x, y = tf.constant(3.0), tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        total, product = run(x, y)
        z = 2 * total + product
    assert [float(g) for g in tape.gradient(z, [x, y])] == [7, 5]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 9])
def test_any_number_of_inputs(count):
    vjps = {"xs": lambda g, xs_shape, a: [g * a for _ in xs_shape]}
    primitive = General(
        "Total", lambda *xs, a: a * sum(xs[1:], xs[0]), vjps, {}, (), None, False, None, slice(None)
    )
    run = bind_any_number(primitive)
    xs = [tf.constant(k + 1.0) for k in range(count)]
    with tf.GradientTape() as tape:
        tape.watch(xs[-1])
        y = run(*xs, a=3.0)
    assert float(y) == 3 * sum(range(1, count + 1))
    slopes = tape.gradient(y, xs)
    assert [s is None for s in slopes] == [True] * (count - 1) + [False]
    assert float(slopes[-1]) == 3
    if count > 1:
        with pytest.raises(tf.errors.InvalidArgumentError):
            run(*xs[:-1], tf.constant(1.0, tf.float64), a=3.0)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_list_is_left_alone_unless_it_is_usual(count):
    vjps = {"xs": lambda g, xs_shape, a: [g * a for _ in xs_shape]}
    primitive = General(
        "Sum",
        lambda *xs, a: a * sum(xs[1:], xs[0]),
        vjps,
        {},
        ["xs"],
        None,
        False,
        None,
        slice(None),
    )
    run = bind_any_number(primitive)
    xs = [tf.constant([k + 1.0]) for k in range(count)]
    records = []
    run(*xs, a=1.0)
    for work in (lambda: run(*xs, a=3.0), lambda: run.of_list[count](xs, a=3.0)):
        with tf.GradientTape() as tape:
            tape.watch(xs[1:])
            y = work()
        records += [[(plan, saved, static) for plan, _, _, saved, static in tape.records]]
        assert [i > 0 for i in tape.records[0][2]] == [False, *[True] * (count - 1)]
        assert float(y[0]) == 3 * sum(range(1, count + 1))
    assert records[0] == records[1]
    of_list = run.of_list[count]
    assert of_list([*xs[1:], np.ones(1, "f4")], a=1.0) is None
    assert of_list([*xs[1:], tf.constant([1.0], tf.float64)], a=1.0) is None
    assert of_list([*xs[1:], tf.ones([2])], a="?") is None
    with tf.autodiff.ForwardAccumulator(xs[0], xs[0]):
        assert of_list(xs, a=1.0) is None
