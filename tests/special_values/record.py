"""Records what the real TensorFlow (2.21) answers at special points, to be run with it.

python tests/special_values/record.py
"""

import json
from pathlib import Path

import numpy as np
import tensorflow as tf
from cases import all_cases, answers, inputs


def main() -> None:
    index, parts = [], {}
    for case, dtype in all_cases():
        for what, value in _asked(case, dtype).items():
            kind = value.dtype.name
            index.append((case.key, dtype, what, kind, value.size))
            parts.setdefault(kind, []).append(value.view("uint16") if kind == "bfloat16" else value)
    arrays = {kind: np.concatenate(values) for kind, values in parts.items()}
    arrays["index"] = np.frombuffer(json.dumps(index).encode(), np.uint8)
    np.savez_compressed(Path(__file__).with_name("tensorflow.npz"), **arrays)


def _asked(case, dtype):
    try:
        return answers(tf, case, inputs(case, dtype))
    except (tf.errors.OpError, TypeError):  # there is no such kernel
        return {}


main()
