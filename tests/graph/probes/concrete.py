"""Concrete functions: how one is asked for, called, and what it tells of itself."""

import gc

import numpy as np


def from_specs(tf):
    @tf.function
    def f(x, y):
        print("trace", x.shape, y.shape)
        return x + y

    spec = tf.TensorSpec([None], tf.float32)
    c = f.get_concrete_function(spec, spec)
    print(c(tf.ones([2]), tf.ones([2])).numpy(), c(tf.ones([3]), tf.ones([3])).numpy())
    print(f.experimental_get_tracing_count())


def from_tensors(tf):
    @tf.function
    def f(x):
        print("trace")
        return x * 2

    c = f.get_concrete_function(tf.constant([1, 2]))
    print(c(tf.constant([3, 4])).numpy(), f(tf.constant([5, 6])).numpy())
    print(c is f.get_concrete_function(tf.constant([7, 8])))


def python_values_are_part_of_it(tf, raises):
    @tf.function
    def power(a, b):
        return a**b

    square = power.get_concrete_function(tf.TensorSpec([], tf.float32), b=2)
    print(square(tf.constant(3.0)).numpy(), square(a=tf.constant(4.0)).numpy())
    print(square(tf.constant(3.0), b=2).numpy())
    raises(lambda: square(tf.constant(3.0), b=3))


def other_dtypes_and_shapes_are_refused(tf, raises):
    @tf.function
    def f(x):
        return x + 1

    c = f.get_concrete_function(tf.TensorSpec([2], tf.int32))
    print(c(tf.constant([1, 2])).numpy())
    raises(lambda: c(tf.constant([1.0, 2.0])))
    raises(lambda: c(tf.constant([1, 2, 3])))
    raises(lambda: c())
    raises(lambda: c(tf.constant([1, 2]), tf.constant([1, 2])))


def python_numbers_for_tensors(tf, raises):
    @tf.function
    def f(x):
        return x + 1

    c = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    raises(lambda: print(c(1.0).numpy()))
    raises(lambda: print(c(1).numpy()))
    raises(lambda: print(c(np.float32(2)).numpy()))
    raises(lambda: print(c("a").numpy()))


def inputs_and_outputs(tf):
    @tf.function
    def f(x, y):
        return {"sum": x + y, "both": (x, [y])}

    c = f.get_concrete_function(tf.TensorSpec([2], tf.float32), tf.TensorSpec([], tf.float32))
    print([(t.shape, t.dtype) for t in c.inputs])
    print([(t.shape, t.dtype) for t in c.outputs])
    print(c.structured_outputs)
    print(c.structured_input_signature)
    print(c.output_shapes)
    print(c.output_dtypes)


def structured_outputs_of_specs(tf):
    @tf.function
    def f(x):
        return [x, {"none": None, "number": 3, "unknown": tf.where(x > 0)}]

    c = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    print(c.structured_outputs)
    print(c(tf.constant([1.0])))


def function_type(tf):
    @tf.function
    def f(x, *, scale=2, name=None):
        return x * scale

    c = f.get_concrete_function(tf.TensorSpec([None], tf.int32), scale=3)
    print(c.function_type)
    print(list(c.function_type.parameters))
    print(c.function_type.output)


def inputs_include_captures(tf):
    v = tf.Variable([1.0, 2.0])
    k = tf.constant([3.0, 4.0])

    @tf.function
    def f(x):
        return x * v + k

    c = f.get_concrete_function(tf.TensorSpec([2], tf.float32))
    print(len(c.inputs), [t.dtype for t in c.inputs])
    print(len(c.captured_inputs), [t.dtype for t in c.captured_inputs])
    print(c.captured_inputs[1] is k, c.captured_inputs[0] is v.handle)


def variables_of_a_concrete_function(tf):
    w = tf.Variable(1.0, name="w")
    count = tf.Variable(0, trainable=False, name="count")

    @tf.function
    def f(x):
        count.assign_add(1)
        return x * w

    c = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    print(sorted(v.name for v in c.variables), [v.name for v in c.trainable_variables])
    print(any(v is w for v in c.variables), count.numpy())


def the_graph_and_its_operations(tf):
    @tf.function
    def f(x):
        return tf.square(x) + 1.0

    c = f.get_concrete_function(tf.TensorSpec([], tf.float32, name="input"))
    print(isinstance(c.graph, tf.Graph), tf.executing_eagerly())
    print([op.type for op in c.graph.get_operations()])
    print([op.name for op in c.graph.get_operations()])
    print(c.graph.building_function, type(c.graph).__name__)


def the_graph_definition(tf):
    @tf.function
    def f(x):
        return tf.matmul(x, x)

    c = f.get_concrete_function(tf.TensorSpec([2, 2], tf.float32))
    nodes = c.graph.as_graph_def().node
    print([(node.op, list(node.input)) for node in nodes])
    print(c.function_def.signature.name == c.name.decode())


def the_name_of_a_concrete_function(tf):
    @tf.function
    def adds_one(x):
        return x + 1

    c = adds_one.get_concrete_function(tf.TensorSpec([], tf.int32))
    print(c.name.decode(), type(c.name).__name__)


def names_of_inputs_from_arguments(tf):
    @tf.function
    def f(left, right, **rest):
        return left + right + rest["more"]

    spec = tf.TensorSpec([], tf.int32)
    c = f.get_concrete_function(spec, tf.TensorSpec([], tf.int32, name="given"), more=spec)
    print([t.op.name for t in c.inputs])
    print(c.structured_input_signature)


def concrete_functions_take_names_of_arguments(tf):
    @tf.function
    def f(x, y):
        return x - y

    spec = tf.TensorSpec([], tf.int32)
    c = f.get_concrete_function(spec, spec)
    one, two = tf.constant(1), tf.constant(2)
    print(c(one, two).numpy(), c(y=one, x=two).numpy(), c(one, y=two).numpy())


def structures_as_arguments(tf):
    @tf.function
    def f(pair):
        return pair["a"] - pair["b"]

    spec = tf.TensorSpec([], tf.int32)
    c = f.get_concrete_function({"a": spec, "b": spec})
    print(c({"b": tf.constant(1), "a": tf.constant(5)}).numpy())
    print(c.structured_input_signature)


def printed(tf):
    @tf.function
    def f(x, n=2):
        return {"double": x * n}

    c = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    print(c.pretty_printed_signature())
    print(repr(c))
    print(str(c))


def a_function_returns_nothing(tf):
    @tf.function
    def f(x):
        x + 1

    print(f(tf.constant(1)), f.get_concrete_function(tf.constant(1)).structured_outputs)


def python_values_as_results(tf):
    @tf.function
    def f(x):
        return x, 3, 2.5, True, "text", None, np.array([1, 2])

    out = f(tf.constant(1))
    print([type(o).__name__ for o in out])
    print([o if o is None else (o.numpy(), o.dtype) for o in out])


def structures_as_results(tf):
    @tf.function
    def f(x):
        return {"list": [x, x], "tuple": (x,), "empty": [], "deep": {"a": [(x,)]}}

    out = f(tf.constant(1))
    print(sorted(out), type(out["list"]).__name__, type(out["tuple"]).__name__, out["empty"])
    print(type(out["deep"]["a"]).__name__, out["deep"]["a"][0][0].numpy())


def objects_are_no_results(tf, raises):
    class Box:
        pass

    raises(lambda: tf.function(lambda x: Box())(tf.constant(1)))
    raises(lambda: tf.function(lambda x: {1, 2})(tf.constant(1)))


def a_result_that_is_an_argument(tf):
    @tf.function
    def f(x):
        return x

    x = tf.constant([1, 2])
    y = f(x)
    print(y is x, y.numpy())


def a_variable_as_result(tf):
    v = tf.Variable(3)

    @tf.function
    def f():
        return v

    out = f()
    v.assign(5)
    print(isinstance(out, tf.Variable), out is v, out.numpy())


def the_result_of_an_assignment(tf):
    v = tf.Variable(3)

    @tf.function
    def f():
        return v.assign_add(1), v.assign_add(1)

    a, b = f()
    print(type(a).__name__, a.numpy(), b.numpy(), v.numpy())


def composite_results(tf):
    @tf.function
    def f(x):
        return tf.RaggedTensor.from_row_lengths(x, [1, 2]), tf.sparse.from_dense(x)

    ragged, sparse = f(tf.constant([1, 0, 3]))
    print(ragged.to_list(), sparse.indices.numpy().tolist(), sparse.values.numpy())


def a_dataset_as_argument_and_result(tf):
    @tf.function
    def f(ds):
        print("trace", ds.element_spec)
        return ds.map(lambda x: x * 2)

    print(list(f(tf.data.Dataset.range(3)).as_numpy_iterator()))
    print(list(f(tf.data.Dataset.range(5).skip(3)).as_numpy_iterator()))
    print(f.experimental_get_tracing_count())


def constants_are_captured_by_value(tf):
    k = tf.constant(2)

    @tf.function
    def f(x):
        return x * k

    print(f(tf.constant(3)).numpy())
    k = tf.constant(5)
    print(f(tf.constant(3)).numpy(), f(tf.constant([3])).numpy())


def numpy_arrays_are_embedded(tf):
    data = np.array([1, 2])

    @tf.function
    def f(x):
        return x + data

    print(f(tf.constant(1, tf.int64)).numpy())
    data[0] = 100
    print(f(tf.constant(1, tf.int64)).numpy())
    print(len(f.get_concrete_function(tf.constant(1, tf.int64)).captured_inputs))


def big_and_small_constants(tf):
    small, large = tf.constant(2.0), tf.ones([1000])

    @tf.function
    def f():
        return tf.reduce_sum(large) * small

    c = f.get_concrete_function()
    print(c().numpy(), [t.shape for t in c.captured_inputs])


def nested_functions_share_captures(tf):
    v = tf.Variable(1.0)

    @tf.function
    def inner(x):
        print("trace inner")
        return x * v

    @tf.function
    def outer(x):
        print("trace outer")
        return inner(x) + inner(x)

    c = outer.get_concrete_function(tf.TensorSpec([], tf.float32))
    print(c(tf.constant(3.0)).numpy(), len(c.captured_inputs), len(c.variables))
    print([op.type for op in c.graph.get_operations() if "Call" in op.type])


def an_inner_function_captures_the_outer_argument(tf):
    @tf.function
    def outer(x):
        @tf.function
        def inner(y):
            print("trace inner", tf.is_symbolic_tensor(x))
            return x + y

        return inner(tf.constant(1)) + inner(tf.constant(2))

    print(outer(tf.constant(10)).numpy(), outer(tf.constant(20)).numpy())


def a_concrete_function_inside_a_function(tf):
    @tf.function
    def f(x):
        return x * 2

    c = f.get_concrete_function(tf.TensorSpec([], tf.int32))

    @tf.function
    def g(x):
        return c(x) + 1

    print(g(tf.constant(4)).numpy())


def a_dead_variable(tf, raises):
    def make():
        v = tf.Variable(1.0)

        @tf.function
        def f(x):
            return x + v

        return f.get_concrete_function(tf.TensorSpec([], tf.float32))

    c = make()
    gc.collect()
    raises(lambda: print(c(tf.constant(1.0)).numpy()))


def signatures_list(tf):
    @tf.function
    def f(x):
        return x

    f(tf.constant(1))
    f(tf.constant(1.0))
    f(tf.constant(2))
    print(f.experimental_get_tracing_count())
    print(len(f._list_all_concrete_functions()))


def get_concrete_function_needs_arguments(tf, raises):
    @tf.function
    def f(x):
        return x

    raises(lambda: f.get_concrete_function())
    raises(lambda: f.get_concrete_function(tf.constant(1), tf.constant(2)))
    print(f.get_concrete_function(5).structured_input_signature)


def input_signature_gives_the_concrete_function(tf):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32, name="x_in")])
    def f(x):
        return tf.reduce_sum(x)

    c = f.get_concrete_function()
    print(c(tf.constant([1, 2])).numpy(), c.structured_input_signature, f.input_signature)
    print(c is f.get_concrete_function(tf.constant([1, 2, 3])))


def prune(tf):
    v = tf.compat.v1.wrap_function

    def f(x):
        return {"a": x + 1, "b": x * 2}

    wrapped = v(f, [tf.TensorSpec([], tf.int32)])
    pruned = wrapped.prune(wrapped.inputs[0], wrapped.structured_outputs["b"])
    print(wrapped(tf.constant(3)), pruned(tf.constant(5)))


def experimental_implements_and_attributes(tf):
    @tf.function(experimental_implements="my.op")
    def f(x):
        return x + 1

    c = f.get_concrete_function(tf.TensorSpec([], tf.int32))
    print(f(tf.constant(1)).numpy(), "_implements" in c.function_def.attr)


def jit_compile_gives_the_same(tf, raises):
    @tf.function(jit_compile=True)
    def f(x):
        print("trace", x.shape)
        total = tf.constant(0)
        for i in tf.range(x):
            total += i
        return total

    print(f(tf.constant(5)).numpy(), f(tf.constant(6)).numpy(), f.experimental_get_tracing_count())


def jit_compile_refuses_what_has_no_kernel(tf, raises):
    @tf.function(jit_compile=True)
    def f(x):
        return tf.strings.upper(x)

    raises(lambda: f(tf.constant("a")))


def autograph_turned_off(tf, raises):
    @tf.function(autograph=False)
    def f(x):
        if x > 0:
            return x
        return -x

    raises(lambda: f(tf.constant(1)))


def without_arguments_and_result(tf):
    v = tf.Variable(0)

    @tf.function
    def f():
        v.assign_add(1)

    print(f(), f(), v.numpy(), f.experimental_get_tracing_count())


def the_definition_of_a_function(tf, raises):
    def with_attribute(name, value):
        @tf.function(experimental_attributes={name: value})
        def f(x):
            return tf.nn.relu(x) * 2.0

        return f.get_concrete_function(tf.TensorSpec([2])).function_def

    definition = with_attribute("runtime_constant_optimization", True)
    print(definition.attr["runtime_constant_optimization"].b)
    print(with_attribute("api_implements", "mine").attr["api_implements"].s)
    print(sorted({node.op for node in definition.node_def} - {"Const", "Identity"}))
    print([x.type for x in definition.signature.input_arg])
    print([x.type for x in definition.signature.output_arg])
    raises(lambda: with_attribute("mine", 1), "mine is not supported")
