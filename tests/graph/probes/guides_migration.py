"""The lessons of TensorFlow's guides on moving from version 1's files, as small programs."""

import os
import tempfile

import numpy as np


def _named_checkpoint(tf, folder, initial=1.0):
    """A checkpoint by names, as `Saver` writes it in a session."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        a = v1.get_variable("a", dtype=tf.float32, shape=[], initializer=v1.zeros_initializer())
        with v1.variable_scope("inner"):
            b = v1.get_variable("b", initializer=tf.constant([1.0, 2.0]))
        saver = v1.train.Saver()
        with v1.Session(graph=graph) as session:
            session.run(v1.global_variables_initializer())
            session.run([a.assign(initial), b.assign_add([initial, initial])])
            return saver.save(session, os.path.join(folder, "v1"), global_step=7)


def _shown(tf, path):
    reader = tf.train.load_checkpoint(path)
    shapes, dtypes = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
    for key in sorted(shapes):
        if "_CHECKPOINTABLE" not in key:
            print(key, shapes[key], dtypes[key].name, reader.get_tensor(key))


def a_checkpoint_by_names(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = _named_checkpoint(tf, folder)
        print(os.path.basename(path), sorted(os.listdir(folder)))
        _shown(tf, path)


def a_saver_outside_of_graphs(tf):
    v1 = tf.compat.v1
    a = tf.Variable(1.0, name="a")
    b = tf.Variable(2.0, name="b")
    with tempfile.TemporaryDirectory() as folder:
        saver = v1.train.Saver(var_list=[a, b])
        path = saver.save(sess=None, save_path=os.path.join(folder, "ck"))
        _shown(tf, path)
        a.assign(0.0)
        saver.restore(None, path)
        print(a.numpy(), b.numpy())


def names_are_restored_into_attributes(tf, raises):
    with tempfile.TemporaryDirectory() as folder:
        path = _named_checkpoint(tf, folder, 5.0)
        a = tf.Variable(0.0, name="a")
        b = tf.Variable([0.0, 0.0], name="inner/b")
        status = tf.train.Checkpoint(first=a, second=b).restore(path)
        print(type(status).__name__, a.numpy(), b.numpy())
        status.assert_consumed()
        status.assert_existing_objects_matched()
        a.assign(0.0)
        part = tf.train.Checkpoint(first=a)
        status = part.restore(path)
        print(a.numpy())
        raises(status.assert_consumed, "inner/b")
        status.assert_existing_objects_matched()
        other = tf.train.Checkpoint(a=tf.Variable(0.0, name="other"))
        status = other.restore(path)
        raises(status.assert_consumed)
        raises(status.assert_existing_objects_matched, "other")
        print(other.a.numpy())


def names_are_restored_into_modules(tf):
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.parts = [tf.Variable(0.0, name="a"), {"b": tf.Variable([0.0, 0.0], name="b")}]
            with tf.name_scope("inner"):
                self.inner = tf.Variable([0.0, 0.0], name="b")

    with tempfile.TemporaryDirectory() as folder:
        path = _named_checkpoint(tf, folder, 2.0)
        model = Model()
        print(model.inner.name)
        tf.train.Checkpoint(model=model).restore(path).expect_partial()
        print(model.parts[0].numpy(), model.parts[1]["b"].numpy(), model.inner.numpy())


def names_of_the_wrong_shape(tf, raises):
    with tempfile.TemporaryDirectory() as folder:
        path = _named_checkpoint(tf, folder)
        wrong = tf.train.Checkpoint(a=tf.Variable([0.0, 0.0], name="a"))
        raises(lambda: wrong.restore(path))
        wrong = tf.train.Checkpoint(a=tf.Variable(0, name="a"))
        raises(lambda: wrong.restore(path))


def objects_are_made_after_names_are_restored(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = _named_checkpoint(tf, folder, 3.0)
        root = tf.train.Checkpoint()
        status = root.restore(path)
        root.late = tf.Variable(0.0, name="a")
        print(root.late.numpy())
        status.expect_partial()


def a_checkpoint_of_version_1_becomes_one_of_version_2(tf):
    def converted(path, prefix):
        reader = tf.train.load_checkpoint(path)
        values = {
            key: tf.Variable(reader.get_tensor(key))
            for key in sorted(reader.get_variable_to_dtype_map())
        }
        return tf.train.Checkpoint(vars=values).save(prefix)

    with tempfile.TemporaryDirectory() as folder:
        path = converted(_named_checkpoint(tf, folder), os.path.join(folder, "v2"))
        _shown(tf, path)
        other = tf.train.Checkpoint(vars={"a": tf.Variable(9.0)})
        other.restore(path).expect_partial()
        print(other.vars["a"].numpy())


def a_saver_reads_what_checkpoints_write(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder:
        v = tf.Variable(4.0, name="weight")
        path = tf.train.Checkpoint(deep=tf.train.Checkpoint(v=v)).save(os.path.join(folder, "ck"))
        with tf.Graph().as_default(), v1.Session() as session:
            weight = v1.get_variable("weight", [])
            v1.train.Saver([weight]).restore(session, path)
            print(session.run(weight))


def old_weights_initialize_new_ones(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder:
        path = _named_checkpoint(tf, folder, 6.0)
        with tf.Graph().as_default(), v1.Session() as session:
            with v1.variable_scope("new"):
                mine = v1.get_variable("mine", [])
            with v1.variable_scope("inner"):
                b = v1.get_variable("b", [2])
            v1.train.init_from_checkpoint(path, {"a": mine, "inner/": "inner/"})
            session.run(v1.global_variables_initializer())
            print(session.run([mine, b]))


def a_saver_keeps_some(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
        step = v1.train.get_or_create_global_step()
        bump = v1.assign_add(step, 1)
        saver = v1.train.Saver(max_to_keep=2)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for _ in range(4):
                session.run(bump)
                saver.save(session, os.path.join(folder, "m"), step, write_meta_graph=False)
            print([os.path.basename(p) for p in saver.last_checkpoints])
            print(sorted(os.listdir(folder)))
            saver.restore(session, saver.last_checkpoints[0])
            print(session.run(step))


def a_meta_graph_is_restored(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder:
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None], name="x")
            w = v1.get_variable("w", initializer=3.0)
            y = tf.identity(x * w, name="y")
            v1.add_to_collection("outputs", y)
            session.run(v1.global_variables_initializer())
            path = v1.train.Saver().save(session, os.path.join(folder, "model"))
        with tf.Graph().as_default() as graph, v1.Session() as session:
            saver = v1.train.import_meta_graph(path + ".meta")
            saver.restore(session, path)
            print(session.run("y:0", {"x:0": [1.0, 2.0]}))
            print(session.run(v1.get_collection("outputs")[0], {"x:0": [4.0]}))
            print([v.name for v in v1.global_variables()], graph.get_tensor_by_name("y:0").shape)


def graphs_under_a_scope(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "part.meta")
        with tf.Graph().as_default():
            with v1.variable_scope("hidden"):
                x = v1.placeholder(tf.float32, [2], name="x")
                w = v1.get_variable("w", initializer=[1.0, 2.0])
                tf.multiply(x, w, name="y")
            tf.constant(1.0, name="outside")
            meta = v1.train.export_meta_graph(path, export_scope="hidden")
            print(sorted(node.name for node in meta.graph_def.node if "/" not in node.name))
        with tf.Graph().as_default() as graph, v1.Session() as session:
            v1.train.import_meta_graph(path, import_scope="again")
            print([v.name for v in v1.global_variables()])
            session.run(v1.global_variables_initializer())
            print(session.run("again/y:0", {"again/x:0": [3.0, 4.0]}))
            print([op.name for op in graph.get_operations() if op.type == "Placeholder"])


def a_simple_save(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "simple")
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [])
            v = v1.get_variable("v", initializer=2.0)
            out = x * v
            session.run(v1.global_variables_initializer())
            v1.saved_model.simple_save(session, path, {"input": x}, {"output": out})
        loaded = tf.saved_model.load(path)
        print(list(loaded.signatures))
        serve = loaded.signatures["serving_default"]
        print(serve(input=tf.constant(5.0))["output"].numpy(), loaded.variables[0].numpy())
        loaded.variables[0].assign(3.0)
        print(serve(input=tf.constant(5.0))["output"].numpy())
        with tf.GradientTape() as tape:
            y = serve(input=tf.constant(5.0))["output"]
        print(tape.gradient(y, loaded.variables[0]).numpy())


def a_builder_and_its_signatures(tf):
    v1 = tf.compat.v1
    utils = v1.saved_model
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "built")
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None, 2], name="input")
            w = v1.get_variable("w", initializer=[[1.0], [2.0]])
            y = tf.matmul(x, w)
            session.run(v1.global_variables_initializer())
            signature = utils.build_signature_def(
                {"x": utils.build_tensor_info(x)},
                {"y": utils.build_tensor_info(y)},
                utils.signature_constants.PREDICT_METHOD_NAME,
            )
            builder = utils.Builder(path)
            builder.add_meta_graph_and_variables(
                session, ["serve"], signature_def_map={"predict": signature}
            )
            builder.save()
        with tf.Graph().as_default(), v1.Session() as session:
            meta = utils.load(session, ["serve"], path)
            info = meta.signature_def["predict"]
            feed = {info.inputs["x"].name: [[1.0, 1.0]]}
            print(session.run(info.outputs["y"].name, feed), info.method_name)
        predict = tf.saved_model.load(path).signatures["predict"]
        print(predict(x=tf.constant([[2.0, 3.0]]))["y"].numpy(), predict.inputs[0].shape)


def a_model_of_version_2_in_a_session(tf):
    v1 = tf.compat.v1

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(2.0)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="x")])
        def double(self, x):
            return {"y": x * self.v}

    model = Model()
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(model, folder, {"double": model.double})
        with tf.Graph().as_default(), v1.Session() as session:
            meta = v1.saved_model.load(session, ["serve"], folder)
            info = meta.signature_def["double"]
            print(session.run(info.outputs["y"].name, {info.inputs["x"].name: [1.0, 4.0]}))


def the_loader_and_what_it_finds(tf, raises):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder:
        print(v1.saved_model.contains_saved_model(folder))
        with tf.Graph().as_default(), v1.Session() as session:
            raises(lambda: v1.saved_model.load(session, ["serve"], folder))
            raises(lambda: v1.train.Saver().save(session, folder), "No variables")
            v1.get_variable("v", [])
            saver = v1.train.Saver()
            raises(lambda: saver.restore(session, os.path.join(folder, "absent")))
            raises(lambda: saver.save(session, os.path.join(folder, "x")), "v")


def a_function_that_wraps_a_graph(tf):
    v1 = tf.compat.v1

    def old(x):
        w = v1.get_variable("w", [2], initializer=v1.constant_initializer([2.0, 3.0]))
        return x * w

    wrapped = v1.wrap_function(old, [tf.TensorSpec([2], tf.float32)])
    print(wrapped(tf.constant([1.0, 1.0])).numpy(), [v.name for v in wrapped.graph.variables])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(wrapped(tf.constant([1.0, 4.0])))
    print(tape.gradient(y, wrapped.graph.variables[0]).numpy())


def parts_of_a_wrapped_graph(tf):
    v1 = tf.compat.v1

    def graph():
        x = v1.placeholder(tf.float32, [], name="x")
        v = v1.get_variable("v", initializer=3.0)
        doubled = tf.multiply(x, 2.0, name="doubled")
        tf.multiply(doubled, v, name="product")

    wrapped = v1.wrap_function(graph, [])
    inner = wrapped.graph
    first = wrapped.prune(inner.get_tensor_by_name("x:0"), inner.get_tensor_by_name("doubled:0"))
    last = wrapped.prune("x:0", "product:0")
    middle = wrapped.prune("doubled:0", {"out": "product:0"})
    print(first(tf.constant(4.0)).numpy(), last(tf.constant(4.0)).numpy())
    print(middle(tf.constant(1.0))["out"].numpy())
    inner.variables[0].assign(10.0)
    print(last(tf.constant(1.0)).numpy())


def a_frozen_graph_is_wrapped(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        tf.nn.relu(x @ tf.constant([[1.0], [-1.0]]), name="y")
    definition = graph.as_graph_def()

    def imported():
        v1.import_graph_def(definition, name="")

    wrapped = v1.wrap_function(imported, [])
    f = wrapped.prune(
        tf.nest.map_structure(wrapped.graph.as_graph_element, "x:0"),
        tf.nest.map_structure(wrapped.graph.as_graph_element, "y:0"),
    )
    x = tf.constant([[3.0, 1.0], [0.0, 2.0]])
    print(f(x).numpy())
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    print(tape.gradient(y, x).numpy())


def a_module_keeps_old_variables(tf):
    v1 = tf.compat.v1

    class Wrapped(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([[2.0]], name="dense/kernel")

        @tf.function(input_signature=[tf.TensorSpec([None, 1], tf.float32)])
        def __call__(self, x):
            return x @ self.w

    with tempfile.TemporaryDirectory() as folder:
        with tf.Graph().as_default(), v1.Session() as session:
            with v1.variable_scope("dense"):
                kernel = v1.get_variable("kernel", [1, 1], initializer=v1.ones_initializer())
            session.run(v1.global_variables_initializer())
            session.run(kernel.assign([[7.0]]))
            path = v1.train.Saver().save(session, os.path.join(folder, "old"))
        module = Wrapped()
        v1.train.Saver(module.variables).restore(None, path)
        saved = os.path.join(folder, "saved")
        tf.saved_model.save(module, saved)
        print(np.asarray(tf.saved_model.load(saved)(tf.constant([[2.0]]))))
