"""Variables, tables, random numbers and printing in functions, and the order of what they do."""

import threading


def a_variable_made_in_a_function(tf, raises):
    @tf.function
    def f(x):
        v = tf.Variable(1.0)
        return v + x

    raises(lambda: f(tf.constant(1.0)), "singleton")


def a_variable_made_once(tf):
    made = []

    @tf.function
    def f(x):
        print("trace", len(made))
        if not made:
            made.append(tf.Variable(2.0))
        return made[0].assign_add(x)

    print(f(tf.constant(1.0)).numpy(), f(tf.constant(1.0)).numpy(), made[0].numpy())
    print(f.experimental_get_tracing_count())


def a_variable_made_at_a_later_trace(tf, raises):
    made = {}

    @tf.function
    def f(x, key):
        if key not in made:
            made[key] = tf.Variable(1.0)
        return made[key] * x

    print(f(tf.constant(2.0), "a").numpy(), f(tf.constant(2.0), "a").numpy())
    raises(lambda: f(tf.constant(2.0), "b"))


def a_variable_whose_initial_value_is_an_argument(tf, raises):
    made = []

    @tf.function
    def f(x):
        if not made:
            made.append(tf.Variable(x * 2))
        return made[0] + x

    print(f(tf.constant(3.0)).numpy(), made[0].numpy(), f(tf.constant(5.0)).numpy())


def a_variable_whose_initial_value_is_a_function(tf):
    made = []

    @tf.function
    def f(x):
        if not made:
            made.append(tf.Variable(lambda: tf.ones([2]) * 3, name="lazy"))
        return made[0] + x

    print(f(tf.constant(1.0)).numpy(), made[0].name, made[0].shape)


def a_variable_in_a_branch(tf, raises):
    made = []

    @tf.function
    def f(x):
        if x > 0:
            if not made:
                made.append(tf.Variable(1.0))
            return made[0] + x
        return x

    raises(lambda: print(f(tf.constant(1.0)).numpy()))


def variables_of_two_functions(tf):
    class Counter(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = None

        @tf.function
        def up(self):
            if self.v is None:
                self.v = tf.Variable(0)
            return self.v.assign_add(1)

        @tf.function
        def get(self):
            return self.v.read_value()

    c = Counter()
    print(c.up().numpy(), c.up().numpy(), c.get().numpy(), len(c.variables))


def a_symbolic_variable(tf):
    v = tf.Variable([1.0, 2.0], name="weights")

    @tf.function
    def f():
        print(v)
        print(v.read_value())
        print(v.name, v.shape, v.dtype, v.trainable)
        return v + 1

    print(f().numpy())


def assign_then_read(tf):
    v = tf.Variable(1)

    @tf.function
    def f():
        before = v.read_value()
        v.assign(10)
        middle = v.read_value()
        v.assign_sub(3)
        return before, middle, v.read_value()

    print([t.numpy() for t in f()], v.numpy())


def a_read_before_an_assignment_keeps_its_value(tf):
    v = tf.Variable([1, 2])

    @tf.function
    def f():
        a = v + 0
        b = tf.convert_to_tensor(v)
        c = tf.identity(v)
        v.assign([7, 8])
        return a, b, c, v.value()

    print([t.numpy().tolist() for t in f()])


def assignments_return_the_variable(tf):
    v = tf.Variable(1)

    @tf.function
    def f():
        w = v.assign(5)
        print(w is v, isinstance(w, tf.Variable))
        v.assign(6)
        return w + 0, w.assign_add(1)

    print([t.numpy() for t in f()])
    print(v.assign(3) is v, v.assign_add(1) is v)


def an_assignment_without_use_happens(tf):
    v = tf.Variable(0)

    @tf.function
    def f(x):
        v.assign_add(1)
        unused = x + 100
        return x

    f(tf.constant(1))
    f(tf.constant(1))
    print(v.numpy())


def unused_failures_happen_or_not(tf, raises):
    @tf.function
    def stateful(x):
        tf.debugging.assert_positive(x)
        return tf.constant(1)

    @tf.function
    def stateless(x):
        tf.gather([1, 2], x)
        return tf.constant(2)

    @tf.function
    def check_numerics(x):
        tf.debugging.check_numerics(x, "bad")
        return tf.constant(3)

    raises(lambda: stateful(tf.constant(-1)))
    raises(lambda: stateless(tf.constant(-1)))
    raises(lambda: check_numerics(tf.constant(float("nan"))))


def an_assertion_between_assignments(tf, raises):
    v = tf.Variable(0)

    @tf.function
    def f(x):
        v.assign(1)
        tf.debugging.assert_less(x, 10)
        v.assign(2)

    raises(lambda: f(tf.constant(20)))
    f(tf.constant(5))
    print(v.numpy())


def item_assignment_in_a_function(tf):
    v = tf.Variable([1, 2, 3, 4])

    @tf.function
    def f(x):
        v[1:3].assign([x, x])
        v.scatter_nd_update([[0]], [9])
        return v.read_value()

    print(f(tf.constant(7)).numpy(), v.numpy())


def prints_and_assignments_in_order(tf):
    v = tf.Variable(0)

    @tf.function
    def f():
        for _ in range(3):
            tf.print("value", v)
            v.assign_add(1)
        tf.print("at last", v, "and", v + 1)

    f()


def formats_of_tf_print(tf):
    @tf.function
    def f(x, s):
        tf.print(x, s, 3, "text", [x, 1], {"k": x, "n": None}, (s,))
        tf.print("a", "b", sep="-", end="!\n")
        tf.print(tf.range(20), summarize=2)
        tf.print(tf.range(20), summarize=-1)
        tf.print(tf.ones([2, 2]), tf.constant([True]), tf.constant(1.5, tf.float64))
        tf.print(None, 2.5, True, [])

    f(tf.constant([1.0, 2.0]), tf.constant("s"))


def tf_print_to_stdout(tf):
    import sys

    @tf.function
    def f(x):
        tf.print("to stdout", x, output_stream=sys.stdout)
        tf.print("to stderr", x)
        return x

    f(tf.constant(1))


def the_string_of_a_format(tf):
    @tf.function
    def f(x):
        return tf.strings.format("x is {} and {}", (x, [x, x]))

    print(f(tf.constant([1, 2])).numpy())


def assignments_of_other_shapes(tf, raises):
    v = tf.Variable([1.0, 2.0])
    u = tf.Variable([1.0], shape=tf.TensorShape([None]))

    @tf.function
    def f(var, x):
        return tf.shape(var.assign(x))

    raises(lambda: f(v, tf.ones([3])))
    raises(lambda: f(v, tf.ones([2], tf.int32)))
    print(f(u, tf.ones([3])).numpy(), u.numpy())


def variables_of_unknown_shape(tf):
    v = tf.Variable([1, 2], shape=tf.TensorShape(None))

    @tf.function
    def f():
        print(v.shape, v.read_value().shape)
        return tf.size(v)

    print(f().numpy())
    v.assign([[1, 2], [3, 4]])
    print(f().numpy(), f.experimental_get_tracing_count())


def a_python_attribute_is_no_state(tf):
    class Counter(tf.Module):
        def __init__(self):
            super().__init__()
            self.python = 0
            self.tensor = tf.constant(0)
            self.variable = tf.Variable(0)

        @tf.function
        def up(self):
            self.python += 1
            self.variable.assign_add(1)
            return self.python, self.variable.read_value()

    c = Counter()
    print([t.numpy() for t in c.up()], [t.numpy() for t in c.up()], [t.numpy() for t in c.up()])
    print(c.python, c.variable.numpy())


def seeds_outside(tf):
    tf.random.set_seed(7)

    @tf.function
    def f():
        return tf.random.uniform([], maxval=10**6, dtype=tf.int32)

    a, b = f().numpy(), f().numpy()
    tf.random.set_seed(7)
    print(a == b, [f().numpy() == a, f().numpy() == b])


def seeds_outside_and_a_new_function(tf):
    def make():
        @tf.function
        def f():
            return tf.random.uniform([], maxval=10**6, dtype=tf.int32)

        return f

    tf.random.set_seed(7)
    f = make()
    first = [f().numpy() for _ in range(3)]
    tf.random.set_seed(7)
    g = make()
    print(first == [g().numpy() for _ in range(3)], len(set(first)))


def seeds_of_operations_in_a_function(tf):
    tf.random.set_seed(1)

    @tf.function
    def f():
        a = tf.random.normal([], seed=3)
        b = tf.random.normal([], seed=3)
        return a, b

    names = {}
    for pair in (f(), f(), f()):
        print([names.setdefault(float(t), len(names)) for t in pair])


def functions_count_their_operations_for_seeds(tf):
    tf.random.set_seed(1234)

    @tf.function
    def f():
        return tf.random.uniform([]), tf.random.uniform([])

    @tf.function
    def g():
        return tf.random.uniform([])

    names = {}
    print([names.setdefault(float(t), len(names)) for t in (*f(), *f(), g(), g(), *f())])


def functions_and_eager_operations_under_one_seed(tf):
    @tf.function
    def f():
        return tf.random.uniform([])

    names = {}
    for order in ("ffe", "eff", "fef"):
        tf.random.set_seed(3)
        found = [f() if c == "f" else tf.random.uniform([]) for c in order]
        print(order, [names.setdefault(float(t), len(names)) for t in found])


def seeded_operations_without_a_global_seed(tf):
    @tf.function
    def f():
        return tf.random.uniform([], seed=1), tf.random.uniform([], seed=1)

    @tf.function
    def g():
        return tf.random.uniform([], seed=1)

    names = {}
    print([names.setdefault(float(t), len(names)) for t in (*f(), *f(), g(), g())])
    eager = [tf.random.uniform([], seed=1) for _ in range(3)]
    print([names.setdefault(float(t), len(names)) for t in eager])


def seeds_in_a_loop_of_a_function(tf):
    tf.random.set_seed(1)

    @tf.function
    def f():
        ta = tf.TensorArray(tf.float32, 3)
        for i in tf.range(3):
            ta = ta.write(i, tf.random.uniform([], seed=5))
        return ta.stack()

    @tf.function
    def unrolled():
        return [tf.random.uniform([], seed=5) for _ in range(3)]

    names = {}
    print([names.setdefault(float(t), len(names)) for t in f().numpy()])
    print([names.setdefault(float(t), len(names)) for t in unrolled()])


def a_new_trace_begins_its_random_numbers_anew(tf):
    tf.random.set_seed(1)

    @tf.function
    def f(x):
        return tf.random.uniform([])

    names = {}
    found = [f(1), f(1), f(2), f(2), f(1), f(3)]
    print([names.setdefault(float(t), len(names)) for t in found])


def a_seed_set_in_a_function(tf):
    @tf.function
    def f():
        tf.random.set_seed(5)
        return tf.random.uniform([])

    names = {}
    tf.random.set_seed(5)
    found = [f(), f(), tf.random.uniform([])]
    tf.random.set_seed(5)
    found += [f(), tf.random.uniform([])]
    print([names.setdefault(float(t), len(names)) for t in found])


def stateless_random_numbers(tf):
    @tf.function
    def f(seed):
        return tf.random.stateless_uniform([], seed)

    found = [tf.random.stateless_uniform([], [1, 2]), f(tf.constant([1, 2]))]
    found += [f(tf.constant([1, 3])), f([1, 3]), tf.random.stateless_uniform([], [1, 3])]
    names = {}
    print([names.setdefault(float(t), len(names)) for t in found])


def generators(tf):
    g = tf.random.Generator.from_seed(11)
    other = tf.random.Generator.from_seed(11)

    @tf.function
    def f():
        return g.normal([]), g.normal([])

    names = {}
    found = [*f(), *f(), *(other.normal([]) for _ in range(4))]
    print([names.setdefault(float(t), len(names)) for t in found])
    print(g.state.shape, bool(tf.reduce_all(g.state == other.state)))


def a_generator_made_in_a_function(tf, raises):
    made = []

    @tf.function
    def f():
        if not made:
            made.append(tf.random.Generator.from_seed(3))
        return made[0].uniform([])

    print(f().numpy() == f().numpy())

    @tf.function
    def g():
        return tf.random.Generator.from_seed(3).uniform([])

    raises(lambda: g())


def shuffles_in_a_function(tf):
    tf.random.set_seed(2)

    @tf.function
    def f(x):
        return tf.random.shuffle(x), tf.random.shuffle(x, seed=4)

    (a, b), (c, d) = f(tf.range(20)), f(tf.range(20))
    print(all(sorted(t.numpy()) == list(range(20)) for t in (a, b, c, d)))
    print(len({tuple(t.numpy()) for t in (a, b, c, d)}))


def initializers_in_and_out_of_a_function(tf):
    def make():
        return tf.random_normal_initializer(seed=4)

    used = make()

    @tf.function
    def f(kept):
        return used([]) if kept else make()([])

    names = {}
    found = [make()([]), f(False), f(False), f(True), f(True), used([]), used([])]
    print([names.setdefault(float(t), len(names)) for t in found])


def keras_initializers_in_a_function(tf):
    init = tf.keras.initializers.RandomUniform(seed=4)

    @tf.function
    def f():
        return init([])

    names = {}
    found = [init([]), init([]), f(), f()]
    print([names.setdefault(float(t), len(names)) for t in found])


def dropout_in_a_function(tf):
    tf.random.set_seed(3)

    @tf.function
    def f(x, rate):
        return tf.nn.dropout(x, rate)

    a, b = f(tf.ones([50]), 0.5), f(tf.ones([50]), 0.5)
    print(bool(tf.reduce_all(a == b)), sorted(set(a.numpy().tolist())))


def tables_in_a_function(tf):
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), default_value=-1
    )

    @tf.function
    def f(keys):
        return table.lookup(keys), table[keys], table.size()

    print([t.numpy() for t in f(tf.constant(["b", "z"]))])


def mutable_tables_in_a_function(tf):
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=0)

    @tf.function
    def count(word):
        table.insert(word, table.lookup(word) + 1)
        return table.lookup(word)

    print([count(tf.constant(w)).numpy() for w in ("a", "b", "a", "a")], table.size().numpy())


def tensor_arrays_in_a_function(tf):
    @tf.function
    def f(n):
        ta = tf.TensorArray(tf.int32, size=n)
        for i in tf.range(n):
            ta = ta.write(i, i * i)
        return ta.stack(), ta.size(), ta.read(1)

    print([t.numpy() for t in f(tf.constant(4))])


def tensor_arrays_that_grow(tf, raises):
    @tf.function
    def f(n):
        ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            ta = ta.write(ta.size(), i + 10)
        return ta.stack()

    @tf.function
    def fixed(n):
        ta = tf.TensorArray(tf.int32, size=1)
        for i in tf.range(n):
            ta = ta.write(i, i)
        return ta.stack()

    print(f(tf.constant(3)).numpy())
    raises(lambda: fixed(tf.constant(3)))


def a_write_that_is_not_kept(tf):
    @tf.function
    def f():
        ta = tf.TensorArray(tf.float32, size=2, clear_after_read=False)
        ta = ta.write(0, 1.0)
        ta.write(1, 5.0)
        return ta.stack()

    print(f().numpy())


def a_tensor_array_is_returned(tf, raises):
    @tf.function
    def f():
        ta = tf.TensorArray(tf.int32, size=2)
        return ta.unstack([1, 2])

    raises(lambda: print(f().stack().numpy()))


def tensor_arrays_concat_gather_split(tf):
    @tf.function
    def f(x):
        ta = tf.TensorArray(tf.int32, size=2, infer_shape=False)
        ta = ta.split(x, [1, 3])
        return ta.concat(), tf.TensorArray(tf.int32, 4).unstack(x).gather([3, 0])

    print([t.numpy() for t in f(tf.constant([1, 2, 3, 4]))])


def iterators_in_a_function(tf):
    it = iter(tf.data.Dataset.range(10))

    @tf.function
    def f(it):
        return next(it) * 10

    print(f(it).numpy(), f(it).numpy(), next(it).numpy(), f(it).numpy())
    print(f.experimental_get_tracing_count())


def an_iterator_that_is_captured(tf, raises):
    it = iter(tf.data.Dataset.range(2))

    @tf.function
    def f():
        return next(it)

    print(f().numpy(), f().numpy())
    raises(lambda: f())


def an_iterator_made_in_a_function(tf):
    @tf.function
    def f(n):
        it = iter(tf.data.Dataset.range(n))
        return next(it), next(it), it.get_next_as_optional().has_value()

    print([t.numpy() for t in f(tf.constant(3, tf.int64))])
    print([t.numpy() for t in f(tf.constant(2, tf.int64))])


def control_dependencies(tf):
    v = tf.Variable(1)

    @tf.function
    def f():
        with tf.control_dependencies([v.assign_add(5)]):
            a = tf.identity(v)
        b = v.assign_add(1).read_value()
        return a, b, tf.group(v.assign(0)) is None

    print([t.numpy() for t in f()], v.numpy())


def what_tf_group_returns(tf):
    v = tf.Variable(1)

    @tf.function
    def f():
        done = tf.group(v.assign(2), v.assign_add(3))
        print(type(done).__name__, done.type)
        with tf.control_dependencies([done]):
            return v.read_value()

    print(f().numpy(), tf.group(v.assign(1)))


def order_through_nested_functions(tf):
    v = tf.Variable(1)

    @tf.function
    def double():
        v.assign(v * 2)

    @tf.function
    def add():
        v.assign_add(3)

    @tf.function
    def f():
        double()
        add()
        double()
        return v.read_value()

    print(f().numpy(), f().numpy())


def threads_change_a_variable(tf):
    v = tf.Variable(0)

    @tf.function
    def f():
        v.assign_add(1)

    f()
    threads = [threading.Thread(target=lambda: [f() for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(v.numpy())


def a_failed_trace_leaves_the_variable(tf, raises):
    v = tf.Variable(1)

    @tf.function
    def f():
        v.assign(5)
        raise RuntimeError("while tracing")

    raises(lambda: f(), "while tracing")
    print(v.numpy())


def a_variable_made_in_a_failed_trace(tf, raises):
    made = []
    fail = [True]

    @tf.function
    def f():
        if not made:
            made.append(tf.Variable(1.0))
        if fail:
            fail.clear()
            raise RuntimeError("once")
        return made[0] + 1.0

    raises(lambda: f())
    print(type(made[0]).__name__ != "")
    raises(lambda: print(f().numpy()))


def queues_in_a_function(tf):
    queue = tf.queue.FIFOQueue(3, [tf.int32], shapes=[[]])

    @tf.function
    def f(x):
        queue.enqueue(x)
        queue.enqueue(x + 1)
        return queue.dequeue(), queue.size()

    print([t.numpy() for t in f(tf.constant(5))], queue.dequeue().numpy())


def timestamps_and_counters_are_operations(tf):
    v = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def f():
        return tf.timestamp() > 0, v.count_up_to(3)

    print([t.numpy() for t in f()], v.numpy())


def variable_with_a_constraint_and_caching(tf):
    v = tf.Variable(-1.0, constraint=tf.abs)

    @tf.function
    def f():
        v.assign(v.constraint(v))
        return v.value()

    print(f().numpy())


def optimizer_in_a_function(tf):
    w = tf.Variable(1.0)
    optimizer = tf.keras.optimizers.SGD(0.5, momentum=0.5)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = (w - 3.0) ** 2
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        return loss

    print([round(float(step()), 4) for _ in range(3)], round(float(w), 4))
    print(int(optimizer.iterations))


def keras_layers_in_a_function(tf):
    layer = tf.keras.layers.Dense(2, kernel_initializer="ones", bias_initializer="ones")
    calls = []

    @tf.function
    def f(x):
        calls.append(x.shape)
        return layer(x)

    print(f(tf.ones([1, 3])).numpy().tolist(), f(tf.ones([1, 3])).numpy().tolist())
    print(len(layer.weights), calls)


def keras_models_and_training_flags(tf):
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.layers.Dropout(0.5)])

    @tf.function
    def f(x, training):
        print("trace", training)
        return model(x, training=training)

    print(bool(tf.reduce_all(f(tf.ones([1, 20]), False) == 1.0)))
    print(bool(tf.reduce_all(f(tf.ones([1, 20]), True) == 1.0)))
    f(tf.ones([1, 20]), training=True)


def keras_metrics_in_a_function(tf):
    mean = tf.keras.metrics.Mean()

    @tf.function
    def f(x):
        mean.update_state(x)
        return mean.result()

    print(f(tf.constant(1.0)).numpy(), f(tf.constant(3.0)).numpy(), float(mean.result()))


def batch_normalization_updates_in_a_function(tf):
    layer = tf.keras.layers.BatchNormalization(momentum=0.5)

    @tf.function
    def f(x):
        return layer(x, training=True)

    f(tf.constant([[1.0], [3.0]]))
    print(layer.moving_mean.numpy(), layer.moving_variance.numpy())
    f(tf.constant([[1.0], [3.0]]))
    print(layer.moving_mean.numpy())
