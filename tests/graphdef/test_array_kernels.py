"""Arrays of TensorFlow 1, and lists that no graph can hold."""

import pytest
from graph_nodes import run

import gradtape as tf
from gradtape._src.graphdef.bodies import UnavailableError

F, I = tf.float32, tf.int32
OF = {"element_dtype": F}


def test_arrays_of_tensorflow_1():
    handle, flow = run("TensorArrayV3", 2, dtype=F, gives=2)
    (flow,) = run("TensorArrayWriteV3", handle, 0, 5.0, flow, T=F)
    (flow,) = run("TensorArrayScatterV3", handle, [1], [7.0], flow, T=F)
    assert run("TensorArrayGatherV3", handle, [1, 0], flow, dtype=F)[0].numpy().tolist() == [7, 5]
    assert run("TensorArrayReadV3", handle, 0, flow, dtype=F)[0].numpy() == 5
    assert run("TensorArraySizeV3", handle, flow)[0].numpy() == 2


def test_the_gradient_of_an_array_of_tensorflow_1_is_a_sum():
    handle, flow = run("TensorArrayV3", 2, dtype=F, gives=2)
    (flow,) = run("TensorArraySplitV3", handle, [1.0, 2.0, 3.0], [2, 1], flow, T=F)
    of_array, start = run("TensorArrayGradV3", handle, flow, source="g", gives=2)
    (once,) = run("TensorArrayWriteV3", of_array, 0, [1.0, 1.0], start, T=F)
    (other,) = run("TensorArrayWriteV3", of_array, 0, [2.0, 5.0], start, T=F)
    (zero,) = run("ZerosLike", flow, T=F)
    (total,) = run("AddN", zero, once, other, T=F, N=3)
    (total,) = run("TensorArrayWriteV3", of_array, 0, [1.0, 0.0], total, T=F)
    assert run("TensorArrayReadV3", of_array, 0, total, dtype=F)[0].numpy().tolist() == [4, 6]
    assert run("TensorArrayReadV3", of_array, 1, total, dtype=F)[0].numpy().tolist() == [0]
    whole = run("TensorArrayConcatV3", of_array, total, dtype=F, gives=2)[0]
    assert whole.numpy().tolist() == [4, 6, 0]
    (total,) = run("TensorArraySplitV3", of_array, [1.0, 1.0, 7.0], [2, 1], total, T=F)
    assert run("TensorArrayReadV3", of_array, 0, total, dtype=F)[0].numpy().tolist() == [5, 7]
    assert run("TensorArrayReadV3", handle, 0, flow, dtype=F)[0].numpy().tolist() == [1, 2]


def test_lists_of_resources():
    with pytest.raises(UnavailableError, match="lists of resource elements"):
        run("EmptyTensorList", -1, 10, element_dtype=tf.resource, shape_type=I)
