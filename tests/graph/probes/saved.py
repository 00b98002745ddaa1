"""Functions that are saved and loaded, and checkpoints of what they change."""

import os
import tempfile


def loaded_functions_have_their_traces(tf, raises):
    class Module(tf.Module):
        @tf.function
        def f(self, x):
            print("trace")
            return x * 2

    module = Module()
    module.f(tf.constant(1))
    module.f(tf.constant([1.0, 2.0]))
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        loaded = tf.saved_model.load(folder)
        print(loaded.f(tf.constant(4)).numpy(), loaded.f(tf.constant([1.0, 5.0])).numpy())
        raises(lambda: loaded.f(tf.constant("text")), "Could not find matching concrete function")
        raises(lambda: loaded.f(tf.constant([1.0])))


def a_function_that_was_not_traced(tf, raises):
    class Module(tf.Module):
        @tf.function
        def f(self, x):
            return x * 2

    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Module(), folder)
        loaded = tf.saved_model.load(folder)
        raises(lambda: loaded.f(tf.constant(4)))


def python_arguments_of_loaded_functions(tf, raises):
    class Module(tf.Module):
        @tf.function
        def f(self, x, training=False):
            if training:
                return x * 100
            return x

    module = Module()
    module.f(tf.constant(1), training=True)
    module.f(tf.constant(1))
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        loaded = tf.saved_model.load(folder)
        print(loaded.f(tf.constant(2), training=True).numpy(), loaded.f(tf.constant(2)).numpy())
        print(loaded.f(tf.constant(2), False).numpy())


def signatures_of_a_saved_model(tf):
    class Module(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(3.0)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="numbers")])
        def f(self, x):
            return {"scaled": x * self.v, "total": tf.reduce_sum(x)}

    module = Module()
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder, signatures={"serving_default": module.f})
        loaded = tf.saved_model.load(folder)
        serving = loaded.signatures["serving_default"]
        print(sorted(loaded.signatures), sorted(serving(numbers=tf.constant([1.0, 2.0]))))
        print(serving(numbers=tf.constant([1.0, 2.0]))["scaled"].numpy())
        print(serving.structured_input_signature)
        print(sorted(serving.structured_outputs.items()))


def signatures_return_dictionaries(tf):
    class Module(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def one(self, x):
            return x + 1

        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def two(self, x):
            return x, x + 1

    module = Module()
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder, signatures={"one": module.one, "two": module.two})
        loaded = tf.saved_model.load(folder)
        print({k: v.numpy() for k, v in loaded.signatures["one"](x=tf.constant(1)).items()})
        print({k: v.numpy() for k, v in loaded.signatures["two"](x=tf.constant(1)).items()})


def loaded_variables_are_shared_and_trained(tf):
    class Module(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(2.0)
            self.steps = tf.Variable(0, trainable=False)

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def f(self, x):
            self.steps.assign_add(1)
            return x * self.w

    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Module(), folder)
        loaded = tf.saved_model.load(folder)
    with tf.GradientTape() as tape:
        y = loaded.f(tf.constant(3.0))
    print(y.numpy(), tape.gradient(y, loaded.w).numpy(), loaded.steps.numpy())
    loaded.w.assign(10.0)
    print(loaded.f(tf.constant(3.0)).numpy(), loaded.steps.numpy())


def loaded_control_flow(tf):
    class Module(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def collatz(self, n):
            steps = 0
            while n != 1:
                if n % 2 == 0:
                    n = n // 2
                else:
                    n = 3 * n + 1
                steps += 1
            return steps

    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Module(), folder)
        loaded = tf.saved_model.load(folder)
    print([loaded.collatz(tf.constant(n)).numpy() for n in (1, 6, 7)])


def loaded_tables_and_constants(tf):
    class Module(tf.Module):
        def __init__(self):
            super().__init__()
            self.table = tf.lookup.StaticHashTable(
                tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1
            )
            self.offset = tf.constant([10, 20])

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def f(self, words):
            return self.table.lookup(words) + self.offset

    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Module(), folder)
        loaded = tf.saved_model.load(folder)
    print(loaded.f(tf.constant(["b", "z"])).numpy())


def loaded_functions_in_functions_and_data_sets(tf):
    class Module(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
        def f(self, x):
            return x * x

    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Module(), folder)
        loaded = tf.saved_model.load(folder)

    @tf.function
    def g(x):
        return loaded.f(x) + 1

    print(g(tf.constant(3, tf.int64)).numpy())
    print(list(tf.data.Dataset.range(4).map(loaded.f).as_numpy_iterator()))


def python_effects_are_not_saved(tf):
    class Module(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def f(self, x):
            print("python")
            tf.print("tensorflow", x)
            return x

    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Module(), folder)
        loaded = tf.saved_model.load(folder)
    print("loaded")
    loaded.f(tf.constant(1))


def saving_traces_anew(tf):
    class Module(tf.Module):
        def __init__(self):
            super().__init__()
            self.scale = 3

        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def f(self, x):
            return x * self.scale

    module = Module()
    module.f(tf.constant(1))
    module.scale = 100
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        loaded = tf.saved_model.load(folder)
    print(loaded.f(tf.constant(2)).numpy(), hasattr(loaded, "scale"))


def checkpoints_of_counters_in_functions(tf):
    step = tf.Variable(0)

    @tf.function
    def count():
        return step.assign_add(1)

    with tempfile.TemporaryDirectory() as folder:
        checkpoint = tf.train.Checkpoint(step=step)
        count()
        path = checkpoint.save(os.path.join(folder, "c"))
        count()
        count()
        print(step.numpy())
        checkpoint.restore(path)
        print(step.numpy(), count().numpy(), count.experimental_get_tracing_count())


def restoring_before_variables_are_made(tf):
    class Lazy(tf.Module):
        w = None

        @tf.function
        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable(5.0)
            return self.w * x

    with tempfile.TemporaryDirectory() as folder:
        first = Lazy()
        first(tf.constant(1.0))
        first.w.assign(9.0)
        path = tf.train.Checkpoint(model=first).save(os.path.join(folder, "c"))
        second = Lazy()
        status = tf.train.Checkpoint(model=second).restore(path)
        print(second(tf.constant(1.0)).numpy(), second.w.numpy())
        status.assert_existing_objects_matched()


def a_concrete_function_as_attribute(tf):
    class Module(tf.Module):
        pass

    module = Module()
    v = module.v = tf.Variable(2)
    module.f = tf.function(lambda x: x * v).get_concrete_function(tf.TensorSpec([], tf.int32))
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        loaded = tf.saved_model.load(folder)
    print(loaded.f(tf.constant(4)).numpy())


def a_variable_that_is_not_tracked(tf, raises):
    hidden = tf.Variable(2)

    class Module(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def f(self, x):
            return x * hidden

    with tempfile.TemporaryDirectory() as folder:
        raises(lambda: tf.saved_model.save(Module(), folder), "untracked")
