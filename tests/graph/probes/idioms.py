"""Common contents of functions in programs: loops of their own, objects, closures, errors."""

import collections
import contextlib
import dataclasses
import functools
import typing


def newton_by_a_while_loop(tf):
    @tf.function
    def root(a):
        x, steps = tf.while_loop(
            lambda x, i: (tf.abs(x * x - a) > 1e-6) & (i < 50),
            lambda x, i: (x - (x * x - a) / (2 * x), i + 1),
            [tf.constant(1.0), tf.constant(0)],
        )
        return x, steps

    for a in (2.0, 9.0, 1.0):
        x, steps = root(tf.constant(a))
        print(x.numpy(), steps.numpy())


def a_training_loop_in_one_function(tf):
    w, b = tf.Variable([0.0, 0.0]), tf.Variable(0.0)
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
    y = tf.constant([5.0, 11.0, 19.0])

    @tf.function
    def train(steps, rate):
        loss = tf.constant(0.0)
        for i in tf.range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.linalg.matvec(x, w) + b - y) ** 2)
            dw, db = tape.gradient(loss, [w, b])
            w.assign_sub(rate * dw)
            b.assign_sub(rate * db)
            if i % 10 == 0:
                tf.print("step", i, output_stream="file:///dev/null")
        return loss

    print(train(tf.constant(30), tf.constant(0.01)).numpy(), w.numpy(), b.numpy())
    print(train(tf.constant(5), tf.constant(0.01)).numpy(), train.experimental_get_tracing_count())


def a_while_loop_with_early_stopping(tf):
    @tf.function
    def descend(x, patience):
        best, waited, step = tf.constant(float("inf")), 0, 0
        while step < 100:
            x = x - 0.2 * (2 * x - 4)
            value = (x - 2) ** 2
            if value < best - 1e-3:
                best, waited = value, 0
            else:
                waited += 1
            if waited >= patience:
                break
            step += 1
        return x, step

    x, step = descend(tf.constant(10.0), tf.constant(3))
    print(x.numpy(), int(step))


def generators_feed_a_function(tf):
    @tf.function
    def add(a, b):
        print("trace")
        return a + b

    def pairs():
        for i in range(4):
            yield tf.constant(float(i)), tf.constant(2.0 * i)

    print(sum(add(a, b).numpy() for a, b in pairs()))


def a_generator_inside(tf):
    def steps(n):
        for i in range(n):
            yield i * 10

    @tf.function
    def f(x):
        for s in steps(3):
            x += s
        return x + sum(i for i in steps(2))

    print(f(tf.constant(1)).numpy())


def closures_made_in_a_loop(tf):
    adders = [tf.function(lambda x, k=k: x + k) for k in range(3)]
    late = [tf.function(lambda x: x + k) for k in range(3)]
    print([f(tf.constant(10)).numpy() for f in adders], [f(tf.constant(10)).numpy() for f in late])


def a_closure_over_what_changes(tf):
    scale = 2.0

    @tf.function
    def f(x):
        return x * scale

    print(f(tf.constant(3.0)).numpy())
    scale = 5.0
    print(f(tf.constant(3.0)).numpy(), f(tf.constant([3.0])).numpy())


def nonlocal_numbers(tf):
    count = 0

    @tf.function
    def f(x):
        nonlocal count
        count += 1
        return x + count

    print(f(tf.constant(0)).numpy(), f(tf.constant(0)).numpy(), f(tf.constant(0.0)).numpy(), count)


def attributes_of_a_class_and_of_an_object(tf):
    class Model:
        factor = 3

        def __init__(self):
            self.offset = 1

        @tf.function
        def __call__(self, x):
            print("trace", self.factor, self.offset)
            return x * self.factor + self.offset

    m = Model()
    print(m(tf.constant(1)).numpy())
    m.offset = 100
    print(m(tf.constant(1)).numpy(), m(tf.constant([1])).numpy(), Model()(tf.constant(1)).numpy())


def named_tuples_in_and_out(tf):
    Point = collections.namedtuple("Point", ["x", "y"])

    @tf.function
    def swapped(p):
        print("trace", type(p).__name__)
        return Point(p.y, p.x * 2)

    out = swapped(Point(tf.constant(1), tf.constant(2)))
    print(type(out).__name__, out.x.numpy(), out.y.numpy())
    swapped(Point(tf.constant(5), tf.constant(6)))


class State(typing.NamedTuple):
    position: typing.Any
    speed: typing.Any = 0.0


def a_typed_named_tuple_in_a_loop(tf):
    @tf.function
    def simulate(state, steps):
        for _ in tf.range(steps):
            speed = state.speed - 0.1 * state.position
            state = State(state.position + 0.1 * speed, speed)
        return state

    out = simulate(State(tf.constant(1.0), tf.constant(0.0)), tf.constant(10))
    print(type(out).__name__, out.position.numpy(), out.speed.numpy())


@dataclasses.dataclass
class Settings:
    rate: float
    layers: int = 2


def a_dataclass_as_an_argument(tf):
    @tf.function
    def f(x, settings):
        print("trace", settings.layers)
        for _ in range(settings.layers):
            x = x * settings.rate
        return x

    one, two = Settings(2.0), Settings(2.0, 3)
    print(f(tf.constant(1.0), one).numpy(), f(tf.constant(1.0), one).numpy())
    print(f(tf.constant(1.0), two).numpy())


def frozen_dataclasses_are_equal(tf):
    @dataclasses.dataclass(frozen=True)
    class Key:
        n: int

    @tf.function
    def f(x, key):
        print("trace", key.n)
        return x + key.n

    print(f(tf.constant(1), Key(1)).numpy(), f(tf.constant(1), Key(1)).numpy())
    print(f(tf.constant(1), Key(2)).numpy(), f.experimental_get_tracing_count())


def deep_structures(tf):
    @tf.function
    def f(batch):
        print("trace", sorted(batch), type(batch["b"]).__name__)
        return {
            "sum": batch["a"] + batch["b"][0],
            "rest": [batch["b"][1]["c"] * 2, (batch["b"][2],)],
            "none": None,
        }

    one = tf.constant(1)
    out = f({"a": one, "b": [one + 1, {"c": one + 2}, one + 3]})
    print(tf.nest.map_structure(lambda t: int(t), {k: v for k, v in out.items() if k != "none"}))
    print(out["none"], tf.nest.map_structure(lambda t: t.shape.rank, out["rest"]))


def random_numbers_by_a_generator(tf):
    generator = tf.random.Generator.from_seed(7)

    @tf.function
    def draw():
        print("trace")
        return generator.uniform([2])

    a, b = draw(), draw()
    print(a.shape, bool(tf.reduce_any(a != b)), generator.state.numpy().tolist()[2:])


def seeds_of_operations_in_functions(tf):
    @tf.function
    def draw():
        return tf.random.uniform([2], seed=3)

    tf.random.set_seed(1)
    first = [draw().numpy().tolist() for _ in range(2)]
    tf.random.set_seed(1)
    again = [tf.function(lambda: tf.random.uniform([2], seed=3))().numpy().tolist()]
    print(first[0] == again[0], first[0] != first[1])


def stateless_numbers_in_a_loop(tf):
    @tf.function
    def f(n):
        total = tf.zeros([])
        for i in tf.range(n):
            total += tf.random.stateless_uniform([], [1, i])
        return total

    a = f(tf.constant(3)).numpy()
    b = sum(tf.random.stateless_uniform([], [1, i]).numpy() for i in range(3))
    print(abs(a - b) < 1e-6)


def methods_of_modules(tf):
    class Dense(tf.Module):
        def __init__(self, n, name=None):
            super().__init__(name)
            self.w = tf.Variable(tf.ones([2, n]), name="w")

        @tf.function
        @tf.Module.with_name_scope
        def __call__(self, x):
            print("trace", self.name)
            return x @ self.w

    class Net(tf.Module):
        def __init__(self):
            super().__init__("net")
            self.layers = [Dense(2, "first"), Dense(1, "second")]

        @tf.function
        def __call__(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    net = Net()
    print(net(tf.ones([1, 2])).numpy(), [v.name for v in net.trainable_variables])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(net(tf.ones([1, 2])))
    print([g.numpy().tolist() for g in tape.gradient(y, net.trainable_variables)])


def variables_made_at_the_first_call(tf):
    class Lazy(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = None

        @tf.function
        def __call__(self, x):
            if self.w is None:
                print("make")
                self.w = tf.Variable(tf.zeros([x.shape[-1]]), name="w")
            return x + self.w

    m = Lazy()
    print(m(tf.ones([2])).numpy(), len(m.variables))
    m.w.assign([1.0, 2.0])
    print(m(tf.ones([2])).numpy(), m(tf.ones([1, 2])).numpy())


def variables_made_at_every_call(tf, raises):
    @tf.function
    def f(x):
        v = tf.Variable(1.0)
        return v.assign_add(x)

    raises(lambda: f(tf.constant(1.0)), "singleton", "first call")


def retracing_is_reduced_for_dictionaries(tf):
    @tf.function(reduce_retracing=True)
    def f(d):
        print("trace", d["a"].shape, d["b"].shape)
        return tf.reduce_sum(d["a"]) + tf.reduce_sum(d["b"])

    for n in (1, 2, 3, 4):
        print(f({"a": tf.ones([n, 2]), "b": tf.ones([3])}).numpy())


def an_early_return_in_nested_loops(tf):
    @tf.function
    def find(rows, wanted):
        for i in tf.range(tf.shape(rows)[0]):
            for j in tf.range(tf.shape(rows)[1]):
                if rows[i, j] == wanted:
                    return tf.stack([i, j])
        return tf.constant([-1, -1])

    rows = tf.reshape(tf.range(6), [2, 3])
    print(find(rows, tf.constant(4)).numpy(), find(rows, tf.constant(9)).numpy())


def break_and_continue_in_nested_loops(tf):
    @tf.function
    def f(n):
        total = 0
        for i in tf.range(n):
            if i % 2 == 0:
                continue
            for j in tf.range(n):
                if j > i:
                    break
                total += i * j
        return total

    print([f(tf.constant(n)).numpy() for n in (0, 3, 6)])


def try_and_finally(tf):
    log = []

    @tf.function
    def f(x):
        try:
            y = x * 2
        finally:
            log.append("finally")
        return y

    print(f(tf.constant(2)).numpy(), f(tf.constant(3)).numpy(), log)


def try_and_except_while_tracing(tf):
    @tf.function
    def f(x, d):
        try:
            return x + d["missing"]
        except KeyError:
            print("except")
            return x - 1

    print(f(tf.constant(2), {"a": 1}).numpy(), f(tf.constant(5), {"a": 1}).numpy())


def try_around_what_fails_in_a_run(tf, raises):
    @tf.function
    def f(x):
        try:
            tf.debugging.assert_positive(x)
        except tf.errors.InvalidArgumentError:
            return tf.constant(0)
        return x

    print(f(tf.constant(3)).numpy())
    raises(lambda: f(tf.constant(-3)))


def context_managers_of_ones_own(tf):
    log = []

    @contextlib.contextmanager
    def noted(name):
        log.append(f"enter {name}")
        yield 10
        log.append(f"exit {name}")

    @tf.function
    def f(x):
        with noted("a") as ten:
            if x > 0:
                x = x + ten
        return x

    print(f(tf.constant(1)).numpy(), f(tf.constant(-1)).numpy(), log)


def comprehensions_over_lists_of_tensors(tf):
    @tf.function
    def f(xs, named):
        doubled = [x * 2 for x in xs if x.shape.rank == 0]
        both = {name: x + 1 for name, x in named.items()}
        return tf.add_n(doubled), both, tuple(x for x in xs)[0]

    total, both, first = f([tf.constant(1), tf.constant(2), tf.ones([2])], {"a": tf.constant(3)})
    print(total.numpy(), {k: v.numpy() for k, v in both.items()}, first.numpy())


def comprehensions_with_unstack(tf):
    @tf.function
    def f(x):
        return tf.stack([tf.reduce_sum(row) for row in tf.unstack(x)] + [x[0, i] for i in range(2)])

    print(f(tf.constant([[1, 2], [3, 4]])).numpy())


def what_raises_inside(tf, raises):
    @tf.function
    def value(x):
        if x.shape.rank != 1:
            raise ValueError(f"expected a vector, got rank {x.shape.rank}")
        return x

    @tf.function
    def custom(x):
        raise NotImplementedError("not yet")

    print(value(tf.ones([1])).numpy())
    raises(lambda: value(tf.ones([])), "expected a vector, got rank 0")
    raises(lambda: custom(1), "not yet")
    print(value(tf.ones([2])).numpy(), value.experimental_get_tracing_count())


def tf_assert_in_a_function(tf, raises):
    @tf.function
    def f(x):
        tf.Assert(tf.reduce_all(x > 0), [x])
        assert tf.reduce_sum(x) < 100, "too large"
        return tf.sqrt(x)

    print(f(tf.constant([4.0])).numpy())
    raises(lambda: f(tf.constant([-4.0])))
    raises(lambda: f(tf.constant([400.0])), "too large")


def printing_to_standard_output(tf):
    import sys

    @tf.function
    def f(x, names):
        tf.print("x is", x, "and", {"a": x * 2}, names, output_stream=sys.stdout, sep="|")
        tf.print(tf.range(10), summarize=2, output_stream=sys.stdout, end=".\n")
        return x

    f(tf.constant([1.5, 2.0]), ("p", 3))


def partials_and_wrapped_functions(tf):
    def scaled(x, by, plus=0):
        return x * by + plus

    f = tf.function(functools.partial(scaled, by=3))
    g = tf.function(functools.partial(scaled, plus=tf.constant(1)))

    @functools.wraps(scaled)
    def inner(*args, **kwargs):
        return scaled(*args, **kwargs)

    h = tf.function(inner)
    one = tf.constant(2)
    print(f(one).numpy(), f(one, plus=1).numpy(), g(one, 5).numpy(), h(one, 4, plus=2).numpy())


def keyword_only_and_default_arguments(tf):
    @tf.function
    def f(x, *rest, scale=2, **more):
        print("trace", len(rest), scale, sorted(more))
        return x * scale + sum(rest) + sum(more.values())

    one = tf.constant(1)
    print(f(one).numpy(), f(one, 1, 2).numpy(), f(one, scale=3).numpy(), f(one, a=one, b=5).numpy())
    print(f(x=one).numpy(), f.experimental_get_tracing_count())


def a_function_that_gives_a_function(tf):
    @tf.function
    def outer(x, op):
        print("trace", op.__name__)
        return op(x)

    def double(x):
        return x * 2

    print(outer(tf.constant(2), double).numpy(), outer(tf.constant(3), double).numpy())
    print(outer(tf.constant(2.0), tf.sqrt).numpy())


def recursion_in_python(tf):
    @tf.function
    def power(x, n):
        print("trace", n)
        return tf.ones_like(x) if n == 0 else x * power(x, n - 1)

    print(power(tf.constant(2), 3).numpy(), power(tf.constant(3), 3).numpy())


def an_accumulator_of_metrics(tf):
    class Mean(tf.Module):
        def __init__(self):
            super().__init__()
            self.total, self.count = tf.Variable(0.0), tf.Variable(0)

        @tf.function
        def update(self, values, weights=None):
            if weights is not None:
                values = values * weights
            self.total.assign_add(tf.reduce_sum(values))
            self.count.assign_add(tf.size(values))

        @tf.function
        def result(self):
            return tf.math.divide_no_nan(self.total, tf.cast(self.count, tf.float32))

        @tf.function
        def reset(self):
            for v in self.variables:
                v.assign(tf.zeros_like(v))

    mean = Mean()
    print(mean.result().numpy(), mean.update(tf.constant([1.0, 2.0])))
    mean.update(tf.constant([4.0]), weights=tf.constant([0.5]))
    print(mean.result().numpy())
    mean.reset()
    print(mean.result().numpy(), mean.count.numpy())


def gradients_are_accumulated_over_batches(tf):
    w = tf.Variable([1.0, 2.0])
    kept = tf.Variable(tf.zeros([2]))

    @tf.function
    def accumulate(data):
        for x in data:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w * x) ** 2
            kept.assign_add(tape.gradient(loss, w))

    @tf.function
    def apply(count):
        w.assign_sub(0.01 * kept / count)
        kept.assign(tf.zeros_like(kept))

    accumulate(tf.data.Dataset.from_tensor_slices([[1.0, 0.0], [1.0, 1.0]]))
    print(kept.numpy())
    apply(tf.constant(2.0))
    print(w.numpy(), kept.numpy())


def a_beam_of_tensor_arrays(tf):
    @tf.function
    def decode(start, n):
        kept = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        token, i = start, 0
        while i < n:
            token = (token * 3 + 1) % 7
            kept = kept.write(i, token)
            if token == 0:
                break
            i += 1
        return kept.stack(), kept.size()

    for start in (1, 2, 5):
        tokens, count = decode(tf.constant(start), tf.constant(6))
        print(tokens.numpy(), count.numpy())


def a_recurrent_cell_of_ones_own(tf):
    w = tf.Variable([[0.5, 0.0], [0.0, 0.25]])

    @tf.function(input_signature=[tf.TensorSpec([None, None, 2])])
    def run(xs):
        n = tf.shape(xs)[1]
        outputs = tf.TensorArray(tf.float32, size=n)
        h = tf.zeros([tf.shape(xs)[0], 2])
        for t in tf.range(n):
            h = tf.tanh(xs[:, t] + h @ w)
            outputs = outputs.write(t, h)
        return tf.transpose(outputs.stack(), [1, 0, 2]), h

    for n in (2, 3):
        ys, h = run(tf.ones([1, n, 2]))
        print(ys.shape, h.numpy())
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(run(tf.ones([2, 4, 2]))[1])
    print(tape.gradient(loss, w).numpy(), run.experimental_get_tracing_count())


def masks_and_lengths_of_sequences(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None], tf.int32)])
    def mean(xs, lengths):
        mask = tf.sequence_mask(lengths, tf.shape(xs)[1], dtype=xs.dtype)
        first = xs[:, : tf.reduce_max(lengths)]
        return tf.reduce_sum(xs * mask, 1) / tf.reduce_sum(mask, 1), tf.shape(first)

    for n in (3, 4):
        means, shape = mean(tf.reshape(tf.range(2.0 * n), [2, n]), tf.constant([1, 2]))
        print(means.numpy(), shape.numpy())
    print(mean.experimental_get_tracing_count())


def padding_to_a_computed_length(tf):
    @tf.function
    def padded(x, n):
        missing = n - tf.shape(x)[0]
        return tf.pad(x, [[0, missing]]), tf.concat([x, tf.zeros([missing])], 0)

    for n in (3, 5):
        a, b = padded(tf.constant([1.0, 2.0, 3.0]), tf.constant(n))
        print(a.numpy(), b.numpy())


def a_reparametrized_sample(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None, 2])])
    def sample(mean, log_variance):
        noise = tf.random.normal(tf.shape(mean))
        return mean + noise * tf.exp(0.5 * log_variance)

    with tf.GradientTape() as tape:
        mean = tf.zeros([3, 2])
        tape.watch(mean)
        z = sample(mean, tf.zeros([3, 2]))
    print(z.shape, tape.gradient(z, mean).numpy())
    print(sample(tf.zeros([5, 2]), tf.zeros([5, 2])).shape, sample.experimental_get_tracing_count())
