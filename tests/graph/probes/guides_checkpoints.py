"""The lessons of TensorFlow's guides on checkpoints and on Keras' files, as small programs."""

import os
import tempfile

import numpy as np


def _net(tf):
    """A linear model of Keras with five outputs, and weights that are the same everywhere."""

    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.l1 = tf.keras.layers.Dense(5, kernel_initializer="ones")

        def call(self, x):
            return self.l1(x)

    return Net()


def _data(tf):
    inputs = tf.range(10.0)[:, None]
    labels = inputs * 5.0 + tf.range(5.0)[None, :]
    return tf.data.Dataset.from_tensor_slices({"x": inputs, "y": labels}).repeat().batch(2)


def _step(tf, net, example, optimizer):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.abs(net(example["x"]) - example["y"]))
    optimizer.apply_gradients(
        zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables)
    )
    return loss


def training_goes_on_where_it_stopped(tf):
    def train(folder):
        net, optimizer = _net(tf), tf.keras.optimizers.Adam(0.1)
        net(tf.ones([1, 1]))
        iterator = iter(_data(tf))
        checkpoint = tf.train.Checkpoint(
            step=tf.Variable(1), optimizer=optimizer, net=net, iterator=iterator
        )
        manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=3)
        checkpoint.restore(manager.latest_checkpoint)
        where = manager.latest_checkpoint
        print("from", os.path.basename(where) if where else "scratch")
        for _ in range(20):
            loss = _step(tf, net, next(iterator), optimizer)
            checkpoint.step.assign_add(1)
            if int(checkpoint.step) % 10 == 0:
                path = manager.save()
                print(int(checkpoint.step), os.path.basename(path), "loss {:.3f}".format(loss))
        return manager

    with tempfile.TemporaryDirectory() as folder:
        train(folder)
        manager = train(folder)
        print([os.path.basename(path) for path in manager.checkpoints])
        print(sorted(os.listdir(folder)))


def restore_or_initialize(tf):
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = tf.train.Checkpoint(step=tf.Variable(3))
        manager = tf.train.CheckpointManager(
            checkpoint, folder, 2, init_fn=lambda: print("initialized")
        )
        print(manager.restore_or_initialize())
        manager.save()
        print(os.path.basename(manager.restore_or_initialize()))


def only_some_objects_are_restored(tf):
    with tempfile.TemporaryDirectory() as folder:
        net = _net(tf)
        net(tf.ones([1, 1]))
        net.l1.bias.assign(tf.range(5.0))
        path = tf.train.Checkpoint(net=net, step=tf.Variable(4)).save(os.path.join(folder, "ck"))
        bias = tf.Variable(tf.zeros([5]))
        print(bias.numpy())
        layer = tf.train.Checkpoint(bias=bias)
        part = tf.train.Checkpoint(l1=layer)
        root = tf.train.Checkpoint(net=part)
        status = root.restore(path)
        print(bias.numpy(), type(status).__name__)
        status.assert_existing_objects_matched()


def what_restoring_asserts(tf, raises):
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).save(
            os.path.join(folder, "ck")
        )
        part = tf.train.Checkpoint(a=tf.Variable(0.0))
        status = part.restore(path)
        raises(status.assert_consumed, "b")
        print(type(status.assert_nontrivial_match()).__name__, part.a.numpy())
        more = tf.train.Checkpoint(a=tf.Variable(0.0), c=tf.Variable(0.0))
        raises(more.restore(path).assert_existing_objects_matched, "c")
        none = tf.train.Checkpoint(z=tf.Variable(0.0)).restore(path)
        raises(none.assert_nontrivial_match)
        raises(lambda: tf.train.Checkpoint(a=tf.Variable([1.0, 2.0])).restore(path))
        raises(lambda: tf.train.Checkpoint(a=tf.Variable(1)).restore(path))
        raises(lambda: part.restore(os.path.join(folder, "absent")))
        print(type(part.restore(None)).__name__)
        part.restore(path).expect_partial()


def values_wait_for_their_objects(tf):
    with tempfile.TemporaryDirectory() as folder:
        net = _net(tf)
        net(tf.ones([1, 1]))
        net.l1.kernel.assign([[1.0, 2.0, 3.0, 4.0, 5.0]])
        path = tf.train.Checkpoint(net=net).save(os.path.join(folder, "ck"))
        root = tf.train.Checkpoint()
        status = root.restore(path)
        root.net = tf.train.Checkpoint()
        root.net.l1 = tf.train.Checkpoint()
        late = tf.Variable(tf.zeros([1, 5]))
        print(late.numpy())
        root.net.l1._kernel = late
        print(late.numpy())
        del status


def a_checkpoint_is_looked_at(tf):
    with tempfile.TemporaryDirectory() as folder:
        v = tf.Variable([[1.0, 2.0]], name="named")
        module = tf.Module()
        module.listed = [v, tf.Variable(3)]
        path = tf.train.Checkpoint(m=module).save(os.path.join(folder, "ck"))
        for name, shape in tf.train.list_variables(folder):
            print(name, shape)
        reader = tf.train.load_checkpoint(path)
        key = "m/listed/0/.ATTRIBUTES/VARIABLE_VALUE"
        print(reader.get_tensor(key), reader.has_tensor(key), reader.has_tensor("named"))
        print(sorted(reader.get_variable_to_shape_map().items())[:2])
        dtypes = reader.get_variable_to_dtype_map()
        print(sorted((k, v.name) for k, v in dtypes.items()))
        print(tf.train.load_variable(folder, key))
        print(os.path.basename(tf.train.latest_checkpoint(folder)))
        state = tf.train.get_checkpoint_state(folder)
        print([os.path.basename(p) for p in state.all_model_checkpoint_paths])


def lists_and_dictionaries_are_tracked(tf, raises):
    save = tf.train.Checkpoint()
    save.listed = [tf.Variable(1.0)]
    save.listed.append(tf.Variable(2.0))
    save.mapped = {"one": save.listed[0]}
    save.mapped["two"] = save.listed[1]
    with tempfile.TemporaryDirectory() as folder:
        path = save.save(os.path.join(folder, "tf_list_example"))
        restore = tf.train.Checkpoint()
        second = tf.Variable(0.0)
        print(second.numpy())
        restore.mapped = {"two": second}
        restore.restore(path)
        print(second.numpy())
        restore.listed = []
        print(type(restore.listed).__name__, list(restore.listed))
        first = tf.Variable(0.0)
        restore.listed.append(first)
        print(first.numpy())
        restore.listed.reverse()
        raises(lambda: restore.save(os.path.join(folder, "other")))


def tuples_are_tracked(tf):
    module = tf.Module()
    module.pair = (tf.Variable(1.0), [tf.Variable(2.0)])
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(m=module).save(os.path.join(folder, "ck"))
        other = tf.Module()
        other.pair = (tf.Variable(0.0), [tf.Variable(0.0)])
        tf.train.Checkpoint(m=other).restore(path).assert_consumed()
        print(other.pair[0].numpy(), other.pair[1][0].numpy())


def writing_and_reading_without_a_counter(tf, raises):
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = tf.train.Checkpoint(v=tf.Variable(5.0))
        path = checkpoint.write(os.path.join(folder, "plain"))
        print(os.path.basename(path), sorted(os.listdir(folder)))
        print([name for name, _ in tf.train.list_variables(path)])
        again = tf.train.Checkpoint(v=tf.Variable(0.0))
        again.read(path).assert_consumed()
        print(again.v.numpy())
        print(tf.train.latest_checkpoint(folder))
        raises(lambda: again.restore(path).assert_consumed())


def the_counter_of_saves(tf):
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = tf.train.Checkpoint(v=tf.Variable(5.0))
        for _ in range(3):
            path = checkpoint.save(os.path.join(folder, "ck"))
        print(os.path.basename(path), int(checkpoint.save_counter))
        other = tf.train.Checkpoint(v=tf.Variable(0.0))
        other.restore(path).assert_consumed()
        print(int(other.save_counter), os.path.basename(other.save(os.path.join(folder, "ck"))))


def a_manager_keeps_what_is_asked(tf):
    with tempfile.TemporaryDirectory() as folder:
        step = tf.Variable(0)
        checkpoint = tf.train.Checkpoint(step=step)
        manager = tf.train.CheckpointManager(
            checkpoint, folder, max_to_keep=2, step_counter=step, checkpoint_interval=2,
            checkpoint_name="mine",
        )  # fmt: skip
        for _ in range(7):
            path = manager.save()
            print(int(step), os.path.basename(path) if path else None)
            step.assign_add(1)
        print([os.path.basename(p) for p in manager.checkpoints], manager.checkpoint_interval)
        again = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=None)
        print([os.path.basename(p) for p in again.checkpoints])
        print(os.path.basename(again.latest_checkpoint), again.directory == folder)
        print(os.path.basename(again.save(checkpoint_number=100)))


def checkpoints_as_they_come(tf):
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
        checkpoint.save(os.path.join(folder, "ck"))
        checkpoint.save(os.path.join(folder, "ck"))
        for path in tf.train.checkpoints_iterator(folder, timeout=0):
            print(os.path.basename(path))


def a_model_s_own_checkpoint(tf):
    net = _net(tf)
    net(tf.ones([1, 1]))
    net.l1.bias.assign(tf.range(5.0))
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(net).write(os.path.join(folder, "ck"))
        print([name for name, _ in tf.train.list_variables(path)])
        other = _net(tf)
        other(tf.ones([1, 1]))
        tf.train.Checkpoint(other).read(path).assert_consumed()
        print(other.l1.bias.numpy())


def the_optimizer_comes_later(tf):
    with tempfile.TemporaryDirectory() as folder:
        v, optimizer = tf.Variable([1.0, 2.0]), tf.keras.optimizers.Adam(0.5)
        for _ in range(3):
            optimizer.apply_gradients([(tf.constant([1.0, -2.0]), v)])
        path = tf.train.Checkpoint(v=v, optimizer=optimizer).save(os.path.join(folder, "ck"))
        w, other = tf.Variable([0.0, 0.0]), tf.keras.optimizers.Adam(0.5)
        status = tf.train.Checkpoint(v=w, optimizer=other).restore(path)
        other.apply_gradients([(tf.constant([1.0, -2.0]), w)])
        optimizer.apply_gradients([(tf.constant([1.0, -2.0]), v)])
        status.assert_consumed()
        print(v.numpy(), w.numpy(), int(other.iterations))


def python_state_in_a_checkpoint(tf):
    import json

    class State(tf.train.experimental.PythonState):
        def __init__(self):
            self.history = []

        def serialize(self):
            return json.dumps(self.history)

        def deserialize(self, text):
            self.history = json.loads(text)

    state = State()
    state.history.extend([1, "two"])
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(state=state).save(os.path.join(folder, "ck"))
        other = State()
        tf.train.Checkpoint(state=other).restore(path).assert_consumed()
        print(other.history)


def generators_and_tables_in_a_checkpoint(tf):
    generator = tf.random.Generator.from_seed(3)
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    dense = tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.float32, default_value=-1.0, empty_key=0, deleted_key=-5
    )
    table.insert(["a", "b"], [1, 2])
    dense.insert(tf.constant([4, 7], tf.int64), [0.5, 1.5])
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(g=generator, t=table, d=dense).save(os.path.join(folder, "ck"))
        print([(name, shape) for name, shape in tf.train.list_variables(path) if "Table" in name])
        wanted = generator.normal([2]).numpy()
        table.insert(["c"], [3])
        dense.remove(tf.constant([4], tf.int64))
        again = tf.train.Checkpoint(g=generator, t=table, d=dense)
        again.restore(path).assert_consumed()
        print((generator.normal([2]).numpy() == wanted).all(), int(table.size()))
        print(table.lookup(tf.constant(["a", "c"])).numpy())
        print(dense.lookup(tf.constant([4, 7, 9], tf.int64)).numpy(), int(dense.size()))


def restoring_in_a_graph_of_a_function(tf):
    v = tf.Variable(1.0)
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(v=v).save(os.path.join(folder, "ck"))

        @tf.function
        def double():
            v.assign(v * 2.0)
            return v.read_value()

        print(double().numpy(), double().numpy())
        tf.train.Checkpoint(v=v).restore(path)
        print(v.numpy(), double().numpy())


def weights_of_keras(tf):
    keras = tf.keras

    def made():
        model = keras.Sequential(
            [keras.Input((2,)), keras.layers.Dense(3, activation="relu"), keras.layers.Dense(1)]
        )
        model.compile(keras.optimizers.SGD(0.1, momentum=0.9), "mse", metrics=["mae"])
        return model

    model = made()
    model.set_weights([np.full(w.shape, 0.25, w.dtype) for w in model.get_weights()])
    x = np.linspace(0.0, 1.0, 8).reshape(4, 2).astype("float32")
    y = x.sum(axis=1, keepdims=True)
    model.fit(x, y, epochs=2, verbose=0, shuffle=False)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.weights.h5")
        model.save_weights(path)
        other = made()
        other.load_weights(path)
        print(np.abs(other.predict(x, verbose=0) - model.predict(x, verbose=0)).max())
        whole = os.path.join(folder, "model.keras")
        model.save(whole)
        loaded = keras.models.load_model(whole)
        print(loaded.evaluate(x, y, verbose=0), int(loaded.optimizer.iterations))
        loaded.fit(x, y, epochs=1, verbose=0, shuffle=False)
        model.fit(x, y, epochs=1, verbose=0, shuffle=False)
        print(np.abs(loaded.predict(x, verbose=0) - model.predict(x, verbose=0)).max())
        print(sorted(os.listdir(folder)))


def a_layer_of_ones_own_is_saved(tf, raises):
    keras = tf.keras

    @keras.utils.register_keras_serializable(package="guides")
    class Scaled(keras.layers.Layer):
        def __init__(self, factor=2.0, **kwargs):
            super().__init__(**kwargs)
            self.factor = factor
            self.shift = self.add_weight(shape=(), initializer="ones", name="shift")

        def call(self, x):
            return x * self.factor + self.shift

        def get_config(self):
            return {**super().get_config(), "factor": self.factor}

    model = keras.Sequential([keras.Input((2,)), Scaled(3.0, name="scaled")])
    model.layers[0].shift.assign(0.5)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.keras")
        model.save(path)
        loaded = keras.models.load_model(path)
        print(loaded(tf.ones([1, 2])).numpy(), loaded.layers[0].factor)
        print(keras.Sequential.from_config(model.get_config())(tf.ones([1, 2])).numpy())
        copy = keras.models.model_from_json(model.to_json())
        copy.set_weights(model.get_weights())
        print(copy(tf.ones([1, 2])).numpy())
        raises(lambda: keras.models.load_model(os.path.join(folder, "absent.keras")))
        raises(lambda: model.save(os.path.join(folder, "no_ending")))
        lambdas = keras.Sequential([keras.Input((2,)), keras.layers.Lambda(lambda x: x * 2)])
        lambdas.save(path)
        raises(lambda: keras.models.load_model(path), "safe_mode")


def checkpoints_while_fitting(tf):
    keras = tf.keras
    x = np.linspace(0.0, 1.0, 8).reshape(8, 1).astype("float32")
    with tempfile.TemporaryDirectory() as folder:
        model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, "linear", True, "ones")])
        model.compile(keras.optimizers.SGD(0.05), "mse")
        kept = keras.callbacks.ModelCheckpoint(
            os.path.join(folder, "{epoch:02d}.weights.h5"), save_weights_only=True
        )
        backup = keras.callbacks.BackupAndRestore(os.path.join(folder, "backup"))
        history = model.fit(
            x, 2 * x, epochs=3, verbose=0, shuffle=False, batch_size=4, callbacks=[kept, backup]
        )
        print(sorted(os.listdir(folder)), history.history["loss"])
        again = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
        again.load_weights(os.path.join(folder, "02.weights.h5"))
        print(again.get_weights()[0], model.get_weights()[0])


def weights_travel_between_models(tf):
    keras = tf.keras
    inputs = keras.Input((3,))
    hidden = keras.layers.Dense(2, kernel_initializer="ones", name="hidden")(inputs)
    outputs = keras.layers.Dense(1, kernel_initializer="ones", name="top")(hidden)
    whole = keras.Model(inputs, outputs)
    extractor = keras.Model(inputs, hidden)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ck")
        tf.train.Checkpoint(whole).write(path)
        whole.get_layer("hidden").kernel.assign(tf.zeros([3, 2]))
        print(extractor(tf.ones([1, 3])).numpy())
        tf.train.Checkpoint(whole).read(path).assert_consumed()
        print(extractor(tf.ones([1, 3])).numpy(), whole(tf.ones([1, 3])).numpy())
    copy = keras.models.clone_model(whole)
    copy.set_weights(whole.get_weights())
    print(copy(tf.ones([1, 3])).numpy(), len(copy.weights))
