"""The operations that the engine itself rests on: arithmetic, structure, rows of tables."""

from __future__ import annotations

import operator

import numpy as np

from gradtape._src.declare import structural as f
from gradtape._src.declare.structural import conj_p
from gradtape._src.graph.ir.state import read_assigned_p
from gradtape._src.graph.nested.loop_values import grown_p
from gradtape._src.ops.array.gather import gather_p, look_up_p
from gradtape._src.ops.array.row_sums import add_rows_p
from gradtape._src.ops.elementwise import arithmetic, division, exponential, powers, trigonometric
from gradtape._src.ops.elementwise.identities import stop_gradient_p

from .base import Sample

_rng = np.random.default_rng(1)
X = _rng.uniform(0.3, 2.0, (2, 3)) * np.array([1, -1, 1])
Y = _rng.uniform(0.5, 2.0, (2, 3))
ROW = _rng.uniform(0.5, 2.0, (3,))
COLUMN = _rng.uniform(0.5, 2.0, (2, 1))
Z = X + 1j * Y
W = Y - 0.5j * X
CUBE = _rng.standard_normal((2, 3, 4))
ROWS = np.array([1, 0, 1])


def _binary(name, function, op):
    return [
        Sample(name, op, (X, Y), function),
        Sample(name, op, (X, ROW), function, "row"),
        Sample(name, op, (COLUMN, ROW), function, "outer"),
        Sample(name, op, (ROW, np.array(1.5)), function, "scalar"),
        Sample(name, op, (np.array(0.7), np.array(1.5)), function, "scalars"),
    ]


def _arithmetic(name, op, function=None):
    function = function or op
    return [*_binary(name, function, op), Sample(name, op, (Z, W), function, "complex")]


def _gather(name, indices, axis, batch_dims=0, reference=None):
    index = np.array(indices)
    return Sample(
        "GatherV2",
        lambda x: gather_p(x, index, axis=axis, batch_dims=batch_dims),
        (CUBE,),
        reference or (lambda x: np.take(x, index, axis)),
        name,
    )


def _add_rows(x, index, count):
    out = np.zeros((count, *x.shape[index.ndim :]))
    np.add.at(out, index, x)
    return out


SAMPLES = [
    *_arithmetic("AddV2", operator.add),
    *_arithmetic("Sub", operator.sub),
    *_arithmetic("Mul", operator.mul),
    *_arithmetic("RealDiv", operator.truediv),
    *_binary("FloorMod", np.mod, division.mod_p),
    *(
        Sample(n, p, (x,), reference, name)
        for n, p, reference in [
            ("Neg", arithmetic.neg_p, np.negative),
            ("Exp", exponential.exp_p, np.exp),
            ("Sin", trigonometric.sin_p, np.sin),
            ("Cos", trigonometric.cos_p, np.cos),
            ("Tanh", trigonometric.tanh_p, np.tanh),
            ("Square", powers.square_p, np.square),
        ]
        for x, name in [(X, ""), (np.array(0.4), "scalar"), (Z, "complex")]
    ),
    *_arithmetic("TanhGrad", trigonometric.tanh_grad_p, lambda x, y: y * (1 - x * x)),
    *_arithmetic("SigmoidGrad", exponential.sigmoid_grad_p, lambda x, y: y * x * (1 - x)),
    *(
        Sample(n, p, (x,), reference, name)
        for n, p, reference in [
            ("Log", exponential.log_p, np.log),
            ("Sqrt", powers.sqrt_p, np.sqrt),
        ]
        for x, name in [(Y, ""), (np.array(0.4), "scalar"), (Z, "complex")]
    ),
    Sample("Sign", arithmetic.sign_p, (X,), np.sign),
    Sample("Abs", arithmetic.abs_p, (X,), np.abs),
    Sample("Conj", conj_p, (Z,), np.conj),
    Sample("Reshape", lambda x: f.reshape_p(x, shape=(4, 6)), (CUBE,), lambda x: x.reshape(4, 6)),
    Sample("Reshape", lambda x: f.reshape_p(x, shape=()), (ROW[:1],), lambda x: x[0], "to scalar"),
    Sample("ReadAssigned", lambda x: read_assigned_p(stop_gradient_p(x), x), (X,), lambda x: x),
    Sample(
        "GrowRows", lambda x: grown_p(x, np.int64(3)), (X,), lambda x: np.r_[x, np.zeros((2, 3))]
    ),
    Sample("SumTo", lambda x: f.sum_to_p(x, shape=(3,)), (X,), lambda x: x.sum(0)),
    Sample(
        "BroadcastTo",
        lambda x: f.broadcast_to_p(x, shape=(4, 2, 3)),
        (COLUMN,),
        lambda x: np.broadcast_to(x, (4, 2, 3)),
    ),
    Sample(
        "BroadcastTo", lambda x: f.broadcast_to_p(x, shape=()), (np.array(2.0),), None, "scalar"
    ),
    *(
        Sample(
            "Sum",
            lambda x, axis=axis, keep=keep: f.reduce_sum_p(x, axis=axis, keepdims=keep),
            (CUBE,),
            lambda x, axis=axis, keep=keep: np.sum(x, axis, keepdims=keep),
            f"{axis} {keep}",
        )
        for axis in [(-1,), (-3, -1), (-3, -2, -1), ()]
        for keep in (False, True)
    ),
    Sample(
        "Transpose",
        lambda x: f.transpose_p(x, perm=(2, 0, 1)),
        (CUBE,),
        lambda x: x.transpose(2, 0, 1),
    ),
    Sample(
        "Slice",
        lambda x: f.slice_p(x, begin=(0, 1), end=(1, 3)),
        (CUBE,),
        lambda x: x[:1, 1:3],
    ),
    Sample(
        "Pad",
        lambda x: f.pad_p(x, before=(0, 1), after=(2, 0)),
        (X,),
        lambda x: np.pad(x, [(0, 2), (1, 0)]),
    ),
    Sample("Pack", f.stack_p, (X, Y, X), lambda *xs: np.stack(xs)),
    Sample(
        "ConcatV2",
        lambda *xs: f.concat_p(*xs, axis=-1),
        (X, COLUMN, Y),
        lambda *xs: np.concatenate(xs, -1),
    ),
    Sample(
        "ResourceGather",
        lambda x: look_up_p(x, ROWS),
        (CUBE,),
        lambda x: x[ROWS],
    ),
    Sample(
        "ResourceGather",
        lambda x: look_up_p(x, ROWS) * look_up_p(x, ROWS[:, None])[0],
        (CUBE,),
        lambda x: x[ROWS] * x[ROWS[:1]],
        "twice",
    ),
    _gather("rows", [1, 0, 1], 0),
    _gather("one row", 1, 0),
    _gather("table of rows", [[1, 0], [1, 1]], 0),
    _gather("columns", [3, 3, 0], 2),
    _gather("table of columns", [[2, 0], [1, 1]], 1),
    _gather(
        "by example",
        [[2, 0], [1, 1]],
        1,
        1,
        lambda x: np.stack([x[0][[2, 0]], x[1][[1, 1]]]),
    ),
    _gather(
        "by example along the last axis",
        [[2, 0], [1, 1]],
        2,
        1,
        lambda x: np.stack([x[0][:, [2, 0]], x[1][:, [1, 1]]]),
    ),
    Sample(
        "UnsortedSegmentSum",
        lambda x: add_rows_p(x, ROWS, count=3),
        (CUBE.transpose(1, 0, 2),),
        lambda x: _add_rows(x, ROWS, 3),
        "raw",
    ),
    Sample(
        "UnsortedSegmentSum",
        lambda x: add_rows_p(x, np.array([[0, 2, -1], [1, 0, 2]]), count=3),
        (CUBE,),
        lambda x: _add_rows(x[[0, 0, 1, 1, 1], [0, 1, 0, 1, 2]], np.array([0, 2, 1, 0, 2]), 3),
        "dropped row",
    ),
]
