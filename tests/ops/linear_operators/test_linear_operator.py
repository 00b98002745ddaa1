import numpy as np
import pytest
from linear_operator_checks import check, check_composite, close, definite, dominant, random

import gradtape as tf
from gradtape.errors import InvalidArgumentError
from gradtape.linalg import LinearOperator, LinearOperatorDiag, LinearOperatorFullMatrix

HINTS = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")


class Dense(LinearOperator):
    """An operator of a program's own, with the least that is needed."""

    def __init__(self, matrix, **hints):
        self.matrix = tf.convert_to_tensor(matrix)
        super().__init__(self.matrix.dtype, **hints)

    def _shape(self):
        return self.matrix.shape

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return tf.matmul(self.matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)


@pytest.mark.parametrize("complex_", [False, True])
def test_the_methods_that_a_subclass_leaves_out(complex_):
    matrix = dominant(2, 3, 3, complex_=complex_)
    check(Dense(matrix), matrix)
    matrix = definite(3, 3, complex_=complex_)
    check(Dense(matrix, is_self_adjoint=True, is_positive_definite=True), matrix)
    check(Dense(random(2, 3)), random(2, 3))


def test_a_subclass_that_says_what_it_is_made_of():
    class Scaled(Dense):
        def __init__(self, matrix, factor, **hints):
            super().__init__(matrix, parameters={"matrix": matrix, "factor": factor}, **hints)
            self.factor = factor

        def _matmul(self, x, adjoint=False, adjoint_arg=False):
            return self.factor * super()._matmul(x, adjoint, adjoint_arg)

        @property
        def _composite_tensor_fields(self):
            return ("matrix", "factor")

    check_composite(Scaled(dominant(3, 3), 2.0), 2 * dominant(3, 3))


def test_what_a_subclass_must_have():
    with pytest.raises(TypeError, match="abstract"):
        LinearOperator(tf.float32)


def test_hints_that_contradict_each_other():
    for hints in (
        {"is_positive_definite": True, "is_non_singular": False},
        {"is_non_singular": True, "is_square": False},
        {"is_self_adjoint": True, "is_square": False},
    ):
        with pytest.raises(ValueError, match="must not be False"):
            Dense(dominant(2, 2), **hints)
    operator = Dense(dominant(2, 2), is_square=False)
    with pytest.raises(ValueError, match="is_square is False"):
        operator.is_square  # noqa: B018


def test_assertions():
    singular, skew = Dense([[1.0, 1.0], [1.0, 1.0]]), Dense([[0.0, 1.0], [-1.0, 0.0]])
    with pytest.raises(InvalidArgumentError, match="Singular"):
        singular.assert_non_singular()
    with pytest.raises(InvalidArgumentError, match="adjoint"):
        skew.assert_self_adjoint()
    with pytest.raises(NotImplementedError, match="is_self_adjoint"):
        skew.assert_positive_definite()
    with pytest.raises(InvalidArgumentError, match="positive definite"):
        Dense([[-1.0]], is_self_adjoint=True).assert_positive_definite()


@pytest.mark.parametrize("method", ["matmul", "solve"])
@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        (np.ones(3), IndexError, "2 or more axes"),
        (np.ones((2, 2)), ValueError, "not compatible"),
        (np.ones((3, 2), np.float32), TypeError, "float32"),
        (LinearOperatorDiag([1.0, 2.0]), ValueError, "dimension 3 but got 2"),
    ],
)
def test_operands_that_do_not_fit(method, given, error, said):
    with pytest.raises(error, match=said):
        getattr(LinearOperatorDiag(np.ones(3)), method)(given)


def test_it_is_a_module():
    variable = tf.Variable([1.0, 2.0])
    inner = LinearOperatorDiag(variable)
    operator = inner @ LinearOperatorFullMatrix(tf.eye(2))
    assert isinstance(operator, tf.Module)
    assert operator.trainable_variables == (variable,)
    assert inner in operator.submodules
    checkpoint = tf.train.Checkpoint(operator=inner)
    assert checkpoint is not None


def test_names_and_parameters():
    operator = LinearOperatorDiag([1.0], name="own")
    assert operator.name == "own"
    assert operator.H.name == "own"
    assert LinearOperatorFullMatrix([[1.0, 2.0]], name="own").H.name == "own_adjoint"
    assert set(operator.parameters) == {"diag", "name", *HINTS}
    assert operator.graph_parents == []


def test_rows_by_vectorized_map():
    matrices = dominant(4, 3, 3)
    found = tf.vectorized_map(
        lambda m: LinearOperatorFullMatrix(m).solvevec(random(3)), tf.constant(matrices)
    )
    close(found, np.linalg.solve(matrices, np.broadcast_to(random(3), (4, 3))[..., None])[..., 0])
