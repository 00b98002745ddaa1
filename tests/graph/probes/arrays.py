"""`TensorArray`s whose elements differ in length, and ragged results of `map_fn`, in functions."""


def elements_of_growing_length(tf):
    @tf.function
    def f(n):
        print("trace")
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, infer_shape=False)
        for i in tf.range(n):
            array = array.write(i, tf.range(tf.cast(i + 1, tf.float32)))
        return array.concat(), array.size(), array.read(1)

    for n in (4, 2):
        print([x.numpy().tolist() for x in f(tf.constant(n))])


def elements_in_another_order(tf):
    @tf.function
    def f(order):
        print("trace")
        array = tf.TensorArray(tf.int32, size=tf.size(order), infer_shape=False)
        for i in order:
            array = array.write(i, tf.fill([i + 1], i))
        return array.concat()

    for order in ([2, 0, 1], [0, 1, 2]):
        print(f(tf.constant(order)).numpy().tolist())


def elements_with_rows(tf):
    @tf.function
    def f(x):
        array = tf.TensorArray(tf.float32, size=3, infer_shape=False, element_shape=[None, 2])
        for i in tf.range(3):
            array = array.write(i, x[i:])
        return array.concat(), array.read(2), tf.shape(array.read(0))

    print([x.numpy().tolist() for x in f(tf.reshape(tf.range(6.0), [3, 2]))])


def parts_of_a_split(tf):
    @tf.function
    def f(x):
        array = tf.TensorArray(tf.float32, size=3, infer_shape=False).split(x, [1, 2, 3])
        total = 0.0
        for i in tf.range(3):
            total += tf.reduce_sum(array.read(i)) * tf.cast(i, tf.float32)
        return total

    print(f(tf.range(6.0)).numpy())


def arrays_in_branches(tf):
    @tf.function
    def f(x, flag):
        array = tf.TensorArray(tf.float32, size=2, infer_shape=False)
        if flag:
            array = array.write(0, x[:1]).write(1, x)
        else:
            array = array.write(0, x).write(1, x[:2])
        return array.concat()

    for flag in (True, False):
        print(f(tf.constant([1.0, 2.0, 3.0]), tf.constant(flag)).numpy().tolist())


def gradients_of_elements(tf):
    @tf.function
    def f(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            array = tf.TensorArray(tf.float32, size=n, infer_shape=False)
            for i in tf.range(n):
                array = array.write(i, x[: i + 1] ** 2)
            y = tf.reduce_sum(array.concat() * tf.cast(tf.range(tf.size(array.concat())), x.dtype))
        return y, tape.gradient(y, x)

    x = tf.constant([1.0, 2.0, 3.0])
    print([v.numpy().tolist() for v in f(x, tf.constant(3))])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, _ = f(x, tf.constant(2))
    print(tape.gradient(y, x).numpy().tolist())


def ragged_results_of_map(tf):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def f(x):
        print("trace")
        spec = tf.RaggedTensorSpec([None], tf.int32)
        return tf.map_fn(tf.range, x, fn_output_signature=spec)

    print(f(tf.constant([3, 1, 0, 2])), f(tf.constant([2])), f(tf.constant([], tf.int32)))


def ragged_and_dense_results(tf):
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    def f(x):
        print("trace")
        spec = (tf.RaggedTensorSpec([None], tf.float32), tf.float32)
        return tf.map_fn(
            lambda row: (tf.concat([row, row], 0), tf.reduce_sum(row)),
            x,
            None,
            fn_output_signature=spec,
        )

    for rows in ([[1.0, 2.0], [3.0]], [[], [4.0], [5.0, 6.0, 7.0]]):
        print(
            *[
                y.numpy().tolist() if isinstance(y, tf.Tensor) else y.to_list()
                for y in f(tf.ragged.constant(rows, dtype=tf.float32))
            ]
        )


def results_with_two_ragged_axes(tf):
    @tf.function
    def f(x):
        def row(n):
            return tf.RaggedTensor.from_row_lengths(tf.range(2 * n), [n, 0, n])

        spec = tf.RaggedTensorSpec([None, None], tf.int32, ragged_rank=1)
        return tf.map_fn(row, x, fn_output_signature=spec)

    print(f(tf.constant([1, 0, 2])))


def rows_of_ragged_tensors(tf):
    @tf.function
    def f(x):
        return tf.map_fn(lambda row: row * 2, x)

    print(f(tf.ragged.constant([[1, 2], [3], []])))
    print(f(tf.ragged.constant([[[1, 2], []], [[3]]])))


def gradients_of_ragged_results(tf):
    @tf.function
    def f(x, counts):
        spec = tf.RaggedTensorSpec([None], tf.float32)
        return tf.map_fn(lambda n: x[:n] ** 2, counts, fn_output_signature=spec)

    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant([2, 3]))
    print(y, tape.gradient(y.flat_values, x).numpy())


def data_sets_of_ragged_results(tf):
    spec = tf.RaggedTensorSpec([None], tf.int64)
    data = tf.data.Dataset.range(3).map(
        lambda n: tf.map_fn(tf.range, tf.range(n + 1), fn_output_signature=spec)
    )
    print([x.to_list() for x in data], data.element_spec)
