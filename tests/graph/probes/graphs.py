"""The graph itself: its operations, their names and inputs, and what one asks of a graph."""


def names_of_operators(tf):
    @tf.function
    def f(x, y):
        named = [x + y, x - y, x * y, x / y, x // y, x % y, x**y, -x, abs(x), x @ y, x > y, x <= y]
        named += [x == y, x != y, x[0], x[:, 1], tf.cast(x, tf.int32)]
        print([t.name for t in named])
        flags = x > y
        print([t.name for t in (flags & flags, flags | flags, ~flags, flags ^ flags)])
        return x

    f(tf.ones([2, 2]), tf.ones([2, 2]))


def types_of_operators(tf):
    @tf.function
    def f(x, y):
        named = [x + y, x - y, x * y, x / y, x // y, x % y, x**y, -x, abs(x), x @ y, x > y, x <= y]
        named += [x == y, x != y, x[0], tf.cast(x, tf.int32), tf.constant(1), tf.identity(x)]
        print([t.op.type for t in named])
        return x

    f(tf.ones([2, 2]), tf.ones([2, 2]))


def names_of_functions(tf):
    @tf.function
    def f(x):
        named = [
            tf.reduce_sum(x),
            tf.reduce_mean(x, 1),
            tf.reshape(x, [-1]),
            tf.transpose(x),
            tf.concat([x, x], 0),
        ]
        named += [
            tf.stack([x, x]),
            tf.nn.relu(x),
            tf.nn.softmax(x),
            tf.exp(x),
            tf.zeros_like(x),
            tf.shape(x),
        ]
        named += [
            tf.expand_dims(x, 0),
            tf.squeeze(x),
            tf.tile(x, [1, 2]),
            tf.gather(x, 0),
            tf.where(x > 0, x, x),
        ]
        named += [
            tf.matmul(x, x),
            tf.linalg.inv(x),
            tf.range(3),
            tf.one_hot(1, 2),
            tf.argmax(x),
            tf.zeros([2]),
        ]
        print([t.name for t in named])
        return x

    f(tf.ones([2, 2]))


def names_by_argument(tf):
    @tf.function
    def f(x):
        print(
            tf.add(x, 1.0, name="sum").name,
            tf.reduce_sum(x, name="total").name,
            tf.constant(1, name="one").name,
        )
        print(
            tf.nn.relu(x, name="a/b").name,
            tf.identity(x, name="sum").name,
            tf.reshape(x, [-1], name="flat").name,
        )
        return x

    f(tf.ones([2]))


def names_that_are_not_allowed(tf, raises):
    @tf.function
    def f(x):
        raises(lambda: print(tf.identity(x, name="with space").name))
        raises(lambda: print(tf.identity(x, name="-minus").name))
        raises(lambda: print(tf.identity(x, name="").name))
        raises(lambda: print(tf.identity(x, name="_under").name))
        return x

    f(tf.ones([2]))


def names_of_arguments(tf):
    @tf.function
    def f(x, pair, named, *rest):
        print(x.name, pair[0].name, pair[1].name, named["k"].name, [t.name for t in rest])
        return x

    one = tf.constant(1)
    f(one, (one, one), {"k": one}, one, one)


def inputs_and_consumers(tf):
    @tf.function
    def f(x, y):
        z = x * y
        w = z + x
        print(w.op.type, [t.name for t in w.op.inputs], [t.name for t in w.op.outputs])
        print(
            [op.name for op in x.consumers()],
            [op.type for op in z.consumers()],
            z.op.name,
            w.op.control_inputs,
        )
        return w

    f(tf.constant(1), tf.constant(2))


def operations_of_a_graph(tf, raises):
    @tf.function
    def f(x):
        return tf.nn.relu(x, name="act") * 2.0

    graph = f.get_concrete_function(tf.TensorSpec([None], tf.float32)).graph
    print(graph.get_operation_by_name("act").type, graph.get_tensor_by_name("act:0").shape)
    raises(lambda: graph.get_operation_by_name("missing"), "missing")
    raises(lambda: graph.get_tensor_by_name("act"))
    print(graph.as_graph_element("act").name, len(graph.get_operations()))


def attributes_of_operations(tf, raises):
    @tf.function
    def f(x):
        y = tf.matmul(x, x, transpose_b=True)
        print(y.op.get_attr("transpose_b"), y.op.get_attr("transpose_a"), y.op.get_attr("T"))
        z = tf.cast(x, tf.int32)
        print(z.op.get_attr("DstT"), tf.reduce_sum(x, keepdims=True).op.get_attr("keep_dims"))
        raises(lambda: y.op.get_attr("missing"))
        return x

    f(tf.ones([2, 2]))


def control_inputs(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        with tf.control_dependencies([v.assign_add(x)]):
            y = tf.identity(x)
        print([op.type for op in y.op.control_inputs])
        return y

    f(tf.constant(1.0))


def operations_of_a_variable(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        v.assign_add(x)
        v.assign(x)
        return v + x

    graph = f.get_concrete_function(tf.TensorSpec([])).graph
    print([op.type for op in graph.get_operations()])


def operations_of_a_branch(tf):
    @tf.function
    def pure(x):
        if x > 0:
            return x * 2
        return x

    @tf.function
    def stateful(x):
        if x > 0:
            tf.print(x)
        return x

    for f in (pure, stateful):
        graph = f.get_concrete_function(tf.TensorSpec([], tf.int32)).graph
        print(
            [
                op.type
                for op in graph.get_operations()
                if op.type not in ("Const", "Identity", "NoOp")
            ]
        )


def operations_of_a_loop(tf):
    @tf.function
    def f(n):
        i = 0
        while i < n:
            i += 1
        return i

    graph = f.get_concrete_function(tf.TensorSpec([], tf.int32)).graph
    print(
        [op.type for op in graph.get_operations() if "While" in op.type or "Placeholder" in op.type]
    )


def operations_of_a_print(tf):
    @tf.function
    def f(x):
        tf.print("x is", x)
        return x

    graph = f.get_concrete_function(tf.TensorSpec([], tf.int32)).graph
    print([op.type for op in graph.get_operations()])


def operations_of_a_gradient(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.square(x)
        return tape.gradient(y, x)

    graph = f.get_concrete_function(tf.TensorSpec([])).graph
    kinds = {op.type for op in graph.get_operations()}
    print("Square" in kinds, "Mul" in kinds, "Placeholder" in kinds)


def the_current_graph(tf):
    outside = tf.compat.v1.get_default_graph()

    @tf.function
    def f(x):
        inside = tf.compat.v1.get_default_graph()
        print(inside is x.graph, inside is outside, inside.building_function, inside.name)
        with tf.init_scope():
            print(tf.compat.v1.get_default_graph() is inside)
        return x

    f(tf.constant(1))


def captures_of_a_graph(tf):
    v = tf.Variable(1.0)
    k = tf.constant([1.0, 2.0])

    @tf.function
    def f(x):
        return x + v + k

    c = f.get_concrete_function(tf.TensorSpec([]))
    print(
        len(c.graph.captures),
        len(c.graph.inputs),
        len(c.graph.outputs),
        [w is v for w in c.graph.variables],
    )
    print(
        [outer is k for outer, inner in c.graph.captures],
        len(c.graph.internal_captures),
        len(c.graph.external_captures),
    )


def a_graph_that_is_imported(tf):
    @tf.function
    def f(x):
        return tf.multiply(x, 3.0, name="triple")

    definition = f.get_concrete_function(tf.TensorSpec([], name="x")).graph.as_graph_def()

    @tf.function
    def g(x):
        (y,) = tf.graph_util.import_graph_def(
            definition, input_map={"x:0": x}, return_elements=["triple:0"], name="in"
        )
        print(y.name)
        return y

    print(g(tf.constant(2.0)).numpy())


def a_graph_of_version_one(tf, raises):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
        y = tf.reduce_sum(x * 2.0, name="y")
        print(x.shape, y.name, graph.building_function)
        raises(lambda: bool(y))
    with tf.compat.v1.Session(graph=graph) as session:
        print(session.run(y, {x: [1.0, 2.0]}), session.run("y:0", {"x:0": [3.0]}))
        raises(lambda: session.run(y))


def finalized_and_frozen(tf, raises):
    graph = tf.Graph()
    with graph.as_default():
        tf.constant(1)
    graph.finalize()

    def add():
        with graph.as_default():
            tf.constant(2)

    raises(add)
    print(graph.finalized, len(graph.get_operations()))


def tensors_of_two_graphs(tf, raises):
    a, b = tf.Graph(), tf.Graph()
    with a.as_default():
        x = tf.constant(1)
    with b.as_default():
        y = tf.constant(2)
        raises(lambda: x + y)
    raises(lambda: x.numpy())
    raises(lambda: x + 1)


def wrap_function(tf):
    v = tf.Variable(2.0)

    def f(x):
        print("trace")
        return x * v

    wrapped = tf.compat.v1.wrap_function(f, [tf.TensorSpec([None], tf.float32)])
    print(wrapped(tf.constant([1.0, 2.0])).numpy(), wrapped(tf.constant([3.0])).numpy())


def printed_composites(tf):
    v = tf.Variable([1.0], name="v")

    @tf.function
    def f(r, s, ds):
        print(v)
        print(r)
        print(s)
        print(tf.TensorArray(tf.float32, 1).size())
        print(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), tf.constant([3, 2])))
        print(ds.element_spec)
        print(tf.data.experimental.Optional.from_value(v).has_value().shape)
        return tf.constant(0)

    f(tf.ragged.constant([[1], [2, 3]]), tf.sparse.from_dense([0, 1]), tf.data.Dataset.range(2))


def printed_operations(tf):
    @tf.function
    def f(x):
        y = tf.add(x, 1, name="sum")
        print(y.op.name, y.op.node_def.op, list(y.op.node_def.input), type(y.op).__name__)
        return y

    f(tf.constant(1))


def functions_in_a_graph_definition(tf):
    @tf.function
    def inner(x):
        return x * 2

    @tf.function
    def outer(x):
        return inner(x)

    definition = outer.get_concrete_function(tf.TensorSpec([], tf.int32)).graph.as_graph_def()
    print([node.op for node in definition.node], len(definition.library.function))


def constants_are_nodes(tf):
    @tf.function
    def f(x):
        a, b = tf.constant(3), tf.constant(3)
        print(a.name, b.name, a is b, tf.get_static_value(a * b))
        return x + a + b + 1 + 1

    graph = f.get_concrete_function(tf.TensorSpec([], tf.int32)).graph
    print([op.name for op in graph.get_operations() if op.type == "Const"])
