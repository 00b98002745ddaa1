"""Graphs of TensorFlow 1 and sessions: what programs for it do."""

import collections


def graph_of(api):
    return api.Graph().as_default()


def a_sum_of_placeholders(tf):
    with graph_of(tf):
        a = tf.compat.v1.placeholder(tf.float32, name="a")
        b = tf.compat.v1.placeholder(tf.float32, name="b")
        c = a + b
        print(a, c)
        with tf.compat.v1.Session() as session:
            print(session.run(c, {a: 3, b: 4.5}))
            print(session.run(c, {a: [1, 3], b: [2, 4]}))
            print(session.run(c * 3.0, {a: [[1, 3]], b: 4}))


def a_line_is_fitted(tf):
    with graph_of(tf):
        x = tf.compat.v1.placeholder(tf.float32)
        y = tf.compat.v1.placeholder(tf.float32)
        w = tf.Variable([0.3], dtype=tf.float32)
        b = tf.Variable([-0.3], dtype=tf.float32)
        loss = tf.reduce_sum(tf.square(w * x + b - y))
        train = tf.compat.v1.train.GradientDescentOptimizer(0.01).minimize(loss)
        feed = {x: [1, 2, 3, 4], y: [0, -1, -2, -3]}
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            print(session.run(loss, feed))
            for _ in range(50):
                session.run(train, feed)
            print(session.run([w, b, loss], feed))


def constants_have_names(tf):
    with graph_of(tf) as graph:
        a = tf.constant(1.0)
        b = tf.constant([1, 2], name="b")
        with tf.name_scope("scope"):
            c = tf.constant("text", name="c")
        print(a, b, c)
        print([op.name for op in graph.get_operations()])
        print(b.op.type, b.graph is graph, b.op.outputs[0].name, b.dtype, b.shape)


def operations_of_a_graph(tf):
    with graph_of(tf) as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 3], name="x")
        w = tf.Variable(tf.ones([3, 2]), name="w")
        tf.nn.relu(tf.matmul(x, w), name="out")
        names = [op.name for op in graph.get_operations()]
        print([name for name in names if name not in ("ones", "w/initial_value")])
        print(graph.get_tensor_by_name("out:0"))
        print(graph.get_operation_by_name("w/Assign").type)


def scopes_of_names(tf):
    with graph_of(tf):
        names = []
        for _ in range(2):
            with tf.name_scope("outer"):
                names.append(tf.constant(1, name="c").name)
                with tf.compat.v1.name_scope("inner"):
                    names.append(tf.constant(1, name="c").name)
        with tf.name_scope("outer/"):
            names.append(tf.constant(1, name="d").name)
        print(names)


def variables_begin_without_values(tf, raises):
    with graph_of(tf), tf.compat.v1.Session() as session:
        v = tf.Variable([1.0, 2.0], name="v")
        print(v, v.name, v.dtype, v.shape, v.trainable)
        raises(lambda: session.run(v), "Could not find variable v")
        print(session.run(tf.compat.v1.report_uninitialized_variables()))
        session.run(v.initializer)
        print(session.run(v), session.run(v.initial_value))
        print(session.run(tf.compat.v1.is_variable_initialized(v)))


def assignments(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        v = tf.Variable(1.0)
        a = v.assign(5.0)
        b = v.assign_add(2.0)
        c = tf.compat.v1.assign_sub(v, 1.0)
        session.run(v.initializer)
        print(session.run(a), session.run(b), session.run(c), session.run(v))
        print(session.run(a.op), session.run(b + 1.0))


def assignments_in_order(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        v = tf.Variable(1)
        with tf.control_dependencies([v.assign_add(1)]):
            read = v.read_value()
            with tf.control_dependencies([read]):
                again = v.assign(v * 10)
        session.run(v.initializer)
        print(session.run(read), session.run(v))
        print(session.run(again), session.run(v))


def only_what_is_needed_runs(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        v = tf.Variable(0)
        v.assign_add(1)
        w = v + 1
        session.run(v.initializer)
        print(session.run(w), session.run(w), session.run(v))


def structures_of_fetches(tf):
    Point = collections.namedtuple("Point", "x y")
    with graph_of(tf), tf.compat.v1.Session() as session:
        a, b = tf.constant(1), tf.constant([2.0])
        print(session.run([a, (b, [a])]))
        print(session.run({"a": a, "b": {"c": b}}))
        print(session.run(Point(a, b)))
        print(session.run([a, a, "Const_1:0", tf.no_op()]))
        print(session.run([]), session.run({}))


def kinds_of_results(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        for x in (tf.constant(1.5), tf.constant([1]), tf.constant("a"), tf.constant(["a"])):
            found = session.run(x)
            print(type(found).__name__, found)
        sparse = session.run(tf.SparseTensor([[0, 1]], [3.0], [2, 2]))
        print(type(sparse).__name__, sparse.values, sparse.dense_shape)


def what_cannot_be_fetched(tf, raises):
    with graph_of(tf), tf.compat.v1.Session() as session:
        tf.constant(1.0, name="c")
        raises(lambda: session.run(None), "None")
        raises(lambda: session.run(1.0), "float")
        raises(lambda: session.run("d:0"), "d:0")
        raises(lambda: session.run("d"), "d")
        raises(lambda: session.run("c:1"), "c:1")
        with graph_of(tf):
            other = tf.constant(1.0)
        raises(lambda: session.run(other), "not an element of this graph")


def what_cannot_be_fed(tf, raises):
    with graph_of(tf), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.int32, [None, 2], name="x")
        y = x + 1
        raises(lambda: session.run(y), "must feed a value for placeholder tensor 'x'", "int32")
        raises(lambda: session.run(y, {x: [1, 2]}), "Cannot feed value of shape (2,)", "(?, 2)")
        raises(lambda: session.run(y, {x: [["a", "b"]]}))
        raises(lambda: session.run(y, {"z:0": 1}), "Cannot interpret feed_dict key as Tensor")
        raises(lambda: session.run(y, {x: tf.constant([[1, 2]])}), "cannot be a tf.Tensor")
        raises(lambda: session.run(y, [x]))
        print(session.run(y, {"x:0": [[1, 2]]}))


def any_tensor_is_fed(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        c = tf.constant(2.0)
        y = c * 3.0
        z = y + 1.0
        print(session.run(z), session.run(z, {c: 5.0}), session.run(z, {y: 0.0}))
        print(session.run([y, z], {y: 7.0}))


def closed_and_empty_sessions(tf, raises):
    with graph_of(tf):
        session = tf.compat.v1.Session()
        raises(lambda: session.run("x:0"), "empty")
        x = tf.constant(1)
        print(session.run(x))
        session.close()
        raises(lambda: session.run(x), "closed Session")


def evaluation_in_the_default_session(tf, raises):
    with graph_of(tf):
        x = tf.compat.v1.placeholder(tf.float32, [])
        y = x * x
        raises(lambda: y.eval({x: 1.0}), "No default session")
        session = tf.compat.v1.Session()
        print(y.eval({x: 3.0}, session))
        with session.as_default():
            print(y.eval({x: 4.0}), tf.compat.v1.get_default_session() is session)
        interactive = tf.compat.v1.InteractiveSession()
        print(y.eval({x: 5.0}))
        interactive.close()


def a_callable_of_a_session(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [2])
        y = tf.compat.v1.placeholder(tf.float32, [2])
        call = session.make_callable([x * y, {"sum": tf.reduce_sum(x)}], [x, y])
        print(call([1, 2], [3, 4]))


def two_sessions(tf):
    with graph_of(tf) as graph:
        v = tf.Variable(1)
        more = v.assign_add(1)
        first = tf.compat.v1.Session(graph=graph)
        second = tf.compat.v1.Session(graph=graph)
        for session in (first, second):
            session.run(v.initializer)
        first.run(more)
        print(first.run(more), second.run(v))


def a_finalized_graph(tf, raises):
    with graph_of(tf) as graph:
        x = tf.constant(1.0)
        graph.finalize()
        raises(lambda: tf.constant(2.0), "Graph is finalized and cannot be modified")
        raises(lambda: x + 1.0, "Graph is finalized and cannot be modified")
        with tf.compat.v1.Session() as session:
            print(session.run(x), graph.finalized)


def tensors_of_two_graphs(tf, raises):
    with graph_of(tf):
        x = tf.constant(1.0)
    with graph_of(tf):
        y = tf.constant(2.0)
        raises(lambda: x + y, "same graph")


def tensors_without_a_value(tf, raises):
    with graph_of(tf):
        x = tf.constant([1.0, 2.0])
        raises(lambda: bool(x[0] > 0))
        raises(lambda: x.numpy())
        raises(lambda: float(x[0]))
        print(x == x, x != x, len({x: 1}), tf.executing_eagerly())


def gradients_in_graphs(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float64, [3])
        y = tf.reduce_sum(x**3)
        (first,) = tf.gradients(y, x)
        (second,) = tf.gradients(first, [x])
        print(session.run([y, first, second], {x: [1.0, 2.0, 3.0]}))
        print(tf.gradients(tf.constant(1.0), x))


def gradients_by_variables_and_values_between(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        v = tf.Variable([1.0, 2.0])
        y = v * v
        z = tf.reduce_sum(tf.sin(y))
        found = tf.gradients(z, [v, y], stop_gradients=None)
        stopped = tf.gradients(z + tf.reduce_sum(y * v), v, stop_gradients=[y])
        weighted = tf.gradients(y, v, grad_ys=tf.constant([10.0, 1.0]))
        session.run(v.initializer)
        print(session.run([found, stopped, weighted]))


def gradients_of_rows(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        table = tf.Variable(tf.zeros([4, 2]))
        (g,) = tf.gradients(tf.reduce_sum(tf.gather(table, [1, 3, 1]) * 2.0), table)
        print(type(g).__name__)
        found = session.run(g)
        print(found.values.tolist(), found.indices.tolist(), found.dense_shape.tolist())


def hessians(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [2])
        y = x[0] ** 2 * x[1] + x[1] ** 3
        (h,) = tf.hessians(y, x)
        print(session.run(h, {x: [1.0, 2.0]}))


def a_tape_in_a_graph(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = v * v * v
        j = tape.jacobian(y, v)
        session.run(v.initializer)
        print(session.run(j))


def variables_by_name(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf):
        with v1.variable_scope("a"):
            v = v1.get_variable("v", [2, 2])
            with v1.variable_scope("b"):
                w = v1.get_variable("w", [1], dtype=tf.float64)
            raises(lambda: v1.get_variable("v", [2, 2]), "already exists", "reuse=True")
        with v1.variable_scope("a", reuse=True):
            print(v1.get_variable("v", [2, 2]) is v)
            raises(lambda: v1.get_variable("x", [2]), "does not exist")
            raises(lambda: v1.get_variable("v", [3]), "specified shape")
            raises(lambda: v1.get_variable("v", [2, 2], tf.float64), "dtype")
        with v1.variable_scope("a", reuse=v1.AUTO_REUSE):
            print(v1.get_variable("y", []).name, v1.get_variable("v", [2, 2]) is v)
        print(v.name, w.name, [x.name for x in v1.global_variables()])
        print([x.name for x in v1.trainable_variables("a/b")])


def names_in_scopes_of_variables(tf):
    v1 = tf.compat.v1
    with graph_of(tf):
        with v1.variable_scope("a") as scope:
            x = tf.constant(1.0, name="x")
            v = v1.get_variable("v", [])
        with v1.variable_scope(scope, reuse=True):
            y = tf.constant(1.0, name="x")
            w = v1.get_variable("v", [])
        with tf.name_scope("n"):
            u = v1.get_variable("u", [])
            t = tf.Variable(1.0, name="t")
        print(x.name, y.name, v.name, w.name, u.name, t.name, scope.name)
        with v1.variable_scope(None, "default") as first:
            pass
        with v1.variable_scope(None, "default") as second:
            pass
        print(first.name, second.name, v1.get_variable_scope().name)


def initial_values(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        made = [
            v1.get_variable("a", [2], initializer=v1.zeros_initializer()),
            v1.get_variable("b", [2], initializer=v1.constant_initializer(3.0)),
            v1.get_variable("c", initializer=tf.constant([1, 2])),
            v1.get_variable("d", initializer=2.5),
            v1.get_variable("e", [2], tf.int32),
        ]
        session.run(v1.global_variables_initializer())
        for v in made:
            print(v.name, v.dtype, session.run(v))


def regularization(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        half = lambda v: 0.5 * tf.reduce_sum(v * v)  # noqa: E731
        with v1.variable_scope("a", regularizer=half, initializer=v1.ones_initializer()):
            v1.get_variable("v", [4])
            v1.get_variable("w", [2])
        losses = v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES)
        session.run(v1.global_variables_initializer())
        print(len(losses), session.run(tf.add_n(losses)))


def custom_getters(tf):
    v1 = tf.compat.v1

    def doubled(getter, name, *args, **kwargs):
        return 2.0 * getter(name, *args, **kwargs)

    with graph_of(tf), v1.Session() as session:
        with v1.variable_scope("a", custom_getter=doubled):
            x = v1.get_variable("v", [2], initializer=v1.ones_initializer())
        session.run(v1.global_variables_initializer())
        print(session.run(x), [v.name for v in v1.global_variables()])


def templates(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        scale = v1.make_template(
            "scale", lambda x: x * v1.get_variable("k", [], initializer=v1.ones_initializer())
        )
        y, z = scale(tf.constant(2.0)), scale(tf.constant(3.0))
        session.run(v1.global_variables_initializer())
        print([v.name for v in v1.global_variables()], y.name, z.name, session.run([y, z]))


def collections_of_a_graph(tf):
    v1 = tf.compat.v1
    with graph_of(tf) as graph:
        v1.add_to_collection("mine", 1)
        v1.add_to_collection("mine", 2)
        print(v1.get_collection("mine"), v1.get_collection("lacking"))
        tf.Variable(1.0, name="v")
        v1.Variable(1.0, name="w", trainable=False, collections=["special"])
        print([v.name for v in v1.get_collection("special")], len(v1.global_variables()))
        print(sorted(graph.get_all_collection_keys()))
        graph.clear_collection("mine")
        print(v1.get_collection("mine"))


def local_variables(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        v1.get_local_variable("n", [], tf.int32, initializer=v1.zeros_initializer())
        tf.Variable(2, name="v")
        print([v.name for v in v1.local_variables()], [v.name for v in v1.global_variables()])
        session.run(v1.global_variables_initializer())
        print(session.run(v1.report_uninitialized_variables()))
        session.run(v1.local_variables_initializer())
        print(session.run(v1.report_uninitialized_variables()))


def groups(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        a, b = tf.Variable(1), tf.Variable(2)
        swap = tf.group(a.assign(5), b.assign(6), name="both")
        print(swap.name, swap.type, len(swap.control_inputs))
        session.run(tf.compat.v1.global_variables_initializer())
        print(session.run(swap), session.run([a, b]))
        x, y = tf.tuple([tf.constant(1), tf.constant(2)])
        print(session.run([x, y]))


def choices(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [])
        v = tf.Variable(0.0)
        y = tf.cond(x > 0.0, lambda: v.assign_add(x) + 0.0, lambda: x * 10.0)
        z = tf.case([(x < -5.0, lambda: tf.constant(1))], default=lambda: tf.constant(2))
        session.run(v.initializer)
        for value in (2.0, -1.0, 3.0, -9.0):
            print(session.run([y, z], {x: value}), session.run(v))
        (g,) = tf.gradients(tf.cond(x > 0.0, lambda: x * x, lambda: -x), x)
        print(session.run(g, {x: 3.0}), session.run(g, {x: -3.0}))


def loops(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        n = tf.compat.v1.placeholder(tf.int32, [])
        x = tf.compat.v1.placeholder(tf.float32, [])
        i, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), [0, 1.0])
        (g,) = tf.gradients(y, x)
        print(session.run([i, y, g], {n: 3, x: 2.0}), session.run([i, y, g], {n: 0, x: 2.0}))
        _, s = tf.compat.v1.while_loop(
            lambda i, s: i < 5, lambda i, s: (i + 1, s + i), [tf.constant(0), tf.constant(0)]
        )
        print(session.run(s))


def maps_and_scans(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [None, 2])
        y = tf.map_fn(lambda row: tf.reduce_sum(row) * 2.0, x)
        z = tf.scan(lambda a, row: a + row, x)
        print(y.shape, z.shape)
        print(session.run([y, z], {x: [[1, 2], [3, 4], [5, 6]]}))
        print(session.run(y, {x: [[1, 2]]}))


def functions_in_graphs(tf):
    @tf.function
    def f(x):
        if tf.reduce_sum(x) > 0.0:
            return x * 2.0
        return -x

    with graph_of(tf), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [2])
        y = f(x)
        (g,) = tf.gradients(y, x)
        print(session.run([y, g], {x: [1, 2]}), session.run([y, g], {x: [-1, -2]}))


def lengths_differ_from_run_to_run(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [None, None], name="x")
        shape = tf.shape(x)
        flat = tf.reshape(x, [shape[0] * shape[1]])
        rows = tf.reduce_mean(x, axis=1, keepdims=True)
        joined = tf.concat([x, rows], axis=1)
        print(x.shape, flat.shape, rows.shape, joined.shape)
        for value in ([[1, 2, 3]], [[1], [2]], [[1, 2], [3, 4]]):
            print(session.run([shape, flat, joined], {x: value}))


def a_batch_of_one(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [None, 4])
        labels = tf.compat.v1.placeholder(tf.int32, [None])
        logits = tf.matmul(x, tf.reshape(tf.range(12.0), [4, 3])) / 10.0
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        mean = tf.reduce_mean(loss)
        (g,) = tf.gradients(mean, x)
        right = tf.equal(tf.argmax(logits, 1, output_type=tf.int32), labels)
        accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
        for n in (1, 2, 5):
            feed = {
                x: [[0.1 * i, 0.2, 0.3, 0.4] for i in range(n)],
                labels: [i % 3 for i in range(n)],
            }
            found = session.run([mean, g, accuracy], feed)
            print(found[0], found[1].round(4).tolist(), found[2])


def a_network_is_trained(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        y = v1.placeholder(tf.float32, [None, 1], name="y")
        h = x
        for i, n in enumerate([4, 1]):
            with v1.variable_scope(f"layer{i}"):
                k = [[0.1 * (r + 1) * (-1) ** (r + c) for c in range(n)] for r in range(h.shape[1])]
                w = v1.get_variable("w", initializer=tf.constant(k))
                b = v1.get_variable("b", [n], initializer=v1.zeros_initializer())
                h = tf.matmul(h, w) + b
                if n > 1:
                    h = tf.nn.tanh(h)
        loss = tf.reduce_mean(tf.square(h - y))
        step = v1.train.get_or_create_global_step()
        rate = v1.train.exponential_decay(0.1, step, 10, 0.9, staircase=True)
        train = v1.train.AdamOptimizer(rate).minimize(loss, global_step=step)
        session.run(v1.global_variables_initializer())
        feed = {x: [[0, 0], [0, 1], [1, 0], [1, 1]], y: [[0], [1], [1], [0]]}
        for _ in range(15):
            _, value = session.run([train, loss], feed)
        print(value, session.run([step, rate]))
        print([v.name for v in v1.global_variables()])


def optimizers(tf):
    train = tf.compat.v1.train
    for make in (
        lambda: train.GradientDescentOptimizer(0.1),
        lambda: train.MomentumOptimizer(0.1, 0.9),
        lambda: train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        lambda: train.AdamOptimizer(0.1),
        lambda: train.AdagradOptimizer(0.1),
        lambda: train.RMSPropOptimizer(0.1),
        lambda: train.RMSPropOptimizer(0.1, centered=True, momentum=0.5),
        lambda: train.AdadeltaOptimizer(1.0),
        lambda: train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
    ):
        with graph_of(tf), tf.compat.v1.Session() as session:
            v = tf.Variable([1.0, -2.0], name="v")
            optimizer = make()
            step = optimizer.minimize(tf.reduce_sum(v * v * [1.0, 3.0]))
            session.run(tf.compat.v1.global_variables_initializer())
            for _ in range(3):
                session.run(step)
            found = [round(float(x), 4) for x in session.run(v)]
            print(optimizer.get_name(), optimizer.get_slot_names(), found)
            print([s.name for s in optimizer.variables()])


def gradients_are_clipped(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        v, w = tf.Variable(3.0), tf.Variable([4.0])
        optimizer = tf.compat.v1.train.GradientDescentOptimizer(1.0)
        pairs = optimizer.compute_gradients(v * 3.0 + tf.reduce_sum(w) * 4.0)
        clipped, norm = tf.clip_by_global_norm([g for g, _ in pairs], 1.0)
        change = optimizer.apply_gradients(zip(clipped, [x for _, x in pairs], strict=True))
        session.run(tf.compat.v1.global_variables_initializer())
        print(session.run(norm))
        session.run(change)
        print(session.run([v, w]))


def nothing_to_optimize(tf, raises):
    with graph_of(tf):
        optimizer = tf.compat.v1.train.GradientDescentOptimizer(1.0)
        raises(lambda: optimizer.minimize(tf.constant(1.0)), "No variables to optimize")
        v = tf.Variable(1.0)
        raises(lambda: optimizer.minimize(tf.constant(1.0), var_list=[v]), "No gradients provided")
        raises(lambda: optimizer.apply_gradients([]), "No variables provided")


def updates_with_the_training(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        v, n = tf.Variable(4.0), tf.Variable(0, trainable=False)
        v1.add_to_collection(v1.GraphKeys.UPDATE_OPS, n.assign_add(1).op)
        with tf.control_dependencies(v1.get_collection(v1.GraphKeys.UPDATE_OPS)):
            train = v1.train.GradientDescentOptimizer(0.25).minimize(v * v)
        session.run(v1.global_variables_initializer())
        session.run(train)
        session.run(train)
        print(session.run([v, n]))


def moving_averages(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        v = tf.Variable(1.0, name="v")
        averages = tf.train.ExponentialMovingAverage(0.5)
        update = averages.apply([v])
        session.run(tf.compat.v1.global_variables_initializer())
        session.run(v.assign(5.0))
        session.run(update)
        print(averages.average(v).name, session.run(averages.average(v)))


def saved_and_restored(tf):
    import tempfile

    v1 = tf.compat.v1
    with graph_of(tf), tempfile.TemporaryDirectory() as folder:
        v = tf.Variable([1.0, 2.0], name="v")
        w = tf.Variable(3, name="w")
        saver = v1.train.Saver()
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(v.assign([7.0, 8.0]))
            path = saver.save(session, f"{folder}/model", global_step=5)
            print(path.removeprefix(folder), v1.train.latest_checkpoint(folder) == path)
        with v1.Session() as session:
            saver.restore(session, path)
            print(session.run([v, w]))
        print(sorted(tf.train.list_variables(path)))


def only_some_are_saved(tf, raises):
    import tempfile

    v1 = tf.compat.v1
    with graph_of(tf), tempfile.TemporaryDirectory() as folder, v1.Session() as session:
        v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w")
        session.run(v1.global_variables_initializer())
        saver = v1.train.Saver({"renamed": v}, max_to_keep=1)
        paths = [saver.save(session, f"{folder}/m", global_step=i) for i in range(3)]
        print(len(saver.last_checkpoints), tf.train.list_variables(paths[-1]))
        raises(lambda: v1.train.Saver([w]).restore(session, paths[-1]), "w")
        raises(lambda: saver.restore(session, f"{folder}/lacking"))


def old_checkpoints(tf):
    import tempfile

    v1 = tf.compat.v1
    with graph_of(tf), tempfile.TemporaryDirectory() as folder, v1.Session() as session:
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="v")
        saver = v1.train.Saver(write_version=v1.train.SaverDef.V1)
        session.run(v.initializer)
        path = saver.save(session, f"{folder}/old", write_meta_graph=False)
        session.run(v.assign(tf.zeros([2, 2])))
        saver.restore(session, path)
        print(session.run(v), v1.train.checkpoint_exists(path))


def summaries(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        v1.summary.scalar("loss", x)
        v1.summary.histogram("values", tf.stack([x, x * 2.0]))
        merged = v1.summary.merge_all()
        found = v1.Summary.FromString(session.run(merged, {x: 2.5}))
        print([value.tag for value in found.value], found.value[0].simple_value)
        print(found.value[1].histo.num, found.value[1].histo.max)


def a_graph_as_a_message(tf):
    with graph_of(tf) as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 2], name="x")
        tf.add(x, 1.0, name="y")
        message = graph.as_graph_def()
        print([(node.name, node.op, list(node.input)) for node in message.node])


def a_graph_is_imported(tf):
    with graph_of(tf) as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 2], name="x")
        tf.multiply(tf.nn.relu(x), tf.constant([1.0, 2.0]), name="y")
        message = graph.as_graph_def()
    with graph_of(tf) as graph:
        z = tf.constant([[1.0, -3.0]])
        (y,) = tf.import_graph_def(message, {"x": z}, ["y:0"], name="again")
        print(y.name)
        with tf.compat.v1.Session() as session:
            print(session.run(y))
    with graph_of(tf) as graph:
        tf.import_graph_def(message, name="")
        with tf.compat.v1.Session() as session:
            print(session.run("y:0", {"x:0": [[2.0, 3.0]]}))


def printing_and_asserting(tf, raises):
    with graph_of(tf), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [])
        with tf.control_dependencies([tf.print("x:", x), tf.debugging.assert_greater(x, 0.0)]):
            y = x + 1.0
        print(session.run(y, {x: 2.0}))
        raises(lambda: session.run(y, {x: -2.0}))


def random_numbers(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        x = tf.compat.v1.random_uniform([100])
        y = tf.compat.v1.truncated_normal([100], seed=1)
        a, b = session.run([x, x])
        c = session.run(x)
        print((a == b).all(), (a == c).all(), 0 <= a.min() and a.max() < 1)
        print((session.run(y) == session.run(y)).all(), abs(session.run(y)).max() < 2)


def names_of_version_one(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        print(session.run(v1.reduce_sum(x, reduction_indices=[0], keep_dims=True)))
        print(session.run([v1.reduce_mean(x, 1), v1.reduce_max(x), v1.argmax(x, dimension=1)]))
        print(session.run([v1.to_int32(x[0]), v1.to_float([1]), v1.log(x[0])]))
        print(session.run(v1.expand_dims(x[0], dim=0)), session.run(v1.squeeze(x[:1])))
        print(session.run(v1.where(x > 2.0, x, -x)), session.run(v1.div(7, 2)))


def without_eager_execution(tf):
    tf.compat.v1.disable_eager_execution()
    try:
        x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        v = tf.Variable([1.0, 2.0])
        y = tf.reduce_sum(x * v)
        print(tf.executing_eagerly(), y.graph is tf.compat.v1.get_default_graph(), x)
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            print(session.run(y, {x: [3.0, 4.0]}))
    finally:
        tf.compat.v1.reset_default_graph()
        tf.compat.v1.enable_eager_execution()


def sparse_placeholders(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = v1.sparse_placeholder(tf.float32, [None, 3])
        y = tf.reduce_sum(tf.sparse.to_dense(x), 1)
        value = v1.SparseTensorValue([[0, 1], [1, 2]], [5.0, 6.0], [2, 3])
        print(session.run(y, {x: value}))


def values_loaded_into_variables(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        v = tf.Variable([1, 2])
        session.run(v.initializer)
        v.load([5, 6], session)
        print(session.run(v), v.eval(session))


def rates_that_fall(tf):
    train = tf.compat.v1.train
    with graph_of(tf), tf.compat.v1.Session() as session:
        step = tf.compat.v1.placeholder(tf.int32, [])
        rates = [
            train.exponential_decay(0.1, step, 4, 0.5),
            train.polynomial_decay(0.1, step, 8),
            train.piecewise_constant(step, [2, 4], [1.0, 0.5, 0.1]),
            train.inverse_time_decay(0.1, step, 2, 0.5),
            train.natural_exp_decay(0.1, step, 2, 0.5),
            train.cosine_decay(0.1, step, 10),
        ]
        for n in (0, 3, 6):
            print(session.run(rates, {step: n}))
