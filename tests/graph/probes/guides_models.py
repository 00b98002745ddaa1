"""The lessons of TensorFlow's guide on saved models, as small programs."""

import os
import tempfile

import numpy as np


def _module(tf):
    """A module with two ways to call it and a variable."""

    class Scale(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(1.0)

        @tf.function
        def __call__(self, x):
            return x * self.v

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def mutate(self, new_v):
            self.v.assign(new_v)

    return Scale()


def _filled(model):
    """A Keras model whose weights are the same everywhere."""
    model.set_weights(
        [
            (0.01 * np.arange(w.size).reshape(w.shape) % 0.5).astype(w.dtype)
            for w in model.get_weights()
        ]
    )
    return model


def _images(tf):
    """A small classifier of images."""
    keras = tf.keras
    return _filled(
        keras.Sequential(
            [
                keras.Input((8, 8, 3), name="images"),
                keras.layers.Conv2D(4, 3, strides=2, padding="same", use_bias=False),
                keras.layers.BatchNormalization(),
                keras.layers.ReLU(6.0),
                keras.layers.DepthwiseConv2D(3, padding="same"),
                keras.layers.GlobalAveragePooling2D(),
                keras.layers.Dense(5, activation="softmax", name="predictions"),
            ]
        )
    )


def a_classifier_and_its_signature(tf):
    model = _images(tf)
    x = tf.reshape(tf.linspace(-1.0, 1.0, 8 * 8 * 3), [1, 8, 8, 3])
    before = model(x)
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(model, folder)
        loaded = tf.saved_model.load(folder)
        print(list(loaded.signatures.keys()))
        infer = loaded.signatures["serving_default"]
        name = next(iter(infer.structured_outputs))
        print(infer.structured_outputs[name].shape, infer.structured_outputs[name].dtype)
        after = infer(x)[name]
        print(after.numpy(), np.argsort(after)[0, ::-1][:3] + 1)
        print(np.abs(before - after).max() < 1e-6)


def what_lies_in_the_folder(tf):
    with tempfile.TemporaryDirectory() as folder:
        module = _module(tf)
        tf.saved_model.save(module, folder)
        print(sorted(os.listdir(folder)))
        print(sorted(os.listdir(os.path.join(folder, "variables"))))
        print(os.listdir(os.path.join(folder, "assets")))
        print(tf.saved_model.contains_saved_model(folder))
        print(tf.saved_model.contains_saved_model(os.path.join(folder, "variables")))


def a_module_is_saved_and_called(tf, raises):
    module = _module(tf)
    print(module(tf.constant(0.0)).numpy())
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        imported = tf.saved_model.load(folder)
        print(imported(tf.constant(3.0)).numpy(), imported.v.numpy())
        imported.mutate(tf.constant(2.0))
        print(imported(tf.constant(3.0)).numpy())
        raises(lambda: imported(tf.constant([3.0])), "Could not find matching concrete function")
        print(list(imported.signatures))


def more_shapes_by_concrete_functions(tf, raises):
    module = _module(tf)
    module.__call__.get_concrete_function(tf.TensorSpec(None, tf.float32))
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        imported = tf.saved_model.load(folder)
        print(imported(tf.constant([3.0, 4.0])).numpy(), imported(tf.ones([2, 1, 2])).numpy())
        raises(lambda: imported(tf.constant([3])))


def fine_tuning_a_loaded_module(tf):
    module = _module(tf)
    module(tf.constant(0.0))
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        imported = tf.saved_model.load(folder)
    optimizer = tf.keras.optimizers.SGD(0.05)

    def train_step():
        with tf.GradientTape() as tape:
            loss = (10.0 - imported(tf.constant(2.0))) ** 2
        variables = tape.watched_variables()
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    for _ in range(10):
        print("loss={:.2f} v={:.2f}".format(train_step(), imported.v.numpy()))


def layers_that_are_reused(tf):
    class Layer(tf.Module):
        def __init__(self, inner=None):
            super().__init__()
            self.w = tf.Variable([[0.5], [0.25]])
            self.b = tf.Variable([1.0], trainable=False)
            self.inner = inner
            self.trainable_variables_of_layer = [self.w]
            self.regularization_losses = [self.penalty]

        @tf.function(input_signature=[])
        def penalty(self):
            return 0.1 * tf.reduce_sum(self.w**2)

        @tf.function(
            input_signature=[
                tf.TensorSpec([None, 2], tf.float32),
                tf.TensorSpec([], tf.bool),
            ]
        )
        def __call__(self, x, training):
            return tf.cond(training, lambda: x @ self.w, lambda: x @ self.w + self.b)

    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Layer(), folder)
        obj = tf.saved_model.load(folder)
    print(obj([[1.0, 2.0]], training=True).numpy(), obj([[1.0, 2.0]], training=False).numpy())
    print(len(obj.trainable_variables_of_layer), [f().numpy() for f in obj.regularization_losses])
    print(obj.w.trainable, obj.b.trainable)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(obj(tf.ones([3, 2]), True)) + obj.regularization_losses[0]()
    print(tape.gradient(loss, obj.trainable_variables_of_layer)[0].numpy())


def signatures_are_asked_for(tf):
    module = _module(tf)
    with tempfile.TemporaryDirectory() as folder:
        call = module.__call__.get_concrete_function(tf.TensorSpec(None, tf.float32))
        tf.saved_model.save(module, folder, signatures=call)
        imported = tf.saved_model.load(folder)
        signature = imported.signatures["serving_default"]
        print(list(imported.signatures), signature.structured_outputs)
        print({k: v.numpy() for k, v in signature(x=tf.constant([3.0])).items()})
    with tempfile.TemporaryDirectory() as folder:
        signatures = {
            "serving_default": call,
            "array_input": module.__call__.get_concrete_function(tf.TensorSpec([None], tf.float32)),
        }
        tf.saved_model.save(module, folder, signatures=signatures)
        imported = tf.saved_model.load(folder)
        print(sorted(imported.signatures.keys()))
        print(imported.signatures["array_input"].structured_input_signature)


def outputs_with_names(tf):
    class Named(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec(None, tf.float32, name="x")])
        def __call__(self, x):
            return {"custom_output_name": x * 2.0, "another": tf.reduce_sum(x)}

    module = Named()
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder, signatures=module.__call__)
        imported = tf.saved_model.load(folder)
        signature = imported.signatures["serving_default"]
        print({k: (v.dtype.name, v.shape) for k, v in sorted(signature.structured_outputs.items())})
        print({k: v.numpy() for k, v in sorted(signature(tf.constant(3.0)).items())})
        print(imported(tf.constant([1.0, 2.0]))["another"].numpy())


def what_a_signature_refuses(tf, raises):
    class Several(tf.Module):
        @tf.function(
            input_signature=[
                tf.TensorSpec([None], tf.float32, name="a"),
                tf.TensorSpec([None], tf.float32, name="b"),
            ]
        )
        def f(self, a, b):
            return {"sum": a + b}

    module = Several()
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder, signatures={"add": module.f})
        add = tf.saved_model.load(folder).signatures["add"]
    print(add(a=tf.constant([1.0]), b=tf.constant([2.0]))["sum"].numpy())
    raises(lambda: add(tf.constant([1.0]), tf.constant([2.0])))
    raises(lambda: add(a=tf.constant([1.0])), "b")
    raises(lambda: add(a=tf.constant([1]), b=tf.constant([1.0])))
    raises(lambda: add(a=tf.constant([1.0]), b=tf.constant([1.0]), c=tf.constant([1.0])))
    raises(lambda: add(a=tf.constant([1.0]), b=[2.0]))


def signatures_that_cannot_be_saved(tf, raises):
    class Wrong(tf.Module):
        @tf.function
        def untraced(self, x):
            return x

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def nested(self, x):
            return {"a": [x, x]}

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def nothing(self, x):
            print(end="")

    module = Wrong()
    with tempfile.TemporaryDirectory() as folder:
        raises(lambda: tf.saved_model.save(module, folder, module.untraced), "get_concrete")
        raises(lambda: tf.saved_model.save(module, folder, module.nested))
        raises(lambda: tf.saved_model.save(module, folder, lambda x: x))
        raises(lambda: tf.saved_model.save(module, folder, {1: module.nested}))
        raises(lambda: tf.saved_model.save(lambda x: x, folder))
        raises(lambda: tf.saved_model.load(os.path.join(folder, "absent")), "absent")


def variables_that_nothing_tracks(tf, raises):
    outside = tf.Variable(2.0)

    class Untracked(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def f(self, x):
            return x * outside

    with tempfile.TemporaryDirectory() as folder:
        raises(lambda: tf.saved_model.save(Untracked(), folder), "untracked")


def assets_travel_with_the_model(tf):
    with tempfile.TemporaryDirectory() as folder:
        vocabulary = os.path.join(folder, "vocabulary.txt")
        with open(vocabulary, "w") as file:
            file.write("alpha\nbeta\ngamma\n")

        class Lookup(tf.Module):
            def __init__(self):
                super().__init__()
                self.file = tf.saved_model.Asset(vocabulary)
                self.table = tf.lookup.StaticHashTable(
                    tf.lookup.TextFileInitializer(
                        vocabulary,
                        tf.string,
                        tf.lookup.TextFileIndex.WHOLE_LINE,
                        tf.int64,
                        tf.lookup.TextFileIndex.LINE_NUMBER,
                    ),
                    -1,
                )

            @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
            def ids(self, words):
                return self.table.lookup(words)

            @tf.function(input_signature=[])
            def lines(self):
                return tf.strings.split(tf.io.read_file(self.file), "\n")

        model = os.path.join(folder, "model")
        tf.saved_model.save(Lookup(), model)
        os.remove(vocabulary)
        print(os.listdir(os.path.join(model, "assets")))
        loaded = tf.saved_model.load(model)
        print(loaded.ids(tf.constant(["gamma", "delta", "alpha"])).numpy())
        print(loaded.lines().numpy())
        print(os.path.basename(loaded.file.asset_path.numpy().decode()))


def a_model_inside_a_model(tf):
    module = _module(tf)
    module(tf.ones([2]))

    class Around(tf.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner
            self.bias = tf.Variable(10.0)

        @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
        def __call__(self, x):
            return self.inner(x) + self.bias

    with tempfile.TemporaryDirectory() as folder:
        first, second = (os.path.join(folder, name) for name in ("first", "second"))
        tf.saved_model.save(module, first)
        tf.saved_model.save(Around(tf.saved_model.load(first)), second)
        loaded = tf.saved_model.load(second)
        print(loaded(tf.constant([1.0, 2.0])).numpy())
        loaded.inner.v.assign(5.0)
        print(loaded(tf.constant([1.0, 2.0])).numpy())


def shared_objects_are_one(tf):
    class Part(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(1.0)

    root = tf.Module()
    root.a = root.b = Part()
    root.parts = [root.a, {"key": root.b}]
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(root, folder)
        loaded = tf.saved_model.load(folder)
    print(loaded.a is loaded.b, loaded.parts[0] is loaded.a, loaded.parts[1]["key"] is loaded.a)
    loaded.b.v.assign_add(2.0)
    print(loaded.a.v.numpy(), type(loaded.parts).__name__, len(loaded.parts))


def control_flow_in_a_saved_function(tf):
    class Collatz(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def steps(self, n):
            count = 0
            while n != 1:
                if n % 2 == 0:
                    n = n // 2
                else:
                    n = 3 * n + 1
                count += 1
            return count

    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Collatz(), folder)
        loaded = tf.saved_model.load(folder)
    print([loaded.steps(tf.constant(n)).numpy() for n in (1, 6, 27)])


def loading_with_options(tf):
    module = _module(tf)
    module(tf.constant(1.0))
    module.v.assign(7.0)
    with tempfile.TemporaryDirectory() as folder:
        options = tf.saved_model.SaveOptions(function_aliases={"scaled": module.__call__})
        tf.saved_model.save(module, folder, options=options)
        skipped = tf.saved_model.load(
            folder, options=tf.saved_model.LoadOptions(experimental_skip_checkpoint=True)
        )
        print(skipped.v.dtype, skipped.v.shape)
        local = tf.saved_model.LoadOptions(experimental_io_device="/job:localhost")
        print(tf.saved_model.load(folder, options=local).v.numpy())
        print(tf.saved_model.load(folder, tags=["serve"]).v.numpy())


def tags_that_are_not_there(tf, raises):
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(_module(tf), folder)
        raises(lambda: tf.saved_model.load(folder, tags=["other"]), "other")


def a_fingerprint(tf):
    module = _module(tf)
    module(tf.constant(1.0))
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        first = tf.saved_model.experimental.read_fingerprint(folder)
        second = tf.saved_model.experimental.read_fingerprint(folder)
        print(first.saved_model_checksum == second.saved_model_checksum, first == second)
        print(first.saved_model_checksum > 0, first.graph_def_program_hash > 0)
        print(first.singleprint() == second.singleprint(), first.singleprint().count("/"))


def a_keras_model_is_exported(tf):
    model = _images(tf)
    x = tf.reshape(tf.linspace(-1.0, 1.0, 2 * 8 * 8 * 3), [2, 8, 8, 3])
    with tempfile.TemporaryDirectory() as folder:
        model.export(folder, verbose=False)
        loaded = tf.saved_model.load(folder)
        print(sorted(loaded.signatures), np.abs(loaded.serve(x) - model(x)).max() < 1e-6)
        print(len(loaded.variables), len(loaded.trainable_variables))
        print(loaded.signatures["serve"].structured_input_signature[1])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loaded.serve(x)[:, 2]
        print(np.abs(tape.gradient(y, x).numpy()).sum())


def an_archive_with_endpoints(tf, raises):
    keras = tf.keras
    model = _filled(keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)]))
    archive = keras.export.ExportArchive()
    archive.track(model)
    archive.add_endpoint("call", model.call, [tf.TensorSpec([None, 3], tf.float32)])
    archive.add_endpoint(
        "scaled", lambda x: model(x) * 2.0, [keras.InputSpec("float32", (None, 3))]
    )
    with tempfile.TemporaryDirectory() as folder:
        archive.write_out(folder, verbose=False)
        loaded = tf.saved_model.load(folder)
        print(loaded.call(tf.ones([1, 3])).numpy(), loaded.scaled(tf.ones([2, 3])).numpy())
        print(sorted(loaded.signatures))
        layer = keras.layers.TFSMLayer(folder, call_endpoint="scaled")
        print(layer(tf.ones([1, 3])).numpy(), len(layer.weights))
        raises(lambda: keras.layers.TFSMLayer(folder, call_endpoint="absent"), "absent")
    raises(lambda: archive.add_endpoint("call", model.call), "call")


def random_numbers_in_a_saved_function(tf):
    class Noise(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([2], tf.int32)])
        def stateless(self, seed):
            return tf.random.stateless_uniform([1000], seed)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def noisy(self, x):
            return x + tf.random.normal(tf.shape(x))

    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Noise(), folder)
        loaded = tf.saved_model.load(folder)
    first, again = (loaded.stateless(tf.constant([1, 2])) for _ in range(2))
    print(bool(tf.reduce_all(first == again)), abs(float(tf.reduce_mean(first)) - 0.5) < 0.1)
    x = tf.zeros([1000])
    print(loaded.noisy(x).shape, abs(float(tf.reduce_mean(loaded.noisy(x)))) < 0.2)
    print(bool(tf.reduce_any(loaded.noisy(x) != loaded.noisy(x))))


def ragged_arguments_of_a_saved_function(tf):
    class Sums(tf.Module):
        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
        def rows(self, x):
            return tf.reduce_sum(x, axis=1), x * 2.0

    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Sums(), folder)
        sums, doubled = tf.saved_model.load(folder).rows(tf.ragged.constant([[1.0], [2.0, 3.0]]))
    print(sums.numpy(), doubled)


def default_values_in_signatures(tf):
    class Affine(tf.Module):
        @tf.function(
            input_signature=[
                tf.TensorSpec([None], tf.float32, name="x"),
                tf.TensorSpec([], tf.float32, name="scale"),
            ]
        )
        def f(self, x, scale=3.0):
            return {"y": x * scale}

    module = Affine()
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        loaded = tf.saved_model.load(folder)
        print(loaded.f(tf.constant([2.0]))["y"].numpy())
        print(loaded.f(tf.constant([2.0]), tf.constant(5.0))["y"].numpy())
