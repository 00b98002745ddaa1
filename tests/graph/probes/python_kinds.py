"""Functions, arguments and statements of many Python kinds."""

from __future__ import annotations

import collections, copy, dataclasses, enum, functools, pickle, typing


def _attempt(call):
    try:
        print("no error", call())
    except Exception as error:  # noqa: BLE001 (any is an answer)
        print("raises", type(error).__name__)


class _Point(typing.NamedTuple):
    x: object
    y: object


def named_tuples(tf):
    @tf.function
    def f(p, scale=_Point(1.0, 2.0)):
        print("trace", type(p).__name__)
        return p._replace(x=p.x * scale.x), {"q": [p.y * scale.y, (p.x,)]}

    out, d = f(_Point(tf.constant(1.0), tf.constant(2.0)))
    print(
        type(out).__name__,
        out.x.numpy(),
        out.y.numpy(),
        d["q"][0].numpy(),
        type(d["q"][1]).__name__,
    )
    f(_Point(tf.constant(3.0), tf.constant(2.0)))
    f(_Point(3.0, 2.0))
    print(f.experimental_get_tracing_count())


def dataclass_arguments(tf):
    @dataclasses.dataclass
    class Config:
        rate: float
        depth: int = 2

    @dataclasses.dataclass(frozen=True)
    class Frozen:
        rate: float

    @tf.function
    def f(x, c):
        print("trace")
        return x * c.rate

    x = tf.constant(2.0)
    c = Config(3.0)
    _attempt(lambda: f(x, c).numpy())
    _attempt(lambda: f(x, c).numpy())
    _attempt(lambda: f(x, Frozen(3.0)).numpy())
    _attempt(lambda: f(x, Frozen(3.0)).numpy())
    _attempt(lambda: f(x, Frozen(4.0)).numpy())
    print(f.experimental_get_tracing_count())


def ordered_and_default_dicts(tf):
    @tf.function
    def f(d):
        print("trace", type(d).__name__, list(d))
        return {k: v * 2 for k, v in d.items()}

    x = tf.constant(1.0)
    print(sorted(f({"b": x, "a": x})), list(f(collections.OrderedDict(b=x, a=x))))
    f({"a": x, "b": x})
    d = collections.defaultdict(lambda: x)
    d["z"] = x
    _attempt(lambda: sorted(f(d)))
    print(f.experimental_get_tracing_count())


def keyword_only_and_defaults(tf):
    @tf.function
    def f(x, *args, scale=2.0, **kwargs):
        print("trace", len(args), sorted(kwargs), scale)
        return x * scale + sum(args) + sum(kwargs.values())

    x = tf.constant(1.0)
    print(
        f(x).numpy(),
        f(x, scale=2.0).numpy(),
        f(x, x, x, scale=3.0).numpy(),
        f(x, b=x, a=x).numpy(),
        f(x, a=x, b=x).numpy(),
    )
    print(f.experimental_get_tracing_count())
    _attempt(lambda: f())
    _attempt(lambda: f(x=x, y=x, scale=x).numpy())


def enums_and_none(tf):
    class Mode(enum.Enum):
        A = 1
        B = 2

    @tf.function
    def f(x, mode, other=None):
        print("trace", mode, other is None)
        if mode is Mode.A:
            return x
        return -x

    x = tf.constant(1.0)
    print(f(x, Mode.A).numpy(), f(x, Mode.B).numpy(), f(x, Mode.A).numpy(), f(x, Mode.A, x).numpy())
    print(f.experimental_get_tracing_count())


def partial_and_lambda(tf):
    def base(x, y, z=1.0):
        return x * y + z

    f = tf.function(functools.partial(base, y=tf.constant(3.0)))
    print(f(tf.constant(2.0)).numpy(), f(tf.constant(2.0), z=2.0).numpy())
    _attempt(lambda: f(tf.constant(2.0), y=4.0).numpy())
    g = tf.function(lambda x, k=2: x**k)
    print(g(tf.constant(3.0)).numpy(), g(tf.constant(3.0), 3).numpy())
    h = functools.partial(tf.function(base), tf.constant(5.0))
    print(h(2.0).numpy(), h(tf.constant(2.0), z=0.0).numpy())


def wrapped_functions(tf):
    def logged(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            print("before", fn.__name__)
            try:
                return fn(*args, **kwargs)
            finally:
                print("after")

        return inner

    @tf.function
    @logged
    def f(x):
        if x > 0:
            return x
        return -x

    @logged
    @tf.function
    def g(x):
        return x + 1

    print(
        f(tf.constant(-2)).numpy(),
        f(tf.constant(3)).numpy(),
        g(tf.constant(1)).numpy(),
        f.__name__,
        g.__name__,
    )


def callable_objects(tf):
    class Scale:
        def __init__(self, k):
            self.k = k

        def __call__(self, x):
            print("trace", self.k)
            return x * self.k

    s = Scale(2.0)
    f = tf.function(s)
    print(f(tf.constant(3.0)).numpy())
    s.k = 5.0
    print(f(tf.constant(3.0)).numpy(), f(tf.constant([3.0])).numpy())


def methods_bound_at_call_time(tf):
    class A:
        def __init__(self, k):
            self.k = k

        @tf.function
        def m(self, x):
            print("trace", self.k)
            return x * self.k

        @classmethod
        @tf.function
        def c(cls, x):
            return x + 1

        @staticmethod
        @tf.function
        def s(x):
            return x + 2

        @property
        def double(self):
            return tf.function(lambda x: x * 2 * self.k)

    a, b = A(1.0), A(2.0)
    x = tf.constant(1.0)
    print(a.m(x).numpy(), b.m(x).numpy(), a.m(x).numpy())
    a.k = 7.0
    print(a.m(x).numpy(), A.m(b, x).numpy())
    _attempt(lambda: A.c(x).numpy())
    print(A.s(x).numpy(), a.double(x).numpy())
    f = a.m
    del a
    print(f(x).numpy())


def closures_that_change(tf):
    k, box = 1.0, [1.0]
    t = tf.constant(1.0)

    @tf.function
    def f(x):
        return x * k * box[0] * t

    x = tf.constant(1.0)
    print(f(x).numpy())
    k, box[0], t = 5.0, 5.0, tf.constant(9.0)  # noqa: F841
    print(f(x).numpy(), f(tf.constant([1.0])).numpy())


def recursion(tf):
    @tf.function
    def fact(n):
        print("trace", n if isinstance(n, int) else "t")
        if n <= 1:
            return 1
        return n * fact(n - 1)

    print(fact(4).numpy() if hasattr(fact(4), "numpy") else fact(4))

    def fib(n):
        return tf.cond(n < 2, lambda: n, lambda: n + 1)

    print(tf.function(fib)(tf.constant(5)).numpy())


def generators_inside(tf):
    @tf.function
    def f(x, n):
        def gen():
            for i in range(n):
                print("step", i)
                yield x + i

        return [y for y in gen()], sum(gen())

    a, b = f(tf.constant(1), 2)
    print([int(t) for t in a], b.numpy())

    @tf.function
    def g(xs):
        return tf.add_n([x for x in xs])

    _attempt(lambda: g((tf.constant(i) for i in range(3))).numpy())


def try_except_finally(tf):
    @tf.function
    def f(x, bad):
        try:
            if bad:
                raise KeyError("a")
            y = x
            if x > 0:
                y = x + 1
        except KeyError:
            print("caught")
            y = -x
        else:
            print("else")
        finally:
            print("finally")
        return y

    print(
        f(tf.constant(1), False).numpy(),
        f(tf.constant(1), True).numpy(),
        f(tf.constant(-1), False).numpy(),
    )

    @tf.function
    def g(x):
        try:
            return tf.matmul(x, x)
        except ValueError:
            return tf.reduce_sum(x)

    _attempt(lambda: g(tf.ones([2, 3])).numpy())

    @tf.function
    def h(x):
        try:
            return tf.concat([x, tf.constant([1])], 0)
        except TypeError:
            return tf.reduce_sum(x)

    _attempt(lambda: h(tf.ones([2])).numpy())


def with_statements(tf):
    class Ctx:
        def __enter__(self):
            print("enter")
            return 3.0

        def __exit__(self, *a):
            print("exit", a[0])
            return True

    @tf.function
    def f(x):
        with Ctx() as c, tf.name_scope("n"):
            x = x * c
            if x > 4.0:
                x = x - 1.0
        with Ctx():
            raise ValueError("swallowed")
        return x

    print(f(tf.constant(1.0)).numpy(), f(tf.constant(2.0)).numpy())


def init_scope(tf):
    made = [tf.Variable(2.0)]

    @tf.function
    def f(x):
        with tf.init_scope():
            print(tf.executing_eagerly(), tf.inside_function())
            c = tf.constant(3.0)
            print(c.numpy())
        return x * made[0] * c

    print(f(tf.constant(1.0)).numpy(), f(tf.constant(2.0)).numpy())


def py_functions(tf):
    calls = []

    @tf.function
    def f(x):
        y = tf.py_function(lambda v: (calls.append(float(v)), v * 2)[1], [x], tf.float32)
        z = tf.numpy_function(lambda v: v + v, [y], tf.float32)
        print(y.shape, z.shape)
        return z

    print(f(tf.constant(2.0)).numpy(), f(tf.constant(3.0)).numpy(), calls)

    def bad(v):
        raise KeyError("k")

    _attempt(lambda: tf.function(lambda x: tf.py_function(bad, [x], tf.float32))(1.0))
    _attempt(
        lambda: tf.function(lambda x: tf.py_function(lambda v: v, [x], tf.int32))(tf.constant(1.5))
    )


def order_of_effects(tf):
    v = tf.Variable(0)

    @tf.function
    def f(n):
        for i in tf.range(n):
            v.assign_add(i)
            tf.print("i", i, "v", v)
        tf.debugging.Assert(v < 100, [v])
        tf.print("end", v)
        return v.read_value()

    print(f(tf.constant(3)).numpy())
    v.assign(99)
    _attempt(lambda: f(tf.constant(3)))
    print(v.numpy())


def copying_functions(tf):
    @tf.function
    def f(x):
        return x + 1

    f(tf.constant(1))
    _attempt(lambda: copy.copy(f)(tf.constant(1)).numpy())
    _attempt(lambda: copy.deepcopy(f)(tf.constant(1)).numpy())
    _attempt(lambda: type(pickle.loads(pickle.dumps(f))).__name__)
    c = f.get_concrete_function(tf.TensorSpec([], tf.int32))
    _attempt(lambda: copy.copy(c)(tf.constant(1)).numpy())
    _attempt(lambda: copy.deepcopy(c)(tf.constant(1)).numpy())
    _attempt(lambda: pickle.dumps(c))


def module_hierarchies(tf):
    class Base(tf.Module):
        def __init__(self, name=None):
            super().__init__(name)
            self.w = tf.Variable(2.0, name="w")

        @tf.function
        def __call__(self, x):
            print("trace", type(self).__name__)
            return self.f(x)

        def f(self, x):
            return x * self.w

    class Child(Base):
        def __init__(self):
            super().__init__("kid")
            self.parts = [Base(), {"a": Base()}]

        def f(self, x):
            return super().f(x) + sum(p(x) for p in [self.parts[0], self.parts[1]["a"]])

    c = Child()
    print(
        c(tf.constant(1.0)).numpy(),
        c(tf.constant(2.0)).numpy(),
        [v.name for v in c.trainable_variables],
        len(c.submodules),
        c.name,
    )
    print(Child()(tf.constant(1.0)).numpy())


def nested_structures_returned(tf):
    @tf.function
    def f(x):
        return {"a": [x, (x, None, 3, "s")], "b": _Point(x, {"c": x})}

    r = f(tf.constant(1.0))
    print(
        type(r["a"]).__name__,
        type(r["a"][1]).__name__,
        r["a"][1][1:],
        type(r["b"]).__name__,
        r["b"].y["c"].numpy(),
    )
    _attempt(lambda: tf.function(lambda x: {1: x, "a": x})(tf.constant(1)))
    _attempt(lambda: tf.function(lambda x: {x})(tf.constant(1)))
    _attempt(lambda: tf.function(lambda x: object())(tf.constant(1)))
    _attempt(lambda: tf.function(lambda x: (i for i in [x]))(tf.constant(1)))


def starred_targets(tf):
    @tf.function
    def f(x):
        y = x * 2
        if y > 3:
            z = y
        else:
            z = -y
        a, *b = [z, z + 1, z + 2]
        return a, b, [*b, a]

    print(
        tf.nest.map_structure(int, f(tf.constant(1))), tf.nest.map_structure(int, f(tf.constant(2)))
    )


def set_and_range_arguments(tf):
    @tf.function
    def f(x, s):
        print("trace")
        return x + sum(s)

    x = tf.constant(1)
    _attempt(lambda: f(x, {1, 2}).numpy())
    _attempt(lambda: f(x, range(3)).numpy())
    _attempt(lambda: f(x, range(3)).numpy())
    _attempt(lambda: f(x, frozenset([1, 2])).numpy())
    _attempt(lambda: f(x, frozenset([2, 1])).numpy())
    _attempt(lambda: f(x, b"ab").numpy())
    print(f.experimental_get_tracing_count())
