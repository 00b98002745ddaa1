"""Compares random pipelines of `tf.data` on gradtape and on the real TensorFlow.

    python tests/differential/pipelines.py --programs 100 --seed 0

Both must be importable. The exit status is 1 where a spec, number of elements or element differs.
Steps that TensorFlow refuses are left out.
"""

from __future__ import annotations

import argparse
import os
import sys
from random import Random
from typing import Any

import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

ROWS = [[[1, 1], [2]], [[], [2]], [[3]], [[4, 5, 6], [], [7]]]


def sources(tf: Any) -> list[Any]:
    """Returns datasets of several kinds of elements."""
    made = tf.data.Dataset
    return [
        made.range(7),
        made.range(5).map(tf.range),
        made.from_tensor_slices({"b": np.arange(6.0).reshape(3, 2), "a": [1, 2, 3]}),
        made.from_tensor_slices(tf.ragged.constant(ROWS)),
        made.from_tensor_slices(tf.ragged.constant([[1], [], [2, 3]])),
        made.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 2], [3, 3]])),
        made.from_tensor_slices([["ab", "c"], ["", "d"]]),
        made.from_tensor_slices(np.zeros([0, 2])),
    ]


def steps(tf: Any, number: int) -> list[Any]:
    """Returns steps, each a function of a dataset, with a number among their arguments."""
    made = tf.data.Dataset

    def whole(*parts: Any) -> Any:
        return parts[0] if len(parts) == 1 else parts

    return [
        lambda x: x.batch(number),
        lambda x: x.batch(number, drop_remainder=True),
        lambda x: x.padded_batch(number),
        lambda x: x.ragged_batch(number),
        lambda x: x.unbatch(),
        lambda x: x.map(whole),
        lambda x: x.map(lambda *parts: (whole(*parts), number)),
        lambda x: x.flat_map(lambda *parts: made.from_tensors(whole(*parts)).repeat(2)),
        lambda x: x.interleave(lambda *parts: made.from_tensors(whole(*parts)), number),
        lambda x: made.zip((x, x.skip(1))),
        lambda x: x.concatenate(x.take(1)),
        lambda x: x.enumerate(number),
        lambda x: x.shard(2, number % 2),
        lambda x: x.window(number, shift=1).flat_map(lambda w: w.batch(2)),
        lambda x: x.cache().repeat(2).skip(number),
        lambda x: x.unique(),
    ]


def listed(tf: Any, x: Any) -> Any:
    """Returns an element as lists and numbers."""
    if isinstance(x, tf.RaggedTensor):
        return x.to_list()
    if isinstance(x, tf.SparseTensor):
        return tf.sparse.to_dense(x).numpy().tolist()
    if isinstance(x, dict):
        return {key: listed(tf, part) for key, part in x.items()}
    return [listed(tf, y) for y in x] if isinstance(x, tuple) else x.numpy().tolist()


def outcome(tf: Any, seed: int) -> list[Any]:
    """Returns the name of the error, or the spec, length and elements, after each step."""
    random, found = Random(seed), []
    dataset = random.choice(sources(tf))
    for _ in range(random.randint(1, 4)):
        step = random.choice(steps(tf, random.randint(1, 3)))
        try:
            following = step(dataset)
            elements = [listed(tf, x) for x in following.take(6)]
        except Exception:  # noqa: BLE001  (what is refused differs; other tests compare errors)
            found.append(None)
            break
        dataset = following
        found.append((str(dataset.element_spec), int(dataset.cardinality()), elements))
    return found


def main() -> int:
    """Runs the command; gives its exit status."""
    import tensorflow as tf

    import gradtape as ours

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="the first pipeline's seed")
    options = parser.parse_args()
    different = compared = 0
    for seed in range(options.seed, options.seed + options.programs):
        own, judged = outcome(ours, seed), outcome(tf, seed)
        for i, expected in enumerate(judged):
            if expected is None:
                continue
            compared += 1
            got = own[i] if i < len(own) else None
            if got != expected:
                different += 1
                print(f"--- seed {seed}, step {i}\n{got}\n{expected}")
                break
    print(f"{compared} outcomes, {different} differences")
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())
