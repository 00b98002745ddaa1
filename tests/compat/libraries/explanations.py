"""Calls of Xplique: attributions of a classifier's decisions, metrics and feature images.

Run by tools/compare_libraries.py on TensorFlow and on gradtape. One is a whole program.
"""

import numpy as np
import tensorflow as tf
from xplique import attributions, metrics
from xplique.attributions import global_sensitivity_analysis as sensitivity
from xplique.commons import operators

CALLS = {}
NUMBERS = np.random.RandomState(0)
IMAGES = NUMBERS.uniform(size=(3, 12, 12, 1)).astype("float32")
TARGETS = np.eye(4, dtype="float32")[[0, 2, 1]]
ROWS = NUMBERS.normal(size=(3, 6)).astype("float32")


def fixed(model):
    """Gives a model weights that don't depend on random numbers of the library."""
    draws = np.random.RandomState(1)
    model.set_weights([draws.normal(size=w.shape) * 0.4 for w in model.get_weights()])
    return model


def classifier():
    layers = tf.keras.layers
    return fixed(
        tf.keras.Sequential(
            [
                layers.Input((12, 12, 1)),
                layers.Conv2D(5, 3, activation="relu", name="first"),
                layers.MaxPooling2D(2),
                layers.Conv2D(6, 3, activation="relu", name="last"),
                layers.Flatten(),
                layers.Dense(4),
            ]
        )
    )


def regressor():
    layers = tf.keras.layers
    hidden = layers.Dense(8, activation="tanh")
    return fixed(tf.keras.Sequential([layers.Input((6,)), hidden, layers.Dense(4)]))


METHODS = {
    "saliency": attributions.Saliency,
    "gradient times input": attributions.GradientInput,
    "integrated gradients": lambda m: attributions.IntegratedGradients(m, steps=12),
    "integrated gradients from one": lambda m: attributions.IntegratedGradients(
        m, steps=6, baseline_value=1.0
    ),
    "deconvolution": attributions.DeconvNet,
    "guided backpropagation": attributions.GuidedBackprop,
    "Grad-CAM": lambda m: attributions.GradCAM(m, conv_layer="last"),
    "Grad-CAM of the first layer": lambda m: attributions.GradCAM(m, conv_layer="first"),
    "Grad-CAM++": lambda m: attributions.GradCAMPP(m, conv_layer="last"),
    "occlusion": lambda m: attributions.Occlusion(m, patch_size=4, patch_stride=4),
    "smooth gradients (random)": lambda m: attributions.SmoothGrad(m, nb_samples=5),
    "square gradients (random)": lambda m: attributions.SquareGrad(m, nb_samples=5),
    "variance of gradients (random)": lambda m: attributions.VarGrad(m, nb_samples=5),
    "RISE (random)": lambda m: attributions.Rise(m, nb_samples=20, grid_size=4),
    "Sobol (random)": lambda m: sensitivity.SobolAttributionMethod(m, grid_size=3, nb_design=4),
    "HSIC (random)": lambda m: sensitivity.HsicAttributionMethod(m, grid_size=3, nb_design=8),
    "LIME (random)": lambda m: attributions.Lime(m, nb_samples=20),
    "Kernel SHAP (random)": lambda m: attributions.KernelShap(m, nb_samples=20),
}
for name, make in METHODS.items():
    CALLS[name] = lambda make=make: make(classifier())(IMAGES, TARGETS)
for name in ("saliency", "gradient times input", "integrated gradients"):
    CALLS[f"{name} of rows"] = lambda make=METHODS[name]: make(regressor())(ROWS, TARGETS)
CALLS["regression"] = lambda: attributions.Saliency(
    regressor(), operator=operators.regression_operator
)(ROWS, TARGETS)
CALLS["negative gradients"] = lambda: attributions.IntegratedGradients(
    classifier(), steps=5, operator=lambda m, x, y: -tf.reduce_sum(m(x) * y, -1)
)(IMAGES, TARGETS)


def measured(kind, **options):
    def run():
        model = classifier()
        found = attributions.Saliency(model)(IMAGES, TARGETS)
        return np.float32(kind(model, IMAGES, TARGETS, **options)(found))

    return run


CALLS["metric deletion"] = measured(metrics.Deletion, steps=5)
CALLS["metric insertion"] = measured(metrics.Insertion, steps=5)
CALLS["metric of fidelity (random)"] = measured(metrics.MuFidelity, nb_samples=10, grid_size=4)


def program_that_trains_and_explains():
    """Trains a classifier on stripes, and explains it."""
    stripes = IMAGES.repeat(4, 0) * 0.1
    labels = np.arange(12) % 4
    for k, label in enumerate(labels):
        stripes[k, 3 * label : 3 * label + 3] += 1
    model = classifier()
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.SGD(0.05), loss)
    seen = model.fit(stripes, labels, epochs=6, batch_size=12, shuffle=False, verbose=0)
    found = attributions.IntegratedGradients(model, steps=8)(
        stripes[:4], np.eye(4, dtype="float32")[labels[:4]]
    )
    return seen.history["loss"], found


CALLS["program that trains and explains"] = program_that_trains_and_explains
