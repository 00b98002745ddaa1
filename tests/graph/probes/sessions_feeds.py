"""Graphs of TensorFlow 1: feeds, fetches, names, operations and errors."""

import collections

import numpy as np


def graph_of(api):
    return api.Graph().as_default()


def structures_that_are_nested(tf):
    v1 = tf.compat.v1
    Pair = collections.namedtuple("Pair", ["first", "second"])
    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2], name="x")
        y = {"sum": tf.reduce_sum(x), "pair": Pair(x * 2.0, [x + 1.0, (x - 1.0,)])}
        print(session.run(y, {x: [1.0, 2.0]}))
        ordered = collections.OrderedDict([("b", x), ("a", tf.reduce_max(x))])
        print(list(session.run(ordered, {x: [3.0, 4.0]}).items()))
        print(session.run([], {x: [1.0, 2.0]}), session.run({}, {x: [0.0, 0.0]}))
        print(session.run([x, x, [x]], {x: [5.0, 6.0]}))


def fetches_by_name(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        a = tf.constant([1.0, 2.0], name="a")
        tf.multiply(a, 2.0, name="b")
        print(session.run("b:0"), session.run(["a:0", "b"]))
        print(session.run("b:0", {"a:0": [5.0, 5.0]}))
        raises(lambda: session.run("c:0"), "c:0", "does not exist")
        raises(lambda: session.run("b:1"), "output", "b:1")
        raises(lambda: session.run("b:x"))
        raises(lambda: session.run(1.0), "invalid type", "string or Tensor")
        raises(lambda: session.run([a, None]), "None")


def feeds_of_wrong_shapes(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        y = tf.reduce_sum(x, axis=1)
        print(session.run(y, {x: [[1, 2], [3, 4]]}), session.run(y, {x: np.ones((0, 2))}))
        raises(lambda: session.run(y, {x: [1.0, 2.0]}), "Cannot feed value of shape (2,)", "(?, 2)")
        raises(lambda: session.run(y, {x: [[1.0]]}), "Cannot feed value of shape (1, 1)")
        raises(lambda: session.run(y, {x: "text"}), "could not convert string to float")
        raises(lambda: session.run(y), "You must feed a value for placeholder tensor 'x'", "float")
        raises(lambda: session.run(y, {"z:0": 1.0}), "Cannot interpret feed_dict key", "z")
        raises(lambda: session.run(y, {y: 1.0}), "(None,)", "Cannot feed value of shape ()")


def feeds_of_other_dtypes(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        i = v1.placeholder(tf.int32, [], name="i")
        f = v1.placeholder(tf.float64, [None])
        b = v1.placeholder(tf.bool)
        s = v1.placeholder(tf.string, [None])
        c = v1.placeholder(tf.complex64, [])
        h = v1.placeholder(tf.float16, [2])
        print(session.run(i + 1, {i: np.int64(4)}), session.run(i + 1, {i: True}))
        print(session.run(f, {f: [1, 2]}).dtype, session.run(tf.logical_not(b), {b: [True, False]}))
        print(session.run(tf.identity(s), {s: ["a", b"b"]}), session.run(c * 2.0, {c: 1 + 2j}))
        print(session.run(h, {h: [1.0, 0.1]}), session.run(h, {h: [1, 2]}).dtype)
        raises(lambda: session.run(i, {i: 2**40}), "int32")
        print(session.run(i, {i: 3.7}))
        raises(lambda: session.run(i, {i: tf.constant(1)}), "cannot be a tf.Tensor object")


def defaults_of_placeholders(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder_with_default([1.0, 2.0], [None], name="x")
        keep = v1.placeholder_with_default(tf.constant(0.5), shape=())
        y = x * keep
        print(x, keep.shape, y.shape)
        print(session.run(y), session.run(y, {x: [4.0]}), session.run(y, {keep: 1.0}))
        raises(lambda: session.run(y, {keep: [1.0]}), "Cannot feed")
        print(session.run(tf.shape(x), {x: np.zeros(7)}))


def one_run_computes_once(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        v1.set_random_seed(1)
        u = v1.random_uniform([])
        a, b = u * 2.0, u * 2.0
        x, y, z = session.run([a, b, u])
        print(x == y, z * 2 == x, session.run(u) != z)


def fetching_values_and_operations(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        v = v1.get_variable("v", initializer=[1.0, 2.0])
        up = v.assign_add([1.0, 1.0])
        print(session.run(v.initializer), session.run(v1.global_variables_initializer()))
        print(session.run([v, v.read_value()]))
        print(session.run(up.op), session.run({"up": up, "nothing": tf.no_op()}))
        print(v.eval(), v.eval(session), type(session.run(v)).__name__)
        print(
            type(session.run(tf.constant(1.0))).__name__,
            type(session.run(tf.constant("a"))).__name__,
        )


def indexed_slices_and_sparse_tensors(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        s = tf.sparse.from_dense([[0, 1], [2, 0]])
        print(session.run(s))
        print(session.run(tf.sparse.to_dense(s)))
        p = v1.sparse_placeholder(tf.float32, shape=[3, 2])
        value = v1.SparseTensorValue([[0, 0], [2, 1]], [1.0, 2.0], [3, 2])
        print(session.run(tf.sparse.to_dense(p), {p: value}))
        print(session.run(v1.sparse_reduce_sum(p, 1), {p: value}))
        w = v1.get_variable("w", [4, 2], initializer=v1.ones_initializer())
        g = tf.gradients(tf.reduce_sum(tf.gather(w, [1, 1, 3])), w)[0]
        session.run(w.initializer)
        print(type(g).__name__, session.run(g))


def sparse_tensors_of_unknown_rank(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        p = v1.sparse_placeholder(tf.float32, name="p")
        print(p.shape, p.indices, p.values, p.dense_shape)
        dense = tf.sparse.to_dense(p)
        value = v1.SparseTensorValue(np.array([[0, 1], [1, 0]]), np.array([1.0, 2.0], "f"), (2, 2))
        print(session.run(dense, {p: value}))
        print(session.run(p, {p: value}))
        print(session.run(p.values * 2.0, {p: (np.array([[3]]), np.array([7.0], "f"), [9])}))
        cube = (np.array([[0, 1, 1]]), np.array([5.0], "f"), np.array([1, 2, 2]))
        print(session.run(dense, {p: cube}))


def lengths_that_are_fed(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        n = v1.placeholder(tf.int32, [], name="n")
        x = tf.range(12.0)
        print(session.run(tf.reshape(x, [n, -1]), {n: 3}))
        print(session.run(tf.shape(tf.reshape(x, [-1, n, 2])), {n: 2}))
        print(session.run(tf.tile([[1, 2]], [n, 2]), {n: 2}))
        print(session.run(tf.fill([n, 2], 7), {n: 2}), session.run(tf.zeros([n]), {n: 3}))
        print(session.run(tf.range(n), {n: 4}), session.run(tf.one_hot([1, 0], n), {n: 2}))
        print(session.run(tf.slice(x, [n], [2]), {n: 5}), session.run(x[n:], {n: 10}))
        print(
            session.run(
                tf.gradients(tf.reduce_sum(tf.tile(tf.reshape(x, [1, 12]), [n, 1])), x), {n: 3}
            )
        )
        raises(lambda: session.run(tf.fill([n], 1), {n: -1}), "negative")
        raises(lambda: session.run(tf.zeros([n]), {n: -2}))
        raises(lambda: session.run(tf.reshape(x, [n, 5]), {n: 2}), "values")


def shapes_that_are_fed(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        shape = v1.placeholder(tf.int32, [2])
        free = v1.placeholder(tf.int32, [None])
        x = v1.placeholder(tf.float32, [None])
        y = tf.reshape(x, shape)
        z = tf.reshape(x, free)
        print(y.shape, z.shape)
        print(session.run(y, {x: [1, 2, 3, 4], shape: [2, -1]}))
        print(session.run([z, tf.rank(z)], {x: [1, 2, 3, 4], free: [2, 1, 2]}))
        print(session.run(tf.gradients(tf.reduce_sum(y * y), x), {x: [1, 2], shape: [2, 1]}))
        print(session.run(tf.broadcast_to(x, free), {x: [1, 2], free: [2, 2]}))
        print(session.run(tf.tile(x, free), {x: [1, 2], free: [2]}))
        print(session.run(tf.ones(free), {free: [1, 2]}))


def graphs_and_their_operations(tf):
    v1 = tf.compat.v1
    with graph_of(tf) as graph:
        x = v1.placeholder(tf.float32, [None, 3], name="x")
        w = tf.constant(np.ones((3, 2), "f"), name="w")
        y = tf.nn.relu(tf.matmul(x, w, name="product"), name="y")
        print([(op.name, op.type) for op in graph.get_operations()])
        op = graph.get_operation_by_name("product")
        print(op.name, op.type, op.inputs[0].name, op.inputs[1].name, op.outputs)
        print(op.get_attr("transpose_a"), op.get_attr("T"))
        print([o.name for o in x.consumers()])
        print(op.graph is graph, y.op.name, y.value_index, op.device == "")
        print(op.node_def.name, list(op.node_def.input), op.node_def.op)
        print(graph.get_operation_by_name("x").get_attr("shape"))


def names_are_made_unique(tf):
    v1 = tf.compat.v1
    with graph_of(tf) as graph:
        names = [tf.constant(0, name="c").name, tf.constant(0, name="c").name]
        with tf.name_scope("c"):
            names.append(tf.constant(0).name)
            names.append(tf.add(1.0, tf.constant(2.0)).name)
        with v1.name_scope("s") as scope:
            names.append(scope)
            with v1.name_scope("t"):
                names.append(v1.placeholder(tf.int32).name)
            with v1.name_scope(None):
                names.append(v1.placeholder(tf.int32, name="top").name)
        with v1.name_scope(scope):
            names.append(v1.placeholder(tf.int32, name="again").name)
        with v1.name_scope("s"):
            names.append(v1.placeholder(tf.int32, name="again").name)
        print(names)
        print(graph.unique_name("c"), graph.unique_name("c", mark_as_used=False))
        print(graph.unique_name("fresh"), graph.unique_name("fresh"))


def names_that_are_not_valid(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf) as graph:
        print(tf.constant(1, name="a.b-c_d").name)
        raises(lambda: graph.get_tensor_by_name("a"), "Op_type", "name")
        raises(lambda: graph.get_tensor_by_name("a:0"), "does not exist")
        raises(lambda: graph.get_operation_by_name("a:0"))
        raises(lambda: graph.get_operation_by_name("nothing"), "nothing")
        raises(lambda: graph.get_tensor_by_name(3))


def names_are_checked_at_once(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf):
        raises(lambda: v1.placeholder(tf.int32, name="a b"), "not a valid")
        raises(lambda: tf.constant(1, name="_x"), "not a valid")


def constants_that_are_folded(tf):
    v1 = tf.compat.v1
    with graph_of(tf):
        x = v1.placeholder(tf.float32, [2])
        y = tf.nn.relu(tf.identity(x), name="y")
        print(tf.get_static_value(tf.constant([1, 2]) * 2), y.op.inputs[0] is x.op.outputs[0])


def tensors_as_python_values(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf):
        x = v1.placeholder(tf.float32, [2])
        raises(lambda: bool(x[0] > 0))
        raises(lambda: list(v1.placeholder(tf.float32)))
        print(len([part for part in [1, 2]]), x.shape[0], x.get_shape().as_list())
        print(tf.get_static_value(tf.constant([1, 2])), tf.get_static_value(x))
        raises(lambda: x.numpy())
        raises(lambda: np.array(x))
        print(x == x, x is x, hash(x) == hash(x), {x: 1}[x])
        raises(lambda: len(x))


def static_shapes(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf):
        x = v1.placeholder(tf.float32, [None, 4])
        u = v1.placeholder(tf.float32)
        print(x.shape, u.shape, u.shape.ndims, (x + 1.0).shape, tf.concat([x, x], 1).shape)
        print(tf.matmul(x, tf.ones([4, 2])).shape, tf.reduce_sum(x, 0).shape, x[:, 1].shape)
        u.set_shape([None, 3])
        print(u.shape, tf.transpose(u).shape, tf.expand_dims(u, 0).shape)
        raises(lambda: u.set_shape([2, 2]))
        print(tf.stack([x, x]).shape, tf.split(x, 2, 1)[0].shape, tf.reshape(x, [-1, 2]).shape)
        raises(lambda: tf.matmul(x, tf.ones([3, 2])))
        raises(lambda: x + tf.ones([3]), "must be equal")
        print(v1.placeholder(tf.float32, [None]).shape.is_fully_defined(), x.shape.num_elements())


def evaluation_with_feeds(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf) as graph:
        x = v1.placeholder(tf.float32, [], name="x")
        y = x * x
        with v1.Session() as session:
            print(y.eval({x: 3.0}), y.eval(feed_dict={x: 4.0}, session=session))
            print(tf.group(y).run({x: 1.0}), session.graph is graph)
            print(v1.get_default_session() is session)
        print(v1.get_default_session())
        raises(lambda: y.eval({x: 1.0}), "No default session")
        with v1.Session(graph=tf.Graph()) as other:
            raises(lambda: y.eval({x: 1.0}), "different")
            raises(lambda: other.run(y, {x: 1.0}), "not an element of this graph")


def errors_of_operations(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        i = v1.placeholder(tf.int32, [None], name="i")
        x = v1.placeholder(tf.float32, [None, None], name="x")
        picked = tf.gather([1.0, 2.0], i, name="picked")
        raises(lambda: session.run(picked, {i: [5]}), "indices[0] = 5 is not in [0, 2)", "picked")
        inverse = tf.linalg.inv(x)
        raises(lambda: session.run(inverse, {x: [[0.0, 0.0], [0.0, 0.0]]}), "not invertible")
        checked = tf.debugging.check_numerics(x, "bad", name="checked")
        raises(lambda: session.run(checked, {x: [[np.nan]]}), "bad", "NaN")
        try:
            session.run(picked, {i: [7]})
        except tf.errors.InvalidArgumentError as error:
            print(error.op.name, error.op.type, error.error_code, error.node_def.name)


def a_graph_within_a_function(tf):
    v1 = tf.compat.v1

    @tf.function
    def square(x):
        return x * x + 1.0

    with graph_of(tf) as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [None])
        y = square(x)
        print(y.shape, y.graph is graph, y.dtype)
        slope = tf.gradients(y, x)
        print(session.run(y, {x: [1.0, 2.0]}))
        print(session.run(slope, {x: [3.0]}))


def partial_runs(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        a, b, c = (v1.placeholder(tf.float32, shape=[]) for _ in range(3))
        r1 = tf.add(a, b)
        r2 = tf.multiply(r1, c)
        handle = session.partial_run_setup([r1, r2], [a, b, c])
        first = session.partial_run(handle, r1, feed_dict={a: 1, b: 2})
        print(first, session.partial_run(handle, r2, feed_dict={c: first}))
        handle = session.partial_run_setup([r1, r2], [a, b, c])
        print(session.partial_run(handle, r1, {a: 1, b: 1}))
        raises(lambda: session.partial_run(handle, r1, {a: 1}), "already been", "fed", "fetched")
        raises(lambda: session.partial_run(handle, a, {}), "not", "fetch")
        raises(lambda: session.partial_run("none", r1, {a: 1}), "Must run 'setup'")


def sharing_between_sessions(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf) as graph:
        v = v1.get_variable("v", initializer=1.0)
        add = v.assign_add(1.0)
        one, two = v1.Session(), v1.Session(graph=graph)
        one.run(v.initializer)
        one.run(add)
        raises(lambda: two.run(v))
        two.run(v.initializer)
        print(one.run(v), two.run(v))
        one.close()
        raises(lambda: one.run(v), "closed")
        print(two.run(add))
        two.close()


def protos_of_configuration(tf):
    v1 = tf.compat.v1
    config = v1.ConfigProto(allow_soft_placement=True, log_device_placement=False)
    config.gpu_options.allow_growth = True
    config.gpu_options.per_process_gpu_memory_fraction = 0.5
    config.intra_op_parallelism_threads = 1
    print(config.gpu_options.allow_growth, config.allow_soft_placement)
    options = v1.RunOptions(trace_level=v1.RunOptions.NO_TRACE)
    data = v1.RunMetadata()
    with graph_of(tf), v1.Session(config=config) as session:
        print(session.run(tf.constant(3) * 2, options=options, run_metadata=data))
        print(type(session.graph_def).__name__, session.sess_str == b"" or session.sess_str == "")


def ragged_tensors_are_fetched(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        rows = tf.ragged.constant([[1, 2], [3], []])
        value = session.run(rows)
        print(type(value).__name__, value, repr(value), value.to_list())
        print(value.dtype, value.shape, value.ragged_rank, value.flat_values, value.row_splits)
        deep = session.run(tf.ragged.constant([[[1.0, 2.0], []], [[3.0]], []]))
        print(deep, deep.shape, deep.ragged_rank, type(deep.values).__name__)
        print([splits.tolist() for splits in deep.nested_row_splits])
        both = session.run({"a": rows, "b": (rows, tf.constant(1))})
        print(both["a"].to_list(), both["b"][0].to_list(), both["b"][1])
        print(session.run(tf.strings.split(["a b", "c"])).to_list())
        print(session.run(tf.RaggedTensor.from_row_lengths(tf.zeros([3, 2]), [1, 2])))
        print(session.make_callable(rows)())
        x = v1.placeholder(tf.float32, [None])
        cut = tf.RaggedTensor.from_row_splits(x, [0, 1, 3])
        print(session.run(tf.gradients(tf.reduce_sum(cut * cut), x), {x: [1.0, 2.0, 3.0]}))


def ragged_values(tf, raises):
    v1 = tf.compat.v1
    make = v1.ragged.constant_value
    for rows, options in [
        ([[1, 2], [3]], {}),
        ([[1.5], []], {"row_splits_dtype": "int32"}),
        ([[], []], {}),
        ([[[1], [2]], [[3], [4]]], {"ragged_rank": 1}),
        ([[[1], [2]], [[3], [4]]], {"inner_shape": (1,)}),
        ([[1, 2], [3]], {"dtype": tf.float32}),
        ([], {"ragged_rank": 1}),
    ]:
        value = make(rows, **options)
        print(value, value.dtype, value.shape, value.row_splits.dtype)
    print(repr(make(3)), repr(make([1, 2], dtype="float32")))
    raises(lambda: make([[1], 2]), "nesting depth")
    of = v1.ragged.RaggedTensorValue
    print(of(np.array([1, 2]), np.array([0, 2])).to_list())
    raises(lambda: of([1, 2], np.array([0, 2])), "values must be")
    raises(lambda: of(np.array([1, 2]), [0, 2]), "1D int32 or int64")
    raises(lambda: of(np.array([1, 2]), np.array([0.0, 2.0])), "1D int32 or int64")
    raises(
        lambda: of(of(np.array([1]), np.array([0, 1])), np.array([0, 1], np.int32)), "same dtype"
    )


def ragged_tensors_are_fed(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        rows = v1.ragged.placeholder(tf.float32, 1, [])
        print(rows.shape, rows.dtype, rows.flat_values.name, rows.row_splits.name)
        value = v1.ragged.constant_value([[1.0, 2.0], [3.0]], "float32")
        print(session.run(2 * rows, {rows: value}).to_list())
        print(session.run(rows, {rows: session.run(rows + 1, {rows: value})}))
        print(session.run(rows, {rows.flat_values: [4.0, 5.0], rows.row_splits: [0, 0, 2]}))
        print(session.make_callable(-rows, [rows])(value))
        total = tf.reduce_sum(rows, 1)
        handle = session.partial_run_setup([total], [rows])
        print(session.partial_run(handle, total, {rows: value}))
        raises(lambda: session.run(rows))
        raises(lambda: session.run(rows, {rows: [[1.0], [2.0]]}))
        deep = v1.ragged.placeholder(tf.float32, 2, [], name="deep")
        print(deep.shape, deep.flat_values.name, [s.name for s in deep.nested_row_splits])
        raises(lambda: session.run(deep, {deep: value}))
        wide = v1.ragged.placeholder(tf.float32, 1, [2])
        pairs = v1.ragged.constant_value([[[1, 2]], [[3, 4], [5, 6]]], "float32", inner_shape=(2,))
        print(wide.shape, session.run(wide, {wide: pairs}))
        print(v1.ragged.placeholder(tf.float32, 0, [2]).shape)
        print(rows == rows, rows != rows, rows == deep, {rows: 1}[rows])  # noqa: PLR0124


def operations_on_fed_rows(tf):
    v1 = tf.compat.v1
    calls = {
        "sum": lambda x: tf.reduce_sum(x, 1),
        "columns": lambda x: tf.reduce_sum(x, 0),
        "mean": lambda x: tf.reduce_mean(x, axis=1),
        "any": lambda x: tf.reduce_any(x > 2.0, axis=1),
        "padded": lambda x: x.to_tensor(-1.0),
        "concat": lambda x: tf.concat([x, x], 1),
        "stack": lambda x: tf.stack([x, x]),
        "gather": lambda x: tf.gather(x, [1, 0]),
        "first": lambda x: x[0],
        "begin": lambda x: x[:, :1],
        "bounds": lambda x: x.bounding_shape(),
        "where": lambda x: tf.where(x > 1.0, x, -x),
        "mask": lambda x: tf.ragged.boolean_mask(x, x > 1.0),
        "expand": lambda x: tf.expand_dims(x, 1),
        "tile": lambda x: tf.tile(x, [1, 2]),
        "reverse": lambda x: tf.reverse(x, [0]),
        "softmax": lambda x: tf.nn.softmax(x),
        "range": lambda x: tf.ragged.range(x.row_lengths()),
        "equal": lambda x: tf.equal(x, x),
        "segments": lambda x: tf.math.segment_sum(x.flat_values, x.value_rowids()),
        "gradient": lambda x: tf.gradients(tf.reduce_sum(x * x, 1) ** 2, x.flat_values)[0],
    }
    for name, call in calls.items():
        with graph_of(tf), v1.Session() as session:
            rows = v1.ragged.placeholder(tf.float32, 1, [])
            found = call(rows)
            for given in ([[1.0, 2.0], [3.0]], [[4.0, 0.0, 1.0], [1.0]]):
                value = session.run(found, {rows: v1.ragged.constant_value(given, "float32")})
                print(name, value.to_list() if hasattr(value, "to_list") else value.tolist())


def operations_on_fed_numbers(tf):
    v1 = tf.compat.v1
    calls = {
        "segment_sum": lambda x, i, n: tf.math.segment_sum(x, i),
        "segment_mean": lambda x, i, n: tf.math.segment_mean(x, i),
        "segment_max": lambda x, i, n: tf.math.segment_max(x, i),
        "unsorted": lambda x, i, n: tf.math.unsorted_segment_sum(x, i, n),
        "linspace": lambda x, i, n: tf.linspace(0.0, 1.0, n),
        "top_k": lambda x, i, n: tf.math.top_k(x, n).indices,
        "histogram": lambda x, i, n: tf.histogram_fixed_width(x, [0.0, 4.0], 4),
        "bincount": lambda x, i, n: tf.math.bincount(i),
        "confusion": lambda x, i, n: tf.math.confusion_matrix(i, i),
        "classes": lambda x, i, n: tf.math.confusion_matrix(i, i, num_classes=3),
        "eye": lambda x, i, n: tf.eye(n),
        "roll": lambda x, i, n: tf.roll(x, n - 1, 0),
        "reversed": lambda x, i, n: tf.reverse_sequence(tf.stack([x, x]), [2, 3], seq_axis=1),
        "band": lambda x, i, n: tf.linalg.band_part(tf.ones([3, 3]), n - 2, 0),
        "boxes": lambda x, i, n: tf.image.non_max_suppression(
            tf.stack([x, x, x + 1.0, x + 1.0], 1), x, n
        ),
        "resized": lambda x, i, n: tf.image.resize(tf.reshape(x, [1, 3, 1, 1]), [n, 1]),
        "repeated": lambda x, i, n: tf.repeat(x, i),
        "mask": lambda x, i, n: tf.sequence_mask(i, n),
        "unique": lambda x, i, n: tf.unique(i).idx,
    }
    for name, call in calls.items():
        with graph_of(tf), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None])
            i = v1.placeholder(tf.int32, [None])
            n = v1.placeholder(tf.int32, [])
            found = call(x, i, n)
            print(name, session.run(found, {x: [1.0, 2.0, 0.0], i: [0, 1, 1], n: 3}).tolist())


def reshaped_placeholders(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x, y = v1.placeholder(tf.float32, [None]), v1.placeholder(tf.float32, [None, 4])
        fed = {x: [1.0, 2.0, 3.0], y: [[1.0] * 4] * 3}
        for tensor, shape in [
            (x, [1, 3, 1]),
            (x, [3, -1]),
            (y, [3, 4]),
            (y, [2, -1, 3]),
            (y, [3, -1]),
            (y, [-1, 2, 2]),
        ]:
            made = tf.reshape(tensor, shape)
            print(made.shape, session.run(made, fed).shape)
        raises(lambda: session.run(tf.reshape(x, []), fed))
        raises(lambda: session.run(tf.reshape(x, [-1, 2]), fed))
        raises(lambda: session.run(tf.reshape(y, [2, 2, 2]), fed))


def fetches_that_are_refused(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = tf.constant([1.0, 2.0], name="x")
        items = tf.data.Dataset.range(3)
        for fetch in (
            [None],
            tf.TensorArray(tf.float32, 2),
            items,
            v1.data.make_one_shot_iterator(items),
            tf.RaggedTensorSpec([None]),
            tf.float32,
            {1, 2},
            iter([1]),
            np.array(1),
            3,
            "nothing",
            "nothing:0",
            "x:1",
        ):
            raises(lambda fetch=fetch: session.run(fetch))
        print(session.run([]), session.run({}), session.run(()), session.run({"a": {}}))
        print(session.run(collections.OrderedDict(b=x, a="x:0")), session.run("x"))
        print(session.run(collections.defaultdict(list, a=x)))
