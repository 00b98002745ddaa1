"""Layers, models, optimizers and strategies in functions."""


def fit_traces_once(tf):
    traced = []

    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")

        def call(self, x):
            traced.append(tf.executing_eagerly())
            return self.dense(x)

    model = Model()
    model.compile("sgd", "mse")
    x = tf.ones([8, 2])
    model.fit(x, tf.zeros([8, 1]), batch_size=4, epochs=3, verbose=0)
    print(False in traced, len(traced) < 6)


def run_eagerly_calls_python_each_step(tf):
    steps = []

    class Model(tf.keras.Model):
        def train_step(self, data):
            steps.append(tf.executing_eagerly())
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self(x) - y) ** 2)
            self.optimizer.apply_gradients(
                zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables)
            )
            return {"loss": loss}

    for eager in (True, False):
        steps.clear()
        inputs = tf.keras.Input([2])
        model = Model(inputs, tf.keras.layers.Dense(1)(inputs))
        model.compile("sgd", run_eagerly=eager)
        model.fit(tf.ones([8, 2]), tf.zeros([8, 1]), batch_size=2, verbose=0)
        print(eager, len(steps), set(steps))


def a_step_with_an_optimizer_made_outside(tf):
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(1, use_bias=False, kernel_initializer="zeros")]
    )
    optimizer = tf.keras.optimizers.Adam(0.1)
    traced = []

    @tf.function
    def step(x, y):
        traced.append(1)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    x, y = tf.constant([[1.0], [2.0]]), tf.constant([[2.0], [4.0]])
    losses = [float(step(x, y)) for _ in range(5)]
    print([round(loss, 3) for loss in losses], len(traced), int(optimizer.iterations))


def an_optimizer_for_two_models_in_one_function(tf, raises):
    a, b = (tf.keras.layers.Dense(1, kernel_initializer="ones") for _ in range(2))
    optimizer = tf.keras.optimizers.SGD(0.1)

    @tf.function
    def step(layer, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(x) ** 2)
        optimizer.apply_gradients(
            zip(tape.gradient(loss, layer.trainable_variables), layer.trainable_variables)
        )
        return loss

    x = tf.ones([1, 1])
    print(step(a, x).numpy())
    raises(lambda: step(b, x))


def layers_that_are_built_in_a_function(tf):
    layer = tf.keras.layers.Dense(3)

    @tf.function
    def f(x):
        return layer(x)

    print(layer.built, f(tf.ones([2, 4])).shape, layer.built, layer.kernel.shape)


def a_layer_made_in_a_function(tf, raises):
    @tf.function
    def f(x):
        return tf.keras.layers.Dense(3)(x)

    raises(lambda: f(tf.ones([2, 4])))


def training_flags_and_losses(tf):
    class Penalty(tf.keras.layers.Layer):
        def call(self, x, training=None):
            self.add_loss(tf.reduce_sum(x))
            print("call", training)
            return x

    layer = Penalty()

    @tf.function
    def f(x):
        y = layer(x, training=True)
        return y, sum(layer.losses)

    print(f(tf.constant([1.0, 2.0]))[1].numpy())


def regularization_in_a_function(tf):
    layer = tf.keras.layers.Dense(
        1, kernel_initializer="ones", kernel_regularizer=tf.keras.regularizers.L2(0.5)
    )

    @tf.function
    def f(x):
        y = layer(x)
        return tf.reduce_sum(y) + sum(layer.losses)

    print(f(tf.ones([1, 2])).numpy())


def learning_rate_schedules(tf):
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(1.0, 1, 0.5)
    w = tf.Variable(0.0)
    optimizer = tf.keras.optimizers.SGD(schedule)

    @tf.function
    def step():
        optimizer.apply_gradients([(tf.constant(-1.0), w)])

    seen = []
    for _ in range(3):
        step()
        seen.append(float(w))
    print(seen)


def recurrent_layers_in_a_function(tf):
    layer = tf.keras.layers.SimpleRNN(
        1,
        kernel_initializer="ones",
        recurrent_initializer="ones",
        activation="linear",
        return_state=True,
    )

    @tf.function(input_signature=[tf.TensorSpec([None, None, 1])])
    def f(x):
        return layer(x)

    print([t.numpy().tolist() for t in f(tf.constant([[[1.0], [2.0], [3.0]]]))])


def metrics_are_reset_between_epochs(tf):
    mean = tf.keras.metrics.Mean()

    @tf.function
    def epoch(ds):
        mean.reset_state()
        for x in ds:
            mean.update_state(x)
        return mean.result()

    ds = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 6.0])
    print(epoch(ds).numpy(), epoch(ds.take(1)).numpy(), epoch(ds).numpy())


def clipping_of_gradients(tf):
    w = tf.Variable([3.0, 4.0])

    @tf.function
    def f():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w**2) / 2
        gradients, norm = tf.clip_by_global_norm([tape.gradient(loss, w)], 1.0)
        return gradients[0], norm

    print([t.numpy().tolist() for t in f()])


def strategies_in_functions(tf):
    strategy = tf.distribute.get_strategy()

    @tf.function
    def f(x):
        def replica(v):
            print("in replica", tf.distribute.in_cross_replica_context())
            return v * 2

        out = strategy.run(replica, args=(x,))
        return strategy.reduce("SUM", out, axis=None)

    print(f(tf.constant(3)).numpy(), strategy.num_replicas_in_sync)


def one_device_strategy(tf):
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    with strategy.scope():
        v = tf.Variable(1.0)

    @tf.function
    def step(x):
        def replica(value):
            v.assign_add(value)
            return v.read_value()

        return strategy.run(replica, args=(x,))

    print(step(tf.constant(2.0)).numpy(), step(tf.constant(2.0)).numpy())


def distributed_data_sets_in_functions(tf):
    strategy = tf.distribute.get_strategy()
    ds = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))

    @tf.function
    def total(ds):
        s = tf.constant(0, tf.int64)
        for batch in ds:
            s += strategy.run(tf.reduce_sum, args=(batch,))
        return s

    print(total(ds).numpy())


def numpy_api_in_functions(tf):
    tnp = tf.experimental.numpy

    @tf.function
    def f(x):
        y = tnp.sum(x * tnp.arange(3.0), axis=0)
        print(tf.is_symbolic_tensor(y), y.shape)
        return y

    print(f(tf.ones([2, 3], tf.float64)).numpy())


def keras_ops_in_functions(tf):
    from keras import ops

    @tf.function
    def f(x):
        y = ops.softmax(ops.sum(x, axis=0))
        print(tf.is_symbolic_tensor(y), y.shape, ops.shape(x))
        return y

    print(f(tf.zeros([2, 2])).numpy())


def keras_control_flow_in_functions(tf):
    from keras import ops

    @tf.function
    def f(x):
        y = ops.cond(x > 0, lambda: x * 2, lambda: -x)
        return ops.fori_loop(0, 3, lambda i, s: s + i, y), ops.while_loop(
            lambda i: i < 5, lambda i: (i + 1,), (x,)
        )

    print([t.numpy() if hasattr(t, "numpy") else [u.numpy() for u in t] for t in f(tf.constant(2))])
