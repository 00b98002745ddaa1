"""A model and a layer of one's own, trained by a loop of one's own and by `fit`."""

import numpy as np

import gradtape as tf


class Scale(tf.keras.layers.Layer):
    def build(self, input_shape: tuple[int, ...]) -> None:
        self.scale = self.add_weight(shape=(input_shape[-1],), initializer="ones", name="scale")

    def call(self, inputs: tf.Tensor) -> tf.Tensor:
        return inputs * self.scale


class Classifier(tf.keras.Model):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.scale = Scale()
        self.hidden = tf.keras.layers.Dense(8, activation="relu")
        self.drop = tf.keras.layers.Dropout(0.1)
        self.out = tf.keras.layers.Dense(classes)
        self.seen = tf.keras.metrics.Mean(name="loss")

    @property
    def metrics(self) -> list[tf.keras.metrics.Metric]:
        return [self.seen]

    def call(self, inputs: tf.Tensor, training: bool = False) -> tf.Tensor:
        x = self.hidden(self.scale(inputs))
        return self.out(self.drop(x, training=training))

    def train_step(self, data: tuple[tf.Tensor, tf.Tensor]) -> dict[str, tf.Tensor]:
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=self(x))
            )
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        self.seen.update_state(loss)
        return {"loss": self.seen.result()}


def step(
    model: tf.keras.Model, optimizer: tf.keras.optimizers.Optimizer, x: tf.Tensor, y: tf.Tensor
) -> tf.Tensor:
    loss_fn = tf.losses.SparseCategoricalCrossentropy(from_logits=True)
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x, training=True))
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    return loss


def main() -> None:
    generator = np.random.default_rng(0)
    x = generator.standard_normal((32, 4)).astype(np.float32)
    y = (x[:, 0] > 0).astype(np.int32)
    model = Classifier(2)
    optimizer = tf.optimizers.Adam(learning_rate=0.01)
    losses = [float(step(model, optimizer, tf.constant(x), tf.constant(y))) for _ in range(5)]
    assert losses[-1] < losses[0]
    model.compile(optimizer=tf.keras.optimizers.SGD(0.1))
    history = model.fit(x, y, epochs=2, verbose=0)
    print(len(history.history["loss"]), model.predict(x, verbose=0).shape)


if __name__ == "__main__":
    main()
