"""The lessons of TensorFlow's guides on functions and graphs, as small programs."""


def a_layer_that_is_traced_by_two_models(tf):
    class Dense(tf.Module):
        def __init__(self, n, name=None):
            super().__init__(name=name)
            self.n, self.built = n, False

        def __call__(self, x):
            if not self.built:
                self.w = tf.Variable(tf.ones([x.shape[-1], self.n]), name="w")
                self.b = tf.Variable(tf.zeros([self.n]), name="b")
                self.built = True
            return tf.nn.relu(x @ self.w + self.b)

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.layers = [Dense(2, "a"), Dense(1, "b")]

        @tf.function
        def __call__(self, x):
            print("tracing")
            for layer in self.layers:
                x = layer(x)
            return x

    first, second = Model(), Model()
    x = tf.ones([2, 3])
    print(first(x).numpy().tolist(), second(x).numpy().tolist(), first(x).shape)
    print([v.name for v in first.trainable_variables])


def only_the_first_argument_counts_for_shapes(tf, raises):
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)] * 2)
    def product(a, b):
        print("tracing", a.shape, b.shape)
        return tf.reduce_sum(a * b, axis=1)

    print(product(tf.ones([2, 2]), tf.ones([2, 2])).numpy())
    print(product(tf.ones([3, 2]), tf.ones([3, 2])).numpy())
    raises(lambda: product(tf.ones([2, 3]), tf.ones([2, 2])))
    raises(lambda: product(tf.ones([2, 2])))


def a_power_by_loops(tf):
    @tf.function
    def power(x, n):
        result = tf.ones_like(x)
        while n > 0:
            if n % 2 == 1:
                result *= x
            x *= x
            n //= 2
        return result

    print(power(tf.constant([2.0, 3.0]), tf.constant(5)).numpy())
    print(power(tf.constant(2.0), 10).numpy())


def accumulating_into_a_tensor_array(tf):
    @tf.function
    def dynamic_rnn(inputs, state):
        inputs = tf.transpose(inputs, [1, 0, 2])
        steps = tf.shape(inputs)[0]
        outputs = tf.TensorArray(tf.float32, steps)
        for i in tf.range(steps):
            state = tf.tanh(inputs[i] + state)
            outputs = outputs.write(i, state)
        return tf.transpose(outputs.stack(), [1, 0, 2]), state

    for n in (2, 3):
        out, last = dynamic_rnn(tf.ones([1, n, 2]) * 0.5, tf.zeros([1, 2]))
        print(out.shape, last.numpy())


def python_state_is_read_while_tracing(tf):
    scale = {"by": 2}

    @tf.function
    def scaled(x):
        return x * scale["by"]

    print(scaled(tf.constant(3)).numpy())
    scale["by"] = 10
    print(scaled(tf.constant(3)).numpy(), scaled(tf.constant([3])).numpy())


def an_object_whose_state_changes(tf):
    class Weights:
        def __init__(self):
            self.w, self.bias = 0.5, tf.Variable(1.0)

    @tf.function
    def evaluate(model, x):
        print("tracing")
        return model.w * x + model.bias

    model = Weights()
    print(evaluate(model, tf.constant(10.0)).numpy())
    model.w, model.bias = 2.0, model.bias.assign_add(4.0)
    print(evaluate(model, tf.constant(10.0)).numpy())
    other = Weights()
    print(evaluate(other, tf.constant(10.0)).numpy())


def variables_are_made_once(tf, raises):
    @tf.function
    def always(x):
        return tf.Variable(1.0) + x

    class Count(tf.Module):
        def __init__(self):
            super().__init__()
            self.count = None

        @tf.function
        def __call__(self):
            if self.count is None:
                self.count = tf.Variable(0)
            return self.count.assign_add(1)

    raises(lambda: always(tf.constant(1.0)), "singleton")
    counter, other = Count(), Count()
    print(counter().numpy(), counter().numpy(), other().numpy())


def optimizers_of_two_models(tf, raises):
    @tf.function
    def train(w, x, y, optimizer):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(w * x - y))
        gradients = tape.gradient(loss, [w])
        optimizer.apply_gradients(zip(gradients, [w]))
        return loss

    w, v = tf.Variable(2.0), tf.Variable(2.0)
    x, y = tf.constant([-1.0]), tf.constant([2.0])
    first = tf.keras.optimizers.SGD(0.1)
    print(train(w, x, y, first).numpy(), train(w, x, y, first).numpy(), w.numpy())
    raises(lambda: train(v, x, y, tf.keras.optimizers.SGD(0.2)))
    print(v.numpy())


def ternaries_and_asserts(tf, raises):
    @tf.function
    def f(x):
        assert x.shape.rank == 1, "needs a vector"
        y = x if tf.reduce_sum(x) > 0 else -x
        tf.debugging.Assert(tf.reduce_all(y < 10), [y])
        return y

    print(f(tf.constant([1, 2])).numpy(), f(tf.constant([-1, -2])).numpy())
    raises(lambda: f(tf.constant([20, 1])))
    raises(lambda: f(tf.constant(1)), "needs a vector")


def loops_over_rows_with_continue(tf):
    @tf.function
    def sum_even(items):
        s = 0
        for c in items:
            if c % 2 > 0:
                continue
            s += c
        return s

    print(sum_even(tf.constant([10, 12, 15, 20])).numpy(), sum_even([1, 2, 4]).numpy())


def graphs_and_eager_agree(tf):
    @tf.function
    def inner(x, y, b):
        return tf.matmul(x, y) + b

    @tf.function
    def outer(x):
        y = tf.constant([[2.0], [3.0]])
        b = tf.constant(4.0)
        return inner(x, y, b)

    x = tf.constant([[1.0, 2.0]])
    print(outer(x).numpy(), isinstance(outer.get_concrete_function(x)(x), tf.Tensor))
    tf.config.run_functions_eagerly(True)
    print(outer(x).numpy())
    tf.config.run_functions_eagerly(False)


def a_relu_that_is_converted(tf):
    def simple_relu(x):
        if tf.greater(x, 0):
            return x
        else:
            return 0

    graph = tf.function(simple_relu)
    print(graph(tf.constant(1)).numpy(), graph(tf.constant(-1)).numpy())
    print("if_stmt" in tf.autograph.to_code(simple_relu))


def functions_are_polymorphic(tf):
    @tf.function
    def my_relu(x):
        return tf.maximum(0.0, x)

    print(my_relu(tf.constant(5.5)).numpy(), my_relu([1.0, -1.0]).numpy())
    print(my_relu(tf.constant([3.0, -3.0])).numpy())
    print(my_relu.pretty_printed_concrete_signatures().count("Input Parameters"))


def zeros_of_the_given_shape(tf):
    @tf.function
    def f(x):
        n = tf.shape(x)[0]
        total = tf.zeros([n])
        for i in range(3):
            total += tf.cast(i, tf.float32) * tf.ones([n])
        return total, tf.fill([n, 2], n)

    for n in (1, 2):
        print([t.numpy().tolist() for t in f(tf.ones([n]))])


def collatz_steps(tf):
    @tf.function
    def steps(n):
        count = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        return count

    print([steps(tf.constant(n)).numpy() for n in (1, 6, 27)])
