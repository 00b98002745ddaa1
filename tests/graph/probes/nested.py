"""Functions that call, hold and make functions; arguments of every kind; and what is refused."""

import functools
import gc
import pickle
import threading
import weakref

import numpy as np


def inner_functions_are_traced_for_each_signature(tf):
    @tf.function
    def inner(x):
        print("inner", x.shape)
        return tf.reduce_sum(x)

    @tf.function
    def outer(x):
        print("outer", x.shape)
        return inner(x) + inner(tf.concat([x, x], 0)) + inner(x + 1.0)

    print(outer(tf.ones([1])).numpy(), outer(tf.ones([2])).numpy(), inner(tf.ones([4])).numpy())
    print(inner.experimental_get_tracing_count(), outer.experimental_get_tracing_count())


def inner_prints_run_each_time(tf):
    @tf.function
    def inner(x):
        tf.print("inner", x)
        return x

    @tf.function
    def outer(x):
        inner(x)
        inner(x + 1)
        tf.print("outer", x)

    outer(tf.constant(1))
    outer(tf.constant(5))


def an_inner_function_raises(tf, raises):
    @tf.function
    def inner(x):
        raise ValueError("inside")

    @tf.function
    def outer(x):
        try:
            return inner(x)
        except ValueError:
            print("caught")
            return x

    raises(lambda: inner(tf.constant(1)), "inside")
    print(outer(tf.constant(1)).numpy())


def a_runtime_error_in_an_inner_function(tf, raises):
    @tf.function
    def inner(x):
        return tf.debugging.check_numerics(tf.math.log(x), "of log")

    @tf.function
    def outer(x):
        return inner(x) * 2.0

    raises(lambda: outer(tf.constant(-1.0)), "of log")
    print(outer(tf.constant(1.0)).numpy())


def functions_in_attributes(tf):
    class Model:
        def __init__(self, scale):
            self.scale = scale
            self.call = tf.function(self._call)

        def _call(self, x):
            print("trace", self.scale)
            return x * self.scale

    a, b = Model(2), Model(3)
    print(
        a.call(tf.constant(1)).numpy(),
        b.call(tf.constant(1)).numpy(),
        a.call(tf.constant(4)).numpy(),
    )


def one_python_function_wrapped_twice(tf):
    def f(x):
        print("trace")
        return x + 1

    a, b = tf.function(f), tf.function(f)
    a(tf.constant(1))
    b(tf.constant(1))
    print(a.experimental_get_tracing_count(), b.experimental_get_tracing_count(), a == b)


def a_list_argument_that_is_changed(tf, raises):
    @tf.function
    def f(xs):
        xs.append(tf.constant(3))
        return xs

    xs = [tf.constant(1)]
    raises(lambda: f(xs), "modify", "append")
    print(len(xs))


def a_dictionary_argument_that_is_changed(tf, raises):
    @tf.function
    def f(d):
        d["new"] = d["old"] * 2
        return d["new"]

    @tf.function
    def g(d):
        d["old"] = d["old"] * 2
        return d["old"]

    d = {"old": tf.constant(1)}
    raises(lambda: f(d))
    raises(lambda: print(g(d).numpy()))
    print(sorted(d), d["old"].numpy())


def a_list_from_outside_that_is_changed(tf):
    seen = []

    @tf.function
    def f(x):
        seen.append(x.shape)
        return x

    f(tf.constant(1))
    f(tf.constant(2))
    f(tf.constant([1]))
    print(seen)


def mutable_defaults(tf):
    @tf.function
    def f(x, seen=[]):
        seen = seen + [x]
        return len(seen)

    print(f(tf.constant(1)).numpy(), f(tf.constant(2)).numpy())


def a_tensor_as_default(tf):
    @tf.function
    def f(x, y=tf.constant(5)):
        print("trace", tf.is_symbolic_tensor(y))
        return x + y

    print(f(tf.constant(1)).numpy(), f(tf.constant(1), tf.constant(7)).numpy())
    print(f.experimental_get_tracing_count())


def wrapped_decorators(tf):
    def logged(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            print("called")
            return function(*args, **kwargs)

        return wrapper

    @tf.function
    @logged
    def inside(x):
        return x + 1

    @logged
    @tf.function
    def outside(x):
        return x + 1

    one = tf.constant(1)
    print(inside(one).numpy(), inside(one).numpy(), inside.__name__)
    print(outside(one).numpy(), outside(one).numpy(), outside.__name__)


def generator_and_async_functions(tf, raises):
    @tf.function
    def f(x):
        yield x

    async def g(x):
        return x

    raises(lambda: f(tf.constant(1)))
    raises(lambda: tf.function(g)(tf.constant(1)))


def things_that_are_no_functions(tf, raises):
    raises(lambda: tf.function(3))
    raises(lambda: tf.function("f"))
    raises(lambda: print(tf.function(abs)(tf.constant(-3)).numpy()))
    raises(lambda: print(tf.function(tf.square)(tf.constant(3)).numpy()))
    raises(lambda: print(tf.function(np.square)(tf.constant(3))))


def functions_die_with_their_traces(tf):
    def make():
        big = tf.Variable(tf.zeros([10]))

        @tf.function
        def f(x):
            return x + big

        f(tf.constant(1.0))
        return f, weakref.ref(big)

    f, seen = make()
    gc.collect()
    print(seen() is None)
    del f
    gc.collect()
    print(seen() is None)


def arguments_are_not_kept_alive(tf):
    @tf.function
    def f(x):
        return tf.reduce_sum(x)

    x = tf.ones([10])
    seen = weakref.ref(x)
    f(x)
    del x
    gc.collect()
    print(seen() is None)


def object_arguments_are_not_kept_alive(tf):
    class Settings:
        factor = 3

    @tf.function
    def f(settings, x):
        return x * settings.factor

    settings = Settings()
    seen = weakref.ref(settings)
    print(f(settings, tf.constant(1)).numpy())
    del settings
    gc.collect()
    print(seen() is None)


def functions_are_not_pickled(tf, raises):
    raises(lambda: pickle.dumps(tf.function(len)))


def threads_trace_different_signatures(tf):
    traced = []

    @tf.function
    def f(x):
        traced.append(x.dtype.name)
        return x + x

    values = [1, 2.0, 3j, "a"] * 2
    results = [None] * 8
    start = threading.Barrier(8)

    def work(i):
        start.wait()
        results[i] = f(tf.constant(values[i])).numpy()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(results, sorted(traced))


def a_thread_is_eager_while_another_traces(tf):
    seen = []
    tracing, looked = threading.Event(), threading.Event()

    def look():
        tracing.wait()
        seen.append((tf.executing_eagerly(), type(tf.constant(1)).__name__))
        looked.set()

    @tf.function
    def f(x):
        tracing.set()
        looked.wait()
        return x

    thread = threading.Thread(target=look)
    thread.start()
    f(tf.constant(1))
    thread.join()
    print(seen)


def the_public_types(tf):
    @tf.function
    def f(x):
        return x

    c = f.get_concrete_function(tf.constant(1))
    types = tf.types.experimental
    print(isinstance(f, types.GenericFunction), isinstance(f, types.PolymorphicFunction))
    print(isinstance(c, types.ConcreteFunction), isinstance(c, types.Callable), callable(f))


def tracing_types_of_ones_own(tf):
    class Angle(tf.types.experimental.SupportsTracingProtocol):
        def __init__(self, degrees):
            self.degrees = degrees

        def __tf_tracing_type__(self, context):
            return AngleType(self.degrees % 360)

    class AngleType(tf.types.experimental.TraceType):
        def __init__(self, degrees):
            self.degrees = degrees

        def is_subtype_of(self, other):
            return self == other

        def most_specific_common_supertype(self, others):
            return self if all(self == other for other in others) else None

        def placeholder_value(self, placeholder_context=None):
            return Angle(self.degrees)

        def __eq__(self, other):
            return isinstance(other, AngleType) and self.degrees == other.degrees

        def __hash__(self):
            return hash(self.degrees)

    @tf.function
    def f(angle):
        print("trace", angle.degrees)
        return tf.constant(angle.degrees)

    print(f(Angle(90)).numpy(), f(Angle(450)).numpy(), f(Angle(100)).numpy())


def extension_types(tf):
    class Point(tf.experimental.ExtensionType):
        x: tf.Tensor
        y: tf.Tensor
        label: str = "p"

    @tf.function
    def f(p):
        print("trace", p.label, p.x.shape)
        return Point(p.y, p.x, p.label)

    out = f(Point(1, 2))
    print(type(out).__name__, out.x.numpy(), out.y.numpy(), out.label)
    f(Point(3, 4))
    f(Point(3, 4, "q"))
    print(f.experimental_get_tracing_count())


def attrs_like_mappings(tf):
    import collections

    @tf.function
    def f(d):
        print("trace", type(d).__name__)
        return {k: v + 1 for k, v in d.items()}

    ordered = collections.OrderedDict(b=tf.constant(1), a=tf.constant(2))
    print({k: v.numpy() for k, v in f(ordered).items()})
    print({k: v.numpy() for k, v in f({"a": tf.constant(1), "b": tf.constant(2)}).items()})
    default = collections.defaultdict(int, a=tf.constant(5))
    print({k: v.numpy() for k, v in f(default).items()})


def empty_structures(tf):
    @tf.function
    def f(xs, d):
        print("trace", xs, d)
        return xs, d

    print(f([], {}), f((), {}), f([], {}), f.experimental_get_tracing_count())


def nested_python_values(tf):
    @tf.function
    def f(config, x):
        print("trace", config)
        return x * config["scale"][0]

    x = tf.constant(2)
    print(f({"scale": [3, "s"]}, x).numpy(), f({"scale": [3, "s"]}, x).numpy())
    print(f({"scale": [4, "s"]}, x).numpy(), f.experimental_get_tracing_count())


def bytes_and_complex_numbers(tf):
    @tf.function
    def f(x):
        print("trace", repr(x))
        return tf.constant(x)

    print(f(b"ab").numpy(), f("ab").numpy(), f(1 + 2j).numpy())
    print(f(b"ab").numpy(), f.experimental_get_tracing_count())


def large_python_numbers(tf, raises):
    @tf.function
    def f(x):
        return tf.constant(x)

    raises(lambda: print(f(2**40).numpy(), f(2**40).dtype))
    raises(lambda: f(2**70))


def sizes_that_are_equal_numbers(tf):
    @tf.function
    def f(n):
        print("trace", type(n).__name__)
        return tf.ones([int(n)])

    print(f(2).shape, f(2.0).shape, f(True).shape, f(1).shape)


def enumerations(tf):
    import enum

    class Mode(enum.Enum):
        FAST = 1
        SLOW = 2

    @tf.function
    def f(mode, x):
        print("trace", mode.name)
        return x * mode.value

    x = tf.constant(5)
    print(f(Mode.FAST, x).numpy(), f(Mode.SLOW, x).numpy(), f(Mode.FAST, x).numpy())


def arguments_by_a_star(tf):
    @tf.function
    def f(first, *rest, scale=1, **named):
        print("trace", len(rest), scale, sorted(named))
        return (first + sum(rest)) * scale

    one = tf.constant(1)
    print(f(one, one, one).numpy(), f(one, *[one] * 2).numpy(), f(one, scale=4, extra=one).numpy())
    print(f.get_concrete_function(one, one, scale=2).structured_input_signature)


def positional_only_arguments(tf, raises):
    @tf.function
    def f(x, /, y):
        return x - y

    one, two = tf.constant(1), tf.constant(2)
    print(f(one, two).numpy(), f(one, y=two).numpy())
    raises(lambda: f(x=one, y=two))


def keyword_only_with_a_signature(tf, raises):
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def f(x, *, scale=2):
        return x * scale

    print(f(3).numpy())
    raises(lambda: print(f(3, scale=5).numpy()))


def type_hints_are_not_followed(tf):
    @tf.function
    def f(x: tf.Tensor, n: int):
        print("trace", type(x).__name__)
        return x * n

    print(f(1, 2).numpy(), f(2, 2).numpy())


def an_argument_for_a_variable(tf):
    @tf.function
    def f(v, x):
        print("trace", v.shape, v.dtype)
        v.assign_add(x)

    a, b, c = tf.Variable(1.0), tf.Variable(2.0), tf.Variable([1.0])
    f(a, 1.0)
    f(b, 1.0)
    f(c, [1.0])
    print(a.numpy(), b.numpy(), c.numpy(), f.experimental_get_tracing_count())


def modules_as_arguments(tf):
    class Module(tf.Module):
        def __init__(self, n):
            super().__init__()
            self.v = tf.Variable(n)

    @tf.function
    def f(module, x):
        print("trace")
        return module.v * x

    a, b = Module(2), Module(3)
    print(f(a, tf.constant(5)).numpy(), f(b, tf.constant(5)).numpy(), f(a, tf.constant(6)).numpy())


def captured_variables_that_are_replaced(tf):
    class Box:
        v = tf.Variable(1)

    @tf.function
    def f(x):
        return x + Box.v

    print(f(tf.constant(1)).numpy())
    Box.v = tf.Variable(100)
    print(f(tf.constant(1)).numpy(), f(tf.constant([1])).numpy())


def a_function_under_a_name_scope(tf):
    @tf.function
    def f(x):
        y = x + 1
        print(y.name)
        return y

    with tf.name_scope("outside"):
        f(tf.constant(1))


def eager_and_graph_give_one_value(tf):
    def f(x):
        y = tf.nn.softmax(x * 3.0)
        return tf.reduce_sum(tf.math.log(y) * tf.cumsum(y)), y[::-1]

    x = tf.constant([0.1, 0.5, -1.0])
    a, b = f(x), tf.function(f)(x)
    print(abs(float(a[0] - b[0])) < 1e-5, bool(tf.reduce_all(tf.abs(a[1] - b[1]) < 1e-6)))


def what_a_function_does_to_an_outer_tape_and_scope(tf, raises):
    @tf.function
    def f(x):
        tape = tf.GradientTape()
        tape.__enter__()
        raise ValueError("left open")

    raises(lambda: f(tf.constant(1.0)))
    print(tf.executing_eagerly(), tf.constant(1).numpy())
    with tf.GradientTape() as tape:
        x = tf.constant(3.0)
        tape.watch(x)
        y = x * x
    print(tape.gradient(y, x).numpy())


def a_keyboard_interrupt_while_tracing(tf):
    stop = [True]

    @tf.function
    def f(x):
        if stop:
            stop.clear()
            raise KeyboardInterrupt
        return x + 1

    try:
        f(tf.constant(1))
    except KeyboardInterrupt:
        print("interrupted", tf.executing_eagerly())
    print(f(tf.constant(1)).numpy())


def steps_per_execution_by_a_loop(tf):
    v = tf.Variable(0)

    @tf.function
    def one():
        v.assign_add(1)
        return v.read_value()

    @tf.function
    def many(n):
        for _ in tf.range(n):
            one()
        return v.read_value()

    print(many(tf.constant(5)).numpy(), one().numpy(), one.experimental_get_tracing_count())


def an_initializer_that_runs_once(tf):
    class Lazy(tf.Module):
        built = False

        def __call__(self, x):
            if not self.built:
                print("building")
                self.w = tf.Variable(tf.fill([x.shape[-1]], 2.0))
                self.built = True
            return x * self.w

    lazy = Lazy()
    f = tf.function(lazy)
    print(f(tf.ones([2])).numpy(), f(tf.ones([1, 2])).numpy(), lazy.w.shape)


def kinds_of_errors_that_leave_a_trace(tf, raises):
    class Plain(Exception):
        pass

    class OfValue(ValueError):
        pass

    class WithArguments(ValueError):
        def __init__(self, a):
            super().__init__(a)

    @tf.function
    def f(error, x):
        raise error

    kinds = (
        ValueError,
        TypeError,
        RuntimeError,
        AssertionError,
        NotImplementedError,
        AttributeError,
    )
    others = (
        KeyError,
        IndexError,
        LookupError,
        ZeroDivisionError,
        OSError,
        Exception,
        StopIteration,
    )
    for kind in (*kinds, *others, Plain, OfValue, WithArguments):
        print(kind.__name__, end=" ")
        raises(lambda: f(kind("text"), tf.constant(1)), "text")
    print("InvalidArgumentError", end=" ")
    error = tf.errors.InvalidArgumentError(None, None, "text")
    raises(lambda: f(error, tf.constant(1)), "text")


def kinds_of_errors_without_autograph(tf, raises):
    class WithArguments(ValueError):
        def __init__(self, a):
            super().__init__(a)

    @tf.function(autograph=False)
    def f(error, x):
        raise error

    for kind in (KeyError, LookupError, WithArguments):
        raises(lambda: f(kind("text"), tf.constant(1)), "text")


def errors_of_operations_while_running(tf, raises):
    def eager_and_graph(f, *args):
        raises(lambda: f(*args))
        raises(lambda: tf.function(f)(*args))

    eager_and_graph(lambda x: tf.reshape(x, [5]), tf.ones([2, 3]))
    eager_and_graph(lambda x, n: tf.reshape(x, [n]), tf.ones([2, 3]), tf.constant(5))
    eager_and_graph(lambda x: tf.concat([x, x[0]], 0), tf.ones([2, 3]))
    eager_and_graph(lambda x: x // 0, tf.constant(3))
    eager_and_graph(lambda x: tf.cast(x, "no dtype"), tf.constant(3))
    eager_and_graph(lambda x: tf.strings.to_number(x), tf.constant("a"))
    eager_and_graph(lambda x: tf.linalg.inv(x), tf.zeros([2, 2]))
    eager_and_graph(lambda x: tf.einsum("ij,jk", x, x), tf.ones([2, 3]))
    eager_and_graph(lambda x: tf.split(x, 2), tf.ones([3]))
    eager_and_graph(lambda x: tf.one_hot(x, -1), tf.constant(0))
    eager_and_graph(lambda x: x[3], tf.ones([2]))
    eager_and_graph(lambda x, i: x[i], tf.ones([2]), tf.constant(3))


def deep_copies_of_functions(tf, raises):
    import copy

    @tf.function
    def f(x):
        print("trace")
        return x + 1

    g = copy.deepcopy(f)
    print(
        g is f,
        g(tf.constant(10)).numpy(),
        g.experimental_get_tracing_count(),
        f.experimental_get_tracing_count(),
    )
    f(tf.constant(1))
    h = copy.copy(f)
    print(h(tf.constant(1)).numpy(), h is f)


def mutable_data_classes_are_no_arguments(tf, raises):
    import dataclasses

    @dataclasses.dataclass
    class State:
        n: int
        x: tf.Tensor

    @dataclasses.dataclass(eq=False)
    class ByIdentity:
        n: int
        x: tf.Tensor

    @tf.function
    def f(state):
        print("trace", state.n, tf.is_symbolic_tensor(state.x))
        return state.x * state.n

    raises(lambda: f(State(2, tf.constant(3))))
    state = ByIdentity(2, tf.constant(3))
    print(f(state).numpy(), f(state).numpy())
    state.x = tf.constant(100)
    print(f(state).numpy())


def objects_that_flatten_themselves(tf):
    class Pair:
        def __init__(self, a, b, kind):
            self.a, self.b, self.kind = a, b, kind

        def __tf_flatten__(self):
            return (self.kind,), (self.a, self.b)

        @classmethod
        def __tf_unflatten__(cls, metadata, leaves):
            return cls(*leaves, *metadata)

    import dataclasses

    @dataclasses.dataclass
    class Point(Pair):
        a: tf.Tensor
        b: tf.Tensor
        kind: str

    @tf.function
    def f(p):
        print("trace", p.kind, tf.is_symbolic_tensor(p.a))
        return Point(p.b, p.a, p.kind)

    out = f(Point(tf.constant(1), tf.constant(2), "k"))
    print(type(out).__name__, out.a.numpy(), out.kind)
    f(Point(tf.constant(3), tf.constant(4), "k"))
    f(Point(tf.constant(3), tf.constant(4), "other"))
    print(tf.nest.flatten(Point(1, 2, "k")))


def tensors_hidden_in_objects_are_captured(tf):
    class Box:
        def __init__(self, x):
            self.x = x

    box = Box(tf.constant(2))

    @tf.function
    def f(y):
        return box.x * y

    print(f(tf.constant(3)).numpy())
    box.x = tf.constant(100)
    print(f(tf.constant(3)).numpy(), len(f.get_concrete_function(tf.constant(3)).captured_inputs))


def an_iterator_of_python_as_argument(tf):
    @tf.function
    def f(it, x):
        print("trace")
        return x + next(it)

    numbers = iter([1, 10, 100])
    print(f(numbers, tf.constant(0)).numpy(), f(numbers, tf.constant(0)).numpy(), next(numbers))


def eager_tensors_of_numpy_types_share_a_trace(tf):
    @tf.function
    def f(x):
        print("trace", x.dtype.name, x.shape)
        return x

    f(np.int64(1))
    f(tf.constant(1, tf.int64))
    f(np.array(1))
    f(np.array([1.0], np.float32))
    f(tf.constant([1.0]))
    f(np.bool_(True))
    f(np.str_("a"))
    print(f.experimental_get_tracing_count())


def weak_references_to_functions(tf):
    @tf.function
    def f(x):
        return x

    f(tf.constant(1))
    concrete = f.get_concrete_function(tf.constant(1))
    seen = weakref.ref(f)
    del f
    gc.collect()
    print(seen() is None, concrete(tf.constant(5)).numpy())


def a_concrete_function_outlives_its_variables_owner(tf, raises):
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(2.0)

        @tf.function
        def f(self, x):
            return x * self.v

    model = Model()
    concrete = model.f.get_concrete_function(tf.TensorSpec([]))
    print(len(concrete.variables))
    del model
    gc.collect()
    print(concrete(tf.constant(3.0)).numpy())
    raises(lambda: concrete.variables)
