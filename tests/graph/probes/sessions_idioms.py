"""Idioms of programs for TensorFlow 1."""


def graph_of(api):
    return api.Graph().as_default()


def weighted_gradients_of_several(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float64, [2])
        a, b = x * x, tf.sin(x)
        g = tf.gradients([a, b], x, grad_ys=[tf.constant([1.0, 2.0], tf.float64), None])
        print(session.run(g, {x: [1.0, 2.0]}))


def gradients_that_stop(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [])
        y = x * x
        z = y * x + tf.stop_gradient(y) * 3.0
        print(session.run(tf.gradients(z, [x, y]), {x: 2.0}))
        print(session.run(tf.gradients(z, [x, y], stop_gradients=[y]), {x: 2.0}))


def unconnected_gradients(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)
        print(tf.gradients(x, y))
        found = tf.gradients(x, y, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        print(session.run(found))


def variables_are_shared_by_scope(tf):
    v1 = tf.compat.v1

    def layer(x):
        w = v1.get_variable("w", [2], initializer=v1.ones_initializer())
        return x * w

    with graph_of(tf), v1.Session() as session:
        with v1.variable_scope("net") as scope:
            a = layer(tf.constant([1.0, 2.0]))
            scope.reuse_variables()
            b = layer(tf.constant([3.0, 4.0]))
        session.run(v1.global_variables_initializer())
        print(len(v1.global_variables()), session.run([a, b]))


def automatic_reuse(tf):
    v1 = tf.compat.v1
    with graph_of(tf):
        names = []
        for _ in range(3):
            with v1.variable_scope("block", reuse=v1.AUTO_REUSE):
                names.append(v1.get_variable("w", []).name)
        print(names, len(v1.trainable_variables()))


def order_by_control_dependencies(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        v = tf.compat.v1.get_variable("v", initializer=1.0)
        first = v.assign(v * 10.0)
        with tf.control_dependencies([first]):
            second = v.assign_add(5.0)
            with tf.control_dependencies([second]):
                third = tf.group(v.assign_sub(2.0))
        session.run(v.initializer)
        session.run(third)
        print(session.run(v), [op.name for op in third.control_inputs])


def dependencies_that_are_cleared(tf):
    with graph_of(tf) as graph:
        a = tf.no_op(name="a")
        with graph.control_dependencies([a]):
            b = tf.no_op(name="b")
            with graph.control_dependencies(None):
                c = tf.no_op(name="c")
        print([op.name for op in b.control_inputs], [op.name for op in c.control_inputs])


def averages_that_move_with_steps(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        v = v1.get_variable("v", initializer=1.0)
        step = v1.train.get_or_create_global_step()
        averages = v1.train.ExponentialMovingAverage(0.9, num_updates=step)
        with tf.control_dependencies([v.assign_add(1.0), step.assign_add(1)]):
            update = averages.apply([v])
        session.run(v1.global_variables_initializer())
        for _ in range(3):
            session.run(update)
        print(session.run([v, averages.average(v)]), averages.average_name(v))


def choices_in_two_ways(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        train = tf.compat.v1.placeholder_with_default(False, [])
        x = tf.compat.v1.placeholder(tf.float32, [None])
        y = tf.cond(train, lambda: x * 0.5, lambda: x)
        (g,) = tf.gradients(y, x)
        print(session.run([y, g], {x: [1.0, 2.0]}), session.run([y, g], {x: [3.0], train: True}))


def a_loop_that_gathers(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        n = v1.placeholder(tf.int32, [])
        rows = tf.TensorArray(tf.float32, size=n, element_shape=[])
        _, rows = tf.while_loop(
            lambda i, _: i < n,
            lambda i, a: (i + 1, a.write(i, tf.cast(i * i, tf.float32))),
            [tf.constant(0), rows],
        )
        print(session.run(rows.stack(), {n: 4}))


def numbers_in_names(tf):
    with graph_of(tf) as graph:
        for _ in range(3):
            tf.compat.v1.placeholder(tf.float32, name="x")
        with tf.name_scope("s"):
            tf.constant(1, name="x")
        with tf.name_scope("s"):
            tf.constant(1, name="x")
        print([op.name for op in graph.get_operations()])
        print(graph.unique_name("x"), graph.unique_name("new"), graph.unique_name("new"))


def scopes_that_are_entered_again(tf):
    v1 = tf.compat.v1
    with graph_of(tf):
        with v1.name_scope("a") as scope:
            x = tf.constant(1.0, name="x")
        with v1.name_scope(scope):
            y = tf.constant(1.0, name="y")
        with v1.name_scope(None):
            z = tf.constant(1.0, name="z")
        print(scope, x.name, y.name, z.name)


def merged_summaries(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        with tf.name_scope("train"):
            v1.summary.scalar("loss", x)
            v1.summary.scalar("rate", x / 2.0)
        merged = v1.summary.merge_all()
        found = v1.Summary.FromString(session.run(merged, {x: 4.0}))
        print([(value.tag, value.simple_value) for value in found.value])


def steps_of_training_are_counted(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        v = v1.get_variable("v", initializer=[1.0, 2.0])
        step = v1.train.get_or_create_global_step()
        train = v1.train.MomentumOptimizer(0.1, 0.9).minimize(
            tf.reduce_sum(v * v), global_step=step, name="train"
        )
        session.run(v1.global_variables_initializer())
        for _ in range(3):
            session.run(train)
        print(train.name, session.run([v, step]), v1.train.global_step(session, step))


def gradients_are_changed(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        v = v1.get_variable("v", initializer=3.0)
        w = v1.get_variable("w", initializer=1.0)
        optimizer = v1.train.GradientDescentOptimizer(0.5)
        pairs = optimizer.compute_gradients(v * v, [v, w])
        print([g is None for g, _ in pairs])
        train = optimizer.apply_gradients([(tf.clip_by_value(pairs[0][0], -1.0, 1.0), v)])
        session.run(v1.global_variables_initializer())
        session.run(train)
        print(session.run([v, w]))


def collections_by_scope(tf):
    v1 = tf.compat.v1
    with graph_of(tf):
        for scope in ("generator", "critic"):
            with v1.variable_scope(scope):
                v1.get_variable("w", [2])
                v1.get_variable("b", [1], trainable=False)
        print([v.name for v in v1.get_collection(v1.GraphKeys.TRAINABLE_VARIABLES, "critic")])
        print([v.name for v in v1.global_variables("gen")])


def assertions_of_version_one(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None])
        checks = [
            v1.assert_positive(x),
            v1.assert_less(x, 10.0, message="too large"),
            v1.Assert(tf.reduce_sum(x) < 12.0, [x]),
        ]
        with tf.control_dependencies(checks):
            y = x * 2.0
        print(session.run(y, {x: [1.0, 2.0]}))
        for value in ([-1.0], [11.0], [8.0, 9.0]):
            raises(lambda value=value: session.run(y, {x: value}))


def values_that_are_fed_in_between(tf):
    with graph_of(tf), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.string, [])
        y = tf.strings.join([x, tf.constant("!")])
        z = tf.strings.length(y)
        print(session.run([y, z], {x: "four"}), session.run(z, {y: "more"}))


def graphs_within_graphs(tf):
    outer, inner = tf.Graph(), tf.Graph()
    with outer.as_default():
        a = tf.constant(1, name="a")
        with inner.as_default():
            b = tf.constant(2, name="a")
        c = tf.constant(3, name="c")
    print(a.name, b.name, c.graph is outer, b.graph is inner)
    with tf.compat.v1.Session(graph=inner) as session:
        print(session.run("a:0"))


def operations_that_are_looked_up(tf, raises):
    with graph_of(tf) as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 2], name="x")
        y = tf.nn.relu(x, name="y")
        print(graph.get_operation_by_name("y").type, graph.get_tensor_by_name("y:0") is y)
        print(y.op.inputs[0].name, [op.name for op in x.consumers()], y.op.get_attr("T"))
        raises(lambda: graph.get_tensor_by_name("z:0"))
        raises(lambda: graph.get_operation_by_name("z"))
