"""Functions get code that looks for other implementations only when it is needed."""

import inspect
import pickle
import subprocess
import sys
import textwrap
import traceback

import numpy as np
import pytest

import gradtape as tf


def run(program):
    """Runs a program in a process of its own, in which there is no ragged tensor yet."""
    text = "import gradtape as tf\n" + textwrap.dedent(program)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


class Pair(tf.experimental.ExtensionType):
    left: tf.Tensor
    right: tf.Tensor


@pytest.mark.slow
def test_functions_run_as_they_are_written_until_there_is_a_ragged_or_sparse_tensor():
    run("""
        from gradtape._src.base.dispatch import APIS
        tf.linalg, tf.math, tf.nn, tf.sparse  # load their functions
        written = {f: f.__code__ for f in APIS}
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.exp(x) * tf.gather(x, [0, 1]))
        tape.gradient(y, x)
        assert len(written) > 300
        assert all(f.__code__ is code for f, code in written.items())
        tf.ragged.constant([[1.0], []])
        assert tf.exp.__code__ is not written[tf.exp]
        assert tf.math.cumprod.__code__ is written[tf.math.cumprod]
    """)


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        "tf.RaggedTensor.from_row_splits([0.5], [0, 1])",
        "tf.strings.split(['0.5'])",
        "tf.SparseTensor([[0]], [0.5], [1])",
        "tf.sparse.from_dense([0.5])",
        f"pickle.loads({pickle.dumps(tf.ragged.constant([[0.5]]))!r})",
        f"pickle.loads({pickle.dumps(tf.sparse.from_dense([0.5]))!r})",
        "next(iter(tf.data.Dataset.from_tensor_slices([[0.5]]).ragged_batch(1)))",
    ],
)
def test_however_the_first_one_is_made(make):
    run(f"""
        import pickle
        first = {make}
        if first.dtype == tf.string:
            assert tf.strings.lower(first).to_list() == [[b"0.5"]]
        else:
            assert type(tf.sin(first)) is type(first)
    """)


def test_threads_that_make_the_first_one_at_once():
    run("""
        import threading
        count, found = 8, []
        together = threading.Barrier(count)

        def work():
            together.wait()
            rows = tf.RaggedTensor.from_row_splits(tf.constant([0.5]), [0, 1])
            found.append(tf.zeros_like(tf.exp(rows)).to_list())

        threads = [threading.Thread(target=work) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [[[0.0]]] * count
    """)


def test_an_interrupt_while_functions_get_their_code_leaves_the_rest_for_the_next():
    run("""
        from gradtape._src.base.dispatch import Api
        settle, calls = Api.settle, []

        def interrupted(self, composites_exist):
            if composites_exist:  # not while modules are loaded
                calls.append(self)
                if len(calls) == 20:
                    raise KeyboardInterrupt
            settle(self, composites_exist)

        Api.settle = interrupted
        for _ in range(2):
            try:
                rows = tf.ragged.constant([[0.5]])
            except KeyboardInterrupt:
                pass
        assert tf.nn.elu(rows).to_list() == tf.exp(tf.math.log(rows)).to_list() == [[0.5]]
    """)


def test_a_handler_changes_its_function_alone_and_leaves_no_trace():
    written, other = tf.matmul.__code__, tf.transpose.__code__
    target = tf.experimental.dispatch_for_api(tf.matmul, {"a": Pair})(lambda *a, **k: "pair")
    assert tf.matmul(Pair([1.0], [2.0]), 1) == "pair"
    assert tf.matmul([[2.0]], [[3.0]]).numpy() == [[6.0]]
    assert tf.transpose.__code__ is other
    tf.experimental.unregister_dispatch_for(target)
    assert tf.matmul.__code__ is written


def test_a_function_looks_the_same_with_other_code():
    rows = tf.ragged.constant([[0.5]])
    assert isinstance(tf.exp(rows), tf.RaggedTensor)
    assert list(inspect.signature(tf.exp).parameters) == ["x", "name"]
    assert "def exp(x" in inspect.getsource(tf.exp)
    assert tf.exp.__name__ == tf.exp.__code__.co_name == "exp"
    with pytest.raises(TypeError, match=r"exp\(\) got an unexpected keyword argument 'y'"):
        tf.exp(y=1)
    with pytest.raises(TypeError, match=r"exp\(\) missing 1 required positional argument: 'x'"):
        tf.exp()


def test_an_error_is_that_of_the_function_itself():
    tf.ragged.constant([[0.5]])
    with pytest.raises(ValueError, match="unsupported type") as error:
        tf.exp(object())
    assert error.value.__context__ is None or error.value.__suppress_context__
    frames = traceback.extract_tb(error.tb)[1:]
    assert [(f.name, f.line) for f in frames] == [("exp", "return exp_of(x)")]


def test_arguments_reach_the_implementation_as_they_were_given():
    rows = tf.ragged.constant([[0.5, 1.5], []])
    total = tf.reduce_sum(keepdims=True, input_tensor=rows, axis=1)
    np.testing.assert_array_equal(total, [[2.0], [0.0]])
    np.testing.assert_array_equal(tf.reduce_sum(rows, 1, True), [[2.0], [0.0]])
    np.testing.assert_array_equal(tf.clip_by_value(rows, 1.0, 1.25).flat_values, [1.0, 1.25])


@pytest.mark.parametrize(
    ("api", "parameter", "call", "plain"),
    [
        (tf.debugging.assert_near, "x", lambda f, x: f(x, y=1.0, rtol=0.5), lambda f: f(1.0, 1.0)),
        (tf.debugging.assert_positive, "x", lambda f, x: f(x), lambda f: f(1.0)),
        (tf.debugging.Assert, "condition", lambda f, x: f(x, data=[]), lambda f: f(True, [])),
        (tf.random.normal, "shape", lambda f, x: f(x, seed=1), lambda f: f([2])),
        (tf.cond, "pred", lambda f, x: f(x, int, int), lambda f: f(True, lambda: 1, lambda: 2)),
        (
            tf.scan,
            "elems",
            lambda f, x: f(max, elems=x),
            lambda f: f(lambda a, b: a + b, tf.constant([1, 2])),
        ),
        (tf.io.encode_base64, "input", lambda f, x: f(x), lambda f: f("a")),
        (tf.strings.lower, "input", lambda f, x: f(x), lambda f: f("a")),
    ],
)
def test_functions_of_every_room_and_in_decorators_take_handlers(api, parameter, call, plain):
    pair, written = Pair([1.0], [2.0]), api.__code__
    target = tf.experimental.dispatch_for_api(api, {parameter: Pair})(
        lambda *args, **kwargs: "pair"
    )
    try:
        assert call(api, pair) == "pair"
        assert plain(api) is not NotImplemented
        with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
            api(pair, other=1)
    finally:
        tf.experimental.unregister_dispatch_for(target)
    assert api.__code__ == written
