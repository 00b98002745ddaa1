"""When a function is traced, and when an earlier trace serves."""

import collections
import copy
import dataclasses
import functools
import gc
import logging
import threading
import weakref

import numpy as np


def once_per_dtype_and_shape(tf):
    @tf.function
    def f(x):
        print("trace", x.dtype, x.shape)
        return x + x

    for value in (1, 2, 1.0, [1, 2], [3, 4], [[1]], [1.0, 2.0]):
        print(f(tf.constant(value)).numpy())
    print(f.experimental_get_tracing_count())


def once_per_python_number(tf):
    @tf.function
    def f(x):
        print("trace", repr(x))
        return tf.constant(x) * 2

    for value in (1, 1, 2, 1.0, 2.0, 1.0, True, 1):
        print(f(value).numpy())
    print(f.experimental_get_tracing_count())


def true_and_one_are_different_keys(tf):
    @tf.function
    def f(x):
        print("trace", repr(x))
        return tf.constant(0)

    f(True)
    f(1)
    f(1.0)
    f(False)
    f(0)
    print(f.experimental_get_tracing_count())


def once_per_string(tf):
    @tf.function
    def f(mode, x):
        print("trace", mode)
        if mode == "double":
            return x * 2
        return x

    print(f("double", tf.constant(2)).numpy(), f("same", tf.constant(2)).numpy())
    print(f("double", tf.constant(5)).numpy(), f.experimental_get_tracing_count())


def numpy_arguments_are_tensors(tf):
    @tf.function
    def f(x):
        print("trace", tf.is_tensor(x), x.dtype, x.shape)
        return x + 1

    print(f(np.float32(1.0)).numpy())
    print(f(np.float32(2.0)).numpy())
    print(f(np.array([1.0, 2.0])).numpy())
    print(f(np.array([3.0, 4.0])).numpy())
    print(f(tf.constant(3.0)).numpy())
    print(f.experimental_get_tracing_count())


def lists_and_tuples_are_different(tf):
    @tf.function
    def f(xs):
        print("trace", type(xs).__name__, len(xs))
        return xs[0] + xs[-1]

    one, two = tf.constant(1), tf.constant(2)
    print(f([one, two]).numpy(), f((one, two)).numpy(), f([two, one]).numpy())
    print(f([one, two, one]).numpy(), f.experimental_get_tracing_count())


def dictionaries_by_their_keys(tf):
    @tf.function
    def f(d):
        print("trace", sorted(d))
        return tf.add_n(list(d.values()))

    one, two = tf.constant(1), tf.constant(2)
    print(f({"a": one, "b": two}).numpy())
    print(f({"b": one, "a": two}).numpy())
    print(f({"a": one, "c": two}).numpy())
    print(f.experimental_get_tracing_count())


def named_tuples_keep_their_type(tf):
    Point = collections.namedtuple("Point", "x y")

    @tf.function
    def f(p):
        print("trace", type(p).__name__, p._fields)
        return Point(p.y, p.x)

    out = f(Point(tf.constant(1), tf.constant(2)))
    print(type(out).__name__, out.x.numpy(), out.y.numpy())
    f(Point(tf.constant(5), tf.constant(2)))
    print(f.experimental_get_tracing_count())


def none_is_a_key(tf):
    @tf.function
    def f(x, bias=None):
        print("trace", bias is None)
        return x if bias is None else x + bias

    one = tf.constant(1)
    print(f(one).numpy(), f(one, None).numpy(), f(one, one).numpy(), f(one, bias=one).numpy())
    print(f.experimental_get_tracing_count())


def defaults_and_keywords_are_one_signature(tf):
    @tf.function
    def f(x, scale=2, *, shift=1):
        print("trace", scale, shift)
        return x * scale + shift

    x = tf.constant(3)
    print(f(x).numpy(), f(x, 2).numpy(), f(x=x, scale=2).numpy(), f(x, shift=1).numpy())
    print(f(x, 3).numpy(), f(x, shift=0).numpy(), f.experimental_get_tracing_count())


def a_default_number_that_is_passed_is_a_python_value(tf):
    @tf.function
    def f(x, n=3):
        print("trace", tf.is_symbolic_tensor(n))
        return x * n

    x = tf.constant(2)
    print(f(x).numpy(), f(x, tf.constant(3)).numpy(), f(x, 3).numpy())


def positional_varargs(tf):
    @tf.function
    def f(*xs, **named):
        print("trace", len(xs), sorted(named))
        return tf.add_n([*xs, *named.values()])

    one = tf.constant(1)
    print(f(one).numpy(), f(one, one).numpy(), f(one, k=one).numpy(), f(one, j=one).numpy())
    print(f(one, one).numpy(), f.experimental_get_tracing_count())


def each_variable_is_traced_for(tf):
    @tf.function
    def f(v):
        print("trace", v.shape)
        return v + 1

    a, b = tf.Variable(1), tf.Variable(2)
    print(f(a).numpy(), f(b).numpy(), f(a).numpy(), f.experimental_get_tracing_count())


def two_variables_that_are_one(tf):
    @tf.function
    def f(v, w):
        print("trace", v is w)
        v.assign_add(1)
        return v + w

    a, b, c, d = (tf.Variable(i) for i in range(4))
    print(f(a, b).numpy(), f(a, a).numpy(), f(c, d).numpy(), f(c, c).numpy())
    print(f.experimental_get_tracing_count())


def a_variable_is_no_tensor(tf):
    @tf.function
    def f(x):
        print("trace", isinstance(x, tf.Variable))
        return x + 1

    print(f(tf.Variable(1)).numpy(), f(tf.constant(1)).numpy(), f.experimental_get_tracing_count())


def objects_by_identity(tf):
    class Box:
        def __init__(self, n):
            self.n = n

    @tf.function
    def f(box):
        print("trace", box.n)
        return tf.constant(box.n)

    a, b = Box(1), Box(1)
    print(f(a).numpy(), f(b).numpy(), f(a).numpy())
    a.n = 5
    print(f(a).numpy(), f.experimental_get_tracing_count())


def objects_with_equality(tf):
    class Key:
        def __init__(self, n):
            self.n = n

        def __eq__(self, other):
            return isinstance(other, Key) and self.n == other.n

        def __hash__(self):
            return hash(self.n)

    @tf.function
    def f(key):
        print("trace", key.n)
        return tf.constant(key.n)

    print(f(Key(1)).numpy(), f(Key(1)).numpy(), f(Key(2)).numpy())
    print(f.experimental_get_tracing_count())
    kept, equal, other = Key(1), Key(1), Key(2)
    print(f(kept).numpy(), f(equal).numpy(), f(other).numpy(), f(kept).numpy())
    print(f.experimental_get_tracing_count())


def unhashable_objects(tf, raises):
    class Odd:
        __hash__ = None

        def __eq__(self, other):
            return self is other

    @tf.function
    def f(x, odd):
        print("trace")
        return x

    odd = Odd()
    raises(lambda: f(tf.constant(1), odd))
    raises(lambda: f(tf.constant(1), {1, 2}))


def data_classes(tf):
    @dataclasses.dataclass(frozen=True)
    class Settings:
        rate: float
        steps: int

    @tf.function
    def f(x, settings):
        print("trace", settings.rate, settings.steps)
        return x * settings.rate

    x = tf.constant(2.0)
    print(f(x, Settings(0.5, 1)).numpy(), f(x, Settings(0.5, 1)).numpy())
    print(f(x, Settings(1.5, 1)).numpy(), f.experimental_get_tracing_count())
    kept, equal = Settings(2.5, 1), Settings(2.5, 1)
    print(f(x, kept).numpy(), f(x, equal).numpy(), f.experimental_get_tracing_count())


def functions_as_arguments(tf):
    @tf.function
    def apply(g, x):
        print("trace")
        return g(x)

    x = tf.constant(3)
    square = lambda t: t * t
    print(apply(square, x).numpy(), apply(square, x).numpy(), apply(tf.negative, x).numpy())
    print(apply.experimental_get_tracing_count())


def partials(tf):
    def f(x, scale, shift=0):
        print("trace", scale, shift)
        return x * scale + shift

    g = tf.function(functools.partial(f, scale=3))
    x = tf.constant(2)
    print(g(x).numpy(), g(x).numpy(), g(x, shift=1).numpy())
    print(g.experimental_get_tracing_count())


def input_signature_with_unknown_size(tf, raises):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(x):
        print("trace", x.shape, x.shape[0])
        return tf.reduce_sum(x)

    print(f(tf.constant([1.0])).numpy(), f(tf.constant([1.0, 2.0])).numpy(), f([1.0, 2.0]).numpy())
    raises(lambda: f(tf.constant([[1.0]])))
    raises(lambda: f(tf.constant([1])))
    print(f.experimental_get_tracing_count())


def input_signature_casts_python_values(tf, raises):
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def f(x):
        print("trace", x.dtype)
        return x * 2

    print(f(1).numpy(), f(2.5).numpy(), f(np.float32(3)).numpy())
    raises(lambda: f(np.int32(3)))
    raises(lambda: f("text"))
    raises(lambda: f(None))


def input_signature_counts_arguments(tf, raises):
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32)])
    def f(x, y):
        return x + y

    print(f(1, 2).numpy(), f(1, y=2).numpy(), f(y=1, x=4).numpy())
    raises(lambda: f(1))
    raises(lambda: f(1, 2, 3))
    raises(lambda: f(1, z=3))


def input_signature_longer_than_the_arguments(tf, raises):
    spec = tf.TensorSpec([], tf.int32)
    raises(lambda: tf.function(lambda x: x, input_signature=[spec, spec])(1, 2))
    raises(lambda: tf.function(lambda x: x, input_signature=3))
    raises(lambda: tf.function(lambda x: x, input_signature=["int32"])(1))


def input_signature_and_defaults(tf):
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def f(x, scale=3):
        print("trace", scale)
        return x * scale

    print(f(2).numpy())
    print(f.get_concrete_function().structured_input_signature)


def input_signature_of_structures(tf, raises):
    spec = tf.TensorSpec([], tf.float32)

    @tf.function(input_signature=[{"a": spec, "b": [spec, spec]}])
    def f(d):
        print("trace", sorted(d), type(d["b"]).__name__)
        return d["a"] + d["b"][0] * d["b"][1]

    print(f({"a": 1.0, "b": [2.0, 3.0]}).numpy())
    raises(lambda: f({"a": 1.0, "b": [2.0]}))
    raises(lambda: f({"a": 1.0}))


def input_signature_without_a_rank(tf):
    @tf.function(input_signature=[tf.TensorSpec(None, tf.int32)])
    def f(x):
        print("trace", x.shape, x.shape.rank)
        return tf.rank(x)

    print(f(1).numpy(), f([1]).numpy(), f([[1]]).numpy())


def reduce_retracing_relaxes_shapes(tf):
    @tf.function(reduce_retracing=True)
    def f(x):
        print("trace", x.shape)
        return tf.reduce_sum(x)

    for n in (1, 2, 3, 4, 1):
        print(f(tf.ones([n])).numpy())
    print(f(tf.ones([2, 2])).numpy(), f(tf.ones([3, 2])).numpy(), f(tf.ones([3, 4])).numpy())
    print(f.experimental_get_tracing_count())


def reduce_retracing_leaves_python_numbers(tf):
    @tf.function(reduce_retracing=True)
    def f(n):
        print("trace", n)
        return tf.constant(n)

    f(1)
    f(2)
    f(3)
    print(f.experimental_get_tracing_count())


def experimental_relax_shapes_is_an_old_name(tf):
    @tf.function(experimental_relax_shapes=True)
    def f(x):
        print("trace", x.shape)
        return tf.size(x)

    print(f(tf.ones([1])).numpy(), f(tf.ones([2])).numpy(), f(tf.ones([3])).numpy())


def a_general_trace_serves_a_special_call(tf):
    @tf.function
    def f(x):
        print("trace", x.shape)
        return tf.reduce_sum(x)

    f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    print(f(tf.ones([3])).numpy(), f(tf.ones([4])).numpy())
    print(f.experimental_get_tracing_count())


def the_most_special_trace_is_taken(tf):
    @tf.function
    def f(x):
        print("trace", x.shape)
        return tf.constant(-1 if x.shape.rank is None or x.shape[0] is None else x.shape[0])

    f.get_concrete_function(tf.TensorSpec(None, tf.float32))
    f.get_concrete_function(tf.TensorSpec([2], tf.float32))
    f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    print(f(tf.ones([2])).numpy(), f(tf.ones([3])).numpy(), f(tf.ones([])).numpy())
    print(f.experimental_get_tracing_count())


def python_effects_only_while_tracing(tf):
    calls = []

    @tf.function
    def f(x):
        calls.append("traced")
        print("python")
        tf.print("tensorflow", x)
        return x

    for i in range(3):
        f(tf.constant(i))
    print(calls)


def python_globals_are_read_while_tracing(tf):
    factor = [2]

    @tf.function
    def f(x):
        return x * factor[0]

    print(f(tf.constant(3)).numpy())
    factor[0] = 10
    print(f(tf.constant(3)).numpy(), f(tf.constant(3.0)).numpy())


def python_counters_do_not_count(tf):
    n = 0

    @tf.function
    def f(x):
        nonlocal n
        n += 1
        return x + n

    print(f(tf.constant(0)).numpy(), f(tf.constant(0)).numpy(), n)


def the_warning_about_retracing(tf):
    heard = []

    class Listener(logging.Handler):
        def emit(self, record):
            heard.append(record.getMessage())

    logging.getLogger("tensorflow").setLevel("WARNING")
    logging.getLogger("tensorflow").addHandler(Listener())

    @tf.function
    def often(n):
        return tf.constant(n)

    for n in range(8):
        often(n)
        print(n, len(heard))
    print("retracing" in heard[0], "often" in heard[0], "reduce_retracing=True" in heard[0])


def a_function_that_is_made_in_a_loop(tf):
    heard = []

    class Listener(logging.Handler):
        def emit(self, record):
            heard.append(record.getMessage())

    logging.getLogger("tensorflow").setLevel("WARNING")
    logging.getLogger("tensorflow").addHandler(Listener())
    for n in range(8):
        tf.function(lambda x: x + 1)(tf.constant(n))
    print([("loop" in text, "5 out of" in text) for text in heard])


def methods_are_traced_for_each_object(tf):
    class Scale:
        def __init__(self, by):
            self.by = by

        @tf.function
        def __call__(self, x):
            print("trace", self.by)
            return x * self.by

    a, b = Scale(2), Scale(3)
    x = tf.constant(1)
    print(a(x).numpy(), b(x).numpy(), a(x).numpy(), b(x).numpy())
    a.by = 7
    print(a(x).numpy())


def methods_and_their_objects_die(tf):
    class Holder:
        def __init__(self):
            self.v = tf.Variable(1.0)

        @tf.function
        def get(self):
            return self.v + 1.0

    holder = Holder()
    print(holder.get().numpy())
    seen = weakref.ref(holder)
    del holder
    gc.collect()
    print(seen() is None)


def module_methods(tf):
    class Dense(tf.Module):
        def __init__(self):
            super().__init__(name="dense")
            self.w = None

        @tf.function
        def __call__(self, x):
            print("trace", x.shape)
            if self.w is None:
                self.w = tf.Variable(tf.ones([x.shape[-1], 2]), name="w")
            return x @ self.w

    dense = Dense()
    print(dense(tf.ones([1, 3])).numpy().tolist(), dense(tf.ones([1, 3])).numpy().tolist())
    print(dense(tf.ones([2, 3])).numpy().tolist(), [v.name for v in dense.variables])


def deep_copies_trace_for_themselves(tf):
    class Module(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(1.0)

        @tf.function
        def add(self, x):
            print("trace")
            self.v.assign_add(x)
            return self.v.read_value()

    a = Module()
    print(a.add(tf.constant(1.0)).numpy())
    b = copy.deepcopy(a)
    print(b.add(tf.constant(10.0)).numpy(), a.add(tf.constant(1.0)).numpy(), a.v.numpy())


def threads_call_one_function(tf):
    @tf.function
    def f(x):
        print("trace")
        return x * x

    results = [None] * 8
    start = threading.Barrier(8)

    def work(i):
        start.wait()
        results[i] = int(f(tf.constant(i)))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(results, f.experimental_get_tracing_count())


def an_exception_in_a_trace_leaves_no_trace(tf, raises):
    broken = [True]

    @tf.function
    def f(x):
        print("trace")
        if broken[0]:
            raise KeyError("broken")
        return x

    raises(lambda: f(tf.constant(1)), "broken")
    raises(lambda: f(tf.constant(1)), "broken")
    broken[0] = False
    print(f(tf.constant(1)).numpy(), f.experimental_get_tracing_count(), tf.executing_eagerly())


def a_trace_that_calls_itself(tf):
    @tf.function
    def factorial(n):
        print("trace", n)
        if n <= 1:
            return tf.constant(1)
        return n * factorial(n - 1)

    print(factorial(4).numpy(), factorial.experimental_get_tracing_count())


def run_functions_eagerly(tf):
    @tf.function
    def f(x):
        print("run", tf.executing_eagerly())
        return x + 1

    one = tf.constant(1)
    print(f(one).numpy(), f(one).numpy())
    tf.config.run_functions_eagerly(True)
    print(tf.config.functions_run_eagerly(), f(one).numpy(), f(one).numpy())
    tf.config.run_functions_eagerly(False)
    print(tf.config.functions_run_eagerly(), f(one).numpy())


def integers_of_numpy_and_python(tf):
    @tf.function
    def f(n):
        print("trace", type(n).__name__ if isinstance(n, int) else n.dtype)
        return tf.zeros([n])

    print(f(2).shape, f(np.int64(2)).shape, f(np.int64(3)).shape, f(tf.constant(3)).shape)
    print(f.experimental_get_tracing_count())


def floats_that_are_not_numbers(tf):
    @tf.function
    def f(x):
        print("trace", x)
        return tf.constant(x)

    nan = float("nan")
    f(nan)
    f(nan)
    f(float("nan"))
    f(0.0)
    f(-0.0)
    print(f.experimental_get_tracing_count())


def specs_and_shapes_and_dtypes_as_arguments(tf):
    @tf.function
    def f(shape, dtype):
        print("trace", shape, dtype)
        return tf.zeros(shape, dtype)

    print(f((2,), tf.int32).numpy(), f((2,), tf.float32).numpy(), f((2,), tf.int32).numpy())
    print(f(tf.TensorShape([1]), tf.int32).numpy(), f(tf.TensorShape([1]), tf.int32).numpy())
    kept, equal = tf.TensorShape([3]), tf.TensorShape([3])
    print(f(kept, tf.int32).numpy(), f(equal, tf.int32).numpy())
    print(f.experimental_get_tracing_count())


def ragged_and_sparse_arguments(tf):
    @tf.function
    def f(x):
        print("trace", type(x).__name__, x.shape)
        return x

    print(f(tf.ragged.constant([[1], [2, 3]])).to_list())
    print(f(tf.ragged.constant([[1, 2, 3], []], dtype=tf.int32)).to_list())
    print(tf.sparse.to_dense(f(tf.sparse.from_dense([0, 1]))).numpy())
    print(f.experimental_get_tracing_count())


def trailing_kwargs_in_another_order(tf):
    @tf.function
    def f(a, b):
        print("trace")
        return a - b

    one, two = tf.constant(1), tf.constant(2)
    print(f(a=one, b=two).numpy(), f(b=two, a=one).numpy(), f(one, b=two).numpy())
    print(f.experimental_get_tracing_count())


def wrong_arguments(tf, raises):
    @tf.function
    def f(x, y):
        return x + y

    raises(lambda: f())
    raises(lambda: f(1, 2, 3))
    raises(lambda: f(1, z=2))
    raises(lambda: f(1, x=2))


def a_class_as_decorated_callable(tf):
    class Call:
        def __call__(self, x):
            print("trace")
            return x * 3

    f = tf.function(Call())
    print(f(tf.constant(2)).numpy(), f(tf.constant(3)).numpy())


def decorated_twice(tf):
    @tf.function
    @tf.function
    def f(x):
        print("trace")
        return x + 1

    print(f(tf.constant(1)).numpy(), f(tf.constant(1)).numpy())


def static_and_class_methods(tf):
    class Tools:
        @staticmethod
        @tf.function
        def double(x):
            print("trace static")
            return x * 2

        @classmethod
        @tf.function
        def named(cls, x):
            print("trace class", cls.__name__)
            return x + 1

    one = tf.constant(1)
    print(Tools.double(one).numpy(), Tools().double(one).numpy())
    print(Tools.named(one).numpy(), Tools().named(one).numpy())


def the_name_and_the_python_function(tf):
    @tf.function
    def cube(x):
        """Cubes."""
        return x**3

    print(cube.__name__, cube.__doc__, cube.python_function(2), cube.name)
    print(cube.function_spec is not None, cube.input_signature)


def pretty_printed_signatures(tf):
    @tf.function
    def f(a, b=2):
        return a * b

    f(tf.constant(1.0))
    f(tf.ones([2]), 3)
    print(f.pretty_printed_concrete_signatures())
