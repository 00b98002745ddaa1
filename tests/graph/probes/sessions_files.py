"""Graphs of TensorFlow 1: checkpoints, messages of graphs, summaries, metrics and names."""

import os
import tempfile

import numpy as np


def graph_of(api):
    return api.Graph().as_default()


def checkpoints_are_rotated(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder, graph_of(tf), v1.Session() as session:
        v = v1.get_variable("v", initializer=0)
        saver = v1.train.Saver(max_to_keep=2)
        session.run(v.initializer)
        for step in range(4):
            session.run(v.assign(step))
            saver.save(session, os.path.join(folder, "m"), global_step=step)
        print(sorted(os.listdir(folder)), [os.path.basename(p) for p in saver.last_checkpoints])
        state = v1.train.get_checkpoint_state(folder)
        print(os.path.basename(state.model_checkpoint_path), len(state.all_model_checkpoint_paths))
        saver.restore(session, os.path.join(folder, "m-2"))
        print(session.run(v))
        print(
            v1.train.checkpoint_exists(os.path.join(folder, "m-2")),
            v1.train.checkpoint_exists(os.path.join(folder, "m-0")),
        )
        v1.train.remove_checkpoint(os.path.join(folder, "m-2"))
        print(sorted(os.listdir(folder)))


def readers_of_checkpoints(tf, raises):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder, graph_of(tf), v1.Session() as session:
        v1.get_variable("a/w", initializer=[[1.0, 2.0]])
        v1.get_variable("b", initializer=np.int64(3))
        session.run(v1.global_variables_initializer())
        path = v1.train.Saver().save(
            session, os.path.join(folder, "m"), write_meta_graph=False, write_state=False
        )
        print(sorted(os.listdir(folder)))
        reader = v1.train.NewCheckpointReader(path)
        print(
            sorted(reader.get_variable_to_shape_map().items()),
            reader.has_tensor("b"),
            reader.get_tensor("a/w"),
        )
        print(sorted(reader.get_variable_to_dtype_map().items()))
        print(tf.train.list_variables(path), tf.train.load_variable(path, "b"))
        raises(lambda: reader.get_tensor("zzz"), "zzz")
        raises(lambda: v1.train.NewCheckpointReader(os.path.join(folder, "none")))


def restored_under_other_names(tf, raises):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m")
        with graph_of(tf), v1.Session() as session:
            a, b = v1.get_variable("a", initializer=1.0), v1.get_variable("b", initializer=2.0)
            session.run(v1.global_variables_initializer())
            v1.train.Saver({"x": a, "y": b}).save(session, path)
        with graph_of(tf), v1.Session() as session:
            c = v1.get_variable("c", initializer=0.0)
            v1.train.Saver({"y": c}).restore(session, path)
            print(session.run(c))
            raises(lambda: v1.train.Saver([c]).restore(session, path), "not found in checkpoint")
            raises(lambda: v1.train.Saver([c]).restore(session, path + "none"))
            raises(lambda: v1.train.Saver([]), "ariables")
            with v1.variable_scope("s"):
                e = v1.get_variable("x", [])
            v1.train.init_from_checkpoint(path, {"x": e})
            session.run(v1.global_variables_initializer())
            print(session.run(e))


def graphs_are_restored(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m")
        with graph_of(tf), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None, 2], name="x")
            w = v1.get_variable("w", initializer=[[1.0], [2.0]])
            y = tf.matmul(x, w, name="y")
            v1.add_to_collection("out", y)
            loss = tf.reduce_mean(y)
            train = v1.train.AdamOptimizer(0.1).minimize(loss, name="train")
            v1.add_to_collection("train_op", train)
            session.run(v1.global_variables_initializer())
            session.run(train, {x: [[1.0, 1.0]]})
            v1.train.Saver().save(session, path)
        with graph_of(tf) as graph, v1.Session() as session:
            saver = v1.train.import_meta_graph(path + ".meta")
            saver.restore(session, path)
            y = v1.get_collection("out")[0]
            print(y.name, session.run(y, {"x:0": [[1.0, 1.0]]}))
            session.run(v1.get_collection("train_op")[0], {"x:0": [[1.0, 1.0]]})
            print(
                session.run("y:0", {"x:0": [[1.0, 1.0]]}),
                [v.name for v in v1.trainable_variables()],
            )
            print(
                sorted(v.name for v in v1.global_variables()),
                graph.get_operation_by_name("train").type,
            )
            w = v1.trainable_variables()[0]
            print(session.run(tf.gradients(tf.reduce_sum(y), w), {"x:0": [[3.0, 4.0]]}))


def meta_graphs_as_messages(tf):
    v1 = tf.compat.v1
    with graph_of(tf):
        x = v1.placeholder(tf.float32, [], name="x")
        v = v1.get_variable("v", initializer=2.0)
        tf.multiply(x, v, name="y")
        meta = v1.train.export_meta_graph()
        print(sorted(meta.collection_def), meta.meta_info_def.tensorflow_version != "")
        print(
            [n.name for n in meta.graph_def.node if n.op in ("Placeholder", "VarHandleOp", "Mul")]
        )
    with graph_of(tf), v1.Session() as session:
        z = tf.constant(5.0)
        v1.train.import_meta_graph(meta, import_scope="again", input_map={"x:0": z})
        session.run(v1.global_variables_initializer())
        print(session.run("again/y:0"), [v.name for v in v1.global_variables()])


def graphs_are_imported_with_a_map(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf) as graph:
        x = v1.placeholder(tf.float32, [2], name="x")
        with tf.control_dependencies([tf.no_op(name="first")]):
            y = tf.multiply(x, 2.0, name="y")
        tf.split(y, 2, name="parts")
        message = graph.as_graph_def()
    print([(n.name, n.op, list(n.input)) for n in message.node])
    with graph_of(tf) as graph, v1.Session() as session:
        a = tf.constant([3.0, 4.0], name="a")
        found = tf.import_graph_def(message, {"x": a}, ["y:0", "parts:1", "first"], name="g")
        print([f.name for f in found], session.run(found))
        print(session.run(tf.gradients(found[0], a)))
        print([op.name for op in graph.get_operations()])
        print([op.name for op in graph.get_operation_by_name("g/y").control_inputs])
        raises(lambda: tf.import_graph_def(message, {"nothing": a}), "not found", "nothing")
        raises(lambda: tf.import_graph_def(message, return_elements=["zzz:0"]), "zzz")
        raises(lambda: tf.import_graph_def(message, {"x": tf.constant(["s", "t"])}), "type")
        raises(lambda: tf.import_graph_def("text"), "GraphDef")
        print(
            tf.import_graph_def(message, name="h"),
            tf.import_graph_def(message, return_elements=["x:0"], name="g")[0].name,
        )


def functions_in_messages(tf):
    v1 = tf.compat.v1

    @tf.function
    def cube(x):
        return x * x * x

    with graph_of(tf) as graph:
        x = v1.placeholder(tf.float32, [], name="x")
        y = v1.cond(x > 0.0, lambda: cube(x), lambda: x)
        z = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + y), [0, 0.0])[1]
        tf.identity(z, name="z")
        message = graph.as_graph_def()
    with graph_of(tf), v1.Session() as session:
        x, z = tf.import_graph_def(message, return_elements=["x:0", "z:0"], name="")
        print(session.run([z, tf.gradients(z, x)[0]], {x: 2.0}), session.run(z, {x: -2.0}))


def messages_of_concrete_functions(tf):
    v1 = tf.compat.v1

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
    def f(x):
        return {
            "out": tf.nn.softmax(tf.matmul(x, [[1.0, 0.0], [0.0, 2.0]])),
            "sum": tf.reduce_sum(x),
        }

    concrete = f.get_concrete_function()
    message = concrete.graph.as_graph_def()
    print(
        [
            (n.name, n.op)
            for n in message.node
            if n.op in ("Placeholder", "MatMul", "Softmax", "Sum")
        ]
    )
    outputs = concrete.structured_outputs
    print(sorted(outputs), [t.name for t in concrete.inputs], [t.shape for t in concrete.outputs])
    with graph_of(tf), v1.Session() as session:
        names = [t.name for t in concrete.outputs]
        found = tf.import_graph_def(message, return_elements=["x:0", *names], name="")
        print(session.run(found[1:], {found[0]: [[1.0, 2.0]]}))


def frozen_and_extracted(tf):
    v1 = tf.compat.v1
    with graph_of(tf) as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], name="x")
        w = v1.get_variable("w", initializer=3.0)
        y = tf.multiply(x, w, name="y")
        tf.add(y, 1.0, name="unused")
        session.run(v1.global_variables_initializer())
        message = graph.as_graph_def()
        part = v1.graph_util.extract_sub_graph(message, ["y"])
        print("unused" in [n.name for n in part.node], "y" in [n.name for n in part.node])
        frozen = v1.graph_util.convert_variables_to_constants(session, message, ["y"])
        print(sorted({n.op for n in frozen.node}))
    with graph_of(tf), v1.Session() as session:
        (y,) = tf.import_graph_def(frozen, return_elements=["y:0"])
        print(y.name, session.run(y, {"import/x:0": [1.0, 2.0]}))


def graphs_are_written(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder, graph_of(tf) as graph, v1.Session() as session:
        tf.constant(1.5, name="c")
        path = tf.io.write_graph(graph, folder, "g.pbtxt")
        tf.io.write_graph(session.graph_def, folder, "g.pb", as_text=False)
        print(os.path.basename(path), sorted(os.listdir(folder)))
        with v1.gfile.GFile(os.path.join(folder, "g.pb"), "rb") as file:
            message = v1.GraphDef()
            message.ParseFromString(file.read())
        print([n.name for n in message.node], 'op: "Const"' in open(path).read())


def saved_models_of_sessions(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        with graph_of(tf), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None], name="x")
            w = v1.get_variable("w", initializer=2.0)
            y = x * w
            session.run(v1.global_variables_initializer())
            v1.saved_model.simple_save(session, path, {"x": x}, {"y": y})
        with graph_of(tf), v1.Session() as session:
            meta = v1.saved_model.load(session, ["serve"], path)
            signature = meta.signature_def["serving_default"]
            feed = {signature.inputs["x"].name: [1.0, 2.0]}
            print(session.run(signature.outputs["y"].name, feed), signature.method_name)
        loaded = tf.saved_model.load(path)
        print(loaded.signatures["serving_default"](x=tf.constant([3.0]))["y"].numpy())
        print(tf.saved_model.contains_saved_model(path))


def summaries_are_merged(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder, graph_of(tf) as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [], name="x")
        with tf.name_scope("train"):
            s = v1.summary.scalar("loss", x)
            h = v1.summary.histogram("h", tf.stack([x, x + 1.0]))
        v1.summary.image("picture", tf.zeros([1, 2, 2, 1]), collections=["other"])
        v1.summary.text("words", tf.constant("hello"), collections=["other"])
        merged = v1.summary.merge_all()
        both = v1.summary.merge([s, h])
        message = v1.Summary()
        message.ParseFromString(session.run(merged, {x: 2.0}))
        print([v.tag for v in message.value], message.value[0].simple_value)
        print(s.name, h.name, merged.name, both.dtype, v1.summary.merge_all("none"))
        other = v1.Summary.FromString(session.run(v1.summary.merge_all("other")))
        print([v.tag for v in other.value], other.value[0].image.width)
        with v1.summary.FileWriter(folder, graph) as writer:
            for step in range(2):
                writer.add_summary(session.run(merged, {x: float(step)}), step)
            writer.add_summary(
                v1.Summary(value=[v1.Summary.Value(tag="mine", simple_value=4.0)]), 7
            )
        (name,) = os.listdir(folder)
        events = list(v1.train.summary_iterator(os.path.join(folder, name)))
        print([(e.step, [v.tag for v in e.summary.value]) for e in events if e.HasField("summary")])


def streaming_metrics_of_all_kinds(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        labels = v1.placeholder(tf.int64, [None])
        scores = v1.placeholder(tf.float32, [None])
        guess = tf.cast(scores > 0.5, tf.int64)
        made = {
            "accuracy": v1.metrics.accuracy(labels, guess),
            "precision": v1.metrics.precision(labels, guess),
            "recall": v1.metrics.recall(labels, guess),
            "auc": v1.metrics.auc(labels, scores),
            "mean": v1.metrics.mean(scores),
            "error": v1.metrics.mean_absolute_error(tf.cast(labels, tf.float32), scores),
            "root": v1.metrics.root_mean_squared_error(tf.cast(labels, tf.float32), scores),
            "iou": v1.metrics.mean_iou(labels, guess, 2),
            "classes": v1.metrics.mean_per_class_accuracy(labels, guess, 2),
            "positives": v1.metrics.true_positives(labels, guess),
            "below": v1.metrics.percentage_below(scores, 0.5),
            "relative": v1.metrics.mean_relative_error(
                tf.cast(labels, tf.float32), scores, tf.ones_like(scores)
            ),
            "at": v1.metrics.recall_at_thresholds(tf.cast(labels, tf.bool), scores, [0.3, 0.7]),
        }
        session.run(v1.local_variables_initializer())
        updates = [update for _, update in made.values()]
        session.run(updates, {labels: [1, 0, 1, 1], scores: [0.9, 0.2, 0.4, 0.8]})
        session.run(updates, {labels: [0, 0, 1], scores: [0.6, 0.1, 0.7]})
        for name, (value, _) in made.items():
            print(name, np.round(session.run(value), 4).tolist())
        print(len(v1.get_collection(v1.GraphKeys.METRIC_VARIABLES)) > 20)


def metrics_of_rankings(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        labels = tf.constant([[0], [2], [1]], tf.int64)
        scores = tf.constant([[0.6, 0.3, 0.1], [0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])
        made = [
            v1.metrics.recall_at_k(labels, scores, 2),
            v1.metrics.precision_at_k(labels, scores, 2),
            v1.metrics.average_precision_at_k(labels, scores, 2),
            v1.metrics.mean_cosine_distance(
                tf.math.l2_normalize(scores, 1), tf.math.l2_normalize(scores, 1), 1
            ),
        ]
        session.run(v1.local_variables_initializer())
        print(
            session.run([update for _, update in made]), session.run([value for value, _ in made])
        )


def losses_in_collections(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
        v1.losses.mean_squared_error(tf.zeros([2, 2]), x, weights=[[1.0], [0.0]])
        v1.losses.softmax_cross_entropy([[1.0, 0.0], [0.0, 1.0]], x, label_smoothing=0.1)
        v1.losses.sparse_softmax_cross_entropy([0, 1], x)
        v1.losses.sigmoid_cross_entropy([[1, 0], [0, 1]], x)
        v1.losses.huber_loss(tf.zeros([2, 2]), x, delta=2.0)
        v1.losses.hinge_loss([[1.0, 0.0], [0.0, 1.0]], x)
        v1.losses.absolute_difference(tf.zeros([2, 2]), x, reduction=v1.losses.Reduction.SUM)
        v1.losses.log_loss(tf.ones([2, 2]), x / 6.0)
        v1.losses.cosine_distance(x, x, axis=1)
        v1.losses.mean_pairwise_squared_error(tf.zeros([2, 2]), x)
        for loss in v1.losses.get_losses():
            print(loss.name, session.run(loss))
        print(session.run(v1.losses.get_total_loss()))


def more_functions_of_networks(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        w, b = tf.constant([[1.0, 0.0], [1.0, -1.0]]), tf.constant([0.5, 0.5])
        print(session.run(v1.nn.xw_plus_b(x, w, b)), session.run(v1.nn.relu_layer(x, w, b)))
        print(
            session.run(
                v1.nn.weighted_cross_entropy_with_logits(
                    targets=[1.0, 0.0], logits=[0.5, -0.5], pos_weight=2.0
                )
            )
        )
        print(session.run(v1.nn.sufficient_statistics(x, [0])[:3]))
        print(session.run(v1.clip_by_average_norm(x, 1.0)), session.run(v1.to_complex64(x))[0])
        image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        print(session.run(v1.nn.max_pool_with_argmax(image, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")))
        print(
            session.run(
                v1.nn.conv2d_transpose(image, tf.ones([2, 2, 1, 1]), [1, 8, 8, 1], [1, 2, 2, 1])
            ).sum()
        )
        print(session.run(v1.nn.pool(image, [2, 2], "AVG", "VALID", strides=[2, 2])).ravel())
        print(session.run(v1.nn.convolution(image, tf.ones([2, 2, 1, 1]), "VALID")).shape)
        print(session.run(v1.sparse_to_dense([1, 3], [5], [2.0, 3.0], -1.0)))
        ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 1, 1], tf.int64), [2, 2])
        print(session.run(v1.nn.embedding_lookup_sparse(x, ids, None, combiner="mean")))
