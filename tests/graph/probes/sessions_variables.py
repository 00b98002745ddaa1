"""Graphs of TensorFlow 1: variables, their scopes, initial values and collections."""

import numpy as np


def graph_of(api):
    return api.Graph().as_default()


def _names(variables):
    return [v.name for v in variables]


def scopes_are_entered_again(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf):
        with v1.variable_scope("a") as a:
            w = v1.get_variable("w", [2])
        raises(lambda: _get(v1, "a", "w"), "already exists", "reuse")
        with v1.variable_scope("a", reuse=True):
            print(v1.get_variable("w", [2]) is w)
            raises(lambda: v1.get_variable("none", [1]), "does not exist")
            raises(lambda: v1.get_variable("w", [3]), "shape")
            raises(lambda: v1.get_variable("w", [2], tf.float64), "dtype")
        with v1.variable_scope(a, reuse=True):
            print(v1.get_variable("w") is w, v1.get_variable_scope().name)
        with v1.variable_scope("b"), v1.variable_scope(a):
            print(v1.get_variable("u", []).name, tf.constant(1, name="c").name)


def _get(v1, scope, name):
    with v1.variable_scope(scope):
        return v1.get_variable(name, [2])


def reuse_is_inherited(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf):
        with v1.variable_scope("x"):
            v = v1.get_variable("v", [])
            print(v1.get_variable_scope().reuse)
            v1.get_variable_scope().reuse_variables()
            print(v1.get_variable_scope().reuse, v1.get_variable("v", []) is v)
            with v1.variable_scope("y"):
                print(v1.get_variable_scope().reuse)
                raises(lambda: v1.get_variable("v", []), "x/y/v")
            with v1.variable_scope("z", reuse=False):
                print(v1.get_variable_scope().reuse)
        with v1.variable_scope("x", reuse=v1.AUTO_REUSE):
            print(v1.get_variable("v", []) is v, v1.get_variable("n", []).name)
            print(v1.get_variable_scope().reuse)


def names_of_scopes(tf):
    v1 = tf.compat.v1
    with graph_of(tf):
        names = []
        for _ in range(2):
            with v1.variable_scope("s", reuse=v1.AUTO_REUSE) as scope:
                names += [tf.constant(0).name, v1.get_variable("v", []).name]
                names += [scope.name, scope.original_name_scope]
        with v1.variable_scope(None, default_name="d"):
            names.append(v1.get_variable("v", []).name)
        with v1.variable_scope(None, default_name="d"):
            names.append(v1.get_variable("v", []).name)
            with v1.variable_scope("e"), tf.name_scope("n"):
                names += [v1.get_variable("v", []).name, tf.constant(0).name]
                names.append(v1.Variable(0.0, name="old").name)
        print(names)
        print(_names(v1.global_variables()))


def scopes_without_names_of_operations(tf):
    v1 = tf.compat.v1
    with graph_of(tf):
        with v1.variable_scope("p", auxiliary_name_scope=False):
            print(v1.get_variable("v", []).name, tf.constant(1, name="c").name)
        with v1.variable_scope("p") as scope, v1.variable_scope("q"):
            pass
        with v1.variable_scope(scope, auxiliary_name_scope=False) as again:
            print(v1.get_variable("w", []).name, tf.constant(1, name="c").name)
            with v1.name_scope(again.original_name_scope):
                print(tf.constant(1, name="d").name)


def defaults_of_scopes(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        init = v1.constant_initializer(3.0)
        half = lambda v: 0.5 * tf.reduce_sum(v)  # noqa: E731
        with v1.variable_scope("a", initializer=init, regularizer=half, dtype=tf.float64) as scope:
            v = v1.get_variable("v", [2])
            with v1.variable_scope("b", initializer=v1.zeros_initializer()):
                w = v1.get_variable("w", [2])
            u = v1.get_variable("u", [1], initializer=v1.ones_initializer(), regularizer=None)
            print(scope.dtype, scope.initializer is init, scope.regularizer is half)
        session.run(v1.global_variables_initializer())
        print(session.run([v, w, u]), v.dtype, w.dtype)
        losses = v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES)
        print([x.name for x in losses], session.run(losses))
        print(session.run(v1.losses.get_regularization_loss()))


def partitioned_variables(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        cut = v1.fixed_size_partitioner(3)
        with v1.variable_scope("s", partitioner=cut):
            v = v1.get_variable("v", [5, 2], initializer=v1.ones_initializer())
        parts = list(v)
        print(type(v).__name__, [(p.name, p.shape.as_list()) for p in parts], v.name)
        session.run(v1.global_variables_initializer())
        whole = tf.convert_to_tensor(v)
        print(whole.shape, session.run(whole), session.run(v.as_tensor())[0])
        print(_names(v1.trainable_variables()), v.dtype, v.shape)
        print(session.run(v1.nn.embedding_lookup(v, [0, 4], "div")))
        print(session.run(v1.nn.embedding_lookup(parts, [0, 4], "div")))


def partitioners(tf):
    v1 = tf.compat.v1
    shape = tf.TensorShape([100, 64])
    print(v1.fixed_size_partitioner(4)(shape=shape, dtype=tf.float32))
    print(v1.fixed_size_partitioner(4, axis=1)(shape=shape, dtype=tf.float32))
    print(v1.variable_axis_size_partitioner(4096)(shape=shape, dtype=tf.float32))
    print(v1.variable_axis_size_partitioner(4096, max_shards=3)(shape=shape, dtype=tf.float32))
    print(v1.min_max_variable_partitioner(3, min_slice_size=1024)(shape=shape, dtype=tf.float32))


def getters_are_nested(tf):
    v1 = tf.compat.v1
    seen = []

    def outer(getter, name, *args, **kwargs):
        seen.append(("outer", name))
        return getter(name, *args, **kwargs)

    def inner(getter, name, *args, **kwargs):
        seen.append(("inner", name, kwargs["trainable"]))
        kwargs["trainable"] = False
        return 2.0 * getter(name, *args, **kwargs)

    with graph_of(tf), v1.Session() as session:
        with (
            v1.variable_scope("a", custom_getter=outer),
            v1.variable_scope("b", custom_getter=inner),
        ):
            v = v1.get_variable("v", [2], initializer=v1.ones_initializer())
        session.run(v1.global_variables_initializer())
        print(seen, session.run(v), _names(v1.trainable_variables()))


def creators_of_variables(tf):
    v1 = tf.compat.v1
    seen = []

    def creator(next_creator, **kwargs):
        seen.append((kwargs["name"], kwargs["trainable"]))
        return next_creator(**kwargs)

    with graph_of(tf), v1.variable_creator_scope(creator):
        v = v1.get_variable("v", [2])
        w = v1.Variable(1.0, name="w", trainable=False)
        u = tf.Variable(1.0, name="u")
    print(seen, _names([v, w, u]))


def initial_values_of_all_kinds(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        a = v1.get_variable("a", initializer=[[1.0, 2.0]])
        b = v1.get_variable("b", [2, 2], initializer=v1.zeros_initializer())
        c = v1.get_variable(
            "c", [3], initializer=v1.constant_initializer([1, 2, 3]), dtype=tf.int32
        )
        d = v1.get_variable("d", initializer=lambda: tf.constant([5.0]))
        e = v1.get_variable("e", [2, 3], initializer=v1.initializers.identity())
        f = v1.get_variable("f", [2], tf.string, initializer=v1.constant_initializer("x"))
        g = v1.get_variable("g", initializer=tf.range(3))
        h = v1.get_variable("h", [2], tf.bool, initializer=v1.ones_initializer())
        session.run(v1.global_variables_initializer())
        for v in [a, b, c, d, e, f, g, h]:
            print(v.name, v.dtype, v.shape, session.run(v).tolist())


def random_initial_values(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        v1.set_random_seed(2)  # the means of other numbers may be greater
        makers = {
            "glorot": v1.glorot_uniform_initializer(),
            "glorot_normal": v1.glorot_normal_initializer(),
            "uniform": v1.random_uniform_initializer(-1, 1),
            "normal": v1.random_normal_initializer(0.0, 2.0),
            "truncated": v1.truncated_normal_initializer(0.0, 0.1),
            "scaled": v1.variance_scaling_initializer(2.0, "fan_in"),
            "orthogonal": v1.orthogonal_initializer(),
            "unit": v1.uniform_unit_scaling_initializer(1.0),
            "he": v1.initializers.he_normal(),
            "lecun": v1.initializers.lecun_uniform(),
        }
        made = {k: v1.get_variable(k, [100, 80], initializer=i) for k, i in makers.items()}
        session.run(v1.global_variables_initializer())
        for name, v in made.items():
            x = session.run(v)
            print(
                name,
                x.dtype,
                round(float(x.std()), 1),
                abs(x.mean()) < 0.05,
                bool(abs(x).max() < 10),
            )
        o = session.run(made["orthogonal"])
        print(np.allclose(o.T @ o, np.eye(80), atol=1e-4))
        print(sorted(v1.glorot_uniform_initializer(seed=3).get_config()))


def initializers_in_order(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        a = v1.get_variable("a", initializer=2.0)
        b = v1.Variable(a.initial_value * 3.0, name="b")
        c = v1.Variable(a * 2.0, name="c")
        session.run(b.initializer)
        print(session.run(b))
        raises(lambda: session.run(c.initializer), "a")
        session.run(a.initializer)
        session.run(v1.variables_initializer([c]))
        print(session.run(c), session.run(v1.report_uninitialized_variables()))
        d = v1.get_variable("d", [1], initializer=v1.zeros_initializer())
        print(session.run(v1.report_uninitialized_variables([a, d])))
        raises(lambda: v1.get_variable("e", [None, 2]), "fully defined", "shape")
        raises(lambda: v1.get_variable("f", [2], initializer=tf.zeros([2])), "shape")
        raises(lambda: v1.get_variable("g"), "shape")
        print(session.run(v1.is_variable_initialized(d)))


def variables_of_any_shape(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float32)
        v = v1.Variable([1.0], name="v", validate_shape=False)
        change = v1.assign(v, x, validate_shape=False)
        session.run(v.initializer)
        print(v.shape, session.run(v))
        print(session.run(change, {x: [1.0, 2.0, 3.0]}), session.run(v))
        w = v1.Variable([1.0, 2.0], name="w")
        raises(lambda: w.assign([1.0]), "hape")
        session.run(w.initializer)
        w.load([5.0, 6.0], session)
        print(session.run(w))


def collections_of_variables(tf):
    v1 = tf.compat.v1
    keys = v1.GraphKeys
    with graph_of(tf) as graph:
        v1.get_variable("a", [1])
        v1.get_variable("b", [1], trainable=False)
        v1.get_variable("c", [1], collections=[keys.LOCAL_VARIABLES])
        v1.get_variable("d", [1], collections=["mine", keys.GLOBAL_VARIABLES])
        with v1.variable_scope("s"):
            v1.get_variable("e", [1])
            v1.Variable(1.0, name="f", collections=[])
        for name in [
            "global_variables",
            "trainable_variables",
            "local_variables",
            "model_variables",
        ]:
            print(name, _names(getattr(v1, name)()), _names(getattr(v1, name)(scope="s")))
        print(_names(v1.get_collection("mine")))
        print(
            _names(v1.get_collection(keys.GLOBAL_VARIABLES, scope="s/")),
            sorted(graph.get_all_collection_keys()),
        )
        v1.add_to_collection("things", 3)
        v1.add_to_collections(["things", "more"], "x")
        print(graph.get_collection("things"), graph.get_collection_ref("more"))
        graph.get_collection_ref("more").append(1)
        print(graph.get_collection("more"))
        graph.clear_collection("more")
        print(graph.get_collection("more"), v1.get_collection("never"))


def slices_are_assigned(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        v = v1.get_variable("v", initializer=np.zeros((3, 2), "f"))
        session.run(v.initializer)
        print(session.run(v[1].assign([1.0, 2.0])))
        print(session.run(v[:, 0].assign([7.0, 8.0, 9.0])))
        print(session.run(v1.scatter_update(v, [0, 2], [[5.0, 5.0], [6.0, 6.0]])))
        print(session.run(v1.scatter_add(v, [0], [[1.0, 1.0]])))
        print(session.run(v1.scatter_nd_update(v, [[0, 1]], [100.0])))
        print(session.run(v1.scatter_sub(v, 1, [1.0, 1.0])), session.run(v))
        print(session.run(v.scatter_sub(tf.IndexedSlices([[1.0, 0.0]], [2]))))


def counters(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        step = v1.train.create_global_step()
        print(step.name, step.dtype, v1.train.get_global_step() is step)
        raises(lambda: v1.train.create_global_step(), "already exists")
        session.run(step.initializer)
        session.run(v1.assign_add(step, 5))
        print(v1.train.global_step(session, step))
        v1.train.assert_global_step(step)
        n = v1.Variable(0, name="n")
        up = v1.count_up_to(n, 2)
        session.run(n.initializer)
        print(session.run(up), session.run(up))
        raises(lambda: session.run(up), "limit of 2")


def templates_share_variables(tf):
    v1 = tf.compat.v1

    def line(x, name):
        w = v1.get_variable("w", [], initializer=v1.constant_initializer(2.0))
        return tf.multiply(w, x, name=name)

    with graph_of(tf), v1.Session() as session:
        t = v1.make_template("line", line, name="out")
        a, b = t(1.0), t(2.0)
        u = v1.make_template("line", line, name="out")
        c = u(3.0)
        session.run(v1.global_variables_initializer())
        print(a.name, b.name, c.name, session.run([a, b, c]))
        print(_names(v1.global_variables()), t.variable_scope.name, _names(u.variables))


def properties_of_variables(tf):
    v1 = tf.compat.v1
    with graph_of(tf) as graph, v1.Session() as session:
        v = v1.get_variable("v", [2], initializer=v1.ones_initializer(), trainable=False)
        print(v, v.op.name, v.op.type, v.graph is graph, v.trainable, v.name)
        print(v.initializer.name, v.initial_value.shape, v.get_shape(), v.dtype.base_dtype)
        print(v.value().shape, v.read_value().dtype, v.device)
        session.run(v.initializer)
        print(session.run([v + 1.0, v[0], -v, v * v, 2.0 / v, v > 0]))
        print(session.run(v.assign_add([1.0, 2.0])), session.run(v.assign_sub([1.0, 1.0])))
        print(session.run(v1.assign(v, [9.0, 9.0])), session.run(tf.identity(v)))


def devices_and_caching(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        with v1.device("/cpu:0"), v1.variable_scope("s", caching_device="/cpu:0"):
            v = v1.get_variable(
                "v",
                initializer=1.0,
                use_resource=True,
                synchronization=tf.VariableSynchronization.AUTO,
            )
        with v1.container("c"):
            w = v1.get_local_variable("w", initializer=2.0)
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        print(session.run(v + w), v.name, w.name, _names(v1.local_variables()))


def constraints_after_steps(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        v = v1.get_variable(
            "v", initializer=[1.0, -1.0], constraint=lambda x: tf.clip_by_value(x, 0.0, 1.0)
        )
        train = v1.train.GradientDescentOptimizer(1.0).minimize(-tf.reduce_sum(v))
        session.run(v1.global_variables_initializer())
        session.run(train)
        print(session.run(v), v.constraint is not None)
