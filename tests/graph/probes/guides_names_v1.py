"""The names of `tf.compat.v1` that TensorFlow's guides use, one small program for each few of them."""

import os
import tempfile

import numpy as np


def _run(tf, build, feed=None):
    """Builds values in a graph of their own, and prints them as a session computes them."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        fetched = build()
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        session.run(v1.tables_initializer())
        for value in session.run(fetched, feed):
            print(value if np.ndim(value) == 0 else np.asarray(value).tolist())


def switches_of_behavior(tf):
    v1 = tf.compat.v1
    print(v1.executing_eagerly(), v1.executing_eagerly_outside_functions())
    print(v1.control_flow_v2_enabled(), v1.resource_variables_enabled())
    v1.enable_control_flow_v2()
    v1.enable_resource_variables()
    v1.enable_v2_tensorshape()
    v1.enable_tensor_equality()
    print(v1.control_flow_v2_enabled(), v1.resource_variables_enabled())
    print(tf.constant(2) == tf.constant(2))


def configurations(tf):
    v1 = tf.compat.v1
    gpu = v1.GPUOptions(per_process_gpu_memory_fraction=0.5, allow_growth=True)
    config = v1.ConfigProto(gpu_options=gpu, inter_op_parallelism_threads=2)
    optimizer = v1.OptimizerOptions(global_jit_level=v1.OptimizerOptions.ON_1)
    config.graph_options.CopyFrom(v1.GraphOptions(optimizer_options=optimizer))
    print(config)
    options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE, timeout_in_ms=5000)
    print(options)


def training_by_an_optimizer(tf):
    v1 = tf.compat.v1
    for make in (
        lambda: v1.train.AdagradOptimizer(0.05),
        lambda: v1.train.AdamOptimizer(0.05),
        lambda: v1.train.GradientDescentOptimizer(0.05),
        lambda: v1.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True),
        lambda: v1.train.RMSPropOptimizer(0.05),
        lambda: v1.train.FtrlOptimizer(0.05),
        lambda: v1.train.AdadeltaOptimizer(0.05),
    ):
        with tf.Graph().as_default(), v1.Session() as session:
            w = v1.get_variable("w", initializer=[1.0, -2.0])
            loss = v1.losses.mean_squared_error([[0.5, 0.5]], w[tf.newaxis])
            step = v1.train.get_or_create_global_step()
            optimizer = make()
            train = optimizer.minimize(loss, global_step=v1.train.get_global_step())
            session.run(v1.global_variables_initializer())
            for _ in range(3):
                session.run(train)
            print(optimizer.get_name(), session.run([w, step, loss]))


def rates_that_decay(tf):
    v1 = tf.compat.v1

    def build():
        step = tf.constant(7)
        return [
            v1.train.exponential_decay(0.1, step, 5, 0.9),
            v1.train.exponential_decay(0.1, step, 5, 0.9, staircase=True),
            v1.train.piecewise_constant(step, [5, 10], [1.0, 0.5, 0.1]),
            v1.train.polynomial_decay(0.1, step, 10, 0.01),
            v1.train.inverse_time_decay(0.1, step, 5, 0.5),
            v1.train.natural_exp_decay(0.1, step, 5, 0.5),
            v1.train.cosine_decay(0.1, step, 10),
            v1.train.cosine_decay_restarts(0.1, step, 5),
            v1.train.linear_cosine_decay(0.1, step, 10),
            v1.train.noisy_linear_cosine_decay(0.1, step, 10, initial_variance=0.0),
        ]

    _run(tf, build)
    print(v1.train.exponential_decay(0.1, 7, 5, 0.9)().numpy())


def losses_in_eager_mode(tf):
    v1 = tf.compat.v1
    print(v1.losses.mean_squared_error([1.0, 2.0], [2.0, 4.0]))
    print(v1.losses.sigmoid_cross_entropy([[1.0, 0.0]], [[0.5, 0.5]]).numpy())
    print(v1.losses.compute_weighted_loss([1.0, 2.0], reduction=v1.losses.Reduction.SUM).numpy())


def hooks_of_a_monitored_session(tf):
    v1 = tf.compat.v1

    class Counts(v1.train.SessionRunHook):
        def begin(self):
            self.seen = []

        def before_run(self, run_context):
            return v1.train.SessionRunArgs(v1.train.get_global_step())

        def after_run(self, run_context, run_values):
            self.seen.append(int(run_values.results))
            if len(self.seen) == 4:
                run_context.request_stop()

        def end(self, session):
            print("end", self.seen)

    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
        step = v1.train.get_or_create_global_step()
        more = v1.assign_add(step, 1)
        hooks = [
            Counts(),
            v1.train.StopAtStepHook(last_step=6),
            v1.train.NanTensorHook(tf.constant(1.0)),
            v1.train.CheckpointSaverHook(folder, save_steps=2),
        ]
        with v1.train.MonitoredTrainingSession(hooks=hooks) as session:
            while not session.should_stop():
                session.run(more)
        print(os.path.basename(tf.train.latest_checkpoint(folder)))


def saved_and_restored(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder:
        with tf.Graph().as_default(), v1.Session() as session:
            v = v1.get_variable("v", initializer=[1.0, 2.0])
            session.run(v1.global_variables_initializer())
            path = v1.train.Saver().save(session, os.path.join(folder, "m"), global_step=3)
        reader = v1.train.NewCheckpointReader(path)
        print(reader.get_variable_to_shape_map(), reader.get_tensor("v"))
        print(tf.train.list_variables(path), v1.train.checkpoint_exists(path))
        with tf.Graph().as_default(), v1.Session() as session:
            w = v1.get_variable("scope/w", [2])
            v1.train.init_from_checkpoint(folder, {"v": w})
            session.run(v1.global_variables_initializer())
            print(session.run(w))
        with tf.Graph().as_default(), v1.Session() as session:
            saver = v1.train.import_meta_graph(path + ".meta")
            saver.restore(session, path)
            print(session.run(v1.global_variables()))


def a_saved_model_by_a_builder(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder:
        where = os.path.join(folder, "built")
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None], name="x")
            v = v1.get_variable("v", initializer=3.0)
            y = tf.multiply(x, v, name="y")
            session.run(v1.global_variables_initializer())
            signature = v1.saved_model.build_signature_def(
                inputs={"x": v1.saved_model.build_tensor_info(x)},
                outputs={"y": v1.saved_model.build_tensor_info(y)},
                method_name=v1.saved_model.signature_constants.PREDICT_METHOD_NAME,
            )
            print(v1.saved_model.is_valid_signature(signature), signature.method_name)
            builder = v1.saved_model.Builder(where)
            builder.add_meta_graph_and_variables(
                session,
                [v1.saved_model.tag_constants.SERVING],
                {v1.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
            )
            builder.save()
        print(v1.saved_model.contains_saved_model(where))
        loaded = tf.saved_model.load(where)
        print(loaded.signatures["serving_default"](x=tf.constant([1.0, 2.0]))["y"].numpy())
        with tf.Graph().as_default(), v1.Session() as session:
            meta = v1.saved_model.load(session, ["serve"], where)
            print(sorted(meta.signature_def), session.run("y:0", {"x:0": [4.0]}))


def functions_with_other_arguments(tf):
    v1 = tf.compat.v1

    def build():
        x = tf.constant([[1.0, -2.0], [3.0, 4.0]])
        return [
            v1.reduce_sum(x, reduction_indices=1, keep_dims=True),
            v1.argmax(x, dimension=1),
            v1.where(x > 0),
            v1.where(x > 0, x, -x),
            v1.to_float(tf.constant([1, 2])),
            v1.to_int32(x),
            v1.div(tf.constant(7), 2),
            v1.expand_dims(x, dim=0),
            v1.squeeze(x[tf.newaxis], squeeze_dims=[0]),
            v1.norm(x, axis=0, keep_dims=True),
            v1.nn.softmax_cross_entropy_with_logits(labels=[[0.0, 1.0]], logits=x[:1]),
            v1.nn.softmax_cross_entropy_with_logits_v2([[0.0, 1.0]], x[:1]),
            v1.nn.softmax(x, dim=0),
            v1.nn.dropout(x, keep_prob=1.0),
            v1.nn.moments(x, [0], keep_dims=True)[1],
            v1.nn.l2_normalize(x, dim=1),
            v1.count_nonzero(x, axis=0),
            v1.sparse_to_dense([[0, 1]], [1, 3], 5),
            v1.log(tf.abs(x)),
            v1.sqrt(tf.abs(x)),
            v1.concat([x, x], 1),
            v1.batch_to_space(tf.ones([4, 1, 1, 1]), [[0, 0], [0, 0]], 2),
            v1.space_to_batch(tf.ones([1, 2, 2, 1]), [[0, 0], [0, 0]], 2),
            v1.matrix_band_part(x, 0, -1),
            v1.matrix_transpose(x),
            v1.matmul(x, x, transpose_a=True),
            v1.strings.substr("hello", 1, 3),
            v1.string_to_hash_bucket_fast(["a"], 10),
            v1.image.resize_bilinear(tf.ones([1, 2, 2, 1]), [1, 1]),
            v1.py_func(lambda a: a + 1, [x], tf.float32),
        ]

    _run(tf, build)


def variables_of_graphs(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.Variable([1.0, 2.0, 3.0], name="v")
        with v1.variable_scope("a") as scope, v1.name_scope("b"):
            w = v1.get_variable("w", [2, 2], initializer=v1.constant_initializer(3.0))
            u = v1.get_local_variable("u", initializer=1)
            print(w.name, u.name, (w + 1.0).name, scope.name, v1.get_variable_scope().name)
        print([x.name for x in v1.model_variables()], [x.name for x in v1.all_variables()])
        print(session.run(v1.report_uninitialized_variables()))
        session.run(v1.variables_initializer([v, w]))
        session.run(v1.initialize_local_variables())
        print(session.run(v1.is_variable_initialized(v)), session.run(u))
        print(session.run(v1.assign(v, [4.0, 5.0, 6.0])), session.run(v1.assign_sub(v, [1.0] * 3)))
        print(session.run(v1.scatter_add(v, [0], [10.0])))
        print(session.run(v1.scatter_nd_update(v, [[1]], [0.0])))
        v1.add_to_collection("mine", v)
        print(len(v1.get_collection_ref("mine")), v1.get_collection("mine", scope="v") == [v])


def flags_logging_and_files(tf):
    v1 = tf.compat.v1
    print(v1.logging.INFO, v1.logging.WARN, v1.logging.get_verbosity() in range(60))
    before = v1.logging.get_verbosity()
    v1.logging.set_verbosity(v1.logging.ERROR)
    print(v1.logging.get_verbosity())
    v1.logging.set_verbosity(before)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "f.txt")
        with v1.gfile.GFile(path, "w") as file:
            file.write("one\ntwo\n")
        with v1.gfile.Open(path) as file:
            print(file.readlines())
        print(v1.gfile.Exists(path), v1.gfile.ListDirectory(folder), v1.gfile.Stat(path).length)
        v1.gfile.MakeDirs(os.path.join(folder, "a", "b"))
        print(sorted(os.path.basename(p) for p in v1.gfile.Glob(os.path.join(folder, "*"))))
        print(v1.gfile.IsDirectory(os.path.join(folder, "a")))
        v1.gfile.DeleteRecursively(os.path.join(folder, "a"))
        print(v1.gfile.ListDirectory(folder))
    print(hasattr(v1.app, "run"), callable(v1.flags.DEFINE_string))


def loops_and_conditions(tf):
    v1 = tf.compat.v1

    def build():
        x = tf.constant(3.0)
        total = v1.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + x), [0, 0.0])
        with v1.control_dependencies([v1.assert_equal(x, 3.0)]):
            y = v1.identity(x)
        z = v1.Print(x, [x], message="x is ")
        return [
            *total,
            v1.cond(x > 2.0, lambda: x * 2.0, lambda: x),
            v1.case([(x > 5.0, lambda: x)], default=lambda: -x),
            y,
            z,
            v1.scan(lambda a, b: a + b, tf.constant([1, 2, 3])),
            v1.foldl(lambda a, b: a * b, tf.constant([1, 2, 3])),
            v1.map_fn(lambda a: a * 2, tf.constant([1, 2, 3])),
            *v1.gradients(x * x, [x]),
            *v1.tuple([x, y]),
        ]

    _run(tf, build)


def tensors_are_equal_by_identity(tf):
    v1 = tf.compat.v1
    v1.disable_tensor_equality()
    a, b = tf.constant(1.0), tf.constant(1.0)
    print(a == b, a == a, a != b, len({a, b, a}))
    v1.enable_tensor_equality()
    print((a == b).numpy())


def shapes_consist_of_dimensions(tf):
    v1 = tf.compat.v1
    v1.disable_v2_tensorshape()
    try:
        shape = tf.TensorShape([16, None, 256])
        print(type(shape[0]).__name__, shape[0].value, shape[0] + 4)
        print(v1.dimension_value(shape[2]), v1.dimension_at_index(shape, 0))
        print(shape[1].value, shape[1] + 4, [d.value for d in shape], shape.num_elements())
    finally:
        v1.enable_v2_tensorshape()
    print(shape[0], shape[1], v1.dimension_value(shape[1]))


def a_dimension(tf, raises):
    d = tf.compat.v1.Dimension
    print(d(3) * d(None), d(3) + 2, d(7) // 2, d(3) == 3, d(3) == d(None), d(3) < 4)
    print(d(3).is_compatible_with(None), d(3).merge_with(d(None)), int(d(5)))
    raises(lambda: d(3).assert_is_compatible_with(4))
    raises(lambda: d(-1))


def versions_of_switches_in_the_program(tf):
    v1 = tf.compat.v1
    v1.disable_v2_behavior()
    print(v1.executing_eagerly(), tf.executing_eagerly())
    x = v1.placeholder(tf.float32, [])
    with v1.Session() as session:
        print(session.run(x * 2.0, {x: 4.0}))
    v1.enable_v2_behavior()
    print(v1.executing_eagerly())


def the_whole_of_a_session(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        v1.set_random_seed(1)
        x = v1.placeholder(tf.float32, [2, 2], name="x")
        with v1.variable_scope("model", reuse=v1.AUTO_REUSE):
            w = v1.get_variable("w", [2, 2], initializer=v1.initializers.ones)
            b = v1.get_variable("b", [2], initializer=v1.initializers.zeros)
        y = v1.nn.bias_add(tf.matmul(x, w), b)
        print([v.name for v in v1.global_variables()], y.shape)
        print([v.name for v in v1.trainable_variables()], len(v1.get_collection("variables")))
        print(v1.get_default_graph() is graph)
        config = v1.ConfigProto(allow_soft_placement=True, log_device_placement=False)
        config.gpu_options.allow_growth = True
        print(config.allow_soft_placement, config.gpu_options.allow_growth)
        with v1.Session(config=config) as session:
            session.run(v1.global_variables_initializer())
            print(session.run(y, {x: [[1, 2], [3, 4]]}).tolist())
            print(v1.get_default_session() is session)


def losses_and_metrics(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        labels, logits = tf.constant([1, 0, 2]), tf.constant(np.eye(3, dtype=np.float32))
        v1.losses.sparse_softmax_cross_entropy(labels, logits)
        v1.losses.softmax_cross_entropy(tf.one_hot(labels, 3), logits)
        v1.losses.absolute_difference([1.0, 2.0], [2.0, 4.0])
        v1.losses.huber_loss([1.0, 2.0], [2.0, 4.0])
        v1.losses.add_loss(tf.constant(0.25))
        v1.add_to_collection(v1.GraphKeys.REGULARIZATION_LOSSES, tf.constant(0.5))
        print([x.name for x in v1.losses.get_losses()])
        print(len(v1.losses.get_regularization_losses()))
        print(session.run([v1.losses.get_total_loss(), v1.losses.get_regularization_loss()]))
        accuracy, update = v1.metrics.accuracy(labels, tf.argmax(logits, axis=1))
        average, update_average = v1.metrics.mean([1.0, 4.0])
        session.run(v1.local_variables_initializer())
        print(session.run([update, update_average]), session.run([accuracy, average]))
        print([v.name for v in v1.local_variables()])


def metrics_in_eager_mode(tf, raises):
    raises(lambda: tf.compat.v1.metrics.accuracy([1], [1]), "eager")
    raises(lambda: tf.compat.v1.placeholder(tf.float32), "eager")
    raises(lambda: tf.compat.v1.train.string_input_producer(["a"]), "eager")


def a_simple_saved_model(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder:
        where = os.path.join(folder, "simple")
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None])
            y = x * v1.get_variable("v", initializer=3.0)
            session.run(v1.global_variables_initializer())
            v1.saved_model.simple_save(session, where, inputs={"x": x}, outputs={"y": y})
            info = v1.saved_model.utils.build_tensor_info(x)
            print(v1.saved_model.get_tensor_from_tensor_info(info).name == x.name)
            made = v1.saved_model.predict_signature_def({"x": x}, {"y": y})
            print(made.method_name, sorted(made.inputs), made.inputs["x"].dtype)
        print(sorted(os.listdir(where)), v1.saved_model.maybe_saved_model_directory(where))
        print(list(tf.saved_model.load(where).signatures))


def summaries(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder:
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [2])
            v1.summary.scalar("mean", tf.reduce_mean(x))
            v1.summary.histogram("all", x)
            v1.summary.tensor_summary("x", x)
            v1.summary.text("said", tf.constant("hello"))
            merged = v1.summary.merge_all()
            writer = v1.summary.FileWriter(folder, session.graph)
            for step in range(2):
                writer.add_summary(session.run(merged, {x: [step, 3.0]}), step)
            writer.close()
        (name,) = os.listdir(folder)
        for event in v1.train.summary_iterator(os.path.join(folder, name)):
            print(event.WhichOneof("what"), event.step, [v.tag for v in event.summary.value])


def data_sets_in_graphs(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.int64, [None])
        data = v1.data.Dataset.from_tensor_slices(x).map(lambda n: n * 2).batch(2)
        print(v1.data.get_output_types(data), v1.data.get_output_shapes(data))
        print(v1.data.get_output_classes(data) is tf.Tensor)
        iterator = v1.data.make_initializable_iterator(data)
        following = iterator.get_next()
        session.run(iterator.initializer, {x: [1, 2, 3]})
        print(session.run(following), session.run(following))
        try:
            session.run(following)
        except tf.errors.OutOfRangeError as error:
            print(type(error).__name__)
        print(session.run(v1.data.make_one_shot_iterator(v1.data.Dataset.range(3)).get_next()))


def functions_of_graphs(tf):
    v1 = tf.compat.v1

    def scaled(x):
        v = v1.get_variable("v", initializer=2.0)
        return {"y": x * v, "l": v1.losses.mean_squared_error([1.0], x)}

    wrapped = v1.wrap_function(scaled, [tf.TensorSpec([None], tf.float32)])
    print(wrapped(tf.constant([3.0]))["y"].numpy(), [v.name for v in wrapped.variables])
    pruned = wrapped.prune(feeds=wrapped.inputs[0], fetches=wrapped.structured_outputs["y"])
    print(pruned(tf.constant([5.0])).numpy())
    template = v1.make_template("t", lambda x: x + v1.get_variable("b", initializer=1.0))
    print(template(1.0).numpy(), template(2.0).numpy(), len(template.variables))


def graphs_are_imported(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [2], name="x")
        tf.nn.relu(x, name="y")
    message = graph.as_graph_def()
    text = v1.GraphDef.FromString(message.SerializeToString())
    with tf.Graph().as_default(), v1.Session() as session:
        (y,) = v1.import_graph_def(text, return_elements=["y:0"], name="in")
        print(y.name, session.run(y, {"in/x:0": [-1.0, 2.0]}))
        print([n.name for n in v1.graph_util.extract_sub_graph(message, ["y"]).node])


def initializers(tf):
    v1 = tf.compat.v1
    for name in (
        "glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "lecun_normal", "zeros",
        "ones", "random_normal", "random_uniform", "truncated_normal", "orthogonal", "identity",
        "variance_scaling", "uniform_unit_scaling",
    ):  # fmt: skip
        made = getattr(v1.initializers, name)()
        config = made.get_config()
        print(name, type(made).__name__, sorted(config), made([3, 3]).shape)
    print(v1.initializers.constant([1, 2])([2], dtype=tf.int32).numpy())
    print(v1.keras.initializers.Ones()([2]).numpy() if hasattr(v1, "keras") else "")


def random_numbers_have_shapes(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        v1.set_random_seed(3)
        for made in (
            v1.random_normal([2, 3]),
            v1.random_uniform([2], maxval=5, dtype=tf.int32),
            v1.truncated_normal([2]),
            v1.random_shuffle(tf.range(4)),
            v1.multinomial([[0.0, 1.0]], 3),
            v1.random_gamma([2], 1.0),
            v1.random_crop(tf.ones([4, 4]), [2, 2]),
        ):
            print(made.dtype.name, made.shape)
        print(v1.get_seed(5), v1.random.get_seed(None)[0])


def shapes_of_networks(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [2, 3, 4])
        print(v1.nn.conv2d(x[..., tf.newaxis], tf.ones([2, 2, 1, 5]), padding="SAME").shape)
        print(v1.nn.max_pool(x[..., tf.newaxis], [1, 2, 2, 1], [1, 2, 2, 1], "SAME").shape)
        print(v1.nn.embedding_lookup(tf.ones([5, 2]), [1, 2]).shape)
        mean, variance = v1.nn.moments(x, [0, 1])
        print(v1.nn.batch_normalization(x, mean, variance, None, None, 1e-3).shape)
