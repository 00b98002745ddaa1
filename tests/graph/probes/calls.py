"""Calls of functions: what is traced again, structures, signatures, methods, Python inside."""

import dataclasses
import functools
from typing import NamedTuple

import numpy as np


class State(NamedTuple):
    step: object
    values: object


def what_is_printed_while_tracing(tf):
    @tf.function
    def f(x, n):
        print(x)
        print(n, x * 2)
        print([x], {"x": x}, (x, 1))
        print(f"{x}", str(x), repr(x))
        print(x.shape, x.dtype, x.name)
        return x

    f(tf.constant([1.0, 2.0]), 3)


def traces_by_shape_dtype_and_python(tf):
    @tf.function
    def f(x, training=False, scale=1.0):
        print("trace", x.shape, x.dtype.name, training, scale)
        return x * scale if training else x

    f(tf.ones([2]))
    f(tf.ones([2]), False)
    f(tf.ones([2]), training=False)
    f(tf.ones([3]))
    f(tf.ones([2]), True)
    f(tf.ones([2]), training=True, scale=2.0)
    f(tf.ones([2], tf.float64))
    f(x=tf.ones([2]))
    f(np.ones([2], np.float32))
    print(f.experimental_get_tracing_count())


def concrete_functions_check_what_they_get(tf, raises):
    @tf.function
    def f(x, y=2):
        return x + y

    c = f.get_concrete_function(tf.TensorSpec([2], tf.int32))
    print(c(tf.constant([1, 2])).numpy(), c(x=tf.constant([3, 4])).numpy())
    raises(lambda: c(tf.constant([1, 2, 3])))
    raises(lambda: c(tf.constant([1.0, 2.0])))
    raises(lambda: c(tf.constant([1, 2]), 3))
    raises(lambda: c())
    raises(lambda: c(tf.constant([1, 2]), tf.constant(1)))
    raises(lambda: c([1, 2]))
    print(c.structured_input_signature, c.structured_outputs, c.output_shapes, c.output_dtypes)


def structured_outputs(tf):
    @tf.function
    def f(x):
        return {
            "a": (x, [x + 1, x * 2.0]),
            "b": State(step=x, values={"v": x}),
            "c": None,
            "d": tf.RaggedTensor.from_row_lengths(x, [1, 1]),
        }

    c = f.get_concrete_function(tf.TensorSpec([2], tf.float32))
    print(c.structured_outputs)
    out = f(tf.constant([1.0, 2.0]))
    print(sorted(out), type(out["a"]).__name__, type(out["a"][1]).__name__, type(out["b"]).__name__)
    print(out["c"], out["d"])
    print([t.shape for t in c.outputs])


def results_that_are_no_tensors(tf, raises):
    print(tf.function(lambda: 3)(), tf.function(lambda: "text")(), tf.function(lambda: None)())
    print(tf.function(lambda: [1, 2.0])(), tf.function(lambda: (True,))())
    print(tf.function(lambda: np.arange(2))(), tf.function(lambda: {"a": np.float32(1)})())
    raises(lambda: tf.function(lambda: object())())
    raises(lambda: tf.function(lambda: {1, 2})())
    raises(lambda: tf.function(lambda: tf.float32)())
    raises(lambda: tf.function(lambda: tf.TensorShape([1]))())
    raises(lambda: tf.function(lambda x: x.shape)(tf.ones([2, 3])))
    raises(lambda: tf.function(lambda x: x.dtype)(tf.ones([2, 3])))


def signatures_with_specs_of_many_kinds(tf, raises):
    @tf.function(
        input_signature=[
            tf.TensorSpec([None, 2], tf.float32, name="x"),
            {"a": tf.TensorSpec([], tf.int32), "b": [tf.TensorSpec(None, tf.string)]},
        ]
    )
    def f(x, d):
        print("trace", x.shape, x.name, d["a"].shape, d["b"][0].shape)
        return tf.reduce_sum(x) + tf.cast(d["a"], tf.float32), tf.strings.length(d["b"][0])

    print(
        [
            t.numpy().tolist()
            for t in f(tf.ones([3, 2]), {"a": tf.constant(1), "b": [tf.constant("ab")]})
        ]
    )
    print([t.numpy().tolist() for t in f([[1.0, 2.0]], {"a": 2, "b": [["a", "bcd"]]})])
    raises(lambda: f(tf.ones([3, 3]), {"a": 1, "b": ["x"]}))
    raises(lambda: f(tf.ones([3, 2]), {"a": 1}))
    raises(lambda: f(tf.ones([3, 2])))
    raises(lambda: f(tf.ones([3, 2]), {"a": 1.5, "b": ["x"]}))
    raises(lambda: f(tf.ones([3, 2]), {"a": 1, "b": [5]}))
    print(f.experimental_get_tracing_count())


def signatures_with_ragged_and_sparse(tf, raises):
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
    def ragged(r):
        print("trace", r.shape)
        return tf.reduce_sum(r, 1), r.row_lengths()

    @tf.function(input_signature=[tf.SparseTensorSpec([None, 3], tf.float32)])
    def sparse(s):
        print("trace", s.shape)
        return tf.sparse.reduce_sum(s), tf.sparse.to_dense(s)

    print([t.numpy().tolist() for t in ragged(tf.ragged.constant([[1], [2, 3]]))])
    print([t.numpy().tolist() for t in ragged(tf.ragged.constant([[1, 4, 5], [], [2]]))])
    print([t.numpy().tolist() for t in sparse(tf.sparse.from_dense([[1.0, 0.0, 2.0]]))])
    raises(lambda: ragged(tf.constant([[1, 2]])))
    raises(lambda: sparse(tf.sparse.from_dense([[1.0, 0.0]])))


def signatures_of_methods(tf):
    class Model(tf.Module):
        def __init__(self, k):
            super().__init__()
            self.k = tf.Variable(k)

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def scale(self, x):
            print("trace", x.shape)
            return x * self.k

        @tf.function
        def both(self, x):
            return self.scale(x) + self.scale(x + 1)

    a, b = Model(2.0), Model(3.0)
    print(a.scale([1.0]).numpy(), a.scale([1.0, 2.0]).numpy(), b.scale([1.0]).numpy())
    print(a.both(tf.constant([1.0])).numpy(), b.both(tf.constant([1.0, 2.0])).numpy())
    print(a.scale.get_concrete_function().structured_input_signature)
    print(a.scale.experimental_get_tracing_count(), a.scale.input_signature)


def methods_that_are_overridden(tf):
    class Base:
        @tf.function
        def run(self, x):
            print("run", type(self).__name__)
            return self.step(x)

        def step(self, x):
            return x + 1

    class Derived(Base):
        def step(self, x):
            return super().step(x) * 10

    base, one = Base(), Derived()
    print(base.run(tf.constant(1)).numpy(), base.run(tf.constant(5)).numpy())
    print([one.run(tf.constant(i)).numpy() for i in range(3)])


def attributes_change_after_tracing(tf):
    class Counter:
        def __init__(self):
            self.calls = 0
            self.last = None
            self.offset = 1

        @tf.function
        def add(self, x):
            self.calls += 1
            self.last = x.shape
            return x + self.offset

    c = Counter()
    print(c.add(tf.constant(1)).numpy(), c.add(tf.constant(2)).numpy(), c.calls, c.last)
    c.offset = 100
    print(c.add(tf.constant(1)).numpy(), c.add(tf.constant([1])).numpy(), c.calls, c.last)


def leaked_tensors(tf, raises):
    leaked = []

    @tf.function
    def f(x):
        leaked.append(x + 1)
        leaked.append(tf.constant(3) + x)
        return x

    f(tf.constant(1))
    raises(lambda: leaked[0] + 1, "out of scope")
    raises(lambda: leaked[0].numpy())
    raises(lambda: tf.function(lambda: leaked[1] * 2)(), "out of scope")
    raises(lambda: print(leaked[0].shape, leaked[0].dtype))
    raises(lambda: bool(leaked[0] > 1))
    raises(lambda: tf.reduce_sum([leaked[0], leaked[1]]))


def tensors_kept_on_an_object(tf, raises):
    class Layer(tf.Module):
        def __init__(self):
            super().__init__()
            self.seen = None

        @tf.function
        def __call__(self, x):
            y = x * 2
            if self.seen is None:
                self.seen = y
            return y + self.seen

    layer = Layer()
    print(layer(tf.constant(1)).numpy(), layer(tf.constant(5)).numpy())
    raises(lambda: layer(tf.constant([1, 2])))


def inner_functions_with_state(tf):
    total = tf.Variable(0.0)

    @tf.function
    def add(x):
        print("trace add")
        total.assign_add(x)
        return total.read_value()

    @tf.function
    def twice(x):
        print("trace twice")
        first = add(x)
        second = add(x * 10.0)
        return first, second

    print([t.numpy() for t in twice(tf.constant(1.0))], total.numpy())
    print([t.numpy() for t in twice(tf.constant(2.0))], total.numpy())
    print(add(tf.constant(0.5)).numpy(), add.experimental_get_tracing_count())


def inner_functions_in_branches_and_loops(tf):
    @tf.function
    def double(x):
        print("trace double", x.shape)
        return x * 2

    @tf.function
    def f(x, n):
        if tf.reduce_sum(x) > 0:
            x = double(x)
        else:
            x = -double(x)
        for _ in tf.range(n):
            x = double(x)
        return x

    print(
        f(tf.constant([1.0]), tf.constant(2)).numpy(),
        f(tf.constant([-1.0]), tf.constant(0)).numpy(),
    )
    print(double.experimental_get_tracing_count())


def functions_given_to_functions(tf):
    @tf.function
    def apply(fn, x):
        print("trace", getattr(fn, "__name__", "?"))
        return fn(x)

    def square(x):
        return x * x

    cube = functools.partial(lambda n, x: x**n, 3)
    print(apply(square, tf.constant(3)).numpy(), apply(square, tf.constant(4)).numpy())
    print(apply(cube, tf.constant(2)).numpy(), apply(cube, tf.constant(3)).numpy())
    print(apply(tf.function(square), tf.constant(5)).numpy())
    print(apply(tf.nn.relu, tf.constant(-5)).numpy(), apply.experimental_get_tracing_count())


def data_classes_and_objects_as_state(tf):
    @dataclasses.dataclass(frozen=True)
    class Config:
        size: int
        rate: float = 0.1

    @tf.function
    def f(x, config):
        print("trace", config)
        return x[: config.size] * config.rate

    x = tf.constant([1.0, 2.0, 3.0])
    print(f(x, Config(2)).numpy(), f(x, Config(2)).numpy(), f(x, Config(1, 2.0)).numpy())
    print(f.experimental_get_tracing_count())


def python_functions_with_several_results(tf):
    def stats(x):
        values = x.numpy()
        return values.mean(), values.max(), str(values.shape)

    @tf.function
    def f(x):
        mean, top, text = tf.py_function(stats, [x], [tf.float32, tf.float32, tf.string])
        print(mean.shape, top.shape, text.shape)
        mean.set_shape([])
        return mean + top, text

    print([t.numpy() for t in f(tf.constant([[1.0, 3.0]]))])
    print([t.numpy() for t in f(tf.constant([[1.0, 3.0], [5.0, 7.0]]))])


def python_functions_have_gradients(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(lambda v: v * v * 3.0, [x], tf.float32)
            z = y * 2.0
        return z, tape.gradient(z, x)

    print([t.numpy() for t in f(tf.constant(2.0))])
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(lambda v: tf.py_function(lambda u: u**3, [v], tf.float32))(x)
    print(y.numpy(), tape.gradient(y, x).numpy())


def python_functions_see_eager_tensors(tf):
    seen = []

    def note(x, y):
        seen.append((type(x).__name__, tf.executing_eagerly(), x.numpy().tolist()))
        return np.int32(len(seen))

    @tf.function
    def f(x):
        return tf.py_function(note, [x, x * 2], tf.int32) + tf.py_function(
            note, inp=[x, 1], Tout=tf.int32
        )

    print(f(tf.constant([1])).numpy(), f(tf.constant([2])).numpy())
    print(seen)


def numpy_functions_of_many_kinds(tf, raises):
    @tf.function
    def f(x):
        a = tf.numpy_function(lambda v: v.astype(np.float64).sum(), [x], tf.float64)
        b = tf.numpy_function(lambda v: (v.tolist()[0], v > 1), [x], [tf.int32, tf.bool])
        return a, b, a.shape, b[1].shape

    raises(lambda: f(tf.constant([1, 2])))

    @tf.function
    def g(x):
        a = tf.numpy_function(lambda v: v.astype(np.float64).sum(), [x], tf.float64)
        print(a.shape)
        a = tf.ensure_shape(a, [])
        n = tf.numpy_function(
            lambda v: b"<" + v + b">", [tf.constant("a")], tf.string, stateful=False
        )
        return a * 2, n

    print([t.numpy() for t in g(tf.constant([1, 2]))])
    raises(lambda: tf.function(lambda: tf.numpy_function(lambda: 1 / 0, [], tf.float32))())


def tensor_arrays_in_loops(tf):
    @tf.function
    def powers(x, n):
        out = tf.TensorArray(tf.float32, size=n)
        y = tf.ones_like(x)
        for i in tf.range(n):
            out = out.write(i, y)
            y = y * x
        return out.stack(), out.size()

    print([t.numpy().tolist() for t in powers(tf.constant([1.0, 2.0]), tf.constant(3))])

    @tf.function
    def until(limit):
        out = tf.TensorArray(tf.int32, size=0, dynamic_size=True, element_shape=[])
        i = 0
        while i * i < limit:
            out = out.write(i, i * i)
            i += 1
        return out.stack(), i

    print([t.numpy().tolist() for t in until(tf.constant(10))])

    @tf.function
    def backwards(xs):
        rows = tf.TensorArray(tf.float32, size=tf.shape(xs)[0]).unstack(xs)
        total = tf.zeros_like(xs[0])
        for i in tf.range(tf.shape(xs)[0] - 1, -1, -1):
            total = total * 0.5 + rows.read(i)
        return total

    print(backwards(tf.constant([[1.0], [2.0], [4.0]])).numpy())


def tensor_arrays_have_gradients(tf):
    @tf.function
    def f(x, n):
        out = tf.TensorArray(tf.float32, size=n)
        h = x
        for i in tf.range(n):
            h = tf.sin(h) * x
            out = out.write(i, h)
        return tf.reduce_sum(out.stack())

    x = tf.constant(1.2)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(4))
    print(y.numpy(), tape.gradient(y, x).numpy())


def tensor_arrays_that_concatenate(tf, raises):
    @tf.function
    def f(n):
        out = tf.TensorArray(tf.int32, size=n, infer_shape=False)
        for i in tf.range(n):
            out = out.write(i, tf.fill([i + 1], i))
        return out.concat()

    print(f(tf.constant(3)).numpy())

    @tf.function
    def lists(n):
        found = []
        for i in tf.range(n):
            found.append(i)
        return found

    raises(lambda: lists(tf.constant(3)))

    @tf.function
    def twice():
        a = tf.TensorArray(tf.int32, size=1)
        a = a.write(0, 1)
        return a.read(0), a.read(0)

    raises(lambda: print([t.numpy() for t in twice()]))


def loops_with_shapes_that_change(tf, raises):
    @tf.function
    def grows(x):
        for _ in tf.range(2):
            x = tf.concat([x, x], 0)
        return x

    raises(lambda: grows(tf.constant([1])))

    @tf.function
    def allowed(x):
        for _ in tf.range(2):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None]))]
            )
            x = tf.concat([x, x], 0)
        return x

    raises(lambda: print(allowed(tf.constant([1])).numpy()))

    @tf.function
    def dtype(n):
        x = 0
        for i in tf.range(n):
            x = x + 0.5
        return x

    raises(lambda: print(dtype(tf.constant(2)).numpy()))

    @tf.function
    def undefined(n):
        for i in tf.range(n):
            y = i
        return y

    raises(lambda: print(undefined(tf.constant(2)).numpy()))


def branches_that_differ(tf, raises):
    @tf.function
    def dtype(x):
        if x > 0:
            y = 1
        else:
            y = 2.0
        return y

    @tf.function
    def missing(x):
        if x > 0:
            y = x
        return y

    @tf.function
    def one_returns(x):
        if x > 0:
            return x

    @tf.function
    def none(x):
        y = None
        if x > 0:
            y = x
        return y

    @tf.function
    def structure(x):
        if x > 0:
            y = [x]
        else:
            y = [x, x]
        return y

    for f in (dtype, missing, one_returns, none, structure):
        print(f.__name__, end=" ")
        raises(lambda: f(tf.constant(1)))


def names_of_what_is_traced(tf):
    @tf.function
    def f(x):
        with tf.name_scope("outer"):
            y = tf.add(x, x, name="sum")
            z = x + y
        print(y.name, z.name, (z * z).name, tf.nn.relu(z).name, tf.matmul(z, z).name)
        print(y.op.name, y.op.type, [i.name for i in y.op.inputs], z.graph.name)
        return z

    f(tf.ones([2, 2]))


def retracing_of_inner_closures(tf):
    def make(k):
        @tf.function
        def f(x):
            print("trace", k)
            return x * k

        return f

    fs = [make(k) for k in (1, 2)]
    print([f(tf.constant(3)).numpy() for f in fs for _ in range(2)])

    @tf.function
    def outer(x):
        @tf.function
        def inner(y):
            print("inner")
            return y + x

        return inner(x) + inner(x)

    print(outer(tf.constant(1)).numpy(), outer(tf.constant(2)).numpy())


def errors_while_running_name_the_operation(tf, raises):
    @tf.function
    def f(x, i):
        return tf.gather(x, i)

    @tf.function
    def divide(x, y):
        return x // y

    @tf.function
    def reshape(x, n):
        return tf.reshape(x, [n, 2])

    @tf.function
    def product(x, y):
        return x @ y

    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
    def open_product(x, y):
        return tf.matmul(x, y)

    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
    def total(x, y):
        return x + y

    raises(lambda: f(tf.constant([1]), tf.constant(5)), "indices")
    raises(lambda: divide(tf.constant(1), tf.constant(0)))
    raises(lambda: reshape(tf.ones([3]), tf.constant(2)))
    raises(lambda: product(tf.ones([2, 3]), tf.ones([2, 3])))
    raises(lambda: open_product(tf.ones([2, 3]), tf.ones([2, 3])))
    raises(lambda: total(tf.ones([2]), tf.ones([3])))
    raises(lambda: tf.function(lambda s: tf.strings.to_number(s))(tf.constant("x")))
    raises(lambda: tf.function(lambda x: tf.linalg.cholesky(x))(-tf.eye(2)))
    raises(lambda: tf.function(lambda x: tf.linalg.inv(x))(tf.zeros([2, 2])))


def static_and_dynamic_shapes(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def f(x):
        n = tf.shape(x)[0]
        print(x.shape[0], x.shape[1], x.get_shape().as_list(), n.shape, len(x.shape))
        print(x[0].shape, x[:, 0].shape, x[1:].shape, x[..., None].shape, x[::2, ::-1].shape)
        print(tf.zeros_like(x).shape, tf.ones([n, 2]).shape, tf.range(n).shape)
        print(tf.reshape(x, [n * 3]).shape, tf.transpose(x).shape, tf.concat([x, x], 1).shape)
        print((x + tf.ones([1, 3])).shape, tf.broadcast_to(x, [2, n, 3]).shape)
        print(tf.size(x), tf.rank(x))
        y = tf.reshape(x, [-1])
        y.set_shape([6])
        return y

    print(f(tf.ones([2, 3])).shape)


def gradients_inside_and_outside(tf):
    v = tf.Variable(3.0)

    @tf.function
    def loss(x):
        return v * x**2

    @tf.function
    def step(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = loss(x)
            g = inner.gradient(y, x)
        return g, outer.gradient(g, [x, v])

    print(tf.nest.map_structure(lambda t: t.numpy(), step(tf.constant(2.0))))
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, _ = step(x)
    print(tape.gradient(y, x).numpy())
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = loss(x)
    print(tape.gradient(y, v))


def tapes_across_the_border(tf, raises):
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:

        @tf.function
        def f():
            y = x * x
            with tape.stop_recording():
                z = x * 5.0
            return y, z

        y, z = f()
    print(tape.gradient(y, x).numpy(), tape.gradient(z, x))

    @tf.function
    def use(t, y):
        return t.gradient(y, x)

    with tf.GradientTape(persistent=True) as tape:
        y = x**3
    raises(lambda: print(use(tape, y)))


def optimizers_and_metrics_by_hand(tf):
    w = tf.Variable([1.0, -1.0])
    momentum = tf.Variable(tf.zeros([2]))
    steps = tf.Variable(0, dtype=tf.int64, trainable=False)

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w * x - 1.0) ** 2)
        (g,) = tape.gradient(loss, [w])
        g = tf.clip_by_norm(g, 1.0)
        momentum.assign(0.9 * momentum + g)
        w.assign_sub(0.1 * momentum)
        steps.assign_add(1)
        if steps % 2 == 0:
            tf.print("step", steps, "loss", loss)
        return loss

    print([round(float(step(tf.constant([1.0, 2.0]))), 4) for _ in range(4)])
    print(w.numpy().round(4), steps.numpy())
