"""Eight mistakes, each on a line marked so, that a type checker is to find; never run."""

import gradtape as tf

x = tf.constant([1.0, 2.0])
v = tf.Variable(x)


@tf.function
def scaled(a: tf.Tensor, factor: float = 2.0) -> tf.Tensor:
    return a * factor


with tf.GradientTape() as tape:
    y = tf.reduce_sum(scaled(x) * v)

tf.reduce_summ(v)  # mistake: no such function
tf.reduce_sum(v, axes=0)  # mistake: the parameter is called axis
y.item()  # mistake: a method of other libraries
x.assign(x)  # mistake: a tensor can't be changed
scaled(x, 2.0, 3.0)  # mistake: the function takes two arguments
tape.grad(y, v)  # mistake: the method is called gradient
tf.keras.layers.Dense(8, activate="relu")  # mistake: the parameter is called activation
x + None  # mistake: not an operand
