"""Public functions for values that are not tensors; what is expected here is TensorFlow's."""

import typing

import numpy as np
import pytest

import gradtape as tf

dispatch_for_api = tf.experimental.dispatch_for_api


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


class Narrow(Masked):
    pass


@pytest.fixture
def register():
    """Registers targets by a decorator, and takes them away after the test."""
    made = []

    def use(decorator, target):
        made.append(decorator(target))
        return made[-1]

    yield use
    for target in made:
        tf.experimental.unregister_dispatch_for(target)


def masked():
    return Masked([1, -2], [True, False])


def ragged(values=(0.25, -0.5, 0.75)):
    return tf.RaggedTensor.from_row_splits(tf.constant(values), [0, 2, 3])


def sparse(values=(0.25, -0.5, 0.75)):
    return tf.SparseTensor([[0, 0], [0, 1], [1, 0]], list(values), [2, 2])


UNARY = tuple(
    """
    abs acos acosh asin asinh atan atanh bessel_i0 bessel_i0e bessel_i1 bessel_i1e ceil conj
    cos cosh digamma erf erfc erfinv exp expm1 floor imag is_finite is_inf is_nan lgamma log
    log1p log_sigmoid negative real reciprocal reciprocal_no_nan rint round rsqrt sigmoid sign
    sin sinh softplus sqrt square tan tanh
    """.split()  # noqa: SIM905
)
BINARY = tuple(
    """
    add atan2 divide divide_no_nan equal floordiv floormod greater greater_equal less
    less_equal maximum minimum multiply multiply_no_nan not_equal pow squared_difference
    subtract truediv xdivy xlogy
    """.split()  # noqa: SIM905
)
SPARSE = tuple(
    """
    abs asin asinh atan atanh bessel_i0e bessel_i1e erf negative sign sin sqrt square tan tanh
    """.split()  # noqa: SIM905
)


@pytest.mark.parametrize("name", UNARY)
def test_unary_functions_take_ragged_tensors(name):
    function = getattr(tf.math, name)
    out = function(ragged())
    assert isinstance(out, tf.RaggedTensor)
    np.testing.assert_array_equal(out.row_splits, [0, 2, 3])
    np.testing.assert_array_equal(out.flat_values, function(ragged().flat_values))


@pytest.mark.parametrize("name", BINARY)
def test_binary_functions_take_ragged_tensors_on_either_side(name):
    function, x = getattr(tf.math, name), ragged()
    column = tf.constant([[1.5], [2.0]])
    spread = tf.constant([1.5, 1.5, 2.0])
    pairs = ((x, x.flat_values), (2.0, 2.0), (column, spread))
    for other, flat in pairs:
        np.testing.assert_array_equal(function(x, other).flat_values, function(x.flat_values, flat))
        np.testing.assert_array_equal(function(other, x).flat_values, function(flat, x.flat_values))


@pytest.mark.parametrize("name", UNARY)
def test_unary_functions_of_sparse_tensors_are_those_that_leave_zeros(name):
    function = getattr(tf.math, name)
    if name not in SPARSE:
        with pytest.raises(ValueError, match="unsupported type"):
            function(sparse())
        return
    out = function(sparse())
    assert isinstance(out, tf.SparseTensor)
    np.testing.assert_array_equal(out.indices, sparse().indices)
    np.testing.assert_array_equal(out.values, function(sparse().values))


def test_binary_functions_of_sparse_tensors():
    np.testing.assert_array_equal(tf.divide(sparse(), 2.0).values, [0.125, -0.25, 0.375])
    with pytest.raises(ValueError, match="unsupported type"):
        tf.add(sparse(), sparse())
    with pytest.raises(ValueError, match="unsupported type"):
        tf.multiply(sparse(), 2.0)
    with pytest.raises(ValueError, match="unsupported type"):
        tf.add(ragged(), sparse())


def test_what_does_not_fit_raises_as_in_tensorflow():
    other = tf.ragged.constant([[1.0], [2.0, 3.0]])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.add(ragged(), other)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.add(ragged(), ragged([1, 2, 3]))
    with pytest.raises(ValueError, match="Attempt to convert"):
        tf.add(ragged(), None)
    with pytest.raises(ValueError, match="unsupported type"):
        tf.transpose(ragged())
    with pytest.raises(ValueError, match="unsupported type"):
        tf.exp([ragged()])


def test_assertions_of_ragged_tensors():
    tf.debugging.assert_equal(ragged(), ragged())
    with pytest.raises(tf.errors.InvalidArgumentError, match="x < y did not hold"):
        tf.debugging.assert_less(ragged(), ragged())


def test_gradients_reach_the_values():
    values = tf.Variable([0.25, -0.5, 0.75])
    with tf.GradientTape(persistent=True) as tape:
        rows = tf.RaggedTensor.from_row_splits(values, [0, 2, 3])
        y = tf.reduce_sum(tf.multiply(tf.exp(rows), rows))
        places = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], values * 1.0, [2, 2])
        z = tf.reduce_sum(tf.sin(places).values)
    x = values.numpy()
    np.testing.assert_allclose(tape.gradient(y, values), np.exp(x) * (1 + x), rtol=1e-6)
    np.testing.assert_allclose(tape.gradient(z, values), np.cos(x), rtol=1e-6)


def test_a_failed_call_with_a_large_ragged_tensor_prints_nothing(monkeypatch):
    def refuse(self):
        raise AssertionError("printed")

    monkeypatch.setattr(tf.RaggedTensor, "to_list", refuse)
    assert isinstance(tf.exp(ragged()), tf.RaggedTensor)


def test_a_target_is_called_for_its_types(register):
    with pytest.raises(ValueError, match="unsupported type"):
        tf.abs(masked())
    register(dispatch_for_api(tf.abs, {"x": Masked}), lambda x, name=None: ("abs", name))
    assert tf.abs(masked()) == ("abs", None)
    assert tf.abs(x=masked()) == ("abs", None)
    assert tf.abs(masked(), name="q") == ("abs", "q")
    assert tf.abs(Narrow([1], [True])) == ("abs", None)
    assert tf.abs(-2).numpy() == 2


def test_annotations_of_the_target_are_a_signature(register):
    def target(x: Masked):
        return "annotated"

    register(dispatch_for_api(tf.sin), target)
    assert tf.sin(masked(), name="without the parameter") == "annotated"


def test_targets_go_away(register):
    target = dispatch_for_api(tf.cos, {"x": Masked})(lambda x: "cos")
    assert tf.cos(masked()) == "cos"
    tf.experimental.unregister_dispatch_for(target)
    with pytest.raises(ValueError, match="unsupported type"):
        tf.cos(masked())
    with pytest.raises(ValueError, match="was not registered"):
        tf.experimental.unregister_dispatch_for(target)


def test_two_targets_for_the_same_arguments_are_an_error(register):
    register(dispatch_for_api(tf.tan, {"x": Masked}), lambda x: 1)
    register(dispatch_for_api(tf.tan, {"x": Narrow}), lambda x: 2)
    assert tf.tan(masked()) == 1
    with pytest.raises(ValueError, match="Multiple dispatch targets"):
        tf.tan(Narrow([1], [True]))


def test_the_library_has_a_target_for_ragged_tensors(register):
    register(dispatch_for_api(tf.reduce_sum, {"input_tensor": tf.RaggedTensor}), lambda *a, **k: 1)
    with pytest.raises(ValueError, match="Multiple dispatch targets"):
        tf.reduce_sum(ragged())


def test_lists_unions_and_places(register):
    register(
        dispatch_for_api(tf.concat, {"values": typing.List[Masked]}),  # noqa: UP006
        lambda values, axis, name="concat": (len(values), axis, name),
    )
    assert tf.concat([masked(), masked()], 0) == (2, 0, "concat")
    assert tf.concat((masked(),), axis=1) == (1, 1, "concat")
    with pytest.raises(ValueError, match="unsupported type"):
        tf.concat([masked(), tf.constant([1])], 0)
    either = typing.Union[Masked, tf.Tensor]  # noqa: UP007
    register(dispatch_for_api(tf.add, {"x": either, 1: either}), lambda x, y: "added")
    assert tf.add(masked(), tf.constant(1)) == "added"
    assert tf.add(tf.constant(1), tf.constant(1)).numpy() == 2
    with pytest.raises(ValueError, match="unsupported type"):
        tf.add(masked(), 1)


def test_the_targets_own_defaults_hold(register):
    register(
        dispatch_for_api(tf.reduce_sum, {"input_tensor": Masked}),
        lambda input_tensor, axis=5, keepdims=6: (axis, keepdims),
    )
    assert tf.reduce_sum(masked()) == (5, 6)
    assert tf.reduce_sum(masked(), keepdims=True) == (5, True)


def test_what_a_target_raises_is_raised_once(register):
    calls = []

    def target(x):
        calls.append(x)
        raise ValueError("inside")

    register(dispatch_for_api(tf.sinh, {"x": Masked}), target)
    with pytest.raises(ValueError, match="inside"):
        tf.sinh(masked())
    assert len(calls) == 1


def test_a_target_that_gives_not_implemented_leaves_it_to_the_function(register):
    register(dispatch_for_api(tf.cosh, {"x": Masked}), lambda x: NotImplemented)
    with pytest.raises(ValueError, match="unsupported type"):
        tf.cosh(masked())


@pytest.mark.parametrize(
    ("api", "signature", "target", "error", "message"),
    [
        (tf.abs, {"q": Masked}, lambda x: 1, ValueError, "unknown parameter 'q'"),
        (tf.abs, {"x": Masked}, lambda y: 1, ValueError, "does not match API's signature"),
        (tf.add, {"x": Masked}, lambda x: 1, ValueError, "does not match API's signature"),
        (tf.abs, Masked, lambda x: 1, TypeError, "must be dictionaries"),
        (tf.abs, {"x": tuple[Masked]}, lambda x: 1, ValueError, "not currently supported"),
        (tf.abs, {"x": "Masked"}, lambda x: 1, ValueError, "not currently supported"),
        (tf.abs, {"x": Masked}, 3, TypeError, "to be callable"),
        (max, {"x": Masked}, lambda x: 1, ValueError, "does not support dispatch"),
        (tf.function, {"func": Masked}, lambda x: 1, ValueError, "does not support dispatch"),
    ],
)
def test_what_cannot_be_registered(api, signature, target, error, message):
    with pytest.raises(error, match=message):
        dispatch_for_api(api, signature)(target)
    with pytest.raises(ValueError, match="at least one signature"):
        dispatch_for_api(tf.abs)(lambda x: 1)


def test_handlers_of_elementwise_functions(register):
    unary = tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
    binary = tf.experimental.dispatch_for_binary_elementwise_apis(Masked, Masked)
    assertion = tf.experimental.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
    register(unary, lambda f, x: Masked(f(x.values), x.mask))
    register(binary, lambda f, x, y: Masked(f(x.values, y.values), x.mask & y.mask))
    register(assertion, lambda f, x, y: f(x.values, y.values))
    x = masked()
    np.testing.assert_array_equal(tf.negative(x, name="n").values, [-1, 2])
    assert tf.cast(x, tf.float64).values.dtype is tf.float64
    assert tf.ones_like(x, dtype=tf.float32).values.dtype is tf.float32
    np.testing.assert_array_equal(tf.clip_by_value(x, 0, 1).values, [1, 0])
    np.testing.assert_array_equal(tf.maximum(y=x, x=x).values, [1, -2])
    np.testing.assert_array_equal(tf.equal(x, x).values, [True, True])
    tf.debugging.assert_equal(x, x)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.debugging.assert_less(x, x)
    with pytest.raises(ValueError, match="unsupported type"):
        tf.multiply(x, 1)
    with pytest.raises(ValueError, match="already been registered"):
        tf.experimental.dispatch_for_unary_elementwise_apis(Masked)(lambda f, x: x)


def test_identity_takes_every_composite():
    out = tf.identity(masked())
    assert isinstance(out, Masked)
    np.testing.assert_array_equal(out.values, [1, -2])
    assert isinstance(tf.identity(sparse()), tf.SparseTensor)


def test_a_handler_runs_on_tape_and_in_functions(register):
    handler = tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
    register(handler, lambda f, x: Masked(f(x.values), x.mask))
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.exp(Masked(v * 1.0, [1.0, 1.0])).values
    np.testing.assert_allclose(tape.gradient(y, v), np.exp([1.0, 2.0]), rtol=1e-6)
    compiled = tf.function(lambda x: tf.exp(x).values)
    np.testing.assert_allclose(compiled(Masked([1.0], [True])), np.exp([1.0]), rtol=1e-6)
