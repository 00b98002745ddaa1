"""Scopes of devices and of initial values."""

import sys
import threading

import pytest
from gates import PATIENCE, Gate

import gradtape as tf
from gradtape._src.compat import contexts


@pytest.mark.parametrize(
    "name", ["/CPU:0", "cpu:0", "GPU:0", "/job:localhost/replica:0/task:0/device:CPU:0", None]
)
def test_device_scopes(name):
    with tf.device(name):
        assert tf.constant(1.0).device.endswith("CPU:0")


def test_a_name_of_no_device():
    with pytest.raises(ValueError, match="Unknown attribute"):
        tf.device("the big one")


def test_an_init_scope_is_recorded_by_no_tape():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape, tf.control_dependencies([x]):
        with tf.init_scope():
            y = x * 3.0
        z = x * y
    assert float(tape.gradient(z, x)) == 6


def test_an_init_scope_knows_the_function_around_it():
    seen = []

    @tf.function
    def f(x):
        graph = tf.compat.v1.get_default_graph()
        with tf.init_scope():
            seen.append((tf.executing_eagerly(), tf.inside_function()))
            seen.append(tf.compat.v1.get_default_graph() is graph)
        assert isinstance(graph, tf.Graph)
        return x

    f(tf.constant(1.0))
    with tf.init_scope():
        seen.append((tf.executing_eagerly(), tf.inside_function()))
    assert seen == [(True, True), True, (True, False)]


OPERATIONS = [
    lambda x: x + 1,
    lambda x: 1 - x,
    lambda x: x * x,
    lambda x: -x,
    lambda x: x / 2,
    lambda x: x > 1,
    lambda x: x**2,
    lambda x: tf.add_n([x, x]),
    lambda x: tf.reduce_sum(x),
    lambda x: tf.reshape(x, [1]),
    lambda x: tf.cond(x > 1, lambda: 1, lambda: 2),
    tf.range,
]


@pytest.mark.parametrize("around", [lambda f: f, tf.function], ids=["", "in a nested function"])
@pytest.mark.parametrize("run", OPERATIONS)
def test_tensors_of_a_function_are_out_of_scope_in_an_init_scope(run, around):
    errors = []

    @tf.function
    def f(x):
        @around
        def lifted():
            with tf.init_scope():
                try:
                    run(x)
                except TypeError as error:
                    errors.append(error)

        lifted()
        return x + 1

    assert int(f(tf.constant(3))) == 4
    (error,) = errors  # from one trace
    assert "out of scope" in str(error)


def test_a_function_that_is_traced_in_an_init_scope_has_its_own_tensors():
    @tf.function
    def f(x):
        with tf.init_scope():
            y = tf.function(lambda a: -a + tf.range(a)[-1])(tf.constant(4))
        return x + y

    assert int(f(tf.constant(3))) == 2
    assert f.experimental_get_tracing_count() == 1


def test_a_graph_of_a_function_is_not_one_for_sessions():
    graph = tf.function(lambda x: x).get_concrete_function(tf.TensorSpec([])).graph
    with pytest.raises(TypeError, match=r"must be a tf\.Graph"):
        tf.compat.v1.Session(graph=graph)


def test_smart_cond_is_a_choice_in_a_graph():
    smart_cond = tf.__internal__.smart_cond.smart_cond
    traced = tf.function(lambda x: smart_cond(x > 0.0, lambda: x * 2.0, lambda: x - 1.0))
    assert [float(traced(tf.constant(v))) for v in (3.0, -3.0)] == [6.0, -4.0]
    assert traced.experimental_get_tracing_count() == 1
    assert [smart_cond(p, lambda: 1, lambda: 2) for p in (True, 0, tf.constant(False))] == [1, 2, 2]
    for wrong in ("a", 3, None):
        with pytest.raises(TypeError, match="must be a Tensor, or a Python bool"):
            smart_cond(wrong, lambda: 1, lambda: 2)


def test_the_context_says_which_device_is_chosen():
    here = contexts.context()
    assert here.device_spec.device_type is None
    assert here.device_name == ""
    with tf.device("CPU:0"):
        assert here.device_spec.device_type == "CPU"
        assert here.device_name == "/job:localhost/replica:0/task:0/device:CPU:0"


def test_the_context_of_a_function_is_not_eager():
    assert contexts.context().executing_eagerly()
    assert not tf.function(lambda: tf.constant(contexts.context().executing_eagerly()))()


class TestCriticalSections:
    """Code that one thread at a time executes."""

    def test_results(self):
        section, v = tf.CriticalSection(name="one"), tf.Variable(1.0)
        assert section.name == "one"
        assert float(section.execute(lambda: v.assign_add(1.0))) == 2
        assert section.execute(lambda: None) is None
        made = section.execute(lambda: {"a": [1, v]})
        assert [x.numpy() for x in made["a"]] == [1, 2.0]
        assert all(isinstance(x, tf.Tensor) for x in made["a"])
        with pytest.raises(ZeroDivisionError):
            section.execute(lambda: 1 / 0)
        assert float(section.execute(lambda: section.execute(lambda: v * 3.0))) == 6

    def test_in_a_function(self):
        section, v = tf.CriticalSection(), tf.Variable(1.0)

        @tf.function
        def step(x):
            section.execute(lambda: v.assign_add(x))
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = section.execute(lambda: x * x * v)
            return y, tape.gradient(y, [x, v])

        y, gradients = step(tf.constant(2.0))
        assert [float(y), *map(float, gradients)] == [12, 12, 4]
        assert float(v) == 3

    def test_a_section_in_itself(self):
        section = tf.CriticalSection()
        twice = tf.function(lambda x: section.execute(lambda: section.execute(lambda: x)))
        with pytest.raises(ValueError, match="in which we are running"):
            twice(tf.constant(1.0))
        assert float(tf.function(lambda x: section.execute(lambda: x))(tf.constant(1.0))) == 1

    @pytest.mark.parametrize("traced", [False, True])
    def test_threads_wait(self, traced):
        section, v, log = tf.CriticalSection(), tf.Variable(0.0), tf.Variable(0.0)

        def body():
            for _ in range(20):
                v.assign(v.read_value() + 1.0)
            return v.read_value()

        def step(x):
            _python(x)
            log.assign(x)
            return section.execute(body)

        run = tf.function(step) if traced else step
        run(tf.constant(1.0))
        together = [
            threading.Thread(target=lambda: [run(tf.constant(1.0)) for _ in range(10)])
            for _ in range(4)
        ]
        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            for thread in together:
                thread.start()
            for thread in together:
                thread.join()
        finally:
            sys.setswitchinterval(before)
        assert float(v) == 20 * 41

    def test_in_a_graph_of_a_session(self):
        with tf.Graph().as_default():
            w = tf.compat.v1.get_variable("w", [], initializer=tf.ones_initializer())
            more = tf.CriticalSection().execute(lambda: w.assign_add(2.0))
            with tf.compat.v1.Session() as session:
                session.run(tf.compat.v1.global_variables_initializer())
                assert [session.run(more), session.run(more)] == [3, 5]

    @pytest.mark.parametrize("place", ["graph", "branch", "loop", "rows", "inner", "branch inside"])
    @pytest.mark.parametrize("tape", [False, True])
    def test_sections_exclude_each_other(self, place, tape, monkeypatch):
        section, v = tf.CriticalSection(), tf.Variable(0.0)

        def body():
            before = v.read_value()
            tf.print("gate")
            v.assign(before + 1.0)
            return tf.identity(before)

        call = _in_place(place, lambda: section.execute(body))

        @tf.function
        def step(x):
            y = _python(x) * call(x)
            return y + _python(x)

        def run():
            with tf.GradientTape() as watching:
                x = tf.constant(1.0)
                if tape:
                    watching.watch(x)
                step(x)

        for _ in range(3):  # before the derivative is a graph
            run()
        Gate(monkeypatch).check_alone(run)
        assert float(v) == 5

    def test_a_section_without_variables(self, monkeypatch):
        section = tf.CriticalSection()

        @tf.function
        def step(x):
            section.execute(lambda: [tf.print("gate"), x][1:])
            return x

        step(tf.constant(1.0))
        Gate(monkeypatch).check_alone(lambda: step(tf.constant(1.0)))

    @pytest.mark.parametrize("traced_before", [False, True])
    def test_a_section_excludes_others_while_it_calls_python(self, traced_before, monkeypatch):
        section, v = tf.CriticalSection(), tf.Variable(0.0)
        calls = []

        def python(x):
            calls.append(x)
            sys.stderr.write("gate\n")
            return x + 1.0

        inner = tf.function(lambda: tf.py_function(python, [v.read_value()], tf.float32))
        if traced_before:
            inner()

        @tf.function
        def step():
            section.execute(lambda: v.assign(tf.ensure_shape(inner(), [])).read_value())

        step()
        Gate(monkeypatch).check_alone(step)
        assert float(v) == 3
        assert len(calls) == 3 + traced_before

    def test_python_functions_outside_of_a_section_may_wait_for_others(self):
        section, v = tf.CriticalSection(), tf.Variable(0.0)
        waiting, goes_on = threading.Event(), threading.Event()

        def wait(x):
            waiting.set()
            assert goes_on.wait(PATIENCE)
            return x

        @tf.function
        def step(x):
            v.assign_add(1.0)
            y = tf.py_function(wait, [x], tf.float32)
            section.execute(lambda: v.assign_add(1.0))
            return y

        thread = threading.Thread(target=step, args=(tf.constant(1.0),))
        thread.start()
        assert waiting.wait(PATIENCE)
        tf.function(lambda: section.execute(lambda: v.assign_add(10.0)))()
        goes_on.set()
        thread.join()
        assert float(v) == 12

    def test_an_error_in_a_section(self):
        section, v = tf.CriticalSection(), tf.Variable(0.0)

        def body(x):
            tf.debugging.assert_less(x, 1.0)
            return v.assign_add(x)

        step = tf.function(lambda x: _python(x) + section.execute(lambda: body(x)))
        for _ in range(3):
            with pytest.raises(tf.errors.InvalidArgumentError):
                step(tf.constant(2.0))
        thread = threading.Thread(target=step, args=(tf.constant(0.5),), daemon=True)
        thread.start()
        thread.join(PATIENCE)
        assert float(v) == 0.5

    def test_a_graph_with_a_section_is_exported(self, tmp_path):
        section, module = tf.CriticalSection(), tf.Module()
        module.v = v = tf.Variable(1.0)

        def body(x):
            v.assign_add(x)
            return v.read_value()

        module.step = tf.function(lambda x: section.execute(lambda: body(x)))
        graph = module.step.get_concrete_function(tf.constant(1.0)).graph
        assert "MutexLock" in [op.type for op in graph.get_operations()]
        tf.saved_model.save(module, str(tmp_path))
        loaded = tf.saved_model.load(str(tmp_path))
        assert float(loaded.step(tf.constant(2.0))) == 3
        assert float(loaded.v) == 3


def _in_place(place, execute):
    """Returns a function of a graph that executes a section somewhere."""

    def branch(x):
        return tf.cond(x > 0.0, execute, lambda: x)

    def loop(x):
        for _ in tf.range(tf.cast(x, tf.int32)):
            execute()
        return x

    def rows(x):
        for _ in tf.data.Dataset.range(1):
            execute()
        return x

    inner = tf.function(execute)
    return {
        "graph": lambda x: execute(),
        "branch": branch,
        "loop": loop,
        "rows": rows,
        "inner": lambda x: inner(),
        "branch inside": tf.function(branch),
    }[place]


def _python(x):
    """Returns a number, for which a graph calls Python."""
    return tf.ensure_shape(tf.py_function(lambda y: y, [x], tf.float32), [])


def test_a_listed_device_is_chosen():
    (device,) = tf.config.list_logical_devices("CPU")
    with tf.device(device):
        assert tf.constant(1.0).device.endswith("CPU:0")
        assert tf.function(lambda x: x * 2.0)(1.0).numpy() == 2
    with pytest.raises(ValueError, match="Expecting a string device name"):
        tf.device(tf.config.list_physical_devices("CPU")[0])
