"""Shapes: axes made, dropped, exchanged, repeated, joined, split and padded."""

from __future__ import annotations

import numpy as np

import gradtape as tf

from .base import Sample

_rng = np.random.default_rng(3)
X = _rng.standard_normal((2, 3, 4))
Y = _rng.standard_normal((2, 1, 4))
V = _rng.standard_normal((3,))
VALUE = np.array(0.3)
PADS = [[1, 0], [0, 2], [1, 1]]
IMAGE = _rng.standard_normal((1, 4, 4, 1))

SAMPLES = [
    Sample(
        "Reshape", lambda x: tf.reshape(x, [4, -1]), (X,), lambda x: x.reshape(4, 6), "minus one"
    ),
    Sample("Reshape", lambda x: tf.expand_dims(x, -2), (X,), None, "expand_dims"),
    Sample("Reshape", tf.squeeze, (Y,), np.squeeze, "squeeze"),
    Sample("Transpose", tf.transpose, (X,), np.transpose, "reversed"),
    Sample(
        "Transpose",
        lambda x: tf.transpose(x, [1, 0, 2], conjugate=True),
        (X + 1j * X,),
        None,
        "conjugate",
    ),
    Sample("BroadcastTo", lambda x: tf.broadcast_to(x, [5, 2, 3, 4]), (Y,), None, "more axes"),
    Sample("BroadcastTo", lambda x: tf.fill([2, 3], x), (VALUE,), None, "fill"),
    Sample("BroadcastTo", lambda x: tf.meshgrid(x, x), (V,), None, "meshgrid"),
    Sample(
        "BroadcastTo", lambda x: tf.repeat(x, 2, axis=1), (X,), lambda x: x.repeat(2, 1), "repeat"
    ),
    Sample("GatherV2", lambda x: tf.repeat(x, [2, 0, 1], axis=1), (X,), None, "repeat"),
    Sample("Tile", lambda x: tf.tile(x, [2, 1, 3]), (X,), lambda x: np.tile(x, (2, 1, 3))),
    Sample("Tile", lambda x: tf.tile(x, [2, 0, 3]), (X,), None, "none"),
    Sample(
        "ConcatV2",
        lambda x, y: tf.concat([x, y, x], 1),
        (X, Y),
        lambda x, y: np.concatenate([x, y, x], 1),
        "three",
    ),
    Sample("ConcatV2", lambda x, y: tf.linspace(x, y, 4, axis=-1), (V, V + 2), None, "linspace"),
    Sample(
        "Pack", lambda x, y: tf.stack([x, y], 1), (V, V), lambda x, y: np.stack([x, y], 1), "axis"
    ),
    Sample("Unpack", lambda x: tf.unstack(x, axis=1), (X,), lambda x: list(np.moveaxis(x, 1, 0))),
    Sample("Unpack", tf.unstack, (V,), list, "scalars"),
    Sample("Unpack", lambda x: tf.unstack(x)[1], (X,), lambda x: x[1], "one of them"),
    Sample("SplitV", lambda x: tf.split(x, 2, axis=-1), (X,), lambda x: np.split(x, 2, -1)),
    Sample("SplitV", lambda x: tf.split(x, [1, -1], axis=1), (X,), None, "lengths"),
    Sample("SplitV", lambda x: tf.split(x, [0, 3, 1], axis=2)[1], (X,), None, "one of them"),
    Sample(
        "Roll", lambda x: tf.roll(x, [1, -2], [0, 2]), (X,), lambda x: np.roll(x, (1, -2), (0, 2))
    ),
    Sample("ReverseV2", lambda x: tf.reverse(x, [0, -1]), (X,), lambda x: np.flip(x, (0, 2))),
    Sample(
        "GatherV2",
        lambda x: tf.reverse_sequence(x, [2, 4], seq_axis=2, batch_axis=0),
        (X,),
        None,
        "reverse_sequence",
    ),
    Sample("Pad", lambda x: tf.pad(x, PADS), (X,), lambda x: np.pad(x, PADS), "public"),
    Sample("GatherV2", lambda x: tf.pad(x, PADS, "REFLECT"), (X,), None, "reflect"),
    Sample(
        "GatherV2",
        lambda x: tf.pad(x, PADS, "symmetric"),
        (X,),
        lambda x: np.pad(x, PADS, "symmetric"),
        "symmetric",
    ),
    Sample(
        "PadV2",
        lambda x, v: tf.pad(x, PADS, constant_values=v),
        (X, VALUE),
        lambda x, v: np.pad(x, PADS, constant_values=v),
    ),
    Sample("Transpose", lambda x: tf.nn.space_to_depth(x, 2), (IMAGE,), None, "space_to_depth"),
    Sample(
        "Transpose",
        lambda x: tf.nn.depth_to_space(tf.nn.space_to_depth(x, 2), 2),
        (IMAGE,),
        lambda x: x,
        "there and back",
    ),
    Sample(
        "Transpose",
        lambda x: tf.batch_to_space(
            tf.space_to_batch(x, [2, 2], [[0, 2], [1, 1]]), [2, 2], [[0, 2], [1, 1]]
        ),
        (IMAGE,),
        lambda x: x,
        "batch and back",
    ),
    Sample("Identity", tf.identity, (X,), lambda x: x, "public"),
]
