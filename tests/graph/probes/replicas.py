"""Replicas of a strategy inside of functions."""


def _strategy(count, tf):
    cpu = tf.config.list_physical_devices("CPU")[0]
    try:
        tf.config.set_logical_device_configuration(
            cpu, [tf.config.LogicalDeviceConfiguration()] * 4
        )
    except RuntimeError:
        pass  # an earlier program has made them
    return tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(count)])


def _each(strategy, value):
    return [x.numpy().tolist() for x in strategy.experimental_local_results(value)]


def replicas_are_traced_once(tf):
    strategy = _strategy(2, tf)
    with strategy.scope():
        v = tf.Variable(1.0)

    def replica(x):
        print("trace")
        v.assign_add(x)
        return v * 2.0

    @tf.function
    def f(x):
        return strategy.run(replica, args=(x,))

    print(_each(strategy, f(tf.constant(1.0))))
    print(_each(strategy, f(tf.constant(2.0))))
    print(v.numpy(), f.experimental_get_tracing_count())


def replicas_get_parts(tf):
    strategy = _strategy(2, tf)

    @tf.function
    def f(x):
        print("trace")
        return strategy.run(lambda y: y * 2, args=(x,))

    for start in (1.0, 5.0):
        parts = strategy.experimental_distribute_values_from_function(
            lambda c, start=start: tf.constant(start + c.replica_id_in_sync_group)
        )
        print(_each(strategy, f(parts)))
    print(f.experimental_get_tracing_count())


def parts_of_different_lengths(tf):
    strategy = _strategy(2, tf)

    @tf.function
    def f(x):
        print("trace")
        sums = strategy.run(tf.reduce_sum, args=(x,))
        return strategy.reduce("SUM", sums, axis=None)

    parts = strategy.experimental_distribute_values_from_function(
        lambda c: tf.range(2.0 + c.replica_id_in_sync_group)
    )
    print(f(parts).numpy(), f(parts).numpy())


def an_all_reduce_with_its_gradient(tf):
    strategy = _strategy(2, tf)

    def replica(x):
        context = tf.distribute.get_replica_context()
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = context.all_reduce("SUM", x * x)
        return y, tape.gradient(y, x)

    @tf.function
    def f(x):
        return strategy.run(replica, args=(x,))

    parts = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant(3.0 + c.replica_id_in_sync_group)
    )
    y, slope = f(parts)
    print(_each(strategy, y), _each(strategy, slope))


def a_mean_over_replicas(tf):
    strategy = _strategy(2, tf)

    def replica(x):
        context = tf.distribute.get_replica_context()
        return context.all_reduce(tf.distribute.ReduceOp.MEAN, {"a": x, "b": [x * 2.0]})

    @tf.function
    def f(x):
        return strategy.run(replica, args=(x,))

    parts = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant([1.0, 3.0 + c.replica_id_in_sync_group])
    )
    out = f(parts)
    print(_each(strategy, out["a"]), _each(strategy, out["b"][0]))


def an_all_gather(tf):
    strategy = _strategy(2, tf)

    def replica(x):
        return tf.distribute.get_replica_context().all_gather(x, axis=0)

    @tf.function
    def f(x):
        return strategy.run(replica, args=(x,))

    parts = strategy.experimental_distribute_values_from_function(
        lambda c: tf.fill([2, 1], 1.0 + c.replica_id_in_sync_group)
    )
    print(_each(strategy, f(parts)))


def the_number_of_a_replica(tf):
    strategy = _strategy(3, tf)

    def replica():
        number = tf.distribute.get_replica_context().replica_id_in_sync_group
        if number == 1:
            return 10 * number
        return number - 5

    @tf.function
    def f():
        return strategy.run(replica)

    print(_each(strategy, f()), _each(strategy, f()))


def variables_that_are_summed_when_read(tf):
    strategy = _strategy(2, tf)
    with strategy.scope():
        v = tf.Variable(
            0.0,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
            trainable=False,
        )

    def replica(x):
        v.assign_add(x)
        return v.read_value()

    @tf.function
    def f(x):
        out = strategy.run(replica, args=(x,))
        return out, v.read_value()

    parts = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant(1.0 + 10.0 * c.replica_id_in_sync_group)
    )
    for _ in range(2):
        own, whole = f(parts)
        print(_each(strategy, own), whole.numpy(), v.numpy())
    print([x.numpy() for x in v.values])


def variables_that_are_averaged_when_read(tf):
    strategy = _strategy(2, tf)
    with strategy.scope():
        v = tf.Variable(
            2.0,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.MEAN,
            trainable=False,
        )

    def replica(x):
        v.assign(v * 0.5 + x)

    @tf.function
    def f(x):
        strategy.run(replica, args=(x,))
        return v + 0.0

    parts = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant(1.0 + c.replica_id_in_sync_group)
    )
    print(f(parts).numpy(), f(parts).numpy(), [x.numpy() for x in v.values])


def variables_with_an_aggregation(tf):
    strategy = _strategy(2, tf)
    for how in (
        tf.VariableAggregation.SUM,
        tf.VariableAggregation.MEAN,
        tf.VariableAggregation.ONLY_FIRST_REPLICA,
    ):
        with strategy.scope():
            v = tf.Variable(1.0, aggregation=how)

        @tf.function
        def f(x, v=v):
            def replica(y):
                v.assign_add(y)
                return v * 1.0

            return strategy.run(replica, args=(x,))

        parts = strategy.experimental_distribute_values_from_function(
            lambda c: tf.constant(1.0 + c.replica_id_in_sync_group)
        )
        print(how.name, _each(strategy, f(parts)), _each(strategy, f(parts)), v.numpy())


def a_merge_call(tf):
    strategy = _strategy(2, tf)
    with strategy.scope():
        v = tf.Variable(1.0)

    def merged(strategy, x):
        print("merge")
        total = strategy.reduce("SUM", x, axis=None)
        v.assign_add(total)
        return total

    def replica(x):
        before = v.read_value()
        total = tf.distribute.get_replica_context().merge_call(merged, args=(x,))
        return before, total, v.read_value()

    @tf.function
    def f(x):
        return strategy.run(replica, args=(x,))

    parts = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant(1.0 + c.replica_id_in_sync_group)
    )
    for _ in range(2):
        print([_each(strategy, x) for x in f(parts)])


def a_training_step(tf):
    strategy = _strategy(2, tf)
    with strategy.scope():
        w = tf.Variable([[1.0], [2.0]])
        b = tf.Variable([0.5])

    def replica(x, y):
        print("trace")
        with tf.GradientTape() as tape:
            error = tf.matmul(x, w) + b - y
            loss = tf.reduce_sum(error**2) / 4.0
        slopes = tape.gradient(loss, [w, b])
        slopes = tf.distribute.get_replica_context().all_reduce("SUM", slopes)
        for v, slope in zip([w, b], slopes):
            v.assign_sub(0.1 * slope)
        return loss

    @tf.function
    def step(x, y):
        losses = strategy.run(replica, args=(x, y))
        return strategy.reduce("SUM", losses, axis=None)

    data = tf.data.Dataset.from_tensor_slices(
        (
            [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0]],
            [[1.0], [2.0], [3.0], [4.0]],
        )
    )
    for _ in range(2):
        for x, y in strategy.experimental_distribute_dataset(data.batch(4)):
            print(f"{step(x, y).numpy():.5f}", w.numpy().round(4).tolist(), b.numpy().round(4))
    print(step.experimental_get_tracing_count())


def a_loop_of_steps(tf):
    strategy = _strategy(2, tf)
    with strategy.scope():
        v = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)

    def replica(x):
        print("trace")
        v.assign_add(x * 2.0)
        return v + x

    @tf.function
    def f(n):
        total = 0.0
        for _ in tf.range(n):
            out = strategy.run(replica, args=(tf.constant(1.5),))
            total += strategy.reduce("SUM", out, axis=None)
        return total

    print(f(tf.constant(3)).numpy(), v.numpy())
    print(f(tf.constant(2)).numpy(), v.numpy())


def a_function_that_runs_in_replicas(tf):
    strategy = _strategy(2, tf)
    with strategy.scope():
        v = tf.Variable(1.0)

    @tf.function
    def replica(x):
        print("trace")
        if x > 0.0:
            v.assign_add(x)
        return v * x

    for x in (1.0, 2.0, -1.0):
        print(_each(strategy, strategy.run(replica, args=(tf.constant(x),))), v.numpy())


def a_function_within_replicas(tf):
    strategy = _strategy(2, tf)

    @tf.function
    def inner(x):
        print("inner")
        return x * 3.0

    @tf.function
    def f(x):
        return strategy.run(lambda y: inner(y) + 1.0, args=(x,))

    print(_each(strategy, f(tf.constant(2.0))), _each(strategy, f(tf.constant(3.0))))


def printing_replicas(tf):
    strategy = _strategy(2, tf)

    def replica(x):
        tf.print("value", x)
        return x

    @tf.function
    def f(x):
        return strategy.run(replica, args=(x,))

    for start in (1.0, 7.0):
        parts = strategy.experimental_distribute_values_from_function(
            lambda c, start=start: tf.constant(start + c.replica_id_in_sync_group)
        )
        f(parts)


def reducing_along_an_axis(tf):
    strategy = _strategy(2, tf)

    @tf.function
    def f(x):
        out = strategy.run(lambda y: y * 2.0, args=(x,))
        return (
            strategy.reduce("SUM", out, axis=0),
            strategy.reduce("MEAN", out, axis=0),
            strategy.reduce("MEAN", out, axis=None),
        )

    parts = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant([1.0, 2.0 + c.replica_id_in_sync_group])
    )
    print([x.numpy().tolist() for x in f(parts)])


def gathering(tf):
    strategy = _strategy(2, tf)

    @tf.function
    def f(x):
        return strategy.gather(strategy.run(lambda y: y + 1.0, args=(x,)), axis=0)

    parts = strategy.experimental_distribute_values_from_function(
        lambda c: tf.fill([1, 2], 1.0 + c.replica_id_in_sync_group)
    )
    print(f(parts).numpy().tolist())


def the_parts_of_a_result(tf):
    strategy = _strategy(2, tf)

    @tf.function
    def f(x):
        out = strategy.run(lambda y: y + 1.0, args=(x,))
        first, second = strategy.experimental_local_results(out)
        return first * 10.0 + second

    parts = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant(1.0 + c.replica_id_in_sync_group)
    )
    print(f(parts).numpy())


def updating_through_extended(tf):
    strategy = _strategy(2, tf)
    with strategy.scope():
        v = tf.Variable(1.0)

    @tf.function
    def f(x):
        strategy.extended.update(v, lambda u, y: u.assign_add(y), args=(x,))
        return v * 1.0

    print(f(tf.constant(2.0)).numpy(), f(tf.constant(2.0)).numpy(), v.numpy())


def an_uneven_number_of_merges(tf):
    strategy = _strategy(2, tf)

    def replica():
        context = tf.distribute.get_replica_context()
        if isinstance(context.replica_id_in_sync_group, int):
            return tf.constant(0.0)
        return context.all_reduce("SUM", tf.constant(1.0))

    @tf.function
    def f():
        return strategy.run(replica)

    print(_each(strategy, f()))


def an_error_in_a_replica(tf):
    strategy = _strategy(2, tf)
    with strategy.scope():
        v = tf.Variable(1.0)

    def replica(x):
        v.assign(5.0)
        raise ValueError("of the program")

    @tf.function
    def f(x):
        return strategy.run(replica, args=(x,))

    try:
        f(tf.constant(1.0))
    except ValueError as error:
        print("of the program" in str(error), v.numpy())


def a_step_of_sparse_gradients(tf):
    strategy = _strategy(2, tf)
    with strategy.scope():
        table = tf.Variable(tf.ones([3, 2]))

    def replica(rows):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, rows) ** 2)
        slope = tape.gradient(loss, table)
        slope = tf.distribute.get_replica_context().all_reduce("SUM", slope)
        table.assign_sub(0.1 * tf.convert_to_tensor(slope))
        return loss

    @tf.function
    def f(rows):
        return strategy.reduce("SUM", strategy.run(replica, args=(rows,)), axis=None)

    parts = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant([0, 1 + c.replica_id_in_sync_group])
    )
    print(f(parts).numpy(), f(parts).numpy().round(4), table.numpy().round(4).tolist())


def the_gradient_of_a_function_with_replicas(tf):
    strategy = _strategy(2, tf)
    v = tf.Variable(3.0)

    @tf.function
    def f():
        out = strategy.run(lambda: v * v)
        return strategy.reduce("SUM", out, axis=None)

    with tf.GradientTape() as tape:
        y = f()
    print(y.numpy(), tape.gradient(y, v).numpy())


def random_numbers_of_replicas(tf):
    strategy = _strategy(2, tf)

    @tf.function
    def f():
        return strategy.run(lambda: tf.random.uniform([4]))

    one, two = _each(strategy, f()), _each(strategy, f())
    print(one[0] != one[1], two[0] != two[1], one != two)


def a_choice_around_replicas(tf):
    strategy = _strategy(2, tf)
    with strategy.scope():
        v = tf.Variable(1.0)

    def replica(x):
        v.assign_add(x)
        return v * 1.0

    @tf.function
    def f(x):
        if x > 0.0:
            out = strategy.reduce("SUM", strategy.run(replica, args=(x,)), axis=None)
        else:
            out = x
        return out

    print(f(tf.constant(2.0)).numpy(), v.numpy(), f(tf.constant(-2.0)).numpy(), v.numpy())


def a_variable_from_outside_the_scope(tf):
    strategy = _strategy(2, tf)
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        return strategy.run(lambda y: y * v, args=(x,))

    print(_each(strategy, f(tf.constant(2.0))))
    v.assign(5.0)
    print(_each(strategy, f(tf.constant(2.0))))


def a_variable_made_in_replicas(tf):
    strategy = _strategy(2, tf)
    made = []

    def replica(x):
        if not made:
            made.append(tf.Variable(3.0))
        return made[0] * x

    @tf.function
    def f(x):
        return strategy.run(replica, args=(x,))

    print(_each(strategy, f(tf.constant(2.0))), len(made))


def scattered_updates_in_replicas(tf):
    strategy = _strategy(2, tf)
    with strategy.scope():
        v = tf.Variable(tf.zeros([4]), aggregation=tf.VariableAggregation.SUM)

    def replica(i):
        v.scatter_add(tf.IndexedSlices(tf.constant([1.0]), tf.reshape(i, [1])))

    @tf.function
    def f(i):
        strategy.run(replica, args=(i,))
        return v + 0.0

    parts = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant(c.replica_id_in_sync_group * 2)
    )
    print(f(parts).numpy().tolist(), f(parts).numpy().tolist())


def a_while_loop_within_replicas(tf):
    strategy = _strategy(2, tf)

    def replica(n):
        total = 0
        while n > 0:
            total += n
            n -= 1
        return total

    @tf.function
    def f(n):
        return strategy.run(replica, args=(n,))

    parts = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant(3 + c.replica_id_in_sync_group)
    )
    print(_each(strategy, f(parts)))


def an_epoch_in_a_function(tf):
    strategy = _strategy(2, tf)
    with strategy.scope():
        v = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)

    def replica(x):
        print("trace")
        v.assign_add(tf.reduce_sum(x))
        return tf.reduce_sum(x)

    @tf.function
    def epoch(data):
        total = 0.0
        for x in data:
            total += strategy.reduce("SUM", strategy.run(replica, args=(x,)), axis=None)
        return total

    data = strategy.experimental_distribute_dataset(
        tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).batch(2)
    )
    print(epoch(data).numpy(), v.numpy())


def a_step_of_an_iterator(tf):
    strategy = _strategy(2, tf)

    @tf.function
    def step(iterator):
        print("trace")
        out = strategy.run(lambda x: x * 2.0, args=(next(iterator),))
        return strategy.reduce("SUM", out, axis=0)

    data = strategy.experimental_distribute_dataset(
        tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).batch(2)
    )
    iterator = iter(data)
    print(step(iterator).numpy(), step(iterator).numpy())


def one_device(tf):
    strategy = tf.distribute.OneDeviceStrategy("CPU:0")
    with strategy.scope():
        v = tf.Variable(1.0)

    def replica(x):
        print("trace")
        v.assign_add(x)
        return v * 2.0

    @tf.function
    def f(x):
        return strategy.reduce("SUM", strategy.run(replica, args=(x,)), axis=None)

    print(f(tf.constant(1.0)).numpy(), f(tf.constant(1.0)).numpy())


def _divided(strategy, tf, n=6, size=4, drop=False):
    data = tf.data.Dataset.range(n).map(lambda x: tf.cast(x, tf.float32))
    return strategy.experimental_distribute_dataset(data.batch(size, drop_remainder=drop))


def an_epoch_of_uneven_batches(tf):
    strategy = _strategy(2, tf)

    @tf.function
    def epoch(data):
        total, n = 0.0, 0
        for x in data:
            print("trace", strategy.experimental_local_results(x)[1].shape)
            out = strategy.run(lambda y: y * 2.0, args=(x,))
            total += strategy.reduce("SUM", out, axis=0)
            n += 1
        return total, n

    for n in (6, 5, 9):
        total, count = epoch(_divided(strategy, tf, n))
        print(total.numpy(), count.numpy())


def an_epoch_over_whole_batches(tf):
    strategy = _strategy(2, tf)

    @tf.function
    def epoch(data):
        total = tf.zeros([2])
        for x in data:
            print("trace")
            total += strategy.reduce("MEAN", strategy.run(tf.square, args=(x,)), axis=None)
        return total

    print(epoch(_divided(strategy, tf, 9, drop=True)).numpy().tolist())


def an_epoch_over_a_data_set_of_the_scope(tf):
    strategy = _strategy(2, tf)
    data = _divided(strategy, tf)

    @tf.function
    def epoch():
        total = 0.0
        for x in data:
            total += strategy.reduce("SUM", strategy.run(tf.reduce_sum, args=(x,)), axis=None)
        return total

    print(epoch().numpy(), epoch().numpy())


def some_steps_of_a_distributed_iterator(tf):
    strategy = _strategy(2, tf)

    @tf.function
    def steps(iterator, n):
        print("trace")
        total = 0.0
        for _ in tf.range(n):
            total += strategy.reduce(
                "SUM", strategy.run(tf.reduce_sum, args=(next(iterator),)), axis=None
            )
        return total

    iterator = iter(_divided(strategy, tf, 16))
    print(steps(iterator, tf.constant(1)).numpy(), steps(iterator, tf.constant(2)).numpy())


def the_end_of_a_distributed_iterator(tf):
    strategy = _strategy(2, tf)

    @tf.function
    def step(iterator):
        return strategy.reduce("SUM", strategy.run(tf.reduce_sum, args=(next(iterator),)), None)

    iterator = iter(_divided(strategy, tf, 4))
    print(step(iterator).numpy())
    try:
        step(iterator)
    except (tf.errors.OutOfRangeError, StopIteration) as error:
        print(type(error).__name__)


def distributed_elements_of_structures(tf):
    strategy = _strategy(2, tf)
    data = tf.data.Dataset.from_tensor_slices(
        {"x": [[1.0], [2.0], [3.0], [4.0], [5.0]], "y": [1, 2, 3, 4, 5]}
    )
    data = strategy.experimental_distribute_dataset(data.batch(2))

    def replica(batch):
        return tf.reduce_sum(batch["x"][:, 0] * tf.cast(batch["y"], tf.float32))

    @tf.function
    def epoch(data):
        total = 0.0
        for batch in data:
            total += strategy.reduce("SUM", strategy.run(replica, args=(batch,)), axis=None)
        return total

    print(epoch(data).numpy())


def an_epoch_over_data_sets_from_a_function(tf):
    strategy = _strategy(2, tf)

    def make(context):
        print(context.num_input_pipelines, context.num_replicas_in_sync)
        size = context.get_per_replica_batch_size(4)
        return tf.data.Dataset.range(7).batch(size)

    data = strategy.distribute_datasets_from_function(make)

    @tf.function
    def epoch(data):
        total = tf.constant(0, tf.int64)
        for x in data:
            print("trace")
            total += strategy.reduce("SUM", strategy.run(lambda y: y + 1, args=(x,)), axis=0)
        return total

    print(epoch(data).numpy(), epoch(data).numpy())


def distributed_optionals(tf):
    strategy = _strategy(2, tf)

    @tf.function
    def step(iterator):
        found = iterator.get_next_as_optional()
        total = -1.0
        if found.has_value():
            out = strategy.run(tf.reduce_sum, args=(found.get_value(),))
            total = strategy.reduce("SUM", out, axis=None)
        return total

    iterator = iter(_divided(strategy, tf))
    for _ in range(3):
        print(step(iterator).numpy())


def gathering_uneven_parts(tf):
    strategy = _strategy(2, tf)

    @tf.function
    def f(iterator):
        out = strategy.run(lambda y: y + 1.0, args=(next(iterator),))
        return strategy.gather(out, axis=0)

    iterator = iter(_divided(strategy, tf, 7))
    print(f(iterator).numpy().tolist(), f(iterator).numpy().tolist())


def training_through_a_data_set(tf):
    strategy = _strategy(2, tf)
    with strategy.scope():
        w = tf.Variable([[1.0], [2.0]])
        seen = tf.Variable(
            0,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
            trainable=False,
        )

    def replica(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((tf.matmul(x, w) - y) ** 2) / 3.0
        slope = tape.gradient(loss, w)
        slope = tf.distribute.get_replica_context().all_reduce("SUM", slope)
        w.assign_sub(0.1 * slope)
        seen.assign_add(tf.shape(x)[0])
        return loss

    @tf.function
    def epoch(data):
        print("trace")
        total = 0.0
        for x, y in data:
            total += strategy.reduce("SUM", strategy.run(replica, args=(x, y)), axis=None)
        return total, seen.read_value()

    data = tf.data.Dataset.from_tensor_slices(
        (
            [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [0.5, 0.5]],
            [[1.0], [2.0], [3.0], [4.0], [0.0]],
        )
    )
    data = strategy.experimental_distribute_dataset(data.batch(3))
    for _ in range(2):
        total, count = epoch(data)
        print(f"{total.numpy():.4f}", count.numpy(), w.numpy().round(4).tolist())


def a_merge_call_in_a_loop_over_a_data_set(tf):
    strategy = _strategy(2, tf)
    with strategy.scope():
        v = tf.Variable(1.0)

    def merged(strategy, x):
        v.assign_add(strategy.reduce("SUM", x, axis=None))

    def replica(x):
        tf.distribute.get_replica_context().merge_call(merged, args=(tf.reduce_sum(x),))
        return v * 1.0

    @tf.function
    def epoch(data):
        last = 0.0
        for x in data:
            last = strategy.reduce("MEAN", strategy.run(replica, args=(x,)), axis=None)
        return last

    print(epoch(_divided(strategy, tf)).numpy(), v.numpy())


def the_spec_of_a_distributed_iterator(tf):
    strategy = _strategy(2, tf)
    data = _divided(strategy, tf)
    iterator = iter(data)
    print(data.element_spec == iterator.element_spec, type(data.element_spec).__name__)

    @tf.function(input_signature=[data.element_spec])
    def f(x):
        print("trace")
        return strategy.reduce("SUM", strategy.run(tf.reduce_sum, args=(x,)), axis=None)

    for x in data:
        print(f(x).numpy())


def one_device_and_its_data_set(tf):
    strategy = tf.distribute.OneDeviceStrategy("CPU:0")

    @tf.function
    def epoch(data):
        total = 0.0
        for x in data:
            print("trace", x.shape)
            total += strategy.reduce("SUM", strategy.run(tf.reduce_sum, args=(x,)), axis=None)
        return total

    print(epoch(_divided(strategy, tf)).numpy())


def _of_every_kind(tf, strategy):
    kinds = tf.VariableAggregation
    with strategy.scope():
        return [
            *[tf.Variable([1.0, 2.0], aggregation=kind) for kind in (kinds.NONE, kinds.SUM)],
            tf.Variable([1.0, 2.0], aggregation=kinds.ONLY_FIRST_REPLICA),
            tf.Variable(
                [1.0, 2.0],
                trainable=True,
                synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=kinds.MEAN,
            ),
        ]


def a_tape_around_replicas(tf):
    strategy = _strategy(2, tf)
    parts = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant(3.0 + c.replica_id_in_sync_group)
    )

    def combined(result):
        yield strategy.reduce("SUM", result, axis=None)
        yield strategy.reduce("MEAN", result, axis=None)
        yield strategy.reduce("SUM", result, axis=0)
        yield strategy.reduce("MEAN", result, axis=0)
        yield strategy.experimental_local_results(result)[1]

    for v in _of_every_kind(tf, strategy):

        @tf.function
        def f(x, y, v=v):
            return v * x * y * v

        @tf.function
        def around(x, f=f):
            return list(combined(strategy.run(f, args=(x, parts))))

        for call in (lambda x, f=f: combined(strategy.run(f, args=(x, parts))), around):
            x = tf.constant(2.0)
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)
                ys = list(call(x))
            for y in ys:
                print(y.numpy(), _each(strategy, tape.gradient(y, [v])[0]), tape.gradient(y, x))


def a_tape_around_replicas_of_python(tf):
    strategy = _strategy(2, tf)
    for v in _of_every_kind(tf, strategy):
        x = tf.constant(2.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = strategy.reduce("SUM", strategy.run(lambda x, v=v: v * x, args=(x,)), axis=None)
        print(y.numpy(), tape.gradient(y, [v, x]))


def tapes_in_and_around_replicas(tf):
    strategy = _strategy(2, tf)
    for v in _of_every_kind(tf, strategy):

        @tf.function
        def f(x, v=v):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(v * v * v) * x
            return tape.gradient(y, v)

        x = tf.constant(2.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            total = strategy.reduce("SUM", strategy.run(f, args=(x,)), axis=None)
        print(total.numpy(), _each(strategy, tape.gradient(total, v)), tape.gradient(total, x))


def variables_change_under_a_tape_around_replicas(tf):
    strategy = _strategy(2, tf)
    with strategy.scope():
        v = tf.Variable(3.0)

    @tf.function
    def f(x):
        before = v * x
        v.assign_add(x)
        return before, v * x

    x = tf.constant(2.0)
    for _ in range(2):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            before, after = strategy.run(f, args=(x,))
            ys = [strategy.reduce("SUM", y, axis=None) for y in (before, after)]
        for y in ys:
            print(y.numpy(), tape.gradient(y, v).numpy(), tape.gradient(y, x).numpy())
