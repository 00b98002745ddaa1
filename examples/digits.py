"""Two classifiers of handwritten digits, one trained to resist adversarial examples.

A TensorFlow program, on scikit-learn's 1,797 real digits:

    gradtape run examples/digits.py

It trains a plain network and one whose loss also punishes large gradients of the loss with
respect to the input (so training differentiates a gradient: one tape inside another), attacks
both with the fast gradient sign method (Goodfellow et al., 2015), and shows what is left.
"""

import argparse
import pathlib

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

parser = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
)
parser.add_argument(
    "--epochs",
    type=int,
    default=25,
    help="how often each network sees every digit (default: %(default)s)",
)
parser.add_argument(
    "--figure",
    type=pathlib.Path,
    default=pathlib.Path("figures/digits.png"),
    help="where to save the figure (default: %(default)s)",
)
options = parser.parse_args()

BATCH = 64
PENALTY = 0.7  # the weight of the squared input gradient in the regularized loss
EPSILONS = [0.0, 0.05, 0.1, 0.15, 0.2, 0.25]  # pixels go from 0 to 1
SHOWN = 0.1

console = Console()
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def load():
    """Images of 64 pixels in [0, 1] and labels, for training and for testing."""
    images, labels = load_digits(return_X_y=True)
    images = (images / 16).astype("float32")
    labels = labels.astype("int32")
    return train_test_split(images, labels, test_size=0.3, random_state=0, stratify=labels)


def build_model():
    return tf.keras.Sequential(
        [
            tf.keras.layers.Dense(96, activation="tanh"),
            tf.keras.layers.Dense(96, activation="tanh"),
            tf.keras.layers.Dense(10),
        ]
    )


def train_step(model, optimizer, x, y, penalty):
    with tf.GradientTape() as outer:
        if penalty:
            with tf.GradientTape(watch_accessed_variables=False) as inner:
                inner.watch(x)
                loss = loss_fn(y, model(x, training=True))
            # The loss is a mean over the batch: undo it to have each example's own gradient.
            gradient = inner.gradient(loss, x) * tf.cast(len(x), x.dtype)
            loss += penalty * tf.reduce_mean(tf.reduce_sum(gradient**2, axis=1))
        else:
            loss = loss_fn(y, model(x, training=True))
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(outer.gradient(loss, variables), variables, strict=True))
    return loss


def train(model, x, y, penalty, progress, task):
    optimizer = tf.keras.optimizers.Adam(learning_rate=2e-3)
    data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(len(x), seed=1).batch(BATCH)
    for _ in range(options.epochs):
        losses = [float(train_step(model, optimizer, bx, by, penalty)) for bx, by in data]
        progress.update(task, advance=1, loss=np.mean(losses))


def fgsm(model, x, y, epsilon):
    """The images moved by `epsilon` per pixel to where the loss grows fastest."""
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = loss_fn(y, model(x))
    return tf.clip_by_value(x + epsilon * tf.sign(tape.gradient(loss, x)), 0.0, 1.0)


def predict(model, x):
    return tf.argmax(model(x), axis=1).numpy()


def draw(models, x, y, accuracies):
    """Digits before and after the attack on the left, accuracy against epsilon on the right."""
    rng = np.random.default_rng(3)
    shown = [rng.choice(np.flatnonzero(y == digit)) for digit in range(8)]
    figure = plt.figure(figsize=(13, 4.4), layout="constrained")
    left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=[1.45, 1])[0]
    colors = dict(zip(models, ["#c8553d", "#2a6f97"], strict=True))

    rows = [("clean", "#444444", x[shown], predict(models["plain"], x[shown]))]
    for name, model in models.items():
        attacked = fgsm(model, x[shown], y[shown], SHOWN)
        rows.append(
            (f"{name},\nattacked", colors[name], attacked.numpy(), predict(model, attacked))
        )
    axes = left.subplots(len(rows), len(shown))
    for line, (name, color, images, guesses) in zip(axes, rows, strict=True):
        for axis, image, guess, truth in zip(line, images, guesses, y[shown], strict=True):
            right_guess = guess == truth
            axis.imshow(image.reshape(8, 8), cmap="gray_r", vmin=0, vmax=1)
            axis.set(xticks=[], yticks=[])
            axis.spines[:].set(color="#b0b0b0" if right_guess else "#d00000", linewidth=1.5)
            axis.set_xlabel(
                str(guess),
                color="#2b7a3d" if right_guess else "#d00000",
                fontweight="normal" if right_guess else "bold",
            )
        line[0].set_ylabel(name, color=color, fontsize=11)
    left.suptitle(f"What each network sees and answers (attack: $\\epsilon$ = {SHOWN})")

    axis = right.subplots()
    for name, values in accuracies.items():
        axis.plot(EPSILONS, values, "o-", color=colors[name], linewidth=2, label=name)
    axis.axvline(SHOWN, color="#b0b0b0", linestyle=":", zorder=0)
    axis.set(xlabel=r"size of the attack $\epsilon$", ylabel="accuracy on test digits")
    axis.set(ylim=(0, 1.02), xlim=(-0.005, EPSILONS[-1] + 0.005))
    axis.yaxis.set_major_formatter("{x:.0%}")
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(alpha=0.25)
    axis.legend(title="training", frameon=False)
    right.suptitle("How far the attack gets")

    options.figure.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(options.figure, dpi=130)


def main():
    tf.random.set_seed(7)
    tf.keras.utils.set_random_seed(7)
    x_train, x_test, y_train, y_test = load()
    console.print(f"{len(x_train)} digits to train on, {len(x_test)} to test on")

    models = {"plain": build_model(), "regularized": build_model()}
    columns = [
        TextColumn("{task.description:<22}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("epochs  loss {task.fields[loss]:.4f}"),
        TimeElapsedColumn(),
    ]
    with Progress(*columns, console=console) as progress:
        for name, penalty in zip(models, [0.0, PENALTY], strict=True):
            task = progress.add_task(f"training {name}", total=options.epochs, loss=float("nan"))
            train(models[name], x_train, y_train, penalty, progress, task)

    accuracies = {
        name: [
            np.mean(predict(model, fgsm(model, x_test, y_test, epsilon)) == y_test)
            for epsilon in EPSILONS
        ]
        for name, model in models.items()
    }
    table = Table(title="Accuracy on test digits", title_style="bold")
    table.add_column("attack ε", justify="right")
    for name in models:
        table.add_column(name, justify="right")
    for epsilon, *row in zip(EPSILONS, *accuracies.values(), strict=True):
        label = f"{epsilon:.2f}" if epsilon else "clean"
        table.add_row(label, *(f"{value:.1%}" for value in row))
    console.print(table)

    draw(models, x_test, y_test, accuracies)
    console.print(f"figure saved as {options.figure}", soft_wrap=True)


if __name__ == "__main__":
    main()
