"""`tf.function` on functions and methods, with and without arguments."""

import gradtape as tf


@tf.function
def scaled(x: tf.Tensor, factor: float = 2.0) -> tf.Tensor:
    return x * factor


@tf.function(reduce_retracing=True)
def norm(x: tf.Tensor) -> tf.Tensor:
    return tf.sqrt(tf.reduce_sum(x * x))


class Counter(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.count = tf.Variable(0.0, trainable=False)

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def add(self, amount: tf.Tensor) -> tf.Tensor:
        self.count.assign_add(amount)
        return self.count.read_value()


def collatz(start: int) -> int:
    def goes(n: tf.Tensor, steps: tf.Tensor) -> tf.Tensor:
        return n > 1

    def turn(n: tf.Tensor, steps: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return tf.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

    _, steps = tf.while_loop(goes, turn, (tf.constant(start), tf.constant(0)))
    return int(steps)


def main() -> None:
    x = tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = norm(scaled(x, factor=3.0))
    print(y.numpy(), tape.gradient(y, x).numpy())
    counter = Counter()
    assert counter.add(tf.constant(2.0)) == 2.0
    concrete = scaled.get_concrete_function(tf.TensorSpec([2], tf.float32))
    print(concrete(x), scaled.python_function(x), collatz(27))
    sign = tf.cond(tf.reduce_sum(x) > 0, lambda: tf.constant(1), lambda: tf.constant(-1))
    squares = tf.map_fn(lambda n: n * n, x)
    print(sign, squares, tf.vectorized_map(lambda n: n + 1.0, x))


if __name__ == "__main__":
    main()
