"""Small programs, each about one name: what its last line gives, or what it raises."""

import contextlib
import io
import linecache
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

DIFFERENCES: list[str] = [
    r"ragged-matmul operator: .*",  # a product where TensorFlow says that a value has no length
]


PAIR = """
class PairSpec(tf.TypeSpec):
    def __init__(self, a, b, kind):
        self.a, self.b, self.kind = a, b, kind
    value_type = property(lambda self: Pair)
    _component_specs = property(lambda self: {"a": self.a, "b": self.b})
    def _to_components(self, value):
        return {"a": value.a, "b": value.b}
    def _from_components(self, parts):
        return Pair(parts["a"], parts["b"], self.kind)
    def _serialize(self):
        return self.a, self.b, self.kind
class Pair(tf.__internal__.CompositeTensor):
    def __init__(self, a, b, kind="sum"):
        self.a, self.b, self.kind = a, b, kind
    @property
    def _type_spec(self):
        parts = map(tf.type_spec_from_value, (self.a, self.b))
        return PairSpec(*parts, self.kind)
    def value(self):
        return self.a + self.b if self.kind == "sum" else self.a * self.b
def pair(a=1.0, b=2.0, kind="sum"):
    return Pair(tf.constant(a), tf.constant(b), kind)
def parts(x):
    return type(x).__name__, x.a, x.b, x.kind
"""
"""A composite tensor of a program's own, which a program asks for with the line "#pair"."""


def programs() -> Iterator[tuple[str, str]]:
    """The programs of programs.txt, in which each begins with a line "## name"."""
    text = (Path(__file__).parent / "programs.txt").read_text()
    for part in text.split("## ")[1:]:
        name, source = part.split("\n", 1)
        yield name.strip(), source.strip()


def answers(tf: Any) -> dict[str, str]:
    """Results, printed output and exceptions by the name of the program."""
    return {name: answer(tf, source) for name, source in programs()}


def answer(tf: Any, source: str) -> str:
    """Returns what a program prints, and the value of its last line."""
    *before, last = source.replace("#pair", PAIR).split("\n")
    scope = {"tf": tf, "np": np, "os": os, "shown": lambda x: _shown(tf, x)}
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output):
            exec(_compiled("\n".join(before)), scope)
            found = _shown(tf, eval(last, scope))
    except Exception as error:  # noqa: BLE001  (any is an answer)
        found = type(error).__name__
    printed = output.getvalue()
    return f"{printed!r} {found}" if printed else found


def _compiled(source: str) -> Any:
    """Code whose source `inspect` finds, as AutoGraph has to."""
    path = f"/programs/{abs(hash(source))}.py"
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    return compile(source, path, "exec")


def _shown(tf: Any, x: Any) -> str:
    """A value in few words."""
    if isinstance(x, tf.Tensor):
        return f"{x.dtype.name}{x.shape} {_array(np.asarray(x.numpy()))}"
    if isinstance(x, tf.RaggedTensor):
        lengths = [np.asarray(n).tolist() for n in x.nested_row_lengths()]
        return f"ragged{x.shape} {lengths} {_shown(tf, x.flat_values)}"
    if isinstance(x, tf.SparseTensor):
        parts = (x.indices, x.values, x.dense_shape)
        return f"sparse({', '.join(_shown(tf, part) for part in parts)})"
    if isinstance(x, (list, tuple)):
        return f"{type(x).__name__}({', '.join(_shown(tf, part) for part in x)})"
    if isinstance(x, dict):
        return f"{{{', '.join(f'{k!r}: {_shown(tf, v)}' for k, v in x.items())}}}"
    if isinstance(x, np.ndarray):
        return f"array {x.dtype} {x.shape} {_array(x)}"
    text = re.sub(r"0x[0-9a-f]+", "0x", repr(x))
    return re.sub(r"(tensorflow|gradtape)[\w.]*\.", "", text)


def _array(x: Any) -> str:
    if x.dtype.kind in "fc":
        x = np.array([f"{v:.5g}" for v in x.reshape(-1)]).reshape(x.shape)
    return str(x.tolist())
