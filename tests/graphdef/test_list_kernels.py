"""Lists of tensors."""

import pytest
from graph_nodes import run

import gradtape as tf
from gradtape._src.graphdef.bodies import UnavailableError

F, I = tf.float32, tf.int32
OF = {"element_dtype": F}


def reserved(count):
    return run("TensorListReserve", [2], count, **OF, shape_type=I)[0]


def stacked(x, shape=(2,)):
    return run("TensorListStack", x, list(shape), **OF)[0].numpy().tolist()


def test_a_change_gives_another_list():
    first = reserved(2)
    (second,) = run("TensorListSetItem", first, 1, [1.0, 2.0], **OF)
    assert stacked(first) == [[0, 0], [0, 0]]
    assert stacked(second) == [[0, 0], [1, 2]]
    assert run("TensorListGetItem", second, 1, [2], **OF)[0].numpy().tolist() == [1, 2]
    assert run("TensorListLength", second)[0].numpy() == 2


def test_lists_grow_and_shrink():
    (empty,) = run("EmptyTensorList", -1, 10, **OF, shape_type=I)
    (one,) = run("TensorListPushBack", empty, [1.0, 2.0], **OF)
    (two,) = run("TensorListPushBack", one, [3.0, 4.0], **OF)
    assert stacked(two) == [[1, 2], [3, 4]]
    left, last = run("TensorListPopBack", two, [2], **OF, gives=2)
    assert (stacked(left), last.numpy().tolist()) == ([[1, 2]], [3, 4])
    with pytest.raises(tf.errors.InvalidArgumentError, match="empty list"):
        run("TensorListPopBack", empty, [2], **OF, gives=2)
    assert len(stacked(run("TensorListResize", two, 3)[0])) == 3


def test_of_tensors_and_back():
    (rows,) = run("TensorListFromTensor", [[1.0], [2.0], [3.0]], [1], **OF, shape_type=I)
    assert stacked(rows, [1]) == [[1], [2], [3]]
    assert run("TensorListGather", rows, [2, 0], [1], **OF)[0].numpy().tolist() == [[3], [1]]
    whole, lengths = run("TensorListConcatV2", rows, [1], [0], **OF, shape_type=I, gives=2)
    assert (whole.numpy().tolist(), lengths.numpy().tolist()) == ([1, 2, 3], [1, 1, 1])
    (parts,) = run("TensorListSplit", [1.0, 2.0, 3.0], [-1], [1, 2], **OF, shape_type=I)
    assert run("TensorListGetItem", parts, 1, [2], **OF)[0].numpy().tolist() == [2, 3]
    (spread,) = run("TensorListScatterV2", [[1.0]], [1], [1], 2, **OF, shape_type=I)
    assert stacked(spread, [1]) == [[0], [1]]


def test_gradients_flow_through_lists():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        (changed,) = run("TensorListSetItem", reserved(2), 0, x * 3.0, **OF)
        y = run("TensorListStack", changed, [2], **OF)[0]
    assert tape.gradient(y, x).numpy().tolist() == [3, 3]


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


def test_lists_of_lists():
    of = {"element_dtype": tf.variant, "shape_type": I}
    (empty,) = run("EmptyTensorList", -1, 10, **of)
    (inner,) = run("EmptyTensorList", -1, 10, **OF, shape_type=I)
    (inner,) = run("TensorListPushBack", inner, [1.0, 2.0], **OF)
    (outer,) = run("TensorListPushBack", empty, inner, element_dtype=tf.variant)
    (found,) = run("TensorListGetItem", outer, 0, -1, element_dtype=tf.variant)
    assert stacked(found) == [[1, 2]]
    with pytest.raises(UnavailableError, match="lists of resource elements"):
        run("EmptyTensorList", -1, 10, element_dtype=tf.resource, shape_type=I)
