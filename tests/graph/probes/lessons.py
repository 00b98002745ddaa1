"""A course on functions, graphs, AutoGraph and datasets, one program a lesson."""

import collections


def a_function_is_a_family_of_graphs(tf):
    @tf.function
    def area(width, height):
        print("building a graph for", width.dtype.name, height.dtype.name)
        return width * height

    print(area(tf.constant(3), tf.constant(4)).numpy())
    print(area(tf.constant(1.5), tf.constant(2.0)).numpy())
    print(area(tf.constant(5), tf.constant(6)).numpy())
    for concrete in sorted(
        map(str, (c.structured_input_signature for c in area._list_all_concrete_functions()))
    ):
        print(concrete)


def graphs_do_only_what_is_needed(tf, raises):
    def eager(x):
        tf.gather(x, [7])
        return x[0]

    raises(lambda: eager(tf.constant([1, 2])))
    raises(lambda: tf.function(eager)(tf.constant([1, 2])))


def python_effects_happen_once_and_tensorflow_effects_always(tf):
    journal, visits = [], tf.Variable(0)

    @tf.function
    def visit(name):
        journal.append("python saw it")
        visits.assign_add(1)
        tf.print("welcome,", name)

    for name in ("Ann", "Ben", "Cem"):
        visit(tf.constant(name))
    print(len(journal), visits.numpy())


def python_numbers_cost_a_trace_each(tf):
    @tf.function
    def train(steps):
        print("tracing for", steps)
        return tf.add_n([tf.constant(1)] * int(steps)) if isinstance(steps, int) else steps

    for steps in (1, 2, 3):
        train(steps)
    for steps in (1, 2, 3):
        train(tf.constant(steps))
    print(train.experimental_get_tracing_count())


def a_signature_bounds_the_number_of_traces(tf, raises):
    @tf.function(input_signature=(tf.TensorSpec(shape=[None], dtype=tf.int32),))
    def collatz(n):
        print("tracing")
        return tf.where(n % 2 == 0, n // 2, 3 * n + 1)

    print(collatz(tf.constant([1, 2])).numpy(), collatz(tf.constant([27])).numpy())
    raises(lambda: collatz(tf.constant([[1, 2], [3, 4]])))
    raises(lambda: collatz(tf.constant([1.0, 2.0])))


def outer_state_is_frozen_when_it_is_python(tf):
    rate = 0.1
    decay = tf.Variable(0.1)

    @tf.function
    def frozen(x):
        return x * rate

    @tf.function
    def live(x):
        return x * decay

    one = tf.constant(1.0)
    print(round(float(frozen(one)), 3), round(float(live(one)), 3))
    rate = 0.5
    decay.assign(0.5)
    print(round(float(frozen(one)), 3), round(float(live(one)), 3))


def state_of_objects_belongs_in_variables(tf):
    class Account(tf.Module):
        def __init__(self):
            super().__init__()
            self.balance = tf.Variable(0)
            self.history = 0

        @tf.function
        def deposit(self, amount):
            self.history += 1
            return self.balance.assign_add(amount)

    account = Account()
    for amount in (10, 20, 30):
        account.deposit(tf.constant(amount))
    print(account.balance.numpy(), account.history, [v.shape for v in account.variables])


def iterators_keep_their_place_in_tensorflow(tf):
    @tf.function
    def python(it):
        return tf.constant(next(it))

    @tf.function
    def tensorflow(it):
        return next(it)

    numbers = iter([1, 2, 3])
    print(python(numbers).numpy(), python(numbers).numpy(), next(numbers))
    numbers = iter(tf.data.Dataset.from_tensor_slices([1, 2, 3]))
    print(tensorflow(numbers).numpy(), tensorflow(numbers).numpy(), next(numbers).numpy())


def values_leave_a_function_as_results(tf, raises):
    shelf = {}

    @tf.function
    def wrong(x):
        shelf["y"] = x * x
        return x

    @tf.function
    def right(x):
        return x, x * x

    wrong(tf.constant(3))
    raises(lambda: shelf["y"] + 0)
    print(right(tf.constant(3))[1].numpy())


def variables_are_made_before_or_once(tf, raises):
    class Bias:
        value = None

        @tf.function
        def add(self, x):
            if self.value is None:
                self.value = tf.Variable(0.5)
            return x + self.value

    @tf.function
    def always(x):
        return x + tf.Variable(0.5)

    bias = Bias()
    print(bias.add(tf.constant(1.0)).numpy(), bias.add(tf.constant(2.0)).numpy())
    raises(lambda: always(tf.constant(1.0)))


def one_function_for_each_variable(tf):
    weights = [tf.Variable(1.0), tf.Variable(2.0)]
    steps = {}
    for w in weights:

        @tf.function
        def step(grad, w=w):
            print("tracing for a variable")
            w.assign_sub(grad)

        steps[w.ref()] = step
    for _ in range(2):
        for w in weights:
            steps[w.ref()](tf.constant(0.25))
    print([w.numpy() for w in weights])


def branches_are_chosen_in_the_graph(tf):
    @tf.function
    def describe(temperature):
        print("tracing")
        if temperature < 0:
            word = tf.constant("ice")
        elif temperature < 100:
            word = tf.constant("water")
        else:
            word = tf.constant("steam")
        return word

    print([describe(tf.constant(t)).numpy() for t in (-5, 20, 130)])


def loops_in_python_are_unrolled(tf):
    def count(f):
        graph = f.get_concrete_function(tf.TensorSpec([], tf.int32)).graph
        kinds = collections.Counter(op.type for op in graph.get_operations())
        return kinds["AddV2"], kinds["While"] + kinds["StatelessWhile"]

    @tf.function
    def unrolled(x):
        for i in range(5):
            x += i
        return x

    @tf.function
    def rolled(x):
        for i in tf.range(5):
            x += i
        return x

    print(count(unrolled), count(rolled))
    print(unrolled(tf.constant(1)).numpy(), rolled(tf.constant(1)).numpy())


def results_of_loops_go_into_tensor_arrays(tf):
    @tf.function
    def powers(x, n):
        out = tf.TensorArray(tf.float32, size=n)
        y = tf.ones_like(x)
        for i in tf.range(n):
            y *= x
            out = out.write(i, y)
        return tf.transpose(out.stack())

    print(powers(tf.constant([1.0, 2.0, 3.0]), tf.constant(4)).numpy().tolist())


def eager_mode_for_debugging(tf):
    @tf.function
    def loss(x):
        y = x * 2
        print("y is", y.numpy() if tf.executing_eagerly() else "symbolic")
        return y

    loss(tf.constant(3))
    tf.config.run_functions_eagerly(True)
    try:
        loss(tf.constant(3))
    finally:
        tf.config.run_functions_eagerly(False)
    loss(tf.constant(3))


def a_training_loop_in_a_graph(tf):
    w, b = tf.Variable(0.0), tf.Variable(0.0)
    xs = tf.constant([0.0, 1.0, 2.0, 3.0])
    ds = tf.data.Dataset.from_tensor_slices((xs, 2 * xs + 1)).batch(2).repeat(100)

    @tf.function
    def train(ds):
        print("tracing")
        loss = tf.constant(0.0)
        for x, y in ds:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((w * x + b - y) ** 2)
            for v, g in zip([w, b], tape.gradient(loss, [w, b])):
                v.assign_sub(0.1 * g)
        return loss

    print(float(train(ds)) < 1e-3, round(float(w), 1), round(float(b), 1))


def early_stopping_in_a_graph(tf):
    @tf.function
    def newton(x, limit):
        steps = 0
        while tf.abs(x * x - 2.0) > 1e-6:
            x = 0.5 * (x + 2.0 / x)
            steps += 1
            if steps >= limit:
                break
        return x, steps

    x, steps = newton(tf.constant(1.0), tf.constant(50))
    print(round(float(x), 4), int(steps) < 50)
    print(newton(tf.constant(1.0), tf.constant(1))[0].numpy())


def python_code_is_called_from_a_graph(tf):
    cache = {}

    def slow(n):
        n = int(n)
        cache[n] = cache.get(n, 0) + 1
        return n * n

    @tf.function
    def squares(xs):
        return tf.map_fn(
            lambda x: tf.numpy_function(lambda v: v.__class__(slow(v)), [x], tf.int64), xs
        )

    print(squares(tf.constant([2, 3, 2], tf.int64)).numpy(), cache)


def a_pipeline_of_text(tf):
    lines = tf.data.Dataset.from_tensor_slices(["to be or not", "to be that is"])
    words = lines.flat_map(lambda s: tf.data.Dataset.from_tensor_slices(tf.strings.split(s)))
    counts = collections.Counter(w.decode() for w in words.as_numpy_iterator())
    print(sorted(counts.items()))
    pairs = words.window(2, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(2))
    print([b" ".join(p).decode() for p in pairs.as_numpy_iterator()][:3], pairs.element_spec)


def the_order_of_a_pipeline_matters(tf):
    ds = tf.data.Dataset.range(4)
    print([b.tolist() for b in ds.batch(3).repeat(2).as_numpy_iterator()])
    print([b.tolist() for b in ds.repeat(2).batch(3).as_numpy_iterator()])
    print([b.tolist() for b in ds.map(lambda x: x + 1).batch(2).as_numpy_iterator()])
    print([b.tolist() for b in ds.batch(2).map(lambda x: x + 1).as_numpy_iterator()])


def imbalanced_classes_are_resampled(tf):
    rare = tf.data.Dataset.from_tensors(1).repeat()
    common = tf.data.Dataset.from_tensors(0).repeat()
    both = tf.data.Dataset.sample_from_datasets([rare, common], weights=[0.5, 0.5], seed=1)
    labels = list(both.take(200).as_numpy_iterator())
    print(60 < sum(labels) < 140, both.element_spec, both.cardinality().numpy())


def features_and_labels_from_a_series(tf):
    series = tf.data.Dataset.range(8)
    windows = series.window(4, shift=2, drop_remainder=True).flat_map(lambda w: w.batch(4))
    examples = windows.map(lambda w: (w[:-1], w[-1]))
    print(examples.element_spec)
    print([(x.tolist(), int(y)) for x, y in examples.as_numpy_iterator()])


def a_model_in_a_function_and_alone(tf):
    tf.keras.utils.set_random_seed(2)
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(3, activation="relu"), tf.keras.layers.Dense(1)]
    )
    fast = tf.function(model)
    x = tf.constant([[1.0, 2.0]])
    print(bool(tf.reduce_all(tf.abs(model(x) - fast(x)) < 1e-6)), fast(x).shape)


def saved_functions_are_graphs(tf):
    import os
    import tempfile

    class Scale(tf.Module):
        def __init__(self):
            super().__init__()
            self.by = tf.Variable(3.0)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def apply(self, x):
            if tf.reduce_sum(x) > 0.0:
                return x * self.by
            return -x

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scale")
        tf.saved_model.save(Scale(), path)
        loaded = tf.saved_model.load(path)
        print(
            loaded.apply(tf.constant([1.0, 2.0])).numpy(), loaded.apply(tf.constant([-1.0])).numpy()
        )
        loaded.by.assign(10.0)
        print(loaded.apply(tf.constant([1.0])).numpy())
