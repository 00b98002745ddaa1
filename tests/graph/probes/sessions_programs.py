"""Whole programs for TensorFlow 1: models that are trained, kept and used as such programs did it."""

import itertools
import os
import tempfile

import numpy as np


_numbers = itertools.count()  # a rule is registered once under each name


def graph_of(api):
    return api.Graph().as_default()


def _points(count, features=3):
    """Returns features and targets of a linear relation, the same each time."""
    x = np.sin(np.arange(count * features, dtype=np.float32)).reshape(count, features)
    return x, (x @ np.arange(1.0, features + 1.0, dtype=np.float32))[:, None] + 0.5


def _shown(values):
    """Returns arrays as nested lists, to be printed."""
    return [np.asarray(v, np.float64).tolist() for v in values]


def a_regression_fed_by_queues(tf):
    v1 = tf.compat.v1
    features, targets = _points(8)
    with graph_of(tf), v1.Session() as session:
        x, y = v1.train.slice_input_producer(
            [tf.constant(features), tf.constant(targets)], shuffle=False, num_epochs=3
        )
        rows, wanted = v1.train.batch([x, y], batch_size=4, num_threads=1, capacity=8)
        w = v1.Variable(tf.zeros([3, 1]), name="weights")
        b = v1.Variable(0.0, name="bias")
        loss = tf.reduce_mean(tf.square(tf.matmul(rows, w) + b - wanted), name="loss")
        train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        coordinator = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(sess=session, coord=coordinator)
        steps = 0
        try:
            while not coordinator.should_stop():
                _, value = session.run([train, loss])
                steps += 1
                print(steps, round(float(value), 4))
        except tf.errors.OutOfRangeError:
            print("finished after", steps)
        finally:
            coordinator.request_stop()
        coordinator.join(threads)
        print(rows.shape, wanted.shape, _shown(session.run([w, b])))


def words_and_their_neighbours(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        inputs = v1.placeholder(tf.int32, shape=[4], name="inputs")
        labels = v1.placeholder(tf.int32, shape=[4, 1], name="labels")
        start = np.cos(np.arange(20.0, dtype=np.float32)).reshape(10, 2)
        embeddings = v1.Variable(start, name="embeddings")
        embedded = v1.nn.embedding_lookup(embeddings, inputs)
        weights = v1.Variable(start * 0.5, name="nce_weights")
        biases = v1.Variable(tf.zeros([10]), name="nce_biases")
        sampled = (
            tf.constant([3, 7, 9], tf.int64),
            tf.fill([4, 1], 0.3),
            tf.constant([0.3, 0.2, 0.1]),
        )
        loss = tf.reduce_mean(
            v1.nn.nce_loss(
                weights=weights,
                biases=biases,
                labels=labels,
                inputs=embedded,
                num_sampled=3,
                num_classes=10,
                sampled_values=sampled,
            )
        )
        (gradient,) = tf.gradients(loss, [embeddings])
        print(type(gradient).__name__, gradient.values.shape, gradient.dense_shape is not None)
        train = v1.train.GradientDescentOptimizer(1.0).minimize(loss)
        norm = tf.sqrt(v1.reduce_sum(tf.square(embeddings), 1, keep_dims=True))
        normalized = embeddings / norm
        similar = tf.matmul(normalized[:2], normalized, transpose_b=True)
        v1.global_variables_initializer().run()
        feed = {inputs: [0, 1, 2, 1], labels: [[1], [0], [3], [2]]}
        for _ in range(3):
            _, value = session.run([train, loss], feed_dict=feed)
            print(round(float(value), 4))
        print(np.argsort(-similar.eval(), axis=1)[:, :3].tolist(), _shown([embeddings.eval()[:3]]))


def an_actor_and_a_critic(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        state = v1.placeholder(tf.float32, [None, 2], "state")
        action = v1.placeholder(tf.int32, [None], "action")
        reward = v1.placeholder(tf.float32, [None], "reward")
        ones = v1.constant_initializer(0.5)
        with v1.variable_scope("actor"):
            w = v1.get_variable("w", [2, 3], initializer=v1.zeros_initializer())
            policy = tf.nn.log_softmax(tf.matmul(state, w))
        with v1.variable_scope("critic"):
            u = v1.get_variable("w", [2, 1], initializer=ones)
            value = tf.squeeze(tf.matmul(state, u), axis=1)
        advantage = tf.stop_gradient(reward - value)
        picked = tf.reduce_sum(policy * tf.one_hot(action, 3), axis=1)
        actor_loss = -tf.reduce_mean(picked * advantage)
        entropy = -tf.reduce_mean(tf.reduce_sum(tf.exp(policy) * policy, 1))
        critic_loss = tf.reduce_mean(tf.square(reward - value))
        actor = v1.get_collection(v1.GraphKeys.TRAINABLE_VARIABLES, scope="actor")
        critic = v1.trainable_variables("critic")
        print([v.name for v in actor], [v.name for v in critic])
        print(tf.gradients(actor_loss, critic), [g is None for g in tf.gradients(value, actor)])
        first = v1.train.AdamOptimizer(0.01, name="actor_adam")
        second = v1.train.RMSPropOptimizer(0.1, name="critic_rms")
        train = tf.group(
            first.minimize(actor_loss - 0.01 * entropy, var_list=actor),
            second.minimize(critic_loss, var_list=critic),
            name="train",
        )
        print(train.name, train.type, first.get_slot_names(), second.get_slot_names())
        print([v.name for v in first.variables()])
        session.run(v1.global_variables_initializer())
        feed = {state: [[1, 0], [0, 1], [1, 1]], action: [0, 1, 2], reward: [1, -1, 0.5]}
        for _ in range(3):
            session.run(train, feed)
        print(_shown(session.run([w, u, actor_loss, critic_loss], feed)))


def a_recurrence_written_by_hand(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        inputs = v1.placeholder(tf.float32, [None, None, 2])  # batch, time, features
        lengths = v1.placeholder(tf.int32, [None])
        with v1.variable_scope("cell", initializer=v1.constant_initializer(0.25)):
            kernel = v1.get_variable("kernel", [5, 3])
            bias = v1.get_variable("bias", [3], initializer=v1.zeros_initializer())
        batch, steps = tf.shape(inputs)[0], tf.shape(inputs)[1]
        rows = tf.TensorArray(tf.float32, size=steps, name="rows")
        rows = rows.unstack(tf.transpose(inputs, [1, 0, 2]))
        outputs = tf.TensorArray(tf.float32, size=steps, element_shape=[None, 3])

        def body(t, state, outputs):
            x = rows.read(t)
            x.set_shape([None, 2])
            new = tf.tanh(tf.matmul(tf.concat([x, state], 1), kernel) + bias)
            alive = tf.tile((t < lengths)[:, None], [1, 3])
            kept = v1.where(alive, new, state)
            return t + 1, kept, outputs.write(t, v1.where(alive, new, tf.zeros_like(new)))

        _, state, outputs = v1.while_loop(
            lambda t, *_: t < steps,
            body,
            [tf.constant(0), tf.zeros([batch, 3]), outputs],
            shape_invariants=[
                tf.TensorShape([]),
                tf.TensorShape([None, 3]),
                tf.TensorShape(None),
            ],
            parallel_iterations=4,
            swap_memory=True,
        )
        sequence = tf.transpose(outputs.stack(), [1, 0, 2])
        print(state.shape, sequence.shape)
        loss = tf.reduce_sum(tf.square(sequence)) + tf.reduce_sum(state)
        gradients = tf.gradients(loss, [kernel, bias, inputs])
        session.run(v1.global_variables_initializer())
        feed = {inputs: np.arange(12.0).reshape(2, 3, 2) / 10, lengths: [3, 1]}
        for value in _shown(session.run([state, sequence, loss, *gradients], feed)):
            print(value)


def adversaries_with_scopes(tf):
    v1 = tf.compat.v1

    def dense(x, units, name):
        with v1.variable_scope(name):
            shape = [int(x.shape[-1]), units]
            w = v1.get_variable("w", shape, initializer=v1.constant_initializer(0.3))
            b = v1.get_variable("b", [units], initializer=v1.zeros_initializer())
            return v1.nn.xw_plus_b(x, w, b)

    def generator(z):
        with v1.variable_scope("generator", reuse=False):
            return tf.tanh(dense(tf.nn.leaky_relu(dense(z, 3, "first")), 2, "second"))

    def discriminator(x, reuse=None):
        with v1.variable_scope("discriminator", reuse=reuse):
            return dense(tf.nn.relu(dense(x, 3, "first")), 1, "second")

    with graph_of(tf), v1.Session() as session:
        z = v1.placeholder(tf.float32, [None, 2])
        x = v1.placeholder(tf.float32, [None, 2])
        made = generator(z)
        real, fake = discriminator(x), discriminator(made, reuse=True)
        cross = v1.nn.sigmoid_cross_entropy_with_logits
        d_loss = tf.reduce_mean(
            cross(labels=tf.ones_like(real), logits=real)
            + cross(labels=tf.zeros_like(fake), logits=fake)
        )
        g_loss = tf.reduce_mean(cross(labels=tf.ones_like(fake), logits=fake))
        theirs = [v for v in v1.trainable_variables() if v.name.startswith("discriminator")]
        ours = [v for v in v1.trainable_variables() if v.op.name.startswith("generator")]
        print([v.op.name for v in ours], [v.op.name for v in theirs])
        with v1.variable_scope("optimizers"):
            d_train = v1.train.AdamOptimizer(0.01, beta1=0.5).minimize(d_loss, var_list=theirs)
            g_train = v1.train.AdamOptimizer(0.01, beta1=0.5).minimize(g_loss, var_list=ours)
        clip = [v.assign(tf.clip_by_value(v, -0.3, 0.3)) for v in theirs]
        print([v.name for v in v1.global_variables() if "beta" in v.name])
        session.run(v1.global_variables_initializer())
        feed = {x: [[1.0, 0.5], [0.5, 1.0]], z: [[0.1, -0.2], [-0.3, 0.4]]}
        for _ in range(3):
            session.run(d_train, feed)
            session.run(clip)
            session.run(g_train, {z: feed[z]})
        print(_shown(session.run([d_loss, g_loss, made, *ours], feed)))


def parts_of_a_checkpoint(tf, raises):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.ckpt")
        with graph_of(tf), v1.Session() as session:
            with v1.variable_scope("body"):
                v1.get_variable("w", initializer=[1.0, 2.0])
                v1.get_variable("b", initializer=0.5)
            v1.get_variable("head/w", initializer=[[3.0], [4.0]])
            step = v1.train.create_global_step()
            session.run(v1.global_variables_initializer())
            session.run(step.assign(12))
            saver = v1.train.Saver(max_to_keep=2)
            for n in (1, 2, 3):
                saved = saver.save(session, path, global_step=n, write_meta_graph=n == 3)
            print(os.path.basename(saved), [os.path.basename(p) for p in saver.last_checkpoints])
            print(sorted(n for n in os.listdir(folder) if "data" not in n))
        latest = tf.train.latest_checkpoint(folder)
        stored = dict(tf.train.list_variables(latest))
        print(stored)
        with graph_of(tf), v1.Session() as session:
            with v1.variable_scope("body"):
                v1.get_variable("w", [2])
                v1.get_variable("b", [])
            new = v1.get_variable("new_head/w", [2, 3], initializer=v1.ones_initializer())
            known = [v for v in v1.global_variables() if v.op.name in stored]
            session.run(v1.variables_initializer([new]))
            print(session.run(v1.report_uninitialized_variables()).tolist())
            v1.train.Saver(known).restore(session, latest)
            print([(v.op.name, session.run(v).tolist()) for v in v1.global_variables()])
            raises(lambda: v1.train.Saver().restore(session, latest), "new_head/w", "not found")
            raises(lambda: v1.train.Saver([new]).restore(session, path), "Unsuccessful", "valid")


def averages_are_used_for_evaluation(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder:
        features, targets = _points(6)
        with graph_of(tf), v1.Session() as session:
            w = v1.get_variable("w", [3, 1], initializer=v1.zeros_initializer())
            step = v1.train.get_or_create_global_step()
            rate = v1.train.exponential_decay(0.2, step, 2, 0.5, staircase=True)
            loss = tf.reduce_mean(tf.square(tf.matmul(features, w) - targets))
            optimize = v1.train.GradientDescentOptimizer(rate).minimize(loss, global_step=step)
            averages = v1.train.ExponentialMovingAverage(0.9, step)
            with tf.control_dependencies([optimize]):
                train = averages.apply(v1.trainable_variables() + [loss])
            session.run(v1.global_variables_initializer())
            for _ in range(5):
                _, now = session.run([train, rate])
                print(round(float(now), 4), v1.train.global_step(session, step))
            print(_shown(session.run([w, averages.average(w)])))
            print(averages.average(loss).op.name, [v.op.name for v in v1.global_variables()])
            path = v1.train.Saver().save(session, os.path.join(folder, "m"), global_step=step)
        with graph_of(tf), v1.Session() as session:
            w = v1.get_variable("w", [3, 1])
            averages = v1.train.ExponentialMovingAverage(0.9)
            names = averages.variables_to_restore()
            print({name: v.op.name for name, v in names.items()})
            v1.train.Saver(names).restore(session, path)
            print(os.path.basename(path), _shown([session.run(w)]))


def schedules_by_the_step(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        step = v1.Variable(0, trainable=False, name="global_step", dtype=tf.int64)
        warm = 4.0
        count = tf.cast(step, tf.float32)
        decayed = v1.train.polynomial_decay(1.0, step, 10, 0.1, power=0.5, cycle=True)
        stepped = v1.train.piecewise_constant(step, [3, 6], [0.1, 0.01, 0.001])
        rate = tf.cond(count < warm, lambda: decayed * count / warm, lambda: decayed)
        v = v1.get_variable("v", initializer=5.0)
        optimizer = v1.train.MomentumOptimizer(rate * stepped, momentum=0.9)
        train = optimizer.minimize(v * v, global_step=step)
        session.run(v1.global_variables_initializer())
        for _ in range(8):
            values = session.run([step, rate, stepped])
            session.run(train)
            print([round(float(x), 5) for x in values], round(float(session.run(v)), 5))
        print(optimizer.get_slot(v, "momentum").name)


def products_with_hessians(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float64, [3])
        direction = v1.placeholder(tf.float64, [3])
        y = tf.reduce_sum(tf.sin(x) * x**3) + tf.reduce_prod(x)
        (g,) = tf.gradients(y, x)
        (product,) = tf.gradients(g, x, grad_ys=direction)
        (again,) = tf.gradients(tf.reduce_sum(g * tf.stop_gradient(direction)), x)
        (matrix,) = tf.hessians(y, x)
        rows = tf.stack([tf.gradients(g[i], x)[0] for i in range(3)])
        dummy = tf.zeros_like(g)  # forward mode by two reverse passes
        (pulled,) = tf.gradients([x**2, x**3], x, grad_ys=[dummy, dummy])
        (pushed,) = tf.gradients(pulled, dummy, grad_ys=direction)
        feed = {x: [0.5, -1.0, 2.0], direction: [1.0, 2.0, -1.0]}
        values = session.run([product, again, tf.linalg.matvec(matrix, direction), pushed], feed)
        for value in _shown(values):
            print(value)
        print(np.allclose(*session.run([matrix, rows], feed)))


def normalized_batches(tf):
    v1 = tf.compat.v1

    def normalized(x, training, decay=0.9, name="norm"):
        with v1.variable_scope(name):
            n = x.get_shape().as_list()[-1]
            beta = v1.get_variable("beta", [n], initializer=v1.zeros_initializer())
            gamma = v1.get_variable("gamma", [n], initializer=v1.ones_initializer())
            mean = v1.get_variable("mean", [n], trainable=False, initializer=v1.zeros_initializer())
            var = v1.get_variable("var", [n], trainable=False, initializer=v1.ones_initializer())
            now, spread = v1.nn.moments(x, [0], name="moments")
            for kept, new in ((mean, now), (var, spread)):
                update = v1.assign_sub(kept, (1 - decay) * (kept - tf.stop_gradient(new)))
                v1.add_to_collection(v1.GraphKeys.UPDATE_OPS, update)
            m, s = v1.cond(training, lambda: (now, spread), lambda: (mean, var))
            return v1.nn.batch_normalization(x, m, s, beta, gamma, 1e-3)

    features, targets = _points(6)
    with graph_of(tf), v1.Session() as session:
        training = v1.placeholder_with_default(False, shape=(), name="training")
        x = v1.placeholder_with_default(features, [None, 3])
        w = v1.get_variable("w", [3, 1], initializer=v1.constant_initializer(0.1))
        y = tf.matmul(normalized(x, training), w)
        loss = v1.losses.mean_squared_error(targets, y)
        updates = v1.get_collection(v1.GraphKeys.UPDATE_OPS)
        with v1.control_dependencies(updates):
            train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        print(len(updates), [v.name for v in v1.trainable_variables()])
        session.run(v1.global_variables_initializer())
        for _ in range(2):
            session.run(train, {training: True})
        print(_shown(session.run(v1.global_variables())))
        print(_shown(session.run([loss, y])), _shown(session.run([y], {x: features[:2]})))


def conditions_that_assign(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        best = v1.get_variable("best", initializer=-1.0, trainable=False)
        since = v1.get_variable("since", initializer=0, trainable=False)

        def better():
            with tf.control_dependencies([v1.assign(best, x), v1.assign(since, 0)]):
                return tf.identity(x)

        def worse():
            with tf.control_dependencies([v1.assign_add(since, 1)]):
                return tf.identity(best)

        kept = v1.cond(x > best, better, worse, name="early")
        stop = tf.greater_equal(since, 2)
        session.run(v1.global_variables_initializer())
        for value in (0.5, 0.25, 0.75, 0.5, 0.1, 0.2):
            print(session.run(kept, {x: value}), session.run([best, since, stop]))


def followed_by_summaries(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder, graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], name="x")
        with v1.name_scope("losses"):
            v1.summary.scalar("loss", tf.reduce_mean(x), collections=["train", "summaries"])
            v1.summary.scalar("largest", tf.reduce_max(x), family="extremes")
        v1.summary.histogram("values", x, collections=["other"])
        v1.summary.image("picture", tf.reshape(x[:4], [1, 2, 2, 1]), max_outputs=1)
        merged, some = v1.summary.merge_all(), v1.summary.merge_all("train")
        print(merged.op.type, v1.summary.merge_all("nothing"), some.dtype.name)
        writer = v1.summary.FileWriter(folder)
        for step in range(2):
            writer.add_summary(session.run(merged, {x: np.arange(4.0) + step}), step)
        extra = v1.Summary(value=[v1.Summary.Value(tag="by hand", simple_value=2.5)])
        writer.add_summary(extra, 7)
        writer.flush()
        writer.close()
        (name,) = os.listdir(folder)
        for event in v1.train.summary_iterator(os.path.join(folder, name)):
            print(
                event.step,
                [
                    (v.tag, v.WhichOneof("value"), round(v.simple_value, 3))
                    for v in event.summary.value
                ],
            )


def a_model_moves_as_a_meta_graph(tf):
    v1 = tf.compat.v1
    features, targets = _points(5)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        with graph_of(tf), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None, 3], name="x")
            y = v1.placeholder(tf.float32, [None, 1], name="y")
            w = v1.get_variable("w", [3, 1], initializer=v1.zeros_initializer())
            out = tf.matmul(x, w, name="out")
            loss = tf.reduce_mean(tf.square(out - y), name="loss")
            train = v1.train.GradientDescentOptimizer(0.1).minimize(loss, name="train")
            v1.add_to_collection("endpoints", out)
            v1.add_to_collection("train", train)
            session.run(v1.global_variables_initializer())
            session.run(train, {x: features, y: targets})
            before = session.run(loss, {x: features, y: targets})
            v1.train.Saver().save(session, path)
        with graph_of(tf) as graph, v1.Session() as session:
            saver = v1.train.import_meta_graph(path + ".meta", clear_devices=True)
            saver.restore(session, path)
            feed = {"x:0": features, "y:0": targets}
            print(abs(session.run("loss:0", feed) - before) < 1e-6)
            (out,) = v1.get_collection("endpoints")
            (train,) = v1.get_collection("train")
            print(out.name, train.name, [v.name for v in v1.trainable_variables()])
            session.run(train, feed)
            print(_shown([session.run(graph.get_tensor_by_name("loss:0"), feed)]))
            head = tf.reduce_sum(tf.stop_gradient(out) * 2.0)  # a new head on the old body
            print(
                _shown([session.run(head, {graph.get_operation_by_name("x").outputs[0]: features})])
            )


def clicks_in_sparse_rows(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        rows = v1.sparse_placeholder(tf.float32, shape=[None, 6], name="rows")
        ids = v1.sparse_placeholder(tf.int64, name="ids")
        labels = v1.placeholder(tf.float32, [None, 1])
        w = v1.get_variable("w", [6, 1], initializer=v1.zeros_initializer())
        table = v1.get_variable(
            "table", initializer=np.cos(np.arange(16, dtype=np.float32)).reshape(8, 2)
        )
        linear = v1.sparse_tensor_dense_matmul(rows, w)
        deep = v1.nn.embedding_lookup_sparse(table, ids, None, combiner="mean")
        logits = linear + v1.reduce_sum(deep, 1, keep_dims=True)
        loss = tf.reduce_mean(v1.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
        optimizer = v1.train.AdagradOptimizer(0.5)
        pairs = optimizer.compute_gradients(loss)
        print([(isinstance(g, tf.IndexedSlices), v.name) for g, v in pairs])
        train = optimizer.apply_gradients(pairs)
        session.run(v1.global_variables_initializer())
        feed = {
            rows: v1.SparseTensorValue([[0, 1], [1, 0], [1, 5]], [1.0, 2.0, -1.0], [2, 6]),
            ids: ([[0, 0], [0, 1], [1, 0]], [3, 3, 7], [2, 2]),
            labels: [[1.0], [0.0]],
        }
        for _ in range(2):
            session.run(train, feed)
        print(_shown(session.run([loss, w, table], feed)))
        print(session.run(v1.sparse_tensor_to_dense(rows), feed).tolist())


def gradients_are_clipped_and_gathered(tf):
    v1 = tf.compat.v1
    features, targets = _points(8)
    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 3])
        y = v1.placeholder(tf.float32, [None, 1])
        w = v1.get_variable("w", [3, 1], initializer=v1.zeros_initializer())
        b = v1.get_variable("b", [1], initializer=v1.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
        optimizer = v1.train.AdamOptimizer(0.1)
        variables = v1.trainable_variables()
        gathered = [
            v1.Variable(tf.zeros_like(v), trainable=False, name=v.op.name + "_sum")
            for v in variables
        ]
        zero = tf.group(*[v1.assign(a, tf.zeros_like(a)) for a in gathered])
        gradients, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), 1.0)
        add = tf.group(*[v1.assign_add(a, g / 2.0) for a, g in zip(gathered, gradients)])
        step = v1.train.get_or_create_global_step()
        train = optimizer.apply_gradients(zip(gathered, variables), global_step=step)
        session.run(v1.global_variables_initializer())
        for _ in range(2):
            session.run(zero)
            for i in (0, 4):
                feed = {x: features[i : i + 4], y: targets[i : i + 4]}
                print(_shown(session.run([norm, add], feed)[:1]))
            session.run(train)
        print(_shown(session.run([w, b, *gathered])), session.run(step), [v.name for v in gathered])


def a_callable_and_a_partial_run(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        a = v1.placeholder(tf.float32, [], name="a")
        b = v1.placeholder(tf.float32, [], name="b")
        first = a * 2.0
        second = first + b
        call = session.make_callable({"first": first, "both": [first, second]}, feed_list=[a, b])
        print(call(1.0, 2.0), call(np.float32(3.0), 4))
        raises(lambda: call(1.0), "feed")
        nothing = session.make_callable(tf.group(first), feed_list=[a])
        print(nothing(1.0))
        handle = session.partial_run_setup([first, second], [a, b])
        seen = session.partial_run(handle, first, {a: 3.0})
        print(seen, session.partial_run(handle, second, {b: float(seen) * 10.0}))
        raises(lambda: session.partial_run(handle, second, {b: 1.0}))


def gradients_of_other_rules(tf):
    v1 = tf.compat.v1

    name = f"ProgramsReversed{next(_numbers)}"

    @tf.RegisterGradient(name)
    def _reversed(op, grad):
        return -0.5 * grad

    @tf.custom_gradient
    def clipped(x):
        def backward(dy):
            return tf.clip_by_norm(dy, 1.0)

        return tf.identity(x), backward

    with graph_of(tf) as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [2])
        with graph.gradient_override_map({"Identity": name}):
            y = tf.identity(x, name="reversed")
        straight = x + tf.stop_gradient(tf.round(x) - x)
        values = [y * x, tf.square(straight), clipped(x) * 10.0]
        gradients = [tf.gradients(v, x)[0] for v in values]
        print(session.run(gradients, {x: [1.2, -2.7]}), y.op.type)


def functions_of_python_in_a_graph(tf):
    v1 = tf.compat.v1
    seen = []

    def sample(values, k):
        seen.append(values.dtype.name)
        return np.sort(values)[-k:].astype(np.float32), np.int64(len(values))

    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None])
        top, count = v1.py_func(sample, [x, tf.constant(2)], [tf.float32, tf.int64], name="top")
        top.set_shape([2])
        words = v1.py_func(lambda n: np.array([b"w%d" % i for i in range(n)]), [count], tf.string)
        counted = v1.py_func(lambda: seen.append("ran"), [], [])
        print(top.shape, count.shape, words.dtype.name, isinstance(counted, tf.Operation))
        seen.clear()
        print(session.run([top, count, words], {x: [3.0, 1.0, 2.0]}))
        with tf.control_dependencies([counted]):
            print(session.run(tf.reduce_sum(top), {x: [5.0, 4.0]}))
        print(seen)


def words_are_looked_up(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder, graph_of(tf), v1.Session() as session:
        path = os.path.join(folder, "words.txt")
        with open(path, "w") as file:
            file.write("the\ncat\nsat\n")
        lines = v1.placeholder(tf.string, [None], name="lines")
        tokens = v1.string_split(lines, " ")
        table = tf.lookup.StaticVocabularyTable(
            tf.lookup.TextFileInitializer(
                path,
                tf.string,
                tf.lookup.TextFileIndex.WHOLE_LINE,
                tf.int64,
                tf.lookup.TextFileIndex.LINE_NUMBER,
            ),
            num_oov_buckets=1,
        )
        ids = v1.sparse_tensor_to_dense(table.lookup(tokens), default_value=-1)
        back = v1.lookup.StaticHashTable(
            v1.lookup.KeyValueTensorInitializer(
                tf.constant([0, 1, 2], tf.int64), tf.constant(["the", "cat", "sat"])
            ),
            "?",
        )
        joined = v1.reduce_join(back.lookup(ids), 1, separator="_")
        upper = v1.strings.regex_replace(v1.strings.upper(joined), r"\?", "-")
        session.run(v1.tables_initializer())
        feed = {lines: ["the cat sat", "a cat"]}
        print(session.run([ids, joined, upper], feed))
        print(
            session.run([table.size(), back.size()]), session.run(tokens, feed).dense_shape.tolist()
        )
        print(session.run(v1.string_to_number(lines), {lines: ["1.5", "-2"]}).tolist())


def one_template_for_two_inputs(tf):
    v1 = tf.compat.v1

    def encoder(x, units):
        with v1.variable_scope("layer", regularizer=lambda w: tf.reduce_sum(w * w)):
            w = v1.get_variable("w", [x.shape[1], units], initializer=v1.constant_initializer(0.5))
        return tf.nn.softsign(tf.matmul(x, w))

    with graph_of(tf), v1.Session() as session:
        encode = v1.make_template("encode", encoder, units=2)
        left = v1.placeholder(tf.float32, [None, 3])
        right = v1.placeholder(tf.float32, [None, 3])
        a, b = encode(left), encode(right)
        distance = v1.norm(a - b, axis=1)
        penalty = v1.losses.get_regularization_loss()
        print([v.name for v in v1.global_variables()], a.name, b.name)
        print(encode.variable_scope_name, [v.name for v in encode.trainable_variables])
        other = v1.make_template("encode", encoder, units=2)
        other(left)
        print([v.name for v in other.variables], len(v1.losses.get_regularization_losses()))
        session.run(v1.global_variables_initializer())
        feed = {left: [[1, 2, 3]], right: [[3, 2, 0]]}
        print(_shown(session.run([distance, penalty, *tf.gradients(distance, a)], feed)))


def a_policy_with_a_target(tf):
    v1 = tf.compat.v1

    def values(x, scope):
        with v1.variable_scope(scope):
            w = v1.get_variable("w", [2, 3], initializer=v1.constant_initializer(0.2))
            return tf.matmul(x, w)

    with graph_of(tf), v1.Session() as session:
        now = v1.placeholder(tf.float32, [None, 2])
        after = v1.placeholder(tf.float32, [None, 2])
        action = v1.placeholder(tf.int32, [None])
        done = v1.placeholder(tf.float32, [None])
        online, target = values(now, "online"), values(after, "target")
        ours = v1.get_collection(v1.GraphKeys.GLOBAL_VARIABLES, "online")
        theirs = v1.get_collection(v1.GraphKeys.GLOBAL_VARIABLES, "target")
        copy = [v1.assign(t, o) for t, o in zip(theirs, ours)]
        drift = tf.group([t.assign(0.9 * t + 0.1 * o) for t, o in zip(theirs, ours)])
        index = tf.stack([tf.range(tf.shape(action)[0]), action], axis=1)
        chosen = tf.gather_nd(online, index)
        wanted = tf.stop_gradient(1.0 + 0.9 * (1.0 - done) * tf.reduce_max(target, axis=1))
        loss = v1.losses.huber_loss(wanted, chosen)
        train = v1.train.GradientDescentOptimizer(0.5).minimize(loss, var_list=ours)
        best = v1.argmax(online, axis=1, output_type=tf.int32)
        session.run(v1.global_variables_initializer())
        feed = {now: [[1, 0], [0, 1]], after: [[0, 1], [1, 1]], action: [0, 2], done: [0, 1]}
        for _ in range(3):
            session.run(train, feed)
            session.run(drift)
        print(_shown(session.run([loss, *ours, *theirs], feed)), session.run(best, feed))
        session.run(copy)
        print(_shown(session.run(theirs)))


def batches_of_a_data_set(tf):
    v1 = tf.compat.v1
    features, targets = _points(7)

    def pipeline(x, y, size):
        data = v1.data.Dataset.from_tensor_slices((x, y))
        return data.repeat(2).batch(size, drop_remainder=True).prefetch(1)

    with graph_of(tf), v1.Session() as session:
        first, second = pipeline(features, targets, 4), pipeline(features[:2], targets[:2], 2)
        handle = v1.placeholder(tf.string, [])
        iterator = v1.data.Iterator.from_string_handle(
            handle, v1.data.get_output_types(first), ([None, 3], [None, 1])
        )
        x, y = iterator.get_next()
        w = v1.get_variable("w", [3, 1], initializer=v1.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        training = v1.data.make_one_shot_iterator(first)
        testing = v1.data.make_initializable_iterator(second)
        session.run([v1.global_variables_initializer(), testing.initializer])
        keys = session.run([training.string_handle(), testing.string_handle()])
        while True:
            try:
                print(_shown(session.run([train, loss], {handle: keys[0]})[1:]))
            except tf.errors.OutOfRangeError:
                break
        print(_shown([session.run(loss, {handle: keys[1]}), session.run(w)]), x.shape, y.dtype.name)
