"""Variables, random numbers and threads of compiled functions."""

from __future__ import annotations

import threading

import numpy as np
import pytest

pytest.importorskip("jax")

import gradtape as tf

pytestmark = pytest.mark.slow


def jit(function=None, **options):
    return tf.function(function, jit_compile=True, **options)


def test_a_tape_outside_sees_the_numbers_that_were_drawn():
    f = jit(lambda x: tf.nn.dropout(x, 0.5) * x)
    x = tf.constant(np.linspace(1, 2, 50, dtype=np.float32))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    want = 2 * y.numpy() / x.numpy()
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), want, rtol=1e-6)
    np.testing.assert_allclose(np.diag(tape.jacobian(y, x).numpy()), want, rtol=1e-6)


def test_a_generator_is_where_it_would_be_without_compiling():
    compiled, eager = (tf.random.Generator.from_seed(7) for _ in range(2))
    f = jit(lambda: (compiled.normal([3]), compiled.uniform([5])))
    for _ in range(2):
        f()
        eager.normal([3])
        eager.uniform([5])
        assert compiled.state.numpy().tolist() == eager.state.numpy().tolist()


def test_variables_that_the_first_call_makes():
    class Dense(tf.Module):
        def __init__(self):
            self.w = None

        @jit
        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable(tf.random.normal([2, 3]))
                self.b = tf.Variable(tf.zeros([3]))
                self.sum = tf.Variable(tf.reduce_sum(x))
            self.sum.assign_add(1.0)
            return x @ self.w + self.b

    layer, x = Dense(), tf.ones([1, 2])
    with tf.GradientTape() as tape:
        y = layer(x)
    np.testing.assert_allclose(y.numpy(), [layer.w.numpy().sum(0)], rtol=1e-6)
    grads = tape.gradient(y, [layer.w, layer.b])
    assert [g.numpy().tolist() for g in grads] == [[[1] * 3] * 2, [1] * 3]
    assert (layer(x).numpy() == y.numpy()).all()
    assert layer.sum.numpy() == 4
    layer.b.assign([1.0, 1.0, 1.0])
    np.testing.assert_allclose(layer(x).numpy(), y.numpy() + 1, rtol=1e-6)


def test_variables_that_every_call_makes():
    kept = []

    @jit
    def f(x):
        kept.append(tf.Variable(x))
        return x

    for function in (f, jit(lambda x: tf.Variable(x) * 2.0)):
        with pytest.raises(ValueError, match=r"singleton tf\.Variables"):
            function(tf.constant(1.0))


def test_slices_of_variables():
    v = tf.Variable(tf.reshape(tf.range(12.0), [3, 4]))

    @jit
    def f(i, x):
        v[1].assign([9.0, 8.0, 7.0, 6.0])
        v[:, 1:3].assign_add([[x, 2 * x]])
        v[i, 0].assign(x)
        v[i].assign_sub(tf.ones([4]))
        return v[i]

    i, x = tf.constant(2), tf.constant(0.5)
    got, compiled = f(i, x).numpy(), v.numpy()
    v.assign(tf.reshape(tf.range(12.0), [3, 4]))
    np.testing.assert_allclose(got, f.python_function(i, x).numpy())
    np.testing.assert_allclose(compiled, v.numpy())
    with pytest.raises(ValueError, match="Cannot broadcast"):
        jit(lambda x: v[0].assign(x))(tf.zeros([3]))


def test_threads_lose_no_updates():
    v, w = tf.Variable(0.0), tf.Variable([0, 0], dtype=tf.int64)

    runs = []

    @jit
    def f(x):
        runs.append(x)
        v.assign_add(x)
        w.assign_add([1, 2])
        return v.read_value()

    def work():
        for _ in range(25):
            f(tf.constant(1.0))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (v.numpy(), w.numpy().tolist(), len(runs)) == (100, [100, 200], 1)


def test_gradients_of_graphs():
    def f(x):
        y = x * x
        return tf.gradients(y, x)[0] + tf.gradients(tf.gradients(y, x), x)[0]

    def slope(y, x):
        return tf.gradients(y, x)[0]

    assert float(jit(f)(tf.constant(3.0))) == 8
    assert float(jit(lambda x: slope(tf.sin(x), x))(tf.constant(0.0))) == 1


def test_reading_beside_a_thread_that_writes_large_variables():
    """A large variable's memory goes to its next value, which readers must live with."""
    big = tf.Variable(tf.zeros([600, 600]))

    @tf.function(jit_compile=True)
    def write(x):
        big.assign_add(tf.ones([600, 600]) * x)

    @tf.function(jit_compile=True)
    def read(x):
        return tf.reduce_min(big) * x, tf.reduce_max(big) * x

    one, wrong, stop = tf.constant(1.0), [], threading.Event()

    def reading():
        try:
            while not stop.is_set():
                low, high = read(one)
                if low.numpy() != high.numpy():
                    wrong.append((low, high))
        except Exception as error:  # noqa: BLE001
            wrong.append(error)

    write(one), read(one)
    threads = [threading.Thread(target=reading) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(300):
        write(one)
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong, wrong[:2]
    assert big.numpy()[0, 0] == 301


def test_a_tape_still_needs_what_a_program_would_write_into():
    v = tf.Variable(tf.fill([600, 600], 2.0))

    @tf.function(jit_compile=True)
    def loss(x):
        return tf.reduce_sum(v * v) * x

    @tf.function(jit_compile=True)
    def update():
        v.assign(v * 10)

    x = tf.constant(1.0)
    loss(x), update()
    for k in range(3):
        with tf.GradientTape() as tape:
            y = loss(x)
        update()
        assert tape.gradient(y, v).numpy()[0, 0] == 4.0 * 10 ** (k + 1)
        del tape, y
    assert "in place" in update.explain()


def test_gradients_of_a_method_whose_instance_is_gone():
    class Model:
        def __init__(self):
            self.v = tf.Variable(3.0)

        @tf.function(jit_compile=True)
        def step(self, x):
            return x**3 * self.v

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = Model().step(x)
        slope = inner.gradient(y, x)
    assert (slope.numpy(), outer.gradient(slope, x).numpy()) == (36, 36)


def test_threads_call_a_function_of_shapes_for_the_first_time():
    for _ in range(3):
        reshape = tf.function(lambda s, x: tf.reshape(x, s), jit_compile=True)
        x, found = tf.range(6.0), []

        def call(shape, reshape=reshape, x=x, found=found):
            try:
                found.append(reshape(tf.constant(shape), x).shape == shape)
            except Exception as error:  # noqa: BLE001
                found.append(error)

        threads = [threading.Thread(target=call, args=([a, 6 // a],)) for a in (1, 2, 3, 6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [True] * 4
