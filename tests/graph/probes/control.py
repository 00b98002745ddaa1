"""Control flow by functions: `tf.cond`, `tf.while_loop` and others, and Python called from
graphs."""


def cond_in_a_function(tf):
    @tf.function
    def f(x):
        print("trace")
        return tf.cond(x > 0, lambda: x * 2, lambda: -x)

    print(f(tf.constant(3)).numpy(), f(tf.constant(-3)).numpy())


def cond_runs_one_branch(tf):
    @tf.function
    def f(x):
        def yes():
            print("tracing yes")
            tf.print("running yes")
            return x

        def no():
            print("tracing no")
            tf.print("running no")
            return -x

        return tf.cond(x > 0, yes, no)

    f(tf.constant(1))
    f(tf.constant(-1))


def cond_outside_of_a_function(tf, raises):
    print(tf.cond(tf.constant(True), lambda: 1, lambda: 2.5))
    print(tf.cond(tf.constant(False), lambda: 1, lambda: tf.constant(2.5)))
    raises(lambda: tf.cond(True, lambda: 1, lambda: 2))
    raises(lambda: tf.cond(tf.constant([True]), lambda: 1, lambda: 2))


def cond_with_different_branches(tf, raises):
    @tf.function
    def dtypes(x):
        return tf.cond(x > 0, lambda: 1, lambda: 2.5)

    @tf.function
    def structures(x):
        return tf.cond(x > 0, lambda: (x, x), lambda: x)

    @tf.function
    def shapes(x):
        out = tf.cond(x > 0, lambda: tf.ones([2]), lambda: tf.ones([3]))
        print(out.shape)
        return out

    raises(lambda: dtypes(tf.constant(1)))
    raises(lambda: structures(tf.constant(1)))
    print(shapes(tf.constant(1)).numpy())


def cond_without_results(tf):
    v = tf.Variable(0)

    @tf.function
    def f(x):
        tf.cond(x > 0, lambda: v.assign(1), lambda: v.assign(2))

    f(tf.constant(1))
    print(v.numpy())
    f(tf.constant(-1))
    print(v.numpy())


def cond_with_a_python_condition(tf, raises):
    @tf.function
    def f(x):
        return tf.cond(True, lambda: x, lambda: -x)

    raises(lambda: print(f(tf.constant(1)).numpy()))


def case_in_a_function(tf, raises):
    @tf.function
    def f(x):
        return tf.case(
            [(x < 0, lambda: tf.constant("negative")), (x < 10, lambda: tf.constant("small"))],
            default=lambda: tf.constant("large"),
        )

    print([f(tf.constant(n)).numpy() for n in (-1, 5, 50)])


def case_exclusive(tf, raises):
    @tf.function
    def f(x):
        return tf.case(
            [(x > 0, lambda: tf.constant(1)), (x > 10, lambda: tf.constant(2))], exclusive=True
        )

    print(f(tf.constant(5)).numpy())
    raises(lambda: f(tf.constant(50)))
    raises(lambda: f(tf.constant(-1)))


def switch_case(tf, raises):
    @tf.function
    def f(i):
        return tf.switch_case(i, [lambda: 10, lambda: 20], default=lambda: -1)

    print([f(tf.constant(n)).numpy() for n in (0, 1, 2, -5)])
    print(tf.switch_case(tf.constant(7), {1: lambda: 30, 0: lambda: 40}))
    raises(lambda: tf.switch_case(tf.constant(7), {3: lambda: 30, 4: lambda: 40}))


def while_loop_in_a_function(tf):
    @tf.function
    def f(n):
        def body(i, total):
            print("body", i.shape, total.dtype)
            return i + 1, total + tf.cast(i, tf.float32)

        return tf.while_loop(lambda i, t: i < n, body, [0, 0.0])

    print([t.numpy() for t in f(tf.constant(5))])


def while_loop_shapes(tf, raises):
    @tf.function
    def bad(n):
        return tf.while_loop(
            lambda x: tf.size(x) < n, lambda x: [tf.concat([x, x], 0)], [tf.ones([1])]
        )

    @tf.function
    def good(n):
        return tf.while_loop(
            lambda x: tf.size(x) < n,
            lambda x: [tf.concat([x, x], 0)],
            [tf.ones([1])],
            shape_invariants=[tf.TensorShape([None])],
        )

    raises(lambda: bad(tf.constant(4)))
    print(good(tf.constant(4)))


def while_loop_structures(tf, raises):
    @tf.function
    def f(n):
        return tf.while_loop(
            lambda s: s["i"] < n,
            lambda s: ({"i": s["i"] + 1, "x": s["x"] * 2},),
            ({"i": 0, "x": 1},),
        )

    print({k: v.numpy() for k, v in f(tf.constant(3))[0].items()})
    raises(lambda: tf.function(lambda: tf.while_loop(lambda i: i < 3, lambda i: (i, i), [0]))())


def while_loop_with_a_maximum(tf, raises):
    @tf.function
    def f():
        return tf.while_loop(lambda i: True, lambda i: (i + 1,), [0], maximum_iterations=5)

    print(f())
    print(tf.while_loop(lambda i: i < 10, lambda i: (i + 1,), (0,), maximum_iterations=3))
    print(tf.while_loop(lambda i: i < 10, lambda i: [i + 1], [0]))
    raises(lambda: tf.while_loop(lambda i: i < 10, lambda i: i + 1, [0]))


def while_loop_with_variables(tf):
    v = tf.Variable(1)

    @tf.function
    def f():
        def body(i):
            v.assign(v * 3)
            return (i + 1,)

        tf.while_loop(lambda i: i < 3, body, [0])
        return v.read_value()

    print(f().numpy())


def map_fn_in_a_function(tf, raises):
    @tf.function
    def f(xs):
        return tf.map_fn(lambda x: x * x, xs)

    print(f(tf.constant([1, 2, 3])).numpy())
    raises(lambda: tf.function(lambda xs: tf.map_fn(lambda x: x * 0.5, xs))(tf.constant([1, 2])))


def map_fn_traces_once(tf):
    @tf.function
    def f(xs):
        def one(x):
            print("trace", x.shape)
            tf.print("run", x)
            return tf.cast(x, tf.float32) / 2

        return tf.map_fn(one, xs, fn_output_signature=tf.float32)

    print(f(tf.constant([1, 2])).numpy())


def map_fn_over_structures(tf):
    @tf.function
    def f(a, b):
        return tf.map_fn(lambda p: (p[0] + p[1], p[0]), (a, b))

    print([t.numpy() for t in f(tf.constant([1, 2]), tf.constant([10, 20]))])


def map_fn_over_ragged_rows(tf):
    @tf.function
    def f(rows):
        return tf.map_fn(tf.reduce_sum, rows, fn_output_signature=tf.int32)

    print(f(tf.ragged.constant([[1, 2], [3], [4, 5, 6]])).numpy())


def scan_and_folds(tf):
    @tf.function
    def f(xs):
        return (
            tf.scan(lambda s, x: s + x, xs),
            tf.scan(lambda s, x: s * x, xs, initializer=10),
            tf.scan(lambda s, x: s + x, xs, reverse=True),
            tf.foldl(lambda s, x: s - x, xs),
            tf.foldr(lambda s, x: s - x, xs),
        )

    print([t.numpy().tolist() for t in f(tf.constant([1, 2, 3]))])


def vectorized_map_in_a_function(tf):
    @tf.function
    def f(xs):
        def one(x):
            print("trace", x.shape)
            return tf.reduce_sum(x * x)

        return tf.vectorized_map(one, xs)

    print(f(tf.constant([[1.0, 2.0], [3.0, 4.0]])).numpy())


def py_function_runs_at_every_call(tf):
    calls = []

    def python(x):
        calls.append(x.numpy())
        print(type(x).__name__, tf.executing_eagerly())
        return x + 1

    @tf.function
    def f(x):
        y = tf.py_function(python, [x], tf.int32)
        print(y.shape, y.dtype)
        y.set_shape([])
        return y

    print(f(tf.constant(1)).numpy(), f(tf.constant(2)).numpy(), calls)


def py_function_with_wrong_results(tf, raises):
    @tf.function
    def dtype(x):
        return tf.py_function(lambda v: tf.cast(v, tf.float32), [x], tf.int32)

    @tf.function
    def count(x):
        return tf.py_function(lambda v: [v, v], [x], [tf.int32])

    @tf.function
    def nothing(x):
        return tf.py_function(lambda v: None, [x], [])

    raises(lambda: print(dtype(tf.constant(1)).numpy()))
    raises(lambda: count(tf.constant(1)))
    raises(lambda: print(nothing(tf.constant(1))))


def py_function_that_raises(tf, raises):
    def bad(x):
        raise KeyError("inside python")

    def value(x):
        raise ValueError("inside python")

    raises(lambda: tf.function(lambda x: tf.py_function(bad, [x], tf.int32))(1), "inside python")
    raises(lambda: tf.function(lambda x: tf.py_function(value, [x], tf.int32))(1), "inside python")
    raises(lambda: tf.py_function(value, [1], tf.int32), "inside python")


def numpy_function_in_a_function(tf, raises):
    def python(x):
        print(type(x).__name__, x.dtype)
        return x * 2

    @tf.function
    def f(x):
        y = tf.numpy_function(python, [x], tf.float32)
        print(y.shape)
        return y

    print(f(tf.constant([1.0, 2.0])).numpy(), f(tf.constant([3.0, 4.0])).numpy())


def numpy_function_of_another_dtype(tf, raises):
    @tf.function
    def f(x):
        return tf.numpy_function(lambda v: v.astype("float64"), [x], tf.float32)

    raises(lambda: f(tf.constant(1.0)))


def strings_in_numpy_functions(tf):
    @tf.function
    def f(s):
        return tf.numpy_function(lambda v: v.upper(), [s], tf.string)

    print(f(tf.constant("abc")).numpy())


def py_function_in_a_branch(tf):
    @tf.function
    def f(x):
        if x > 0:
            tf.py_function(lambda v: print("python", v.numpy()), [x], [])
        return x

    f(tf.constant(3))
    f(tf.constant(-3))


def control_dependencies_on_prints(tf):
    @tf.function
    def f(x):
        with tf.control_dependencies([tf.print("first", x)]):
            y = x + 1
        tf.print("second", y)
        return y

    print(f(tf.constant(1)).numpy())


def grouping_and_tuples(tf):
    @tf.function
    def f(x):
        a, b = tf.tuple([x + 1, x * 2])
        return a + b

    print(f(tf.constant(3)).numpy())


def a_device_in_a_function(tf):
    @tf.function
    def f(x):
        with tf.device("CPU:0"):
            y = x + 1
        print(y.device)
        return y

    print(f(tf.constant(1)).numpy())


def recursion_by_cond(tf, raises):
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def f(n):
        return tf.cond(n < 1, lambda: 0, lambda: n + f(n - 1))

    raises(lambda: print(f(tf.constant(3)).numpy()))


def eager_loops_over_tensors(tf):
    total = 0
    for x in tf.constant([1, 2, 3]):
        if x > 1:
            total += x
    print(total, type(total).__name__)


def nest_and_flatten_in_functions(tf):
    @tf.function
    def f(d):
        print(tf.nest.flatten(d)[0].shape, len(tf.nest.flatten(d)))
        return tf.nest.map_structure(lambda t: t + 1, d)

    print(f({"b": tf.constant(1), "a": [tf.constant(2)]}))


def assertions_as_operations(tf, raises):
    @tf.function
    def f(x):
        with tf.control_dependencies([tf.debugging.Assert(x > 0, ["bad", x])]):
            return tf.identity(x)

    print(f(tf.constant(1)).numpy())
    raises(lambda: f(tf.constant(-1)), "bad")


def a_gather_out_of_range_in_a_branch(tf):
    @tf.function
    def f(xs, i):
        if i < tf.size(xs):
            return xs[i]
        return tf.constant(-1)

    print(
        f(tf.constant([1, 2]), tf.constant(1)).numpy(),
        f(tf.constant([1, 2]), tf.constant(9)).numpy(),
    )


def grad_through_cond_and_switch(tf):
    @tf.function
    def f(x, i):
        return tf.switch_case(i, [lambda: x * 2.0, lambda: x * x, lambda: tf.constant(7.0)])

    for i in range(3):
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, tf.constant(i))
        g = tape.gradient(y, x)
        print(y.numpy(), None if g is None else g.numpy())


def names_of_scopes_in_operations(tf):
    @tf.function
    def f(x):
        with tf.name_scope("layer"):
            y = tf.nn.relu(x, name="activation")
        return y

    c = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    print([op.name for op in c.graph.get_operations()])


def constant_conditions_trace_all_branches(tf, raises):
    log = []

    def branch(i, make):
        def run():
            log.append(i)
            return make()

        return run

    def switch(index, others):
        branches = [branch(0, lambda: 1.0), branch(1, others), branch(2, lambda: 3.0)]
        return tf.switch_case(index, branches)

    def kinds(others):
        yield lambda: switch(tf.constant(0), others)
        yield lambda: switch(tf.constant(-1), others)
        yield lambda: tf.cond(tf.constant(True), branch(0, lambda: 1.0), branch(1, others))
        pairs = [(tf.constant(True), branch(0, lambda: 1.0))]
        yield lambda: tf.case(pairs, default=branch(1, others))

    for others in (lambda: 2.0, lambda: (2.0, 2.0), lambda: 2, lambda: 1 // 0, lambda: [2.0] * 2):
        for run in kinds(others):
            raises(lambda run=run: print(tf.function(run, autograph=False)().numpy()))
            print(log)
            log.clear()
    raises(lambda: tf.switch_case(0, [lambda: 1.0, lambda: 2.0]))
    raises(lambda: tf.function(lambda: switch(0, lambda: 2.0))())
    raises(lambda: tf.function(lambda i: switch(i, lambda: 2.0))(tf.constant(0, tf.int64)))
    print(switch(tf.constant(0, tf.int64), lambda: 2.0), log)
