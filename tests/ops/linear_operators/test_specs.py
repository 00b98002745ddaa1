import copy
import pickle

import pytest
from linear_operator_checks import close, dominant, random

import gradtape as tf
from gradtape.errors import InvalidArgumentError
from gradtape.linalg import (
    LinearOperator,
    LinearOperatorBlockDiag,
    LinearOperatorDiag,
    LinearOperatorFullMatrix,
    LinearOperatorIdentity,
    LinearOperatorToeplitz,
)


def test_what_a_spec_shows():
    assert repr(LinearOperatorDiag([1.0])._type_spec) == (
        "LinearOperatorDiagSpec({'diag': TensorSpec(shape=(1,), dtype=tf.float32, name=None)}, "
        "{'is_non_singular': None, 'is_self_adjoint': True, 'is_positive_definite': None, "
        "'is_square': True}, ())"
    )


def test_specs_describe_operators_of_one_class_shape_and_hints():
    spec = LinearOperatorDiag([1.0])._type_spec
    assert spec.value_type is LinearOperatorDiag
    assert spec.is_compatible_with(LinearOperatorDiag([2.0]))
    assert spec == LinearOperatorDiag([2.0])._type_spec
    assert hash(spec) == hash(LinearOperatorDiag([2.0])._type_spec)
    for other in (
        LinearOperatorDiag([2.0, 1.0]),
        LinearOperatorDiag([2.0], is_non_singular=True),
        LinearOperatorIdentity(1),
        tf.ones([1]),
    ):
        assert not spec.is_compatible_with(other)
        assert spec != other


def test_a_function_is_traced_once_for_operators_that_differ_in_numbers():
    traces = []

    @tf.function
    def run(operator):
        traces.append(type(operator).__name__)
        return operator.trace()

    for numbers in ([1.0, 2.0], [3.0, 4.0]):
        close(run(LinearOperatorDiag(numbers)), sum(numbers))
    assert len(traces) == 1
    run(LinearOperatorDiag([1.0, 2.0], is_non_singular=True))
    run(LinearOperatorBlockDiag([LinearOperatorDiag([1.0]), LinearOperatorDiag([2.0])]))
    run(LinearOperatorBlockDiag([LinearOperatorDiag([1.0]), LinearOperatorFullMatrix([[2.0]])]))
    assert len(traces) == 4


def test_operators_in_choices_and_loops():
    @tf.function
    def power(operator, times):
        first = tf.constant(0)
        _, found = tf.while_loop(
            lambda i, _: i < times, lambda i, found: (i + 1, found @ operator), [first, operator]
        )
        return found

    close(power(LinearOperatorDiag([1.0, 2.0]), tf.constant(2)).diag, [1.0, 8.0])

    @tf.function
    def choice(which, operator):
        return tf.cond(which, lambda: operator, lambda: operator @ operator)

    for which, wanted in ((True, [1.0, 2.0]), (False, [1.0, 4.0])):
        close(choice(tf.constant(which), LinearOperatorDiag([1.0, 2.0])).diag, wanted)


def test_an_operator_of_a_class_that_does_not_say_what_it_is_made_of_is_a_constant():
    class Times(LinearOperator):
        def __init__(self, factor):
            super().__init__("float64")
            self.factor = factor

        def _shape(self):
            return tf.TensorShape([2, 2])

        def _matmul(self, x, adjoint=False, adjoint_arg=False):
            return self.factor * x

    run = tf.function(lambda operator: operator.matvec(random(2)))
    for factor in (2.0, 3.0):
        close(run(Times(factor)), factor * random(2))
    operator = Times(2.0)
    assert tf.nest.flatten(operator, expand_composites=True) == []
    assert tf.nest.pack_sequence_as(operator, [], expand_composites=True) is operator


@pytest.mark.parametrize("again", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies(again):
    parts = [LinearOperatorDiag([1.0]), LinearOperatorFullMatrix([[2.0]])]
    operator = LinearOperatorBlockDiag(parts)
    close(again(operator).to_dense(), operator.to_dense())


def test_parts_of_a_stack():
    matrix, diag = dominant(4, 2, 3, 3), random(2, 1)
    operator = LinearOperatorBlockDiag([LinearOperatorFullMatrix(matrix), LinearOperatorDiag(diag)])
    dense = operator.to_dense().numpy()
    for index in (
        (1,),
        (slice(1, 3),),
        (slice(None), 0),
        (-1, 1),
        (Ellipsis, 1),
        (tf.newaxis, 2),
        (0, tf.newaxis, 1),
        (slice(None), tf.newaxis, slice(1, None)),
    ):
        close(
            operator[index].to_dense(),
            dense[(*index, slice(None), slice(None))] if (Ellipsis not in index) else dense[:, 1],
        )
    with pytest.raises(InvalidArgumentError, match="too many indices"):
        operator[0, 0, 0]
    toeplitz = LinearOperatorToeplitz(random(2, 3), random(3))
    close(toeplitz[1].col, random(2, 3)[1])
    close(toeplitz[1].row, random(3))
    assert LinearOperatorIdentity(3, [4, 2])[1:].shape == (3, 2, 3, 3)


def test_gradients_with_respect_to_operators_are_operators():
    diag = LinearOperatorDiag(tf.constant([1.0, 2.0]))
    blocks = LinearOperatorBlockDiag([diag, LinearOperatorFullMatrix([[4.0]])])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([blocks, tf.constant(0.0)])
        volume = blocks.log_abs_determinant()
        trace = diag.trace()
    found = tape.gradient(volume, blocks)
    assert type(found) is LinearOperatorBlockDiag
    close(found.to_dense(), [[1, 0, 0], [0, 0.5, 0], [0, 0, 0.25]])
    by_name = tape.gradient(volume, {"blocks": blocks, "inner": diag.diag})
    close(by_name["blocks"].operators[1].matrix, [[0.25]])
    close(by_name["inner"], [1.0, 0.5])
    close(tape.gradient(trace, blocks).to_dense(), [[1, 0, 0], [0, 1, 0], [0, 0, 0]])
    assert tape.gradient(trace, LinearOperatorDiag([1.0])) is None
    zeros = tape.gradient(trace, LinearOperatorDiag([1.0]), unconnected_gradients="zero")
    close(zeros.diag, [0.0])
    assert tape.gradient(trace, LinearOperatorIdentity(2)) is None


def test_gradients_with_respect_to_operators_in_functions():
    @tf.function
    def slope(operator):
        with tf.GradientTape() as tape:
            tape.watch(operator)
            loss = operator.trace() ** 2
        return tape.gradient(loss, operator)

    close(slope(LinearOperatorDiag([1.0, 2.0])).diag, [6.0, 6.0])


def test_an_operator_is_a_target():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        operator = LinearOperatorDiag(x * x)
    close(tape.gradient(operator, x), [2.0, 4.0])
