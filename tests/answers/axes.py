"""Axes of operations: numbers, lists, tensors, and values of other kinds."""

from typing import Any

import numpy as np

CALLS = {
    "argmin": "tf.argmin(x,axis)",
    "argmax": "tf.argmax(x,axis)",
    "concat": "tf.concat([x,x],axis)",
    "cumsum": "tf.cumsum(x,axis)",
    "cumprod": "tf.math.cumprod(x,axis)",
    "cumulative_logsumexp": "tf.math.cumulative_logsumexp(x,axis)",
    "softmax": "tf.nn.softmax(x,axis)",
    "log_softmax": "tf.nn.log_softmax(x,axis)",
    "expand_dims": "tf.expand_dims(x,axis)",
    "stack": "tf.stack([x,x],axis)",
    "unstack": "tf.unstack(x,axis=axis)",
    "split": "tf.split(x,1,axis)",
    "gather": "tf.gather(x,[0,1],axis=axis)",
    "sort": "tf.sort(x,axis)",
    "argsort": "tf.argsort(x,axis)",
    "squeeze": "tf.squeeze(x,axis)",
    "reverse": "tf.reverse(x,axis)",
    "roll": "tf.roll(x,1,axis)",
    "reduce_sum": "tf.reduce_sum(x,axis)",
    "reduce_all": "tf.reduce_all(x>0,axis)",
    "reduce_mean": "tf.reduce_mean(x,axis)",
    "reduce_prod": "tf.reduce_prod(x,axis)",
    "reduce_std": "tf.math.reduce_std(x,axis)",
    "reduce_logsumexp": "tf.reduce_logsumexp(x,axis)",
    "reduce_euclidean_norm": "tf.math.reduce_euclidean_norm(x,axis)",
    "count_nonzero": "tf.math.count_nonzero(x,axis)",
    "l2_normalize": "tf.nn.l2_normalize(x,axis)",
    "norm": "tf.norm(x,axis=axis)",
    "moments": "tf.nn.moments(x,axis)",
    "crelu": "tf.nn.crelu(x,axis)",
    "one_hot": "tf.one_hot([0,1],3,axis=axis)",
    "repeat": "tf.repeat(x,2,axis=axis)",
    "boolean_mask": "tf.boolean_mask(x,[True,False],axis=axis)",
    "unique": "tf.raw_ops.UniqueV2(x=x,axis=axis)",
    "linspace": "tf.linspace(x,x,3,axis=axis)",
}
AXES = {
    "7": "7",
    "None": "None",
    "text": "'nonsense'",
    "fraction": "0.5",
    "fractions": "[1.5,2.5]",
    "mixed": "[0,0.5]",
    "no_axes": "[]",
    "one_axis": "[0]",
    "two_axes": "[0,1]",
    "nested": "[[0]]",
    "int32": "tf.constant(0)",
    "int64": "tf.constant(0,tf.int64)",
    "int16": "tf.constant(0,tf.int16)",
    "float32": "tf.constant(0.)",
    "vector": "tf.constant([0])",
    "array": "np.array([0])",
    "dtype": "tf.int32",
    "object": "object()",
}


def answers(tf: Any) -> dict[str, str]:
    """The shapes and dtypes of results, or the exceptions' types."""
    found = {}
    x = tf.ones([2, 3])
    for name, call in CALLS.items():
        for kind, axis in AXES.items():
            given = eval(axis, {"tf": tf, "np": np})
            try:
                made = tf.nest.flatten(eval(call, {"tf": tf, "x": x, "axis": given}))
                text = " ".join(f"{m.dtype.name}{list(m.shape)}".replace(" ", "") for m in made)
            except Exception as error:  # noqa: BLE001 - the type is the answer
                text = type(error).__name__
            found[f"{name} {kind}"] = text
    return found


# Where ours differs, by a pattern of "question: theirs, ours: ours"; and why.
DIFFERENCES = {
    r".* int16: (Memory|Type|Value|InvalidArgument)Error, ours: .*": "any integer is an axis here",
    r".* (int32|int64|vector|array): (Memory|Type|Value|InvalidArgument)Error, ours: .*": (
        "likewise a tensor, and a vector of one axis"
    ),
    r"moments nested: .*": "likewise",
    r"(stack|sort|argsort|one_hot) (fraction|float32): .*": "TensorFlow cuts fractions off",
    r".*: \w+Error, ours: (Type|InvalidArgument)Error": "another exception that names the axis",
}
