"""Functions of functions and of the program's state, as TensorFlow 1 had them."""

import pytest

import gradtape as tf

v1 = tf.compat.v1


def test_values_are_printed_when_they_are_computed(capsys):
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2])
        y = v1.Print(x, [x, tf.constant("a")], "x: ", summarize=3) + 1.0
        session.run(y, {x: [[1.5, 2.0], [3.0, 4.0]]})
        assert capsys.readouterr().err == "x: [[1.5 2][3...]...][a]\n"


def test_a_number_of_times_is_printed(capsys):
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.int32, [])
        y = v1.Print(x, [x], first_n=2)
        for number in range(4):
            assert session.run(y, {x: number}) == number
    assert capsys.readouterr().err == "[0]\n[1]\n"


def test_lengths_have_values_after_disable_v2_tensorshape():
    shape = tf.TensorShape([2, None])
    v1.disable_v2_tensorshape()
    try:
        assert shape[0].value == 2
        assert [n if n is None else n.value for n in shape] == [2, None]
        assert shape[1] is None
    finally:
        v1.enable_v2_tensorshape()
    assert not hasattr(shape[0], "value")


def test_only_one_name_of_an_argument_may_be_given():
    assert v1.map_fn(lambda x: x + 1, tf.constant([1, 2]), tf.int32).numpy().tolist() == [2, 3]
    with pytest.raises(ValueError, match="Cannot specify both"):
        v1.map_fn(lambda x: x, tf.constant([1]), tf.int32, fn_output_signature=tf.int32)


def test_devices_may_be_functions():
    with v1.device(lambda op: "/cpu:0"), v1.colocate_with(None), v1.container("c"):
        assert float(tf.constant(1.0)) == 1.0


def test_python_functions_without_results():
    calls = []
    with tf.Graph().as_default(), v1.Session() as session:
        made = [
            f(lambda x: calls.append(float(x)), [tf.constant(2.0)], [])
            for f in (v1.py_func, tf.numpy_function, tf.py_function)
        ]
        calls.clear()
        assert all(isinstance(op, tf.Operation) for op in made)
        assert session.run(made) == [None] * 3
    assert calls == [2.0] * 3
    assert tf.numpy_function(lambda: None, [], []) is None
    assert v1.py_func(lambda: None, [], []) == []
