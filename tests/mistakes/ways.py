"""Errors that arise in all the ways in which a program's lines are run.

Each program is the text after a line `# name`, as in `programs.py`.
"""

from __future__ import annotations

from .programs import split

_TEXT = """
# eager
def f(x):
    return tf.matmul(x, x)
f(tf.ones([2, 3]))
# eager_operator
def f(x):
    return x @ x
f(tf.ones([2, 3]))
# eager_method
v = tf.Variable([1.0])
v.assign([1.0, 2.0])
# tape_gradient_bad
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, "x")
# function_trace
@tf.function
def f(x):
    return tf.matmul(x, x)
f(tf.ones([2, 3]))
# function_run
@tf.function
def f(x, i):
    return tf.gather(x, i)
f(tf.ones([2]), tf.constant(7))
# function_python
@tf.function
def f(x):
    raise KeyError("a")
f(tf.ones([2]))
# function_nested_run
@tf.function
def g(x, i):
    return tf.gather(x, i)
@tf.function
def f(x, i):
    return g(x, i) + 1.0
f(tf.ones([2]), tf.constant(7))
# function_loop
@tf.function
def f(x, n):
    for i in tf.range(n):
        x = tf.gather(x, [i + 5])
    return x
f(tf.ones([2]), tf.constant(7))
# function_cond
@tf.function
def f(x, i):
    if i > 3:
        x = tf.gather(x, i)
    else:
        x = tf.reduce_sum(x)
    return x
f(tf.ones([2]), tf.constant(7))
# function_tape
@tf.function
def f(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    g = tape.gradient(y, x)
    return tf.matmul(g, g)
f(tf.ones([2, 3]))
# function_assert
@tf.function
def f(x):
    tf.debugging.assert_positive(x)
    return x
f(tf.constant([-1.0]))
# function_numerics
@tf.function
def f(x):
    return tf.debugging.check_numerics(tf.math.log(x), "log")
f(tf.constant([-1.0]))
# concrete
@tf.function
def f(x, i):
    return tf.gather(x, i)
c = f.get_concrete_function(tf.TensorSpec([None]), tf.TensorSpec([], tf.int32))
c(tf.ones([2]), tf.constant(7))
# concrete_bad_args
@tf.function
def f(x):
    return x * 2.0
c = f.get_concrete_function(tf.TensorSpec([2]))
c(tf.ones([3]))
# jit
@tf.function(jit_compile=True)
def f(x):
    return tf.matmul(x, x)
f(tf.ones([2, 3]))
# jit_python
@tf.function(jit_compile=True)
def f(x):
    raise KeyError("a")
f(tf.ones([2]))
# jit_loop
@tf.function(jit_compile=True)
def f(x, n):
    for i in tf.range(n):
        x = tf.matmul(x, x)
    return x
f(tf.ones([2, 3]), tf.constant(3))
# jit_numpy
@tf.function(jit_compile=True)
def f(x):
    return x.numpy()
f(tf.ones([2, 3]))
# jit_gradient
@tf.function(jit_compile=True)
def f(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    g = tape.gradient(y, x)
    return tf.matmul(g, g)
f(tf.ones([2, 3]))
# keras_fit
class Own(tf.keras.layers.Layer):
    def call(self, x):
        return tf.matmul(x, tf.ones([5, 1]))
model = tf.keras.Sequential([Own()])
model.compile("sgd", "mse")
model.fit(np.ones([4, 2], "float32"), np.ones([4, 1], "float32"), verbose=0)
# keras_fit_eagerly
class Own(tf.keras.layers.Layer):
    def call(self, x):
        return tf.matmul(x, tf.ones([5, 1]))
model = tf.keras.Sequential([Own()])
model.compile("sgd", "mse", run_eagerly=True)
model.fit(np.ones([4, 2], "float32"), np.ones([4, 1], "float32"), verbose=0)
# keras_fit_jit
class Own(tf.keras.layers.Layer):
    def call(self, x):
        return tf.matmul(x, tf.ones([5, 1]))
model = tf.keras.Sequential([Own()])
model.compile("sgd", "mse", jit_compile=True)
model.fit(np.ones([4, 2], "float32"), np.ones([4, 1], "float32"), verbose=0)
# keras_fit_runtime
class Own(tf.keras.layers.Layer):
    def call(self, x):
        return tf.gather(x, tf.cast(x[:, 0], tf.int32) + 9)
model = tf.keras.Sequential([Own(), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse", jit_compile=False)
model.fit(np.ones([4, 2], "float32"), np.ones([4, 1], "float32"), verbose=0)
# keras_train_step
class M(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.d = tf.keras.layers.Dense(1)
    def call(self, x):
        return self.d(x)
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.matmul(self(x), y))
        return {"loss": loss}
m = M()
m.compile("sgd")
m.fit(np.ones([4, 2], "float32"), np.ones([4, 1], "float32"), verbose=0)
# keras_predict
class Own(tf.keras.layers.Layer):
    def call(self, x):
        return tf.matmul(x, tf.ones([5, 1]))
model = tf.keras.Sequential([Own()])
model.predict(np.ones([4, 2], "float32"), verbose=0)
# keras_evaluate
class Own(tf.keras.layers.Layer):
    def call(self, x):
        return tf.matmul(x, tf.ones([5, 1]))
model = tf.keras.Sequential([Own()])
model.compile("sgd", "mse")
model.evaluate(np.ones([4, 2], "float32"), np.ones([4, 1], "float32"), verbose=0)
# keras_callback
class C(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.ones([4, 2], "float32"), np.ones([4, 1], "float32"), verbose=0, callbacks=[C()])
# keras_functional
i = tf.keras.Input([2])
o = tf.keras.layers.Lambda(lambda x: tf.matmul(x, tf.ones([5, 1])))(i)
# keras_metric
def m(y, p):
    return tf.matmul(y, p)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse", metrics=[m])
model.fit(np.ones([4, 2], "float32"), np.ones([4, 1], "float32"), verbose=0)
# keras_fit_dataset
def bad(x, y):
    return tf.matmul(x[None], tf.ones([5, 1])), y
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
data = np.ones([4, 2], "float32"), np.ones([4, 1], "float32")
ds = tf.data.Dataset.from_tensor_slices(data).map(bad).batch(2)
model.fit(ds, verbose=0)
# keras_fit_dataset_runtime
def bad(x, y):
    return tf.gather(x, tf.cast(y[0], tf.int32) + 7), y
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
data = np.ones([4, 2], "float32"), np.ones([4, 1], "float32")
ds = tf.data.Dataset.from_tensor_slices(data).map(bad).batch(2)
model.fit(ds, verbose=0)
# keras_layer_wrong_input
model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.ones([4, 2], "float32"), np.ones([4, 1], "float32"), verbose=0)
# data_map
def bad(i):
    return tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
ds = tf.data.Dataset.range(3).map(bad)
# data_map_run
def bad(i):
    return tf.gather(tf.ones([2]), i)
for x in tf.data.Dataset.range(3).map(bad):
    pass
# data_map_parallel
def bad(i):
    return tf.gather(tf.ones([2]), i)
for x in tf.data.Dataset.range(3).map(bad, num_parallel_calls=2).prefetch(2):
    pass
# data_filter
def bad(i):
    return tf.gather([True, False], i)
for x in tf.data.Dataset.range(3).filter(bad):
    pass
# data_interleave
def bad(i):
    return tf.data.Dataset.range(3).map(lambda j: tf.gather(tf.ones([2]), j))
for x in tf.data.Dataset.range(3).interleave(bad, cycle_length=2, num_parallel_calls=2):
    pass
# data_pyfunc
def bad(i):
    raise KeyError("x")
for x in tf.data.Dataset.range(3).map(lambda i: tf.py_function(bad, [i], tf.float32)):
    pass
# data_numpy_function
def bad(i):
    raise KeyError("x")
for x in tf.data.Dataset.range(3).map(lambda i: tf.numpy_function(bad, [i], tf.float32)):
    pass
# data_generator
def gen():
    yield 1.0
    raise KeyError("x")
for x in tf.data.Dataset.from_generator(gen, output_signature=tf.TensorSpec([], tf.float32)):
    pass
# data_batch
for x in tf.data.Dataset.range(3).map(lambda i: tf.ones([i])).batch(2):
    pass
# data_reduce
tf.data.Dataset.range(3).reduce(0.0, lambda s, i: tf.gather(tf.ones([2]), i))
# data_scan
def bad(s, i):
    return s, tf.gather(tf.ones([2]), i)
list(tf.data.Dataset.range(3).scan(0, bad))
# data_in_function
@tf.function
def f(ds):
    s = 0.0
    for x in ds:
        s += tf.gather(tf.ones([2]), x)
    return s
f(tf.data.Dataset.range(3))
# data_records_missing
for x in tf.data.TFRecordDataset("/nonexistent"):
    pass
# data_iterator_next
it = iter(tf.data.Dataset.range(3).map(lambda i: tf.gather(tf.ones([2]), i)))
next(it); next(it)
next(it)
# session_run
g = tf.Graph()
with g.as_default():
    p = tf.compat.v1.placeholder(tf.int32, [])
    y = tf.gather(tf.ones([2]), p)
with tf.compat.v1.Session(graph=g) as s:
    s.run(y, {p: 7})
# session_no_feed
g = tf.Graph()
with g.as_default():
    p = tf.compat.v1.placeholder(tf.int32, [])
    y = p + 1
with tf.compat.v1.Session(graph=g) as s:
    s.run(y)
# session_build
g = tf.Graph()
with g.as_default():
    p = tf.compat.v1.placeholder(tf.float32, [2, 3])
    y = tf.matmul(p, p)
# session_fetch
g = tf.Graph()
with g.as_default():
    p = tf.compat.v1.placeholder(tf.float32, [2, 3])
with tf.compat.v1.Session(graph=g) as s:
    s.run("nothing:0")
# session_uninit
g = tf.Graph()
with g.as_default():
    v = tf.compat.v1.get_variable("v", [2])
with tf.compat.v1.Session(graph=g) as s:
    s.run(v)
# session_feed_shape
g = tf.Graph()
with g.as_default():
    p = tf.compat.v1.placeholder(tf.float32, [2, 3])
    y = p * 2.0
with tf.compat.v1.Session(graph=g) as s:
    s.run(y, {p: np.ones([3])})
# saved_call
import tempfile
m = tf.Module()
@tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)])
def f(x, i):
    return tf.gather(x, i)
m.f = f
d = tempfile.mkdtemp()
tf.saved_model.save(m, d)
l = tf.saved_model.load(d)
l.f(tf.ones([2]), tf.constant(7))
# saved_bad_args
import tempfile
m = tf.Module()
@tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)])
def f(x, i):
    return tf.gather(x, i)
m.f = f
d = tempfile.mkdtemp()
tf.saved_model.save(m, d)
l = tf.saved_model.load(d)
l.f(tf.ones([2, 2]), tf.constant(7))
# saved_signature
import tempfile
m = tf.Module()
@tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)])
def f(x, i):
    return {"y": tf.gather(x, i)}
m.f = f
d = tempfile.mkdtemp()
tf.saved_model.save(m, d, signatures=m.f)
l = tf.saved_model.load(d)
l.signatures["serving_default"](x=tf.ones([2]), i=tf.constant(7))
# saved_missing
tf.saved_model.load("/nonexistent")
# saved_nothing
import tempfile
tf.saved_model.save(3, tempfile.mkdtemp())
# checkpoint_missing
tf.train.Checkpoint(v=tf.Variable(1.0)).restore("/nonexistent/ckpt")
# checkpoint_shape
import tempfile
p = tf.train.Checkpoint(v=tf.Variable([1.0])).save(tempfile.mkdtemp() + "/c")
tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).restore(p)
# keras_load_missing
tf.keras.models.load_model("/nonexistent.keras")
# distribute_eager
def step(x):
    return tf.matmul(x, x)
s = tf.distribute.MirroredStrategy(["cpu:0"])
s.run(step, (tf.ones([2, 3]),))
# distribute_two
def step(x):
    return tf.matmul(x, x)
s = tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"])
s.run(step, (tf.ones([2, 3]),))
# distribute_function
def step(x):
    return tf.matmul(x, x)
s = tf.distribute.MirroredStrategy(["cpu:0"])
@tf.function
def train(x):
    return s.run(step, (x,))
train(tf.ones([2, 3]))
# distribute_function_run
def step(x, i):
    return tf.gather(x, i)
s = tf.distribute.MirroredStrategy(["cpu:0"])
@tf.function
def train(x, i):
    return s.run(step, (x, i))
train(tf.ones([2]), tf.constant(7))
# distribute_iterate
s = tf.distribute.MirroredStrategy(["cpu:0"])
ds = tf.data.Dataset.range(3).map(lambda i: tf.gather(tf.ones([2]), i)).batch(1)
ds = s.experimental_distribute_dataset(ds)
for x in ds:
    pass
# distribute_fit
class Own(tf.keras.layers.Layer):
    def call(self, x):
        return tf.matmul(x, tf.ones([5, 1]))
s = tf.distribute.MirroredStrategy(["cpu:0"])
with s.scope():
    model = tf.keras.Sequential([Own()])
    model.compile("sgd", "mse")
model.fit(np.ones([4, 2], "float32"), np.ones([4, 1], "float32"), verbose=0)
# distribute_reduce
s = tf.distribute.MirroredStrategy(["cpu:0"])
s.reduce("SUMM", tf.ones([2]), axis=None)
# while_loop
def body(i, x):
    return i + 1, tf.matmul(x, x)
tf.while_loop(lambda i, x: i < 3, body, [tf.constant(0), tf.ones([2, 3])])
# cond
def bad():
    return tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
tf.cond(tf.constant(True), bad, lambda: tf.ones([2]))
# map_fn
def bad(x):
    return tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
tf.map_fn(bad, tf.ones([3]))
# vectorized_map
def bad(x):
    return tf.matmul(x, x)
tf.vectorized_map(bad, tf.ones([4, 2, 3]))
# custom_gradient
@tf.custom_gradient
def f(x):
    def grad(dy):
        return tf.matmul(dy, dy)
    return x * 2.0, grad
x = tf.Variable(tf.ones([2, 3]))
with tf.GradientTape() as tape:
    y = f(x)
tape.gradient(y, x)
# custom_gradient_count
@tf.custom_gradient
def f(x):
    def grad(dy):
        return dy, dy
    return x * 2.0, grad
x = tf.Variable(tf.ones([2, 3]))
with tf.GradientTape() as tape:
    y = f(x)
tape.gradient(y, x)
# jacobian
def inner(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.matmul(x, x)
    return tape.jacobian(y, x)
inner(tf.ones([2, 3]))
# hessian
def loss():
    return tf.reduce_sum(tf.matmul(x, x))
x = tf.Variable(tf.ones([2, 3]))
tf.autodiff.hessian(loss, x)
# forward
x = tf.ones([2, 3])
with tf.autodiff.ForwardAccumulator(x, tf.ones([2, 4])) as acc:
    y = x * x
# recompute
@tf.recompute_grad
def f(x):
    return tf.matmul(x, x)
f(tf.ones([2, 3]))
# py_function
def bad(x):
    raise KeyError("x")
tf.py_function(bad, [tf.ones([2])], tf.float32)
# py_function_in_function
def bad(x):
    return tf.matmul(x, x)
@tf.function
def f(x):
    return tf.py_function(bad, [x], tf.float32)
f(tf.ones([2, 3]))
# wrapped_scipy
def loss(x):
    return tf.reduce_sum(tf.matmul(x, x))
tf.optimize.minimize(loss, tf.ones([2, 3]))
# module
class M(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(tf.ones([2, 3]))
    @tf.Module.with_name_scope
    def __call__(self, x):
        return tf.matmul(x, self.w)
M()(tf.ones([2, 3]))
# io_missing
tf.io.read_file("/nonexistent")
# decode
tf.io.decode_png(tf.constant(b"abc"))
# optimizer_in_function
v = tf.Variable([1.0])
opt = tf.keras.optimizers.Adam()
@tf.function
def f():
    with tf.GradientTape() as t:
        y = tf.round(v)
    g = t.gradient(y, v)
    opt.apply_gradients([(g, v)])
f()
# none_in_function
v = tf.Variable([1.0])
@tf.function
def f():
    with tf.GradientTape() as t:
        y = tf.round(v)
    g = t.gradient(y, v)
    v.assign_sub(0.1 * g)
f()
# none_in_jit
v = tf.Variable([1.0])
@tf.function(jit_compile=True)
def f():
    with tf.GradientTape() as t:
        y = tf.round(v)
    g = t.gradient(y, v)
    v.assign_sub(0.1 * g)
f()
# tnp
import gradtape.experimental.numpy as tnp
tnp.matmul(tnp.ones([2, 3]), tnp.ones([2, 3]))
# raw
tf.raw_ops.MatMul(a=tf.ones([2, 3]), b=tf.ones([2, 3]))
# ragged
tf.ragged.constant([[1.0], [2.0, 3.0]]) + tf.ragged.constant([[1.0, 2.0], [2.0, 3.0]])
# sparse
tf.sparse.sparse_dense_matmul(tf.sparse.eye(3), tf.ones([2, 2]))
# string
tf.strings.to_number("abc")
# lookup
t = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), 0)
t.lookup(tf.constant(1))
# tensorarray
ta = tf.TensorArray(tf.float32, 2)
ta.read(7)
# linear_operator
tf.linalg.LinearOperatorFullMatrix(tf.ones([2, 2])).matmul(tf.ones([3, 3]))
# random
tf.random.normal([2], dtype=tf.int32)
# image
tf.image.resize(tf.ones([3]), [2, 2])
# switch_case
tf.switch_case(tf.constant(0), {0: lambda: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))})
# scan
tf.scan(lambda a, x: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3])), tf.ones([3]))
# foldl
tf.foldl(lambda a, x: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3])), tf.ones([3]))
# check_numerics_mode
tf.debugging.enable_check_numerics()
try:
    tf.math.log(tf.constant(-1.0))
finally:
    tf.debugging.disable_check_numerics()
# nondiff_jit_run_assert
@tf.function(jit_compile=True)
def f(x):
    tf.debugging.assert_equal(x.shape[0], 3)
    return x
f(tf.ones([2]))
# threads
import threading
@tf.function(reduce_retracing=True)
def f(x):
    return tf.reshape(x, [3, 3])
f(tf.ones([2]))
# structured
@tf.function
def f(d):
    return tf.matmul(d["a"], d["a"])
f({"a": tf.ones([2, 3])})
# method_function
class A:
    @tf.function
    def go(self, x):
        return tf.matmul(x, x)
A().go(tf.ones([2, 3]))
# summary
w = tf.summary.create_file_writer("/dev/null/none")
with w.as_default():
    tf.summary.scalar("a", 1.0, step=1)
# profiler
tf.profiler.experimental.stop()
# opt_build
tf.keras.optimizers.Adam(learning_rat=3)
# coordinator
tf.distribute.MirroredStrategy(["gpu:7"])
# stateless
tf.random.stateless_normal([2], seed=[1])
# generator
tf.random.Generator.from_seed(1).normal("a")
"""

WAYS = split(_TEXT)
