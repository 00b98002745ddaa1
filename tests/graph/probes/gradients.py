"""Tapes around functions, in functions, and what is differentiated there."""


def a_tape_around_a_function(tf):
    v = tf.Variable(3.0)

    @tf.function
    def f(x):
        return x * v * v

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    print(
        [g.numpy() for g in tape.gradient(y, [x, v])], [w.numpy() for w in tape.watched_variables()]
    )


def a_tape_in_a_function(tf):
    v = tf.Variable(3.0)

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * v * v
        return tape.gradient(y, [x, v])

    print([g.numpy() for g in f(tf.constant(2.0))])


def printing_a_gradient_while_tracing(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**3
        dy = tape.gradient(y, x)
        print(tf.is_symbolic_tensor(dy), dy.shape, dy.dtype)
        return dy

    print(f(tf.constant(2.0)).numpy())


def a_tape_that_is_opened_outside_and_used_inside(tf, raises):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)

        @tf.function
        def f():
            return tape.gradient(x * x, x)

        raises(lambda: print(f()))


def nested_tapes_around_a_function(tf):
    @tf.function
    def f(x):
        return x**4

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
    print(first.numpy(), outer.gradient(first, x).numpy())


def nested_tapes_in_a_function(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x**4
            first = inner.gradient(y, x)
        return y, first, outer.gradient(first, x)

    print([t.numpy() for t in f(tf.constant(2.0))])


def one_tape_inside_one_outside(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x) * x
        return tape.gradient(y, x)

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        g = f(x)
    print(g.numpy(), tape.gradient(g, x).numpy())


def third_order(tf):
    @tf.function
    def f(x):
        return x**5

    x = tf.constant(1.0)
    with tf.GradientTape() as c:
        c.watch(x)
        with tf.GradientTape() as b:
            b.watch(x)
            with tf.GradientTape() as a:
                a.watch(x)
                y = f(x)
            d1 = a.gradient(y, x)
        d2 = b.gradient(d1, x)
    print(d1.numpy(), d2.numpy(), c.gradient(d2, x).numpy())


def tf_gradients_in_a_function(tf, raises):
    @tf.function
    def f(x, y):
        z = x * x * y
        return tf.gradients(z, [x, y]), tf.gradients(z, x, grad_ys=[3.0])

    print([[g.numpy() for g in part] for part in f(tf.constant(2.0), tf.constant(5.0))])
    raises(lambda: tf.gradients(tf.constant(1.0), tf.constant(1.0)))


def tf_gradients_of_unconnected(tf):
    @tf.function
    def f(x, y):
        print(tf.gradients(x * x, y))
        return tf.gradients(x * x, y, unconnected_gradients="zero")

    print([g.numpy() for g in f(tf.constant(2.0), tf.constant([1.0, 2.0]))])


def tf_gradients_with_stop(tf):
    @tf.function
    def f(x):
        y = x * x
        z = y * x
        return tf.gradients(z, x, stop_gradients=[y]), tf.gradients(z, [x, y]), tf.hessians(z, x)

    print([[g.numpy() for g in part] for part in f(tf.constant(3.0))])


def unconnected_through_a_function(tf):
    @tf.function
    def f(x, y):
        return x * 2.0

    x, y = tf.constant(1.0), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        z = f(x, y)
    print(tape.gradient(z, y), tape.gradient(z, x).numpy())
    print(tape.gradient(z, y, unconnected_gradients="zero").numpy())


def unconnected_in_a_function(tf):
    @tf.function
    def f(x, y):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = x * 2.0
        g = tape.gradient(z, y)
        print(g)
        return z if g is None else g

    print(f(tf.constant(1.0), tf.constant(2.0)).numpy())


def persistent_tape_around_a_function(tf):
    @tf.function
    def f(x):
        return x * x, x * x * x

    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        a, b = f(x)
        c = a + b
    print([tape.gradient(t, x).numpy() for t in (a, b, c)], tape.gradient([a, b], x).numpy())


def a_second_gradient_of_a_plain_tape(tf, raises):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        tape.gradient(y, x)
        return tape.gradient(y, x)

    raises(lambda: f(tf.constant(1.0)), "persistent")


def only_one_of_two_results(tf):
    @tf.function
    def f(x):
        return {"a": x * 2.0, "b": tf.stop_gradient(x) * 5.0}

    x = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        out = f(x)
    print(tape.gradient(out["a"], x).numpy(), tape.gradient(out["b"], x))
    print(tape.gradient(out, x).numpy())


def integer_arguments(tf):
    @tf.function
    def f(x, n):
        return x ** tf.cast(n, tf.float32)

    x, n = tf.constant(3.0), tf.constant(2)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x, n)
    print(tape.gradient(y, x).numpy(), tape.gradient(y, n))


def gradients_through_if(tf):
    @tf.function
    def f(x):
        if x > 0:
            return x * x
        return -3.0 * x

    for value in (2.0, -2.0):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        print(y.numpy(), tape.gradient(y, x).numpy())


def gradients_through_while(tf):
    @tf.function
    def f(x, n):
        y = tf.constant(1.0)
        i = 0
        while i < n:
            y *= x
            i += 1
        return y

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x, tf.constant(4))
        g = inner.gradient(y, x)
    print(y.numpy(), g.numpy(), outer.gradient(g, x).numpy())


def gradients_inside_a_loop(tf):
    @tf.function
    def descend(x, steps):
        for _ in tf.range(steps):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = (x - 4.0) ** 2
            x -= 0.25 * tape.gradient(y, x)
        return x

    print(descend(tf.constant(0.0), tf.constant(3)).numpy())


def gradients_through_tensor_arrays(tf):
    @tf.function
    def f(x):
        ta = tf.TensorArray(tf.float32, 3)
        for i in tf.range(3):
            ta = ta.write(i, x ** tf.cast(i, tf.float32))
        return tf.reduce_sum(ta.stack())

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    print(y.numpy(), tape.gradient(y, x).numpy())


def gradients_through_scan_and_map(tf):
    @tf.function
    def f(x):
        a = tf.map_fn(lambda t: t * t, x)
        return tf.scan(lambda s, t: s * t, a)[-1]

    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    print(y.numpy(), tape.gradient(y, x).numpy())


def custom_gradient_in_a_function(tf):
    @tf.custom_gradient
    def clip(x):
        def grad(dy):
            print("grad", tf.is_symbolic_tensor(dy))
            return tf.clip_by_value(dy, -1.0, 1.0)

        return x * 10.0, grad

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = clip(x) * 5.0
        return tape.gradient(y, x)

    print(f(tf.constant(1.0)).numpy(), f(tf.constant(1.0)).numpy())


def custom_gradient_under_an_outer_tape(tf):
    @tf.custom_gradient
    def clip(x):
        def grad(dy):
            print("grad", tf.is_symbolic_tensor(dy))
            return dy * 100.0

        return x * 10.0, grad

    @tf.function
    def f(x):
        print("trace")
        return clip(x)

    x = tf.constant(1.0)
    print(f(x).numpy())
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        print(tape.gradient(y, x).numpy())


def custom_gradient_of_a_function(tf):
    @tf.custom_gradient
    @tf.function
    def f(x):
        def grad(dy):
            return dy * 7.0

        return x * 2.0, grad

    x = tf.constant(1.0)
    try:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        print(tape.gradient(y, x).numpy())
    except Exception as error:
        print(type(error).__name__)


def gradient_override_by_recompute(tf):
    calls = []

    @tf.recompute_grad
    def block(x):
        calls.append("block")
        return tf.sin(x) ** 2

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = block(x)
        return tape.gradient(y, x)

    print(f(tf.constant(1.0)).numpy(), len(calls))


def jacobian_in_a_function(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * tf.constant([1.0, 2.0])
        return tape.jacobian(y, x)

    print(f(tf.constant([1.0, 2.0])).numpy().tolist())


def jacobian_of_a_function(tf):
    @tf.function
    def f(x):
        return tf.cumsum(x**2)

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    print(tape.jacobian(y, x).numpy().tolist())
    print(tape.jacobian(y, x, experimental_use_pfor=False).numpy().tolist())


def batch_jacobian_in_a_function(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**2
        out = tape.batch_jacobian(y, x)
        print(out.shape)
        return out

    print(f(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])).numpy().tolist())


def hessian_in_a_function(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x[0] ** 2 * x[1]
            g = inner.gradient(y, x)
        return outer.jacobian(g, x)

    print(f(tf.constant([1.0, 2.0])).numpy().tolist())


def forward_accumulator_around(tf):
    @tf.function
    def f(x):
        return x**3

    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = f(x)
    print(y.numpy(), acc.jvp(y).numpy())


def forward_accumulator_inside(tf):
    @tf.function
    def f(x, v):
        with tf.autodiff.ForwardAccumulator(x, v) as acc:
            y = tf.sin(x)
        return acc.jvp(y)

    print(f(tf.constant(0.0), tf.constant(2.0)).numpy())


def forward_over_backward(tf):
    @tf.function
    def hvp(x, v):
        with tf.autodiff.ForwardAccumulator(x, v) as acc:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(x**3)
            g = tape.gradient(y, x)
        return acc.jvp(g)

    print(hvp(tf.constant([1.0, 2.0]), tf.constant([1.0, 0.0])).numpy())


def stop_recording_in_a_function(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            with tape.stop_recording():
                z = y * y
        return tape.gradient(z, x, unconnected_gradients="zero")

    print(f(tf.constant(2.0)).numpy())


def watching_is_seen_in_functions(tf):
    x = tf.constant(2.0)

    @tf.function
    def f():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)

    @tf.function
    def g():
        return x * 3.0

    print(f().numpy())
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = g()
    print(tape.gradient(y, x).numpy())


def variables_are_watched_through_functions(tf):
    v, w = tf.Variable(1.0), tf.Variable(2.0, trainable=False)

    @tf.function
    def f():
        return v * w

    with tf.GradientTape() as tape:
        y = f()
    print(
        len(tape.watched_variables()),
        [g if g is None else g.numpy() for g in tape.gradient(y, [v, w])],
    )


def variables_not_watched(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f():
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            y = v * 2.0
        return tape.gradient(y, v, unconnected_gradients="zero")

    print(f().numpy())


def assignment_between_use_and_gradient(tf):
    v = tf.Variable(3.0)

    @tf.function
    def f():
        with tf.GradientTape() as tape:
            y = v * v
            v.assign(100.0)
        return tape.gradient(y, v)

    print(f().numpy(), v.numpy())


def assignments_are_not_differentiated(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        v.assign(x * 2.0)
        return v * 3.0

    x = tf.constant(5.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    print(y.numpy(), tape.gradient(y, x), tape.gradient(y, v).numpy())


def indexed_slices_come_out(tf):
    v = tf.Variable([[1.0], [2.0], [3.0]])

    @tf.function
    def f(i):
        return tf.gather(v, i)

    with tf.GradientTape() as tape:
        y = f(tf.constant([0, 2, 0]))
    g = tape.gradient(y, v)
    print(type(g).__name__, g.indices.numpy(), g.values.numpy().tolist())


def indexed_slices_inside(tf):
    v = tf.Variable([[1.0], [2.0], [3.0]])

    @tf.function
    def f(i):
        with tf.GradientTape() as tape:
            y = tf.gather(v, i)
        g = tape.gradient(y, v)
        print(type(g).__name__, g.shape)
        return g

    print(type(f(tf.constant([0, 2, 0]))).__name__)


def a_function_that_is_differentiated_in_another(tf):
    @tf.function
    def f(x):
        print("trace f")
        return x * x

    @tf.function
    def df(x):
        print("trace df")
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    print(df(tf.constant(3.0)).numpy(), df(tf.constant(4.0)).numpy())
    print(f.experimental_get_tracing_count(), df.experimental_get_tracing_count())


def tracing_does_not_depend_on_tapes(tf):
    @tf.function
    def f(x):
        print("trace")
        return x * x

    x = tf.constant(3.0)
    f(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    print(tape.gradient(y, x).numpy(), f.experimental_get_tracing_count())


def output_gradients(tf):
    @tf.function
    def f(x):
        return x * x

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    print(tape.gradient(y, x, output_gradients=tf.constant([10.0, 100.0])).numpy())


def gradients_with_respect_to_an_intermediate(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            m = x * x
            y = m * m
        return tape.gradient(y, [m, x])

    print([g.numpy() for g in f(tf.constant(2.0))])


def a_tensor_of_the_trace_is_no_source_outside(tf, raises):
    kept = []

    @tf.function
    def f(x):
        kept.append(x * 2.0)
        return kept[-1] * 3.0

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    raises(lambda: print(tape.gradient(y, kept[0])))


def gradients_of_errors(tf, raises):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cast(x, tf.int32)
        print(tape.gradient(y, x))
        return x

    f(tf.constant(1.5))


def complex_numbers(tf):
    @tf.function
    def f(z):
        return tf.abs(z) ** 2

    z = tf.constant(1.0 + 2.0j, tf.complex64)
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = f(z)
    print(y.numpy(), tape.gradient(y, z).numpy())


def py_function_in_a_gradient(tf):
    def cube(x):
        print("python", type(x).__name__)
        return x**3

    @tf.function
    def f(x):
        return tf.py_function(cube, [x], tf.float32)

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    print(y.numpy(), tape.gradient(y, x).numpy())


def numpy_function_has_no_gradient(tf, raises):
    @tf.function
    def f(x):
        return tf.numpy_function(lambda a: a * 2, [x], tf.float32)

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    raises(lambda: print(y.numpy(), tape.gradient(y, x)))


def branches_that_ignore_an_input(tf):
    branches = {
        "unused": lambda a, b: (tf.sin(a), b * 2.0)[1],
        "stopped": lambda a, b: tf.stop_gradient(a) + b,
        "integers": lambda a, b: tf.cast(tf.cast(a, tf.int32), tf.float32) * b,
        "used": lambda a, b: a * b,
        "inner": lambda a, b: tf.cond(a[0] > 0.0, lambda: b, lambda: (a + b, b * 3.0)[1]),
        "inner used": lambda a, b: tf.cond(a[0] > 0.0, lambda: b, lambda: a + b),
    }

    def gradients(branch, test):
        @tf.function
        def f(a, b):
            return tf.cond(b[0] > test, lambda: branch(a, b), lambda: b * 1.0)

        a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, -1.0])
        for _ in range(2):
            with tf.GradientTape() as tape:
                tape.watch([a, b])
                y = f(a, b)
            print([None if g is None else g.numpy().tolist() for g in tape.gradient(y, [a, b])])

    for name, branch in branches.items():
        for test in (0.0, 5.0):
            print(name, test)
            gradients(branch, test)


def assignments_in_branches_are_no_paths_to_results(tf):
    v = tf.Variable([1.0, 1.0])

    @tf.function
    def f(a, b):
        y = v * 1.0
        if tf.reduce_sum(b) > 0.0:
            v.assign(v + a)
            y = tf.exp(b)
        return y + v * b

    a = tf.constant([1.0, 2.0])
    for b in (tf.constant([1.0, 2.0]), tf.constant([-1.0, -2.0])):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            y = f(a, b)
        print([None if g is None else g.numpy().tolist() for g in tape.gradient(y, [a, b, v])])
