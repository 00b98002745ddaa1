"""Short calls of raw operations on lists of tensors."""

import gradtape as tf

R = tf.raw_ops
F = tf.float32
M = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
W = tf.constant([[1.0, 10.0], [100.0, 1000.0], [7.0, 9.0]])
NONE = tf.constant([], tf.int64)


def reserve(shape=(2,), count=3):
    return R.TensorListReserve(element_shape=shape, num_elements=count, element_dtype=F)


def empty(shape=(2,), most=-1):
    return R.EmptyTensorList(element_shape=shape, max_num_elements=most, element_dtype=F)


def rows_of(x, shape=(2,)):
    return R.TensorListFromTensor(tensor=x, element_shape=shape)


def get(handle, index, shape=(2,), dtype=F):
    return R.TensorListGetItem(
        input_handle=handle, index=index, element_shape=shape, element_dtype=dtype
    )


def put(handle, index, x, **options):
    return R.TensorListSetItem(input_handle=handle, index=index, item=x, **options)


def stack(handle, shape=(2,), dtype=F, **options):
    return R.TensorListStack(
        input_handle=handle, element_shape=shape, element_dtype=dtype, **options
    )


def length(handle):
    return int(R.TensorListLength(input_handle=handle))


def push(handle, x):
    return R.TensorListPushBack(input_handle=handle, tensor=x)


def pop(handle, shape=(2,), dtype=F):
    return R.TensorListPopBack(input_handle=handle, element_shape=shape, element_dtype=dtype)


def gather(handle, indices, shape=(2,)):
    return R.TensorListGather(
        input_handle=handle, indices=indices, element_shape=shape, element_dtype=F
    )


def scatter(x, indices, count, shape=(2,)):
    return R.TensorListScatterV2(tensor=x, indices=indices, element_shape=shape, num_elements=count)


def into(handle, x, indices):
    return R.TensorListScatterIntoExistingList(input_handle=handle, tensor=x, indices=indices)


def joined(handle, shape=(2,), lengths=NONE):
    return R.TensorListConcatV2(
        input_handle=handle, element_shape=shape, leading_dims=lengths, element_dtype=F
    )


def cut(x, lengths, shape=(-1, 2)):
    lengths = tf.constant(lengths, tf.int64)
    return R.TensorListSplit(tensor=x, element_shape=shape, lengths=lengths)


def resize(handle, size):
    return R.TensorListResize(input_handle=handle, size=size)


def both(a, b, dtype=F):
    return R.TensorListConcatLists(input_a=a, input_b=b, element_dtype=dtype)


def shape_of(handle, dtype=tf.int32):
    return R.TensorListElementShape(input_handle=handle, shape_type=dtype)


def listed(x):
    return x.numpy().tolist() if hasattr(x, "numpy") else x


def gradient(compute):
    """Returns the gradient of a function at M."""
    with tf.GradientTape() as tape:
        tape.watch(M)
        y = compute(M)
    return listed(tape.gradient(y, M))
