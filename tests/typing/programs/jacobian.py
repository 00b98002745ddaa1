"""Jacobians, Hessians and Newton's method."""

import gradtape as tf


def system(x: tf.Tensor) -> tf.Tensor:
    return tf.stack([x[0] ** 2 + x[1] ** 2 - 4.0, x[0] * x[1] - 1.0])


def newton(x: tf.Tensor, steps: int = 8) -> tf.Tensor:
    for _ in range(steps):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = system(x)
        j = tape.jacobian(y, x)
        x = x - tf.linalg.solve(j, y[:, tf.newaxis])[:, 0]
    return x


def hessian(v: tf.Variable) -> tf.Tensor:
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(v**3) * v[0]
        gradient = inner.gradient(y, v)
    return outer.jacobian(gradient, v)


def per_example(x: tf.Tensor, w: tf.Variable) -> tuple[tf.Tensor, list[tf.Tensor]]:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.tanh(x @ w)
    return tape.batch_jacobian(y, x), tape.jacobian(y, [w])


def directional(x: tf.Tensor, direction: tf.Tensor) -> tf.Tensor:
    with tf.autodiff.ForwardAccumulator(x, direction) as accumulator:
        y = system(x)
    return accumulator.jvp(y)


def main() -> None:
    root = newton(tf.constant([2.0, 0.4]))
    assert float(tf.norm(system(root))) < 1e-4
    h = hessian(tf.Variable([1.0, 2.0]))
    assert tf.reduce_all(h == tf.transpose(h))
    batch, full = per_example(tf.ones((4, 3)), tf.Variable(tf.ones((3, 2))))
    rows, columns = batch.shape[1], batch.shape[2]
    print(root.numpy(), rows * columns, full[0].shape, directional(root, tf.ones(2)).numpy())
    eigenvalues, eigenvectors = tf.linalg.eigh(h)
    s, u, v = tf.linalg.svd(h)
    print(eigenvalues.shape, eigenvectors.shape, s.shape, u.shape, v.shape)


if __name__ == "__main__":
    main()
