import numpy as np
import pytest

import gradtape as tf

RANKS = [tf.TensorSpec(None), tf.TensorSpec(None)]
LENGTHS = [tf.TensorSpec([None]), tf.TensorSpec([None])]
X, SHORTER = tf.constant([1.0, 2.0, 1.0]), tf.constant([1.0, 2.0])


def raw(name):
    return lambda x, y: getattr(tf.raw_ops, name)(x=x, y=y, incompatible_shape_error=False)


@pytest.mark.parametrize(
    ("compare", "otherwise"),
    [
        (lambda x, y: x == y, False),
        (lambda x, y: x != y, True),
        (raw("Equal"), False),
        (raw("NotEqual"), True),
    ],
)
@pytest.mark.parametrize("signature", [None, RANKS, LENGTHS])
def test_shapes_that_do_not_broadcast_give_one_truth_value(compare, otherwise, signature):
    traced = tf.function(compare, input_signature=signature)
    for function in (compare, traced):
        same = function(X, tf.ones([3])).numpy()
        np.testing.assert_array_equal(same, [not otherwise, otherwise, not otherwise])
        if function is traced and signature is LENGTHS:  # the result would have another rank
            with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
                function(X, SHORTER)
        else:
            assert function(X, SHORTER).numpy() is np.bool_(otherwise)


@pytest.mark.parametrize("function", [tf.equal, tf.not_equal])
@pytest.mark.parametrize("signature", [RANKS, LENGTHS])
def test_functions_refuse_shapes_that_do_not_broadcast(function, signature):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        tf.function(lambda x, y: function(x, y), input_signature=signature)(X, SHORTER)
