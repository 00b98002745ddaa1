"""Models of TensorFlow 1 whose graphs hold the gradients of loops, for `make.py`."""

import importlib

import numpy as np

tf = importlib.import_module("tensorflow")
v1 = tf.compat.v1

MODELS = {}


def rows(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def training(loss_of, x, **weights):
    """A model with signatures for a loss with its gradients and for a step of training.

    Args:
      loss_of: Makes the graph of the loss, given the input and the variables.
      x: The input.
      weights: The initial values of the variables.
    """

    def write(directory):
        v1.disable_control_flow_v2()
        with tf.Graph().as_default(), v1.Session() as session:
            given = v1.placeholder(tf.float32, [None, *x.shape[1:]], "x")
            variables = {
                name: v1.get_variable(name, initializer=value, use_resource=True)
                for name, value in weights.items()
            }
            loss = loss_of(given, **variables)
            gradients = v1.gradients(loss, [given, *variables.values()])
            results = {"loss": loss, "of_x": gradients[0]}
            results |= {f"of_{k}": d for k, d in zip(variables, gradients[1:], strict=True)}
            reset = [v1.assign(v, weights[name]) for name, v in variables.items()]
            with tf.control_dependencies(reset):
                fresh = {name: v.read_value() + 0.0 for name, v in variables.items()}  # copies
                before = loss_of(tf.identity(given), **fresh)
            steps = zip(v1.gradients(before, list(fresh.values())), variables.values(), strict=True)
            optimizer = v1.train.GradientDescentOptimizer(0.05)
            with tf.control_dependencies([optimizer.apply_gradients(steps)]):
                after = {name: v.read_value() for name, v in variables.items()}
            session.run(v1.global_variables_initializer())
            builder = v1.saved_model.Builder(directory)
            info = v1.saved_model.build_tensor_info
            signatures = {
                name: v1.saved_model.build_signature_def(
                    {"x": info(given)}, {k: info(y) for k, y in outs.items()}
                )
                for name, outs in (
                    ("loss", {"loss": loss}),
                    ("gradients", results),
                    ("step", {"before": before, **after}),
                )
            }
            builder.add_meta_graph_and_variables(
                session, [v1.saved_model.SERVING], signature_def_map=signatures
            )
            builder.save()
        v1.enable_control_flow_v2()

    calls = [(f"signatures.{name}", [], {"x": x}) for name in ("loss", "gradients", "step")]
    return ("v1", write), None, calls


def model(build):
    MODELS[build.__name__] = build
    return build


@model
def loop_gradients_v1():
    """A loop with two accumulators and a number of iterations that depends on values."""

    def loss_of(x, a, w):
        def body(i, y, total):
            y = tf.tanh(y @ a)
            return i + 1, y, total + tf.reduce_sum(y * w) * tf.cast(i, tf.float32)

        most = tf.cast(tf.reduce_max(tf.abs(x)) * 0.0 + 4.0, tf.int32)
        _, y, total = v1.while_loop(lambda i, *_: i < most, body, [0, x, 0.0])
        return total + tf.reduce_sum(tf.square(y))

    return training(loss_of, rows(3, 2), a=rows(2, 2, seed=1), w=rows(2, seed=2))


@model
def nested_loop_gradients_v1():
    """A loop in a loop, whose number of iterations differs."""

    def loss_of(x, a, w):
        def inner(j, z):
            return j + 1, tf.sin(z * w) + a

        def body(i, y):
            _, y = v1.while_loop(lambda j, _: j < i + 1, inner, [0, y])
            return i + 1, y * a

        most = tf.shape(x)[0]
        return tf.reduce_sum(v1.while_loop(lambda i, _: i < most, body, [0, x])[1] ** 2)

    return training(loss_of, rows(3, 2), a=rows(2, seed=1), w=rows(2, seed=2))


@model
def conditional_loop_gradients_v1():
    """Conditionals in a loop, one of them in another one."""

    def loss_of(x, a, w):
        def odd(y):
            large = tf.reduce_sum(y) > 0.0
            return v1.cond(large, lambda: tf.sin(y) * w, lambda: y * y @ a)

        def body(i, y):
            y = v1.cond(tf.equal(i % 2, 0), lambda: tf.tanh(y @ a), lambda: odd(y))
            return i + 1, v1.cond(i > 2, lambda: y, lambda: y * w)

        most = tf.shape(x)[0] + 2
        return tf.reduce_sum(v1.while_loop(lambda i, _: i < most, body, [0, x])[1] ** 2)

    return training(loss_of, rows(3, 2), a=rows(2, 2, seed=1), w=rows(2, seed=2))


@model
def array_gradients_v1():
    """Loops that read and write arrays of tensors: a scan, and a recurrence over its results."""

    def loss_of(x, a, w):
        n = tf.shape(x)[0]
        given = tf.TensorArray(tf.float32, n, clear_after_read=False).unstack(x)
        kept = tf.TensorArray(tf.float32, n, element_shape=[2])

        def body(i, s, kept):
            s = tf.tanh(s * a + given.read(i) + given.read(n - 1 - i) * w)
            return i + 1, s, kept.write(i, s * w)

        _, s, kept = v1.while_loop(lambda i, *_: i < n, body, [0, tf.ones([2]), kept])
        scanned = v1.scan(lambda s, y: s * w + y, kept.stack())
        return (
            tf.reduce_sum(s)
            + tf.reduce_sum(tf.square(scanned))
            + tf.reduce_sum(v1.map_fn(lambda y: y * a, x))
        )

    return training(loss_of, rows(4, 2), a=rows(2, seed=1), w=rows(2, seed=2))


@model
def recurrent_gradients_v1():
    """A recurrent network of TensorFlow 1 with lengths, and its gradients."""

    def loss_of(x, a, w):
        def body(t, state, out):
            row = tf.gather(x, t, axis=1)
            i, f, g, o = tf.split(tf.concat([row, state[1]], 1) @ a, 4, 1)
            c = tf.sigmoid(f + 1.0) * state[0] + tf.sigmoid(i) * tf.tanh(g)
            h = tf.sigmoid(o) * tf.tanh(c)
            goes = tf.tile(tf.reshape(t < lengths, [-1, 1]), [1, 3])
            return (
                t + 1,
                (v1.where(goes, c, state[0]), v1.where(goes, h, state[1])),
                out.write(t, h),
            )

        lengths = tf.range(tf.shape(x)[0]) + 3
        zero = tf.zeros([tf.shape(x)[0], 3])
        out = tf.TensorArray(tf.float32, tf.shape(x)[1])
        last = v1.while_loop(
            lambda t, *_: t < tf.shape(x)[1], body, [0, (zero, zero), out], swap_memory=True
        )
        return tf.reduce_sum(last[1][1] @ w) + 0.1 * tf.reduce_sum(tf.square(last[2].stack()))

    return training(loss_of, rows(2, 5, 2), a=rows(5, 12, seed=1), w=rows(3, 2, seed=2))


@model
def loops_in_conditionals_v1():
    """A loop in a conditional, alone and in another loop, and a loop whose shapes change."""

    def loss_of(x, a, w):
        def many(y):
            def turn(i, y):
                return i + 1, tf.tanh(y * w)

            return v1.while_loop(lambda i, _: i < tf.shape(x)[0], turn, [0, y])[1]

        def body(i, y):
            return i + 1, v1.cond(i > 1, lambda: many(y), lambda: y @ a)

        y = v1.cond(tf.reduce_sum(x) > -100.0, lambda: many(x), lambda: x)
        most = tf.shape(x)[0] + 1
        y = v1.while_loop(lambda i, _: i < most, body, [0, y])[1]

        def longer(i, z):
            return i + 1, tf.concat([z, tf.tanh(z[-1:] * w)], 0)

        free = tf.TensorShape([None, 2])
        start = [0, y]
        _, z = v1.while_loop(lambda i, _: i < most, longer, start, [tf.TensorShape([]), free])
        return tf.reduce_sum(tf.square(z))

    return training(loss_of, rows(3, 2), a=rows(2, 2, seed=1), w=rows(2, seed=2))


@model
def arrays_in_conditionals_v1():
    """Arrays that only one branch of a conditional reads or writes, in a loop and outside."""

    def loss_of(x, a, w):
        n = tf.shape(x)[0]
        given = tf.TensorArray(tf.float32, n, clear_after_read=False).unstack(x)
        kept = tf.TensorArray(tf.float32, n, clear_after_read=False, element_shape=[2])

        def body(i, s, kept):
            y = v1.cond(tf.equal(i % 2, 0), lambda: given.read(i) * a, lambda: s * w)
            s = tf.tanh(s + y)
            flow = v1.cond(i > 0, lambda: kept.write(i, s).flow, lambda: kept.flow)
            return i + 1, s, tf.TensorArray(tf.float32, handle=kept.handle, flow=flow)

        _, s, kept = v1.while_loop(lambda i, *_: i < n, body, [0, tf.ones([2]), kept])
        last = v1.cond(tf.reduce_sum(x) > -100.0, lambda: kept.read(n - 1), lambda: s)
        return tf.reduce_sum(last * w) + tf.reduce_sum(s) ** 2

    return training(loss_of, rows(5, 2), a=rows(2, seed=1), w=rows(2, seed=2))
