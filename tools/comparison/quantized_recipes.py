"""Working arguments of the raw operations on quantized tensors, and of the gradients of cells."""

from __future__ import annotations

from comparison.values import Spec, array, dtype_of, made_by, plain

SAME = plain("SAME")
LEAST, MOST = plain(-1.0), plain(2.0)
TWOS = plain([1, 2, 2, 1])


def _held(shape: tuple[int, ...], dtype: str = "quint8") -> Spec:
    """Describes a quantized tensor by the whole numbers that it holds."""
    whole = {"quint8": "uint8", "qint8": "int8", "qint32": "int32"}[dtype]
    return made_by("bitcast", array(whole, shape, "counting"), dtype_of(dtype))


def _states(*shape: int) -> dict[str, Spec]:
    """Describes the states of an LSTM that its gradients take."""
    names = ("i", "cs", "f", "o", "ci", "co")
    return {n: array(shape=shape, fill="positive", seed=k) for k, n in enumerate(names, 2)}


SUMS = {"input": _held((2, 3), "qint32"), "input_min": plain(-9.0), "input_max": plain(9.0)}
RANGE = {"min_input": LEAST, "max_input": MOST}
FEATURES = {"features": _held((2, 3)), "min_features": LEAST, "max_features": MOST}
LSTM = {
    "cs_prev": array(shape=(2, 2)),
    "h_prev": array(shape=(2, 2)),
    "w": array(shape=(5, 8)),
    **{name: array(shape=(2,), seed=k) for k, name in enumerate(("wci", "wcf", "wco"))},
    "b": array(shape=(8,)),
}

QUANTIZED_RECIPES: dict[str, list[dict[str, Spec]]] = {
    "QuantizeDownAndShrinkRange": [{**SUMS, "out_type": dtype_of("quint8")}],
    "RequantizationRange": [SUMS],
    "Requantize": [
        {
            **SUMS,
            "requested_output_min": plain(-4.0),
            "requested_output_max": plain(4.0),
            "out_type": dtype_of("quint8"),
        }
    ],
    **{
        f"Quantized{kind}Pool": [
            {"input": _held((1, 4, 4, 2)), **RANGE, "ksize": TWOS, "strides": TWOS, "padding": SAME}
        ]
        for kind in ("Avg", "Max")
    },
    "QuantizedBiasAdd": [
        {
            "input": _held((2, 3)),
            "bias": _held((3,)),
            **RANGE,
            "min_bias": plain(-2.0),
            "max_bias": plain(1.0),
            "out_type": dtype_of("qint32"),
        }
    ],
    "QuantizedConv2D": [
        {
            "input": _held((1, 4, 4, 2)),
            "filter": _held((2, 2, 2, 3)),
            **RANGE,
            "min_filter": plain(-2.0),
            "max_filter": plain(1.0),
            "strides": plain([1, 1, 1, 1]),
            "padding": SAME,
        }
    ],
    "QuantizedMatMul": [
        {
            "a": _held((2, 3)),
            "b": _held((3, 2)),
            "min_a": LEAST,
            "max_a": MOST,
            "min_b": plain(-2.0),
            "max_b": plain(1.0),
        }
    ],
    "QuantizedMul": [
        {
            "x": _held((2, 3)),
            "y": _held((2, 3)),
            "min_x": LEAST,
            "max_x": MOST,
            "min_y": plain(-2.0),
            "max_y": plain(1.0),
        }
    ],
    "QuantizedRelu": [FEATURES],
    "QuantizedRelu6": [FEATURES],
    "QuantizedReshape": [
        {"tensor": _held((2, 3)), "shape": plain([3, 2]), "input_min": LEAST, "input_max": MOST}
    ],
    "LSTMBlockCellGrad": [
        {
            "x": array(shape=(2, 3)),
            **LSTM,
            **_states(2, 2),
            "cs_grad": array(shape=(2, 2), seed=10),
            "h_grad": array(shape=(2, 2), seed=11),
            "use_peephole": plain(True),
        }
    ],
    "GRUBlockCellGrad": [
        {
            "x": array(shape=(2, 3)),
            "h_prev": array(shape=(2, 2)),
            "w_ru": array(shape=(5, 4)),
            "w_c": array(shape=(5, 2)),
            "b_ru": array(shape=(4,)),
            "b_c": array(shape=(2,)),
            "r": array(shape=(2, 2), fill="positive", seed=2),
            "u": array(shape=(2, 2), fill="positive", seed=3),
            "c": array(shape=(2, 2), seed=4),
            "d_h": array(shape=(2, 2), seed=5),
        }
    ],
}
