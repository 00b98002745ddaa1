import numpy as np

import gradtape as tf
from gradtape._src.ops.linear_operators.operator_shape import sizes_of
from gradtape.linalg import LinearOperatorDiag, LinearOperatorFullMatrix


def test_shapes_and_their_tensors():
    operator = LinearOperatorFullMatrix(tf.ones([4, 2, 3]))
    assert operator.batch_shape == [4]
    assert operator.tensor_rank == operator.tensor_rank_tensor().numpy() == 3
    assert operator.range_dimension == operator.range_dimension_tensor().numpy() == 2
    assert operator.domain_dimension == operator.domain_dimension_tensor().numpy() == 3
    assert operator.is_square is False
    assert sizes_of(operator) == (4, 2, 3)


def test_lengths_that_are_known_when_a_function_runs():
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def run(x):
        operator = LinearOperatorDiag(x)
        seen.append(operator.shape.as_list())
        return operator.matvec(x), operator.trace()

    for n in (3, 4):
        product, trace = run(tf.ones([n, 2]))
        assert product.shape == (n, 2)
        assert trace.shape == (n,)
    assert seen == [[None, 2, 2]]


def test_shapes_that_are_known_when_a_graph_runs():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [None, None])
        operator = tf.linalg.LinearOperatorDiag(x)
        fetched = [
            operator.shape_tensor(),
            operator.batch_shape_tensor(),
            operator.domain_dimension_tensor(),
            operator.range_dimension_tensor(),
        ]
        found = session.run(fetched, {x: np.ones([2, 3])})
        assert [each.tolist() for each in found] == [[2, 3, 3], [2], 3, 3]
