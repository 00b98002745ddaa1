"""Typical mistakes: short programs that TensorFlow refuses, or whose result is None.

Each program is the text after a line `# name`. It runs with `tf` and `np` in its namespace.
"""

from __future__ import annotations

import re

_EAGER = """
# shapes_of_sum
tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0])
# dtypes_of_sum
tf.constant([1.0]) + tf.constant([1])
# inner_dimensions
tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
# matmul_of_vector
tf.matmul(tf.ones([2, 3]), tf.ones([3]))
# operator_at_of_vector
tf.ones([2, 3]) @ tf.ones([3])
# rank_of_right_side
tf.linalg.solve(tf.eye(2), tf.constant([1.0, 2.0]))
# singular_matrix
tf.linalg.inv(tf.zeros([2, 2]))
# not_square
tf.linalg.det(tf.ones([2, 3]))
# reshape_of_other_size
tf.reshape(tf.ones([2, 3]), [4, 2])
# two_unknown_sizes
tf.reshape(tf.ones([2, 3]), [-1, -1])
# axis_that_is_not_there
tf.reduce_sum(tf.ones([2, 3]), axis=2)
# concat_of_other_shapes
tf.concat([tf.ones([2, 3]), tf.ones([2, 2])], axis=0)
# stack_of_other_shapes
tf.stack([tf.ones([2]), tf.ones([3])])
# assignment_to_element
x = tf.zeros([3])
x[0] = 1.0
# list_as_index
x = tf.constant([1.0, 2.0, 3.0])
x[[0, 1]]
# index_of_float
x = tf.constant([1.0, 2.0, 3.0])
x[1.0]
# index_out_of_bounds
x = tf.constant([1.0, 2.0, 3.0])
x[3]
# too_many_indices
x = tf.constant([1.0, 2.0, 3.0])
x[0, 0]
# gather_out_of_bounds
tf.gather(tf.ones([2]), [5])
# truth_of_several
if tf.constant([True, False]):
    pass
# hash_of_tensor
{tf.constant(1.0): "one"}
# length_of_scalar
len(tf.constant(1.0))
# loop_over_scalar
for x in tf.constant(1.0):
    pass
# float_of_several
float(tf.constant([1.0, 2.0]))
# ragged_list
tf.constant([[1.0], [1.0, 2.0]])
# mixed_list
tf.constant([1.0, "a"])
# none_in_tensor
tf.constant([None, 1.0])
# wrong_dtype_name
tf.cast(1.0, "flaot32")
# cast_of_words
tf.cast(tf.constant("a"), tf.float32)
# sqrt_of_integers
tf.sqrt(tf.constant([4]))
# mean_of_words
tf.reduce_mean(tf.constant(["a"]))
# split_that_does_not_divide
tf.split(tf.ones([5]), 2)
# transposed_twice
tf.transpose(tf.ones([2, 3]), [0, 0])
# one_hot_of_floats
tf.one_hot(tf.constant([1.0]), 3)
# missing_argument
tf.matmul(tf.ones([2, 2]))
# unknown_argument
tf.reduce_sum(tf.ones([2]), dim=0)
# broadcast_to_smaller
tf.broadcast_to(tf.ones([3]), [2])
# tile_of_other_rank
tf.tile(tf.ones([2, 2]), [2])
# squeeze_of_longer_axis
tf.squeeze(tf.ones([2, 3]), axis=0)
# convolution_of_rank_3
tf.nn.conv2d(tf.ones([5, 5, 3]), tf.ones([3, 3, 3, 1]), 1, "SAME")
# convolution_of_other_channels
tf.nn.conv2d(tf.ones([1, 5, 5, 3]), tf.ones([3, 3, 2, 1]), 1, "SAME")
# labels_out_of_range
tf.nn.sparse_softmax_cross_entropy_with_logits([3.0], tf.ones([1, 3]))
# logits_without_names
tf.nn.sigmoid_cross_entropy_with_logits(tf.ones([2]), tf.ones([3]))
# einsum_of_other_rank
tf.einsum("ij,jk->ik", tf.ones([2, 3]), tf.ones([3]))
# name_of_version_1
tf.placeholder(tf.float32)
# misspelt_function
tf.reduce_summ(tf.ones([2]))
# numpy_method
tf.ones([2]).reshape([1, 2])
"""

_TAPES = """
# none_times_number
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    y = x * x
g = tape.gradient(y, x)
step = 0.1 * g
# minus_none
w = tf.Variable(1.0)
with tf.GradientTape() as tape:
    y = tf.round(w)
g = tape.gradient(y, w)
w.assign_sub(g)
# second_gradient
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)
tape.gradient(y, x)
# tensor_is_no_source
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, 3.0)
# number_as_target
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(float(y), x)
# watch_of_number
with tf.GradientTape() as tape:
    tape.watch(3.0)
# output_gradients_of_other_shape
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x, output_gradients=tf.ones([3]))
# jacobian_of_spent_tape
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)
tape.jacobian(y, x)
# batch_jacobian_of_vector
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = x * x
tape.batch_jacobian(y, x)
# assigned_shape
v = tf.Variable([1.0, 2.0])
v.assign([1.0, 2.0, 3.0])
# assigned_dtype
v = tf.Variable([1.0, 2.0])
v.assign_add(tf.constant([1, 2]))
# shape_of_variable_update
v = tf.Variable([1.0, 2.0])
v.assign_sub(tf.ones([3]))
"""

_FUNCTIONS = """
# shapes_in_function
@tf.function
def f(x):
    return tf.matmul(x, x)
f(tf.ones([2, 3]))
# shapes_in_nested_function
@tf.function
def inner(x):
    return x + tf.ones([3])
@tf.function
def outer(x):
    return inner(x * 2.0)
outer(tf.ones([2]))
# run_time_index_in_function
@tf.function
def f(x, i):
    return tf.gather(x, i)
f(tf.ones([2]), tf.constant([7]))
# shapes_under_jit
@tf.function(jit_compile=True)
def f(x):
    return tf.matmul(x, x)
f(tf.ones([2, 3]))
# python_error_under_jit
@tf.function(jit_compile=True)
def f(x):
    return {}["missing"]
f(tf.ones([2]))
# branch_of_two_dtypes
@tf.function
def f(x):
    if x > 0.0:
        y = 1.0
    else:
        y = 1
    return y * x
f(tf.constant(1.0))
# variable_made_at_each_call
@tf.function
def f(x):
    return tf.Variable(x)
f(tf.constant(1.0))
# signature
@tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
def f(x):
    return x
f(tf.ones([3]))
# too_many_arguments_of_function
@tf.function
def f(x):
    return x
f(tf.ones([3]), tf.ones([3]))
# returned_object
@tf.function
def f(x):
    return object()
f(tf.ones([3]))
"""

_DATA = """
# error_in_map
ds = tf.data.Dataset.range(3).map(lambda i: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3])))
for x in ds:
    pass
# run_time_error_in_map
ds = tf.data.Dataset.range(9).map(lambda i: tf.gather(tf.ones([3]), i))
for x in ds:
    pass
# batch_of_other_shapes
ds = tf.data.Dataset.range(1, 4).map(lambda n: tf.ones([n])).batch(3)
for x in ds:
    pass
# slices_of_other_lengths
tf.data.Dataset.from_tensor_slices((tf.ones([3]), tf.ones([4])))
# generator_of_other_shape
def values():
    yield [1.0, 2.0]
    yield [1.0]
spec = tf.TensorSpec([2], tf.float32)
for x in tf.data.Dataset.from_generator(values, output_signature=spec):
    pass
# index_of_data_set
tf.data.Dataset.range(3)[0]
"""

_KERAS = """
# lr
tf.keras.optimizers.Adam(lr=0.1)
# swapped_apply_gradients
v = tf.Variable(1.0)
opt = tf.keras.optimizers.SGD(0.1)
opt.apply_gradients([(v, tf.constant(1.0))])
# gradients_without_variables
v = tf.Variable(1.0)
opt = tf.keras.optimizers.SGD(0.1)
opt.apply_gradients([tf.constant(1.0)])
# all_gradients_none
v = tf.Variable(1.0)
opt = tf.keras.optimizers.SGD(0.1)
opt.apply_gradients([(None, v)])
# misspelt_loss
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", loss="mean_squared_eror")
model.fit(np.ones([4, 2], "float32"), np.ones([4, 1], "float32"), verbose=0)
# misspelt_optimizer
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("adamm", loss="mse")
# misspelt_activation
tf.keras.layers.Dense(1, activation="rellu")
# misspelt_layer
tf.keras.layers.Dens(1)
# misspelt_loss_class
tf.keras.losses.MeanSquareError()
# misspelt_argument_of_layer
tf.keras.layers.Dense(unit=3)
# input_of_other_width
layer = tf.keras.layers.Dense(1)
layer(tf.ones([2, 3]))
layer(tf.ones([2, 4]))
# rank_of_images
tf.keras.layers.Conv2D(1, 3)(tf.ones([28, 28]))
# fit_before_compile
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.fit(np.ones([4, 2], "float32"), np.ones([4, 1], "float32"))
# fit_of_other_lengths
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.ones([4, 2], "float32"), np.ones([3, 1], "float32"), verbose=0)
# fit_of_other_shapes
model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
model.compile("sgd", "sparse_categorical_crossentropy", jit_compile=False)
model.fit(np.ones([4, 2], "float32"), np.full([4], 7), verbose=0)
# error_in_own_layer
class Own(tf.keras.layers.Layer):
    def call(self, x):
        return tf.matmul(x, x)
Own()(tf.ones([2, 3]))
# error_in_fit
class Own(tf.keras.layers.Layer):
    def call(self, x):
        return tf.matmul(x, tf.ones([5, 1]))
model = tf.keras.Sequential([Own()])
model.compile("sgd", "mse")
model.fit(np.ones([4, 2], "float32"), np.ones([4, 1], "float32"), verbose=0)
# error_in_own_loss
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
def loss(y, p):
    return tf.reduce_mean(tf.matmul(y, p))
model.compile("sgd", loss, jit_compile=False)
model.fit(np.ones([4, 2], "float32"), np.ones([4, 1], "float32"), verbose=0)
# error_in_own_loss_compiled
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
def loss(y, p):
    return tf.reduce_mean(tf.matmul(y, p))
model.compile("sgd", loss, jit_compile=True)
model.fit(np.ones([4, 2], "float32"), np.ones([4, 1], "float32"), verbose=0)
# weights_of_unbuilt_model
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.summary()
model.get_layer("dens")
"""


def split(texts: str) -> dict[str, str]:
    parts = re.split(r"^# (\w+)\n", texts, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


PROGRAMS: dict[str, str] = {}
for _texts in (_EAGER, _TAPES, _FUNCTIONS, _DATA, _KERAS):
    PROGRAMS.update(split(_texts))
