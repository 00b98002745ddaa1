"""Graphs of TensorFlow 1: conditionals, loops, control dependencies, queues and data."""

import threading

import numpy as np


def graph_of(api):
    return api.Graph().as_default()


def conditionals(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        y = v1.cond(x > 0, lambda: x * 2.0, lambda: -x, name="choice")
        z = v1.cond(x > 0, lambda: {"a": x, "b": [x + 1.0]}, lambda: {"a": -x, "b": [x - 1.0]})
        for n in [3.0, -3.0]:
            print(session.run([y, z, tf.gradients(y, x)], {x: n}))
        w = v1.cond(x > 0, true_fn=lambda: tf.ones([2]), false_fn=lambda: tf.zeros([3]))
        print(w.shape, session.run(w, {x: -1.0}))
        raises(lambda: v1.cond(True, 1, lambda: 2), "callable")
        raises(lambda: v1.cond(x > 0, lambda: x, lambda: 1), "type")


def branches_with_effects(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        p = v1.placeholder(tf.bool, [])
        v = v1.get_variable("v", initializer=0.0)
        outside = v.assign_add(100.0)
        y = v1.cond(p, lambda: v.assign_add(1.0), lambda: v.assign_sub(1.0))
        session.run(v.initializer)
        print([session.run(y, {p: b}) for b in [True, True, False]], session.run(v))
        with tf.control_dependencies([outside]):
            z = v1.cond(p, lambda: tf.identity(v), lambda: tf.constant(0.0))
        print(session.run(z, {p: True}), session.run(z, {p: False}), session.run(v))
        op = v1.cond(p, lambda: tf.group(v.assign(5.0)), lambda: tf.no_op())
        session.run(op, {p: True})
        print(session.run(v))


def cases(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.int32, [])
        y = v1.case([(x < 2, lambda: 17), (x > 5, lambda: 23)], default=lambda: -1)
        z = tf.switch_case(x, [lambda: 1.0, lambda: 2.0, lambda: 3.0])
        print([session.run([y, z], {x: n}) for n in [0, 1, 4, 7]])
        e = v1.case({x < 5: lambda: 1, x > 3: lambda: 2}, exclusive=True)
        print(session.run(e, {x: 1}))
        raises(lambda: session.run(e, {x: 4}), "exclusive")


def loops_of_all_kinds(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        n = v1.placeholder(tf.int32, [])
        i, total = v1.while_loop(
            lambda i, s: i < n,
            lambda i, s: (i + 1, s + tf.cast(i, tf.float32)),
            [0, 0.0],
            name="sum",
        )
        x = tf.constant([1.0, 2.0])
        power = v1.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), (tf.constant(0), x))[
            1
        ]
        slope = tf.gradients(power, x)
        print(session.run([i, total], {n: 5}), session.run(total, {n: 0}))
        print(session.run(power, {n: 3}), session.run(slope, {n: 3}))
        grown = v1.while_loop(
            lambda a: tf.shape(a)[0] < 5,
            lambda a: tf.concat([a, a], 0),
            [tf.ones([1, 2])],
            shape_invariants=[tf.TensorShape([None, 2])],
        )
        print(grown.shape, session.run(grown).shape)
        raises(
            lambda: v1.while_loop(
                lambda a: tf.shape(a)[0] < 5, lambda a: tf.concat([a, a], 0), [tf.ones([1])]
            ),
            "shape",
        )
        limited = v1.while_loop(
            lambda i: i < 100,
            lambda i: i + 1,
            [0],
            maximum_iterations=7,
            parallel_iterations=1,
            back_prop=False,
        )
        print(
            session.run(limited),
            session.run(v1.while_loop(lambda i: i < 2, lambda i: [i + 1], [0])),
        )
        raises(lambda: v1.while_loop(lambda i: i < 2, lambda i: (i, i), [0]))
        raises(lambda: v1.while_loop(lambda: True, lambda: [], []), "loop variables")


def loops_with_structures(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        pair = v1.while_loop(
            lambda i, d: i < 3,
            lambda i, d: (i + 1, {"a": d["a"] + 1.0, "b": (d["b"][0] * 2.0,)}),
            (tf.constant(0), {"a": tf.constant(0.0), "b": (tf.constant(1.0),)}),
        )
        print(session.run(pair))
        v = v1.get_variable("v", initializer=1.0)

        def body(i):
            with tf.control_dependencies([v.assign(v * 2.0)]):
                return i + 1

        done = v1.while_loop(lambda i: i < 4, body, [tf.constant(0)])
        session.run(v.initializer)
        print(session.run(done), session.run(v))


def nested_loops(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])

        def row(i, total):
            inner = v1.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + x), [0, 0.0])[1]
            return i + 1, total + v1.cond(inner > 2.0, lambda: inner, lambda: -inner)

        y = v1.while_loop(lambda i, t: i < 4, row, [0, 0.0])[1]
        print(session.run([y, tf.gradients(y, x)[0]], {x: 1.5}), session.run(y, {x: 0.5}))


def arrays_of_tensors(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2])
        n = tf.shape(x)[0]
        source = tf.TensorArray(tf.float32, size=n).unstack(x)
        target = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        out = v1.while_loop(
            lambda i, a: i < n, lambda i, a: (i + 1, a.write(i, source.read(i) * 2.0)), [0, target]
        )[1]
        y = out.stack()
        slope = tf.gradients(y, x)
        print(session.run(y, {x: [[1, 2], [3, 4]]}), session.run(slope, {x: [[1, 2]]}))
        print(session.run([out.size(), out.concat(), out.gather([1])], {x: [[1, 2], [3, 4]]}))
        s = tf.TensorArray(tf.float32, 2, infer_shape=False).split(tf.range(5.0), [2, 3])
        print(session.run([s.read(0), s.read(1)]))
        late = tf.TensorArray(tf.float32, 2, clear_after_read=False).write(0, 1.0)
        raises(lambda: session.run(late.read(5)))
        print(session.run([late.read(0), late.write(1, 3.0).stack()]))


def maps_over_elements(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None])
        y = v1.map_fn(lambda a: a * a, x)
        both = v1.map_fn(lambda t: (t[0] + t[1], t[0]), (x, x), dtype=(tf.float32, tf.float32))
        print(session.run([y, both, tf.gradients(y, x)], {x: [1.0, 2.0, 3.0]}))
        print(
            session.run(v1.foldl(lambda a, b: a + b, x), {x: [1.0, 2.0]}),
            session.run(v1.foldr(lambda a, b: a - b, x, 10.0), {x: [1.0, 2.0]}),
        )
        print(
            session.run(
                v1.scan(lambda a, b: a * b, x, initializer=1.0, reverse=True), {x: [2.0, 3.0, 4.0]}
            )
        )
        print(session.run(tf.vectorized_map(lambda a: a + 1.0, x), {x: [1.0]}))


def dependencies_in_blocks(tf):
    v1 = tf.compat.v1
    with graph_of(tf) as graph, v1.Session() as session:
        v = v1.get_variable("v", initializer=1.0)
        first = v.assign(2.0)
        with graph.control_dependencies([first]):
            second = v.assign(v * 3.0)
            with graph.control_dependencies(None):
                free = tf.constant(1.0, name="free")
        with tf.control_dependencies([second]):
            end = tf.no_op(name="end")
        session.run(v.initializer)
        print(session.run(end), session.run(v))
        print([op.name for op in end.control_inputs], free.op.control_inputs)


def a_queue(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        q = v1.FIFOQueue(3, tf.float32, shapes=[[]], name="q")
        x = v1.placeholder(tf.float32, [])
        put, many, take, size = q.enqueue(x), q.enqueue_many([[1.0, 2.0]]), q.dequeue(), q.size()
        session.run(put, {x: 5.0})
        session.run(many)
        print(
            session.run(size),
            session.run(take),
            session.run(q.dequeue_many(2)),
            q.name,
            q.dtypes,
            q.shapes,
        )
        session.run(many)
        session.run(q.close())
        print(session.run(q.is_closed()), session.run(q.dequeue_up_to(5)))
        raises(lambda: session.run(take), "closed", "insufficient elements")
        raises(lambda: session.run(many), "closed")
        print(take.shape, q.dequeue_many(2).shape, put.type, take.op.type)


def queues_of_several_kinds(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        q = v1.RandomShuffleQueue(10, 0, [tf.int32], shapes=[()], seed=1)
        session.run(q.enqueue_many([list(range(6))]))
        print(sorted(session.run(q.dequeue_many(6)).tolist()), session.run(q.size()))
        p = v1.PaddingFIFOQueue(10, [tf.int32], shapes=[[None]])
        session.run(p.enqueue([[1]]))
        session.run(p.enqueue([[1, 2, 3]]))
        print(session.run(p.dequeue_many(2)))
        o = v1.PriorityQueue(10, [tf.string], shapes=[()])
        for key, value in [(3, "c"), (1, "a"), (2, "b")]:
            session.run(o.enqueue((np.int64(key), value)))
        print([session.run(o.dequeue()) for _ in range(3)])
        d = v1.FIFOQueue(10, [tf.int32, tf.float32], names=["i", "f"], shapes=[[], [2]])
        session.run(d.enqueue({"i": 1, "f": [1.0, 2.0]}))
        print(session.run(d.dequeue()))


def threads_fill_a_queue(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        q = v1.FIFOQueue(4, tf.int32, shapes=[()])
        n = v1.get_local_variable("n", initializer=0)
        put = q.enqueue(v1.assign_add(n, 1))
        take = q.dequeue()
        runner = v1.train.QueueRunner(q, [put])
        v1.train.add_queue_runner(runner)
        session.run(v1.local_variables_initializer())
        coord = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coord=coord)
        print(
            [session.run(take) for _ in range(6)],
            len(threads) > 0,
            isinstance(threads[0], threading.Thread),
        )
        coord.request_stop()
        coord.join(threads)
        print(coord.should_stop(), [r.name for r in v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS)])


def batches_from_producers(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        names = v1.train.string_input_producer(["a", "b", "c"], num_epochs=1, shuffle=False)
        one = names.dequeue()
        image, label = v1.train.slice_input_producer(
            [[[1.0], [2.0], [3.0], [4.0]], [1, 2, 3, 4]], shuffle=False, num_epochs=1
        )
        batch = v1.train.batch([image, label], 2)
        index = v1.train.range_input_producer(3, shuffle=False).dequeue()
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        coord = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(sess=session, coord=coord)
        print(batch[0].shape, batch[1].dtype)
        found = []
        try:
            while not coord.should_stop():
                found.append(session.run(batch))
        except tf.errors.OutOfRangeError:
            print("all was read")
        finally:
            coord.request_stop()
        print(found, session.run([index, index * 1]))
        print(session.run(one))
        coord.join(threads)


def shuffled_batches(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        value = v1.train.slice_input_producer([list(range(8))], num_epochs=1, shuffle=True, seed=3)[
            0
        ]
        batch = v1.train.shuffle_batch(
            [value], 4, capacity=20, min_after_dequeue=2, seed=1, allow_smaller_final_batch=True
        )
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        coord = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coord)
        print(batch.shape, sorted(session.run(batch).tolist() + session.run(batch).tolist()))
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=5)


def iterators_that_are_initialized(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        top = v1.placeholder(tf.int64, [])
        data = v1.data.Dataset.range(top).map(lambda n: n * n).batch(2)
        iterator = v1.data.make_initializable_iterator(data)
        element = iterator.get_next()
        raises(lambda: session.run(element))
        for n in [3, 4]:
            session.run(iterator.initializer, {top: n})
            while True:
                try:
                    print(session.run(element).tolist())
                except tf.errors.OutOfRangeError:
                    break
        print(iterator.output_shapes, iterator.output_types, element.shape, element.dtype)
        once = v1.data.make_one_shot_iterator(v1.data.Dataset.from_tensor_slices({"a": [1, 2]}))
        following = once.get_next()
        print(session.run(following), session.run(following["a"]))
        raises(lambda: session.run(following))


def iterators_of_a_structure(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        a, b = v1.data.Dataset.range(2), v1.data.Dataset.range(10, 12)
        iterator = v1.data.Iterator.from_structure(
            v1.data.get_output_types(a), v1.data.get_output_shapes(a)
        )
        element = iterator.get_next()
        to_a, to_b = iterator.make_initializer(a), iterator.make_initializer(b)
        session.run(to_a)
        print(session.run(element), session.run(element))
        session.run(to_b)
        print(session.run(element))
        handle = v1.placeholder(tf.string, [])
        fed = v1.data.Iterator.from_string_handle(
            handle, v1.data.get_output_types(a), v1.data.get_output_shapes(a)
        )
        following = fed.get_next()
        one, two = v1.data.make_one_shot_iterator(a), v1.data.make_initializable_iterator(b)
        names = session.run([one.string_handle(), two.string_handle()])
        session.run(two.initializer)
        print(
            session.run(following, {handle: names[0]}), session.run(following, {handle: names[1]})
        )
        print(session.run(following, {handle: names[0]}))


def data_from_python(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        data = v1.data.Dataset.from_generator(
            lambda: iter([[1], [1, 2]]), tf.int32, tf.TensorShape([None])
        )
        padded = data.padded_batch(2, [None]).repeat(2)
        element = v1.data.make_one_shot_iterator(padded).get_next()
        print(element.shape, session.run(element), session.run(element))
        words = v1.data.Dataset.from_tensor_slices(["b", "a"]).map(
            lambda w: tf.strings.join([w, "!"])
        )
        print(session.run(v1.data.make_one_shot_iterator(words).get_next()))
        calls = v1.py_func(lambda a, b: (a + b, np.int64(3)), [1.0, 2.0], [tf.float32, tf.int64])
        print(session.run(calls) if 0 else [c.dtype for c in calls])


def tables_in_graphs(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1
        )
        x = v1.placeholder(tf.string, [None])
        y = table.lookup(x)
        raises(lambda: session.run(y, {x: ["a"]}), "not initialized")
        session.run(v1.tables_initializer())
        print(session.run(y, {x: ["b", "c"]}), session.run(table.size()))
        print(
            [
                c.name if hasattr(c, "name") else c
                for c in v1.get_collection(v1.GraphKeys.TABLE_INITIALIZERS)
            ]
            != []
        )


def recurrent_networks(tf):
    v1 = tf.compat.v1

    class Cell:
        output_size = state_size = 2

        def __call__(self, inputs, state, scope=None):
            with v1.variable_scope(scope or "cell", reuse=v1.AUTO_REUSE):
                w = v1.get_variable("w", [2, 2], initializer=v1.constant_initializer(0.5))
            out = tf.tanh(tf.matmul(inputs, w) + state)
            return out, out

        def zero_state(self, batch_size, dtype):
            return tf.zeros([batch_size, 2], dtype)

    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 3, 2])
        cell = Cell()
        outs, state = [], cell.zero_state(tf.shape(x)[0], tf.float32)
        for step in tf.unstack(x, 3, 1):
            out, state = cell(step, state)
            outs.append(out)
        y = tf.stack(outs, 1)
        session.run(v1.global_variables_initializer())
        print(y.shape, session.run(y, {x: np.ones((1, 3, 2))}).round(4).tolist())
        print([v.name for v in v1.trainable_variables()])
        (slope,) = tf.gradients(y, v1.trainable_variables())
        print(session.run(slope, {x: np.ones((2, 3, 2))}).round(4).tolist())
