"""Joining and splitting along an axis."""

import numpy as np
import pytest

import gradtape as tf

BIG = 2**31


@pytest.mark.parametrize(
    ("run", "error"),
    [
        (lambda: tf.split(tf.ones(6), [2, 4], num=3), tf.errors.InvalidArgumentError),
        (lambda: tf.split(tf.ones(6), [2, -1], num=1), tf.errors.InvalidArgumentError),
    ],
)
def test_lengths_that_do_not_add_up(run, error):
    with pytest.raises(error):
        run()


def test_num_of_split_may_repeat_what_the_lengths_say():
    assert [x.shape[0] for x in tf.split(tf.ones(6), [2, -1], num=2)] == [2, 4]
    assert len(tf.split(tf.ones(6), 2, num=3)) == 2


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_unstack_of_an_unknown_rank_needs_the_number_of_parts(axis):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    spec = [tf.TensorSpec(None)]
    parts = tf.function(lambda x: tf.unstack(x, 2, axis), input_signature=spec)
    wanted = [y.numpy().tolist() for y in tf.unstack(x, 2, axis)]
    assert [y.numpy().tolist() for y in parts(x)] == wanted
    assert [y.shape.rank for y in parts.get_concrete_function().structured_outputs] == [None, None]
    with tf.GradientTape() as tape:
        tape.watch(x)
        first, second = parts(x)
        y = tf.reduce_sum(first * second)
    assert tape.gradient(y, x).numpy().tolist() == tf.reverse(x, [axis]).numpy().tolist()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        given = tf.compat.v1.placeholder(tf.float32)
        found = session.run(tf.unstack(given, 2, axis), {given: x.numpy()})
    assert [y.tolist() for y in found] == wanted
    with pytest.raises(tf.errors.InvalidArgumentError, match="must equal 2"):
        parts(tf.zeros([3, 3]))


def test_no_parts_are_given_if_none_are_asked_for():
    assert tf.unstack([[1, 2], [3, 4]], num=0) == []
    with pytest.raises(tf.errors.InvalidArgumentError, match="must equal 3"):
        tf.unstack([[1, 2], [3, 4]], num=3)


@pytest.mark.parametrize("value", ["word", b"word", "", 5, 2.5, True, np.array(3), np.float32(1)])
def test_one_value_that_is_not_in_a_list_is_stacked_with_nothing(value):
    found = tf.stack(value)
    assert found.shape == ()
    assert repr(found) == repr(tf.constant(value))
    with pytest.raises((TypeError, ValueError)):
        tf.stack(value, axis=1)


def drawn_join(random):
    """Returns arrays, a function that joins a list along an axis, and NumPy's result."""
    count, rank = int(random.integers(1, 7)), int(random.integers(0, 4))
    shape = random.integers(0, 4, rank).tolist()
    dtype = random.choice(["f4", "f8", "i4", "f2", "c8"])
    axis = int(random.integers(-rank, rank)) if rank else 0
    stacks = bool(not rank or random.integers(2))
    arrays = []
    for _ in range(count):
        if not stacks:
            shape[axis] = int(random.integers(4))
        arrays.append(random.integers(-9, 9, shape).astype(dtype))
    ours = tf.stack if stacks else tf.concat
    theirs = np.stack if stacks else np.concatenate
    packed = random.choice([list, tuple])
    return arrays, lambda xs: ours(packed(xs), axis), theirs(arrays, axis)


@pytest.mark.parametrize("seed", range(80))
def test_random_joins_are_those_of_numpy(seed):
    random = np.random.default_rng(seed)
    arrays, join, wanted = drawn_join(random)
    xs = [tf.constant(a) for a in arrays]
    for _ in range(2):  # the second one takes the path for a number of inputs that was seen
        found = join(xs)
        np.testing.assert_array_equal(found.numpy(), wanted, strict=True)
    compiled = tf.function(join)(xs)
    np.testing.assert_array_equal(compiled.numpy(), wanted, strict=True)
    if not xs[0].dtype.is_floating:
        return
    watched = [x for x in xs if random.integers(2)] or xs[:1]
    weights = tf.constant(random.integers(-9, 9, wanted.shape).astype(wanted.dtype))
    with tf.GradientTape() as outer, tf.GradientTape(persistent=True) as tape:
        outer.watch(watched)
        tape.watch(watched)
        y = tf.reduce_sum(weights * join(xs) ** 2)
        found = tape.gradient(y, xs)
        total = tf.add_n([tf.reduce_sum(g) for g in found if g is not None])
    slopes = iter(outer.gradient(total, watched))
    for k, x in enumerate(xs):
        at = [np.zeros_like(a) for a in arrays]
        at[k] += 1
        mask = join([tf.constant(a) for a in at]).numpy() == 1
        if not any(x is w for w in watched):
            assert found[k] is None
            continue
        own = weights.numpy()[mask].reshape(x.shape)
        np.testing.assert_array_equal(found[k].numpy(), 2 * own * x.numpy(), strict=True)
        np.testing.assert_array_equal(next(slopes).numpy(), 2 * own, strict=True)

    @tf.function
    def compiled_slopes(*xs):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = tf.reduce_sum(weights * join(xs) ** 2)
        return tape.gradient(y, xs)

    for slope, own in zip(compiled_slopes(*xs), found, strict=True):
        if own is not None:
            np.testing.assert_array_equal(slope.numpy(), own.numpy(), strict=True)
    with tf.autodiff.ForwardAccumulator(watched, [2 * w for w in watched]) as forward:
        y = join(xs)
    held = [
        2 * a if any(x is w for w in watched) else 0 * a for a, x in zip(arrays, xs, strict=True)
    ]
    np.testing.assert_array_equal(
        forward.jvp(y).numpy(), join([tf.constant(a) for a in held]).numpy()
    )
    batches = [tf.stack([x, 2 * x]) for x in xs]
    found = tf.vectorized_map(join, batches)
    np.testing.assert_array_equal(found.numpy(), np.stack([wanted, 2 * wanted]))


def test_lists_with_anything_else_than_tensors_of_one_dtype():
    x, variable = tf.constant([[1.0, 2.0]]), tf.Variable([[3.0, 4.0]])
    for join in (tf.concat, tf.stack):
        for axis in (0, 1, -1):
            y = join([x, x], axis)  # so that the path for two inputs exists
            for other in (variable, x.numpy(), [[1.0, 2.0]], np.float32([[1, 2]])):
                assert join([x, other], axis).shape == y.shape
                assert join((other, x), axis).shape == y.shape
        assert join([x, x], np.int64(0)).shape == join([x, x], tf.constant(0)).shape
        with pytest.raises(tf.errors.InvalidArgumentError):
            join([x, tf.cast(x, tf.float64)], 0)
        with pytest.raises(tf.errors.InvalidArgumentError):
            join([x, tf.ones([2, 3])], 0)
    for axis in (2, 3, 5, -3, -4):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Expected concatenating dim"):
            tf.concat([x, x], axis)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Can't concatenate scalars"):
        tf.concat([tf.constant(1.0), tf.constant(2.0)], 0)


def test_quantized_numbers_and_handles_are_stacked():
    one, two = (tf.bitcast(tf.constant([n, 9], tf.uint8), tf.quint8) for n in (1, 2))
    found = tf.stack([one, two], 1)
    assert found.dtype == tf.quint8
    assert tf.bitcast(found, tf.uint8).numpy().tolist() == [[1, 2], [9, 9]]
    v = tf.Variable(1.0)
    handles = tf.stack([v.handle, v.handle])
    assert (handles.shape, handles.dtype) == ([2], tf.resource)
