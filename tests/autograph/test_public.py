"""`tf.autograph`."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

import gradtape as tf
from gradtape._src.autograph import calls


def absolute(x):
    if x > 0:
        return x
    return -x


def test_to_code_shows_the_converted_function():
    code = tf.autograph.to_code(absolute)
    assert code.startswith("def tf__absolute(x):")
    assert "ag__.if_stmt(ag__.ld(x) > 0," in code
    compile(code, "<shown>", "exec")


def test_to_graph_converts():
    graph = tf.autograph.to_graph(absolute)
    assert graph is not absolute
    assert [graph(tf.constant(x)).numpy() for x in (-2.0, 3.0)] == [2.0, 3.0]


def test_to_graph_without_recursion_leaves_other_functions_alone():
    def f(x):
        return absolute(x)

    assert "ag__.called(" in tf.autograph.to_code(f)
    assert tf.autograph.to_graph(f, recursive=False)(tf.constant(-1.0)).numpy() == 1


@pytest.mark.parametrize("convert", [tf.autograph.to_graph, tf.autograph.to_code])
def test_what_is_no_function(convert):
    with pytest.raises(ValueError, match="doesn't expose a __code__ object"):
        convert(tf.function(absolute))
    space = {}
    exec(compile("def f(x):\n    return x\n", "/nowhere/gone.py", "exec"), space)
    with pytest.raises(ValueError, match="converting <function f"):
        convert(space["f"])


def test_features():
    feature = tf.autograph.experimental.Feature
    assert [f.name for f in feature.all()] == [
        "ALL",
        "AUTO_CONTROL_DEPS",
        "ASSERT_STATEMENTS",
        "BUILTIN_FUNCTIONS",
        "EQUALITY_OPERATORS",
        "LISTS",
        "NAME_SCOPES",
    ]
    assert set(feature.all_but([feature.LISTS, feature.NAME_SCOPES])) == {
        feature.AUTO_CONTROL_DEPS,
        feature.ASSERT_STATEMENTS,
        feature.BUILTIN_FUNCTIONS,
        feature.EQUALITY_OPERATORS,
    }
    assert feature.LISTS not in feature.all_but(feature.LISTS)


def test_trace_prints_at_once(capsys):
    tf.autograph.trace("one", 2)
    assert capsys.readouterr().out == "one 2\n"


def test_verbosity(caplog, monkeypatch):
    monkeypatch.setattr(calls, "_codes", calls._Codes())
    tf.autograph.set_verbosity(1)
    try:
        with caplog.at_level(logging.INFO, logger="tensorflow"):
            tf.__internal__.autograph.tf_convert(
                lambda x: x, tf.__internal__.autograph.control_status_ctx()
            )
    finally:
        tf.autograph.set_verbosity(0)
    assert "Converted <function" in caplog.text


def test_set_loop_options_does_nothing_outside_of_traced_loops():
    for _ in range(2):
        assert tf.autograph.experimental.set_loop_options(maximum_iterations=1) is None


def test_malt_is_not_loaded_before_a_function_is_converted():
    program = "import sys, gradtape as tf; tf.function(abs)(-1.0); print('malt' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_to_graph_of_a_function_with_a_condition():
    def absolute(x):
        return x if x > 0 else -x

    assert float(tf.autograph.to_graph(absolute)(tf.constant(-2.0))) == 2.0
