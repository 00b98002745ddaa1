"""Functions with `jit_compile=True`: what they share with others, and what they refuse."""


def traced_once_and_compiled_for_each_shape(tf):
    @tf.function(jit_compile=True)
    def f(x):
        print("trace", x.shape)
        return tf.reduce_sum(x * 2)

    print(f(tf.ones([2])).numpy(), f(tf.ones([2])).numpy(), f(tf.ones([3])).numpy())
    print(f.experimental_get_tracing_count())


def one_trace_for_an_unknown_size(tf):
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None])])
    def f(x):
        print("trace", x.shape)
        return x * 2.0, tf.shape(x)[0]

    for n in (1, 2):
        print([t.numpy().tolist() for t in f(tf.ones([n]))])


def branches_and_loops(tf):
    @tf.function(jit_compile=True)
    def f(x, n):
        if x > 0.0:
            y = x
        else:
            y = -x
        while y < 100.0:
            y = y * 2.0
            n += 1
        return y, n

    print([t.numpy() for t in f(tf.constant(-3.0), tf.constant(0))])


def sizes_that_depend_on_values(tf, raises):
    @tf.function(jit_compile=True)
    def f(x):
        return tf.where(x > 0)

    @tf.function(jit_compile=True)
    def g(n):
        return tf.zeros([n])

    @tf.function(jit_compile=True)
    def h(x):
        return tf.unique(x)[0]

    raises(lambda: print(f(tf.constant([1.0, -1.0])).numpy().tolist()))
    raises(lambda: print(g(tf.constant(3)).numpy().tolist()))
    raises(lambda: print(h(tf.constant([1, 1])).numpy().tolist()))


def variables(tf):
    v = tf.Variable(1.0)

    @tf.function(jit_compile=True)
    def f(x):
        v.assign_add(x)
        y = v * 10.0
        v.assign(v + 1.0)
        return y, v.read_value()

    print([t.numpy() for t in f(tf.constant(2.0))], v.numpy())
    print([t.numpy() for t in f(tf.constant(2.0))], v.numpy())


def a_variable_as_argument(tf):
    @tf.function(jit_compile=True)
    def f(v, x):
        print("trace")
        return v.assign_add(x)

    a, b = tf.Variable(1.0), tf.Variable(10.0)
    print(f(a, 1.0).numpy(), f(b, 1.0).numpy(), f.experimental_get_tracing_count())


def a_variable_made_on_the_first_call(tf, raises):
    made = []

    @tf.function(jit_compile=True)
    def f(x):
        if not made:
            made.append(tf.Variable(2.0))
        return made[0] * x

    raises(lambda: print(f(tf.constant(3.0)).numpy(), f(tf.constant(4.0)).numpy()))


def gradients_around(tf):
    @tf.function(jit_compile=True)
    def f(x):
        return tf.sin(x) * x

    x = tf.constant(1.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        g = inner.gradient(y, x)
    print(g.numpy(), outer.gradient(g, x).numpy())


def gradients_inside(tf):
    w = tf.Variable([1.0, 2.0])

    @tf.function(jit_compile=True)
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w * x - 1.0) ** 2)
        g = tape.gradient(loss, w)
        w.assign_sub(0.1 * g)
        return loss

    print([round(float(step(tf.constant([1.0, 1.0]))), 4) for _ in range(3)], w.numpy())


def strings_prints_and_python(tf, raises):
    @tf.function(jit_compile=True)
    def text(s):
        return tf.strings.length(s)

    @tf.function(jit_compile=True)
    def python(x):
        return tf.py_function(lambda v: v, [x], tf.float32)

    @tf.function(jit_compile=True)
    def numbers(x):
        print("trace")
        return x + 1

    raises(lambda: text(tf.constant("a")))
    raises(lambda: python(tf.constant(1.0)))
    print(numbers(tf.constant(1)).numpy(), numbers(tf.constant(2)).numpy())


def assertions_are_left_out(tf, raises):
    @tf.function(jit_compile=True)
    def f(x):
        tf.debugging.assert_positive(x)
        return x

    raises(lambda: print(f(tf.constant(-1.0)).numpy()))


def indices_out_of_range_are_clamped(tf, raises):
    @tf.function(jit_compile=True)
    def f(x, i):
        return tf.gather(x, i)

    raises(lambda: print(f(tf.constant([1, 2, 3]), tf.constant(1)).numpy()))


def nested_in_a_plain_function(tf):
    @tf.function(jit_compile=True)
    def inner(x):
        print("inner")
        return x * 2

    @tf.function
    def outer(x):
        print("outer")
        tf.print("running", x)
        return inner(x) + inner(x + 1)

    print(outer(tf.constant(1)).numpy(), outer(tf.constant(2)).numpy())


def a_plain_function_in_a_compiled_one(tf):
    @tf.function
    def inner(x):
        return x * 2

    @tf.function(jit_compile=True)
    def outer(x):
        return inner(x) + 1

    print(outer(tf.constant(3)).numpy())


def python_arguments(tf):
    @tf.function(jit_compile=True)
    def f(x, n, flag=True):
        print("trace", n, flag)
        return x * n if flag else x

    one = tf.constant(1)
    print(f(one, 2).numpy(), f(one, 3).numpy(), f(one, 2, flag=False).numpy(), f(one, 2).numpy())


def stateless_random_numbers(tf):
    @tf.function(jit_compile=True)
    def f(seed):
        return tf.random.stateless_uniform([3], seed)

    a, b, c = f([1, 2]), f([1, 2]), f([1, 3])
    print(bool(tf.reduce_all(a == b)), bool(tf.reduce_all(a == c)), a.shape)


def tensor_arrays(tf):
    @tf.function(jit_compile=True)
    def f(xs):
        out = tf.TensorArray(tf.float32, size=4)
        total = tf.constant(0.0)
        for i in tf.range(4):
            total += xs[i]
            out = out.write(i, total)
        return out.stack()

    print(f(tf.constant([1.0, 2.0, 3.0, 4.0])).numpy())


def map_and_scan(tf):
    @tf.function(jit_compile=True)
    def f(xs):
        return (
            tf.map_fn(lambda x: x * x, xs),
            tf.scan(lambda s, x: s + x, xs),
            tf.vectorized_map(tf.exp, xs * 0),
        )

    print([t.numpy().tolist() for t in f(tf.constant([1.0, 2.0, 3.0]))])


def structures_and_none(tf):
    @tf.function(jit_compile=True)
    def f(d):
        return {"sum": d["a"] + d["b"][0], "none": None, "same": d}

    out = f({"a": tf.constant(1), "b": [tf.constant(2)]})
    print(out["sum"].numpy(), out["none"], out["same"]["b"][0].numpy())


def the_compiler_is_asked(tf):
    @tf.function(jit_compile=True)
    def f(x):
        return x + 1.0

    text = f.experimental_get_compiler_ir(tf.constant(1.0))(stage="hlo")
    print(type(text).__name__, "HloModule" in text)


def the_must_not_compile_flag(tf):
    @tf.function(jit_compile=False)
    def f(s):
        return tf.strings.upper(s)

    @tf.function(jit_compile=None)
    def g(s):
        return tf.strings.upper(s)

    print(f(tf.constant("a")).numpy(), g(tf.constant("b")).numpy())
