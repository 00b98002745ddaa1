"""Tensors while a function is traced, and tensors that leave the function."""

import copy

import numpy as np


def printed(tf):
    @tf.function
    def f(x, y):
        print(x)
        print(repr(y))
        print(x + 1)
        print([x], {"y": y})
        return x

    f(tf.constant(1), tf.constant([[1.0]]))


def formatted(tf):
    @tf.function
    def f(x):
        print(f"{x}")
        print("%s" % x)
        print(str(x), x.name, x.op.name, x.op.type)
        return x

    f(tf.constant(1))


def names_count_up(tf):
    @tf.function
    def f(x):
        for _ in range(3):
            x = x + 1
            print(x.name)
        print(tf.square(x).name, tf.square(x, name="sq").name, tf.square(x, name="sq").name)
        return x

    f(tf.constant(1))


def names_in_scopes(tf):
    @tf.function
    def f(x):
        with tf.name_scope("outer"):
            a = tf.identity(x, name="a")
            with tf.name_scope("inner"):
                b = tf.identity(x, name="a")
        with tf.name_scope("outer"):
            c = tf.identity(x, name="a")
        print(a.name, b.name, c.name)
        return x

    f(tf.constant(1))


def the_name_of_a_scope(tf):
    with tf.name_scope("eager") as name:
        print(name)

    @tf.function
    def f(x):
        with tf.name_scope("graph") as name:
            print(name)
        with tf.name_scope("graph") as name:
            print(name)
        return x

    f(tf.constant(1))


def unknown_dimensions(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def f(x):
        print(x.shape, x.shape[0] is None, x.shape.as_list(), x.shape.rank, x.get_shape())
        print(x.shape.is_fully_defined(), x.shape.num_elements())
        n = tf.shape(x)[0]
        print(tf.is_symbolic_tensor(n), n.shape, n.dtype)
        return tf.zeros([n, 2])

    print(f(tf.ones([4, 3])).shape)


def shapes_of_results(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec(None)])
    def f(x, y):
        print(tf.transpose(x).shape, (x @ tf.ones([3, 5])).shape, tf.concat([x, x], 0).shape)
        print(tf.reduce_sum(x, 0).shape, tf.reduce_sum(x, 1).shape, tf.reshape(x, [-1]).shape)
        print(tf.reshape(x, [-1, 1, 3]).shape, tf.where(x > 0).shape, x[0].shape, x[1:].shape)
        print((x + tf.ones([1, 3])).shape, (x + tf.ones([2, 3])).shape, tf.stack([x, x]).shape)
        print(y.shape, (x + y).shape, tf.reduce_sum(y).shape, tf.shape(y).shape, tf.rank(y).shape)
        print(
            tf.boolean_mask(x, x[:, 0] > 0).shape,
            tf.gather(x, [0, 1]).shape,
            tf.unique(x[0])[0].shape,
        )
        return x

    f(tf.ones([2, 3]), tf.ones([]))


def shapes_from_tensors(tf):
    @tf.function
    def f(n, x):
        print(tf.zeros([n, 2]).shape, tf.range(n).shape, tf.fill([2, n], 1).shape)
        print(tf.reshape(x, [n, 2]).shape, tf.reshape(x, tf.stack([2, n])).shape)
        print(tf.ones(tf.shape(x)).shape, tf.zeros_like(x).shape, tf.one_hot(0, n).shape)
        print(tf.tile(x, [n]).shape, tf.repeat(x, 2).shape, x[:n].shape, tf.eye(n).shape)
        return n

    f(tf.constant(2), tf.ones([4]))


def constants_are_folded_into_shapes(tf):
    @tf.function
    def f(x):
        n = tf.shape(x)[0] * 2
        print(tf.zeros([n]).shape, tf.reshape(x, [tf.shape(x)[0], 1]).shape)
        print(tf.get_static_value(tf.constant(3) + 1), tf.get_static_value(tf.shape(x)))
        print(tf.get_static_value(x), tf.get_static_value(tf.constant([1, 2])))
        return n

    f(tf.ones([3]))


def set_shape_and_ensure_shape(tf, raises):
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def f(x):
        y = tf.ensure_shape(x, [None, 2])
        print(x.shape, y.shape)
        x.set_shape([None, 2])
        print(x.shape)
        raises(lambda: x.set_shape([3, 3]))
        return y

    print(f(tf.ones([1, 2])).shape)
    raises(lambda: f(tf.ones([2])))


def len_and_iteration(tf, raises):
    @tf.function(autograph=False)
    def f(x):
        raises(lambda: len(x))
        raises(lambda: list(x))
        raises(lambda: [*x])
        a, b = tf.unstack(x)
        return a + b

    print(f(tf.constant([1, 2])).numpy())


def numpy_of_a_symbolic_tensor(tf, raises):
    @tf.function
    def f(x):
        raises(lambda: x.numpy(), "numpy")
        raises(lambda: np.array(x))
        raises(lambda: np.sum(x))
        raises(lambda: float(x))
        raises(lambda: int(x))
        raises(lambda: x.tolist())
        return x

    f(tf.constant(1))


def truth_of_a_symbolic_tensor(tf, raises):
    @tf.function(autograph=False)
    def f(x):
        raises(lambda: bool(x), "bool")
        raises(lambda: not x)
        raises(lambda: x and x)
        raises(lambda: 1 if x else 2)
        raises(lambda: x in [x])
        raises(lambda: max(x, x))
        raises(lambda: range(x))
        return x

    f(tf.constant(1))


def equality_and_hash(tf, raises):
    @tf.function
    def f(x):
        print(
            tf.is_symbolic_tensor(x == x),
            (x == x).dtype,
            tf.is_symbolic_tensor(x == None),
            tf.is_symbolic_tensor(x != 3),
        )
        raises(lambda: hash(x), "ref()")
        print(x.ref() == x.ref(), len({x.ref(), x.ref()}))
        return x

    f(tf.constant(1))


def equality_that_cannot_be(tf, raises):
    @tf.function
    def f(x):
        raises(lambda: x == tf.constant("a"))
        raises(lambda: print((x == tf.ones([2, 2])).shape))
        raises(lambda: x == "a")
        return x

    f(tf.constant([1.0]))
    raises(lambda: print(tf.constant([1.0]) == tf.ones([3, 2, 4])))


def what_kind_of_object(tf):
    @tf.function
    def f(x):
        print(tf.is_tensor(x), isinstance(x, tf.Tensor), type(x).__name__, hasattr(x, "numpy"))
        print(tf.is_symbolic_tensor(x), hasattr(x, "_numpy"), hasattr(x, "graph"))
        return x

    print(tf.is_symbolic_tensor(f(tf.constant(1))))


def executing_eagerly_and_inside_function(tf):
    @tf.function
    def f(x):
        print(tf.executing_eagerly(), tf.inside_function())
        with tf.init_scope():
            print(tf.executing_eagerly(), tf.inside_function(), type(tf.constant(1)).__name__)
        print(tf.compat.v1.executing_eagerly_outside_functions())
        return x

    print(tf.executing_eagerly(), tf.inside_function())
    f(tf.constant(1))
    print(tf.executing_eagerly(), tf.inside_function())


def init_scope_lifts_out(tf, raises):
    log = []

    @tf.function
    def f(x):
        with tf.init_scope():
            log.append(tf.constant(5).numpy())
            raises(lambda: x + 1)
        return x + log[-1]

    print(f(tf.constant(1)).numpy(), f(tf.constant(1)).numpy(), log)


def init_scope_makes_variables(tf, raises):
    log, kept = [], {}

    def variable(name):
        with tf.init_scope():
            if name not in kept:
                kept[name] = tf.Variable(2.0)
        return kept[name]

    @tf.function
    def inner(x):
        log.append("inner")
        return x * variable("inner")

    @tf.function
    def outer(x):
        log.append("outer")
        return inner(x)

    @tf.function
    def of_function_inside(x):
        log.append("around")
        with tf.init_scope():
            tf.function(lambda: variable("made inside"))()
        return x * kept["made inside"]

    @tf.function
    def renewed(x):
        with tf.init_scope():
            v = tf.Variable(1.0)
        return x * v

    x = tf.constant(3.0)
    print(outer(x).numpy(), outer(x).numpy(), log)
    print(outer.experimental_get_tracing_count(), inner.experimental_get_tracing_count())
    print(of_function_inside(x).numpy(), of_function_inside.experimental_get_tracing_count())
    raises(lambda: renewed(x))
    concrete = tf.function(lambda x: x * variable("concrete")).get_concrete_function(x)
    print(concrete(x).numpy(), len(concrete.variables))


def device_and_graph_of_tensors(tf):
    @tf.function
    def f(x):
        print(x.graph is tf.compat.v1.get_default_graph(), repr(x.device), x.op.inputs[:])
        y = x + 1
        print(
            len(y.op.inputs), y.op.inputs[0] is x, y.consumers(), len(x.consumers()), y.value_index
        )
        return y

    f(tf.constant(1))


def a_tensor_that_leaked(tf, raises):
    leaked = []

    @tf.function
    def f(x):
        leaked.append(x + 1)
        return x

    f(tf.constant(1))
    print(tf.is_symbolic_tensor(leaked[0]))
    raises(lambda: leaked[0] + 1, "out of scope")
    raises(lambda: leaked[0].numpy())
    raises(lambda: tf.add(leaked[0], 1), "leaked")


def a_leaked_tensor_in_another_function(tf, raises):
    leaked = []

    @tf.function
    def f(x):
        leaked.append(x + 1)
        return x

    @tf.function
    def g(y):
        return y + leaked[0]

    f(tf.constant(1))
    raises(lambda: g(tf.constant(1)), "out of scope", "f")


def a_tensor_kept_by_an_object(tf, raises):
    class Keeper:
        @tf.function
        def keep(self, x):
            self.last = x * 2
            return x

        @tf.function
        def use(self, x):
            return x + self.last

    keeper = Keeper()
    keeper.keep(tf.constant(1))
    print(tf.is_symbolic_tensor(keeper.last))
    raises(lambda: keeper.use(tf.constant(1)))


def a_tensor_from_a_branch(tf, raises):
    leaked = []

    @tf.function
    def f(x):
        tf.cond(x > 0, lambda: leaked.append(x * 2) or x, lambda: x)
        return leaked[0]

    raises(lambda: f(tf.constant(1)), "out of scope")


def a_tensor_from_a_loop(tf, raises):
    @tf.function
    def f(n):
        seen = []
        for i in tf.range(n):
            seen.append(i)
        return seen[0]

    raises(lambda: f(tf.constant(3)))


def operators_with_python_and_numpy(tf):
    @tf.function
    def f(x):
        for y in (x + 1, 2 * x, x / 2, 1 - x, x**2, x @ np.ones([2, 1], np.float32), -x, abs(x)):
            print(y.dtype, y.shape)
        for y in (x > 1, x[0, 0] < 2, x != 1, x // 2, x % 2, np.float32(2) * x):
            print(y.dtype, y.shape)
        return x

    f(tf.ones([2, 2]))


def errors_of_shapes_come_while_tracing(tf, raises):
    @tf.function
    def f(x, y):
        print("before")
        z = x @ y
        print("after")
        return z

    raises(lambda: f(tf.ones([2, 3]), tf.ones([2, 3])), "2", "3")
    raises(lambda: tf.ones([2, 3]) @ tf.ones([2, 3]))


def errors_of_shapes_come_while_running(tf, raises):
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None, None])])
    def f(x, y):
        print("trace")
        return x @ y

    print(f(tf.ones([2, 3]), tf.ones([3, 2])).shape)
    raises(lambda: f(tf.ones([2, 3]), tf.ones([2, 3])))


def errors_of_dtypes_come_while_tracing(tf, raises):
    @tf.function
    def f(x, y):
        return x + y

    raises(lambda: f(tf.constant(1), tf.constant(1.0)))
    raises(lambda: tf.constant(1) + tf.constant(1.0))
    raises(lambda: f(tf.constant(1), "a"))


def errors_of_values_come_while_running(tf, raises):
    @tf.function
    def f(x, i):
        print("trace")
        return tf.gather(x, i)

    print(f(tf.constant([1, 2]), tf.constant(1)).numpy())
    raises(lambda: f(tf.constant([1, 2]), tf.constant(5)))
    print(f(tf.constant([1, 2]), tf.constant(0)).numpy())


def static_asserts(tf, raises):
    @tf.function
    def f(x):
        tf.debugging.assert_equal(tf.shape(x)[0], 3)
        tf.debugging.assert_shapes([(x, ("n", 2))])
        tf.debugging.assert_rank(x, 2)
        print("traced")
        return x

    print(f(tf.ones([3, 2])).shape)
    raises(lambda: f(tf.ones([2, 2])))
    raises(lambda: f(tf.ones([3, 3])))
    raises(lambda: f(tf.ones([3])))


def copying_and_pickling_symbolic_tensors(tf, raises):
    @tf.function
    def f(x):
        raises(lambda: copy.copy(x))
        raises(lambda: copy.deepcopy(x))
        return x

    f(tf.constant(1))


def indexing_with_symbols(tf, raises):
    @tf.function
    def f(x, i):
        print(x[i].shape, x[i:].shape, x[:, i].shape, x[..., tf.newaxis].shape, x[-1, ::2].shape)
        raises(lambda: x[0, 0, 0])
        raises(lambda: x[5])
        raises(lambda: x[1.5])
        return x[i, i]

    print(f(tf.constant([[1, 2], [3, 4]]), tf.constant(1)).numpy())


def assigning_to_an_element(tf, raises):
    @tf.function
    def f(x):
        x[0] = 1
        return x

    raises(lambda: f(tf.constant([1, 2])))


def convert_to_tensor_of_symbols(tf):
    @tf.function
    def f(x):
        y = tf.convert_to_tensor([x, x + 1])
        z = tf.constant([1, 2])
        print(
            y.shape,
            tf.is_symbolic_tensor(z),
            tf.convert_to_tensor(x) is x,
            tf.cast(x, tf.int32) is x,
        )
        return y + z

    print(f(tf.constant(1)).numpy())


def constant_of_a_symbolic_tensor(tf, raises):
    @tf.function
    def f(x):
        raises(lambda: tf.constant(x))
        raises(lambda: tf.constant([x, x]))
        raises(lambda: np.array([x, x]))
        raises(lambda: tf.Variable)
        return x

    f(tf.constant(1))


def static_values_of_tensors_are_not_python(tf):
    @tf.function
    def f(x):
        n = tf.constant(3)
        print(tf.is_symbolic_tensor(n), n)
        m = len(x.shape)
        print(m, [x.shape[i] for i in range(m)])
        return n

    print(f(tf.ones([2, 5])).numpy())


def string_tensors(tf):
    @tf.function
    def f(s):
        print(s.dtype, s.shape)
        return tf.strings.join([s, "!"]), tf.strings.length(s), s + s

    print([t.numpy() for t in f(tf.constant("héllo"))], [t.numpy() for t in f(tf.constant("b"))])
    print(f.experimental_get_tracing_count())


def graph_collections_and_context(tf):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.constant(1)
        y = x + 2
        print(tf.executing_eagerly(), y.graph is graph, y.name, tf.is_symbolic_tensor(y))
    print([op.type for op in graph.get_operations()], tf.executing_eagerly())
    with tf.compat.v1.Session(graph=graph) as session:
        print(session.run(y))


def eager_tensor_has_no_graph(tf, raises):
    x = tf.constant(1)
    raises(lambda: x.graph)
    raises(lambda: x.op)
    raises(lambda: x.name)
    raises(lambda: x.consumers())
