"""Graphs of TensorFlow 1: optimizers, gradients, hooks and sessions that look after training."""

import contextlib
import itertools
import os
import tempfile

import numpy as np

_numbers = itertools.count()


def graph_of(api):
    return api.Graph().as_default()


def slots_of_optimizers(tf):
    v1 = tf.compat.v1
    makers = [
        lambda: v1.train.AdamOptimizer(0.1),
        lambda: v1.train.MomentumOptimizer(0.1, 0.9),
        lambda: v1.train.AdagradOptimizer(0.1),
        lambda: v1.train.RMSPropOptimizer(0.1, momentum=0.5, centered=True),
        lambda: v1.train.FtrlOptimizer(0.1),
        lambda: v1.train.AdadeltaOptimizer(0.1),
    ]
    for make in makers:
        with graph_of(tf), v1.Session() as session:
            with v1.variable_scope("net"):
                v = v1.get_variable("v", initializer=[1.0, 2.0])
            optimizer = make()
            train = optimizer.minimize(tf.reduce_sum(v * v))
            print(optimizer.get_name(), optimizer.get_slot_names(), train.name, train.type)
            print(sorted(x.name for x in v1.global_variables()))
            session.run(v1.global_variables_initializer())
            for _ in range(3):
                session.run(train)
            print(session.run(v).round(4).tolist())
            slot = optimizer.get_slot(v, optimizer.get_slot_names()[0])
            print(slot.name, session.run(slot).round(4).tolist())
            print(len(optimizer.variables()), optimizer.get_slot(v, "nothing"))


def more_optimizers(tf):
    v1 = tf.compat.v1
    makers = [
        lambda: v1.train.ProximalGradientDescentOptimizer(0.1, 0.01, 0.02),
        lambda: v1.train.ProximalAdagradOptimizer(0.1, 0.1, 0.01, 0.02),
        lambda: v1.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    ]
    for make in makers:
        with graph_of(tf), v1.Session() as session:
            v = v1.get_variable("v", initializer=[1.0, -2.0])
            optimizer = make()
            step = v1.train.get_or_create_global_step()
            train = optimizer.minimize(tf.reduce_sum(v * v), global_step=step)
            session.run(v1.global_variables_initializer())
            for _ in range(3):
                session.run(train)
            print(optimizer.get_name(), session.run([v, step]), optimizer.get_slot_names())


def steps_and_their_order(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        step = v1.train.get_or_create_global_step()
        v = v1.get_variable("v", initializer=4.0)
        loss = v * v
        optimizer = v1.train.GradientDescentOptimizer(0.25)
        pairs = optimizer.compute_gradients(loss)
        print([(None if g is None else g.name, x.name) for g, x in pairs])
        train = optimizer.apply_gradients(pairs, global_step=step, name="go")
        with tf.control_dependencies([train]):
            after = v.read_value()
        session.run(v1.global_variables_initializer())
        print(session.run([after, train]), session.run([v, step]), train.name)
        print(session.run([loss, step]))


def gradients_of_optimizers(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf):
        v = v1.get_variable("v", initializer=1.0)
        w = v1.get_variable("w", initializer=1.0)
        optimizer = v1.train.GradientDescentOptimizer(0.1)
        pairs = optimizer.compute_gradients(v * 2.0)
        print([(g is None, x.name) for g, x in pairs])
        print(
            len(optimizer.compute_gradients(v * w, [w])),
            optimizer.compute_gradients(v, grad_loss=tf.constant(2.0))[0][0].shape,
        )
        raises(lambda: optimizer.apply_gradients([]), "No variables provided")
        raises(
            lambda: optimizer.apply_gradients([(None, v)]), "No gradients provided for any variable"
        )
        raises(lambda: optimizer.minimize(tf.constant(1.0)), "No gradients provided")
        raises(lambda: optimizer.minimize(v1.cast(v, tf.int32)), "Invalid type", "int32")


def gradients_with_weights(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = tf.constant([1.0, 2.0])
        y, z = x * x, 3.0 * x
        print(
            session.run(tf.gradients([y, z], x)),
            session.run(tf.gradients([y, z], x, [[1.0, 0.0], [2.0, 2.0]])),
        )
        print(session.run(tf.gradients(y, x, grad_ys=None, stop_gradients=[x])))
        print(session.run(tf.gradients(y + z, [x, y], stop_gradients=[y])))
        print(tf.gradients(tf.stop_gradient(y), x), tf.gradients(y, tf.constant(1.0)))
        print(session.run(tf.gradients(y, tf.constant([1.0]), unconnected_gradients="zero")))
        g = tf.gradients(y, x)[0]
        print(
            g.shape,
            session.run(tf.gradients(g, x)),
            session.run(v1.hessians(tf.reduce_sum(y * x), x)),
        )


def gradients_are_overridden(tf, raises):
    v1 = tf.compat.v1

    name = f"SessionsTripled{next(_numbers)}"

    @tf.RegisterGradient(name)
    def _tripled(op, grad):
        return 3.0 * grad

    with graph_of(tf) as graph, v1.Session() as session:
        x = tf.constant([1.0, 2.0])
        with graph.gradient_override_map({"Identity": name}):
            y = tf.identity(x)
        z = tf.identity(x)
        print(session.run(tf.gradients(y, x)), session.run(tf.gradients(z, x)))
        raises(lambda: graph.gradient_override_map({"Square": 3}).__enter__(), "strings")


def custom_gradients_in_graphs(tf):
    v1 = tf.compat.v1

    @tf.custom_gradient
    def clipped(x):
        def grad(dy):
            return tf.clip_by_value(dy, -0.1, 0.1)

        return tf.identity(x), grad

    with graph_of(tf), v1.Session() as session:
        w = v1.get_variable("w", initializer=[1.0, 2.0])
        loss = tf.reduce_sum(clipped(w * 3.0) * [5.0, -5.0])
        train = v1.train.GradientDescentOptimizer(1.0).minimize(loss)
        session.run(v1.global_variables_initializer())
        print(session.run(tf.gradients(loss, w)))
        session.run(train)
        print(session.run(w))


def rates_of_learning(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        step = v1.placeholder(tf.int64, [])
        rates = [
            v1.train.exponential_decay(1.0, step, 10, 0.5),
            v1.train.polynomial_decay(1.0, step, 10, 0.1, power=2.0, cycle=True),
            v1.train.cosine_decay(1.0, step, 10, alpha=0.1),
            v1.train.cosine_decay_restarts(1.0, step, 5),
            v1.train.linear_cosine_decay(1.0, step, 10),
            v1.train.inverse_time_decay(1.0, step, 10, 0.5, staircase=True),
            v1.train.natural_exp_decay(1.0, step, 10, 0.5),
            v1.train.piecewise_constant(step, [3, 8], [1.0, 0.5, 0.1]),
        ]
        for n in [0, 3, 7, 12]:
            print(n, session.run(rates, {step: n}))


def a_monitored_session(tf):
    v1 = tf.compat.v1
    with graph_of(tf):
        step = v1.train.get_or_create_global_step()
        v = v1.get_variable("v", initializer=1.0)
        train = tf.group(v.assign_add(1.0), step.assign_add(1))
        hooks = [v1.train.StopAtStepHook(last_step=4)]
        with v1.train.MonitoredTrainingSession(hooks=hooks, log_step_count_steps=None) as session:
            while not session.should_stop():
                session.run(train)
                print(session.run([v, step]) if not session.should_stop() else "stopped")


def order_of_hooks(tf):
    v1 = tf.compat.v1

    class Loud(v1.train.SessionRunHook):
        def __init__(self, name, fetch):
            self.name, self.fetch = name, fetch

        def begin(self):
            print(self.name, "begin")

        def after_create_session(self, session, coord):
            print(self.name, "created", type(coord).__name__)

        def before_run(self, run_context):
            print(self.name, "before", run_context.original_args.fetches is not None)
            return v1.train.SessionRunArgs(self.fetch)

        def after_run(self, run_context, run_values):
            print(self.name, "after", run_values.results)
            if self.name == "b" and run_values.results >= 3:
                run_context.request_stop()

        def end(self, session):
            print(self.name, "end")

    with graph_of(tf):
        v = v1.get_variable("v", initializer=1)
        add = v.assign_add(1)
        hooks = [Loud("a", {"x": v1.constant(7)}), Loud("b", add)]
        with v1.train.MonitoredSession(hooks=hooks) as session:
            while not session.should_stop():
                print(session.run(add.op))
        print(session.should_stop())


def hooks_that_feed_and_stop(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf):
        x = v1.placeholder(tf.float32, [], name="x")
        y = x * 2.0
        feed = v1.train.FeedFnHook(lambda: {x: 21.0})
        last = v1.train.FinalOpsHook(y, {x: 1.5})
        with v1.train.SingularMonitoredSession(hooks=[feed, last]) as session:
            print(session.run(y), type(session.raw_session()).__name__)
        print(last.final_ops_values)
        nan = v1.train.NanTensorHook(y)
        with v1.train.SingularMonitoredSession(hooks=[nan]) as session:
            print(session.run(y, {x: 1.0}))
            raises(lambda: session.run(y, {x: np.nan}), "NaN loss during training")
        soft = v1.train.NanTensorHook(y, fail_on_nan_loss=False)
        with v1.train.SingularMonitoredSession(hooks=[soft]) as session:
            session.run(y, {x: np.nan})
            print(session.should_stop())


def a_session_that_saves(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder:
        for last in [3, 5]:
            with graph_of(tf):
                step = v1.train.get_or_create_global_step()
                v = v1.get_variable("v", initializer=0.0)
                train = tf.group(v.assign_add(2.0), step.assign_add(1))
                hooks = [v1.train.StopAtStepHook(last_step=last)]
                with v1.train.MonitoredTrainingSession(
                    checkpoint_dir=folder,
                    hooks=hooks,
                    save_checkpoint_steps=2,
                    save_summaries_steps=None,
                    save_summaries_secs=None,
                    log_step_count_steps=None,
                ) as session:
                    print("starts with", session.run([v, step]))
                    while not session.should_stop():
                        session.run(train)
            print(os.path.basename(v1.train.latest_checkpoint(folder)))
        print(sorted(n for n in os.listdir(folder) if n.startswith("model") and "data" not in n))


def scaffolds(tf):
    v1 = tf.compat.v1
    with graph_of(tf):
        v = v1.get_variable("v", initializer=1.0)
        w = v1.get_local_variable("w", initializer=2.0)
        more, plus = v.assign(v * 10.0), v + 1.0
        scaffold = v1.train.Scaffold(
            init_fn=lambda scaffold, session: session.run(more),
            local_init_op=tf.group(v1.local_variables_initializer()),
        )
        creator = v1.train.ChiefSessionCreator(scaffold)
        with v1.train.MonitoredSession(creator) as session:
            print(session.run([v, w]), session.graph.finalized)
            print(session.run_step_fn(lambda step_context: step_context.session.run(plus)))
        print(scaffold.saver is not None, scaffold.init_op.name)


def logging_and_counting_hooks(tf):
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder, graph_of(tf):
        step = v1.train.get_or_create_global_step()
        v1.summary.scalar("step", step)
        train = step.assign_add(1)
        shown = []
        log = v1.train.LoggingTensorHook(
            {"step": step}, every_n_iter=2, formatter=lambda d: shown.append(int(d["step"])) or ""
        )
        timer = v1.train.SecondOrStepTimer(every_steps=2)
        counter = v1.train.StepCounterHook(every_n_steps=2, output_dir=folder)
        saver = v1.train.SummarySaverHook(
            save_steps=2, output_dir=folder, summary_op=v1.summary.merge_all()
        )
        with v1.train.MonitoredSession(
            hooks=[log, counter, saver, v1.train.StopAtStepHook(num_steps=5)]
        ) as session:
            while not session.should_stop():
                session.run(train)
        print(shown, [timer.should_trigger_for_step(i) for i in range(3)])
        print(
            timer.update_last_triggered_step(1),
            timer.should_trigger_for_step(2),
            timer.should_trigger_for_step(3),
        )
        found = [os.path.join(folder, n) for n in os.listdir(folder) if n.startswith("events")]
        tags = {
            v.tag
            for name in found
            for e in v1.train.summary_iterator(name)
            for v in e.summary.value
        }
        print(sorted(tags))


def listeners_of_checkpoints(tf):
    v1 = tf.compat.v1

    class Listener(v1.train.CheckpointSaverListener):
        def begin(self):
            print("begin")

        def before_save(self, session, step):
            print("before", step)

        def after_save(self, session, step):
            print("after", step)

        def end(self, session, step):
            print("end", step)

    with tempfile.TemporaryDirectory() as folder, graph_of(tf):
        step = v1.train.get_or_create_global_step()
        train = step.assign_add(1)
        hook = v1.train.CheckpointSaverHook(folder, save_steps=2, listeners=[Listener()])
        with v1.train.SingularMonitoredSession(
            hooks=[hook, v1.train.StopAtStepHook(last_step=3)]
        ) as session:
            while not session.should_stop():
                session.run(train)


def errors_in_monitored_sessions(tf, raises):
    v1 = tf.compat.v1
    with graph_of(tf):
        x = v1.placeholder(tf.int32, [])
        y = tf.gather([1, 2], x)
        session = v1.train.MonitoredSession()
        raises(lambda: session.run(y, {x: 5}), "indices")
        print(session.run(y, {x: 1}))
        session.close()
        raises(lambda: session.run(y, {x: 1}), "already closed", "closed")
        raises(lambda: session.graph, "closed")

        @contextlib.contextmanager
        def training():
            with v1.train.MonitoredSession() as inner:
                yield inner

        with training() as again:
            raises(lambda: tf.constant(1), "finalized")
            raise_out = tf.errors.OutOfRangeError(None, None, "over")
            print(again.should_stop())
            raise raise_out
    print("went on")


def gradients_by_scope(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2])
        with v1.variable_scope("one"):
            a = tf.matmul(x, v1.get_variable("w", [2, 2], initializer=v1.ones_initializer()))
        with v1.variable_scope("two"):
            b = tf.matmul(a, v1.get_variable("w", [2, 1], initializer=v1.ones_initializer()))
        loss = tf.reduce_mean(b)
        second = v1.get_collection(v1.GraphKeys.TRAINABLE_VARIABLES, scope="two")
        train = v1.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=second)
        session.run(v1.global_variables_initializer())
        session.run(train, {x: [[1.0, 2.0], [3.0, 4.0]]})
        print([(v.name, session.run(v).tolist()) for v in v1.trainable_variables()])


def accumulated_gradients(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        v = v1.get_variable("v", initializer=1.0)
        optimizer = v1.train.GradientDescentOptimizer(0.1)
        sums = [v1.Variable(tf.zeros(w.shape), trainable=False) for w in [v]]
        pairs = optimizer.compute_gradients(v * x)
        clear = [s.assign(tf.zeros_like(s)) for s in sums]
        add = [s.assign_add(g) for s, (g, _) in zip(sums, pairs)]
        train = optimizer.apply_gradients([(s, w) for s, (_, w) in zip(sums, pairs)])
        session.run(v1.global_variables_initializer())
        for _ in range(2):
            session.run(clear)
            for n in range(3):
                session.run(add, {x: float(n)})
            session.run(train)
        print(session.run([v, *sums]))


def averages_of_training(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        v = v1.get_variable("v", initializer=0.0)
        step = v1.train.get_or_create_global_step()
        ema = v1.train.ExponentialMovingAverage(0.9, num_updates=step)
        train = v1.train.GradientDescentOptimizer(0.5).minimize(
            tf.square(v - 3.0), global_step=step
        )
        with tf.control_dependencies([train]):
            train = ema.apply([v])
        session.run(v1.global_variables_initializer())
        for _ in range(3):
            session.run(train)
        print(
            session.run([v, ema.average(v)]),
            ema.average_name(v),
            sorted(ema.variables_to_restore()),
        )
        print(ema.name, [x.name for x in v1.moving_average_variables()])


def batch_normalization_by_hand(tf):
    v1 = tf.compat.v1
    with graph_of(tf), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2])
        training = v1.placeholder_with_default(False, [])
        mean, variance = tf.nn.moments(x, [0])
        m = v1.get_variable("m", [2], initializer=v1.zeros_initializer(), trainable=False)
        s = v1.get_variable("s", [2], initializer=v1.ones_initializer(), trainable=False)
        updates = tf.group(m.assign(m * 0.5 + mean * 0.5), s.assign(s * 0.5 + variance * 0.5))
        v1.add_to_collection(v1.GraphKeys.UPDATE_OPS, updates)
        y = v1.cond(
            training,
            lambda: tf.nn.batch_normalization(x, mean, variance, None, None, 1e-3),
            lambda: tf.nn.batch_normalization(x, m, s, None, None, 1e-3),
        )
        with tf.control_dependencies(v1.get_collection(v1.GraphKeys.UPDATE_OPS)):
            z = tf.identity(y)
        session.run(v1.global_variables_initializer())
        batch = [[1.0, 2.0], [3.0, 6.0]]
        print(session.run(z, {x: batch, training: True}), session.run([m, s]))
        print(session.run(y, {x: batch}))
        scale, offset = tf.ones([2]), tf.zeros([2])
        image = tf.reshape(x, [-1, 1, 1, 2])
        out, mu, var = v1.nn.fused_batch_norm(image, scale, offset, epsilon=1e-3)
        print(session.run([out, mu, var], {x: batch}))
