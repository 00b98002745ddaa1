"""The conversion of called functions, which keep their other properties."""

from __future__ import annotations

import functools
import gc
import linecache
import logging
import threading
import weakref

import pytest
from autograph_checks import agree, jit

import gradtape as tf
from gradtape._src.autograph import calls
from gradtape._src.autograph.calls import _codes, converted


def absolute(x):
    if x > 0:
        return x
    return -x


def test_functions_that_are_called_are_converted():
    def twice(v):
        return absolute(v) * 2

    agree(lambda x: twice(x), (-2.0,), (3.0,))


@pytest.mark.slow
def test_methods_partials_and_callables():
    class Scaled:
        def __init__(self, factor):
            self.factor = factor

        def __call__(self, x):
            return x * self.factor if x > 0 else -x

        def method(self, x, sign=1.0):
            if x > 0:
                return x * self.factor
            return x * sign

        @classmethod
        def of_class(cls, x):
            if x > 0:
                return x
            return x * 2.0

        @staticmethod
        def static(x):
            return x if x > 0 else x * 3.0

    scaled = Scaled(5.0)

    def f(x):
        part = functools.partial(scaled.method, sign=7.0)
        return scaled(x), scaled.method(x), part(x), Scaled.of_class(x), scaled.static(x)

    agree(f, (-2.0,), (3.0,))
    agree(scaled, (-2.0,), (3.0,))
    agree(scaled.method, (-2.0,), (3.0,))
    agree(functools.partial(scaled.method, sign=2.0), (-2.0,), (3.0,))


def test_private_names_and_super():
    class Base:
        def scale(self, x):
            return x * 2.0

    class Derived(Base):
        def __init__(self):
            self.__hidden = 3.0

        def scale(self, x):
            if x > 0:
                return super().scale(x) * self.__hidden
            return self.__negated(x)

        def __negated(self, x):
            return -x if x < -1 else x

    agree(Derived().scale, (-2.0,), (-0.5,), (3.0,))


def test_decorated_functions():
    def doubling(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs) * 2.0

        return wrapper

    agree(doubling(absolute), (-2.0,), (3.0,))


def test_recursion_with_a_python_number():
    def power(x, n):
        if n == 0:
            return tf.ones_like(x)
        if x > 0:
            y = x
        else:
            y = -x
        return y * power(x, n - 1)

    agree(lambda x: power(x, 3), (-2.0,), (3.0,))


def test_several_lambdas_on_a_line():
    pair = (lambda x: x if x > 0 else x * 2, lambda x: x * 3 if x > 0 else x * 4)
    agree(pair[0], (-2.0,), (3.0,))
    agree(pair[1], (-2.0,), (3.0,))


def test_arguments_of_every_kind():
    def g(a, /, b=2.0, *rest, c, d=4.0, **more):
        if a > 0:
            return a * b + len(rest) + c * d + more.get("e", 0.0)
        return a + b

    agree(lambda x: (g(x, c=1.0), g(x, 5.0, 6.0, c=2.0, d=3.0, e=1.0)), (-2.0,), (3.0,))


def test_closures_share_their_cells():
    count = 0

    def f(x):
        nonlocal count
        count += 1
        if x > 0:
            return x * count
        return -x

    new = converted(f)
    new(tf.constant(1.0))
    new(tf.constant(1.0))
    assert count == 2
    count = 10
    assert new(tf.constant(1.0)).numpy() == 11


def test_globals_are_the_modules():
    def f(x):
        global _made_by_the_test
        _made_by_the_test = 5.0
        return x * _made_by_the_test if x > 0 else x

    assert converted(f)(tf.constant(1.0)).numpy() == 5
    assert globals().pop("_made_by_the_test") == 5


def test_a_converted_function_looks_as_the_original():
    def f(x: int, *, y: int = 3) -> int:
        """Returns."""
        return x + y

    f.mark = "kept"
    new = converted(f)
    assert new is not f
    for name in ("__name__", "__qualname__", "__doc__", "__module__", "__kwdefaults__", "mark"):
        assert getattr(new, name) == getattr(f, name)
    assert new(1) == 4
    assert new(1, y=5) == 6


def test_conversion_is_done_once_for_equal_code(monkeypatch):
    forms = []
    monkeypatch.setattr(calls, "_codes", calls._Codes())
    form = calls._form
    monkeypatch.setattr(calls, "_form", lambda *args: forms.append(1) or form(*args))

    def made(k):
        def f(x):
            return x * k if x > 0 else x

        return f

    found = [converted(made(k))(tf.constant(2.0)).numpy() for k in (1.0, 2.0, 3.0)]
    assert found == [2.0, 4.0, 6.0]
    assert len(forms) == 1


@pytest.mark.slow
def test_code_that_is_gone_is_forgotten(monkeypatch):
    space = {}
    source = "def f(x):\n    return x if x > 0 else -x\n"
    # As notebooks make known what their cells hold.
    monkeypatch.setitem(linecache.cache, "<cell>", (len(source), None, source.splitlines(True), ""))
    exec(compile(source, "<cell>", "exec"), space)
    f = space.pop("f")
    assert converted(f) is not f
    gc.collect()  # of the code of other tests
    gone, before = weakref.ref(f.__code__), len(_codes)
    del f
    gc.collect()
    assert gone() is None
    assert len(_codes) == before - 1


def test_threads_convert_at_once():
    barrier, found = threading.Barrier(6), []

    def made():
        def f(x):
            total = 0.0
            while x > total:
                total += 1.0
            return total if total > 2 else -total

        return f

    functions = [made() for _ in range(6)]

    def work(function):
        barrier.wait()
        found.append(float(converted(function)(tf.constant(3.5))))

    threads = [threading.Thread(target=work, args=(f,)) for f in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [4.0] * 6


def test_libraries_classes_and_generators_run_as_they_are():
    def generator(x):
        yield x

    async def asynchronous(x):
        return x

    for function in (tf.reduce_sum, functools.reduce, dict, generator, asynchronous, len):
        assert converted(function) is function


def test_what_is_marked_runs_as_it_is(engine):
    @tf.autograph.experimental.do_not_convert
    def f(x):
        if x > 0:
            return x
        return -x

    @tf.autograph.experimental.do_not_convert()
    def g(x):
        return f(x)

    assert converted(f) is f
    for function in (f, g, lambda x: f(x)):
        with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
            jit(function)(tf.constant(1.0))


def test_autograph_can_be_left_out(engine):
    plain = jit(absolute, autograph=False)
    assert plain.python_function is absolute
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        plain(tf.constant(1.0))


def test_functions_without_source_run_as_they_are_with_one_warning(caplog):
    space = {}
    exec(compile("def f(x):\n    return x * 2.0\n", "/nowhere/gone.py", "exec"), space)
    f = space["f"]
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        for _ in range(3):
            assert converted(f)(tf.constant(2.0)).numpy() == 4
    assert len(caplog.records) == 1
    message = caplog.records[0].getMessage()
    assert message.startswith("AutoGraph could not transform <function f at")
    assert "will run it as-is" in message
    assert "Unable to locate the source code" in message
    assert "do_not_convert" in message


def test_what_cannot_be_converted_runs_as_it_is(caplog, monkeypatch):
    monkeypatch.setattr(calls, "_codes", calls._Codes())

    def walrus(x):
        if (y := x * 2) is not None:
            return y
        return x

    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        assert converted(walrus)(tf.constant(2.0)).numpy() == 4
    assert "assignments in expressions" in caplog.records[0].getMessage()


def test_functions_given_to_control_flow_are_converted():
    def f(x):
        total = tf.foldl(lambda a, v: a + absolute(v), x, tf.constant(0.0))
        return tf.map_fn(absolute, x), total, tf.cond(x[0] > 0, lambda: absolute(x[1]), lambda: 1.0)

    agree(f, ([1.0, -2.0, 3.0],), ([-1.0, 2.0, 3.0],))


def test_a_function_in_a_function():
    inner = jit(absolute)
    agree(lambda x: inner(x) * 2 if x > 1 else inner(-x), (-2.0,), (3.0,))


def test_locals_eval_and_dir():
    def f(x):
        scale = 3.0
        if x > 0:
            scale = scale * 2.0
        return eval("x * scale"), sorted(locals()), dir()

    value, names, listed = converted(f)(tf.constant(2.0))
    assert value.numpy() == 12
    assert names == listed == ["scale", "x"]


def test_functions_that_replicas_run_are_converted():
    strategy = tf.distribute.get_strategy()
    agree(lambda x: strategy.run(absolute, (x,)) * 2, (-2.0,), (3.0,))
    mirrored = tf.distribute.MirroredStrategy(["CPU:0"])
    assert mirrored.run(jit(absolute), (tf.constant(-2.0),)).numpy() == 2
