"""Programs for TensorFlow 1, which use its names alone."""

import os
import tempfile


def graph_of(v1):
    return v1.Graph().as_default()


def linear_regression(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        x = v1.placeholder(v1.float32, [None], name="x")
        y = v1.placeholder(v1.float32, [None], name="y")
        w = v1.Variable(0.5, name="w")
        b = v1.Variable(v1.zeros([]), name="b")
        loss = v1.reduce_mean(v1.square(w * x + b - y))
        train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        session.run(v1.global_variables_initializer())
        for _ in range(20):
            _, now = session.run([train, loss], {x: [1.0, 2.0, 3.0], y: [3.0, 5.0, 7.0]})
        print(now, session.run([w, b]))
        print([v.name for v in v1.trainable_variables()])


def softmax_classifier(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        x = v1.placeholder("float", [None, 3])
        labels = v1.placeholder(v1.int64, [None])
        w = v1.get_variable("w", [3, 2], initializer=v1.constant_initializer(0.1))
        logits = v1.matmul(x, w)
        loss = v1.losses.sparse_softmax_cross_entropy(labels, logits)
        right = v1.equal(v1.argmax(logits, 1), labels)
        accuracy = v1.reduce_mean(v1.cast(right, "float"))
        step = v1.train.AdamOptimizer(0.05).minimize(loss)
        session.run(v1.global_variables_initializer())
        feed = {x: [[1, 0, 2], [0, 1, 0], [3, 1, 1]], labels: [0, 1, 0]}
        for _ in range(10):
            session.run(step, feed)
        print(session.run([loss, accuracy], feed), v1.losses.get_total_loss().shape)


def fully_connected_layers_with_scopes(tf):
    v1 = tf.compat.v1

    def dense(x, units, name):
        with v1.variable_scope(name, reuse=v1.AUTO_REUSE):
            n = int(x.get_shape()[-1])
            w = v1.get_variable("kernel", [n, units], initializer=v1.ones_initializer())
            b = v1.get_variable("bias", [units], initializer=v1.zeros_initializer())
            return v1.nn.relu(v1.nn.bias_add(v1.matmul(x, w), b))

    with graph_of(v1), v1.Session() as session:
        x = v1.placeholder(v1.float32, [None, 4])
        y = dense(dense(x, 3, "one"), 2, "two")
        z = dense(x, 3, "one")
        session.run(v1.global_variables_initializer())
        print(session.run([y, z], {x: [[1.0, 2.0, 3.0, 4.0]]}))
        print([v.op.name for v in v1.global_variables()])


def convolution(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        x = v1.placeholder(v1.float32, [None, 4, 4, 1])
        k = v1.get_variable("k", [2, 2, 1, 2], initializer=v1.constant_initializer(0.5))
        y = v1.nn.conv2d(x, k, [1, 1, 1, 1], "SAME")
        y = v1.nn.max_pool(y, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
        flat = v1.reshape(y, [-1, 8])
        g = v1.gradients(v1.reduce_sum(flat), [k, x])
        session.run(v1.global_variables_initializer())
        image = [[[[float(i + j)] for i in range(4)] for j in range(4)]]
        print(session.run([flat, *g], {x: image}))


def constants_and_shapes(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        a = v1.constant([[1, 2], [3, 4]], v1.float32, name="a")
        b = v1.constant(7, shape=[2, 3])
        print(a.name, b.dtype, b.get_shape().as_list())
        print(session.run([v1.shape(a), v1.size(b, out_type=v1.int64), v1.rank(a)]))
        print(session.run([v1.zeros_like(a, v1.int32), v1.ones_like(b), v1.fill([2], 3)]))
        print(session.run(v1.transpose(a, [1, 0], "turned")), v1.transpose(a, name="t").name)
        print(session.run(v1.pad(a, [[0, 1], [1, 0]], "CONSTANT", "padded", 9)))
        try:
            v1.constant([1, 2], shape=[3], verify_shape=True)
        except TypeError as error:
            print(type(error).__name__)


def taking_elements(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        x = v1.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        print(session.run(v1.gather(x, [2, 0], axis=1)))
        print(session.run(v1.gather_nd(x, [[0, 1], [1, 2]])))
        print(session.run(v1.batch_gather(x, [[0], [2]])))
        print(session.run(v1.boolean_mask(x, [True, False])))
        print(session.run(v1.boolean_mask(x, [True, False, True], "columns", 1)))
        print(session.run(v1.setdiff1d([1, 2, 3, 4], [2, 4])))
        print(session.run(v1.where(x > 2.5)), session.run(v1.where(x > 2.5, x, -x)))
        print(session.run(v1.one_hot([0, 2], 3)), session.run(v1.unstack(x, axis=1)))


def reductions(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        x = v1.constant([[1.0, 0.0, 3.0], [0.0, 5.0, 6.0]])
        print(session.run(v1.reduce_sum(x, reduction_indices=[1], keep_dims=True)))
        print(session.run(v1.count_nonzero(x, axis=0)), session.run(v1.count_nonzero(x)))
        print(session.run([v1.arg_max(x, 1), v1.arg_min(x, 0), v1.argmax(x, dimension=1)]))
        print(session.run(v1.norm(x)), session.run(v1.norm(x, axis=1, keep_dims=True)))
        print(session.run(v1.math.reduce_max(x, 1)), session.run(v1.math.square(x[0])))
        print(session.run(v1.bincount([1, 1, 3])), session.run(v1.confusion_matrix([0, 1], [1, 1])))
        print(session.run(v1.nn.in_top_k(x, [2, 0], 1)))
        print(session.run(v1.floor_div([7, -7], [2, 2])), session.run(v1.scalar_mul(2.0, x)))


def mapping_and_folding(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        x = v1.placeholder(v1.float32, [None])
        feed = {x: [1.0, 2.0, 4.0]}
        print(session.run(v1.map_fn(lambda a: a * a, x), feed))
        print(session.run(v1.map_fn(lambda a: (a, a > 1.5), x, (v1.float32, v1.bool)), feed))
        print(session.run(v1.foldl(lambda a, b: a - b, x), feed))
        print(session.run(v1.foldr(lambda a, b: a - b, x), feed))
        print(session.run(v1.scan(lambda a, b: a * b, x), feed))
        y = v1.reduce_sum(v1.scan(lambda a, b: a * b, x))
        print(session.run(v1.gradients(y, x), feed))


def choices(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        x = v1.placeholder(v1.float32, [])
        y = v1.case(
            [(x < 0.0, lambda: -x), (x > 10.0, lambda: v1.constant(10.0))], default=lambda: x * x
        )
        g = v1.gradients(y, x)[0]
        for value in (-3.0, 4.0, 11.0):
            print(session.run([y, g], {x: value}))
        z = v1.cond(x > 1.0, true_fn=lambda: [x, x + 1.0], false_fn=lambda: [x, x - 1.0])
        print(session.run(z, {x: 2.0}), session.run(z, {x: 0.0}))


def loops(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        n = v1.placeholder(v1.int32, [])
        _, total = v1.while_loop(
            lambda i, s: i < n, lambda i, s: [i + 1, s * 1.5], [0, v1.constant(1.0)]
        )
        print(session.run(total, {n: 4}), session.run(total, {n: 0}))


def arrays_of_a_length_that_is_fed(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        x = v1.placeholder(v1.float32, [None])
        n = v1.shape(x)[0]
        array = v1.TensorArray(v1.float32, size=n)
        _, array = v1.while_loop(
            lambda i, a: i < n, lambda i, a: (i + 1, a.write(i, x[i] * 2.0)), (0, array)
        )
        y = array.stack()
        print(session.run(y, {x: [1.0, 2.0]}), session.run(y, {x: [1.0, 2.0, 3.0]}))


def printing(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        x = v1.placeholder(v1.float32, [None])
        y = v1.Print(x, [x, v1.shape(x)], "x is ", first_n=1) * 2.0
        print(session.run(y, {x: [1.0, 2.0]}), session.run(y, {x: [3.0]}))
        print(session.run(v1.gradients(y, x), {x: [1.0]}))


def checks(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        x = v1.placeholder(v1.float32, [None])
        with v1.control_dependencies([v1.assert_near(x, [1.0, 2.0], message="far")]):
            y = x + 1.0
        print(session.run(y, {x: [1.0, 2.0]}))
        try:
            session.run(y, {x: [1.0, 3.0]})
        except v1.errors.InvalidArgumentError as error:
            print("far" in str(error))
        z = v1.verify_tensor_all_finite(x, "not finite")
        try:
            session.run(z, {x: [float("inf")]})
        except v1.errors.InvalidArgumentError as error:
            print("not finite" in str(error))
        v1.assert_rank(x, 1)
        v1.assert_type(x, v1.float32)
        try:
            v1.assert_rank(x, 2)
        except ValueError as error:
            print(type(error).__name__)
        try:
            v1.assert_integer(x)
        except TypeError as error:
            print(type(error).__name__)


def finite_everywhere(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        x = v1.placeholder(v1.float32, [None])
        y = v1.log(x) * 2.0
        check = v1.add_check_numerics_ops()
        print(session.run([y, check], {x: [1.0]}))
        try:
            session.run([y, check], {x: [0.0]})
        except v1.errors.InvalidArgumentError as error:
            print("Inf" in str(error))


def weighted_losses(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        a = v1.constant([[1.0, 2.0], [3.0, 5.0]])
        b = v1.constant([[1.5, 2.0], [1.0, 4.0]])
        kinds = v1.losses.Reduction
        print(session.run(v1.losses.mean_squared_error(a, b)))
        print(session.run(v1.losses.mean_squared_error(a, b, [[1.0], [0.0]])))
        print(session.run(v1.losses.absolute_difference(a, b, 2.0, reduction=kinds.SUM)))
        print(session.run(v1.losses.huber_loss(a, b, 1.0, 1.0, None, None, kinds.NONE)))
        print(session.run(v1.losses.hinge_loss([[0.0, 1.0]], [[0.3, 0.4]])))
        print(session.run(v1.losses.log_loss([[0.0, 1.0]], [[0.3, 0.4]])))
        print(session.run(v1.losses.cosine_distance([[0.0, 1.0]], [[0.6, 0.8]], axis=1)))
        print(session.run(v1.losses.sigmoid_cross_entropy([[0, 1]], [[0.3, 0.4]], 1.0, 0.1)))
        print(session.run(v1.losses.softmax_cross_entropy([[0, 1]], [[0.3, 0.4]])))
        print(len(v1.losses.get_losses()), session.run(v1.losses.get_total_loss()))


def regularized_variables(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        half = lambda w: 0.5 * v1.reduce_sum(w * w)  # noqa: E731
        w = v1.get_variable("w", [2], initializer=v1.ones_initializer(), regularizer=half)
        loss = v1.losses.mean_squared_error([0.0, 2.0], w)
        session.run(v1.global_variables_initializer())
        print(session.run([loss, v1.losses.get_regularization_loss(), v1.losses.get_total_loss()]))


def streaming_metrics(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        labels = v1.placeholder(v1.int64, [None])
        guesses = v1.placeholder(v1.int64, [None])
        value, update = v1.metrics.accuracy(labels, guesses)
        mean, more = v1.metrics.mean(v1.cast(guesses, v1.float32), weights=[1.0, 3.0])
        precision, p = v1.metrics.precision(labels, guesses)
        recall, r = v1.metrics.recall(labels, guesses)
        rmse, e = v1.metrics.root_mean_squared_error(labels, guesses)
        session.run(v1.local_variables_initializer())
        print([x.op.name for x in v1.local_variables()])
        for a, b in (([1, 0], [1, 1]), ([0, 1], [0, 0])):
            print(session.run([update, more, p, r, e], {labels: a, guesses: b}))
        print(session.run([value, mean, precision, recall, rmse]))


def resized_images(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        x = v1.reshape(v1.range(16.0), [1, 4, 4, 1])
        print(session.run(v1.image.resize_bilinear(x, [2, 3]))[0, :, :, 0])
        print(session.run(v1.image.resize_nearest_neighbor(x, [2, 3]))[0, :, :, 0])
        print(session.run(v1.image.resize_images(x, [6, 6], align_corners=True))[0, :, 0].round(2))
        print(v1.image.resize_images(x[0], [2, 2]).shape)
        print(
            session.run(v1.extract_image_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1] * 4, "VALID"))
        )


def strings_of_bytes(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        words = v1.placeholder(v1.string, [None])
        found = v1.string_split(words, ",")
        print(session.run(found, {words: ["a,b", ",c,,d"]}))
        print(session.run(v1.string_to_number(["1.5", "2"])))
        print(session.run(v1.substr(["hello"], 1, 3)), session.run(v1.strings.length(["abc"])))
        print(session.run(v1.reduce_join([["a", "b"], ["c", "d"]], 1, separator="-")))
        print(session.run(v1.decode_raw(b"\x01\x00\x02\x00", v1.int16)))
        print(session.run(v1.decode_csv(["1,x", "2,"], [[0], ["none"]])))


def devices_and_scopes(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        with v1.device("/cpu:0"), v1.name_scope("layer"):
            a = v1.constant(1.0, name="a")
        with v1.device(lambda op: "/cpu:0"), v1.colocate_with(a.op):
            b = a + 1.0
        print(a.name, session.run(b))


def saving_and_restoring(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        with graph_of(v1), v1.Session() as session:
            v1.get_variable("v", initializer=v1.constant([1.0, 2.0]))
            session.run(v1.global_variables_initializer())
            print(os.path.basename(v1.train.Saver().save(session, path, global_step=3)))
        with graph_of(v1), v1.Session() as session:
            v = v1.get_variable("v", [2])
            v1.train.Saver().restore(session, v1.train.latest_checkpoint(folder))
            print(session.run(v), v1.gfile.Exists(f"{path}-3.index"))
            print(sorted(v1.gfile.ListDirectory(folder)))


def graphs_as_messages(tf):
    v1 = tf.compat.v1
    with graph_of(v1) as graph:
        x = v1.placeholder(v1.float32, [2], name="x")
        v1.add(x, 1.0, name="y")
        message = graph.as_graph_def()
    with graph_of(v1), v1.Session() as session:
        (y,) = v1.import_graph_def(message, {"x": v1.constant([1.0, 2.0])}, ["y:0"], name="again")
        print(y.name, session.run(y))


def frozen_variables(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        x = v1.placeholder(v1.float32, [None], name="x")
        w = v1.get_variable("w", initializer=3.0)
        v1.multiply(x, w, name="y")
        session.run(v1.global_variables_initializer())
        frozen = v1.graph_util.convert_variables_to_constants(
            session, session.graph.as_graph_def(), ["y"]
        )
    with graph_of(v1), v1.Session() as session:
        v1.import_graph_def(frozen, name="")
        print(session.run("y:0", {"x:0": [1.0, 2.0]}))


def exponential_averages(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        v = v1.Variable(10.0, name="v")
        averages = v1.train.ExponentialMovingAverage(0.9)
        keep = averages.apply([v])
        session.run(v1.global_variables_initializer())
        session.run(v.assign(20.0))
        session.run(keep)
        print(session.run(averages.average(v)), averages.average_name(v))


def decaying_rates(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        step = v1.train.get_or_create_global_step()
        rate = v1.train.exponential_decay(0.1, step, 2, 0.5, staircase=True)
        v = v1.Variable(1.0)
        optimizer = v1.train.MomentumOptimizer(rate, 0.9)
        pairs = optimizer.compute_gradients(v * v)
        train = optimizer.apply_gradients(pairs, global_step=step)
        session.run(v1.global_variables_initializer())
        for _ in range(4):
            session.run(train)
        print(session.run([step, rate, v]))


def clipped_gradients(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        v = v1.Variable([3.0, 4.0])
        w = v1.Variable(1.0)
        gradients = v1.gradients(v1.reduce_sum(v * v) * w, [v, w])
        clipped, norm = v1.clip_by_global_norm(gradients, 1.0)
        session.run(v1.global_variables_initializer())
        print(session.run([clipped, norm, v1.clip_by_norm(gradients[0], 2.0)]))


def embeddings(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        table = v1.get_variable("e", [4, 2], initializer=v1.constant_initializer(list(range(8))))
        ids = v1.placeholder(v1.int32, [None])
        rows = v1.nn.embedding_lookup(table, ids)
        step = v1.train.AdagradOptimizer(0.5).minimize(v1.reduce_sum(rows * rows))
        session.run(v1.global_variables_initializer())
        session.run(step, {ids: [1, 3, 1]})
        print(session.run(table), type(v1.gradients(rows, table)[0]).__name__)


def sparse_placeholders(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        x = v1.sparse_placeholder(v1.float32, [None, 3])
        y = v1.sparse_tensor_dense_matmul(x, v1.constant([[1.0], [2.0], [3.0]]))
        total = v1.sparse_reduce_sum(x, 1)
        value = v1.SparseTensorValue([[0, 1], [1, 2]], [2.0, 3.0], [2, 3])
        print(session.run([y, total, v1.sparse_tensor_to_dense(x)], {x: value}))


def python_functions(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        x = v1.placeholder(v1.float32, [None])
        y = v1.py_func(lambda a: a[::-1] * 2, [x], v1.float32)
        print(session.run(y, {x: [1.0, 2.0]}), y.shape)


def partial_runs_of_a_graph(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        v = v1.get_variable("v", initializer=1)
        more = v1.assign_add(v, 2)
        less = v.assign_sub(1)
        session.run(v.initializer)
        print(session.run({"a": [more], "b": ()}), session.run(v))
        print(session.run([less, v1.no_op()]), v.eval(session))


def interactive_sessions(tf):
    v1 = tf.compat.v1
    with graph_of(v1):
        session = v1.InteractiveSession()
        x = v1.constant([1.0, 2.0])
        print((x + 1.0).eval(), v1.get_default_session() is session)
        session.close()


def summaries(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        x = v1.placeholder(v1.float32, [])
        v1.summary.scalar("loss", x)
        merged = v1.summary.merge_all()
        message = v1.Summary.FromString(session.run(merged, {x: 2.5}))
        print([(value.tag, value.simple_value) for value in message.value])


def templates(tf):
    v1 = tf.compat.v1

    def scaled(x):
        return x * v1.get_variable("s", initializer=2.0)

    with graph_of(v1), v1.Session() as session:
        scale = v1.make_template("scale", scaled)
        a, b = scale(v1.constant(1.0)), scale(v1.constant(3.0))
        session.run(v1.global_variables_initializer())
        print(session.run([a, b]), [v.name for v in v1.global_variables()])


def groups_and_tuples(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        v = v1.get_variable("v", initializer=1.0)
        a, b = v1.tuple([v.assign(5.0), v1.constant(2.0)])
        both = v1.group(v1.assign(v, 7.0), v1.no_op())
        session.run(v.initializer)
        print(session.run(b), session.run(v), session.run(both), session.run(v))
        print(session.run(a))


def random_numbers_with_seeds(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        v1.set_random_seed(1)
        x = v1.random_uniform([3], 2.0, 3.0)
        y = v1.random.multinomial(v1.log([[0.0, 1.0]]), 4)
        a, b = session.run([x, y])
        print(a.shape, bool((a >= 2.0).all()), b, session.run(v1.random_poisson([2.0], [3])).shape)


def tables_of_words(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        table = v1.lookup.StaticHashTable(
            v1.lookup.KeyValueTensorInitializer(["a", "b"], v1.constant([1, 2], v1.int64)), -1
        )
        x = v1.placeholder(v1.string, [None])
        y = table.lookup(x)
        session.run(v1.tables_initializer())
        print(session.run(y, {x: ["b", "c"]}))


def variables_are_counted(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        v1.get_variable("a", initializer=1.0)
        v1.get_variable("b", initializer=2.0, trainable=False)
        v1.get_variable("c", initializer=2.0, collections=[v1.GraphKeys.LOCAL_VARIABLES])
        print(len(v1.trainable_variables()), len(v1.global_variables()), len(v1.local_variables()))
        missing = v1.report_uninitialized_variables()
        print(session.run(missing))
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        print(session.run(missing))


def hooks_by_hand(tf):
    v1 = tf.compat.v1
    with graph_of(v1) as graph, v1.Session() as session:
        x = v1.placeholder(v1.float32, [2, 2], name="inputs")
        y = v1.matrix_inverse(x, name="inverse")
        print([op.type for op in graph.get_operations()], y.op.inputs[0].name)
        print(graph.get_tensor_by_name("inverse:0").name, y.consumers())
        print(session.run("inverse:0", {"inputs:0": [[2.0, 0.0], [0.0, 4.0]]}))


def datasets_once(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        numbers = v1.data.Dataset.range(3).map(lambda x: x * x).batch(2)
        x = v1.data.make_one_shot_iterator(numbers).get_next()
        print(session.run(x), session.run(x))
        try:
            session.run(x)
        except v1.errors.OutOfRangeError as error:
            print(type(error).__name__)


def datasets_initialized_again(tf):
    v1 = tf.compat.v1
    with graph_of(v1), v1.Session() as session:
        n = v1.placeholder(v1.int64, [])
        iterator = v1.data.make_initializable_iterator(v1.data.Dataset.range(n))
        x = iterator.get_next() + 10
        for length in (2, 3):
            session.run(iterator.initializer, {n: length})
            found = []
            while True:
                try:
                    found.append(int(session.run(x)))
                except v1.errors.OutOfRangeError:
                    break
            print(found)
